# cython: language_level=3
"""A node of a search for the best cover: its live options and open items, their prices and its bound.

Exact cover with weights is set partitioning. In the dual of its linear program, every item has a *price*, its dual
value. The *slack* of an option, its reduced cost, is the sum of its items' prices minus its weight. If no slack is
negative, and no secondary item has a negative price, the score of a cover is at most the sum of all prices minus the
slacks of its options. So the sum of the prices is an upper bound. The *allowed slack* is this bound minus the target
score. An option with more slack is in no cover that reaches the target, and such a cover contains every item whose
price exceeds the allowed slack. Prices, slacks and weights are int64 in a fixed-point unit, so every bound is exact.

Three steps improve the bound of a node, from its live options:

1. *Soft sweeps* at a temperature t. With masses exp(-slack / t), scaling the masses of an item's options to the sum 1
   is exact coordinate descent on the smoothed dual (matrix scaling: R. Sinkhorn, P. Knopp, Pacific J. Math. 21 (1967),
   doi:10.2140/pjm.1967.21.343). A sweep only multiplies and adds; exponentials are computed once per option.
2. *Hard sweeps*: each item's price is lowered or raised until its least slack is 0. After one sweep no slack is
   negative.
3. *Propagation*: options with too much slack are dropped, and items with a single option are covered, until nothing
   changes. An optional item must be covered if its price exceeds the allowed slack. An optional item without options is
   closed, and the bound falls by its price.

Only the masses are floating-point numbers, and they affect only the order of the search.
"""

from collections import Counter

import cython
import numpy as np

from dlx.kernels.cover.frame import usable

if not cython.compiled:
    from math import exp, fabs, floor, log, pow

    PRICES, ITEM, OPTION, PAIR, END = range(5)  # as in the header

WHOLE_MASS = cython.declare(cython.double, 0.01)  # maximum distance of a mass to a whole number
NO_BOUND = cython.declare(cython.longlong, (1 << 62) - 1 + (1 << 62))


class ProofLog:
    """The steps of a search tree, each before the steps below it; steps are recorded after `open`.

    The kinds are PRICES, ITEM, OPTION, PAIR and END; `Certificate.steps` explains them.

    Parameters:
        n_items, n_options: the numbers of items and options.
    """

    def __init__(self, n_items: cython.int, n_options: cython.longlong) -> None:
        self.n_items = n_items
        self.is_open = False
        self.record = np.zeros(1, dtype=np.int64)
        self.recorded = 0
        self.margin = 4 * (self.n_items + 2) + 5 * n_options + 64

    def open(self, rounds: cython.longlong, room: cython.longlong) -> None:
        """Records all steps from now on.

        Parameters:
            rounds: the most PRICES steps at the root.
            room: the numbers for further steps; a search returns when the steps of another node may not fit.
        """
        self.record = np.empty(rounds * (self.n_items + 2) + 2 * self.margin + room, dtype=np.int64)
        self.is_open = True

    def take(self) -> np.ndarray:
        """Removes and returns the recorded steps; int64."""
        if self.recorded > self.record.shape[0]:
            raise MemoryError(f"{self.recorded} numbers do not fit in a log of {self.record.shape[0]}")
        taken = np.asarray(self.record)[: self.recorded].copy()
        self.recorded = 0
        return taken

    def is_full(self):
        """Returns whether the steps of another node may not fit."""
        return self.is_open and self.record.shape[0] - self.recorded < self.margin

    def write(self, number):
        if self.recorded < self.record.shape[0]:
            self.record[self.recorded] = number
        self.recorded += 1

    def step(self, kind, numbers):
        self.write(kind)
        self.write(numbers)

    def prices(self, prices, place, open):
        """Records new prices; closed items get price 0."""
        if self.is_open:
            self.step(PRICES, self.n_items)
            for i in range(self.n_items):
                self.write(prices[i] if place[i] < open else 0)

    def item(self, i, o):
        """Records that item i must be covered by option o, or cannot be covered (o=-1)."""
        if self.is_open:
            self.step(ITEM, 1 + (o >= 0))
            self.write(i)
            if o >= 0:
                self.write(o)

    def sides(self, kind, one, other, first):
        """Records a branching by an OPTION or a PAIR of items; unless `first` is true, the second side is first."""
        if self.is_open:
            self.step(kind, 2 + (kind == PAIR))
            self.write(one)
            if kind == PAIR:
                self.write(other)
            self.write(first)

    def end(self):
        if self.is_open:
            self.step(END, 0)

    def check(self) -> None:
        """Verifies that the record consists of whole steps, each of a known kind."""
        at: cython.longlong = 0
        assert self.recorded <= self.record.shape[0], f"{self.recorded} numbers in a log of {self.record.shape[0]}"
        while at < self.recorded:
            assert PRICES <= self.record[at] <= END, f"record[{at}] is {self.record[at]}, which is no kind of step"
            at += 2 + self.record[at + 1]
        assert at == self.recorded, f"the last step ends at {at}, not at {self.recorded}"


