# cython: language_level=3
"""Puzzles from grids: redundant givens are removed one after the other.

A given is needed if the grid without it has a completion with another digit in its cell. So one completion decides, not
two: 14 % faster. A needed given stays needed, so each is tried once. Cells that are removed together are tried by
looking for two completions.

Nearly all searches find a completion, so the first cell with two candidates is guessed.
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.extending import EXHAUSTED
    from sudoku.kernels.bands import DIRTY, LANES, Bands


class Minimal(Bands):
    """Removes redundant givens from uint8 grids, shape (m, 81): single cells from any grid, several from a unique one.

    The rows of `orbits`, shape (o, p), padded with -1, are cells that are removed together. The int32 `turns`, shape
    (m, k), are the orbits to try in each grid. At least `fewest`, shape (m,), givens stay.
    """

    def __init__(self, grids, turns, orbits, fewest) -> None:
        Bands.__init__(self, grids, grids, np.zeros(0, dtype=np.int64), 1, 0)
        self.puzzles, self.turns, self.orbits, self.fewest = grids, turns, orbits, fewest
        self.at, self.turn = 0, -1
        self.searching = False
        self.givens = 0
        self.taken = np.zeros(81, dtype=np.uint8)
        self.enough = 0

    def fraction(self) -> float:
        """Returns the part of the grids that is done."""
        return self.at / max(1, self.puzzles.shape[0])

    def _run(self):
        while self.at < self.puzzles.shape[0]:
            if self.turn < 0:
                self.turn = self.givens = 0
                for k in range(81):
                    self.givens += self.puzzles[self.at, k] > 0
            while self.turn < self.turns.shape[1]:
                if not self.searching:
                    status = self._spent()
                    if status:
                        return status
                    self.searching = self._remove_orbit()
                if self.searching:
                    status = self._search()
                    if status != EXHAUSTED:
                        return status
                    self.searching = False
                    if self.here >= self.most:
                        self._put_back()
                self.turn += 1
            self.at += 1
            self.turn = -1
        return EXHAUSTED

    def _remove_orbit(self):
        """Removes the next orbit, and begins the search that decides whether it is needed; False without a search."""
        last = size = 0
        orbit = self.turns[self.at, self.turn]
        self.nodes += 1
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[orbit, k]
            if cell >= 0 and self.puzzles[self.at, cell] > 0:
                size += 1
                last = cython.cast(cython.int, cell)
        if size == 0 or self.givens - size < self.fewest[self.at]:
            return False
        self.givens -= size
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[orbit, k]
            if cell >= 0:
                self.taken[cell] = self.puzzles[self.at, cell]
                self.puzzles[self.at, cell] = 0
        self.most = 1 if size == 1 else 2
        self._load()
        if size == 1:
            self._forbid(last, cython.cast(cython.int, self.taken[last]))
        return True

    def _forbid(self, cell, digit):
        """Removes a candidate from the loaded grid."""
        one: cython.uint = 1
        self.words[LANES * (cell // 27) + digit - 1] &= ~(one << cell % 27)
        self.words[DIRTY] |= one << digit - 1

    def _put_back(self):
        """Restores the orbit removed last."""
        for k in range(self.orbits.shape[1]):
            cell = self.orbits[self.turns[self.at, self.turn], k]
            if cell >= 0:
                self.puzzles[self.at, cell] = self.taken[cell]
                self.givens += self.taken[cell] > 0
