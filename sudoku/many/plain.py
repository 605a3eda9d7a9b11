"""Plain 9 x 9 grids by a kernel of their own: how many completions each of many has, and the first one of each."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dlx.extending import UNLIMITED, Limits, Loop, compiled_module
from sudoku.encoding import Weights

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

PATIENCE = 2_000  # guesses, half a millisecond, until a grid is given up

Cells = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The completions of some grids."""

    counts: npt.NDArray[np.int64]  # shape (m,), up to the limit; -1 for those given up, or not come to
    completions: Cells  # shape (m, 81), the first completion of each, or the best one; zeros where there is none
    done: int  # the first so many grids are done, or were given up
    under_way: int  # completions found of the next one
    outcome: dict[str, Any]  # the fields of a `dlx.Outcome`


def complete(
    grids: npt.NDArray[np.uint8],
    limits: Limits,
    most: int = 1,
    patience: int = UNLIMITED,
    glance: int = UNLIMITED,
    threads: int = 1,
    weights: Weights | None = None,
) -> Found:
    """Finds completions of 9 x 9 grids, one grid after the other, within limits for all of it together.

    Of each grid `most` completions are counted, and after `patience` guesses it is given up; after `glance` completions
    of all grids it stops, as if they were done. Limits and `glance` hold for each thread. With weights of the cells the
    best of the completions that are counted is kept.
    """
    cells = np.ascontiguousarray(grids.reshape(-1, 81))
    counts = np.full(len(cells), -1, dtype=np.int64)
    completions = np.zeros(cells.shape, dtype=np.uint8)
    made = compiled_module("sudoku.kernels.stream").Stream
    threads = max(1, min(threads, len(cells)))
    shares = [slice(k * len(cells) // threads, (k + 1) * len(cells) // threads) for k in range(threads)]
    table = None if weights is None else weights.ravel()
    kernels = [made(cells[share], completions[share], counts[share], most, patience, table) for share in shares]
    with _pool(threads) as pool, Loop(limits) as loop:
        for _ in loop.slices(Abreast(kernels, pool) if pool else kernels[0], covers=glance):
            pass
    for kernel, share in zip(kernels, shares, strict=True):
        counts[share][kernel.done :] = -1
    first = next((k for k, kernel in enumerate(kernels) if kernel.done < kernel.size), threads - 1)
    under_way = kernels[first].here if kernels[first].done < kernels[first].size else 0
    return Found(counts, completions, shares[first].start + kernels[first].done, under_way, loop.outcome())


def _pool(threads: int) -> AbstractContextManager[ThreadPoolExecutor | None]:
    """Several threads, or none where one is enough."""
    if threads == 1:
        return nullcontext()
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads)


class Abreast:
    """Kernels that run side by side, each in a thread of its own, as one for the loop."""

    def __init__(self, kernels: Sequence[Any], pool: ThreadPoolExecutor) -> None:
        self._kernels, self._pool = kernels, pool
        self.covers = self.nodes = self.updates = 0

    def fraction(self) -> float:
        """The part of the grids that are done."""
        return float(sum(kernel.fraction() for kernel in self._kernels) / len(self._kernels))

    def run(self, nodes: int, updates: int, covers: int) -> int:
        """Runs all of them for so long each."""
        states = list(self._pool.map(lambda kernel: int(kernel.run(nodes, updates, covers)), self._kernels))
        for counter in ("covers", "nodes", "updates"):
            setattr(self, counter, sum(getattr(kernel, counter) for kernel in self._kernels))
        return max(states)  # EXHAUSTED, the least of the states, only where all say so
