"""Solves the linear program of the root by an interior-point method: exact prices, and masses at a vertex.

The sweeps of the price kernel soon reach prices within one per cent of the best prices; after that, they improve
slowly. Newton's method on the perturbed optimality conditions takes 10 to 30 steps for any program. Each step needs a
Cholesky factor with a row for each item (kernel `cholesky`). The price kernel rounds these prices, and raises them if a
slack is negative. Any prices give a bound; the bound of these prices is nearly the best.

The masses are the centre of all optimal solutions. A second program has only the options with mass, and random weights.
Its optimum is a vertex, which is a cover if all vertices are covers.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Over
from dlx.problem.roles import Rows

Real = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

MOST_ROWS = 3_000  # maximum rows; the square limits the pairs of entries of the same option
FACTOR_STEPS = 2e8  # maximum multiplications of one Cholesky factor
NEWTON_STEPS = 60  # maximum steps of one solution
GAP = 1e-9  # the relative gap between primal and dual cost at the end; also the tolerance of reduced costs
ROW_TOLERANCE = 1e-6  # tolerance of the sums of rows; on 17 to 1,600 rows the error was below 1e-9
STEP_FRACTION = 0.9995  # fraction of the distance to the boundary for a step
RIDGES = 1e-13, 1e-10, 1e-7  # relative additions to the diagonal, since rows may be dependent
LEAST_WORK = 3e5  # minimum time of a solution, in updates of the price kernel
COLUMN_WORK = 60  # time of a column, in updates of the price kernel
ZERO = 1e-7  # a slack or price below this fraction of the largest weight counts as 0


class Optimum(NamedTuple):
    """The result of the interior-point method: a mass for each option, and a price for each item."""

    mass: Real
    price: Real


class InteriorProgram:
    """The linear program of set partitioning on the live options.

    It maximises the sum of weight times mass; masses are non-negative. For each item, the sum of the masses of its
    options is in the range of the item. Items with colours are omitted, as in the kernel.

    Parameters:
        rows: the matrix.
        ranges: the least and the greatest sum for each item, int64, shape (n_items, 2).
        live: the live options, int32.
        over: returns whether a limit has been reached; then the solution is abandoned.
    """

    def __init__(self, rows: Rows, ranges: Whole, live: npt.NDArray[np.int32], over: Over) -> None:
        self._matrix, self._ranges, self._live, self._over = rows, ranges, np.sort(live), over
        self._paying = ~rows.takes_colours[rows.indices]
        place = np.full(rows.n_options, -1)
        place[self._live] = np.arange(len(live))
        entries = self._paying & (place[rows.owner] >= 0)
        owner, items = place[rows.owner[entries]], rows.indices[entries].astype(np.int64)
        size = np.bincount(items, minlength=rows.n_items)
        single = (size == 1) & (ranges[:, 0] == 0)  # an item of a single option is an upper bound, and needs no row
        limited, limiting = owner[single[items]], items[single[items]]
        order = np.lexsort((ranges[limiting, 1], limited))
        self._limited, first = np.unique(limited[order], return_index=True)  # the tightest bound of each option
        self._limiting = limiting[order][first]
        self._rows = np.flatnonzero((size > 0) & ~single)
        row = np.full(rows.n_items, -1)
        row[self._rows] = np.arange(len(self._rows))
        kept = row[items] >= 0
        self._owner, self._row = owner[kept], row[items[kept]]
        self._upper = np.full(len(live), np.inf)
        self._upper[self._limited] = ranges[self._limiting, 1]
        self._ranged = np.flatnonzero(ranges[self._rows, 0] < ranges[self._rows, 1])

    @cached_property
    def _equations(self) -> NormalEquations:
        n, ranged = len(self._live), self._ranged
        columns, rows = np.append(self._owner, n + np.arange(len(ranged))), np.append(self._row, ranged)
        return NormalEquations(columns, rows, (len(self._rows), n + len(ranged)), self._over)

    def work(self, most: float = math.inf) -> float:
        """Returns the expected time of a solution, in updates of the price kernel; above `most` it may be too low."""
        entries = np.bincount(self._owner, minlength=1).astype(np.float64)
        pairs = float(entries @ entries)
        if len(self._rows) > MOST_ROWS or pairs > MOST_ROWS**2 or self._over():
            return math.inf
        work = LEAST_WORK + COLUMN_WORK * len(self._live) + 10 * pairs
        return work + self._equations.work if work <= most else work

    @np.errstate(all="ignore")  # without a solution, values grow without bound
    def solve(self, weights: Real) -> Optimum | None:
        """Returns the masses and prices at the centre of all optimal solutions; None if a limit comes first."""
        if self._over() or not len(self._rows):
            return None
        size = float(np.abs(weights).max(initial=0)) or 1.0
        least, most = self._ranges[self._rows].T.astype(np.float64)
        ranged = self._ranged
        many = max(1.0, float(most.max(initial=0)))  # with masses of 1 at the start, sums of 40 were not reached
        upper = np.append(self._upper, np.where(least[ranged] > 0, (most - least)[ranged], np.inf))
        cost = np.append(-weights[self._live] / size, np.zeros(len(ranged)))
        point = InteriorPoint(self._equations, most / many, cost, upper / many)
        for _ in range(NEWTON_STEPS):
            if self._over():
                return None
            if point.is_best():
                mass, price = np.zeros(len(weights)), np.zeros(len(self._ranges))
                mass[self._live], price[self._rows] = many * point.primal[: len(self._live)], -size * point.y
                price[self._limiting] = size * point.dual[len(cost) :][: len(self._limiting)]
                return Optimum(mass, price)
            if not point.step():
                return None
        return None

    def face(self, weights: Real, best: Optimum) -> InteriorProgram:
        """Returns the program of the optimal face: options without slack, and sums at the bounds that have a price."""
        price = best.price
        least = ZERO * float(np.abs(weights).max(initial=0))
        low, high = self._ranges.T
        ranges = np.stack([np.where(price > least, high, low), np.where(price < -least, low, high)], axis=1)
        paid = np.bincount(self._matrix.owner, np.where(self._paying, price[self._matrix.indices], 0.0), len(weights))
        return InteriorProgram(self._matrix, ranges, self._live[(paid - weights)[self._live] <= least], self._over)


class NormalEquations:
    """The equations A D A^T y = right, for a matrix A whose entries are all 1, and diagonal matrices D.

    Parameters:
        column, row: the positions of the entries of A, int64.
        shape: the number of rows, and the number of columns.
        over: as for `InteriorProgram`.
    """

    def __init__(self, column: Whole, row: Whole, shape: tuple[int, int], over: Over) -> None:
        order = np.argsort(column, kind="stable")
        self._row, self._column, self._shape = row[order].astype(np.int32), column[order].astype(np.int32), shape
        self._diagonal = np.ones(shape[1])
        length = np.bincount(column, minlength=shape[1])
        first = (np.cumsum(length) - length)[self._column]  # the first entry of the column of each entry
        times = np.arange(1, len(row) + 1) - first  # pairs of an entry and an entry of the same column up to it
        turn = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
        other = self._row[np.repeat(first, times) + turn]
        pairs = np.repeat(self._row, times), other, np.repeat(self._column, times)
        self._factor = compiled_module("dlx.kernels.price.lp.cholesky").Cholesky(shape[0], *pairs, FACTOR_STEPS, over)

    @property
    def work(self) -> float:
        """The expected time of the method in updates of the price kernel; infinity if there is no factor."""
        if not self._factor.entries:
            return math.inf
        return 1.5 * float(self._factor.steps) + 20 * float(self._factor.entries)

    def factor(self, diagonal: Real) -> bool:
        """Factors A D A^T with a ridge; returns False if no ridge makes the matrix positive definite."""
        self._diagonal = diagonal
        return any(self._factor.factor(diagonal, ridge) for ridge in RIDGES)

    def solve(self, right: Real) -> Real:
        """Returns the solution y, with one step of iterative refinement because of the ridge."""
        y: Real = self._factor.solve(right)
        more: Real = self._factor.solve(right - self.times(self._diagonal * self.transposed(y)))
        return y + more

    def times(self, x: Real) -> Real:
        """Returns A x."""
        return np.bincount(self._row, x[self._column], self._shape[0]).astype(np.float64, copy=False)

    def transposed(self, y: Real) -> Real:
        """Returns A^T y."""
        return np.bincount(self._column, y[self._row], self._shape[1]).astype(np.float64, copy=False)


class InteriorPoint:
    """The current primal and dual values of the program: minimise cost x subject to A x = right, 0 <= x <= upper.

    Each step has a predictor and a corrector (S. Mehrotra, doi:10.1137/0802028; S. Wright, Primal-Dual Interior-Point
    Methods, 1997, chapter 10).

    Parameters:
        equations: the normal equations of A.
        right: float64, for each row.
        cost, upper: float64, for each column; upper may be infinite.

    Attributes:
        primal: x of all columns, then upper - x of the columns with an upper bound; positive.
        dual: the reduced costs, then the dual values of the upper bounds; positive. At an optimum, primal * dual is 0.
        y: the dual values of the rows.
    """

    def __init__(self, equations: NormalEquations, right: Real, cost: Real, upper: Real) -> None:
        self._n, self._equations, self._right, self._cost = len(cost), equations, right, cost
        self._ended = np.flatnonzero(np.isfinite(upper))  # the columns with an upper bound
        self._upper, x = upper[self._ended], np.minimum(1.0, upper / 2)
        self.primal = np.append(x, self._upper - x[self._ended])
        self.dual, self.y = np.ones(len(self.primal)), np.zeros(len(right))

    def is_best(self) -> bool:
        """Computes all residuals; returns whether the point is optimal."""
        x = self.primal[: self._n]
        self._of_rows = self._right - self._equations.times(x)
        self._of_costs = self._cost - self._equations.transposed(self.y) - self.dual[: self._n]
        self._of_costs[self._ended] += self.dual[self._n :]
        self._of_bounds = self._upper - x[self._ended] - self.primal[self._n :]
        self._gap = float((self.primal * self.dual).sum())
        are_met = (np.abs(self._of_rows) <= ROW_TOLERANCE).all() and (np.abs(self._of_costs) <= GAP).all()
        return bool(are_met) and self._gap < GAP * (1.0 + abs(float((self._cost * x).sum())))

    def step(self) -> bool:
        """Takes a step that keeps all values positive; returns False if the equations have no solution."""
        self._ratio = self.dual / self.primal
        scale: Real = self._ratio[: self._n].copy()
        scale[self._ended] += self._ratio[self._n :]
        self._scale = 1.0 / scale
        if not self._equations.factor(self._scale):
            return False
        product = self.primal * self.dual
        primal, dual, _ = self._direction(-product)  # the predictor aims at gap 0
        far, deep = _length(self.primal, primal), _length(self.dual, dual)
        product_after = float(((self.primal + far * primal) * (self.dual + deep * dual)).sum())
        aim = (product_after / self._gap) ** 3 * self._gap / len(product)
        primal, dual, y = self._direction(aim - product - primal * dual)  # the corrector
        far, deep = STEP_FRACTION * _length(self.primal, primal), STEP_FRACTION * _length(self.dual, dual)
        self.primal, self.dual, self.y = self.primal + far * primal, self.dual + deep * dual, self.y + deep * y
        return True

    def _direction(self, by: Real) -> tuple[Real, Real, Real]:
        """Returns the directions of `primal`, `dual` and `y` that change primal * dual by `by`, to first order."""
        n, by = self._n, by / self.primal
        force = self._of_costs - by[:n]
        force[self._ended] += by[n:] - self._ratio[n:] * self._of_bounds
        y = self._equations.solve(self._of_rows + self._equations.times(self._scale * force))
        x = self._scale * (self._equations.transposed(y) - force)
        primal = np.append(x, self._of_bounds - x[self._ended])
        return primal, by - self._ratio * primal, y


def _length(values: Real, direction: Real) -> float:
    """Returns the largest step length, at most 1, that keeps all values non-negative."""
    steepest = float((direction / values).min())
    return 1.0 if steepest >= -1.0 else -1.0 / steepest
