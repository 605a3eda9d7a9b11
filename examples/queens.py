"""Place n queens on an n x n board so that none attacks another.

*Items*: every row and every column holds exactly one queen: they are primary. A diagonal, of either direction, holds
one or none: it is secondary. On one diagonal row + column is the same everywhere, on the other row - column.

*Options*: the squares. A queen there has four items: its row, its column and its two diagonals.

Donald E. Knuth, The Art of Computer Programming 4B, section 7.2.2.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from saving import save

import dlx
from dlx.show import INK, PALETTE, PAPER, Picture, element, moved, outline, panels, square, svg

Square = tuple[int, int]

SIZE, MARGIN = 20, 12  # pixels of a square, and around the board
CROWN = "M2.2 8.6h5.6l1.2-5.6-2.3 2.1L5 1.4 3.3 5.1 1 3Z"  # on a square of side 10


def queens(n: int) -> dlx.Problem:
    """The problem for a board of n rows; its options are named (row, column)."""
    options = {
        (r, c): [("row", r), ("column", c), ("sum", r + c), ("difference", r - c)] for r in range(n) for c in range(n)
    }
    diagonals = {item for option in options.values() for item in option[2:]}
    return dlx.Problem.from_options(options, secondary=sorted(diagonals))


def images(placement: list[Square], n: int) -> Iterator[list[Square]]:
    """The eight placements that turning and reflecting the board makes of one."""
    for _ in range(4):
        placement = [(c, n - 1 - r) for r, c in placement]
        yield sorted(placement)
        yield sorted((c, r) for r, c in placement)


def kinds(n: int) -> dlx.Classes:
    """The same without a word about the board: the symmetries of the problem are found by themselves."""
    return dlx.classify(queens(n))


def essentially_different(n: int) -> list[list[Square]]:
    """One placement of each class that turning and reflecting makes: the first of its images in dictionary order."""
    problem = queens(n)
    placements = (list(problem.labels(cover)) for cover in dlx.covers(problem))
    return [list(smallest) for smallest in sorted({tuple(min(images(each, n))) for each in placements})]


def board(placement: list[Square], n: int) -> Picture:
    """The board with a crown for each queen."""
    dark = "".join(outline([square((r, c))], SIZE) for r in range(n) for c in range(n) if (r + c) % 2)
    crowns = (
        element("path", d=CROWN, transform=f"translate({c * SIZE} {r * SIZE}) scale({SIZE / 10:g})", fill=INK)
        for r, c in placement
    )
    light = element("rect", width=n * SIZE, height=n * SIZE, fill=PAPER, stroke=INK, stroke_width=1.5)
    squares = element("path", d=dark, fill=PALETTE[1], opacity=0.75)
    side = n * SIZE + 2 * MARGIN
    return svg(side, side, moved(MARGIN, MARGIN, light, squares, *crowns), title=f"{n} queens")


def picture(n: int = 8) -> Picture:
    """All essentially different placements."""
    boards = [board(placement, n) for placement in essentially_different(n)]
    return panels(boards, title=f"the {len(boards)} essentially different placements of {n} queens")


def main() -> None:
    """Counts placements on small boards, and draws those on the usual one."""
    for n in range(4, 13):
        print(f"{n:2} queens: {dlx.count(queens(n)).covers:6} placements")
    print(f" 8 queens: {len(essentially_different(8)):6} up to turning and reflecting the board")
    save(picture())


if __name__ == "__main__":
    main()
