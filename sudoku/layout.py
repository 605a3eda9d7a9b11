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
            boxed form of text draws. The regions have such boxes.

    Raises:
        ValueError: the size is not between 2 and 64, the regions do not begin with the rows and columns, one has no
            cells, more than n, or one that is not (row, column) within the grid, two have the same kind and name, a
            kind is "cell", which is reserved, or the box is not that of the regions.

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
        if self.box is not None:
            object.__setattr__(self, "box", _checked_box(self.box, self.regions))
        object.__setattr__(self, "_hash", hash((self.size, self.regions, self.box)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        if self.box is not None and self is _boxes(*self.box):
            return as_layout, (self.box,)  # 52 bytes instead of 1,889, and 2 us to load instead of 430
        return Layout, (self.size, self.regions, self.box)  # another process takes other hashes of the same names

    def __repr__(self) -> str:
        kinds = Counter(region.kind for region in self.regions)
        of = f" of {self.box[0]} x {self.box[1]}" if self.box else ""
        parts = ", ".join(f"{kind} {number}{of if kind == 'box' else ''}" for kind, number in kinds.items())
        return f"Layout({self.size} x {self.size}: {parts})"

    @classmethod
    def boxes(cls, rows: int | None = None, columns: int | None = None) -> Layout:
        """The layout of a sudoku with rectangular boxes.

        Parameters:
            rows, columns: of a box; their product is n. Without them, 3 and 3.

        Raises:
            ValueError: they are not whole numbers from 1 with a product between 2 and 64, or one is missing
                where the other is not 3.

        >>> Layout.boxes(2, 3)
        Layout(6 x 6: row 6, column 6, box 6 of 2 x 3)
        """
        sides = [side for side in (rows, columns) if side is not None]
        if len(sides) == 1 and sides != [3]:
            raise ValueError(f"{sides[0]!r} alone is no box: give both, rows and columns of a box")
        return as_layout((sides[0], sides[1]) if len(sides) == 2 else None)

    @classmethod
    def jigsaw(cls, regions: str | Sequence[Sequence[int | str]]) -> Layout:
        """The layout of a jigsaw: n regions of n cells each, of any shape, take the place of the boxes.

        Parameters:
            regions: for each cell the name of its region, shape (n, n); or a text of n words of n letters.

        Raises:
            ValueError: this is no map, or no square one, or a region has more or fewer than n cells.

        >>> Layout.jigsaw("AAAB ACBB CCDB CDDD").regions[8].name
        'A'
        >>> Layout.jigsaw("AAAB AABB CCDB CDDD")
        Traceback (most recent call last):
        ...
        ValueError: the region 'A' has 5 cells instead of 4
        """
        names = _map(regions)
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
    def x(cls, rows: int | None = None, columns: int | None = None) -> Layout:
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
            kind: what they are called, but not "cell"; they are numbered from 0, or from the number that are there
                already.
            regions: at least one; the cells of each, (row, column) from 0, up to n of them, none twice.

        Raises:
            ValueError: the kind is no text, there is no region, one has a cell twice, or as for `Layout`; the message
                has the kind, the region and the value.

        >>> Layout.boxes(2, 2).with_regions("centre", [(1, 1), (1, 2), (2, 1), (2, 2)])
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, centre 1)
        """
        if not isinstance(kind, str):
            raise ValueError(f"the kind {kind!r:.40} is no text: with_regions takes the kind, and then the regions")
        if not regions:
            raise ValueError(f"there is no region of the kind {kind!r}")
        there = sum(region.kind == kind for region in self.regions)
        added = (Region(kind, k, _cells(cells, f"{kind} {k}")) for k, cells in enumerate(regions, there))
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


def _map(regions: str | Sequence[Sequence[int | str]]) -> list[list[int | str]]:
    """The names of the regions, row by row."""
    if isinstance(regions, np.ndarray):
        regions = np.asarray(regions).tolist()
    rows = regions.split() if isinstance(regions, str) else regions
    if not isinstance(rows, Sequence) or not all(isinstance(row, Sequence) for row in rows):
        raise ValueError(f"{regions!r:.40} is no map of regions: n rows of n names are")
    for k, row in enumerate(rows, 1):
        if odd := [name for name in row if not isinstance(name, (int, str, np.integer))]:
            raise ValueError(f"{odd[0]!r:.40} in row {k} of the map is no name: whole numbers and texts are")
    return [list(row) for row in rows]


def _lines(n: int) -> tuple[Region, ...]:
    """The rows and the columns."""
    rows = (Region("row", k, frozenset((k, c) for c in range(n))) for k in range(n))
    return *rows, *(Region("column", k, frozenset((r, k) for r in range(n))) for k in range(n))


def _rectangle(top: int, left: int, rows: int, columns: int) -> frozenset[Cell]:
    return frozenset((top + r, left + c) for r in range(rows) for c in range(columns))


def _boxes_of(rows: int, columns: int) -> list[frozenset[Cell]]:
    """The cells of each box, in reading order."""
    n = rows * columns
    return [_rectangle(r, c, rows, columns) for r in range(0, n, rows) for c in range(0, n, columns)]


def _cells(cells: Iterable[Cell], region: str) -> frozenset[Cell]:
    """The cells of a region as somebody lists them."""
    if not isinstance(cells, Iterable):
        raise ValueError(f"the region {region} is {cells!r:.40} instead of cells (row, column)")
    listed = [_cell(cell, region) for cell in cells]
    if twice := [cell for cell, times in Counter(listed).items() if times > 1]:
        raise ValueError(f"the region {region} has the cell {twice[0]} twice")
    return frozenset(listed)


def _cell(cell: Cell, region: str) -> Cell:
    pair = _pair(cell)
    if pair is None:
        raise ValueError(f"{cell!r:.40} in the region {region} is not a cell, (row, column) in whole numbers")
    return pair


def _pair(value: object) -> tuple[int, int] | None:
    """Two whole numbers, or None if the value is not that."""
    several = isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim == 1)
    sides = list(value) if several else []  # type: ignore[call-overload]
    if len(sides) != 2 or not all(isinstance(side, (int, np.integer)) for side in sides):
        return None
    return int(sides[0]), int(sides[1])


def _checked_box(box: Box, regions: Sequence[Region]) -> Box:
    """The rows and columns of a box, which the regions must have."""
    rows, columns = _sides(box)
    if not {region.cells for region in regions if region.kind == "box"}.issuperset(_boxes_of(rows, columns)):
        raise ValueError(f"the box is ({rows}, {columns}), but the regions have no boxes of {rows} x {columns}")
    return rows, columns


def _check_regions(n: int, regions: Sequence[Region]) -> None:
    seen: set[tuple[str, int | str]] = set()
    for kind, name, cells in regions:
        if not 1 <= len(cells) <= n:
            raise ValueError(f"the region {kind} {name} has {len(cells)} cells instead of 1 to {n}")
        whole = [_cell(cell, f"{kind} {name}") for cell in cells]
        outside = sorted((r, c) for r, c in whole if not (0 <= r < n and 0 <= c < n))
        if outside:
            raise ValueError(f"the cell {outside[0]} of the region {kind} {name} is not in a grid of {n} rows")
        if kind == "cell":
            raise ValueError(f"the region {kind} {name} has the kind 'cell', which is reserved")
        if (kind, name) in seen:
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
    return _boxes(*_sides(box))


@cache
def _boxes(rows: int, columns: int) -> Layout:
    boxes = (Region("box", k, cells) for k, cells in enumerate(_boxes_of(rows, columns)))
    return Layout(rows * columns, (*_lines(rows * columns), *boxes), (rows, columns))


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
    rows, columns = _sides(box)
    return rows * columns


def _sides(box: Box) -> Box:
    """The rows and columns of a box, checked."""
    sides = _pair(box)
    if sides is None or min(sides) < 1 or not 2 <= sides[0] * sides[1] <= MAX_SIZE:
        raise ValueError(f"the box {box!r} is not (rows, columns) of 2 to {MAX_SIZE} cells")
    return sides
