"""The reader by blocks: plain grids, many at a time, read in numpy; all else goes to the reader of lines.

Most large files have nothing but plain grids. A block exists for speed alone: the reader of lines would find the same
grids. A line is, by its `kinds`,

    a grid      81 signs, one at least of them a digit, and nothing else but a comment;
    a comment   or part of a frame, which has no meaning where no grid has begun;
    a gap       an empty line, or a heading with the number of the next grid: both end any grid that has begun;
    else        anything else: the reader of lines takes it, unless it begins a grid of a `Shape`.

The records of a table are seen by a pattern, and their solutions are checked here, too.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sudoku.formats.reader import Reader
from sudoku.formats.request import LONGEST_LINE, Asked
from sudoku.formats.separators import Separators
from sudoku.formats.signs import BLANKS
from sudoku.formats.text import Text
from sudoku.grid import Form, GridError, Puzzle, frozen
from sudoku.layout import as_layout

if TYPE_CHECKING:
    from sudoku.formats.files.tabular import Columns

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


PIECE = 1 << 18  # bytes that are read at once: grids for 5 ms
ENDLESS = 1 << 28  # bytes of a line, in which no file of a form has begun, until the text is given up
FEW = 16  # grids for which a block is not worth its while
MOST = 256  # grids of one shape that are looked at together, since any of them may be none
IN_LINES = (None, "line", "sdm")  # what may be asked for where lines are grids
IN_ROWS = (*IN_LINES, "rows", "sdk", "boxed", "ss", "free")  # or several lines are one
IN_BLOCKS = (*IN_ROWS, "csv")

_LINES = re.compile(rb"[GCE]+")
_NOTHING = re.compile(rb"[CE]+")

_BITS = np.zeros(256, dtype=np.uint16)
_BITS[1:10] = 1 << np.arange(1, 10)
_ALL_DIGITS = _BITS.sum()


class Block(NamedTuple):
    """Grids that follow one another."""

    grids: Bytes  # uint8, shape (m, 81)
    file: str  # the name of the input
    lines: list[int]  # the number of the first line of each, from 1
    form: Form  # the form of all of them

    def puzzles(self) -> Iterator[Puzzle]:
        """Yields the same one by one."""
        layout = as_layout(None)
        for cells, line in zip(self.grids, self.lines, strict=True):
            yield Puzzle(frozen(cells.reshape(9, 9).copy()), self.form, self.file, line, layout)


Item: TypeAlias = Puzzle | GridError | Block


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
        kinds[long[self._right(begins[long])]] = GRID
        for k in np.flatnonzero((kinds == ELSE) & short & ~_ROWS[first]).tolist():
            if _GAP.fullmatch(self.data, begins[k], ends[k]):
                kinds[k] = GAP
            elif _COMMENT.fullmatch(self.data, begins[k], ends[k]):
                kinds[k] = COMMENT
        return kinds.tobytes()

    def cells(self, begins: Places) -> Bytes:
        """Returns the values of the 81 bytes from some places on, shape (m, 81)."""
        return _SIGNS[self._windows(begins)]

    def _right(self, begins: Places) -> Bools:
        """Tells whether the 81 bytes from some places on are a grid with a digit.

        Where there is 0 and another sign for blanks, 0 might be a digit: that is for the reader of lines to decide.
        """
        text = self._windows(begins)
        signs = _SIGNS[text]
        right: Bools = (signs != NO_SIGN).all(axis=1) & signs.any(axis=1)
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

    pattern: re.Pattern[bytes]  # the lines
    form: Form  # the form of such a grid
    cells: Places  # where the cells are
    lines: int  # how many lines there are
    above: int  # how many of them stand above the first row
    separator: bytes  # the first of the lines as it is, if it is a separator that might be a row
    dashed: bool  # whether blanks are dashes

    @classmethod
    def of(cls, text: bytes, above: int, separates: bool, puzzle: Puzzle) -> Shape | None:
        """Returns the shape of the lines of a puzzle; None if others of that shape might be read otherwise."""
        if puzzle.candidates is not None or not _SHAPED.fullmatch(text) or not text.endswith((b"\n", b"\r")):
            return None
        separator = text.splitlines(keepends=True)[0] if separates else b""
        rows = text[len(separator) :]
        for blank in BLANKS:
            sign = rb"[1-9%s]" % re.escape(blank).encode()
            parts = re.split(sign, rows)
            if len(parts) != CELLS + 1:
                continue
            cells = np.array([cell.start() for cell in re.finditer(sign, rows)]) + len(separator)
            if (_SIGNS[np.frombuffer(text, dtype=np.uint8)[cells]] != puzzle.grid.ravel()).any():
                continue
            lines = text.splitlines()
            others = [line for line in lines[separates:] if line and not re.search(sign, line)]
            if not all(_RULE.fullmatch(line) or (line is lines[0] and _is_divider(line)) for line in others):
                return None
            ends = rb"(?!\n|\Z)" if text.endswith(b"\r") else b""
            ends += rb"(?= *[\r\n])" if b"" in lines else b""  # below bands apart a further line tells what they are
            drawn = re.compile(re.escape(separator) + sign.join(map(re.escape, parts)) + ends)
            return cls(drawn, puzzle.form, cells, len(lines), above, separator, blank == "-")
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
    """Lines that need no reader."""

    end: int  # the first line behind them
    places: Places  # the first line of each grid in them
    grids: Bytes  # the grids, shape (m, 81)
    form: Form  # their form
    above: int = 0  # how many lines stand above the first row of each
    apart: bool = False  # whether separators stand between the grids
    gap: int = -1  # the last gap, or -1


def _is_divider(line: bytes) -> bool:
    """Tells whether a line of one sign cannot be a row."""
    return len(line) != 9 and bool(_DIVIDER.fullmatch(line))


def _record(columns: Columns) -> re.Pattern[bytes]:
    """Returns the pattern of a record, with no quotes within a field: `grid`, and `solution`; or `rest`, all of it."""
    between, longest = re.escape(columns.between).encode(), (LONGEST_LINE - 3) // columns.number - 1
    fields = [rb'(?:"[^"%b\r\n]{0,%d}"|[^"%b\r\n]{0,%d})' % (between, longest - 2, between, longest)] * columns.number
    fields[columns.puzzle] = rb'(?P<q>")?(?P<grid>[1-9.*_xX?~-]{81}|[0-9]{81})(?(q)")'
    if columns.solution is not None:
        fields[columns.solution] = rb'(?P<p>")?(?P<solution>[1-9]{81})?(?(p)")'
    return re.compile(between.join(fields) + rb"(?:\r\n|\n|\r(?!\n|\Z))|(?P<rest>[\s\S]+)")


def _solve(solutions: Bytes, grids: Bytes) -> Bools:
    """Tells whether solutions have each digit once in each row, column and box, and are those of the grids."""
    agree: Bools = ((grids == solutions) | (grids == 0)).all(axis=1)
    cells = _BITS[solutions].reshape(-1, 3, 3, 3, 3)
    for unit in ((3, 4), (1, 2), (2, 4)):
        agree &= (np.bitwise_or.reduce(cells, axis=unit) == _ALL_DIGITS).all(axis=(1, 2))
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
        self._since: int | None = None  # where the reader has begun to look for the next one
        self._table: tuple[Columns, re.Pattern[bytes]] | None = None  # the columns of the last table, and its records
        self._records = 1 << 30  # of a table that are looked at together; few behind one with a wrong solution

    def take(self, lines: Lines) -> Iterator[Item]:
        """Reads lines, and of a long one at the end, that might go on, as much as it must."""
        self._since = None
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
        """Returns the lines from one on that need no reader, if there are some."""
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
            return _of_lines(lines, k, _LINES if several else _NOTHING)
        return None

    def _of_table(self, lines: Lines, k: int) -> Run | None:
        """Records that are right."""
        from sudoku.formats.files.tabular import Table

        table = self.reader.file
        if not isinstance(table, Table) or table.columns is None:
            return None
        if self._table is None or self._table[0] != table.columns:
            self._table = table.columns, _record(table.columns)
        pattern, groups = self._table[1], self._table[1].groupindex
        records = pattern.findall(lines.data, lines.places[k], lines.places[min(k + self._records, len(lines.begins))])
        if records and records[-1][groups["rest"] - 1]:
            records.pop()
        if not records:
            return None
        grids = _cells(record[groups["grid"] - 1] for record in records)
        if "solution" in groups:
            solutions = [record[groups["solution"] - 1] for record in records]
            known = np.array([bool(solution) for solution in solutions])
            right = ~known
            right[known] = _solve(_cells(solutions), grids[known])
            self._records = 2 * self._records if right.all() else 1
            grids = grids[: len(right) if right.all() else right.argmin()]
        return Run(k + len(grids), k + np.arange(len(grids)), grids, "csv") if len(grids) else None

    def _of_shape(self, lines: Lines, k: int, shape: Shape) -> Run | None:
        """Grids of one shape, with or without gaps and comments between them."""
        kinds, bounds, end = lines.kinds, lines.places, k
        found: list[int] = []
        while end < len(kinds) and len(found) < MOST:
            if shape.pattern.match(lines.data, bounds[end]):
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
        """Yields the grids of lines that need no reader."""
        reader, plain = self.reader, self._text
        if reader.file is None and plain is not None:
            if not plain.rests:
                yield from reader.end_grid()
                plain.bands.lost = False
            grids = len(run.places) > 0
            if run.gap >= 0 or (grids and run.form == "line"):
                plain.separators.end_group()
            if grids and run.places[-1] > run.gap:
                plain.separators.behind = True
                plain.separators.apart |= run.apart
        first = reader.number + 1 - k + run.above
        reader.pass_over(run.end - k, len(run.places))
        self._since = None
        block = Block(run.grids, self.asked.file, (run.places + first).tolist(), run.form)
        if len(run.places) < FEW:
            yield from block.puzzles()
        else:
            yield block

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
        """Notes the shape of a grid in some lines, if there is one."""
        above = puzzle.line - (self.reader.number - (last - since))
        text = lines.data[lines.places[since] : lines.places[last + (lines.kinds[last] != GAP)]]
        separator = self._text.separators.text.encode() if self._text else b""
        separates = above > 0 and bool(separator) and text.splitlines()[0].strip() == separator
        shape = Shape.of(text, above, separates, puzzle)
        self._shape = shape or self._shape

    def _piece(self, piece: bytes, ends: bool) -> Iterator[Puzzle | GridError]:
        return self.reader.take(self._decoder.decode(piece, final=ends))


def _cells(texts: Iterable[bytes]) -> Bytes:
    """Returns the values of texts of 81 signs or none, shape (m, 81)."""
    return _SIGNS[np.frombuffer(b"".join(texts), dtype=np.uint8)].reshape(-1, CELLS)


def _of_lines(lines: Lines, k: int, wanted: re.Pattern[bytes]) -> Run | None:
    """Grids in one line each, with or without gaps and comments between them."""
    found = wanted.match(lines.kinds, k)
    if found is None:
        return None
    kinds = np.frombuffer(found[0], dtype=np.uint8)
    places = k + np.flatnonzero(kinds == GRID)
    gap = lines.kinds.rfind(GAP, k, found.end())
    return Run(found.end(), places, lines.cells(lines.begins[places]), "line", gap=gap)


def lines(grids: npt.NDArray[np.uint8]) -> bytes:
    """Returns grids, uint8 of shape (m, 81) and digits only, in lines."""
    text = np.full((len(grids), CELLS + 1), ord("\n"), dtype=np.uint8)
    text[:, :CELLS] = grids + ord("0")
    return text.tobytes()
