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

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.roles import Rows

Real = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

STEPS = 60  # at most
GAP = 1e-9  # of the objective, at the end
NEARLY = 0.9995  # of the way to the boundary
RIDGES = 1e-13, 1e-10, 1e-7  # added to the diagonal, relative to it: rows may depend on each other
BLOCK = 64  # rows of a triangular system that are solved at a time
FLOPS = 30  # as many operations of a factor take the time of an update of the price kernel
ZERO = 1e-7  # of the largest weight: a smaller slack or price is none


class Optimum(NamedTuple):
    """What an interior-point method has ended with: a mass for each option, and a price for each item."""

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
        plain = np.ones(rows.n_items, np.bool_)
        if rows.colours is not None:
            plain[rows.indices[rows.colours > 0]] = False
        self._entries = plain[rows.indices] & (place[rows.owner] >= 0)
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

    @property
    def work(self) -> float:
        """The time that a solution takes, in updates of the price kernel; as measured on 17 to 1,600 rows."""
        entries, m = np.bincount(self._owner, minlength=1).astype(np.float64), len(self._rows)
        return 2e5 + m**2 * (16 + m / 80) + 36 * float(entries @ entries)

    def solve(self, weights: Real) -> Optimum | None:
        """Returns the masses and prices at the centre of the best ones; None if they cannot be found."""
        size = float(np.abs(weights).max(initial=0)) or 1.0
        least, most = self._ranges[self._rows].T.astype(np.float64)
        ranged = np.flatnonzero(least < most)
        n = len(self._live)
        solution = Standard(
            np.append(self._owner, n + np.arange(len(ranged))),
            np.append(self._row, ranged),
            most,
            np.append(-weights[self._live] / size, np.zeros(len(ranged))),
            np.append(self._upper, np.where(least[ranged] > 0, (most - least)[ranged], np.inf)),
        ).solve()
        if solution is None:
            return None
        masses, rows, limits = solution
        mass, price = np.zeros(self._matrix.n_options), np.zeros(self._matrix.n_items)
        mass[self._live], price[self._rows] = masses[:n], -size * rows
        price[self._limiting] = size * limits[self._limited]
        return Optimum(mass, price)

    def face(self, weights: Real, best: Optimum) -> Program:
        """Returns the program whose points are the best of this one: they have no slack, and pay every price in full."""
        matrix, price = self._matrix, best.price
        least = ZERO * float(np.abs(weights).max(initial=0))
        paid = np.bincount(matrix.owner, np.where(self._entries, price[matrix.indices], 0.0), matrix.n_options)
        low, high = self._ranges.T
        ranges = np.stack([np.where(price > least, high, low), np.where(price < -least, low, high)], axis=1)
        return Program(matrix, ranges, self._live[(paid - weights)[self._live] <= least])


class Standard(NamedTuple):
    """A linear program in standard form: the least cost of x with A x = right and 0 <= x <= upper."""

    column: Whole  # of each entry of A, which are all 1,
    row: Whole  # and its row
    right: Real
    cost: Real
    upper: Real  # may be infinite

    def solve(self) -> tuple[Real, Real, Real] | None:
        """Returns x, the dual values of the rows, and those of the upper bounds; None if a factor is too bad."""
        normal = Normal(self)
        ends = np.isfinite(self.upper)
        x, z = np.ones((2, len(self.cost)))
        x[ends] = np.minimum(1.0, self.upper[ends] / 2)
        s, w = np.where(ends, self.upper - x, 1.0), ends.astype(np.float64)
        y = np.zeros(len(self.right))
        pairs = len(x) + np.count_nonzero(ends)
        for _ in range(STEPS):
            primal, dual = self.right - normal.times(x), self.cost - normal.transposed(y) - z + w
            upper = np.where(ends, self.upper - x - s, 0.0)
            mu = (x @ z + s @ w) / pairs
            if mu * pairs < GAP * (1 + abs(self.cost @ x)) and np.abs(dual).max() < GAP:
                return x, y, w
            scale = 1 / (z / x + w / s)
            if not normal.factor(scale):
                return None

            def step(at_x: Real, at_s: Real) -> tuple[Real, ...]:
                """Solves Newton's equations, of which the right-hand sides of x z and s w are given."""
                force = dual - at_x / x + (at_s - w * upper) / s
                dy = normal.solve(primal + normal.times(scale * force))
                dx = scale * (normal.transposed(dy) - force)
                ds = np.where(ends, upper - dx, 0.0)
                return dx, ds, dy, (at_x - z * dx) / x, (at_s - w * ds) / s

            dx, ds, _, dz, dw = step(-x * z, -s * w)
            far, deep = min(_way(x, dx), _way(s, ds)), min(_way(z, dz), _way(w, dw))
            left = ((x + far * dx) @ (z + deep * dz) + (s + far * ds) @ (w + deep * dw)) / pairs
            aim = (left / mu) ** 3 * mu
            dx, ds, dy, dz, dw = step(aim - x * z - dx * dz, np.where(ends, aim - s * w - ds * dw, 0.0))
            far, deep = NEARLY * min(_way(x, dx), _way(s, ds)), NEARLY * min(_way(z, dz), _way(w, dw))
            x, s, y, z, w = x + far * dx, s + far * ds, y + deep * dy, z + deep * dz, w + deep * dw
        return None


