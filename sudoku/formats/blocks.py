"""Plain grids, many at a time: what most large files have, told apart from all else and read in numpy.

What is in a block is there to be read quickly, and nothing else: the reader of lines would find the same grids. A line
is, by its `kinds`,

    a grid      81 signs, one at least of them a digit, and nothing else but a comment;
    a comment   or part of a frame, which has no meaning where no grid has begun;
    a gap       an empty line, or a heading with the number of the next grid: both end whatever has begun;
    else        whatever it is: the reader of lines takes it, unless it begins a grid of a `Shape`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sudoku.formats.lines import LONGEST_LINE
from sudoku.formats.signs import BLANKS
from sudoku.grid import Form, Puzzle, frozen
from sudoku.layout import as_layout

Bools: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Places: TypeAlias = npt.NDArray[np.intp]

CELLS = 81
NO_SIGN = 255
GRID, COMMENT, GAP, ELSE = b"GCE?"

_SIGNS = np.full(256, NO_SIGN, dtype=np.uint8)
_SIGNS[[ord(sign) for sign in BLANKS]] = 0
_SIGNS[ord("1") : ord("9") + 1] = np.arange(1, 10)
_OTHER_BLANKS = [ord(sign) for sign in BLANKS if sign != "0"]
_BEHIND = np.isin(np.arange(256), np.frombuffer(b" \t,;#", dtype=np.uint8))  # what may stand behind a grid in its line
_LETTERS = np.isin(np.arange(256), np.frombuffer(b"xX", dtype=np.uint8))  # a word that begins so might be a name
_ROWS = _SIGNS != NO_SIGN
_ROWS[ord("-")] = False  # how a line begins that is neither a comment nor a gap

_WORD = rb"case|grid|n[or]|number|problem|puzzle|sudoku|test"
_GAP = re.compile(rb" *|(?i:" + _WORD + rb")[ .#:]+[0-9]+ ?:? *")
_COMMENT = re.compile(rb" *#[^=(,;\t]*|(?=.{1,54}$)[-=|]*[+][-=|+]*")
_RULE = re.compile(rb"(?=.{1,54}$)[-=|+ ]*[+=][-=|+ ]*")  # which can be no row
_DIVIDER = re.compile(rb"([-*.~_])\1{2,53}")
_SHAPED = re.compile(rb"[0-9.*_xX?~=|+, ;\t\r\n-]+")


class Block(NamedTuple):
    """Grids that follow one another.

    Attributes:
        grids: uint8, shape (m, 81).
        file: the name of the input.
        lines: the number of the first line of each, from 1.
        form: the form of all of them.
    """

    grids: Bytes
    file: str
    lines: list[int]
    form: Form

    def puzzles(self) -> Iterator[Puzzle]:
        """The same one by one."""
        layout = as_layout(None)
        for cells, line in zip(self.grids, self.lines, strict=True):
            yield Puzzle(frozen(cells.reshape(9, 9).copy()), self.form, self.file, line, layout)


class Lines:
    """The lines of some bytes.

    Attributes:
        data: the bytes.
        text: the same in numpy.
        places: where lines begin, and where the last one ends.
        begins: where they begin, again in numpy.
        ends: where their line ends begin.
    """

    def __init__(self, data: bytes, last: bool) -> None:
        """Parameters:
        data: the bytes; what no line end follows is no line.
        last: whether nothing more comes, so that it is one.
        """
        self.data, self.text = data, np.frombuffer(data, dtype=np.uint8)
        stops = self.text == ord("\n")
        if b"\r" in data:
            returns = np.flatnonzero(self.text[:-1] == ord("\r"))
            stops[returns[self.text[returns + 1] != ord("\n")]] = True
        if last and data:
            stops[-1] = True
        bounds = np.concatenate([[0], np.flatnonzero(stops) + 1])
        self.places: list[int] = bounds.tolist()
        self.begins, self.ends = bounds[:-1], bounds[1:].copy()
        for end in b"\n\r":
            self.ends -= (self.ends > self.begins) & (self.text[self.ends - 1] == end)

    @cached_property
    def kinds(self) -> bytes:
        """What the lines are as plain text, a byte for each."""
        text, begins, ends = self.text, self.begins, self.ends
        kinds = np.full(len(begins), ELSE, dtype=np.uint8)
        first = text[begins]
        size = ends - begins
        short = size < LONGEST_LINE - 2
        kinds[size == 0] = GAP
        long = np.flatnonzero((size >= CELLS) & short & (_SIGNS[first] != NO_SIGN))
        behind = text[np.minimum(begins[long] + CELLS, len(text) - 1)]
        long = long[(size[long] == CELLS) | (_BEHIND[behind] & ~_LETTERS[first[long]])]
        kinds[long[self.right(begins[long], digits=True)]] = GRID
        for k in np.flatnonzero((kinds == ELSE) & short & ~_ROWS[first]).tolist():
            if _GAP.fullmatch(self.data, begins[k], ends[k]):
                kinds[k] = GAP
            elif _COMMENT.fullmatch(self.data, begins[k], ends[k]):
                kinds[k] = COMMENT
        return kinds.tobytes()

    def signs(self, places: Places) -> Bytes:
        """What the bytes in some places stand for: digits, 0 for blanks, or NO_SIGN."""
        return _SIGNS[self.text[places]]

    def cells(self, begins: Places) -> Bytes:
        """What the 81 bytes from some places on stand for, shape (m, 81)."""
        return _SIGNS[self._windows(begins)]

    def right(self, begins: Places, digits: bool) -> Bools:
        """Whether the 81 bytes from some places on are a grid, which must have digits or need not.

        Where there is 0 and another sign for blanks, 0 might be a digit: that is for the reader of lines to decide.
        """
        text = self._windows(begins)
        signs = _SIGNS[text]
        right: Bools = (signs != NO_SIGN).all(axis=1)
        if digits:
            right &= signs.any(axis=1)
        if b"0" in self.data and any(sign in self.data for sign in _OTHER_BLANKS):
            zeros = text == ord("0")
            right &= ~(zeros.any(axis=1) & ((signs == 0) & ~zeros).any(axis=1))
        return right

    def _windows(self, begins: Places) -> Bytes:
        if not len(begins):
            return np.empty((0, CELLS), dtype=np.uint8)
        return np.lib.stride_tricks.sliding_window_view(self.text, CELLS)[begins]


class Shape(NamedTuple):
    """How a grid was written in some lines, so that the next ones are seen at once that are written likewise.

    What the reader of lines makes of a text depends on nothing but its shape where each cell is one sign, only one sign
    stands for blanks, and what else is there cannot be a row. `right` has the exceptions.

    Attributes:
        text: the lines, with 1 for each cell.
        signs: what has to be put for each byte of a text to compare it with this.
        cells: where the cells are.
        lines: how many lines there are.
        above: how many of them stand above the first row.
        form: the form of such a grid.
        separator: the first of the lines as it is, if it is a separator that might be a row; see
            `sudoku.formats.separators`.
        dashed: whether blanks are dashes.
    """

    text: bytes
    signs: bytes
    cells: Places
    lines: int
    above: int
    form: Form
    separator: bytes
    dashed: bool

    @classmethod
    def of(cls, text: bytes, above: int, separates: bool, puzzle: Puzzle) -> Shape | None:
        """The shape of some lines in which a puzzle was found; None if others of that shape might be read otherwise.

        Parameters:
            text: the lines.
            above: how many of them stand above the first row.
            separates: whether the first of them is a separator that might be a row.
            puzzle: the puzzle.
        """
        if puzzle.candidates is not None or not _SHAPED.fullmatch(text) or not text.endswith((b"\n", b"\r")):
            return None
        separator = text.splitlines(keepends=True)[0] if separates else b""
        rows = text[len(separator) :]
        digits = len(rows) - len(rows.translate(None, b"123456789"))
        for blank in BLANKS:
            if digits + rows.count(blank.encode()) != CELLS:
                continue
            signs = bytes.maketrans(b"123456789" + blank.encode(), b"1111111111")
            drawn = text.translate(signs)
            cells = np.flatnonzero(np.frombuffer(rows.translate(signs), dtype=np.uint8) == ord("1")) + len(separator)
            if (_SIGNS[np.frombuffer(text, dtype=np.uint8)[cells]] != puzzle.grid.ravel()).any():
                continue
            lines = drawn.splitlines()
            others = [line for line in lines[separates:] if line and b"1" not in line]
            if not all(_RULE.fullmatch(line) or (line is lines[0] and _is_divider(line)) for line in others):
                return None
            return cls(drawn, signs, cells, len(lines), above, puzzle.form, separator, blank == "-")
        return None

    def right(self, grids: Bytes) -> Bools:
        """Whether grids of this shape are read as it is.

        A row without digits may be none, and the first one a separator; numbers in their order may be a heading.
        """
        digits: Bools = grids.astype(np.bool_).reshape(-1, 9, 9)
        rows: Bools = np.any(digits, axis=2)
        right: Bools = np.any(rows, axis=1)
        if self.dashed:
            right &= np.all(rows, axis=1)
        if self.cells[8] - self.cells[0] == 8:
            right &= rows[:, 0]
        counted = np.all(grids[:, 1:9] == grids[:, :1] + np.arange(1, 9), axis=1)
        right &= ~counted | (grids[:, 0] > 1)
        return right


class Run(NamedTuple):
    """Lines that need no reader.

    Attributes:
        end: the first line behind them.
        places: the first line of each grid in them.
        grids: the grids, shape (m, 81).
        form: their form.
        above: how many lines stand above the first row of each.
        apart: whether separators stand between the grids.
        gap: the last gap, or -1.
    """

    end: int
    places: Places
    grids: Bytes
    form: Form
    above: int = 0
    apart: bool = False
    gap: int = -1


def _is_divider(line: bytes) -> bool:
    """Whether a line of one sign cannot be a row."""
    return len(line) != 9 and bool(_DIVIDER.fullmatch(line))


def lines(grids: npt.NDArray[np.uint8]) -> bytes:
    """Grids in lines of 81 digits.

    Parameters:
        grids: uint8, shape (m, 81), digits only.

    >>> lines(np.full((1, 81), 7, dtype=np.uint8))[-4:]
    b'777\\n'
    """
    text = np.full((len(grids), CELLS + 1), ord("\n"), dtype=np.uint8)
    text[:, :CELLS] = grids + ord("0")
    return text.tobytes()
