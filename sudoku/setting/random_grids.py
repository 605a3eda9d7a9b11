"""Random complete 9 x 9 grids, uniform among all 6,670,903,752,021,072,936,960.

The columns of a band are nine sets of three digits. A *filling* of the band distributes them over its rows so that no
row repeats a digit. The number of fillings, at most 1,728, depends on how the columns of each stack partition the
digits. A grid is three bands whose sets complete each other in each column. So a grid is drawn as follows:

1. Draw one of the 948,109,639,680 first bands. The first box is fixed; its digits are renamed at the end. Draw the
   digits of each row of the second box (56 ways); they determine the rows of the third box. Then draw the order of
   digits in each of these six rows.
2. For each stack, draw the column sets of the second band, again 56 ways: three disjoint sets without the digits of the
   first band in their columns. They leave the sets of the third band.
3. If these two bands have F and G fillings, accept them with probability F G / 1728^2; otherwise start again.
4. Draw one of the F fillings and one of the G fillings.

So each grid has probability 1 / (948109639680 * 56^3 * 1728^2) in a try. One try in 75 is accepted. (B. Felgenhauer and
F. Jarvis, Mathematics of sudoku I, 2006, count the bands and the 56 ways.)

A set of digits is a mask of nine bits. A *triple* is an ordered partition of the digits into three sets of three, given
by a number below 1,680.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

MOST = 1728  # fillings of a band
TRIES = 8192  # tries at a time, which make about 110 grids
GUESSES = 32  # fillings tried at a time; about one in 20 fits
PLACES = np.array([7, 56, 448])  # the sets of the first triple: 012, 345, 678
ACROSS = np.array([73, 146, 292])  # the columns of the first box: 036, 147, 258
BITS = np.array([mask.bit_count() for mask in range(512)])
DIGIT = np.array([mask.bit_length() - 1 for mask in range(512)])  # the digit of a set of one digit


class BandTables(NamedTuple):
    """The tables of the drawing.

    Attributes:
        triples: the sets of each triple, shape (1680, 3).
        dealt: [triple, way]: the triples of the next two bands, or boxes, none of whose sets meets the triple's.
        columns: [way, orders]: the triples of the columns of the second and of the third stack in the first band.
        renamed: [triple, set]: the set if the digits are named so that the triple's sets are 012, 345, 678.
        digits: [triple, digit]: the digit with this name.
        partition: [set, set]: the number of the partition of two sets.
        rows: the sets of the rows of the three stacks, if the first stack has the columns 012, 345, 678; (2016, 3, 3),
            rows before stacks; all but the order of the rows.
        fits: [stack - 1, partition, rows]: whether the stack can have such columns in these rows.
        fillings: [partition, partition]: the number of fillings by the columns of the second and the third stack.
    """

    triples: Array
    dealt: tuple[Array, Array]
    columns: tuple[Array, Array]
    renamed: Array
    digits: Array
    partition: Array
    rows: Array
    fits: Array
    fillings: Array


@cache
def tables() -> BandTables:
    """Returns the tables, which take 0.1 s."""
    threes = [mask for mask in range(512) if mask.bit_count() == 3]
    triples = np.array([(a, b, 511 - a - b) for a in threes for b in threes if not a & b])
    number = np.full((512, 512), -1)
    number[triples[:, 0], triples[:, 1]] = np.arange(len(triples))
    deals = triples[(triples & PLACES == 0).all(axis=1)]  # of the digits of the triple 012, 345, 678
    digits = np.array([[d for mask in triple for d in range(9) if mask >> d & 1] for triple in triples.tolist()])
    renamed = (1 << np.argsort(digits, axis=1)) @ (np.arange(512) >> np.arange(9)[:, None] & 1)
    # The triples of the second band, if the digits of the given triple replace 0 to 8; and the remaining sets for the
    # third band.
    has = deals[:, :, None] >> np.arange(9) & 1
    second = (has * (1 << digits)[:, None, None, :]).sum(axis=3)
    third = 511 - triples[:, None] - second
    dealt = number[second[..., 0], second[..., 1]], number[third[..., 0], third[..., 1]]
    # The columns of a stack in the first band, by the sets of its rows and the orders of these.
    first = number[7, 56]
    orders = np.array(list(product(permutations(range(3)), repeat=3)))  # [orders, row, column]
    columns = []
    for rows in (triples[dealt[0][first]], triples[dealt[1][first]]):
        singles = 1 << np.array([[[d for d in range(9) if mask >> d & 1] for mask in row] for row in rows.tolist()])
        sets = np.take_along_axis(singles[:, None], orders[None], axis=3).sum(axis=2)
        columns.append(number[sets[..., 0], sets[..., 1]])
    partitions = [triple for triple in triples.tolist() if triple[0] & 1 and triple[1] < triple[2]]
    partition = np.full((512, 512), -1)
    for k, sets in enumerate(partitions):
        for a, b in permutations(sets, 2):
            partition[a, b] = k
    # Rows 0, 1, 2 of the first stack begin with 0, 1, 2; the rows of the second stack have other digits.
    firsts = [[1 << k | 8 << p[k] | 64 << q[k] for k in range(3)] for p, q in product(permutations(range(3)), repeat=2)]
    which, where = np.nonzero((triples & np.array(firsts)[:, None] == 0).all(axis=2))
    one, two = np.array(firsts)[which], triples[where]
    rows = np.stack([one, two, 511 - one - two], axis=2)
    fit = (BITS[np.arange(512)[:, None, None] & np.array(partitions)] == 1).all(axis=2)  # [set of a row, partition]
    fits = np.stack([fit[rows[:, :, stack]].all(axis=1).T for stack in (1, 2)])
    fillings = np.rint(6 * fits[0].astype(float) @ fits[1].T.astype(float)).astype(int)
    small = [array.astype(np.int16) for array in (*dealt, *columns, renamed, partition, fillings)]  # for the cache
    return BandTables(
        triples, (small[0], small[1]), (small[2], small[3]), small[4], digits, small[5], rows, fits, small[6]
    )


class RandomGrids:
    """Draws grids; the same seed gives the same grids, however many are drawn at once."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.tries = 0
        self._unused = np.zeros((0, 81), dtype=np.uint8)

    def draw(self, number: int) -> npt.NDArray[np.uint8]:
        """Returns complete grids, uint8, shape (number, 81)."""
        blocks = [self._unused]
        while sum(map(len, blocks)) < number:
            blocks.append(self._block())
        grids = np.concatenate(blocks)
        self._unused = grids[number:]
        return grids[:number]

    def _block(self) -> npt.NDArray[np.uint8]:
        """Returns the grids of TRIES tries."""
        table, random = tables(), self.random
        self.tries += TRIES
        first, across = (int(np.flatnonzero((table.triples == sets).all(axis=1))[0]) for sets in (PLACES, ACROSS))
        way, *ways = random.integers(56, size=(4, TRIES))
        tops = [np.full(TRIES, across), *(columns[way, random.integers(216, size=TRIES)] for columns in table.columns)]
        bands = [[dealt[top, some] for top, some in zip(tops, ways, strict=True)] for dealt in table.dealt]
        kept = np.arange(TRIES)
        for band in bands:
            chance = table.fillings[_partitions(table, [triple[kept] for triple in band])]
            kept = kept[random.integers(MOST, size=len(kept)) < chance]
        rows = [np.full((len(kept), 3), PLACES), *(table.triples[dealt[first, way[kept]]] for dealt in table.dealt)]
        columns = [table.triples[top[kept]] for top in tops]
        grids = [_cells(np.stack(rows, axis=2), columns)]
        grids += [self._filled(table, [triple[kept] for triple in band]) for band in bands]
        names = random.permuted(np.tile(np.arange(1, 10, dtype=np.uint8), (len(kept), 1)), axis=1)
        return np.take_along_axis(names, np.concatenate(grids, axis=1).reshape(-1, 81), axis=1)

    def _filled(self, table: BandTables, band: list[Array]) -> Array:
        """Draws fillings of bands by the triples of their columns: digits 0 to 8, shape (bands, 3, 9)."""
        second, third = _partitions(table, band)
        chosen, unfilled = np.zeros_like(second), np.arange(len(second))
        while len(unfilled):
            tried = self.random.integers(len(table.rows), size=(len(unfilled), GUESSES), dtype=np.uint16)
            fits = table.fits[0, second[unfilled][:, None], tried] & table.fits[1, third[unfilled][:, None], tried]
            chosen[unfilled] = tried[np.arange(len(unfilled)), fits.argmax(axis=1)]
            unfilled = unfilled[~fits.any(axis=1)]
        order = self.random.permuted(np.tile(np.arange(3), (len(chosen), 1)), axis=1)
        rows = np.take_along_axis(table.rows[chosen], order[..., None], axis=1)
        cells = _cells(rows, [table.renamed[band[0][:, None], table.triples[triple]] for triple in band])
        return np.take_along_axis(table.digits[band[0]][:, None], cells, axis=2)


def _partitions(table: BandTables, band: list[Array]) -> tuple[Array, Array]:
    """Returns the partitions of the second and the third stack, if the first one has the columns 012, 345, 678."""
    first, one, other = band[0], table.triples[:, 0], table.triples[:, 1]
    second, third = (
        table.partition[table.renamed[first, one[stack]], table.renamed[first, other[stack]]] for stack in band[1:]
    )
    return second, third


def _cells(rows: Array, columns: list[Array]) -> Array:
    """Returns the digits of bands, shape (bands, 3, 9); `rows` has the sets of digits, shape (bands, row, stack)."""
    digits: Array = DIGIT[rows[..., None] & np.stack(columns, axis=1)[:, None]]
    return digits.reshape(-1, 3, 9)
