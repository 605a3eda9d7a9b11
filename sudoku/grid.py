"""Sudoku grids as text and as arrays: the forms in which people write them, any mixture of them in one stream.

Words: a grid has n rows of n *cells*; a *box* has a rows and b columns, and n = a b; a *band* is a row of boxes and a
*stack* is a column of them. A *given* is a cell with a digit, 1 to n; the other cells are blank, 0.

A grid is read in three forms:

    line    81 characters, a digit or a blank each. A comment may follow after white space, `,` or `;`.
    rows    nine lines of nine digits or blanks, with white space between them or with nothing between them.
    boxed   the same with `|` between the boxes, and rules of `-`, `+`, `=` and `|` around them.

A blank is any of `0 . * - _ x X ?`. Anything from `#` on is a comment, and a line with nothing else is skipped. An
empty line ends a grid, and a line `end` ends the input. In the line form the digits above 9 are the letters from
A = 10 on, for grids of up to 32 rows; in the other forms they are decimal numbers with white space between them.

One thing is ambiguous, and read like this: `---|---|---` is a rule between two bands, unless the rows above it write
their blanks as `-`; within a band it is a row.

A malformed grid costs one error and no other grid: after a bad row, the reader passes over as many rows as the grid
still lacks, or fewer if an empty line or another form ends it first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Box = tuple[int, int]
Grid = npt.NDArray[np.uint8]
Form = Literal["line", "rows", "boxed"]

BLANKS = "0.*-_xX?"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVW"  # 10 to 32, in the line form; the next one, X, is a blank
DIGITS = "123456789" + LETTERS
MAX_SIZE = 64


class GridError(ValueError):
    """A text is not a sudoku grid.

    Attributes:
        file: the name of the input.
        line: the number of the line, from 1.
        reason: what is wrong, with the offending value.
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(file, line, reason)
        self.file = file
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True, eq=False)
class Puzzle:
    """A grid as it was read.

    Attributes:
        grid: uint8, shape (n, n), read-only; 0 is a blank.
        form: how it was written.
        file: the name of the input.
        line: the number of its first line, from 1.
        box: the rows and columns of a box.
    """

    grid: Grid
    form: Form
    file: str
    line: int
    box: Box = (3, 3)

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        from sudoku.svg import to_svg

        return to_svg(self.grid, self.box)


def grid_size(box: Box) -> int:
    """The number of rows, columns, boxes and digits of a grid with boxes of so many rows and columns.

    Raises:
        ValueError: the box is not a pair of whole numbers from 1, or their product is not between 2 and 64.

    >>> grid_size((3, 3)), grid_size((2, 3))
    (9, 6)
    """
    whole = len(box) == 2 and all(isinstance(side, (int, np.integer)) and side >= 1 for side in box)
    if not whole or not 2 <= box[0] * box[1] <= MAX_SIZE:
        raise ValueError(f"the box {box!r} is not (rows, columns) of 2 to {MAX_SIZE} cells")
    return int(box[0]) * int(box[1])


