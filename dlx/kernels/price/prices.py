# cython: language_level=3
"""Prices and bounds: what the items of a node cost, and what no completion of it scores more than.

Three steps, at the root and again at nodes of the search (`BranchAndBound`), each on the options still live there:

1. *Soft sweeps* at a temperature t. With masses exp(-slack / t), scaling an item's options so that their masses sum to
   1 is exact coordinate descent on the smoothed dual (matrix scaling: R. Sinkhorn, P. Knopp, Pacific J. Math. 21
   (1967), doi:10.2140/pjm.1967.21.343). A sweep multiplies and adds only; exponentials are needed once per option.
2. *Hard sweeps*: each item's price is lowered or raised until its least slack is 0. After one sweep none is negative.
3. *Propagating*: options with too much slack go, items with a single option are covered by it, until nothing changes.
   An item that need not be covered has to be all the same, where less than its price is left to spend; it is paid for
   no more once it has no options.

Only the masses are real numbers, and they decide nothing but where to look first.
"""

import cython
import numpy as np

from dlx.kernels.price.node import Node

if not cython.compiled:
    from math import exp, fabs, floor, log, pow

    from dlx.kernels import DONE
    from dlx.kernels.price.proof_log import END

NO_BOUND = cython.declare(cython.longlong, (1 << 62) - 1 + (1 << 62))


