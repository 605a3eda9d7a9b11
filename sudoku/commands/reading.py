"""Grids from files and streams, each as soon as it is there, with a call before waiting for more."""

from __future__ import annotations

import errno
import io
import os
import re
import select
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from sudoku.formats import read
from sudoku.formats.asked import Asked
from sudoku.formats.blocks import CELLS, Block, leading
from sudoku.formats.files.beginning import begun, kind_of
from sudoku.formats.lines import LONGEST_LINE
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Box, Layout, as_layout

if TYPE_CHECKING:
    from sudoku.formats.files.tabular import Columns

Idle = Callable[[], bool]
Reader = Callable[[io.TextIOBase], Iterator[Puzzle | GridError]]

PIECE = 1 << 18  # bytes that are read at once: grids for 5 ms
WIDEST = CELLS + 2  # characters of a plain grid with its line end
BOM = b"\xef\xbb\xbf"
LEAST = 1 << 12  # bytes that are tried first as a block; what is wrong may come soon
IN_LINES = (None, "line", "sdm")  # what may be asked for where there are blocks of lines
IN_TABLES = (None, "csv")  # and of records
IN_BLOCKS = (*IN_LINES, *IN_TABLES)
MANY = 64  # plain grids in a row that no other form has


def puzzles(
    files: Sequence[str], box: Box | Layout | None, idle: Idle, format: str | None = None, alphabet: str | None = None
) -> Iterator[Puzzle | GridError | OSError]:
    """Reads the grids of files, each as soon as it is there.

    Parameters:
        files: their names; "-" is standard input.
        box: the rows and columns of a box, or a layout; without it, what a form says, and otherwise 3 x 3.
        idle: called before a file is waited for, and while it returns True again and again.
        format: the form of all grids; without it, they are recognised.
        alphabet: the signs of the digits, or None for the usual ones.

    Yields:
        A Puzzle for each grid, a GridError for each malformed one, and an OSError, with the name of the file, for each
        file that cannot be read.
    """
    for item in _items(files, idle, partial(read, box=box, format=format, alphabet=alphabet)):
        assert not isinstance(item, Block), "blocks have not been asked for"
        yield item


def in_blocks(
    files: Sequence[str], idle: Idle, format: str | None = None
) -> Iterator[Puzzle | GridError | Block | OSError]:
    """Reads the grids of files, plain ones in lines or records that follow one another in blocks; else as `puzzles`."""
    return _items(files, idle, partial(read, format=format), _Kinds(format in IN_LINES, format in IN_TABLES))


class _Kinds(NamedTuple):
    """Which blocks are asked for."""

    lines: bool
    records: bool


def _items(
    files: Sequence[str], idle: Idle, ask: Callable[..., Iterator[Puzzle | GridError]], blocks: _Kinds | None = None
) -> Iterator[Puzzle | GridError | Block | OSError]:
    stdin: _Source | None = None
    for name in files:
        try:
            source = stdin if name == "-" and stdin else _Source(name, idle)
        except OSError as error:
            yield _named(error, name)
            continue
        title = "<stdin>" if name == "-" else name
        reader = partial(ask, file=title)
        yield from source.grids(reader, title, blocks) if blocks and source.pieces else reader(source.stream)
        if source.error is not None:
            yield _named(source.error, name)
        if name == "-":
            stdin = source  # what stands behind a line `end` is for the next one of these names
        else:
            source.close()


def _named(error: OSError, name: str) -> OSError:
    error.filename = "<stdin>" if name == "-" else name
    return error


