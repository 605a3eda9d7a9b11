"""The reader of bytes as they come: plain grids in blocks, and all else line by line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sudoku.formats.blocks import COMMENT, GAP, GRID, Block, Lines, Run, Shape
from sudoku.formats.lines import LONGEST_LINE
from sudoku.formats.reader import Reader
from sudoku.formats.request import Asked
from sudoku.formats.separators import Separators
from sudoku.formats.text import Text
from sudoku.grid import GridError, Puzzle
from sudoku.layout import as_layout

if TYPE_CHECKING:
    from sudoku.formats.files.records import Records

Item: TypeAlias = Puzzle | GridError | Block

PIECE = 1 << 18  # bytes that are read at once: grids for 5 ms
ENDLESS = 1 << 28  # bytes of a line, in which no file of a form has begun, until the text is given up
FEW = 16  # grids for which a block is not worth its while
MOST = 256  # grids of one shape that are looked at together, since any of them may be none
IN_LINES = (None, "line", "sdm")  # what may be asked for where lines are grids
IN_ROWS = (*IN_LINES, "rows", "sdk", "boxed", "ss", "free")  # or several lines are one
IN_BLOCKS = (*IN_ROWS, "csv")

_LINES = re.compile(rb"[GCE]+")
_NOTHING = re.compile(rb"[CE]+")
_RECORDS = re.compile(rb"G+")


class Pieces:
    """Bytes that come in pieces; what stands behind a line that ends a text is left for the next one.

    Parameters:
        read: returns some more of them, or nothing at the end.
    """

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._data = b""  # what has come, and is no whole line

    def grids(self, asked: Asked) -> Iterator[Item]:
        """The grids of a text, plain ones in blocks where many follow one another."""
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
    """The lines of a text: those that need no reader, and the reader of all others.

    Attributes:
        reader: the reader of lines.
        end: how many of the bytes that came last have been read.
    """

    def __init__(self, asked: Asked) -> None:
        self.asked, self.reader, self.end = asked, Reader(asked), 0
        self._plain = asked.layout == as_layout(None) and asked.alphabet is None
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._taken = 0  # bytes of a line that has not ended
        self._shape: Shape | None = None  # of the last grid that the reader has found in several lines
        self._drawn = b""  # the lines, to be compared with it
        self._since: int | None = None  # where the reader has begun to look for the next one
        self._records: Records | None = None  # the lines as those of a table

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
        """The lines from one on that need no reader, if there are some."""
        reader, plain = self.reader, self.reader.plain
        if not (self._plain and reader.begins and isinstance(plain, Text)):
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
        if (kind == GRID and several and not plain.state) or (kind in (COMMENT, GAP) and plain.rests):
            return _of_lines(lines, k, _LINES if several else _NOTHING)
        return None

    def _of_table(self, lines: Lines, k: int) -> Run | None:
        """Records that are right."""
        from sudoku.formats.files.records import records
        from sudoku.formats.files.tabular import Table

        table = self.reader.file
        if not isinstance(table, Table) or table.columns is None:
            return None
        if self._records is None or self._records.columns != table.columns:
            self._records = records(lines, table.columns)
        found = _RECORDS.match(self._records.kinds, k)
        if found is None:
            return None
        places = np.arange(k, found.end())
        return Run(found.end(), places, lines.cells(self._records.puzzles[places]), "csv")

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
        grids = lines.signs(lines.begins[places][:, None] + shape.cells)
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
        """Whether a grid of this shape has the separator above it that is known, if that might be a row."""
        if not shape.separator:
            return not separators.apart
        known = shape.separator.strip() == separators.text.encode()
        return known and separators.behind == separators.apart

    def _pass(self, run: Run, k: int) -> Iterator[Item]:
        """Yields the grids of lines that need no reader."""
        reader, plain = self.reader, self.reader.plain
        if reader.file is None and isinstance(plain, Text):
            if not plain.rests:
                yield from reader.end_grid()
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
        plain = self.reader.plain
        return self._plain and self.reader.file is None and isinstance(plain, Text) and plain.rests

    def _note(self, lines: Lines, since: int, last: int, puzzle: Puzzle) -> None:
        """Notes the shape of a grid in some lines, if there is one."""
        above = puzzle.line - (self.reader.number - (last - since))
        text = lines.data[lines.places[since] : lines.places[last + (lines.kinds[last] != GAP)]]
        plain = self.reader.plain
        separator = plain.separators.text.encode() if isinstance(plain, Text) else b""
        separates = above > 0 and bool(separator) and text.splitlines()[0].strip() == separator
        shape = Shape.of(text, above, separates, puzzle)
        if shape:
            self._shape, self._drawn = shape, lines.data.translate(shape.signs)

    def _piece(self, piece: bytes, ends: bool) -> Iterator[Puzzle | GridError]:
        return self.reader.take(self._decoder.decode(piece, final=ends))


def _of_lines(lines: Lines, k: int, wanted: re.Pattern[bytes]) -> Run | None:
    """Grids in one line each, with or without gaps and comments between them."""
    found = wanted.match(lines.kinds, k)
    if found is None:
        return None
    kinds = np.frombuffer(found[0], dtype=np.uint8)
    places = k + np.flatnonzero(kinds == GRID)
    gap = lines.kinds.rfind(GAP, k, found.end())
    return Run(found.end(), places, lines.cells(lines.begins[places]), "line", gap=gap)
