"""The rules of a sudoku as a value: its size, its regions, and the relations between its cells.

A grid has n rows of n *cells*, and the digits 1 to n. A *region* is a set of at most n cells that repeats no digit. So
a region of n cells has every digit exactly once. Rows, columns and boxes are regions. A *box* has a rows and b columns,
with n = a b. A *band* is a row of boxes, and a *stack* a column of boxes. Several grids that share cells are one layout
of another shape, in which cells may be missing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, combinations, groupby, pairwise, product
from math import isqrt
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.constraints import (
    Cell,
    Line,
    Region,
    Sum,
    Total,
    cell_of,
    keeps,
    listed,
    tuple_of,
)
from sudoku.rules import mark_family

Box = tuple[int, int]
Shape = tuple[int, int]
Rule = tuple[str, int | str]  # kind and name

MAX_SIZE = 64
MAX_SIDE = 256  # rows or columns of a layout of several grids
SAMURAI = ((0, 0), (0, 12), (6, 6), (12, 0), (12, 12))
ASTERISK = ((1, 4), (2, 2), (2, 6), (4, 1), (4, 4), (4, 7), (6, 2), (6, 6), (7, 4))
GIRANDOLA = ((0, 0), (0, 8), (1, 4), (4, 1), (4, 4), (4, 7), (7, 4), (8, 0), (8, 8))

PLAIN = ("row", "column", "box")  # the kinds of regions of plain sudoku
# Rules of the whole grid, which are not drawn
EVERYWHERE = frozenset({"group", "anti-king", "anti-knight", "non-consecutive"})


def is_everywhere(kind: str) -> bool:
    """Returns whether rules of a kind hold in the whole grid, as those of `Layout.with_negative`."""
    return kind in EVERYWHERE or kind.startswith("no-")


def rows_and_columns(n: int, top: int = 0, left: int = 0, first: int = 0) -> tuple[Region, ...]:
    """Returns the n rows and n columns of a square with its first cell at (top, left), numbered from `first`."""
    rows = (Region("row", first + k, rectangle(top + k, left, 1, n)) for k in range(n))
    return *rows, *(Region("column", first + k, rectangle(top, left + k, n, 1)) for k in range(n))


def rectangle(top: int, left: int, rows: int, columns: int) -> frozenset[Cell]:
    return frozenset((top + r, left + c) for r in range(rows) for c in range(columns))


def boxes_of(rows: int, columns: int, top: int = 0, left: int = 0) -> list[frozenset[Cell]]:
    """Returns the cells of each box of a grid with its first cell at (top, left), in reading order."""
    n = rows * columns
    return [rectangle(top + r, left + c, rows, columns) for r in range(0, n, rows) for c in range(0, n, columns)]


def sides_of(box: Box) -> Box:
    """Returns the rows and columns of a box; raises ValueError."""
    sides: Box | None = tuple_of(box, 2)
    if sides is None or min(sides) < 1 or not 2 <= sides[0] * sides[1] <= MAX_SIZE:
        raise ValueError(f"the box {box!r:.40} is not (rows, columns) of 2 to {MAX_SIZE} cells")
    return sides


def checked_shape(shape: Shape, size: int) -> Shape:
    """Returns the rows and columns of a grid, 1 to 256 each; (0, 0) means (n, n)."""
    sides: Shape | None = tuple_of(shape, 2)
    if sides == (0, 0):
        return size, size
    if sides is None or not 1 <= min(sides) <= max(sides) <= MAX_SIDE:
        raise ValueError(f"the shape {shape!r:.40} is not (rows, columns) of 1 to {MAX_SIDE}")
    return sides


def checked_box(box: Box, regions: Sequence[Region]) -> Box:
    """Returns the rows and columns of a box if the regions have such boxes; raises ValueError."""
    rows, columns = sides_of(box)
    if not {region.cells for region in regions if region.kind == "box"}.issuperset(boxes_of(rows, columns)):
        raise ValueError(f"the box is ({rows}, {columns}), but the regions have no boxes of {rows} x {columns}")
    return rows, columns


def check_regions(size: int, shape: Shape, regions: Sequence[Region]) -> None:
    """Raises ValueError unless the regions are those of a grid, with 1 to n cells each."""
    square, there = shape == (size, size), rectangle(0, 0, *shape)
    if square and tuple(regions[: 2 * size]) != rows_and_columns(size):
        raise ValueError(f"the regions do not begin with the {size} rows and {size} columns")
    for kind, name, cells in regions:
        if not 1 <= len(cells) <= size:
            raise ValueError(f"the region {kind} {name} has {len(cells)} cells instead of 1 to {size}")
        if outside := sorted({cell_of(cell, f"region {kind} {name}") for cell in cells} - there):
            of = f"{size} rows" if square else f"{shape[0]} x {shape[1]}"
            raise ValueError(f"the cell {outside[0]} of the region {kind} {name} is not in a grid of {of}")
    if square:
        return
    used = frozenset[Cell]().union(*(region.cells for region in regions))
    if loose := sorted(used.difference(*(region.cells for region in regions if len(region.cells) == size))):
        raise ValueError(f"the cell {loose[0]} is in no region of {size} cells")
    if shape != tuple(max((cell[k] for cell in used), default=-1) + 1 for k in (0, 1)):
        raise ValueError(f"the shape {shape} has no cell in its last row or in its last column")


def checked_map(regions: str | Sequence[Sequence[int | str]]) -> list[list[int | str]]:
    """Returns the rows of a jigsaw's map; raises ValueError."""
    if isinstance(regions, np.ndarray):
        regions = np.asarray(regions).tolist()
    rows = regions.split() if isinstance(regions, str) else regions
    if not isinstance(rows, Sequence) or not all(isinstance(row, Sequence) for row in rows):
        raise ValueError(f"{regions!r:.40} is no map of regions; a map has n rows of n names")
    for k, row in enumerate(rows, 1):
        if odd := [name for name in row if not isinstance(name, (int, str, np.integer))]:
            raise ValueError(f"{odd[0]!r:.40} in row {k} of the map is no name; a name is a whole number or a text")
        if len(row) != len(rows):
            raise ValueError(f"row {k} of the map has {len(row)} cells; it has {len(rows)} rows")
    return [list(row) for row in rows]


