# cython: language_level=3
"""The levels of a search for completions of a plain 9 x 9 grid: how the first is filled, and what the last says.

A digit's places in a band are a word of 27 bits; a level is such words, side by side (`levels.pxd`). They come from the
solvers of Brian Turner (BB_Sudoku) and Zhou Yundong (JCZSolve).
"""

import cython
import numpy as np

if not cython.compiled:
    from dlx.extending import Frame

    ALL = (1 << 27) - 1
    LANES, BLANK, DIRTY, WIDTH, DEPTH = 16, 48, 51, 64, 82
    SWEEP, GUESS, COUNT = range(3)

    def first_bit(word: int) -> int:
        """The place of the lowest bit of a word that is not 0."""
        return (int(word) & -int(word)).bit_length() - 1


class Levels(Frame):
    """A search among the completions of one grid, for subclasses to give it grids and to make it."""

    def __init__(self) -> None:
        k: cython.int
        self.buffer = np.zeros((0, 0), dtype=np.int32)  # completions go elsewhere
        self.covers = self.nodes = self.updates = 0
        self.base = -2  # `run` looks at it; a grid that is done leaves the level -1
        self.level = -1
        self.here = self.most = self.found = self.best = 0
        self.scored = False
        if cython.compiled:
            self.words = cython.address(self.memory[0])
            while cython.cast(cython.size_t, self.words) % 64:
                self.words += 1
        else:
            self.words = [0] * (WIDTH * DEPTH)
            self.own = [0] * (3 * LANES)
            self.keep, self.column = ([0] * 27 for _ in range(2))
            self.digit, self.weights, self.part = ([0] * DEPTH for _ in range(3))
            self.twins = [0] * DEPTH
        for k in range(27):
            column: cython.uint = k % 9
            row: cython.uint = cython.cast(cython.uint, 511) << (k - column)
            box: cython.uint = cython.cast(cython.uint, 0x1C0E07) << (column // 3 * 3)
            self.column[k] = column
            self.keep[k] = ALL & ~(row | box) | cython.cast(cython.uint, 1) << k

    def _load(self, grids, k):
        """Begins with row k of some grids; False if two givens clash: then there is nothing to search."""
        cython.declare(j=cython.Py_ssize_t, b=cython.Py_ssize_t, cell=cython.Py_ssize_t)
        self.level = -1
        self.here = 0
        for j in range(DIRTY):  # the blanks, too, begin with all cells
            self.words[j] = ALL if j % LANES < 9 else 0
        for j in range(3 * LANES):
            self.own[j] = 0
        for b in range(3):
            for cell in range(27):
                if grids[k, 27 * b + cell] and not self._give(b, cell, grids[k, 27 * b + cell] - 1):
                    return False
        for b in range(3):
            for j in range(9):
                self.words[LANES * b + j] &= self.words[BLANK + b] | self.own[LANES * b + j]
        self.words[DIRTY] = 511
        self.level = 0
        self.twins[0] = 0
        self.part[0] = 1.0
        self.state = SWEEP
        return True

    def _give(self, band, cell, d):
        """Takes a given; False if another one forbids it."""
        b: cython.Py_ssize_t
        bit: cython.uint = cython.cast(cython.uint, 1) << cell
        others: cython.uint = ~(cython.cast(cython.uint, 0x40201) << self.column[cell])
        if not self.words[LANES * band + d] & bit:
            return False
        for b in range(3):
            self.words[LANES * b + d] &= others
        self.words[LANES * band + d] = self.words[LANES * band + d] & self.keep[cell] | bit
        self.own[LANES * band + d] |= bit
        self.words[BLANK + band] &= ~bit
        return True

    def _visit(self, base):
        """Keeps the completion if it is the first one, or if it has the largest score so far."""
        cython.declare(b=cython.Py_ssize_t, d=cython.Py_ssize_t, cells=cython.uint)
        score: cython.longlong = self._score(base) if self.scored else 0
        if self.here > 0 and score <= self.best:
            return
        self.best = score
        for b in range(3):
            for d in range(9):
                cells = self.words[base + LANES * b + d]
                while cells:
                    self.digit[27 * b + first_bit(cells)] = d + 1
                    cells &= cells - 1

    def _score(self, base):
        """Returns the sum of digit times weight over the cells of a completion."""
        cython.declare(b=cython.Py_ssize_t, d=cython.Py_ssize_t, cells=cython.uint, weight=cython.longlong)
        score: cython.longlong = 0
        for d in range(9):
            weight = 0
            for b in range(3):
                cells = self.words[base + LANES * b + d]
                while cells:
                    weight += self.weights[27 * b + first_bit(cells)]
                    cells &= cells - 1
            score += (d + 1) * weight
        return score

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant."""
        all_words = np.array([self.words[k] for k in range(WIDTH * DEPTH)], dtype=np.uint32)
        words = all_words.reshape(DEPTH, WIDTH)[: self.level + 1]
        candidates = words[:, :BLANK].reshape(-1, 3, LANES)
        assert (words[:, :DIRTY] <= ALL).all(), "a word has more than 27 bits"
        assert (words[:, DIRTY] < 512).all(), "there are more than nine dirty digits"
        twice = np.zeros((len(words), 3), dtype=np.uint32)
        once = twice.copy()
        for d in range(9):
            twice |= once & candidates[:, :, d]
            once |= candidates[:, :, d]
        clean = words[:, DIRTY] == 0
        filled = np.where(clean[:, None], ~words[:, BLANK:DIRTY], 0)
        assert not (twice & filled).any(), "a cell that is not blank has two candidates"
