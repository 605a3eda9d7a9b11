"""The checks of a layout: every value of it is checked once, when it is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from sudoku.layout.clashes import LINES, Candidate, Clash, Line
from sudoku.layout.regions import (
    Box,
    Cell,
    Region,
    Shape,
    boxes_of,
    checked_cell,
    listed,
    pair_of,
    rectangle,
    rows_and_columns,
    sides_of,
)
from sudoku.layout.sums import SUMS, Sum, size_fault

MAX_SIDE = 256  # rows or columns of several grids together


def checked_shape(shape: Shape, size: int) -> Shape:
    """The rows and columns of a grid, which are as many as digits if nobody says anything else.

    Raises:
        ValueError: they are no numbers from 1 to 256.

    >>> checked_shape((0, 0), 9), checked_shape((21, 21), 9)
    ((9, 9), (21, 21))
    """
    sides = pair_of(shape)
    if sides == (0, 0):
        return size, size
    if sides is None or not 1 <= min(sides) <= max(sides) <= MAX_SIDE:
        raise ValueError(f"the shape {shape!r:.40} is not (rows, columns) of 1 to {MAX_SIDE}")
    return sides


def checked_box(box: Box, regions: Sequence[Region]) -> Box:
    """The rows and columns of a box, which the regions must have.

    Raises:
        ValueError: it is no box, or that of other regions.

    >>> checked_box([1, 2], [Region("box", k, cells) for k, cells in enumerate(boxes_of(1, 2))])
    (1, 2)
    """
    rows, columns = sides_of(box)
    if not {region.cells for region in regions if region.kind == "box"}.issuperset(boxes_of(rows, columns)):
        raise ValueError(f"the box is ({rows}, {columns}), but the regions have no boxes of {rows} x {columns}")
    return rows, columns


def check_regions(size: int, shape: Shape, regions: Sequence[Region]) -> None:
    """Checks that regions have 1 to n cells of the grid, and names of their own, and that they are those of a grid.

    Raises:
        ValueError: they do not begin with the rows and columns of a square, or leave a cell or a side of another shape
            out; or one has no cells, or too many, or one that is not there, or a name that is taken or reserved.

    >>> extra = Region("extra", 0, frozenset([(0, 4)]))
    >>> check_regions(4, (4, 4), [*rows_and_columns(4), extra])
    Traceback (most recent call last):
    ...
    ValueError: the cell (0, 4) of the region extra 0 is not in a grid of 4 rows
    """
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


def check_rules(
    size: int,
    regions: Sequence[Region],
    clashes: Sequence[Clash],
    lines: Sequence[Line],
    sums: Sequence[Sum],
) -> None:
    """Checks clashes, lines and sums: their kinds, their cells, and that each has a name of its own.

    Raises:
        ValueError: a cell or a digit is not there, a kind is none, or a name is taken; the message names it.

    >>> check_rules(2, rows_and_columns(2), (), [Line("V", 0, ((0, 0), (2, 0)))], ())
    Traceback (most recent call last):
    ...
    ValueError: the cell (2, 0) of the line V 0 is not in the grid
    """
    there = {cell for region in regions for cell in region.cells}
    for clash in clashes:
        owner = f"clash {clash.kind} {clash.name}"
        _check_there({(r, c) for r, c, _ in clash.candidates}, there, owner)
        if wrong := [d for _, _, d in clash.candidates if not 1 <= d <= size]:
            raise ValueError(f"the digit {wrong[0]} of the {owner} is not between 1 and {size}")
    for line in lines:
        _check_line(line, there)
    for one in sums:
        _check_sum(one, size, there, regions)
    _check_names(regions, clashes, lines, sums)


def _check_there(cells: Iterable[Cell], there: set[Cell], owner: str) -> None:
    if outside := sorted(set(cells) - there):
        raise ValueError(f"the cell {outside[0]} of the {owner} is not in the grid")


def _check_line(line: Line, there: set[Cell]) -> None:
    if line.kind not in LINES:
        raise ValueError(f"{line.kind!r:.40} is no kind of line: {', '.join(LINES)} are")
    owner = f"line {line.kind} {line.name}"
    if len(listed(line.cells, owner)) < 2:
        raise ValueError(f"the {owner} has {len(line.cells)} cells instead of two or more")
    _check_there(line.cells, there, owner)


def _check_sum(one: Sum, size: int, there: set[Cell], regions: Sequence[Region]) -> None:
    checked_sum(*one)
    circle = [one.total] if isinstance(one.total, tuple) else []
    _check_there((*one.cells, *circle), there, str(one))
    if fault := size_fault(one, size):
        raise ValueError(f"the {one} {fault}")
    if one.kind == "sandwich" and frozenset(one.cells) not in {region.cells for region in regions}:
        raise ValueError(f"the {one} is neither a row nor a column")


def _check_names(
    regions: Sequence[Region], clashes: Sequence[Clash], lines: Sequence[Line], sums: Sequence[Sum]
) -> None:
    """Checks that no two have one name, but for clashes, which may be told apart by a number besides."""
    names = Counter((region.kind, region.name) for region in regions)
    names.update({(clash.kind, clash.name) for clash in clashes})
    names.update((line.kind, line.name) for line in lines)
    names.update((one.kind, one.name) for one in sums)
    names.update((kind, name) for (kind, name, _), times in Counter(c[:3] for c in clashes).items() if times > 1)
    if taken := [name for name, times in names.items() if times > 1 or name[0] == "cell"]:
        raise ValueError(f"the name {taken[0][0]} {taken[0][1]} is taken")


def checked_sum(kind: str, name: int | str, cells: object, total: object) -> Sum:
    """A sum as somebody says it, in one plain form.

    Raises:
        ValueError: the kind is none of them, the cells are no cells or one is there twice, or the total is no whole
            number, or for an arrow no cell or one of its own; the message names it.

    >>> checked_sum("cage", 0, [(0, 0), (0, 1), (0, 0)], 9)
    Traceback (most recent call last):
    ...
    ValueError: the cage 0 has the cell (0, 0) twice
    """
    if kind not in SUMS:
        raise ValueError(f"{kind!r:.40} is no kind of sum: {', '.join(SUMS)} are")
    owner = f"{kind} {name}"
    found = listed(cells, owner)  # type: ignore[arg-type]
    if not found:
        raise ValueError(f"the {owner} has no cells")
    if kind == "arrow":
        circle = checked_cell(total, owner)  # type: ignore[arg-type]
        if circle in found:
            raise ValueError(f"the {owner} has its circle {circle} on its line")
        return Sum(kind, name, found, circle)
    if not isinstance(total, (int, np.integer)):
        raise ValueError(f"the {owner} has the total {total!r:.40} instead of a whole number")
    return Sum(kind, name, found, int(total))


def checked_candidates(candidates: Iterable[Candidate], owner: str) -> frozenset[Candidate]:
    """The candidates of a clash as somebody lists them.

    Raises:
        ValueError: one is no candidate; the message has it.

    >>> sorted(checked_candidates([(0, 0, 1), [0, 1, 2]], "clash odd 0"))
    [(0, 0, 1), (0, 1, 2)]
    """
    found = []
    for one in candidates if isinstance(candidates, Iterable) else [candidates]:
        if not isinstance(one, Sequence) or len(one) != 3 or not all(isinstance(x, (int, np.integer)) for x in one):
            raise ValueError(f"{one!r:.40} in the {owner} is not a candidate, (row, column, digit) in whole numbers")
        found.append((int(one[0]), int(one[1]), int(one[2])))
    return frozenset(found)


def checked_map(regions: str | Sequence[Sequence[int | str]]) -> list[list[int | str]]:
    """The names of the regions of a jigsaw, row by row.

    Raises:
        ValueError: this is no map.

    >>> checked_map("AB BA")
    [['A', 'B'], ['B', 'A']]
    """
    if isinstance(regions, np.ndarray):
        regions = np.asarray(regions).tolist()
    rows = regions.split() if isinstance(regions, str) else regions
    if not isinstance(rows, Sequence) or not all(isinstance(row, Sequence) for row in rows):
        raise ValueError(f"{regions!r:.40} is no map of regions: n rows of n names are")
    for k, row in enumerate(rows, 1):
        if odd := [name for name in row if not isinstance(name, (int, str, np.integer))]:
            raise ValueError(f"{odd[0]!r:.40} in row {k} of the map is no name: whole numbers and texts are")
    return [list(row) for row in rows]
