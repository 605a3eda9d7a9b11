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

from functools import cache
from itertools import product

import cython
import numpy as np

from sudoku.kernels.units import ORDERS

if not cython.compiled:
    MOST = 1728

    def mixed(z: int) -> int:
        z = z * 0x9E3779B97F4A7C15 % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31


BITS = np.array([s.bit_count() for s in range(512)])


def _partitions() -> list:
    """The 280 partitions of nine digits into three sets, each with the set of digit 0 first."""
    threes = [s for s in range(512) if s.bit_count() == 3]
    pairs = [(a, b) for a in threes if a & 1 for b in threes if not a & b and b & ~a & -(~a & 511)]
    return [(a, b, 511 - a - b) for a, b in pairs]


def _numbers(partitions: list) -> np.ndarray:
    """The number of a partition at [a, b]: its set a has digit 0, and b is another one; int32, shape (512, 512)."""
    numbers = np.full((512, 512), -1, dtype=np.int32)
    for k, (a, b, c) in enumerate(partitions):
        numbers[a, b] = numbers[a, c] = k
    return numbers


def _fillings(partitions: list) -> np.ndarray:
    """The number of fillings, by the partitions of the second and of the third stack, the first being 012 345 678.

    With the rows of the first stack go 56 ways to give the rows of the second one sets of three digits; the third one
    has the rest. A stack can have sets in its rows if each has a digit of each column, and in one way then.
    """
    fits = (BITS[np.arange(512)[:, None, None] & np.array(partitions)] == 1).all(axis=2)  # by a set, and the columns
    firsts = [[1 << k | 8 << p[k] | 64 << q[k] for k in range(3)] for p in ORDERS for q in ORDERS]
    seconds = np.array([[sets[k] for k in order] for sets in partitions for order in ORDERS])
    free = ((seconds & np.array(firsts)[:, None]) == 0).all(axis=2)
    rows, second = np.array(firsts)[np.nonzero(free)[0]], seconds[np.nonzero(free)[1]]
    one, other = (fits[sets].all(axis=1).astype(float) for sets in (second, 511 - rows - second))
    return (6 * (one.T @ other)).astype(np.int32)


def _deals() -> np.ndarray:
    """The 56 ways to deal the digits of three sets to a second and to a third three, none to a set of the same number.

    Of each set some digits go to the next one of the second sets, the same number from each, and the others to the one
    before it: 1 + 27 + 27 + 1 ways. What the second set with a number does not get, the third one has. For each digit,
    three of each set, its place among those that are dealt; int32, shape (2, 56, 9).
    """
    steps = list(product((1, 2), repeat=3))
    ways = [way for way in product(steps, repeat=3) if len({sum(s) for s in way}) == 1]
    second = [[(k + s) % 3 for k, each in enumerate(way) for s in each] for way in ways]
    third = [[(k + 3 - s) % 3 for k, each in enumerate(way) for s in each] for way in ways]
    return np.array([[np.argsort(np.argsort(to, kind="stable")) for to in each] for each in (second, third)], np.int32)


@cache
def _tables() -> tuple:
    """Returns the tables of all drawers: the numbers of partitions, the fillings and the deals; 0.03 s."""
    partitions = _partitions()
    return _numbers(partitions), _fillings(partitions), _deals()


