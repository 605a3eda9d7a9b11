"""The linear program of a search's root, solved by an interior-point method: exact prices, and masses at a vertex.

The sweeps of the price kernel come near to the best prices fast, and the last per cent slowly. Newton's method on the
perturbed optimality conditions takes 10 to 30 steps whatever the program, each with a Cholesky factor of as many rows
as there are items (with a predictor and a corrector: S. Mehrotra, doi:10.1137/0802028; S. Wright, Primal-Dual
Interior-Point Methods, 1997, chapter 10). Its prices are real numbers: the kernel rounds them, and raises them where
a slack is negative. Any prices give a bound, and these nearly the best one.

Masses come to the centre of the best ones, where ties are shared out. A second program has these options only, and
weights at random: its optimum is a vertex, and a cover wherever all vertices are covers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.problem.roles import Rows

Real = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

LARGEST = 3_000  # rows: three matrices of 72 MB; and as many pairs of entries of options as these have places
STEPS = 60  # at most
GAP = 1e-9  # of the objective, at the end
OFF = 1e-6  # by how much sums may miss their right-hand sides: on 17 to 1,600 rows less than 1e-9 was seen
NEARLY = 0.9995  # of the way to the boundary
RIDGES = 1e-13, 1e-10, 1e-7  # added to the diagonal, relative to it: rows may depend on each other
PAIR = 36  # updates in the time that a solution takes for a pair of entries of an option
BLOCK = 64  # rows of a triangular system that are solved at a time
ZERO = 1e-7  # of the largest weight: a smaller slack or price is none


class Optimum(NamedTuple):
    """The end of an interior-point method: a mass for each option, and a price for each item."""

    mass: Real
    price: Real


class Program:
    """The linear program of set partitioning on the options left.

    It maximises the weights by the masses of the options, which are 0 or more. Those of each item's options sum to a
    number in its range. Items with colours are left out, as in the kernel.

    Parameters:
        rows: the matrix.
        ranges: the least and the greatest sum for each item, int64, shape (n_items, 2).
        live: the options left, int32.
    """

    def __init__(self, rows: Rows, ranges: Whole, live: npt.NDArray[np.int32]) -> None:
        self._matrix, self._ranges, self._live = rows, ranges, np.sort(live)
        place = np.full(rows.n_options, -1)
        place[self._live] = np.arange(len(live))
        self._entries = ~rows.tinted[rows.indices] & (place[rows.owner] >= 0)
        owner, items = place[rows.owner[self._entries]], rows.indices[self._entries].astype(np.int64)
        size = np.bincount(items, minlength=rows.n_items)
        single = (size == 1) & (ranges[:, 0] == 0)  # the upper bound of an option, which takes no row
        self._limited, self._limiting = owner[single[items]], items[single[items]]
        self._rows = np.flatnonzero((size > 0) & ~single)
        row = np.full(rows.n_items, -1)
        row[self._rows] = np.arange(len(self._rows))
        kept = row[items] >= 0
        self._owner, self._row = owner[kept], row[items[kept]]
        self._upper = np.full(len(live), np.inf)
        np.minimum.at(self._upper, self._limited, ranges[self._limiting, 1])
        self._ranged = np.flatnonzero(ranges[self._rows, 0] < ranges[self._rows, 1])

    @cached_property
    def _normal(self) -> Normal:
        n, ranged = len(self._live), self._ranged
        columns, rows = np.append(self._owner, n + np.arange(len(ranged))), np.append(self._row, ranged)
        return Normal(columns, rows, (len(self._rows), n + len(ranged)))

    def work(self, most: float = math.inf) -> float:
        """Returns the time that a solution takes, in updates of the price kernel; infinite if that is beyond `most`."""
        entries = np.bincount(self._owner, minlength=1).astype(np.float64)
        pairs = float(entries @ entries)
        if len(self._rows) > LARGEST or pairs > min(LARGEST**2, most / PAIR):
            return math.inf
        return self._normal.work + PAIR * pairs

    def solve(self, weights: Real, over: Callable[[], bool]) -> Optimum | None:
        """Returns the masses and prices at the centre of the best ones; None if they cannot be found, or it is over."""
        if over() or not len(self._rows):
            return None
        size = float(np.abs(weights).max(initial=0)) or 1.0
        least, most = self._ranges[self._rows].T.astype(np.float64)
        ranged = self._ranged
        many = max(1.0, float(most.max(initial=0)))  # sums of 40, from masses of 1, were not reached
        upper = np.append(self._upper, np.where(least[ranged] > 0, (most - least)[ranged], np.inf))
        standard = Standard(
            most / many,
            np.append(-weights[self._live] / size, np.zeros(len(ranged))),
            upper / many,
        )
        point = InteriorPoint(standard, self._normal)
        with np.errstate(all="ignore"):  # where there is no solution, numbers become too large for a factor
            for _ in range(STEPS):
                if over():
                    return None
                if point.is_best():
                    return self._optimum(point, size, many)
                if not point.advance():
                    return None
        return None

    def _optimum(self, point: InteriorPoint, size: float, many: float) -> Optimum:
        mass, price = np.zeros(self._matrix.n_options), np.zeros(self._matrix.n_items)
        mass[self._live], price[self._rows] = many * point.x[: len(self._live)], -size * point.y
        price[self._limiting] = size * point.w[self._limited]
        return Optimum(mass, price)

    def face(self, weights: Real, best: Optimum) -> Program:
        """Returns the program whose points are the best of this one: no slack, and all prices paid in full."""
        matrix, price = self._matrix, best.price
        least = ZERO * float(np.abs(weights).max(initial=0))
        paid = np.bincount(matrix.owner, np.where(self._entries, price[matrix.indices], 0.0), matrix.n_options)
        low, high = self._ranges.T
        ranges = np.stack([np.where(price > least, high, low), np.where(price < -least, low, high)], axis=1)
        return Program(matrix, ranges, self._live[(paid - weights)[self._live] <= least])


def work_of(rows: int) -> float:
    """Returns the time of a program of so many rows, in updates of the price kernel; as measured on 17 to 1,600."""
    return math.inf if rows > LARGEST else 2e5 + rows**2 * (16 + rows / 80)


class Standard(NamedTuple):
    """A linear program in standard form: the least cost of x with A x = right and 0 <= x <= upper."""

    right: Real
    cost: Real
    upper: Real  # may be infinite


class InteriorPoint:
    """The primal and dual values of a program in standard form, on their way to the best ones.

    Attributes:
        x, s: the primal values, and what they leave of their upper bounds; above 0.
        y: the dual values of the rows.
        z, w: the reduced costs, and the dual values of the upper bounds; above 0. Without a bound s is 1 and w is 0.
    """

    def __init__(self, program: Standard, normal: Normal) -> None:
        self._program, self._normal = program, normal
        self._ends = ends = np.isfinite(program.upper)
        self.x, self.z = np.ones((2, len(program.cost)))
        self.x[ends] = np.minimum(1.0, program.upper[ends] / 2)
        self.s, self.w = np.where(ends, program.upper - self.x, 1.0), ends.astype(np.float64)
        self.y = np.zeros(len(program.right))
        self._pairs = len(self.x) + np.count_nonzero(ends)

    def is_best(self) -> bool:
        """Finds what the rows, the reduced costs and the bounds lack, and tells whether that is nearly nothing."""
        program, normal = self._program, self._normal
        self._primal = program.right - normal.times(self.x)
        self._dual = program.cost - normal.transposed(self.y) - self.z + self.w
        self._bound = np.where(self._ends, program.upper - self.x - self.s, 0.0)
        self._gap = float(self.x @ self.z + self.s @ self.w)
        if np.abs(self._primal).max() > OFF or np.abs(self._dual).max() > GAP:
            return False
        return bool(self._gap < GAP * (1 + abs(program.cost @ self.x)))

    def advance(self) -> bool:
        """Goes a step on, with a predictor and a corrector; False if there is no factor."""
        x, s, z, w = self.x, self.s, self.z, self.w
        self._scale = 1 / (z / x + w / s)
        if not self._normal.factor(self._scale):
            return False
        dx, ds, _, dz, dw = self._direction(-x * z, -s * w)
        far, deep = min(_way(x, dx), _way(s, ds)), min(_way(z, dz), _way(w, dw))
        left = float((x + far * dx) @ (z + deep * dz) + (s + far * ds) @ (w + deep * dw))
        aim = (left / self._gap) ** 3 * self._gap / self._pairs
        dx, ds, dy, dz, dw = self._direction(aim - x * z - dx * dz, np.where(self._ends, aim - s * w - ds * dw, 0.0))
        far, deep = NEARLY * min(_way(x, dx), _way(s, ds)), NEARLY * min(_way(z, dz), _way(w, dw))
        self.x, self.s = x + far * dx, s + far * ds
        self.y, self.z, self.w = self.y + deep * dy, z + deep * dz, w + deep * dw
        return True

    def _direction(self, by_x: Real, by_s: Real) -> tuple[Real, ...]:
        """Solves Newton's equations: x z is to change by so much, and s w."""
        x, s, z, w, scale = self.x, self.s, self.z, self.w, self._scale
        force = self._dual - by_x / x + (by_s - w * self._bound) / s
        dy = self._normal.solve(self._primal + self._normal.times(scale * force))
        dx = scale * (self._normal.transposed(dy) - force)
        ds = np.where(self._ends, self._bound - dx, 0.0)
        return dx, ds, dy, (by_x - z * dx) / x, (by_s - w * ds) / s


