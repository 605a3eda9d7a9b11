# cython: language_level=3
"""Complete 9 x 9 grids at random, each of the 6,670,903,752,021,072,936,960 with the same chance.

The columns of a band are nine sets of three digits. How many ways there are to put them into rows so that no row has a
digit twice, its *fillings*, depends on the partition of the digits that the columns of each stack make; 1,728 at most.
A grid is three bands whose sets complete each other in each column. So it is drawn in this way:

1. A first band, from all 948,109,639,680: a box, whose digits are named at the end; which digits go to which row of the
   second box, 56 ways, the rest goes to the third; and each of these six triples in any order.
2. For each stack the sets of the second band: again 56 ways, three disjoint sets each of which has none of the digits
   that the first band has in its column. The rest goes to the third band.
3. With F and G fillings of these two bands, this is kept with a chance of F G / 1728^2, and otherwise drawn anew.
4. One of the F fillings and one of the G, at random.

Each grid comes with the chance 1 / (948109639680 * 56^3 * 1728^2), so all with the same, but for what 64 random bits
leave over, 1 in 10^13. One try in 75 is kept. The bits are those of splitmix64 (G. Steele, D. Lea, C. Flood,
OOPSLA 2014, doi:10.1145/2660193.2660195). (Bands and the 56 ways are counted in B. Felgenhauer and F. Jarvis,
Mathematics of sudoku I, 2006.)
"""

import cython
import numpy as np

from sudoku.units import ORDERS

if not cython.compiled:
    MOST = 1728

    def mixed(z: int) -> int:
        z = z * 0x9E3779B97F4A7C15 % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31


def _partitions() -> np.ndarray:
    """The numbers of the 280 partitions of nine things into threes, by two of their sets.

    Entry [a, b] is for the set a, which has thing 0, and the set b, which has the least thing that a has not; else -1.
    """
    numbers = np.full((512, 512), -1, dtype=np.int32)
    count = 0
    threes = [s for s in range(512) if s.bit_count() == 3]
    for a in threes:
        for b in threes:
            rest = 511 & ~a
            if a & 1 and not a & b and b & rest & -rest:
                numbers[a, b] = count
                count += 1
    return numbers


