"""The order of the items for a search that merges states; the front should always be small.

Choices are forgotten except for the *front*: the items that share an option with an earlier item in the order, and are
not yet covered. A state is the subset of the front that is still open, so a front of f items has up to 2^f states. A
board of 4 x 50 has a front of 4 cells by columns, and of 50 by rows.

A good order, in one direction or the other, is often a breadth-first search from an outermost item that visits
neighbours with few options first (E. Cuthill, J. McKee, 1969, doi:10.1145/800195.805928). A. George and J. W. H. Liu
(1979, doi:10.1145/355841.355845) begin such a search at the last item of another one. On boards, straight sweeps are
better (`sweeps`). A grown order continues with the item that makes the front grow least (`Growth`). On 72 problems of
benchmarks/choice.py, four grown orders, from both ends and with ties broken in two ways, saved no states on average.
"""

from __future__ import annotations

from contextlib import suppress
from heapq import heappop, heappush
from operator import attrgetter
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.counting.sweeps import sweeps
from dlx.engine.limits import Over, StoppedError, check_limits, never
from dlx.problem.checks import frozen
from dlx.problem.roles import Rows

Order: TypeAlias = npt.NDArray[np.int64]  # primary items by their numbers, each once
Floats: TypeAlias = npt.NDArray[np.float64]

AT_ONCE = 64  # items between two checks of the limits, some milliseconds if each item has 64 options

# 1: only likely states count; 0: all conceivable states. On 41 problems, the best of ten orders by this estimate had
# 0.11 bits more states on average than the best order; 0.13 with 1/4 or 1/2, 0.17 with 1, 0.20 with 0. With 0.4,
# tetrominoes on 12 x 10 are counted by rows, in 9.9 million states instead of 21.8 million.
FLAT = 0.4

# Growing an order takes 0.5 us for each pair of items in an option; a state takes some hundred nanoseconds. So whether
# an order pays depends on the bits of the states minus the bits of the pairs:
STRAIGHT = 3.0  # bits from which sweeps pay
FIRST = 6.0  # bits from which a grown order pays
PAIRS = 1 << 17  # no grown order beyond this number of pairs, at which it takes 0.1 s


class Ordering(NamedTuple):
    """An order, with the binary logarithm of its estimated states."""

    bits: float
    order: Order


def smallest_front(rows: Rows, over: Over = never) -> Order:
    """Returns the order of the primary items with the fewest estimated states; a limit ends the trials early."""
    front = Front(rows)
    best = front.found(np.arange(rows.n_primary))
    with suppress(StoppedError):
        outwards = breadth_first(rows, over)
        best = _better(front, best, outwards)
        least = np.log2(max(1, pairs(rows)))
        if best.bits - least < STRAIGHT or not rows.n_primary:
            return best.order
        for order in sweeps(rows, int(outwards[-1]), over):
            best = _better(front, best, order)
        if best.bits - least >= FIRST and pairs(rows) <= PAIRS:
            grown = Growth(rows.n_primary, neighbours(rows, over))
            best = _better(front, best, grown.order_from(int(outwards[0]), over))
    return best.order


def pairs(rows: Rows) -> int:
    """Returns the sum of the squared sizes of the options: ordered pairs of items, equal ones included."""
    return int((np.diff(rows.indptr).astype(np.int64) ** 2).sum())


def _better(front: Front, best: Ordering, order: Order) -> Ordering:
    """Returns the best of three: the best order so far, this order, and its reverse."""
    return min(best, front.found(order), front.found(order[::-1]), key=attrgetter("bits"))


def fronts(rows: Rows, order: Order) -> Floats:
    """Returns the bits of the front at each item of an order."""
    return Front(rows).bits(order)


