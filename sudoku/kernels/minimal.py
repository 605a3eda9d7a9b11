# cython: language_level=3
"""Puzzles from grids: givens are taken away one after the other, as long as the completions stay the same.

Whether a given is needed takes no count of completions: without it, and with its digit forbidden in its cell, the rest
has a completion if and only if taking it away would let another one in. That is a question for one completion, and
mostly for none, where two would have to be found otherwise: 14 % faster. What is needed once is needed for ever, so one
turn of each is enough. Several cells that are to go together are tried by looking for two completions.

To try the first 32 cells together, which can go nearly always, saved half of the searches and no time: they are easy.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.extending import EXHAUSTED
    from sudoku.kernels.bands import LANES, Bands


class Question(Bands):
    """A search for completions of a grid, perhaps without a candidate."""

    def ask(self, grid, cell: cython.int, digit: cython.int, most: cython.longlong) -> None:
        """Begins anew; `run` looks for completions then, and `here` is how many it has found.

        Parameters:
            grid: uint8, shape (1, 81).
            cell, digit: the candidate that is forbidden; the digit is 0 if there is none.
            most: how many completions are enough.
        """
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


class Minimal(Question):
    """Takes givens away from many grids with one completion each, so that they keep it.

    Parameters:
        grids: uint8, shape (m, 81); changed.
        turns: int32, shape (m, k): for each grid numbers of orbits, in the order in which they are tried.
        orbits: int32, shape (o, p): the cells of each, which go together, then -1.
        fewest: no orbit goes if fewer givens would be left.
    """

    def __init__(self, grids, turns, orbits, fewest: cython.int) -> None:
        Bands.__init__(self)
        self.grids, self.turns, self.orbits = grids, turns, orbits
        self.fewest = fewest
        self.at, self.turn = 0, -1
        self.asking = False
        self.givens = 0
        self.taken = np.zeros(81, dtype=np.uint8)

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
        """Takes the givens of the next orbit, and asks whether they are needed; False: there are none to take."""
        k: cython.int
        cell: cython.int
        last: cython.int = -1
        size: cython.int = 0
        orbit: cython.int = self.turns[self.at, self.turn]
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[orbit, k]
            if cell >= 0 and self.grids[self.at, cell] > 0:
                size += 1
                last = cython.cast(cython.int, cell)
        if size == 0 or self.givens - size < self.fewest:
            return False
        self.givens -= size
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[orbit, k]
            if cell >= 0:
                self.taken[cell] = self.grids[self.at, cell]
                self.grids[self.at, cell] = 0
        self.nodes += 1
        self.most = 1 if size == 1 else 2
        if self._load(self.grids, self.at) and size == 1:
            self._forbid(last, self.taken[last])
        return True

    def _put_back(self):
        """Gives back what has been taken last."""
        k: cython.int
        cell: cython.int
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[self.turns[self.at, self.turn], k]
            if cell >= 0:
                self.grids[self.at, cell] = self.taken[cell]
                self.givens += self.taken[cell] > 0
