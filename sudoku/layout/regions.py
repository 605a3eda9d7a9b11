"""Regions: cells that have no digit twice, with the checks of whatever is said in cells."""

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
    """The n rows and the n columns of a square of cells.

    Parameters:
        n: how many.
        top, left: its first row and column.
        first: the number of its first row, and of its first column.

    >>> [(region.kind, region.name, min(region.cells)) for region in rows_and_columns(2, top=5, first=7)]
    [('row', 7, (5, 0)), ('row', 8, (6, 0)), ('column', 7, (5, 0)), ('column', 8, (5, 1))]
    """
    rows = (Region("row", first + k, rectangle(top + k, left, 1, n)) for k in range(n))
    return *rows, *(Region("column", first + k, rectangle(top, left + k, n, 1)) for k in range(n))


def rectangle(top: int, left: int, rows: int, columns: int) -> frozenset[Cell]:
    """The cells of a rectangle.

    >>> sorted(rectangle(1, 2, 1, 3))
    [(1, 2), (1, 3), (1, 4)]
    """
    return frozenset((top + r, left + c) for r in range(rows) for c in range(columns))


def boxes_of(rows: int, columns: int, top: int = 0, left: int = 0) -> list[frozenset[Cell]]:
    """The cells of each box of a grid that begins in a row and a column, in reading order.

    >>> [min(cells) for cells in boxes_of(1, 2, top=4)]
    [(4, 0), (5, 0)]
    """
    n = rows * columns
    return [rectangle(top + r, left + c, rows, columns) for r in range(0, n, rows) for c in range(0, n, columns)]


def sides_of(box: Box) -> Box:
    """The rows and columns of a box, checked.

    Raises:
        ValueError: they are not two whole numbers from 1, or their product is not between 2 and 64.

    >>> sides_of([2, 3])
    (2, 3)
    """
    sides = pair_of(box)
    if sides is None or min(sides) < 1 or not 2 <= sides[0] * sides[1] <= MAX_SIZE:
        raise ValueError(f"the box {box!r:.40} is not (rows, columns) of 2 to {MAX_SIZE} cells")
    return sides


def listed(cells: Iterable[Cell], owner: str) -> tuple[Cell, ...]:
    """Cells as somebody lists them, none of them twice.

    Parameters:
        cells: (row, column), whole numbers.
        owner: whose they are, for messages.

    Raises:
        ValueError: these are no cells, or one is there twice; the message names it.

    >>> listed([[0, 1], (1, 1)], "region extra 0")
    ((0, 1), (1, 1))
    """
    if not isinstance(cells, Iterable):
        raise ValueError(f"the {owner} is {cells!r:.40} instead of cells (row, column)")
    found = tuple(checked_cell(cell, owner) for cell in cells)
    if twice := [cell for cell, times in Counter(found).items() if times > 1]:
        raise ValueError(f"the {owner} has the cell {twice[0]} twice")
    return found


def checked_cell(cell: Cell, owner: str) -> Cell:
    """A cell as two whole numbers.

    Raises:
        ValueError: it is not that.

    >>> checked_cell((0, 0.5), "cage 1")
    Traceback (most recent call last):
    ...
    ValueError: (0, 0.5) in the cage 1 is not a cell, (row, column) in whole numbers
    """
    pair = pair_of(cell)
    if pair is None:
        raise ValueError(f"{cell!r:.40} in the {owner} is not a cell, (row, column) in whole numbers")
    return pair


def pair_of(value: object) -> tuple[int, int] | None:
    """Two whole numbers, or None if the value is not that.

    >>> pair_of([1, 2]), pair_of((1, 2.5)), pair_of("12")
    ((1, 2), None, None)
    """
    several = isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim == 1)
    sides = list(value) if several else []  # type: ignore[call-overload]
    if len(sides) != 2 or not all(isinstance(side, (int, np.integer)) for side in sides):
        return None
    return int(sides[0]), int(sides[1])


def another_box(rows: int) -> str:
    """Returns the addition to a message about a grid that seems to have this number of rows, where another was
    expected.

    >>> another_box(6), another_box(7)
    ('; for grids of 6 rows say which box: --box 2x3, or box=(2, 3)', '')
    """
    heights = [height for height in range(2, isqrt(max(rows, 0)) + 1) if rows % height == 0]
    if not heights or rows > MAX_SIZE:
        return ""
    height, width = heights[-1], rows // heights[-1]
    return f"; for grids of {rows} rows say which box: --box {height}x{width}, or box=({height}, {width})"
