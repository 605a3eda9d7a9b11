"""The Soma cube: build a 3 x 3 x 3 cube of the seven pieces of three or four cubes that are not straight or square.

*Items*: the seven pieces and the 27 cells (x, y, z) of the cube, all primary.

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

from collections.abc import Iterator
from itertools import permutations, product

from saving import save

import dlx
from dlx.show import INK, PALETTE, element, moved, svg, text

Cell = tuple[int, int, int]
Place = tuple[Cell, ...]
Cube = frozenset[Place]

PIECES: dict[str, Place] = {
    "V": ((0, 0, 0), (1, 0, 0), (0, 1, 0)),
    "L": ((0, 0, 0), (1, 0, 0), (2, 0, 0), (0, 1, 0)),
    "T": ((0, 0, 0), (1, 0, 0), (2, 0, 0), (1, 1, 0)),
    "Z": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (2, 1, 0)),
    "A": ((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 1)),
    "B": ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 1, 1)),
    "P": ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
}

CUBE = list(product(range(3), repeat=3))


def rotations() -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The 24 rotations: which axis goes where, and in which direction."""
    for axes in permutations(range(3)):
        even = sum(axes[i] > axes[j] for i in range(3) for j in range(i)) % 2 == 1
        for signs in product((1, -1), repeat=3):
            if (signs[0] * signs[1] * signs[2] == 1) == even:
                yield axes, signs


def places(piece: Place) -> set[Place]:
    """All places of a piece in the cube."""
    found = set()
    for axes, signs in rotations():
        turned = [tuple(s * cell[axis] for axis, s in zip(axes, signs, strict=True)) for cell in piece]
        for dx, dy, dz in product(range(-2, 3), repeat=3):
            place = tuple(sorted((x + dx, y + dy, z + dz) for x, y, z in turned))
            if set(place) <= set(CUBE):
                found.add(place)
    return found


def soma(fixed: bool = True) -> dlx.Problem:
    """The problem of the cube, with T kept along the edge where y = z = 0 if it is to be fixed."""
    options = [
        (name, *place)
        for name, piece in PIECES.items()
        for place in sorted(places(piece))
        if name != "T" or not fixed or set(place) == set(piece)
    ]
    return dlx.Problem.from_options(options, items=[*PIECES, *CUBE])


def mirrored(cube: Cube) -> Cube:
    """The reflection that leaves the fixed T where it is."""
    return frozenset(tuple(sorted((2 - x, y, z) for x, y, z in place)) for place in cube)


def essentially_different() -> set[frozenset[Cube]]:
    """The cubes up to rotation and reflection, each as the pair that it makes with its mirror image."""
    problem = soma()
    cubes = (frozenset(tuple(sorted(place)) for _, *place in problem.labels(cover)) for cover in dlx.covers(problem))
    return {frozenset((cube, mirrored(cube))) for cube in cubes}


def kinds() -> dlx.Classes:
    """The same without that argument, of all cubes: the symmetries of the problem are found by themselves."""
    return dlx.classify(soma(fixed=False))


SIDES = {0: -0.14, 1: -0.3, 2: 0.0}  # how much darker the faces are that look along each axis


def seen(x: float, y: float, z: float, size: float) -> tuple[float, float]:
    """Where a point of space is in the picture: x runs down to the right, y down to the left, z up."""
    return (x - y) * size * 0.866, ((x + y) * 0.5 - z) * size


def solid(names: dict[Cell, str], size: float) -> str:
    """Some cells, each in the colour of its piece, with lines where a piece ends."""
    parts = []
    for cell in sorted(names, key=sum):
        for axis in range(3):
            above = step(cell, axis, 1)
            if above not in names:
                parts.append(face(cell, axis, names, size))
    return "".join(parts)


def step(cell: Cell, axis: int, by: int) -> Cell:
    """The cell so many steps further along an axis."""
    return tuple(k + by * (i == axis) for i, k in enumerate(cell))  # type: ignore[return-value]


def face(cell: Cell, axis: int, names: dict[Cell, str], size: float) -> str:
    """One side of a cell, with its edges but for those to the same piece in the same plane."""
    i, j = (k for k in range(3) if k != axis)
    origin = step(cell, axis, 1)
    corners = [origin, step(origin, i, 1), step(step(origin, i, 1), j, 1), step(origin, j, 1)]
    points = [seen(*corner, size) for corner in corners]
    neighbours = [step(cell, j, -1), step(cell, i, 1), step(cell, j, 1), step(cell, i, -1)]
    colour = shaded(PALETTE[list(PIECES).index(names[cell])], SIDES[axis])
    area = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + "z"
    lines = ""
    for k, near in enumerate(neighbours):
        if names.get(near) != names[cell] or step(near, axis, 1) in names:
            (x1, y1), (x2, y2) = points[k], points[(k + 1) % 4]
            lines += f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
    edges = element("path", d=lines, stroke=INK, stroke_width=1.8, stroke_linecap="round") if lines else ""
    return element("path", d=area, fill=colour, stroke=colour, stroke_width=0.6) + edges


def shaded(colour: str, by: float) -> str:
    """A colour made darker."""
    return "#" + "".join(f"{round(int(colour[k : k + 2], 16) * (1 + by)):02x}" for k in (1, 3, 5))


def picture(size: float = 34) -> str:
    """The pieces, and a cube with its three layers."""
    problem = soma()
    names = {cell: name for name, *place in problem.labels(dlx.first(problem).cover or ()) for cell in place}
    parts = []
    for k, (name, piece) in enumerate(PIECES.items()):
        parts.append(moved(75 + k * 125, 75, solid(dict.fromkeys(piece, name), size * 0.75)))
        parts.append(text(75 + k * 125, 150, name, 15))
    parts.append(moved(150, 300, solid(names, size)))
    for z in range(3):
        layer = {cell: name for cell, name in names.items() if cell[2] == z}
        parts.append(moved(370 + 195 * z, 300, solid({(x, y, 0): n for (x, y, _), n in layer.items()}, size)))
        parts.append(text(370 + 195 * z, 430, ("bottom", "middle", "top")[z], 15))
    return svg(
        900, 450, *parts, title="the seven pieces of the Soma cube, and a cube made of them with its three layers"
    )


def main() -> None:
    """Counts the cubes, and draws one."""
    print("covers with T in its place:", dlx.count(soma()).covers)
    print("up to rotation and reflection:", len(essentially_different()))
    save(picture())


if __name__ == "__main__":
    main()
