# cython: language_level=3
"""The stack of branch and bound: the nodes above the current node, each with its untried children."""

import cython
import numpy as np

from dlx.kernels.price.node import Node

if not cython.compiled:
    from dlx.kernels.price.node import ITEM, PAIR


class Stack:
    """The nodes above the current node, each in its state when it was divided.

    Options and items are sparse sets, so going back to a node only restores their lengths.

    Parameters:
        depth: the number of levels.
        n_options: the number of options of the problem.
    """

    def __init__(self, depth: cython.int, n_options: cython.int) -> None:
        ints: cython.int[:, ::1] = np.zeros((12, depth), dtype=np.int32)
        longs: cython.longlong[:, ::1] = np.zeros((2, depth), dtype=np.int64)
        bytes_: cython.char[:, ::1] = np.zeros((2, depth), dtype=np.int8)
        self.chosen, self.live, self.open, self.open_primary = ints[0], ints[1], ints[2], ints[3]
        self.painted, self.first, self.next, self.end = ints[4], ints[5], ints[6], ints[7]
        self.tried, self.children, self.one, self.other = ints[8], ints[9], ints[10], ints[11]
        self.gain, self.bound = longs[0], longs[1]
        self.kind, self.turn = bytes_[0], bytes_[1]
        self.branch = np.zeros(n_options + 1, dtype=np.int32)
        self.slack = np.zeros(n_options + 1, dtype=np.int64)

    def save(self, node):
        """Saves the node at its level."""
        level = node.level
        self.chosen[level], self.live[level] = node.n_chosen, node.live
        self.painted[level], self.open[level] = node.n_painted, node.open
        self.open_primary[level] = node.open_primary
        self.gain[level], self.bound[level] = node.gain, node.bound

    def restore(self, node):
        """Restores the node of the current level."""
        level = node.level
        while node.n_chosen > self.chosen[level]:
            node.n_chosen -= 1
            o = node.chosen[node.n_chosen]
            for e in range(node.indptr[o], node.indptr[o + 1]):
                if not node.coloured or node.colour[e] == 0:
                    node.used[node.indices[e]] -= 1
        node.live = self.live[level]
        while node.n_painted > self.painted[level]:
            node.n_painted -= 1
            node.shade[node.painted[node.n_painted]] = 0
        node.open, node.open_primary = self.open[level], self.open_primary[level]
        node.gain, node.bound = self.gain[level], self.bound[level]
        node.row = min(level, cython.cast(cython.int, node.price.shape[0]) - 1)

    def forget(self, node: Node) -> None:
        """Resets the root: nothing is chosen, all usable options are live, and all items are open."""
        self.chosen[0] = self.painted[0] = 0
        self.gain[0] = self.bound[0] = 0
        self.live[0], self.open[0] = node.n_usable, node.n_items
        self.open_primary[0] = np.count_nonzero(node.least)

    def divide(self, node, kind, children):
        """Saves the node and the number of its children, without listing options."""
        level = node.level
        self.save(node)
        self.kind[level], self.tried[level], self.children[level] = kind, 0, children
        self.first[level] = self.next[level] = self.end[level] = self.end[level - 1] if level > 0 else 0

    def divide_in_two(self, node, kind, one, other, turn):
        """Divides the node by a PAIR of items, or by one OPTION; if `turn` is set, the second side is tried first."""
        self.divide(node, kind, 2)
        self.one[node.level], self.other[node.level], self.turn[node.level] = one, other, turn
        node.log.sides(kind, one, other, not turn)

    def divide_by_options(self, node, i, first):
        """Divides the node by the options of item i; unless `first` is -1, option `first` is tried first."""
        level = node.level
        self.divide(node, ITEM, 0)
        end: cython.int = self.first[level]
        for k in range(node.live):
            o = node.option[k]
            if node._has(o, i):
                self.branch[end] = o
                self.slack[end] = node.slack[o]
                if o == first:
                    self.slack[end] = 0  # no other option has less slack
                    self._swap(self.first[level], end)
                end += 1
        self.end[level] = end
        self.children[level] = end - self.first[level]
        if node.log.is_open:
            node.log.step(ITEM, 1 + self.children[level])
            node.log.write(i)
            for k in range(self.first[level], end):
                node.log.write(self.branch[k])

    def next_option(self, node):
        """Returns the untried option of least slack at this level, or -1 if no option can reach the target.

        If steps are recorded, it returns the next option in order: in a search without covers the order does not
        matter.
        """
        level = node.level
        begin = self.next[level]
        end = self.end[level]
        least: cython.int = begin
        if begin == end:
            return -1
        for k in range(begin + 1, begin if node.log.is_open else end):
            if self.slack[k] < self.slack[least]:
                least = k
        node.updates += cython.cast(cython.int, end - begin)
        if node.bound - self.slack[least] < node.target:
            return -1
        self._swap(begin, least)
        self.next[level] += 1
        return self.branch[begin]

    def _swap(self, k, m):
        self.branch[k], self.branch[m] = self.branch[m], self.branch[k]
        self.slack[k], self.slack[m] = self.slack[m], self.slack[k]

    # The searched part and the rest; `is_divided`: whether the current node has been divided

    def fraction(self, level: cython.int, is_divided: cython.bint) -> float:
        """Returns the fraction of the tree that has been searched."""
        done: cython.double = 0.0
        for above in range(level - (not is_divided), -1, -1):  # outwards, so that rounding never makes it fall
            done = (self.tried[above] - (above < level) + done) / max(1, self.children[above])
        return done

    def open_nodes(self, node: Node, is_divided: cython.bint) -> list:
        """Returns the nodes still to be searched, from the root down: level, share of the tree, and bound.

        A divided node counts without its tried children.
        """
        nodes: list = []
        share = 1.0
        for level in range(node.level + is_divided):
            untried = self.children[level] - self.tried[level]
            share /= self.children[level]
            if untried > 0:
                bound = int(self.bound[level])
                if self.kind[level] == ITEM:  # every cover that reaches the target has an option of the item
                    bound -= int(np.asarray(self.slack)[self.next[level] : self.end[level]].min())
                if bound >= node.target:
                    nodes.append((level, share * untried, bound))
        if not is_divided:
            nodes.append((node.level, share, int(node.bound)))
        return nodes

    def rest(self, node: Node, is_divided: cython.bint) -> list:
        """Returns the nodes still to be searched, from the root down.

        Each node is a tuple: its share of the tree, its bound, the chosen options, the options that may still be
        chosen, and the prices of all items (0 for closed items).
        """
        if not is_divided:
            self.divide(node, PAIR, 1)
        return [(share, bound, *self._node(node, level)) for level, share, bound in self.open_nodes(node, is_divided)]

    def _node(self, node: Node, level: cython.int) -> tuple:
        """Returns the chosen options, the live options except tried children, and the prices."""
        chosen = np.asarray(node.chosen)[: self.chosen[level]].copy()
        live = np.asarray(node.option)[: self.live[level]].copy()
        open = np.asarray(node.item)[: self.open[level]]
        prices = np.zeros(node.n_items, dtype=np.int64)
        prices[open] = np.asarray(node.price)[min(level, node.price.shape[0] - 1)][open]
        i, j = self.one[level], self.other[level]
        if self.kind[level] == ITEM:
            tried = np.asarray(self.branch)[self.first[level] : self.next[level]]
            live = live[~np.isin(live, tried)]
        elif self.tried[level] == 1:
            is_second = self.turn[level] == 0
            if self.kind[level] == PAIR:
                items_had = np.array([node._has(o, i) + node._has(o, j) for o in live.tolist()], dtype=np.int32)
                live = live[items_had < 2] if is_second else live[items_had != 1]
            elif is_second:
                live = live[live != i]
            else:
                chosen = np.append(chosen, np.int32(i))
        return chosen, live, prices

    def check(self, node: Node) -> None:
        """Verifies that the nodes above the current node have at least its lengths and its bound."""
        level = node.level
        live, open = np.append(self.live[:level], node.live), np.append(self.open[:level], node.open)
        chosen = np.append(self.chosen[:level], node.n_chosen)
        assert (np.diff(live) <= 0).all(), f"options come back on the way down: {live}"
        assert (np.diff(open) <= 0).all(), f"items come back on the way down: {open}"
        assert (np.diff(chosen) >= 0).all(), f"options are chosen no more on the way down: {chosen}"
        for above in range(level):
            tried, children = self.tried[above], self.children[above]
            assert 0 < tried <= children, f"{tried} of {children} children have been tried"
