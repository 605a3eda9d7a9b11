"""Plain 9 x 9 grids by a kernel of their own: how many completions each of many has, and the first one of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.extending import UNLIMITED, Limits, Loop, compiled_module
from sudoku.layout import Layout, as_layout

Cells = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What has been found out about some grids.

    Attributes:
        counts: int64, shape (m,), how many completions there are, up to the limit; -1 for grids that were given up, and
            for those that were not come to.
        completions: uint8, shape (m, 81), the first completion of each; zeros where there is none.
        done: the first so many grids are done, or were given up.
        under_way: how many completions of the next one have been found.
        outcome: the fields of a `dlx.Outcome`.
    """

    counts: npt.NDArray[np.int64]
    completions: Cells
    done: int
    under_way: int
    outcome: dict[str, Any]


def is_plain(layout: Layout) -> bool:
    """Whether a layout is that of plain sudoku: nine rows, columns and boxes of 3 x 3, and nothing else."""
    return layout == as_layout(None)


def complete(
    grids: npt.NDArray[np.uint8], limits: Limits, most: int = 1, patience: int = UNLIMITED, glance: int = UNLIMITED
) -> Found:
    """Finds completions of grids, one grid after the other.

    Parameters:
        grids: whole numbers from 0, a blank, to 9, shape (m, 9, 9) or (m, 81).
        limits: of all of it together.
        most: how many completions of each to count, at least 1.
        patience: after so many guesses a grid is given up.
        glance: after so many completions of all grids together it stops, as if they were done.

    Returns:
        What has been found, up to the limits or Ctrl-C.

    >>> found = complete(np.zeros((1, 81), dtype=np.uint8), Limits.of(), most=1000)
    >>> found.counts, found.completions[0, :9].tolist()
    (array([1000]), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    cells = np.ascontiguousarray(grids.reshape(-1, 81))
    counts = np.full(len(cells), -1, dtype=np.int64)
    completions = np.zeros(cells.shape, dtype=np.uint8)
    kernel = compiled_module("sudoku.kernels.bands").Stream(cells, completions, counts, most, patience)
    with Loop(limits) as loop:
        for _ in loop.slices(kernel, covers=glance):
            pass
    done = kernel.done
    under_way = int(kernel.here) if done < len(cells) else 0
    counts[done:] = -1
    return Found(counts, completions, done, under_way, loop.outcome())
