"""Tile a region with pentominoes, the twelve pieces of five squares: each once, turned and flipped at will.

*Items*: the pieces, each to be placed once, and the squares of the region, each to be covered once. If the region has
fewer than 60 squares, some pieces stay in the box: then the pieces are secondary.

*Options*: a piece in one of its places, with its name and its five squares for items.

To count tilings of a rectangle up to symmetry, keep the centre of the X in one quarter of it: X looks the same however
it is turned, and reflecting the board takes each quarter to every other one.

Solomon W. Golomb, Polyominoes (1965); The Art of Computer Programming 4B, section 7.2.2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from saving import save

import dlx
from dlx import show

Square = tuple[int, int]
Place = tuple[Square, ...]

PIECES = {
    "F": ".## ##. .#.",
    "I": "#####",
    "L": "#### #...",
    "N": "##.. .###",
    "P": "## ## #.",
    "T": "### .#. .#.",
    "U": "#.# ###",
    "V": "#.. #.. ###",
    "W": "#.. ##. .##",
    "X": ".#. ### .#.",
    "Y": "#### .#..",
    "Z": "##. .#. .##",
}

RECTANGLE = """
##########
##########
##########
##########
##########
##########
"""

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

HEART = """
..##...##..
#####.#####
###########
###########
.#########.
..#######..
...#####...
....###....
"""

STAIRS = """
##
##
####
####
######
######
########
########
##########
##########
"""


def squares(picture: str) -> list[Square]:
    """The squares (row, column) of a picture: those marked with #."""
    return [(r, c) for r, line in enumerate(picture.split()) for c, mark in enumerate(line) if mark == "#"]


def orientations(picture: str) -> set[Place]:
    """The up to eight shapes that turning and flipping make of a piece, each in the upper left corner."""
    shape, shapes = squares(picture), set()
    for _ in range(4):
        shape = [(c, -r) for r, c in shape]
        shapes |= {at_corner(shape), at_corner([(r, -c) for r, c in shape])}
    return shapes


def at_corner(shape: list[Square]) -> Place:
    """A shape moved to the upper left corner."""
    top, left = min(r for r, _ in shape), min(c for _, c in shape)
    return tuple(sorted((r - top, c - left) for r, c in shape))


def places(name: str, region: list[Square]) -> Iterator[Place]:
    """All places of a piece in a region."""
    inside = set(region)
    for shape in sorted(orientations(PIECES[name])):
        for top, left in sorted({(r, c - shape[0][1]) for r, c in region}):
            place = tuple((r + top, c + left) for r, c in shape)
            if inside.issuperset(place):
                yield place


def pentominoes(picture: str, allowed: Callable[[str, Place], bool] = lambda name, place: True) -> dlx.Problem:
    """The problem for the region in a picture, with only such options as are allowed."""
    region = squares(picture)
    options = [(name, *place) for name in PIECES for place in places(name, region) if allowed(name, place)]
    return dlx.Problem.from_options(options, items=[*PIECES, *region], secondary=[*PIECES] if len(region) < 60 else [])


def in_quarter(name: str, place: Place) -> bool:
    """Whether a piece is not X, or has its centre in the upper left quarter of the 6 x 10 rectangle."""
    row, column = place[2]
    return name != "X" or (row < 3 and column < 5)


def kinds() -> dlx.Classes:
    """The same without a word about X: the symmetries of the problem are found by themselves."""
    return dlx.classify(pentominoes(RECTANGLE))


def tiling(problem: dlx.Problem) -> show.Picture:
    """The first tiling of a region, each piece in its colour."""
    options = problem.labels(dlx.first(problem).cover or ())
    colours = {name: number for number, name in enumerate(PIECES)}
    return show.tiling({square: name for name, *place in options for square in place}, colours=colours)


def picture() -> show.Picture:
    """Tilings of four regions."""
    places = [(RECTANGLE, 18, 44), (HOLE, 348, 18), (HEART, 5, 266), (STAIRS, 328, 258)]
    panels = [show.moved(x, y, tiling(pentominoes(region))) for region, x, y in places]
    return show.svg(626, 560, *panels, title="a rectangle, a square with a hole, a heart and stairs, tiled")


def main() -> None:
    """Counts tilings of a rectangle, and draws one each of several regions."""
    print("6 x 10, up to symmetry:", dlx.count(pentominoes(RECTANGLE, in_quarter)).covers)
    save(picture())


if __name__ == "__main__":
    main()
