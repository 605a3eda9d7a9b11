"""Redundant givens: those that a grid does not need, and a grid without them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import Limiting
from sudoku.formats.conversion import GridLike
from sudoku.grid import Grid, frozen
from sudoku.layout import Box, Layout
from sudoku.setting.searches import Searches, givens_of, raises_at_limits


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
    searches, found = Searches(layout, limits), np.zeros(givens.shape, dtype=np.bool_)
    for r, c in np.argwhere(givens).tolist():
        found[r, c] = is_redundant(searches, givens, r, c)
    return found


@raises_at_limits()
def minimise(grid: GridLike, layout: Box | Layout | None = None, *, seed: int = 0, **limits: Unpack[Limiting]) -> Grid:
    """Removes redundant givens in random order until each given is needed.

    Another order may leave fewer givens. If the grid has no completion, the result is a minimal unsolvable set of
    givens: without any one of them, there is a completion.

    Parameters:
        grid, layout, limits: as for `redundant`.
        seed: a whole number from 0 for the order.

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


def is_redundant(searches: Searches, grid: Grid, row: int, column: int) -> bool:
    """Returns whether a given is redundant: without it, no completion has another digit there."""
    return searches.other(grid, row, column, int(grid[row, column])) is None


def minimised(searches: Searches, grid: Grid, order: Iterable[Iterable[int]]) -> Grid:
    """Returns the grid without the givens that are redundant in their turn; a needed given stays needed."""
    minimal = grid.copy()
    for r, c in order:
        if is_redundant(searches, minimal, r, c):
            minimal[r, c] = 0
    return minimal
