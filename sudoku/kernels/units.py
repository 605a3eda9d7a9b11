"""Tables for kernels of 9 x 9 grids: the row, column and box of each cell, and properties of sets of digits."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import numpy.typing as npt

Table = npt.NDArray[np.int32]


# The three units of a cell, int32, shape (81, 3): rows are numbered 0 to 8, columns 9 to 17, boxes 18 to 26.
_row, _column = np.divmod(np.arange(81, dtype=np.int32), 9)
UNITS: Table = np.stack([_row, 9 + _column, 18 + _row // 3 * 3 + _column // 3], axis=1).astype(np.int32)

# The number of digits in each set, int32, shape (512,); a set has bit d - 1 for digit d.
COUNT: Table = np.array([mask.bit_count() for mask in range(512)], dtype=np.int32)

# The smallest digit of each set, and 0 for the empty set.
LOWEST: Table = np.array([(mask & -mask).bit_length() for mask in range(512)], dtype=np.int32)

# The six orders of three things, int32, shape (6, 3).
ORDERS: Table = np.array(list(permutations(range(3))), dtype=np.int32)


def clash(digits: npt.NDArray[np.int32]) -> bool:
    """Returns whether a row, a column or a box repeats a given; 81 digits, 0 for a blank."""
    givens = np.flatnonzero(digits)
    pairs = UNITS[givens] * 10 + digits[givens, None]
    return len(np.unique(pairs)) < pairs.size
