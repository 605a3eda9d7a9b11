"""Pieces made of cubes, seen from a corner."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from itertools import pairwise, product
from math import sqrt
from typing import Any

from dlx.problem.words import counted
from dlx.show.elements import INK, PAPER, Picture, check_room, element, framed, moved, palette
from dlx.show.tilings import MARGIN, MOST_CELLS, Place, Point, beside, check_places, coloured, different, path

SHADES = (0.0, 0.14, 0.3)  # how much darker the faces are that look up, along the rows, and along the columns


def solid(
    pieces: Mapping[Place, Hashable],
    *,
    size: float = 26,
    colours: Mapping[Any, int] | None = None,
    title: str = "",
) -> Picture:
    """Pieces made of cubes as a solid, seen from above a corner: rows go down to the left, columns to the right.

    Parameters:
        pieces: the piece that is in each cell (layer, row, column), or None in a cell that is empty; layer 0 is below
            layer 1.
        size: the side of a cube, in pixels.
        colours, title: as of `tiling`.

    Raises: as `tiling`.

    >>> picture = solid({(0, 0, 0): "L", (0, 0, 1): "L", (1, 0, 0): "L", (1, 0, 1): "I"})
    >>> picture.caption
    '2 pieces of 4 cubes'
    """
    check_places(pieces, ("layer", "row", "column"))
    check_room("the solid", cubes=(len(pieces), MOST_CELLS))
    shown = coloured(pieces, beside(pieces)) if colours is None else colours
    seen = [_seen((z + i, r + j, c + k)) for z, r, c in pieces for i, j, k in product((0, 1), repeat=3)] or [(0, 0)]
    (left, right), (top, bottom) = ((min(point[k] for point in seen), max(point[k] for point in seen)) for k in (0, 1))
    fronts = ((cell, axis) for cell in sorted(pieces, key=sum) for axis in range(3))  # from behind to the front
    faces = [_face(*front, pieces, shown, size) for front in fronts if _step(*front) not in pieces]
    said = title or f"{counted(len(different(pieces)), 'piece')} of {counted(len(pieces), 'cube')}"
    there = moved(-left * size, -top * size, *faces)
    return framed((right - left) * size, (bottom - top) * size, MARGIN, there, title=said)


def _face(cell: Place, axis: int, pieces: Mapping[Place, Hashable], colours: Mapping[Any, int], size: float) -> str:
    """One side of a cube, with its edges but for those to the same piece in the same plane."""
    i, j = (k for k in range(3) if k != axis)
    origin, piece = _step(cell, axis), pieces[cell]
    corners = [_seen(corner) for corner in (origin, _step(origin, i), _step(_step(origin, i), j), _step(origin, j))]
    near = [_step(cell, j, -1), _step(cell, i), _step(cell, j), _step(cell, i, -1)]
    sides = zip(pairwise([*corners, corners[0]]), near, strict=True)
    edges = [
        side for side, other in sides if piece is None or pieces.get(other) != piece or _step(other, axis) in pieces
    ]
    colour = _darker(PAPER if piece is None else palette(colours[piece]), SHADES[axis])
    area = element("path", d=f"{path(corners, size)}z", fill=colour, stroke=colour, stroke_width=1)  # over the seams
    lines = "".join(path(edge, size) for edge in edges)
    return area + (element("path", d=lines, stroke=INK, stroke_width=1.8, stroke_linecap="round") if edges else "")


def _step(cell: Place, axis: int, by: int = 1) -> Place:
    """The cell `by` steps further along an axis."""
    z, r, c = (k + by * (i == axis) for i, k in enumerate(cell))
    return z, r, c


def _darker(colour: str, by: float) -> str:
    """A colour made darker by a part."""
    return "#" + "".join(f"{round(int(colour[k : k + 2], 16) * (1 - by)):02x}" for k in (1, 3, 5))


def _seen(point: Place) -> Point:
    """Returns the place in the picture of a point (layer, row, column) of space, in sides of a cube."""
    z, row, column = point
    return (column - row) * sqrt(3) / 2, (row + column) / 2 - z
