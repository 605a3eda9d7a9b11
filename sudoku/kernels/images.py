# cython: language_level=3
"""The least image of 9 x 9 grids under the symmetries of sudoku.

There are 3,359,232 permutations of cells (transposition, and the orders of bands, of stacks, of rows in a band and of
columns in a stack), each with all 9! permutations of digits: B. Felgenhauer and F. Jarvis, Mathematics of sudoku I
(2006), and E. Russell and F. Jarvis, Mathematics of sudoku II (2006). Images are compared row by row, with 0 for a
blank. For any order of the cells, renaming the digits in the order in which they appear is best, so only the cells are
searched.

The search chooses whether to transpose, the first row, and the order of the columns. Then it adds row after row, depth
first, and compares each cell with the least image so far, until a cell is greater. Blanks and equal cells keep many
choices alive: at most 2,592 orders of columns, with 1,296 orders of rows each.

The first row has only blanks and new digits. So it is least if blanks come first in each stack, and the stacks are in
the order of their numbers of givens. Only such rows and orders are searched, except in grids that repeat a digit.
"""

import cython
import numpy as np

from sudoku.kernels.units import LOWEST, ORDERS, UNITS

if not cython.compiled:
    GREATER = 16

# BLANKS_FIRST[s, p]: whether order p of three cells, with givens in the set s, begins with the blanks
_GIVEN = np.array([[[s >> k & 1 for k in order] for order in ORDERS.tolist()] for s in range(8)])
BLANKS_FIRST = (np.diff(_GIVEN) >= 0).all(axis=2).astype(np.int32)


