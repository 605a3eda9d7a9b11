"""All Latin squares of four rows, and those of them with boxes of 2 x 2, from the rules alone."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import numpy as np
import numpy.typing as npt

Square = tuple[int, ...]  # 16 digits, row by row


@cache
def latin_squares() -> list[Square]:
    """All 576 of them."""
    rows = list(permutations((1, 2, 3, 4)))
    return [
        sum(four, ())
        for four in product(rows, repeat=4)
        if all(len(set(column)) == 4 for column in zip(*four, strict=True))
    ]


def four_by_four() -> npt.NDArray[np.uint8]:
    """The 288 with boxes of 2 x 2, shape (288, 4, 4)."""
    grids = np.array(latin_squares(), dtype=np.uint8).reshape(-1, 4, 4)
    boxes = grids.reshape(-1, 2, 2, 2, 2).swapaxes(2, 3).reshape(-1, 4, 4)
    found: npt.NDArray[np.uint8] = grids[(np.sort(boxes, axis=2) == range(1, 5)).all(axis=(1, 2))]
    return found
