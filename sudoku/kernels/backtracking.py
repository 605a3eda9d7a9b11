# cython: language_level=3
"""Completions of 9 x 9 grids cell by cell: four kinds of backtracking on sets of digits.

Each kind fills one blank after the other with the digits that its row, column and box allow, the lowest first (Knuth,
TAOCP 4B, 7.2.2, Algorithm B). The kinds differ in the choice of the next blank, and in `rest`, the most that the open
cells can add to the score: if this is too little, the search backs up.

brute    Takes the blanks in the given order, and visits all completions.
rows     Backs up if the sum of the digits still to be placed cannot score enough. The published bound is *score so
         far + 9 x (sum of the digits not yet placed) + 9*. It holds because the digits of every completion sum to 405:
         the digits still to be placed have a known sum, no cell weighs more than 9 except the centre with its 10,
         and the centre's digit is at most 9. So 9 is the second largest weight in the table, not the largest digit, and
         the last 9 is what the centre can add: 9 x (10 - 9). For any table, with its two largest weights M >= m (equal
         if the largest occurs twice):

             sum of w d over the cells left <= m x (sum of d over the cells left) + 9 x (M - m)

         since w <= m everywhere except in at most one cell, where w d = m d + (M - m) d and d <= 9. Digits are
         positive, so the sign of a weight makes no difference. The last term stays even after that one cell is filled,
         as in the published form. Here m is taken from every weight, and so 405 m from the score of every completion:
         then the cells left add at most that last term.
static   Backs up if the weights still to come cannot score enough. The published bound is *score so far + 9 x
         (weights of the cells left)*: no digit is more than 9. For any table a cell that weighs w adds at most 9 w if
         w >= 0, and at most w if w < 0, since no digit is less than 1; so its term is max(9 w, w). As the order of the
         blanks is fixed, these sums are computed once, from the last blank back.
dynamic  Takes the blank with the fewest candidates, and visits all completions. The choice is that of Algorithm X for
         cells only (TAOCP 4B, 7.2.2.1, the MRV heuristic): it does not see a digit with a single place in a row.

Four subclasses with virtual methods were 10 to 25 % slower.
"""

import cython
import numpy as np

from sudoku.kernels.units import COUNT, LOWEST, UNITS

if not cython.compiled:
    from dlx.extending import EXHAUSTED, Frame

NO_BOUND = 1 << 62


class Backtracking(Frame):
    """A search for the completion of a 9 x 9 grid with the largest weighted sum.

    `digits` are the 81 digits of the grid, int32, 0 for a blank, without conflict; `weights` are 81 weights, int64. The
    kind is "brute", "rows", "static" or "dynamic"; all but "dynamic" fill the `blanks` in their order.
    """

    def __init__(self, digits, weights, blanks, kind: str) -> None:
        self.buffer = np.zeros((0, 0), dtype=np.int32)  # only the best completion is kept
        self.digits, self.best = np.zeros((2, 81), dtype=np.int32)
        self.blanks = np.array(blanks)
        self.units, self.count, self.lowest = UNITS, COUNT, LOWEST
        self.free = np.full(27, 511, dtype=np.int32)
        self.untried, self.candidates = np.zeros((2, 81), dtype=np.int32)
        self.n_blanks = len(blanks)
        self.covers = self.nodes = self.updates = 0
        self.level = self.base = 0
        self.dynamic = kind == "dynamic"
        rest = np.full(81, NO_BOUND)
        second, largest = np.sort(weights)[79:].tolist()
        if kind == "rows":
            weights = weights - second
            rest[:] = 9 * (largest - second)
        elif kind == "static":
            rest[: len(blanks)] = np.maximum(9 * weights, weights)[blanks][::-1].cumsum()[::-1]
        self.weights, self.rest = np.array(weights), rest
        self.taken = 405 * second if kind == "rows" else 0
        self.total = 0
        self.highest = -NO_BOUND
        for cell in range(81):
            self._put(cell, digits[cell])

    @property
    def score(self) -> int:
        """The best score so far, if there is a completion."""
        return self.highest + self.taken

    def completion(self) -> np.ndarray:
        """The best completion so far, uint8, shape (9, 9), or None."""
        return np.asarray(self.best).reshape(9, 9).astype(np.uint8) if self.covers else None

    def fraction(self) -> float:
        """Returns the part of the search tree that is done, if all digits of a cell have subtrees of equal size."""
        behind, share = 0.0, 1.0
        if self.level < 0:
            return 1.0
        for level in range(self.level):
            share /= self.count[self.candidates[level]]
            behind += share * (self.count[self.candidates[level]] - self.count[self.untried[level]] - 1)
        return behind

    def _run(self):
        while self.level >= 0:
            if self.level == self.n_blanks:  # B2: a completion, kept if it is the best so far
                self.covers += 1
                if self.total > self.highest:
                    self.highest = self.total
                    self.best[:] = self.digits
                self.level -= 1
                continue
            cell = self.blanks[self.level]
            untried = self.untried[self.level]
            if self.digits[cell] == 0:  # entered from the level above
                if self.total + self.rest[self.level] <= self.highest:  # no better completion is possible
                    self.level -= 1
                    continue
                if self.dynamic:
                    cell = self._bring_smallest()
                untried = self.candidates[self.level] = self._allowed(cell)
            if untried == 0:  # B5: back up
                self._put(cell, 0)
                self.level -= 1
                continue
            if self.nodes >= self.node_limit or self.covers >= self.cover_limit:
                return self._spent()
            self.untried[self.level] = untried & (untried - 1)  # B3: try the lowest digit
            self._put(cell, self.lowest[untried])
            self.nodes += 1
            self.level += 1
        return EXHAUSTED

    def _bring_smallest(self):
        """Brings a blank with the fewest candidates to this level, and returns it."""
        best = self.level
        fewest: cython.int = 10
        for k in range(self.level, self.n_blanks):
            size = self.count[self._allowed(self.blanks[k])]
            if size < fewest:
                fewest = size
                best = k
                if fewest <= 1:
                    break
        cell = self.blanks[best]
        self.blanks[best] = self.blanks[self.level]
        self.blanks[self.level] = cell
        return cell

    def _allowed(self, cell):
        """Returns the digits that row, column and box allow."""
        return self.free[self.units[cell, 0]] & self.free[self.units[cell, 1]] & self.free[self.units[cell, 2]]

    def _put(self, cell, digit):
        """Changes the digit of a cell; 0 is blank."""
        old = self.digits[cell]
        change = (1 << old ^ 1 << digit) >> 1  # digit 0 has no bit
        for k in range(3):
            self.free[self.units[cell, k]] ^= change
        self.total += self.weights[cell] * (digit - old)
        self.digits[cell] = digit
