"""Symmetric patterns of givens."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from sudoku.constraints import Cell
from sudoku.grid import Grid
from sudoku.layout import Layout

Symmetry = Literal["none", "half-turn", "quarter-turn", "left-right", "up-down", "diagonal", "antidiagonal", "full"]

SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)

# The image of a cell (y, x), seen from the centre: (a y + b x, c y + d x) for each (a, b, c, d).
TURNS: dict[Symmetry, tuple[tuple[int, int, int, int], ...]] = {
    "none": (),
    "half-turn": ((-1, 0, 0, -1),),
    "quarter-turn": ((0, 1, -1, 0),),
    "left-right": ((1, 0, 0, -1),),
    "up-down": ((-1, 0, 0, 1),),
    "diagonal": ((0, 1, 1, 0),),
    "antidiagonal": ((0, -1, -1, 0),),
    "full": ((1, 0, 0, -1), (0, 1, 1, 0)),
}


def orbits(cells: Collection[Cell], symmetry: Symmetry) -> list[list[Cell]]:
    """Returns the orbits of cells under a symmetry about their centre; raises ValueError if it leaves the cells."""
    if symmetry not in TURNS:
        raise ValueError(f"the symmetry {symmetry!r} is none of {', '.join(SYMMETRIES)}")
    last_row, last_column = (max(numbers) for numbers in zip(*cells, strict=True))
    found: list[list[Cell]] = []
    done: set[Cell] = set()
    for cell in cells:
        if cell in done:
            continue
        orbit = [cell]
        for r, c in orbit:
            y, x = 2 * r - last_row, 2 * c - last_column
            for a, b, c_, d in TURNS[symmetry]:
                image = ((a * y + b * x + last_row) // 2, (c_ * y + d * x + last_column) // 2)
                if image not in cells:
                    where = f"brings the cell {(r, c)} to {image}, where there is none"
                    raise ValueError(f"the symmetry {symmetry!r} {where}")
                if image not in orbit:
                    orbit.append(image)
        done.update(orbit)
        found.append(sorted(orbit))
    return found


def exchangeable(grid: Grid, layout: Layout) -> str:
    """Returns two rows or columns without givens that can be exchanged, as "rows 3 and 4"; "" if there are none.

    The exchange maps regions to regions, and all rules are regions, so no puzzle has one completion.

    >>> exchangeable(np.array([[1, 2, 3, 4], [3, 4, 1, 2], [0, 0, 0, 0], [0, 0, 0, 0]], np.uint8), Layout.boxes(2, 2))
    'rows 3 and 4'
    """
    if not layout.is_square or layout.lines or layout.sums:
        return ""
    regions = {region.cells for region in layout.regions}
    for name, lines in (("rows", grid), ("columns", grid.T)):
        for one, other in combinations(np.flatnonzero(~lines.any(axis=1)).tolist(), 2):
            to = {one: other, other: one}
            images = (
                frozenset((to.get(r, r), c) if name == "rows" else (r, to.get(c, c)) for r, c in cells)
                for cells in regions
            )
            if all(image in regions for image in images):
                return f"{name} {one + 1} and {other + 1}"
    return ""
