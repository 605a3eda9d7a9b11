# cython: language_level=3
"""Puzzles from grids: givens are taken away one after the other, as long as the completions stay the same.

Whether a given is needed takes no count of completions: without it, and with its digit forbidden in its cell, the rest
has a completion if and only if taking it away would let another one in. That is a question for one completion, where
two would have to be found otherwise: 14 % faster. A given that is needed once is needed for ever, so one
turn of each is enough. Several cells that are to go together are tried by looking for two completions.

Questions come in blocks of turns. The consequences of the givens outside of the block are drawn once; each question
begins there and adds the other givens of the block. Many cells are found to be known then. What is asked of the others
has a completion nearly always (25 questions and 24 completions for a puzzle), so that guesses are made in a hurry.

Measured, microseconds for a puzzle: 80 with each question from the start, 77 in blocks, 55 with hasty guesses, too. In
blocks of 8 turns it took 575,000 instructions, of 16 610,000; in a binary tree of blocks within blocks 562,000.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.extending import EXHAUSTED
    from sudoku.kernels.bands import BLANK, DIRTY, LANES, SWEEP, WIDTH, Bands

    BLOCK = 8


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
        k: cython.int
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
        self.asked = np.zeros((1, 81), dtype=np.uint8)
        self.enough = 0
        if not cython.compiled:
            self.known = [0] * WIDTH

    def fraction(self) -> float:
        """The part of the grids that is done."""
        return self.at / max(1, self.grids.shape[0])

    def _run(self):
        status: cython.int
        while self.at < self.grids.shape[0]:
            if self.turn < 0:
                self._begin()
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

    def _begin(self):
        """Begins with the next grid."""
        k: cython.int
        self.turn = self.givens = 0
        for k in range(81):
            self.givens += self.grids[self.at, k] > 0

    def _take(self):
        """Takes the givens of the next orbit, and asks whether they are needed; False: there is nothing to ask."""
        cython.declare(k=cython.int, cell=cython.int)
        last: cython.int = 0
        size: cython.int = 0
        orbit: cython.int = self.turns[self.at, self.turn]
        if self.turn % BLOCK == 0:
            self._conclude_without()
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
        self._give_block()
        if size == 1 and not self._blank(last):
            return False
        self.most = 1 if size == 1 else 2
        self.here = self.level = self.twins[0] = 0
        self.state = SWEEP
        if size == 1:
            self._forbid(last, cython.cast(cython.int, self.taken[last]))
        return True

    def _conclude_without(self):
        """Draws conclusions from the givens that are in none of the next turns."""
        cython.declare(t=cython.int, k=cython.int, cell=cython.int)
        for k in range(81):
            self.asked[0, k] = self.grids[self.at, k]
        for t in range(self.turn, self._end()):
            for k in range(self.orbits.shape[1]):
                cell = self.orbits[self.turns[self.at, t], k]
                if cell >= 0:
                    self.asked[0, cell] = 0
        self._load(self.asked, 0)
        self._conclude(0)
        for k in range(WIDTH):
            self.known[k] = self.words[k]

    def _give_block(self):
        """Adds the givens of the other turns of the block to what is known without them."""
        cython.declare(t=cython.int, k=cython.int, cell=cython.int, band=cython.int, digit=cython.int)
        one: cython.uint = 1
        for k in range(WIDTH):
            self.words[k] = self.known[k]
        for t in range(self.turn - self.turn % BLOCK, self._end()):
            for k in range(self.orbits.shape[1]):
                cell = cython.cast(cython.int, self.orbits[self.turns[self.at, t], k])
                digit = cython.cast(cython.int, self.grids[self.at, cell]) if cell >= 0 else 0
                if digit > 0 and self._blank(cell):
                    band = cell // 27
                    self._place(0, digit - 1, band, one << (cell - 27 * band))

    def _end(self):
        """The end of the block of turns."""
        return min(self.turn - self.turn % BLOCK + BLOCK, cython.cast(cython.int, self.turns.shape[1]))

    def _blank(self, cell):
        """Tells whether no digit is known in a cell."""
        band: cython.int = cell // 27
        return self.words[BLANK + band] >> (cell - 27 * band) & 1

    def _put_back(self):
        """Gives back what has been taken last."""
        cython.declare(k=cython.int, cell=cython.int)
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[self.turns[self.at, self.turn], k]
            if cell >= 0:
                self.grids[self.at, cell] = self.taken[cell]
                self.givens += self.taken[cell] > 0
