"""The form of rows: a line for each, of numbers or blanks with white space, commas or semicolons between them.

Up to 9 rows, or with an alphabet, nothing need be between them, or they are in groups such as `53. .7. ...`. Nothing
between two commas, semicolons or tabs is a blank. A comma may stand behind the last cell; where a row has one cell too
few but for that, and other rows do not show which it is, that is an error.

0 is a blank. Others write the digits of n rows as 0 to n - 1, though: where some other sign stands for blanks too, n
does not occur, and there are no more 0s than one digit can have, 0 may be a digit, and such a grid is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import NamedTuple

import numpy as np

from sudoku.formats.signs import BLANKS, Alphabet, clip, has_other_blanks, quoted, zero_doubt, zero_may_be_digit
from sudoku.grid import Candidates
from sudoku.layout import Layout, another_box


class Row(NamedTuple):
    """A line as the row of a grid, right or wrong."""

    line: int  # the number of the line, from 1
    text: str  # the line
    parts: list[list[str]]  # the cells as text, as bars divide them
    values: list[int]  # for each cell its number, 0 if it is a blank, and -1 if it is neither
    doubtful: bool  # whether the line may be a rule instead
    marked: bool = False  # whether the cells are candidates, and their values so far only those of single digits

    @property
    def cells(self) -> list[str]:
        return [cell for part in self.parts for cell in part]

    @property
    def dashes(self) -> bool:
        """Tells whether it has nothing but dashes, and perhaps bars: it may be a rule, even if it is not doubtful."""
        return self.doubtful or set(self.text) <= set("-| \t")

    @property
    def hollow(self) -> bool:
        """Tells whether it has nothing but commas or semicolons: it may be a row of blanks, or no row."""
        return is_hollow(self.text)

    @classmethod
    def of(cls, line: int, text: str, n: int, alphabet: Alphabet, doubtful: bool = False) -> Row:
        bare = n <= 9 or alphabet.given
        parts = divide(text, n, bare)
        cells = [cell for part in parts for cell in part]
        marked = bare and len(cells) == n and has_marks(cells, alphabet)
        values = [0 if marked and len(cell) > 1 else number(cell, alphabet) for cell in cells]
        return cls(line, text, parts, values, doubtful, marked)

    def fault(self, layout: Layout, place: int) -> str:
        """Returns the fault of a line as row `place` of a grid, counted from 1, or nothing."""
        n, row = layout.size, f"row {place}"
        if self.values and not 0 <= min(self.values) <= max(self.values) <= n:
            return self._bad_cell(n, row) + (self._other_size(n) if place == 1 and min(self.values) >= 0 else "")
        if len(self.values) != n:
            other = self._other_size(n) if place == 1 else ""
            cells = "1 cell" if len(self.values) == 1 else f"{len(self.values)} cells"
            return f"{row} has {cells} instead of {n}: {quoted(' '.join(self.cells))}{other}"
        width = layout.box[1] if layout.box else n
        if len(self.parts) > 1 and [len(part) for part in self.parts] != [width] * (n // width):
            return f"the bars in {row} do not divide it into {n // width} parts of {width} cells"
        return ""

    def _other_size(self, n: int) -> str:
        """Returns the hint of a message if this is the first row of a grid of another size, or a whole one."""
        cells = len(self.values)
        whole = cells > 9 and isqrt(cells) ** 2 == cells and len(self.text) == cells
        rows = isqrt(cells) if whole else cells
        return another_box(rows) if abs(cells - n) > 1 and max(self.values, default=0) <= rows else ""

    def _bad_cell(self, n: int, row: str) -> str:
        k = next(k for k, value in enumerate(self.values) if not 0 <= value <= n)
        cell = self.cells[k]
        if self.values[k] < 0:
            return f"{quoted(cell)} in {row} is neither a digit nor a blank"
        return f"{clip(cell)} in {row} is not between 0 and {n}"

    def resembles_row(self, n: int) -> bool:
        """Tells a bad first row of a grid, the rest of which must be passed over, from a bad line by itself.

        In a line of n cells numbers that are too large are good: if that were a line by itself, the rows after it would
        make a wrong grid with those of the next one.
        """
        cells = len(self.values)
        good = sum(value >= 0 and (value <= n or cells == n) for value in self.values)
        return 2 * good > max(cells, 4)


def zero_fault(cells: Sequence[str], n: int) -> str:
    """Returns the fault of the cells of a grid of n rows if nobody knows what 0 is, or nothing."""
    plain = [cell if cell in BLANKS else str(int(cell)) for cell in cells]
    return zero_doubt(str(n)) if has_other_blanks(plain) and zero_may_be_digit(plain, n, str(n)) else ""


def mixed_fault(rows: Sequence[Row], place: int) -> str:
    """Returns the fault of the last one of some rows, row `place`, if candidates stand among blanks, or nothing."""
    *before, row = rows
    blank = [cell for cell in row.cells if cell in BLANKS]
    if row.marked and any(0 in other.values for other in before if not other.marked):
        word = next(cell for cell in row.cells if len(cell) > 1)
        return f"{quoted(word)} in row {place} is no digit, and beside blanks it cannot be several candidates"
    if blank and any(other.marked for other in before):
        return f"{quoted(blank[0])} in row {place} is a blank beside cells of several candidates"
    return ""


def begins_with_divider(rows: Sequence[Row]) -> bool:
    """Tells whether the first of some rows is all blank in a sign of its own, and so stands between two grids."""
    first = set(rows[0].cells)
    if len(first) != 1 or not first <= set(BLANKS) - {"0"}:
        return False
    blanks = {cell for row in rows[1:] for cell in row.cells if cell in BLANKS}
    return bool(blanks) and not first & blanks


def end_fault(rows: Sequence[Row], n: int) -> str:
    """Returns the fault of the rows of a grid if nobody knows what a comma at the end of one of them is, or nothing."""
    fields = [[field.strip() for field in _fields(row.text)] for row in rows]
    closed = any(len(row) == n + 1 for row in fields)
    inner = any("" in row[: n - 1] for row in fields)
    for place, row in enumerate(fields, 1):
        if len(row) == n and not row[-1] and (closed or not inner):
            what = f"behind its cell {n - 1}, or before an empty one"
            return (
                f"row {place} ends in {quoted(rows[place - 1].text[-1])}, which may be {what}: write blanks as . or 0"
            )
    return ""


def is_hollow(text: str) -> bool:
    """Tells whether a line has nothing but commas or semicolons."""
    return bool(text) and set(text) <= set(",; \t") and not text.isspace()


def from_sheet(line: str, n: int, alphabet: Alphabet) -> str:
    """Returns a line without white space around it; of a spreadsheet with empty cells, with commas for tabs."""
    fields = [field.strip() for field in line.strip(" \r\n").split("\t")]
    wanted = [cells + more for cells in (n, n * n) for more in ([0, 1] if not fields[-1] else [0])]
    if "" not in fields or len(fields) not in wanted or len(fields) == 1:
        return line.strip()
    known = all(0 <= number(field, alphabet) <= n for field in fields if field)
    return ",".join(fields) if known else line.strip()


def _fields(text: str) -> list[str]:
    return text.split("," if "," in text else ";")


def _without_end(fields: list[str], n: int) -> list[str]:
    """Returns the fields without the one behind a comma that only ends the line."""
    ends = len(fields) == n + 1 or (len(fields) != n and all(field.strip() for field in fields[:-1]))
    return fields[:-1] if len(fields) > 1 and not fields[-1].strip() and ends else fields


def divide(text: str, n: int, bare: bool) -> list[list[str]]:
    """Returns the cells of a line that should have n, in parts as the bars divide it; `bare` words may be several."""
    bars = text.removeprefix("|").removesuffix("|").split("|")
    fields = bars if len(bars) > 1 else _without_end(_fields(bars[0]), n)
    parts = [field.split() for field in fields]
    single = all(len(part) <= 1 for part in parts)
    between = len(bars) == 1 < len(fields)  # whether commas are
    if single and (len(parts) == n or (between and not all(parts))):
        return [[part[0] if part else "." for part in parts]]  # a bar or a comma between all cells: spaces are blanks
    if between:
        parts = [[word for part in parts for word in part]]
    if not bare:
        return parts
    words = [word for part in parts for word in part]
    groups = len(words) != n and sum(map(len, words)) == n
    return [list("".join(part)) if groups or len(part) == 1 else part for part in parts]


def number(cell: str, alphabet: Alphabet | None = None) -> int:
    """Returns the value of a cell of a row; 0 for a blank, and -1 if it has none."""
    if alphabet is not None and alphabet.given:
        return alphabet.values.get(cell, -1)
    if cell.isascii() and cell.isdigit():
        return int(cell) if len(cell) < 10 else 10**9
    return 0 if len(cell) == 1 and cell in BLANKS else -1


def choices(word: str, alphabet: Alphabet) -> list[int]:
    values = [alphabet.values.get(sign, 0) for sign in word.removeprefix("+")]
    rising = all(a < b for a, b in zip([0, *values], values, strict=False))
    return values if rising and (not word.startswith("+") or len(values) == 1) else []


def has_marks(cells: Sequence[str], alphabet: Alphabet) -> bool:
    """Tells whether the cells of a row are candidates, and not only digits."""
    return any(len(cell) > 1 for cell in cells) and all(choices(cell, alphabet) for cell in cells)


def candidates(cells: Sequence[str], alphabet: Alphabet) -> tuple[list[int], Candidates]:
    """Returns the digits of a grid of n^2 words, and the candidates, shape (n, n, n).

    >>> grid, marks = candidates(["12", "1", "+1", "2"], Alphabet.of(2))
    >>> grid, marks.tolist()
    ([0, 1, 0, 2], [[[True, True], [True, False]], [[True, False], [False, True]]])
    """
    n = len(alphabet.digits)
    found = np.zeros((n * n, n), dtype=np.bool_)
    for k, cell in enumerate(cells):
        found[k, np.array(choices(cell, alphabet)) - 1] = True
    digits = [alphabet.values[cell] if len(cell) == 1 else 0 for cell in cells]
    return digits, found.reshape(n, n, n)
