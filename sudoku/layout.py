"""What a sudoku asks, as a value: its size, its regions, and which of them hold each digit once.

Words: a grid has n rows of n *cells*, and the digits 1 to n. A *region* is a set of at most n cells in which no digit
stands twice; a region of n cells so has every digit exactly once. Rows, columns and boxes are regions. A *box* has a
rows and b columns, and n = a b; a *band* is a row of boxes and a *stack* is a column of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Box = tuple[int, int]
Cell = tuple[int, int]

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


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """The regions of a sudoku; build one with `boxes`, `jigsaw`, `x` or `windoku`, and add to it with `with_regions`.

    Attributes:
        size: the number n of rows, columns and digits.
        regions: the n rows, then the n columns, then all others. Those of n cells have every digit exactly once, those
            of fewer cells at most once.
        box: the rows and columns of a box, or None where the boxes are no rectangles in rows and columns: what the
            boxed form of text draws.

    Raises:
        ValueError: the size is not between 2 and 64, the regions do not begin with the rows and columns, one has no
            cells, more than n, or one outside the grid, or two have the same kind and name.

    Layouts are equal where size, regions and box are, and can be keys of dictionaries.

    >>> Layout.boxes(2, 2)
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2)
    """

    size: int
    regions: tuple[Region, ...]
    box: Box | None = None
    _hash: int = field(init=False, compare=False)  # taken once: every call with a layout looks its tables up

    def __post_init__(self) -> None:
        if not 2 <= self.size <= MAX_SIZE:
            raise ValueError(f"the size {self.size} of the layout is not between 2 and {MAX_SIZE}")
        if self.regions[: 2 * self.size] != _lines(self.size):
            raise ValueError(f"the regions do not begin with the {self.size} rows and {self.size} columns")
        _check_regions(self.size, self.regions)
        object.__setattr__(self, "_hash", hash((self.size, self.regions, self.box)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return Layout, (self.size, self.regions, self.box)  # another process takes other hashes of the same names

    def __repr__(self) -> str:
        kinds = Counter(region.kind for region in self.regions)
        of = f" of {self.box[0]} x {self.box[1]}" if self.box else ""
        parts = ", ".join(f"{kind} {number}{of if kind == 'box' else ''}" for kind, number in kinds.items())
        return f"Layout({self.size} x {self.size}: {parts})"

    @classmethod
    def boxes(cls, rows: int = 3, columns: int = 3) -> Layout:
        """The layout of a sudoku with rectangular boxes.

        Parameters:
            rows, columns: of a box; their product is n.

        Raises:
            ValueError: they are not whole numbers from 1 with a product between 2 and 64.

        >>> Layout.boxes(2, 3)
        Layout(6 x 6: row 6, column 6, box 6 of 2 x 3)
        """
        return as_layout((rows, columns))

    @classmethod
    def jigsaw(cls, regions: str | Sequence[Sequence[int | str]]) -> Layout:
        """The layout of a jigsaw: n regions of n cells each, of any shape, take the place of the boxes.

        Parameters:
            regions: for each cell the name of its region, shape (n, n); or a text of n words of n letters.

        Raises:
            ValueError: the map is no square, or a region has more or fewer than n cells.

        >>> Layout.jigsaw("AAAB ACBB CCDB CDDD").regions[8].name
        'A'
        >>> Layout.jigsaw("AAAB AABB CCDB CDDD")
        Traceback (most recent call last):
        ...
        ValueError: the region 'A' has 5 cells instead of 4
        """
        names = [list(row) for row in (regions.split() if isinstance(regions, str) else regions)]
        n = len(names)
        wrong = next((k for k, row in enumerate(names) if len(row) != n), None)
        if wrong is not None:
            raise ValueError(f"row {wrong + 1} of the map has {len(names[wrong])} cells; it has {n} rows")
        areas: dict[int | str, list[Cell]] = {}
        for r, c in np.ndindex(n, n):
            areas.setdefault(names[r][c], []).append((r, c))
        for name, cells in areas.items():
            if len(cells) != n:
                raise ValueError(f"the region {name!r} has {len(cells)} cells instead of {n}")
        return cls(n, (*_lines(n), *(Region("box", name, frozenset(cells)) for name, cells in areas.items())))

    @classmethod
    def x(cls, rows: int = 3, columns: int = 3) -> Layout:
        """The layout of an X-sudoku: the boxes and the two long diagonals.

        Parameters and errors: as for `boxes`.

        >>> Layout.x()
        Layout(9 x 9: row 9, column 9, box 9 of 3 x 3, diagonal 2)
        """
        plain = cls.boxes(rows, columns)
        last = plain.size - 1
        down = [(k, k) for k in range(plain.size)]
        return plain.with_regions("diagonal", down, [(r, last - c) for r, c in down])

    @classmethod
    def windoku(cls, side: int = 3) -> Layout:
        """The layout of a windoku: the boxes and, one cell away from the border and from each other, windows.

        Parameters:
            side: the rows and columns of a box and of a window; between 2 and 8.

        Raises:
            ValueError: the side is no such number.

        >>> Layout.windoku()
        Layout(9 x 9: row 9, column 9, box 9 of 3 x 3, window 4)
        """
        plain = cls.boxes(side, side)
        starts = range(1, plain.size - side, side + 1)
        return plain.with_regions("window", *(_rectangle(r, c, side, side) for r in starts for c in starts))

    def with_regions(self, kind: str, *regions: Iterable[Cell]) -> Layout:
        """The layout with further regions.

        Parameters:
            kind: what they are called; they are numbered from 0, or from the number that are there already.
            regions: the cells of each, (row, column) from 0; up to n of them.

        Raises:
            ValueError: as for `Layout`.

        >>> Layout.boxes(2, 2).with_regions("centre", [(1, 1), (1, 2), (2, 1), (2, 2)])
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, centre 1)
        """
        there = sum(region.kind == kind for region in self.regions)
        added = (
            Region(kind, k, frozenset((int(r), int(c)) for r, c in cells)) for k, cells in enumerate(regions, there)
        )
        return Layout(self.size, (*self.regions, *added), self.box)

    def areas(self) -> npt.NDArray[np.intp]:
        """Which box each cell is in: a number for each, shape (n, n); 0 everywhere if there are no boxes.

        >>> Layout.boxes(1, 2).areas().tolist()
        [[0, 0], [1, 1]]
        """
        found = np.zeros((self.size, self.size), dtype=np.intp)
        for k, region in enumerate(region for region in self.regions if region.kind == "box"):
            found[tuple(np.array(sorted(region.cells)).T)] = k
        return found


def _lines(n: int) -> tuple[Region, ...]:
    """The rows and the columns."""
    rows = (Region("row", k, frozenset((k, c) for c in range(n))) for k in range(n))
    return *rows, *(Region("column", k, frozenset((r, k) for r in range(n))) for k in range(n))


def _rectangle(top: int, left: int, rows: int, columns: int) -> frozenset[Cell]:
    return frozenset((top + r, left + c) for r in range(rows) for c in range(columns))


def _check_regions(n: int, regions: Sequence[Region]) -> None:
    seen: set[tuple[str, int | str]] = set()
    for kind, name, cells in regions:
        if not 1 <= len(cells) <= n:
            raise ValueError(f"the region {kind} {name} has {len(cells)} cells instead of 1 to {n}")
        outside = sorted((r, c) for r, c in cells if not (0 <= r < n and 0 <= c < n))
        if outside:
            raise ValueError(f"the cell {outside[0]} of the region {kind} {name} is not in a grid of {n} rows")
        if kind == "cell" or (kind, name) in seen:
            raise ValueError(f"the name {kind} {name} of a region is taken")
        seen.add((kind, name))


def as_layout(box: Box | Layout | None) -> Layout:
    """What every function of the package that takes `box` makes of it: a layout.

    Parameters:
        box: a layout, which is returned; the rows and columns of a box; or None, for boxes of 3 x 3.

    Raises:
        ValueError: the box is not a pair of whole numbers from 1, or their product is not between 2 and 64.

    >>> as_layout((2, 2)) == Layout.boxes(2, 2), as_layout(None)
    (True, Layout(9 x 9: row 9, column 9, box 9 of 3 x 3))
    """
    if isinstance(box, Layout):
        return box
    if box is None:
        return _boxes(3, 3)
    grid_size(box)
    return _boxes(int(box[0]), int(box[1]))


@cache
def _boxes(rows: int, columns: int) -> Layout:
    n = rows * columns
    corners = [(r, c) for r in range(0, n, rows) for c in range(0, n, columns)]
    boxes = (Region("box", k, _rectangle(r, c, rows, columns)) for k, (r, c) in enumerate(corners))
    return Layout(n, (*_lines(n), *boxes), (rows, columns))


def grid_size(box: Box | Layout) -> int:
    """The number of rows, columns and digits of a grid.

    Parameters:
        box: the rows and columns of a box, or a layout.

    Raises:
        ValueError: the box is not a pair of whole numbers from 1, or their product is not between 2 and 64.

    >>> grid_size((3, 3)), grid_size((2, 3)), grid_size(Layout.windoku())
    (9, 6, 9)
    """
    if isinstance(box, Layout):
        return box.size
    whole = len(box) == 2 and all(isinstance(side, (int, np.integer)) and side >= 1 for side in box)
    if not whole or not 2 <= box[0] * box[1] <= MAX_SIZE:
        raise ValueError(f"the box {box!r} is not (rows, columns) of 2 to {MAX_SIZE} cells")
    return int(box[0]) * int(box[1])
