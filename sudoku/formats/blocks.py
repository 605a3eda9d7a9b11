"""The reader by blocks: plain grids, many at a time, read in numpy; all else goes to the reader of lines.

Most large files have nothing but plain grids. A block exists for speed alone: the reader of lines would find the same
grids. A line is, by its `kinds`,

    a grid      81 signs, one at least of them a digit, and nothing else but a comment;
    a comment   or part of a frame, which has no meaning where no grid has begun;
    a gap       an empty line, or a heading with the number of the next grid: both end any grid that has begun;
    else        anything else: the reader of lines takes it, unless it begins a grid of a `Shape`.

The lines of a table are `records`, and their solutions are checked here, too.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sudoku.formats.files.tabular import Columns, Table
from sudoku.formats.reader import Reader
from sudoku.formats.request import LONGEST_LINE, Asked
from sudoku.formats.separators import Separators
from sudoku.formats.signs import BLANKS
from sudoku.formats.text import Text
from sudoku.grid import Form, GridError, Puzzle, frozen
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
_GAP = re.compile(rb" *|(?i:" + _WORD + rb")[ .#:]+[0-9]{1,9} ?:? *")
_COMMENT = re.compile(rb" *#[^=(,;\t]*|(?=.{1,54}$)[-=|]*[+][-=|+]*")
_RULE = re.compile(rb"(?=.{1,54}$)[-=|+ ]*[+=][-=|+ ]*")  # which can be no row
_DIVIDER = re.compile(rb"([-*.~_])\1{2,53}")
_SHAPED = re.compile(rb"[0-9.*_xX?~=|+, ;\t\r\n-]+")


PIECE = 1 << 18  # bytes that are read at once: grids for 5 ms
ENDLESS = 1 << 28  # bytes of a line, in which no file of a form has begun, until the text is given up
FEW = 16  # grids for which a block is not worth its while
MOST = 256  # grids of one shape that are looked at together, since any of them may be none
IN_LINES = (None, "line", "sdm")  # what may be asked for where lines are grids
IN_ROWS = (*IN_LINES, "rows", "sdk", "boxed", "ss", "free")  # or several lines are one

_BITS = np.zeros(256, dtype=np.uint16)
_BITS[1:10] = 1 << np.arange(1, 10)
_LINES, _NOTHING, _RECORDS = re.compile(rb"[GCE]+"), re.compile(rb"[CE]+"), re.compile(rb"G+")


class Block(NamedTuple):
    grids: Bytes  # uint8, shape (m, 81)
    file: str  # the name of the input
    lines: list[int]  # the number of the first line of each, from 1
    form: Form  # the form of all of them

    def puzzles(self) -> Iterator[Puzzle]:
        layout = as_layout(None)
        for cells, line in zip(self.grids, self.lines, strict=True):
            yield Puzzle(frozen(cells.reshape(9, 9).copy()), self.form, self.file, line, layout)


Item: TypeAlias = Puzzle | GridError | Block


def one_by_one(items: Iterable[Any]) -> Iterator[Any]:
    """Yields the grids of blocks by themselves, and all else as it is."""
    for item in items:
        if isinstance(item, Block):
            yield from item.puzzles()
        else:
            yield item


class Lines:
    """The lines of some bytes; what no line end follows is one if nothing more comes."""

    def __init__(self, data: bytes, last: bool) -> None:
        self.data = data
        self.text = np.frombuffer(data, dtype=np.uint8)
        stops = self.text == ord("\n")
        if b"\r" in data:
            returns = np.flatnonzero(self.text[:-1] == ord("\r"))
            stops[returns[self.text[returns + 1] != ord("\n")]] = True
        if last and data:
            stops[-1] = True
        bounds = np.concatenate([[0], np.flatnonzero(stops) + 1])
        self.places: list[int] = bounds.tolist()  # where lines begin, and where the last one ends
        self.begins, self.ends = bounds[:-1], bounds[1:].copy()  # of each line, without its line end
        for end in b"\n\r":
            self.ends -= (self.ends > self.begins) & (self.text[self.ends - 1] == end)

    @cached_property
    def kinds(self) -> bytes:
        """Classifies the lines as plain text, a byte for each."""
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

    def cells(self, begins: Places) -> Bytes:
        """Returns the values of the 81 bytes from some places on, shape (m, 81)."""
        return _SIGNS[self._windows(begins)]

    def right(self, begins: Places, digits: bool) -> Bools:
        """Tells whether the 81 bytes from some places on are a grid, which must have digits or need not.

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
    """The way in which a grid was written in some lines, by which the next grids of that way are seen at once.

    What the reader of lines makes of a text depends on nothing but its shape where each cell is one sign, only one sign
    stands for blanks, and what else is there cannot be a row. `right` has the exceptions.
    """

    text: bytes  # the lines, with 1 for each cell
    signs: bytes  # what has to be put for each byte of a text to compare it with this
    cells: Places  # where the cells are
    lines: int  # how many lines there are
    above: int  # how many of them stand above the first row
    form: Form  # the form of such a grid
    separator: bytes  # the first of the lines as it is, if it is a separator that might be a row
    dashed: bool  # whether blanks are dashes
    gaps: bool  # whether empty lines stand between the bands: then only a gap behind the grid leaves no doubt

    @classmethod
    def of(cls, text: bytes, above: int, separates: bool, puzzle: Puzzle) -> Shape | None:
        """Returns the shape of the lines of a puzzle; None if others of that shape might be read otherwise."""
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
            apart = separates or (len(lines[0]) != 9 and bool(_DIVIDER.fullmatch(lines[0])))  # which cannot be a row
            if not all(_RULE.fullmatch(line) for line in lines[apart:] if line and b"1" not in line):
                return None
            return cls(drawn, signs, cells, len(lines), above, puzzle.form, separator, blank == "-", b"" in lines)
        return None

    def right(self, grids: Bytes) -> Bools:
        """Tells whether grids of this shape are read as it is.

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
    end: int  # the first line behind them
    places: Places  # the first line of each grid in them
    grids: Bytes  # the grids, shape (m, 81)
    form: Form  # their form
    above: int = 0  # how many lines stand above the first row of each
    apart: bool = False  # whether separators stand between the grids
    gap: int = -1  # the last gap, or -1


def records(lines: Lines, columns: Columns) -> tuple[bytes, Places]:
    """Returns the kinds of lines of a table, G for a right record without quotes in a field, and where grids begin."""
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
    return kinds.tobytes(), puzzles


def _fields(lines: Lines, columns: Columns) -> tuple[Places, Places, Places]:
    """Returns the lines that have a field for each column, and where these begin and end, each of shape (m, columns).

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
    """Tells whether solutions have each digit once in each row, column and box, and are those of the grids."""
    agree: Bools = ((grids == solutions) | (grids == 0)).all(axis=1)
    cells = _BITS[solutions].reshape(-1, 3, 3, 3, 3)
    for unit in ((3, 4), (1, 2), (2, 4)):
        agree &= (np.bitwise_or.reduce(cells, axis=unit) == _BITS.sum()).all(axis=(1, 2))
    return agree


