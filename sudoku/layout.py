"""The rules of a sudoku as a value: its size, its regions, and the relations between its cells.

A grid has n rows of n *cells*, and the digits 1 to n. A *region* is a set of at most n cells that repeats no digit. So
a region of n cells has every digit exactly once. Rows, columns and boxes are regions. A *box* has a rows and b columns,
with n = a b. A *band* is a row of boxes, and a *stack* a column of boxes. Several grids that share cells are one layout
of another shape, in which cells may be missing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, combinations, pairwise, product
from math import isqrt
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.constraints import Cell, Constraint, Region, Total, listed, tuple_of
from sudoku.rules import kind_of

Box = tuple[int, int]
Shape = tuple[int, int]
Rule = tuple[str, int | str]  # kind and name

MAX_SIZE = 64
MAX_SIDE = 256  # rows or columns of a layout of several grids
SAMURAI = ((0, 0), (0, 12), (6, 6), (12, 0), (12, 12))
ASTERISK = ((1, 4), (2, 2), (2, 6), (4, 1), (4, 4), (4, 7), (6, 2), (6, 6), (7, 4))
GIRANDOLA = ((0, 0), (0, 8), (1, 4), (4, 1), (4, 4), (4, 7), (7, 4), (8, 0), (8, 8))

PLAIN = ("row", "column", "box")  # the kinds of regions of plain sudoku


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


def checked_shape(shape: Shape) -> Shape:
    """Returns the rows and columns of a grid, 1 to 256 each; raises ValueError."""
    sides: Shape | None = tuple_of(shape, 2)
    if sides is None or not 1 <= min(sides) <= max(sides) <= MAX_SIDE:
        raise ValueError(f"the shape {shape!r:.40} is not (rows, columns) of 1 to {MAX_SIDE}")
    return sides


def shape_of(size: int, regions: Sequence[Region]) -> Shape:
    """Returns the rows and columns of the grid whose cells are those of the rows; raises ValueError."""
    there = set(chain.from_iterable(region.cells for region in regions if region.kind == "row"))
    is_square = tuple(regions[: 2 * size]) == rows_and_columns(size)
    for region in regions[2 * size if is_square else 0 :]:
        is_row, number = region.kind == "row", len(region.cells)
        if is_row or not there.issuperset(region.cells):
            listed(region.cells, f"region {region}", there)
        if number > size or number < (size if is_row else 1):
            raise ValueError(f"the region {region} has {number} cells instead of {'' if is_row else '1 to '}{size}")
    shape = checked_shape((max((r for r, _ in there), default=-1) + 1, max((c for _, c in there), default=-1) + 1))
    if not there <= rectangle(0, 0, *shape):
        raise ValueError(f"the cell {min(there)} is not (row, column) from 0")
    if shape == (size, size) and not is_square:
        raise ValueError(f"the regions do not begin with the {size} rows and {size} columns")
    return shape


def box_of(size: int, regions: Sequence[Region]) -> Box | None:
    """Returns the rows and columns of the boxes of a square grid; None if they are not rectangles of one shape."""
    boxes = {region.cells for region in regions if region.kind == "box"}
    sides = ((rows, size // rows) for rows in range(1, size + 1) if size % rows == 0)
    fitting = (box for box in sides if rectangle(0, 0, *box) in boxes)
    return next((box for box in fitting if boxes.issuperset(boxes_of(*box))), None)


def another_box(rows: int) -> str:
    """Returns a hint to pass --box or layout, for a grid with an unexpected number of rows; "" if no box fits."""
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
            cells has every digit exactly once, a smaller one at most once. The cells of the rows are those of the grid.
        constraints: lines, then cells with totals, both sorted by kind, so that the order in which kinds were added
            does not matter.
        box: the rows and columns of a box; None if the boxes are not rectangles, or there are several grids.
        shape: the rows and columns of the grid, 1 to 256 each. If it is not square, cells may be missing.

    Raises:
        ValueError: a rule is not as described here and in `Region` and `Constraint`, or leaves the grid; two have the
            same kind and name; or a kind is "cell", which is reserved.
        TypeError: the constraints are something else, such as a box.

    Layouts can be compared, and be keys of dictionaries.

    >>> Layout.boxes(2, 2)
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2)
    """

    size: int
    regions: tuple[Region, ...]
    constraints: tuple[Constraint, ...] = ()
    box: Box | None = field(init=False, compare=False)
    shape: Shape = field(init=False, compare=False)
    _hash: int = field(init=False, compare=False)  # kept, since each call with a layout looks it up

    def __post_init__(self) -> None:
        if not 2 <= self.size <= MAX_SIZE:
            raise ValueError(f"the size {self.size} of the layout is not between 2 and {MAX_SIZE}")
        if self.constraints is None or not all(isinstance(one, Constraint) for one in self.constraints):
            raise TypeError(f"the layout has {self.constraints!r:.40} instead of constraints; regions give the box")
        shape = shape_of(self.size, self.regions)
        regions = tuple(sorted(self.regions, key=lambda region: "" if region.kind in PLAIN else region.kind))
        there = set(chain.from_iterable(region.cells for region in regions if region.kind == "row"))
        checked = (one.checked(self.size, there, regions) for one in self.constraints)
        constraints = tuple(sorted(checked, key=lambda one: (one.total is not None, one.kind)))
        object.__setattr__(self, "regions", regions)
        object.__setattr__(self, "constraints", constraints)
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "box", box_of(self.size, regions) if self.is_square else None)
        object.__setattr__(self, "_hash", hash((self.size, regions, constraints)))
        for (kind, name), times in Counter((rule.kind, rule.name) for rule in self.all_rules()).items():
            if times > 1 or kind == "cell":
                raise ValueError(f"the name {kind} {name} is {'reserved' if kind == 'cell' else 'taken'}")

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return Layout, (self.size, self.regions, self.constraints)  # without the hash, which differs between processes

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
    def lines(self) -> list[Constraint]:
        """The constraints without a total."""
        return [one for one in self.constraints if one.total is None]

    @property
    def sums(self) -> list[Constraint]:
        """The constraints with a total."""
        return [one for one in self.constraints if one.total is not None]

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
        if isinstance(regions, np.ndarray):
            regions = np.asarray(regions).tolist()
        areas: defaultdict[int | str, list[Cell]] = defaultdict(list)
        try:
            rows = regions.split() if isinstance(regions, str) else list(regions)
            for r, row in enumerate(rows):
                if len(row) != len(rows):
                    raise ValueError(f"row {r + 1} of the map has {len(row)} cells, and the map {len(rows)} rows")
                for c, name in enumerate(row):
                    areas[name].append((r, c))
        except TypeError:
            raise ValueError(f"{regions!r:.40} is no map of regions; a map has n rows of n names") from None
        n = len(rows)
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
        checked_shape((max(r for r, _ in found) + n, max(c for _, c in found) + n))  # before the regions are made
        return cls(n, (*both, *boxes))

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
        added: list[Region | Constraint] = []
        for name in variants:
            parts = parts_of(name, base)
            if there := {one.kind for one in parts} & {one.kind for one in (*base.regions, *added)}:
                raise ValueError(f"the layout already has {min(there)}")
            added += parts
        return with_rules(base, added)

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
        return with_rules(self, (Region(kind, 0, cells) for cells in regions))  # type: ignore[arg-type]

    def with_lines(self, kind: str, *lines: Iterable[Cell]) -> Layout:
        """Returns the layout with lines added, along which digits restrict each other.

        Parameters:
            kind: a kind of `Constraint` without a total.
            lines: the cells of each line, in order.

        Raises:
            ValueError: the kind is unknown; or a line has too few or too many cells, repeats one, or leaves the grid.

        >>> layout = Layout.boxes(2, 2).with_lines("thermometer", [(0, 0), (0, 1), (0, 2), (0, 3)])
        >>> layout
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, thermometer 1)
        """
        return with_rules(self, (Constraint(kind, 0, cells) for cells in lines))  # type: ignore[arg-type]

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
        added: list[Constraint] = []
        there = self.kinds()
        for kind in dict.fromkeys(kinds):
            record = kind_of(kind)
            if record is None or not record.marks:
                marks = "it must be white-dot, black-dot, V, X or difference-3"
                raise ValueError(f"{kind!r:.40} is not a mark between two cells; {marks}")
            if f"no-{kind}" in there:
                raise ValueError(f"the layout already has no-{kind}")
            lines = (line for line in self.lines if line.record.marks == record.marks)
            marked = {frozenset(pair) for line in lines for pair in pairwise(line.cells)}
            added += (Constraint(f"no-{kind}", 0, pair) for pair in self.neighbours() if frozenset(pair) not in marked)
        return with_rules(self, added)  # one check for all: of 40 ratios in 25 rows they took 27 s

    def with_sums(self, kind: str, *sums: tuple[Total, Iterable[Cell]]) -> Layout:
        """Returns the layout with sums added. A total that no digits have is no error: there is no completion.

        Parameters:
            kind: a kind of `Constraint` with a total.
            sums: for each sum, its total (a number, the cell of a circle, or others of `Constraint`) and its cells.

        Raises:
            ValueError: a sum is not as described in `Constraint`.

        >>> Layout.boxes(2, 2).with_sums("cage", (5, [(0, 0), (0, 1)]), (9, [(1, 0), (1, 1), (1, 2)]))
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, cage 2)
        """
        added = []
        for k, one in enumerate(sums, self.kinds()[kind]):
            if not isinstance(one, Sequence) or len(one) != 2:
                raise ValueError(f"the {kind} {k} is {one!r:.40}; expected a pair (total, cells)")
            added.append(Constraint(kind, 0, one[1], one[0]))  # type: ignore[arg-type]
        return with_rules(self, added)

    def all_rules(self) -> list[Region | Constraint]:
        """Returns the regions and the constraints."""
        return [*self.regions, *self.constraints]

    def kinds(self) -> Counter[str]:
        """Returns the number of regions, lines and sums of each kind.

        >>> Layout.named("x", (2, 2)).kinds()["diagonal"], Layout.boxes().kinds()["cage"]
        (2, 0)
        """
        return Counter(rule.kind for rule in self.all_rules())

    def distinct_regions(self) -> list[Region]:
        """Returns the regions without those that have the same cells as an earlier one.

        >>> [region.kind for region in Layout.boxes(1, 2).distinct_regions()]  # whose boxes are its rows
        ['row', 'row', 'column', 'column']
        """
        first: dict[frozenset[Cell], Region] = {}
        for region in self.regions:
            first.setdefault(region.cells, region)
        return list(first.values())

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
        return [(rule.kind, rule.name) for rule in self.all_rules() if rule.kind not in PLAIN]

    def without(self, *rules: Rule) -> Layout:
        """Returns the layout without some rules, given by kind and name.

        Raises:
            ValueError: there is no such rule, or it is a row, a column or a box.

        >>> Layout.named("x", (2, 2)).without(("diagonal", 1))
        Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, diagonal 1)
        """
        if wrong := set(rules) - set(self.rules()):
            raise ValueError(f"there is no rule {' '.join(map(str, min(wrong, key=str)))} to be left out")
        regions = tuple(one for one in self.regions if one[:2] not in rules)
        return Layout(self.size, regions, tuple(one for one in self.constraints if one[:2] not in rules))

    def cells(self) -> list[Cell]:
        """Returns the cells, row by row.

        >>> len(Layout.named("samurai").cells())
        369
        """
        if self.is_square:
            return list(product(range(self.size), range(self.size)))
        return sorted(frozenset().union(*(region.cells for region in self.regions if region.kind == "row")))

    def mask(self) -> npt.NDArray[np.bool_]:
        """Returns where the layout has cells: bool, of its shape.

        >>> Layout.gattai((0, 0), (1, 1), box=(1, 2)).mask().tolist()
        [[True, True, False], [True, True, True], [False, True, True]]
        """
        found = np.zeros(self.shape, dtype=np.bool_)
        found[tuple(np.array(self.cells()).T)] = True
        return found

    def areas(self) -> npt.NDArray[np.intp]:
        """Returns the number of the box of each cell: int, of the layout's shape; -1 where a cell is missing.

        A cell of several boxes has the number of the last one; without boxes, all numbers are 0.

        >>> Layout.boxes(1, 2).areas().tolist()
        [[0, 0], [1, 1]]
        """
        found = np.where(self.mask(), 0, -1)
        boxes = [region.cells for region in self.regions if region.kind == "box"]
        for k, cells in enumerate(boxes):
            found[tuple(np.array([*cells]).T)] = k
        return found


