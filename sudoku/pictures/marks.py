"""The drawing of clashes, lines and sums: cages, thermometers, dots, arrows, and totals beside the grid, in SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from dlx.show import INK, element
from sudoku.layout import Cell, Layout, Sum

SHADE, CAGE = "#c3c8d4", "#5b5f73"  # thermometers and arrows; dashes, and the totals of cages
GREEN = "#8fc99a"  # whispers
TOTAL = 0.25  # the size of a total in a cell
FONT = "DejaVu Sans, Verdana, sans-serif"
DIGIT = 0.66  # how wide a digit is, in the size of its font
INSET = 0.09  # how far a cage's dashes are from the borders of its cells

Label = tuple[int, int, int]  # row and column of a cell outside of the grid, and the total there


def beneath(layout: Layout, size: float) -> Iterator[str]:
    """Draws the marks under the digits: lines along cells, and cages."""
    for line in layout.lines:
        if line.kind.endswith("thermometer"):
            yield _path(line.cells, size, SHADE, 0.34 if line.kind == "thermometer" else 0.2)
            yield _circle(*line.cells[0], 0.36, size, fill=SHADE)
        elif line.kind == "whisper":
            yield _path(line.cells, size, GREEN, 0.16)
    for one in layout.sums:
        if isinstance(one.total, tuple):
            yield from _arrow((one.total, *one.cells), size)
        elif one.kind == "little-killer":
            yield _path(one.cells, size, SHADE, 0.05)
    cages = [frozenset(one.cells) for one in layout.sums if one.kind == "cage"]
    cages += [region.cells for region in layout.regions if region.kind == "cage"]
    yield from (_cage(cells, size) for cells in cages)
    for one in within(layout):
        r, c = min(one.cells) if one.kind == "cage" else one.cells[0]
        yield _text(c + 0.13, r + 0.29, str(one.total), TOTAL, size, CAGE, "start")


def within(layout: Layout) -> list[Sum]:
    """The sums whose totals are written in the corner of a cell."""
    outside = labels(layout)
    return [one for one in layout.sums if isinstance(one.total, int) and str(one) not in outside]


def labels(layout: Layout) -> dict[str, Label]:
    """The totals that are written outside of the grid, by their sums; a little killer that begins within it has none.

    Those of one cell are in the order of the directions that they stand for, from the left or from above.
    """
    there = set(layout.cells()) if layout.sums else set()
    found: dict[str, Label] = {}
    for one in sorted(layout.sums, key=lambda one: _direction(one.cells)):
        if isinstance(one.total, int) and one.kind in ("sandwich", "little-killer"):
            (r, c), (down, across) = one.cells[0], _direction(one.cells)
            if (r - down, c - across) not in there:
                found[str(one)] = r - down, c - across, one.total
    return found


def beside(layout: Layout, size: float) -> Iterator[str]:
    """Draws the totals outside of the grid; those of one cell side by side, or one above the other at a side."""
    places: dict[Cell, list[str]] = {}
    for r, c, total in labels(layout).values():
        places.setdefault((r, c), []).append(str(total))
    for (r, c), totals in places.items():
        share, stacked = 1 / len(totals), 0 <= r < layout.shape[0]
        widest = max(map(len, totals)) * DIGIT
        text = min(0.38, share, 0.95 / widest) if stacked else min(0.38, 0.95 * share / widest)
        for k, said in enumerate(totals):
            x, y = (0.5, (k + 0.5) * share) if stacked else ((k + 0.5) * share, 0.5)
            yield _text(c + x, r + y + text / 3, said, text, size, CAGE)


def unseen(layout: Layout) -> list[str]:
    """The kinds of rules that borders do not show, and so no picture in text."""
    return [kind for kind in layout.kinds() if kind not in ("row", "column", "box")]


def over(layout: Layout, size: float) -> Iterator[str]:
    """Draws the marks over the lines of the grid: dots and letters between two cells."""
    for line in layout.lines:
        for (r, c), (s, d) in pairwise(line.cells):
            down, across = (r + s) / 2, (c + d) / 2
            if line.kind.endswith("-dot"):
                yield _circle(down, across, 0.13, size, fill="white" if line.kind == "white-dot" else INK, stroke=INK)
            elif line.kind in ("V", "X"):
                yield _circle(down, across, 0.15, size, fill="white")
                yield _text(across + 0.5, down + 0.61, line.kind, 0.3, size, INK)


def _arrow(cells: tuple[Cell, ...], size: float) -> Iterator[str]:
    """Draws an arrow from its circle."""
    yield _path(cells, size, SHADE, 0.08)
    yield _circle(*cells[0], 0.38, size, fill="white", stroke=SHADE, stroke_width=0.08 * size)
    (r, c), (down, across) = cells[-1], _direction(cells[-2:])
    x, y, back = (c + 0.5) * size, (r + 0.5) * size, 0.2 * size
    turned = (across, -down)  # a quarter turn to the side
    sides = [(-across + k * turned[1], -down + k * turned[0]) for k in (-1, 1)]
    head = "M".join(f"{x + back * dx:g} {y + back * dy:g}L{x:g} {y:g}" for dx, dy in sides)
    yield element("path", d=f"M{head}", fill="none", stroke=SHADE, stroke_width=0.08 * size)


def _direction(cells: tuple[Cell, ...]) -> tuple[int, int]:
    """The step from the first cell to the second, down and across; down if there is one only."""
    if len(cells) < 2:
        return 1, 0
    (r, c), (s, d) = cells[:2]
    return (s > r) - (s < r), (d > c) - (d < c)


def _circle(r: float, c: float, radius: float, size: float, **style: object) -> str:
    """A circle in the middle of a cell, or between two."""
    return element("circle", "", cx=(c + 0.5) * size, cy=(r + 0.5) * size, r=radius * size, **style)


def _path(cells: Iterable[Cell], size: float, colour: str, width: float) -> str:
    points = "L".join(f"{(c + 0.5) * size:g} {(r + 0.5) * size:g}" for r, c in cells)
    style = {"stroke_linecap": "round", "stroke_linejoin": "round"}
    return element("path", d=f"M{points}", fill="none", stroke=colour, stroke_width=width * size, **style)


def _cage(cells: frozenset[Cell], size: float) -> str:
    """A dashed line within the border of some cells."""
    return outline(cells, size, INSET, stroke=CAGE, stroke_width=1, stroke_dasharray="3 2")


def outline(cells: frozenset[Cell], size: float, inset: float, **style: object) -> str:
    """A line within the border of some cells, so far from it."""
    across = (f"M{a * size:g} {k * size:g}L{b * size:g} {k * size:g}" for k, a, b in _sides(cells, inset))
    turned = frozenset((c, r) for r, c in cells)
    down = (f"M{k * size:g} {a * size:g}L{k * size:g} {b * size:g}" for k, a, b in _sides(turned, inset))
    return element("path", "", d="".join((*across, *down)), fill="none", **style)


def _sides(cells: frozenset[Cell], inset: float) -> Iterator[tuple[float, float, float]]:
    """Yields the lines across, above and below cells: the row, and the columns of the beginning and the end."""
    for r, c in sorted(cells):
        for step in (-1, 1):
            if (r + step, c) in cells:
                continue
            row = r + (inset if step < 0 else 1 - inset)
            ends = [
                inset if (r, c + side) not in cells else -inset if (r + step, c + side) in cells else 0.0
                for side in (-1, 1)
            ]
            yield row, c + ends[0], c + 1 - ends[1]


def _text(x: float, y: float, text: str, height: float, size: float, colour: str, anchor: str = "middle") -> str:
    style = {"font_family": FONT, "font_size": height * size, "text_anchor": anchor, "fill": colour}
    return element("text", text, x=x * size, y=y * size, **style)