class Pieces:
    """Bytes that come in pieces, nothing at the end; what stands behind a line that ends a text is for the next one."""

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._data = b""  # what has come, and is no whole line

    def grids(self, asked: Asked) -> Iterator[Item]:
        """Yields the grids of a text, plain ones in blocks where many follow one another."""
        blocks = _Blocks(asked)
        came = True
        while came and not blocks.reader.over:
            more = self._read()
            came = bool(more)
            lines = Lines(self._data + more, last=not came)
            yield from blocks.take(lines)
            self._data = lines.data[blocks.end :]
        yield from blocks.reader.close()


class _Blocks:
    """The lines of a text: those that need no reader, and the reader of all others."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.reader = asked, Reader(asked)
        self.end = 0  # of what has been read of the bytes that came last
        plain = asked.layout.is_plain and asked.alphabet is None
        self._text = self.reader.plain if plain and isinstance(self.reader.plain, Text) else None
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._taken = 0  # bytes of a line that has not ended
        self._shape: Shape | None = None  # of the last grid that the reader has found in several lines
        self._drawn = b""  # the lines, to be compared with it
        self._since: int | None = None  # where the reader has begun to look for the next one
        self._records: tuple[Columns, bytes, Places] | None = None  # the lines as those of a table

    def take(self, lines: Lines) -> Iterator[Item]:
        """Reads lines, and of a long one at the end, that might go on, as much as it must."""
        self._since, self._records = None, None
        self._drawn = lines.data.translate(self._shape.signs) if self._shape else b""
        k, number = 0, len(lines.begins)
        while k < number and not self.reader.over:
            if run := self._run(lines, k):
                yield from self._pass(run, k)
                k = run.end
            else:
                yield from self._read(lines, k)
                k += 1
        self.end = lines.places[k]
        while len(lines.data) - self.end >= LONGEST_LINE and not self.reader.over:
            self._taken += LONGEST_LINE
            yield from self._piece(lines.data[self.end : self.end + LONGEST_LINE], ends=False)
            self.end += LONGEST_LINE
            if self._taken > ENDLESS and self.reader.file is None:
                yield from self.reader.give_up(f"the line has more than {ENDLESS} bytes: nothing behind it is read")

    def _run(self, lines: Lines, k: int) -> Run | None:
        reader, plain = self.reader, self._text
        if plain is None or not reader.begins:
            return None
        if reader.file is not None:
            return self._of_table(lines, k)
        if self.asked.format not in IN_ROWS:
            return None
        shape = self._shape
        known = shape and plain.rests and self._separated(plain.separators, shape)
        if shape and known and (run := self._of_shape(lines, k, shape)):
            return run
        kind, several = lines.kinds[k], self.asked.format in IN_LINES
        waits = plain.state or plain.late or plain.separators.held  # for what comes next, to be read in the light of it
        if (kind == GRID and several and not waits) or (kind in (COMMENT, GAP) and plain.rests):
            return _of_lines(lines, lines.kinds, lines.begins, k, _LINES if several else _NOTHING, "line")
        return None

    def _of_table(self, lines: Lines, k: int) -> Run | None:
        table = self.reader.file
        if not isinstance(table, Table) or table.columns is None:
            return None
        if self._records is None or self._records[0] != table.columns:
            self._records = table.columns, *records(lines, table.columns)
        _, kinds, puzzles = self._records
        return _of_lines(lines, kinds, puzzles, k, _RECORDS, "csv")

    def _of_shape(self, lines: Lines, k: int, shape: Shape) -> Run | None:
        """Grids of one shape, with or without gaps and comments between them."""
        kinds, bounds, drawn, end = lines.kinds, lines.places, self._drawn, k
        found: list[int] = []
        while end < len(kinds) and len(found) < MOST:
            behind = bounds[min(end + shape.lines, len(kinds))]
            if (
                bounds[end] + len(shape.text) == behind
                and drawn.startswith(shape.text, bounds[end])
                and lines.data.startswith(shape.separator, bounds[end])
                and not (shape.gaps and kinds[end + shape.lines : end + shape.lines + 1] != bytes([GAP]))
            ):
                found.append(end)
                end += shape.lines
            elif kinds[end] == GAP or (kinds[end] == COMMENT and not shape.separator):
                end += 1
            else:
                break
        if found and shape.separator and end == found[-1] + shape.lines:
            end = found.pop()  # for the reader, which looks whether a separator or a gap comes next
        if not found:
            return None
        places = np.array(found)
        grids = _SIGNS[lines.text[lines.begins[places][:, None] + shape.cells]]
        right = shape.right(grids)
        if not right.all():
            wrong = int(right.argmin())
            end, places, grids = found[wrong], places[:wrong], grids[:wrong]
        if not len(places):
            return None
        gap = kinds.rfind(GAP, k, end)
        return Run(end, places, grids, shape.form, shape.above, bool(shape.separator), gap)

    @staticmethod
    def _separated(separators: Separators, shape: Shape) -> bool:
        """Tells whether a grid of this shape has the separator above it that is known, if that might be a row."""
        if not shape.separator:
            return not separators.apart
        known = shape.separator.strip() == separators.text.encode()
        return known and separators.behind == separators.apart

    def _pass(self, run: Run, k: int) -> Iterator[Item]:
        reader, plain = self.reader, self._text
        if reader.file is None and plain is not None:
            if not plain.rests:
                yield from reader.end_grid()
                plain.bands.lost = False
            grids = len(run.places) > 0
            if run.gap >= 0 or (grids and run.form == "line"):
                plain.separators.end_group()
            if grids and run.places[-1] > run.gap:
                plain.separators.behind, plain.labels = True, None
                plain.separators.apart |= run.apart
        first = reader.number + 1 - k + run.above
        reader.pass_over(run.end - k, len(run.places))
        self._since = None
        block = Block(run.grids, self.asked.file, (run.places + first).tolist(), run.form)
        yield from [block] if len(run.places) >= FEW else block.puzzles()

    def _read(self, lines: Lines, k: int) -> Iterator[Puzzle | GridError]:
        """Has a line read, and notes the shape of a grid that ends with it."""
        begin, end = lines.places[k], lines.places[k + 1]
        if self._since is None and self._rests():
            self._since = k
        found: list[Puzzle | GridError] = []
        for place in range(begin, end, LONGEST_LINE):
            stop = min(place + LONGEST_LINE, end)
            for item in self._piece(lines.data[place:stop], ends=stop == end):
                found.append(item)
                yield item
        self._taken = 0
        if found:
            if self._since is not None and len(found) == 1 and isinstance(found[0], Puzzle) and self._rests():
                self._note(lines, self._since, k, found[0])
            self._since = None

    def _rests(self) -> bool:
        return self._text is not None and self.reader.file is None and self._text.rests

    def _note(self, lines: Lines, since: int, last: int, puzzle: Puzzle) -> None:
        above = puzzle.line - (self.reader.number - (last - since))
        text = lines.data[lines.places[since] : lines.places[last + (lines.kinds[last] != GAP)]]
        separator = self._text.separators.text.encode() if self._text else b""
        separates = above > 0 and bool(separator) and text.splitlines()[0].strip() == separator
        if separates and puzzle.form == "line":
            return  # a grid in a line ends the group in which the separator is known
        shape = Shape.of(text, above, separates, puzzle)
        if shape:
            self._shape, self._drawn = shape, lines.data.translate(shape.signs)

    def _piece(self, piece: bytes, ends: bool) -> Iterator[Puzzle | GridError]:
        return self.reader.take(self._decoder.decode(piece, final=ends))


def _of_lines(lines: Lines, kinds: bytes, puzzles: Places, k: int, wanted: re.Pattern[bytes], form: Form) -> Run | None:
    """Grids in one line each, with or without gaps and comments between them."""
    found = wanted.match(kinds, k)
    if found is None:
        return None
    end = found.end()
    places = k + np.flatnonzero(np.frombuffer(kinds, dtype=np.uint8)[k:end] == GRID)
    return Run(end, places, lines.cells(puzzles[places]), form, gap=kinds.rfind(GAP, k, end))


def lines(grids: npt.NDArray[np.uint8]) -> bytes:
    """Returns grids, uint8 of shape (m, 81) and digits only, in lines."""
    text = np.full((len(grids), CELLS + 1), ord("\n"), dtype=np.uint8)
    text[:, :CELLS] = grids + ord("0")
    return text.tobytes()
