"""Pieces on boards by the middles of their cells and of their sides alone, turned by angles: an oracle for tilings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product
from typing import Any, NamedTuple

import numpy as np

from dlx.tiles import LATTICES, Board, Piece, Placement
from dlx.tiles.lattice import Cell
from dlx.tiles.pieces import Kind
from dlx.tiles.places import BoardCells

Point = tuple[float, ...]


def some_cells(lattice: str, rows: int, columns: int) -> list[Cell]:
    """Cells for small boards, of cubes in a box of 2 x 2 x rows."""
    if lattice == "cube":
        return list(product(range(2), range(2), range(rows)))
    return [cell for cell in product(range(rows), range(columns)) if lattice != "hexagon" or sum(cell) % 2 == 0]


def placements(board: Board, piece: Piece, kind: Kind) -> list[Placement]:
    """All places of a piece, as `dlx.tiles` finds them."""
    return BoardCells(board).placed(piece, piece.orientations(kind))[0]


FACES = ((1, 0, 0), (0, -1, 0), (0, 0, 1), (0, 1, 0), (0, 0, -1), (-1, 0, 0))  # top, behind, right, front, left, below


class Put(NamedTuple):
    """A piece somewhere: the middles of its cells, and the labels at the middles of sides."""

    piece: str
    middles: frozenset[Point]
    labels: frozenset[tuple[Point, str]]


def middle(lattice: str, cell: Cell) -> Point:
    """The middle of a cell, in the plane or in space."""
    return cell if lattice == "cube" else tuple(np.mean(LATTICES[lattice].corners(cell), axis=0))


def midpoints(lattice: str, cell: Cell) -> list[Point]:
    """The middles of its sides, clockwise."""
    if lattice == "cube":
        return [tuple(x + y / 2 for x, y in zip(cell, face, strict=True)) for face in FACES]
    corners = LATTICES[lattice].corners(cell)
    return [((x + u) / 2, (y + v) / 2) for (x, y), (u, v) in zip(corners, [*corners[1:], corners[0]], strict=True)]


def motions(lattice: str, kind: Kind) -> list[Any]:
    """The matrices by which a piece may be turned, from angles, or from signed permutations of three axes."""
    if kind == "fixed":
        return [np.eye(3 if lattice == "cube" else 2)]
    if lattice == "cube":
        both = product(permutations(np.eye(3)), product((1, -1), repeat=3))
        signed = (np.array(order) * np.array(signs)[:, None] for order, signs in both)
        return [one for one in signed if kind == "free" or np.linalg.det(one) > 0]
    steps = 4 if lattice == "square" else 6
    angles = [2 * math.pi * k / steps for k in range(steps)]
    turns = [np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in angles]
    return turns + [turn @ np.diag([1, -1]) for turn in turns if kind == "free"]


def at(point: Any) -> Point:
    """A rounded point, which can be compared."""
    return tuple(round(float(x), 2) + 0.0 for x in point)


def puts(board: Board, piece: Piece, kind: Kind) -> set[Put]:
    """All places of a piece, by turning its points and moving its first cell to each one of the board."""
    lattice = board.lattice
    marks = {at(middle(lattice, cell)): mark for cell, mark in board.marks.items()}
    sides = Counter(at(point) for cell in board.marks for point in midpoints(lattice, cell))
    middles, start = [middle(lattice, cell) for cell in piece.cells], np.array(middle(lattice, piece.cells[0]))
    borders = [point for cell in piece.cells for point in midpoints(lattice, cell)]
    found = set()
    for turn, cell in product(motions(lattice, kind), board.marks):

        def moved(point: Point, turn: Any = turn, cell: Cell = cell) -> Point:
            return at(turn @ (np.array(point) - start) + np.array(middle(lattice, cell)))

        there = {moved(point): mark for point, mark in zip(middles, piece.marks, strict=True)}
        labels = {(moved(point), label) for point, label in zip(borders, piece.sides, strict=False)}
        on_board = all(
            marks.get(point) in ((mark,) if mark != "#" else marks.values()) for point, mark in there.items()
        )
        fits = on_board and len(there) == len(middles) and {moved(point) for point in borders} <= sides.keys()
        agree = len({point for point, _ in labels}) == len(labels)
        edge = {label for point, label in labels if sides[point] == 1}
        if fits and agree and edge <= {board.frame or label for label in edge}:
            found.add(Put(piece.name, frozenset(there), frozenset(labels)))
    return found


def as_put(board: Board, place: Placement) -> Put:
    """A placement by its points."""
    lattice = board.lattice
    labels = zip(midpoints(lattice, place.cells[0]), place.sides, strict=False)
    middles = frozenset(at(middle(lattice, cell)) for cell in place.cells)
    return Put(place.piece, middles, frozenset((at(point), label) for point, label in labels))


def covers_by_hand(board: Board, options: list[set[Put]], begun: tuple[Put, ...] = ()) -> Iterator[frozenset[Put]]:
    """All ways to put each piece once so that cells are covered once, and labels agree."""
    if not options:
        yield from [frozenset(begun)] if sum(len(put.middles) for put in begun) == len(board.marks) else []
        return
    labels = dict(label for put in begun for label in put.labels)
    for put in options[0]:
        apart = all(put.middles.isdisjoint(other.middles) for other in begun)
        if apart and all(labels.get(point, label) == label for point, label in put.labels):
            yield from covers_by_hand(board, options[1:], (*begun, put))
