"""A forecast of the number of states of a search in layers, for its progress and for the portfolio."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

LAST = 1000.0  # bits: no power of two here is larger
DAMPED = 0.3  # growth of r in a doubling, as a fraction of its growth in the previous doubling
SPAN = 0.15  # doublings of the items done; r is the mean of its value now and this many doublings ago
EARLY = 1.7  # the forecast is raised while more than this number of doublings remain
RAISED = 2.6  # bits by which each of these doublings raises the forecast
TRUST = 0.3  # weight of a new estimate in the running mean; small, so that `fraction` hardly falls


class Forecast:
    """The expected number of states.

    If the front has f bits, up to 2^f states may wait, and 2^(r f) states wait. The growth of r slows down. The model:
    while the number of items done doubles, r grows 0.3 times as much as during the doubling before. Early forecasts by
    this model are too low, so the forecast is raised while less than a third of the items are done. The constants are
    fitted to benchmarks/choice.py.

    Parameters:
        fronts: the bits of the front at each item (`dlx.counting.order.fronts`).
    """

    def __init__(self, fronts: npt.NDArray[np.float64]) -> None:
        self._fronts = np.maximum(1, fronts)
        self._times = np.log2(np.arange(len(fronts)) + 2)  # the unit is a doubling of the items done
        self._items, self._parts = [-1], [0.0]  # items, and r at each item
        self._bits = min(LAST, float(np.logaddexp2.reduce(fronts, initial=0)))  # log2 of the expected states
        self._begun = False

    def total(self, done: int, live: int) -> float:
        """Returns the expected number of states, at least `done + live`."""
        return max(float(np.exp2(self._bits)), float(done + live))

    def add(self, item: int, done: int, live: int) -> None:
        """Updates the forecast with the states expanded and waiting while an item is covered."""
        doublings = float(np.log2((len(self._fronts) + 1) / (item + 1)))
        raised = 2.0 ** (RAISED * max(0.0, doublings - EARLY))
        bits = min(LAST, float(np.log2(done + max(live, raised * self._later(item, done, live)))))
        self._bits += (bits - self._bits) * (TRUST if self._begun else 1)
        self._begun = True

    def _later(self, item: int, done: int, live: int) -> float:
        """Returns the expected number of states of the items after this one."""
        if item >= len(self._fronts) - 1:
            return 0.0
        while self._items[-1] >= item:  # the same item again, or waiting states of an earlier item
            self._items.pop()
            self._parts.pop()
        self._items.append(item)
        self._parts.append(float(np.log2(1 + live)) / float(self._fronts[item]))
        now, times, known = self._times[item], self._times, np.log2(np.add(self._items, 2))
        parts = np.interp(times, known, self._parts)
        recent, before = np.interp([[now, now - SPAN], [now - 1, now - 1 - SPAN]], known, self._parts).mean(axis=1)
        most = max(1.0, recent)  # an item that is covered several times has more than two states
        growth = DAMPED * max(0.0, recent - before) * (times[item + 1 :] - now)
        parts[item + 1 :] = np.minimum(most, recent + growth)
        waiting = np.exp2(np.minimum(LAST, parts * self._fronts))
        each = min(1.0, done / float(waiting[: item + 1].sum()))  # waiting states expanded at an item, a fraction
        return each * float(waiting[item + 1 :].sum())
