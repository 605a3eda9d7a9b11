"""Pictures of solids made of cubes, seen from above a corner."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import pairwise, product
from math import sqrt
from typing import Any

from dlx.problem.words import counted
from dlx.show.elements import INK, PAPER, Picture, check_room, element, framed, moved, number, palette, panels, svg
from dlx.show.tilings import MARGIN, MOST_CELLS, SIZE, Point, check_cells, coloured, different

Place = tuple[int, int, int]  # layer, row, column
Colours = Mapping[Any, int]

SHADES = (0.0, 0.14, 0.3)  # how much faces are darkened: above, along rows, along columns
ACROSS = 4  # layers in a row of the picture


def solid(
    pieces: Mapping[Place, Hashable],
    *,
    size: float = SIZE,
    colours: Colours | None = None,
    layers: bool = False,
    title: str = "",
) -> Picture:
    """Draws pieces made of cubes, seen from above a corner; rows go down to the left, columns down to the right.

    Parameters:
        pieces: the piece in each cell (layer, row, column), or None in an empty cell; layer 0 is the lowest.
        size: the side of a cube, in pixels.
        colours, title: as in `tiling`.
        layers: whether to draw each layer beside the solid, if there is more than one.

    Raises:
        ValueError: there are more than 10,000 cells.
        TypeError, KeyError: as `tiling`.

    >>> picture = solid({(0, 0, 0): "L", (0, 0, 1): "L", (1, 0, 0): "L", (1, 0, 1): "I"})
    >>> picture.caption
    '2 pieces of 4 cubes'
    """
    check_cells(pieces, "layer", "row", "column")
    check_room("the solid", cubes=(len(pieces), MOST_CELLS))
    colours = coloured(pieces, _neighbours(pieces)) if colours is None else colours
    default = f"{counted(len(different(pieces)), 'piece')} of {counted(len(pieces), 'cube')}"
    whole = _solid(pieces, size, colours, title or default)
    heights = sorted({layer for layer, _, _ in pieces})
    if not layers or len(heights) < 2:
        return whole
    flat = ({cell: piece for cell, piece in pieces.items() if cell[0] == height} for height in heights)
    each = [_solid(layer, size, colours, "a layer") for layer in flat]
    beside = panels(each, min(ACROSS, len(each)), titles=[f"layer {height}" for height in heights])
    high = max(whole.height, beside.height)
    placed = [moved(x, (high - part.height) / 2, part) for x, part in ((0, whole), (whole.width, beside))]
    return svg(whole.width + beside.width, high, *placed, title=whole.caption)


def _solid(pieces: Mapping[Place, Hashable], size: float, colours: Colours, title: str) -> Picture:
    points = [_seen((z + i, r + j, c + k)) for z, r, c in pieces for i, j, k in product((0, 1), repeat=3)]
    (left, right), (top, bottom) = ((min(ends), max(ends)) for ends in zip(*points or [(0.0, 0.0)], strict=True))
    sides = ((cell, axis) for cell in sorted(pieces, key=sum) for axis in range(3))  # from back to front
    faces = [_face(*side, pieces, colours, size) for side in sides if _step(*side) not in pieces]
    body = moved(-left * size, -top * size, *faces)
    return framed((right - left) * size, (bottom - top) * size, MARGIN, body, title=title)


def _neighbours(cells: Mapping[Place, Hashable]) -> Iterator[tuple[Place, Place]]:
    """Yields the cells that have a face in common."""
    return ((cell, other) for cell in cells for axis in range(3) if (other := _step(cell, axis)) in cells)


def _face(cell: Place, axis: int, pieces: Mapping[Place, Hashable], colours: Colours, size: float) -> str:
    """Draws a face of a cube with its edges, except edges to the same piece in the same plane."""
    i, j = (k for k in range(3) if k != axis)
    origin, piece = _step(cell, axis), pieces[cell]
    corners = [_seen(corner) for corner in (origin, _step(origin, i), _step(_step(origin, i), j), _step(origin, j))]
    near = [_step(cell, j, -1), _step(cell, i), _step(cell, j), _step(cell, i, -1)]
    sides = zip(pairwise([*corners, corners[0]]), near, strict=True)
    edges = [
        side for side, other in sides if piece is None or pieces.get(other) != piece or _step(other, axis) in pieces
    ]
    colour = _darker(PAPER if piece is None else palette(colours[piece]), SHADES[axis])
    area = element("path", d=f"{_line(corners, size)}z", fill=colour, stroke=colour, stroke_width=1)  # no seams
    lines = "".join(_line(edge, size) for edge in edges)
    return area + (element("path", d=lines, stroke=INK, stroke_width=1.8, stroke_linecap="round") if edges else "")


def _line(points: Any, size: float) -> str:
    return "M" + "L".join(f"{number(x * size)} {number(y * size)}" for x, y in points)


def _step(cell: Place, axis: int, by: int = 1) -> Place:
    """Returns the cell `by` steps further along an axis."""
    z, r, c = (k + by * (i == axis) for i, k in enumerate(cell))
    return z, r, c


def _darker(colour: str, by: float) -> str:
    return "#" + "".join(f"{round(int(colour[k : k + 2], 16) * (1 - by)):02x}" for k in (1, 3, 5))


def _seen(point: Place) -> Point:
    """Returns the point in the picture of a point (layer, row, column) in space, in sides of a cube."""
    z, row, column = point
    return (column - row) * sqrt(3) / 2, (row + column) / 2 - z
