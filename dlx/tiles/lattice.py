"""The lattices of tilings: squares, cubes, triangles and hexagons, each a small table.

A cell is a tuple of whole numbers, as in a text: the line and the character, after the layer in three dimensions. Turns
and moves use *positions*: vectors in a basis in which the point group consists of integer matrices, and the
translations of the lattice are the vectors with all entries divisible by `period`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from dlx.show.tilings import CORNERS, Point

Cell = tuple[int, ...]
Vector = tuple[int, ...]
Matrix = tuple[Vector, ...]  # the rows of the matrix
T = TypeVar("T")


@dataclass(frozen=True)
class Lattice:
    """A lattice of cells: its symmetries, neighbours, and the outline of a cell.

    Attributes:
        period: the least whole number by which a position can be moved along each axis.
        matrices: the point group on positions, the rotations first.
        steps: for each remainder of a position's first number by the period, the differences to its neighbours.
        position: the map from cells to positions.
        cell: the map from positions to cells.

    >>> from dlx.tiles import HEXAGONS
    >>> HEXAGONS.neighbours((0, 0))
    ((-1, 1), (0, 2), (1, 1), (1, -1), (0, -2), (-1, -1))
    """

    name: str
    period: int
    matrices: tuple[Matrix, ...]
    steps: tuple[tuple[Vector, ...], ...]
    position: Callable[[Cell], Vector]
    cell: Callable[[Vector], Cell]

    @property
    def dimension(self) -> int:
        """The number of coordinates of a cell, 2 or 3."""
        return len(self.matrices[0])

    @property
    def rotations(self) -> tuple[Matrix, ...]:
        """The matrices that preserve the orientation, the first half of all matrices."""
        return self.matrices[: len(self.matrices) // 2]

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        """Returns the cells that share a side with a cell: clockwise from the top side or the upper right side.

        The neighbours of a cube are on top of it, behind it, to the right, in front, to the left and below.
        """
        position = self.position(cell)
        return tuple(self.cell(added(position, step)) for step in self.steps[position[0] % self.period])

    def parts(self, cells: Iterable[Cell]) -> Iterator[list[Cell]]:
        """Yields the connected parts of some cells, each in order."""
        left = dict.fromkeys(cells)
        while left:
            part = [left.popitem()[0]]
            for cell in part:  # which grows
                near = [other for other in self.neighbours(cell) if other in left]
                part += near
                for other in near:
                    del left[other]
            yield sorted(part)

    def corners(self, cell: Cell) -> tuple[Point, ...]:
        """Returns the polygon of a flat cell as (x, y), y down, in units of its edge.

        Corners k and k + 1 are the ends of the side to neighbour k; neighbours have two corners in common.
        """
        return tuple(CORNERS[self.name]((cell[0], cell[1])))

    def turned(self, matrix: Matrix, at: Vector, sides: Sequence[T]) -> tuple[T, ...]:
        """Returns the labels of the sides of a cell in the order of the sides of its image under a matrix."""
        if not sides:
            return ()
        there = [times(matrix, step) for step in self.steps[at[0] % self.period]]
        image = self.steps[times(matrix, at)[0] % self.period]
        return tuple(sides[there.index(step)] for step in image)


def added(one: Vector, other: Vector) -> Vector:
    return tuple(x + y for x, y in zip(one, other, strict=True))


def times(matrix: Matrix, vector: Vector) -> Vector:
    return tuple(sum(x * y for x, y in zip(row, vector, strict=True)) for row in matrix)


def product(one: Matrix, other: Matrix) -> Matrix:
    return tuple(zip(*(times(one, column) for column in zip(*other, strict=True)), strict=True))


def generated(generators: Sequence[Matrix]) -> list[Matrix]:
    """Returns all products of some matrices in the order of their discovery, the identity first."""
    n = len(generators[0])
    found = [tuple(tuple(int(i == j) for j in range(n)) for i in range(n))]
    for matrix in found:  # which grows
        found += [new for turn in generators if (new := product(turn, matrix)) not in found]
    return found


def _group(mirror: Matrix, *turns: Matrix) -> tuple[Matrix, ...]:
    """Returns the products of some turns, and then the same products after a reflection."""
    rotations = generated(turns)
    return (*rotations, *(product(matrix, mirror) for matrix in rotations))


_SIXTH: Matrix = ((0, -1), (1, 1))
_SWAP: Matrix = ((0, 1), (1, 0))

SQUARES = Lattice(
    name="square",
    period=1,
    matrices=_group(((1, 0), (0, -1)), ((0, 1), (-1, 0))),
    steps=(((-1, 0), (0, 1), (1, 0), (0, -1)),),
    position=tuple,
    cell=tuple,
)
CUBES = Lattice(
    name="cube",
    period=1,
    matrices=_group(
        ((1, 0, 0), (0, 1, 0), (0, 0, -1)), ((1, 0, 0), (0, 0, 1), (0, -1, 0)), ((0, 1, 0), (-1, 0, 0), (0, 0, 1))
    ),
    steps=(((1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, -1), (-1, 0, 0)),),
    position=tuple,
    cell=tuple,
)
# Three times the centroid; the basis vectors are a side to the right and a side 60 degrees upwards
TRIANGLES = Lattice(
    name="triangle",
    period=3,
    matrices=_group(_SWAP, _SIXTH),
    steps=((), ((1, 1), (1, -2), (-2, 1)), ((-1, 2), (2, -1), (-1, -1))),
    position=lambda cell: (sum(cell) // 2 * 3 + 1 + sum(cell) % 2, -3 * cell[0] + 1 + sum(cell) % 2),
    cell=lambda at: (-(at[1] // 3), at[0] // 3 * 2 + at[0] % 3 - 1 + at[1] // 3),
)
# Axial coordinates: steps to the right and 60 degrees downwards
HEXAGONS = Lattice(
    name="hexagon",
    period=1,
    matrices=_group(_SWAP, _SIXTH),
    steps=(((1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1)),),
    position=lambda cell: ((cell[1] - cell[0]) // 2, cell[0]),
    cell=lambda at: (at[1], 2 * at[0] + at[1]),
)
LATTICES = {lattice.name: lattice for lattice in (SQUARES, CUBES, TRIANGLES, HEXAGONS)}


def lattice_of(name: str) -> Lattice:
    """Returns the lattice with this name.

    Raises ValueError if there is none.
    """
    if name not in LATTICES:
        raise ValueError(f"no lattice is named {name!r}; they are {', '.join(LATTICES)}")
    return LATTICES[name]
