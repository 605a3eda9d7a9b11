"""Draw one tiling of the Aztec diamond with dominoes at random, so that each has the same chance.

*Items*: the squares (row, column) of the diamond, 2, 4, ..., 2n, 2n, ..., 4, 2 in a row. They are in the order of the
diagonals: the search takes the first square of those with the fewest options, so it fills the diamond from one side to
the other, and the squares that are left have a straight edge. Were they given row by row, `dlx` would find this order.

*Options*: the places for a domino, two squares beside or below each other.

There are 2^(n(n+1)/2) tilings (N. Elkies, G. Kuperberg, M. Larsen, J. Propp, arXiv:math/9201305). A diagram has all of
them, and from a number drawn at random it tells the tiling. Most tilings of a large diamond look alike from afar: near
each corner all dominoes are of one kind, and where the four kinds mix is nearly a circle (W. Jockusch, J. Propp, P.
Shor, arXiv:math/9801068). The kinds: a domino lies across or down, and its first square, on a chessboard, is black or
white.
"""

from __future__ import annotations

from saving import save

import dlx
from dlx import tiles
from dlx.show import INK, PALETTE, element, moved, svg

Square = tuple[int, int]
Domino = tuple[Square, Square]

ORDER = 16


def aztec_diamond(n: int) -> dlx.Problem:
    """The problem for a diamond of 2n rows."""
    odd = [2 * k + 1 - 2 * n for k in range(2 * n)]  # twice as far from the centre
    squares = [(r, c) for r in range(2 * n) for c in range(2 * n) if abs(odd[r]) + abs(odd[c]) <= 2 * n]
    return tiles.problem(sorted(squares, key=lambda square: (sum(square), square)), "domino", each="any")


def random_tiling(n: int, seed: int = 0) -> tuple[dlx.Problem, list[Domino]]:
    """A tiling of the diamond, with its problem."""
    problem = aztec_diamond(n)
    (cover,) = dlx.diagram(problem).sample(1, seed)
    return problem, [place.cells for place in problem.labels(cover.tolist())]


def kind(one: Square, other: Square) -> int:
    """Which of the four kinds a domino is of."""
    return 2 * (one[0] == other[0]) + sum(one) % 2


def picture(tiling: list[Domino], n: int, size: float = 20) -> str:
    """A tiling in four colours, and the circle."""
    dominoes = [
        element(
            "rect",
            x=c * size + 1,
            y=r * size + 1,
            width=(to_c - c + 1) * size - 2,
            height=(to_r - r + 1) * size - 2,
            rx=3,
            fill=PALETTE[kind((r, c), (to_r, to_c))],
        )
        for (r, c), (to_r, to_c) in tiling
    ]
    circle = element("circle", cx=n * size, cy=n * size, r=n * size / 2**0.5, fill="none", stroke=INK, stroke_width=1.5)
    return svg(
        2 * n * size + 40,
        2 * n * size + 40,
        moved(20, 20, *dominoes, circle),
        title="a random tiling of an Aztec diamond with dominoes, in four colours, with the circle in it",
    )


def main() -> None:
    """Counts tilings, and draws one of a large diamond."""
    for n in (1, 2, 4, 8, 12):
        print(f"order {n:2}: {dlx.count(aztec_diamond(n)).covers} tilings")
    problem, tiling = random_tiling(ORDER)
    print(f"order {ORDER}: a tiling of {problem.n_items} squares, one of 2^{ORDER * (ORDER + 1) // 2}")
    save(picture(tiling, ORDER))


if __name__ == "__main__":
    main()
