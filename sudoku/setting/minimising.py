"""Redundant givens: those that a grid does not need, and a grid without them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import Limiting, Limits, Loop, StoppedError, compiled_module
from sudoku.constraints import Cell
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, frozen
from sudoku.layout import Box, Layout
from sudoku.setting.searches import Searches, givens_of, raises_at_limits

Numbers = npt.NDArray[np.int32]


@raises_at_limits()
def redundant(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> npt.NDArray[np.bool_]:
    """Returns the redundant givens: the completions stay the same if one of them is removed.

    After one redundant given is removed, another may be needed; `minimise` removes as many as possible together.

    Parameters and errors: as for `candidates`. The grid may have any number of completions, but no pencil marks.

    Returns:
        bool, of the shape of the grid.

    >>> redundant("1234............", layout=(2, 2))[0], redundant("12..3...........", layout=(2, 2))[0]
    (array([ True,  True,  True,  True]), array([False, False, False, False]))
    """
    givens, layout = givens_of(grid, layout)
    return redundant_givens(Searches(layout, limits), givens)


@raises_at_limits()
def minimise(grid: GridLike, layout: Box | Layout | None = None, *, seed: int = 0, **limits: Unpack[Limiting]) -> Grid:
    """Removes redundant givens in random order until each given is needed.

    Another order may leave fewer givens. If the grid has no completion, the result is a minimal unsolvable set of
    givens: if any one of them is removed, there is a completion.

    Parameters:
        grid, layout, limits: as for `redundant`.
        seed: the seed of the order of removal, a whole number from 0.

    Returns:
        A read-only uint8 array of the shape of the grid.

    Raises: as `redundant`; ValueError if the seed is wrong.

    >>> minimise("1234341221434321", layout=(2, 2))
    array([[0, 2, 0, 0],
           [0, 0, 1, 0],
           [0, 0, 4, 0],
           [0, 3, 0, 0]], dtype=uint8)
    """
    givens, layout = givens_of(grid, layout)
    order = generator(seed).permutation(np.argwhere(givens)).tolist()
    return frozen(minimised(Searches(layout, limits), givens, order))


def generator(seed: int | None) -> np.random.Generator:
    """Returns a random generator for a seed; without a seed, another one each time. Raises ValueError."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
        raise ValueError(f"the seed {seed!r} is not a whole number from 0")
    return np.random.default_rng(seed)


def redundant_givens(searches: Searches, grid: Grid) -> npt.NDArray[np.bool_]:
    """Returns which givens are redundant: without such a given, no completion has another digit in its cell."""
    cells = np.flatnonzero(grid).astype(np.int32)
    grids = np.repeat(grid[None], len(cells), axis=0)
    turns = np.arange(len(cells), dtype=np.int32)
    remove(searches, grids, cells[:, None], turns[:, None], np.zeros_like(turns))  # one given of each copy
    found: npt.NDArray[np.bool_] = (grids != grid).any(axis=0)
    return found


def minimised(searches: Searches, grid: Grid, order: Sequence[Cell]) -> Grid:
    """Returns the grid without the givens that are redundant in their turn; a needed given stays needed."""
    if searches.completion(grid) is None:
        return unsolvable(searches, grid, order)
    minimal = grid.copy()
    cells = np.array([r * grid.shape[1] + c for r, c in order], dtype=np.int32)
    turns = np.arange(len(cells), dtype=np.int32)
    remove(searches, minimal[None], cells[:, None], turns[None], np.zeros(1, dtype=np.int32))
    return minimal


def unsolvable(searches: Searches, grid: Grid, order: Sequence[Cell]) -> Grid:
    """Returns a grid without a completion, without the givens that are redundant in their turn.

    `Minimal` has no other way if a few givens without a completion take millions of guesses.
    """
    for r, c in order:
        rest = grid.copy()
        rest[r, c] = 0
        if searches.completion(rest) is None:
            grid = rest
    return grid


def remove(searches: Searches, grids: Grid, orbits: Numbers, turns: Numbers, fewest: Numbers) -> None:
    """Removes redundant givens from grids, orbit by orbit.

    A single cell becomes blank if no completion has another digit there, several cells if the completion is unique.

    Parameters:
        grids: uint8, shape (m, rows, columns), changed in place.
        orbits: int32, shape (o, p): cells that are removed together, as row * columns + column, and -1 after the last.
        turns: int32, shape (m, k): the orbits to try in each grid, in order.
        fewest: int32, shape (m,): the least number of givens of each grid.
    """
    if searches.layout.is_plain:
        kernel = compiled_module("sudoku.kernels.minimal").Minimal(grids.reshape(-1, 81), turns, orbits, fewest)
        with Loop(Limits.of(**searches.limits())) as loop:
            for _ in loop.slices(kernel):
                pass
        searches.budget.nodes += kernel.nodes
        if loop.stopped:
            raise StoppedError(loop.stopped)
        return
    for grid, order, least in zip(grids, turns.tolist(), fewest.tolist(), strict=True):
        for orbit in orbits[order]:
            rest = grid.copy()
            rest.flat[orbit[orbit >= 0]] = 0
            if np.count_nonzero(rest) >= least and _is_same(searches, grid, rest):
                grid[:] = rest


def _is_same(searches: Searches, grid: Grid, rest: Grid) -> bool:
    """Returns whether removed givens are redundant."""
    removed = grid != rest
    if np.count_nonzero(removed) != 1:
        return searches.has_one(rest)
    marks = np.ones((*grid.shape, searches.layout.size), dtype=np.bool_)
    marks[removed, grid[removed] - 1] = False
    return searches.completion(as_puzzle(rest, searches.layout, marks)) is None
