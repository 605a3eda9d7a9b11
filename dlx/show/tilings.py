"""Pictures of tilings: pieces of squares or other polygons, in the plane and in layers, with lines between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.problem.checks import is_whole
from dlx.problem.words import counted
from dlx.show.elements import (
    INK,
    PALETTE,
    PAPER,
    Picture,
    element,
    extent,
    framed,
    moved,
    number,
    palette,
    readable,
    short,
    svg,
    text,
)

Cell = tuple[int, int]
Place = tuple[int, int, int]
Point = tuple[float, float]
Side = tuple[Point, Point]  # of a cell, the lesser end first
Outlines = dict[Cell, list[Point]]  # the corners of cells, the least x and y of all 0

MOST_CELLS = 10_000  # rows times columns
MARGIN = 12


def square(cell: Cell) -> list[Point]:
    """Returns the corners (x, y) of a square cell (row, column), whose side is 1.

    >>> square((2, 0))
    [(0, 2), (1, 2), (1, 3), (0, 3)]
    """
    row, column = cell
    return [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]


def tiling(
    pieces: Mapping[Cell, Hashable],
    *,
    size: float = 26,
    corners: Callable[[Cell], Sequence[Point]] = square,
    colours: Mapping[Any, int] | None = None,
    names: Mapping[Any, object] | None = None,
    title: str = "",
) -> Picture:
    """A region of any shape tiled with pieces, each in its colour, with lines between them.

    Parameters:
        pieces: the piece that is in each cell (row, column), or None in a cell that is empty.
        size: the side of a cell, in pixels.
        corners: the corners (x, y) of a cell, in sides of a cell, y downwards; neighbours have two in common. Without
            it, cells are squares.
        colours: a number of a colour, from 0, for each piece; there are twelve, which come again. Without it, they are
            in the order of the pieces, other than those of their neighbours.
        names: what is written in a piece, if anything.
        title: what the picture is; without it, how many cells and pieces there are.

    Raises:
        ValueError: there are more than 10,000 cells in the rectangle around all of them, a cell has not two numbers, or
            a piece has no colour.
        TypeError: there is no mapping, or a cell is something else than whole numbers.

    >>> picture = tiling({(0, 0): "L", (1, 0): "L", (1, 1): "L", (0, 1): None}, names={"L": "L"})
    >>> picture.caption, picture.count("<text")
    ('1 piece on 3 of 4 cells', 1)
    """
    check_places(pieces, ("row", "column"))
    outlines, width, height = _outlines(pieces, corners)
    near = (cells for cells in _sides(outlines).values() if len(cells) == 2)
    shown = coloured(pieces, near) if colours is None else colours
    body = _tiled(pieces, outlines, shown, names or {}, size)
    used = sum(piece is not None for piece in pieces.values())
    cells, several = counted(len(pieces), "cell"), counted(len(different(pieces)), "piece")
    said = f"a tiling of {cells} by {several}" if used == len(pieces) else f"{several} on {used} of {cells}"
    return framed(width * size, height * size, MARGIN, body, title=title or said)


def region(cells: Iterable[Cell], *, size: float = 26, title: str = "") -> Picture:
    """A region of any shape that is to be tiled: its cells, and a line around them.

    Parameters:
        cells: the cells (row, column).
        size: the side of a cell, in pixels.
        title: what the picture is; without it, how many cells there are.

    Raises: as `tiling`.

    >>> region([(0, 0), (0, 1), (1, 1)]).caption
    'a region of 3 cells'
    """
    placed = dict.fromkeys(cells, 0)
    check_places(placed, ("row", "column"))
    outlines, width, height = _outlines(placed, square)
    ground = element("path", d=areas(outlines.values(), size), fill=PAPER)
    around = _lines(placed, outlines, size)
    said = title or f"a region of {counted(len(placed), 'cell')}"
    return framed(width * size, height * size, MARGIN, ground, around, title=said)


def layers(
    pieces: Mapping[Place, Hashable],
    *,
    size: float = 26,
    colours: Mapping[Any, int] | None = None,
    names: Mapping[Any, object] | None = None,
    title: str = "",
) -> Picture:
    """Pieces in space, as layers side by side.

    Parameters:
        pieces: the piece that is in each cell (layer, row, column), or None in a cell that is empty.
        size, colours, names, title: as of `tiling`; names are written in each layer of a piece.

    Raises: as `tiling`.

    >>> picture = layers({(0, 0, 0): "I", (1, 0, 0): "I", (0, 0, 1): "J"})
    >>> picture.caption, picture.count("layer ")
    ('2 pieces of 3 cells in 2 layers', 2)
    """
    check_places(pieces, ("layer", "row", "column"))
    flat: dict[int, dict[Cell, Hashable]] = {}
    for (z, r, c), piece in pieces.items():
        flat.setdefault(z, {})[r, c] = piece
    outlines, width, height = _outlines({cell for layer in flat.values() for cell in layer}, square, len(flat))
    shown = coloured(pieces, beside(pieces)) if colours is None else colours
    gap = max(1.5 * size, 1.5 * size + extent("layer 100", 13) - width * size)
    parts = []
    for k, z in enumerate(sorted(flat)):
        x = MARGIN + gap / 2 + k * (width * size + gap)
        label = text(width * size / 2, height * size + 26, f"layer {z}", 13)
        parts.append(moved(x, MARGIN, _tiled(flat[z], outlines, shown, names or {}, size), label))
    numbers = counted(len(different(pieces)), "piece"), counted(len(pieces), "cell"), counted(len(flat), "layer")
    said = title or "{} of {} in {}".format(*numbers)
    return svg(2 * MARGIN + len(flat) * (width * size + gap), height * size + 2 * MARGIN + 26, *parts, title=said)


def coloured(
    pieces: Mapping[Any, Hashable], near: Iterable[Sequence[Any]], wishes: Mapping[Any, int] | None = None
) -> dict[Hashable, int]:
    """Returns the number of a colour for each piece: the wished one, or the next one that no neighbour has, if any.

    Parameters:
        pieces: the piece that is in each cell, or None.
        near: cells that are neighbours, two by two.
        wishes: a number for each piece; without it, their turns.

    >>> coloured({0: "I", 1: "L", 2: "I"}, [(0, 1), (1, 2)], {"I": 5, "L": 5})
    {'I': 5, 'L': 6}
    """
    others: dict[Hashable, set[Hashable]] = {piece: set() for piece in different(pieces)}
    for one, other in ((pieces[cell] for cell in cells) for cells in near):
        if one != other and one is not None and other is not None:
            others[one].add(other)
            others[other].add(one)
    colours: dict[Hashable, int] = {}
    for k, piece in enumerate(others):
        first = k if wishes is None else wishes[piece]
        taken = {colours[other] for other in others[piece] if other in colours}
        free = ((first + i) % len(PALETTE) for i in range(len(PALETTE)))
        colours[piece] = next((colour for colour in free if colour not in taken), first % len(PALETTE))
    return colours


def beside(cells: Iterable[Place]) -> Iterable[tuple[Place, Place]]:
    """Yields the cells that have a face in common."""
    inside = set(cells)
    for z, r, c in inside:
        yield from (((z, r, c), other) for other in ((z + 1, r, c), (z, r + 1, c), (z, r, c + 1)) if other in inside)


def _outlines(
    cells: Iterable[Cell], corners: Callable[[Cell], Sequence[Point]], times: int = 1
) -> tuple[Outlines, float, float]:
    """Returns the corners of cells, and their width and height; there must not be too many."""
    listed = list(cells)
    _check_box(listed, times)
    exact = {cell: corners(cell) for cell in listed}
    left, top = (min((point[k] for points in exact.values() for point in points), default=0) for k in (0, 1))
    moved_there = {cell: [(round(x - left, 6), round(y - top, 6)) for x, y in exact[cell]] for cell in listed}
    ends = ((point[k] for points in moved_there.values() for point in points) for k in (0, 1))
    width, height = (max(end, default=0) for end in ends)
    return moved_there, width, height


def _sides(outlines: Outlines) -> dict[Side, list[Cell]]:
    """Returns the sides of cells, with the one or two cells of each."""
    sides: dict[Side, list[Cell]] = {}
    for cell, points in outlines.items():
        for one, other in zip(points, [*points[1:], points[0]], strict=True):
            sides.setdefault((min(one, other), max(one, other)), []).append(cell)
    return sides


def _tiled(
    pieces: Mapping[Cell, Hashable],
    outlines: Outlines,
    colours: Mapping[Any, int],
    names: Mapping[Any, object],
    size: float,
) -> str:
    """The pieces of a region in their colours, and the lines between them."""
    cells: dict[Hashable, list[Cell]] = {}
    for cell in sorted(pieces):
        cells.setdefault(pieces[cell], []).append(cell)
    empty = cells.pop(None, [])
    parts = [element("path", d=areas((outlines[cell] for cell in empty), size), fill=PAPER)] if empty else []
    for piece, place in cells.items():
        if piece not in colours:
            raise ValueError(f"the piece {piece!r:.40} has no colour")
        area = areas((outlines[cell] for cell in place), size)
        parts.append(element("path", d=area, fill=palette(colours[piece])))
    parts.append(_lines(pieces, outlines, size))
    for piece, place in cells.items():
        if piece in names:
            parts.append(_named(names[piece], [outlines[cell] for cell in place], colours[piece], size))
    return "".join(parts)


def areas(outlines: Iterable[Sequence[Point]], size: float) -> str:
    """The cells with these corners, as the data of a path."""
    return "".join(f"{path(points, size)}z" for points in outlines)


def path(points: Sequence[Point], size: float) -> str:
    """A line through some points, as the data of a path."""
    x, y = points[0]
    parts = [f"M{number(x * size)} {number(y * size)}"]
    for to_x, to_y in points[1:]:
        if y == to_y:
            parts.append(f"h{number((to_x - x) * size)}")
        elif x == to_x:
            parts.append(f"v{number((to_y - y) * size)}")
        else:
            parts.append(f"L{number(to_x * size)} {number(to_y * size)}")
        x, y = to_x, to_y
    return "".join(parts)


def borders(areas: npt.NDArray[np.signedinteger], size: float) -> str:
    """Returns the lines around areas of square cells, as the data of a path: first across, then down.

    Parameters:
        areas: the number of the area of each cell, shape (rows, columns); -1 is outside.
        size: the side of a cell.

    >>> borders(np.array([[0, 0], [0, 1]]), 10)
    'M0 0h20M10 10h10M0 20h20M0 0v20M10 10v10M20 0v20'
    """
    inside = {cell: int(area) for cell, area in np.ndenumerate(areas) if area >= 0}
    return _traced(inside, {cell: square(cell) for cell in inside}, size)


def _traced(pieces: Mapping[Cell, Hashable], outlines: Outlines, size: float) -> str:
    """The lines around pieces and empty cells, as the data of a path: first across, then down and aslant."""
    return "".join(path(line, size) for line in _straight(ruled(pieces, outlines)))


def ruled(pieces: Mapping[Any, Hashable], outlines: Outlines) -> set[Side]:
    """Returns the sides of cells that have a line: around the region, each empty cell, and between two pieces.

    >>> sorted(ruled({(0, 0): "I", (0, 1): "I"}, {cell: square(cell) for cell in [(0, 0), (0, 1)]}))[:3]
    [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1))]
    """
    beside = ((side, [pieces[cell] for cell in cells]) for side, cells in _sides(outlines).items())
    return {side for side, both in beside if len(both) == 1 or both[0] != both[1] or both[0] is None}


def _lines(pieces: Mapping[Cell, Hashable], outlines: Outlines, size: float) -> str:
    data = _traced(pieces, {cell: outlines[cell] for cell in pieces}, size)
    return element("path", d=data, fill="none", stroke=INK, stroke_width=2.5, stroke_linecap="round")


def _straight(sides: Iterable[Side]) -> list[Side]:
    """Returns sides as lines as long as they are straight: first across by rows, and then the others."""
    going = {(one, _way(one, other)): other for one, other in sides}
    reached = {(other, way) for (_, way), other in going.items()}
    lines = []
    for one, way in going.keys() - reached:
        end = one
        while (end, way) in going:
            end = going[end, way]
        lines.append((one, end))
    return sorted(lines, key=_order)


def _order(line: Side) -> tuple[bool, float, float, Point]:
    """The place of a line in a path."""
    (x, y), end = line
    return (False, y, x, end) if y == end[1] else (True, x, y, end)


def _way(one: Point, other: Point) -> Point:
    """The direction of a side, without the errors of rounding."""
    return round(other[0] - one[0], 3), round(other[1] - one[1], 3)


def _named(name: object, outlines: Sequence[Sequence[Point]], colour: int, size: float) -> str:
    """The name of a piece, in the cell of it that is nearest to its middle, and small enough for that."""
    middles = [
        (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)) for points in outlines
    ]
    x, y = (sum(middle[k] for middle in middles) / len(middles) for k in (0, 1))
    k = min(range(len(middles)), key=lambda k: math.dist(middles[k], (x, y)))
    (x, y), ((x1, y1), (x2, y2)) = middles[k], outlines[k][:2]
    shown, wide = short(name, 4), size * 2 * math.dist((x, y), ((x1 + x2) / 2, (y1 + y2) / 2))  # of the disc inside
    high = min(wide * 0.55, wide * size * 0.9 / max(extent(shown, size), 1))
    return text(x * size, y * size + high * 0.36, shown, high, fill=readable(palette(colour)))


def different(pieces: Mapping[Any, Hashable]) -> list[Hashable]:
    """The pieces, in the order of their first cells."""
    return [piece for piece in dict.fromkeys(pieces[cell] for cell in sorted(pieces)) if piece is not None]


def check_places(pieces: object, form: tuple[str, ...]) -> None:
    if not isinstance(pieces, Mapping):
        raise TypeError(f"there is a {type(pieces).__name__} instead of a mapping from ({', '.join(form)}) to pieces")
    for cell in pieces:
        check_place(cell, form, "there is a piece in")


def check_place(place: object, form: tuple[str, ...], where: str) -> None:
    parts = tuple(place) if isinstance(place, Iterable) else (None,)
    if len(parts) != len(form) or not all(map(is_whole, parts)):
        kind = ValueError if all(map(is_whole, parts)) else TypeError
        raise kind(f"{where} {place!r:.40} instead of ({', '.join(form)}), {len(form)} whole numbers")


def _check_box(cells: Sequence[Cell], times: int) -> None:
    """Raises a ValueError if the rectangle around some cells is too large."""
    if cells:
        (top, left), (bottom, right) = (tuple(f(cell[k] for cell in cells) for k in (0, 1)) for f in (min, max))
        check_size(bottom - top + 1, right - left + 1, times)


def check_size(rows: int, columns: int, times: int = 1) -> None:
    if min(rows, columns) < 0:
        raise ValueError(f"there are {rows} x {columns} cells; there cannot be fewer than none")
    if rows * columns * times > MOST_CELLS:
        layers = f" in {times} layers" if times > 1 else ""
        raise ValueError(f"there are {rows} x {columns} cells{layers}; a picture has no more than {MOST_CELLS}")
