"""Neighbourhoods of the best cover: short searches for a better cover, which prove nothing.

A neighbourhood has some options of the best cover, and all options that clash with none of these (large neighbourhood
search: P. Shaw, doi:10.1007/3-540-49481-2_30; guided by a linear program: E. Danna, E. Rothberg, C. Le Pape,
doi:10.1007/s10107-004-0518-7). If its search ends without a better cover, the next neighbourhood is larger. If its
search takes too long, the next one is smaller.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over
from dlx.optimum.matrix import Matrix
from dlx.optimum.parameters import TUNED
from dlx.optimum.root import FIRST_TEMPERATURE, Root
from dlx.optimum.sweeping import anneal

Options = npt.NDArray[np.int32]

AFTER = 10_000_000  # updates before the first neighbourhood; most problems need fewer
SHARE = 0.05  # the part of all updates that may be spent without a better cover
SHARE_BEFORE_PAIRS = 0.3  # the same just before the tree of pairs begins: a bad cover makes that tree large
UPDATES = 3_000_000  # updates of a search of one neighbourhood, at most
KEPT = 0.5  # the part of the best cover that the first neighbourhood keeps
STEP = 0.03  # the change of this part after a search without a better cover
ROUNDS = 4  # temperatures of the sweeps at the root of a neighbourhood
SWEEPS = 5  # sweeps at a node, at most


class Neighbourhoods:
    """The neighbourhoods of the best cover, one after the other.

    Attributes:
        vain: the work of these searches since one of them found a better cover, in updates.
    """

    def __init__(self, root: Root, seed: int) -> None:
        self.vain = 0
        self._root, self._rng = root, np.random.default_rng(seed)
        self._kept = KEPT
        self._matrix: Matrix | None = None  # the matrix of `_kernel`; the root has another one after it has added cuts
        self._kernel: Any = None
        self._start = 0  # the kernel's updates before its neighbourhood

    def kernel(self, cover: Options, over: Over) -> Any:
        """Returns a kernel at the root of a neighbourhood of a cover, with prices from some sweeps.

        Parameters:
            cover: the options of the cover.
            over: returns whether to stop; then there are fewer sweeps.
        """
        root = self._root.kernel
        if self._matrix is not self._root.matrix:
            if self._kernel is not None:
                self._kernel.release_memory()  # the loop keeps the kernel itself, for its counters
            self._matrix, self._kernel = self._root.matrix, self._root.new_kernel()
            increment, _, _, levels, _ = root.settings()
            self._kernel.configure(increment, SWEEPS, TUNED.warmth, levels, 0)
        kernel, self._start = self._kernel, self._kernel.updates
        kernel.start_at(np.array(root.path(), dtype=np.int32), self._near(cover), root.node.prices())
        kernel.target = root.target
        kernel.restart(int(self._rng.integers(1 << 31)))
        temperature = FIRST_TEMPERATURE * kernel.node.slack_per_item()
        anneal(kernel.node, TUNED.sweeps, ROUNDS, temperature, over)
        return kernel

    def _near(self, cover: Options) -> Options:
        """Returns some options of the cover, chosen at random, and the live options that clash with none of these.

        An option with little slack is kept more often than others.
        """
        node, rows = self._root.kernel.node, self._root.matrix.rows
        live = node.options_left()
        cover = np.intersect1d(cover, live)  # the root has chosen the other options, or has dropped them
        order = np.argsort((1 + node.slacks()[cover]) * self._rng.random(len(cover)))
        kept, taken = np.zeros(rows.n_options, dtype=np.bool_), np.zeros(rows.n_items, dtype=np.bool_)
        kept[cover[order[: int(self._kept * len(cover))]]] = True
        taken[rows.indices[kept[rows.owner]]] = True
        clashes = np.bincount(rows.owner, (taken & ~rows.takes_colours)[rows.indices], rows.n_options) > 0
        near: Options = live[(kept | ~clashes)[live]]
        return near

    def adjust(self, is_done: bool, is_better: bool) -> None:
        """Chooses the size of the next neighbourhood after a search of one."""
        spent = self._kernel.updates - self._start + self._kernel.node.entries  # to make it, all entries were read once
        self.vain = 0 if is_better else self.vain + spent
        if not is_better:
            self._kept = min(1 - STEP, max(STEP, self._kept - STEP if is_done else self._kept + STEP))
