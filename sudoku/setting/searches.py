"""Searches for completions of grids of one layout, within common limits, and the candidates in completions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import UNLIMITED, Limiting, Outcome, StoppedError
from sudoku import encoding
from sudoku.encoding import decode, encode, tables_of
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, Puzzle, work_of
from sudoku.layout import Box, Layout
from sudoku.listing import Budget, Listing, first
from sudoku.solve import Completions, count, count_many, solve

Marks = npt.NDArray[np.bool_]
Surviving = Literal["rules", "completions"]


def givens_of(grid: GridLike, layout: Box | Layout | None = None) -> tuple[Grid, Layout]:
    """Returns a grid and its layout; refuses pencil marks that exclude a completion of the givens."""
    puzzle = as_puzzle(grid, layout)
    check_placed(puzzle)
    if puzzle.candidates is not None and not _are_implied(puzzle):
        remedy = "remove them (as_grid, or sudoku convert --drop-candidates)"
        raise ValueError(f"the grid has pencil marks that exclude completions of its givens: {remedy}")
    return puzzle.grid, puzzle.layout


def _are_implied(puzzle: Puzzle) -> bool:
    """Returns whether pencil marks add nothing: they keep all candidates or the only completion, or none exists."""
    assert puzzle.candidates is not None
    row, column, digit = encoding.candidates(encode(puzzle.grid, puzzle.layout)).T
    if puzzle.candidates[row, column, digit - 1].all():
        return True
    found = count_many(puzzle.grid[None], 2, layout=puzzle.layout)
    digits = found.completions[0][..., None] == np.arange(1, puzzle.layout.size + 1)
    return found.counts[0] == 0 or bool(found.counts[0] == 1 and (puzzle.candidates | ~digits).all())


def check_placed(puzzle: Puzzle) -> None:
    """Raises a ValueError that names a placed digit if the only completion has another digit there."""
    if puzzle.placed is None or solve(puzzle).completion is not None:
        return
    givens = replace(puzzle, grid=np.where(puzzle.placed, 0, puzzle.grid), candidates=None, placed=None)
    completion = solve(givens).completion
    if completion is None:
        return
    wrong = np.argwhere(puzzle.placed & (puzzle.grid != completion)).tolist()
    if count(givens, max_covers=2).covers > 1:
        raise ValueError("the placed digits have no common completion with the givens")
    r, c = wrong[0]
    raise ValueError(f"the {puzzle.grid[r, c]} placed at r{r + 1}c{c + 1} is wrong")


def holders(grid: Grid, layout: Layout) -> dict[int, list[int]]:
    """Returns the uncoloured items of the givens, each with the options of its givens."""
    tables, found = tables_of(layout), dict[int, list[int]]()
    problem = tables.problem
    for option in tables.givens(grid).tolist():
        for entry in range(*problem.indptr[option : option + 2].tolist()):
            if problem.colours is None or not problem.colours[entry]:
                found.setdefault(int(problem.indices[entry]), []).append(option)
    return found


@contextmanager
def raises_at_limits() -> Iterator[None]:
    """Raises TimeoutError or KeyboardInterrupt in place of StoppedError."""
    try:
        yield
    except StoppedError as error:
        raise error.raised() from None


class Searches:
    """Searches in grids of one layout within common limits; a limit raises StoppedError."""

    def __init__(self, layout: Layout, limits: Limiting) -> None:
        if limits.get("max_covers") is not None:
            raise TypeError("max_covers does not limit this search; max_nodes and timeout do")
        self.budget = Budget(**limits)
        self.layout = layout

    def completion(self, grid: Grid | Puzzle) -> Grid | None:
        """Returns a completion, or None."""
        found = solve(grid, self.layout, **self.limits())
        self.note(found)
        return found.completion

    def marks(self, puzzle: Puzzle, known: Marks) -> Iterator[Marks]:
        """Yields the known marks with further candidates in completions, after each block of searches."""
        untried, block = encoding.candidates(encode(puzzle)) - (0, 0, 1), 1
        while len(untried := untried[~known[tuple(untried.T)]]):
            for completion in self._filled(puzzle, untried[:block]):
                known = known | (completion[..., None] == np.arange(1, self.layout.size + 1))
            yield known
            untried, block = untried[block:], 4 * block

    def _filled(self, puzzle: Puzzle, marks: npt.NDArray[np.intp]) -> Iterable[Grid]:
        """Returns a completion with each mark that is in a completion."""
        row, column, mark = marks.T
        grids = np.repeat(puzzle.grid[None], len(marks), axis=0)
        grids[np.arange(len(grids)), row, column] = mark + 1
        if puzzle.candidates is None:
            found = self.completions(grids)
            return found.completions[found.counts > 0]
        completions = (self.completion(replace(puzzle, grid=grid)) for grid in grids)
        return [one for one in completions if one is not None]

    def completions(self, grids: Grid, most: int = 1) -> Completions:
        """Counts the completions of each of many grids up to `most`, and finds one of each."""
        found = count_many(grids, most, self.layout, **self.limits())
        self.note(found)
        return found

    def has_one(self, grid: Grid) -> bool:
        """Returns whether a grid has exactly one completion."""
        return bool(self.completions(grid[None], 2).counts[0] == 1)

    def random(self, seed: int) -> Grid:
        """Returns a complete grid by a randomised search."""
        empty = tables_of(self.layout).problem
        self.limits()
        found = first(empty, self.budget, seed)
        if found.stopped:
            raise StoppedError(found.stopped)
        if found.cover is None:
            raise ValueError("the layout has no completion, and so no puzzles")
        return decode(empty, found.cover).copy()

    def some(self, grid: Grid, most: int) -> list[Grid]:
        """Returns up to `most` completions of a grid."""
        problem = encode(grid, self.layout)
        listing = Listing(problem, self.budget, most)
        try:
            found = [one for block in listing.blocks() for one in decode(problem, block)]
        except KeyboardInterrupt:  # an iterator reports Ctrl-C in no other way
            raise StoppedError("interrupt") from None
        if listing.stopped not in (None, "max_covers"):
            raise StoppedError(listing.stopped)
        return found

    def limits(self, covers: int = UNLIMITED, nodes: int = UNLIMITED) -> Limiting:
        """Returns the rest of the limits, up to this number of covers and nodes; StoppedError if one is reached."""
        if self.budget.seconds >= self.budget.limits.timeout:
            raise StoppedError("timeout")
        if self.budget.nodes > self.budget.limits.max_nodes:
            raise StoppedError("max_nodes")
        return self.budget.rest(covers, nodes)

    def note(self, found: Outcome) -> None:
        """Adds the work of a search; raises StoppedError if a limit ended it."""
        self.budget.add(work_of(found))
        if found.stopped:
            raise StoppedError(found.stopped)


@raises_at_limits()
def candidates(
    grid: GridLike,
    layout: Box | Layout | None = None,
    *,
    surviving: Surviving = "completions",
    **limits: Unpack[Limiting],
) -> Marks:
    """Returns the pencil marks of a grid: the digits that each cell can have.

    `shares` counts the completions with each digit, too.

    Parameters:
        grid: a grid in any form that `as_grid` takes; the pencil marks of a `Puzzle` exclude all other candidates.
        layout: as for `solve`.
        surviving: "rules": digits that no given excludes by a common region; "completions" (default): digits in a
            completion.
        limits: max_nodes, timeout (in seconds) and progress, as for every search of `dlx`; they hold for all searches
            together.

    Returns:
        bool, shape (rows, columns, n); index 0 is digit 1. A given is the only mark of its cell. Without a completion,
        "completions" leaves no marks.

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout, `surviving` or a limit is wrong.
        TimeoutError: max_nodes or the timeout ended the search.
        KeyboardInterrupt: Ctrl-C came first.

    >>> candidates("1....2..........", (2, 2), surviving="rules")[0]
    array([[ True, False, False, False],
           [False, False,  True,  True],
           [False,  True,  True,  True],
           [False,  True,  True,  True]])
    >>> candidates("1....2....3....4", (2, 2))[0]
    array([[ True, False, False, False],
           [False, False,  True,  True],
           [False,  True, False,  True],
           [False,  True,  True, False]])
    """
    puzzle = as_puzzle(grid, layout)
    check_placed(puzzle)
    if surviving not in ("rules", "completions"):
        raise ValueError(f"surviving is {surviving!r}; it must be 'rules' or 'completions'")
    searches = Searches(puzzle.layout, limits)
    marks = np.zeros((*puzzle.grid.shape, puzzle.layout.size), dtype=np.bool_)
    if surviving == "rules":
        marks[tuple((encoding.candidates(encode(puzzle)) - (0, 0, 1)).T)] = True
        return marks
    for known in searches.marks(puzzle, marks):
        marks = known
    return marks
