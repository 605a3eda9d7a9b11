"""Grids as pictures, in SVG: for documents, and for notebooks, which show a `Puzzle` in this way."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudoku.grid import Box, as_grid

CELL = 36  # the size of a cell
INK, SOFT = "#2b2d42", "#3d6fb4"  # givens, and what has been filled in


def to_svg(grid: npt.ArrayLike, box: Box = (3, 3), givens: npt.ArrayLike | None = None) -> str:
    """Draws a grid with its boxes.

    Parameters:
        grid: whole numbers from 0, a blank, to n; shape (n, n).
        box: the rows and columns of a box; n is their product.
        givens: a grid of the same shape whose digits were there from the beginning: these are bold, the others blue;
            without it, all are bold.

    Returns:
        The picture as text; in a notebook, `IPython.display.SVG(to_svg(grid))` shows it.

    Raises:
        ValueError: a grid is malformed; the message says how.

    >>> picture = to_svg([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]], box=(2, 2))
    >>> picture.startswith("<svg"), picture.count("<text")
    (True, 14)
    """
    checked = as_grid(grid, box)
    bold = checked if givens is None else as_grid(givens, box)
    n = len(checked)
    side = n * CELL + 4
    digits = [_digit(r, c, int(checked[r, c]), bool(bold[r, c])) for r, c in np.argwhere(checked).tolist()]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" viewBox="-2 -2 {side} {side}">',
        f'<rect x="-2" y="-2" width="{side}" height="{side}" fill="white"/>',
        f'<path d="{_lines(n, 1, 1)}" stroke="#b9bac6" stroke-width="1"/>',
        f'<path d="{_lines(n, *box)}" stroke="{INK}" stroke-width="2.4" stroke-linecap="square"/>',
        f'<g font-family="DejaVu Sans, Verdana, sans-serif" font-size="{CELL // 2}" text-anchor="middle">',
    ]
    return "\n".join([*parts, *digits, "</g>", "</svg>"])


def _lines(n: int, rows: int, columns: int) -> str:
    """Lines between every so many rows and columns, as the data of a path."""
    across = "".join(f"M0 {r * CELL}h{n * CELL}" for r in range(0, n + 1, rows))
    return across + "".join(f"M{c * CELL} 0v{n * CELL}" for c in range(0, n + 1, columns))


def _digit(row: int, column: int, digit: int, bold: bool) -> str:
    x, y = (column + 0.5) * CELL, (row + 0.68) * CELL
    style = f'fill="{INK}" font-weight="bold"' if bold else f'fill="{SOFT}"'
    return f'<text x="{x:g}" y="{y:g}" {style}>{digit}</text>'