def as_grid(values: npt.ArrayLike, box: Box = (3, 3)) -> Grid:
    """Checks the cells of a grid; whether they contradict one another is not asked.

    Parameters:
        values: whole numbers from 0, a blank, to n; shape (n, n).
        box: the rows and columns of a box; n is their product.

    Returns:
        The grid as a read-only uint8 array of its own.

    Raises:
        ValueError: the shape, the type or a value is wrong; the message names it, and where it stands.

    >>> as_grid([[1, 2, 3, 4], [3, 4, 5, 2], [2, 1, 4, 3], [4, 3, 2, 1]], box=(2, 2))
    Traceback (most recent call last):
    ...
    ValueError: the value 5 in row 2, column 3 is not between 0 and 4
    """
    n = grid_size(box)
    array = np.asarray(values)
    if array.shape != (n, n):
        raise ValueError(f"the grid has the shape {array.shape} instead of {(n, n)}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"the grid has the type {array.dtype} instead of whole numbers")
    outside = (array < 0) | (array > n)
    if outside.any():
        r, c = np.argwhere(outside)[0].tolist()
        raise ValueError(f"the value {array[r, c]} in row {r + 1}, column {c + 1} is not between 0 and {n}")
    return _frozen(array.astype(np.uint8))


def _frozen(grid: Grid) -> Grid:
    grid.setflags(write=False)
    return grid


def read(lines: Iterable[str], *, box: Box = (3, 3), file: str = "<text>") -> Iterator[Puzzle | GridError]:
    """Reads grids in any mixture of forms, each as soon as its last line is there; it holds one grid at a time.

    Parameters:
        lines: the text, line by line, with or without line ends: an open file for example.
        box: the rows and columns of a box; n is their product.
        file: what error messages call the input.

    Yields:
        A Puzzle for each grid, and in the place of each malformed one a GridError, which is not raised.

    Raises:
        ValueError: the box is not a pair of whole numbers, or too large.

    >>> text = ["# two grids", "1 2 3 4", "3 4 1 2", "2 1 7 3", "4 3 2 1", "", "12..34..........  easy", "end"]
    >>> for puzzle in read(text, box=(2, 2)):
    ...     print(puzzle if isinstance(puzzle, GridError) else (puzzle.form, puzzle.line))
    <text>:4: 7 in row 3 is not between 0 and 4
    ('line', 7)
    """
    reader = _Reader(box, file)
    for number, line in enumerate(lines, 1):
        text, hash_sign, _ = line.removeprefix("\ufeff" if number == 1 else "").partition("#")
        text = text.strip()
        if text == "end":
            break
        if text or not hash_sign:
            yield from reader.take(number, text)
    yield from reader.close()


def parse(text: str, box: Box = (3, 3)) -> Grid:
    """Reads the one grid in a text.

    Parameters:
        text: one grid in any form that `read` knows.
        box: the rows and columns of a box; n is their product.

    Returns:
        A read-only uint8 array of shape (n, n); 0 is a blank.

    Raises:
        GridError: the text is malformed, or it has no grid, or more than one.
        ValueError: the box is not a pair of whole numbers, or too large.

    >>> parse("1.3. 3.1. ..43 43..".replace(" ", "\\n"), box=(2, 2))
    array([[1, 0, 3, 0],
           [3, 0, 1, 0],
           [0, 0, 4, 3],
           [4, 3, 0, 0]], dtype=uint8)
    """
    grid: Grid | None = None
    for puzzle in read(text.splitlines(), box=box):
        if isinstance(puzzle, GridError):
            raise puzzle
        if grid is not None:
            raise GridError(puzzle.file, puzzle.line, "a second grid begins here")
        grid = puzzle.grid
    if grid is None:
        raise GridError("<text>", 1, "there is no grid")
    return grid


class _Reader:
    """The grid that is being read, line by line."""

    def __init__(self, box: Box, file: str) -> None:
        n = grid_size(box)
        self.box, self.file, self.size = box, file, n
        values = dict.fromkeys(BLANKS, 0) | {digit: value for value, digit in enumerate(DIGITS[:n], 1)}
        values |= {digit.lower(): value for digit, value in values.items()}
        self.values = values
        self.codes = bytes(values.get(chr(code), 0) for code in range(256))
        self.line_form = re.compile(rf"([{re.escape(''.join(values))}]{{{n * n}}})(?![^\s,;])")
        self.skip = 0  # rows of a malformed grid that are still to come
        self._begin()

    def _begin(self) -> None:
        """Waits for the first row of a grid."""
        self.rows: list[list[int]] = []
        self.start = 0  # the line of the first row
        self.boxed = False  # whether there have been bars or rules
        self.dashes = False  # whether there has been a blank written as `-`

    def close(self) -> Iterator[GridError]:
        """Ends the grid, which is an error if it has begun."""
        if self.rows:
            reason = f"the grid that begins here ends after {len(self.rows)} of {self.size} rows"
            yield GridError(self.file, self.start, reason)
        self.skip = 0
        self._begin()

    def take(self, number: int, text: str) -> Iterator[Puzzle | GridError]:
        """Reads one line, stripped of comments and of the white space around it."""
        busy = bool(self.rows or self.skip)
        if not text:
            yield from self.close()
        elif busy and self._is_rule(text):
            self.boxed = bool(self.rows)
        elif self.size <= len(DIGITS) and (match := self.line_form.match(text)):
            yield from self.close()
            grid = np.frombuffer(match[1].encode().translate(self.codes), dtype=np.uint8)
            yield Puzzle(grid.reshape(self.size, self.size), "line", self.file, number, self.box)
        elif self._is_rule(text):
            pass  # the lower border of the grid before, or the upper border of the next one
        elif "|" not in text and len(head := re.split(r"[\s,;]", text, maxsplit=1)[0]) >= 2 * self.size:
            yield from self.close()
            yield GridError(self.file, number, self._line_fault(head))
        elif self.skip:
            self.skip -= 1
        else:
            yield from self._take_row(number, text)

    def _take_row(self, number: int, text: str) -> Iterator[Puzzle | GridError]:
        parts = self._parts(text)
        cells = [cell for part in parts for cell in part]
        fault = self._row_fault(parts, cells)
        if not fault:
            yield from self._add_row(number, text, cells)
        elif self.rows or self._resembles_row(cells):
            yield GridError(self.file, number, fault)
            self.skip = self.size - 1 - len(self.rows)
            self._begin()
        else:
            yield GridError(self.file, number, f"{_clip(text)!r} is neither a row nor a whole grid")

    def _add_row(self, number: int, text: str, cells: list[str]) -> Iterator[Puzzle]:
        self.start = self.start or number
        self.boxed |= "|" in text
        self.dashes |= "-" in text
        self.rows.append([_number(cell) for cell in cells])
        if len(self.rows) == self.size:
            grid = _frozen(np.array(self.rows, dtype=np.uint8))
            yield Puzzle(grid, "boxed" if self.boxed else "rows", self.file, self.start, self.box)
            self._begin()

    def _parts(self, text: str) -> list[list[str]]:
        """The cells of a row as text, in parts as the bars divide it."""
        parts = [part.split() for part in text.removeprefix("|").removesuffix("|").split("|")]
        return [list(part[0]) if len(part) == 1 and self.size <= 9 else part for part in parts]

    def _is_rule(self, text: str) -> bool:
        """Whether a line is a rule of a boxed grid, and neither a row nor 81 cells."""
        if not set(text) <= set("-+=| \t") or len(text) > 6 * self.size:
            return False
        plain = "+" not in text and "=" not in text
        if plain and sum(map(len, self._parts(text))) == self.size:  # it could be a row of blanks
            doubtful = not self.dashes and len(self.rows) % self.box[0] == 0 if "|" in text else self.boxed
            return "--" in text and doubtful
        if plain and self.dashes and not self.boxed:
            return False
        return "--" in text or not plain or "-" not in text

    def _resembles_row(self, cells: list[str]) -> bool:
        """Whether a bad line is the first row of a grid, the rest of which must be passed over, or a line by itself."""
        good = sum(0 <= _number(cell) <= self.size for cell in cells)
        return len(cells) == self.size or 2 * good > max(len(cells), 4)

    def _row_fault(self, parts: list[list[str]], cells: list[str]) -> str:
        """What is wrong with a row, or nothing."""
        n, row = self.size, f"row {len(self.rows) + 1}"
        for cell in cells:
            value = _number(cell)
            if value < 0:
                return f"{_clip(cell)!r} in {row} is neither a digit nor a blank"
            if value > n:
                return f"{_clip(cell)} in {row} is not between 0 and {n}"
        if len(cells) != n:
            return f"{row} has {len(cells)} cells instead of {n}: {_clip(' '.join(cells))!r}"
        if len(parts) > 1 and [len(part) for part in parts] != [self.box[1]] * self.box[0]:
            return f"the bars in {row} do not divide it into {self.box[0]} parts of {self.box[1]} cells"
        return ""

    def _line_fault(self, head: str) -> str:
        """What is wrong with a line that is not in the line form, and too long for a row."""
        n = self.size
        if n > len(DIGITS):
            return f"there is no line form for grids of {n} rows"
        if len(head) != n * n:
            return f"the line has {len(head)} characters instead of {n * n}: {_clip(head)!r}"
        k, bad = next((k, char) for k, char in enumerate(head, 1) if char not in self.values)
        return f"{bad!r}, character {k} of the line, is neither a digit from 1 to {DIGITS[n - 1]} nor a blank"


def _number(cell: str) -> int:
    """The value of a cell of a row; 0 for a blank, and -1 if it has none."""
    if cell.isascii() and cell.isdigit():
        return int(cell) if len(cell) < 10 else 10**9
    return 0 if len(cell) == 1 and cell in BLANKS else -1


def _clip(text: str) -> str:
    """The beginning of a text that may be very long."""
    return text if len(text) <= 40 else text[:40] + "..."


def to_line(grid: npt.ArrayLike, box: Box = (3, 3)) -> str:
    """Writes a grid in the line form: one character for each cell, with `.` for blanks and A for 10.

    Parameters:
        grid: whole numbers from 0 to n, shape (n, n); n is at most 32.
        box: the rows and columns of a box.

    Raises:
        ValueError: the grid is malformed, or has more than 32 rows.

    >>> to_line([[1, 0, 3, 0], [3, 0, 1, 0], [0, 0, 4, 3], [4, 3, 0, 0]], box=(2, 2))
    '1.3.3.1...4343..'
    """
    checked = as_grid(grid, box)
    if len(checked) > len(DIGITS):
        raise ValueError(f"there is no line form for grids of {len(checked)} rows")
    return checked.tobytes().translate(_CHARACTERS).decode("ascii")


_CHARACTERS = f".{DIGITS}".encode().ljust(256, b"?")


def to_rows(grid: npt.ArrayLike, box: Box = (3, 3)) -> str:
    """Writes a grid as rows of numbers with spaces between them, and 0 for blanks.

    Parameters:
        grid: whole numbers from 0 to n, shape (n, n).
        box: the rows and columns of a box.

    Raises:
        ValueError: the grid is malformed.

    >>> print(to_rows([[1, 0, 3, 0], [3, 0, 1, 0], [0, 0, 4, 3], [4, 3, 0, 0]], box=(2, 2)))
    1 0 3 0
    3 0 1 0
    0 0 4 3
    4 3 0 0
    """
    return "\n".join(" ".join(row) for row in _columns(as_grid(grid, box), "0"))


def to_boxed(grid: npt.ArrayLike, box: Box = (3, 3)) -> str:
    """Writes a grid with bars and rules between its boxes, and `.` for blanks.

    Parameters:
        grid: whole numbers from 0 to n, shape (n, n).
        box: the rows and columns of a box.

    Raises:
        ValueError: the grid is malformed.

    >>> print(to_boxed([[1, 0, 3, 0], [3, 0, 1, 0], [0, 0, 4, 3], [4, 3, 0, 0]], box=(2, 2)))
    1 . | 3 .
    3 . | 1 .
    ----+----
    . . | 4 3
    4 3 | . .
    """
    rows = _columns(as_grid(grid, box), ".")
    height, width = box
    lines = [" | ".join(" ".join(row[c : c + width]) for c in range(0, len(row), width)) for row in rows]
    rule = "".join("+" if char == "|" else "-" for char in lines[0])
    bands = ["\n".join(lines[r : r + height]) for r in range(0, len(lines), height)]
    return f"\n{rule}\n".join(bands)


def _columns(grid: Grid, blank: str) -> list[list[str]]:
    """The cells of each row as text, all of one width."""
    width = len(str(len(grid)))
    return [[(str(value) if value else blank).rjust(width) for value in row] for row in grid.tolist()]
