"""Target sudoku for many grids: arrays in, arrays out, shared among workers."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import UNLIMITED, Limiting, Limits, Workforce
from sudoku.encoding import Weights
from sudoku.formats.conversion import GridLike, as_grids
from sudoku.grid import GridError, Plain
from sudoku.layout import Box, Layout, as_layout
from sudoku.sharing import TURNS, Over, cut, in_order, named, until
from sudoku.solve import VISITS, complete
from sudoku.strategies import bound
from sudoku.target import weights_or_rings

if TYPE_CHECKING:
    from concurrent.futures import Executor

Grids = npt.NDArray[np.uint8]

BLOCK = 1024  # grids of a task, 2.5 ms if all are minimal puzzles


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch(Plain):
    """The best completions of many grids.

    Attributes:
        scores: int64, shape (m,); -1 if a grid has no completion, or none was found.
        completions: uint8, shape (m, n, n); zeros without a completion.
        proven: bool, shape (m,); whether the score is proven, also if it is -1.
        interrupted: whether Ctrl-C came first; the results found before are kept.
    """

    scores: npt.NDArray[np.int64]
    completions: npt.NDArray[np.uint8]
    proven: npt.NDArray[np.bool_]
    interrupted: bool


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

    Grids are searched in blocks. If a plain grid has few completions, all are visited; among equal scores, the first in
    reading order is kept. `dlx.best` searches the others.

    Parameters:
        grids, layout: as for `solve_many`.
        weights: as for `score`.
        executor: the workers: an executor of `concurrent.futures`, or anything with such a `submit`; default: threads.
        jobs: the number of workers; default: 1, or with an executor the number of cores of this machine.
        limits: as for `best`, for each grid; grids with few completions ignore them. With an executor, `progress` is
            not called.

    Returns:
        Scores, completions and flags, in the order of the grids. Ctrl-C ends the batch, not the program.

    Raises:
        TypeError: the executor has no `submit`, or `jobs` is no whole number.
        ValueError: the grids are wrong, as for `solve_many`; the weights, a limit or `jobs` are wrong.
        LostPieceError: a block of grids has killed every worker that took it.
        BrokenExecutor: the executor has broken; a pool of processes is replaced instead.

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
    search = _BlockSearch(layout, table, limits if executor is None else Limiting(**{**limits, "progress": None}))
    workers = None if workforce is None else workforce.workers()
    blocks = cut(checked, 1 if workers is None else TURNS * workers.jobs, BLOCK)
    batch, done, interrupted = _nothing(checked), 0, False
    try:
        with closing(in_order(workers, _BlockSearch.of, search, blocks, named(blocks))) as results:
            for some in results:
                part = slice(done, done + len(some.scores))
                batch.scores[part], batch.completions[part], batch.proven[part] = (
                    some.scores,
                    some.completions,
                    some.proven,
                )
                done, interrupted = part.stop, some.interrupted
                if interrupted:
                    break
    except KeyboardInterrupt:
        interrupted = True
    return replace(batch, interrupted=interrupted)


def _nothing(grids: Grids) -> Batch:
    """Returns the result before the search."""
    return Batch(
        scores=np.full(len(grids), -1, dtype=np.int64),
        completions=np.zeros(grids.shape, dtype=np.uint8),
        proven=np.zeros(len(grids), dtype=np.bool_),
        interrupted=False,
    )


@dataclass(frozen=True, slots=True)
class _BlockSearch:
    """A search for the best completion of each grid."""

    layout: Layout
    weights: Weights
    limits: Limiting

    def of(self, grids: Grids, over: Over) -> Batch:
        """Returns the best completions of a block; those found so far if Ctrl-C or a stop of the worker comes first."""
        batch, interrupted = _nothing(grids), False
        limits = Limiting(**{**self.limits, "progress": until(over, Limits.of(**self.limits).progress)})
        try:
            interrupted = self.layout.is_plain and self._visit(grids, batch)
            for k in np.flatnonzero(~batch.proven).tolist():
                if interrupted:
                    break
                result = bound(grids[k], self.weights, layout=self.layout, **limits)
                interrupted = result.stopped == "interrupt"
                if result.completion is not None and result.score is not None:
                    batch.scores[k], batch.completions[k] = result.score, result.completion
                batch.proven[k] = result.proven
        except KeyboardInterrupt:
            interrupted = True
        return replace(batch, interrupted=interrupted)

    def _visit(self, grids: Grids, batch: Batch) -> bool:
        """Visits all completions of plain grids with few completions; returns whether Ctrl-C came."""
        found = complete(grids, Limits.of(), UNLIMITED, VISITS, weights=self.weights)
        some = found.counts > 0
        batch.completions[some] = found.completions[some].reshape(-1, 9, 9)
        batch.scores[some] = found.completions[some] @ self.weights.ravel()
        batch.proven[:] = found.counts >= 0
        return found.outcome["stopped"] is not None
