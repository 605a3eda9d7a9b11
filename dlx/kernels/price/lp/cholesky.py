# cython: language_level=3
"""The Cholesky factor of a sparse matrix, with the rows in an order that keeps the factor sparse.

The next row is a row with the fewest neighbours among the remaining rows: minimum degree (A. George, J. Liu, SIAM
Review 31 (1989), doi:10.1137/1031001). The columns of a row of the factor are the columns on the paths in the
elimination tree from the columns of the same row of the matrix (J. Liu, SIAM J. Matrix Anal. Appl. 11 (1990),
doi:10.1137/0611010), and rows are computed one after the other, up-looking (T. Davis, Direct Methods for Sparse Linear
Systems, 2006, chapter 4).
"""

import cython
import numpy as np

ONE = cython.declare(cython.ulonglong, 1)
PORTION = cython.declare(cython.longlong, 4_000_000)  # words or entries changed between two checks of the limits: 5 ms

if not cython.compiled:
    from math import sqrt

    ONE = np.uint64(1)  # uint64, so that ~ONE has 64 bits


class Cholesky:
    """A symmetric matrix, whose lower half is a sum of terms, and its factor.

    Parameters:
        n: the number of rows.
        row, column: the place of each term, int32; on the diagonal, or on one side of the diagonal.
        source: the index of the value of each term, int32.
        most: the most steps for a factor; if a factor takes more, `entries` is 0, and no other method may be called.
        over: returns whether a limit has been reached, called every few milliseconds; if so, the work is abandoned.

    Attributes:
        entries: the number of entries of the factor.
        steps: the approximate number of multiplications for the factor.
    """

    def __init__(self, n: cython.int, row, column, source, most: cython.double, over) -> None:
        self.n, self.entries, self.over = n, 0, over
        pairs = np.zeros((n, (n + 63) // 64 * 64), dtype=np.bool_)
        pairs[row, column] = pairs[column, row] = True
        np.fill_diagonal(pairs, False)
        self.joined = np.packbits(pairs, axis=1, bitorder="little").view("<u8").astype(np.uint64)
        self.degree = pairs.sum(axis=1, dtype=np.int32)
        self.place, self.order = np.zeros((2, n), dtype=np.int32)
        self.parent, self.mark, self.pattern, self.path = np.full((4, n + 1), -1, dtype=np.int32)
        self.first, self.end = np.zeros((2, n + 1), dtype=np.int64)
        self.steps = 0.0
        self.placed = self.floor = 0
        while self.placed < n and self.steps <= most and not over():
            with cython.nogil:
                self._arrange(most)
        if self.placed < n or self.steps > most:
            return
        place = np.asarray(self.place)
        row, column = place[row], place[column]
        low, high = np.minimum(row, column), np.maximum(row, column)
        by_row = np.argsort(high, kind="stable")
        self.begin = np.append(0, np.cumsum(np.bincount(high, minlength=n))).astype(np.int32)
        self.column, self.source = low[by_row], source[by_row]
        self.entries = self.first[n]
        self.row, self.value = np.empty(self.entries, dtype=np.int32), np.empty(self.entries, dtype=np.float64)

    def _arrange(self, most):
        """Assigns places to some further rows; stops if the factor takes too many multiplications."""
        words: cython.longlong = 0
        while self.placed < self.n and self.steps <= most and words < PORTION:
            least: cython.int = 0
            for i in range(self.n):
                if self.degree[i] < self.degree[least]:
                    least = i
                if self.degree[least] <= self.floor:
                    break
            degree = self.degree[least]
            self.steps += 0.5 * (degree + 1.0) * (degree + 1.0)
            self.order[self.placed] = least
            self.place[least] = self.placed
            self.first[self.placed + 1] = self.first[self.placed] + degree + 1
            self.placed += 1
            self.floor = min(degree, self._eliminate(least))
            self.degree[least] = self.n
            words += self.n + cython.cast(cython.longlong, degree + 1) * self.joined.shape[1]

    def _eliminate(self, i):
        """Joins all neighbours of row i to each other, and removes row i; returns their least degree."""
        words: cython.int = self.joined.shape[1]
        least: cython.int = self.n
        for v in range(words):
            left: cython.ulonglong = self.joined[i, v]
            j: cython.int = 64 * v
            while left:
                if left & 1:
                    self.joined[j, i >> 6] &= ~(ONE << (i & 63))
                    self.degree[j] -= 1
                    for w in range(words):
                        new: cython.ulonglong = self.joined[i, w] & ~self.joined[j, w]
                        if w == v:
                            new &= ~(ONE << (j & 63))
                        self.joined[j, w] |= new
                        while new:
                            new &= new - 1
                            self.degree[j] += 1
                    least = min(least, self.degree[j])
                left >>= 1
                j += 1
        return least

    def factor(self, values, ridge: cython.double) -> bool:
        """Factors the matrix with a larger diagonal; returns False if it is not positive definite, not finite or
        abandoned.

        Parameters:
            values: the values of the terms, float64.
            ridge: each entry d of the diagonal becomes d * (1 + ridge) + ridge / 1000.
        """
        given: cython.const[cython.double][::1] = values
        self.work, self.factored = np.zeros(self.n), 0
        np.asarray(self.mark)[:] = -1
        while self.factored < self.n:
            if self.over():
                return False
            with cython.nogil:
                is_positive: cython.bint = self._factor(given, ridge)
            if not is_positive:
                return False
        return True

    def solve(self, right) -> np.ndarray:
        """Returns the solution x of A x = right, float64, by the last factor of A."""
        self.work = right[self.order]
        with cython.nogil:
            self._solve()
        return np.asarray(self.work)[self.place]

    def _reach(self, k):
        """Writes the columns of row k of the factor to the end of `pattern`; returns the first position."""
        top: cython.int = self.n
        for e in range(self.begin[k], self.begin[k + 1]):
            i: cython.int = self.column[e]
            length: cython.int = 0
            while i < k and self.mark[i] != k:
                self.path[length] = i
                length += 1
                self.mark[i] = k
                if self.parent[i] < 0:
                    self.parent[i] = k
                i = self.parent[i]
            while length > 0:
                length -= 1
                top -= 1
                self.pattern[top] = self.path[length]
        return top

    def _factor(self, values, ridge):
        """Finds some further rows of the factor; returns False if a diagonal entry is not positive, or not finite."""
        entries: cython.longlong = 0
        while self.factored < self.n and entries < PORTION:
            k = self.factored
            for e in range(self.begin[k], self.begin[k + 1]):
                self.work[self.column[e]] += values[self.source[e]]
            diagonal = self.work[k] * (1.0 + ridge) + 1e-3 * ridge
            self.work[k] = 0.0
            for m in range(self._reach(k), self.n):
                i = self.pattern[m]
                x = self.work[i] / self.value[self.first[i]]
                self.work[i] = 0.0
                for p in range(self.first[i] + 1, self.end[i]):
                    self.work[self.row[p]] -= self.value[p] * x
                entries += self.end[i] - self.first[i]
                diagonal -= x * x
                self.row[self.end[i]] = k
                self.value[self.end[i]] = x
                self.end[i] += 1
            if not 0.0 < diagonal < 1e300:
                return False
            self.row[self.first[k]] = k
            self.value[self.first[k]] = sqrt(diagonal)
            self.end[k] = self.first[k] + 1
            self.factored += 1
        return True

    def _solve(self):
        """Solves L L^T y = work, in place."""
        for k in range(self.n):
            self.work[k] /= self.value[self.first[k]]
            for p in range(self.first[k] + 1, self.end[k]):
                self.work[self.row[p]] -= self.value[p] * self.work[k]
        for m in range(self.n):
            k = self.n - 1 - m
            for p in range(self.first[k] + 1, self.end[k]):
                self.work[k] -= self.value[p] * self.work[self.row[p]]
            self.work[k] /= self.value[self.first[k]]
