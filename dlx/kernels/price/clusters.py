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
        self.size = np.ones(n, dtype=np.int32)
        self.next, self.last, self.into = [np.arange(n, dtype=np.int32) for _ in range(3)]
        self.joined, self.then, self.end = np.zeros((3, n), dtype=np.int32)
        self.begin, self.n_sets = np.zeros(2 * n + 1, dtype=np.int32), 0
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

    def sets(self, most: cython.int) -> tuple:
        """Joins clusters as long as any two are tied, and returns those of 3 to so many items that were there.

        Beside each comes the rest of all that is joined to it in the end, if that has fewer items. This is done once.

        Returns:
            Two int32 arrays: where the sets begin, with the end of the last one, and their items.
        """
        a: cython.int
        rest: cython.int
        k: cython.int = 0
        self.member = np.empty(2 * self.n * most, dtype=np.int32)
        with cython.nogil:
            for a in range(self.n):
                self._find(a)
            while True:
                a = self._nearest()
                if a < 0:
                    break
                self._unite(a, self.best[a])
                self.joined[k], self.then[k], self.end[k] = a, self.size[a], self.last[a]
                k += 1
            for m in range(k):
                if 3 <= self.then[m] <= most:
                    self._list(self.joined[m], self.then[m], -1, -1)
                a = self._whole(self.joined[m])
                rest = self.size[a] - self.then[m]
                if rest < self.then[m] and 3 <= rest <= most:
                    self._list(a, rest, self.joined[m], self.next[self.end[m]])
        begin = np.asarray(self.begin)[: self.n_sets + 1]
        return begin, np.asarray(self.member)[: begin[self.n_sets]]

    def _whole(self, a):
        """Returns the cluster that has item a in the end."""
        while self.into[a] != a:
            a = self.into[a]
        return a

    def _list(self, i, size, gap, behind):
        """Lists so many items from item i on, in the order in which they were joined, but for those from a gap on."""
        n: cython.int = self.begin[self.n_sets]
        for _ in range(size):
            if i == gap:
                i = behind
            self.member[n] = i
            n += 1
            i = self.next[i]
        self.n_sets += 1
        self.begin[self.n_sets] = n

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
        """Joins cluster b to a, behind its items, and finds the partners anew that may be others now."""
        self.next[self.last[a]] = b
        self.last[a] = self.last[b]
        self.size[a] += self.size[b]
        self.into[b] = a
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
