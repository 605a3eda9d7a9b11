"""Target-sudoku grids whose best scores are known, and the contest's weights."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

# 6 on the border, 7, 8 and 9 on the rings inside, 10 in the centre.
RINGS = np.array([[6 + min(r, c, 8 - r, 8 - c) for c in range(9)] for r in range(9)], dtype=np.int64)

with (Path(__file__).parents[1] / "tests" / "data" / "target_sudoku.csv").open(encoding="utf-8") as file:
    KNOWN = {row["name"]: row for row in csv.DictReader(file)}  # name -> grid, best_score and completions, as texts
