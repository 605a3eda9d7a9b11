"""Completions of a grid or of many grids: one of them, their number, and the share of each digit in each cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import UNLIMITED, Limiting, Limits, Loop, Merge, Stop, StoppedError, compiled_module
from sudoku.encoding import Weights, candidates, decode, encode
from sudoku.formats.conversion import GridLike, as_grids, as_puzzle
from sudoku.grid import Grid, GridError, Plain, Puzzle, Shown, frozen, work_of
from sudoku.layout import Box, Layout, as_layout
from sudoku.listing import Budget, Listing

GridsLike = Iterable[GridLike | GridError] | npt.ArrayLike
Cells = npt.NDArray[np.uint8]

PATIENCE = 500  # guesses without a completion, 0.1 ms, before exact cover takes over
VISITS = 2_000  # guesses, half a millisecond, for all completions of a grid before `dlx.best` takes over
FEW = 1 << 17  # completions of a plain grid that are visited, in 40 ms, before states are merged


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution(dlx.Outcome, Shown, Plain):
    """The result of `solve`: a completion of a grid, and how the search went.

    Attributes:
        completion: uint8, shape (n, n), read-only; or None. Without a completion, `exhausted` is True if there is none,
            and False if a limit came first. `count(grid, max_covers=2)` finds whether there are others.
        givens: the grid, of the same shape.
        layout: its layout.
    """

    completion: Grid | None
    givens: Grid = field(repr=False)
    layout: Layout = field(repr=False)


def solve(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> Solution:
    """Finds a completion of a grid.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; default: the layout of a `Puzzle`, otherwise 3 x 3.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search of `dlx`. The timeout
            includes the making of the problem, but cannot interrupt it: it takes 0.8 s for 64 rows, and up to 10 s for
            rules with millions of entries.

    Returns:
        A completion, or None, and the work of the search. Ctrl-C ends the search, not the program: `stopped` is
        "interrupt".

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout or a limit is wrong.

    >>> solve("1...............", layout=(2, 2)).completion[0]
    array([1, 2, 3, 4], dtype=uint8)
    >>> unsolvable = solve("11..............", layout=(2, 2))
    >>> unsolvable.completion, unsolvable.exhausted
    (None, True)
    """
    puzzle = as_puzzle(grid, layout)
    found = _completed(puzzle, 1, limits)
    return Solution(
        completion=frozen(found.completions[0]) if found.counts[0] > 0 else None,
        givens=puzzle.grid,
        layout=puzzle.layout,
        **work_of(found),
    )


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Count(dlx.Count, Plain):
    """The result of `count`: a `dlx.Count` of completions."""


def count(
    grid: GridLike,
    layout: Box | Layout | None = None,
    *,
    merge: Merge = "auto",
    memory: int | None = None,
    **limits: Unpack[Limiting],
) -> Count:
    """Counts the completions of a grid.

    Parameters:
        grid, layout, limits: as for `solve`.
        merge: which remaining problems are counted once, as for `dlx.count`: "auto", "never", "same", or "isomorphic"
            (with the extra `symmetry`), which counts all 6.67e21 grids.
        memory: bytes of the states; default: 1 GB. A count up to `max_covers` keeps none.

    Returns:
        The number, as `covers`; whether it is complete, as `exhausted`; and the work of the search.

    Raises: as `solve`, and
        ImportError: merge is "isomorphic", and pynauty is not installed.
        MemoryError: "isomorphic" takes more than `memory`.

    >>> count("................", layout=(2, 2)).covers, count("................", Layout.named("x", (2, 2))).covers
    (288, 48)
    >>> count("." * 36, layout=(2, 3), merge="isomorphic").covers
    28200960
    >>> count("." * 81, max_covers=1000).stopped
    'max_covers'
    """
    puzzle, budget = as_puzzle(grid, layout), Budget(**limits)
    visits = merge in ("auto", "never")
    if is_plain(puzzle) and visits:
        most = UNLIMITED if merge == "never" else FEW
        found = complete(puzzle.grid[None], budget.limits, UNLIMITED, PATIENCE, covers=most)
        if found.counts[0] >= 0 or found.outcome["stopped"] is not None:
            covers = int(found.counts[0]) if found.done else found.under_way
            return Count(covers=covers, kernel="bands", **found.outcome)
        budget.add(found.outcome)
    problem = encode(puzzle)
    if visits and limits.get("max_covers") is not None:
        listing = Listing(problem, budget)
        covers = listing.number()
        return Count(covers=covers, kernel=listing.kernel, stopped=listing.stopped, **budget.work())
    counted = dlx.count(problem, merge=merge, memory=memory, **budget.rest())
    budget.add(work_of(counted))
    return Count(**{one.name: getattr(counted, one.name) for one in fields(counted)} | budget.work())


def shares(
    grid: GridLike, layout: Box | Layout | None = None, *, memory: int | None = None, **limits: Unpack[Limiting]
) -> npt.NDArray[np.float64]:
    """Returns the share of the completions that have each digit in each cell.

    A diagram (`dlx.diagram`) counts all completions without visiting each. An empty grid of 3 x 3 is far too large.

    Parameters:
        grid, layout: as for `solve`.
        memory: bytes of the search, and again of the counts; default: 1 GB.
        limits: max_nodes, timeout (in seconds) and progress, as for every search of `dlx`.

    Returns:
        float64, shape (n, n, n), for rows, columns and digits (index 0 is digit 1), correct to about the last bit; all
        0 if there is no completion.

    Raises: as `solve`, and
        TypeError: a limit has the wrong type, or is max_covers.
        TimeoutError: max_nodes or the timeout came first.
        MemoryError: the diagram would take more than `memory`.
        KeyboardInterrupt: Ctrl-C came first.

    >>> shares("1.....2.........", layout=(2, 2))[3, 3]
    array([0.  , 0.5 , 0.25, 0.25])
    """
    puzzle, budget = as_puzzle(grid, layout), Budget(**limits)
    problem = encode(puzzle)
    row, column, digit = candidates(problem).T
    chances = np.zeros((*puzzle.layout.shape, puzzle.layout.size))
    chances[row, column, digit - 1] = dlx.diagram(problem, memory=memory, **budget.rest()).shares()[: len(row)]
    return chances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Completions(dlx.Outcome, Plain):
    """The result of `solve_many` and `count_many`: completions of many grids, and the work of the search.

    Attributes:
        counts: int64, shape (m,); the number of completions of each grid, up to the limit; -1 if a limit came first.
        completions: uint8, shape (m, n, n); a completion of each grid, or zeros.
    """

    counts: npt.NDArray[np.int64]
    completions: npt.NDArray[np.uint8]


def solve_many(grids: GridsLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> Completions:
    """Finds a completion of each of many grids.

    Parameters:
        grids: an array of shape (m, n, n) or (m, n^2) with 0 for blanks; or any sequence of grids in the forms that
            `as_grid` takes, as from `read`.
        layout: as for `solve`, of all grids.
        limits: as for `solve`, for all grids together.

    Returns:
        The completions; each count is 0 or 1. Ctrl-C ends the search, not the program.

    Raises:
        TypeError: a limit has the wrong type.
        ValueError: a limit is wrong, or the shape, type or value of a grid; the message names the grid by its index, as
            grids[0].

    >>> found = solve_many(["12..34..........", "11.............."], (2, 2))
    >>> found.counts, found.completions[0, 0]
    (array([1, 0]), array([1, 2, 3, 4], dtype=uint8))
    """
    return count_many(grids, 1, layout=layout, **limits)


def count_many(
    grids: GridsLike, limit: int, layout: Box | Layout | None = None, **limits: Unpack[Limiting]
) -> Completions:
    """Counts the completions of each of many grids, up to a limit.

    `count_many(grids, 2).counts == 1` is True for proper puzzles.

    Parameters:
        grids: as for `solve_many`.
        limit: the most completions of each grid to count, 1 to 2^62. For grids with many millions, use `count`.
        layout, limits: as for `solve_many`.

    Returns:
        The counts, and a completion of each grid. Ctrl-C ends the search, not the program.

    Raises: as `solve_many`, and
        TypeError: the limit is no whole number.
        ValueError: the limit is less than 1 or more than 2^62.

    >>> count_many(["." * 81, "5...5" + "." * 76], 1000).counts
    array([1000,    0])
    """
    if not isinstance(limit, (int, np.integer)) or isinstance(limit, bool):
        raise TypeError(f"the limit is {limit!r:.40} instead of a whole number; it comes before the layout")
    if not 1 <= limit <= UNLIMITED:
        raise ValueError(f"the limit is {limit}; it must be at least 1, and at most {UNLIMITED}")
    layout = as_layout(layout)
    return _counted(as_grids(grids, layout), layout, int(limit), Budget(**limits))


def is_unique(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> bool:
    """Returns whether a grid has exactly one completion.

    Parameters: as for `solve`.

    Raises: as `solve`, and
        TimeoutError: a limit came first.
        KeyboardInterrupt: Ctrl-C came first.

    >>> is_unique("7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12")
    False
    """
    found = _completed(as_puzzle(grid, layout), 2, limits)
    if found.stopped is not None:
        raise StoppedError(found.stopped).raised()
    return bool(found.counts[0] == 1)


def is_plain(puzzle: Puzzle) -> bool:
    """Returns whether the bands kernel takes a puzzle."""
    return puzzle.layout.is_plain and puzzle.candidates is None


def _completed(puzzle: Puzzle, limit: int, limits: Limiting) -> Completions:
    """Counts the completions of a puzzle up to a limit."""
    grids = puzzle.grid[None] if puzzle.candidates is None else [puzzle]
    return _counted(grids, puzzle.layout, limit, Budget(**limits))


def _counted(grids: Cells | Sequence[Puzzle], layout: Layout, limit: int, budget: Budget) -> Completions:
    """Counts the completions of grids: by bands, and by exact cover if bands give up, or take no such grids."""
    stopped: Stop | None = None
    if layout.is_plain and isinstance(grids, np.ndarray):
        found = complete(grids, budget.limits, limit, PATIENCE)
        counts, completions = found.counts, found.completions.reshape(grids.shape)
        if found.outcome["stopped"] or counts.min(initial=0) >= 0:
            return Completions(counts=counts, completions=completions, **found.outcome)
        budget.add(found.outcome, int(np.maximum(counts, 0).sum()))
    else:
        counts = np.full(len(grids), -1, dtype=np.int64)
        completions = np.zeros((len(grids), *layout.shape), dtype=np.uint8)
    for k in np.flatnonzero(counts < 0).tolist():
        problem = encode(as_puzzle(grids[k], layout))
        listing = Listing(problem, budget, limit)
        number = listing.number()
        if listing.first is not None:
            completions[k] = decode(problem, listing.first)
        if number < limit and listing.stopped is not None:
            stopped = listing.stopped
            break
        counts[k] = number
    return Completions(counts=counts, completions=completions, stopped=stopped, **budget.work())


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The completions of some plain grids."""

    counts: npt.NDArray[np.int64]  # shape (m,), up to the limit; -1 if given up or not reached
    completions: Cells  # shape (m, 81), the first or best completion of each; zeros if there is none
    done: int  # the number of grids done or given up
    under_way: int  # the completions found of the next grid
    outcome: dict[str, Any]  # the fields of a `dlx.Outcome`


def complete(
    grids: npt.NDArray[np.uint8],
    limits: Limits,
    most: int = 1,
    patience: int = UNLIMITED,
    covers: int = UNLIMITED,
    weights: Weights | None = None,
) -> Found:
    """Finds completions of 9 x 9 grids, one grid after the other, within common limits.

    Parameters:
        most: the completions to count of each grid.
        patience: guesses without a completion after which a grid is given up; with weights, guesses at all.
        covers: completions of all grids after which the search ends.
        weights: of the cells; with them, the completion with the largest score is kept instead of the first.
    """
    cells = np.ascontiguousarray(grids.reshape(-1, 81))
    counts = np.full(len(cells), -1, dtype=np.int64)
    completions = np.zeros(cells.shape, dtype=np.uint8)
    table = None if weights is None else weights.ravel()
    kernel = compiled_module("sudoku.kernels.bands").Bands(cells, completions, counts, most, patience, table)
    with Loop(limits) as loop:
        for _ in loop.slices(kernel, covers=covers):
            pass
    counts[kernel.done :] = -1
    under_way = kernel.here if kernel.done < kernel.size else 0
    return Found(counts, completions, kernel.done, under_way, loop.outcome())
