"""Grids whose best scores are known, grids without completions, and the rules by which a completion is checked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import sudoku_sets

from sudoku import parse

Grid = npt.NDArray[np.uint8]
Weights = npt.NDArray[np.int64]
Box = tuple[int, int]

# The contest's weights, not made by what is tested: 6 on the border, 7, 8 and 9 on the rings within, 10 in the centre.
RINGS = np.array([[6 + min(r, c, 8 - r, 8 - c) for c in range(9)] for r in range(9)], dtype=np.int64)
EMPTY = np.zeros((9, 9), dtype=np.uint8)
FULL = np.array([[(3 * (r % 3) + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], dtype=np.uint8)


@dataclass(frozen=True, eq=False)
class Known:
    """A grid of the data file with its best score; `completions` is None where nobody has counted them."""

    name: str
    grid: Grid
    best: int
    completions: int | None


def _known(name: str, row: dict[str, str]) -> Known:
    completions = int(row["completions"]) if row["completions"].isdigit() else None
    return Known(name, parse(row["grid"]), int(row["best_score"]), completions)


KNOWN = {name: _known(name, row) for name, row in sudoku_sets.KNOWN.items()}
EASY = [known.grid for name, known in KNOWN.items() if name != "norvig_unsat"]  # which takes as long as all others
UNSOLVABLE = {
    "twice in a row": parse(18 * "." + "5.......5" + 54 * "."),
    "twice in a column": parse("...5....." + 63 * "." + "...5....."),
    "twice in a box": parse(30 * "." + "5" + 19 * "." + "5" + 30 * "."),
    "twice, with many givens": parse(
        "330000700050000014070010392080000003007300000000200000030020460040650200006000000"
    ),
    "full with one wrong digit": np.where(np.arange(81).reshape(9, 9) == 40, FULL % 9 + 1, FULL),
    "no candidate for a cell": parse("12345678." + 63 * "." + "........9"),
    "no visible clash": parse("600914057004800001003000098000400019020000500400100080000040100040000000000000634"),
}


def check(completion: npt.ArrayLike, grid: Grid, weights: Weights, score: int | None, box: Box = (3, 3)) -> None:
    """Checks by the rules alone that rows, columns and boxes have each digit once, and givens and score are right."""
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
