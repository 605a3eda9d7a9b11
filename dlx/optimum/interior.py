"""An interior-point method for linear programs in standard form: Newton's method on perturbed optimality conditions.

With a predictor and a corrector (S. Mehrotra, doi:10.1137/0802028; S. Wright, Primal-Dual Interior-Point Methods, 1997,
chapter 10). The caller solves the normal equations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Real = npt.NDArray[np.float64]
Solve = Callable[[Real, Callable[[Real], Real]], Real]  # takes the right-hand side, and the product with any vector


class InteriorPoint:
    """The primal and dual values of a program, on their way to the best ones: the least cost of x with A x = right.

    Parameters:
        begin, row: int32; the entries of A are 1, column j has those in row[begin[j] : begin[j + 1]].
        right: float64, for each row.
        cost, upper: float64, for each column; 0 <= x <= upper, which may be infinite.

    Attributes:
        primal: x of all columns, then upper - x of those with an upper bound; above 0.
        dual: the reduced costs, then the dual values of the upper bounds; above 0, and the products with `primal` are
            to become 0.
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
        """Finds the residuals of rows, reduced costs and upper bounds, and tells whether they are nearly 0.

        Parameters:
            off: the largest residual of a row.
            gap: the largest residual of a reduced cost, and the part of the cost by which primal and dual values may
                differ.
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
        """Takes a step to a smaller gap, this part of the way to where a value would be 0, or of the whole step."""
        product = self.primal * self.dual
        primal, dual, _ = self._direction(solve, -product)  # the predictor, to no gap
        far, deep = _length(self.primal, primal), _length(self.dual, dual)
        left = float(((self.primal + far * primal) * (self.dual + deep * dual)).sum())
        aim = (left / self._gap) ** 3 * self._gap / len(product)
        primal, dual, y = self._direction(solve, aim - product - primal * dual)  # the corrector
        far, deep = nearly * _length(self.primal, primal), nearly * _length(self.dual, dual)
        self.primal, self.dual, self.y = self.primal + far * primal, self.dual + deep * dual, self.y + deep * y

    def _direction(self, solve: Solve, by: Real) -> tuple[Real, Real, Real]:
        """Returns the changes of `primal`, `dual` and `y` that change the products of the first two by so much."""
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
    """Returns the part of a direction, at most all of it, after which no value is negative."""
    steepest = float((direction / values).min())
    return 1.0 if steepest >= -1.0 else -1.0 / steepest
