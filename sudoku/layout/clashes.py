"""Clashes: candidates of which at most one may hold; and lines of cells along which each digit restricts the next.

Two cells that allow some pairs of digits only are clashes, too. Candidates of one cell exclude each other anyway, so a
set of digits of the one and a set of digits of the other make one clash if no pair of them is allowed. Of these sets
there is one for each digit of the first cell at most, with which as few clashes as possible are said as widely as
possible: for a thermometer the digits from d on below, and those up to d above.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sudoku.layout.regions import Cell, check_there, listed

Candidate = tuple[int, int, int]
Allowed = Callable[[int, int], bool]

LINES: Mapping[str, Allowed] = MappingProxyType(
    {
        "thermometer": operator.lt,
        "slow-thermometer": operator.le,
        "whisper": lambda a, b: abs(a - b) >= 5,
        "white-dot": lambda a, b: abs(a - b) == 1,
        "black-dot": lambda a, b: a == 2 * b or b == 2 * a,
        "V": lambda a, b: a + b == 5,
        "X": lambda a, b: a + b == 10,
    }
)


class Clash(NamedTuple):
    """Candidates of which at most one may hold.

    Attributes:
        kind: what it is, such as "non-consecutive".
        name: which one of its kind: a number from 0, or a name.
        number: which one of that name, from 0.
        candidates: (row, column, digit), rows and columns from 0.
    """

    kind: str
    name: int | str
    number: int
    candidates: frozenset[Candidate]

    def check(self, size: int, there: set[Cell]) -> None:
        """Checks that its candidates are in a grid of so many digits with these cells."""
        owner = f"clash {self.kind} {self.name}"
        check_there({(r, c) for r, c, _ in self.candidates}, there, owner)
        if wrong := [d for _, _, d in self.candidates if not 1 <= d <= size]:
            raise ValueError(f"the digit {wrong[0]} of the {owner} is not between 1 and {size}")


class Line(NamedTuple):
    """Cells in a line; the digits of each and the next one are a pair that its kind allows.

    Attributes:
        kind: "thermometer" (digits rise), "slow-thermometer" (they do not fall), "whisper" (they differ by 5 or more),
            "white-dot" (by 1), "black-dot" (one is twice the other), "V" and "X" (they sum to 5 and 10).
        name: which one of its kind: a number from 0, or a name.
        cells: at least two, (row, column) from 0.
    """

    kind: str
    name: int | str
    cells: tuple[Cell, ...]

    def check(self, there: set[Cell]) -> None:
        """Checks its kind, and that it has two or more of these cells."""
        if self.kind not in LINES:
            raise ValueError(f"{self.kind!r:.40} is no kind of line: {', '.join(LINES)} are")
        owner = f"line {self.kind} {self.name}"
        if len(listed(self.cells, owner)) < 2:
            raise ValueError(f"the {owner} has {len(self.cells)} cells instead of two or more")
        check_there(self.cells, there, owner)


def clashes_of(line: Line, size: int) -> Iterator[Clash]:
    """Returns the clashes that a line stands for, in a grid of so many digits."""
    number = 0
    forbidden = _forbidden(LINES[line.kind], size)
    for below, above in pairwise(line.cells):
        for first, second in forbidden:
            candidates = [(*below, d) for d in first] + [(*above, d) for d in second]
            yield Clash(line.kind, line.name, number, frozenset(candidates))
            number += 1


def _forbidden(allowed: Allowed, size: int) -> list[tuple[list[int], frozenset[int]]]:
    """Sets of digits of two cells, no pair of which is allowed; every pair that is not is in one of them."""
    digits = range(1, size + 1)
    against = {a: frozenset(b for b in digits if not allowed(a, b)) for a in digits}
    sets = [second for second in dict.fromkeys(against.values()) if second]
    return [([a for a in digits if second <= against[a]], second) for second in sets]


def checked_candidates(candidates: Iterable[Candidate], owner: str) -> frozenset[Candidate]:
    """Checks the candidates of a clash as somebody lists them."""
    found = []
    for one in candidates if isinstance(candidates, Iterable) else [candidates]:
        if not isinstance(one, Sequence) or len(one) != 3 or not all(isinstance(x, (int, np.integer)) for x in one):
            raise ValueError(f"{one!r:.40} in the {owner} is not a candidate, (row, column, digit) in whole numbers")
        found.append((int(one[0]), int(one[1]), int(one[2])))
    return frozenset(found)
