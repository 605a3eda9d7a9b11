# cython: language_level=3
"""Pairs of items to branch on, chosen by trial: on one side one option covers both, on the other each has its own.

That is how set partitioning is divided best where the prices leave many options of an item alike (D. Ryan, B. Foster,
in A. Wren (ed.), Computer Scheduling of Public Transport, 1981): both sides lose many options, while choosing one
option of an item or the next changes little. Which pair is best is found by a few sweeps on either side, and, once a
pair has been tried often enough, taken from what these gave (reliability branching: T. Achterberg, T. Koch, A. Martin,
doi:10.1016/j.orl.2004.04.002).
"""

import cython
import numpy as np

from dlx.kernels.price.prices import Prices

if not cython.compiled:
    from math import fabs

    from dlx.kernels.price.proof_log import END, PAIR

PLACES = cython.declare(cython.int, 1 << 16)  # of the table of pairs, of which half are used
RELIABLE = cython.declare(cython.int, 8)  # trials after which a pair is believed
TRIAL_SWEEPS = cython.declare(cython.int, 15)
TRIAL_WORK = cython.declare(cython.int, 1 << 24)  # options swept in the trials of a node: 100,000 took 4 s without this
LEAST_SHARE = cython.declare(cython.double, 0.02)  # a pair that nearly all or nearly no mass has tells nothing
LOST = cython.declare(cython.longlong, 1 << 60)  # what a side without any cover takes off the bound


