# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The strategy `dynamic`: bitmasks, and always the blank with the fewest candidates next, its digits from 1 up.

The choice is that of Algorithm X restricted to cells (Knuth, TAOCP 4B, 7.2.2.1, the MRV heuristic): a digit that has a
single place left in a row is not seen. A blank without candidates ends the scan, and so does one with a single one.
"""

import cython
import numpy as np

from sudoku.strategies.units import COUNT, LOWEST, UNITS

_EXHAUSTED = cython.declare(cython.int, 0)
_IMPROVED = cython.declare(cython.int, 1)
_BUDGET_SPENT = cython.declare(cython.int, 2)


@cython.cclass
class Search:
    """One resumable search of all completions.

    `digits` (int32, shape (81,), no two givens in conflict) is filled in; `weights` (int64) has a weight for each cell;
    `blanks` (int32) has the blank cells in any order. Whenever `run` returns with a higher `score` than before,
    `digits` is the completion that has it.
    """

    digits: cython.int[::1]
    weights: cython.longlong[::1]
    blanks: cython.int[::1]  # first the cells that are filled, in the order of choice
    units: cython.int[:, ::1]
    count: cython.int[::1]  # count[s]: the number of digits in set s
    lowest: cython.int[::1]  # lowest[s]: the smallest digit in set s
    free: cython.int[::1]  # free[u]: the set of the digits that unit u has not; bit d - 1 for digit d
    untried: cython.int[::1]  # untried[l]: the digits still to be tried in blanks[l]
    breadth: cython.int[::1]  # breadth[l]: how many digits there were to try
    level: cython.int  # blanks[0] to blanks[level - 1] are filled; -1 when the search has ended
    n_blanks: cython.int
    total: cython.longlong  # the score of the digits that are placed
    score = cython.declare(cython.longlong, visibility="readonly")
    completions = cython.declare(cython.longlong, visibility="readonly")
    ties = cython.declare(cython.longlong, visibility="readonly")
    nodes = cython.declare(cython.longlong, visibility="readonly")

    def __init__(
        self,
        digits: cython.int[::1],
        weights: cython.const[cython.longlong][::1],
        blanks: cython.const[cython.int][::1],
    ) -> None:
        cell: cython.int
        given: cython.int
        self.digits = digits
        self.weights = np.array(weights)
        self.blanks = np.array(blanks)
        self.units = UNITS
        self.count = COUNT
        self.lowest = LOWEST
        self.free = np.full(27, 511, dtype=np.int32)
        self.untried, self.breadth = np.zeros((2, 81), dtype=np.int32)
        self.level = 0
        self.n_blanks = blanks.shape[0]
        self.total = self.completions = self.ties = self.nodes = 0
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

    def fraction(self) -> float:
        """The part of the search tree behind it, from 0 to 1, if all digits of a cell had subtrees of one size."""
        behind: cython.double = 0.0
        share: cython.double = 1.0
        level: cython.int
        if self.level < 0:
            return 1.0
        for level in range(self.level):
            share /= self.breadth[level]
            behind += share * (self.breadth[level] - self.count[self.untried[level]] - 1)
        return behind

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _run(self, node_limit: cython.longlong) -> cython.int:
        cell: cython.int
        untried: cython.int
        while self.level >= 0:
            if self.level == self.n_blanks:  # a completion
                self.level -= 1
                if self._visit():
                    return _IMPROVED
                continue
            if self.digits[self.blanks[self.level]] == 0:  # come from above
                self._choose()
            cell = self.blanks[self.level]
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
    def _visit(self) -> cython.bint:
        """Counts a completion; returns whether it is the best so far."""
        self.completions += 1
        if self.total > self.score:
            self.score = self.total
            self.ties = 1
            return True
        self.ties += self.total == self.score
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _choose(self) -> cython.void:
        """Brings the blank with the fewest candidates to the front of those that are left."""
        k: cython.int
        cell: cython.int
        candidates: cython.int
        best: cython.int = self.level
        fewest: cython.int = 10
        for k in range(self.level, self.n_blanks):
            candidates = self._candidates(self.blanks[k])
            if self.count[candidates] < fewest:
                fewest = self.count[candidates]
                best = k
                self.untried[self.level] = candidates
                if fewest <= 1:
                    break
        self.breadth[self.level] = fewest
        cell = self.blanks[best]
        self.blanks[best] = self.blanks[self.level]
        self.blanks[self.level] = cell

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
