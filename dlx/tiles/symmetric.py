"""The symmetries of a tiling problem that its lattice has, and one tiling of each kind by keeping a piece in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from dlx.tiles.boards import Board
from dlx.tiles.lattice import Cell, Lattice, Matrix, added, lattice_of, less, times
from dlx.tiles.pieces import Kind, matrices_of
from dlx.tiles.shapes import Sides

Place = tuple[str, tuple[Cell, ...], str, tuple[Sides, ...]]  # a piece, its cells, their lattice, their labels


def firsts(
    board: Board, kind: Kind, places: Sequence[Place], weights: Sequence[float] | None, once: Sequence[str]
) -> list[int]:
    """Returns the numbers of the places to keep for one tiling out of those that symmetries make of each other.

    One piece that is used once keeps a place of each orbit, where no symmetry but the identity leaves a place of it as
    it is. Then all tilings have as many images as there are symmetries, and one of them has the piece in a kept place.

    Raises ValueError if there are symmetries, but no such piece.
    """
    images = symmetries(board, kind, places, weights)
    least = images.min(axis=0)
    regular = np.array([len(set(column)) == len(images) for column in images.T.tolist()])
    if len(images) == 1:
        return list(range(len(places)))
    mine = {name: np.array([o for o, place in enumerate(places) if place[0] == name], dtype=np.int64) for name in once}
    kept = {name: own[least[own] == own] for name, own in mine.items() if regular[own].all()}
    if not kept:
        raise ValueError(
            f"the board has {len(images)} symmetries, and every piece that is used once can lie so that one of them "
            "leaves it in place; count(up_to=symmetries(problem)) and classify tell kinds of covers apart"
        )
    name = min(kept, key=lambda name: len(kept[name]))
    gone = set(mine[name].tolist()) - set(kept[name].tolist())
    return [o for o in range(len(places)) if o not in gone]


def symmetries(
    board: Board, kind: Kind, places: Sequence[Place], weights: Sequence[float] | None
) -> npt.NDArray[np.int64]:
    """Returns a row for each symmetry of the lattice with what it makes of each place, the identity first.

    A symmetry takes the board with its marks, the cells that may stay empty, and the places of each piece with their
    weights to themselves.
    """
    number, found = {tuple(place): o for o, place in enumerate(places)}, dict[tuple[int, ...], None]()
    for matrix, move in moves_of(board, kind):
        if {move[cell] for cell in board.empty} == board.empty:
            images = tuple(number.get(_image(place, lattice_of(board.lattice), matrix, move), -1) for place in places)
            if -1 not in images and (weights is None or all(weights[o] == weights[i] for i, o in enumerate(images))):
                found[images] = None
    return np.array([*found])


def _image(place: Place, lattice: Lattice, matrix: Matrix, move: Mapping[Cell, Cell]) -> Place:
    """Returns the image of a place under a symmetry: its cells are moved, and the labels of their sides are turned."""
    name, cells, called, sides = place
    if not sides:
        return name, tuple(sorted(map(move.__getitem__, cells))), called, ()
    turned = (lattice.turned(matrix, lattice.position(cell), labels) for cell, labels in zip(cells, sides, strict=True))
    both = sorted(zip(map(move.__getitem__, cells), turned, strict=True))
    return name, tuple(cell for cell, _ in both), called, tuple(labels for _, labels in both)


def moves_of(board: Board, kind: Kind) -> Iterator[tuple[Matrix, dict[Cell, Cell]]]:
    """The maps of the lattice that take a board to itself, with what becomes of each cell, the identity first."""
    marks, lattice, first = board.marks, lattice_of(board.lattice), next(iter(board.marks))
    positions = {cell: lattice.position(cell) for cell in marks}
    for matrix in matrices_of(lattice, kind):
        turned = {cell: times(matrix, at) for cell, at in positions.items()}
        if not _folds(board, lattice, matrix, first):
            continue
        for at in positions.values():  # the others are no use, as most cells show soon
            shift = less(at, turned[first])
            images = ((cell, board.home(lattice.cell(added(at, shift)))) for cell, at in turned.items())
            move = dict(takewhile(lambda pair: marks.get(pair[1]) == marks[pair[0]], images))
            if len({*move.values()}) == len(marks) and not any(x % lattice.period for x in shift):
                yield matrix, move


def _folds(board: Board, lattice: Lattice, matrix: Matrix, cell: Cell) -> bool:
    """Whether a matrix takes what is the same cell, since edges meet, to the same cell again."""
    for axis in board.wrapped_axes:
        again = tuple(x + board.size[axis] * (k == axis) for k, x in enumerate(cell))
        around = less(lattice.position(again), lattice.position(cell))
        if board.home(lattice.cell(added(lattice.position(cell), times(matrix, around)))) != cell:
            return False
    return True
