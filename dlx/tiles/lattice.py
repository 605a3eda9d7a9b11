"""The lattices of tilings: squares, cubes, triangles and hexagons, each a small table.

A cell is a tuple of whole numbers as people type it: line and character of a text, after the layer in three dimensions.
For turning and moving there are *positions*: vectors in a basis where the point group is integer matrices, and where
the translations of the lattice are the vectors with all entries divisible by `period`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

Cell = tuple[int, ...]
Vector = tuple[int, ...]
Matrix = tuple[Vector, ...]  # its rows
Corner = tuple[float, float]


@dataclass(frozen=True)
class Lattice:
    """A lattice of cells: its symmetries, neighbours, and the outline of a cell.

    Attributes:
        name: "square", "cube", "triangle" or "hexagon".
        dimension: 2 or 3, the numbers in a cell.
        period: the least whole number by which a position can be moved along each axis.
        matrices: the point group on positions, the rotations first.
        steps: for each remainder of a position's first number by the period, the differences to its neighbours.
        position: the map from cells to positions.
        cell: the map from positions to cells.
        corners: the polygon of a flat cell as (x, y), y down, in units of its edge; neighbours have two in common.

    >>> from dlx.tiles import HEXAGONS
    >>> HEXAGONS.neighbours((0, 0))
    ((0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1))
    """

    name: str
    dimension: int
    period: int
    matrices: tuple[Matrix, ...]
    steps: tuple[tuple[Vector, ...], ...]
    position: Callable[[Cell], Vector]
    cell: Callable[[Vector], Cell]
    corners: Callable[[Cell], tuple[Corner, ...]]

    @property
    def rotations(self) -> tuple[Matrix, ...]:
        """The matrices that keep the orientation, the first half of all."""
        return self.matrices[: len(self.matrices) // 2]

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        """Returns the cells that share a side with a cell, in a fixed order."""
        position = self.position(cell)
        return tuple(self.cell(added(position, step)) for step in self.steps[position[0] % self.period])


def added(one: Vector, other: Vector) -> Vector:
    """The sum of two vectors."""
    return tuple(x + y for x, y in zip(one, other, strict=True))


def times(matrix: Matrix, vector: Vector) -> Vector:
    """The product of a matrix and a vector."""
    return tuple(sum(x * y for x, y in zip(row, vector, strict=True)) for row in matrix)


def product(one: Matrix, other: Matrix) -> Matrix:
    """The product of two matrices."""
    return tuple(zip(*(times(one, column) for column in zip(*other, strict=True)), strict=True))


def _group(mirror: Matrix, *turns: Matrix) -> tuple[Matrix, ...]:
    """All products of some turns, each in the order of its discovery, and then the same after a reflection."""
    size = len(mirror)
    found = [tuple(tuple(int(i == j) for j in range(size)) for i in range(size))]
    for matrix in found:  # which grows
        found += [new for turn in turns if (new := product(turn, matrix)) not in found]
    return (*found, *(product(matrix, mirror) for matrix in found))


def _same(cell: Cell) -> Vector:
    """The position of a square or a cube."""
    return cell


def _square(cell: Cell) -> tuple[Corner, ...]:
    """The corners of a square."""
    row, column = cell
    return ((column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1))


def _cube(cell: Cell) -> tuple[Corner, ...]:
    """A cube is no polygon."""
    raise ValueError(f"cell {cell} is a cube, which has no outline in the plane")


def _triangle_position(cell: Cell) -> Vector:
    """Three times the centroid, in a basis of two sides, to the right and from there 60 degrees upwards."""
    row, column = cell
    a, down = divmod(row + column, 2)
    return (3 * a + 1 + down, -3 * row + 1 + down)


def _triangle_cell(position: Vector) -> Cell:
    """The triangle with this centroid."""
    (a, down), b = divmod(position[0], 3), position[1] // 3
    return (-b, 2 * a + down - 1 + b)


def _triangle(cell: Cell) -> tuple[Corner, ...]:
    """The corners of a triangle, apex up where row + column is even."""
    row, column = cell
    down = (row + column) % 2
    base, apex = _rounded(row + 1 - down), _rounded(row + down)
    return ((column / 2, base), (column / 2 + 0.5, apex), (column / 2 + 1, base))


def _rounded(half_root_threes: float) -> float:
    """A multiple of the height of a triangle; the same number for all cells that meet in a point."""
    return round(half_root_threes * sqrt(3) / 2, 6)


def _hexagon_position(cell: Cell) -> Vector:
    """Axial coordinates: steps to the right, and 60 degrees downwards."""
    row, column = cell
    return ((column - row) // 2, row)


def _hexagon_cell(position: Vector) -> Cell:
    """The hexagon with these axial coordinates."""
    return (position[1], 2 * position[0] + position[1])


def _hexagon(cell: Cell) -> tuple[Corner, ...]:
    """The corners of a hexagon, one of them on top."""
    row, column = cell
    left, middle, right = (_rounded(column + k) for k in range(3))
    top = 1.5 * row
    return (
        *((middle, top), (right, top + 0.5), (right, top + 1.5)),
        *((middle, top + 2), (left, top + 1.5), (left, top + 0.5)),
    )


_SIXTH: Matrix = ((0, -1), (1, 1))
_SWAP: Matrix = ((0, 1), (1, 0))

SQUARES = Lattice(
    name="square",
    dimension=2,
    period=1,
    matrices=_group(((1, 0), (0, -1)), ((0, 1), (-1, 0))),
    steps=(((0, 1), (1, 0), (0, -1), (-1, 0)),),
    position=_same,
    cell=_same,
    corners=_square,
)
CUBES = Lattice(
    name="cube",
    dimension=3,
    period=1,
    matrices=_group(
        ((1, 0, 0), (0, 1, 0), (0, 0, -1)), ((1, 0, 0), (0, 0, 1), (0, -1, 0)), ((0, 1, 0), (-1, 0, 0), (0, 0, 1))
    ),
    steps=(((0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 0, -1), (0, -1, 0), (-1, 0, 0)),),
    position=_same,
    cell=_same,
    corners=_cube,
)
TRIANGLES = Lattice(
    name="triangle",
    dimension=2,
    period=3,
    matrices=_group(_SWAP, _SIXTH),
    steps=((), ((1, 1), (-2, 1), (1, -2)), ((-1, -1), (2, -1), (-1, 2))),
    position=_triangle_position,
    cell=_triangle_cell,
    corners=_triangle,
)
HEXAGONS = Lattice(
    name="hexagon",
    dimension=2,
    period=1,
    matrices=_group(_SWAP, _SIXTH),
    steps=(((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)),),
    position=_hexagon_position,
    cell=_hexagon_cell,
    corners=_hexagon,
)
LATTICES = {lattice.name: lattice for lattice in (SQUARES, CUBES, TRIANGLES, HEXAGONS)}


def lattice_of(name: str) -> Lattice:
    """Returns the lattice of a name.

    Raises ValueError for another name.
    """
    if name not in LATTICES:
        raise ValueError(f"no lattice is named {name!r}; they are {', '.join(LATTICES)}")
    return LATTICES[name]
