"""Grids as pictures, in SVG: for documents, and for notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from math import isqrt

import numpy as np
import numpy.typing as npt

from dlx.show import INK, SOFT, TINT, borders
from sudoku.layout import EVERYWHERE, Layout
from sudoku.pictures.marks import FONT, beneath, beside, labels, over

CELL = 36  # the size of a cell
DEPTH = 0.7  # how much of SOFT is behind a digit that is nearly certain
CANDIDATE = 0.2  # the share that a candidate is drawn with, of which nobody has said how likely it is
UNTINTED = EVERYWHERE | {"row", "column", "box", "cage"}


def faint(candidates: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.float64] | None:
    """Candidates, if there are any, as shares that are all alike."""
    return None if candidates is None else np.where(candidates, CANDIDATE, 0.0)


def draw(
    grid: npt.NDArray[np.uint8],
    layout: Layout,
    givens: npt.NDArray[np.uint8],
    shares: npt.NDArray[np.float64] | None = None,
    names: Sequence[str] | None = None,
) -> str:
    """Draws a grid: thick lines between the boxes, further regions tinted, and what there is of lines and sums.

    Parameters:
        grid: digits and 0 for blanks, of the shape of the layout.
        layout: its regions.
        givens: a grid of the same shape: where it has digits, those of the grid are bold; the others are blue.
        shares: the chance of each digit in each cell, shape (rows, columns, n): the possible digits of blanks are drawn
            small, the likelier the bluer, in a picture of twice the size; a single one as if it were filled in.
        names: what is drawn for a blank, nothing at all, and for each digit; without it, numbers.

    Returns:
        The picture as text.

    >>> blank = np.zeros((4, 4), dtype=np.uint8)
    >>> draw(blank, Layout.x(2, 2), blank).count("<rect")
    9
    """
    texts = [escape(name) for name in names or map(str, range(layout.size + 1))]
    scale = 1
    chances: list[str] = []
    if shares is not None:
        single = np.count_nonzero(shares, axis=2) == 1
        grid = np.where((grid == 0) & single, shares.argmax(axis=2) + 1, grid).astype(np.uint8)
        chances, scale = list(_chances(np.where(grid[..., None] == 0, shares, 0), texts)), 2
    x, y, width, height = view(layout)
    size = f'width="{scale * width}" height="{scale * height}" viewBox="{x} {y} {width} {height}"'
    cells = np.where(layout.mask(), np.arange(grid.size).reshape(grid.shape), -1)
    digits = []
    for r, c in np.argwhere(grid).tolist():
        style = f'fill="{INK}" font-weight="bold"' if givens[r, c] else f'fill="{SOFT}"'
        at = f'x="{(c + 0.5) * CELL:g}" y="{(r + 0.68) * CELL:g}"'
        digits.append(f"<text {at} {style}>{texts[grid[r, c]]}</text>")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="white"/>',
        *_tints(layout),
        *beneath(layout, CELL),
        *chances,
        f'<path d="{borders(cells, CELL)}" stroke="#b9bac6" stroke-width="1"/>',
        f'<path d="{borders(layout.areas(), CELL)}" stroke="{INK}" stroke-width="2.4" stroke-linecap="square"/>',
        *over(layout, CELL),
        *beside(layout, CELL),
        f'<g font-family="{FONT}" font-size="{CELL // 2}" text-anchor="middle">',
    ]
    return "\n".join([*parts, *digits, "</g>", "</svg>"])


def view(layout: Layout) -> tuple[int, int, int, int]:
    """Left, top, width and height of the grid with a border, and with a cell on each side that has totals."""
    (rows, columns), totals = layout.shape, labels(layout)
    left, top = (-CELL * any(total[k] < 0 for total in totals) - 2 for k in (1, 0))
    right, bottom = (any(total[k] >= side for total in totals) for k, side in ((1, columns), (0, rows)))
    return left, top, (columns + right) * CELL + 2 - left, (rows + bottom) * CELL + 2 - top


def _tints(layout: Layout) -> Iterator[str]:
    """A square for each cell of a further region, the darker the more of these it is in."""
    for kind, _, cells in layout.regions:
        if kind not in UNTINTED:
            for r, c in sorted(cells):
                at = f'x="{c * CELL}" y="{r * CELL}" width="{CELL}" height="{CELL}"'
                yield f'<rect {at} fill="{TINT}" fill-opacity="0.4"/>'


def _chances(shares: npt.NDArray[np.float64], texts: Sequence[str]) -> Iterator[str]:
    """The possible digits of each blank, in rows within it, on squares that are the bluer the likelier they are."""
    across = isqrt(shares.shape[2] - 1) + 1
    side = CELL / across
    yield f'<g font-family="{FONT}" font-size="{0.7 * side:g}" text-anchor="middle">'
    for r, c, k in np.argwhere(shares).tolist():
        x, y = c * CELL + k % across * side, r * CELL + k // across * side
        shade = f'fill="{SOFT}" fill-opacity="{DEPTH * shares[r, c, k]:.3g}"'
        yield f'<rect x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}" {shade}/>'
        yield f'<text x="{x + side / 2:g}" y="{y + 0.75 * side:g}" fill="{INK}">{texts[k + 1]}</text>'
    yield "</g>"
