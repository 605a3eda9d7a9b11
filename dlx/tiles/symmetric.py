"""The symmetries of a board and its pieces, and the selection of one tiling of each orbit.

A symmetry is a motion of the lattice and a permutation of pieces. The motion preserves the board, its holes, its marks
and the cells that may stay empty. It maps the places of each piece to the places of a piece with the same uses. Pieces
with the same places may also be exchanged without a motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from dlx.problem.placement import Placement
from dlx.tiles.boards import Board
from dlx.tiles.lattice import Cell, Lattice, Matrix, generated, lattice_of
from dlx.tiles.pieces import Kind, matrices_of
from dlx.tiles.shapes import Sides
from dlx.tiles.uses import Range

Symmetry = Literal["rotations", "all", "none"]
Move = Mapping[Cell, Cell]
Permutation = npt.NDArray[np.int64]  # a permutation of the places
Key = tuple[tuple[Cell, ...], Sides]  # the cells of a place; the labels of a single cell

SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)


def check_symmetry(given: object) -> None:
    """Raises ValueError unless the value is one of `SYMMETRIES`."""
    if given not in SYMMETRIES:
        raise ValueError(f"symmetry is {given!r:.60}; it must be 'rotations', 'all' or 'none'")


class Group:
    """The symmetries of a tiling problem.

    Attributes:
        motions: symmetries that generate the motions of the board, as permutations of places.
        swaps: the exchanges of two pieces with the same places, as permutations of places.
        equal: the names of the pieces of the first exchange.
    """

    def __init__(
        self,
        board: Board,
        uses: Mapping[str, Range],
        places: Sequence[Placement],
        facts: Sequence[object],
        symmetry: Symmetry,
    ) -> None:
        self._uses, self._facts = uses, facts
        self._places: dict[str, dict[Key, int]] = {piece: {} for piece in uses}
        for o, place in enumerate(places):
            self._places[place.piece][place.cells, place.sides] = o
        self._identity = np.arange(len(places), dtype=np.int64)
        later = {piece: [*uses][k:] for k, piece in enumerate(uses, 1)}
        twins = ((piece, self._twin(piece, own, later[piece])) for piece, own in self._places.items() if own)
        pairs = [(piece, twin) for piece, twin in twins if twin is not None]
        self.equal = pairs[0] if pairs else ()
        self.swaps = [self._swap(*pair) for pair in pairs]
        self.motions: list[Permutation] = []
        if symmetry != "none":
            self._find_motions(board, "free" if symmetry == "all" else "one-sided")

    def _find_motions(self, board: Board, kind: Kind) -> None:
        lattice = lattice_of(board.lattice)
        generators: list[Matrix] = []
        known = [lattice.matrices[0]]
        for matrix, move in moves_of(board, kind):
            if matrix in known or {move[cell] for cell in board.empty} != board.empty:
                continue
            if (element := self._element(lattice, matrix, move)) is not None:
                self.motions.append(element)
                generators.append(matrix)
                known = generated(generators)

    def elements(self) -> npt.NDArray[np.int64]:
        """Returns the image of each place under each motion, the identity first; shape (motions, places)."""
        found = self._identity[None]
        while True:
            more = np.unique(np.concatenate([found, *(found[:, motion] for motion in self.motions)]), axis=0)
            if len(more) == len(found):
                return more
            found = more

    def _element(self, lattice: Lattice, matrix: Matrix, move: Move) -> Permutation | None:
        """Returns the image of each place under a motion and a matching permutation of pieces, or None."""
        image, taken = self._identity.copy(), set[str]()
        for piece, own in self._places.items():
            moved = {_moved(key, lattice, matrix, move): o for key, o in own.items()}
            twin = self._twin(piece, moved, (other for other in (piece, *self._places) if other not in taken))
            if twin is None:
                return None
            taken.add(twin)
            for key, o in moved.items():
                image[o] = self._places[twin][key]
        return image

    def _twin(self, piece: str, moved: Mapping[Key, int], among: Iterable[str]) -> str | None:
        """Returns the first piece in `among` with the same uses as `piece` and with the places `moved`, or None."""
        for other in among:
            there = self._places[other]
            if self._uses[piece] != self._uses[other] or moved.keys() != there.keys():
                continue
            if all(self._facts[o] == self._facts[there[key]] for key, o in moved.items()):
                return other
        return None

    def _swap(self, piece: str, twin: str) -> Permutation:
        """Returns the image of each place under the exchange of two pieces."""
        swap = self._identity.copy()
        for key, o in self._places[piece].items():
            swap[o], swap[self._places[twin][key]] = self._places[twin][key], o
        return swap


def _moved(key: Key, lattice: Lattice, matrix: Matrix, move: Move) -> Key:
    """Returns the image of a place under a symmetry, with moved cells and turned labels."""
    cells, sides = key
    return tuple(sorted(map(move.__getitem__, cells))), lattice.turned(matrix, lattice.position(cells[0]), sides)


def firsts(group: Group, places: Sequence[Placement], once: Iterable[str]) -> npt.NDArray[np.bool_]:
    """Returns which places to keep so that one tiling of each orbit remains.

    A piece that is used once keeps one place of each orbit; only the identity may fix any of its places.
    """
    advice = "count with `dlx tile --kinds`, or in Python with count(up_to=tiles.symmetries(problem))"
    if group.equal:
        raise ValueError(
            f"the pieces {' and '.join(group.equal)} have the same shape: use one of them twice, or {advice}"
        )
    images = group.elements()
    if len(images) == 1:
        return np.ones(len(places), dtype=bool)
    least = images.min(axis=0)
    ordered = np.sort(images, axis=0)
    regular = np.logical_and.reduce(ordered[1:] > ordered[:-1], axis=0)
    kept: dict[str, list[int]] = {}
    for name in once:
        own = np.array([o for o, place in enumerate(places) if place.piece == name], dtype=np.int64)
        if regular[own].all() and np.isin(images[:, own], own).all():
            kept[name] = own[least[own] == own].tolist()
    if not kept:
        raise ValueError(
            f"the board has {len(images)} symmetries; every piece that is used once has a place that a symmetry "
            f"preserves, or is exchanged with another piece; {advice}"
        )
    name = min(kept, key=lambda name: len(kept[name]))
    stays = np.array([place.piece != name for place in places])
    stays[kept[name]] = True
    return stays


def moves_of(board: Board, kind: Kind) -> Iterator[tuple[Matrix, dict[Cell, Cell]]]:
    """Yields the motions that map a board to itself, each with the image of each cell; the identity is first."""
    marks, lattice = board.marks, lattice_of(board.lattice)
    positions = np.array([lattice.position(cell) for cell in marks], dtype=object)  # of any size
    for matrix in matrices_of(lattice, kind):
        turned = positions @ np.array(matrix).T
        shift = positions.min(axis=0) - turned.min(axis=0)
        if (shift % lattice.period).any():
            continue
        move = dict(zip(marks, map(lattice.cell, map(tuple, (turned + shift).tolist())), strict=True))
        if all(marks.get(image) == marks[cell] for cell, image in move.items()):
            yield matrix, move
