# cython: language_level=3
"""The brancher of branch and bound: divides a node by a pair of items, by the options of an item, or by one option.

On one side of a pair one option covers both items, on the other side each item has its own option (D. Ryan, B. Foster,
in A. Wren (ed.), Computer Scheduling of Public Transport, 1981). Both sides lose many options. Branching on the options
of an item changes little if many of them have nearly the same reduced cost. Strong branching finds the pair: a few
pivots on each side show how far the bound falls. Trials end after eight without a better pair (look-ahead: T.
Achterberg, T. Koch, A. Martin, doi:10.1016/j.orl.2004.04.002).
"""

import cython
import numpy as np

from dlx.kernels.price.node import Node

if not cython.compiled:
    from math import fabs

    from dlx.kernels.price.node import OPTION, PAIR

TRIALS = cython.declare(cython.int, 12)  # maximum pairs that are tried at a node
LOOK_AHEAD = cython.declare(cython.int, 8)  # trials end after this number of pairs without a better pair
PIVOTS = cython.declare(cython.int, 20)  # maximum pivots for each side of a pair
# Maximum options in the trials of a node; without this limit, nodes of 100,000 options took 4 s.
WORK = cython.declare(cython.int, 1 << 24)
LIGHTEST = cython.declare(cython.double, 0.02)  # the least mass of a pair's lighter side
NEGLIGIBLE = cython.declare(cython.double, 1e-4)  # options with less mass do not distinguish pairs
NO_COVER = cython.declare(cython.longlong, 1 << 60)  # counts as the drop of the bound on a side without covers