class _Source:
    """A file to be read line by line.

    Attributes:
        stream: its text.
        pieces: its bytes, unless somebody has put another text in the place of standard input.
    """

    def __init__(self, name: str, idle: Idle) -> None:
        self.patient: _Patient | None = None
        self.pieces: _Pieces | None = None
        if name != "-":
            self.patient = _Patient(os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0)), idle)
        elif sys.stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        elif sys.__stdin__ is not None and sys.stdin is sys.__stdin__:
            self.patient = _Patient(sys.__stdin__.fileno(), idle)
        self.stream: io.TextIOBase = sys.stdin  # type: ignore[assignment]
        if self.patient:
            self.pieces = _Pieces(self.patient)
            self.stream = io.TextIOWrapper(cast(io.BufferedReader, self.pieces), "utf-8", "surrogateescape", newline="")

    @property
    def error(self) -> OSError | None:
        """Why it could not be read to its end, or None."""
        return self.patient.error if self.patient else None

    def grids(self, ask: Reader, file: str, kinds: _Kinds) -> Iterator[Puzzle | GridError | Block]:
        """The grids, in blocks as far as lines or records are plain grids, and by the reader of all forms elsewhere."""
        pieces = self.pieces
        assert pieces is not None
        begin = pieces.lines
        pieces.resume(kinds)
        while pieces.held:
            for block in pieces.blocks():
                yield Block(block, file, pieces.lines - begin + 1, "csv" if pieces.columns else "line")
                pieces.lines += len(block)
            above = pieces.lines - begin
            if above:
                pieces.go_on()
                above -= 1
            for found in ask(self.stream):
                yield _moved(found, above)

    def close(self) -> None:
        """Closes the file."""
        self.stream.close()
        if self.patient:
            os.close(self.patient.file)


def _moved(found: Puzzle | GridError, lines: int) -> Puzzle | GridError:
    """The same, so many lines further down."""
    if isinstance(found, GridError):
        return GridError(found.file, found.line + lines, found.reason)
    return replace(found, line=found.line + lines) if lines else found


