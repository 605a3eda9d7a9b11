"""The root of branch and bound: its kernel, its prices, and the cuts that are added to the problem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import new_kernel
from dlx.engine.limits import Loop
from dlx.optimum.cuts import Cut, Point, Ranges, cardinality_cuts, clique_cuts, odd_set_cuts
from dlx.optimum.parameters import TUNED
from dlx.optimum.units import Units
from dlx.problem.problem import Problem
from dlx.problem.roles import Rows, ranges

KEPT = ("target", "increment", "sweeps", "warmth", "diving", "pairs")  # what a kernel has been told


class Root:
    """The root of a search: a kernel with valid dual values, which are not yet good."""

    def __init__(self, problem: Problem, units: Units, room: int, seed: int, loop: Loop) -> None:
        self._rows, self._ranges = with_ranges(problem.rows())
        self._alone = _owners(self._rows, problem.rows().n_items)
        self._cuts: list[Cut] = []
        self._units, self._seed, self._loop = units, seed, loop
        self._buffer = np.empty((room, max(problem.n_primary + 1, problem.max_level)), dtype=np.int32)
        self.kernel: Any = self._new_kernel()

    def _new_kernel(self) -> Any:
        weights = self._units.weights
        return new_kernel("branch_and_bound", self._rows, self._buffer, weights, self._seed, TUNED, self._ranges)

    @property
    def added(self) -> tuple[Cut, ...]:
        """The secondary items added to the problem, in order."""
        return (*(Cut((o,)) for o in self._alone.tolist()), *self._cuts)

    def anneal(self, sweeps: int, rounds: int, hottest: float | None = None, power: float = 1.0) -> bool:
        """Finds prices from hot to cold, so many sweeps at a temperature; False at a limit, or if nothing is left."""
        at_once = max(1, TUNED.swept // max(1, self.kernel.entries))
        temperature = self._units.hottest if hottest is None else hottest
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
            temperature *= TUNED.cooling
        self.kernel.keep()
        return not self._loop.over()

    def add_cuts(self, seed: int) -> int:
        """Adds cuts that the masses violate, and finds better prices; returns the number of cuts."""
        kernel = self.kernel
        spare = kernel.spare()
        for times in TUNED.softer:
            if not kernel.heat(spare * times):
                return 0
            kernel.anneal(TUNED.soft_sweeps)
            if times != TUNED.softer[-1]:
                kernel.cool()
        cuts = self._rounded(self._cardinality) or self._cliques(seed) or self._rounded(self._odd_sets)
        kernel.cool()
        kernel.keep()
        if cuts:
            self._add(cuts)
            self.anneal(TUNED.cut_sweeps, TUNED.cut_rounds, TUNED.warm * self.kernel.spare())
        return len(cuts)

    def _rounded(self, separate: Callable[[Point], list[Cut]]) -> list[Cut]:
        """Separates new cuts by rounding; if there are any, the items have ranges from then on."""
        kernel = self.kernel
        bounds = self._ranges
        if bounds is None:
            bounds = ranges(self._rows.n_items, self._rows.n_primary, self._rows.multiplicities)
        point = Point.of(self._rows, bounds, kernel.options_left(), kernel.path(), kernel.masses())
        cuts = [cut for cut in separate(point) if cut not in self._cuts][: self._wanted()]
        if cuts:
            self._ranges = bounds
        return cuts

    def _cardinality(self, point: Point) -> list[Cut]:
        return [cut for _, cut in cardinality_cuts(np.unique(point.items), point)]

    def _odd_sets(self, point: Point) -> list[Cut]:
        among = TUNED.items if self._ranges is not None else int((self._loop.updates / TUNED.cubed) ** (1 / 3))
        return odd_set_cuts(point, self._wanted(), among)

    def _cliques(self, seed: int) -> list[Cut]:
        kernel = self.kernel
        live = np.sort(kernel.options_left())
        masses, slacks = kernel.masses()[live], kernel.slacks()[live]
        return clique_cuts(self._rows, self._ranges, live, masses, slacks, self._wanted(), seed)

    def _wanted(self) -> int:
        """Returns the number of cuts that may be added now."""
        return min(TUNED.at_once, TUNED.all_added - len(self._cuts))

    def _add(self, cuts: list[Cut]) -> None:
        """Adds a secondary item for each cut, at no price."""
        live, chosen = self.kernel.options_left(), self.kernel.path()
        prices = np.append(self.kernel.prices(), np.zeros(len(cuts), np.int64))
        options = np.array([o for cut in cuts for o in cut.options], dtype=np.int64)
        self._rows = with_secondary(self._rows, options, np.array([len(cut.options) for cut in cuts]))
        if self._ranges is not None:
            self._ranges = np.append(self._ranges, np.array([cut[1:3] for cut in cuts], np.int32), axis=0)
        self._cuts += cuts
        self._exchange(lambda kernel: kernel.go_on_from(prices, live, chosen))

    def begin_again(self) -> None:
        """Goes back to where all options live and none is chosen, with the items added and the prices found."""
        prices = self.kernel.prices()
        self._exchange(lambda kernel: kernel.begin_with(prices))

    def _exchange(self, begin: Callable[[Any], None]) -> None:
        """Puts a new kernel in the place of the one that is there, once it has been told where to begin."""
        old, new = self.kernel, self._new_kernel()
        begin(new)
        new.lower(old.upper_bound)
        new.share_pairs(old)
        for name in KEPT:
            setattr(new, name, getattr(old, name))
        new.separate(old.levels)
        old.separate(1)  # its memory is no longer needed, its counters are
        self.kernel = new


def _owners(rows: Rows, n_items: int) -> npt.NDArray[np.int64]:
    """Returns the one option of each item from a number on."""
    if rows.n_items == n_items:
        return np.zeros(0, dtype=np.int64)
    there = np.flatnonzero(rows.indices >= n_items)
    return rows.owner[there[np.argsort(rows.indices[there])]].astype(np.int64)


def with_ranges(rows: Rows) -> tuple[Rows, Ranges | None]:
    """Returns the rows without multiplicities, and these as ranges of all items; None if every item is plain.

    An option that no item keeps from being chosen twice gets a secondary item of its own. Ranges end where more options
    than there are would be needed, so that what items cost at the worst stays within the kernel's numbers.
    """
    if rows.multiplicities is None:
        return rows, None
    bounds = ranges(rows.n_items, rows.n_primary, rows.multiplicities)
    least, most = rows.multiplicities.T
    there = np.bincount(rows.indices, minlength=rows.n_items)[: rows.n_primary]
    least = np.minimum(least, there + 1)  # one more than there are is never met either
    bounds[: rows.n_primary] = np.stack([least, np.maximum(np.maximum(1, least), np.minimum(most, there))], axis=1)
    ends = bounds[rows.indices, 1] == 1
    if rows.colours is not None:
        ends &= rows.colours == 0
    lasting = np.zeros(rows.n_options, dtype=np.bool_)
    lasting[rows.owner[rows.indices < rows.n_primary]] = True
    lasting[rows.owner[ends]] = False
    alone = np.flatnonzero(lasting)
    return with_secondary(rows._replace(multiplicities=None), alone, np.ones_like(alone)), np.append(
        bounds, np.tile(np.array([0, 1], dtype=np.int32), (len(alone), 1)), axis=0
    )


def with_secondary(rows: Rows, options: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Rows:
    """Returns the rows with a further secondary item for each set of options; `sizes` are those of the sets."""
    items = rows.n_items + np.repeat(np.arange(len(sizes)), sizes)
    order = np.argsort(options, kind="stable")
    before = np.append(0, np.cumsum(np.bincount(options, minlength=rows.n_options)))
    old = np.arange(len(rows.indices)) + np.repeat(before[:-1], np.diff(rows.indptr))
    indices, colours = np.zeros((2, len(rows.indices) + len(items)), dtype=np.int32)
    new = np.ones(len(indices), dtype=np.bool_)
    new[old] = False
    indices[old], indices[new] = rows.indices, items[order]
    if rows.colours is not None:
        colours[old] = rows.colours
    return rows._replace(
        indptr=(rows.indptr + before).astype(np.int32),
        indices=indices,
        n_items=rows.n_items + len(sizes),
        colours=None if rows.colours is None else colours,
    )
