"""The k best completions, how many tie for the best, and the best completions of many grids at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import dlx
from sudoku.encode import Weights, as_weights, decode, encode
from sudoku.grid import Box, grid_size
from sudoku.strategies import STRATEGIES
from sudoku.strategies.driver import easy
from sudoku.strategies.result import Progress
from sudoku.target import Sense, ring_weights

CHUNK = 16  # grids that a thread takes at a time
# Nodes of plain search to judge by, and how many it may then take: about as long as prices would.
GLANCE, EASY = 300, 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """The best completions of a grid, in order.

    Attributes:
        scores: int64, shape (k,).
        completions: uint8, shape (k, n, n).
        bound: no completion scores better than this; None if there is none.
        proven: whether these are the k best, or all there are.
        nodes: the options tried.
        seconds: the time taken.
        stopped: why the search stopped early, or None.
    """

    scores: npt.NDArray[np.int64]
    completions: npt.NDArray[np.uint8]
    bound: int | None
    proven: bool
    nodes: int
    seconds: float
    stopped: str | None


def rank(
    grid: npt.ArrayLike,
    k: int,
    *,
    sense: Sense = "max",
    weights: npt.ArrayLike | None = None,
    box: Box = (3, 3),
    timeout: float | None = None,
    max_nodes: int | None = None,
    progress: Progress | None = None,
) -> Ranking:
    """Finds the k best completions of a grid, by `dlx.best`.

    Parameters:
        grid: whole numbers from 0, a blank, to n; shape (n, n).
        k: how many completions to find, at least 1; of those with equal scores any may be among them.
        sense: "max" if the largest scores are the best, "min" if the smallest are.
        weights: whole numbers between -2^40 and 2^40, shape (n, n); without them, `ring_weights(n)`.
        box: the rows and columns of a box; n is their product.
        timeout: stop after so many seconds.
        max_nodes: stop after trying so many options.
        progress: called about every 20 ms with 0 and the nodes so far.

    Returns:
        The completions found, the best first.

    Raises:
        ValueError: the grid, the weights, the box, k, the sense or a limit are wrong.

    >>> from sudoku import parse
    >>> sample = parse("7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12")
    >>> rank(sample, 5).scores
    array([2829, 2829, 2829])
    """
    n = grid_size(box)
    problem = encode(grid, box, ring_weights(n) if weights is None else weights)
    found = dlx.best(
        problem,
        sense,
        k,
        timeout=timeout,
        max_nodes=max_nodes,
        progress=progress and (lambda search: progress(0, search.nodes)),
    )
    covers = np.array([cover.options for cover in found.covers], dtype=np.int64).reshape(-1, n * n)
    return Ranking(
        scores=np.array([cover.score for cover in found.covers], dtype=np.int64),
        completions=decode(problem, covers),
        bound=None if found.bound is None else int(found.bound),
        proven=found.proven,
        nodes=found.nodes,
        seconds=found.seconds,
        stopped=found.stopped,
    )


def ties(
    grid: npt.ArrayLike,
    score: int,
    *,
    sense: Sense = "max",
    weights: npt.ArrayLike | None = None,
    box: Box = (3, 3),
    limit: int | None = None,
    timeout: float | None = None,
) -> dlx.Count:
    """Counts the completions of a grid that have a certain score or a better one.

    Parameters:
        grid: whole numbers from 0, a blank, to n; shape (n, n).
        score: the score; with the best one, the completions that share it are counted.
        sense: "max" if larger scores are better, "min" if smaller ones are.
        weights: whole numbers between -2^40 and 2^40, shape (n, n); without them, `ring_weights(n)`.
        box: the rows and columns of a box; n is their product.
        limit: count no further than this.
        timeout: stop after so many seconds.

    Returns:
        The number, as `covers`, and whether the count is `exhausted`.

    Raises:
        ValueError: the grid, the weights, the box, the sense or a limit are wrong.

    >>> from sudoku import parse
    >>> sample = parse("7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12")
    >>> ties(sample, 2829).covers
    3
    """
    table = ring_weights(grid_size(box)) if weights is None else weights
    return dlx.count_reaching(encode(grid, box, table), score, sense, max_covers=limit, timeout=timeout)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch:
    """The best completions of many grids.

    Attributes:
        scores: int64, shape (m,); -1 where a grid has no completion, or none was found.
        completions: uint8, shape (m, 81); zeros where there is none.
        proven: bool, shape (m,); whether the score is proven to be the best, or -1 to be right.
        interrupted: whether Ctrl-C came before all were done; what had been done by then is kept.
    """

    scores: npt.NDArray[np.int64]
    completions: npt.NDArray[np.uint8]
    proven: npt.NDArray[np.bool_]
    interrupted: bool


def best_many(
    grids: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
    threads: int = 1,
    timeout: float | None = None,
) -> Batch:
    """Finds the best completion of each of many 9 x 9 grids.

    The strategy `dynamic` takes a glance at each grid, and finishes those that it would finish first; all others are
    done by `bound`.

    Parameters:
        grids: uint8 or other whole numbers from 0, a blank, to 9; shape (m, 81), or (m, 9, 9).
        weights: whole numbers between -2^40 and 2^40, shape (9, 9); without them, those of target sudoku.
        threads: how many threads share the work.
        timeout: the most seconds for one grid.

    Returns:
        Scores, completions and flags, in the order of the grids. Ctrl-C ends the batch, not the program.

    Raises:
        ValueError: the grids have a wrong shape, type or value, the weights or the timeout are wrong, or `threads` is
            less than 1; of a wrong value the message says in which grid it is, the first one being grids[0].

    >>> from sudoku import parse
    >>> sample = parse("7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12")
    >>> many = best_many([sample.ravel(), 81 * [0], 81 * [1]])
    >>> many.scores, many.proven
    (array([2829, 2906,   -1]), array([ True,  True,  True]))
    """
    table = ring_weights(9) if weights is None else as_weights(weights)
    checked = _as_grids(grids)
    if threads < 1:
        raise ValueError(f"threads is {threads}; at least 1 is needed")
    if timeout is not None and not timeout >= 0:
        raise ValueError(f"timeout is {timeout}; it must be 0 or more")
    work = _Work(checked, table, timeout)
    chunks = [range(k, min(k + CHUNK, len(checked))) for k in range(0, len(checked), CHUNK)]
    if threads == 1:
        work.do_all(map, chunks)
    else:
        with ThreadPoolExecutor(threads) as pool:
            work.do_all(pool.map, chunks)
    return Batch(scores=work.scores, completions=work.completions, proven=work.proven, interrupted=work.interrupted)


def _as_grids(grids: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Checks many grids at once; uint8, shape (m, 9, 9)."""
    try:
        array = np.asarray(grids)
    except ValueError:  # numpy makes no array of grids that differ in shape
        shapes = [np.shape(grid) for grid in grids]  # type: ignore[union-attr]
        k = next(k for k, shape in enumerate(shapes) if shape not in ((81,), (9, 9)) or shape != shapes[0])
        raise ValueError(f"grids[{k}] has the shape {shapes[k]} instead of (81,) or (9, 9) as all others") from None
    if array.shape == (0,):  # an empty list
        return np.zeros((0, 9, 9), dtype=np.uint8)
    if array.ndim not in (2, 3) or array.shape[1:] not in ((81,), (9, 9)):
        raise ValueError(f"the grids have the shape {array.shape} instead of (m, 81) or (m, 9, 9)")
    if array.dtype.kind not in "iu":
        raise ValueError(f"the grids have the type {array.dtype} instead of whole numbers")
    array = array.reshape(-1, 9, 9)
    outside = (array < 0) | (array > 9)
    if outside.any():
        k, r, c = np.argwhere(outside)[0].tolist()
        raise ValueError(
            f"grids[{k}]: the value {array[k, r, c]} in row {r + 1}, column {c + 1} is not between 0 and 9"
        )
    return array.astype(np.uint8)


class _Work:
    """The grids of a batch, to be done in chunks by any thread, and the answers so far."""

    def __init__(self, grids: npt.NDArray[np.uint8], weights: Weights, timeout: float | None) -> None:
        self.grids = grids
        self.weights = weights
        self.timeout = timeout
        self.interrupted = False
        self.scores = np.full(len(grids), -1, dtype=np.int64)
        self.completions = np.zeros((len(grids), 81), dtype=np.uint8)
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
            found = easy(self.grids[k], self.weights, GLANCE, EASY)
            if found is None:
                found = STRATEGIES["bound"](self.grids[k], self.weights, timeout=self.timeout)
            self.interrupted |= found.stopped == "interrupt"
            self.scores[k] = found.score
            if found.completion is not None:
                self.completions[k] = found.completion.ravel()
            self.proven[k] = found.proven  # last: whatever stops this in between, what is proven is complete
