"""The reader: grids in any mixture of forms, line by line, each as soon as its last line is there.

A line is one of

    a row               of a grid that has begun, or the first one of the next: more than half of its cells are numbers
                        or blanks. A bad row spoils its grid, the rest of which is passed over;
    the line form       of a grid, or, if it is a long word, most of it digits or blanks, an error by itself;
    a rule or a frame   see `sudoku.formats.boxed`;
    astray              otherwise. It is an error, the further such lines after it are not: they are passed over up to
                        the next empty line or the next grid.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

import numpy as np

from sudoku.formats.boxed import ambiguous, blanks, resembles_rule, without_rules
from sudoku.formats.gaps import GapsReader
from sudoku.formats.line import Line
from sudoku.formats.lines import lines_of
from sudoku.formats.rows import Row, zero_fault
from sudoku.formats.signs import quoted
from sudoku.grid import Grid, GridError, Puzzle, frozen
from sudoku.layout import Box, Layout, as_layout

PASSED = "what follows up to the next empty line or grid in one line is passed over"
ASTRAY = "further such lines up to the next empty line or grid are passed over"
UTF_16 = ("\udcff\udcfe", "\udcfe\udcff")  # its byte order marks, as bytes that are no UTF-8
EVERYTHING = 1 << 62  # rows to pass over where nobody knows how many there are


def read(
    lines: Iterable[str] | str | os.PathLike[str], *, box: Box | Layout | None = None, file: str | None = None
) -> Iterator[Puzzle | GridError]:
    """Reads grids in any mixture of forms, each as soon as its last line is there; it holds one grid at a time.

    Parameters:
        lines: the path of a file, or the text, line by line, with or without line ends: an open file for example.
        box: the rows and columns of a box, or a `Layout`; without it, 3 x 3.
        file: what error messages call the input; without it, the path, or `<text>`.

    Yields:
        A Puzzle for each grid, and in the place of each malformed one a GridError, which is not raised.

    Raises:
        ValueError: the box is not a pair of whole numbers, or too large; or a text is the path of no file.
        TypeError: the lines are no text.
        OSError: the file cannot be read.

    >>> text = ["# two grids", "1 2 3 4", "3 4 1 2", "2 1 7 3", "4 3 2 1", "", "12..34..........  easy", "end"]
    >>> for puzzle in read(text, box=(2, 2)):
    ...     print(puzzle if isinstance(puzzle, GridError) else (puzzle.form, puzzle.line))
    <text>:4: 7 in row 3 is not between 0 and 4
    ('line', 7)
    """
    layout = as_layout(box)
    if isinstance(lines, (bytes, bytearray)):
        raise TypeError("read takes a path or lines of text, not bytes")
    if not isinstance(lines, (str, os.PathLike)):
        return _grids(lines, layout, file or "<text>")
    path = os.fspath(lines)
    if isinstance(lines, str) and not os.path.exists(path):
        raise ValueError(f"{quoted(path)} is no file: read takes a path or lines, and parse the text of a grid")
    return _grids_of_file(path, layout, file or path)


def parse(text: str, box: Box | Layout | None = None) -> Grid:
    """Reads the one grid in a text.

    Parameters:
        text: one grid in any form that `read` knows.
        box: the rows and columns of a box, or a `Layout`; without it, 3 x 3.

    Returns:
        A read-only uint8 array of shape (n, n); 0 is a blank.

    Raises:
        GridError: the text is malformed, or it has no grid, or more than one.
        TypeError: this is no text.
        ValueError: the box is not a pair of whole numbers, or too large.

    >>> parse("1.3. 3.1. ..43 43..".replace(" ", "\\n"), box=(2, 2))
    array([[1, 0, 3, 0],
           [3, 0, 1, 0],
           [0, 0, 4, 3],
           [4, 3, 0, 0]], dtype=uint8)
    """
    if not isinstance(text, str):
        raise TypeError(f"parse takes the text of a grid, not {type(text).__name__}; as_grid takes other grids")
    try:
        return _only(read(text.splitlines(), box=box))
    except GridError as error:
        if not os.path.isfile(text):
            raise
        reason = f"{error.reason}; this is the path of a file: sudoku.read takes paths"
        raise GridError(error.file, error.line, reason) from None


def _only(grids: Iterable[Puzzle | GridError]) -> Grid:
    """The one grid that is there."""
    grid: Grid | None = None
    for puzzle in grids:
        if isinstance(puzzle, GridError):
            raise puzzle
        if grid is not None:
            raise GridError(puzzle.file, puzzle.line, "a second grid begins here")
        grid = puzzle.grid
    if grid is None:
        raise GridError("<text>", 1, "there is no grid")
    return grid


def _grids_of_file(path: str, layout: Layout, file: str) -> Iterator[Puzzle | GridError]:
    with open(path, encoding="utf-8", errors="surrogateescape") as lines:
        yield from _grids(lines_of(lines), layout, file)


def _grids(lines: Iterable[str], layout: Layout, file: str) -> Iterator[Puzzle | GridError]:
    reader = _Reader(layout, file) if layout.is_square else GapsReader(layout, file)
    for number, line in enumerate(lines, 1):
        if not isinstance(line, str):
            raise TypeError(f"line {number} of {file} is {line!r:.40} instead of text")
        if number == 1 and line.startswith(UTF_16):
            yield GridError(file, 1, "the text begins with the byte order mark of UTF-16; UTF-8 is expected")
            return
        text, hash_sign, _ = line.removeprefix("\ufeff" if number == 1 else "").partition("#")
        text = text.strip()
        if text == "end":
            break
        if text or not hash_sign:
            yield from reader.take(number, text)
    yield from reader.close()


class _Reader:
    """The grid that is being read, line by line."""

    def __init__(self, layout: Layout, file: str) -> None:
        self.layout, self.file, self.size = layout, file, layout.size
        self.line_form = Line(layout.size)
        self.skip = 0  # rows of a malformed grid that are still to come
        self.astray = False  # whether there has been an error since the last empty line or grid about such a line
        self.dashed = False  # whether doubtful lines have been rules since the last empty line
        self._begin()

    def _begin(self) -> None:
        """Waits for the first row of a grid."""
        self.rows: list[Row] = []
        self.boxed = False  # whether there have been bars or rules
        self.ruled = False  # whether there has been a rule that cannot be a row
        self.doubtful = False  # whether there has been a line that may be a row or a rule
        self.dashes = False  # whether there has been a line of dashes

    def close(self) -> Iterator[GridError]:
        """Ends the grid, which is an error if it has begun."""
        if self.rows and all(row.doubtful for row in self.rows):
            if not self.dashed or len(self.rows) > 1:  # a single one is the lower border of the grid before
                yield GridError(self.file, self.rows[0].line, _doubt(self.rows[0]))
        elif self.rows:
            reason = f"the grid that begins here ends after {len(self.rows)} of {self.size} rows"
            yield GridError(self.file, self.rows[0].line, reason)
        self.skip = 0
        self.astray = self.dashed = False
        self._begin()

    def take(self, number: int, text: str) -> Iterator[Puzzle | GridError]:
        """Reads one line, stripped of comments and of the white space around it."""
        drawn = len(text) <= 6 * self.size and resembles_rule(text, self.size)
        rule = drawn and self._is_no_row(number, text)
        if not text:
            yield from self.close()
        elif rule and (self.rows or self.skip):
            self.boxed = self.ruled = bool(self.rows)
        elif cells := self.line_form.cells(text):
            yield from self.close()
            yield self._take_line(number, cells)
        elif rule:
            pass  # the lower border of the grid before, or the upper border of the next one
        elif "|" not in text and self.line_form.resembles(head := re.split(r"[\s,;]", text, maxsplit=1)[0]):
            yield from self.close()
            yield GridError(self.file, number, self.line_form.fault(head))
        elif self.skip:
            self._pass_over(drawn)
        else:
            yield from self._take_row(Row.of(number, text, self.size, drawn and not self.ruled))

    def _is_no_row(self, number: int, text: str) -> bool:
        """Whether a line that is drawn like a rule is one and cannot be a row, not even a bad one."""
        if set(text) <= {"-", " "} and not self.boxed and "-" in blanks(self.rows) and text.count("-") < self.size + 2:
            return False  # a row of blanks with a dash too many or too few
        return bool(Row.of(number, text, self.size).fault(self.layout, 1))

    def _take_line(self, number: int, cells: str) -> Puzzle | GridError:
        try:
            return Puzzle(self.line_form.grid(cells), "line", self.file, number, self.layout)
        except ValueError as error:
            return GridError(self.file, number, str(error))

    def _pass_over(self, doubtful: bool) -> None:
        """Counts a row of a malformed grid; from a line on that may be one or not, up to the next empty line."""
        if not doubtful:
            self.skip -= 1
        elif not self.dashed:
            self.skip = EVERYTHING

    def _take_row(self, row: Row) -> Iterator[Puzzle | GridError]:
        fault = row.fault(self.layout, len(self.rows) + 1)
        if not fault:
            self.astray = False
            yield from self._add_row(row)
        elif self.rows or row.resembles_row(self.size):
            self.astray = False
            yield self._abandon(GridError(self.file, row.line, fault))
        elif not self.astray:
            self.astray = True
            reason = f"is neither a row nor a whole grid, {self.line_form.expected()}; {ASTRAY}"
            yield GridError(self.file, row.line, f"{quoted(row.text)} {reason}")

    def _add_row(self, row: Row) -> Iterator[Puzzle | GridError]:
        self.rows.append(row)
        self.boxed |= "|" in row.text
        self.doubtful |= row.doubtful
        self.dashes |= row.dashes
        if self.dashes:
            self._drop_rules()
        if len(self.rows) < self.size:
            return
        if self.doubtful and (doubt := ambiguous(self.rows, self.layout)):
            yield self._abandon(GridError(self.file, doubt.line, f"{_doubt(doubt)}; {PASSED}"))
            return
        if fault := zero_fault(self.rows):
            yield GridError(self.file, self.rows[0].line, fault)
            self._begin()
            return
        grid = frozen(np.array([row.values for row in self.rows], dtype=np.uint8))
        yield Puzzle(grid, "boxed" if self.boxed else "rows", self.file, self.rows[0].line, self.layout)
        self._begin()

    def _drop_rules(self) -> None:
        """Takes the lines out that have turned out to be rules."""
        kept = without_rules(self.rows, self.layout)
        if len(kept) < len(self.rows):
            self.rows, self.boxed, self.dashed = kept, True, True

    def _abandon(self, error: GridError) -> GridError:
        """Gives the grid up; what is still to come of it is passed over."""
        self.skip = EVERYTHING if any(row.doubtful for row in self.rows) else self.size - 1 - len(self.rows)
        self._begin()
        return error


def _doubt(row: Row) -> str:
    return f"{quoted(row.text)} may be a rule or a row of blanks: write blanks as . or rules with +"
