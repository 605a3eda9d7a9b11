# cython: language_level=3
"""Completions of many plain grids, one grid after the other: the first one of each, or the best one.

A count is given up after some guesses without a completion. For the best completion all completions are visited: after
a 32nd of the allowed guesses, a grid is given up if less than a 32nd of the search tree is done.
"""

import cython

if not cython.compiled:
    from dlx.extending import BUDGET_SPENT, EXHAUSTED
    from sudoku.kernels.bands import Bands

    CHECKS = 32


class Stream(Bands):
    """Counts up to `most` completions of each of many uint8 grids, shape (m, 81), into int64 `counts`, shape (m,).

    The first completion of each grid, or the best one by 81 `weights`, is written to `completions`, unless that has no
    rows. A grid is given up, with the count -1, after `patience` guesses without a completion. With weights, a grid is
    given up after `patience` / 32 guesses if the rest is expected to take more than `patience` guesses; otherwise it is
    given up after `patience` more guesses.
    """

    def __init__(
        self, grids, completions, counts, most: cython.longlong, patience: cython.longlong, weights=None
    ) -> None:
        Bands.__init__(self)
        self.scored = weights is not None
        if weights is not None:
            for k in range(81):
                self.weights[k] = weights[k]
        self.grids, self.completions, self.counts = grids, completions, counts
        self.most, self.patience = most, patience
        self.at = -1
        self.last = 0

    @property
    def size(self) -> int:
        return len(self.grids)

    @property
    def done(self) -> int:
        return self.at + (self.level < 0)

    def fraction(self) -> float:
        return self.done / self.size if self.size else 1.0

    def _run(self):
        limit = self.node_limit
        while True:
            self.node_limit = min(limit, self.last)
            why = self._search()
            self.node_limit = limit
            if self.at >= 0:
                self._note()
            if why == BUDGET_SPENT and self.nodes >= self.last:
                if self._is_promising():
                    self.last += self.patience
                    continue
                self.level = self.here = -1
                self._note()
                why = EXHAUSTED
            if why == EXHAUSTED and self.at + 1 >= self.grids.shape[0]:
                return EXHAUSTED
            if why == EXHAUSTED:
                why = self._spent()
            if why:
                return why
            self.at += 1
            self.last = self.nodes + (self.patience // CHECKS if self.scored else self.patience)
            self.checked = False
            self._load(self.grids, self.at)

    def _is_promising(self):
        """Returns whether to go on with a grid: a count that has begun, or a visit that is expected to end."""
        left: cython.double = 0
        if not self.scored:
            return self.here > 0
        if self.checked:
            return False
        self.checked = True
        for k in range(self.level + 1):
            left += self.part[k]
        return (1 - left) * CHECKS >= 1

    def _note(self):
        """Writes the count and the completion of this grid; it can be called again."""
        self.counts[self.at] = self.here
        if self.here > 0 and self.completions.shape[0]:
            for k in range(81):
                self.completions[self.at, k] = self.digit[k]
