"""The target-sudoku grids of tests/data by name, each with its best score and, where it is known, its completions."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Grid = npt.NDArray[np.uint8]
FILE = Path(__file__).parents[1] / "data" / "target_sudoku.csv"


@dataclass(frozen=True, eq=False)
class Known:
    """A grid of the file.

    Attributes:
        name: what the file calls it.
        digits: 81 digits in reading order, 0 where the cell is blank.
        best: the best score with the contest's weights, -1 if there is no completion.
        completions: how many there are, or None where nobody has counted them.
    """

    name: str
    digits: str
    best: int
    completions: int | None

    @property
    def grid(self) -> Grid:
        """The digits as an array of shape (9, 9)."""
        return np.array([int(digit) for digit in self.digits], dtype=np.uint8).reshape(9, 9)


def _read() -> list[Known]:
    with FILE.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counts = [int(row["completions"]) if row["completions"].isdigit() else None for row in rows]
    return [
        Known(row["name"], row["grid"], int(row["best_score"]), count) for row, count in zip(rows, counts, strict=True)
    ]


KNOWN = {known.name: known for known in _read()}

# A completed grid: each row is the one above it shifted, by three within a band and by one more at the next band.
CYCLIC: Grid = np.array([[(3 * r + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], dtype=np.uint8)
EMPTY: Grid = np.zeros((9, 9), dtype=np.uint8)

# The contest's weights, not made by what is tested: 6 on the border, one more on each ring, 10 in the centre.
RINGS: npt.NDArray[np.int64] = np.array([[6 + min(r, c, 8 - r, 8 - c) for c in range(9)] for r in range(9)])