class Node:
    """A node, at first the root: its chosen and live options, its open items and their prices, its bound.

    Parameters:
        rows: as for `Frame`.
        weights: int64, one for each option, in fixed-point units; they are maximised.
        ranges: int32, shape (n_items, 2): the least and the most times that each item is covered. An option may be
            chosen as often as its items allow, so an option that may be chosen only once may need a secondary item of
            its own.
        depth: the most options that can be chosen on a path.
    """

    def __init__(self, rows, weights, ranges, depth: cython.int) -> None:
        self.n_primary = rows.n_primary
        n = self.n_options = rows.n_options
        self.nodes = self.updates = self.update_limit = 0
        self.chosen = np.zeros(depth, dtype=np.int32)
        self.weight = weights
        self.option = np.empty(max(1, n), dtype=np.int32)
        self.slack, self.trial_slack = np.zeros((2, n), dtype=np.int64)
        self.mass = np.zeros(n, dtype=np.float64)
        self.target = -(1 << 62)
        self.level = self.row = self.sweeps = 0
        self.warmth = 3.0
        self.diving = 0.0
        self.fathomed = False
        self._take_rows(rows, ranges)
        some = np.flatnonzero(usable(rows))
        np.asarray(self.option)[: len(some)] = some
        self.live = self.n_usable = len(some)
        self.repeated = ranges.max(initial=0) > 1 and (rows.rooms(ranges[:, 1])[some] > 1).any()
        self._first_prices()

    def _take_rows(self, rows, ranges):
        """Sets the items and entries of the rows; nothing is chosen, all items are open, and all prices are 0."""
        n = self.n_items = rows.n_items
        self.log = ProofLog(n, self.n_options)
        self.indptr, self.indices, self.entries = rows.indptr, rows.indices, len(rows.indices)
        self.coloured = rows.colours is not None
        self.takes_colours = rows.takes_colours.astype(np.int8)
        if self.coloured:
            self.colour = rows.colours
        bounds: cython.int[:, ::1] = np.ascontiguousarray(ranges.T)
        self.least, self.most = bounds[0], bounds[1]
        # These arrays are rows of one block, since each allocation takes a microsecond.
        ints: cython.int[:, ::1] = np.zeros((11, n + 1), dtype=np.int32)
        longs: cython.longlong[:, ::1] = np.zeros((4, n), dtype=np.int64)
        reals: cython.double[:, ::1] = np.zeros((4, n), dtype=np.float64)
        self.item, self.place, self.first_of = ints[0, :n], ints[1, :n], ints[2]
        self.size, self.times, self.witness, self.used = ints[3, :n], ints[4, :n], ints[5, :n], ints[6, :n]
        self.shade, self.painted, self.begin, self.fill = ints[7, :n], ints[8, :n], ints[9, :n], ints[10, :n]
        self.price, self.trial, self.kept, self.open_price = longs[:1], longs[1], longs[2], longs[3]
        self.work, self.factor, self.at_zero, self.room = reals[0], reals[1], reals[2], reals[3]
        self.member = np.zeros(len(rows.indices) + 1, dtype=np.int32)
        self.open = n
        self.n_painted = self.n_chosen = self.open_primary = 0
        for i in range(n):
            self.item[i] = self.place[i] = i
            self.open_primary += self.least[i] > 0
        self.gain = self.bound = self.allowed = 0
        self.dead = False
        # Sums of prices stay within int64, also after hard sweeps.
        largest, times = int(np.diff(rows.indptr).max(initial=1)), int(np.asarray(self.most).sum(dtype=np.int64))
        self.price_limit = 2.0**60 / (4.0 * (largest + 1.0) * (max(times, largest) + 1.0))
        self.closed = -(NO_BOUND // (2 * (largest + 1)))

    def options_left(self) -> np.ndarray:
        """Returns the live options, int32; at the root, all options that can be in a cover that reaches the target."""
        return np.asarray(self.option)[: self.live].copy()

    def slacks(self) -> np.ndarray:
        """Returns the slacks, int64, shape (n_options,); valid for live options."""
        return np.asarray(self.slack)

    # Open items, and the options that fit

    def _need(self, i):
        return max(0, self.least[i] - self.used[i])

    def _once(self, i):
        return i < self.n_primary and self.most[i] == self.used[i] + 1 and self.least[i] == self.most[i]

    def _room(self, o):
        """Returns the number of times that live option o may still be chosen."""
        room: cython.int = self.n_options
        for e in range(self.indptr[o], self.indptr[o + 1]):
            if not self.coloured or self.colour[e] == 0:
                i = self.indices[e]
                room = min(room, self.most[i] - self.used[i])
        return room

    def _supply(self, i):
        """Returns the most times that the live options can cover an open item."""
        return self.times[i] if self.repeated else self.size[i]

    def _price(self, i):
        """Returns the price of an open item; 0 if the price is negative and the item need not be covered again."""
        price = self.price[self.row, i]
        if price < 0 and self.used[i] >= self.least[i]:
            return 0
        return price

    def _cost(self, i, price):
        """Returns an open item's part of the bound: its price times the number of uses that makes the bound largest."""
        if price > 0:
            return price * (self.most[i] - self.used[i])
        return price * self._need(i)

    def _has(self, o, i):
        for e in range(self.indptr[o], self.indptr[o + 1]):
            if self.indices[e] == i:
                return True
        return False

    def _fits(self, o):
        """Returns whether all items of option o are open, and none has another colour."""
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            if self.place[i] >= self.open:
                return False
            if self.coloured and self.shade[i] != 0 and self.shade[i] != self.colour[e]:
                return False
        return True

    # Choosing and dropping options

    def _choose(self, o):
        """Chooses option o: subtracts the prices of its items from the bound, and closes items that are full."""
        self.chosen[self.n_chosen] = o
        self.n_chosen += 1
        self.gain += self.weight[o]
        self.bound += self.weight[o]
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            if self.coloured and self.colour[e] != 0:
                if self.shade[i] == 0:  # otherwise the item already has this colour
                    self.shade[i] = self.colour[e]
                    self.painted[self.n_painted] = i
                    self.n_painted += 1
                continue
            self.bound -= self._cost(i, self.price[self.row, i])
            self.used[i] += 1
            self.open_primary -= self.used[i] == self.least[i]
            if self.used[i] == self.most[i]:
                self._close(i)
            else:
                self.bound += self._cost(i, self.price[self.row, i])

    def _choose_masses(self):
        """Chooses all options with mass; returns False if a mass is not whole, or if two options clash."""
        for k in range(self.live):
            o = self.option[k]
            mass = self.mass[o]
            while mass > WHOLE_MASS:
                if mass < 1.0 - WHOLE_MASS or not self._fits(o):
                    return False
                self._choose(o)
                mass -= 1.0
        return True

    def _close(self, i):
        k = self.place[i]
        self.open -= 1
        self.item[k] = self.item[self.open]
        self.place[self.item[k]] = k
        self.item[self.open] = i
        self.place[i] = self.open
        self.open_price[i] = self.closed

    def _drop(self, k):
        o = self.option[k]
        self.live -= 1
        self.option[k] = self.option[self.live]
        self.option[self.live] = o

    def _keep_side(self, i, j, together):
        """Drops the live options with exactly one of two items (`together`), or the live options with both."""
        k: cython.int = 0
        while k < self.live:
            o = self.option[k]
            one = self._has(o, i)
            other = self._has(o, j)
            if (one == other) if together else not (one and other):
                k += 1
            else:
                self._drop(k)

    # A node

    def path(self) -> tuple:
        """Returns the options chosen so far, including forced options."""
        return tuple(np.asarray(self.chosen)[: self.n_chosen].tolist())

    def _descend(self):
        """Goes to the next level, which starts with the prices of this level."""
        self.level += 1
        if self.level < self.price.shape[0]:
            for k in range(self.open):
                i = self.item[k]
                self.price[self.level, i] = self.price[self.row, i]
            self.row = self.level

    def _sweep(self):
        """Makes sweeps at a node below the root; returns False if the prices do not improve.

        The temperature is `diving` if `diving` is positive, otherwise `warmth` times the allowed slack per open item.
        """
        temperature = self.diving
        if temperature <= 0:
            allowed = cython.cast(cython.double, self.bound - self.target + 1)
            temperature = self.warmth * allowed / max(1, self.open_primary)
        self._heat(temperature)
        self._soften(self.sweeps, 1.0)
        return self._cool(False)

    # Step 1: soft sweeps, by masses at a temperature

    def _heat(self, temperature):
        """Lists the live options of each open item, and computes their masses at a temperature."""
        self.temperature = temperature
        self._list_members()
        for k in range(self.live):
            o = self.option[k]
            self.mass[o] = exp(-cython.cast(cython.double, self.slack[o]) / temperature)
        for k in range(self.open):
            self.factor[k] = 1.0
            self.at_zero[k] = 0.0
            i = self.item[k]
            self.room[k] = self.most[i] - self.used[i]
            if self._need(i) < self.room[k]:
                exponent = -cython.cast(cython.double, self._price(i)) / temperature
                self.at_zero[k] = exp(max(-500.0, min(exponent, 500.0)))

    def _list_members(self):
        end: cython.int = 0
        for k in range(self.open):
            i = self.item[k]
            self.begin[i] = self.fill[i] = self.first_of[k] = end
            end += self.size[i]
        self.first_of[self.open] = end
        for k in range(self.live):
            o = self.option[k]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                i = self.indices[e]
                self.member[self.fill[i]] = o
                self.fill[i] += 1

    def _soften(self, sweeps, power):
        """Scales the masses of each open item's options until their sum is in its range, with a price nearest to 0.

        Scaling by a power of this factor between 1 and 2 is successive over-relaxation (D. Young, Trans. Amer.
        Math. Soc. 76 (1954), doi:10.1090/S0002-9947-1954-0059635-7). The first two sweeps are not relaxed.

        Not faster at nodes: stopping when prices change little, skipping items with little change (both 3 to 19 %
        slower), over-relaxation (18 % slower), contiguous masses, and two or four masses at a time.
        """
        self.updates += cython.cast(cython.longlong, self.live) * sweeps
        for s in range(sweeps):
            relaxed: cython.bint = power != 1.0 and s > 1
            for k in range(self.open):
                begin, end = self.first_of[k], self.first_of[k + 1]
                if self.coloured and self.takes_colours[self.item[k]]:
                    continue
                total = 1e-300
                for m in range(begin, end):
                    total += self.mass[self.member[m]]
                by = total
                if self.room[k] > 1.0:
                    by /= self.room[k]
                if self.at_zero[k] > 0.0:  # the new price (the old price plus temperature * log(factor)) may be 0
                    by = max(by, self.at_zero[k] / self.factor[k])
                    need = self._need(self.item[k])
                    if need > 0:
                        by = min(by, total / need)
                if relaxed:
                    by = pow(by, power)
                    if self._need(self.item[k]) == 0:
                        by = max(by, self.at_zero[k] / self.factor[k])
                scale = 1.0 / by
                self.factor[k] = max(1e-300, min(self.factor[k] * by, 1e300))  # positive, so that it has a logarithm
                for m in range(begin, end):
                    self.mass[self.member[m]] *= scale

    # Step 2: prices from the masses, hard sweeps, and the bound

    def _cool(self, anyway):
        """Computes prices from the factors and by hard sweeps; accepts them if they lower the bound, or if `anyway`."""
        for k in range(self.open):
            i = self.item[k]
            self.trial[i] = self._price(i) + cython.cast(
                cython.longlong, floor(self.temperature * log(self.factor[k]) + 0.5)
            )
        return self._accept(self._bound_of_trial(), anyway)

    def _bound_of_trial(self):
        """Returns the bound of the trial prices after two hard sweeps; `NO_BOUND` if a price is too large."""
        self.updates += 2 * cython.cast(cython.longlong, self.live)
        for k in range(self.open):
            i = self.item[k]
            if self.trial[i] < 0 and self._need(i) == 0:
                self.trial[i] = 0
            if not fabs(cython.cast(cython.double, self.trial[i])) < self.price_limit:
                return NO_BOUND
        for k in range(self.live):
            o = self.option[k]
            total = -self.weight[o]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                total += self.trial[self.indices[e]]
            self.trial_slack[o] = total
        self._harden()
        self._harden()
        return self._bound_of(self.trial)

    def _bound_of(self, prices):
        """Returns the bound for prices of all items."""
        bound = self.gain
        for k in range(self.open):
            bound += self._cost(self.item[k], prices[self.item[k]])
        return bound

    def _harden(self):
        """Makes a hard sweep: changes each price so that its item's least slack is 0; optional prices stay >= 0."""
        for k in range(self.open):
            i = self.item[k]
            begin, end = self.first_of[k], self.first_of[k + 1]
            if self.coloured and self.takes_colours[i]:
                continue
            least = cython.cast(cython.longlong, 1) << 62
            for m in range(begin, end):
                least = min(least, self.trial_slack[self.member[m]])
            if self._need(i) == 0:
                least = min(least, self.trial[i])
                if i >= self.n_primary:
                    least = max(0, least)
            if least == 0:
                continue
            self.trial[i] -= least
            for m in range(begin, end):
                self.trial_slack[self.member[m]] -= least

    def _accept(self, bound, anyway):
        """Accepts the trial prices if they lower the bound, or in any case if `anyway`; returns whether it did."""
        if bound == NO_BOUND or (bound >= self.bound and not anyway):
            return False
        for k in range(self.open):
            self.price[self.row, self.item[k]] = self.trial[self.item[k]]
        self.bound = bound
        if self.level == 0:
            self.upper_bound = min(self.upper_bound, bound)
        else:
            self.log.prices(self.price[self.row], self.place, self.open)
        return True

    # Step 3: propagation

    def _propagate(self, counted, priced):
        """Drops options and covers items by their only option until neither is possible; False at a dead end."""
        while self._filter(counted, priced):
            counted, priced = True, False
            if self.level == 0:
                self.upper_bound = min(self.upper_bound, self.bound)
            if not self._cover_forced():
                return not self.dead
        self.log.end()
        return False

    def _filter(self, counted, priced):
        """Drops live options that clash or have too much slack; returns False if the bound is below the target."""
        k: cython.int = 0
        allowed = self.bound - self.target
        if allowed < 0:
            return False
        self.allowed = allowed
        self.updates += cython.cast(cython.longlong, self.live)
        for k in range(self.open):
            i = self.item[k]
            self.open_price[i] = self._price(i)
            if not counted:
                self.size[i] = self.witness[i] = 0
        k = 0
        while k < self.live:
            o = self.option[k]
            if priced:
                total = self.trial_slack[o]
            else:
                total = -self.weight[o]
                for e in range(self.indptr[o], self.indptr[o + 1]):
                    total += self.open_price[self.indices[e]]
            stays: cython.bint = 0 <= total <= allowed and (not self.coloured or self._fits(o))
            if stays:
                self.slack[o] = total
                k += 1
            else:
                self._drop(k)
            if stays != counted:
                self._count(o, 1 if stays else -1)
        if self.repeated:
            self._count_times()
        return True

    def _count(self, o, by):
        """Adds an option to the counts of its items (by=1), or removes it (by=-1)."""
        for e in range(self.indptr[o], self.indptr[o + 1]):
            self.size[self.indices[e]] += by
            self.witness[self.indices[e]] ^= o

    def _count_again(self):
        for k in range(self.open):
            self.size[self.item[k]] = self.witness[self.item[k]] = 0
        for k in range(self.live):
            self._count(self.option[k], 1)
        if self.repeated:
            self._count_times()

    def _count_times(self):
        """Sets `times`: the most times that the live options can cover each open item, if some may be chosen twice."""
        for k in range(self.open):
            self.times[self.item[k]] = 0
        for k in range(self.live):
            o = self.option[k]
            room = self._room(o)
            for e in range(self.indptr[o], self.indptr[o + 1]):
                self.times[self.indices[e]] += room

    def _cover_forced(self):
        """Covers items by their only options, closes items without options; returns whether the bound may change."""
        k: cython.int = 0
        forced: cython.bint = False
        self.dead = False
        while k < self.open:
            i = self.item[k]
            if self.size[i] > self.most[i] - self.used[i]:  # the item need not be covered
                k += 1
                continue
            need = self._need(i)
            if need == 0 and self.size[i] == 0:
                forced = forced or self._price(i) > 0
                self.bound -= self._cost(i, self._price(i))
                self._close(i)
                continue
            need = self._least_uses(i, need)
            supply = self._supply(i)
            if supply > need or need == 0:
                k += 1
                continue
            o = -1 if supply < need else self._witness(i)
            if o < 0 or not self._fits(o):
                self.dead = True
                self.log.item(i, -1)
                return False
            self.nodes += 1
            self.log.item(i, o)
            self._choose(o)
            forced = True
            k += self.place[i] == k  # item i is checked again if it is still open
        return forced

    def _least_uses(self, i, need):
        """Returns the fewest times that an open item must be covered, as each missing use costs the price in slack."""
        price = self.open_price[i]
        room = self.most[i] - self.used[i]
        allowed = self.bound - self.target
        if room == need or price <= 0 or allowed < 0 or price * (room - need) <= allowed:
            return need
        return room - cython.cast(cython.int, allowed // price)

    def _witness(self, i):
        """Returns a live option of an item; the item must have one."""
        k: cython.int = self.live - 1
        if self.size[i] == 1:
            return self.witness[i]
        while not self._has(self.option[k], i):
            k -= 1
        return self.option[k]

    def _weigh(self):
        """Sets `work` of all open items; not part of `_filter`, since few nodes are divided."""
        for k in range(self.open):
            self.work[self.item[k]] = 0.0
        for k in range(self.live):
            o = self.option[k]
            share = 1.0 - cython.cast(cython.double, self.slack[o]) / (self.allowed + 1.0)
            share *= share
            for e in range(self.indptr[o], self.indptr[o + 1]):
                self.work[self.indices[e]] += share

    # Prices at the root

    def _first_prices(self):
        """Makes all slacks non-negative, by a hard sweep without the table of members."""
        for k in range(self.live):  # if the slack is negative, raise the price of a primary item of the option
            o = self.option[k]
            total: cython.longlong = -self.weight[o]
            i: cython.int = 0
            for e in range(self.indptr[o], self.indptr[o + 1]):
                total += self.price[0, self.indices[e]]
                if self.indices[e] < self.n_primary:
                    i = self.indices[e]
            if total < 0:
                self.price[0, i] -= total
        self.upper_bound = self.bound = self._bound_of(self.price[0])
        self.kept[:] = self.price[0]

    def heat(self, temperature: cython.double) -> bool:
        """Begins a round of sweeps at the root; returns False if propagation has proven that no better cover exists.

        `anneal` makes the sweeps; `cool` accepts the new prices, whether better or worse; `restore_best` restores the
        best prices.
        """
        with cython.nogil:
            self.log.prices(self.price[0], self.place, self.open)
            self.fathomed = not self._propagate(False, False)
            if not self.fathomed:
                self._save()
                self._heat(temperature)
        return not self.fathomed

    def anneal(self, sweeps: cython.int, power: cython.double = 1.0) -> None:
        """Makes soft sweeps at the root, between `heat` and `cool`; a power between 1 and 2 over-relaxes them."""
        with cython.nogil:
            self._soften(sweeps, power)

    def cool(self) -> None:
        """Ends a round of sweeps at the root, and accepts its prices."""
        with cython.nogil:
            self._cool(True)

    def set_prices(self, price, mass) -> None:
        """Sets prices (int64) and masses (float64) from a linear program; called after `heat`, instead of sweeps."""
        self.trial, self.mass = price, mass
        with cython.nogil:
            self._accept(self._bound_of_trial(), True)

    def restore_best(self) -> None:
        """Restores the best prices of the root so far."""
        self._save()
        for k in range(self.open):
            self.price[0, self.item[k]] = self.kept[self.item[k]]
        self.bound = self._bound_of(self.kept)
        self.upper_bound = min(self.upper_bound, self.bound)

    def accept_prices(self) -> None:
        """Makes the current prices of the root the best, even if earlier prices were better by a rounding error."""
        self.kept[:] = self.price[0]

    def _save(self):
        """Stores the prices of the root if they are the best so far."""
        if self.bound < self._bound_of(self.kept):
            self.kept[:] = self.price[0]

    def prices(self) -> np.ndarray:
        """Returns the prices at the root, in units; int64, shape (n_items,)."""
        return np.asarray(self.price[0]).copy()

    def masses(self) -> np.ndarray:
        """Returns the masses of options after soft sweeps; float64, shape (n_options,), valid for live options."""
        return np.asarray(self.mass)

    def slack_per_item(self) -> float:
        """Returns the allowed slack at the root divided by the number of open primary items, in units."""
        return max(1.0, float(self.bound - self.target + 1)) / max(1, self.open_primary)

    def limit_bound(self, bound: cython.longlong) -> None:
        """Lowers the upper bound of the root to a given bound, if this is less."""
        self.upper_bound = min(self.upper_bound, bound)

    def give_levels_prices(self, levels: cython.int) -> None:
        """Gives each of the first `levels` levels its own prices instead of the root's prices; called at the root."""
        price = np.empty((levels, self.n_items), dtype=np.int64)  # unused levels take no memory
        price[0] = self.price[0]
        self.price = price

    # Another root

    def start_at(self, chosen, live, prices) -> None:
        """Undoes everything, and makes a node of another kernel the root; no slack may be negative."""
        usable, lives = np.asarray(self.option)[: self.n_usable], np.zeros(self.n_options, dtype=np.bool_)
        lives[live] = True
        self.live = len(live)
        usable[:] = np.append(live, usable[~lives[usable]])
        self._make_root(prices, chosen)
        np.asarray(self.mass)[:] = 0.0

    def start_from_prices(self, prices) -> None:
        """Takes the prices of another kernel of this problem; raises prices if a slack is negative."""
        self.price = np.array(prices, dtype=np.int64).reshape(1, -1)
        self._first_prices()

    def add_items(self, rows, ranges) -> None:
        """Adds secondary items at the root with price 0; in `rows` they follow the old items."""
        old, chosen = self.prices(), np.asarray(self.chosen)[: self.n_chosen].copy()
        levels, upper = self.price.shape[0], self.upper_bound
        self._take_rows(rows, ranges)
        self.give_levels_prices(levels)
        np.asarray(self.mass)[:] = 0.0
        self._make_root(np.append(old, np.zeros(self.n_items - len(old), dtype=np.int64)), chosen)
        self.limit_bound(upper)

    def _make_root(self, prices, chosen):
        """Sets the prices of the root, computes its bound, and chooses the options `chosen`."""
        np.asarray(self.price)[0] = prices
        self.bound = self._bound_of(self.price[0])
        for o in chosen:
            self._choose(o)
        self.fathomed = False
        self.accept_prices()
        self.upper_bound = self.bound

    # Invariants

    def check(self) -> None:
        """Verifies the sets, the counts, the score and the bound against the rows and the chosen options."""
        self.log.check()
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
        useless = {i for i in item[self.open :] if i not in lives and times[i] >= self.least[i]}
        assert full <= {*item[self.open :]} <= full | useless, "an item is open that may be covered no more, or closed"
        needed = sum(times[i] < self.least[i] for i in item[: self.open])
        assert all(self.open_price[i] == self.closed for i in item[self.open :]), "a closed item has another price"
        assert self.open_primary == needed, f"open_primary is {self.open_primary}, not {needed}"
        assert all(self.used[i] == times[i] for i in range(self.n_items)), "used is not what was chosen"
        shades = {self.indices[e]: self.colour[e] for e in on_path if self.coloured and self.colour[e] != 0}
        assert all(self.shade[i] == shades.get(i, 0) for i in range(self.n_items)), "shade is not what was chosen"
        gain = sum(self.weight[o] for o in chosen)
        assert self.gain == gain, f"gain is {self.gain}, not {gain}"
        prices = np.asarray(self.price[self.row]).tolist()
        still = {i: (int(self.least[i]) - times[i], int(self.most[i]) - times[i]) for i in item[: self.open]}
        bound = gain + sum(prices[i] * (most if prices[i] > 0 else max(0, least)) for i, (least, most) in still.items())
        assert self.bound == bound, f"bound is {self.bound}, not {bound}"
        assert min((prices[i] for i in still if self.least[i] == 0), default=0) >= 0, "a price is below 0"
        for o in option[: self.live]:
            items = np.asarray(self.indices)[self.indptr[o] : self.indptr[o + 1]].tolist()
            slack = sum(self._price(i) for i in items) - self.weight[o]
            assert slack >= 0 or any(self.place[i] >= self.open for i in items), f"option {o} has the slack {slack}"
