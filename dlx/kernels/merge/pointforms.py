# cython: language_level=3
"""Canonical forms of what is left by the graph of its points: two are joined while an item that is about both is open.

Points without open items are left out, else nauty would try which of them may change places: in the middle of a count
with 36 points a form took 17 us with them, and takes 7 without.
"""

import sys

import cython
import numpy as np

if not cython.compiled:
    from dlx.kernels.merge.classes import bit, lowest


class Pointforms:
    """The form of the state at hand by a graph of pynauty on points; item i joins the pairs begin[i]:begin[i + 1]."""

    def __init__(self, state, pairs, colours, graph, certificate, label) -> None:
        self.state, self.colour = state, colours
        self.begin, self.one, self.other = pairs
        self.n, self.n_colours = len(colours), int(colours.max(initial=0)) + 1
        self.item_words = (len(self.begin) - 1 + 63) // 64
        self.words = max(1, (self.n + 63) // 64)
        self.flip = 7 if sys.byteorder == "little" else 0
        self.behind = np.zeros((self.n, self.words), dtype=np.uint64)
        self.there = np.zeros(self.words, dtype=np.uint64)
        self.place = np.zeros(self.n, dtype=np.int32)
        self.graph, self.certificate, self.label = graph, certificate, label

    def of(self) -> bytes:
        """The form: how many points of each colour there are, and which are joined, in canonical order."""
        cells = self._ask()
        return self._packed(cells, self.certificate(self.graph))

    def order(self) -> list:
        """The points in canonical order: what takes those of one state to those of another takes one to the other."""
        self._ask()
        there = [p for p in range(self.n) if self.there[p >> 6] & bit(p & 63)]
        return [there[k] for k in self.label(self.graph)]

    def _join(self):
        """Finds out which points are joined."""
        cython.declare(i=cython.int, k=cython.int, p=cython.int, q=cython.int, w=cython.int, rest=cython.ulonglong)
        for w in range(self.words):
            self.there[w] = 0
            for p in range(self.n):
                self.behind[p, w] = 0
        for w in range(self.item_words):
            rest = self.state[w]
            while rest:
                i = 64 * w + lowest(rest)
                rest &= rest - 1
                for k in range(self.begin[i], self.begin[i + 1]):
                    p, q = self.one[k], self.other[k]
                    self.behind[p, q >> 6] |= bit(q & 63)
                    self.there[p >> 6] |= bit(p & 63)
                    self.there[q >> 6] |= bit(q & 63)

    def _ask(self):
        """Numbers the points that are there, and makes the graph; its cells, one for each colour."""
        p: cython.int
        n: cython.int = 0
        cells: list = [[] for _ in range(self.n_colours)]
        self._join()
        for p in range(self.n):
            if self.there[p >> 6] & bit(p & 63):
                self.place[p] = n
                cells[self.colour[p]].append(n)
                n += 1
        adjacent: dict = {}
        for p in range(self.n):
            joined = self._joined(p)
            if joined:
                adjacent[self.place[p]] = joined
        self.graph.number_of_vertices = n
        self.graph.adjacency_dict = adjacent
        self.graph.vertex_coloring = [cell for cell in cells if cell]
        return cells

    def _joined(self, p):
        """The numbers of the points after p that are joined to it."""
        cython.declare(w=cython.int, rest=cython.ulonglong)
        joined: list = []
        for w in range(self.words):
            rest = self.behind[p, w]
            while rest:
                joined.append(self.place[64 * w + lowest(rest)])
                rest &= rest - 1
        return joined

    def _packed(self, cells, rows):
        """The sizes of the cells, two bytes for each, and of each row the bytes that have the points behind it."""
        n: cython.int = 0
        cython.declare(v=cython.int, k=cython.int)
        key = bytearray()
        for cell in cells:
            key.append(len(cell) >> 8)
            key.append(len(cell) & 255)
            n += len(cell)
        width: cython.int = 8 * ((n + 63) // 64)
        for v in range(n - 1):
            for k in range((v + 1) // 8, (n + 7) // 8):
                key.append(rows[v * width + (k ^ self.flip)])
        return bytes(key)
