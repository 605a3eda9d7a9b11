# cython: language_level=3
"""Passes over a decision diagram: the number of paths, single paths, the best scores, and restrictions.

`Paths` has no state except the diagram, so several threads can use it at once. Children have smaller numbers than their
parents: a pass up is a loop over the nodes, and a pass down is a backward loop. `Tree` makes a diagram from covers in
the order of a search.
"""

import cython
import numpy as np

from dlx import kernels

if not cython.compiled:
    number = cython.fused_type(cython.longlong, cython.double)

DIGIT = cython.declare(cython.int, kernels.DIGIT)
LARGEST = cython.declare(cython.ulonglong, kernels.LARGEST)
WORD = 0xFFFFFFFF


class Paths:
    """The passes over a diagram, given by the arrays of `dlx.counting.diagram.Diagram`."""

    def __init__(self, first_edge, edge_option, edge_child) -> None:
        self.first_edge, self.edge_option, self.edge_child = first_edge, edge_option, edge_child
        self.n_nodes = len(first_edge) - 1
        self.root = self.n_nodes - 1 if self.n_nodes > 2 else 0
        self.digits = 0

    # The covers below each node, and their number

    def count(self, counts: cython.ulonglong[:, ::1], start: cython.uint) -> int:
        """Counts the covers below each node from `start` on; returns the first node with too many digits, or 0."""
        digits = cython.cast(cython.int, counts.shape[1])
        carry: cython.ulonglong = 0
        with cython.nogil:
            for v in range(start, self.n_nodes):
                for w in range(digits):
                    counts[v, w] = v == 1
                for e in range(self.first_edge[v], self.first_edge[v + 1]):
                    carry = 0
                    for w in range(digits):
                        carry += counts[v, w] + counts[self.edge_child[e], w]
                        counts[v, w] = carry & LARGEST
                        carry >>= DIGIT
                    if carry:
                        break
                if carry:
                    break
        return v if carry else 0

    def counted(self, counts) -> None:
        """Stores the counts for `unrank`; the caller must not change the array afterwards."""
        self.counts, self.digits = counts, counts.shape[1]

    def unrank(self, ranks: cython.ulonglong[:, ::1], covers: cython.int[:, ::1]) -> None:
        """Writes the covers with given ranks to the rows of a block of -1; overwrites the ranks."""
        one: cython.ulonglong = 1
        with cython.nogil:
            for j in range(ranks.shape[0]):
                k: cython.Py_ssize_t = 0
                v = self.root
                while v > 1:
                    e = self.first_edge[v]
                    while True:
                        v = self.edge_child[e]
                        w = self.digits - 1
                        while w and ranks[j, w] == self.counts[v, w]:
                            w -= 1
                        if ranks[j, w] < self.counts[v, w]:
                            break
                        borrow: cython.ulonglong = 0
                        for w in range(self.digits):
                            rest = (one << DIGIT) + ranks[j, w] - self.counts[v, w] - borrow
                            ranks[j, w] = rest & LARGEST
                            borrow = one - (rest >> DIGIT)
                        e += 1
                    if self.edge_option[e] >= 0:
                        covers[j, k] = self.edge_option[e]
                        k += 1

    def bounds(self, weights: number[::1], bounds: number[::1]) -> None:
        """Returns for each node the largest sum of weights on a path from the node to node 1; node 0 has none."""
        w: number = 0
        with cython.nogil:
            for v in range(2, self.n_nodes):
                for e in range(self.first_edge[v], self.first_edge[v + 1]):
                    w = bounds[self.edge_child[e]]
                    if self.edge_option[e] >= 0:
                        w += weights[self.edge_option[e]]
                    if e == self.first_edge[v] or w > bounds[v]:
                        bounds[v] = w

    def restricted(self, gone: cython.char[::1], chosen: cython.int) -> tuple:
        """Returns the arrays of the diagram without the options `gone`, and with a chosen option unless it is negative.

        Node v has two copies: 2v without the chosen option below it, and 2v + 1 with it. Only copies with covers are
        kept.
        """
        n: cython.longlong = 2
        m: cython.longlong = 0
        x: cython.longlong
        top: cython.longlong = 2 * self.root + (chosen >= 0)
        place: cython.uint[::1] = np.zeros(2 * self.n_nodes, dtype=np.uint32)  # 1: has covers; 2: and is reached
        with cython.nogil:
            place[2] = 1
            for x in range(4, 2 * self.n_nodes):
                for e in range(self.first_edge[x >> 1], self.first_edge[(x >> 1) + 1]):
                    y = self._below(x, e, gone, chosen)
                    if place[y]:
                        place[x] = 1
            place[top] <<= 1
            for x in range(top, 3, -1):
                if place[x] == 2:
                    n += 1
                    for e in range(self.first_edge[x >> 1], self.first_edge[(x >> 1) + 1]):
                        y = self._below(x, e, gone, chosen)
                        if place[y]:
                            place[y] = 2
                            m += 1
        if m > 0x7FFFFFFF:
            raise OverflowError(f"the diagram would have {m} edges; the limit is {0x7FFFFFFF}")
        first = np.zeros(n + 1, dtype=np.int32)
        options = np.empty(m, dtype=np.int32)
        children = np.empty(m, dtype=np.uint32)
        new_first: cython.int[::1] = first
        new_option: cython.int[::1] = options
        new_child: cython.uint[::1] = children
        with cython.nogil:
            n, m = 2, 0
            place[2] = 1
            for x in range(4, top + 1):
                if place[x] < 2:
                    place[x] = 0
                    continue
                for e in range(self.first_edge[x >> 1], self.first_edge[(x >> 1) + 1]):
                    y = self._below(x, e, gone, chosen)
                    if place[y]:
                        new_option[m] = self.edge_option[e]
                        new_child[m] = place[y]
                        m += 1
                place[x] = cython.cast(cython.uint, n)
                n += 1
                new_first[n] = cython.cast(cython.int, m)
        return first, options, children

    def _below(self, x, e, gone, chosen):
        """The copy of a node to which an edge leads from copy x of its parent; 0, which has no covers, if none."""
        o = self.edge_option[e]
        child = self.edge_child[e]
        if o >= 0 and gone[o]:
            return 0
        if o == chosen:
            return 2 * child * (x & 1)
        return 2 * child + (x & 1)


