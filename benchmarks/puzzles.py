"""Puzzles of pieces and boards with known numbers of tilings, by name, made with `dlx.tiles`.

>>> PUZZLES["soma"]()
Problem(34 items, 688 options, 3296 entries)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dlx import Problem
from dlx.tiles import problem

# A chessboard without its centre.
HOLE = """
########
########
########
###..###
###..###
########
########
########
"""

PUZZLES: Mapping[str, Callable[..., Problem]] = {
    "pentomino_kinds": lambda rows, columns: problem(f"{rows}x{columns}", "pentominoes", symmetry="all"),
    "pentomino_hole": lambda: problem(HOLE, "pentominoes"),
    "y_pentominoes": lambda side: problem(f"{side}x{side}", "pentomino:Y", each="any"),
    "hexominoes": lambda rows, columns: problem(f"{rows}x{columns}", "hexominoes"),
    "hexiamonds": lambda rows, columns: problem(f"parallelogram {rows}x{columns}", "hexiamonds"),
    "tetrahexes": lambda rows, columns: problem(f"parallelogram {rows}x{columns}", "tetrahexes"),
    # Every second row of the rectangle is half a cell to the right.
    "tetrahex_rows": lambda rows, columns: problem(f"{rows}x{columns}", "tetrahexes"),
    "tetrahex_triangle": lambda side: problem(f"triangle {side}", "tetrahexes"),
    "honeycomb": lambda side: problem(f"hexagon {side}", "trihexes, tetrahexes"),
    "soma": lambda: problem("3x3x3", "soma"),
    "bedlam": lambda: problem("4x4x4", "bedlam", symmetry="rotations"),
    # The 25 pieces may stand.
    "y_pentacubes": lambda: problem("5x5x5", "pentomino:Y", each="any"),
}
