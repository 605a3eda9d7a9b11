"""The strategy `bound`: the best cover by weight, proven by prices; it visits no more completions than it must."""

from __future__ import annotations

import time

import numpy.typing as npt

import dlx
from sudoku.conversion import GridLike
from sudoku.encode import decode, encode
from sudoku.grid import Grid
from sudoku.layout import Box, Layout
from sudoku.strategies.result import Progress, Result, Stop


def bound(
    grid: GridLike,
    weights: npt.ArrayLike,
    *,
    box: Box | Layout | None = None,
    timeout: float | None = None,
    max_nodes: int | None = None,
    progress: Progress | None = None,
) -> Result:
    """Finds the best completion by `dlx.best`, which knows nothing about sudoku.

    Parameters, result and errors are those of `Strategy`; any layout will do.

    >>> grid = [[1, 2, 3, 4], [3, 4, 1, 2], [0, 0, 4, 3], [4, 3, 0, 0]]
    >>> result = bound(grid, [[1, 1, 1, 1]] * 4, box=(2, 2))
    >>> result.score, result.proven, result.bound
    (40, True, 40)
    """
    start = time.perf_counter()
    problem = encode(grid, box, weights)
    found = dlx.best(
        problem,
        timeout=timeout,
        max_nodes=max_nodes,
        progress=progress and (lambda search: progress(0, search.nodes)),
    )
    return Result(
        strategy="bound",
        score=-1 if found.score is None else int(found.score),
        completion=completion(problem, found.covers[0].options) if found.covers else None,
        completions=None,
        ties=None,
        proven=found.proven,
        nodes=found.nodes,
        seconds=time.perf_counter() - start,
        stopped=as_stop(found.stopped),
        bound=None if found.bound is None else int(found.bound),
    )


def completion(problem: dlx.Problem, cover: npt.ArrayLike) -> Grid:
    """The completion that a cover stands for, read-only."""
    grid = decode(problem, cover)
    grid.setflags(write=False)
    return grid


def as_stop(reason: str | None) -> Stop | None:
    """Why a search stopped; `max_covers` is no limit of a strategy."""
    assert reason != "max_covers"
    return reason  # type: ignore[return-value]
