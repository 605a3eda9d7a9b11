"""The Soma cube: build a 3 x 3 x 3 cube of the seven pieces of three or four cubes that are not straight or square.

*Items*: the seven pieces and the 27 cells (layer, row, column) of the cube, all primary.

*Options*: a piece in one of its places: its name and its cells.

The cube has 24 rotations, and a mirror doubles that to 48 symmetries, so what are "different" cubes? Call two the same
if a rotation or a reflection takes one to the other. Then T tells how to count each class once. Of the eight corners of
the cube V, Z, A, B and P can hold at most one each, L two, and T none or two: that is at most seven without T. So T
holds two corners, which means that its long side lies along an edge of the cube, with the stem in one of the two faces
there: 24 places, and rotations take each of them to every other. With T kept in one of them no rotation is left, only
the reflection that leaves T where it is. It makes pairs of the covers that remain (A and B exchange their names), and
none is its own mirror image, because no place of P is: only reflections that exchange two axes leave P where it is, and
this one turns one axis round. So the pairs are the answer.

Piet Hein's puzzle; counted by Berlekamp, Conway and Guy, Winning Ways for your Mathematical Plays (1982), chapter 24.
"""

from __future__ import annotations

from typing import Any

from saving import save

import dlx
from dlx import show, tiles
from dlx.tiles import Placement

Place = tuple[tuple[int, ...], ...]
Cube = frozenset[Place]

NAMES = "VLTZABP"
T: Place = ((0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 1, 1))


def soma(fixed: bool = True) -> dlx.Problem:
    """The problem of the cube, with T kept along an edge of the lowest layer if it is to be fixed."""
    return tiles.problem("3x3x3", "soma", where=in_place if fixed else None)


def in_place(placement: Placement) -> bool:
    """Whether a piece is not T, or T where it is kept."""
    return placement.piece != "T" or placement.cells == T


def mirrored(cube: Cube) -> Cube:
    """The reflection that leaves the fixed T where it is."""
    return frozenset(tuple(sorted((z, y, 2 - x) for z, y, x in place)) for place in cube)


def essentially_different() -> set[frozenset[Cube]]:
    """The cubes up to rotation and reflection, each as the pair that it makes with its mirror image."""
    problem = soma()
    cubes = (frozenset(place.cells for place in problem.labels(cover)) for cover in dlx.covers(problem))
    return {frozenset((cube, mirrored(cube))) for cube in cubes}


def kinds() -> dlx.Classes:
    """The same without that argument, of all cubes: the symmetries of the problem are found by themselves."""
    return dlx.classify(soma(fixed=False))


def solid(cells: dict[Any, str], size: float) -> show.Picture:
    """Some cells, each in the colour of its piece."""
    return show.solid(cells, size=size, colours={name: number for number, name in enumerate(NAMES)})


def picture(size: float = 34) -> show.Picture:
    """The pieces, and a cube with its three layers."""
    problem = soma()
    cube = {cell: place.piece for place in problem.labels(dlx.first(problem).cover or ()) for cell in place.cells}
    layers = [{cell: name for cell, name in cube.items() if cell[0] == z} for z in range(3)]
    lying = {piece.name: piece.orientations("one-sided")[0] for piece in tiles.named("soma")}
    pieces = [solid({cell: name for cell, *_ in lying[name]}, size * 0.75) for name in NAMES]
    above = show.panels(pieces, len(pieces), titles=[*NAMES])
    below = show.panels([solid(some, size) for some in (cube, *layers)], titles=["", "bottom", "middle", "top"])
    wide = max(above.width, below.width)
    parts = [show.moved((wide - part.width) / 2, y, part) for part, y in ((above, 0), (below, above.height))]
    title = "the seven pieces of the Soma cube, and a cube made of them with its three layers"
    return show.svg(wide, above.height + below.height, *parts, title=title)


def main() -> None:
    """Counts the cubes, and draws one."""
    print("covers with T in its place:", dlx.count(soma()).covers)
    print("up to rotation and reflection:", len(essentially_different()))
    save(picture())


if __name__ == "__main__":
    main()
