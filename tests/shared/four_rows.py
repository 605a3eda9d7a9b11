"""All 288 grids of four rows with boxes of 2 x 2, by trying rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import numpy.typing as npt

ROWS = [row for row in product(range(1, 5), repeat=4) if len(set(row)) == 4]


def four_rows() -> list[npt.NDArray[np.uint8]]:
    """The grids, each of shape (4, 4)."""
    found = []
    for rows in product(ROWS, repeat=4):
        columns_differ = all(len(set(column)) == 4 for column in zip(*rows, strict=True))
        boxes = [(*rows[r][c : c + 2], *rows[r + 1][c : c + 2]) for r in (0, 2) for c in (0, 2)]
        if columns_differ and all(len(set(box)) == 4 for box in boxes):
            found.append(np.array(rows, dtype=np.uint8))
    return found
