"""Target sudoku for many grids at once: arrays in, arrays out, shared among threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sudoku.conversion import GridLike, as_grids
from sudoku.encode import Weights, as_weights
from sudoku.grid import GridError
from sudoku.layout import Box, Layout, as_layout
from sudoku.strategies import STRATEGIES, Result
from sudoku.strategies.driver import easy
from sudoku.target import ring_weights

CHUNK = 16  # grids that a thread takes at a time
# Nodes of plain search to judge by, and how many it may then take: about as long as prices would.
GLANCE, EASY = 300, 20_000


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


def best_many(
    grids: Iterable[GridLike | GridError] | npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    box: Box | Layout | None = None,
    threads: int = 1,
    timeout: float | None = None,
) -> Batch:
    """Finds the best completion of each of many grids.

    The strategy `dynamic` takes a glance at each grid of 9 rows with boxes of 3 x 3, and finishes those that it would
    finish first; all others are done by `bound`.

    Parameters:
        grids: whole numbers from 0, a blank, to n, shape (m, n, n) or (m, n^2); or any sequence of grids in the forms
            that `as_grid` takes, such as what `read` yields.
        weights: whole numbers between -2^40 and 2^40, shape (n, n); without them, `ring_weights(n)`.
        box: the rows and columns of a box, or a `Layout`, the same for all grids; without it, 3 x 3.
        threads: how many threads share the work.
        timeout: the most seconds for one grid.

    Returns:
        Scores, completions and flags, in the order of the grids. Ctrl-C ends the batch, not the program.

    Raises:
        ValueError: the grids have a wrong shape, type or value, the weights or the timeout are wrong, or `threads` is
            less than 1; of a wrong grid the message says which one it is, the first being grids[0].

    >>> sample = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
    >>> many = best_many([sample, 81 * [0], 81 * [1]])
    >>> many.scores, many.proven
    (array([2829, 2906,   -1]), array([ True,  True,  True]))
    """
    layout = as_layout(box)
    table = ring_weights(layout.size) if weights is None else as_weights(weights, layout.size)
    checked = as_grids(grids, layout)
    if threads < 1:
        raise ValueError(f"threads is {threads}; at least 1 is needed")
    if timeout is not None and not timeout >= 0:
        raise ValueError(f"timeout is {timeout}; it must be 0 or more")
    work = _Work(checked, layout, table, timeout)
    chunks = [range(k, min(k + CHUNK, len(checked))) for k in range(0, len(checked), CHUNK)]
    if threads == 1:
        work.do_all(map, chunks)
    else:
        with ThreadPoolExecutor(threads) as pool:
            work.do_all(pool.map, chunks)
    return Batch(scores=work.scores, completions=work.completions, proven=work.proven, interrupted=work.interrupted)


class _Work:
    """The grids of a batch, to be done in chunks by any thread, and the answers so far."""

    def __init__(self, grids: npt.NDArray[np.uint8], layout: Layout, weights: Weights, timeout: float | None) -> None:
        self.grids = grids
        self.layout = layout
        self.plain = layout == as_layout((3, 3))
        self.weights = weights
        self.timeout = timeout
        self.interrupted = False
        self.scores = np.full(len(grids), -1, dtype=np.int64)
        self.completions = np.zeros(grids.shape, dtype=np.uint8)
        self.proven = np.zeros(len(grids), dtype=np.bool_)

    def do_all(self, through: Callable[..., Iterable[None]], chunks: Sequence[range]) -> None:
        """Does all chunks, `through` some kind of map; after Ctrl-C only what the threads are busy with."""
        try:
            for _ in through(self.do, chunks):
                pass
        except KeyboardInterrupt:
            self.interrupted = True

    def do(self, chunk: range) -> None:
        """Does the grids of a chunk, unless there was a Ctrl-C."""
        for k in chunk:
            if self.interrupted:
                return
            found = self._best(k)
            self.interrupted |= found.stopped == "interrupt"
            self.scores[k] = found.score
            if found.completion is not None:
                self.completions[k] = found.completion
            self.proven[k] = found.proven  # last: whatever stops this in between, what is proven is complete

    def _best(self, k: int) -> Result:
        found = easy(self.grids[k], self.weights, GLANCE, EASY) if self.plain else None
        return found or STRATEGIES["bound"](self.grids[k], self.weights, box=self.layout, timeout=self.timeout)
