# cython: language_level=3
"""Branch and bound: covers of at least a score, found by prices.

A node may spend what its bound has above the score still wanted. Each option chosen spends its slack, and what cannot
afford it is dropped; where prices are improved at a node, there is less to spend. The search goes on from where it
stopped, or from the root again, another way and with better prices.

A node is divided by the options of an item, by one option, or by a pair of items (kernel `pairs`).
"""

import cython
import numpy as np

from dlx.kernels.price.lp.simplex import Simplex
from dlx.kernels.price.node import Node
from dlx.kernels.price.pairs import Pairs

if not cython.compiled:
    from math import fabs

    from dlx.kernels import BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
    from dlx.kernels.price.node import END, ITEM, OPTION, PAIR

WHOLE_MASS = cython.declare(cython.double, 0.01)  # the distance of a mass to a whole number, at most


class BranchAndBound(Node):
    """A search for covers with a score of at least `target`, all in fixed-point units.

    With a positive `increment`, every cover found raises the target to its own score plus that.

    Parameters:
        rows, buffer, weights, ranges: as for `Node`.
        seed: how ties are broken.
    """

    def __init__(self, rows, buffer, weights, seed: cython.longlong, ranges=None) -> None:
        Node.__init__(self, rows, buffer, weights, ranges)
        self.lp = Simplex(self.n_options)
        depth: cython.int = self.chosen.shape[0]
        ints: cython.int[:, ::1] = np.zeros((12, depth), dtype=np.int32)
        longs: cython.longlong[:, ::1] = np.zeros((2, depth), dtype=np.int64)
        bytes_: cython.char[:, ::1] = np.zeros((3, depth), dtype=np.int8)
        self.at_chosen, self.at_live, self.at_open, self.at_open_primary = ints[0], ints[1], ints[2], ints[3]
        self.at_painted, self.first, self.next, self.end = ints[4], ints[5], ints[6], ints[7]
        self.tried, self.children, self.one, self.other = ints[8], ints[9], ints[10], ints[11]
        self.at_gain, self.at_bound = longs[0], longs[1]
        self.kind, self.turn, self.sure = bytes_[0], bytes_[1], bytes_[2]
        self.branch = np.zeros(self.n_options + 1, dtype=np.int32)
        self.branch_slack = np.zeros(self.n_options + 1, dtype=np.int64)
        self.random = 1 + seed % 2147483646
        self.increment = 0
        self.touched = np.zeros(self.n_items + 1, dtype=np.int32)
        self.pairing, self.strong = False, Pairs()

    def restart(self, seed: cython.longlong) -> None:
        """Goes back to the root, to come down another way."""
        if self.level > 0 or self.state == TRY:
            self.level = 0
            self._return()
        self.lp.halted = self.strong.trying = False
        self.random = 1 + seed % 2147483646
        self.state = ENTER

    def _branches(self, level: cython.int) -> tuple:
        return self.tried[level] - (level < self.level), self.children[level]

    def path(self) -> tuple:
        """Returns the options chosen so far, forced ones too."""
        return tuple(np.asarray(self.chosen)[: self.n_chosen].tolist())

    def _run(self):
        while self.state != DONE:
            if self.covers >= self.cover_limit:
                return BUFFER_FULL
            if self.state == ENTER:
                # Looked at before the work on a node, not after it: any budget gets on, however small.
                status = self._spent()
                if status:
                    return status
                if self.recording and self.record.shape[0] - self.recorded < self.margin:  # the steps may not fit
                    return BUFFER_FULL
                if self.strong.trying:
                    self.state = TRY
                    self._branch()
                    continue
                if self.level == 0:
                    self._leave_root()
                self.settled = False
                self.lp.resumed, self.lp.halted = self.lp.halted, False
                self.state = TRY
                if not self._propagate():
                    self._back_up()
                elif self.lp.halted:
                    self.state = ENTER
                elif self.open_primary == 0 and (self.live == 0 or not self.ranged):
                    self._find()
                    if self.recording:
                        self._step(END, 0)
                    self._back_up()
                else:
                    self._branch()
                continue
            self._return()
            if not self._next():
                self._back_up()
        return EXHAUSTED

    def _leave_root(self):
        """Goes from the root to its only child, which is the same node: what a search drops there, the root keeps."""
        self.first[0] = self.next[0] = self.end[0] = 0
        self.kind[0] = ITEM
        self.tried[0] = self.children[0] = 1
        if self.recording:
            self._record_prices(self.price[0], self.place, self.open)
        self._save_node()
        self._descend()

    def _back_up(self):
        """Leaves this level for the one above; the search ends at the root."""
        if self.level == 0:
            self.state = DONE
        else:
            self.level -= 1

    def _descend(self):
        """Goes to the next level, which has the prices of this one at first."""
        self.level += 1
        if self.level < self.price.shape[0]:
            for k in range(self.open):
                i = self.item[k]
                self.price[self.level, i] = self.price[self.row, i]
            self.row = self.level
        self.state = ENTER

    def _return(self):
        """Comes back to the node of this level, as it was when it branched."""
        while self.n_chosen > self.at_chosen[self.level]:
            self.n_chosen -= 1
            if self.ranged:
                for e in range(self.indptr[self.chosen[self.n_chosen]], self.indptr[self.chosen[self.n_chosen] + 1]):
                    if not self.coloured or self.colour[e] == 0:
                        self.used[self.indices[e]] -= 1
        self.live = self.at_live[self.level]
        while self.n_painted > self.at_painted[self.level]:
            self.n_painted -= 1
            self.shade[self.painted[self.n_painted]] = 0
        self.open = self.at_open[self.level]
        self.open_primary = self.at_open_primary[self.level]
        self.gain = self.at_gain[self.level]
        self.bound = self.at_bound[self.level]
        self.row = min(self.level, cython.cast(cython.int, self.price.shape[0]) - 1)
        if self.level == 0 and self.children[0] == 1:  # the root and its only child are the same node
            self.lp._forget(1)
        else:
            self.lp._forget(self.level)

    def _branch(self):
        """Saves the node with its branching: on a pair, on all options of an item, or on one; or it has to be entered
        again, since one side of a pair cannot reach the target.
        """
        c = i = -1
        self.tried[self.level] = 0
        self.children[self.level] = 2
        self.first[self.level] = self.next[self.level] = self.end[self.level] = self.end[self.level - 1]
        if self.pairing and self.sweeps > 0 and self.level < self.price.shape[0]:  # so that there are masses
            c = self.strong.pick(self, self.lp)
            if c < -1:  # CHANGED or UNFINISHED
                self.state = ENTER
                return
        if c >= 0:
            self.kind[self.level] = PAIR
            self.one[self.level], self.other[self.level] = self.strong.first[c], self.strong.second[c]
            self.turn[self.level] = self.strong.better
        else:
            self._weigh()
            i = self._lightest(False)
            if i < 0:
                i = self._lightest(True)
            if i < 0 or not (self._once(i) or self._too_dear(i)):  # an option of the item, or of all, and without it
                o = self._favourite(i, self.sweeps > 0 and self.level < self.price.shape[0])
                self.kind[self.level] = OPTION
                self.one[self.level] = o
                self.turn[self.level] = i < 0 and self.slack[o] > 0
            else:
                self._list_all(i)
        if self.recording:
            self._record_branch(i)
        self._save_node()

    def _record_branch(self, i):
        """Records the branching of this level's node, if it is not on a pair: on item i, or on one of its options."""
        level = self.level
        if self.kind[level] == ITEM:
            self._step(ITEM, 1 + self.end[level] - self.first[level])
            self._write(i)
            for k in range(self.first[level], self.end[level]):
                self._write(self.branch[k])
            return
        self._step(self.kind[level], 2 + (self.kind[level] == PAIR))
        self._write(self.one[level])
        if self.kind[level] == PAIR:
            self._write(self.other[level])
        self._write(self.turn[level] == 0)

    def _lightest(self, optional):
        """Returns the item of least work to branch on, give or take 30% at random; -1 if there is none.

        It has to be covered, or is `optional` and costs something where it stays open; that is one more branch, unless
        it would be too dear. To branch on the best option instead proves little: 400 random bids for 60 lots took
        longer than 20 s, and take up to 1 s.
        """
        best: cython.int = -1
        least = 0.0
        for k in range(self.open):
            i = self.item[k]
            if optional:
                if self.most[i] != self.used[i] + 1 or self._price(i) <= 0:
                    continue
            elif i >= self.n_primary or self._need(i) == 0:
                continue
            share = self.work[i] * (1.0 + self._draw() / 7e9)
            if optional:
                share += not self._too_dear(i)
            if best < 0 or share < least:
                least = share
                best = i
        return best

    def _too_dear(self, i):
        """Tells whether an open item has to be covered once more, since its price is more than the slack."""
        return self.most[i] == self.used[i] + 1 and self._paid(i, 0) > 0

    def _list_all(self, i):
        """Lists the options of item i. A dive begins with the option of the largest mass instead (decimation)."""
        first: cython.int = -1
        end: cython.int = self.first[self.level]
        if self.diving > 0 and self.level < self.price.shape[0]:
            first = self._favourite(-1, True)
            i = self._tightest(first, i)
        self.kind[self.level] = ITEM
        self.sure[self.level] = first >= 0
        for k in range(self.live):
            o = self.option[k]
            if self._has(o, i):
                self.branch[end] = o
                self.branch_slack[end] = self.slack[o]
                if o == first:
                    self._swap(self.first[self.level], end)
                end += 1
        self.end[self.level] = end
        self.children[self.level] = end - self.first[self.level]

    def _save_node(self):
        self.at_chosen[self.level] = self.n_chosen
        self.at_live[self.level] = self.live
        self.at_painted[self.level] = self.n_painted
        self.at_open[self.level] = self.open
        self.at_open_primary[self.level] = self.open_primary
        self.at_gain[self.level] = self.gain
        self.at_bound[self.level] = self.bound

    def _favourite(self, i, by_mass):
        """Returns the option of item i, or of all if that is -1, of largest mass (the marginal) or of least slack."""
        best: cython.int = -1
        for k in range(self.live):
            o = self.option[k]
            if i >= 0 and not self._has(o, i):
                continue
            if best < 0 or (self.mass[o] > self.mass[best] if by_mass else self.slack[o] < self.slack[best]):
                best = o
        return best

    def _tightest(self, o, i):
        """Returns the item of option o with the fewest live options, of those that end with it; i if there is none."""
        best: cython.int = -1
        for e in range(self.indptr[o], self.indptr[o + 1]):
            j = self.indices[e]
            if self._once(j) and (best < 0 or self.size[j] < self.size[best]):
                best = j
        return best if best >= 0 else i

    def _swap(self, k, m):
        self.branch[k], self.branch[m] = self.branch[m], self.branch[k]
        self.branch_slack[k], self.branch_slack[m] = self.branch_slack[m], self.branch_slack[k]

    def _next(self):
        """Goes to the next child of the node of this level; False if none is left that can reach the target."""
        level = self.level
        if self.kind[level] == ITEM:
            o = self._next_option()
            if o < 0:
                return False
            self._descend()
            self._choose(o)
        else:
            if self.tried[level] == 2 or self.bound < self.target:
                return False
            self._descend()
            self._take_side(level, self.turn[level] != self.tried[level])
        self.tried[level] += 1
        self.nodes += 1
        return True

    def _take_side(self, level, second):
        k: cython.int = 0
        o = self.one[level]
        if self.kind[level] == PAIR:
            self._keep_side(o, self.other[level], not second)
        elif not second:
            self._choose(o)
        else:
            while self.option[k] != o:
                k += 1
            self._drop(k)

    def _next_option(self):
        """Returns the option of least slack still to try at this level, or -1 if none can reach the target.

        Where steps are written down it is the next one: in a search that finds nothing any order is as good.
        """
        begin = self.next[self.level]
        end = self.end[self.level]
        least: cython.int = begin
        if begin == end:
            return -1
        for k in range(begin + 1, begin if self.sure[self.level] or self.recording else end):
            if self.branch_slack[k] < self.branch_slack[least]:
                least = k
        self.updates += cython.cast(cython.int, end - begin)
        if self.bound - self.branch_slack[least] < self.target:
            return -1
        self._swap(begin, least)
        self.sure[self.level] = False
        self.next[self.level] += 1
        return self.branch[begin]

    def _find(self):
        """Writes the chosen options to the next row of the buffer, if their score reaches the target.

        The bound may and the score not: secondary items left open have prices that nothing has paid.
        """
        if self.gain >= self.target:
            self._emit(self.n_chosen)
            if self.increment > 0:
                self.target = self.gain + self.increment

    def _improve(self):
        if not self.pairing or self.level >= self.lp.levels:
            return Node._improve(self)
        better = self.lp._solve_program(self)
        if not self.lp.halted and self.increment > 0 and self.covers + 1 < self.cover_limit:
            self._find_whole()
        return better

    def find_whole(self) -> None:
        """Writes the masses at the root to the buffer, if they are a cover that reaches the target."""
        with cython.nogil:
            self._find_whole()

    def _find_whole(self):
        """Writes the masses to the buffer with the chosen options, if they are a cover that reaches the target."""
        n, gain = self.n_chosen, self.gain
        for k in range(self.open):
            self.touched[self.item[k]] = 0
        for k in range(self.live):
            o = self.option[k]
            times = cython.cast(cython.int, min(self.mass[o], 1e9) + 0.5)
            if fabs(self.mass[o] - times) > WHOLE_MASS or times > self._room(o) or n + times > self.chosen.shape[0]:
                return
            for _ in range(times):
                self.chosen[n] = o
                n += 1
                gain += self.weight[o]
                for e in range(self.indptr[o], self.indptr[o + 1]):
                    if not self._touch(e):
                        return
        for k in range(self.open):
            i = self.item[k]
            if self.tinted[i]:
                continue
            if self.touched[i] < self._need(i) or self.touched[i] > self.most[i] - self.used[i]:
                return
        if gain >= self.target:
            self._emit(n)
            if self.increment > 0:
                self.target = gain + self.increment

    def _touch(self, e):
        """Counts the item of entry e, or notes its colour; False if that is another one than it has."""
        i = self.indices[e]
        if not self.tinted[i]:
            self.touched[i] += 1
            return True
        if self.colour[e] == 0 or (self.shade[i] != 0 and self.shade[i] != self.colour[e]):
            return False
        if self.touched[i] == 0:
            self.touched[i] = self.colour[e]
        return self.touched[i] == self.colour[e]

    def _draw(self):
        """Returns a random number, by the minimal standard generator (Park, Miller 1988, doi:10.1145/63039.63042)."""
        self.random = self.random * 16807 % 2147483647
        return self.random

    # Parts of the tree for other kernels of the same problem

    def settings(self) -> tuple:
        """Returns how nodes are searched, for `set` of another kernel."""
        return self.increment, self.sweeps, self.warmth, bool(self.pairing), self.price.shape[0], self.lp.levels

    def set(self, increment, sweeps, warmth, pairs, levels, programs) -> None:
        """Searches nodes as another kernel does; this one has not yet begun."""
        self.increment, self.sweeps, self.warmth, self.pairs = increment, sweeps, warmth, pairs
        self.lp.program(self, programs, self.open)
        self.separate(levels)

    def rest(self) -> list:
        """Returns the nodes that are still to be searched, from the root on, as `stand_at` takes them.

        Each is a tuple: its share of the tree, its bound, the options chosen, those that may still be chosen, and the
        prices of all items. A node that has been divided comes with what is left of it.
        """
        nodes: list = []
        share = 1.0
        if self.state == DONE:
            return nodes
        for level in range(self.level + (self.state == TRY)):
            n_left = self.children[level] - self.tried[level]
            share /= self.children[level]
            if n_left > 0:
                bound, node = self._left(level)
                if bound >= self.target:
                    nodes.append((share * n_left, bound, *node))
        if self.state == ENTER:
            self.at_chosen[self.level], self.at_live[self.level] = self.n_chosen, self.live
            self.at_open[self.level] = self.open
            nodes.append((share, int(self.bound), *self._node_of(self.level)))
        return nodes

    def _left(self, level: cython.int) -> tuple:
        """Returns the bound and the node of a level without the children that have been tried."""
        chosen, live, prices = self._node_of(level)
        bound = int(self.at_bound[level])
        i, j = self.one[level], self.other[level]
        if self.kind[level] == ITEM:  # one of its options is in every cover that reaches the target
            tried = np.asarray(self.branch)[self.first[level] : self.next[level]]
            live = live[~np.isin(live, tried)]
            bound -= int(np.asarray(self.branch_slack)[self.next[level] : self.end[level]].min())
        elif self.tried[level] == 1:
            second = self.turn[level] == 0
            if self.kind[level] == PAIR:
                has = np.array([[self._has(o, i), self._has(o, j)] for o in live.tolist()], dtype=np.bool_)
                live = live[~has.all(axis=1) if second else has[:, 0] == has[:, 1]]
            elif second:
                live = live[live != i]
            else:
                chosen = np.append(chosen, i)
        return bound, (chosen, live, prices)

    def _node_of(self, level: cython.int) -> tuple:
        """Returns the options chosen and those that live at a level, and its prices; items that are closed cost 0."""
        open = np.asarray(self.item)[: self.at_open[level]]
        prices = np.zeros(self.n_items, dtype=np.int64)
        prices[open] = np.asarray(self.price)[min(level, self.price.shape[0] - 1)][open]
        chosen = np.asarray(self.chosen)[: self.at_chosen[level]].copy()
        return chosen, np.asarray(self.option)[: self.at_live[level]].copy(), prices

    def stand_at(self, chosen, live, prices) -> None:
        """Begins at a node that another kernel has left, as if that were the root."""
        self.level = 0
        self.at_chosen[0] = self.at_painted[0] = 0
        self.at_gain[0] = self.at_bound[0] = 0
        self.at_live[0], self.at_open[0] = self.n_usable, self.n_items
        self.at_open_primary[0] = np.count_nonzero(self.least)
        self._return()
        self.go_on_from(prices, live, chosen)
        self.lp.stand = -1
        self.lp.halted = self.strong.trying = False
        np.asarray(self.mass)[:] = 0.0
        self.state = ENTER

    @property
    def is_amid_node(self) -> bool:
        """Tells whether the last run has ended amid the program or the trials of a node."""
        return self.lp.halted or self.strong.trying

    @property
    def pairs(self) -> bool:
        """Tells whether to divide by pairs of items, where prices allow."""
        return self.pairing

    @pairs.setter
    def pairs(self, wanted: cython.bint) -> None:
        if wanted:
            self.strong.make_room(self.n_items)
        self.pairing = wanted

    def check(self) -> None:
        Node.check(self)
        self.lp.check(self)

    def take_over(self, other) -> None:
        """Takes the target, the settings, the bound and the basis of another kernel of this problem."""
        old: BranchAndBound = other
        self.target, self.increment = old.target, old.increment
        self.upper_bound = min(self.upper_bound, old.upper_bound)
        self.sweeps, self.warmth, self.diving = old.sweeps, old.warmth, old.diving
        self.pairs = old.pairing
        self.separate(old.price.shape[0])
        self.lp.program(self, old.lp.levels, self.open)
        self.lp.take_basis(old.lp)
        old.release()

    def release(self) -> None:
        """Frees the memory of levels and of linear programs; the counters stay."""
        self.separate(1)
        self.lp.program(self, 0, 0)

    def widen(self, rows, ranges=None) -> None:
        """Goes on at the root with more secondary items, which the rows have behind the others, at no price."""
        Node.widen(self, rows, ranges)
        self.touched = np.zeros(self.n_items + 1, dtype=np.int32)
        self.pairs = self.pairing
        self.lp.program(self, self.lp.levels, self.open)
