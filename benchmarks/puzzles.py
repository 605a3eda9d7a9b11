"""Puzzles of pieces and boards by name, as one writes them with `dlx.tiles`; those with known numbers of tilings.

>>> soma()
Problem(34 items, 688 options, 3296 entries)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dlx import Problem
from dlx.tiles import Piece, problem

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
# Six months in a row, then the days: a piece with the mark m stays on a month, one with d on a day.
CALENDAR = """
mmmmmm.
mmmmmm.
ddddddd
ddddddd
ddddddd
ddddddd
ddd....
"""


def pentomino_kinds(rows: int, columns: int) -> Problem:
    """The twelve pentominoes in a rectangle, tilings up to its symmetries."""
    return problem(f"{rows}x{columns}", "pentominoes", symmetry="all")


def pentomino_hole() -> Problem:
    """The twelve pentominoes on a chessboard without its centre."""
    return problem(HOLE, "pentominoes")


def y_pentominoes(side: int) -> Problem:
    """A square tiled with Y pentominoes alone."""
    return problem(f"{side}x{side}", "pentomino:Y", each="any")


def hexominoes(rows: int, columns: int) -> Problem:
    """The 35 hexominoes in a rectangle."""
    return problem(f"{rows}x{columns}", "hexominoes")


def hexiamonds(rows: int, columns: int) -> Problem:
    """The twelve hexiamonds in a parallelogram."""
    return problem(f"parallelogram {rows}x{columns}", "hexiamonds")


def tetrahexes(rows: int, columns: int) -> Problem:
    """The seven tetrahexes in a parallelogram."""
    return problem(f"parallelogram {rows}x{columns}", "tetrahexes")


def tetrahex_rows(rows: int, columns: int) -> Problem:
    """The seven tetrahexes in a rectangle, every second row half a cell to the right."""
    return problem(f"{rows}x{columns}", "tetrahexes")


def tetrahex_triangle(side: int) -> Problem:
    """The seven tetrahexes in a triangle."""
    return problem(f"triangle {side}", "tetrahexes")


def honeycomb(side: int) -> Problem:
    """Trihexes and tetrahexes in a hexagon."""
    return problem(f"hexagon {side}", "trihexes, tetrahexes")


def soma() -> Problem:
    """The Soma cube, with its rotations and reflections."""
    return problem("3x3x3", "soma")


def bedlam() -> Problem:
    """The Bedlam cube, up to its rotations."""
    return problem("4x4x4", "bedlam", symmetry="rotations")


def conway() -> Problem:
    """Conway's box of blocks."""
    return problem("5x5x5", "1x2x4, 2x2x2, 1x2x2, 1x1x3", each={"1x2x4": 13, "1x1x3": 3})


def y_pentacubes() -> Problem:
    """The cube of 25 Y pentominoes, which may stand."""
    return problem("5x5x5", "pentomino:Y", each="any")


def calendar() -> Problem:
    """A-Puzzle-A-Day: eight pieces cover a calendar without the month and the day of a date, which are pieces here."""
    return problem(CALENDAR, ["pentomino:LNPUVYZ", "2x3", Piece.of("month", "m"), Piece.of("day", "d")])


PUZZLES: Mapping[str, Callable[..., Problem]] = {puzzle.__name__: puzzle for puzzle in (
    pentomino_kinds, pentomino_hole, y_pentominoes, hexominoes, hexiamonds, tetrahexes, tetrahex_rows,
    tetrahex_triangle, honeycomb, soma, bedlam, conway, y_pentacubes, calendar,
)}  # fmt: skip
