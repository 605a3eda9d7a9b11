"""Grids for terminals: heavy lines around boxes of any shape, of Unicode's box drawing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sudoku.formats.rows import columns, numbers
from sudoku.grid import Grid
from sudoku.layout import Layout

# The lines that meet in a corner: bits for up, right, down and left, in this order from the lowest.
_CORNERS = " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"


def write(grid: Grid, layout: Layout, names: Sequence[str] | None = None) -> str:
    """Returns a grid in boxes, with the names of a blank and of each digit; without them, `.` and numbers."""
    height, n = layout.shape
    areas = np.pad(layout.areas(), 1, constant_values=-1)
    above = areas[:-1] != areas[1:]  # [r, c + 1]: whether there is a line above row r in column c
    beside = areas[:, :-1] != areas[:, 1:]  # [r + 1, c]: whether there is one beside column c in row r, on its left
    across, down = above.any(axis=1), beside.any(axis=0)
    corners = above[:, :-1] * 8 + above[:, 1:] * 2 + beside[:-1] * 1 + beside[1:] * 4
    names = names or numbers(layout.size, ".")
    cells = columns(grid, layout, names)
    width = len(cells[0][0]) + 1
    lines = []
    for r in range(height + 1):
        if across[r]:
            parts = ["━" * width if above[r, c] else " " * width for c in range(1, n + 1)]
            ends = ["━" if above[r, c] else " " for c in range(n + 1)]
            signs = [_CORNERS[corner] for corner in corners[r].tolist()]
            lines.append(_joined(signs, ends, parts, down))
        if r < height:
            signs = ["┃" if line else " " for line in beside[r + 1].tolist()]
            lines.append(_joined(signs, [" "] * (n + 1), [f" {cell}" for cell in cells[r]], down))
    return "\n".join(line.rstrip() for line in lines)


def _joined(
    signs: list[str], before: list[str], cells: list[str], down: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> str:
    """Returns a line of a picture: its cells, and a sign after a space where there is a line anywhere."""
    parts = [signs[0] if down[0] else ""]
    for c, cell in enumerate(cells, 1):
        parts.append(cell)
        parts.append(f"{before[c]}{signs[c]}" if down[c] else "")
    return "".join(parts)
