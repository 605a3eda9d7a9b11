# cython: language_level=3
"""Branch and bound: finds covers with at least a given score, by prices.

A node can spend the allowed slack, which is its bound minus the target. Each chosen option spends its slack, and
options with more slack than remains are dropped. Better prices at a node leave less slack to spend. The search
continues from where it stopped, or restarts at the root with better prices and other random choices.

The search has four parts: the current `Node`, the `Stack` of the nodes above it, the linear programs (`Simplex`), and
the `Brancher`, which divides a node by the options of an item, by one option, or, after a linear program, by a pair of
items.
"""

import cython
import numpy as np

from dlx.kernels.price.brancher import Brancher
from dlx.kernels.price.lp.simplex import Simplex
from dlx.kernels.price.node import Node
from dlx.kernels.price.stack import Stack

if not cython.compiled:
    from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY
    from dlx.kernels.price.node import ITEM, PAIR


class BranchAndBound:
    """A search for covers with a score of at least `target`, all in fixed-point units; it runs as every kernel does.

    With a positive `increment`, every cover found raises the target to its own score plus that.

    Parameters:
        rows, weights, ranges: as for `Node`.
        buffer: as for `dlx.kernels.cover.frame.Frame`.
        seed: how ties are broken.
    """

    def __init__(self, rows, buffer, weights, seed: cython.longlong, ranges) -> None:
        self.node = Node(rows, weights, ranges, max(rows.n_primary, buffer.shape[1]) + len(rows.indptr) + 3)
        self.lp = Simplex(self.node.n_options)
        self.stack = Stack(self.node.chosen.shape[0], self.node.n_options)
        self.brancher = Brancher(seed)
        self.buffer = buffer
        self.filled = self.covers = self.node_limit = self.cover_limit = self.increment = 0
        self.state = ENTER

    name = "branch_and_bound"

    @property
    def nodes(self) -> int:
        """The options tried so far, including forced options."""
        return self.node.nodes

    @property
    def updates(self) -> int:
        """The options that sweeps, propagation, branching and pivots have passed so far."""
        return self.node.updates

    @property
    def target(self) -> int:
        """The score that a cover must reach, in units."""
        return self.node.target

    @target.setter
    def target(self, units: cython.longlong) -> None:
        self.node.target = units

    def run(self, nodes: cython.longlong, updates: cython.longlong, covers: cython.longlong) -> int:
        """Continues the search, as `Frame.run` does; but a run may end within a node that solves a linear program."""
        if self.buffer.shape[0]:
            covers = min(covers, self.buffer.shape[0] - self.filled)
        self.node_limit = self.node.nodes + nodes
        self.node.update_limit = self.node.updates + updates
        self.cover_limit = self.covers + covers
        with cython.nogil:
            status = self._run()
        return status

    def found(self) -> np.ndarray:
        """Returns the covers in the buffer: a row for each, option numbers in the order of choice, then -1."""
        return np.asarray(self.buffer)[: self.filled]

    def path(self) -> tuple:
        """Returns the options chosen so far, including forced options."""
        return self.node.path()

    def fraction(self) -> float:
        """Returns the fraction of the tree that has been searched, if all children of a node have equal subtrees."""
        return 1.0 if self._is_done() else self.stack.fraction(self.node.level, self.state == TRY)

    def restart(self, seed: cython.longlong) -> None:
        """Returns to the root, and breaks ties differently from now on."""
        if self.node.level > 0 or self.state == TRY:
            self.node.level = 0
            self._return()
        self.lp.halted = self.node.fathomed = False
        self.brancher.begin(seed)
        self.state = ENTER

    def _is_done(self) -> bool:
        return self.state == DONE or self.node.fathomed

    def _run(self):
        if self.node.fathomed:
            self.state = DONE
        while self.state != DONE:
            if self.covers >= self.cover_limit:
                return BUFFER_FULL
            if self.state == ENTER:
                # The limits are checked before the work on a node, so that any budget makes progress.
                if self.node.nodes >= self.node_limit or self.node.updates >= self.node.update_limit:
                    return BUDGET_SPENT
                if self.node.log.is_full():
                    return BUFFER_FULL
                if self.brancher.trying:
                    self._branch()
                    continue
                if self.node.level == 0:
                    self._leave_root()
                self.lp.resumed, self.lp.halted = self.lp.halted, False
                self.state = TRY
                if not self._tighten():
                    self._back_up()
                elif self.lp.halted:
                    self.state = ENTER
                elif self.node.open_primary == 0 and self.node.live == 0:
                    self._find()
                    self.node.log.end()
                    self._back_up()
                else:
                    self._branch()
                continue
            self._return()
            if not self._next():
                self._back_up()
        return EXHAUSTED

    def _leave_root(self):
        """Goes from the root to its only child, a copy, so that the root keeps the options that the search drops."""
        self.stack.divide(self.node, ITEM, 1)
        self.stack.tried[0] = 1
        self.node.log.prices(self.node.price[0], self.node.place, self.node.open)
        self._descend()

    def _back_up(self):
        """Goes to the level above; the search ends at the root."""
        if self.node.level == 0:
            self.state = DONE
        else:
            self.node.level -= 1

    def _descend(self):
        self.node._descend()
        self.state = ENTER

    def _return(self):
        """Restores the node of this level to its state when it was divided."""
        level = self.node.level
        self.stack.restore(self.node)
        if level == 0 and self.stack.children[0] == 1:  # the root and its only child are the same node
            level = 1
        self.lp._forget(level)

    def _tighten(self):
        """Propagates, and improves the prices of the node once; returns False at a dead end.

        If the last run ended within a linear program, this program is continued first.
        """
        counted: cython.bint = False
        improved: cython.bint = False
        while (self.lp.resumed and not counted) or self.node._propagate(counted, improved):
            if improved or self.node.sweeps == 0 or self.node.live == 0 or self.node.level >= self.node.price.shape[0]:
                return True
            counted = True
            has_program: cython.bint = self.node.level < self.lp.levels
            improved = self.lp._solve_program(self.node) if has_program else self.node._sweep()
            if not improved:
                return True
        return False

    def _branch(self):
        """Divides the node, or sets the state so that the node is entered again."""
        self.state = TRY if self.brancher.divide(self.node, self.lp, self.stack) else ENTER

    def _next(self):
        """Goes to the next child of this level's node; returns False if no remaining child can reach the target."""
        level = self.node.level
        if self.stack.kind[level] == ITEM:
            o = self.stack.next_option(self.node)
            if o < 0:
                return False
            self._descend()
            self.node._choose(o)
        else:
            if self.stack.tried[level] == 2 or self.node.bound < self.node.target:
                return False
            self._descend()
            self._take_side(level, self.stack.turn[level] != self.stack.tried[level])
        self.stack.tried[level] += 1
        self.node.nodes += 1
        return True

    def _take_side(self, level, second):
        k: cython.int = 0
        o = self.stack.one[level]
        if self.stack.kind[level] == PAIR:
            self.node._keep_side(o, self.stack.other[level], not second)
        elif not second:
            self.node._choose(o)
        else:
            while self.node.option[k] != o:
                k += 1
            self.node._drop(k)

    def _find(self):
        """Writes the chosen options to the next row of the buffer, if their score reaches the target.

        The bound may reach the target while the score does not: no option has paid the prices of open secondary items.
        """
        if self.node.gain < self.node.target:
            return
        self.covers += 1
        if self.buffer.shape[0]:
            self.buffer[self.filled, :] = -1
            for k in range(self.node.n_chosen):
                self.buffer[self.filled, k] = self.node.chosen[k]
            self.filled += 1
        if self.increment > 0:
            self.node.target = self.node.gain + self.increment

    def find_integral_cover(self) -> None:
        """If the masses at the root are a cover that reaches the target, writes it to the buffer."""
        with cython.nogil:
            self.stack.save(self.node)
            if self.node._choose_masses() and self.node.open_primary == 0:
                self._find()
            self.stack.restore(self.node)

    # Parts of the tree for other kernels of the same problem

    def settings(self) -> tuple:
        """Returns the settings of the search, for `configure` of another kernel."""
        return self.increment, self.node.sweeps, self.node.warmth, self.node.price.shape[0], self.lp.levels

    def configure(self, increment, sweeps, warmth, levels, programs) -> None:
        """Takes the settings of another kernel, before the search begins."""
        self.increment, self.node.sweeps, self.node.warmth = increment, sweeps, warmth
        self.give_programs(programs)
        self.node.give_levels_prices(levels)

    def give_programs(self, levels: cython.int) -> None:
        """Solves linear programs at nodes of the first `levels` levels, and branches on pairs of items there."""
        self.lp.program(self.node, levels, self.node.open)
        if levels > 0:
            self.brancher.make_room(self.node.n_items)

    def rest(self) -> list:
        """Returns the nodes still to be searched, from the root down, in the form of `start_at`; see `Stack`."""
        if self._is_done():
            return []
        return self.stack.rest(self.node, self.state == TRY)

    def rest_bound(self) -> int:
        """Returns the largest bound of the nodes that are still to be searched; the target if there is none."""
        if self._is_done():
            return self.node.target
        nodes = self.stack.open_nodes(self.node, self.state == TRY)
        return max((bound for _, _, bound in nodes), default=self.node.target)

    def start_at(self, chosen, live, prices) -> None:
        """Starts with a node of another kernel as the root; no slack may be negative."""
        self.node.level = 0
        self.stack.forget(self.node)
        self._return()
        self.node.start_at(chosen, live, prices)
        self.lp.last_level = -1
        self.lp.halted = self.brancher.trying = False
        self.state = ENTER

    @property
    def is_amid_node(self) -> bool:
        """Whether the last run stopped inside the linear program or the trials of a node."""
        return self.lp.halted or self.brancher.trying

    def check(self) -> None:
        """Verifies the buffer, the state, and each part: the current node, the stack, the brancher and the basis."""
        assert 0 <= self.filled <= self.buffer.shape[0], f"filled is {self.filled} of {self.buffer.shape[0]} rows"
        assert self.state in (ENTER, TRY, DONE), f"state is {self.state}"
        self.node.check()
        self.stack.check(self.node)
        self.brancher.check(self.node)
        self.lp.check(self.node)

    def release_memory(self) -> None:
        """Frees the memory of levels and of linear programs; the counters stay."""
        self.node.give_levels_prices(1)
        self.give_programs(0)

    def add_items(self, rows, ranges) -> None:
        """Continues at the root with further secondary items at the end of the rows, with price 0."""
        self.node.add_items(rows, ranges)
        self.give_programs(self.lp.levels)  # with room for the added items
