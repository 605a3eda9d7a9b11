"""The root of a search by prices: the kernel there, how it is priced, and the items that are added to the problem.

At a temperature the masses of the options are near to a solution of the linear program of set partitioning. Where they
give a set of options that all clash a mass above 1, no prices can be good: the program thinks more of these options
than there is. One more secondary item, which they all share, tells it, and needs a price like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.engine.dispatch import new_kernel
from dlx.engine.limits import Loop
from dlx.optimum.counts import counts
from dlx.optimum.entries import Entries, entries_of
from dlx.optimum.odd import ITEMS, odd_sets
from dlx.optimum.ranges import Added, plain_ranges, with_ranges, with_secondary
from dlx.optimum.units import Scale
from dlx.problem.problem import Problem
from dlx.problem.roles import Rows

COOLING = 0.6
SWEPT = 1 << 21  # entries that sweeps at the root may pass before the loop looks at the clock
KEPT = ("target", "increment", "sweeps", "warmth", "diving", "pairs")  # what a kernel has been told
SOFT_SWEEPS, SOFTER = 60, (1.0, 0.3, 0.1)  # temperatures of the passes before cliques are looked for
SUPPORT, VIOLATED = 0.02, 1.02  # the mass of an option that may begin a clique; the mass of a clique
AT_ONCE, ALL_ADDED = 30, 400  # cliques added before prices are found again; and in all
CUBED = 4  # times the cube of the items among which odd sets are looked for is what has been searched before
CLIQUE_SWEEPS, CLIQUE_ROUNDS, WARM = 60, 12, 3  # and from which temperature on, by the slack to spend for an item


class Root:
    """A kernel at the root of its search, with prices that are valid, but no good yet.

    Parameters:
        problem: what to cover.
        scale: its weights, in units.
        room: how many covers the kernel can hold.
        seed: how ties are broken.
        loop: what tells when to stop.

    Attributes:
        kernel: the kernel `spend`; another one once items have been added.
    """

    def __init__(self, problem: Problem, scale: Scale, room: int, seed: int, loop: Loop) -> None:
        self._rows, self._ranges = with_ranges(problem.rows())
        self._alone = _owners(self._rows, problem.rows().n_items)
        self._sets: list[Added] = []
        self._scale, self._seed, self._loop = scale, seed, loop
        self._buffer = np.empty((room, max(problem.n_primary + 1, problem.max_level)), dtype=np.int32)
        self.kernel: Any = self._made()

    def _made(self) -> Any:
        return new_kernel("branch_and_bound", self._rows, self._buffer, self._scale.units, self._seed, self._ranges)

    @property
    def added(self) -> tuple[Added, ...]:
        """The items that the problem's own have been joined by, in order."""
        return (*(Added((o,)) for o in self._alone.tolist()), *self._sets)

    def anneal(self, sweeps: int, rounds: int, hottest: float | None = None, power: float = 1.0) -> bool:
        """Prices from hot to cold, so many sweeps at a temperature; False if a limit came first, or nothing is left."""
        at_once = max(1, SWEPT // max(1, self.kernel.entries))
        temperature = self._scale.hottest if hottest is None else hottest
        left = at_once  # sweeps until the loop looks at the world, which on small problems takes as long as a round
        for _ in range(rounds):
            if not self.kernel.heat(temperature):
                break
            for done in range(0, sweeps, at_once):
                some = min(at_once, sweeps - done)
                self.kernel.anneal(some, power)
                left -= some
                if left <= 0:
                    left = at_once
                    if self._loop.over():
                        self.kernel.keep()
                        return False
                    self._loop.report(self.kernel)
            self.kernel.cool()
            temperature *= COOLING
        self.kernel.keep()
        return not self._loop.over()

    def add_items(self, seed: int) -> int:
        """Adds items for what the masses are wrong about, and finds better prices; how many there were."""
        kernel = self.kernel
        spare = kernel.spare()
        for times in SOFTER:
            if not kernel.heat(spare * times):
                return 0
            kernel.anneal(SOFT_SWEEPS)
            if times != SOFTER[-1]:
                kernel.cool()
        sets = self._rounded(self._counts) or self._cliques(seed) or self._rounded(self._odd_sets)
        kernel.cool()
        kernel.keep()
        if sets:
            self._add(sets)
            self.anneal(CLIQUE_SWEEPS, CLIQUE_ROUNDS, WARM * self.kernel.spare())
        return len(sets)

    def _rounded(self, find: Callable[[Entries], list[Added]]) -> list[Added]:
        """What follows from sums by rounding and is new; the items have ranges from then on, if there is anything."""
        kernel = self.kernel
        ranges = plain_ranges(self._rows) if self._ranges is None else self._ranges
        entries = entries_of(self._rows, ranges, kernel.options_left(), kernel.path(), kernel.masses())
        found = [added for added in find(entries) if added not in self._sets][: self._wanted()]
        if found:
            self._ranges = ranges
        return found

    def _counts(self, entries: Entries) -> list[Added]:
        return [added for _, added in counts(np.unique(entries.items), entries)]

    def _odd_sets(self, entries: Entries) -> list[Added]:
        among = ITEMS if self._ranges is not None else int((self._loop.updates / CUBED) ** (1 / 3))
        return odd_sets(entries, self._wanted(), among)

    def _wanted(self) -> int:
        """How many items may be added now."""
        return min(AT_ONCE, ALL_ADDED - len(self._sets))

    def _cliques(self, seed: int) -> list[Added]:
        """Sets of options that live, of which any two clash, by their masses."""
        live = np.sort(self.kernel.options_left())
        rows = self._rows
        sizes = np.diff(rows.indptr)[live]
        entries = np.repeat(rows.indptr[live] - np.append(0, np.cumsum(sizes))[:-1], sizes) + np.arange(sizes.sum())
        ends = np.ones(rows.n_items, dtype=np.bool_)  # items for which two options that have it clash
        if self._ranges is not None:
            ends = self._ranges[:, 1] == 1
        if rows.colours is not None:
            ends[rows.indices[rows.colours > 0]] = False
        owner, items = np.repeat(np.arange(len(live)), sizes), rows.indices[entries]
        owner, items = owner[ends[items]], items[ends[items]]
        order = np.lexsort((items, owner))
        indptr = np.append(0, np.cumsum(np.bincount(owner, minlength=len(live)))).astype(np.int32)
        graph = compiled_module("dlx.kernels.price.cliques").Cliques(
            indptr, items[order].astype(np.int32), rows.n_items, self.kernel.masses()[live], seed
        )
        found = graph.find(SUPPORT, VIOLATED, self._wanted(), self.kernel.slacks()[live])
        return [Added(tuple(live[clique].tolist())) for clique in found]

    def _add(self, sets: list[Added]) -> None:
        """Adds a secondary item for each set of options, at no price."""
        live, chosen = self.kernel.options_left(), self.kernel.path()
        prices = np.append(self.kernel.prices(), np.zeros(len(sets), np.int64))
        options = np.array([o for some in sets for o in some.options], dtype=np.int64)
        self._rows = with_secondary(self._rows, options, np.array([len(some.options) for some in sets]))
        if self._ranges is not None:
            self._ranges = np.append(self._ranges, np.array([some[1:3] for some in sets], np.int32), axis=0)
        self._sets += sets
        self._exchange(lambda kernel: kernel.go_on_from(prices, live, chosen))

    def begin_again(self) -> None:
        """Goes back to where all options live and none is chosen, with the items added and the prices found."""
        prices = self.kernel.prices()
        self._exchange(lambda kernel: kernel.begin_with(prices))

    def _exchange(self, begin: Callable[[Any], None]) -> None:
        """Puts a new kernel in the place of the one that is there, once it has been told where to begin."""
        old, new = self.kernel, self._made()
        begin(new)
        new.lower(old.ceiling)
        new.share_pairs(old)
        for name in KEPT:
            setattr(new, name, getattr(old, name))
        new.separate(old.levels)
        old.separate(1)  # its memory is no longer needed, its counters are
        self.kernel = new


def _owners(rows: Rows, n_items: int) -> npt.NDArray[np.int64]:
    """The one option of each item from a number on."""
    if rows.n_items == n_items:
        return np.zeros(0, dtype=np.int64)
    there = np.flatnonzero(rows.indices >= n_items)
    return np.searchsorted(rows.indptr, there[np.argsort(rows.indices[there])], side="right") - 1
