"""Latin squares: put n symbols into a square so that every row and every column has each of them.

*Items*: every cell, to be filled once; every (row, symbol) and every (column, symbol). A *diagonal* Latin square has
each symbol on both long diagonals as well: an item for each (diagonal, symbol).

*Options*: a symbol in a cell, with its three items, and one more for each diagonal that the cell is on. A given symbol
is the only option of its cell.

Latin squares: L. Euler, Recherches sur une nouvelle espèce de quarrés magiques (1782). The numbers of diagonal ones
with a given first row are sequence A274171 of the On-Line Encyclopedia of Integer Sequences.
"""

from __future__ import annotations

from saving import save

import dlx
from dlx.show import PALETTE, element, moved, svg, text

Cell = tuple[int, int]

ORDER_9 = """
2 . . . . . 4 . .
. . . 4 . . 6 . .
5 1 . . 4 . . 3 .
8 . . 3 2 . . . 7
. . . . . . . . .
7 . . . 5 8 . . 9
. 6 . . 8 . . 2 1
. . 1 . . 9 . . .
. . 3 . . . . . 6
"""


def latin(n: int, givens: dict[Cell, int] | None = None, diagonal: bool = False) -> dlx.Problem:
    """The problem for squares with the symbols 1 to n; its options are named (row, column, symbol)."""
    fixed = givens or {}
    options: dict[tuple[int, int, int], list[object]] = {
        (r, c, s): [("cell", r, c), ("row", r, s), ("column", c, s)]
        for r in range(n)
        for c in range(n)
        for s in range(1, n + 1)
        if fixed.get((r, c), s) == s
    }
    for (r, c, s), items in options.items():
        if diagonal and r == c:
            items.append(("down", s))
        if diagonal and r + c == n - 1:
            items.append(("up", s))
    return dlx.Problem.from_options(options)


def read(picture: str) -> dict[Cell, int]:
    """The givens of a square written as rows of symbols, with dots for empty cells."""
    rows = [line.split() for line in picture.split("\n") if line]
    return {(r, c): int(mark) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark != "."}


def first_row(n: int) -> dict[Cell, int]:
    """The symbols in order in the first row: the squares that have it are an n!-th part of all."""
    return {(0, c): c + 1 for c in range(n)}


def square(n: int, givens: dict[Cell, int], size: float) -> str:
    """A diagonal Latin square with the givens in bold."""
    problem = latin(n, givens, diagonal=True)
    parts = []
    for r, c, s in problem.labels(dlx.first(problem).cover or ()):
        bold = {"font_weight": "bold"} if (r, c) in givens else {"fill_opacity": 0.7}
        tile = element("rect", width=size - 2, height=size - 2, rx=5, fill=PALETTE[(s - 1) % len(PALETTE)])
        parts.append(moved(c * size + 1, r * size + 1, tile, text(size / 2 - 1, size / 2 + 5, s, size * 0.42, **bold)))
    return "".join(parts)


def picture(size: float = 44) -> str:
    """Diagonal Latin squares: of order 9 with some givens, and of orders 5 and 7 with the first row in order."""
    small = (9 * size - 24) / 12
    large = moved(24, 24, square(9, read(ORDER_9), size))
    five = moved(64 + 9 * size + small, 24, square(5, first_row(5), small))
    seven = moved(64 + 9 * size, 48 + 5 * small, square(7, first_row(7), small))
    return svg(
        88 + 9 * size + 7 * small,
        48 + 9 * size,
        large,
        five,
        seven,
        title="diagonal Latin squares of the orders 9, 5 and 7",
    )


def main() -> None:
    """Counts Latin squares of small orders and the completions of one, and draws some."""
    for n in range(1, 7):
        plain = dlx.count(latin(n, first_row(n))).covers
        diagonal = dlx.count(latin(n, first_row(n), diagonal=True)).covers
        print(f"order {n}, first row given: {plain:7} Latin squares, {diagonal:3} of them diagonal")
    givens = read(ORDER_9)
    plain, diagonal = (dlx.count(latin(9, givens, on), max_covers=100_000).covers for on in (False, True))
    print(f"order 9, {len(givens)} givens: at least {plain} completions, {diagonal} of them diagonal")
    save(picture())


if __name__ == "__main__":
    main()
