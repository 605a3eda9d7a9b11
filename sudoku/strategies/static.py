# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The strategy `static`: bitmasks, the blanks sorted once by their number of candidates, and a bound from the weights.

The published bound is *score so far + 9 x (weights of the cells left)*: no digit is more than 9. For any table a cell
that weighs w adds at most 9 w if w >= 0, and at most w if w < 0, since no digit is less than 1; so its term is
max(9 w, w). As the order of the blanks is fixed, these sums are computed once, from the last blank back.
"""

import cython
import numpy as np

from sudoku.strategies.units import LOWEST, UNITS

_EXHAUSTED = cython.declare(cython.int, 0)
_IMPROVED = cython.declare(cython.int, 1)
_BUDGET_SPENT = cython.declare(cython.int, 2)


@cython.cclass
class Search:
    """One resumable search for a best completion.

    `digits` (int32, shape (81,), no two givens in conflict) is filled in; `weights` (int64) has a weight for each cell;
    `blanks` (int32) has the blank cells in the order in which they are to be filled. Whenever `run` returns with a
    higher `score` than before, `digits` is the completion that has it.
    """

    digits: cython.int[::1]
    weights: cython.longlong[::1]
    blanks: cython.int[::1]
    rest: cython.longlong[::1]  # rest[l]: no digits in blanks[l], blanks[l + 1], ... score more
    units: cython.int[:, ::1]
    lowest: cython.int[::1]  # lowest[s]: the smallest digit in set s
    free: cython.int[::1]  # free[u]: the set of the digits that unit u has not; bit d - 1 for digit d
    untried: cython.int[::1]  # untried[l]: the digits still to be tried in blanks[l]
    level: cython.int  # blanks[0] to blanks[level - 1] are filled; -1 when the search has ended
    n_blanks: cython.int
    total: cython.longlong  # the score of the digits that are placed
    score = cython.declare(cython.longlong, visibility="readonly")
    completions = cython.declare(cython.longlong, visibility="readonly")
    nodes = cython.declare(cython.longlong, visibility="readonly")

    def __init__(
        self,
        digits: cython.int[::1],
        weights: cython.const[cython.longlong][::1],
        blanks: cython.const[cython.int][::1],
    ) -> None:
        cell: cython.int
        given: cython.int
        hopes = np.maximum(9 * np.array(weights), weights)[np.array(blanks)]
        self.digits = digits
        self.weights = np.array(weights)
        self.blanks = np.array(blanks)
        self.rest = hopes[::-1].cumsum()[::-1].copy()
        self.units = UNITS
        self.lowest = LOWEST
        self.free = np.full(27, 511, dtype=np.int32)
        self.untried = np.zeros(81, dtype=np.int32)
        self.level = 0
        self.n_blanks = blanks.shape[0]
        self.total = self.completions = self.nodes = 0
        self.score = -(1 << 62)
        for cell in range(81):
            given = digits[cell]
            digits[cell] = 0
            self._put(cell, given)

    def run(self, node_budget: cython.longlong) -> int:
        """Goes on until the search ends, the score improves or the budget is spent."""
        status: cython.int
        with cython.nogil:
            status = self._run(self.nodes + node_budget)
        return status

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _run(self, node_limit: cython.longlong) -> cython.int:
        cell: cython.int
        untried: cython.int
        while self.level >= 0:
            if self.level == self.n_blanks:  # a completion
                self.level -= 1
                self.completions += 1
                if self.total > self.score:
                    self.score = self.total
                    return _IMPROVED
                continue
            cell = self.blanks[self.level]
            if self.digits[cell] == 0:  # come from above
                if self.total + self.rest[self.level] <= self.score:
                    self.level -= 1  # cut: nothing better below
                    continue
                self.untried[self.level] = self._candidates(cell)
            untried = self.untried[self.level]
            if untried == 0:  # back up
                self._put(cell, 0)
                self.level -= 1
            elif self.nodes >= node_limit:
                return _BUDGET_SPENT
            else:  # try the smallest digit
                self.untried[self.level] = untried & (untried - 1)
                self._put(cell, self.lowest[untried])
                self.nodes += 1
                self.level += 1
        return _EXHAUSTED

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def _candidates(self, cell: cython.int) -> cython.int:
        """The digits that neither the row, nor the column, nor the box has."""
        return self.free[self.units[cell, 0]] & self.free[self.units[cell, 1]] & self.free[self.units[cell, 2]]

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def _put(self, cell: cython.int, digit: cython.int) -> cython.void:
        """Replaces what is in the cell; 0 is blank."""
        k: cython.int
        old: cython.int = self.digits[cell]
        change: cython.int = (1 << old ^ 1 << digit) >> 1  # digit 0 has no bit
        for k in range(3):
            self.free[self.units[cell, k]] ^= change
        self.total += self.weights[cell] * (digit - old)
        self.digits[cell] = digit