class Complete:
    """Draws grids.

    Parameters:
        grids: uint8, shape (m, 81), where they go.
        seed: from 0 to 2^64 - 1; the same one gives the same grids.
    """

    def __init__(self, grids, seed: cython.ulonglong) -> None:
        self.grids = grids
        self.state = seed
        self.done = self.tries = 0
        self.orders, self.partitions = ORDERS, _partitions()
        self.fillings = np.full((280, 280), -1, dtype=np.int32)
        self.sets, self.rows = np.zeros((3, 9, 3), dtype=np.int32), np.zeros((3, 9), dtype=np.int32)
        self.columns, self.dealt = np.zeros((9, 6), dtype=np.int32), np.zeros((2, 3), dtype=np.int32)
        self.place, self.order, self.untried, self.used, self.names = np.zeros((5, 9), dtype=np.int32)

    def run(self, grids: cython.int) -> int:
        """Draws so many further grids, or all that are left; how many have been drawn by then."""
        end: cython.Py_ssize_t = min(self.done + grids, self.grids.shape[0])
        with cython.nogil:
            while self.done < end:
                self._draw()
                self.done += 1
        return self.done

    def count(self, columns) -> int:
        """The number of fillings of a band.

        Parameters:
            columns: int32, shape (9, 3), the digits of each column, from 0 to 8.
        """
        self.sets = np.array([columns] * 3, dtype=np.int32)
        return self._fillings(0)

    def _random(self, below):
        """A random number less than another one."""
        self.state += 1
        return mixed(self.state) % below

    def _draw(self):
        """Draws a grid: the steps above."""
        k: cython.int
        j: cython.int
        ways: cython.int
        again: cython.bint = True
        while again:
            self.tries += 1
            self._draw_band()
            ways = self._random(56 * 56 * 56)
            for k in range(3):
                self._deal(k, ways % 56)
                ways //= 56
            ways = self._random(MOST * MOST)
            again = ways // MOST >= self._fillings(1) or ways % MOST >= self._fillings(2)
        for k in range(9):
            j = self._random(k + 1)
            self.names[k] = self.names[j]
            self.names[j] = k + 1
        for k in range(27):
            self.grids[self.done, k] = self.names[self.rows[k // 9, k % 9]]
        self._fill(1)
        self._fill(2)

    def _draw_band(self):
        """Draws a first band whose first box has the digits in order, and the sets of its columns."""
        k: cython.int
        box: cython.int
        row: cython.int
        ways: cython.int = self._random(56 * 46656)
        for k in range(9):
            self.sets[0, k // 3, k % 3] = k
        self._deal(0, ways % 56)
        ways //= 56
        for row in range(3):
            for k in range(3):
                self.rows[row, k] = 3 * row + k
        for box in range(1, 3):
            for row in range(3):
                for k in range(3):
                    self.rows[row, 3 * box + k] = self.sets[box, row, self.orders[ways % 6, k]]
                ways //= 6
        for k in range(9):
            for row in range(3):
                self.sets[0, k, row] = self.rows[row, k]

    def _deal(self, stack, way):
        """Deals the digits of three disjoint sets, the first ones of a stack, to its second and its third ones.

        None goes to a set of the same number. Of each set some digits go to the next one of the second sets, the same
        number from each, and the others to the one before it: 1 + 27 + 27 + 1 ways, numbered from 0.
        """
        k: cython.int
        j: cython.int
        to: cython.int
        digit: cython.int
        single: cython.int
        few: cython.int = 1 if way < 28 else 2  # the step to the set that gets one digit, or none
        alone: cython.bint = way % 28 > 0  # whether it gets one
        way = way % 28 - 1
        for k in range(3):
            self.dealt[0, k] = self.dealt[1, k] = 0
        for k in range(3):
            single = way % 3
            way //= 3
            for j in range(3):
                digit = self.sets[0, 3 * stack + k, j]
                to = (k + few) % 3 if alone and j == single else (k + 3 - few) % 3
                self.sets[1, 3 * stack + to, self.dealt[0, to]] = digit
                self.dealt[0, to] += 1
                to = 3 - k - to
                self.sets[2, 3 * stack + to, self.dealt[1, to]] = digit
                self.dealt[1, to] += 1

    def _fillings(self, band):
        """The number of fillings of a band, counted when it is first asked for."""
        k: cython.int
        one: cython.int
        two: cython.int
        for k in range(9):
            self.place[self.sets[band, k // 3, k % 3]] = k
        one, two = self._partition(band, 1), self._partition(band, 2)
        if self.fillings[one, two] < 0:
            self.fillings[one, two] = self.fillings[two, one] = 6 * self._descend(band, 0, -1)
        return self.fillings[one, two]

    def _partition(self, band, stack):
        """The number of the partition that the columns of a stack make, the first stack having 012, 345, 678."""
        k: cython.int
        j: cython.int
        mask: cython.int
        first: cython.int = 0
        second: cython.int = 0
        third: cython.int = 0
        for k in range(3):
            mask = 0
            for j in range(3):
                mask |= 1 << self.place[self.sets[band, 3 * stack + k, j]]
            if mask & 1:
                first = mask
            elif second == 0:
                second = mask
            else:
                third = mask
        if (third & -third) < (second & -second):
            second = third
        return self.partitions[first, second]

    def _fill(self, band):
        """Draws a filling of a band, and writes it."""
        k: cython.int
        row: cython.int
        digit: cython.int
        way: cython.int = self._random(self._fillings(band))
        self._descend(band, way % 6, way // 6)
        for k in range(9):
            for row in range(3):
                digit = self.sets[band, k, self.orders[self.order[k], row]]
                self.grids[self.done, 27 * band + 9 * row + k] = self.names[digit]

    def _descend(self, band, first, stop):
        """Counts the fillings with an order of the first column, up to that of the number `stop`, column by column."""
        level: cython.int = 1
        k: cython.int
        j: cython.int
        row: cython.int
        count: cython.int = 0
        for k in range(9):
            for j in range(6):
                self.columns[k, j] = 0
                for row in range(3):
                    self.columns[k, j] |= 1 << 9 * row + self.sets[band, k, self.orders[j, row]]
        self.order[0] = first
        self.used[1] = self.columns[0, first]
        self.untried[1] = 0
        while level > 0:
            if self.untried[level] == 6:
                level -= 1
                continue
            k = self.untried[level]
            self.untried[level] += 1
            if self.used[level] & self.columns[level, k]:
                continue
            self.order[level] = k
            if level == 8:
                if count == stop:
                    return count
                count += 1
                continue
            self.used[level + 1] = self.used[level] | self.columns[level, k]
            level += 1
            self.untried[level] = 0
        return count