def _way(values: Real, change: Real) -> float:
    """Returns the part of a change, at most all of it, that keeps values from becoming negative."""
    falling = change < 0
    return min(1.0, float((-values[falling] / change[falling]).min(initial=1.0)))


class Normal:
    """The normal equations A D A^T of a program, for diagonal matrices D, and their Cholesky factor.

    Parameters:
        column, row: of each entry of A, which are all 1.
        shape: the numbers of rows and columns.
    """

    def __init__(self, column: Whole, row: Whole, shape: tuple[int, int]) -> None:
        self._column, self._row, (self._size, self._width) = column, row, shape
        order = np.argsort(column, kind="stable")
        row = row[order].astype(np.int32)
        length = np.bincount(column, minlength=self._width)
        begin = np.cumsum(length) - length
        ones, others, owners = [], [], []
        for k in np.unique(length[length > 0]):  # the pairs of entries of each column of k
            columns = np.flatnonzero(length == k)
            entries = row[begin[columns][:, None] + np.arange(k)]
            one, other = np.tril_indices(int(k))
            ones.append(entries[:, one].ravel())
            others.append(entries[:, other].ravel())
            owners.append(np.repeat(columns.astype(np.int32), len(one)))
        self._pairs = np.concatenate(ones), np.concatenate(others), np.concatenate(owners)
        most = self._size**3 / 60 + 20 * self._size**2
        self._sparse = compiled_module("dlx.kernels.price.cholesky").Cholesky(self._size, *self._pairs, most)

    @property
    def work(self) -> float:
        """The time of all that is done with the factors in a solution, in updates of the price kernel."""
        if self._sparse.entries:
            return 1e5 + float(3 * self._sparse.steps + 40 * self._sparse.entries)
        return work_of(self._size)

    def times(self, x: Real) -> Real:
        """Returns A x."""
        return np.bincount(self._row, x[self._column], self._size).astype(np.float64, copy=False)

    def transposed(self, y: Real) -> Real:
        """Returns the transposed matrix by y."""
        return np.bincount(self._column, y[self._row], self._width).astype(np.float64, copy=False)

    def factor(self, diagonal: Real) -> bool:
        """Factors A D A^T, with a ridge; False if that is nowhere near positive definite."""
        self._diagonal = diagonal
        if self._sparse.entries:
            return any(self._sparse.factor(diagonal, ridge) for ridge in RIDGES)
        one, other, owner = self._pairs
        place = np.maximum(one, other).astype(np.int64) * self._size + np.minimum(one, other)
        lower = np.bincount(place, diagonal[owner], self._size**2).reshape(self._size, self._size)
        own = lower.diagonal().copy()
        for ridge in RIDGES:
            np.fill_diagonal(lower, own * (1 + ridge) + 1e-3 * ridge)
            try:
                self._lower = np.linalg.cholesky(lower)
            except np.linalg.LinAlgError:
                continue
            blocks = (self._lower[k : k + BLOCK, k : k + BLOCK] for k in range(0, self._size, BLOCK))
            self._inverses = [np.linalg.inv(block) for block in blocks]
            return bool(np.isfinite(self._lower).all())
        return False

    def solve(self, right: Real) -> Real:
        """Solves A D A^T y = right, and once more for what the ridge has left."""
        y = self._substitute(right)
        return y + self._substitute(right - self.times(self._diagonal * self.transposed(y)))

    def _substitute(self, right: Real) -> Real:
        """Solves L L^T y = right, in blocks where that is dense: numpy has no triangular solver."""
        if self._sparse.entries:
            solved: Real = self._sparse.solve(right)
            return solved
        y, lower = right.copy(), self._lower
        starts = range(0, self._size, BLOCK)
        for k, inverse in zip(starts, self._inverses, strict=True):
            e = k + BLOCK
            y[k:e] = inverse @ (y[k:e] - lower[k:e, :k] @ y[:k])
        for k, inverse in zip(reversed(starts), reversed(self._inverses), strict=True):
            e = k + BLOCK
            y[k:e] = inverse.T @ (y[k:e] - lower[e:, k:e].T @ y[e:])
        return y
