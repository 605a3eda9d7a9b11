"""Images of grids of 9 x 9 for tests: one at random, and the least of all by trying every one."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import numpy.typing as npt

Grid = npt.NDArray[np.uint8]

ORDERS = [*permutations(range(3))]
# All 1,296 orders of nine lines, three by three.
LINES = np.array(
    [[3 * b + k for b, ks in zip(o, p, strict=True) for k in ks] for o in ORDERS for p in product(ORDERS, repeat=3)]
)


def image(grid: Grid, rng: np.random.Generator) -> Grid:
    """A grid with its lines and digits exchanged at random, and perhaps transposed."""
    turned = grid.reshape(9, 9).T if rng.integers(2) else grid.reshape(9, 9)
    digits = np.concatenate([[0], 1 + rng.permutation(9)])
    rows, columns = LINES[rng.integers(1296, size=2)]
    exchanged: Grid = digits[turned[rows][:, columns]].astype(np.uint8)
    return exchanged


def least_of_all(grid: Grid) -> Grid:
    """The least of all 3,359,232 ways to exchange cells, with digits named as they appear; cell by cell."""
    sides = np.stack([grid.reshape(9, 9), grid.reshape(9, 9).T])
    side, rows, columns = (index.ravel() for index in np.indices((2, 1296, 1296), dtype=np.int16))
    names = np.zeros((len(side), 10), dtype=np.uint8)
    fresh = np.ones(len(side), dtype=np.uint8)
    least = np.zeros((9, 9), dtype=np.uint8)
    for r, c in np.ndindex(9, 9):
        digits = sides[side, LINES[rows, r], LINES[columns, c]]
        every = np.arange(len(digits))
        named = names[every, digits]
        new = (named == 0) & (digits > 0)
        named = np.where(new, fresh, named)
        least[r, c] = named.min()
        names[every, digits] = named
        fresh = fresh + new
        keep = named == least[r, c]
        side, rows, columns, names, fresh = (part[keep] for part in (side, rows, columns, names, fresh))
    return least
