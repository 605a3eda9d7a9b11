"""The strategy `dlx`: every completion is a cover, found by Algorithm X (TAOCP 4B, 7.2.2.1) and scored by the block."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import Limiting, Stop
from sudoku.conversion import GridLike
from sudoku.encoding import decode, encode
from sudoku.grid import frozen
from sudoku.layout import Box, Layout, takes_layout
from sudoku.strategies.result import Result


@dataclass(frozen=True, slots=True)
class _Tally:
    """The sum of the blocks so far; replaced as a whole, so that Ctrl-C never finds half of an update."""

    completions: int = 0
    ties: int = 0
    score: int = -1
    cover: npt.NDArray[np.int32] | None = None

    @property
    def best(self) -> int | None:
        """The best score so far, if there is any."""
        return None if self.cover is None else self.score

    def add(self, block: npt.NDArray[np.int32], weights: npt.NDArray[Any]) -> _Tally:
        """Scores a block of covers; behind the weights is a 0, for the -1 that pads them."""
        scores = weights[block].sum(axis=1)
        first = int(scores.argmax())
        best = int(scores[first])
        completions, ties = self.completions + len(block), int(np.count_nonzero(scores == best))
        if self.cover is None or best > self.score:
            return _Tally(completions, ties, best, block[first])
        return _Tally(completions, self.ties + ties * (best == self.score), self.score, self.cover)


@takes_layout
def algorithm_x(
    grid: GridLike, weights: npt.ArrayLike, *, layout: Box | Layout | None = None, **limits: Unpack[Limiting]
) -> Result:
    """Finds the best completion by visiting all of them as covers, in any layout; see `Strategy`."""
    start = time.perf_counter()
    problem = encode(grid, layout, weights)
    assert problem.weights is not None
    weights_and_0 = np.append(problem.weights, 0)
    tally = _Tally()
    told, timeout = limits.get("progress"), limits.get("timeout")
    if told is not None:
        limits["progress"] = lambda seen: told(replace(seen, score=tally.best))
    search = dlx.covers(problem, **limits)
    stopped: Stop | None = None
    try:
        for block in search.blocks():
            tally = tally.add(block, weights_and_0)
            if timeout is not None and time.perf_counter() - start >= timeout:  # scoring takes time too
                stopped = "timeout"
                break
    except KeyboardInterrupt:
        stopped = "interrupt"
        if search.covers > tally.completions:  # found, but not yet in a block
            tally = tally.add(next(search.blocks()), weights_and_0)
    return Result(
        strategy="dlx",
        score=tally.score,
        completion=None if tally.cover is None else frozen(decode(problem, tally.cover)),
        completions=tally.completions,
        ties=tally.ties,
        nodes=search.nodes,
        updates=search.updates,
        seconds=time.perf_counter() - start,
        stopped=None if search.exhausted else stopped or search.stopped,
    )
