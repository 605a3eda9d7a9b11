"""Place n queens on an n x n board so that none attacks another.

*Items*: every row and every column holds exactly one queen: they are primary. A diagonal, of either direction, holds
one or none: it is secondary. On one diagonal row + column is the same everywhere, on the other row - column.

*Options*: the squares. A queen there has four items: its row, its column and its two diagonals.

Donald E. Knuth, The Art of Computer Programming 4B, section 7.2.2.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from drawing import INK, PALETTE, PAPER, element, moved, save, svg

import dlx

Square = tuple[int, int]


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


CROWN = "M2.2 8.6h5.6l1.2-5.6-2.3 2.1L5 1.4 3.3 5.1 1 3Z"


def board(placement: list[Square], n: int, size: float = 20) -> str:
    """A board with its queens."""
    squares = [(r, c) for r in range(n) for c in range(n) if (r + c) % 2]
    dark = "".join(f"M{c * size:g} {r * size:g}h{size:g}v{size:g}h-{size:g}z" for r, c in squares)
    crowns = [
        element("path", d=CROWN, transform=f"translate({c * size:g} {r * size:g}) scale({size / 10:g})", fill=INK)
        for r, c in placement
    ]
    frame = element("rect", width=n * size, height=n * size, fill="none", stroke=INK, stroke_width=1.5)
    light = element("rect", width=n * size, height=n * size, fill=PAPER)
    return "".join([light, element("path", d=dark, fill=PALETTE[1], opacity=0.75), *crowns, frame])


def picture(n: int = 8, across: int = 4, size: float = 20) -> str:
    """All essentially different placements."""
    boards = essentially_different(n)
    step = n * size + 24
    places = [moved(24 + k % across * step, 24 + k // across * step, board(b, n)) for k, b in enumerate(boards)]
    return svg(24 + across * step, 24 + -(-len(boards) // across) * step, *places)


def main() -> None:
    """Counts placements on small boards, and draws those on the usual one."""
    for n in range(4, 13):
        print(f"{n:2} queens: {dlx.count(queens(n)).covers:6} placements")
    print(f" 8 queens: {len(essentially_different(8)):6} up to turning and reflecting the board")
    save(picture())


if __name__ == "__main__":
    main()