class Prices(Node):
    """A node whose prices can be found, and made better.

    Parameters: as for `Node`.
    """

    def __init__(self, rows, buffer, weights, ranges=None) -> None:
        Node.__init__(self, rows, buffer, weights, ranges)
        n_items: cython.int = self.n_items
        largest: cython.int = np.diff(rows.indptr).max(initial=1)
        self.entries = len(rows.indices)
        self.trial_slack = np.zeros(self.n_options, dtype=np.int64)
        self.begin, self.fill = np.zeros((2, n_items), dtype=np.int32)
        self.member = np.zeros(len(rows.indices) + 1, dtype=np.int32)
        self.mass = np.zeros(self.n_options, dtype=np.float64)
        self.factor = np.zeros(n_items, dtype=np.float64)
        self.at_zero = np.ones(n_items, dtype=np.float64)
        self.trial, self.kept = np.zeros((2, n_items), dtype=np.int64)
        # Sums of prices, and of what hard sweeps make of them, must fit int64: larger trial prices are not taken.
        times = int(np.asarray(self.most).sum(dtype=np.int64))
        self.price_limit = 2.0**60 / (4.0 * (largest + 1) * (max(times, largest) + 1))
        self.sweeps = 0
        self.warmth = 3.0
        self.diving = 0.0
        self.has_kept = self.settled = False
        self._first_prices()

    def _first_prices(self):
        """A hard sweep without a table of members: makes every slack 0 or more."""
        i: cython.int
        k: cython.int
        o: cython.int
        e: cython.int
        total: cython.longlong
        for k in range(self.live):  # raise the price of a primary item of the option where the slack is negative
            o = self.option[k]
            total = -self.weight[o]
            i = 0
            for e in range(self.indptr[o], self.indptr[o + 1]):
                total += self.price[0, self.indices[e]]
                if self.indices[e] < self.n_primary:
                    i = self.indices[e]
            if total < 0:
                self.price[0, i] -= total
        for i in range(self.n_items):
            self.bound += self._cost(i, self.price[0, i])
        self.ceiling = self.bound

    def heat(self, temperature: cython.double) -> bool:
        """Begins a round of sweeps at the root; False if there is nothing left to price, and the search is over.

        `anneal` does the sweeps, a few at a time if need be, and `cool` takes the new prices, for better or worse: on
        the way down from a hotter temperature they may get worse before they get better. `keep` goes back to the best.
        """
        going: cython.bint
        with cython.nogil:
            self.settled = True
            if self.recording:
                self._record_prices(self.price[0], self.place, self.open)
            going = self._propagate()
            if going:
                self._save()
                self._heat(temperature)
            else:
                self.state = DONE
        return going

    def anneal(self, sweeps: cython.int, power: cython.double = 1.0) -> None:
        """Soft sweeps at the root, between `heat` and `cool`; over-relaxed where the power is above 1, and below 2."""
        with cython.nogil:
            self._soften(sweeps, power)

    def cool(self) -> None:
        """Ends a round of sweeps at the root."""
        with cython.nogil:
            self._cool(True)

    def keep(self) -> None:
        """Goes back to the best prices that the root has had."""
        k: cython.int
        self._save()
        self.bound = self.gain
        for k in range(self.open):
            self.price[0, self.item[k]] = self.kept[self.item[k]]
            self.bound += self._cost(self.item[k], self.kept[self.item[k]])
        self.ceiling = min(self.ceiling, self.bound)

    def _save(self):
        """Keeps the prices at the root if they are the best so far."""
        k: cython.int
        kept: cython.longlong = self.gain
        for k in range(self.open):
            kept += self._cost(self.item[k], self.kept[self.item[k]])
        if self.has_kept and self.bound >= kept:
            return
        self.has_kept = True
        for k in range(self.open):
            self.kept[self.item[k]] = self.price[0, self.item[k]]

    def separate(self, levels: cython.int) -> None:
        """Gives so many levels prices of their own; before, all share those of the root, where this is to be called."""
        price = np.empty((levels, self.n_items), dtype=np.int64)  # pages that no level reaches are never touched
        price[0] = self.price[0]
        self.price = price

    @property
    def levels(self) -> int:
        """How many levels have prices of their own."""
        return self.price.shape[0]

    def spare(self) -> float:
        """The slack that there is to spend at the root for each item to be covered, in units."""
        return max(1.0, float(self.bound - self.target + 1)) / max(1, self.open_primary)

    def lower(self, bound: cython.longlong) -> None:
        """Notes that no cover has a score above this, for whatever reason."""
        self.ceiling = min(self.ceiling, bound)

    def prices(self) -> np.ndarray:
        """The prices at the root, in units; int64, shape (n_items,)."""
        return np.asarray(self.price[0]).copy()

    def masses(self) -> np.ndarray:
        """The masses of the options after soft sweeps; float64, shape (n_options,); only those of live ones count."""
        return np.asarray(self.mass)

    def begin_with(self, prices) -> None:
        """Begins with the prices of another kernel of this problem, raised where they are too low for some option."""
        self.price = np.array(prices, dtype=np.int64).reshape(1, -1)
        self.bound = 0
        self._first_prices()

    def go_on_from(self, prices, live, chosen) -> None:
        """Goes on at the root where another kernel stood, with the same problem and perhaps more secondary items.

        Parameters:
            prices: int64, shape (n_items,), such that no slack of an option that lives is negative.
            live: int32, the options that live.
            chosen: the options chosen at the root.
        """
        i: cython.int
        o: cython.int
        self.price = np.array(prices, dtype=np.int64).reshape(1, -1)
        self.bound = 0
        for i in range(self.n_items):
            self.bound += self._cost(i, self.price[0, i])
        for o in chosen:
            self._choose(o)
        dead = np.setdiff1d(np.asarray(self.option)[: self.n_usable], live, assume_unique=True)
        self.live = len(live)
        np.asarray(self.option)[: self.n_usable] = np.append(live, dead)
        self.has_kept = False
        self._save()
        self.ceiling = self.bound

    def _propagate(self):
        """Drops options and covers items by their only option until neither is possible; False at a dead end."""
        while self._filter():
            if self.level == 0:
                self.ceiling = min(self.ceiling, self.bound)
            if self._cover_forced():
                continue
            if self.dead:
                return False
            if self.sweeps == 0 or self.settled or self.live == 0:
                return True
            self.settled = True
            if not self._reprice(self._node_temperature(), self.sweeps):
                return True
        if self.recording:
            self._step(END, 0)
        return False

    def _node_temperature(self):
        """Where the smoothing blurs the bound by about the slack there is to spend: `warmth` says how near."""
        spare: cython.double = cython.cast(cython.double, self.bound - self.target + 1)
        if self.diving > 0:
            return self.diving
        return self.warmth * spare / max(1, self.open_primary)

    def _reprice(self, temperature, sweeps):
        """Soft sweeps, then hard ones, over the open items; takes the new prices if they lower the bound."""
        if self.level >= self.price.shape[0]:
            return False
        self._heat(temperature)
        self._soften(sweeps, 1.0)
        return self._cool(False)

    def _heat(self, temperature):
        """Lists the live options of each open item, and gives all their masses at a temperature."""
        k: cython.int
        o: cython.int
        exponent: cython.double
        self.temperature = temperature
        self._list_members()
        for k in range(self.live):
            o = self.option[k]
            self.mass[o] = exp(-cython.cast(cython.double, self.slack[o]) / temperature)
        for k in range(self.open):
            self.factor[self.item[k]] = 1.0
            if self.ranged or self.item[k] >= self.n_primary:
                exponent = -cython.cast(cython.double, self._price(self.item[k])) / temperature
                self.at_zero[self.item[k]] = exp(max(-500.0, min(exponent, 500.0)))

    def _list_members(self):
        """Lists the live options of each open item, by counting."""
        k: cython.int
        e: cython.int
        i: cython.int
        o: cython.int
        end: cython.int = 0
        for k in range(self.open):
            i = self.item[k]
            self.begin[i] = end
            end += self.size[i]
            self.fill[i] = self.begin[i]
        for k in range(self.live):
            o = self.option[k]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                i = self.indices[e]
                self.member[self.fill[i]] = o
                self.fill[i] += 1

    def _soften(self, sweeps, power):
        """Soft sweeps: scales the masses of each open item's options until their sum may be how often it is covered.

        To scale by more than that, by a power of it below 2, is successive over-relaxation (D. Young, Trans. Amer.
        Math. Soc. 76 (1954), doi:10.1090/S0002-9947-1954-0059635-7). The first two sweeps are plain ones.
        """
        k: cython.int
        m: cython.int
        i: cython.int
        s: cython.int
        total: cython.double
        scale: cython.double
        self.updates += cython.cast(cython.longlong, self.live) * sweeps
        for s in range(sweeps):
            for k in range(self.open):
                i = self.item[k]
                if self.tinted[i]:
                    continue
                total = 1e-300
                for m in range(self.begin[i], self.fill[i]):
                    total += self.mass[self.member[m]]
                if self.ranged:
                    total = self._excess(i, total)
                elif i >= self.n_primary:  # its price, temperature * log(factor) above the old one, stays 0 or more
                    total = max(total, self.at_zero[i] / self.factor[i])
                if power != 1.0 and s > 1:
                    total = pow(total, power)
                    if self._need(i) == 0:
                        total = max(total, self.at_zero[i] / self.factor[i])
                scale = 1.0 / total
                self.factor[i] = max(1e-300, min(self.factor[i] * total, 1e300))  # a number that has a logarithm
                for m in range(self.begin[i], self.fill[i]):
                    self.mass[self.member[m]] *= scale

    def _excess(self, i, total):
        """By how much the mass of item i is to be divided: to what is in its range, and nearest to a price of 0."""
        room: cython.int = self.most[i] - self.used[i]
        need: cython.int = self._need(i)
        free: cython.double
        if need == room:
            return total / room
        free = max(1e-300, total * self.factor[i] / self.at_zero[i])  # the mass at no price
        if free > room:
            return total / room
        return total / need if free < need else total / free

    def _cool(self, anyway):
        """Makes prices of the factors, and hard sweeps over them; takes them if they lower the bound, or anyway."""
        k: cython.int
        bound: cython.longlong = self._bound_of_trial()
        if bound == NO_BOUND or (bound >= self.bound and not anyway):
            return False
        for k in range(self.open):
            self.price[self.row, self.item[k]] = self.trial[self.item[k]]
        self.bound = bound
        if self.level == 0:
            self.ceiling = min(self.ceiling, bound)
        elif self.recording:
            self._record_prices(self.price[self.row], self.place, self.open)
        return True

    def _bound_of_trial(self):
        """The bound by the prices that the factors stand for, after hard sweeps; `NO_BOUND` if one is too large."""
        k: cython.int
        bound: cython.longlong = self.gain
        self.updates += 2 * cython.cast(cython.longlong, self.live)
        self._try_prices()
        for k in range(self.open):
            if not fabs(cython.cast(cython.double, self.trial[self.item[k]])) < self.price_limit:
                return NO_BOUND
        self._harden()
        self._harden()
        for k in range(self.open):
            bound += self._cost(self.item[k], self.trial[self.item[k]])
        return bound

    def _try_prices(self):
        """The prices that the factors stand for, whole numbers again, and the slacks that they leave."""
        k: cython.int
        i: cython.int
        o: cython.int
        e: cython.int
        for k in range(self.open):
            i = self.item[k]
            self.trial[i] = self._price(i) + cython.cast(
                cython.longlong, floor(self.temperature * log(self.factor[i]) + 0.5)
            )
            if self.trial[i] < 0 and self._need(i) == 0:
                self.trial[i] = 0
        for k in range(self.live):
            o = self.option[k]
            self.trial_slack[o] = -self.weight[o]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                self.trial_slack[o] += self.trial[self.indices[e]]

    def _harden(self):
        """A hard sweep: each price changes until its item's least slack is 0; it falls below 0 only if it is needed."""
        k: cython.int
        m: cython.int
        i: cython.int
        least: cython.longlong
        for k in range(self.open):
            i = self.item[k]
            least = cython.cast(cython.longlong, 1) << 62
            for m in range(self.begin[i], self.fill[i]):
                least = min(least, self.trial_slack[self.member[m]])
            if self.tinted[i]:
                continue
            if self._need(i) == 0:
                least = min(least, self.trial[i])
                if i >= self.n_primary:
                    least = max(0, least)
            if least == 0:
                continue
            self.trial[i] -= least
            for m in range(self.begin[i], self.fill[i]):
                self.trial_slack[self.member[m]] -= least
