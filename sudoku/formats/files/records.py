"""Records of tables of plain grids, many at a time, their solutions checked: read in numpy, as lines are in blocks."""

from __future__ import annotations

import re
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sudoku.formats.blocks import CELLS, NO_SIGN, doubtful, signs_of
from sudoku.formats.files.tabular import Columns
from sudoku.formats.lines import LONGEST_LINE

Bools: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Places: TypeAlias = npt.NDArray[np.int64]

_ENDS_EARLY = re.compile(rb"\r(?!\n)")
_BITS = np.zeros(256, dtype=np.uint16)
_BITS[1:10] = 1 << np.arange(1, 10)
_ALL_DIGITS = _BITS.sum()


def leading(data: bytes, columns: Columns) -> tuple[Bytes, int]:
    """The puzzles in the records that a text begins with, as far as these are right and have no quotes within a field.

    All others, an empty line as well, are for the reader of single records, which says what is wrong with one.

    Parameters:
        data: the text; lines may end with CR and LF.
        columns: those of the table.

    Returns:
        The puzzles, uint8, shape (m, 81), and how many bytes of the text their records are.

    >>> grids, size = leading(b"1,1" + 80 * b"." + b"\\n2,7" + 80 * b"." + b"\\n3,..\\n", Columns(",", 2, 1, None))
    >>> grids.shape, grids[:, 0], size
    ((2, 81), array([1, 7], dtype=uint8), 168)
    """
    early = _ENDS_EARLY.search(data) if b"\r" in data else None
    text = np.frombuffer(data, dtype=np.uint8, count=early.start() if early else len(data))
    begins, ends = _fields(text, columns)
    m = _leading(ends[:, columns.puzzle] - begins[:, columns.puzzle] == CELLS)
    if not m:
        return np.empty((0, CELLS), dtype=np.uint8), 0
    begins, ends = begins[:m], ends[:m]
    windows = np.lib.stride_tricks.sliding_window_view(text, CELLS)
    puzzles = windows[begins[:, columns.puzzle]]
    grids = signs_of(puzzles)
    right = (grids != NO_SIGN).all(axis=1) & ~doubtful(puzzles, grids)
    if columns.solution is not None:
        begin, end = begins[:, columns.solution], ends[:, columns.solution]
        fits = end - begin == CELLS
        solutions = signs_of(windows[np.where(fits, begin, 0)])
        right &= (begin == end) | (fits & _solve(solutions, grids))
    m = _leading(right)
    return grids[:m], data.index(b"\n", ends[m - 1, -1]) + 1 if m else 0


def _fields(text: Bytes, columns: Columns) -> tuple[Places, Places]:
    """Where fields begin and end, each of shape (m, columns), in the leading lines that have one for each column.

    A field may be in quotes. Where one has what stands between columns, there are quotes that are not around a field.
    """
    ends = np.flatnonzero(text == ord("\n"))
    begins = np.concatenate([[0], ends[:-1] + 1])[: len(ends)]
    between = np.flatnonzero(text == ord(columns.between))
    inner = columns.number - 1
    there = np.diff(np.searchsorted(between, ends), prepend=0)
    m = _leading((there == inner) & (ends - begins < LONGEST_LINE - 1))
    apart, lines = between[: m * inner].reshape(m, inner), ends[:m]
    first = np.column_stack([begins[:m], apart + 1])
    last = np.column_stack([apart, lines - (text[lines - 1] == ord("\r"))])
    quotes = np.flatnonzero(text == ord('"'))
    if len(quotes):
        quoted = (last - first > 1) & (text[first] == ord('"')) & (text[last - 1] == ord('"'))
        there = np.diff(np.searchsorted(quotes, lines), prepend=0)
        m = _leading(there == 2 * quoted.sum(axis=1))
        first, last = (first + quoted)[:m], (last - quoted)[:m]
    return first, last


def _solve(solutions: Bytes, grids: Bytes) -> Bools:
    """Whether solutions have each digit once in each row, column and box, and are those of the grids."""
    agree: Bools = ((grids == solutions) | (grids == 0)).all(axis=1)
    cells = _BITS[solutions].reshape(-1, 3, 3, 3, 3)
    for unit in ((3, 4), (1, 2), (2, 4)):
        agree &= (np.bitwise_or.reduce(cells, axis=unit) == _ALL_DIGITS).all(axis=(1, 2))
    return agree


def _leading(right: Bools) -> int:
    """How many of the first are right."""
    return len(right) if right.all() else int(right.argmin())
