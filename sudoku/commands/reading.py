"""Grids from files and streams, each as soon as it is there, with a call before waiting for more."""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sudoku.formats import read
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Box, Layout

Idle = Callable[[], bool]


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
    stdin: _Source | None = None
    for name in files:
        try:
            source = stdin if name == "-" and stdin else _Source(name, idle)
        except OSError as error:
            yield _named(error, name)
            continue
        title = "<stdin>" if name == "-" else name
        yield from read(source.stream, box=box, file=title, format=format, alphabet=alphabet)
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
        error: why it could not be read to its end, or None.
    """

    def __init__(self, name: str, idle: Idle) -> None:
        self.patient: _Patient | None = None
        if name != "-":
            self.patient = _Patient(os.open(name, os.O_RDONLY | os.O_CLOEXEC), idle)
        elif sys.stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        elif sys.__stdin__ is not None and sys.stdin is sys.__stdin__:
            self.patient = _Patient(sys.__stdin__.fileno(), idle)
        self.stream: io.TextIOBase = sys.stdin  # type: ignore[assignment]
        if self.patient:
            self.stream = io.TextIOWrapper(io.BufferedReader(self.patient), "utf-8", "surrogateescape", newline="")

    @property
    def error(self) -> OSError | None:
        return self.patient.error if self.patient else None

    def close(self) -> None:
        self.stream.close()
        if self.patient:
            os.close(self.patient.file)


class _Patient(io.RawIOBase):
    """The bytes of a file; it calls `idle` while it has to wait for them, and ends where they cannot be read."""

    def __init__(self, file: int, idle: Idle) -> None:
        self.file = file
        self.idle = idle
        self.error: OSError | None = None
        self.poll = select.poll()
        self.poll.register(file, select.POLLIN)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.poll.poll(0) and self.idle():
            pass
        self.poll.poll()
        try:
            return os.readv(self.file, [buffer])
        except OSError as error:
            self.error = error
            return 0
