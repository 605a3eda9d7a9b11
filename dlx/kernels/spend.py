# cython: language_level=3
"""The search that spends slack: covers of at least a score, found by prices.

A node may spend what its bound has above the score still wanted. Each option chosen spends its slack, and what cannot
afford it is dropped; where prices are improved at a node, there is less to spend. The search goes on from where it
stopped, or from the root again, another way and with better prices.
"""

import cython
import numpy as np

from dlx.kernels.prices import Prices

if not cython.compiled:
    from dlx.kernels import BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY


class Spend(Prices):
    """A search for covers with a score of at least `target`, all in fixed-point units.

    With a positive `increment`, every cover found raises the target to its own score plus that.

    Parameters:
        rows, buffer, weights, largest: as for `Prices`.
        seed: how ties are broken.
    """

    def __init__(self, rows, buffer, weights, largest: cython.int, seed: cython.longlong) -> None:
        Prices.__init__(self, rows, buffer, weights, largest)
        depth: cython.int = self.chosen.shape[0]
        self.at_chosen, self.at_live, self.at_open, self.at_open_primary = np.zeros((4, depth), dtype=np.int32)
        self.at_painted, self.first, self.next, self.end = np.zeros((4, depth), dtype=np.int32)
        self.at_gain, self.at_bound = np.zeros((2, depth), dtype=np.int64)
        self.sure = np.zeros(depth, dtype=np.int8)
        self.branch = np.zeros(self.n_options + 1, dtype=np.int32)
        self.branch_slack = np.zeros(self.n_options + 1, dtype=np.int64)
        self.random = 1 + seed % 2147483646
        self.increment = 0

    def restart(self, seed: cython.longlong) -> None:
        """Goes back to the root, to come down another way."""
        if self.level > 0 or self.state == TRY:
            self.level = 0
            self._return()
        self.random = 1 + seed % 2147483646
        self.state = ENTER

    def fraction(self) -> float:
        """The part of the tree since the last restart behind it, if all options of a node had subtrees of one size."""
        done: cython.double = 0.0
        k: cython.int
        if self.state == DONE:
            return 1.0
        for k in range(self.level - (self.state != TRY), -1, -1):  # outwards, so that rounding never makes it fall
            done += self.next[k] - self.first[k] - (k < self.level)
            done /= max(1, self.end[k] - self.first[k])
        return done

    def path(self) -> tuple:
        """The options chosen so far, forced ones too."""
        return tuple(np.asarray(self.chosen)[: self.n_chosen].tolist())

    def _run(self):
        o: cython.int
        status: cython.int
        while self.state != DONE:
            if self.covers >= self.cover_limit:
                return BUFFER_FULL
            if self.state == ENTER:
                # Looked at before the work on a node, not after it: any budget gets on, however small.
                status = self._spent()
                if status:
                    return status
                self.settled = False
                self.state = TRY
                if not self._propagate():
                    self._back_up()
                elif self.open_primary == 0:
                    self._find()
                    self._back_up()
                else:
                    self._branch()
                continue
            self._return()
            o = self._next()
            if o >= 0:
                self._enter(o)
            else:
                self._back_up()
        return EXHAUSTED

    def _back_up(self):
        """Leaves this level for the one above; the search ends at the root."""
        if self.level == 0:
            self.state = DONE
        else:
            self.level -= 1

    def _enter(self, o):
        """Chooses option o at the node of this level, and goes down to the next."""
        k: cython.int
        i: cython.int
        self.level += 1
        self.nodes += 1
        if self.level < self.price.shape[0]:
            for k in range(self.open):
                i = self.item[k]
                self.price[self.level, i] = self.price[self.row, i]
            self.row = self.level
        self.bound -= self.branch_slack[self.next[self.level - 1] - 1]
        self._choose(o)
        self.state = ENTER

    def _return(self):
        """Comes back to the node of this level, as it was when it branched."""
        self.n_chosen = self.at_chosen[self.level]
        self.live = self.at_live[self.level]
        while self.n_painted > self.at_painted[self.level]:
            self.n_painted -= 1
            self.shade[self.painted[self.n_painted]] = 0
        self.open = self.at_open[self.level]
        self.open_primary = self.at_open_primary[self.level]
        self.gain = self.at_gain[self.level]
        self.bound = self.at_bound[self.level]
        self.row = min(self.level, cython.cast(cython.int, self.price.shape[0]) - 1)

    def _branch(self):
        """Saves the node, and lists the options of the item to branch on: of least heft, give or take 30% at random.

        A dive begins with the option of the largest mass instead (decimation).
        """
        k: cython.int
        e: cython.int
        i: cython.int
        o: cython.int
        best: cython.int = -1
        share: cython.double
        least: cython.double = 0.0
        first: cython.int = -1
        end: cython.int = 0 if self.level == 0 else self.end[self.level - 1]
        for k in range(self.open):
            i = self.item[k]
            if i < self.n_primary:
                share = self.work[i] * (1.0 + self._draw() / 7e9)
                if best < 0 or share < least:
                    least = share
                    best = i
        if self.diving > 0 and self.level < self.price.shape[0]:
            first = self._surest()
            best = self._tightest(first)
        self.sure[self.level] = first >= 0
        self.first[self.level] = self.next[self.level] = end
        for k in range(self.live):
            o = self.option[k]
            for e in range(self.indptr[o], self.indptr[o + 1]):
                if self.indices[e] == best:
                    self.branch[end] = o
                    self.branch_slack[end] = self.slack[o]
                    if o == first:
                        self.branch[end] = self.branch[self.first[self.level]]
                        self.branch_slack[end] = self.branch_slack[self.first[self.level]]
                        self.branch[self.first[self.level]] = o
                        self.branch_slack[self.first[self.level]] = self.slack[o]
                    end += 1
        self.end[self.level] = end
        self.at_chosen[self.level] = self.n_chosen
        self.at_live[self.level] = self.live
        self.at_painted[self.level] = self.n_painted
        self.at_open[self.level] = self.open
        self.at_open_primary[self.level] = self.open_primary
        self.at_gain[self.level] = self.gain
        self.at_bound[self.level] = self.bound

    def _surest(self):
        """The live option of the largest mass: after soft sweeps, masses are the marginals of the smoothed problem."""
        k: cython.int
        first: cython.int = self.option[0]
        for k in range(1, self.live):
            if self.mass[self.option[k]] > self.mass[first]:
                first = self.option[k]
        return first

    def _tightest(self, o):
        """The primary item of option o with the fewest live options."""
        e: cython.int
        i: cython.int
        best: cython.int = -1
        for e in range(self.indptr[o], self.indptr[o + 1]):
            i = self.indices[e]
            if i < self.n_primary and (best < 0 or self.size[i] < self.size[best]):
                best = i
        return best

    def _next(self):
        """The option of least slack still to try at this level, or -1 if none can reach the target."""
        begin: cython.int = self.next[self.level]
        end: cython.int = self.end[self.level]
        k: cython.int
        least: cython.int = begin
        o: cython.int
        slack: cython.longlong
        if begin == end:
            return -1
        for k in range(begin + 1, begin if self.sure[self.level] else end):
            if self.branch_slack[k] < self.branch_slack[least]:
                least = k
        self.updates += cython.cast(cython.int, end - begin)
        if self.bound - self.branch_slack[least] < self.target:
            return -1
        o = self.branch[least]
        slack = self.branch_slack[least]
        self.branch[least] = self.branch[begin]
        self.branch_slack[least] = self.branch_slack[begin]
        self.branch[begin] = o
        self.branch_slack[begin] = slack
        self.sure[self.level] = False
        self.next[self.level] += 1
        return o

    def _find(self):
        """Writes the chosen options to the next row of the buffer, if their score reaches the target.

        The bound may and the score not: secondary items left open have prices that nothing has paid.
        """
        if self.gain >= self.target:
            self._emit(self.n_chosen)
            if self.increment > 0:
                self.target = self.gain + self.increment

    def _draw(self):
        """A random number, by the minimal standard generator (Park, Miller 1988, doi:10.1145/63039.63042)."""
        self.random = self.random * 16807 % 2147483647
        return self.random
