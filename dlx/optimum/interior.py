"""An interior-point method for linear programs in standard form: Newton's method on perturbed optimality conditions.

Each step has a predictor and a corrector (S. Mehrotra, doi:10.1137/0802028; S. Wright, Primal-Dual Interior-Point
Methods, 1997, chapter 10). The caller solves the normal equations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Real = npt.NDArray[np.float64]
Solve = Callable[[Real, Callable[[Real], Real]], Real]  # right-hand side, product with a vector -> solution


class InteriorPoint:
    """The current primal and dual values of the program: minimise cost x subject to A x = right, 0 <= x <= upper.

    Parameters:
        begin, row: int32; column j of A has a 1 in the rows row[begin[j] : begin[j + 1]].
        right: float64, for each row.
        cost, upper: float64, for each column; upper may be infinite.

    Attributes:
        primal: x of all columns, then upper - x of the columns with an upper bound; positive.
        dual: the reduced costs, then the dual values of the upper bounds; positive. At an optimum, primal * dual is 0.
        y: the dual values of the rows.
    """

    def __init__(
        self, begin: npt.NDArray[np.int32], row: npt.NDArray[np.int32], right: Real, cost: Real, upper: Real
    ) -> None:
        self._n, self._row, self._column = len(cost), row, np.repeat(np.arange(len(cost)), np.diff(begin))
        self._right, self._cost = right, cost
        self._ended = np.flatnonzero(np.isfinite(upper))  # the columns with an upper bound
        self._upper, x = upper[self._ended], np.minimum(1.0, upper / 2)
        self.primal = np.append(x, self._upper - x[self._ended])
        self.dual, self.y = np.ones(len(self.primal)), np.zeros(len(right))

    def is_best(self, off: float, gap: float) -> bool:
        """Computes all residuals; returns whether the point is optimal.

        `off` is the tolerance for rows, and `gap` for reduced costs and the relative gap of primal and dual cost.
        """
        x = self.primal[: self._n]
        self._of_rows = self._right - self._times(x)
        self._of_costs = self._cost - self._transposed(self.y) - self.dual[: self._n]
        self._of_costs[self._ended] += self.dual[self._n :]
        self._of_bounds = self._upper - x[self._ended] - self.primal[self._n :]
        self._gap = float((self.primal * self.dual).sum())
        are_met = (np.abs(self._of_rows) <= off).all() and (np.abs(self._of_costs) <= gap).all()
        return bool(are_met) and self._gap < gap * (1.0 + abs(float((self._cost * x).sum())))

    def bound_duals(self) -> Real:
        """Returns the dual values of the upper bounds, 0 for columns without one; float64, for each column."""
        duals = np.zeros(self._n)
        duals[self._ended] = self.dual[self._n :]
        return duals

    def diagonal(self) -> Real:
        """Returns the diagonal D of the normal equations A D A^T dy = right; float64, for each column."""
        self._ratio = self.dual / self.primal
        scale: Real = self._ratio[: self._n].copy()
        scale[self._ended] += self._ratio[self._n :]
        self._scale = 1.0 / scale
        return self._scale

    def step(self, solve: Solve, nearly: float) -> None:
        """Takes a step: the fraction `nearly` of the longest step, at most 1, that keeps all values non-negative."""
        product = self.primal * self.dual
        primal, dual, _ = self._direction(solve, -product)  # the predictor aims at gap 0
        far, deep = _length(self.primal, primal), _length(self.dual, dual)
        left = float(((self.primal + far * primal) * (self.dual + deep * dual)).sum())
        aim = (left / self._gap) ** 3 * self._gap / len(product)
        primal, dual, y = self._direction(solve, aim - product - primal * dual)  # the corrector
        far, deep = nearly * _length(self.primal, primal), nearly * _length(self.dual, dual)
        self.primal, self.dual, self.y = self.primal + far * primal, self.dual + deep * dual, self.y + deep * y

    def _direction(self, solve: Solve, by: Real) -> tuple[Real, Real, Real]:
        """Returns the directions of `primal`, `dual` and `y` that change primal * dual by `by`, to first order."""
        n, by = self._n, by / self.primal
        force = self._of_costs - by[:n]
        force[self._ended] += by[n:] - self._ratio[n:] * self._of_bounds
        y = solve(self._of_rows + self._times(self._scale * force), self._normal_product)
        x = self._scale * (self._transposed(y) - force)
        primal = np.append(x, self._of_bounds - x[self._ended])
        return primal, by - self._ratio * primal, y

    def _normal_product(self, y: Real) -> Real:
        """Returns A D A^T y."""
        return self._times(self._scale * self._transposed(y))

    def _times(self, x: Real) -> Real:
        """Returns A x."""
        return np.bincount(self._row, x[self._column], len(self._right)).astype(np.float64, copy=False)

    def _transposed(self, y: Real) -> Real:
        """Returns A^T y."""
        return np.bincount(self._column, y[self._row], self._n).astype(np.float64, copy=False)


def _length(values: Real, direction: Real) -> float:
    """Returns the largest step length, at most 1, that keeps all values non-negative."""
    steepest = float((direction / values).min())
    return 1.0 if steepest >= -1.0 else -1.0 / steepest