class _Pieces(io.BufferedIOBase):
    """Bytes, a line at a time; they seem to end where a block of plain grids may come next, until that has been taken.

    A block of lines may begin where no form can have begun that has several lines: at the beginning, behind lines that
    are empty, comments or grids by themselves, and behind as many grids in a row as nothing else has. There is none
    below a first line that is a number: it may say how many grids there are.

    A block of records may begin anywhere in a table whose heading stands where a block of lines may begin, up to the
    empty line that ends it; in other tables, and where there is one column, records are lines. The heading is then read
    again before the next line that is in no block.

    Attributes:
        lines: how many lines have been taken.
        held: whether they seem to end.
        columns: of the table whose records may come in blocks, or None.
    """

    def __init__(self, patient: _Patient) -> None:
        self.lines = 0
        self.held = False
        self.columns: Columns | None = None
        self._patient = patient
        self._data, self._at = b"", 0
        self._begins = True  # whether a line does
        self._kinds = _Kinds(False, False)  # of blocks that are asked for
        self._rests = False  # whether one of lines may begin
        self._row = 0  # how many lines have been plain grids before this one
        self._table = False  # whether this is a table of several columns
        self._heading = b""  # of the table whose records may come in blocks
        self._first = False  # whether the next line is the first one
        self._counts = False  # whether that may say how many grids there are, so that one reader needs all of them
        self._above = b""  # a line that comes next, and is none of the text or has been taken

    def readable(self) -> bool:
        return True

    def resume(self, kinds: _Kinds) -> None:
        """Lets blocks of such kinds come, now at first."""
        self._kinds = kinds
        self.held = self._rests = True
        self._table = self._counts = False
        self.columns, self._heading = None, b""
        self._first = True

    def go_on(self) -> None:
        """Puts an empty line before what comes next, or the heading that belongs to it, and does not count it."""
        self._first, self._above = False, self._heading or b"\n"

    def blocks(self) -> Iterator[npt.NDArray[np.uint8]]:
        """The plain grids that come next, as far as they have been read."""
        self.held = False
        most = LEAST
        while self._data.find(b"\n", self._at) >= 0 or self._more():
            piece = self._data[self._at : self._at + most]
            grids, size = self._leading(piece)
            self._at += size
            if size:
                yield grids
            if b"\n" in piece[size:]:
                return
            most *= 4

    def read1(self, size: int | None = -1, /) -> bytes:
        """A line, or a piece of a long one; nothing at the end, and where a block may be."""
        if self._above:
            above, self._above = self._above, b""
            return above
        if self._at == len(self._data) and not self._more():
            return b""
        if self._begins and (self._rests or self.columns) and self._leading(self._next())[1]:
            self.held = True
            return b""
        end = self._data.find(b"\n", self._at) + 1
        while not end and len(self._data) - self._at < LONGEST_LINE and self._more():
            end = self._data.find(b"\n", self._at) + 1
        piece = self._data[self._at : end or None]
        self._at += len(piece)
        if self._begins:
            self._judge(piece)
        self._begins = piece.endswith(b"\n")
        self.lines += len(piece.splitlines()) - (not self._begins)
        return piece

    def _next(self) -> bytes:
        """What has come of the next line."""
        end = self._data.find(b"\n", self._at) + 1
        return self._data[self._at : end or None]

    def _leading(self, data: bytes) -> tuple[npt.NDArray[np.uint8], int]:
        """The plain grids that bytes begin with, in lines or records, as far as these are asked for."""
        if self.columns is None:
            return leading(data) if self._kinds.lines else (np.empty((0, CELLS), dtype=np.uint8), 0)
        from sudoku.formats.files import records

        return records.leading(data, self.columns)

    def _judge(self, line: bytes) -> None:
        """Whether a block may begin below a line."""
        text, top = line.strip(), line.removeprefix(BOM * self._first).strip()
        self._row = self._row + 1 if leading(line)[1] else 0
        if not text:
            self._table, self.columns, self._heading = False, None, b""
        elif not self._table and not self._row and (columns := _columns(top)):
            self._table = True
            if self._rests and self._kinds.records and line.endswith(b"\n"):
                self.columns, self._heading = columns, line
        by_itself = leading(text[:CELLS] + b"\n")[1] and text[CELLS : CELLS + 1] in b" \t,;"
        self._counts |= self._first and re.split(rb"[\r#]", top, maxsplit=1)[0].strip().isdigit()
        self._first = False
        alone = not text or text.startswith(b"#") or bool(by_itself)
        self._rests = not (self._table or self._counts) and (self._row >= MANY or (self._rests and alone))

    def _more(self) -> bool:
        """Reads what has come, or waits for more; whether there was any."""
        came = self._patient.read(PIECE) or b""
        self._data, self._at = self._data[self._at :] + came, 0
        return bool(came)


def _columns(line: bytes) -> Columns | None:
    """The columns of the table of several that a line begins, if it does and there is no doubt about them."""
    text = line.decode("utf-8", "replace")
    if not text or kind_of(text) != "csv":
        return None
    from sudoku.formats.files.tabular import Table

    table = begun(text, Asked(as_layout(None), ""))
    if not isinstance(table, Table) or list(table.take(1, text)) or table.columns is None:
        return None
    return table.columns if table.columns.number > 1 else None


class _Patient(io.RawIOBase):
    """The bytes of a file; it calls `idle` while it has to wait for them, and ends where they cannot be read."""

    def __init__(self, file: int, idle: Idle) -> None:
        self.file = file
        self.idle = idle
        self.error: OSError | None = None
        self._never_waits = stat.S_ISREG(os.fstat(file).st_mode)
        self._poll = select.poll() if hasattr(select, "poll") else None  # Windows cannot ask whether a pipe has bytes
        if self._poll:
            self._poll.register(file, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while self._waits() and self.idle():
            pass
        if self._poll:
            self._poll.poll()
        try:
            came = os.read(self.file, len(buffer))
        except OSError as error:
            self.error = error
            return 0
        buffer[: len(came)] = came
        return len(came)

    def _waits(self) -> bool:
        """Whether reading might have to wait."""
        return not (self._never_waits or (self._poll and self._poll.poll(0)))
