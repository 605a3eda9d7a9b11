"""SVG elements of lines and sums: cages, thermometers, dots, arrows, and totals outside the grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from dlx.show import CELL, INK, element, outline, square
from sudoku.constraints import Cell, Constraint
from sudoku.layout import Layout
from sudoku.rules import BLACK, LETTER, SHADE, WHITE

CAGE = "#5b5f73"  # the colour of dashes, and of the totals of cages
TOTAL = 0.25  # the font size of a total, in cells
FONT = "DejaVu Sans, Verdana, sans-serif"
DIGIT = 0.66  # the approximate width of a digit, in font sizes
INSET = 0.09  # from the border of a cage to its dashes, in cells

Label = tuple[int, int, str]  # row and column of a cell outside the grid, and its total


def beneath(layout: Layout) -> Iterator[str]:
    """Draws the marks below the digits: lines along cells, and cages."""
    for line in layout.lines:
        yield from _line(line)
    for one in layout.sums:
        if one.circles:
            yield from _arrow(one)
        elif width := one.record.style.width:
            yield _path(one.cells, SHADE, width)
    cages = [frozenset(one.cells) for one in layout.sums if one.kind == "cage"]
    cages += [region.cells for region in layout.regions if region.kind == "cage"]
    yield from (_cage(cells) for cells in cages)
    for one in within(layout):
        r, c = min(one.cells) if one.kind == "cage" else one.cells[0]
        yield _text(c + 0.13, r + 0.29, str(one.total), TOTAL, CAGE, "start")


def within(layout: Layout) -> list[Constraint]:
    """Returns the sums with a total in the corner of a cell."""
    outside = labels(layout)
    return [one for one in layout.sums if isinstance(one.total, int) and str(one) not in outside]


def _line(line: Constraint) -> Iterator[str]:
    """Draws a line, or marks its cells; marks between cells are drawn later, above the grid lines."""
    style, cells = line.record.style, line.cells
    if style.width:
        yield _path(cells, style.colour, style.width)
    match style.shape:
        case "bulb":
            yield _circle(*cells[0], 0.36, fill=SHADE)
        case "rings":
            yield from (_circle(*end, 0.38, fill="white", stroke=SHADE) for end in (cells[0], cells[-1]))
        case "circles":
            yield from (_circle(*cell, 0.4, fill=SHADE) for cell in cells)
        case "squares":
            yield from (_square(*cell, 0.8) for cell in cells)
        case "clones":
            yield from (_square(*cell, 1, fill_opacity=0.5) for cell in cells)
        case "extreme":
            (r, c), *_ = cells
            yield _square(r, c, 0.8)
            yield _text(c + 0.13, r + 0.29, style.sign, TOTAL, CAGE, "start")


def labels(layout: Layout) -> dict[str, Label]:
    """Returns the totals outside the grid; several totals at the same cell are ordered by direction."""
    there = set(layout.cells()) if layout.sums else set()
    found: dict[str, Label] = {}
    for one in sorted(layout.sums, key=lambda one: _direction(one.cells)):
        if isinstance(one.total, int) and one.kind != "cage":
            (r, c), (down, across) = one.cells[0], _direction(one.cells)
            if (r - down, c - across) not in there:
                found[str(one)] = r - down, c - across, f"{one.record.style.sign}{one.total}"
    return found


def beside(layout: Layout) -> Iterator[str]:
    """Draws the totals outside the grid; several totals of one cell are side by side, or stacked at the sides."""
    places: dict[Cell, list[str]] = {}
    for r, c, total in labels(layout).values():
        places.setdefault((r, c), []).append(total)
    for (r, c), totals in places.items():
        share, stacked = 1 / len(totals), 0 <= r < layout.shape[0]
        widest = max(map(len, totals)) * DIGIT
        text = min(0.38, share, 0.95 / widest) if stacked else min(0.38, 0.95 * share / widest)
        for k, total in enumerate(totals):
            x, y = (0.5, (k + 0.5) * share) if stacked else ((k + 0.5) * share, 0.5)
            yield _text(c + x, r + y + text / 3, total, text, CAGE)


def over(layout: Layout) -> Iterator[str]:
    """Draws the marks over the lines of the grid: dots and letters between cells."""
    for line in layout.lines:
        style = line.record.style
        if style.shape not in (WHITE, BLACK, LETTER):
            continue
        ring = {} if style.shape == LETTER else {"stroke": INK}
        for (r, c), (s, d) in pairwise(line.cells):
            fill = INK if style.shape == BLACK else "white"
            yield from _labelled_circle((r + s) / 2, (c + d) / 2, style.sign, fill=fill, **ring)
    for one in layout.sums:
        if one.kind == "quadruple":
            yield from _quadruple(one)


def _labelled_circle(r: float, c: float, label: str, **style: object) -> Iterator[str]:
    """Draws a circle with a letter or numbers, or a smaller empty one."""
    yield _circle(r, c, 0.15 if label else 0.13, **style)
    if label:
        height = 0.3 if len(label) == 1 else 0.42 / len(label)
        colour = "white" if style["fill"] == INK else INK
        yield _text(c + 0.5, r + 0.5 + 0.37 * height, label, height, colour)


def _quadruple(one: Constraint) -> Iterator[str]:
    """Draws a circle where the cells meet, with its digits in rows of two."""
    digits: Any = one.total
    down, across = (sum(cell[k] for cell in one.cells) / len(one.cells) + 0.5 for k in (0, 1))
    rows = [" ".join(map(str, digits[k : k + 2])) for k in range(0, len(digits), 2)]
    height = min(0.19, 0.38 / len(rows), 0.42 / (DIGIT * max(map(len, rows))))
    yield _circle(down - 0.5, across - 0.5, 0.25, fill="white", stroke=INK)
    for k, row in enumerate(rows):
        yield _text(across, down + height * (k + 0.87 - len(rows) / 2), row, height, INK)


def _arrow(one: Constraint) -> Iterator[str]:
    """Draws an arrow from its circle, or from a pill over two cells."""
    cells = (*one.circles[-1:], *one.cells)
    yield _path(cells, SHADE, 0.08)
    ends = (one.circles[0], one.circles[-1])
    yield from (_path(ends, colour, width) for colour, width in ((SHADE, 0.84), ("white", 0.68)))
    (r, c), (down, across) = cells[-1], _direction(cells[-2:])
    x, y, back = (c + 0.5) * CELL, (r + 0.5) * CELL, 0.2 * CELL
    turned = (across, -down)  # rotated by a quarter turn
    sides = [(-across + k * turned[1], -down + k * turned[0]) for k in (-1, 1)]
    head = "M".join(f"{x + back * dx:g} {y + back * dy:g}L{x:g} {y:g}" for dx, dy in sides)
    yield element("path", d=f"M{head}", fill="none", stroke=SHADE, stroke_width=0.08 * CELL)


def _direction(cells: tuple[Cell, ...]) -> tuple[int, int]:
    """Returns the step (down, across) from the first cell to the second; (1, 0) for one cell."""
    if len(cells) < 2:
        return 1, 0
    (r, c), (s, d) = cells[:2]
    return (s > r) - (s < r), (d > c) - (d < c)


def _circle(r: float, c: float, radius: float, **style: object) -> str:
    """Draws a circle in the middle of a cell, or between two cells."""
    return element("circle", "", cx=(c + 0.5) * CELL, cy=(r + 0.5) * CELL, r=radius * CELL, **style)


def _square(r: int, c: int, side: float, **style: object) -> str:
    """Draws a square in a cell; `side` is a fraction of the cell."""
    x, y = ((k + 0.5 - side / 2) * CELL for k in (c, r))
    return element("rect", "", x=x, y=y, width=side * CELL, height=side * CELL, fill=SHADE, **style)


def _path(cells: Iterable[Cell], colour: str, width: float) -> str:
    points = "L".join(f"{(c + 0.5) * CELL:g} {(r + 0.5) * CELL:g}" for r, c in cells)
    style = {"stroke_linecap": "round", "stroke_linejoin": "round"}
    return element("path", d=f"M{points}", fill="none", stroke=colour, stroke_width=width * CELL, **style)


def _cage(cells: frozenset[Cell]) -> str:
    """Draws a dashed line within the border of some cells."""
    line = outline(map(square, cells), CELL, INSET)
    return element("path", d=line, fill="none", stroke=CAGE, stroke_width=1, stroke_dasharray="3 2")


def _text(x: float, y: float, text: str, height: float, colour: str, anchor: str = "middle") -> str:
    style = {"font_family": FONT, "font_size": height * CELL, "text_anchor": anchor, "fill": colour}
    return element("text", text, x=x * CELL, y=y * CELL, **style)