def as_layout(layout: Box | Layout | None) -> Layout:
    """Returns the layout of a parameter `layout`: a layout, the rows and columns of a box, or None for 3 x 3."""
    if isinstance(layout, Layout):
        return layout
    return _boxes(3, 3) if layout is None else _boxes(*sides_of(layout))


@cache
def _boxes(rows: int, columns: int) -> Layout:
    return Layout.gattai((0, 0), box=(rows, columns))


def with_rules(layout: Layout, rules: Iterable[Region | Constraint]) -> Layout:
    """Returns the layout with rules, each named by the next number of its kind; raises ValueError."""
    numbers, there = layout.kinds(), set(layout.cells())
    regions, constraints = list(layout.regions), list(layout.constraints)
    for rule in rules:
        number = numbers[rule.kind]
        numbers[rule.kind] += 1
        if isinstance(rule, Region):
            is_right = isinstance(rule.cells, frozenset) and rule.cells <= there
            cells = rule.cells if is_right else frozenset(listed(rule.cells, f"region {rule.kind} {number}", there))
            regions.append(Region(rule.kind, number, cells))
        else:
            constraints.append(rule._replace(name=number))
    return Layout(layout.size, tuple(regions), tuple(constraints))


def parts_of(name: str, base: Layout) -> list[Region] | list[Constraint]:
    """Returns the rules of a variant; raises ValueError if there is no such variant, or it does not fit the grid."""
    if name not in VARIANTS:
        raise ValueError(f"there is no variant {name!r:.40}: there are samurai, {', '.join(VARIANTS)}")
    variant = VARIANTS[name]
    if not FITS[variant.what](base):
        raise ValueError(f"{name} is for {variant.what}, not for {base!r}")
    return variant.adds(base)


