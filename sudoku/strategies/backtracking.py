"""The strategies that fill cells: kinds of one compiled kernel, and the order in which each gets the blank cells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import Limiting, Limits, Loop, compiled_module
from sudoku.conversion import GridLike, as_puzzle
from sudoku.encoding import as_weights
from sudoku.grid import frozen
from sudoku.kernels.units import UNITS, clash
from sudoku.layout import Box, Layout, as_layout, takes_layout
from sudoku.strategies.result import Result

Cells = npt.NDArray[np.int32]


def in_reading_order(digits: Cells) -> Cells:
    """The blank cells of 81, row by row."""
    return np.flatnonzero(digits == 0).astype(np.int32)


def by_blanks_in_row(digits: Cells) -> Cells:
    """The blank cells of 81, the rows with the fewest blanks first."""
    blanks = in_reading_order(digits)
    in_row = np.bincount(blanks // 9, minlength=9)
    return blanks[np.argsort(in_row[blanks // 9], kind="stable")]


def by_candidates(digits: Cells) -> Cells:
    """The blank cells of 81, those with the fewest candidates first."""
    has = np.zeros((27, 10), dtype=np.bool_)
    has[UNITS, digits[:, None]] = True
    candidates = np.count_nonzero(~has[UNITS, 1:].any(axis=1), axis=1)
    blanks = in_reading_order(digits)
    return blanks[np.argsort(candidates[blanks], kind="stable")]


@dataclass(frozen=True, slots=True)
class Backtracking:
    """A strategy that is a kind of the kernel `sudoku.kernels.backtracking`, for grids of 9 rows and boxes of 3 x 3."""

    name: str  # of the strategy, and of the kind
    order: Callable[[Cells], Cells]  # in which the kernel gets the blank cells
    counts_ties: bool  # it visits every completion

    @takes_layout
    def __call__(
        self,
        grid: GridLike,
        weights: npt.ArrayLike,
        *,
        layout: Box | Layout | None = None,
        **limits: Unpack[Limiting],
    ) -> Result:
        """Finds the completion of a grid with the largest sum of digit times weight; see `Strategy`."""
        layout = as_layout(layout)
        if layout != as_layout((3, 3)):
            raise ValueError(f"the strategy {self.name} does boxes of 3 x 3 only, not {layout}")
        puzzle = as_puzzle(grid, layout)
        if puzzle.candidates is not None:
            raise ValueError(f"the strategy {self.name} does no grids whose blanks have candidates")
        digits = puzzle.grid.ravel().astype(np.int32)
        kernel: Any = None
        with Loop(Limits.of(**limits)) as loop:
            kernel = self.kernel(digits, as_weights(weights).ravel())
            loop.exhausted = clash(digits)  # then there is nothing to search
            for _ in () if loop.exhausted else loop.slices(kernel):
                loop.score = int(kernel.score) if kernel.covers else None
        return Result(
            strategy=self.name,
            score=int(kernel.score) if kernel.covers else -1,
            completion=frozen(kernel.completion()) if kernel.covers else None,
            completions=kernel.covers,
            ties=kernel.ties if self.counts_ties else None,
            **loop.outcome(),
        )

    def kernel(self, digits: Cells, weights: npt.NDArray[np.int64]) -> Any:
        """Returns the search of 81 cells by 81 weights, before its first digit."""
        return compiled_module("sudoku.kernels.backtracking").Backtracking(
            digits, weights, self.order(digits), self.name
        )
