"""Target sudoku for many grids at once: arrays in, arrays out, shared among threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import EXHAUSTED, UNLIMITED, Limiting, Limits, Progress, compiled_module
from sudoku.bound import bound
from sudoku.conversion import GridLike, as_grids
from sudoku.encoding import Weights, as_weights
from sudoku.grid import GridError
from sudoku.layout import Box, Layout, as_layout
from sudoku.target import ring_weights
from sudoku.units import clash

Told = Callable[[Progress], object]

CHUNK = 16  # grids that a thread takes at a time; fewer where that would leave a thread less than four times to take
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
    **limits: Unpack[Limiting],
) -> Batch:
    """Finds the best completion of each of many grids.

    A plain search takes a glance at each grid of 9 rows with boxes of 3 x 3, and finishes those that it would finish
    first; all others are done by `dlx.best`.

    Parameters:
        grids: whole numbers from 0, a blank, to n, shape (m, n, n) or (m, n^2); or any sequence of grids in the forms
            that `as_grid` takes, such as what `read` yields.
        weights: whole numbers between -2^40 and 2^40, shape (n, n); without them, `ring_weights(n)`.
        box: the rows and columns of a box, or a `Layout`, the same for all grids; without it, 3 x 3.
        threads: how many threads share the work.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search of `dlx`, for each grid.
            What is easy is done whatever they say.

    Returns:
        Scores, completions and flags, in the order of the grids. Ctrl-C ends the batch, not the program.

    Raises:
        ValueError: the grids have a wrong shape, type or value, the weights or a limit are wrong, or `threads` is
            less than 1; of a wrong grid the message says which one it is, the first being grids[0].

    >>> sample = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
    >>> many = best_many([sample, 81 * [0], 81 * [1]])
    >>> many.scores, many.proven
    (array([2829, 2906,   -1]), array([ True,  True,  True]))
    """
    layout = as_layout(box)
    table = ring_weights(layout.size) if weights is None else as_weights(weights, layout.size)
    checked = as_grids(grids, layout)
    if not isinstance(threads, (int, np.integer)) or threads < 1:
        raise ValueError(f"threads is {threads!r}; a whole number from 1 is needed")
    Limits.of(**limits)
    work = _Work(checked, layout, table, limits)
    chunk = max(1, min(CHUNK, len(checked) // (4 * threads)))
    chunks = [range(k, min(k + chunk, len(checked))) for k in range(0, len(checked), chunk)]
    if threads == 1:
        work.do_all(map, chunks)
    else:
        work.limits = {**limits, "progress": work.looking_up(limits.get("progress"))}
        with ThreadPoolExecutor(threads) as pool:
            work.do_all(pool.map, chunks)
    return Batch(scores=work.scores, completions=work.completions, proven=work.proven, interrupted=work.interrupted)


class _Work:
    """The grids of a batch, to be done in chunks by any thread, and the answers so far."""

    def __init__(self, grids: npt.NDArray[np.uint8], layout: Layout, weights: Weights, limits: Limiting) -> None:
        self.grids = grids
        self.layout = layout
        self.plain = layout == as_layout((3, 3))
        self.weights = weights
        self.limits = limits
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
            if self.plain and self._glance(k):
                continue
            found = bound(self.grids[k], self.weights, box=self.layout, **self.limits)
            self.interrupted |= found.stopped == "interrupt"
            self._note(k, found.score, found.completion, found.proven)

    def looking_up(self, told: Told | None) -> Told:
        """A `progress` that ends the search of a thread after Ctrl-C, which only the main thread hears of."""

        def look_up(seen: Progress) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            if told is not None:
                told(seen)

        return look_up

    def _glance(self, k: int) -> bool:
        """Finishes a grid that plain search would finish first; whether it was one.

        After a glance, so many nodes, it goes on only if the part of the search tree behind it promises an end soon.
        The kernel runs by itself: what a loop does around it takes longer than an easy grid.
        """
        digits = self.grids[k].ravel().astype(np.int32)
        if clash(digits):
            self.proven[k] = True
            return True
        blanks = np.flatnonzero(digits == 0).astype(np.int32)
        kernel = compiled_module("sudoku.kernels.cells").Cells(digits, self.weights.ravel(), blanks, "dynamic")
        state = kernel.run(GLANCE, UNLIMITED, UNLIMITED)
        if state != EXHAUSTED and kernel.fraction() * EASY >= kernel.nodes:
            state = kernel.run(EASY - GLANCE, UNLIMITED, UNLIMITED)
        if state == EXHAUSTED:
            self._note(k, kernel.score if kernel.covers else -1, kernel.completion(), proven=True)
        return bool(state == EXHAUSTED)

    def _note(self, k: int, score: int, completion: npt.NDArray[np.uint8] | None, proven: bool) -> None:
        self.scores[k] = score
        if completion is not None:
            self.completions[k] = completion
        self.proven[k] = proven  # last: whatever stops this in between, what is proven is complete
