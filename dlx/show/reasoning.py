"""The marks of a step of reasoning on a board, in colours and shapes that colour-blind people can distinguish.

Truths are blue, links are orange and dashed, excluded candidates are red and crossed out, and the chosen candidate is
green. The colours are from M. Okabe and K. Ito, Color Universal Design (2008).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from dlx.show.elements import INK, element
from dlx.show.tilings import Cell, outline, square

CELL = 36  # pixels of a cell on pages
TRUTH, LINK, OUT, CHOSEN = "#0072b2", "#e69f00", "#d55e00", "#009e73"  # blue, orange, vermilion, bluish green
DASHES = "4 3"

Spot = tuple[float, float, float]  # x and y of the middle of a candidate, and its size, in pixels
Area = Iterable[Cell]


def step_marks(
    *,
    truths: Iterable[Area] = (),
    links: Iterable[Area] = (),
    true: Iterable[Spot] = (),
    linked: Iterable[Spot] = (),
    out: Iterable[Spot] = (),
    chosen: Iterable[Spot] = (),
    chain: Sequence[Sequence[Spot]] = (),
    closed: bool = False,
) -> str:
    """Returns SVG elements for a board with cells of 36 pixels.

    Parameters:
        truths, links: the cells of each truth and each link.
        true, linked: the candidates of truths, and the other candidates of links.
        out, chosen: the candidates that the step excludes, and the candidate that it chooses.
        chain: the candidates of a chain, in groups; the line between two groups is full for a truth, dashed for a link.
        closed: whether the chain ends where it begins.

    >>> step_marks(truths=[[(0, 0)]])
    '<path d="M1.44 1.44h33.12v33.12h-33.12z" fill="none" stroke="#0072b2" stroke-width="1.6" stroke-dasharray="none"/>'
    """
    parts = [_line(area, 0.04, TRUTH) for area in truths] + [_square(spot, TRUTH, TRUTH) for spot in true]
    parts += [_line(area, 0.1, LINK, DASHES) for area in links] + [_square(spot, LINK, "none") for spot in linked]
    for x, y, size in out:
        half = size / 2.4
        cross = (
            f"M{x - half:g} {y - half:g}L{x + half:g} {y + half:g}M{x - half:g} {y + half:g}L{x + half:g} {y - half:g}"
        )
        parts += [_square((x, y, size), OUT, OUT), element("path", d=cross, stroke=INK, stroke_width=1.2)]
    for x, y, size in chosen:
        parts.append(element("circle", cx=x, cy=y, r=0.48 * size, fill=CHOSEN, fill_opacity=0.45, stroke=CHOSEN))
    middles = [[sum(ends) / len(ends) for ends in zip(*group, strict=True)][:2] for group in chain]
    for k, (start, end) in enumerate(pairwise([*middles, *middles[: closed and len(middles)][:1]])):
        if start and end:
            style = {"stroke": LINK, "stroke_dasharray": DASHES} if k % 2 else {"stroke": TRUTH}
            line = "M{:g} {:g}L{:g} {:g}".format(*start, *end)
            parts.append(element("path", d=line, fill="none", stroke_width=1.6, opacity=0.7, **style))
    return "".join(parts)


def _line(area: Area, inset: float, colour: str, dashes: str = "none") -> str:
    line = outline(map(square, area), CELL, inset)
    return element("path", d=line, fill="none", stroke=colour, stroke_width=1.6, stroke_dasharray=dashes)


def _square(spot: Spot, stroke: str, fill: str) -> str:
    x, y, size = spot
    side = 0.88 * size
    x, y = x - side / 2, y - side / 2
    return element("rect", x=x, y=y, width=side, height=side, rx=1.5, fill=fill, fill_opacity=0.4, stroke=stroke)