class RandomGrids:
    """Draws grids; a seed from 0 to 2^64 - 1 gives the same ones each time."""

    def __init__(self, seed: cython.ulonglong) -> None:
        self.state = seed
        self.tries = 0
        self.orders, (self.numbers, self.fillings, self.deals) = ORDERS, _tables()
        self.sets, self.rows = np.zeros((3, 27), dtype=np.int32), np.zeros((3, 9), dtype=np.int32)
        self.columns = np.zeros((6, 6), dtype=np.int32)
        self.blocks, self.own, self.way = np.zeros((3, 3), dtype=np.int32)
        self.place, self.order, self.untried, self.used, self.names = np.zeros((5, 9), dtype=np.int32)

    def draw(self, grids) -> None:
        """Draws grids into a uint8 array, shape (m, 81)."""
        self.grids = grids
        with cython.nogil:
            for k in range(self.grids.shape[0]):
                self._draw(k)

    def ways(self, columns) -> int:
        """The number of fillings of a band, by the digits 0 to 8 of each column, shape (9, 3)."""
        self.sets = np.tile(np.ravel(columns), (3, 1)).astype(np.int32)
        return self._count(0)

    def _random(self, below):
        """A random number less than another one."""
        self.state += 1
        return mixed(self.state) % cython.cast(cython.ulonglong, below)

    def _draw(self, grid):
        """Draws a grid: the steps above."""
        again: cython.bint = True
        while again:
            self.tries += 1
            self._draw_band()
            for k in range(3):
                self.way[k] = self._random(56)
                self._deal(k, 1)
            if cython.cast(cython.int, self._random(MOST)) >= self._count(1):
                continue
            for k in range(3):
                self._deal(k, 2)
            again = cython.cast(cython.int, self._random(MOST)) >= self._count(2)
        for k in range(9):
            j = self._random(k + 1)
            self.names[k] = self.names[j]
            self.names[j] = k + 1
        for k in range(27):
            self.grids[grid, k] = self.names[self.rows[k // 9, k % 9]]
        self._fill(grid, 1)
        self._fill(grid, 2)

    def _draw_band(self):
        """Draws a first band whose first box has the digits in order, and the sets of its columns."""
        ways: cython.int = self._random(56 * 46656)
        for k in range(9):
            self.sets[0, k] = k
        self.way[0] = ways % 56
        self._deal(0, 1)
        self._deal(0, 2)
        ways //= 56
        for row in range(3):
            for k in range(3):
                self.rows[row, k] = 3 * row + k
        for box in range(1, 3):
            for row in range(3):
                for k in range(3):
                    self.rows[row, 3 * box + k] = self.sets[box, 3 * row + self.orders[ways % 6, k]]
                ways //= 6
        for k in range(9):
            for row in range(3):
                self.sets[0, 3 * k + row] = self.rows[row, k]

    def _deal(self, stack, band):
        """Deals the digits of the first sets of a stack to its second or its third ones, none to a set of its own."""
        for k in range(9):
            self.sets[band, 9 * stack + self.deals[band - 1, self.way[stack], k]] = self.sets[0, 9 * stack + k]

    def _count(self, band):
        """The number of fillings of a band."""
        for k in range(9):
            self.place[self.sets[band, k]] = k
        return self.fillings[self._partition(band, 1), self._partition(band, 2)]

    def _partition(self, band, stack):
        """The number of the partition that the columns of a stack make, the first stack having 012, 345, 678."""
        first = other = 0
        for k in range(3):
            mask: cython.int = 0
            for j in range(3):
                mask |= 1 << self.place[self.sets[band, 9 * stack + 3 * k + j]]
            if mask & 1:
                first = mask
            else:
                other = mask
        return self.numbers[first, other]

    def _fill(self, grid, band):
        """Draws a filling of a band, and writes it."""
        way: cython.int = self._random(self._count(band))
        self._descend(band, way % 6, way // 6)
        for k in range(9):
            for row in range(3):
                for digit in range(9):
                    if (self.columns[k, self.order[k]] if k < 6 else self.own[k - 6]) >> 9 * row + digit & 1:
                        self.grids[grid, 27 * band + 9 * row + k] = self.names[digit]

    def _descend(self, band, first, stop):
        """Counts the fillings with an order of the first column, up to that of the number `stop`.

        The columns of two stacks are tried one after the other; the rows have all else in the third one, if it fits.
        """
        level, count = 1, 0
        for k in range(6):
            for j in range(6):
                self.columns[k, j] = 0
                for row in range(3):
                    self.columns[k, j] |= 1 << 9 * row + self.sets[band, 3 * k + self.orders[j, row]]
        for k in range(3):
            self.blocks[k] = 0
            for j in range(3):
                self.blocks[k] |= 0x40201 << self.sets[band, 18 + 3 * k + j]
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
            if level < 5:
                self.used[level + 1] = self.used[level] | self.columns[level, k]
                level += 1
                self.untried[level] = 0
            elif self._fits(~(self.used[5] | self.columns[5, k])):
                if count == stop:
                    return count
                count += 1
        return count

    def _fits(self, left):
        """Tells whether each row has one digit left for each column of the third stack; `own` keeps the digits."""
        for k in range(3):
            self.own[k] = left & self.blocks[k]
            if not (self.own[k] & 511 and self.own[k] >> 9 & 511 and self.own[k] >> 18 & 511):
                return False
        return True
