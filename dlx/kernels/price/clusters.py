# cython: language_level=3
"""Clusters of items: two at a time are joined, so that least leaves the new one.

They are candidates for odd sets, as in heuristics for blossom inequalities (M. Grötschel, O. Holland,
doi:10.1007/BF01582254): what leaves a set is what the masses lack of a whole number there.
"""

import cython
import numpy as np


class Clusters:
    """Clusters, at first of one item each.

    Parameters:
        n: the number of items.
        begin, item: int32; option o links the items item[begin[o] : begin[o + 1]].
        weight: of each option, float64, which is shared out to its links.
    """

    def __init__(self, n: cython.int, begin, item, weight) -> None:
        self.n = n
        self.tie, self.leaving = np.zeros((n, n)), np.zeros(n)
        self.best = np.full(n, -1, dtype=np.int32)
        self.pairs = np.zeros((n, 2), dtype=np.int32)
        self._tie(begin, item, weight)

    def _tie(self, begin, item, weight):
        first: cython.const[cython.int][::1] = begin
        items: cython.const[cython.int][::1] = item
        mass: cython.const[cython.double][::1] = weight
        for o in range(mass.shape[0]):
            for e in range(first[o], first[o + 1]):
                for f in range(first[o], e):
                    share: cython.double = mass[o] / (first[o + 1] - first[o] - 1)
                    self.tie[items[e], items[f]] += share
                    self.tie[items[f], items[e]] += share
                    self.leaving[items[e]] += share
                    self.leaving[items[f]] += share

    def join(self) -> np.ndarray:
        """Joins clusters as long as any two are tied; int32, shape (n, 2): the second one of a pair joins the first."""
        k: cython.int = 0
        with cython.nogil:
            for a in range(self.n):
                self._find(a)
            while True:
                a = self._nearest()
                if a < 0:
                    break
                self.pairs[k, 0], self.pairs[k, 1] = a, self.best[a]
                k += 1
                self._unite(a, self.best[a])
        return np.asarray(self.pairs)[:k]

    def _left(self, a, b):
        """Returns what leaves two clusters together."""
        return self.leaving[a] + self.leaving[b] - 2.0 * self.tie[a, b]

    def _find(self, a):
        """Finds the best partner of a cluster."""
        self.best[a] = -1
        for b in range(self.n):
            if self.tie[a, b] > 0.0 and (self.best[a] < 0 or self._left(a, b) < self._left(a, self.best[a])):
                self.best[a] = b

    def _nearest(self):
        """Returns the cluster that is best joined with its partner; -1 if there is none."""
        nearest: cython.int = -1
        for a in range(self.n):
            if self.best[a] >= 0 and (
                nearest < 0 or self._left(a, self.best[a]) < self._left(nearest, self.best[nearest])
            ):
                nearest = a
        return nearest

    def _unite(self, a, b):
        """Joins cluster b to a, and finds the partners anew that may be others now."""
        self.leaving[a] = self._left(a, b)
        for c in range(self.n):
            self.tie[a, c] += self.tie[b, c]
            self.tie[c, a] = self.tie[a, c]
            self.tie[b, c] = self.tie[c, b] = 0.0
        self.tie[a, a] = 0.0
        self.best[b] = -1
        self._find(a)
        for c in range(self.n):
            if c == a or self.best[c] < 0:
                continue
            if self.best[c] == a or self.best[c] == b:
                self._find(c)
            elif self.tie[c, a] > 0.0 and self._left(c, a) < self._left(c, self.best[c]):
                self.best[c] = a