class Brancher:
    """The rules by which nodes are divided, their random numbers, and the trials of pairs at a node.

    Parameters:
        seed: how ties are broken.
    """

    def __init__(self, seed: cython.longlong) -> None:
        self.n = self.tried = self.last_gain = self.side = 0
        self.best = self.short = -1
        self.best_score = self.first_drop = 0.0
        self.apart_first = False
        self.begin(seed)

    def begin(self, seed: cython.longlong) -> None:
        """Begins at the root, and breaks ties in another way."""
        self.trying = False
        self.random = 1 + seed % 2147483646

    def make_room(self, n_items: cython.int) -> None:
        """Allocates the arrays for pairs of this number of items; most searches never need them."""
        self.first, self.second, self.touched = np.zeros((3, n_items + 1), dtype=np.int32)
        self.pattern = np.zeros(n_items + 1, dtype=np.int64)
        self.promise, self.shared = np.zeros((2, n_items + 1), dtype=np.float64)

    def divide(self, node, lp, stack):
        """Divides the node at its level of the stack; returns False if the node has to be entered again.

        The node is entered again if one side of a pair cannot reach the target, so that only the other side remains, or
        if the updates of this run were spent during trials.
        """
        has_masses: cython.bint = node.sweeps > 0 and node.level < node.price.shape[0]
        if not (has_masses and node.level < lp.levels):
            self._divide_by_item(node, stack, has_masses)
            return True
        if not self._try_pairs(node, lp):
            return False
        if self.best < 0:
            self._divide_by_item(node, stack, True)
        else:
            stack.divide_in_two(node, PAIR, self.first[self.best], self.second[self.best], self.apart_first)
        return True

    def _divide_by_item(self, node, stack, has_masses):
        """Divides the node by the options of an item, or by one option: covers with and without the option."""
        node._weigh()
        i = self._lightest(node, False)
        if i < 0:
            i = self._lightest(node, True)
        if i < 0 or not (node._once(i) or self._must_cover(node, i)):
            o = self._best_option(node, i, has_masses)
            stack.divide_in_two(node, OPTION, o, -1, i < 0 and node.slack[o] > 0)
        elif node.diving > 0 and node.level < node.price.shape[0]:
            # A dive begins with the option of the largest mass (decimation).
            o = self._best_option(node, -1, True)
            stack.divide_by_options(node, self._tightest(node, o, i), o)
        else:
            stack.divide_by_options(node, i, -1)

    def _lightest(self, node, optional):
        """Returns the item with the least expected work, varied at random by up to 30 %; -1 if there is none.

        The item must be covered. If `optional`, the item need not be covered, but has a positive price: leaving it
        uncovered is a further branch, unless its price exceeds the allowed slack. Branching on the best option instead
        was slower: 400 random bids for 60 lots took more than 20 s instead of up to 1 s.
        """
        best: cython.int = -1
        least = 0.0
        for k in range(node.open):
            i = node.item[k]
            if optional:
                if node.most[i] != node.used[i] + 1 or node._price(i) <= 0:
                    continue
            elif i >= node.n_primary or node._need(i) == 0:
                continue
            share = node.work[i] * (1.0 + self._draw() / 7e9)
            if optional:
                share += not self._must_cover(node, i)
            if best < 0 or share < least:
                least = share
                best = i
        return best

    def _must_cover(self, node, i):
        """Returns whether an open item must be covered again because its price exceeds the allowed slack."""
        return node.most[i] == node.used[i] + 1 and node._least_uses(i, 0) > 0

    def _best_option(self, node, i, by_mass):
        """Returns the option with the largest mass (marginal) or least slack: of item i, or of all if i is -1."""
        best: cython.int = -1
        for k in range(node.live):
            o = node.option[k]
            if i >= 0 and not node._has(o, i):
                continue
            if best < 0 or (node.mass[o] > node.mass[best] if by_mass else node.slack[o] < node.slack[best]):
                best = o
        return best

    def _tightest(self, node, o, i):
        """Returns the item with the fewest live options among those that option o closes; i if o closes none."""
        best: cython.int = -1
        for e in range(node.indptr[o], node.indptr[o + 1]):
            j = node.indices[e]
            if node._once(j) and (best < 0 or node.size[j] < node.size[best]):
                best = j
        return best if best >= 0 else i

    def _draw(self):
        """Returns a random number, by the minimal standard generator (Park, Miller 1988, doi:10.1145/63039.63042)."""
        self.random = self.random * 16807 % 2147483647
        return self.random

    # Pairs of items

    def _try_pairs(self, node, lp):
        """Sets `best` to the pair whose sides lower the bound most; returns False if the node has to be entered again.

        Trials may go on in another run: runs of any length search the same tree.
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
                if self.pair < 0 or self.tried >= min(most, self.last_gain + LOOK_AHEAD):
                    self.trying = False
                    return True
                self.tried += 1
            together: cython.bint = self.side == 0
            i, j = self.first[self.pair], self.second[self.pair]
            bound = self._try_side(node, lp, i, j, together)
            if bound < node.target:
                node.log.sides(PAIR, i, j, together)  # the other side is next
                if self.short >= 0:
                    node.log.item(self.short, -1)
                else:
                    node.log.prices(node.trial, node.place, node.open)
                    node.log.end()
                node._keep_side(i, j, not together)
                self.trying = False
                return False
            drop = cython.cast(cython.double, node.bound - bound)
            self.side = together
            if together:
                self.first_drop = drop
                continue
            score = (self.first_drop + 1e-6 * allowed) * (drop + 1e-6 * allowed)
            if self.best < 0 or score > self.best_score:
                self.best, self.last_gain, self.best_score = self.pair, self.tried, score
                self.apart_first = drop < self.first_drop
        return False

    def _most_promising(self):
        """Returns the untried pair whose shared mass is nearest to 1/2; -1 if all have been tried."""
        best: cython.int = -1
        for c in range(self.n):
            if self.promise[c] > 0 and (best < 0 or self.promise[c] > self.promise[best]):
                best = c
        if best >= 0:
            self.promise[best] = 0.0
        return best

    def _propose(self, node):
        """Lists for every open item the item with which its shared mass is nearest to 1/2."""
        self.n = 0
        node._list_members()
        for k in range(node.open):
            if node._once(node.item[k]):
                self._propose_for(node, node.item[k])

    def _propose_for(self, node, i):
        """Lists item i with its best partner, unless there is no partner or the pair is already listed."""
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
            if node.mass[o] > NEGLIGIBLE and node._has(o, best):
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
        """Returns a valid bound of one side of a pair, by a few pivots."""
        live = node.live
        bound = node.bound
        node._keep_side(i, j, together)
        node._count_again()
        self.short = -1
        for k in range(node.open):
            if node._supply(node.item[k]) < node._need(node.item[k]):
                self.short = node.item[k]
        if self.short >= 0:
            bound -= NO_COVER
        else:
            lp._try_program(node, PIVOTS)
            bound = min(bound, node._bound_of_trial())
        node.live = live
        return bound

    def check(self, node: Node) -> None:
        """Verifies the random state and the pairs proposed at the current node."""
        assert 1 <= self.random <= 2147483646, f"random is {self.random}"
        if self.trying:
            first, second = np.asarray(self.first)[: self.n], np.asarray(self.second)[: self.n]
            assert (first != second).all(), "a pair has one item twice"
            assert all(node._once(i) and node.place[i] < node.open for i in (*first, *second)), "a pair is not open"
            assert not np.asarray(self.shared).any(), "shared is not 0 between two proposals"
            assert self.last_gain <= self.tried <= min(self.n, TRIALS), f"tried is {self.tried} of {self.n}"
