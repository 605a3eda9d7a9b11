# cython: language_level=3
"""Strong branching: chooses the pair of items by which a node of set partitioning is divided best.

On one side one option covers both items, on the other each has its own (D. Ryan, B. Foster, in A. Wren (ed.), Computer
Scheduling of Public Transport, 1981). Both sides lose many options, while choosing one option of an item or the next
changes little where the prices leave many options alike. The best pair is found by a few pivots on either side. Trials
end after eight without a better pair (look-ahead: T. Achterberg, T. Koch, A. Martin, doi:10.1016/j.orl.2004.04.002).
"""

import cython
import numpy as np

if not cython.compiled:
    from math import fabs

    from dlx.kernels.price.proof_log import PAIR

    NONE, CHANGED, UNFINISHED = -1, -2, -3  # as in the header

TRIALS = cython.declare(cython.int, 12)  # pairs that are tried at a node, at most
VAIN = cython.declare(cython.int, 8)  # pairs since the best one, after which no more are tried
PIVOTS = cython.declare(cython.int, 20)  # for each side of a pair, at most
WORK = cython.declare(cython.int, 1 << 24)  # options in the trials of a node, at most: 100,000 took 4 s without this
LIGHTEST = cython.declare(cython.double, 0.02)  # the mass of a pair's lighter side, at least: nearly none tells nothing
FAINT = cython.declare(cython.double, 1e-4)  # mass of an option that tells nothing
LOST = cython.declare(cython.longlong, 1 << 60)  # what a side without any cover takes off the bound


class Pairs:
    """The pairs of items proposed at a node, and their trials, which may go on in another run."""

    def __init__(self) -> None:
        self.trying = False
        self.n = self.tried = self.last_gain = self.side = self.better = self.short = 0
        self.best, self.best_score = NONE, 0.0
        self.drop = np.zeros(2, dtype=np.float64)

    def make_room(self, n_items: cython.int) -> None:
        """Makes the arrays for this number of items; most searches never need them."""
        self.first, self.second, self.touched = np.zeros((3, n_items + 1), dtype=np.int32)
        self.pattern = np.zeros(n_items + 1, dtype=np.int64)
        self.promise, self.shared = np.zeros((2, n_items + 1), dtype=np.float64)

    def pick(self, node, lp):
        """Returns the proposed pair whose sides lower the bound most; -1 if there is none.

        It is `CHANGED` if a side has no cover worth finding: the other one has been kept. It is `UNFINISHED` if trials
        are left when the updates of this run are spent: the next run goes on with them.
        """
        allowed = cython.cast(cython.double, node.bound - node.target + 1)
        work = PIVOTS * lp._pivot_work(node)
        most: cython.int = min(TRIALS, max(1, WORK // (2 * max(1, work))))
        if not self.trying:
            self._propose(node)
            self.tried = self.last_gain = self.side = 0
            self.best, self.best_score = -1, 0.0
        self.trying = True
        while node.updates < node.update_limit:
            if self.side == 0:
                self.pair = self._most_promising()
                if self.pair < 0 or self.tried >= min(most, self.last_gain + VAIN):
                    self.trying = False
                    return self.best
                self.tried += 1
            together: cython.bint = self.side == 0
            i, j = self.first[self.pair], self.second[self.pair]
            bound = self._try_side(node, lp, i, j, together)
            if bound < node.target:
                if node.log.is_open:
                    self._record_side(node, i, j, together)
                node._keep_side(i, j, not together)
                self.trying = False
                return CHANGED
            self.drop[self.side] = cython.cast(cython.double, node.bound - bound)
            self.side = 1 - self.side
            if self.side == 0:
                score = (self.drop[0] + 1e-6 * allowed) * (self.drop[1] + 1e-6 * allowed)
                if self.best < 0 or score > self.best_score:
                    self.best, self.last_gain = self.pair, self.tried
                    self.best_score = score
                    self.better = self.drop[1] < self.drop[0]
        return UNFINISHED

    def _most_promising(self):
        """Returns the pair that shares nearest to half, of those not yet taken; -1 if all have been."""
        best: cython.int = -1
        for c in range(self.n):
            if self.promise[c] > 0 and (best < 0 or self.promise[c] > self.promise[best]):
                best = c
        if best >= 0:
            self.promise[best] = 0.0
        return best

    def _propose(self, node):
        """Lists for every open item the one with which it shares nearest to half of its mass."""
        self.n = 0
        node._list_members()
        for k in range(node.open):
            if node._once(node.item[k]):
                self._propose_for(node, node.item[k])

    def _propose_for(self, node, i):
        """Lists item i and its best partner, unless that has listed it, or there is none."""
        best, n_touched = -1, 0
        total = 1e-300
        most = 0.0
        for m in range(node.begin[i], node.fill[i]):
            o = node.member[m]
            total += node.mass[o]
            for e in range(node.indptr[o], node.indptr[o + 1]):
                j = node.indices[e]
                if j != i and node._once(j):
                    if self.shared[j] == 0.0:
                        self.touched[n_touched] = j
                        n_touched += 1
                    self.shared[j] += node.mass[o] + 1e-300
        for t in range(n_touched):
            j = self.touched[t]
            promise = 0.5 - fabs(self.shared[j] / total - 0.5)
            self.shared[j] = 0.0
            if promise > most:
                most = promise
                best = j
        if best < 0 or most < LIGHTEST:
            return
        pattern: cython.longlong = 0
        for m in range(node.begin[i], node.fill[i]):
            o = node.member[m]
            if node.mass[o] > FAINT and node._has(o, best):
                cube: cython.longlong = o + 1
                pattern += cube * cube * cube
        for t in range(self.n):
            if self.pattern[t] == pattern:
                return
        self.pattern[self.n] = pattern
        self.first[self.n] = i
        self.second[self.n] = best
        self.promise[self.n] = most
        self.n += 1

    def _try_side(self, node, lp, i, j, together):
        """Returns the bound that a few pivots give to one side of a pair; it is valid."""
        live = node.live
        bound = node.bound
        node._keep_side(i, j, together)
        node._count_again()
        self.short = -1
        for k in range(node.open):
            if node._there(node.item[k]) < node._need(node.item[k]):
                self.short = node.item[k]
        if self.short >= 0:
            bound -= LOST
        else:
            lp._try_program(node, PIVOTS)
            bound = min(bound, node._bound_of_trial())
        node.live = live
        return bound

    def _record_side(self, node, i, j, together):
        """Records a pair one side of which has just been tried in vain; the other side is next."""
        node.log.step(PAIR, 3)
        node.log.write(i)
        node.log.write(j)
        node.log.write(together)
        if self.short >= 0:
            node.log.item(self.short, -1)
        else:
            node.log.prices(node.trial, node.place, node.open)
            node.log.end()
