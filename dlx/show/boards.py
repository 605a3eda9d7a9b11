"""Pictures of square boards: with queens, and shares as heat maps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized

import numpy as np
import numpy.typing as npt

from dlx.problem.words import counted
from dlx.show.elements import (
    INK,
    PALETTE,
    PAPER,
    SOFT,
    Picture,
    element,
    extent,
    framed,
    mixed,
    moved,
    readable,
    short,
    svg,
    text,
)
from dlx.show.tilings import MARGIN, Cell, areas, check_place, check_size, square

CROWN = "M2.2 8.6h5.6l1.2-5.6-2.3 2.1L5 1.4 3.3 5.1 1 3Z"


def queens(placement: Iterable[Cell], n: int, *, size: float = 20, title: str = "") -> Picture:
    """A board with its queens.

    Parameters:
        placement: the squares (row, column) of the queens, from 0.
        n: the rows and columns of the board.
        size: the side of a square, in pixels.
        title: what the picture is; without it, how many queens there are.

    Raises:
        ValueError: the board has more than 10,000 squares, a queen is not on it, or two are on one.
        TypeError: the square of a queen is something else than whole numbers.

    >>> queens([(0, 1), (1, 3), (2, 0), (3, 2)], 4).caption
    '4 queens on a board of 4 x 4'
    """
    check_size(n, n)
    placed = list(placement)
    for k, place in enumerate(placed):
        check_place(place, ("row", "column"), f"queen {k} is at")
        if not all(0 <= part < n for part in place):
            raise ValueError(f"the queen at {place} is not on a board of {n} x {n}")
        if place in placed[:k]:
            raise ValueError(f"there are two queens at {place}")
    dark = areas((square((r, c)) for r in range(n) for c in range(n) if (r + c) % 2), size)
    crowns = [
        element("path", d=CROWN, transform=f"translate({c * size:g} {r * size:g}) scale({size / 10:g})", fill=INK)
        for r, c in placed
    ]
    frame = element("rect", width=n * size, height=n * size, fill="none", stroke=INK, stroke_width=1.5)
    light = element("rect", width=n * size, height=n * size, fill=PAPER)
    squares = element("path", d=dark, fill=PALETTE[1], opacity=0.75)
    said = title or f"{counted(len(placed), 'queen')} on a board of {n} x {n}"
    return framed(n * size, n * size, MARGIN, light, squares, *crowns, frame, title=said)


def heat_map(
    shares: npt.ArrayLike,
    *,
    rows: Sequence[object] = (),
    columns: Sequence[object] = (),
    size: float = 36,
    title: str = "",
) -> Picture:
    """Shares as a map: the bluer a cell is the larger its share, which is written in it in per cent.

    Parameters:
        shares: numbers from 0 to 1, shape (rows, columns).
        rows, columns: the names of these, if they have any.
        size: the side of a cell, in pixels.
        title: what the picture is; without it, its shape.

    Raises:
        ValueError: a share is no number from 0 to 1, rows differ in length, the array has another shape or more than
            10,000 cells, or there are not as many names as rows or columns.

    >>> picture = heat_map([[0, 0.25], [0.999, 1]])
    >>> [part.split("<")[0] for part in picture.split('">') if "</text>" in part]
    ['0', '25', '&gt;99', '100']
    """
    values = _numbers(shares)
    if values.ndim != 2:
        raise ValueError(f"shares have the shape {values.shape} instead of (rows, columns)")
    n_rows, n_columns = values.shape
    check_size(n_rows, n_columns)
    for r, c in np.argwhere(~((values >= 0) & (values <= 1))).tolist():
        raise ValueError(f"the share in row {r}, column {c} is {values[r, c]} and not from 0 to 1")
    rows, columns = list(rows), list(columns)
    for names, n, kind in ((rows, n_rows, "rows"), (columns, n_columns, "columns")):
        if len(names) not in (0, n):
            raise ValueError(f"{len(names)} names for {n} {kind}")
    beside = max((extent(short(name), 13) for name in rows), default=0)
    above = 24 if columns else 0
    parts = [_shaded(float(share), r, c, size) for (r, c), share in np.ndenumerate(values)]
    parts += [text(-8, (r + 0.5) * size + 5, short(name), 13, text_anchor="end") for r, name in enumerate(rows)]
    most = max(1, int(size / 8.5))
    parts += [text((c + 0.5) * size, -8, short(name, most), 13) for c, name in enumerate(columns)]
    x, y = MARGIN + beside + 8 * bool(rows), MARGIN + above
    said = title or f"shares in {counted(n_rows, 'row')} and {counted(n_columns, 'column')}, in per cent"
    return svg(x + n_columns * size + MARGIN, y + n_rows * size + MARGIN, moved(x, y, *parts), title=said)


def _numbers(shares: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The shares as an array, if they are numbers and each row has as many."""
    try:
        return np.asarray(shares, dtype=np.float64)
    except (TypeError, ValueError) as error:
        widths = [len(row) if isinstance(row, Sized) else 0 for row in shares] if isinstance(shares, Iterable) else []
        for r, width in enumerate(widths):
            if width != widths[0]:
                raise ValueError(f"row {r} has {counted(width, 'share')}, and row 0 has {widths[0]}") from None
        raise ValueError(f"a share is no number: {error}") from None


def _shaded(share: float, row: int, column: int, size: float) -> str:
    x, y, colour = column * size, row * size, mixed(share, SOFT)
    tile = element("rect", x=x, y=y, width=size, height=size, fill=colour, stroke="white", stroke_width=1)
    middle, line = (column + 0.5) * size, (row + 0.62) * size
    return tile + text(middle, line, _percent(share), size * 0.34, fill=readable(colour))


def _percent(share: float) -> str:
    """A share in per cent; 0 and 100 mean none and all."""
    if share in (0, 1):
        return str(round(100 * share))
    rounded = min(max(round(100 * share), 1), 99)
    if abs(100 * share - rounded) <= 0.5:
        return str(rounded)
    return "<1" if share < 0.5 else ">99"