class Front:
    """The bits of the front for any order of the rows, if its items are assumed to be independent.

    An item with u options, k of which could have been chosen so far, counts as covered with probability k / u: it has
    few bits if k is near 0 or near u.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        n = rows.n_primary
        first = np.minimum.reduceat(np.append(rows.indices, n), rows.indptr[:-1])
        self._usable = (first < n)[rows.owner]
        items = np.sort(rows.indices[self._usable])
        uses = np.bincount(items, minlength=rows.n_items)
        k = np.arange(len(items)) - (np.cumsum(uses) - uses)[items]
        p = (k / uses[items])[inner := k > 0]
        entropy = -p * np.log2(p) - (1 - p) * np.log2(1 - p)
        here = np.zeros(len(inner) + 1)
        here[:-1][inner] = entropy**FLAT
        self._growth = here[1:] - here[:-1]  # the change of an item's bits at each of its options

    def bits(self, order: Order) -> Floats:
        """Returns the bits of the front at each item of an order."""
        rows, n = self._rows, self._rows.n_primary
        place = np.full(rows.n_items, n, dtype=np.int64)
        place[order] = np.arange(n)
        chosen = np.minimum.reduceat(np.append(place[rows.indices], n), rows.indptr[:-1])[rows.owner]
        turn = np.sort((rows.indices * np.int64(n) + chosen)[self._usable]) % max(1, n)
        found: Floats = np.cumsum(np.bincount(turn, self._growth, minlength=n))
        return found

    def found(self, order: Order) -> Ordering:
        """Returns an order with the estimate of its states."""
        return Ordering(float(np.logaddexp2.reduce(self.bits(order), initial=0)), order)


def breadth_first(rows: Rows, over: Over = never) -> Order:
    """Returns the primary items by breadth-first search, in each component from an outermost item."""
    uses = np.diff(rows.by_item.begin)
    sizes, items, first = uses.tolist(), rows.indices.tolist(), rows.indptr.tolist()
    options, begin = rows.by_item.option.tolist(), rows.by_item.begin.tolist()

    def reached(start: int) -> list[int]:
        """Returns a component in breadth-first order from `start`; new neighbours with few options come first."""
        order, seen, done = [start], {start}, set()
        for k, i in enumerate(order):
            if k % AT_ONCE == 0:
                check_limits(over)
            beside = []
            for o in options[begin[i] : begin[i + 1]]:
                if o not in done:
                    done.add(o)
                    fresh = [j for j in items[first[o] : first[o + 1]] if j not in seen]
                    seen.update(fresh)
                    beside += fresh
            order += sorted(beside, key=sizes.__getitem__)
            if len(order) == left:
                break
        return order

    order: list[int] = []
    seen: set[int] = set()
    left = rows.n_primary + int(np.count_nonzero(uses[rows.n_primary :]))  # items that are in no component yet
    for start in np.argsort(uses[: rows.n_primary], kind="stable").tolist():
        if start not in seen:
            component = reached(reached(start)[-1])
            order += component
            seen.update(component)
            left -= len(component)
    return np.array([i for i in order if i < rows.n_primary], dtype=np.int64)


def renumbered(rows: Rows, order: Order) -> Rows:
    """Returns the rows renumbered: item k was item `order[k]`."""
    place = np.arange(rows.n_items, dtype=np.int32)
    place[order] = np.arange(rows.n_primary, dtype=np.int32)
    times = rows.multiplicities
    times = None if times is None else frozen(times[order])
    return rows._replace(indices=frozen(place[rows.indices]), multiplicities=times)


def neighbours(rows: Rows, over: Over = never) -> list[set[int]]:
    """Returns for each item itself and the items that share an option with it."""
    beside: list[set[int]] = [{i} for i in range(rows.n_items)]
    items, first = rows.indices.tolist(), rows.indptr.tolist()
    for o in range(rows.n_options):
        if o % AT_ONCE == 0:
            check_limits(over)
        option = items[first[o] : first[o + 1]]
        for i in option:
            beside[i].update(option)
    return beside


class Growth:
    """Grows an order; the next item is the one that makes the front grow least.

    The front grows by the new neighbours of an item, and loses the item and each secondary item whose last primary
    neighbour it is (S. W. Sloan 1986, doi:10.1002/nme.1620230208). Among equal items, the one reached first is next.
    The distance from an end, a further term of Sloan's, made the orders worse.
    """

    def __init__(self, n_primary: int, beside: list[set[int]]) -> None:
        self._n, self._beside = n_primary, beside
        self._order: list[int] = []
        self._growth = [len(some) for some in beside]
        self._left = [sum(w < n_primary for w in some) for some in beside]  # primary neighbours not yet in the order
        self._reached, self._done = [False] * len(beside), [False] * len(beside)
        self._reached_at = [0] * len(beside)  # the length of the order when each item was reached
        self._heap: list[tuple[int, int, int]] = []  # candidates; outdated entries stay and are skipped
        self._others = iter(range(n_primary))

    def order_from(self, first: int, over: Over = never) -> Order:
        """Returns the order that begins with an item."""
        self._take(first)
        while len(self._order) < self._n:
            if len(self._order) % AT_ONCE == 0:
                check_limits(over)
            self._take(self._next())
        return np.array(self._order)

    def _take(self, v: int) -> None:
        """Appends an item to the order."""
        self._order.append(v)
        self._done[v] = True
        for w in self._beside[v]:
            if not self._reached[w]:
                self._reach(w)
        for s in self._beside[v]:
            self._left[s] -= 1
            if s >= self._n and self._left[s] == 1:
                last = next(w for w in self._beside[s] if w < self._n and not self._done[w])
                self._changes(last)

    def _reach(self, v: int) -> None:
        """Adds an item to the front."""
        self._reached[v] = True
        self._reached_at[v] = len(self._order)
        for w in self._beside[v]:
            self._changes(w)

    def _changes(self, v: int) -> None:
        """Lowers the growth of an item by 1."""
        self._growth[v] -= 1
        if v < self._n and not self._done[v]:
            heappush(self._heap, (self._growth[v], self._reached_at[v], v))

    def _next(self) -> int:
        """Returns the candidate with the least growth; without candidates, the first item left."""
        while self._heap:
            growth, _, v = heappop(self._heap)
            if growth == self._growth[v] and not self._done[v]:
                return v
        return next(v for v in self._others if not self._done[v])
