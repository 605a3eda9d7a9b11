"""The rules of a layout as values: regions, lines and sums; `sudoku/rules.py` has their kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.restrictions import Candidate as Candidate
from sudoku.restrictions import Cell as Cell
from sudoku.restrictions import Pairs, Restriction, SameSums, number_of
from sudoku.rules import FAMILIES, KINDS, LINES, SUMS, Kind, kind_of

Total = int | tuple[Any, ...]  # a number; the cell of a circle, two of a pill; or digits
Parts = Callable[["Line | Sum"], Iterable[Sequence[Cell]]]


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


class Line(NamedTuple):
    """Cells in order whose digits restrict each other.

    Attributes:
        kind: a kind of `sudoku.rules.LINES`, as in docs/variants.md; or with a number, as "difference-3", "ratio-3",
            "total-7" and "whisper-4"; or "no-" and a kind that restricts pairs of digits, for the opposite.
        name: its name among those of its kind: a number from 0, or a text.
        cells: (row, column) from 0: at least two cells; for "between" three, for "odd" and "even" one; for "clone" an
            even number.
    """

    kind: str
    name: int | str
    cells: tuple[Cell, ...]

    @property
    def restriction(self) -> Restriction:
        """How its digits restrict each other."""
        restriction = line_kind(self.kind).restriction
        assert restriction is not None
        return restriction

    @property
    def total(self) -> None:
        """A line has no total."""

    @property
    def circles(self) -> tuple[Cell, ...]:
        """A line has no circles."""
        return ()

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def checked(self, size: int, there: set[Cell]) -> Line:
        """Returns the line if its kind is known and its cells fit the grid; raises ValueError."""
        kind = line_kind(self.kind)
        line = self._replace(cells=listed(self.cells, f"line {self}", there))
        check_number(line.cells, kind, size, f"line {self}")
        return line


class Sum(NamedTuple):
    """Cells whose digits have a total.

    Attributes:
        kind: a kind of `sudoku.rules.SUMS`, as in docs/variants.md.
        name: its name among those of its kind: a number from 0, or a text.
        cells: (row, column) from 0; a cage has up to n cells in any order; a row or a column has them in the order seen
            from the clue.
        total: a whole number; for an arrow, the cell of the circle; for a pill, its two cells; for a quadruple, its
            digits.
    """

    kind: str
    name: int | str
    cells: tuple[Cell, ...]
    total: Total

    @property
    def restriction(self) -> Restriction:
        """How its digits restrict each other."""
        restriction = KINDS[self.kind].restriction
        assert restriction is not None
        return restriction

    @property
    def circles(self) -> tuple[Cell, ...]:
        """The cells that hold the total."""
        circles = KINDS[self.kind].circles
        if not circles or isinstance(self.total, int):
            return ()
        return self.total if circles == 2 else (self.total,)

    @property
    def number(self) -> int:
        """The total as a number."""
        assert isinstance(self.total, int)
        return self.total

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def checked(self, size: int, there: set[Cell], regions: Iterable[Region]) -> Sum:
        """Returns the sum if its kind, cells and total fit the grid; raises ValueError."""
        if self.kind not in SUMS:
            raise ValueError(f"{self.kind!r:.40} is no kind of sum: {', '.join(SUMS)} are")
        kind = KINDS[self.kind]
        one = self._replace(cells=listed(self.cells, str(self), there), total=self._total(kind, size, there))
        check_number(one.cells, kind, size, str(self))
        if both := sorted(set(one.circles) & set(one.cells)):
            raise ValueError(f"the {self} has its circle {both[0]} on its line")
        if isinstance(one.total, tuple) and kind.total == "digits" and len(one.total) > len(one.cells):
            raise ValueError(f"the {self} has {len(one.cells)} cells for {len(one.total)} digits")
        if kind.takes_side and frozenset(one.cells) not in {region.cells for region in regions}:
            raise ValueError(f"the cells of the {self} are neither a row nor a column")
        return one

    def _total(self, kind: Kind, size: int, there: set[Cell]) -> Total:
        """Returns the total if it fits the kind; raises ValueError."""
        if kind.total == "circle":
            return listed([self.total], str(self), there)[0]  # type: ignore[list-item]
        if kind.total == "pill":
            found = listed(self.total, str(self), there)  # type: ignore[arg-type]
            if len(found) != 2:
                raise ValueError(f"the {self} has {len(found)} cells for its number instead of two")
            return found
        if kind.total == "digits":
            digits = tuple_of(self.total, len(self.total) if isinstance(self.total, Sequence) else 0)
            if not digits or not 1 <= min(digits) <= max(digits) <= size:
                raise ValueError(f"the {self} has {self.total!r:.40} instead of digits from 1 to {size}")
            return tuple(sorted(digits))
        if not isinstance(self.total, (int, np.integer)):
            raise ValueError(f"the {self} has the total {self.total!r:.40} instead of a whole number")
        return int(self.total)


def check_number(cells: Sequence[Cell], kind: Kind, size: int, owner: str) -> None:
    """Raises ValueError unless a kind of rule can have this number of cells."""
    number = len(cells)
    if kind.takes_side and number != size:
        raise ValueError(f"the {owner} has {number} cells instead of {size}, a row or a column")
    if number < kind.least:
        raise ValueError(f"the {owner} has {number} cells instead of {('', 'one', 'two', 'three')[kind.least]} or more")
    if kind.cells == "even" and number % 2:
        raise ValueError(f"the {owner} has {number} cells, an odd number")
    if kind.cells == "few" and number > size:
        raise ValueError(f"the {owner} has {number} cells, but it repeats no digit, and there are {size} digits")


def cell_of(value: object, owner: str) -> Cell:
    """Returns a cell as a tuple; raises ValueError."""
    cell: Cell | None = tuple_of(value, 2)
    if cell is None:
        raise ValueError(f"{value!r:.40} in the {owner} is not a cell, (row, column) in whole numbers")
    return cell


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
    found: tuple[Cell, ...] = tuple(cell_of(cell, owner) for cell in cells)
    if twice := [cell for cell, times in Counter(found).items() if times > 1]:
        raise ValueError(f"the {owner} has the cell {twice[0]} twice")
    if there is not None and (outside := sorted(set(found) - there)):
        raise ValueError(f"the cell {outside[0]} of the {owner} is not in the grid")
    return found


def line_kind(name: str) -> Kind:
    """Returns the record of a kind of lines; raises a ValueError that lists the kinds."""
    kind = kind_of(name)
    if kind is None or kind.total:
        raise ValueError(f"{name!r:.40} is no kind of line: {', '.join(LINES)} are, and {', '.join(FAMILIES)} with -3")
    return kind


def keeps(rule: Sum | Line, grid: npt.NDArray[np.uint8], size: int, parts: Parts) -> bool:
    """Returns whether a grid satisfies a sum or a line, as far as its cells are not blank.

    Parameters:
        rule: the sum or the line.
        grid: digits, and 0 for blanks.
        size: the number of digits.
        parts: returns the parts of a line in each box.
    """
    restriction = rule.restriction
    digits = [int(grid[cell]) for cell in rule.cells]
    circles = [int(grid[cell]) for cell in rule.circles]
    if 0 in (*digits, *circles) and not isinstance(restriction, Pairs):
        return True
    if isinstance(restriction, SameSums):
        digits = [sum(int(grid[cell]) for cell in part) for part in parts(rule)]
    return restriction.holds(digits, number_of(circles) if circles else rule.total, size)
