"""Completions: of a grid or of many at once, how many there are, and how often each digit is in each cell of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import UNLIMITED, Limiting, Limits, Loop, Merge, Stop, StoppedError, Workforce, compiled_module
from sudoku.encoding import Weights, candidates, decode, encode, encoded, remaining
from sudoku.formats.conversion import GridLike, as_grids, as_puzzle
from sudoku.grid import Grid, GridError, Plain, Puzzle, Shown, frozen, work_of
from sudoku.layout import Box, Layout, as_layout
from sudoku.sharing import TURNS, Over, Sharable, Sharing, asked, cut, named, shared, until

GridsLike = Iterable[GridLike | GridError] | npt.ArrayLike
Cells = npt.NDArray[np.uint8]
T = TypeVar("T")

BLOCK = 1024  # plain grids that a worker does at a time, which take microseconds each
FEW_GRIDS = 16  # other grids that a worker does at a time
PATIENCE = 2_000  # guesses, half a millisecond, until a grid is given up
PERSISTENCE = 10_000  # guesses, some milliseconds, without any completion until exact cover takes over
NO_WORK: Mapping[str, Any] = {"nodes": 0, "updates": 0, "seconds": 0.0}  # of the search by bands
PLAIN_NODES = 20_000  # nodes, some 20 ms, of a plain search for several completions before `dlx.first` takes over
FEW = 1 << 17  # completions of a plain grid that are visited, in 40 ms, before equal states are merged


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution(dlx.Outcome, Shown, Plain):
    """The result of `solve`: a completion of a grid, and how the search went.

    Attributes:
        completion: uint8, shape (n, n), read-only; or None. Then `exhausted` tells "there is none" from "none was found
            within the limits". With a completion `exhausted` says nothing about others: `count(grid, max_covers=2)`
            asks whether there are any.
        givens: the grid, of the same shape.
        layout: its layout.
    """

    completion: Grid | None
    givens: Grid = field(repr=False)
    layout: Layout = field(repr=False)


def solve(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> Solution:
    """Finds a completion of a grid, if it has any; of several, one of them.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search of `dlx`. The timeout and
            the seconds of the result begin with the making of the problem. That takes 0.4 s for 64 rows, and up to 10 s
            for rules with millions of entries; it is not cut short.

    Returns:
        The completion, or None there, and how the search went. Ctrl-C ends the search, not the program: `stopped` is
        then "interrupt".

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout or a limit is wrong.

    >>> solve("1...............", layout=(2, 2)).completion[0]
    array([1, 2, 3, 4], dtype=uint8)
    >>> unsolvable = solve("11..............", layout=(2, 2))
    >>> unsolvable.completion, unsolvable.exhausted
    (None, True)
    """
    puzzle, before = as_puzzle(grid, layout), NO_WORK
    if puzzle.layout.is_plain and puzzle.candidates is None:
        plain = _first(puzzle, limits)
        completion = frozen(plain.completions[0].reshape(9, 9)) if plain.counts[0] > 0 else None
        if plain.counts[0] >= 0 or plain.outcome["stopped"] is not None:
            return Solution(completion=completion, givens=puzzle.grid, layout=puzzle.layout, **plain.outcome)
        before = plain.outcome
    problem, left, seconds = encoded(puzzle, remaining(limits, before["seconds"]))
    found = dlx.first(problem, **left)
    return Solution(
        completion=None if found.cover is None else frozen(decode(problem, found.cover)),
        givens=puzzle.grid,
        layout=puzzle.layout,
        stopped=found.stopped,
        **_all_work(before, seconds, found),
    )


def _all_work(before: Mapping[str, Any], seconds: float, search: dlx.Outcome) -> dict[str, Any]:
    """Returns the nodes, updates and seconds of two searches, and those of making the problem."""
    work = {name: before[name] + getattr(search, name) for name in NO_WORK}
    return work | {"seconds": work["seconds"] + seconds}


def _first(puzzle: Puzzle, limits: Limiting) -> Found:
    """Returns a completion of a plain grid, or gives it up; never if nodes are limited, as both searches take some."""
    patience = PERSISTENCE if limits.get("max_nodes") is None else UNLIMITED
    return complete(puzzle.grid[None], Limits.of(**limits), patience=patience)


def count(
    grid: GridLike,
    layout: Box | Layout | None = None,
    *,
    merge: Merge = "auto",
    memory: int | None = None,
    **limits: Unpack[Limiting],
) -> dlx.Count:
    """Counts the completions of a grid.

    Parameters:
        grid, layout, limits: as for `solve`.
        merge: whether what is left is counted once where it is the same, as for `dlx.count`: "auto" for where that
            pays, "never", "same", or "isomorphic" for what is the same up to renaming (with the extra `symmetry`), by
            which all 6.67e21 grids are counted in minutes.
        memory: how many bytes may remember what is left, 1 GB without it.

    Returns:
        The number, as `covers`, whether it is the whole number, as `exhausted`, and how the search went, as `solve`.

    Raises: as `solve`, and
        ImportError: "isomorphic" is wanted, and pynauty is not installed.
        MemoryError: "isomorphic" takes more than `memory`.

    >>> count("................", layout=(2, 2)).covers, count("................", Layout.named("x", (2, 2))).covers
    (288, 48)
    >>> count("." * 36, layout=(2, 3), merge="isomorphic").covers
    28200960
    >>> count("." * 81, max_covers=1000).stopped
    'max_covers'
    """
    puzzle, before = as_puzzle(grid, layout), NO_WORK
    if puzzle.layout.is_plain and puzzle.candidates is None and merge in ("auto", "never"):
        glance = UNLIMITED if merge == "never" else FEW
        found = _first(puzzle, limits)
        if found.counts[0] > 0:
            left = Limits.of(**remaining(limits, found.outcome["seconds"]))
            found = complete(puzzle.grid[None], left, UNLIMITED, glance=glance)
        if found.counts[0] >= 0 or found.outcome["stopped"] is not None:
            covers = int(found.counts[0]) if found.done else found.under_way
            return dlx.Count(covers=covers, kernel="bands", **found.outcome)
        before = found.outcome
    problem, rest, seconds = encoded(puzzle, remaining(limits, before["seconds"]))
    counted = dlx.count(problem, merge=merge, memory=memory, **rest)
    return replace(counted, **_all_work(before, seconds, counted))


def shares(
    grid: GridLike, layout: Box | Layout | None = None, *, memory: int | None = None, **limits: Unpack[Limiting]
) -> npt.NDArray[np.float64]:
    """The chance of each digit in each cell, if every completion of a grid has the same chance.

    All completions are counted, as a diagram (`dlx.diagram`), which need not visit them; how many there may be depends
    on the grid. An empty one of 3 x 3 is far too much.

    Parameters:
        grid, layout: as for `solve`.
        memory: how many bytes the search may take, 1 GB without it; and so many the counts of completions.
        limits: max_nodes, timeout (in seconds) and progress, as for every search of `dlx`.

    Returns:
        The part of the completions that have each digit in each cell, correct to the last bit or so: float64, shape
        (n, n, n), rows, columns, and digits from 1 on; all 0 if there is no completion.

    Raises: as `solve`, and
        TypeError: a limit has the wrong type, or is max_covers.
        TimeoutError: max_nodes or the timeout came first.
        MemoryError: it would take more than `memory`.
        KeyboardInterrupt: Ctrl-C came first.

    >>> shares("1.....2.........", layout=(2, 2))[3, 3]
    array([0.  , 0.5 , 0.25, 0.25])
    """
    puzzle = as_puzzle(grid, layout)
    problem, left, _ = encoded(puzzle, limits)
    row, column, digit = candidates(problem).T
    chances = np.zeros((*puzzle.layout.shape, puzzle.layout.size))
    chances[row, column, digit - 1] = dlx.diagram(problem, memory=memory, **left).shares()[: len(row)]
    return chances


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Completions(dlx.Outcome, Plain):
    """The result of `solve_many` and `count_many`: the completions of many grids, and how the search went.

    Attributes:
        counts: int64, shape (m,), how many completions each grid has, up to the limit; -1 where the search was stopped
            before that was known.
        completions: uint8, shape (m, n, n), one completion of each; zeros where there is none.
    """

    counts: npt.NDArray[np.int64]
    completions: npt.NDArray[np.uint8]


def solve_many(grids: GridsLike, layout: Box | Layout | None = None, **limits: Unpack[Sharable]) -> Completions:
    """Finds a completion of each of many grids; of several, one of them.

    Parameters:
        grids: whole numbers from 0, a blank, to n, shape (m, n, n) or (m, n^2); or any sequence of grids in the forms
            that `as_grid` takes, such as what `read` yields.
        layout: as for `solve`, the same for all grids.
        limits: as for `solve`, of all grids together; and `executor` and `jobs`, as for `best_many`. With workers,
            limits are looked at when answers have come, so that there may be some more nodes and completions.

    Returns:
        The completions, with 0 or 1 as the count of each. Ctrl-C ends the search, not the program.

    Raises:
        TypeError: the executor has no `submit`, or a number is no whole number.
        ValueError: the grids have a wrong shape, type or value, or a limit or `jobs` is wrong; of a wrong grid the
            message says which one it is, the first being grids[0].
        LostPieceError, BrokenExecutor: as for `best_many`.

    >>> found = solve_many(["12..34..........", "11.............."], (2, 2))
    >>> found.counts, found.completions[0, 0]
    (array([1, 0]), array([1, 2, 3, 4], dtype=uint8))
    """
    return count_many(grids, 1, layout=layout, **limits)


def count_many(
    grids: GridsLike, limit: int, layout: Box | Layout | None = None, **limits: Unpack[Sharable]
) -> Completions:
    """Counts the completions of each of many grids up to a limit; `count_many(grids, 2).counts == 1` marks the puzzles.

    Parameters:
        grids: as for `solve_many`.
        limit: the most completions of each grid to count, 1 to 2^62. For grids with many millions, use `count`.
        layout, limits: as for `solve_many`.

    Returns:
        The counts, and a completion of each grid. Ctrl-C ends the search, not the program.

    Raises: as `solve_many`, and
        TypeError: the limit is no whole number.
        ValueError: the limit is less than 1 or more than 2^62.

    >>> count_many(["." * 81, "5...5" + "." * 76], 1000, jobs=2).counts
    array([1000,    0])
    """
    if not isinstance(limit, (int, np.integer)) or isinstance(limit, bool):
        raise TypeError(f"the limit is {limit!r:.40} instead of a whole number; it comes before the layout")
    if not 1 <= limit <= UNLIMITED:
        raise ValueError(f"the limit is {limit}; it must be at least 1, and at most {UNLIMITED}")
    layout = as_layout(layout)
    checked = as_grids(grids, layout)
    workforce, stops = asked(limits)
    if workforce is None:
        return _counted(checked, layout, int(limit), stops)
    # A worker gets the whole timeout for each block; a process is not notified when the timeout of the call ends.
    return _shared(workforce, checked, _Search(layout, int(limit), stops.quiet()), stops)


def is_unique(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> bool:
    """Tells whether a grid has exactly one completion, as a puzzle should.

    Parameters: as for `solve`.

    Raises: as `solve`, and
        TimeoutError: a limit came first.
        KeyboardInterrupt: Ctrl-C came first.

    >>> is_unique("7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12")
    False
    """
    puzzle = as_puzzle(grid, layout)
    stops = Limits.of(**limits)
    if puzzle.candidates is None:
        found = _counted(puzzle.grid[None], puzzle.layout, 2, stops)
    else:
        found = _one_by_one([puzzle], puzzle.layout, 2, stops)
    if found.stopped is not None:
        raise StoppedError(found.stopped).raised()
    return bool(found.counts[0] == 1)


def _counted(grids: Cells, layout: Layout, limit: int, limits: Limits) -> Completions:
    """Counts completions of grids, one after the other."""
    if not layout.is_plain:
        return _one_by_one(grids, layout, limit, limits)
    found = complete(grids, limits, limit)
    return Completions(counts=found.counts, completions=found.completions.reshape(grids.shape), **found.outcome)


@dataclass(frozen=True, slots=True)
class _Search:
    """A search for completions of blocks of grids; no block takes more by itself than all may."""

    layout: Layout
    limit: int
    limits: Limits

    def of(self, grids: Cells, over: Over) -> Completions:
        """Counts the completions of a block, until a worker has to stop."""
        return _counted(grids, self.layout, self.limit, replace(self.limits, progress=until(over)))


def _shared(workforce: Workforce, grids: Cells, search: _Search, limits: Limits) -> Completions:
    """Lets workers count the completions of blocks of grids."""
    counts, completions = np.full(len(grids), -1, dtype=np.int64), np.zeros_like(grids)
    workers = workforce.workers()
    blocks = cut(grids, TURNS * workers.jobs, BLOCK if search.layout.is_plain else FEW_GRIDS)
    sharing = Sharing(workers, _Search.of, search, blocks, len(blocks), named(blocks))
    loop, stopped = Loop(limits), None
    for k, found in shared(sharing, loop):
        some = slice(k * len(blocks[0]), k * len(blocks[0]) + len(blocks[k]))
        counts[some], completions[some] = found.counts, found.completions
        sharing.nodes += found.nodes
        sharing.updates += found.updates
        sharing.covers += int(found.counts.clip(0).sum())
        stopped = stopped or found.stopped  # where one block by itself takes more than all may
    outcome = loop.outcome()
    return Completions(counts=counts, completions=completions, **outcome | {"stopped": outcome["stopped"] or stopped})


def _one_by_one(
    grids: npt.NDArray[np.uint8] | Sequence[Puzzle], layout: Layout, limit: int, limits: Limits
) -> Completions:
    """Counts completions by `dlx`, grid after grid, until a limit stops one of them.

    A plain search does most grids. `dlx.first` restarts and learns; it takes over after `PLAIN_NODES` nodes, and does
    all grids if one completion is wanted.
    """
    counts = np.full(len(grids), -1, dtype=np.int64)
    completions = np.zeros((len(grids), *layout.shape), dtype=np.uint8)
    work: dict[str, Any] = dict(NO_WORK)
    covers = 0
    stopped: Stop | None = None

    def run(search: Callable[..., T], problem: dlx.Problem, most: int = UNLIMITED, nodes: int = UNLIMITED) -> T:
        """Runs a search within what is left of the limits."""
        found = search(
            problem,
            max_covers=min(most, limits.max_covers - covers),
            max_nodes=max(0, min(nodes, limits.max_nodes - work["nodes"])),
            timeout=max(0.0, limits.timeout - work["seconds"]),
            progress=limits.progress,
        )
        work.update((name, so_far + getattr(found, name)) for name, so_far in work.items())
        return found

    for k, grid in enumerate(grids):
        problem = encode(grid, layout)
        visited = run(_visited, problem, limit, PLAIN_NODES if limit > 1 else 0)
        number, cover, stopped = visited.covers, visited.cover, visited.stopped
        if stopped == "max_nodes":
            first = run(dlx.first, problem)
            number, cover, stopped = int(first.cover is not None), first.cover, first.stopped
            if cover is not None and limit > 1:
                several = run(dlx.count, problem, limit)
                number, stopped = several.covers, several.stopped
        if cover is not None:
            completions[k] = decode(problem, cover)
        if stopped and number < limit:
            break
        counts[k] = number
        covers += number
        stopped = None
    return Completions(counts=counts, completions=completions, stopped=stopped, **work)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Visited(dlx.Outcome):
    """The number of covers that were visited, and the first one."""

    covers: int
    cover: Sequence[int] | npt.NDArray[np.int32] | None


def _visited(problem: dlx.Problem, **limits: Unpack[Limiting]) -> _Visited:
    """Visits the covers of a problem by Algorithm X."""
    search = dlx.covers(problem, **limits)
    cover, stopped = None, None
    try:
        for block in search.blocks():
            cover = block[0] if cover is None else cover
    except KeyboardInterrupt:
        stopped = "interrupt"
    return _Visited(covers=search.covers, cover=cover, **work_of(search) | ({"stopped": stopped} if stopped else {}))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The completions of some plain grids."""

    counts: npt.NDArray[np.int64]  # shape (m,), up to the limit; -1 for those given up, or not come to
    completions: Cells  # shape (m, 81), the first completion of each, or the best one; zeros where there is none
    done: int  # the first so many grids are done, or were given up
    under_way: int  # completions found of the next one
    outcome: dict[str, Any]  # the fields of a `dlx.Outcome`


def complete(
    grids: npt.NDArray[np.uint8],
    limits: Limits,
    most: int = 1,
    patience: int = UNLIMITED,
    glance: int = UNLIMITED,
    weights: Weights | None = None,
) -> Found:
    """Finds completions of 9 x 9 grids, one grid after the other, within limits for all of it together.

    Of each grid `most` completions are counted, and after `patience` guesses it is given up; after `glance` completions
    of all grids it stops, as if they were done. With weights of the cells the best of the completions that are counted
    is kept.
    """
    cells = np.ascontiguousarray(grids.reshape(-1, 81))
    counts = np.full(len(cells), -1, dtype=np.int64)
    completions = np.zeros(cells.shape, dtype=np.uint8)
    table = None if weights is None else weights.ravel()
    kernel = compiled_module("sudoku.kernels.stream").Stream(cells, completions, counts, most, patience, table)
    with Loop(limits) as loop:
        for _ in loop.slices(kernel, covers=glance):
            pass
    counts[kernel.done :] = -1
    under_way = kernel.here if kernel.done < kernel.size else 0
    return Found(counts, completions, kernel.done, under_way, loop.outcome())
