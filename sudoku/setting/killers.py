"""Random killer sudokus: the cages of a complete grid, joined while the completion is unique."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Unpack

import numpy as np

import dlx
from dlx.extending import Limiting, StoppedError
from sudoku.constraints import Cell
from sudoku.encoding import encode
from sudoku.grid import Grid
from sudoku.layout import Box, Layout, as_layout
from sudoku.setting.minimising import generator
from sudoku.setting.searches import Searches, raises_at_limits

PATIENCE = 100_000  # maximum nodes of a search; cages that need more are not joined


@raises_at_limits()
def generate_killer(
    layout: Box | Layout | None = None, *, seed: int | None = None, largest: int = 5, **limits: Unpack[Limiting]
) -> Layout:
    """Makes a random killer sudoku: cages that cover the grid and leave one completion without givens.

    Each cell of a complete grid begins as a cage. Neighbouring cages are joined in random order if the new cage repeats
    no digit, and a search of up to 100,000 nodes shows that the completion stays unique.

    Parameters:
        layout: the rows and columns of a box, or a `Layout`, whose rules are kept; default: 3 x 3.
        seed: a whole number from 0, for the same cages each time; default: other cages each time.
        largest: the most cells of a cage, from 1; default: 5.
        limits: as for `candidates`.

    Returns:
        The layout with the cages; its grid is empty.

    Raises:
        ValueError: the layout, the seed, `largest` or a limit is wrong, or the layout has no completion.
        TimeoutError, KeyboardInterrupt: as for `candidates`.

    >>> killer = generate_killer((2, 2), seed=1)
    >>> killer
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, cage 6)
    >>> dlx.count(encode(16 * ".", killer)).covers
    1
    """
    base = as_layout(layout)
    if isinstance(largest, bool) or not isinstance(largest, int) or largest < 1:
        raise ValueError(f"largest is {largest!r}; it must be a whole number from 1")
    random = generator(seed)
    searches = Searches(base, limits)
    grid = searches.random(int(random.integers(2**31)))
    cages = [[cell] for cell in base.cells()]
    for one, two in random.permutation(list(base.neighbours())).tolist():
        both = [cage for cage in cages if tuple(one) in cage or tuple(two) in cage]
        cage = sorted(chain(*both))
        joined = [*(other for other in cages if other not in both), cage]
        distinct = len({int(grid[cell]) for cell in cage}) == len(cage)
        if len(both) == 2 and len(cage) <= largest and distinct and _is_unique(searches, _caged(base, grid, joined)):
            cages = joined
    return _caged(base, grid, cages)


def _caged(base: Layout, grid: Grid, cages: Iterable[list[Cell]]) -> Layout:
    return base.with_sums("cage", *((sum(int(grid[cell]) for cell in cage), cage) for cage in sorted(cages)))


def _is_unique(searches: Searches, killer: Layout) -> bool:
    """Returns whether cages have one completion; False also if a short search cannot prove it."""
    problem = encode(np.zeros(killer.shape, dtype=np.uint8), killer)
    found = dlx.count(problem, merge="never", **searches.limits(2, PATIENCE))
    searches.budget.nodes += found.nodes
    if found.stopped not in (None, "max_covers") and found.nodes < PATIENCE:
        raise StoppedError(found.stopped)
    return found.exhausted and found.covers == 1
