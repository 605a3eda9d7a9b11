"""The printed answers about grids."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import NamedTuple

from dlx import Progress
from dlx.command import Console, how_far, in_words
from sudoku.conversion import to_rows
from sudoku.formats import writing
from sudoku.formats.signs import Alphabet
from sudoku.grid import Grid, GridError, Puzzle
from sudoku.layout import Layout

IN_BOXES = ("rows", "boxed", "free", "marks", "code")  # the forms of several lines, answered by a grid of boxes


class Answer(NamedTuple):
    """An answer about a grid.

    Attributes:
        text: what is printed, one line or several.
        stopped: why the search stopped early, or None.
        none: whether it is certain that there is no completion.
        picture: what is drawn of it, in SVG, or None.
        wrong: what is wrong with the grid, or None.
    """

    text: str
    stopped: str | None = None
    none: bool = False
    picture: str | None = None
    wrong: GridError | None = None


class Report:
    """The line on the terminal about a grid that takes long."""

    def __init__(self, console: Console, options: argparse.Namespace, answers_show: bool) -> None:
        self.line = console.line
        self.limit: int | None = getattr(options, "limit", None)
        self.timeout: float | None = options.timeout
        self.answers_show = answers_show
        self.place = ""

    def begin(self, puzzle: Puzzle) -> None:
        """Notes the next grid; the patience begins anew where the user sees the answers go by."""
        self.place = f"{puzzle.file}:{puzzle.line}"
        if self.answers_show:
            self.line.restart()
        self.line.update(lambda: self.place)

    def wait(self, puzzle: Puzzle) -> None:
        """Notes the grid whose answer is waited for, while others may be worked at."""
        place = f"{puzzle.file}:{puzzle.line}"
        if self.answers_show and place != self.place:
            self.line.restart()
        self.place = place
        self.line.update(lambda: f"{place}: {in_words(self.line.elapsed)}")

    def __call__(self, seen: Progress) -> None:
        """Shows how far the search is, now and then."""
        self.line.update(
            lambda: f"{self.place}: {how_far(seen, found='completion', limit=self.limit, timeout=self.timeout)}"
        )


Told = Callable[[Progress], object]
Solver = Callable[[Puzzle, argparse.Namespace, Told], Answer]


def refusal(error: GridError, options: argparse.Namespace) -> Answer:
    """Returns the stand-in for the answer about a grid that has none."""
    return Answer(as_object(error, error=error.reason) if options.json else "error", wrong=error)


def as_object(place: Puzzle | GridError, **facts: object) -> str:
    """An answer for programs."""
    return json.dumps({"file": place.file, "line": place.line, **facts})


def names(layout: Layout, options: argparse.Namespace) -> str | None:
    """The signs of a blank and of each digit that somebody has named, for a grid of this layout."""
    alphabet: str | None = options.alphabet
    return Alphabet.of(layout.size, alphabet).names if alphabet and len(alphabet) == layout.size else None


def as_text(grid: Grid | None, layout: Layout, options: argparse.Namespace) -> str | None:
    """A grid as a JSON value: in the line form, or in rows if it is too large for that."""
    if grid is None:
        return None
    known = names(layout, options)
    return writing.line(grid, known) if known or len(grid) <= 32 else to_rows(grid, layout)


def as_word(grid: Grid, layout: Layout, options: argparse.Namespace) -> str:
    """A grid as one word: in the line form, or as numbers with commas between them if it is too large for that."""
    known = names(layout, options)
    return writing.line(grid, known) if known or len(grid) <= 32 else ",".join(map(str, grid.ravel().tolist()))


def as_boxes(grid: Grid, layout: Layout, options: argparse.Namespace) -> str:
    """A grid in boxes."""
    return writing.boxed(grid, layout, names(layout, options))


def as_read(grid: Grid, puzzle: Puzzle, options: argparse.Namespace) -> str:
    """A grid in the form of the puzzle that was read: a line for a line, and otherwise boxes."""
    several = puzzle.form in IN_BOXES or puzzle.layout.size > 32
    return (as_boxes if several else as_word)(grid, puzzle.layout, options)