def _way(values: Real, change: Real) -> float:
    """Returns the part of a change, at most all of it, that keeps values from becoming negative."""
    falling = change < 0
    return min(1.0, float((-values[falling] / change[falling]).min(initial=1.0)))


class Normal:
    """The normal equations A D A^T of a program, for diagonal matrices D, and their Cholesky factor."""

    def __init__(self, standard: Standard) -> None:
        self._column, self._row = standard.column, standard.row
        self._size = len(standard.right)
        self._width = len(standard.cost)
        order = np.argsort(self._column, kind="stable")
        row = self._row[order]
        length = np.bincount(self._column, minlength=self._width)
        begin = np.cumsum(length) - length
        places, owners = [], []
        for k in np.unique(length[length > 0]):  # the pairs of entries of each column of k
            columns = np.flatnonzero(length == k)
            entries = row[begin[columns][:, None] + np.arange(k)]
            one, other = np.tril_indices(int(k))
            low, high = np.sort(np.stack([entries[:, one], entries[:, other]]), axis=0)
            places.append((high * self._size + low).ravel())
            owners.append(np.repeat(columns, len(one)))
        self._place, self._owner = np.concatenate(places), np.concatenate(owners)

    def times(self, x: Real) -> Real:
        """Returns A x."""
        return np.bincount(self._row, x[self._column], self._size)

    def transposed(self, y: Real) -> Real:
        """Returns the transposed matrix by y."""
        return np.bincount(self._column, y[self._row], self._width)

    def factor(self, diagonal: Real) -> bool:
        """Factors A D A^T, with a ridge; False if that is nowhere near positive definite."""
        lower = np.bincount(self._place, diagonal[self._owner], self._size**2).reshape(self._size, self._size)
        self._matrix = lower + np.tril(lower, -1).T
        own = self._matrix.diagonal().copy()
        for ridge in RIDGES:
            np.fill_diagonal(lower, own * (1 + ridge) + 1e-3 * ridge)
            try:
                self._lower = np.linalg.cholesky(lower)
            except np.linalg.LinAlgError:
                continue
            return bool(np.isfinite(self._lower).all())
        return False

    def solve(self, right: Real) -> Real:
        """Solves A D A^T y = right, and once more for what the ridge has left."""
        y = self._substitute(right)
        return y + self._substitute(right - self._matrix @ y)

    def _substitute(self, right: Real) -> Real:
        """Solves L L^T y = right, in blocks: numpy has no triangular solver."""
        y, lower = right.copy(), self._lower
        starts = range(0, self._size, BLOCK)
        for k in starts:
            e = k + BLOCK
            y[k:e] = np.linalg.solve(lower[k:e, k:e], y[k:e] - lower[k:e, :k] @ y[:k])
        for k in reversed(starts):
            e = k + BLOCK
            y[k:e] = np.linalg.solve(lower[k:e, k:e].T, y[k:e] - lower[e:, k:e].T @ y[e:])
        return y