def another_box(rows: int) -> str:
    """Returns the advice to name the box, for a grid with an unexpected number of rows; "" if no box fits."""
    heights = [height for height in range(2, isqrt(max(rows, 0)) + 1) if rows % height == 0]
    if not heights or rows > MAX_SIZE:
        return ""
    height, width = heights[-1], rows // heights[-1]
    return f"; for grids of {rows} rows say which box: --box {height}x{width}, or layout=({height}, {width})"


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """The rules of a sudoku; made by a class method, and extended by the `with_` methods.

    Attributes:
        size: the number n of digits, 2 to 64; a square grid has n rows and n columns.
        regions: the n rows and n columns of a square grid, then the boxes, then others sorted by kind. A region of n
            cells has every digit exactly once, a smaller one at most once.
        box: the rows and columns of a box; None if the boxes are not rectangles.
        shape: the rows and columns of the grid, 1 to 256 each; (0, 0) becomes (n, n). In another shape, cells in no
            region are missing, all others are in a region of n cells, and the last row and column have cells.
        lines: cells along which digits restrict each other.
        sums: cells with a total. Lines and sums are sorted by kind, so that the order in which kinds were added does
            not matter.

    Raises:
        ValueError: a rule is not as described here and in `Region`, `Line` and `Sum`, or leaves the grid; two
            have the same kind and name; or a kind is "cell", which is reserved.

    Layouts can be compared, and be keys of dictionaries.

    >>> Layout.boxes(2, 2)
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2)
    """

    size: int
    regions: tuple[Region, ...]
    box: Box | None = None
    shape: Shape = (0, 0)
    lines: tuple[Line, ...] = ()
    sums: tuple[Sum, ...] = ()
    _hash: int = field(init=False, compare=False)  # kept, since each call with a layout looks it up

    def __post_init__(self) -> None:
        if not 2 <= self.size <= MAX_SIZE:
            raise ValueError(f"the size {self.size} of the layout is not between 2 and {MAX_SIZE}")
        object.__setattr__(self, "shape", checked_shape(self.shape, self.size))
        check_regions(self.size, self.shape, self.regions)
        object.__setattr__(self, "regions", _sorted(self.regions))
        if self.box is not None:
            object.__setattr__(self, "box", checked_box(self.box, self.regions))
        if self.lines or self.sums:
            there = set(self.cells())
            object.__setattr__(self, "lines", _sorted(line.checked(self.size, there) for line in self.lines))
            object.__setattr__(self, "sums", _sorted(one.checked(self.size, there, self.regions) for one in self.sums))
        self._check_names()
        object.__setattr__(self, "_hash", hash(self._values()))

    def _check_names(self) -> None:
        """Raises ValueError if rules share a kind and name, or a kind is "cell"."""
        for (kind, name), times in Counter(self._names()).items():
            if times > 1 or kind == "cell":
                raise ValueError(f"the name {kind} {name} is {'reserved' if kind == 'cell' else 'taken'}")

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return Layout, self._values()  # without the hash, which differs between processes

    def _values(self) -> tuple[object, ...]:
        return self.size, self.regions, self.box, self.shape, self.lines, self.sums

    def __repr__(self) -> str:
        of = f" of {self.box[0]} x {self.box[1]}" if self.box else ""
        parts = ", ".join(f"{kind} {number}{of if kind == 'box' else ''}" for kind, number in self.kinds().items())
        digits = "" if self.is_square else f" with {self.size} digits"
        return f"Layout({self.shape[0]} x {self.shape[1]}{digits}: {parts})"

    @property
    def is_square(self) -> bool:
        """Whether the grid has n rows and n columns, so that no cell is missing."""
        return self.shape == (self.size, self.size)

    @property
    def is_plain(self) -> bool:
        """Whether this is plain sudoku, with nine rows, columns and boxes of 3 x 3 and no other rules."""
        return self == as_layout(None)

    @classmethod
    def boxes(cls, rows: int | None = None, columns: int | None = None) -> Layout:
        """Returns the layout of a sudoku with rectangular boxes.

        Parameters:
            rows, columns: of a box; their product is n; default: 3 and 3.

        Raises:
            ValueError: they are not whole numbers from 1 with a product between 2 and 64, or only one is given.

        >>> Layout.boxes(2, 3)
        Layout(6 x 6: row 6, column 6, box 6 of 2 x 3)
        """
        sides = [side for side in (rows, columns) if side is not None]
        if len(sides) == 1 and sides != [3]:
            raise ValueError(f"{sides[0]!r} alone is no box: give both, rows and columns of a box")
        return as_layout((sides[0], sides[1]) if len(sides) == 2 else None)

    @classmethod
    def jigsaw(cls, regions: str | Sequence[Sequence[int | str]]) -> Layout:
        """Returns the layout of a jigsaw: n regions of n cells, of any shape, in place of the boxes.

        Parameters:
            regions: the name of the region of each cell, shape (n, n); or a text of n words of n letters.

        Raises:
            ValueError: the map is not square, a name has a wrong type, or a region has another number of cells.

        >>> Layout.jigsaw("AAAB ACBB CCDB CDDD").regions[8].name
        'A'
        >>> Layout.jigsaw("AAAB AABB CCDB CDDD")
        Traceback (most recent call last):
        ...
        ValueError: the region 'A' has 5 cells instead of 4
        """
        names = checked_map(regions)
        n = len(names)
        areas: defaultdict[int | str, list[Cell]] = defaultdict(list)
        for r, c in np.ndindex(n, n):
            areas[names[r][c]].append((r, c))
        for name, cells in areas.items():
            if len(cells) != n:
                raise ValueError(f"the region {name!r} has {len(cells)} cells instead of {n}")
        return cls(n, (*rows_and_columns(n), *(Region("box", name, frozenset(cells)) for name, cells in areas.items())))

    @classmethod
    def gattai(cls, *corners: Cell, box: Box = (3, 3)) -> Layout:
        """Returns the layout of several square grids that share cells, each with its rows, columns and boxes.

        Parameters:
            corners: the row and column of the first cell of each grid, from 0.
            box: the rows and columns of a box, of all grids.

        Raises:
            ValueError: there are no corners, two are equal, one is no pair of whole numbers from 0 or makes more than
                256 rows or columns, or the box is wrong.

        >>> Layout.gattai((0, 0), (6, 6))
        Layout(15 x 15 with 9 digits: row 18, column 18, box 17)
        """
        rows, columns = sides_of(box)
        n = rows * columns
        found = listed(corners, "list of corners")
        if not found or min(map(min, found)) < 0:
            raise ValueError(f"the corners {corners!r:.60} are not cells (row, column) from 0, one for each grid")
        both = chain.from_iterable(rows_and_columns(n, *corner, n * k) for k, corner in enumerate(found))
        shared = dict.fromkeys(chain.from_iterable(boxes_of(rows, columns, *corner) for corner in found))
        boxes = (Region("box", k, cells) for k, cells in enumerate(shared))
        shape = max(r for r, _ in found) + n, max(c for _, c in found) + n
        return cls(n, (*both, *boxes), (rows, columns) if len(found) == 1 and shape == (n, n) else None, shape)

    @classmethod
    def named(cls, names: str, layout: Box | Layout | None = None) -> Layout:
        """Returns a layout with variants.

        Parameters:
            names: names separated by commas, in any order and case: "x", "windoku", "centre-dots", "asterisk",
                "girandola", "disjoint-groups", "anti-king", "anti-knight", "non-consecutive", and "samurai" (five
                grids; the middle one shares its corner boxes with the others), which can be combined with the last
                three.
            layout: the rows and columns of a box, or a layout, to which the variants are added; default: 3 x 3.

        Raises:
            ValueError: a name is unknown, comes twice, or does not fit the grid or its boxes.

        >>> Layout.named("x, anti-knight")
        Layout(9 x 9: row 9, column 9, box 9 of 3 x 3, anti-knight 152, diagonal 2)
        >>> Layout.named("samurai")
        Layout(21 x 21 with 9 digits: row 45, column 45, box 41)
        """
        variants, base = [name.strip().lower() for name in names.split(",")], as_layout(layout)
        if "samurai" in variants:
            if base is not _boxes(3, 3):
                raise ValueError(f"samurai has grids with boxes of 3 x 3, not {base!r}")
            variants = [name for name in variants if name != "samurai"]
            base = cls.gattai(*SAMURAI)
        added: list[Region | Line] = []
        for name in variants:
            if name not in VARIANTS:
                raise ValueError(f"there is no variant {name!r:.40}: there are samurai, {', '.join(VARIANTS)}")
            variant = VARIANTS[name]
            if not variant.fits(base):
                raise ValueError(f"{name} is for {variant.what}, not for {base!r}")
            added += variant.adds(base)
        regions = (one for one in added if isinstance(one, Region))
        lines = (one for one in added if isinstance(one, Line))
        return replace(base, regions=(*base.regions, *regions), lines=(*base.lines, *lines))

    def with_regions(self, kind: str, *regions: Iterable[Cell]) -> Layout:
        """Returns the layout with regions added.

        Parameters:
            kind: the name of their kind, except "cell"; regions of a kind are numbered from 0.
            regions: the cells of each region, up to n cells (row, column) from 0.

        Raises:
            ValueError: the kind is no text, there is no region, a region repeats a cell, or as for `Layout`; the
                message names the kind, the region and the value.

        >>> Layout.boxes(2, 2).with_regions("centre", [(1, 1), (1, 2), (2, 1), (2, 2)])
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, centre 1)
        """
        if not isinstance(kind, str):
            raise ValueError(f"the kind {kind!r:.40} is no text: with_regions takes the kind, and then the regions")
        if not regions:
            raise ValueError(f"there is no region of the kind {kind!r}")
        numbered = enumerate(regions, self.kinds()[kind])
        added = (Region(kind, k, frozenset(listed(cells, f"region {kind} {k}"))) for k, cells in numbered)
        return replace(self, regions=(*self.regions, *added))

    def with_lines(self, kind: str, *lines: Iterable[Cell]) -> Layout:
        """Returns the layout with lines added, along which digits restrict each other.

        Parameters:
            kind: a kind of `Line`.
            lines: the cells of each line, in order.

        Raises:
            ValueError: the kind is unknown; or a line has too few or too many cells, repeats one, or leaves the grid.

        >>> layout = Layout.boxes(2, 2).with_lines("thermometer", [(0, 0), (0, 1), (0, 2), (0, 3)])
        >>> layout
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, thermometer 1)
        """
        added = (Line(kind, k, cells) for k, cells in enumerate(lines, self.kinds()[kind]))  # type: ignore[arg-type]
        return replace(self, lines=(*self.lines, *added))

    def with_negative(self, *kinds: str) -> Layout:
        """Returns the layout with the negative rule for some kinds of marks: unmarked neighbours do not satisfy them.

        Parameters:
            kinds: kinds of marks between two cells, as "X" and "V", or "white-dot" and "black-dot". A pair with any dot
                (also a difference or a ratio) may satisfy another dot, too; the same holds for letters and totals.

        Raises:
            ValueError: the kind is not one of marks, or is already complete in this layout.

        >>> Layout.boxes(2, 2).with_lines("V", [(0, 0), (0, 1)]).with_negative("V")
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, V 1, no-V 23)
        """
        added: list[Line] = []
        there = self.kinds()
        for kind in dict.fromkeys(kinds):
            family = mark_family(kind)
            if not family:
                marks = "white-dot, black-dot, V, X, difference-3 are"
                raise ValueError(f"{kind!r:.40} is no mark between two cells: {marks}")
            if f"no-{kind}" in there:
                raise ValueError(f"the layout already has no-{kind}")
            lines = (line for line in self.lines if mark_family(line.kind) == family)
            marked = {frozenset(pair) for line in lines for pair in pairwise(line.cells)}
            pairs = (pair for pair in self.neighbours() if frozenset(pair) not in marked)
            added += (Line(f"no-{kind}", k, pair) for k, pair in enumerate(pairs))
        return replace(self, lines=(*self.lines, *added))  # one check for all: of 40 ratios in 25 rows they took 27 s

    def with_sums(self, kind: str, *sums: tuple[Total, Iterable[Cell]]) -> Layout:
        """Returns the layout with sums added. A total that no digits have is no error: there is no completion.

        Parameters:
            kind: a kind of `Sum`.
            sums: for each sum, its total (a number, the cell of a circle, or others of `Sum`) and its cells.

        Raises:
            ValueError: a sum is not as described in `Sum`.

        >>> Layout.boxes(2, 2).with_sums("cage", (5, [(0, 0), (0, 1)]), (9, [(1, 0), (1, 1), (1, 2)]))
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, cage 2)
        """
        added = []
        for k, one in enumerate(sums, self.kinds()[kind]):
            if not isinstance(one, Sequence) or len(one) != 2:
                raise ValueError(f"the {kind} {k} is {one!r:.40} instead of a total and cells")
            added.append(Sum(kind, k, one[1], one[0]))  # type: ignore[arg-type]
        return replace(self, sums=(*self.sums, *added))

    def kinds(self) -> Counter[str]:
        """Returns the number of regions, lines and sums of each kind.

        >>> Layout.named("x", (2, 2)).kinds()["diagonal"], Layout.boxes().kinds()["cage"]
        (2, 0)
        """
        return Counter(kind for kind, _ in self._names())

    def _names(self) -> Iterator[tuple[str, int | str]]:
        """Returns the kind and name of each region, line and sum."""
        rules: tuple[Region | Line | Sum, ...] = (*self.regions, *self.lines, *self.sums)
        return ((rule.kind, rule.name) for rule in rules)

    def distinct_regions(self) -> list[Region]:
        """Returns the regions without those that have the same cells as an earlier one.

        >>> [region.kind for region in Layout.boxes(1, 2).distinct_regions()]  # whose boxes are its rows
        ['row', 'row', 'column', 'column']
        """
        first: dict[frozenset[Cell], Region] = {}
        for region in self.regions:
            first.setdefault(region.cells, region)
        return list(first.values())

    def broken(self, grid: npt.NDArray[np.uint8]) -> str:
        """Returns the kind and name of the first line, sum or region that a grid breaks, or "".

        Parameters:
            grid: digits, and 0 for blanks, of the layout's shape; sums with a blank are skipped.

        >>> layout = Layout.boxes(1, 2).with_sums("cage", (3, [(0, 0), (0, 1)])).with_lines("V", [(0, 0), (1, 0)])
        >>> layout.broken(np.array([[1, 2], [0, 0]])), layout.broken(np.array([[1, 2], [2, 1]]))
        ('', 'V 0')
        """
        rules: list[Line | Sum] = [*self.lines, *self.sums]
        for one in rules:
            if not keeps(one, grid, self.size, self.parts):
                return str(one)
        for region in self.regions:
            digits = [digit for cell in region.cells if (digit := int(grid[cell]))]
            if len(set(digits)) < len(digits):
                return f"{region.kind} {region.name}"
        return ""

    def parts(self, line: Line | Sum) -> list[tuple[Cell, ...]]:
        """Returns the parts of a line in each box.

        >>> layout = Layout.boxes(2, 2).with_lines("region-sum", [(0, 1), (1, 1), (1, 2), (0, 2)])
        >>> layout.parts(layout.lines[0])
        [((0, 1), (1, 1)), ((1, 2), (0, 2))]
        """
        areas = self.areas()
        return [tuple(part) for _, part in groupby(line.cells, lambda cell: int(areas[cell]))]

    def neighbours(self) -> Iterator[tuple[Cell, Cell]]:
        """Yields the pairs of cells that share a side, each once.

        >>> list(Layout.boxes(1, 2).neighbours())
        [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1, 0), (1, 1))]
        """
        there = dict.fromkeys(self.cells())
        return (((r, c), other) for r, c in there for other in ((r, c + 1), (r + 1, c)) if other in there)

    def rules(self) -> list[Rule]:
        """Returns all rules except rows, columns and boxes, by kind and name.

        >>> Layout.boxes(2, 2).with_lines("V", [(0, 0), (0, 1)]).rules()
        [('V', 0)]
        """
        return [rule for rule in self._names() if rule[0] not in PLAIN]

    def without(self, *rules: Rule) -> Layout:
        """Returns the layout without some rules, given by kind and name.

        Raises:
            ValueError: there is no such rule, or it is a row, a column or a box.

        >>> Layout.named("x", (2, 2)).without(("diagonal", 1))
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, diagonal 1)
        """
        if wrong := set(rules) - set(self.rules()):
            raise ValueError(f"there is no rule {' '.join(map(str, min(wrong, key=str)))} to be left out")
        regions, lines, sums = (
            tuple(one for one in some if one[:2] not in rules) for some in (self.regions, self.lines, self.sums)
        )
        return replace(self, regions=regions, lines=lines, sums=sums)  # type: ignore[arg-type]

    def cells(self) -> list[Cell]:
        """Returns the cells, row by row.

        >>> len(Layout.named("samurai").cells())
        369
        """
        if self.is_square:
            return list(product(range(self.size), range(self.size)))
        return sorted(frozenset().union(*(region.cells for region in self.regions)))

    def mask(self) -> npt.NDArray[np.bool_]:
        """Returns where the layout has cells: bool, of its shape.

        >>> Layout.gattai((0, 0), (1, 1), box=(1, 2)).mask().tolist()
        [[True, True, False], [True, True, True], [False, True, True]]
        """
        found = np.zeros(self.shape, dtype=np.bool_)
        found[tuple(np.array(self.cells()).T)] = True
        return found

    def areas(self) -> npt.NDArray[np.intp]:
        """Returns a number for the set of boxes of each cell: int, of the layout's shape; -1 where a cell is missing.

        If each cell is in one box, it is the number of the box; without boxes, 0.

        >>> Layout.boxes(1, 2).areas().tolist()
        [[0, 0], [1, 1]]
        """
        boxes = [region for region in self.regions if region.kind == "box"]
        of = _regions_of(boxes)
        numbers: dict[tuple[int, ...], int] = {(): 0, **{(k,): k for k in range(len(boxes))}}
        found = np.full(self.shape, -1, dtype=np.intp)
        for cell in self.cells():
            found[cell] = numbers.setdefault(tuple(of.get(cell, ())), len(numbers))
        return found