class Tree:
    """The search tree of the covers, in which equal subtrees are one node.

    Covers come in the order of a search: those with the same first options one after the other. So the subtree behind
    some first options is complete as soon as a cover begins differently, and is merged then (for sorted words: J.
    Daciuk, S. Mihov, B. Watson, R. Watson, Computational Linguistics 26, 2000, doi:10.1162/089120100561601).
    """

    def __init__(self, levels: int, n_options: int) -> None:
        self.open_edges = np.zeros(levels + n_options + 1, dtype=np.int64)
        self.edge = self.open_edges
        self.begin = np.zeros(levels + 1, dtype=np.int32)
        self.level = self.n_open = 0
        self.nodes = {np.ones(1, dtype=np.int64).tobytes(): 1}
        self.n_added = self.n_edges = 0

    def add(self, covers: cython.int[:, ::1]) -> None:
        """Adds covers, the rows of a block."""
        n = cython.cast(cython.int, covers.shape[1])
        for j in range(covers.shape[0]):
            k: cython.int = 0
            while k < min(n, self.level) and self.edge[self.begin[k + 1] - 1] >> 32 == covers[j, k] + 1:
                k += 1
            self._close(k)
            while k < n and covers[j, k] >= 0:
                self.edge[self.n_open] = (cython.cast(cython.longlong, covers[j, k]) + 1) << 32
                self.n_open += 1
                k += 1
                self.begin[k] = self.n_open
            self.n_added += k - self.level
            self.level = k
            self.edge[self.n_open] = 1
            self.n_open += 1

    def _close(self, level: cython.int):
        """Merges the open nodes of all levels after this level."""
        while self.level > level:
            begin = self.begin[self.level]
            edges = self.open_edges[begin : self.n_open].tobytes()
            node = self.nodes.setdefault(edges, len(self.nodes) + 1)
            if node == len(self.nodes):
                self.n_edges += self.n_open - begin
            self.n_open = begin
            self.edge[begin - 1] |= cython.cast(cython.longlong, node)
            self.level -= 1

    def size(self) -> int:
        """Returns the number of nodes so far, including nodes 0 and 1."""
        return len(self.nodes) + 1

    def arrays(self) -> tuple:
        """Returns the arrays of the diagram, once all covers have been added."""
        self._close(0)
        nodes = [*self.nodes][1:]
        if self.n_open:
            nodes.append(self.open_edges[: self.n_open].tobytes())
        edges = np.frombuffer(b"".join(nodes), dtype=np.int64)
        first = np.cumsum([0, 0, 0, *(len(node) // 8 for node in nodes)], dtype=np.int32)
        return first, (edges >> 32).astype(np.int32) - 1, (edges & WORD).astype(np.uint32)
