"""Random killer sudokus: cages over a complete grid, cut until the completion is unique, then joined while it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Unpack

import numpy as np

import dlx
from dlx.extending import Limiting, StoppedError
from sudoku.constraints import Cell, beside
from sudoku.encoding import encode
from sudoku.grid import Grid
from sudoku.layout import Box, Layout, as_layout
from sudoku.setting.minimising import generator
from sudoku.setting.queries import Searches, raises_at_limits

PATIENCE = 100_000  # nodes of a search; cages that need more are not joined

Cages = list[list[Cell]]


@raises_at_limits()
def generate_killer(
    layout: Box | Layout | None = None, *, seed: int | None = None, largest: int = 5, **limits: Unpack[Limiting]
) -> Layout:
    """Makes a random killer sudoku: cages that cover the grid and leave one completion without givens.

    A complete grid is cut into random cages of up to three cells. While there is another completion, a cage in which it
    differs is cut in two. Then neighbouring cages are joined in random order if the new cage repeats no digit, and the
    completion stays unique, as 100,000 nodes of search can show.

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
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, cage 7)
    >>> dlx.count(encode(16 * ".", killer)).covers
    1
    """
    base = as_layout(layout)
    if isinstance(largest, bool) or not isinstance(largest, int) or largest < 1:
        raise ValueError(f"largest is {largest!r}; it must be a whole number from 1")
    random = generator(seed)
    searches = Searches(base, limits)
    grid = searches.random(int(random.integers(2**31)))
    cages = list(_cages(base, grid, random, min(largest, 3)))
    while (other := _other(searches, base, grid, cages)) is not None:
        k = next(k for k, cage in enumerate(cages) if len(cage) > 1 and any(grid[x] != other[x] for x in cage))
        half = len(cages[k]) // 2
        cages[k : k + 1] = [cage for part in (cages[k][:half], cages[k][half:]) for cage in _connected(part)]
    for one, two in random.permutation(list(base.neighbours())).tolist():
        joined = _joined(cages, tuple(one), tuple(two))
        if len(joined[-1]) <= largest and _distinct(grid, joined[-1]) and _is_unique(searches, base, grid, joined):
            cages = joined
    return _caged(base, grid, cages)


def _cages(base: Layout, grid: Grid, random: np.random.Generator, largest: int) -> Iterator[list[Cell]]:
    """Cuts a grid into random cages that repeat no digit."""
    free = set(base.cells())
    for start in random.permutation(base.cells()).tolist():
        if tuple(start) not in free:
            continue
        cage: list[Cell] = [tuple(start)]
        size = int(random.integers(1, largest + 1)) if largest > 1 else 1
        while len(cage) < size:
            neighbours = sorted(cell for one in cage for cell in beside(one, free - {*cage}))
            fits = [cell for cell in neighbours if grid[cell] not in [grid[one] for one in cage]]
            if not fits:
                break
            cage.append(fits[int(random.integers(len(fits)))])
        free.difference_update(cage)
        yield cage


def _connected(cells: list[Cell]) -> Iterator[list[Cell]]:
    """Yields the connected components of cells."""
    others = list(cells)
    while others:
        part = [others.pop(0)]
        for cell in part:
            more = beside(cell, others)
            part += more
            others = [other for other in others if other not in more]
        yield part


def _joined(cages: Cages, one: Cell, two: Cell) -> Cages:
    """Returns the cages, with the cages of two cells joined as the last one."""
    both = [cage for cage in cages if one in cage or two in cage]
    return [*(cage for cage in cages if cage not in both), [*chain(*both)]]


def _distinct(grid: Grid, cage: Sequence[Cell]) -> bool:
    return len({int(grid[cell]) for cell in cage}) == len(cage)


def _caged(base: Layout, grid: Grid, cages: Cages) -> Layout:
    totals = ((sum(int(grid[cell]) for cell in cage), cage) for cage in sorted(map(sorted, cages)))
    return base.with_sums("cage", *totals)


def _other(searches: Searches, base: Layout, grid: Grid, cages: Cages) -> Grid | None:
    """Returns another completion of the empty grid with cages, or None."""
    searches.turn_to(_caged(base, grid, cages))
    return next((one for one in searches.each(np.zeros_like(grid), 2) if (one != grid).any()), None)


def _is_unique(searches: Searches, base: Layout, grid: Grid, cages: Cages) -> bool:
    """Returns whether cages have one completion; False if a short search cannot show it."""
    problem = encode(np.zeros_like(grid), _caged(base, grid, cages))
    found = dlx.count(problem, merge="never", **searches.limits(2, PATIENCE))
    if found.stopped in ("timeout", "interrupt"):
        raise StoppedError(found.stopped)
    searches.budget.nodes += found.nodes
    return found.exhausted and found.covers == 1
