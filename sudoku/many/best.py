"""Target sudoku for many grids at once: arrays in, arrays out, shared among workers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import EXHAUSTED, UNLIMITED, Limiting, Limits, Loop, Progress, Workforce, compiled_module
from sudoku.conversion import GridLike, as_grids
from sudoku.encoding import Weights, as_weights
from sudoku.grid import Grid, GridError
from sudoku.kernels.units import clash
from sudoku.layout import Box, Layout, as_layout, takes_layout
from sudoku.many.plain import complete
from sudoku.strategies.bound import bound
from sudoku.target import ring_weights

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from sudoku.many.sharing import Over

Told = Callable[[Progress], object]

# Nodes of plain search to judge by, and how many it may then take: about as long as prices would.
GLANCE, EASY = 300, 20_000
PATIENCE = 2_000  # guesses until a grid is given up that may have a single completion; they take half a millisecond


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """The best completions of many grids.

    Attributes:
        scores: int64, shape (m,); -1 where a grid has no completion, or none was found.
        completions: uint8, shape (m, n, n); zeros where there is none.
        proven: bool, shape (m,); whether the score is proven to be the best, or -1 to be right.
        interrupted: whether Ctrl-C came before all were done; what had been done by then is kept.
    """

    scores: npt.NDArray[np.int64]
    completions: npt.NDArray[np.uint8]
    proven: npt.NDArray[np.bool_]
    interrupted: bool


@takes_layout
def best_many(
    grids: Iterable[GridLike | GridError] | npt.ArrayLike,
    layout: Box | Layout | None = None,
    *,
    weights: npt.ArrayLike | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    **limits: Unpack[Limiting],
) -> Batch:
    """Finds the best completion of each of many grids.

    Plain grids, 9 rows with boxes of 3 x 3, are looked at first: one that has a single completion needs no search for
    the best, and those that a plain search would finish first are finished by it. All others are done by `dlx.best`.

    Parameters:
        grids: whole numbers from 0, a blank, to n, shape (m, n, n) or (m, n^2); or any sequence of grids in the forms
            that `as_grid` takes, such as what `read` yields.
        layout: the rows and columns of a box, or a `Layout`, the same for all grids; without it, 3 x 3.
        weights: whole numbers between -2^40 and 2^40, shape (n, n); without them, `ring_weights(n)`.
        executor: who does the work: what looks like an executor of `concurrent.futures`. Without one, threads do it.
        jobs: how many workers there are; without it, one thread, or as many as the executor says.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search of `dlx`, for each grid.
            What is easy is done whatever they say. Of searches in other processes `progress` hears nothing.

    Returns:
        Scores, completions and flags, in the order of the grids. Ctrl-C ends the batch, not the program. A grid that
        kills every worker that takes it is left unproven.

    Raises:
        TypeError: the executor has no `submit`, or `jobs` is no whole number.
        ValueError: the grids have a wrong shape, type or value, the weights or a limit are wrong, or `jobs` is less
            than 1; of a wrong grid the message says which one it is, the first being grids[0].
        BrokenExecutor: the executor has broken, and is no pool of processes, which would be replaced.

    >>> sample = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
    >>> many = best_many([sample, 81 * [0], 81 * [1]])
    >>> many.scores, many.proven
    (array([2829, 2906,   -1]), array([ True,  True,  True]))
    """
    layout = as_layout(layout)
    table = ring_weights(layout.shape) if weights is None else as_weights(weights, layout.shape)
    checked = as_grids(grids, layout)
    workforce = Workforce.of(executor, jobs)
    Limits.of(**limits)
    return _batch(checked, _Asked(layout, table, limits), workforce)


def easy_many(grids: npt.NDArray[np.uint8], weights: Weights) -> Batch:
    """Finds the best completion of each of many plain grids that need no search for it; the others stay unproven.

    Parameters:
        grids: shape (m, 9, 9).
        weights: of the largest sum.
    """
    return _batch(grids, _Asked(as_layout(None), weights, {}, easy=True), None)


def _batch(grids: npt.NDArray[np.uint8], asked: _Asked, workforce: Workforce | None) -> Batch:
    """Answers all grids, here or by workers, until Ctrl-C."""
    batch = Batch(
        scores=np.full(len(grids), -1, dtype=np.int64),
        completions=np.zeros(grids.shape, dtype=np.uint8),
        proven=np.zeros(len(grids), dtype=np.bool_),
        interrupted=False,
    )
    try:
        left = _single(batch, grids, asked) if asked.layout.is_plain else np.arange(len(grids))
        search = _alone if workforce is None else partial(_shared, workforce)
        stopped = search(batch, grids, left, asked)
    except KeyboardInterrupt:
        stopped = True
    return replace(batch, interrupted=stopped)


class _Asked(NamedTuple):
    """The question about each grid."""

    layout: Layout
    weights: Weights
    limits: Limiting
    easy: bool = False  # whether grids that need a search for the best are left out


class Optimum(NamedTuple):
    """The answer about a grid."""

    score: int
    completion: Grid | None
    proven: bool
    stopped: str | None = None


def _single(batch: Batch, grids: npt.NDArray[np.uint8], asked: _Asked) -> npt.NDArray[np.intp]:
    """Does all plain grids that have one completion or none; which others there are."""
    found = complete(grids, Limits.of(), most=2, patience=PATIENCE)
    done = found.counts >= 0
    batch.proven[:] = done & (found.counts < 2)
    one = found.counts == 1
    batch.completions[one] = found.completions[one].reshape(-1, 9, 9)
    batch.scores[one] = found.completions[one] @ asked.weights.ravel()
    if found.outcome["stopped"]:
        raise KeyboardInterrupt
    return np.flatnonzero(~batch.proven)


def _alone(batch: Batch, grids: npt.NDArray[np.uint8], left: npt.NDArray[np.intp], asked: _Asked) -> bool:
    """Does some of the grids here and now, until Ctrl-C; whether it came."""
    return any(_note(batch, k, found) for k, found in zip(left.tolist(), _searches(asked, grids[left]), strict=True))


def _shared(
    workforce: Workforce, batch: Batch, grids: npt.NDArray[np.uint8], left: npt.NDArray[np.intp], asked: _Asked
) -> bool:
    """Lets workers do some of the grids, or after Ctrl-C what they are busy with; whether it came."""
    from dlx.extending import Workers
    from sudoku.many.sharing import CHUNK, WAIT, Sharing

    told = _Told(asked.limits.get("progress"))
    workers = Workers(workforce.executor, workforce.jobs)
    chunk = max(1, min(CHUNK, len(left) // (4 * workers.jobs)))  # each worker has at least four to take
    stopped = False
    sharing = Sharing[Optimum](workers, _hasty, (asked, told))
    with closing(sharing), Loop(Limits.of()) as loop:
        loop.listen()
        for k in range(0, len(left), chunk):
            sharing.add(grids[left[k : k + chunk]])
        while sharing.open and not (stopped or loop.over()):
            for k, found in sharing.step(WAIT):
                stopped |= _note(batch, int(left[k]), found)
        for k, found in sharing.stop():
            _note(batch, int(left[k]), found)
    return stopped or loop.stopped == "interrupt"


def _note(batch: Batch, k: int, found: Optimum | None) -> bool:
    """Writes down what has been found out about a grid, if anything; whether its search was told to stop."""
    if found is None:
        return False
    batch.scores[k] = found.score
    if found.completion is not None:
        batch.completions[k] = found.completion
    batch.proven[k] = found.proven  # last: whatever stops this in between, what is proven is complete
    return found.stopped == "interrupt"


class _Told:
    """A caller's `progress` for searches in the caller's process: others are not sent it, nor may they call it."""

    def __init__(self, told: Told | None) -> None:
        self.told, self.process = told, os.getpid()

    def __call__(self, seen: Progress) -> None:
        if self.told is not None and self.process == os.getpid():
            self.told(seen)

    def __reduce__(self) -> tuple[object, ...]:
        return _Told, (None,)


def _hasty(context: tuple[_Asked, _Told], grids: Iterable[Grid], over: Over) -> Iterator[Optimum]:
    """Does grids one after the other, and looks up as a worker has to."""
    asked, told = context

    def look_up(seen: Progress) -> None:
        if over():
            raise KeyboardInterrupt
        told(seen)

    return _searches(asked._replace(limits={**asked.limits, "progress": look_up}), grids)


def _searches(asked: _Asked, grids: Iterable[Grid]) -> Iterator[Optimum]:
    """Does grids one after the other."""
    plain = asked.layout.is_plain
    for grid in grids:
        found = glance(grid, asked.weights) if plain else None
        if found is None and asked.easy:
            found = Optimum(-1, None, proven=False)
        elif found is None:
            best = bound(grid, asked.weights, layout=asked.layout, **asked.limits)
            found = Optimum(best.score, best.completion, best.proven, best.stopped)
        yield found


def glance(grid: Grid, weights: Weights) -> Optimum | None:
    """Returns the answer about a plain grid that plain search would finish first; None if it is none.

    After a glance, so many nodes, it goes on only if the part of the search tree behind it promises an end soon.
    The kernel runs by itself: what a loop does around it takes longer than an easy grid.
    """
    digits = grid.ravel().astype(np.int32)
    if clash(digits):
        return Optimum(-1, None, proven=True)
    blanks = np.flatnonzero(digits == 0).astype(np.int32)
    kernel = compiled_module("sudoku.kernels.backtracking").Backtracking(digits, weights.ravel(), blanks, "dynamic")
    state = kernel.run(GLANCE, UNLIMITED, UNLIMITED)
    if state != EXHAUSTED and kernel.fraction() * EASY >= kernel.nodes:
        state = kernel.run(EASY - GLANCE, UNLIMITED, UNLIMITED)
    if state != EXHAUSTED:
        return None
    return Optimum(kernel.score if kernel.covers else -1, kernel.completion(), proven=True)
