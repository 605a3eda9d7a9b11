"""Regions: cells that have no digit twice; and the checks of regions, and of all rules that are said in cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import isqrt
from typing import NamedTuple

import numpy as np

Box = tuple[int, int]
Cell = tuple[int, int]
Shape = tuple[int, int]

MAX_SIZE = 64
MAX_SIDE = 256  # rows or columns of several grids together


class Region(NamedTuple):
    """Cells that have no digit twice.

    Attributes:
        kind: what it is: "row", "column" or "box" (the regions of a jigsaw are its boxes), or the name of a variant's
            own kind, such as "diagonal".
        name: which one of its kind: a number from 0 in reading order, or a name.
        cells: (row, column), from 0.
    """

    kind: str
    name: int | str
    cells: frozenset[Cell]


def rows_and_columns(n: int, top: int = 0, left: int = 0, first: int = 0) -> tuple[Region, ...]:
    """The n rows and the n columns of a square, numbered from `first`, whose first cell is at (top, left)."""
    rows = (Region("row", first + k, rectangle(top + k, left, 1, n)) for k in range(n))
    return *rows, *(Region("column", first + k, rectangle(top, left + k, n, 1)) for k in range(n))


def rectangle(top: int, left: int, rows: int, columns: int) -> frozenset[Cell]:
    """The cells of a rectangle."""
    return frozenset((top + r, left + c) for r in range(rows) for c in range(columns))


def boxes_of(rows: int, columns: int, top: int = 0, left: int = 0) -> list[frozenset[Cell]]:
    """The cells of each box of a grid that begins in a row and a column, in reading order."""
    n = rows * columns
    return [rectangle(top + r, left + c, rows, columns) for r in range(0, n, rows) for c in range(0, n, columns)]


def sides_of(box: Box) -> Box:
    """Checks the rows and columns of a box."""
    sides = pair_of(box)
    if sides is None or min(sides) < 1 or not 2 <= sides[0] * sides[1] <= MAX_SIZE:
        raise ValueError(f"the box {box!r:.40} is not (rows, columns) of 2 to {MAX_SIZE} cells")
    return sides


def listed(cells: Iterable[Cell], owner: str) -> tuple[Cell, ...]:
    """Checks that cells as somebody lists them are cells, and none is there twice."""
    if not isinstance(cells, Iterable):
        raise ValueError(f"the {owner} is {cells!r:.40} instead of cells (row, column)")
    found = tuple(checked_cell(cell, owner) for cell in cells)
    if twice := [cell for cell, times in Counter(found).items() if times > 1]:
        raise ValueError(f"the {owner} has the cell {twice[0]} twice")
    return found


def checked_cell(cell: Cell, owner: str) -> Cell:
    """Checks that a cell is two whole numbers."""
    pair = pair_of(cell)
    if pair is None:
        raise ValueError(f"{cell!r:.40} in the {owner} is not a cell, (row, column) in whole numbers")
    return pair


def check_there(cells: Iterable[Cell], there: set[Cell], owner: str) -> None:
    """Checks that the cells of a rule are in the grid."""
    if outside := sorted(set(cells) - there):
        raise ValueError(f"the cell {outside[0]} of the {owner} is not in the grid")


def pair_of(value: object) -> tuple[int, int] | None:
    """Two whole numbers, or None if the value is not that."""
    several = isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim == 1)
    sides = list(value) if several else []  # type: ignore[call-overload]
    if len(sides) != 2 or not all(isinstance(side, (int, np.integer)) for side in sides):
        return None
    return int(sides[0]), int(sides[1])


def checked_shape(shape: Shape, size: int) -> Shape:
    """The rows and columns of a grid, 1 to 256 each; (0, 0) stands for as many as digits."""
    sides = pair_of(shape)
    if sides == (0, 0):
        return size, size
    if sides is None or not 1 <= min(sides) <= max(sides) <= MAX_SIDE:
        raise ValueError(f"the shape {shape!r:.40} is not (rows, columns) of 1 to {MAX_SIDE}")
    return sides


def checked_box(box: Box, regions: Sequence[Region]) -> Box:
    """Checks that the regions have such boxes."""
    rows, columns = sides_of(box)
    if not {region.cells for region in regions if region.kind == "box"}.issuperset(boxes_of(rows, columns)):
        raise ValueError(f"the box is ({rows}, {columns}), but the regions have no boxes of {rows} x {columns}")
    return rows, columns


def check_regions(size: int, shape: Shape, regions: Sequence[Region]) -> None:
    """Checks that regions have 1 to n cells of the grid, and names of their own, and that they are those of a grid."""
    square = shape == (size, size)
    if square and tuple(regions[: 2 * size]) != rows_and_columns(size):
        raise ValueError(f"the regions do not begin with the {size} rows and {size} columns")
    seen: set[tuple[str, int | str]] = set()
    there = rectangle(0, 0, *shape)
    for kind, name, cells in regions:
        if not 1 <= len(cells) <= size:
            raise ValueError(f"the region {kind} {name} has {len(cells)} cells instead of 1 to {size}")
        if outside := sorted({checked_cell(cell, f"region {kind} {name}") for cell in cells} - there):
            of = f"{size} rows" if square else f"{shape[0]} x {shape[1]}"
            raise ValueError(f"the cell {outside[0]} of the region {kind} {name} is not in a grid of {of}")
        if kind == "cell":
            raise ValueError(f"the region {kind} {name} has the kind 'cell', which is reserved")
        if (kind, name) in seen:
            raise ValueError(f"the name {kind} {name} of a region is taken")
        seen.add((kind, name))
    if not square:
        _check_cells(size, shape, regions)


def _check_cells(size: int, shape: Shape, regions: Sequence[Region]) -> None:
    """Checks that each cell is in a region that has every digit, and that the shape is not too large."""
    cells = {cell for region in regions for cell in region.cells}
    whole = {cell for region in regions if len(region.cells) == size for cell in region.cells}
    if loose := sorted(cells - whole):
        raise ValueError(f"the cell {loose[0]} is in no region of {size} cells")
    last = tuple(max((cell[k] for cell in cells), default=-1) + 1 for k in (0, 1))
    if last != shape:
        raise ValueError(f"the shape {shape} has no cell in its last row or in its last column")


def checked_map(regions: str | Sequence[Sequence[int | str]]) -> list[list[int | str]]:
    """Checks the names of the regions of a jigsaw, row by row."""
    if isinstance(regions, np.ndarray):
        regions = np.asarray(regions).tolist()
    rows = regions.split() if isinstance(regions, str) else regions
    if not isinstance(rows, Sequence) or not all(isinstance(row, Sequence) for row in rows):
        raise ValueError(f"{regions!r:.40} is no map of regions: n rows of n names are")
    for k, row in enumerate(rows, 1):
        if odd := [name for name in row if not isinstance(name, (int, str, np.integer))]:
            raise ValueError(f"{odd[0]!r:.40} in row {k} of the map is no name: whole numbers and texts are")
    return [list(row) for row in rows]


def another_box(rows: int) -> str:
    """The advice, where a grid seems to have so many rows and another number was expected, to say which box it has."""
    heights = [height for height in range(2, isqrt(max(rows, 0)) + 1) if rows % height == 0]
    if not heights or rows > MAX_SIZE:
        return ""
    height, width = heights[-1], rows // heights[-1]
    return f"; for grids of {rows} rows say which box: --box {height}x{width}, or box=({height}, {width})"
