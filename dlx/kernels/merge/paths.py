# cython: language_level=3
"""Passes over a decision diagram: what its paths are, how many, which, and in how many of them each option is.

`Paths` keeps nothing of its own besides the diagram, so several threads can use it at once. Children have smaller
numbers than their parents: a pass up is a loop over the nodes, and a pass down is one backwards. `Tree` makes a diagram
from covers in the order of a search.
"""

import cython
import numpy as np

from dlx import kernels

if not cython.compiled:
    number = cython.fused_type(cython.longlong, cython.double)

DIGIT = cython.declare(cython.int, kernels.DIGIT)
LARGEST = cython.declare(cython.ulonglong, kernels.LARGEST)
WORD = cython.declare(cython.ulonglong, 0xFFFFFFFF)
FACTOR = cython.declare(cython.ulonglong, 0x9E3779B1)  # Knuth's multiplicative hashing, 6.4


class Paths:
    """The passes over a diagram, given by the arrays of `dlx.counting.diagram.Diagram`."""

    def __init__(self, first_edge, edge_option, edge_child) -> None:
        self.first_edge, self.edge_option, self.edge_child = first_edge, edge_option, edge_child
        self.n_nodes = len(first_edge) - 1
        self.root = self.n_nodes - 1 if self.n_nodes > 2 else 0
        self.digits = 0

    def fault(self, n_options: cython.int) -> tuple:
        """Returns the fault of the diagram and its node, or "" and 0; the pointers of the nodes are known to rise."""
        wrong: cython.int = 0
        seen: cython.uint[::1] = np.zeros(n_options + 1, dtype=np.uint32)  # the last node that has an option
        parents: cython.char[::1] = np.zeros(self.n_nodes, dtype=np.int8)
        parents[self.root] = 1
        with cython.nogil:
            for v in range(self.n_nodes - 1, 1, -1):
                if not parents[v]:
                    wrong = 1
                for e in range(self.first_edge[v], self.first_edge[v + 1]):
                    if self.edge_child[e] < 1 or self.edge_child[e] >= v:
                        wrong = 2
                    elif self.edge_option[e] < -1 or self.edge_option[e] >= n_options:
                        wrong = 3
                    elif self.edge_option[e] < 0 and self.edge_child[e] != 1:
                        wrong = 4
                    elif seen[self.edge_option[e] + 1] == v:
                        wrong = 5
                    if wrong:
                        break
                    seen[self.edge_option[e] + 1] = v
                    parents[self.edge_child[e]] = 1
                if wrong:
                    break
            else:
                v = 0
        reasons = (
            "",
            "is no child of another one",
            "has a child that is not from 1 to the number below its own",
            f"has an option that is not from 0 to {n_options - 1}",
            "has an edge without an option that does not end a cover",
            "has two edges with the same option",
        )
        return reasons[wrong], v

    # The covers below each node, and their number

    def count(self, counts: cython.ulonglong[:, ::1], start: cython.uint) -> int:
        """Counts the covers below each node from `start` on; the first node whose count has too many digits, or 0."""
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
        """Takes the counts, which `rank` and `unrank` need; nobody may change them any more."""
        self.counts, self.digits = counts, counts.shape[1]

    def unrank(self, ranks: cython.ulonglong[:, ::1], covers: cython.int[:, ::1]) -> None:
        """Writes the covers of some ranks, which are lost, into the rows of a block of -1."""
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

    def rank(self, cover: cython.int[::1], rank: cython.ulonglong[::1]) -> bool:
        """Adds the rank of a cover, given as different option numbers from 0 up in any order; whether it is one."""
        v = self.root
        e: cython.int = 0
        left: cython.Py_ssize_t = cover.shape[0]
        inside: cython.char[::1] = np.zeros(int(np.max(cover, initial=0)) + 1, dtype=np.int8)
        with cython.nogil:
            for k in range(left):
                inside[cover[k]] = 1
            while v > 1:
                e = self.first_edge[v]
                while e < self.first_edge[v + 1]:
                    if self.edge_option[e] < 0:
                        if left == 0:
                            break
                    elif self.edge_option[e] < inside.shape[0] and inside[self.edge_option[e]]:
                        break
                    carry: cython.ulonglong = 0
                    for w in range(self.digits):
                        carry += rank[w] + self.counts[self.edge_child[e], w]
                        rank[w] = carry & LARGEST
                        carry >>= DIGIT
                    e += 1
                if e == self.first_edge[v + 1]:
                    v = 0
                else:
                    left -= self.edge_option[e] >= 0
                    v = self.edge_child[e]
        return v == 1 and left == 0

    def walk(self, path: cython.int[:, ::1], level: cython.int, covers: cython.int[:, ::1]) -> tuple:
        """Writes the next covers into a block of -1; returns how many, and the level, 0 once there are no more.

        The last cover has nodes path[0, :level], edges path[1, :level]: at first the root and the edge before its own.
        """
        j: cython.Py_ssize_t = 0
        with cython.nogil:
            while j < covers.shape[0] and level:
                while level and path[1, level - 1] + 1 == self.first_edge[path[0, level - 1] + 1]:
                    level -= 1
                if level == 0:
                    break
                path[1, level - 1] += 1
                v = self.edge_child[path[1, level - 1]]
                while v > 1:
                    path[0, level] = v
                    path[1, level] = self.first_edge[v]
                    v = self.edge_child[path[1, level]]
                    level += 1
                k: cython.Py_ssize_t = 0
                for at in range(level):
                    if self.edge_option[path[1, at]] >= 0:
                        covers[j, k] = self.edge_option[path[1, at]]
                        k += 1
                j += 1
        return j, level

    # Sums over all covers

    def uses(self, prime: cython.ulonglong, uses: cython.ulonglong[::1]) -> None:
        """Adds, for each option, the covers that it is in; modulo a prime below 2^31, and so are the sums."""
        below: cython.ulonglong[::1] = np.zeros(self.n_nodes, dtype=np.uint64)
        above: cython.ulonglong[::1] = np.zeros(self.n_nodes, dtype=np.uint64)
        with cython.nogil:
            below[1] = 1
            for v in range(2, self.n_nodes):
                for e in range(self.first_edge[v], self.first_edge[v + 1]):
                    below[v] += below[self.edge_child[e]]
                below[v] %= prime  # no more edges than 2^31 have been added up
            above[self.root] = 1
            for v in range(self.n_nodes - 1, 1, -1):
                above[v] %= prime
                for e in range(self.first_edge[v], self.first_edge[v + 1]):
                    child = self.edge_child[e]
                    o = self.edge_option[e]
                    above[child] += above[v]
                    if o >= 0:
                        uses[o] = (uses[o] + above[v] * below[child]) % prime

    def bounds(self, weights: number[::1], bounds: number[::1]) -> None:
        """For each node the largest sum of weights on a path from there to node 1; node 0 has none."""
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
        """Returns the arrays of the diagram without the options `gone`, and with a chosen one if that is not negative.

        Node v has two copies, 2v without the chosen option below it, 2v + 1 with it; those with covers are kept.
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

    def __init__(self, levels: int, n_options: int, room: int) -> None:
        self.begin = np.zeros(levels + 1, dtype=np.int32)
        self.open_option = np.zeros(levels + n_options + 1, dtype=np.int32)
        self.open_child = np.zeros(levels + n_options + 1, dtype=np.uint32)
        self.level = self.n_open = self.n_edges = 0
        self.n_nodes = 2
        self.first = np.zeros(3, dtype=np.int32)
        self.option = np.zeros(0, dtype=np.int32)
        self.child = np.zeros(0, dtype=np.uint32)
        self.table = np.zeros(0, dtype=np.uint64)
        self.grow(room)

    def capacity(self) -> int:
        """Returns the number of edges, and of nodes, for which there is room."""
        return self.option.shape[0]

    def grow(self, room: int) -> None:
        """Makes room for this number of edges and nodes, a power of 2; raises MemoryError, and keeps what there is."""
        arrays = np.zeros(room + 1, np.int32), np.zeros(room, np.int32), np.zeros(room, np.uint32)
        entries: cython.ulonglong[::1] = self.table
        for new, old in zip(arrays, (self.first, self.option, self.child), strict=True):
            new[: len(old)] = old
        self.first, self.option, self.child = arrays
        self.table = np.zeros(2 * room, dtype=np.uint64)
        slot: cython.ulonglong
        mask: cython.ulonglong = 2 * room - 1
        with cython.nogil:
            for k in range(entries.shape[0]):
                if entries[k]:
                    slot = (entries[k] >> 32) & mask
                    while self.table[slot]:
                        slot = (slot + 1) & mask
                    self.table[slot] = entries[k]

    def add(self, covers: cython.int[:, ::1], start: cython.Py_ssize_t) -> int:
        """Adds the covers from row `start` on; returns the first row for which there is no room, or their number."""
        j: cython.Py_ssize_t = start
        with cython.nogil:
            while j < covers.shape[0] and self._has_room():
                self._add(covers, j)
                j += 1
        return j

    def end(self) -> bool:
        """Merges what is left, and adds the root, once all covers have been added; False: there is no room for that."""
        with cython.nogil:
            fits = self._has_room()
            if fits:
                self._close(0)
                if self.n_open:
                    self._append(self._copied(0))
        return fits

    def arrays(self) -> tuple:
        """Returns the arrays of the diagram."""
        first, option, child = np.asarray(self.first), np.asarray(self.option), np.asarray(self.child)
        return first[: self.n_nodes + 1], option[: self.n_edges], child[: self.n_edges]

    def _has_room(self):
        """Tells whether all that is open can be closed."""
        room: cython.Py_ssize_t = self.option.shape[0]
        return self.n_edges + self.n_open + 1 <= room and self.n_nodes + self.level + 1 <= room

    def _add(self, covers, j):
        """Adds a cover."""
        k: cython.int = 0
        n: cython.int = cython.cast(cython.int, covers.shape[1])
        while k < self.level and k < n and self.open_option[self.begin[k + 1] - 1] == covers[j, k]:
            k += 1
        self._close(k)
        while k < n and covers[j, k] >= 0:
            self.open_option[self.n_open] = covers[j, k]
            self.n_open += 1
            k += 1
            self.level = k
            self.begin[k] = self.n_open
        self.open_option[self.n_open] = -1
        self.open_child[self.n_open] = 1
        self.n_open += 1

    def _close(self, level):
        """Merges the open nodes of all levels behind this one."""
        while self.level > level:
            node = self._merged(self.begin[self.level])
            self.n_open = self.begin[self.level]
            self.open_child[self.n_open - 1] = node
            self.level -= 1

    def _merged(self, begin):
        """The node with the open edges from this one on: an equal one, or a new one."""
        if self.n_open == begin + 1 and self.open_option[begin] < 0:
            return 1
        end = self._copied(begin)
        tag = self._hash(self.n_edges, end)
        mask: cython.ulonglong = self.table.shape[0] - 1
        slot = tag & mask
        while self.table[slot]:
            node: cython.uint = cython.cast(cython.uint, self.table[slot] & WORD)
            if self.table[slot] >> 32 == tag and self._has_edges(node, end):
                return node
            slot = (slot + 1) & mask
        self.table[slot] = (tag << 32) | cython.cast(cython.ulonglong, self.n_nodes)
        self._append(end)
        return self.n_nodes - 1

    def _copied(self, begin):
        """Copies the open edges from this one on behind all others; returns their end."""
        end = self.n_edges
        for k in range(begin, self.n_open):
            self.option[end] = self.open_option[k]
            self.child[end] = self.open_child[k]
            end += 1
        return end

    def _append(self, end):
        """Adds a node with the edges up to this one."""
        self.n_edges = end
        self.n_nodes += 1
        self.first[self.n_nodes] = end

    def _hash(self, begin, end):
        """The tag of a node by its edges."""
        tag: cython.ulonglong = 0
        for e in range(begin, end):
            tag = ((tag ^ cython.cast(cython.ulonglong, self.option[e] + 1)) * FACTOR) & WORD
            tag = ((tag ^ (tag >> 15) ^ cython.cast(cython.ulonglong, self.child[e])) * FACTOR) & WORD
            tag ^= tag >> 15
        return tag

    def _has_edges(self, node, end):
        """Tells whether a node has the same edges as the new one."""
        first = self.first[node]
        n = end - self.n_edges
        if self.first[node + 1] != first + n:
            return False
        for k in range(n):
            e = self.n_edges + k
            if self.option[first + k] != self.option[e] or self.child[first + k] != self.child[e]:
                return False
        return True

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant; for tests."""
        first = np.asarray(self.first)[: self.n_nodes + 1]
        assert (np.diff(first)[2:] > 0).all(), "a node has no edges"
        assert first[2] == 0, f"the first node has edges from {first[2]} on"
        assert first[self.n_nodes] == self.n_edges, f"first ends with {first[self.n_nodes]} of {self.n_edges} edges"
        owner = np.repeat(np.arange(self.n_nodes), np.diff(first))
        assert (np.asarray(self.child)[: self.n_edges] < owner).all(), "a child is not less than its parent"
        begin = np.append(np.asarray(self.begin)[: self.level + 1], self.n_open)
        assert begin[0] == 0, f"the open edges begin with {begin[0]}"
        assert (np.diff(begin)[: self.level] > 0).all(), "an open node has no edges"
        options = np.asarray(self.open_option)[: self.n_open]
        options = np.sort(options[options >= 0])
        assert (np.diff(options) > 0).all(), "an option has two open edges"
        table = np.asarray(self.table)
        known = np.sort(table[table > 0] & np.uint64(0xFFFFFFFF))
        assert (known == np.arange(2, 2 + len(known))).all(), "a node is not in the table"
        assert self.n_nodes - 2 - len(known) in (0, 1), f"{self.n_nodes - 2 - len(known)} nodes are not in the table"
