# cython: language_level=3
"""An interior-point method for linear programs in standard form: Newton's method on perturbed optimality conditions.

With a predictor and a corrector (S. Mehrotra, doi:10.1137/0802028; S. Wright, Primal-Dual Interior-Point Methods, 1997,
chapter 10). Who calls it solves the normal equations.
"""

import cython
import numpy as np

if not cython.compiled:
    from math import fabs, inf

    INFINITY, fmax, fmin = inf, max, min


class InteriorPoint:
    """The primal and dual values of a program, on their way to the best ones: the least cost of x with A x = right.

    Parameters:
        begin, row: int32; the entries of A are 1, column j has those in row[begin[j] : begin[j + 1]].
        right: float64, for each row.
        cost, upper: float64, for each column; 0 <= x <= upper, which may be infinite.

    Attributes:
        x, s: the primal values, and what they leave of their upper bounds; above 0.
        y: the dual values of the rows.
        z, w: the reduced costs, and the dual values of the upper bounds; above 0. Without a bound s is 1 and w is 0.
    """

    def __init__(self, begin, row, right, cost, upper) -> None:
        self.n, self.m = len(cost), len(right)
        self.begin, self.row, self.right, self.cost, self.upper = begin, row, right, cost, upper
        ends = np.isfinite(upper)
        x = np.minimum(1.0, upper / 2)
        self.x, self.z, self.w = x, np.ones(self.n), ends.astype(np.float64)
        self.s = np.where(ends, upper - x, 1.0)
        self.dual, self.bound, self.scale, self.by_x, self.by_s, self.force = np.zeros((6, self.n))
        self.dx, self.ds, self.dz, self.dw = np.zeros((4, self.n))
        self.y, self.dy, self.primal, self.push, self.pressed = np.zeros((5, self.m))
        self.pairs = self.n + np.count_nonzero(ends)
        self.gap = 0.0

    def is_best(self, off: cython.double, gap: cython.double) -> bool:
        """Finds what the rows, the reduced costs and the bounds lack, and tells whether that is nearly nothing.

        Parameters:
            off: what the rows may lack.
            gap: what the reduced costs may lack, and the part of the cost by which primal and dual values may differ.
        """
        with cython.nogil:
            done = self._look(off, gap)
        return done

    def diagonal(self) -> np.ndarray:
        """Returns the diagonal D of the normal equations A D A^T dy = push; float64, for each column."""
        for j in range(self.n):
            self.scale[j] = 1.0 / (self.z[j] / self.x[j] + self.w[j] / self.s[j])
        return np.asarray(self.scale)

    def predict(self) -> np.ndarray:
        """Returns the right-hand side of the normal equations for a step to the end; float64, for each row."""
        with cython.nogil:
            self._push(0.0, False)
        return np.asarray(self.push)

    def correct(self) -> np.ndarray:
        """Returns the right-hand side for a step to less of a gap, as much less as the predicted one would leave."""
        with cython.nogil:
            far, deep, left = self._far(), self._deep(), 0.0
            for j in range(self.n):
                left += (self.x[j] + far * self.dx[j]) * (self.z[j] + deep * self.dz[j])
                left += (self.s[j] + far * self.ds[j]) * (self.w[j] + deep * self.dw[j])
            self._push((left / self.gap) ** 3 * self.gap / self.pairs, True)
        return np.asarray(self.push)

    def turn(self, dy) -> None:
        """Takes the direction that a solution of the normal equations gives."""
        self.dy = dy
        with cython.nogil:
            self._turn()

    def go(self, nearly: cython.double) -> None:
        """Goes on in the direction, so much of the way to where a value would be 0, or of the whole of it."""
        with cython.nogil:
            far, deep = nearly * self._far(), nearly * self._deep()
            for j in range(self.n):
                self.x[j] += far * self.dx[j]
                self.s[j] += far * self.ds[j]
                self.z[j] += deep * self.dz[j]
                self.w[j] += deep * self.dw[j]
            for i in range(self.m):
                self.y[i] += deep * self.dy[i]

    def press(self, y) -> np.ndarray:
        """Returns A D A^T y; float64, for each row."""
        self.dy = y
        for i in range(self.m):
            self.pressed[i] = 0.0
        for j in range(self.n):
            some = self.scale[j] * self._sum(self.dy, j)
            for e in range(self.begin[j], self.begin[j + 1]):
                self.pressed[self.row[e]] += some
        return np.asarray(self.pressed)

    def _look(self, off, gap):
        worst = 0.0
        value = 0.0
        self.gap = 0.0
        for i in range(self.m):
            self.primal[i] = self.right[i]
        for j in range(self.n):
            for e in range(self.begin[j], self.begin[j + 1]):
                self.primal[self.row[e]] -= self.x[j]
            self.dual[j] = self.cost[j] - self._sum(self.y, j) - self.z[j] + self.w[j]
            self.bound[j] = 0.0 if self.upper[j] == INFINITY else self.upper[j] - self.x[j] - self.s[j]
            self.gap += self.x[j] * self.z[j] + self.s[j] * self.w[j]
            worst = fmax(worst, fabs(self.dual[j]))
            value += self.cost[j] * self.x[j]
        for i in range(self.m):
            if not fabs(self.primal[i]) <= off:
                return False
        return worst <= gap and self.gap < gap * (1.0 + fabs(value))

    def _push(self, aim, again):
        """Finds the right-hand side for products x z and s w of `aim`, with what the last direction adds to them."""
        for i in range(self.m):
            self.push[i] = self.primal[i]
        for j in range(self.n):
            self.by_x[j] = aim - self.x[j] * self.z[j]
            self.by_s[j] = 0.0 if self.upper[j] == INFINITY else aim - self.s[j] * self.w[j]
            if again:
                self.by_x[j] -= self.dx[j] * self.dz[j]
                self.by_s[j] -= self.ds[j] * self.dw[j]
            self.force[j] = self.dual[j] - self.by_x[j] / self.x[j]
            self.force[j] += (self.by_s[j] - self.w[j] * self.bound[j]) / self.s[j]
            for e in range(self.begin[j], self.begin[j + 1]):
                self.push[self.row[e]] += self.scale[j] * self.force[j]

    def _turn(self):
        for j in range(self.n):
            self.dx[j] = self.scale[j] * (self._sum(self.dy, j) - self.force[j])
            self.ds[j] = 0.0 if self.upper[j] == INFINITY else self.bound[j] - self.dx[j]
            self.dz[j] = (self.by_x[j] - self.z[j] * self.dx[j]) / self.x[j]
            self.dw[j] = (self.by_s[j] - self.w[j] * self.ds[j]) / self.s[j]

    def _far(self):
        """Returns the part of the direction, at most all of it, that keeps the primal values from becoming negative."""
        return fmin(self._part(self.x, self.dx), self._part(self.s, self.ds))

    def _deep(self):
        """Returns the same for the dual values."""
        return fmin(self._part(self.z, self.dz), self._part(self.w, self.dw))

    def _part(self, values, direction):
        """Returns the same for some values."""
        way = 1.0
        for j in range(self.n):
            if direction[j] < 0.0:
                way = fmin(way, -values[j] / direction[j])
        return way

    def _sum(self, y, j):
        """Returns the sum of the rows' values in a column."""
        total = 0.0
        for e in range(self.begin[j], self.begin[j + 1]):
            total += y[self.row[e]]
        return total
