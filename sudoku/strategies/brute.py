# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The strategy `brute`: cells in reading order, digits from 1 up, flags for what rows, columns and boxes have.

This is backtracking in its basic form (Knuth, TAOCP 4B, 7.2.2, Algorithm B), here with its steps in one loop.
"""

import cython
import numpy as np

from sudoku.strategies.units import UNITS

_EXHAUSTED = cython.declare(cython.int, 0)
_IMPROVED = cython.declare(cython.int, 1)
_BUDGET_SPENT = cython.declare(cython.int, 2)


@cython.cclass
class Search:
    """One resumable search of all completions.

    `digits` (int32, shape (81,), no two givens in conflict) is filled in; `weights` (int64) has a weight for each cell;
    `blanks` (int32) has the blank cells in the order in which they are to be filled. Whenever `run` returns with a
    higher `score` than before, `digits` is the completion that has it.
    """

    digits: cython.int[::1]
    weights: cython.longlong[::1]
    blanks: cython.int[::1]
    units: cython.int[:, ::1]
    used: cython.uchar[:, ::1]  # used[u, d]: whether unit u has digit d
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
        self.used = np.zeros((27, 10), dtype=np.uint8)
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

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _run(self, node_limit: cython.longlong) -> cython.int:
        cell: cython.int
        digit: cython.int
        while self.level >= 0:
            if self.level == self.n_blanks:  # B2: a completion
                self.level -= 1
                if self._visit():
                    return _IMPROVED
                continue
            cell = self.blanks[self.level]
            digit = self._next(cell)
            if digit == 0:  # B5: back up
                self._put(cell, 0)
                self.level -= 1
            elif self.nodes >= node_limit:
                return _BUDGET_SPENT
            else:  # B3: try the digit
                self._put(cell, digit)
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
    @cython.inline
    @cython.exceptval(check=False)
    def _next(self, cell: cython.int) -> cython.int:
        """The next digit after the one in the cell that its row, column and box allow, or 0."""
        digit: cython.int
        row: cython.int = self.units[cell, 0]
        column: cython.int = self.units[cell, 1]
        box: cython.int = self.units[cell, 2]
        for digit in range(self.digits[cell] + 1, 10):
            if not (self.used[row, digit] or self.used[column, digit] or self.used[box, digit]):
                return digit
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.inline
    @cython.exceptval(check=False)
    def _put(self, cell: cython.int, digit: cython.int) -> cython.void:
        """Replaces what is in the cell; 0 is blank."""
        k: cython.int
        old: cython.int = self.digits[cell]
        for k in range(3):
            self.used[self.units[cell, k], old] = False
            self.used[self.units[cell, k], digit] = True
        self.total += self.weights[cell] * (digit - old)
        self.digits[cell] = digit
