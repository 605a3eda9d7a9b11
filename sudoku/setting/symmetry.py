"""Symmetric patterns of givens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

import numpy as np

from sudoku.constraints import Cell
from sudoku.layout import Layout

Symmetry = Literal["none", "half-turn", "quarter-turn", "left-right", "up-down", "diagonal", "antidiagonal", "full"]

SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)

# The generators of each symmetry, as functions of arrays.
TURNS: dict[Symmetry, tuple[Callable[[Any], Any], ...]] = {
    "none": (),
    "half-turn": (lambda cells: cells[::-1, ::-1],),
    "quarter-turn": (np.rot90,),
    "left-right": (np.fliplr,),
    "up-down": (np.flipud,),
    "diagonal": (np.transpose,),
    "antidiagonal": (lambda cells: cells[::-1, ::-1].T,),
    "full": (np.rot90, np.transpose),
}


def orbits(layout: Layout, symmetry: Symmetry) -> list[list[Cell]]:
    """Returns the orbits of cells under a symmetry about their centre; raises ValueError if it leaves the cells.

    >>> orbits(Layout.boxes(2, 2), "quarter-turn")[:2]
    [[(0, 0), (0, 3), (3, 0), (3, 3)], [(0, 1), (1, 3), (2, 0), (3, 2)]]
    """
    if symmetry not in TURNS:
        raise ValueError(f"the symmetry {symmetry!r} is none of {', '.join(SYMMETRIES)}")
    mask = layout.mask()
    if not all(np.array_equal(turn(mask), mask) for turn in TURNS[symmetry]):
        raise ValueError(f"the symmetry {symmetry!r} moves a cell out of the layout")
    first = np.arange(mask.size).reshape(mask.shape)  # the first cell of each orbit
    for _ in range(4):  # no element is a product of more than four generators of each kind
        for turn in TURNS[symmetry]:
            first = np.minimum(first, turn(first))
    members = {int(k): np.argwhere((first == k) & mask).tolist() for k in np.unique(first[mask])}
    return [[(r, c) for r, c in some] for some in members.values()]
