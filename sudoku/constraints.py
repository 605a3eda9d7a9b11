"""The constraints of a layout as values: regions, clashes, lines and sums; `sudoku/rules.py` has their kinds.

Two cells that allow some pairs of digits only are *clashes*. Candidates of one cell exclude each other anyway, so a
set of digits of the one and a set of digits of the other make one clash if no pair of them is allowed. Of these sets
there is one for each digit of the first cell at most, with which as few clashes as possible are said as widely as
possible: for a thermometer the digits from d on below, and those up to d above.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.rules import FAMILIES, KINDS, LINES, SUMS, Kind, Pairs, Sets, kind_of
from sudoku.rules import Cell as Cell

Candidate = tuple[int, int, int]
Total = int | tuple[Any, ...]  # a number; the cell of a circle, two of a pill; or digits


def beside(cell: Cell, there: Container[Cell]) -> list[Cell]:
    """Returns the cells of some that share a side with a cell, in reading order."""
    r, c = cell
    return [other for other in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)) if other in there]


class Region(NamedTuple):
    """Cells that have no digit twice.

    Attributes:
        kind: what it is: "row", "column" or "box" (the regions of a jigsaw are its boxes), or the name of a variant's
            own kind, such as "diagonal".
        name: which one of its kind: a number from 0 in reading order, or a name.
        cells: 1 to n of them, (row, column) from 0.
    """

    kind: str
    name: int | str
    cells: frozenset[Cell]


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

    def checked(self, size: int, there: set[Cell]) -> Clash:
        """The same, if its candidates are in a grid of so many digits with these cells."""
        owner = f"clash {self.kind} {self.name}"
        given = self.candidates if isinstance(self.candidates, Iterable) else [self.candidates]
        candidates = frozenset(whole_numbers(one, 3, owner) for one in given)
        check_there({(r, c) for r, c, _ in candidates}, there, owner)
        if wrong := [d for _, _, d in candidates if not 1 <= d <= size]:
            raise ValueError(f"the digit {wrong[0]} of the {owner} is not between 1 and {size}")
        return self._replace(candidates=candidates)


class Line(NamedTuple):
    """Cells in a line, whose digits restrict each other.

    Attributes:
        kind: one of `sudoku.rules.LINES`, as in docs/variants.md; or with a number, as "difference-3", "ratio-3",
            "total-7" and "whisper-4"; or "no-" and any of these that asks for pairs of digits, for the opposite.
        name: which one of its kind: a number from 0, or a name.
        cells: (row, column) from 0: at least two; of "between" three, of "odd" and "even" one; of "clone" an even
            number.
    """

    kind: str
    name: int | str
    cells: tuple[Cell, ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def checked(self, size: int, there: set[Cell]) -> Line:
        """The same, if there is its kind, and it has enough of these cells."""
        line_kind(self.kind)
        line = self._replace(cells=listed(self.cells, f"line {self}", there))
        if fault := cells_fault(line, size):
            raise ValueError(f"the line {self} {fault}")
        return line


class Sum(NamedTuple):
    """Cells whose digits have a total.

    Attributes:
        kind: one of `sudoku.rules.SUMS`, as in docs/variants.md.
        name: which one of its kind: a number from 0, or a name.
        cells: (row, column) from 0; of a cage in any order and up to n; of a row or a column in the order in which it
            is seen.
        total: a whole number; for an arrow the cell of the circle, for a pill the two cells of the number, for a
            quadruple its digits.
    """

    kind: str
    name: int | str
    cells: tuple[Cell, ...]
    total: Total

    @property
    def number(self) -> int:
        """The total, where it is a number."""
        assert isinstance(self.total, int)
        return self.total

    @property
    def circles(self) -> tuple[Cell, ...]:
        """The cells with the total."""
        circles = KINDS[self.kind].circles
        if not circles or isinstance(self.total, int):
            return ()
        return self.total if circles == 2 else (self.total,)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def checked(self, size: int, there: set[Cell], regions: Iterable[Region]) -> Sum:
        """The same, if there is its kind, its cells and its total in such a grid."""
        if self.kind not in SUMS:
            raise ValueError(f"{self.kind!r:.40} is no kind of sum: {', '.join(SUMS)} are")
        cells = listed(self.cells, str(self), there)
        if not cells:
            raise ValueError(f"the {self} has no cells")
        one = self._replace(cells=cells, total=self._total(size, there))
        if both := sorted(set(one.circles) & set(cells)):
            raise ValueError(f"the {self} has its circle {both[0]} on its line")
        if fault := cells_fault(one, size):
            raise ValueError(f"the {self} {fault}")
        if KINDS[self.kind].takes_side and frozenset(cells) not in {region.cells for region in regions}:
            raise ValueError(f"the {self} is neither a row nor a column")
        return one

    def _total(self, size: int, there: set[Cell]) -> Total:
        """The total, if it is one of this kind."""
        kind = KINDS[self.kind].total
        if kind == "circle":
            return listed([self.total], str(self), there)[0]  # type: ignore[list-item]
        if kind == "pill":
            found = listed(self.total, str(self), there)  # type: ignore[arg-type]
            if len(found) != 2:
                raise ValueError(f"the {self} has {len(found)} cells for its number instead of two")
            return found
        if kind == "digits":
            digits = tuple_of(self.total, len(self.total) if isinstance(self.total, Sequence) else 0)
            if not digits or not 1 <= min(digits) <= max(digits) <= size:
                raise ValueError(f"the {self} has {self.total!r:.40} instead of digits from 1 to {size}")
            return tuple(sorted(digits))
        if not isinstance(self.total, (int, np.integer)):
            raise ValueError(f"the {self} has the total {self.total!r:.40} instead of a whole number")
        return int(self.total)


def whole_numbers(value: object, count: int, owner: str) -> Any:
    """A cell, or a candidate, as a tuple of two or three whole numbers; an error says what it should be."""
    if (numbers := tuple_of(value, count)) is None:
        what = "a cell, (row, column)" if count == 2 else "a candidate, (row, column, digit)"
        raise ValueError(f"{value!r:.40} in the {owner} is not {what} in whole numbers")
    return numbers


def tuple_of(value: object, count: int) -> Any:
    """So many whole numbers, or None if the value is not that."""
    several = isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim == 1)
    numbers = list(value) if several else []  # type: ignore[call-overload]
    if len(numbers) != count or not all(isinstance(number, (int, np.integer)) for number in numbers):
        return None
    return tuple(map(int, numbers))


def listed(cells: Iterable[Cell], owner: str, there: set[Cell] | None = None) -> tuple[Cell, ...]:
    """Checks that cells as somebody lists them are cells, none is there twice, and all are in the grid."""
    if not isinstance(cells, Iterable):
        raise ValueError(f"the {owner} is {cells!r:.40} instead of cells (row, column)")
    found: tuple[Cell, ...] = tuple(whole_numbers(cell, 2, owner) for cell in cells)
    if twice := [cell for cell, times in Counter(found).items() if times > 1]:
        raise ValueError(f"the {owner} has the cell {twice[0]} twice")
    if there is not None:
        check_there(found, there, owner)
    return found


def check_there(cells: Iterable[Cell], there: set[Cell], owner: str) -> None:
    """Checks that the cells of a rule are in the grid."""
    if outside := sorted(set(cells) - there):
        raise ValueError(f"the cell {outside[0]} of the {owner} is not in the grid")


def clashes_of(line: Line, size: int) -> Iterator[Clash]:
    """Returns the clashes that a line stands for, in a grid of so many digits; none for one that pairs cannot say."""
    pairs = line_kind(line.kind).asks
    if not isinstance(pairs, Pairs):
        return
    each = product(pairs.of(line.cells), _forbidden(line.kind, size))
    for number, ((below, above), (first, second)) in enumerate(each):
        candidates = [(*below, d) for d in first] + [(*above, d) for d in second]
        yield Clash(line.kind, line.name, number, frozenset(candidates))


@lru_cache(256)
def _forbidden(kind: str, size: int) -> list[tuple[list[int], frozenset[int]]]:
    """Sets of digits of two cells, no pair of which is allowed; every pair that is not is in one of them."""
    pairs, digits = line_kind(kind).asks, range(1, size + 1)
    assert isinstance(pairs, Pairs)
    against = {a: frozenset(b for b in digits if not pairs.allowed(a, b)) for a in digits}
    sets = [second for second in dict.fromkeys(against.values()) if second]
    return [([a for a in digits if second <= against[a]], second) for second in sets]


def line_kind(name: str) -> Kind:
    """Returns the record of a kind of lines; a ValueError lists the kinds that there are."""
    kind = kind_of(name)
    if kind is None or kind.total:
        raise ValueError(f"{name!r:.40} is no kind of line: {', '.join(LINES)} are, and {', '.join(FAMILIES)} with -3")
    return kind


def cells_fault(rule: Line | Sum, size: int) -> str:
    """Describes the fault of a rule that has too few or too many cells for these digits, or returns nothing."""
    cells = len(rule.cells)
    if isinstance(rule, Line) and cells < (least := line_kind(rule.kind).least):
        return f"has {cells} cells instead of {('', 'one', 'two', 'three')[least]} or more"
    if rule.kind == "clone" and cells % 2:
        return f"has {cells} cells, which are no two halves"
    if rule.kind in ("renban", "cage") and cells > size:
        return f"has {cells} cells for {size} digits, none of which it may have twice"
    if isinstance(rule, Sum) and KINDS[rule.kind].takes_side and cells != size:
        return f"has {cells} cells instead of {size}, a row or a column"
    if isinstance(rule, Sum) and rule.kind == "quadruple" and len(digits := tuple(rule.total)) > cells:  # type: ignore[arg-type]
        return f"has {cells} cells for {len(digits)} digits"
    return ""


def keeps(rule: Sum | Line, grid: npt.NDArray[np.uint8], size: int, parts: Iterable[Sequence[Cell]]) -> bool:
    """Tells whether the digits of a grid satisfy a sum or a line; also True for lines of pairs and for blanks.

    Parameters:
        rule: the sum or the line.
        grid: digits, and 0 for blanks.
        size: the number of digits.
        parts: the cells of a line in each box.
    """
    asks = KINDS[rule.kind].asks if rule.kind in KINDS else None
    digits = [int(grid[cell]) for cell in rule.cells]
    circles = [int(grid[cell]) for cell in rule.circles] if isinstance(rule, Sum) else []
    if asks is None or isinstance(asks, Pairs) or 0 in (*digits, *circles):
        return True
    if isinstance(asks, Sets) and asks.in_parts:
        digits = [sum(int(grid[cell]) for cell in part) for part in parts]
    total = rule.total if isinstance(rule, Sum) else None
    return asks.holds(digits, number_of(circles) if circles else total, size)


def number_of(digits: Sequence[int]) -> int:
    """Returns the number that the digits of circles make.

    >>> number_of([1, 7]), number_of([4])
    (17, 4)
    """
    return sum(digit * 10**k for k, digit in enumerate(reversed(digits)))
