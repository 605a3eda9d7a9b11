# cython: language_level=3
"""Puzzles from grids: givens are taken away one after the other, as long as the completions stay the same.

Whether a given is needed takes no count of completions: without it, and with its digit forbidden in its cell, the rest
has a completion if and only if taking it away would let another one in. That is a question for one completion, where
two would have to be found otherwise: 14 % faster. A given that is needed once is needed for ever, so one
turn of each is enough. Several cells that are to go together are tried by looking for two completions.

Nearly all questions that the rest of the row, the column and the box does not answer at once have a completion, so
guesses are made in a hurry: 34 microseconds for a puzzle instead of 40. To draw the conclusions from the other givens
once for eight questions, in the place of that look at the cell, took 37.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.extending import EXHAUSTED
    from sudoku.kernels.bands import DIRTY, LANES, Bands


class Question(Bands):
    """A search for completions of a grid, perhaps without a candidate."""

    def ask(self, grid, cell: cython.int, digit: cython.int, most: cython.longlong) -> None:
        """Begins with a grid, shape (1, 81), without a candidate unless its digit is 0, to find `most` completions."""
        self.most = most
        self.asked = grid
        if self._load(self.asked, 0) and digit > 0:
            self._forbid(cell, digit)

    def completion(self) -> np.ndarray:
        """The first completion, uint8, shape (81,), if there is one."""
        found = np.zeros(81, dtype=np.uint8)
        for k in range(81):
            found[k] = self.digit[k]
        return found

    def fraction(self) -> float:
        """The part of the search that is behind it: nothing is known before its end."""
        return 1.0 if self.level < 0 else 0.0

    def _run(self):
        return self._search()

    def _forbid(self, cell, digit):
        """Takes a candidate from the grid that has just been loaded."""
        one: cython.uint = 1
        self.words[LANES * (cell // 27) + digit - 1] &= ~(one << cell % 27)
        self.words[DIRTY] |= one << digit - 1


class Minimal(Question):
    """Takes givens away from uint8 grids with one completion each, shape (m, 81), so that they keep it.

    The int32 `turns`, shape (m, k), number the `orbits`, shape (o, p), of cells that go together, filled up with -1; no
    orbit goes if fewer givens than `fewest`, shape (m,), would be left.
    """

    def __init__(self, grids, turns, orbits, fewest) -> None:
        Bands.__init__(self)
        self.grids, self.turns, self.orbits = grids, turns, orbits
        self.fewest = fewest
        self.at, self.turn = 0, -1
        self.asking = False
        self.givens = 0
        self.taken = np.zeros(81, dtype=np.uint8)
        self.enough = 0

    def fraction(self) -> float:
        """The part of the grids that is done."""
        return self.at / max(1, self.grids.shape[0])

    def _run(self):
        while self.at < self.grids.shape[0]:
            if self.turn < 0:
                self.turn = self.givens = 0
                for k in range(81):
                    self.givens += self.grids[self.at, k] > 0
            while self.turn < self.turns.shape[1]:
                if not self.asking:
                    status = self._spent()
                    if status:
                        return status
                    self.asking = self._take()
                if self.asking:
                    status = self._search()
                    if status != EXHAUSTED:
                        return status
                    self.asking = False
                    if self.here >= self.most:
                        self._put_back()
                self.turn += 1
            self.at += 1
            self.turn = -1
        return EXHAUSTED

    def _take(self):
        """Takes the givens of the next orbit, and asks whether they are needed; False: there is nothing to ask."""
        last = size = 0
        orbit = self.turns[self.at, self.turn]
        self.nodes += 1
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[orbit, k]
            if cell >= 0 and self.grids[self.at, cell] > 0:
                size += 1
                last = cython.cast(cython.int, cell)
        if size == 0 or self.givens - size < self.fewest[self.at]:
            return False
        self.givens -= size
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[orbit, k]
            if cell >= 0:
                self.taken[cell] = self.grids[self.at, cell]
                self.grids[self.at, cell] = 0
        if size == 1 and self._is_forced(last):
            return False
        self.most = 1 if size == 1 else 2
        self._load(self.grids, self.at)
        if size == 1:
            self._forbid(last, cython.cast(cython.int, self.taken[last]))
        return True

    def _is_forced(self, cell):
        """Tells whether the givens in the row, the column and the box of a cell leave it the digit that was there."""
        row, column = cell // 9, cell % 9
        corner = row // 3 * 27 + column // 3 * 3
        seen: cython.int = 1 << cython.cast(cython.int, self.taken[cell])
        for k in range(9):
            seen |= 1 << cython.cast(cython.int, self.grids[self.at, 9 * row + k])
            seen |= 1 << cython.cast(cython.int, self.grids[self.at, 9 * k + column])
            seen |= 1 << cython.cast(cython.int, self.grids[self.at, corner + k // 3 * 9 + k % 3])
        return seen == 1023

    def _put_back(self):
        """Gives back what has been taken last."""
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[self.turns[self.at, self.turn], k]
            if cell >= 0:
                self.grids[self.at, cell] = self.taken[cell]
                self.givens += self.taken[cell] > 0
