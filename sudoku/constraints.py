"""The rules of a layout as values: regions, and constraints of the kinds in `sudoku/rules.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sudoku.restrictions import Candidate as Candidate
from sudoku.restrictions import Cell as Cell
from sudoku.rules import FAMILIES, LINES, SUMS, Kind, kind_of

Total = int | tuple[Any, ...] | None  # a number; the cell of a circle, two of a pill; digits; None for a line


def beside(cell: Cell, there: Container[Cell]) -> list[Cell]:
    """Returns those of some cells that share a side with a cell, in reading order."""
    r, c = cell
    return [other for other in ((r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)) if other in there]


class Region(NamedTuple):
    """Cells that repeat no digit.

    Attributes:
        kind: "row", "column", "box" (also for the regions of a jigsaw), or another kind, as "diagonal".
        name: its name among those of its kind: a number from 0 in reading order, or a text.
        cells: 1 to n cells (row, column) from 0.
    """

    kind: str
    name: int | str
    cells: frozenset[Cell]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Constraint(NamedTuple):
    """Cells whose digits restrict each other: a line, or cells with a total.

    Attributes:
        kind: a kind of docs/variants.md; for lines also with a number, as "difference-3", "ratio-3", "total-7" and
            "whisper-4", or "no-" and a kind that restricts pairs of digits, for the opposite.
        name: its name among those of its kind: a number from 0, or a text.
        cells: (row, column) from 0, in order. A line has at least two cells; "between" three, "odd" and "even" one,
            "clone" an even number. A cage has up to n cells; a row or a column has them in the order seen from the
            clue.
        total: None for a line; otherwise a whole number; for an arrow, the cell of the circle; for a pill, its two
            cells; for a quadruple, its digits.
    """

    kind: str
    name: int | str
    cells: tuple[Cell, ...]
    total: Total = None

    @property
    def record(self) -> Kind:
        """The record of its kind; a ValueError lists the kinds if there is none."""
        kind = kind_of(self.kind)
        if kind is None:
            known = f"{', '.join((*LINES, *SUMS))} are, and {', '.join(FAMILIES)} with -3"
            raise ValueError(f"{self.kind!r:.40} is no kind of rule: {known}")
        return kind

    @property
    def circles(self) -> tuple[Cell, ...]:
        """The cells that hold the total."""
        circles = self.record.circles
        if not circles or not isinstance(self.total, tuple):
            return ()
        return self.total if circles == 2 else (self.total,)

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def checked(self, size: int, there: set[Cell], regions: Iterable[Region]) -> Constraint:
        """Returns the constraint if its kind, cells and total fit the grid; raises ValueError."""
        kind = self.record
        one = self._replace(cells=listed(self.cells, str(self), there), total=self._total(kind, size, there))
        number, takes_side = len(one.cells), kind.cells in ("row", "view")
        if takes_side and number != size:
            raise ValueError(f"the {self} has {number} cells; expected the {size} cells of a row or a column")
        if takes_side and frozenset(one.cells) not in {region.cells for region in regions}:
            raise ValueError(f"the cells of the {self} are neither a row nor a column")
        if number < kind.least:
            least = ("", "one", "two", "three")[kind.least]
            raise ValueError(f"the {self} has {number} cells instead of {least} or more")
        if kind.cells == "even" and number % 2:
            raise ValueError(f"the {self} has {number} cells, an odd number")
        if kind.cells == "few" and number > size:
            raise ValueError(f"the {self} has {number} cells, but it repeats no digit, and there are {size} digits")
        if kind.circles and (both := sorted(set(one.circles) & set(one.cells))):
            raise ValueError(f"the {self} has its circle {spelled(both[0])} on its line")
        if kind.total == "digits" and isinstance(one.total, tuple) and len(one.total) > number:
            raise ValueError(f"the {self} has {number} cells for {len(one.total)} digits")
        return one

    def _total(self, kind: Kind, size: int, there: set[Cell]) -> Total:
        """Returns the total if it fits the kind; raises ValueError."""
        total: Any = self.total
        if kind.total == "":
            if total is not None:
                raise ValueError(f"the {self} has the total {total!r:.40}, but a {self.kind} has none")
            return None
        if kind.circles:
            found = listed([total] if kind.circles == 1 else total, str(self), there)
            if len(found) != kind.circles:
                raise ValueError(f"the {self} has {len(found)} cells for its number instead of {kind.circles}")
            return found[0] if kind.circles == 1 else found
        if kind.total == "digits":
            digits = tuple_of(total, len(total) if isinstance(total, Sequence) else 0)
            if not digits or not 1 <= min(digits) <= max(digits) <= size:
                raise ValueError(f"the {self} has {total!r:.40} instead of digits from 1 to {size}")
            return tuple(sorted(digits))
        if not isinstance(total, (int, np.integer)):
            raise ValueError(f"the {self} has the total {total!r:.40} instead of a whole number")
        return int(total)


def spelled(cell: Cell) -> str:
    """Returns a cell as files of rules have it: r1c2."""
    return f"r{cell[0] + 1}c{cell[1] + 1}"


def tuple_of(value: object, count: int) -> Any:
    """Returns `count` whole numbers as a tuple; None if the value is something else."""
    several = isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim == 1)
    numbers = list(value) if several else []  # type: ignore[call-overload]
    if len(numbers) != count or not all(isinstance(number, (int, np.integer)) for number in numbers):
        return None
    return tuple(map(int, numbers))


def listed(cells: Iterable[Cell], owner: str, there: set[Cell] | None = None) -> tuple[Cell, ...]:
    """Returns cells as a tuple; raises ValueError if one is no cell, comes twice, or is not in the grid."""
    if not isinstance(cells, Iterable):
        raise ValueError(f"the {owner} is {cells!r:.40} instead of cells (row, column)")
    found: list[Cell] = []
    for value in cells:
        cell: Cell | None = tuple_of(value, 2)
        if cell is None:
            raise ValueError(f"{value!r:.40} in the {owner} is not a cell, (row, column) in whole numbers")
        found.append(cell)
    if twice := [cell for cell, times in Counter(found).items() if times > 1]:
        raise ValueError(f"the {owner} has the cell {spelled(twice[0])} twice")
    if there is not None and (outside := sorted(set(found) - there)):
        raise ValueError(f"the cell {spelled(outside[0])} of the {owner} is not in the grid")
    return tuple(found)
