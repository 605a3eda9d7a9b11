"""Variants by name: what each adds to the regions of a layout."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, product
from types import MappingProxyType
from typing import Protocol, TypeAlias

from sudoku.layout.clashes import Clash
from sudoku.layout.regions import Box, Cell, Region, Shape, rectangle

ASTERISK = ((1, 4), (2, 2), (2, 6), (4, 1), (4, 4), (4, 7), (6, 2), (6, 6), (7, 4))
GIRANDOLA = ((0, 0), (0, 8), (1, 4), (4, 1), (4, 4), (4, 7), (7, 4), (8, 0), (8, 8))

# What holds all over the grid is not drawn: there would be nothing to see.
EVERYWHERE = frozenset({"group", "anti-king", "anti-knight", "non-consecutive"})


class Base(Protocol):
    """The layout that a variant is added to, with the methods that it needs."""

    @property
    def size(self) -> int:
        """The number n of digits."""

    @property
    def shape(self) -> Shape:
        """The rows and columns."""

    @property
    def box(self) -> Box | None:
        """The rows and columns of a box, if these are rectangles."""

    @property
    def regions(self) -> tuple[Region, ...]:
        """Its regions."""


Further: TypeAlias = Iterable[Region | Clash]


def diagonals(base: Base) -> Further:
    """X-sudoku: the two long diagonals."""
    last = _square(base, "x") - 1
    down = [(k, k) for k in range(last + 1)]
    return _regions("diagonal", down, [(r, last - c) for r, c in down])


def windows(base: Base) -> Further:
    """Windoku: windows of the size of the boxes, one cell away from the border and from each other."""
    n, side = _square(base, "windoku"), base.box[0] if base.box else 0
    if base.box != (side, side):
        raise ValueError(f"windoku is for boxes with as many rows as columns, not for {base!r}")
    starts = range(1, n - side, side + 1)
    return _regions("window", *(rectangle(r, c, side, side) for r in starts for c in starts))


def centres(base: Base) -> Further:
    """Centre dots: the cells in the middle of the boxes."""
    rows, columns = _box(base, "centre-dots")
    if not rows % 2 == columns % 2 == 1:
        raise ValueError(f"centre-dots is for boxes with a cell in the middle, not for those of {rows} x {columns}")
    return _regions("centre", _at(base.size, rows, columns, rows // 2, columns // 2))


def asterisk(base: Base) -> Further:
    """Asterisk sudoku: nine cells in the form of a star, one in each box."""
    return _nine(base, "asterisk", ASTERISK)


def girandola(base: Base) -> Further:
    """Girandola: the corners, the centre and the four cells between, one in each box."""
    return _nine(base, "girandola", GIRANDOLA)


def groups(base: Base) -> Further:
    """Disjoint groups: the cells at the same place of every box."""
    rows, columns = _box(base, "disjoint-groups")
    places = ((r, c) for r in range(rows) for c in range(columns))
    return _regions("group", *(_at(base.size, rows, columns, r, c) for r, c in places))


def anti_king(base: Base) -> Further:
    """Anti-king: no digit touches itself, not even at a corner; so no block of 2 x 2 has it twice."""
    of = _regions_of(base)
    corners = product(range(base.shape[0] - 1), range(base.shape[1] - 1))
    blocks = (sorted(of.keys() & rectangle(r, c, 2, 2)) for r, c in corners)
    # With fewer than four digits a block has too many cells for a region, and no digits that fit.
    parts = (part for block in blocks for part in ([block] if len(block) <= base.size else combinations(block, 2)))
    return _regions("anti-king", *dict.fromkeys(frozenset(part) for part in parts if _new(part, of)))


def anti_knight(base: Base) -> Further:
    """Anti-knight: no digit is a knight's move away from itself."""
    of = _regions_of(base)
    pairs = (((r, c), (r + dr, c + dc)) for r, c in sorted(of) for dr, dc in ((1, -2), (1, 2), (2, -1), (2, 1)))
    return _regions("anti-knight", *(pair for pair in pairs if pair[1] in of and _new(pair, of)))


def non_consecutive(base: Base) -> Iterator[Clash]:
    """Non-consecutive: neighbours in a row or a column do not differ by 1.

    Of d and d + 1 in both of them only one candidate can hold where a region has both cells; where none has, equal
    digits may be neighbours, and these are two clashes.
    """
    of, number = _regions_of(base), 0
    for r, c in sorted(of):
        for other in ((r, c + 1), (r + 1, c)):
            if other not in of:
                continue
            for d in range(1, base.size):
                one, two = ((r, c, d), (*other, d + 1)), ((r, c, d + 1), (*other, d))
                for candidates in (one, two) if _new(((r, c), other), of) else (one + two,):
                    yield Clash("non-consecutive", 0, number, frozenset(candidates))
                    number += 1


VARIANTS: Mapping[str, Callable[[Base], Further]] = MappingProxyType(
    {
        "x": diagonals,
        "windoku": windows,
        "centre-dots": centres,
        "asterisk": asterisk,
        "girandola": girandola,
        "disjoint-groups": groups,
        "anti-king": anti_king,
        "anti-knight": anti_knight,
        "non-consecutive": non_consecutive,
    }
)


def _regions(kind: str, *parts: Iterable[Cell]) -> list[Region]:
    return [Region(kind, k, frozenset(cells)) for k, cells in enumerate(parts)]


def _square(base: Base, name: str) -> int:
    """Returns the number of rows of a grid with as many of them as digits."""
    if base.shape != (base.size, base.size):
        raise ValueError(f"{name} is for grids with as many rows and columns as digits, not for {base!r}")
    return base.size


def _box(base: Base, name: str) -> Box:
    if base.box is None:
        raise ValueError(f"{name} is for rectangular boxes, not for {base!r}")
    return base.box


def _nine(base: Base, name: str, cells: Iterable[Cell]) -> list[Region]:
    if _square(base, name) != 9:
        raise ValueError(f"{name} is for grids of 9 rows, not for {base!r}")
    return _regions(name, cells)


def _at(n: int, rows: int, columns: int, r: int, c: int) -> list[Cell]:
    """The cells at one place of every box."""
    return [(top + r, left + c) for top in range(0, n, rows) for left in range(0, n, columns)]


def _regions_of(base: Base) -> dict[Cell, set[int]]:
    """The cells there are, and which regions each is in."""
    of: dict[Cell, set[int]] = defaultdict(set)
    for k, region in enumerate(base.regions):
        for cell in region.cells:
            of[cell].add(k)
    return dict(of)


def _new(cells: Iterable[Cell], of: Mapping[Cell, set[int]]) -> bool:
    """Tells whether several cells are not in one region already."""
    regions = [of[cell] for cell in cells]
    return len(regions) > 1 and not set.intersection(*regions)
