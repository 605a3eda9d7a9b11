"""Grids whose best scores are known, and the rules by which a completion is checked."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sudoku import parse

Grid = npt.NDArray[np.uint8]
Weights = npt.NDArray[np.int64]
Box = tuple[int, int]

EMPTY = np.zeros((9, 9), dtype=np.uint8)
FULL = np.array([[(3 * (r % 3) + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Known:
    """A grid of the data file with its best score; `completions` is None where nobody has counted them."""

    name: str
    grid: Grid
    best: int
    completions: int | None


def _known() -> list[Known]:
    with (Path(__file__).parents[1] / "data" / "target_sudoku.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    counts = {row["name"]: int(row["completions"]) if row["completions"].isdigit() else None for row in rows}
    return [Known(row["name"], parse(row["grid"]), int(row["best_score"]), counts[row["name"]]) for row in rows]


KNOWN = {known.name: known for known in _known()}


def check(completion: npt.ArrayLike, grid: Grid, weights: Weights, score: int, box: Box = (3, 3)) -> None:
    """By the rules alone: every row, column and box has each digit once, the givens stand, the score is right."""
    rows = np.asarray(completion).tolist()
    n = len(rows)
    for k in range(n):
        top, left = k // box[0] * box[0], k % box[0] * box[1]
        digits = set(range(1, n + 1))
        assert set(rows[k]) == digits
        assert {row[k] for row in rows} == digits
        assert {rows[top + r][left + c] for r in range(box[0]) for c in range(box[1])} == digits
    cells = [(r, c) for r in range(n) for c in range(n)]
    assert all(grid[cell] in (0, rows[cell[0]][cell[1]]) for cell in cells)
    assert sum(rows[r][c] * int(weights[r, c]) for r, c in cells) == score
