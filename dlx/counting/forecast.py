"""A forecast of the states of a search in layers, from those that it has had: for its progress, and a portfolio."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LAST = 1000.0  # bits: no power of two here is larger
DAMPED = 0.5  # with 1, the forecast at half of the work was two thirds (mean of 30 problems)
TRUST = 0.2  # in a new estimate, the rest in those before it, so that the part of the search behind it hardly falls


class Forecast:
    """The expected number of states.

    Where the front has f bits, 2^f states may wait to be expanded, but 2^(r f) do. At first r grows fast from item to
    item, then less and less. Here it is taken to grow by half as much, until twice as many items are done, as it has
    grown since half as many were.

    Parameters:
        fronts: the bits of the front at each item (`dlx.counting.order.fronts`).
    """

    def __init__(self, fronts: npt.NDArray[np.float64]) -> None:
        self._fronts = np.maximum(1, fronts)
        self._times = np.log2(np.arange(len(fronts)) + 2)  # of the items: one passes while the items done double
        self._items, self._parts = [-1], [0.0]  # r at some items
        self._bits = min(LAST, float(np.logaddexp2.reduce(fronts, initial=0)))  # of all states
        self._begun = False

    def total(self, done: int, live: int) -> float:
        """Returns the number of states that are expected, with those that are expanded, and those that wait for it."""
        return max(float(np.exp2(self._bits)), float(done + live))

    def add(self, item: int, done: int, live: int) -> None:
        """Looks at the states that are expanded, and those that wait for it, when an item is being covered."""
        bits = float(np.log2(done + max(live, self._later(item, done, live))))
        self._bits += (bits - self._bits) * (TRUST if self._begun else 1)
        self._begun = True

    def _later(self, item: int, done: int, live: int) -> float:
        """Returns the number of states of the items behind this one, as far as it can be foreseen now."""
        if item >= len(self._fronts) - 1:
            return 0.0
        while self._items[-1] >= item:  # it is still the same one, or states of an earlier one have come back
            self._items.pop()
            self._parts.pop()
        self._items.append(item)
        self._parts.append(float(np.log2(1 + live)) / float(self._fronts[item]))
        now, times = self._times[item], self._times
        parts = np.interp(times, np.log2(np.add(self._items, 2)), self._parts)
        growth = max(0.0, self._parts[-1] - float(np.interp(now - 1, np.log2(np.add(self._items, 2)), self._parts)))
        most = max(1.0, self._parts[-1])  # an item that is covered several times has more than two states
        parts[item + 1 :] = np.minimum(most, self._parts[-1] + DAMPED * growth * (times[item + 1 :] - now))
        waiting = np.exp2(np.minimum(LAST, parts * self._fronts))
        each = min(1.0, done / float(waiting[: item + 1].sum()))  # part of the waiting states expanded at an item
        return each * float(waiting[item + 1 :].sum())
