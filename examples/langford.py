"""Langford pairs: put 1, 1, 2, 2, ..., n, n in a row so that there are k numbers between the two k's.

*Items*: the numbers 1 to n, each to be put down once, as a pair; and the 2n places, each to be filled once.

*Options*: number k in places j and j + k + 1, which has three items.

Every arrangement read backwards is another one. To find one of the two, let some number be nearer to the left end
than to the right. An odd number k always is nearer to one of them: its places j and j + k + 1 would have the same
distances if j + (j + k + 1) = 2n + 1, which is even on the left and odd on the right.

C. Dudley Langford, The Mathematical Gazette 42 (1958), 228; The Art of Computer Programming 4B, section 7.2.2.1.
"""

from __future__ import annotations

from saving import save

import dlx
from dlx.show import PALETTE, element, moved, svg, text


def langford(n: int) -> dlx.Problem:
    """The problem for the numbers 1 to n; its options are named (number, place, place), with places from 1.

    The largest odd number keeps to the left, so that of an arrangement and its mirror image one is a cover.
    """
    odd = n - (n + 1) % 2
    options = {
        (k, j, j + k + 1): [("number", k), ("place", j), ("place", j + k + 1)]
        for k in range(1, n + 1)
        for j in range(1, 2 * n - k)
        if k != odd or 2 * j + k < 2 * n
    }
    items = [("number", k) for k in range(1, n + 1)] + [("place", j) for j in range(1, 2 * n + 1)]
    return dlx.Problem.from_options(options, items=items)


def arrangement(n: int) -> list[int] | None:
    """One arrangement, as the numbers from left to right, or None."""
    problem = langford(n)
    cover = dlx.first(problem).cover
    if cover is None:
        return None
    row = [0] * (2 * n)
    for k, i, j in problem.labels(cover):
        row[i - 1] = row[j - 1] = k
    return row


def arcs(row: list[int], step: float = 34) -> str:
    """The numbers of an arrangement on a line, with an arc over each pair."""
    parts = []
    for k in sorted(set(row), reverse=True):
        left, right = (x for x, number in enumerate(row) if number == k)
        width = (right - left) * step
        curve = f"M{left * step:g} 0a{width / 2:g} {width / 2 * 0.75:g} 0 0 1 {width:g} 0"
        colour = PALETTE[(k - 1) % len(PALETTE)]
        parts.append(element("path", d=curve, fill="none", stroke=colour, stroke_width=4, stroke_linecap="round"))
    for x, k in enumerate(row):
        parts.append(element("circle", cx=x * step, cy=0, r=13, fill=PALETTE[(k - 1) % len(PALETTE)]))
        parts.append(text(x * step, 5.5, k, 15, font_weight="bold"))
    return "".join(parts)


def picture() -> str:
    """Arrangements of 4, 7, 8 and 12 pairs."""
    parts, y = [], 0.0
    for n in (4, 7, 8, 12):
        row = arrangement(n)
        if row is not None:
            y += max(j - i for i, k in enumerate(row) for j in range(i, len(row)) if row[j] == k) * 34 * 0.375 + 36
            parts.append(moved(450 - (len(row) - 1) * 17, y, arcs(row)))
            y += 22
    return svg(900, y + 12, *parts, title="rows of 4, 7, 8 and 12 pairs of numbers, with an arc over each pair")


def main() -> None:
    """Counts arrangements, and prints one of each length that has any."""
    for n in range(1, 12):
        row = arrangement(n)
        print(f"{n:2} pairs: {dlx.count(langford(n)).covers:5}", *([" ", *row] if row else []))
    save(picture())


if __name__ == "__main__":
    main()
