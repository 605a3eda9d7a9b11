"""The known strategies for target sudoku, under one interface.

brute    cells in reading order, with flags for the digits that rows, columns and boxes have
rows     rows in order of fewest blanks, with a bound from the sum of the digits still to be placed
static   bitmasks; blanks sorted once by their number of candidates, with a bound from the weights still to come
dynamic  bitmasks; always the blank with the fewest candidates
bound    the best cover by weight, proven by prices: visits few completions, whatever their number
dlx      Algorithm X on dancing links over the exact-cover problem

Each is exact: it prunes only branches without a better completion. A strategy is called with a grid, weights, and
optionally a layout and the limits of every search of `dlx`; Ctrl-C ends the search, not the program. Wrong arguments,
and layouts that it cannot do, raise ValueError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import Limiting, Limits, Loop, compiled_module
from sudoku.encoding import as_weights, decode, encode
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, Plain, Shown, frozen, work_of
from sudoku.kernels.units import UNITS, clash
from sudoku.layout import Box, Layout, as_layout
from sudoku.listing import LARGEST, Budget, Listing

Cells = npt.NDArray[np.int32]  # digits of 81 cells, or the indices of the blank cells


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Result(dlx.Outcome, Shown, Plain):
    """The best completion that a strategy found, and the work of the search.

    Attributes:
        strategy: the name of the strategy.
        score: the best score found; -1 if it is proven that there is no completion, None if none was found.
        completion: the completion with that score, read-only, shape (n, n); None if no completion was found.
        completions: how many completions were visited; None where the strategy does not count them.
        bound: no completion scores more than this; None where the strategy has no bound, or there is no completion.
        givens: the grid, or None in the result of a strategy that was called directly.
        layout: its layout.

    A score of -1 may also be that of a completion, where weights are negative: `completion` tells them apart.
    """

    strategy: str
    score: int | None
    completion: Grid | None
    completions: int | None = None
    bound: int | None = None
    givens: Grid | None = field(default=None, repr=False)
    layout: Layout = field(default=as_layout(None), repr=False)

    @property
    def proven(self) -> bool:
        """Whether the search ended by itself, so that `score` is the answer and not only a lower bound."""
        return self.exhausted


def _blanks(digits: Cells, name: str) -> Cells:
    """Returns the blank cells in the order of a strategy."""
    blanks = np.flatnonzero(digits == 0).astype(np.int32)
    if name == "rows":  # by the number of blanks in the row
        in_row = np.bincount(blanks // 9, minlength=9)
        return blanks[np.argsort(in_row[blanks // 9], kind="stable")]
    if name == "static":  # by the number of candidates
        has = np.zeros((27, 10), dtype=np.bool_)
        has[UNITS, digits[:, None]] = True
        candidates = np.count_nonzero(~has[UNITS, 1:].any(axis=1), axis=1)
        return blanks[np.argsort(candidates[blanks], kind="stable")]
    return blanks  # in reading order


def backtracking(
    name: str,
    grid: GridLike,
    weights: npt.ArrayLike,
    *,
    layout: Box | Layout | None = None,
    **limits: Unpack[Limiting],
) -> Result:
    """Finds the best completion of a plain grid by a strategy of the kernel `sudoku.kernels.backtracking`."""
    layout = as_layout(layout)
    if not layout.is_plain:
        raise ValueError(f"the strategy {name} does plain sudoku only, not {layout}; bound and dlx do any layout")
    puzzle = as_puzzle(grid, layout)
    if puzzle.candidates is not None:
        raise ValueError(f"the strategy {name} does no grids whose blanks have candidates")
    digits = puzzle.grid.ravel().astype(np.int32)
    with Loop(Limits.of(**limits)) as loop:
        kernel = kernel_of(name, digits, as_weights(weights).ravel())
        loop.exhausted = clash(digits)  # then there is nothing to search
        for _ in () if loop.exhausted else loop.slices(kernel):
            pass
    without = -1 if loop.exhausted else None
    return Result(
        strategy=name,
        score=int(kernel.score) if kernel.covers else without,
        completion=frozen(kernel.completion()) if kernel.covers else None,
        completions=kernel.covers,
        **loop.outcome(),
    )


def kernel_of(name: str, digits: Cells, weights: npt.NDArray[np.int64]) -> Any:
    """Returns the search of 81 cells by 81 weights, before its first digit."""
    return compiled_module("sudoku.kernels.backtracking").Backtracking(digits, weights, _blanks(digits, name), name)


def algorithm_x(
    grid: GridLike, weights: npt.ArrayLike, *, layout: Box | Layout | None = None, **limits: Unpack[Limiting]
) -> Result:
    """Finds the best completion by visiting all of them as covers (TAOCP 4B, 7.2.2.1)."""
    budget = Budget(**limits)
    problem = encode(grid, layout, weights)
    assert problem.weights is not None
    values = np.append(problem.weights, 0)  # blocks are padded with -1
    listing = Listing(problem, budget)
    score: int | None = None
    best: Cells | None = None
    try:
        for block in listing.blocks(LARGEST):
            scores = values[block].sum(axis=1)
            highest = int(scores.max())
            if score is None or highest > score:
                score, best = highest, block[scores.argmax()]
    except KeyboardInterrupt:
        listing.stopped = "interrupt"
    return Result(
        strategy="dlx",
        score=-1 if score is None and listing.stopped is None else score,
        completion=None if best is None else frozen(decode(problem, best)),
        completions=listing.covers,
        stopped=listing.stopped,
        **budget.work(),
    )


def bound(
    grid: GridLike, weights: npt.ArrayLike, *, layout: Box | Layout | None = None, **limits: Unpack[Limiting]
) -> Result:
    """Finds the best completion by `dlx.best`, which knows nothing about sudoku, in any layout."""
    budget = Budget(**limits)
    problem = encode(grid, layout, weights)
    found = dlx.best(problem, **budget.rest())
    without = -1 if found.proven else None
    return Result(
        strategy="bound",
        score=int(found.covers[0].score) if found.covers else without,
        completion=frozen(decode(problem, found.covers[0].options)) if found.covers else None,
        bound=None if found.bound is None else int(found.bound),
        **work_of(found) | {"seconds": budget.seconds},
    )


STRATEGIES: Mapping[str, Callable[..., Result]] = MappingProxyType(
    {name: partial(backtracking, name) for name in ("brute", "rows", "static", "dynamic")}
    | {"dlx": algorithm_x, "bound": bound}
)
DEFAULT = "bound"
