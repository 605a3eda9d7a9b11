"""Reads sets of cells from drawings in text, masks or cells, with marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

import numpy as np

from dlx.problem.checks import is_whole
from dlx.tiles.lattice import Cell, Lattice

Sides = tuple[str, ...]  # the labels of a cell, in the order of its neighbours
Side = tuple[Cell, Cell]  # the two cells at a side, in ascending order

PLAIN = "#"  # the mark of a cell without a mark
OUTSIDE = " ."


def marked(given: Any, lattice: Lattice, what: str) -> dict[Cell, str]:
    """Returns the cells of a drawing, a mask, a mapping to marks, or a list of cells, each with its mark.

    In a drawing, line breaks or slashes separate rows, and an empty row begins the next layer of cubes. A drawing or
    mask of two dimensions is one layer of cubes. If row + column is odd for all hexagons, they are moved by one column.
    """
    if isinstance(given, str):
        listed = list(_drawn(given, lattice).items())
    elif isinstance(given, np.ndarray):
        listed = [(tuple(cell), PLAIN) for cell in np.argwhere(given).tolist()]
    elif isinstance(given, Iterable):
        pairs = given.items() if isinstance(given, Mapping) else ((cell, PLAIN) for cell in given)
        listed = []
        for cell, mark in pairs:
            if not isinstance(cell, Iterable) or isinstance(cell, str) or not all(map(is_whole, at := tuple(cell))):
                raise TypeError(f"{what} has {cell!r:.40} for a cell, which must be a tuple of whole numbers")
            listed.append((tuple(map(int, at)), str(mark)))
    else:
        raise TypeError(f"{what} is {given!r:.60}; it must be a drawing, a mask or a list of cells")
    if not listed:
        raise ValueError(f"{what} has no cells: {given!r:.60}")
    if (twice := Counter(cell for cell, _ in listed).most_common(1)[0])[1] > 1:
        raise ValueError(f"{what} has the cell {twice[0]} {twice[1]} times")
    for cell, mark in listed:
        if not mark.isprintable():
            raise ValueError(f"{what} has {mark!r:.40} in {cell}, which is no mark")
    return dict(_in_lattice(listed, lattice, what))


def _drawn(text: str, lattice: Lattice) -> dict[Cell, str]:
    lines = [line.rstrip() for line in text.replace("/", "\n").split("\n")]
    filled = [row for row, line in enumerate(lines) if line]
    lines = lines[filled[0] : filled[-1] + 1] if filled else []
    layers = [list(rows) for full, rows in groupby(lines, key=bool) if full] if lattice.dimension == 3 else [lines]
    rows = ((z, r, line) for z, layer in enumerate(layers) for r, line in enumerate(layer))
    cells = {(z, r, c): mark for z, r, line in rows for c, mark in enumerate(line) if mark not in OUTSIDE}
    return {cell[3 - lattice.dimension :]: mark for cell, mark in cells.items()}


def _in_lattice(listed: list[tuple[Cell, str]], lattice: Lattice, what: str) -> Iterable[tuple[Cell, str]]:
    """Returns the cells in the dimension of the lattice; row + column of hexagons is made even."""
    if {len(cell) for cell, _ in listed} == {2} and lattice.dimension == 3:
        return (((0, *cell), mark) for cell, mark in listed)
    for cell, _ in listed:
        if len(cell) != lattice.dimension:
            raise ValueError(f"{what} has the cell {cell}; a {lattice.name} has {lattice.dimension} numbers")
    if lattice.name != "hexagon":
        return listed
    odd = sum(listed[0][0]) % 2
    for cell, _ in listed:
        if sum(cell) % 2 != odd:
            both = f"{listed[0][0]} and {cell}"
            raise ValueError(f"{what} has the hexagons {both}; row + column must be even in all, or odd in all")
    return (((row, column + odd), mark) for (row, column), mark in listed)
