"""Target sudoku for many grids at once: arrays in, arrays out, shared among workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import UNLIMITED, Limiting, Limits, Loop, Workforce
from sudoku.encoding import Weights
from sudoku.formats.conversion import GridLike, as_grids
from sudoku.grid import Grid, GridError
from sudoku.layout import Box, Layout, as_layout, takes_layout
from sudoku.sharing import CHUNK, TURNS, Over, Sharing, cut, looking_up, shared
from sudoku.solve import PATIENCE, complete
from sudoku.strategies import Result, bound
from sudoku.target import weights_or_rings

if TYPE_CHECKING:
    from concurrent.futures import Executor

BLOCK = 4096  # grids of which the easy ones are done first, in 10 ms if all are minimal puzzles


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

    Grids are done in blocks. Plain ones, 9 rows with boxes of 3 x 3, that have few completions are the first of a
    block, done by visiting all of these; of equal ones the first in reading order is kept. All others are done by
    `dlx.best`.

    Parameters:
        grids, layout: as for `solve_many`.
        weights: as for `score`.
        executor: who does the work: what looks like an executor of `concurrent.futures`. Without one, threads do it.
        jobs: the number of workers; default: 1, or with an executor the number of cores of this machine.
        limits: as for `best`, for each grid. What is easy is done whatever they say. Of searches in other processes
            `progress` hears nothing.

    Returns:
        Scores, completions and flags, in the order of the grids. Ctrl-C ends the batch, not the program. A grid that
        kills every worker that takes it is left unproven.

    Raises:
        TypeError: the executor has no `submit`, or `jobs` is no whole number.
        ValueError: the grids are wrong, as for `solve_many`, the weights or a limit are, or `jobs` is less than 1.
        BrokenExecutor: the executor has broken, and is no pool of processes, which would be replaced.

    >>> sample = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
    >>> many = best_many([sample, 81 * [0], 81 * [1]])
    >>> many.scores, many.proven
    (array([2829, 2906,   -1]), array([ True,  True,  True]))
    """
    layout = as_layout(layout)
    table = weights_or_rings(weights, layout.shape)
    checked = as_grids(grids, layout)
    workforce = Workforce.of(executor, jobs)
    Limits.of(**limits)
    batch = Batch(
        scores=np.full(len(checked), -1, dtype=np.int64),
        completions=np.zeros(checked.shape, dtype=np.uint8),
        proven=np.zeros(len(checked), dtype=np.bool_),
        interrupted=False,
    )
    easy, search = _Easy(batch, checked, layout, table), _Search(layout, table, limits)
    try:
        if workforce is None:
            stopped = any(
                _note(batch, k, result)
                for some in easy.left()
                for k, result in zip(some.tolist(), search.of(checked[some], lambda: False), strict=True)
            )
        else:
            stopped = _shared(workforce, batch, checked, easy, search)
    except KeyboardInterrupt:
        stopped = True
    return replace(batch, interrupted=stopped or easy.interrupted)


class _Easy:
    """The grids of a batch that have few completions, done block by block as the others are asked for.

    So an interrupt finds the first blocks done with their hard grids, not all easy grids and no hard one.
    """

    def __init__(self, batch: Batch, grids: npt.NDArray[np.uint8], layout: Layout, weights: Weights) -> None:
        self._batch, self._grids, self._plain, self._weights = batch, grids, layout.is_plain, weights
        self.interrupted = False

    def left(self) -> Iterator[npt.NDArray[np.intp]]:
        """Yields the numbers of the others, block by block, until an interrupt."""
        for begin in range(0, len(self._grids), BLOCK):
            block = slice(begin, begin + BLOCK)
            if self._plain:
                self._do(block)
            if self.interrupted:
                return
            yield begin + np.flatnonzero(~self._batch.proven[block])

    def _do(self, block: slice) -> None:
        found = complete(self._grids[block], Limits.of(), UNLIMITED, PATIENCE, weights=self._weights)
        some = found.counts > 0
        self._batch.completions[block][some] = found.completions[some].reshape(-1, 9, 9)
        self._batch.scores[block][some] = found.completions[some] @ self._weights.ravel()
        self._batch.proven[block] = found.counts >= 0
        self.interrupted = found.outcome["stopped"] is not None


class _Search:
    """A search for the best completion of each grid; `progress` hears only of those in the caller's process."""

    def __init__(self, layout: Layout, weights: Weights, limits: Limiting) -> None:
        self.layout, self.weights, self.limits, self.process = layout, weights, limits, os.getpid()
        self.progress = Limits.of(**limits).progress

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "limits": {**self.limits, "progress": None}, "progress": None}

    def of(self, grids: Iterable[Grid], over: Over) -> Iterator[Result]:
        """Does grids one after the other, until a worker is told to stop."""
        told = self.progress if self.process == os.getpid() else None
        limits = Limiting(**{**self.limits, "progress": looking_up(over, told)})
        return (bound(grid, self.weights, layout=self.layout, **limits) for grid in grids)


def _shared(workforce: Workforce, batch: Batch, grids: npt.NDArray[np.uint8], easy: _Easy, search: _Search) -> bool:
    """Lets workers do the grids that are left, or after Ctrl-C what they are busy with; whether it came."""
    workers = workforce.workers()
    loop, left = Loop(Limits.of()), list[int]()

    def chunks() -> Iterator[npt.NDArray[np.uint8]]:
        for some in easy.left():
            if loop.over():
                return
            left.extend(some.tolist())
            yield from cut(grids[some], TURNS * workers.jobs, CHUNK)

    answers = shared(Sharing(workers, _Search.of, search, chunks()), loop)
    stopped = [_note(batch, left[k], result) for k, result in answers]
    return any(stopped) or loop.stopped == "interrupt"


def _note(batch: Batch, k: int, result: Result | None) -> bool:
    """Writes down what has been found out about a grid, if anything; whether its search was told to stop."""
    if result is None:
        return False
    batch.scores[k] = -1 if result.score is None else result.score
    if result.completion is not None:
        batch.completions[k] = result.completion
    batch.proven[k] = result.proven  # last: whatever stops this in between, what is proven is complete
    return result.stopped == "interrupt"