class StrongBranching(Prices):
    """A node that can say which pair of items to branch on.

    Parameters: as for `Prices`.
    """

    def __init__(self, rows, buffer, weights, ranges=None) -> None:
        Prices.__init__(self, rows, buffer, weights, ranges)
        self.n_pairs = self.pairs_known = self.better = self.short = 0
        self.pair_first, self.pair_second = np.zeros((2, self.n_items + 1), dtype=np.int32)
        self.pair_promise, self.shared = np.zeros((2, self.n_items + 1), dtype=np.float64)
        self.touched = np.zeros(self.n_items + 1, dtype=np.int32)
        self.drop = np.zeros(2, dtype=np.float64)
        self.pairing = False
        self._make_table(0)

    def _make_table(self, places):
        self.pair_key = np.zeros(places, dtype=np.int64)
        self.pair_trials = np.zeros((places, 2), dtype=np.int32)
        self.pair_drop = np.zeros((places, 2), dtype=np.float64)

    @property
    def pairs(self) -> bool:
        """Whether to divide by pairs of items, where prices allow."""
        return self.pairing

    @pairs.setter
    def pairs(self, wanted: cython.bint) -> None:
        if wanted and self.pair_key.shape[0] == 0:  # 2 MB, which take 0.2 ms to come by: most searches never need them
            self._make_table(PLACES)
        self.pairing = wanted

    def share_pairs(self, other) -> None:
        """Has what another kernel of the same problem knows of pairs, from now on together with it."""
        self._share(other)

    def _share(self, other):
        self.pair_key, self.pair_trials, self.pair_drop = other.pair_key, other.pair_trials, other.pair_drop
        self.pairs_known = other.pairs_known

    def _has(self, o, i):
        """Whether option o has item i."""
        e: cython.int = self.indptr[o]
        end: cython.int = self.indptr[o + 1]
        while e < end and self.indices[e] != i:
            e += 1
        return e < end

    def _keep_side(self, i, j, together):
        """Drops the live options that have one of two items, or those that have both."""
        k: cython.int = 0
        o: cython.int
        one: cython.bint
        other: cython.bint
        while k < self.live:
            o = self.option[k]
            one = self._has(o, i)
            other = self._has(o, j)
            if (one == other) if together else not (one and other):
                k += 1
            else:
                self._drop(k)

    def _propose(self):
        """Lists for every open item the one with which it shares nearest to half of its mass."""
        k: cython.int
        self.n_pairs = 0
        self._list_members()
        for k in range(self.open):
            if self._once(self.item[k]):
                self._propose_for(self.item[k])

    def _propose_for(self, i):
        """Lists item i and its best partner, unless that has listed it, or there is none."""
        m: cython.int
        e: cython.int
        j: cython.int
        o: cython.int
        t: cython.int
        best: cython.int = -1
        n_touched: cython.int = 0
        total: cython.double = 1e-300
        promise: cython.double
        most: cython.double = 0.0
        for m in range(self.begin[i], self.fill[i]):
            o = self.member[m]
            total += self.mass[o]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                j = self.indices[e]
                if j != i and self._once(j):
                    if self.shared[j] == 0.0:
                        self.touched[n_touched] = j
                        n_touched += 1
                    self.shared[j] += self.mass[o] + 1e-300
        for t in range(n_touched):
            j = self.touched[t]
            promise = 0.5 - fabs(self.shared[j] / total - 0.5)
            self.shared[j] = 0.0
            if promise > most:
                most = promise
                best = j
        if best < 0 or most < LEAST_SHARE:
            return
        for t in range(self.n_pairs):
            if self.pair_first[t] == best and self.pair_second[t] == i:
                return
        self.pair_first[self.n_pairs] = i
        self.pair_second[self.n_pairs] = best
        self.pair_promise[self.n_pairs] = most
        self.n_pairs += 1

    def _slot(self, i, j):
        """The place of a pair in the table, its own if there is room; else one without a key, where nothing is kept."""
        low: cython.longlong = min(i, j)
        high: cython.longlong = max(i, j)
        key: cython.longlong = (low << 31) + high + 1
        s: cython.int = cython.cast(cython.int, (low * 40503 + high * 48271) & (PLACES - 1))
        while self.pair_key[s] != 0 and self.pair_key[s] != key:
            s = (s + 1) & (PLACES - 1)
        if self.pair_key[s] == 0 and self.pairs_known < PLACES // 2:
            self.pair_key[s] = key
            self.pairs_known += 1
        return s

    def _try_side(self, i, j, together):
        """The bound that a few sweeps give to one side of a pair; it is valid."""
        live: cython.int = self.live
        bound: cython.longlong = self.bound
        k: cython.int
        self._keep_side(i, j, together)
        self._count_again()
        self.short = -1
        for k in range(self.open):
            if self.size[self.item[k]] < self._need(self.item[k]):
                self.short = self.item[k]
        if self.short >= 0:
            bound -= LOST
        else:
            self._heat(self._node_temperature())
            self._soften(TRIAL_SWEEPS, 1.0)
            bound = min(bound, self._bound_of_trial())
        self.live = live
        return bound

    def _record_side(self, i, j, together):
        """A pair one side of which has just been tried, and has no cover worth finding; what is next is the other."""
        self._step(PAIR, 3)
        self._write(i)
        self._write(j)
        self._write(together)
        if self.short >= 0:
            self._record_item(self.short, -1)
        else:
            self._record_prices(self.trial, self.place, self.open)
            self._step(END, 0)

    def _count_again(self):
        """Counts the live options of each open item."""
        k: cython.int
        e: cython.int
        o: cython.int
        for k in range(self.open):
            self.size[self.item[k]] = 0
        for k in range(self.live):
            o = self.option[k]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                self.size[self.indices[e]] += 1
                self.witness[self.indices[e]] = o

    def _pick_pair(self, most):
        """The number of the pair, among those proposed, whose two sides lower the bound most; -1 if there is none.

        At most so many pairs are tried, fewer where many options live. It is -2 if a side has been found to have no
        cover worth finding: the other one has been kept, and the node has changed.
        """
        c: cython.int
        s: cython.int
        side: cython.int
        tried: cython.int = 0
        best: cython.int = -1
        allowed: cython.double = cython.cast(cython.double, self.bound - self.target + 1)
        score: cython.double
        most_score: cython.double = 0.0
        bound: cython.longlong
        most = min(most, max(1, TRIAL_WORK // (2 * TRIAL_SWEEPS * max(1, self.live))))
        self._propose()
        while True:
            c = self._most_promising()
            if c < 0:
                break
            s = self._slot(self.pair_first[c], self.pair_second[c])
            if self.pair_trials[s, 0] < RELIABLE or self.pair_key[s] == 0:
                if tried >= most:
                    continue
                tried += 1
                for side in range(2):
                    bound = self._try_side(self.pair_first[c], self.pair_second[c], side == 0)
                    if bound < self.target:
                        if self.recording:
                            self._record_side(self.pair_first[c], self.pair_second[c], side == 0)
                        self._keep_side(self.pair_first[c], self.pair_second[c], side == 1)
                        return -2
                    self.drop[side] = cython.cast(cython.double, self.bound - bound)
                    if self.pair_key[s] != 0:
                        self.pair_trials[s, side] += 1
                        self.pair_drop[s, side] += self.drop[side]
            else:
                for side in range(2):
                    self.drop[side] = min(allowed, self.pair_drop[s, side] / self.pair_trials[s, side])
            score = (self.drop[0] + 1e-6 * allowed) * (self.drop[1] + 1e-6 * allowed)
            if best < 0 or score > most_score:
                best = c
                most_score = score
                self.better = self.drop[1] < self.drop[0]
        return best

    def _most_promising(self):
        """The pair that shares nearest to half, of those not yet taken; -1 if all have been."""
        c: cython.int
        best: cython.int = -1
        for c in range(self.n_pairs):
            if self.pair_promise[c] > 0 and (best < 0 or self.pair_promise[c] > self.pair_promise[best]):
                best = c
        if best >= 0:
            self.pair_promise[best] = 0.0
        return best
