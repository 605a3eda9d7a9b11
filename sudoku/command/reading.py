"""Grids from files and streams, each as soon as it is there."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from collections.abc import Iterator

from dlx.command import Console
from sudoku.formats.fast import PIECE, Block, Pieces, one_by_one
from sudoku.formats.request import Request
from sudoku.grid import GridError, Puzzle
from sudoku.layout import as_layout

NO_FILE = (errno.ENOENT, errno.ENAMETOOLONG)
_SIGNS = re.compile(r"[0-9.*_-]{40,}")  # which no file is called, but a grid may be that has some signs too few


def puzzles(options: argparse.Namespace, console: Console) -> Iterator[Puzzle | GridError | OSError]:
    """Reads the grids of files, each as soon as it is there, one by one; see `in_blocks`."""
    return one_by_one(in_blocks(options, console))


def in_blocks(options: argparse.Namespace, console: Console) -> Iterator[Puzzle | GridError | Block | OSError]:
    """Reads the grids of files, plain ones that follow one another in blocks.

    Parameters:
        options: the files, and the layout and the alphabet of all grids, or None for what is found.
        console: where it is said that a file has no grid, which is no error: there may be none to answer.

    Yields:
        A Puzzle for each grid, or a Block for several, a GridError for each malformed one, and an OSError, with the
        name of the file, for each file that cannot be read.
    """

    def request_for(title: str) -> Request:
        return Request(as_layout(options.box), title, options.box is not None, options.alphabet)

    stdin: _Source | None = None
    for name in options.files or ["-"]:
        try:
            source = stdin if name == "-" and stdin else _Source(name)
        except OSError as error:
            written = _written_out(name, request_for("<argument>")) if error.errno in NO_FILE else []
            yield from written
            if not written:
                yield _named(error, name)
            continue
        title = "<stdin>" if name == "-" else name
        grids = source.pieces.grids(request_for(title))
        first = next(grids, None)
        if first is not None:
            yield first
            yield from grids
        elif source.error is None:
            console.say(f"{title}: there is no grid")
        if source.error is not None:
            yield _named(source.error, name)
        if name == "-":
            stdin = source  # what stands behind a line `end` is for the next one of these names
        else:
            source.close()


def _written_out(name: str, request: Request) -> list[Puzzle | GridError | Block]:
    """The grid that stands in the place of a file's name, or what is wrong with one that nearly does; or nothing."""
    pieces = iter([name.encode(errors="surrogateescape"), b""])
    found = list(Pieces(pieces.__next__).grids(request))
    good = bool(found) and all(isinstance(item, Puzzle) for item in found)
    return found if good or _SIGNS.fullmatch(name) else []


def _named(error: OSError, name: str) -> OSError:
    error.filename = "<stdin>" if name == "-" else name
    return error


class _Source:
    """A file or standard input, in whose place somebody may have put any text.

    It ends where bytes cannot be read, with an `error`.
    """

    def __init__(self, name: str) -> None:
        self.error: OSError | None = None
        self.pieces = Pieces(self._take)
        if name != "-":
            self._file = os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        elif sys.stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        elif sys.__stdin__ is not None and sys.stdin is sys.__stdin__:
            self._file = sys.__stdin__.fileno()
        else:
            self.pieces = Pieces(lambda: sys.stdin.readline().encode(errors="surrogateescape"))

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)

    def _take(self) -> bytes:
        """Returns the bytes that come next; nothing at the end."""
        try:
            return os.read(self._file, PIECE)
        except OSError as error:
            self.error = error
            return b""
