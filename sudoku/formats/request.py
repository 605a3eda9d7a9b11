"""The things that all readers share: requests, lines of a stream, and the check of solutions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import TextIOBase
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.formats.signs import LONGEST_LINE
from sudoku.grid import Candidates, Form, Grid, GridError, Puzzle, frozen, narrowed
from sudoku.layout import Layout

Found = Puzzle | GridError

# Names of members and columns that have puzzles
PUZZLES = frozenset({"puzzle", "puzzles", "quiz", "quizzes", "question", "questions", "problem", "problems", "sudoku"})
PUZZLES |= {"grid", "grids", "board", "boards", "givens"}

MOST_LINES = 1 << 16  # of a file of rules or weights, comments included


class Request(NamedTuple):
    layout: Layout  # what grids are read by, unless their form has a layout of its own
    file: str  # what errors call the input
    chosen: bool = False  # whether puzzles must have the rules of the layout
    alphabet: str | None = None  # the signs of the digits, or None for the usual ones

    def puzzle(self, cells: npt.ArrayLike, form: Form, line: int, allowed: Candidates | None = None) -> Puzzle:
        """Returns a grid of cells that are digits or 0, as many as the layout has, and what is allowed in each."""
        layout = self.layout
        grid: Grid = frozen(np.array(cells, dtype=np.uint8).reshape(layout.shape))
        n = layout.size
        candidates = None if allowed is None else narrowed(grid, allowed.reshape(*layout.shape, n), n)
        return Puzzle(grid, form, self.file, line, layout, candidates)

    def with_layout(self, layout: Layout) -> Request:
        """Returns the request for a puzzle with its own layout; a ValueError if it lacks wanted rules."""
        from sudoku.formats.files.meaning import has_rules  # 1 ms

        if self.chosen and not has_rules(layout, self.layout):
            raise ValueError(f"the puzzle has the {layout!r}, and not the {self.layout!r} that was asked for")
        return self._replace(layout=layout)

    def error(self, line: int, reason: str) -> GridError:
        return GridError(self.file, line, reason)


def lines_of(stream: TextIOBase) -> Iterator[str]:
    """Yields the lines as they come; a very long one in pieces, of which only the last one has a line end."""
    return iter(lambda: stream.readline(LONGEST_LINE), "")


def said_lines(file: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Yields the lines of a file that say something, without comments, by their numbers; a ValueError over a limit."""
    with Path(file).open(encoding="utf-8-sig", errors="surrogateescape") as stream:
        for number, line in enumerate(lines_of(stream), 1):
            if len(line) == LONGEST_LINE:
                raise ValueError(f"{os.fspath(file)}:{number}: the line has at least {LONGEST_LINE} characters")
            if number > MOST_LINES:
                raise ValueError(f"{os.fspath(file)}:{number}: there are more than {MOST_LINES} lines")
            if text := line.partition("#")[0].strip():
                yield number, text


def has_clash(grid: npt.NDArray[np.integer], layout: Layout) -> bool:
    """Returns whether a region of a grid has a digit twice; blanks are allowed."""
    rows = grid.tolist()
    for region in layout.regions:
        digits = [digit for r, c in region.cells if (digit := rows[r][c])]
        if len(set(digits)) < len(digits):
            return True
    return False


def place_of(r: int, c: int) -> str:
    return f"row {r + 1}, column {c + 1}"
