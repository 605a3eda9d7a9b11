"""Pictures of tilings: pieces of squares or other polygons, each drawn as one area with its outline."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.problem.checks import is_whole
from dlx.problem.words import counted
from dlx.show.elements import (
    FAINT,
    INK,
    PALETTE,
    PAPER,
    Picture,
    check_room,
    element,
    extent,
    framed,
    number,
    palette,
    short,
    text,
)

Cell = tuple[int, int]
Point = tuple[float, float]
Corners = Sequence[Point]  # the corners of a cell, in order around it
Corner = Callable[[Cell], Corners]

MOST_CELLS = 10_000  # maximum rows times columns
SIZE = 26  # pixels of the side of a square cell
MARGIN = 12  # pixels
LINE = 2.5  # pixels of the lines around pieces
ONE_CHARACTER = 0.55  # height of a name, as a fraction of the diameter of the largest disc in a cell
HEIGHT = math.sqrt(3) / 2  # height of a triangle of side 1


def square(cell: Cell) -> Corners:
    """Returns the corners (x, y) of a square cell (row, column) of side 1.

    >>> square((2, 0))
    [(0, 2), (1, 2), (1, 3), (0, 3)]
    """
    row, column = cell
    return [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]


def _triangle(cell: Cell) -> Corners:
    """Returns the corners (x, y) of a triangle (row, column) of side 1; its apex is up if row + column is even."""
    row, column = cell
    outline = ((0, 0), (2, 0), (1, 1)) if (row + column) % 2 else ((1, 0), (2, 1), (0, 1))
    return [(round((column + x) / 2, 6), round((row + y) * HEIGHT, 6)) for x, y in outline]


def _hexagon(cell: Cell) -> Corners:
    """Returns the corners (x, y) of a hexagon (row, column) of side 1, where row + column is even."""
    row, column = cell
    outline = ((1, 0), (2, 1), (2, 3), (1, 4), (0, 3), (0, 1))
    return [(round((column + x) * HEIGHT, 6), round((3 * row + y) / 2, 6)) for x, y in outline]


CORNERS: dict[str, Corner] = {"square": square, "triangle": _triangle, "hexagon": _hexagon}  # by lattice


def tiling(
    pieces: Mapping[Cell, Hashable],
    *,
    size: float = SIZE,
    corners: Corner = square,
    colours: Mapping[Any, int] | None = None,
    names: Mapping[Any, object] | None = None,
    title: str = "",
) -> Picture:
    """Draws a region of any shape tiled with pieces, each in its colour.

    Parameters:
        pieces: the piece in each cell (row, column), or None in an empty cell.
        size: the side of a cell, in pixels.
        corners: returns the corners (x, y) of a cell, in sides of a cell, y down; neighbours share two of them.
            Default: squares; `dlx.tiles.TRIANGLES.corners` and `HEXAGONS.corners` draw triangles and hexagons.
        colours: for each piece the number of its colour in `PALETTE`, which repeats. Default: numbers in the order of
            the pieces, such that neighbours differ.
        names: the text in each piece.
        title: the title of the picture. Default: the numbers of cells and pieces.

    Raises:
        ValueError: the rectangle around all cells has more than 10,000 cells.
        TypeError: `pieces` is no mapping, or a cell is no pair of whole numbers.
        KeyError: a piece has no colour in `colours`.

    >>> picture = tiling({(0, 0): "L", (1, 0): "L", (1, 1): "L", (0, 1): None}, names={"L": "L"})
    >>> picture.caption, picture.count("<text")
    ('1 piece on 3 of 4 cells', 1)
    """
    check_cells(pieces, "row", "column")
    around, width, height = _around(pieces, corners)
    colours = coloured(pieces, _neighbours(around)) if colours is None else colours
    places: dict[Hashable, list[Corners]] = {}
    for cell in sorted(pieces):
        places.setdefault(pieces[cell], []).append(around[cell])
    empty = places.pop(None, [])
    parts = [element("path", d="".join(outline([cell], size) for cell in empty), fill=PAPER)] if empty else []
    parts += [element("path", d=outline(cells, size), fill=palette(colours[k])) for k, cells in places.items()]
    body = element("g", "".join(parts), stroke=INK, stroke_width=LINE, stroke_linejoin="round")
    written = (_name(names[k], cells, size) for k, cells in places.items() if names and k in names)
    covered = len(pieces) - len(empty)
    cells, several = counted(len(pieces), "cell"), counted(len(places), "piece")
    default = f"{several} on {covered} of {cells}" if empty else f"a tiling of {cells} by {several}"
    return framed(width * size, height * size, MARGIN, body, *written, title=title or default)


def region(cells: Iterable[Cell], *, size: float = SIZE, corners: Corner = square, title: str = "") -> Picture:
    """Draws an empty region of any shape: its cells with thin lines, and its outline.

    Parameters:
        cells: the cells (row, column).
        size: the side of a cell, in pixels.
        corners: as in `tiling`.
        title: the title of the picture. Default: the number of cells.

    Raises: as `tiling`.

    >>> region([(0, 0), (0, 1), (1, 1)]).caption
    'a region of 3 cells'
    """
    placed = dict.fromkeys(cells)
    check_cells(placed, "row", "column")
    around, width, height = _around(placed, corners)
    thin = "".join(outline([cell], size) for cell in around.values())
    area = element("path", d=thin, fill=PAPER, stroke=FAINT, stroke_opacity=0.3)
    border = element("path", d=outline(around.values(), size), fill="none", stroke=INK, stroke_width=LINE)
    default = f"a region of {counted(len(placed), 'cell')}"
    return framed(width * size, height * size, MARGIN, area, border, title=title or default)


def edge_of(corners: Corners, side: float) -> float:
    """Returns the edge of a cell with the same area as a square of a given side."""
    area = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in _clockwise(corners)) / 2
    return side / math.sqrt(area)


def outline(cells: Iterable[Corners], size: float, inset: float = 0.0) -> str:
    """Returns the lines around an area, as the data of a path.

    Parameters:
        cells: the corners of each cell.
        size: the length of a side, in pixels.
        inset: the distance of the lines from the border of the area, inwards, in sides.

    >>> outline([square((0, 0)), square((0, 1))], 10)
    'M0 0h20v10h-20z'
    >>> outline([square((0, 0)), square((0, 1))], 10, 0.1)
    'M1 1h18v8h-18z'
    """
    sides = {side for corners in cells for side in _clockwise(corners)}
    onwards: dict[Point, list[Point]] = {}  # edges from each point, the least point first
    for start, end in sorted(sides):
        if (end, start) not in sides:
            onwards.setdefault(start, []).append(end)
    parts = []
    while onwards:
        start = next(iter(onwards))
        line = [start, onwards[start].pop()]
        while line[-1] != start:
            ends = onwards[line[-1]]
            ends.sort(key=lambda end: _turn(line[-2], line[-1], end))  # the sharpest turn stays at the same cell
            line.append(ends.pop())
        for point in line[:-1]:
            if not onwards.get(point, True):
                del onwards[point]
        parts.append(_path(_within(line[:-1], inset), size))
    return "".join(parts)


def borders(areas: npt.NDArray[np.signedinteger], size: float) -> str:
    """Returns the lines around areas of square cells, as the data of a path to be drawn without a fill.

    Parameters:
        areas: the number of the area of each cell, shape (rows, columns); -1 is outside.
        size: the side of a cell, in pixels.

    >>> borders(np.array([[0, 0], [0, 1]]), 10)
    'M0 0h20v10h-10v10h-10zM10 10h10v10h-10z'
    """
    cells: dict[int, list[Corners]] = {}
    for cell, area in np.ndenumerate(areas):
        cells.setdefault(int(area), []).append(square(cell))
    return "".join(outline(corners, size) for area, corners in cells.items() if area >= 0)


def coloured(
    pieces: Mapping[Any, Hashable], neighbours: Iterable[tuple[Any, Any]], first: Mapping[Any, int] | None = None
) -> dict[Hashable, int]:
    """Returns a colour number for each piece: its number in `first`, or the next number that no neighbour has."""
    beside: dict[Hashable, set[Hashable]] = {}
    for one, other in neighbours:
        beside.setdefault(pieces[one], set()).add(pieces[other])
        beside.setdefault(pieces[other], set()).add(pieces[one])
    colours: dict[Hashable, int] = {}
    for k, piece in enumerate(different(pieces)):
        start = k if first is None else first[piece]
        order = [(start + i) % len(PALETTE) for i in range(len(PALETTE))]
        taken = {colours.get(other) for other in beside.get(piece, ())}
        colours[piece] = next((colour for colour in order if colour not in taken), order[0])
    return colours


def different(pieces: Mapping[Any, Hashable]) -> list[Hashable]:
    """Returns the pieces, in the order of their first cells."""
    return [piece for piece in dict.fromkeys(pieces[cell] for cell in sorted(pieces)) if piece is not None]


def check_cells(pieces: object, *axes: str) -> None:
    """Raises a TypeError unless the keys of a mapping are cells: one whole number for each axis."""
    form = f"({', '.join(axes)})"
    if not isinstance(pieces, Mapping):
        raise TypeError(f"there is a {type(pieces).__name__} instead of a mapping from cells {form} to pieces")
    for cell in pieces:
        if not (isinstance(cell, tuple) and len(cell) == len(axes) and all(map(is_whole, cell))):
            raise TypeError(f"{cell!r:.40} is no cell {form}; it has {len(axes)} whole numbers")


def _around(cells: Iterable[Cell], corners: Corner) -> tuple[dict[Cell, Corners], float, float]:
    """Returns the corners of cells, moved so that the least x and y are 0, with their width and height."""
    exact = {cell: corners(cell) for cell in cells}
    box = math.prod(max(numbers) - min(numbers) + 1 for numbers in zip(*exact, strict=True))
    check_room("the board", cells=(box, MOST_CELLS))
    points = [point for cell in exact.values() for point in cell] or [(0.0, 0.0)]
    (left, right), (top, bottom) = ((min(ends), max(ends)) for ends in zip(*points, strict=True))
    placed: dict[Cell, Corners] = {
        cell: [(round(x - left, 6), round(y - top, 6)) for x, y in around] for cell, around in exact.items()
    }
    return placed, right - left, bottom - top


def _clockwise(corners: Corners) -> list[tuple[Point, Point]]:
    """Returns the sides of a cell, clockwise."""
    sides = list(pairwise([*corners, corners[0]]))
    area = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in sides)
    return sides if area > 0 else [(end, start) for start, end in reversed(sides)]


def _neighbours(around: Mapping[Cell, Corners]) -> Iterator[tuple[Cell, Cell]]:
    """Yields the cells that have a side in common."""
    owners: dict[tuple[Point, Point], Cell] = {}
    for cell, corners in around.items():
        for start, end in _clockwise(corners):
            owners[start, end] = cell
            if (end, start) in owners:
                yield cell, owners[end, start]


def _turn(before: Point, at: Point, after: Point) -> float:
    """Returns the angle of a turn, positive to the right."""
    (x1, y1), (x2, y2) = ((at[0] - before[0], at[1] - before[1]), (after[0] - at[0], after[1] - at[1]))
    return math.atan2(x1 * y2 - x2 * y1, x1 * x2 + y1 * y2)


def _within(line: list[Point], inset: float) -> list[Point]:
    """Returns the corners of a closed line, each moved to the right of both its sides by `inset`."""
    found = []
    for before, at, after in zip([line[-1], *line[:-1]], line, [*line[1:], line[0]], strict=True):
        angle = _turn(before, at, after)
        if abs(angle) > 1e-3:
            dx, dy = ((at[k] - before[k]) / math.dist(before, at) for k in (0, 1))
            back = math.tan(angle / 2)
            found.append((at[0] - inset * (dy + dx * back), at[1] + inset * (dx - dy * back)))
    return found


def _path(points: Sequence[Point], size: float) -> str:
    """Returns a closed line as the data of a path."""
    (x, y), *others = points
    parts = [f"M{number(x * size)} {number(y * size)}"]
    for to_x, to_y in [*others, points[0]]:
        if abs(y - to_y) < 1e-6:
            parts.append(f"h{number((to_x - x) * size)}")
        elif abs(x - to_x) < 1e-6:
            parts.append(f"v{number((to_y - y) * size)}")
        else:
            parts.append(f"L{number(to_x * size)} {number(to_y * size)}")
        x, y = to_x, to_y
    return "".join(parts[:-1]) + "z"


def _name(name: object, cells: Sequence[Corners], size: float) -> str:
    """Draws the name of a piece, small enough for one cell, in the cell nearest to the middle of the piece."""
    centres = [[sum(ends) / len(ends) for ends in zip(*corners, strict=True)] for corners in cells]
    middle = [sum(ends) / len(ends) for ends in zip(*centres, strict=True)]
    k = min(range(len(cells)), key=lambda k: math.dist(centres[k], middle))
    (x, y), ((x1, y1), (x2, y2)) = centres[k], cells[k][:2]
    wide = 2 * size * math.dist((x, y), ((x1 + x2) / 2, (y1 + y2) / 2))  # the largest disc in the cell
    shown = short(name, 4)
    high = wide * min(ONE_CHARACTER, 0.9 / max(extent(shown, 1), 1e-6))
    return text(x * size, y * size + high * 0.36, shown, high)
