"""Pictures of square boards with queens."""

from __future__ import annotations

from collections.abc import Iterable

from dlx.problem.words import counted
from dlx.show.elements import INK, PALETTE, PAPER, Picture, element, framed
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
