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

from sudoku.formats import read
from sudoku.formats.blocks import PIECE, Block, Pieces
from sudoku.formats.request import Asked
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Box, Layout, as_layout

Idle = Callable[[], bool]

NO_FILE = (errno.ENOENT, errno.ENAMETOOLONG)
_SIGNS = re.compile(r"[0-9.*_-]{40,}")  # which no file is called, but a grid may be that has some signs too few


def puzzles(
    files: Sequence[str],
    layout: Box | Layout | None,
    idle: Idle,
    format: str | None = None,
    alphabet: str | None = None,
) -> Iterator[Puzzle | GridError | OSError]:
    """Reads the grids of files, each as soon as it is there, one by one; see `in_blocks`."""
    for item in in_blocks(files, layout, idle, format, alphabet):
        if isinstance(item, Block):
            yield from item.puzzles()
        else:
            yield item


def in_blocks(
    files: Sequence[str],
    layout: Box | Layout | None,
    idle: Idle,
    format: str | None = None,
    alphabet: str | None = None,
) -> Iterator[Puzzle | GridError | Block | OSError]:
    """Reads the grids of files, plain ones that follow one another in blocks.

    Parameters:
        files: their names; "-" is standard input.
        layout: the rows and columns of a box, or a layout; without it, what a form says, and otherwise 3 x 3.
        idle: called before a file is waited for, and while it returns True again and again.
        format: the form of all grids; without it, they are recognised.
        alphabet: the signs of the digits, or None for the usual ones.

    Yields:
        A Puzzle for each grid, or a Block for several, a GridError for each malformed one, and an OSError, with the
        name of the file, for each file that cannot be read.
    """
    stdin: _Source | None = None
    for name in files:
        try:
            source = stdin if name == "-" and stdin else _Source(name, idle)
        except OSError as error:
            asked = Asked(as_layout(layout), "<argument>", layout is not None, format, alphabet)
            written = _written_out(name, asked) if error.errno in NO_FILE else []
            yield from written
            if not written:
                yield _named(error, name)
            continue
        title = "<stdin>" if name == "-" else name
        yield from source.grids(Asked(as_layout(layout), title, layout is not None, format, alphabet))
        if source.error is not None:
            yield _named(source.error, name)
        if name == "-":
            stdin = source  # what stands behind a line `end` is for the next one of these names
        else:
            source.close()


def _written_out(name: str, asked: Asked) -> list[Puzzle | GridError]:
    """The grid that stands in the place of a file's name, or what is wrong with one that nearly does; or nothing."""
    layout = asked.layout if asked.chosen else None
    found = list(read(io.StringIO(name), layout, file=asked.file, format=asked.format, alphabet=asked.alphabet))
    good = bool(found) and all(isinstance(item, Puzzle) for item in found)
    return found if good or _SIGNS.fullmatch(name) else []


def _named(error: OSError, name: str) -> OSError:
    error.filename = "<stdin>" if name == "-" else name
    return error


class _Source:
    """A file, or standard input, and in its place whatever text somebody has put there."""

    def __init__(self, name: str, idle: Idle) -> None:
        self._patient: _Patient | None = None
        if name != "-":
            self._patient = _Patient(os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0)), idle)
        elif sys.stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        elif sys.__stdin__ is not None and sys.stdin is sys.__stdin__:
            self._patient = _Patient(sys.__stdin__.fileno(), idle)
        self._pieces = Pieces(self._patient.take) if self._patient else None

    @property
    def error(self) -> OSError | None:
        """The error that ended the reading, or None."""
        return self._patient.error if self._patient else None

    def grids(self, asked: Asked) -> Iterator[Puzzle | GridError | Block]:
        """Its grids, up to its end or a line that says so."""
        if self._pieces:
            return self._pieces.grids(asked)
        layout = asked.layout if asked.chosen else None
        return read(sys.stdin, layout, file=asked.file, format=asked.format, alphabet=asked.alphabet)

    def close(self) -> None:
        """Closes the file."""
        if self._patient:
            os.close(self._patient.file)


class _Patient:
    """The bytes of a file; it calls `idle` while it has to wait for them, and ends where they cannot be read."""

    def __init__(self, file: int, idle: Idle) -> None:
        self.file = file
        self.idle = idle
        self.error: OSError | None = None
        self._never_waits = stat.S_ISREG(os.fstat(file).st_mode)
        self._poll = select.poll() if hasattr(select, "poll") else None  # Windows cannot ask whether a pipe has bytes
        if self._poll:
            self._poll.register(file, select.POLLIN)

    def take(self) -> bytes:
        """Returns the bytes that have come, or come next; nothing at the end."""
        while self._waits() and self.idle():
            pass
        if self._poll:
            self._poll.poll()
        try:
            return os.read(self.file, PIECE)
        except OSError as error:
            self.error = error
            return b""

    def _waits(self) -> bool:
        """Tells whether reading might have to wait."""
        return not (self._never_waits or (self._poll and self._poll.poll(0)))
