"""The rules of a sudoku as a value: its size, its regions, and the relations between its cells.

Words: a grid has n rows of n *cells*, and the digits 1 to n. A *region* is a set of at most n cells in which no digit
stands twice; a region of n cells so has every digit exactly once. Rows, columns and boxes are regions. A *box* has a
rows and b columns, and n = a b; a *band* is a row of boxes and a *stack* is a column of them. Several grids that share
cells are one layout of another shape, in which some cells may be missing.
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
    Candidate,
    Cell,
    Clash,
    Line,
    Region,
    Sum,
    Total,
    clashes_of,
    keeps,
    listed,
    tuple_of,
    whole_numbers,
)
from sudoku.rules import marks_beside

Box = tuple[int, int]
Shape = tuple[int, int]
Rule = tuple[str, int | str]  # its kind and its name

MAX_SIZE = 64
MAX_SIDE = 256  # rows or columns of several grids together
SAMURAI = ((0, 0), (0, 12), (6, 6), (12, 0), (12, 12))
ASTERISK = ((1, 4), (2, 2), (2, 6), (4, 1), (4, 4), (4, 7), (6, 2), (6, 6), (7, 4))
GIRANDOLA = ((0, 0), (0, 8), (1, 4), (4, 1), (4, 4), (4, 7), (7, 4), (8, 0), (8, 8))

# Rules all over the grid are not drawn: there would be nothing to see.
EVERYWHERE = frozenset({"group", "anti-king", "anti-knight", "non-consecutive"})


def is_everywhere(kind: str) -> bool:
    """Tells whether rules of a kind are all over the grid, as what `Layout.with_negative` adds."""
    return kind in EVERYWHERE or kind.startswith("no-")


def rows_and_columns(n: int, top: int = 0, left: int = 0, first: int = 0) -> tuple[Region, ...]:
    """The n rows and the n columns of a square, numbered from `first`, whose first cell is at (top, left)."""
    rows = (Region("row", first + k, rectangle(top + k, left, 1, n)) for k in range(n))
    return *rows, *(Region("column", first + k, rectangle(top, left + k, n, 1)) for k in range(n))


def rectangle(top: int, left: int, rows: int, columns: int) -> frozenset[Cell]:
    return frozenset((top + r, left + c) for r in range(rows) for c in range(columns))


def boxes_of(rows: int, columns: int, top: int = 0, left: int = 0) -> list[frozenset[Cell]]:
    """The cells of each box of a grid that begins in a row and a column, in reading order."""
    n = rows * columns
    return [rectangle(top + r, left + c, rows, columns) for r in range(0, n, rows) for c in range(0, n, columns)]


def sides_of(box: Box) -> Box:
    """Checks the rows and columns of a box."""
    sides: Box | None = tuple_of(box, 2)
    if sides is None or min(sides) < 1 or not 2 <= sides[0] * sides[1] <= MAX_SIZE:
        raise ValueError(f"the box {box!r:.40} is not (rows, columns) of 2 to {MAX_SIZE} cells")
    return sides


def checked_shape(shape: Shape, size: int) -> Shape:
    """The rows and columns of a grid, 1 to 256 each; (0, 0) stands for as many as digits."""
    sides: Shape | None = tuple_of(shape, 2)
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
    """Checks that regions have 1 to n cells of the grid, and that they are those of a grid."""
    square, there = shape == (size, size), rectangle(0, 0, *shape)
    if square and tuple(regions[: 2 * size]) != rows_and_columns(size):
        raise ValueError(f"the regions do not begin with the {size} rows and {size} columns")
    for kind, name, cells in regions:
        if not 1 <= len(cells) <= size:
            raise ValueError(f"the region {kind} {name} has {len(cells)} cells instead of 1 to {size}")
        if outside := sorted({whole_numbers(cell, 2, f"region {kind} {name}") for cell in cells} - there):
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
    """Checks the names of the regions of a jigsaw, row by row."""
    if isinstance(regions, np.ndarray):
        regions = np.asarray(regions).tolist()
    rows = regions.split() if isinstance(regions, str) else regions
    if not isinstance(rows, Sequence) or not all(isinstance(row, Sequence) for row in rows):
        raise ValueError(f"{regions!r:.40} is no map of regions: n rows of n names are")
    for k, row in enumerate(rows, 1):
        if odd := [name for name in row if not isinstance(name, (int, str, np.integer))]:
            raise ValueError(f"{odd[0]!r:.40} in row {k} of the map is no name: whole numbers and texts are")
        if len(row) != len(rows):
            raise ValueError(f"row {k} of the map has {len(row)} cells; it has {len(rows)} rows")
    return [list(row) for row in rows]


def another_box(rows: int) -> str:
    """The advice, where a grid seems to have so many rows and another number was expected, to say which box it has."""
    heights = [height for height in range(2, isqrt(max(rows, 0)) + 1) if rows % height == 0]
    if not heights or rows > MAX_SIZE:
        return ""
    height, width = heights[-1], rows // heights[-1]
    return f"; for grids of {rows} rows say which box: --box {height}x{width}, or layout=({height}, {width})"


@dataclass(frozen=True, slots=True, repr=False)
class Layout:
    """The rules of a sudoku; build one with a constructor, and add to it with the `with_` methods.

    Attributes:
        size: the number n of digits, 2 to 64, and of rows and columns where the grid is one square.
        regions: of a square the n rows, then the n columns, then all others, sorted by their kinds behind the boxes.
            Those of n cells have every digit exactly once, those of fewer cells at most once.
        box: the rows and columns of a box, or None where the boxes are no rectangles in rows and columns: what the
            boxed form of text draws. The regions have such boxes.
        shape: the rows and columns of the grid, 1 to 256 each; (0, 0) becomes (n, n). In any other shape the cells that
            are in no region are missing, all others are in a region of n cells, and some in the last row and column.
        clashes: candidates of which at most one may hold.
        lines: cells along which digits restrict each other.
        sums: cells with a total; clashes, lines and sums are sorted by their kinds, too, so that layouts with the same
            rules are equal in whatever order kinds of rules were added.

    Raises:
        ValueError: one of these is not as described here and in `Region`, `Clash`, `Line` and `Sum`, or outside of the
            grid; two have the same kind and name, or a kind is "cell", which is reserved.

    Layouts are equal where all of this is, and can be keys of dictionaries.

    >>> Layout.boxes(2, 2)
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2)
    """

    size: int
    regions: tuple[Region, ...]
    box: Box | None = None
    shape: Shape = (0, 0)
    clashes: tuple[Clash, ...] = ()
    lines: tuple[Line, ...] = ()
    sums: tuple[Sum, ...] = ()
    _hash: int = field(init=False, compare=False)  # taken once: every call with a layout looks its tables up

    def __post_init__(self) -> None:
        if not 2 <= self.size <= MAX_SIZE:
            raise ValueError(f"the size {self.size} of the layout is not between 2 and {MAX_SIZE}")
        object.__setattr__(self, "shape", checked_shape(self.shape, self.size))
        check_regions(self.size, self.shape, self.regions)
        object.__setattr__(self, "regions", tuple(sorted(self.regions, key=_place)))
        if self.box is not None:
            object.__setattr__(self, "box", checked_box(self.box, self.regions))
        if self.clashes or self.lines or self.sums:
            there = set(self.cells())
            object.__setattr__(self, "clashes", _by_kind(clash.checked(self.size, there) for clash in self.clashes))
            object.__setattr__(self, "lines", _by_kind(line.checked(self.size, there) for line in self.lines))
            object.__setattr__(self, "sums", _by_kind(one.checked(self.size, there, self.regions) for one in self.sums))
        self._check_names()
        object.__setattr__(self, "_hash", hash(self._values()))

    def _check_names(self) -> None:
        """Checks that no two regions, lines or sums have one name, nor clashes unless their numbers differ."""
        clashes = Counter(clash[:3] for clash in self.clashes)
        names = Counter(rule[:2] for rule in (*self.regions, *self.lines, *self.sums))
        names.update([*{clash[:2] for clash in clashes}, *(clash[:2] for clash in clashes if clashes[clash] > 1)])
        for (kind, name), times in names.items():
            if times > 1 or kind == "cell":
                raise ValueError(f"the name {kind} {name} is {'reserved' if kind == 'cell' else 'taken'}")

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        if self.box is not None and self is _boxes(*self.box):
            return as_layout, (self.box,)  # 52 bytes instead of 1,889, and 2 us to load instead of 430
        return Layout, self._values()  # another process takes other hashes of the same names

    def _values(self) -> tuple[object, ...]:
        return self.size, self.regions, self.box, self.shape, self.clashes, self.lines, self.sums

    def __repr__(self) -> str:
        of = f" of {self.box[0]} x {self.box[1]}" if self.box else ""
        parts = ", ".join(f"{kind} {number}{of if kind == 'box' else ''}" for kind, number in self.kinds().items())
        digits = "" if self.is_square else f" with {self.size} digits"
        return f"Layout({self.shape[0]} x {self.shape[1]}{digits}: {parts})"

    @property
    def is_square(self) -> bool:
        """Tells whether it has as many rows and columns as digits, and so no cell is missing."""
        return self.shape == (self.size, self.size)

    @property
    def is_plain(self) -> bool:
        """Tells whether it is that of plain sudoku, with nine rows, columns and boxes of 3 x 3, and nothing else."""
        return self == as_layout(None)

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
        """The layout of several square grids in one picture, each with its rows, columns and boxes, that share cells.

        Parameters:
            corners: for each grid the row and column of its first cell, from 0.
            box: the rows and columns of their boxes.

        Raises:
            ValueError: there is no grid, two are the same, one is no pair of whole numbers from 0, or leaves a picture
                of 256 rows and columns, or the box is none.

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
    def samurai(cls) -> Layout:
        """The layout of a samurai sudoku: five grids, of which the one in the middle shares its corner boxes.

        >>> Layout.samurai()
        Layout(21 x 21 with 9 digits: row 45, column 45, box 41)
        """
        return cls.gattai(*SAMURAI)

    @classmethod
    def named(cls, names: str, layout: Box | Layout | None = None) -> Layout:
        """The layout of variants by their names.

        Parameters:
            names: names with commas between them, in any order and of any case: "x", "windoku", "centre-dots",
                "asterisk", "girandola", "disjoint-groups", "anti-king", "anti-knight" and "non-consecutive"; of these
                the last three, which hold anywhere, go with "samurai", too.
            layout: what they are added to: the rows and columns of a box, or a layout; without it, boxes of 3 x 3.

        Raises:
            ValueError: there is no such name, one is there twice, or is for another shape of boxes or grid.

        >>> Layout.named("x, anti-knight")
        Layout(9 x 9: row 9, column 9, box 9 of 3 x 3, anti-knight 152, diagonal 2)
        """
        asked = [name.strip().lower() for name in names.split(",")]
        if "samurai" not in asked:
            return as_layout(layout).with_variants(*asked)
        if layout is not None and as_layout(layout) is not _boxes(3, 3):
            raise ValueError(f"samurai is of grids with boxes of 3 x 3, not of {as_layout(layout)!r}")
        return cls.samurai().with_variants(*(name for name in asked if name != "samurai"))

    def with_variants(self, *names: str) -> Layout:
        """The layout with what variants add to it.

        Parameters and errors: as for `named`, but for "samurai".

        >>> Layout.boxes(2, 2).with_variants("anti-king")
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, anti-king 5)
        """
        added: list[Region | Clash] = []
        for name in names:
            if name not in VARIANTS:
                known = f"{', '.join(VARIANTS)}; and samurai in Layout.named, --variant and files of rules"
                raise ValueError(f"there is no variant {name!r:.40}: there are {known}")
            variant = VARIANTS[name]
            if not variant.fits(self):
                raise ValueError(f"{name} is for {variant.what}, not for {self!r}")
            added += variant.adds(self)
        regions = (one for one in added if isinstance(one, Region))
        clashes = (one for one in added if isinstance(one, Clash))
        return replace(self, regions=(*self.regions, *regions), clashes=(*self.clashes, *clashes))

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
        numbered = enumerate(regions, self.kinds()[kind])
        added = (Region(kind, k, frozenset(listed(cells, f"region {kind} {k}"))) for k, cells in numbered)
        return replace(self, regions=(*self.regions, *added))

    def with_clashes(self, kind: str, *clashes: Iterable[Candidate]) -> Layout:
        """The layout with further clashes.

        Parameters:
            kind: what they are called.
            clashes: the candidates of each, of which at most one may hold: (row, column, digit), the first two from 0.

        Raises:
            ValueError: a clash has what is no candidate of the grid; the message names it.

        >>> Layout.boxes(2, 2).with_clashes("odd", [(0, 0, 1), (0, 0, 3), (3, 3, 1), (3, 3, 3)])
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, odd 1)
        """
        added = (Clash(kind, k, 0, one) for k, one in enumerate(clashes, self.kinds()[kind]))  # type: ignore[arg-type]
        return replace(self, clashes=(*self.clashes, *added))

    def with_lines(self, kind: str, *lines: Iterable[Cell]) -> Layout:
        """The layout with further lines, along which digits restrict each other.

        Parameters:
            kind: one of those of `Line`.
            lines: the cells of each, in their order.

        Raises:
            ValueError: there is no such kind; or a line has too few cells or too many, or one twice, or one that is not
                there.

        >>> layout = Layout.boxes(2, 2).with_lines("thermometer", [(0, 0), (0, 1), (0, 2), (0, 3)])
        >>> layout
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, thermometer 1)
        """
        added = (Line(kind, k, cells) for k, cells in enumerate(lines, self.kinds()[kind]))  # type: ignore[arg-type]
        return replace(self, lines=(*self.lines, *added))

    def with_negative(self, *kinds: str) -> Layout:
        """The layout in which nothing is unmarked: neighbours have what a mark says only where a mark stands.

        Parameters:
            kinds: of marks between two cells, such as "X" and "V", or "white-dot" and "black-dot". A pair with a dot
                of any kind, also of a difference or a ratio, may have what another dot says, and so may one with a
                letter or a total.

        Raises:
            ValueError: this is no kind of marks; or the layout has been told so already.

        >>> Layout.boxes(2, 2).with_lines("V", [(0, 0), (0, 1)]).with_negative("V")
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, V 1, no-V 23)
        """
        added: list[Line] = []
        there = self.kinds()
        for kind in dict.fromkeys(kinds):
            tells = marks_beside(kind)
            if f"no-{kind}" in there:
                raise ValueError(f"no-{kind} is there already")
            marked = {frozenset(pair) for line in self.lines if tells(line.kind) for pair in pairwise(line.cells)}
            pairs = (pair for pair in self.neighbours() if frozenset(pair) not in marked)
            added += (Line(f"no-{kind}", k, pair) for k, pair in enumerate(pairs))
        return replace(self, lines=(*self.lines, *added))  # one check for all: of 40 ratios in 25 rows they took 27 s

    def with_sums(self, kind: str, *sums: tuple[Total, Iterable[Cell]]) -> Layout:
        """The layout with further sums.

        Parameters:
            kind: one of those of `Sum`.
            sums: for each one its total as `Sum` has it, such as a number or the cell of a circle, and its cells.

        Raises:
            ValueError: it is not as described in `Sum`.

        A total that no digits have is no error: there are no completions.

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
        """The number of regions, clashes, lines and sums of each kind; clashes that share a name are one.

        >>> Layout.named("x", (2, 2)).kinds()["diagonal"], Layout.boxes().kinds()["cage"]
        (2, 0)
        """
        return Counter(kind for kind, _ in dict.fromkeys(self._names()))

    def _names(self) -> Iterator[tuple[str, int | str]]:
        """The kind and the name of everything that it is made of."""
        rules: tuple[Region | Clash | Line | Sum, ...] = (*self.regions, *self.clashes, *self.lines, *self.sums)
        return ((rule.kind, rule.name) for rule in rules)

    def distinct_regions(self) -> list[Region]:
        """The regions, but for those that have the same cells as one before them and so ask nothing more.

        >>> [region.kind for region in Layout.boxes(1, 2).distinct_regions()]  # whose boxes are its rows
        ['row', 'row', 'column', 'column']
        """
        first: dict[frozenset[Cell], Region] = {}
        for region in self.regions:
            first.setdefault(region.cells, region)
        return list(first.values())

    def all_clashes(self) -> Iterator[Clash]:
        """The clashes, and those that lines make.

        >>> sum(1 for _ in Layout.boxes().with_lines("thermometer", [(0, 0), (0, 1), (0, 2)]).all_clashes())
        18
        """
        yield from self.clashes
        for line in self.lines:
            yield from clashes_of(line, self.size)

    def broken(self, grid: npt.NDArray[np.uint8]) -> str:
        """The first clash, line or sum that the digits of a grid break, or nothing.

        Parameters:
            grid: digits, and 0 for blanks, of its shape; a sum with a blank is not asked.

        >>> layout = Layout.boxes(1, 2).with_sums("cage", (3, [(0, 0), (0, 1)])).with_lines("V", [(0, 0), (1, 0)])
        >>> layout.broken(np.array([[1, 2], [0, 0]])), layout.broken(np.array([[1, 2], [2, 1]]))
        ('', 'V 0')
        """
        for clash in self.all_clashes():
            if sum(int(grid[r, c]) == digit for r, c, digit in clash.candidates) > 1:
                return f"{clash.kind} {clash.name}"
        rules: list[Line | Sum] = [*self.lines, *self.sums]
        for one in rules:
            if not keeps(one, grid, self.size, self.parts(one) if one.kind == "region-sum" else ()):
                return str(one)
        return ""

    def parts(self, line: Line | Sum) -> list[tuple[Cell, ...]]:
        """Cuts a line where it comes into another box.

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
        """The rules that somebody has added: all but the rows, the columns and the boxes; clashes of one name together.

        >>> Layout.boxes(2, 2).with_lines("V", [(0, 0), (0, 1)]).rules()
        [('V', 0)]
        """
        return [rule for rule in dict.fromkeys(self._names()) if rule[0] not in ("row", "column", "box")]

    def without(self, *rules: Rule) -> Layout:
        """The layout without some rules, by their kinds and names.

        Raises:
            ValueError: there is no such rule, or it is a row, a column or a box.

        >>> Layout.named("x", (2, 2)).without(("diagonal", 1))
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, diagonal 1)
        """
        if wrong := set(rules) - set(self.rules()):
            raise ValueError(f"there is no rule {' '.join(map(str, min(wrong, key=str)))} to be left out")
        regions, clashes, lines, sums = (
            tuple(one for one in some if one[:2] not in rules)
            for some in (self.regions, self.clashes, self.lines, self.sums)
        )
        return replace(self, regions=regions, clashes=clashes, lines=lines, sums=sums)  # type: ignore[arg-type]

    def cells(self) -> list[Cell]:
        """The cells there are, row by row.

        >>> len(Layout.samurai().cells())
        369
        """
        if self.is_square:
            return list(product(range(self.size), range(self.size)))
        return sorted(frozenset().union(*(region.cells for region in self.regions)))

    def mask(self) -> npt.NDArray[np.bool_]:
        """Tells whether each cell is there; bool, of its shape.

        >>> Layout.gattai((0, 0), (1, 1), box=(1, 2)).mask().tolist()
        [[True, True, False], [True, True, True], [False, True, True]]
        """
        found = np.zeros(self.shape, dtype=np.bool_)
        found[tuple(np.array(self.cells()).T)] = True
        return found

    def areas(self) -> npt.NDArray[np.intp]:
        """Returns the boxes of each cell: a number for each set of boxes, of the shape; -1 where the cell is missing.

        Where each cell is in one box, these are the numbers of boxes; without boxes they are 0.

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
    """Makes a layout of the parameter `layout`: a layout, the sides of a box, or None for boxes of 3 x 3."""
    if isinstance(layout, Layout):
        return layout
    return _boxes(3, 3) if layout is None else _boxes(*sides_of(layout))


@cache
def _boxes(rows: int, columns: int) -> Layout:
    return Layout.gattai((0, 0), box=(rows, columns))


class Variant(NamedTuple):
    """A rule that holds all over the grid, by its name."""

    sentence: str  # what it adds, for documents
    adds: Callable[[Layout], Iterable[Region | Clash]]
    what: str = "any grid"  # what it is for
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
    """No block of 2 x 2 has a digit twice."""
    of = _plain_regions_of(base)
    corners = product(range(base.shape[0] - 1), range(base.shape[1] - 1))
    blocks = (sorted(of.keys() & rectangle(r, c, 2, 2)) for r, c in corners)
    # With fewer than four digits a block has too many cells for a region, and no digits that fit.
    parts = (part for block in blocks for part in ([block] if len(block) <= base.size else combinations(block, 2)))
    return _regions("anti-king", *dict.fromkeys(frozenset(part) for part in parts if _new(part, of)))


def anti_knight(base: Layout) -> list[Region]:
    of = _plain_regions_of(base)
    pairs = (((r, c), (r + dr, c + dc)) for r, c in sorted(of) for dr, dc in ((1, -2), (1, 2), (2, -1), (2, 1)))
    return _regions("anti-knight", *(pair for pair in pairs if pair[1] in of and _new(pair, of)))


def non_consecutive(base: Layout) -> list[Clash]:
    """Neighbours do not differ by 1.

    Of d and d + 1 in both of them only one candidate can hold where a region has both cells; where none has, equal
    digits may be neighbours, and these are two clashes.
    """
    of = _plain_regions_of(base)
    found: list[tuple[Candidate, ...]] = []
    for cell, other in base.neighbours():
        for d in range(1, base.size):
            one, two = ((*cell, d), (*other, d + 1)), ((*cell, d + 1), (*other, d))
            found += (one, two) if _new((cell, other), of) else (one + two,)
    return [Clash("non-consecutive", 0, k, frozenset(candidates)) for k, candidates in enumerate(found)]


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


def _by_kind(rules: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(rules, key=lambda rule: str(rule.kind)))


def _place(region: Region) -> str:
    """Sorts rows, columns and boxes before all other regions, and these by their kinds."""
    return "" if region.kind in ("row", "column", "box") else str(region.kind)


def _regions(kind: str, *parts: Iterable[Cell]) -> list[Region]:
    return [Region(kind, k, frozenset(cells)) for k, cells in enumerate(parts)]


def _regions_of(regions: Iterable[Region]) -> dict[Cell, list[int]]:
    """The cells there are, and the numbers of the regions that each is in."""
    of: defaultdict[Cell, list[int]] = defaultdict(list)
    for k, region in enumerate(regions):
        for cell in region.cells:
            of[cell].append(k)
    return dict(of)


def _plain_regions_of(base: Layout) -> dict[Cell, list[int]]:
    """Returns the rows, columns and boxes of each cell: what variants add does not depend on other variants."""
    return _regions_of(region for region in base.regions if not _place(region))


def _new(cells: Iterable[Cell], of: Mapping[Cell, Sequence[int]]) -> bool:
    """Tells whether several cells are not in one region already."""
    regions = [set(of[cell]) for cell in cells]
    return len(regions) > 1 and not set.intersection(*regions)
