# cython: language_level=3
"""Branch and bound: covers of at least a score, found by prices.

A node may spend what its bound has above the score still wanted. Each option chosen spends its slack, and what cannot
afford it is dropped; where prices are improved at a node, there is less to spend. The search goes on from where it
stopped, or from the root again, another way and with better prices.

A node is divided by the options of an item or by one option; a node with a linear program by a pair of items.
"""

import cython
import numpy as np

from dlx.kernels.price.brancher import Brancher
from dlx.kernels.price.lp.simplex import Simplex
from dlx.kernels.price.node import Node
from dlx.kernels.price.stack import Stack

if not cython.compiled:
    from dlx.kernels import BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
    from dlx.kernels.price.proof_log import ITEM, PAIR

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
        self.stack = Stack(self.chosen.shape[0], self.n_options)
        self.brancher = Brancher(seed)
        self.increment = 0

    def restart(self, seed: cython.longlong) -> None:
        """Goes back to the root, to come down another way."""
        if self.level > 0 or self.state == TRY:
            self.level = 0
            self._return()
        self.lp.halted = False
        self.brancher.begin(seed)
        self.state = ENTER

    def _branches(self, level: cython.int) -> tuple:
        return self.stack.tried[level] - (level < self.level), self.stack.children[level]

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
                if self.log.is_full():
                    return BUFFER_FULL
                if self.brancher.pairs.trying:
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
                    self.log.end()
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
        self.stack.begin(0)
        self.stack.kind[0] = ITEM
        self.stack.tried[0] = self.stack.children[0] = 1
        self.log.prices(self.price[0], self.place, self.open)
        self.stack.save(self)
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
        self.stack.restore(self)
        if self.level == 0 and self.stack.children[0] == 1:  # the root and its only child are the same node
            self.lp._forget(1)
        else:
            self.lp._forget(self.level)

    def _branch(self):
        """Saves the node with its branching; or it has to be entered again."""
        if self.brancher.divide(self, self.lp, self.stack):
            self.stack.save(self)
        else:
            self.state = ENTER

    def _next(self):
        """Goes to the next child of the node of this level; False if none is left that can reach the target."""
        level = self.level
        if self.stack.kind[level] == ITEM:
            o = self.stack.next_option(self)
            if o < 0:
                return False
            self._descend()
            self._choose(o)
        else:
            if self.stack.tried[level] == 2 or self.bound < self.target:
                return False
            self._descend()
            self._take_side(level, self.stack.turn[level] != self.stack.tried[level])
        self.stack.tried[level] += 1
        self.nodes += 1
        return True

    def _take_side(self, level, second):
        k: cython.int = 0
        o = self.stack.one[level]
        if self.stack.kind[level] == PAIR:
            self._keep_side(o, self.stack.other[level], not second)
        elif not second:
            self._choose(o)
        else:
            while self.option[k] != o:
                k += 1
            self._drop(k)

    def _find(self):
        """Writes the chosen options to the next row of the buffer, if their score reaches the target.

        The bound may and the score not: secondary items left open have prices that nothing has paid.
        """
        if self.gain >= self.target:
            self._emit(self.n_chosen)
            if self.increment > 0:
                self.target = self.gain + self.increment

    def _improve(self):
        if self.level >= self.lp.levels:
            return Node._improve(self)
        return self.lp._solve_program(self)

    def find_integral_cover(self) -> None:
        """Writes the masses at the root to the buffer, if they are a cover that reaches the target."""
        with cython.nogil:
            self.stack.save(self)
            if self._choose_masses() and self.open_primary == 0:
                self._find()
            self.stack.restore(self)

    def _choose_masses(self):
        """Chooses the options of mass; False if a mass is not whole, or an option does not fit the others."""
        for k in range(self.live):
            o = self.option[k]
            left = self.mass[o]
            while left > WHOLE_MASS:
                if left < 1.0 - WHOLE_MASS or not self._fits(o):
                    return False
                self._choose(o)
                left -= 1.0
        return True

    # Parts of the tree for other kernels of the same problem

    def settings(self) -> tuple:
        """Returns how nodes are searched, for `configure` of another kernel."""
        return self.increment, self.sweeps, self.warmth, self.price.shape[0], self.lp.levels

    def configure(self, increment, sweeps, warmth, levels, programs) -> None:
        """Searches nodes as another kernel does; this one has not yet begun."""
        self.increment, self.sweeps, self.warmth = increment, sweeps, warmth
        self.give_programs(programs)
        self.give_levels_prices(levels)

    def give_programs(self, levels: cython.int) -> None:
        """Solves linear programs at nodes of the first `levels` levels, and branches on pairs of items there."""
        self.lp.program(self, levels, self.open)
        if levels > 0:
            self.brancher.pairs.make_room(self.n_items)

    def rest(self) -> list:
        """Returns the nodes that are still to be searched, from the root on, as `start_at` takes them; see `Stack`."""
        if self.state == DONE:
            return []
        return self.stack.rest(self, self.level + (self.state == TRY), self.state == ENTER)

    def start_at(self, chosen, live, prices) -> None:
        """Starts with a node of another kernel as the root; no slack may be negative."""
        self.level = 0
        self.stack.chosen[0] = self.stack.painted[0] = 0
        self.stack.gain[0] = self.stack.bound[0] = 0
        self.stack.live[0], self.stack.open[0] = self.n_usable, self.n_items
        self.stack.open_primary[0] = np.count_nonzero(self.least)
        self._return()
        usable, lives = np.asarray(self.option)[: self.n_usable], np.zeros(self.n_options, dtype=np.bool_)
        lives[live] = True
        self.live = len(live)
        usable[:] = np.append(live, usable[~lives[usable]])
        self._stand(prices, chosen)
        self.lp.stand = -1
        self.lp.halted = self.brancher.pairs.trying = False
        np.asarray(self.mass)[:] = 0.0
        self.state = ENTER

    @property
    def is_amid_node(self) -> bool:
        """Whether the last run stopped inside the linear program or the trials of a node."""
        return self.lp.halted or self.brancher.pairs.trying

    def check(self) -> None:
        """Verifies the node at work, the nodes above it, and the basis of the linear program."""
        Node.check(self)
        self.stack.check(self)
        self.lp.check(self)

    def release_memory(self) -> None:
        """Frees the memory of levels and of linear programs; the counters stay."""
        self.give_levels_prices(1)
        self.give_programs(0)

    def add_items(self, rows, ranges=None) -> None:
        """Goes on at the root with more secondary items, which the rows have behind the others, at no price."""
        Node.add_items(self, rows, ranges)
        self.give_programs(self.lp.levels)  # with room for the items added
