"""Short searches for a better cover, which prove nothing: dives from the root, and searches near the best cover.

A dive comes down once, at a temperature. A neighbourhood has some options of the best cover, those with little slack
rather than others, and all that clash with none of these (relaxation induced neighbourhoods: E. Danna, E. Rothberg,
C. Le Pape, doi:10.1007/s10107-004-0518-7; large neighbourhood search: P. Shaw, doi:10.1007/3-540-49481-2_30). It is
searched by the same kernel as everything. One that is searched to its end is followed by a larger one, and one that
takes too long by a smaller one.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import random_generator
from dlx.engine.limits import Loop
from dlx.optimum.parameters import TUNED
from dlx.optimum.root import Root
from dlx.optimum.sharing import WHOLE, warm_up
from dlx.optimum.units import Units
from dlx.problem.roles import Rows

Dive = tuple[int, float, int]  # a seed, a temperature and the most nodes


def planned(units: Units, nodes: int, seed: int) -> Iterator[Dive]:
    """Yields dives in place of a search of so many nodes."""
    once = units.max_level * 5 // 4 + TUNED.dive_nodes
    nodes, dice = min(nodes, TUNED.diving * once), random.Random(seed)
    for done in range(0, nodes, once):
        temperature = units.hottest / math.exp(dice.uniform(*TUNED.dives))
        yield dice.randrange(1 << 31), temperature, min(once, nodes - done)


def dive(kernel: Any, plan: list[Dive], most: Callable[[], int], run: Callable[[Any, int], None], loop: Loop) -> None:
    """Comes down from the root again and again, each time at another temperature, for at most so many updates."""
    start, end = kernel.updates, kernel.nodes + sum(nodes for *_, nodes in plan)
    for seed, temperature, nodes in plan:
        if kernel.nodes >= end or kernel.updates - start >= most() or loop.over():
            break
        warm_up(kernel, temperature)
        run(kernel, min(nodes, end - kernel.nodes))
        if loop.exhausted:
            break
        kernel.restart(seed)
        kernel.keep()
    kernel.diving = 0.0


class Neighbourhoods:
    """The neighbourhoods of the best cover, one after another: how large the next is, and what has been in vain."""

    def __init__(self, seed: int) -> None:
        self.vain = 0  # updates since a better cover was found
        self._fixed = TUNED.fixed
        self._seed = seed
        self._start = 0  # updates before the last search
        self._rows: Rows | None = None  # those that `_kernel` has been made for
        self._kernel: Any = None

    @cached_property
    def _rng(self) -> np.random.Generator:
        """A source of random numbers, which most searches never need."""
        return random_generator(self._seed)

    def next(self, root: Root, cover: npt.NDArray[np.int32]) -> Any:
        """Returns a kernel at the root of a neighbourhood of a cover, with prices of its own."""
        above = root.kernel
        if self._rows is not root.makings.rows:
            if self._kernel is not None:
                self._kernel.separate(1)  # the loop keeps it, for its counters
            self._rows, self._kernel = root.makings.rows, root.new_kernel()
            levels = above.settings()[4]
            self._kernel.set(above.increment, TUNED.near_sweeps, TUNED.warmth, False, levels, 0, ((),) * 4)
        kernel = self._kernel
        self._start = kernel.updates
        path, none = np.array(above.path(), dtype=np.int32), np.zeros(0, dtype=np.int64)
        kernel.stand_at(path, self._near(root, cover), above.prices(), WHOLE, none)
        kernel.target = above.target
        kernel.restart(int(self._rng.integers(1 << 31)))
        root.anneal(TUNED.sweeps, TUNED.near_rounds, TUNED.warm * kernel.spare(), kernel=kernel)
        return kernel

    def _near(self, root: Root, cover: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Returns the options left that some options of the cover, chosen at random, do not clash with, and these."""
        rows, left = root.makings.rows, root.kernel.options_left()
        cover = np.intersect1d(cover, left)  # others are chosen already, or in no better cover
        # Of sppaa04, 250 million updates with a seed came to 26422; with those kept that have the largest masses in the
        # linear program, or any, to 26491.
        order = np.argsort((1 + root.kernel.slacks()[cover]) * self._rng.random(len(cover)))
        fixed, taken = np.zeros(rows.n_options, dtype=np.bool_), np.zeros(rows.n_items, dtype=np.bool_)
        fixed[cover[order[: int(self._fixed * len(cover))]]] = True
        taken[rows.indices[fixed[rows.owner]]] = True
        clashes = np.bincount(rows.owner, (taken & ~rows.tinted)[rows.indices], rows.n_options) > 0
        near: npt.NDArray[np.int32] = left[(fixed | ~clashes)[left]]
        return near

    def learn(self, ended: bool, better: bool) -> None:
        """Learns from the last search how large the next neighbourhood is to be."""
        kernel = self._kernel
        self.vain = 0 if better else self.vain + kernel.updates - self._start + kernel.entries + 1
        if not better:
            step = TUNED.fixed_step
            self._fixed = min(1 - step, max(step, self._fixed - step if ended else self._fixed + step))
