"""The form of rows: a line for each, of numbers or blanks with white space between them; up to 9 rows, also without.

0 is a blank. Others write the digits of n rows as 0 to n - 1, though: where some other sign stands for blanks too, n
does not occur, and there are no more 0s than one digit can have, 0 may be a digit, and such a grid is an error.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from sudoku.formats.signs import BLANKS, clip, has_other_blanks, quoted, zero_doubt, zero_may_be_digit
from sudoku.grid import Grid
from sudoku.layout import Layout

_FRAME = re.compile("[\u2500-\u257f]")  # Unicode's box drawing


class Row(NamedTuple):
    """A line as the row of a grid, right or wrong.

    Attributes:
        line: the number of the line, from 1.
        text: the line.
        parts: the cells as text, as bars divide them.
        values: for each cell its number, 0 if it is a blank, and -1 if it is neither.
        doubtful: whether the line may be a rule instead.
    """

    line: int
    text: str
    parts: list[list[str]]
    values: list[int]
    doubtful: bool

    @property
    def dashes(self) -> bool:
        """Whether it has nothing but dashes, and perhaps bars: it may be a rule, even if it is not doubtful."""
        return self.doubtful or set(self.text) <= set("-| \t")

    @classmethod
    def of(cls, line: int, text: str, n: int, doubtful: bool = False) -> Row:
        """The row that a line is in a grid of n rows."""
        parts = divide(text, n)
        return cls(line, text, parts, [number(cell) for part in parts for cell in part], doubtful)

    def fault(self, layout: Layout, place: int) -> str:
        """What is wrong with it as row `place` of a grid, counted from 1, or nothing."""
        n, row = layout.size, f"row {place}"
        if self.values and not 0 <= min(self.values) <= max(self.values) <= n:
            return self._bad_cell(n, row)
        if len(self.values) != n:
            cells = " ".join(cell for part in self.parts for cell in part)
            return f"{row} has {len(self.values)} cells instead of {n}: {quoted(cells)}"
        width = layout.box[1] if layout.box else n
        if len(self.parts) > 1 and [len(part) for part in self.parts] != [width] * (n // width):
            return f"the bars in {row} do not divide it into {n // width} parts of {width} cells"
        return ""

    def _bad_cell(self, n: int, row: str) -> str:
        k = next(k for k, value in enumerate(self.values) if not 0 <= value <= n)
        cell = [cell for part in self.parts for cell in part][k]
        if self.values[k] < 0:
            return f"{quoted(cell)} in {row} is neither a digit nor a blank"
        return f"{clip(cell)} in {row} is not between 0 and {n}"

    def resembles_row(self, n: int) -> bool:
        """Whether a bad line is the first row of a grid, the rest of which must be passed over, or a line by itself.

        In a line of n cells numbers that are too large are good: if that were a line by itself, the rows after it would
        make a wrong grid with those of the next one. A line with a frame that no form has is no row.
        """
        if _FRAME.search(self.text):
            return False
        cells = len(self.values)
        good = sum(value >= 0 and (value <= n or cells == n) for value in self.values)
        return 2 * good > max(cells, 4)


def zero_fault(rows: Sequence[Row]) -> str:
    """What is wrong with the rows of a grid if nobody knows what 0 is, or nothing."""
    n = len(rows)
    cells = [cell if cell in BLANKS else str(int(cell)) for row in rows for part in row.parts for cell in part]
    return zero_doubt(str(n)) if has_other_blanks(cells) and zero_may_be_digit(cells, n, str(n)) else ""


def divide(text: str, n: int) -> list[list[str]]:
    """The cells of a line, in parts as the bars divide it.

    >>> divide("|5 3 . | . 7 . | . . .|", 9), divide("53..", 4), divide("10 . . 4", 16)
    ([['5', '3', '.'], ['.', '7', '.'], ['.', '.', '.']], [['5', '3', '.', '.']], [['10', '.', '.', '4']])
    """
    parts = [part.split() for part in text.removeprefix("|").removesuffix("|").split("|")]
    return [list(part[0]) if len(part) == 1 and n <= 9 else part for part in parts]


def number(cell: str) -> int:
    """The value of a cell of a row; 0 for a blank, and -1 if it has none.

    >>> number("12"), number("."), number("A")
    (12, 0, -1)
    """
    if cell.isascii() and cell.isdigit():
        return int(cell) if len(cell) < 10 else 10**9
    return 0 if len(cell) == 1 and cell in BLANKS else -1


def columns(grid: Grid, blank: str) -> Sequence[Sequence[str]]:
    """The cells of each row as text, all of one width."""
    width = len(str(len(grid)))
    return [[(str(value) if value else blank).rjust(width) for value in row] for row in grid.tolist()]


def write(grid: Grid) -> str:
    """A grid as rows of numbers, with 0 for blanks."""
    return "\n".join(" ".join(row) for row in columns(grid, "0"))
