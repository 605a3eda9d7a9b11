"""Tile a region with pentominoes, the twelve pieces of five squares: each once, turned and flipped at will.

*Items*: the pieces, each to be placed once, and the squares of the region, each to be covered once. If the region has
fewer than 60 squares, some pieces stay in the box: then the pieces are secondary.

*Options*: a piece in one of its places, with its name and its five squares for items.

To count tilings up to symmetry, `symmetry="all"` keeps a piece that looks different however it is turned to a part of
its places: on a rectangle to a quarter of them, which reflecting the board takes to every other one.

Solomon W. Golomb, Polyominoes (1965); The Art of Computer Programming 4B, section 7.2.2.1.
"""

from __future__ import annotations

from saving import save

import dlx
from dlx import show, tiles

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


def pentominoes(region: str, symmetry: tiles.Symmetry = "none") -> dlx.Problem:
    """The problem for the region in a picture."""
    return tiles.problem(region, "pentominoes", each=1 if region.count("#") == 60 else (0, 1), symmetry=symmetry)


def kinds() -> dlx.Classes:
    """The same without keeping a piece in place: the symmetries of the problem are found by themselves."""
    return dlx.classify(pentominoes(RECTANGLE))


def tiling(problem: dlx.Problem) -> show.Picture:
    """The first tiling of a region, each piece in its colour."""
    places = problem.labels(dlx.first(problem).cover or ())
    colours = {piece.name: number for number, piece in enumerate(tiles.polyforms(5))}
    return show.tiling({square: place.piece for place in places for square in place.cells}, colours=colours)


def picture() -> show.Picture:
    """Tilings of four regions."""
    places = [(RECTANGLE, 18, 44), (HOLE, 348, 18), (HEART, 5, 266), (STAIRS, 328, 258)]
    panels = [show.moved(x, y, tiling(pentominoes(region))) for region, x, y in places]
    return show.svg(626, 560, *panels, title="a rectangle, a square with a hole, a heart and stairs, tiled")


def main() -> None:
    """Counts tilings of a rectangle, and draws one each of several regions."""
    print("6 x 10, up to symmetry:", dlx.count(pentominoes(RECTANGLE, "all")).covers)
    save(picture())


if __name__ == "__main__":
    main()
