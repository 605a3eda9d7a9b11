"""Puzzles written in a form, one after the other: what stands before the first one and behind the last one, and each.

What a form cannot say is an error, and nothing is left out: candidates, and regions that a puzzle has brought along.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from sudoku.formats import boxed, hodoku, line, marks, rows, unicode
from sudoku.formats.files import opensudoku
from sudoku.formats.signs import DIGITS
from sudoku.grid import Candidates, Form, Puzzle
from sudoku.layout import as_layout

OWN_LAYOUT: tuple[Form, ...] = ("fpuzzles", "sudokupad")  # forms that say what the regions are


class Writer(NamedTuple):
    """A form to write."""

    grid: Callable[[Puzzle], str]  # one puzzle, without the last line end
    head: str = ""  # the line before the first one, if any
    tail: str = ""  # the line behind the last one, if any
    apart: bool = False  # whether an empty line stands between two
    candidates: bool = False  # whether it says which candidates blanks have
    gaps: bool = False  # whether cells may be missing
    most: int = 64  # the rows of the largest grids

    def texts(self, grids: Iterable[str]) -> Iterator[str]:
        """Yields all that is written, with its line ends: the head, the grids, and the tail."""
        if self.head:
            yield f"{self.head}\n"
        for k, text in enumerate(grids):
            yield f"\n{text}\n" if k and self.apart else f"{text}\n"
        if self.tail:
            yield f"{self.tail}\n"

    def write(self, puzzle: Puzzle) -> str:
        """Returns a puzzle in this form, without the last line end; a ValueError if the form cannot say all of it."""
        n, layout = puzzle.layout.size, puzzle.layout
        if n > self.most:
            raise ValueError(f"the form has at most {self.most} rows, not {n}")
        if puzzle.candidates is not None and not self.candidates:
            raise ValueError("the form cannot say which candidates blanks have")
        if not layout.is_square and not self.gaps:
            raise ValueError(f"the form is for square grids, not for {layout!r}")
        if puzzle.form in OWN_LAYOUT and (layout.box is None or layout != as_layout(layout.box)):
            raise ValueError(f"the form cannot say what the regions are: {layout!r}")
        return self.grid(puzzle)


def all_candidates(puzzle: Puzzle) -> Candidates:
    """Returns the candidates of the cells, shape (n, n, n): by default every digit in every blank."""
    if puzzle.candidates is not None:
        return puzzle.candidates
    digits = np.arange(1, puzzle.layout.size + 1)
    free: Candidates = (puzzle.grid[..., None] == 0) | (puzzle.grid[..., None] == digits)
    return free


def _sdk(puzzle: Puzzle) -> str:
    """Returns a file of SadMan's: a heading, and rows without anything between the cells."""
    cells, n = line.write(puzzle.grid), puzzle.layout.size
    return "\n".join(["[Puzzle]", *(cells[k : k + n] for k in range(0, n * n, n))])


def _ss(puzzle: Puzzle) -> str:
    """Returns a file of Simple Sudoku: bars between the boxes, and rules of dashes."""
    bare = [text.replace(" ", "") for text in boxed.write(puzzle.grid, puzzle.layout).split("\n")]
    return "\n".join("-" * len(bare[0]) if "+" in text else text for text in bare)


def _json(puzzle: Puzzle) -> str:
    return json.dumps(puzzle.grid.tolist())


def _characters(puzzle: Puzzle) -> str:
    if puzzle.grid.any():
        raise ValueError("the form has no givens, only candidates")
    return marks.write_characters(all_candidates(puzzle), DIGITS[: puzzle.layout.size])


WRITERS: Mapping[str, Writer] = {
    "line": Writer(lambda puzzle: line.write(puzzle.grid), gaps=True, most=32),
    "sdm": Writer(lambda puzzle: line.write(puzzle.grid), most=32),
    "rows": Writer(lambda puzzle: rows.write(puzzle.grid, puzzle.layout), apart=True, gaps=True),
    "sdk": Writer(_sdk, apart=True, most=9),
    "boxed": Writer(lambda puzzle: boxed.write(puzzle.grid, puzzle.layout), apart=True, gaps=True),
    "ss": Writer(_ss, apart=True, most=9),
    "unicode": Writer(lambda puzzle: unicode.write(puzzle.grid, puzzle.layout), apart=True, gaps=True),
    "marks": Writer(
        lambda puzzle: marks.write(puzzle.grid, all_candidates(puzzle)), apart=True, candidates=True, most=9
    ),
    "candidates": Writer(_characters, candidates=True, most=32),
    "hodoku": Writer(lambda puzzle: hodoku.write(puzzle.grid, puzzle.candidates), candidates=True, most=9),
    "csv": Writer(lambda puzzle: line.write(puzzle.grid), "puzzle", most=32),
    "json": Writer(_json, gaps=True),
    "opensudoku": Writer(lambda puzzle: opensudoku.write(puzzle.grid), opensudoku.HEAD, opensudoku.TAIL, most=9),
}
