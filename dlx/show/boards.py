"""Pictures of square boards with queens."""

from __future__ import annotations

from collections.abc import Iterable

from dlx.problem.words import counted
from dlx.show.elements import INK, PALETTE, PAPER, Picture, check_room, element, framed
from dlx.show.tilings import MARGIN, MOST_CELLS, Cell, check_cells, outline, square

CROWN = "M2.2 8.6h5.6l1.2-5.6-2.3 2.1L5 1.4 3.3 5.1 1 3Z"  # on a square of side 10


def queens(placement: Iterable[Cell], n: int, *, size: float = 20, title: str = "") -> Picture:
    """Draws a board with queens.

    Parameters:
        placement: the squares (row, column) of the queens, from 0.
        n: the number of rows and of columns.
        size: the side of a square, in pixels.
        title: the title of the picture. Default: the number of queens.

    Raises:
        ValueError: the board has more than 10,000 squares, or a queen is not on it.
        TypeError: a square is no pair of whole numbers.

    >>> queens([(0, 1), (1, 3), (2, 0), (3, 2)], 4).caption
    '4 queens on a board of 4 x 4'
    """
    check_room("the board", squares=(n * n, MOST_CELLS))
    placed = dict.fromkeys(placement)
    check_cells(placed, "row", "column")
    for place in placed:
        if not all(0 <= part < n for part in place):
            raise ValueError(f"the queen at {place} is not on a board of {n} x {n}")
    dark = "".join(outline([square((r, c))], size) for r in range(n) for c in range(n) if (r + c) % 2)
    crowns = (
        element("path", d=CROWN, transform=f"translate({c * size:g} {r * size:g}) scale({size / 10:g})", fill=INK)
        for r, c in placed
    )
    board = element("rect", width=n * size, height=n * size, fill=PAPER, stroke=INK, stroke_width=1.5)
    squares = element("path", d=dark, fill=PALETTE[1], opacity=0.75)
    default = f"{counted(len(placed), 'queen')} on a board of {n} x {n}"
    return framed(n * size, n * size, MARGIN, board, squares, *crowns, title=title or default)