class Variant(NamedTuple):
    """A rule of the whole grid that has a name."""

    sentence: str  # describes the rule in documents
    what: str  # the layouts that it fits, a key of FITS
    adds: Callable[[Layout], list[Region] | list[Constraint]]


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


def anti_king(base: Layout) -> list[Region]:
    """No block of 2 x 2 repeats a digit."""
    there = set(base.cells())
    corners = product(range(base.shape[0] - 1), range(base.shape[1] - 1))
    blocks = (sorted(there & rectangle(r, c, 2, 2)) for r, c in corners)
    # With fewer than four digits, a block is too large for a region, and its pairs have no solution either.
    parts = (part for block in blocks for part in ([block] if len(block) <= base.size else combinations(block, 2)))
    return _new_regions(base, "anti-king", dict.fromkeys(map(frozenset, parts)))


def anti_knight(base: Layout) -> list[Region]:
    there = dict.fromkeys(base.cells())
    moves = ((1, -2), (1, 2), (2, -1), (2, 1))
    pairs = (((r, c), (r + down, c + across)) for r, c in there for down, across in moves)
    return _new_regions(base, "anti-knight", (frozenset(pair) for pair in pairs if pair[1] in there))


# Names of sets of layouts, for messages, and whether a layout is one of a set.
FITS: Mapping[str, Callable[[Layout], bool]] = {
    "any grid": lambda base: True,
    "square grids": lambda base: base.is_square,
    "grids of 9 rows": lambda base: base.is_square and base.size == 9,
    "rectangular boxes": lambda base: base.box is not None,
    "boxes with as many rows as columns": lambda base: base.box == 2 * (isqrt(base.size),),
    "boxes with a cell in the middle": lambda base: base.box is not None and base.size % 2 == 1,
}
_VARIANTS = {
    "x": Variant("the two long diagonals", "square grids", diagonals),
    "windoku": Variant(
        "windows of the size of the boxes, one cell away from the border and from each other",
        "boxes with as many rows as columns",
        windows,
    ),
    "centre-dots": Variant(
        "the cells in the middle of the boxes",
        "boxes with a cell in the middle",
        lambda base: _regions("centre", groups(base)[base.size // 2].cells),
    ),
    "asterisk": Variant(
        "nine cells, one in each box, in the form of a star",
        "grids of 9 rows",
        lambda base: _regions("asterisk", ASTERISK),
    ),
    "girandola": Variant(
        "nine cells, one in each box: the corners, the centre and the four cells between",
        "grids of 9 rows",
        lambda base: _regions("girandola", GIRANDOLA),
    ),
    "disjoint-groups": Variant("the cells at the same place of every box", "rectangular boxes", groups),
    "anti-king": Variant("no digit touches itself, not even at a corner", "any grid", anti_king),
    "anti-knight": Variant("no digit is a knight's move away from itself", "any grid", anti_knight),
    "non-consecutive": Variant(
        "neighbours in a row or a column do not differ by 1",
        "any grid",
        lambda base: [Constraint("non-consecutive", 0, pair) for pair in base.neighbours()],
    ),
}
VARIANTS: Mapping[str, Variant] = MappingProxyType(_VARIANTS)


def _regions(kind: str, *parts: Iterable[Cell]) -> list[Region]:
    return [Region(kind, k, frozenset(cells)) for k, cells in enumerate(parts)]


def _new_regions(base: Layout, kind: str, parts: Iterable[frozenset[Cell]]) -> list[Region]:
    """Returns regions of several cells that are in no common row, column or box."""
    of: defaultdict[Cell, set[int]] = defaultdict(set)  # the regions of each cell
    for k, region in enumerate(base.regions):
        if region.kind in PLAIN:
            for cell in region.cells:
                of[cell].add(k)
    return _regions(kind, *(part for part in parts if len(part) > 1 and not set.intersection(*(of[c] for c in part))))