class Images:
    """Finds the least images of grids, uint8, shape (m, 81), and writes them to `least`."""

    def __init__(self, grids, least) -> None:
        self.grids, self.least = grids, least
        self.lowest, self.orders, self.units, self.blanks_first = LOWEST, ORDERS, UNITS, BLANKS_FIRST
        self.digits = np.zeros(162, dtype=np.int32)
        self.best = np.zeros(82, dtype=np.int32)
        self.columns = np.zeros(9, dtype=np.int32)
        self.rows, self.untried, self.taken = np.zeros((3, 10), dtype=np.int32)
        self.labels = np.full(10, 1 << 40, dtype=np.uint64)  # on level 0 no digit has a name
        self.blank_rows = np.zeros(2, dtype=np.int32)
        self.givens = np.zeros((2, 9), dtype=np.int32)
        self.seen = np.zeros(27, dtype=np.int32)

    def find(self, k: cython.Py_ssize_t) -> None:
        """Finds the least image of grid k."""
        with cython.nogil:
            for j in range(82):
                self.best[j] = GREATER
            self._load(k)
            self._search()
            for j in range(81):
                self.least[k, j] = self.best[j]

    def _load(self, grid):
        """Loads a grid and its transpose."""
        self.clash = False
        for side in range(2):
            self.blank_rows[side] = 511
            for k in range(9):
                self.givens[side, k] = 0
        for k in range(27):
            self.seen[k] = 0
        for cell in range(81):
            digit = cython.cast(cython.int, self.grids[grid, cell])
            self.digits[cell] = self.digits[81 + cell % 9 * 9 + cell // 9] = digit
            if digit == 0:
                continue
            self.givens[0, cell // 9] |= 1 << cell % 9
            self.givens[1, cell % 9] |= 1 << cell // 9
            self.blank_rows[0] &= ~(1 << cell // 9)
            self.blank_rows[1] &= ~(1 << cell % 9)
            for k in range(3):
                if self.seen[self.units[cell, k]] >> digit & 1:
                    self.clash = True
                self.seen[self.units[cell, k]] |= 1 << digit

    def _search(self):
        """Tries the lines that can be the first row, with the orders of columns that make them least."""
        fewest: cython.int = 1 << 30
        for side in range(2):
            for row in range(9):
                fewest = min(fewest, self._pattern(self.givens[side, row]))
        for side in range(2):
            self.side = side
            for row in range(9):
                givens = self.givens[side, row]
                if not self.clash and self._pattern(givens) > fewest:
                    continue
                if self.blank_rows[side] >> row & 1 and self._is_twin(side, row):
                    continue
                for order in range(6):
                    a = givens >> 3 * self.orders[order, 0] & 7
                    b = givens >> 3 * self.orders[order, 1] & 7
                    c = givens >> 3 * self.orders[order, 2] & 7
                    if self.clash or self._size(a) <= self._size(b) <= self._size(c):
                        self._order_columns(row, order, a, b, c)

    def _is_twin(self, side, row):
        """Returns whether a blank row follows another one in its band, so that their exchange changes nothing."""
        return self.blank_rows[side] >> row // 3 * 3 & ((1 << row % 3) - 1) != 0

    def _size(self, triple):
        """Returns the number of cells in a set of three."""
        return (triple & 1) + (triple >> 1 & 1) + (triple >> 2)

    def _pattern(self, givens):
        """Returns the least order of the blanks (0) and givens (1) of a row, as a number of nine bits."""
        a: cython.int = (1 << self._size(givens & 7)) - 1
        b: cython.int = (1 << self._size(givens >> 3 & 7)) - 1
        c: cython.int = (1 << self._size(givens >> 6)) - 1
        low: cython.int = min(a, min(b, c))
        high: cython.int = max(a, max(b, c))
        return low << 6 | (a + b + c - low - high) << 3 | high

    def _order_columns(self, row, order, a, b, c):
        """Tries all orders of columns within stacks that put the blanks of the first row first."""
        for i in range(6):
            if not self.clash and not self.blanks_first[a, i]:
                continue
            self._order_stack(0, self.orders[order, 0], i)
            for j in range(6):
                if not self.clash and not self.blanks_first[b, j]:
                    continue
                self._order_stack(3, self.orders[order, 1], j)
                for k in range(6):
                    if not self.clash and not self.blanks_first[c, k]:
                        continue
                    self._order_stack(6, self.orders[order, 2], k)
                    if self._place(0, row):
                        self._open(1)
                        self._descend()

    def _order_stack(self, place, stack, order):
        """Puts the columns of a stack at a place, in an order."""
        for k in range(3):
            self.columns[place + k] = 3 * stack + self.orders[order, k]

    def _descend(self):
        """Tries all rows for the levels from 1 on."""
        level = 1
        while level >= 1:
            if level == 9 or self.untried[level] == 0:
                level -= 1
                continue
            row = self.lowest[self.untried[level]] - 1
            self.untried[level] &= self.untried[level] - 1
            if self._place(level, row):
                level += 1
                self._open(level)

    def _open(self, level):
        """Finds the rows to try on a level: the other rows of a band, or the first of equal rows of any band."""
        row = self.rows[level - 1]
        self.taken[level] = self.taken[level - 1] | 1 << row
        rows = 511 & ~self.taken[level]
        if level % 3:
            rows &= 7 << row // 3 * 3
        for band in range(3):
            blanks = rows & self.blank_rows[self.side] & 7 << 3 * band
            rows &= ~(blanks & (blanks - 1))
        self.untried[level] = rows

    def _place(self, level, row):
        """Puts a row on a level; returns False if an earlier image is less."""
        v: cython.int
        line = 81 * self.side + 9 * row
        place = 9 * level
        one: cython.ulonglong = 1
        labels = cython.cast(cython.ulonglong, self.labels[level])
        less: cython.bint = False
        for k in range(9):
            digit = cython.cast(cython.int, self.digits[line + self.columns[k]])
            v = labels >> 4 * digit & 15
            if v == 0 and digit != 0:
                v = labels >> 40
                labels += (labels >> 40 << 4 * digit) + (one << 40)
            if not less:
                if v > self.best[place + k]:
                    return False
                less = v < self.best[place + k]
            if less:
                self.best[place + k] = v
        if less:
            self.best[place + 9] = GREATER  # so the next row is less
        self.rows[level] = row
        self.labels[level + 1] = labels
        return True