def as_layout(layout: Box | Layout | None) -> Layout:
    """Returns the layout of a parameter `layout`: a layout, the rows and columns of a box, or None for 3 x 3."""
    if isinstance(layout, Layout):
        return layout
    return _boxes(3, 3) if layout is None else _boxes(*sides_of(layout))


@cache
def _boxes(rows: int, columns: int) -> Layout:
    return Layout.gattai((0, 0), box=(rows, columns))


class Variant(NamedTuple):
    """A rule of the whole grid that has a name."""

    sentence: str  # describes the rule in documents
    adds: Callable[[Layout], Iterable[Region | Line]]
    what: str = "any grid"  # the layouts that it fits, for messages
    fits: Callable[[Layout], bool] = lambda base: True


def diagonals(base: Layout) -> list[Region]:
    down = [(k, k) for k in range(base.size)]
    return _regions("diagonal", down, [(r, base.size - 1 - c) for r, c in down])


def windows(base: Layout) -> list[Region]:
    side = isqrt(base.size)
    starts = range(1, base.size - side, side + 1)
    return _regions("window", *(rectangle(r, c, side, side) for r in starts for c in starts))


def groups(base: Layout) -> list[Region]:
    assert base.box is not None
    return _regions("group", *zip(*map(sorted, boxes_of(*base.box)), strict=True))


