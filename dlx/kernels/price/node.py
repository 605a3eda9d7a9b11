# cython: language_level=3
"""A node of a search for the best cover: what is chosen, live and open there, and what its prices leave out and force.

Exact cover with weights is set partitioning, and its linear program has a dual: give every item a *price*. The
*slack* of an option is the sum of its items' prices minus its weight. Where no slack is negative, and no secondary
item has a negative price, the score of a cover is at most the sum of all prices minus the slacks of its options. So
the sum of the prices bounds every score, and an option whose slack alone exceeds what the bound has above the score
still wanted is in no cover worth finding. Nor is anything that leaves an item open whose price exceeds that.

Prices, slacks and weights are int64 in a fixed-point unit, so every bound is exact.
"""

from collections import Counter

import cython
import numpy as np

from dlx.kernels.price.proof_log import ProofLog


class Node(ProofLog):
    """A node, at first the root: what is chosen, live and open there, what the items cost, and the bound.

    Parameters:
        rows, buffer: as for `ProofLog`.
        weights: int64, one for each option, in fixed-point units; they are maximised.
        ranges: int32, shape (n_items, 2): how often each item is to be covered at least and at most; or None, if that
            is once, and at most once for a secondary item. An option none of whose items ends with it, so that it
            could be chosen twice, is to have a secondary item of its own.
    """

    def __init__(self, rows, buffer, weights, ranges=None) -> None:
        ProofLog.__init__(self, rows, buffer, rows.n_primary + len(rows.indptr) + 3)
        n_items: cython.int = self.n_items
        self.indptr, self.indices, self.weight = rows.indptr, rows.indices, weights
        self.item = np.arange(n_items, dtype=np.int32)
        self.place = np.arange(n_items, dtype=np.int32)
        self.price = np.zeros((1, n_items), dtype=np.int64)
        self.slack = np.zeros(self.n_options, dtype=np.int64)
        self.size, self.witness = np.zeros((2, n_items), dtype=np.int32)
        self.work = np.zeros(n_items, dtype=np.float64)
        self.coloured = rows.colours is not None
        self.tinted = np.zeros(n_items, dtype=np.int8)
        self.shade, self.painted = np.zeros((2, n_items), dtype=np.int32)
        if self.coloured:
            self.colour = rows.colours
            np.asarray(self.tinted)[rows.indices[np.flatnonzero(rows.colours)]] = 1
        self.ranged = ranges is not None
        self.used = np.zeros(n_items, dtype=np.int32)
        if ranges is None:
            ranges = np.ones((n_items, 2), dtype=np.int32)
            ranges[self.n_primary :, 0] = 0
        self.least, self.most = np.ascontiguousarray(ranges.T)
        self.option = np.zeros(max(1, self.n_options), dtype=np.int32)
        self._list_usable()
        self.open, self.open_primary = n_items, int(np.count_nonzero(ranges[:, 0]))
        self.target = -(1 << 62)
        self.n_painted = self.n_chosen = self.row = 0
        self.gain = self.bound = 0
        self.dead = False

    def _list_usable(self):
        """Lists the options with a primary item: all live."""
        o: cython.int
        e: cython.int
        self.live = 0
        for o in range(self.n_options):
            for e in range(self.indptr[o], self.indptr[o + 1]):
                if self.indices[e] < self.n_primary:
                    self.option[self.live] = o
                    self.live += 1
                    break
        self.n_usable = self.live

    def options_left(self) -> np.ndarray:
        """The options that live, at the root those that may be in a cover worth finding; int32."""
        return np.asarray(self.option)[: self.live].copy()

    def slacks(self) -> np.ndarray:
        """The slacks of the options that live; int64, shape (n_options,)."""
        return np.asarray(self.slack)

    def _cost(self, i, price):
        """What an open item adds to the bound: its price, so many times as it is still to be covered at the worst."""
        if not self.ranged:
            return price
        if price > 0:
            return price * (self.most[i] - self.used[i])
        return price * max(0, self.least[i] - self.used[i])

    def _need(self, i):
        """How often an open item is still to be covered at least."""
        if not self.ranged:
            return 1 if i < self.n_primary else 0
        return max(0, self.least[i] - self.used[i])

    def _once(self, i):
        """Whether an open item is still to be covered exactly once."""
        return i < self.n_primary and (
            not self.ranged or (self.most[i] == self.used[i] + 1 and self.least[i] == self.most[i])
        )

    def _price(self, i):
        """What an open item costs: nothing where paying for it is no longer needed, and it would be paid for."""
        price: cython.longlong = self.price[self.row, i]
        if self.ranged and price < 0 and self.used[i] >= self.least[i]:
            return 0
        return price

    def _filter(self):
        """Drops live options that clash or have too much slack, and counts the rest; False if the bound is too low."""
        allowed: cython.longlong = self.bound - self.target
        share: cython.double
        total: cython.longlong
        e: cython.int
        i: cython.int
        o: cython.int
        k: cython.int
        end: cython.int
        if allowed < 0:
            return False
        for k in range(self.open):
            self.size[self.item[k]] = 0
            self.work[self.item[k]] = 0.0
        k = 0
        while k < self.live:
            o = self.option[k]
            total = -self.weight[o]
            end = self.indptr[o + 1]
            for e in range(self.indptr[o], end):
                i = self.indices[e]
                if self._clashes(e):
                    total = -1
                    break
                total += self._price(i)
            self.updates += 1
            if total < 0 or total > allowed:
                self._drop(k)
                continue
            self.slack[o] = total
            share = 1.0 - cython.cast(cython.double, total) / (allowed + 1.0)
            share *= share
            for e in range(self.indptr[o], end):
                i = self.indices[e]
                self.size[i] += 1
                self.work[i] += share
                self.witness[i] = o
            k += 1
        return True

    def _drop(self, k):
        """Takes the option at place k out of the live ones."""
        o: cython.int = self.option[k]
        self.live -= 1
        self.option[k] = self.option[self.live]
        self.option[self.live] = o

    def _cover_forced(self):
        """Covers the items of one live option that have to be covered; whether the bound may have changed.

        `dead` if such an item has none. One that need not be covered, and has none, is closed; its price comes back.
        """
        k: cython.int = 0
        i: cython.int
        need: cython.int
        forced: cython.bint = False
        self.dead = False
        while k < self.open:
            i = self.item[k]
            need = self._need(i)
            if need == 0 and self.size[i] == 0:
                forced = forced or self._price(i) > 0
                self.bound -= self._cost(i, self._price(i))
                self._close(i)
                continue
            if self.ranged or need == 0:
                need = self._paid(i, need)
            if self.size[i] > need or need == 0:
                k += 1
            elif self.size[i] < need or not self._fits(self.witness[i]):
                self.dead = True
                if self.recording:
                    self._record_item(i, -1)
                return False
            else:
                self.nodes += 1
                if self.recording:
                    self._record_item(i, self.witness[i])
                self._choose(self.witness[i])
                forced = True
                k += self.place[i] == k  # still open: what is left of it has to be counted again
        return forced

    def _paid(self, i, need):
        """How often an open item has to be covered at least, if no more than the slack to spend is to be lost on it."""
        price: cython.longlong = self._price(i)
        room: cython.int = self.most[i] - self.used[i]
        allowed: cython.longlong = self.bound - self.target
        if room == need or price <= 0 or allowed < 0 or price * (room - need) <= allowed:
            return need
        return room - cython.cast(cython.int, allowed // price)

    def _choose(self, o):
        """Adds option o to the chosen ones, and pays for its items, which are no longer open if they have had all."""
        e: cython.int
        i: cython.int
        self.chosen[self.n_chosen] = o
        self.n_chosen += 1
        self.gain += self.weight[o]
        self.bound += self.weight[o]
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            if self.coloured and self.colour[e] != 0:
                self._paint(i, self.colour[e])
                continue
            self.bound -= self._cost(i, self.price[self.row, i])
            if self.ranged:
                self.used[i] += 1
                self.open_primary -= self.used[i] == self.least[i]
                if self.used[i] < self.most[i]:
                    self.bound += self._cost(i, self.price[self.row, i])
                    continue
            else:
                self.open_primary -= i < self.n_primary
            self._close(i)

    def _close(self, i):
        """Takes an item out of the open ones."""
        k: cython.int = self.place[i]
        self.open -= 1
        self.item[k] = self.item[self.open]
        self.place[self.item[k]] = k
        self.item[self.open] = i
        self.place[i] = self.open

    def _paint(self, i, colour):
        """Gives item i a colour, if it has none; if it has one it is this one."""
        if self.shade[i] == 0:
            self.shade[i] = colour
            self.painted[self.n_painted] = i
            self.n_painted += 1

    def _clashes(self, e):
        """Whether the item of entry e is covered, or has been given another colour."""
        i: cython.int = self.indices[e]
        if self.place[i] >= self.open:
            return True
        return self.coloured and self.shade[i] != 0 and self.shade[i] != self.colour[e]

    def _fits(self, o):
        """Whether all items of option o are open."""
        e: cython.int = self.indptr[o]
        end: cython.int = self.indptr[o + 1]
        while e < end and not self._clashes(e):
            e += 1
        return e == end

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; to be called between two runs, by tests."""
        self._check_frame()
        option = np.asarray(self.option)[: self.n_usable].tolist()
        item = np.asarray(self.item).tolist()
        assert sorted(item) == list(range(self.n_items)), "item is no permutation"
        assert len(set(option)) == len(option), "option is no permutation"
        for k, i in enumerate(item):
            assert self.place[i] == k, f"place[{i}] is {self.place[i]}, not {k}"
        chosen = np.asarray(self.chosen)[: self.n_chosen].tolist()
        on_path = [e for o in chosen for e in range(self.indptr[o], self.indptr[o + 1])]
        times = Counter(self.indices[e] for e in on_path if not self.coloured or self.colour[e] == 0)
        full = {i for i, n in times.items() if n == self.most[i]}
        lives = {self.indices[e] for o in option[: self.live] for e in range(self.indptr[o], self.indptr[o + 1])}
        spare = {i for i in item[self.open :] if i not in lives and times[i] >= self.least[i]}
        assert full <= {*item[self.open :]} <= full | spare, "an item is open that may be covered no more, or closed"
        needed = sum(times[i] < self.least[i] for i in item[: self.open])
        assert self.open_primary == needed, f"open_primary is {self.open_primary}, not {needed}"
        if self.ranged:
            assert all(self.used[i] == times[i] for i in range(self.n_items)), "used is not what was chosen"
        shades = {self.indices[e]: self.colour[e] for e in on_path if self.coloured and self.colour[e] != 0}
        assert all(self.shade[i] == shades.get(i, 0) for i in range(self.n_items)), "shade is not what was chosen"
        gain = sum(self.weight[o] for o in chosen)
        assert self.gain == gain, f"gain is {self.gain}, not {gain}"
        prices = np.asarray(self.price[self.row]).tolist()
        still = {i: (self.least[i] - times[i], self.most[i] - times[i]) for i in item[: self.open]}
        bound = gain + sum(prices[i] * (most if prices[i] > 0 else max(0, least)) for i, (least, most) in still.items())
        assert self.bound == bound, f"bound is {self.bound}, not {bound}"
        assert min((prices[i] for i in still if self.least[i] == 0), default=0) >= 0, "a price is below 0"
        for o in option[: self.live]:
            items = np.asarray(self.indices)[self.indptr[o] : self.indptr[o + 1]].tolist()
            slack = sum(self._price(i) for i in items) - self.weight[o]
            assert slack >= 0 or any(self.place[i] >= self.open for i in items), f"option {o} has the slack {slack}"
