# cython: language_level=3
"""Cliques: options of which any two clash, and to which the prices give more mass together than a cover can have.

A cover has at most one of them, as of the options of a secondary item; the linear program does not know that unless it
is told so, by one more secondary item (M. Padberg, doi:10.1007/BF01580121). They are grown greedily by mass, as usual
for set partitioning (K. Hoffman, M. Padberg, doi:10.1287/mnsc.39.6.657), and lifted: what clashes with all of one
joins it.
"""

import cython
import numpy as np


class Cliques:
    """Options that clash, as a graph.

    Parameters:
        rows: options with increasing items, a `dlx.problem.roles.Rows`; any two with the same item clash.
        mass: float64, shape (options,).
    """

    def __init__(self, rows, mass) -> None:
        self.indptr, self.indices, self.mass = rows.indptr, rows.indices, mass
        self.n = rows.n_options
        self.begin, _, self.member = rows.by_item
        self.count, self.mark, self.clique = np.zeros((3, self.n + 1), dtype=np.int32)

    def find(self, parameters, most: cython.int, slack) -> list:
        """Finds cliques with more mass than `parameters.clique`, the heaviest ones first, as arrays of options.

        Parameters:
            parameters: those of cliques, as in `dlx.optimum.parameters`.
            most: how many cliques to find.
            slack: int64, shape (options,): in which order to lift.
        """
        much: cython.double = parameters.clique
        self.most_tests = parameters.tests
        masses = np.asarray(self.mass)
        some = np.flatnonzero(masses > parameters.support)
        some = some[np.argsort(-masses[some], kind="stable")][: parameters.seeds].astype(np.int32)
        self.support = np.append(some, np.int32(0))
        self.n_support = len(some)
        self.tests = 0
        self.clash = np.zeros((self.n_support, self.n_support), dtype=np.int8)
        self.common = np.zeros(len(some), dtype=np.int8)
        for a in range(self.n_support):
            for b in range(a):
                self.clash[a, b] = self.clash[b, a] = self._clash_of(self.support[a], self.support[b])
        found: dict = {}
        for a in range(self.n_support):
            total = self._grow(a)
            if total > much:
                found[tuple(sorted(np.asarray(self.clique)[: self.size].tolist()))] = total
        by_slack = np.argsort(slack, kind="stable").astype(np.int32)
        return self._lifted(sorted(found, key=lambda clique: (-found[clique], clique)), most, by_slack)

    def _lifted(self, cliques, most: cython.int, by_slack) -> list:
        """Lifts the cliques less than half of whose options are in others; leaves out those that are one item's."""
        used: set = set()
        result: list = []
        for clique in cliques:
            if len(result) == most:
                break
            if 2 * len(used.intersection(clique)) >= len(clique):
                continue
            used.update(clique)
            self.size = self.grown = len(clique)
            np.asarray(self.clique)[: self.size] = clique
            self._lift(by_slack)
            lifted = np.asarray(self.clique)[: self.size].copy()
            items = np.concatenate([np.asarray(self.indices)[self.indptr[o] : self.indptr[o + 1]] for o in lifted])
            if np.bincount(items).max(initial=0) < len(lifted):  # an item that all have says the same
                result.append(lifted)
        return result

    def _clash_of(self, a, b):
        """Tells whether two options have an item in common; the items of an option increase."""
        e: cython.int = self.indptr[a]
        f: cython.int = self.indptr[b]
        while e < self.indptr[a + 1] and f < self.indptr[b + 1]:
            if self.indices[e] == self.indices[f]:
                return True
            if self.indices[e] < self.indices[f]:
                e += 1
            else:
                f += 1
        return False

    def _grow(self, seed):
        """Grows a clique from one option of the support, and returns its mass."""
        best: cython.int = seed
        total = 0.0
        for a in range(self.n_support):
            self.common[a] = True
        self.size = 0
        while best >= 0:
            self.clique[self.size] = self.support[best]
            self.size += 1
            total += self.mass[self.support[best]]
            seed = best
            best = -1
            for a in range(self.n_support):
                self.common[a] &= self.clash[seed, a]
                if self.common[a] and (best < 0 or self.mass[self.support[a]] > self.mass[self.support[best]]):
                    best = a
        return total

    def _lift(self, by_slack):
        """Adds what clashes with all of the clique, in this order."""
        for k in range(self.n):
            self.count[k] = 0
            self.mark[k] = -1
        for c in range(self.grown):
            o = self.clique[c]
            self.count[o] = -1 - self.n  # it is there already
            for e in range(self.indptr[o], self.indptr[o + 1]):
                for m in range(self.begin[self.indices[e]], self.begin[self.indices[e] + 1]):
                    k = self.member[m]
                    if self.mark[k] != c:
                        self.mark[k] = c
                        self.count[k] += 1
        for m in range(self.n):
            k = by_slack[m]
            if self.count[k] == self.grown:
                self.tests += self.size - self.grown
                if self.tests > self.most_tests:
                    return
                for c in range(self.grown, self.size):
                    if not self._clash_of(k, self.clique[c]):
                        break
                else:
                    self.clique[self.size] = k
                    self.size += 1
