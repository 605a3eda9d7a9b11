"""Records of tables of plain grids, many at a time, their solutions checked: read in numpy, as lines are in blocks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sudoku.formats.blocks import CELLS, ELSE, GRID, Bools, Bytes, Lines, Places
from sudoku.formats.files.tabular import Columns
from sudoku.formats.lines import LONGEST_LINE

_BITS = np.zeros(256, dtype=np.uint16)
_BITS[1:10] = 1 << np.arange(1, 10)
_ALL_DIGITS = _BITS.sum()


class Records(NamedTuple):
    """The lines of a table.

    Attributes:
        columns: those of the table.
        kinds: a byte for each line: G where it is a record that is right and has no quotes within a field.
        puzzles: where their puzzles begin.
    """

    columns: Columns
    kinds: bytes
    puzzles: Places


def records(lines: Lines, columns: Columns) -> Records:
    """Which lines are right records; all others are for the reader of single ones, which says what is wrong with one.

    >>> text = b"1,1" + 80 * b"." + b"\\n2,7" + 80 * b"." + b"\\n3,..\\n"
    >>> records(Lines(text, last=True), Columns(",", 2, 1, None)).kinds
    b'GG?'
    """
    some, begins, ends = _fields(lines, columns)
    begin, end = begins[:, columns.puzzle], ends[:, columns.puzzle]
    fits = end - begin == CELLS
    some, begins, ends, begin = some[fits], begins[fits], ends[fits], begin[fits]
    right = lines.right(begin, digits=False)
    if columns.solution is not None:
        first, last = begins[:, columns.solution], ends[:, columns.solution]
        fits = last - first == CELLS
        right &= (first == last) | (fits & _solve(lines.cells(np.where(fits, first, begin)), lines.cells(begin)))
    kinds = np.full(len(lines.begins), ELSE, dtype=np.uint8)
    kinds[some[right]] = GRID
    puzzles = np.zeros(len(kinds), dtype=np.intp)
    puzzles[some] = begin
    return Records(columns, kinds.tobytes(), puzzles)


def _fields(lines: Lines, columns: Columns) -> tuple[Places, Places, Places]:
    """The lines that have a field for each column, and where these begin and end, each of shape (m, columns).

    A field may be in quotes. Where one has what stands between columns, there are quotes that are not around a field.
    """
    text, begins, ends = lines.text, lines.begins, lines.ends
    between = np.flatnonzero(text == ord(columns.between))
    inner = columns.number - 1
    before = np.searchsorted(between, begins)
    right = (np.searchsorted(between, ends) - before == inner) & (ends - begins < LONGEST_LINE - 2) & (ends > begins)
    some = np.flatnonzero(right)
    apart = between[before[some][:, None] + np.arange(inner)] if inner else np.empty((len(some), 0), dtype=np.intp)
    first = np.column_stack([begins[some], apart + 1])
    last = np.column_stack([apart, ends[some]])
    quotes = np.flatnonzero(text == ord('"'))
    if len(quotes):
        quoted = last - first > 1
        quoted[quoted] = (text[first[quoted]] == ord('"')) & (text[last[quoted] - 1] == ord('"'))
        there = np.searchsorted(quotes, ends[some]) - np.searchsorted(quotes, begins[some])
        right = there == 2 * quoted.sum(axis=1)
        some, first, last = some[right], (first + quoted)[right], (last - quoted)[right]
    return some, first, last


def _solve(solutions: Bytes, grids: Bytes) -> Bools:
    """Whether solutions have each digit once in each row, column and box, and are those of the grids."""
    agree: Bools = ((grids == solutions) | (grids == 0)).all(axis=1)
    cells = _BITS[solutions].reshape(-1, 3, 3, 3, 3)
    for unit in ((3, 4), (1, 2), (2, 4)):
        agree &= (np.bitwise_or.reduce(cells, axis=unit) == _ALL_DIGITS).all(axis=(1, 2))
    return agree
