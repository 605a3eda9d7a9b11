# cython: language_level=3
"""The Cholesky factor of a sparse matrix, with the rows in an order in which it stays sparse.

The next row is one that has fewest others in what is left: minimum degree (A. George, J. Liu, SIAM Review 31 (1989),
doi:10.1137/1031001). The columns of a row of the factor are those to which the elimination tree leads from the columns
of the matrix's row (J. Liu, SIAM J. Matrix Anal. Appl. 11 (1990), doi:10.1137/0611010), and rows are made one after the
other, up-looking (T. Davis, Direct Methods for Sparse Linear Systems, 2006, chapter 4).

Once every row that is left has half of the others they are a dense matrix, which is factored left-looking, by sums of
products of rows (G. Golub, C. Van Loan, Matrix Computations, 2013, 4.2.5): a multiplication takes a fourth of the time.
"""

import cython
import numpy as np

ONE = cython.declare(cython.ulonglong, 1)

if not cython.compiled:
    from math import sqrt

    ONE = np.uint64(1)  # whose complement is one of 64 bits


class Cholesky:
    """A symmetric matrix, whose lower half is a sum of terms, and its factor.

    Parameters:
        n: the number of rows.
        row, column: of each term, int32; on the diagonal, or on one side of it.
        source: the place of its value, int32.
        most: steps for a factor; if it takes more, `entries` is 0, and there is nothing more to be asked for.

    Attributes:
        entries: of the factor.
        steps: the multiplications that it takes, about; those in the dense matrix count a fourth.
    """

    def __init__(self, n: cython.int, row, column, source, most: cython.double) -> None:
        self.n, self.entries = n, 0
        self.joined = np.zeros((n, (n + 63) // 64), dtype=np.uint64)
        self.degree, self.place, self.order = np.zeros((3, n), dtype=np.int32)
        self.parent, self.mark, self.pattern, self.path = np.full((4, n + 1), -1, dtype=np.int32)
        self.work = np.zeros(n, dtype=np.float64)
        self.begin, self.column = row, column
        if not self._arrange(most):
            return
        self.dense = np.zeros((n - self.sparse, n - self.sparse), dtype=np.float64)
        place = np.asarray(self.place)
        row, column = place[row], place[column]
        low, high = np.minimum(row, column), np.maximum(row, column)
        by_row = np.argsort(high, kind="stable")
        self.begin = np.append(0, np.cumsum(np.bincount(high, minlength=n))).astype(np.int32)
        self.column, self.source = low[by_row], source[by_row]
        counts = np.ones(self.sparse, dtype=np.int64)
        count: cython.longlong[::1] = counts
        for k in range(n):
            for e in range(self.begin[k], self.begin[k + 1]):
                i: cython.int = self.column[e]
                while i < min(k, self.sparse) and self.mark[i] != k:
                    self.mark[i] = k
                    count[i] += 1
                    if self.parent[i] < 0:
                        self.parent[i] = k
                    i = self.parent[i]
        self.first, self.end = np.cumsum(counts) - counts, np.zeros(self.sparse, dtype=np.int64)
        n_sparse = counts.sum()
        self.row, self.value = np.empty(n_sparse, dtype=np.int32), np.empty(n_sparse, dtype=np.float64)
        self.entries = n_sparse + self.dense.shape[0] * (self.dense.shape[0] + 1) // 2

    def _arrange(self, most):
        """Gives the rows their places, sparse ones first; False if the factor takes too many multiplications."""
        for e in range(self.begin.shape[0]):
            i, j = cython.cast(cython.int, self.begin[e]), cython.cast(cython.int, self.column[e])
            if i != j and not self.joined[i, j >> 6] >> (j & 63) & 1:
                self.joined[i, j >> 6] |= ONE << (j & 63)
                self.joined[j, i >> 6] |= ONE << (i & 63)
                self.degree[i] += 1
                self.degree[j] += 1
        self.steps, self.sparse = 0.0, 0
        floor: cython.int = 0  # no degree is less
        for k in range(self.n):
            least: cython.int = 0
            for i in range(self.n):
                if self.degree[i] < self.degree[least]:
                    least = i
                if self.degree[least] <= floor:
                    break
            left: cython.int = self.n - k
            if 2 * self.degree[least] >= left - 1:
                self.steps += 0.25 * left * (left + 1.0) * (2.0 * left + 1.0) / 12.0
                self._place_rest(k)
                break
            self.steps += 0.5 * (self.degree[least] + 1.0) * (self.degree[least] + 1.0)
            if self.steps > most:
                return False
            self.order[k] = least
            self.place[least] = k
            floor = min(self.degree[least], self._eliminate(least))
            self.degree[least] = self.n
        return self.steps <= most

    def _place_rest(self, k):
        """Gives the rows that are left, the dense ones, the places from k on."""
        self.sparse = k
        for i in range(self.n):
            if self.degree[i] < self.n:
                self.order[k] = i
                self.place[i] = k
                k += 1

    def _eliminate(self, i):
        """Joins all rows that row i has, and takes it away from them; returns the least degree that one has then."""
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
        """Factors the matrix, with a larger diagonal; False if it is not positive definite, or not finite.

        Parameters:
            values: of the terms, float64.
            ridge: the diagonal grows by this part, and by a thousandth of it.
        """
        given: cython.const[cython.double][::1] = values
        with cython.nogil:
            done = self._factor(given, ridge)
        return done

    def solve(self, right) -> np.ndarray:
        """Returns the product of the inverse, by the last factor, and a vector, float64."""
        self.work = right[self.order]
        with cython.nogil:
            self._solve()
        return np.asarray(self.work)[self.place]

    def _reach(self, k):
        """Finds the sparse pattern of row k of the factor, whose columns end at the last place; returns the first."""
        top: cython.int = self.n
        end: cython.int = min(k, self.sparse)
        for e in range(self.begin[k], self.begin[k + 1]):
            i: cython.int = self.column[e]
            length: cython.int = 0
            while i < end and self.mark[i] != k:
                self.path[length] = i
                length += 1
                self.mark[i] = k
                i = self.parent[i]
            while length > 0:
                length -= 1
                top -= 1
                self.pattern[top] = self.path[length]
        return top

    def _factor(self, values, ridge):
        for k in range(self.n):
            self.work[k] = 0.0
            self.mark[k] = -1
        for k in range(self.n):
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
                diagonal -= x * x
                self.row[self.end[i]] = k
                self.value[self.end[i]] = x
                self.end[i] += 1
            if k < self.sparse:
                if not 0.0 < diagonal < 1e300:
                    return False
                self.row[self.first[k]] = k
                self.value[self.first[k]] = sqrt(diagonal)
                self.end[k] = self.first[k] + 1
            else:
                j = k - self.sparse
                for i in range(j):
                    self.dense[j, i] = self.work[self.sparse + i]
                    self.work[self.sparse + i] = 0.0
                self.dense[j, j] = diagonal
        return self._factor_dense()

    def _factor_dense(self):
        """Factors the dense matrix in place, a column after the other."""
        n: cython.int = self.dense.shape[0]
        for j in range(n):
            diagonal: cython.double = self.dense[j, j]
            for p in range(j):
                diagonal -= self.dense[j, p] * self.dense[j, p]
            if not 0.0 < diagonal < 1e300:
                return False
            diagonal = sqrt(diagonal)
            self.dense[j, j] = diagonal
            i: cython.int = j + 1
            while i + 3 < n:  # four sums at once, of which none waits for another
                a: cython.double = 0.0
                b: cython.double = 0.0
                c: cython.double = 0.0
                d: cython.double = 0.0
                for p in range(j):
                    x: cython.double = self.dense[j, p]
                    a += self.dense[i, p] * x
                    b += self.dense[i + 1, p] * x
                    c += self.dense[i + 2, p] * x
                    d += self.dense[i + 3, p] * x
                self.dense[i, j] = (self.dense[i, j] - a) / diagonal
                self.dense[i + 1, j] = (self.dense[i + 1, j] - b) / diagonal
                self.dense[i + 2, j] = (self.dense[i + 2, j] - c) / diagonal
                self.dense[i + 3, j] = (self.dense[i + 3, j] - d) / diagonal
                i += 4
            while i < n:
                a = 0.0
                for p in range(j):
                    a += self.dense[i, p] * self.dense[j, p]
                self.dense[i, j] = (self.dense[i, j] - a) / diagonal
                i += 1
        return True

    def _solve(self):
        """Solves L L^T y = work, in place."""
        for k in range(self.sparse):
            self.work[k] /= self.value[self.first[k]]
            for p in range(self.first[k] + 1, self.end[k]):
                self.work[self.row[p]] -= self.value[p] * self.work[k]
        n: cython.int = self.n - self.sparse
        for k in range(n):
            x: cython.double = self.work[self.sparse + k]
            for i in range(k):
                x -= self.dense[k, i] * self.work[self.sparse + i]
            self.work[self.sparse + k] = x / self.dense[k, k]
        for m in range(n):
            k = n - 1 - m
            x = self.work[self.sparse + k] / self.dense[k, k]
            self.work[self.sparse + k] = x
            for i in range(k):
                self.work[self.sparse + i] -= self.dense[k, i] * x
        for m in range(self.sparse):
            k = self.sparse - 1 - m
            for p in range(self.first[k] + 1, self.end[k]):
                self.work[k] -= self.value[p] * self.work[self.row[p]]
            self.work[k] /= self.value[self.first[k]]
