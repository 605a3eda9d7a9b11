"""Drives the compiled strategies: what they start from, slices of about 20 ms, limits, Ctrl-C and the result.

A kernel runs without the interpreter lock until its budget of nodes is spent or its score improves; between two such
slices Python looks at signals and the clock, and takes a copy of the best completion.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dlx.extending import compiled_module
from sudoku.conversion import GridLike, as_grid
from sudoku.encode import as_weights
from sudoku.grid import Grid
from sudoku.layout import Box, Layout, as_layout
from sudoku.strategies.result import Progress, Result, Stop
from sudoku.strategies.units import UNITS

Cells = npt.NDArray[np.int32]
EXHAUSTED, IMPROVED, BUDGET_SPENT = range(3)

SLICE = 0.02  # seconds that a kernel runs before Python looks at signals and the clock
FIRST_STEP = 20_000  # nodes in the first slice; the next ones adapt to the speed seen


class Kernel(Protocol):
    """What a compiled strategy looks like from Python; those that prune equals away have no `ties`."""

    score: int
    completions: int
    nodes: int

    def run(self, node_budget: int) -> int:
        """Goes on until the search ends, the score improves or the budget is spent."""


def in_reading_order(digits: Cells) -> Cells:
    """The blank cells of 81, row by row.

    >>> in_reading_order(np.array([0, 5, 0] + 78 * [1], dtype=np.int32))
    array([0, 2], dtype=int32)
    """
    return np.flatnonzero(digits == 0).astype(np.int32)


def by_blanks_in_row(digits: Cells) -> Cells:
    """The blank cells of 81, the rows with the fewest blanks first.

    >>> by_blanks_in_row(np.array([0, 5, 0] + 77 * [1] + [0], dtype=np.int32))
    array([80,  0,  2], dtype=int32)
    """
    blanks = in_reading_order(digits)
    in_row = np.bincount(blanks // 9, minlength=9)
    return blanks[np.argsort(in_row[blanks // 9], kind="stable")]


def by_candidates(digits: Cells) -> Cells:
    """The blank cells of 81, those with the fewest candidates first.

    >>> by_candidates(np.array(76 * [0] + [1, 2, 3, 4, 5], dtype=np.int32))[:4]
    array([72, 73, 74, 75], dtype=int32)
    """
    has = np.zeros((27, 10), dtype=np.bool_)
    has[UNITS, digits[:, None]] = True
    candidates = np.count_nonzero(~has[UNITS, 1:].any(axis=1), axis=1)
    blanks = in_reading_order(digits)
    return blanks[np.argsort(candidates[blanks], kind="stable")]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A strategy that is a compiled kernel: `sudoku.strategies.<name>`, for grids of 9 rows and boxes of 3 x 3.

    Attributes:
        name: the name of the strategy.
        order: the order in which the kernel gets the blank cells.
        counts_ties: whether it visits every completion.
    """

    name: str
    order: Callable[[Cells], Cells]
    counts_ties: bool

    def __call__(
        self,
        grid: GridLike,
        weights: npt.ArrayLike,
        *,
        box: Box | Layout | None = None,
        timeout: float | None = None,
        max_nodes: int | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Finds the completion of a grid with the largest sum of digit times weight; see `Strategy`."""
        start = time.perf_counter()
        layout = as_layout(box)
        if layout != as_layout((3, 3)):
            raise ValueError(f"the strategy {self.name} does boxes of 3 x 3 only, not {layout}")
        digits = as_grid(grid, layout).ravel().astype(np.int32)
        table = as_weights(weights).ravel()
        clash = _clash(digits)
        kernel = compiled_module(f"sudoku.strategies.{self.name}").Search(digits, table, self.order(digits))
        run = _Run(kernel, digits, start, timeout, max_nodes, progress)
        if not clash:
            run.finish()
        return _result(self.name, run, self.counts_ties, start)


def _result(name: str, run: _Run, counts_ties: bool, start: float) -> Result:
    return Result(
        strategy=name,
        score=int(run.score) if run.completion is not None else -1,
        completion=run.completion,
        completions=run.kernel.completions,
        ties=run.kernel.ties if counts_ties else None,  # type: ignore[attr-defined]
        proven=run.stopped is None,
        nodes=run.kernel.nodes,
        seconds=time.perf_counter() - start,
        stopped=run.stopped,
    )


def easy(grid: Grid, weights: npt.NDArray[np.int64], glance: int, max_nodes: int) -> Result | None:
    """The result of the strategy `dynamic` for a checked grid of 9 rows, or None if that would take too many nodes.

    It leaves out all that a call of the strategy does around the kernel, which takes longer than an easy grid. After a
    glance, so many nodes, it goes on only if the part of the search tree it has seen promises an end within
    `max_nodes`.

    >>> easy(np.zeros((9, 9), dtype=np.uint8), np.ones((9, 9), dtype=np.int64), 100, 1000) is None
    True
    """
    start = time.perf_counter()
    digits = grid.ravel().astype(np.int32)
    kernel = compiled_module("sudoku.strategies.dynamic").Search(digits, weights.ravel(), in_reading_order(digits))
    run = _Run(kernel, digits, start, None, glance, None)
    if not _clash(digits):
        run.finish()
    if run.stopped == "max_nodes" and kernel.fraction() * max_nodes >= kernel.nodes:
        run.stopped, run.max_nodes = None, max_nodes
        run.finish()
    return None if run.stopped == "max_nodes" else _result("dynamic", run, counts_ties=True, start=start)


class _Run:
    """One run of a kernel, which fills in `digits`."""

    def __init__(
        self,
        kernel: Kernel,
        digits: Cells,
        start: float,
        timeout: float | None,
        max_nodes: int | None,
        progress: Progress | None,
    ) -> None:
        for name, limit in (("timeout", timeout), ("max_nodes", max_nodes)):
            if limit is not None and not limit >= 0:
                raise ValueError(f"{name} is {limit}; it must be 0 or more")
        self.kernel = kernel
        self.digits = digits
        self.end = float("inf") if timeout is None else start + timeout
        self.max_nodes = 1 << 62 if max_nodes is None else max_nodes
        self.progress = progress
        self.score = kernel.score
        self.completion: Grid | None = None
        self.stopped: Stop | None = None

    def finish(self) -> None:
        """Runs the kernel until the search ends or is stopped, and keeps the best completion."""
        try:
            self._advance()
        except KeyboardInterrupt:
            self.stopped = "interrupt"
            self._note()

    def _advance(self) -> None:
        kernel, step, state = self.kernel, FIRST_STEP, IMPROVED
        while state != EXHAUSTED and self.stopped is None:
            start, nodes = time.perf_counter(), kernel.nodes
            if start >= self.end:
                self.stopped = "timeout"
                return
            state = kernel.run(min(step, self.max_nodes - nodes))
            self._note()
            if self.progress is not None:
                self.progress(kernel.completions, kernel.nodes)
            if state == BUDGET_SPENT and kernel.nodes >= self.max_nodes:
                self.stopped = "max_nodes"
            elif state == BUDGET_SPENT:  # aim at a slice, but at most double the step
                step = max(16, min(2 * step, int(step * SLICE / max(time.perf_counter() - start, 1e-6))))

    def _note(self) -> None:
        """Copies the completion that the kernel has just improved its score with, if it has."""
        if self.kernel.score > self.score:
            self.completion = self.digits.reshape(9, 9).astype(np.uint8)
            self.completion.setflags(write=False)
            self.score = self.kernel.score


def _clash(digits: Cells) -> bool:
    """Whether a row, a column or a box has a given twice."""
    givens = np.flatnonzero(digits)
    pairs = UNITS[givens] * 10 + digits[givens, None]
    return len(np.unique(pairs)) < pairs.size
