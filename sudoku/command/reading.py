"""Grids from files and streams, each as soon as it is there."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, NamedTuple

from dlx.command import Console, standard_input
from sudoku.formats.fast import PIECE, Block, blocks, one_by_one
from sudoku.formats.request import Request
from sudoku.formats.signs import Signs
from sudoku.grid import GridError, Puzzle
from sudoku.layout import Layout, as_layout

NO_FILE = (errno.ENOENT, errno.ENAMETOOLONG)
_LIKE_A_GRID = re.compile(r"[0-9.*_-]{40,}")  # no file has such a name, but a grid with too few signs may

Item = Puzzle | GridError | OSError | Block


class Source(NamedTuple):
    """The grids that a command reads.

    Attributes:
        console: where messages go.
        files: the names of the files; without any, standard input.
        layout: the layout of all grids, or None for that of each grid.
        alphabet: the signs of the digits, or None for the usual ones.
    """

    console: Console
    files: Sequence[str]
    layout: Layout | None
    alphabet: str | None

    def signs(self, layout: Layout) -> str | None:
        """Returns the signs of a blank and of each digit by `alphabet`; None if it does not fit the layout."""
        fits = self.alphabet is not None and len(self.alphabet) == layout.size
        return Signs.of(layout, self.alphabet).names if fits else None

    def reads(self, name: str) -> bool:
        """Returns whether a file is one of those that are read."""
        read = [file for file in self.files if file != "-" and os.path.exists(file)]
        return os.path.exists(name) and any(os.path.samefile(file, name) for file in read)

    def puzzles(self) -> Iterator[tuple[int, Puzzle]]:
        """Yields the grids, each with its number among all, from 1; prints what is wrong with the others."""
        number = 0
        for found in one_by_one(self.blocks()):
            if isinstance(found, OSError):
                self.console.fail(f"{found.filename}: {found.strerror}")
                continue
            number += 1
            if isinstance(found, GridError):
                self.console.fail(str(found))
            else:
                yield number, found

    def blocks(self) -> Iterator[Item]:
        """Yields the grids of the files, plain ones in blocks, and an OSError for each file that cannot be read."""
        for name in self.files or ["-"]:
            title = "<stdin>" if name == "-" else name
            request = Request(as_layout(self.layout), title, self.layout is not None, self.alphabet)
            found = False
            try:
                with _opened(name) as file:
                    for item in blocks(partial(file.read1, PIECE), request):
                        found = True
                        yield item
                if not found:
                    blank = (
                        "" if self.layout is None else f"; {len(self.layout.cells())} dots are the grid without givens"
                    )
                    self.console.say(f"{title}: there is no grid{blank}")
            except OSError as error:
                written = _in_argument(name, request) if error.errno in NO_FILE else []
                yield from written
                if not written:
                    error.filename = title
                    yield error


def _in_argument(name: str, request: Request) -> list[Item]:
    """Returns the grids in an argument that names no file, or their errors if it looks like a grid; or nothing."""
    pieces = iter([name.encode(errors="surrogateescape"), b""])
    found: list[Item] = list(blocks(pieces.__next__, request._replace(file="<argument>")))
    good = bool(found) and all(isinstance(item, Puzzle) for item in found)
    return found if good or _LIKE_A_GRID.fullmatch(name) else []


def _opened(name: str) -> AbstractContextManager[Any]:
    """Opens a file, or standard input, which stays open."""
    if name != "-":
        return open(name, "rb")
    return nullcontext(standard_input())
