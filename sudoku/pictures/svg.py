"""Pictures of grids: in SVG, in PNG, and for notebooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import cycle
from math import isqrt

import numpy as np
import numpy.typing as npt

from dlx.show import CELL, INK, PALETTE, SOFT, TINT, borders
from sudoku.formats.conversion import GridLike, as_grid, as_puzzle
from sudoku.grid import REAL
from sudoku.layout import PLAIN, Box, Layout
from sudoku.pictures.marks import FONT, TOTAL, beneath, beside, labels, over, within

SHARPNESS = 2  # PNG pixels per SVG unit
DEPTH = 0.7  # opacity of SOFT behind a digit with share 1
CANDIDATE = 0.2  # the share that is drawn for candidates without shares
REGION_COLOURS = (TINT, *PALETTE[1:2], *PALETTE[3:5], PALETTE[0])  # colours of the kinds of regions, in order
Spot = tuple[float, float, float]
UNCOLOURED = {*PLAIN, "cage", "group", "anti-king", "anti-knight"}


def to_svg(
    grid: GridLike,
    layout: Box | Layout | None = None,
    givens: GridLike | None = None,
    shares: npt.ArrayLike | None = None,
) -> str:
    """Draws a grid with its boxes; other regions of its layout are coloured.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`. Default: the layout of a `Puzzle`, otherwise 3 x 3.
        givens: a grid of the same layout. Its digits are bold, other digits are blue. Default: all digits are bold.
        shares: the result of `shares`. Each blank shows its possible digits; digits with larger shares are bluer.
            Default: the candidates of a `Puzzle`.

    Returns:
        The picture as text; `IPython.display.SVG(to_svg(grid))` shows it in a notebook.

    Raises:
        ValueError: a grid is malformed, or the shares have another shape or are not between 0 and 1.

    >>> picture = to_svg([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]], layout=(2, 2))
    >>> picture.startswith("<svg"), picture.count("<text")
    (True, 14)
    >>> from sudoku import shares
    >>> puzzle = "1.....2........."
    >>> to_svg(puzzle, (2, 2), shares=shares(puzzle, (2, 2))).count("fill-opacity")
    32
    """
    puzzle = as_puzzle(grid, layout)
    drawn, layout = puzzle.grid, puzzle.layout
    known = drawn if givens is None else as_grid(givens, layout)
    if shares is None:
        shares = faint(puzzle.candidates)
    return draw(drawn, layout, known, None if shares is None else _as_shares(shares, layout))


def to_png(picture: str) -> bytes:
    """Draws a picture in SVG as PNG with resvg, in the typeface of the extra `pictures`.

    Parameters:
        picture: the result of `to_svg`, or another picture in SVG.

    Returns:
        The bytes of the picture, 656 x 656 for 9 rows.

    Raises:
        ImportError: resvg or its typeface is not installed.

    >>> to_png(to_svg("1.3.3.1...4343..", layout=(2, 2)))[1:4]
    b'PNG'
    """
    try:
        from font_roboto import Roboto, RobotoBold
        from resvg_py import svg_to_bytes
    except ImportError:
        raise ImportError("pictures in PNG are drawn by resvg: pip install resvg-py font-roboto") from None
    fonts = [Roboto, RobotoBold]
    data: bytes = svg_to_bytes(
        picture, zoom=SHARPNESS, font_files=fonts, skip_system_fonts=True, sans_serif_family="Roboto"
    )
    return data


def _as_shares(shares: npt.ArrayLike, layout: Layout) -> npt.NDArray[np.float64]:
    """Checks the share of each digit in each cell."""
    table = np.asarray(shares)
    shape = (*layout.shape, layout.size)
    if table.shape != shape:
        raise ValueError(f"the shares have the shape {table.shape} instead of {shape}")
    if table.dtype.kind not in REAL:
        raise ValueError(f"the shares have the type {table.dtype} instead of numbers")
    if not (table.min() >= 0 and table.max() <= 1):
        r, c, k = np.argwhere(~((table >= 0) & (table <= 1)))[0].tolist()
        raise ValueError(f"the share {table[r, c, k]} of {k + 1} in row {r + 1}, column {c + 1} is not between 0 and 1")
    return table.astype(np.float64)


def faint(candidates: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.float64] | None:
    """Returns candidates as equal shares, or None without candidates."""
    return None if candidates is None else np.where(candidates, CANDIDATE, 0.0)


def draw(
    grid: npt.NDArray[np.uint8],
    layout: Layout,
    givens: npt.NDArray[np.uint8],
    shares: npt.NDArray[np.float64] | None = None,
    names: Sequence[str] | None = None,
    singles: bool = True,
) -> str:
    """Draws a grid with thick lines between boxes, coloured regions, lines and sums.

    Givens are bold, other digits blue. With `shares`, the possible digits of blanks are small, and the picture has
    twice the size; with `singles`, the only possible digit of a cell is drawn as if it were filled in. `names` are the
    signs of a blank, which is not drawn, and of each digit. Default: numbers.
    """
    texts = [escape(name) for name in names or map(str, range(layout.size + 1))]
    scale = 1
    chances: list[str] = []
    if shares is not None:
        single = (np.count_nonzero(shares, axis=2) == 1) & singles
        grid = np.where((grid == 0) & single, shares.argmax(axis=2) + 1, grid).astype(np.uint8)
        chances, scale = list(_chances(np.where(grid[..., None] == 0, shares, 0), texts, spots(layout))), 2
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
        *_coloured_regions(layout),
        *beneath(layout),
        *chances,
        f'<path d="{borders(cells, CELL)}" fill="none" stroke="#b9bac6" stroke-width="1"/>',
        f'<path d="{borders(layout.areas(), CELL)}" fill="none" stroke="{INK}" stroke-width="2.4"/>',
        *over(layout),
        *beside(layout),
        f'<g font-family="{FONT}" font-size="{CELL // 2}" text-anchor="middle">',
    ]
    return "\n".join([*parts, *digits, "</g>", "</svg>"])


def view(layout: Layout) -> tuple[int, int, int, int]:
    """Returns left, top, width and height of the grid with a border, and a row or column of cells for totals."""
    (rows, columns), totals = layout.shape, [label[:2] for label in labels(layout).values()]
    left, top = (-CELL * any(total[k] < 0 for total in totals) - 2 for k in (1, 0))
    right, bottom = (any(total[k] >= side for total in totals) for k, side in ((1, columns), (0, rows)))
    return left, top, (columns + right) * CELL + 2 - left, (rows + bottom) * CELL + 2 - top


def _coloured_regions(layout: Layout) -> Iterator[str]:
    """Draws a square for each cell of a coloured region, in a colour for each kind of region."""
    kinds = dict.fromkeys(region.kind for region in layout.regions if region.kind not in UNCOLOURED)
    for tint, kind in zip(cycle(REGION_COLOURS), kinds, strict=False):
        for region in layout.regions:
            for r, c in sorted(region.cells) if region.kind == kind else ():
                at = f'x="{c * CELL}" y="{r * CELL}" width="{CELL}" height="{CELL}"'
                yield f'<rect {at} fill="{tint}" fill-opacity="0.4"/>'


def _chances(shares: npt.NDArray[np.float64], texts: Sequence[str], spots: Sequence[Spot]) -> Iterator[str]:
    """Draws the possible digits of each blank on squares; digits with larger shares have bluer squares."""
    yield f'<g font-family="{FONT}" font-size="{0.7 * spots[0][2]:g}" text-anchor="middle">'
    for r, c, k in np.argwhere(shares).tolist():
        x, y, side = c * CELL + spots[k][0], r * CELL + spots[k][1], spots[k][2]
        shade = f'fill="{SOFT}" fill-opacity="{DEPTH * shares[r, c, k]:.3g}"'
        yield f'<rect x="{x - side / 2:g}" y="{y - side / 2:g}" width="{side:g}" height="{side:g}" {shade}/>'
        yield f'<text x="{x:g}" y="{y + 0.25 * side:g}" fill="{INK}">{texts[k + 1]}</text>'
    yield "</g>"


def spots(layout: Layout) -> list[Spot]:
    """Returns the middle (x, y) and the size of each candidate in its cell, with room for totals in corners."""
    across, free = isqrt(layout.size - 1) + 1, CELL * TOTAL * bool(within(layout))
    side = (CELL - 1.3 * free) / across
    places = (divmod(k, across) for k in range(layout.size))
    return [(free + (column + 0.5) * side, free + (row + 0.5) * side, side) for row, column in places]
