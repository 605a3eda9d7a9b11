"""Four puzzles of pieces and boards: a calendar, a jigsaw, a heart of hexagons, and Conway's box of blocks.

*Items*: the pieces, each as often as it is in the box, and the cells of the board, each to be covered once.

*Options*: a piece in one of its places, with its name and its cells; `dlx.tiles` finds them.

On the calendar two cells stay free, a month and a day. They are pieces of one cell here, which may lie only on cells
with their mark, so one problem has the tilings for all dates; `on` chooses the places of one. The jigsaw is a drawing
in which each letter is a piece. The heart has one cell more than all pieces of three and four hexagons, so there is a
single hexagon, too.

A-Puzzle-A-Day by DragonFjord (2021); J. H. Conway: Berlekamp, Conway and Guy, Winning Ways for your Mathematical Plays.
"""

from __future__ import annotations

from saving import save

import dlx
from dlx import show, tiles

YEAR = """
mmmmmm.
mmmmmm.
ddddddd
ddddddd
ddddddd
ddddddd
ddd....
"""
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
JIGSAW = """
AAABBB
AACBDB
ACCBDE
CCDDDE
FCDEEE
FFFFFE
"""
HEART = """
  # #   # #
 # # # # # #
# # # # # # #
 # # # # # #
  # # # # #
   # # # #
    # # #
     # #
      #
"""


def calendar(month: str = "month", day: str = "day") -> dlx.Problem:
    """The eight pieces on a calendar, and a month and a day that they leave free."""
    date = [tiles.Piece.of(month, "m"), tiles.Piece.of(day, "d")]
    return tiles.problem(YEAR, ["pentomino:LNPUVYZ", "2x3", *date])


def on(month: int, day: int) -> dlx.Problem:
    """The calendar of a date, both numbers from 1."""
    year = calendar(MONTHS[month - 1], str(day))
    cells = {(((month - 1) // 6, (month - 1) % 6),), ((2 + (day - 1) // 7, (day - 1) % 7),)}
    return year.with_chosen(o for o, place in enumerate(year.names or ()) if place.cells in cells)


def jigsaw() -> dlx.Problem:
    """The pieces of a drawing on the board of the same drawing."""
    return tiles.problem(JIGSAW, tiles.cut(JIGSAW))


def heart() -> dlx.Problem:
    """All pieces of three and four hexagons, and one hexagon, in a heart."""
    return tiles.problem(HEART, "monohex, trihexes, tetrahexes", lattice="hexagon")


def box() -> dlx.Problem:
    """Thirteen blocks of 1 x 2 x 4, three of 1 x 1 x 3, and one each of 2 x 2 x 2 and 1 x 2 x 2."""
    return tiles.problem("5x5x5", "1x2x4, 2x2x2, 1x2x2, 1x1x3", each={"1x2x4": 13, "1x1x3": 3})


def tiled(problem: dlx.Problem, size: float, names: bool = False) -> show.Picture:
    """The first tiling of a problem."""
    return tiles.picture(problem, dlx.first(problem).cover, size=size, names=names)


def picture() -> show.Picture:
    """A tiling of each: three flat ones in a row, and the box with its layers below."""
    above = show.panels([tiled(on(12, 25), 36, names=True), tiled(jigsaw(), 40), tiled(heart(), 21)], 3)
    below = tiled(box(), 19)
    wide = max(above.width, below.width)
    parts = [show.moved((wide - part.width) / 2, y, part) for part, y in ((above, 0), (below, above.height))]
    return show.svg(wide, above.height + below.height, *parts, title="a calendar, a jigsaw, a heart and a box, tiled")


def main() -> None:
    """Counts the tilings of a date and of the jigsaw, fills the heart, and draws a picture."""
    print("25 December:", dlx.count(on(12, 25)).covers)
    print("jigsaw:", dlx.count(jigsaw()).covers)
    print(tiles.drawn(problem := heart(), dlx.first(problem).cover or ()))
    save(picture())


if __name__ == "__main__":
    main()
