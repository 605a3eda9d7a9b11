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
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sudoku.formats import read
from sudoku.formats.blocks import CELLS, Block, leading
from sudoku.formats.files.beginning import kind_of
from sudoku.formats.lines import LONGEST_LINE
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Box, Layout

Idle = Callable[[], bool]
Reader = Callable[[io.TextIOBase], Iterator[Puzzle | GridError]]

PIECE = 1 << 18  # bytes that are read at once: grids for 5 ms
WIDEST = CELLS + 2  # characters of a plain grid with its line end
BOM = b"\xef\xbb\xbf"
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
    """Reads the grids of files, plain grids in lines that follow one another in blocks; otherwise as `puzzles` does."""
    return _items(files, idle, partial(read, format=format), blocks=True)


def _items(
    files: Sequence[str], idle: Idle, ask: Callable[..., Iterator[Puzzle | GridError]], blocks: bool = False
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
        yield from source.grids(reader, title) if blocks and source.pieces else reader(source.stream)
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

    def grids(self, ask: Reader, file: str) -> Iterator[Puzzle | GridError | Block]:
        """The grids, in blocks as far as lines are plain grids, and by the reader of all forms elsewhere."""
        pieces = self.pieces
        assert pieces is not None
        begin = pieces.lines
        pieces.resume()
        while pieces.held:
            for block in pieces.blocks():
                yield Block(block, file, pieces.lines - begin + 1)
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

    A block may begin where no form can have begun that has several lines: at the beginning, behind lines that are
    empty, comments or grids by themselves, and behind as many grids in a row as nothing else has. In a table of several
    columns, which ends at an empty line, they are rows that lack something, however many they are. There is none below
    a first line that is a number: it may say how many grids there are.

    Attributes:
        lines: how many lines have been taken.
        held: whether they seem to end.
    """

    def __init__(self, patient: _Patient) -> None:
        self.lines = 0
        self.held = False
        self._patient = patient
        self._data, self._at = b"", 0
        self._begins = True  # whether a line does
        self._asked = False  # whether blocks are asked for
        self._rests = False  # whether one may begin
        self._row = 0  # how many lines have been plain grids before this one
        self._table = False  # whether this is a table of several columns
        self._first = False  # whether the next line is the first one
        self._counts = False  # whether that may say how many grids there are, so that one reader needs all of them
        self._apart = False  # whether an empty line comes next that is none of the text

    def readable(self) -> bool:
        return True

    def resume(self) -> None:
        """Lets a block come first."""
        self.held = self._asked = self._rests = True
        self._table = self._counts = False
        self._first = True

    def go_on(self) -> None:
        """Puts an empty line before what comes next, which is not the first line of the text, and does not count it."""
        self._first, self._apart = False, True

    def blocks(self) -> Iterator[npt.NDArray[np.uint8]]:
        """The plain grids that come next, as far as they have been read."""
        self.held = False
        while True:
            if self._data.find(b"\n", self._at) < 0 and not self._more():
                return
            grids, size = leading(self._data[self._at :])
            if not size:
                return
            self._at += size
            yield grids

    def read1(self, size: int | None = -1, /) -> bytes:
        """A line, or a piece of a long one; nothing at the end, and where a block may be."""
        if self._apart:
            self._apart = False
            return b"\n"
        if self._at == len(self._data) and not self._more():
            return b""
        if self._asked and self._begins and self._rests and leading(self._data[self._at : self._at + WIDEST])[1]:
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

    def _judge(self, line: bytes) -> None:
        """Whether a block may begin below a line."""
        text = line.strip()
        self._row = self._row + 1 if leading(line)[1] else 0
        self._table = bool(text) and (self._table or (not self._row and _heads_columns(text)))
        by_itself = leading(text[:CELLS] + b"\n")[1] and text[CELLS : CELLS + 1] in b" \t,;"
        top = re.split(rb"[\r#]", text.removeprefix(BOM), maxsplit=1)[0]
        self._counts |= self._first and top.strip().isdigit()
        self._first = False
        alone = not text or text.startswith(b"#") or bool(by_itself)
        self._rests = not (self._table or self._counts) and (self._row >= MANY or (self._rests and alone))

    def _more(self) -> bool:
        """Reads what has come, or waits for more; whether there was any."""
        came = self._patient.read(PIECE) or b""
        self._data, self._at = self._data[self._at :] + came, 0
        return bool(came)


def _heads_columns(line: bytes) -> bool:
    """Whether a line is the heading of a table of several columns."""
    text = line.decode("utf-8", "replace")
    if text.startswith("#") or kind_of(text) != "csv":
        return False
    from sudoku.formats.files.tabular import header

    found = header(text)
    return found is not None and len(found[1]) > 1


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
