"""Plain 9 x 9 grids at random, and the kernel that completes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from known_grids import FULL

from dlx.extending import UNLIMITED, compiled_module

Grids = npt.NDArray[np.uint8]


def shuffled(grid: Grids, rng: np.random.Generator) -> Grids:
    """A random isomorph of a grid: one of its 1,218,998,108,160 images."""
    cells = grid.reshape(9, 9)
    rows, columns = (np.concatenate([3 * band + rng.permutation(3) for band in rng.permutation(3)]) for _ in range(2))
    digits = np.append(0, rng.permutation(9) + 1).astype(np.uint8)
    image: Grids = digits[(cells if rng.random() < 0.5 else cells.T)[rows][:, columns]]
    return image


def drawn(rng: np.random.Generator, few: int = 20) -> Grids:
    """A grid of some kind: givens of a completed grid, some of them perhaps wrong, or digits at random."""
    grid = shuffled(FULL, rng).ravel()
    kept = rng.permutation(81)[: rng.integers(few, 60)]
    some = np.zeros(81, dtype=np.uint8)
    some[kept] = grid[kept]
    wrong = rng.permutation(81)[: rng.integers(0, 3)]
    some[wrong] = rng.integers(1, 10, len(wrong))
    return some


def stream(grids: Grids, most: int, patience: int = UNLIMITED, weights: npt.NDArray[np.int64] | None = None) -> Any:
    """The kernel for some grids, with its results as fields of its own."""
    counts, completions = np.zeros(len(grids), dtype=np.int64), np.zeros((len(grids), 81), dtype=np.uint8)
    kernel = compiled_module("sudoku.kernels.bands").Bands(grids, completions, counts, most, patience, weights)
    return kernel, counts, completions