def centres(base: Layout) -> list[Region]:
    return _regions("centre", groups(base)[base.size // 2].cells)


def anti_king(base: Layout) -> list[Region]:
    """No block of 2 x 2 repeats a digit."""
    of = _plain_regions_of(base)
    corners = product(range(base.shape[0] - 1), range(base.shape[1] - 1))
    blocks = (sorted(of.keys() & rectangle(r, c, 2, 2)) for r, c in corners)
    # With fewer than four digits, a block is too large for a region, and its pairs have no solution either.
    parts = (part for block in blocks for part in ([block] if len(block) <= base.size else combinations(block, 2)))
    return _regions("anti-king", *dict.fromkeys(frozenset(part) for part in parts if _new(part, of)))


def anti_knight(base: Layout) -> list[Region]:
    of = _plain_regions_of(base)
    pairs = (((r, c), (r + dr, c + dc)) for r, c in sorted(of) for dr, dc in ((1, -2), (1, 2), (2, -1), (2, 1)))
    return _regions("anti-knight", *(pair for pair in pairs if pair[1] in of and _new(pair, of)))


def non_consecutive(base: Layout) -> list[Line]:
    return [Line("non-consecutive", k, pair) for k, pair in enumerate(base.neighbours())]


def _has_nine_rows(base: Layout) -> bool:
    return base.is_square and base.size == 9


VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        "x": Variant("the two long diagonals", diagonals, "square grids", lambda base: base.is_square),
        "windoku": Variant(
            "windows of the size of the boxes, one cell away from the border and from each other",
            windows,
            "boxes with as many rows as columns",
            lambda base: base.is_square and base.box == 2 * (isqrt(base.size),),
        ),
        "centre-dots": Variant(
            "the cells in the middle of the boxes",
            centres,
            "boxes with a cell in the middle",
            lambda base: base.box is not None and base.size % 2 == 1,
        ),
        "asterisk": Variant(
            "nine cells, one in each box, in the form of a star",
            lambda base: _regions("asterisk", ASTERISK),
            "grids of 9 rows",
            _has_nine_rows,
        ),
        "girandola": Variant(
            "nine cells, one in each box: the corners, the centre and the four cells between",
            lambda base: _regions("girandola", GIRANDOLA),
            "grids of 9 rows",
            _has_nine_rows,
        ),
        "disjoint-groups": Variant(
            "the cells at the same place of every box",
            groups,
            "rectangular boxes",
            lambda base: base.box is not None,
        ),
        "anti-king": Variant("no digit touches itself, not even at a corner", anti_king),
        "anti-knight": Variant("no digit is a knight's move away from itself", anti_knight),
        "non-consecutive": Variant("neighbours in a row or a column do not differ by 1", non_consecutive),
    }
)


def _sorted(rules: Iterable[Any]) -> tuple[Any, ...]:
    """Returns rules by kind; rows, columns and boxes come first, in their order."""
    return tuple(sorted(rules, key=lambda rule: "" if rule.kind in PLAIN else str(rule.kind)))


def _regions(kind: str, *parts: Iterable[Cell]) -> list[Region]:
    return [Region(kind, k, frozenset(cells)) for k, cells in enumerate(parts)]


def _regions_of(regions: Iterable[Region]) -> dict[Cell, list[int]]:
    """Returns the numbers of the regions of each cell."""
    of: defaultdict[Cell, list[int]] = defaultdict(list)
    for k, region in enumerate(regions):
        for cell in region.cells:
            of[cell].append(k)
    return dict(of)


def _plain_regions_of(base: Layout) -> dict[Cell, list[int]]:
    """Returns the rows, columns and boxes of each cell; a variant does not depend on others."""
    return _regions_of(region for region in base.regions if region.kind in PLAIN)


def _new(cells: Iterable[Cell], of: Mapping[Cell, Sequence[int]]) -> bool:
    """Returns whether several cells are in no common region."""
    regions = [set(of[cell]) for cell in cells]
    return len(regions) > 1 and not set.intersection(*regions)
