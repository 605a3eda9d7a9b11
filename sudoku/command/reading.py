"""Grids from files and streams, each as soon as it is there."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from dlx.command import Console
from sudoku.formats.fast import PIECE, Block, Pieces, one_by_one
from sudoku.formats.request import Request
from sudoku.grid import GridError, Puzzle
from sudoku.layout import as_layout

NO_FILE = (errno.ENOENT, errno.ENAMETOOLONG)
_SIGNS = re.compile(r"[0-9.*_-]{40,}")  # no file has such a name, but a grid with too few signs may

Item = Puzzle | GridError | Block


def puzzles(options: argparse.Namespace, console: Console) -> Iterator[Puzzle | GridError | OSError]:
    """Reads the grids of files one by one, each as soon as it is there; see `in_blocks`."""
    return one_by_one(in_blocks(options, console))


def in_blocks(options: argparse.Namespace, console: Console) -> Iterator[Item | OSError]:
    """Reads the grids of files, and plain grids that follow one another in blocks.

    Parameters:
        options: the files, and the layout and the alphabet of all grids, or None for those of each grid.
        console: tells the user if a file has no grid; that is no error.

    Yields:
        A Puzzle for each grid, or a Block for several, a GridError for each malformed one, and an OSError, with the
        name of the file, for each file that cannot be read.
    """

    def request_for(title: str) -> Request:
        return Request(as_layout(options.box), title, options.box is not None, options.alphabet)

    for name in options.files or ["-"]:
        title, found = "<stdin>" if name == "-" else name, False
        try:
            with _opened(name) as file:
                for item in Pieces(partial(file.read1, PIECE)).grids(request_for(title)):
                    found = True
                    yield item
            if not found:
                console.say(f"{title}: there is no grid")
        except OSError as error:
            written = _in_argument(name, request_for("<argument>")) if error.errno in NO_FILE else []
            yield from written
            if not written:
                error.filename = title
                yield error


@contextmanager
def _opened(name: str) -> Iterator[Any]:
    """Opens a file, or standard input, which stays open."""
    if name != "-":
        with open(name, "rb") as file:
            yield file
    elif sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    else:
        yield sys.stdin.buffer


def _in_argument(name: str, request: Request) -> list[Item]:
    """Returns the grids in an argument that names no file, or their errors if it looks like a grid; or nothing."""
    pieces = iter([name.encode(errors="surrogateescape"), b""])
    found = list(Pieces(pieces.__next__).grids(request))
    good = bool(found) and all(isinstance(item, Puzzle) for item in found)
    return found if good or _SIGNS.fullmatch(name) else []
