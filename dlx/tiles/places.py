"""The places of a shape on a board, all positions of an orientation at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.problem import Problem
from dlx.tiles.boards import Board
from dlx.tiles.lattice import Cell, lattice_of
from dlx.tiles.pieces import Piece, Shape
from dlx.tiles.shapes import FREE, PLAIN, Side, Sides

Numbers = npt.NDArray[np.int64]
MOST_KEYS = 1 << 62  # cells of the box around a board, some of them no cells of it
AT_ONCE = 1 << 18  # numbers of cells in a block
ANY_MARK, NO_MARK = -2, -1  # codes of marks of pieces: a plain cell, and a mark that the board has not


class Placement(NamedTuple):
    """A piece in one of its places, the name of an option: its name, its cells in order, and the name of their lattice.

    Its `sides` are the labels of each cell in the order of its neighbours, () if the piece has none.
    """

    piece: str
    cells: tuple[Cell, ...]
    lattice: str = "square"
    sides: tuple[Sides, ...] = ()

    def __str__(self) -> str:
        """The name, the cells and the labels, as pages and lists of options show them."""
        cells = (",".join(map(str, cell)) for cell in self.cells)
        return " ".join([self.piece, *cells, *("-".join(labels) for labels in self.sides)])


def placements_in(problem: Problem, cover: Iterable[int]) -> list[Placement]:
    """Returns the placements of a cover; a problem that was read from a file has plain tuples for them."""
    return [Placement(*label) for label in problem.labels(cover)]


class Ground:
    """The cells of a board as arrays: each is a number, its place in the sorted list of cells.

    >>> from dlx.tiles import Board, Piece
    >>> ground = Ground(Board.of("##./###"))
    >>> ground.cells, ground.rows(Piece.of("I", "##").orientations("fixed"))[1].tolist()
    ([(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)], [[0, 1], [2, 3], [3, 4]])
    """

    def __init__(self, board: Board) -> None:
        self.board, self._lattice = board, lattice_of(board.lattice)
        if prod(board.size) >= MOST_KEYS:
            size = " x ".join(map(str, board.size))
            raise ValueError(f"the cells of the board lie too far apart, in a box of {size}")
        self.cells = sorted(board.marks)
        self._least = np.array([x % 2 for x in board.least])  # an even move takes triangles and hexagons along
        origin = tuple(x - x % 2 for x in board.least)
        moved = np.array([[x - y for x, y in zip(cell, origin, strict=True)] for cell in board.marks], dtype=np.int64)
        self._positions = np.stack(self._lattice.position(tuple(moved.T)), axis=1)
        self._keys = np.sort(self._key(moved))
        self._codes = {mark: code for code, mark in enumerate(dict.fromkeys(board.marks.values()))}
        self._marks = np.array([self._codes[board.marks[cell]] for cell in self.cells])

    def _key(self, cells: Numbers) -> Numbers:
        """The numbers of cells in the box around the board; the last axis is that of a cell's numbers."""
        strides = [prod(self.board.size[k + 1 :]) for k in range(len(self.board.size))]
        keys: Numbers = (cells - self._least) @ np.array(strides, dtype=np.int64)
        return keys

    def rows(self, shapes: Sequence[Shape]) -> tuple[Numbers, Numbers]:
        """Returns the places of shapes that have the same number of cells, the places of the first shape first.

        They are the number of the shape for each place, and its cells in the order of the shape: int64 arrays of shape
        (places,) and (places, cells).
        """
        at = np.array([[position for position, _, _ in shape] for shape in shapes], dtype=np.int64)
        which, anchors = np.nonzero(self._can_anchor(at))
        steps = at - at[:, :1]
        size = max(1, AT_ONCE // at.shape[1])
        blocks = [(which[k : k + size], anchors[k : k + size]) for k in range(0, len(which), size)]
        parts = [self._on_board(self._positions[some][:, None] + steps[of]) for of, some in blocks]
        there = np.concatenate([there for there, _ in parts]) if parts else np.zeros(0, dtype=bool)
        which = which[there]
        rows = np.concatenate([rows for _, rows in parts]) if parts else np.empty((0, at.shape[1]), dtype=np.int64)
        codes = np.array([[self._code(mark) for _, mark, _ in shape] for shape in shapes])[which]
        marked = ((codes == ANY_MARK) | (codes == self._marks[rows])).all(axis=1)
        return which[marked], rows[marked]

    def _code(self, mark: str) -> int:
        return ANY_MARK if mark == PLAIN else self._codes.get(mark, NO_MARK)

    def _can_anchor(self, at: Numbers) -> npt.NDArray[np.bool_]:
        """Tells whether the first cell of each shape may lie on each cell, as far as the box around positions says."""
        steps = at - at[:, :1]
        can: npt.NDArray[np.bool_] = ((self._positions - at[:, :1]) % self._lattice.period == 0).all(axis=2)
        if self.board.wrap is None:
            least, most = self._positions.min(axis=0), self._positions.max(axis=0)
            can &= (self._positions + steps.min(axis=1)[:, None] >= least).all(axis=2)
            can &= (self._positions + steps.max(axis=1)[:, None] <= most).all(axis=2)
        return can

    def _on_board(self, positions: Numbers) -> tuple[npt.NDArray[np.bool_], Numbers]:
        """Tells which rows of positions are different cells of the board, and returns the numbers of these cells."""
        cells = np.stack(self._lattice.cell(tuple(np.moveaxis(positions, 2, 0))), axis=2)
        size = np.array(self.board.size)
        for axis in self.board.wrapped_axes:
            cells[..., axis] = (cells[..., axis] - self._least[axis]) % size[axis] + self._least[axis]
        there = ((cells >= self._least) & (cells < self._least + size)).all(axis=(1, 2))
        keys = self._key(cells)
        rows = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        there &= (self._keys[rows] == keys).all(axis=1)
        if self.board.wrap is not None:
            ordered = np.sort(rows, axis=1)
            there &= (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
        return there, rows[there]

    def placed(self, piece: Piece, shapes: Sequence[Shape]) -> tuple[list[Placement], Numbers]:
        """Returns all places of a piece in some orientations, each once, and a row with the cells of each in order."""
        which, rows = self.rows(shapes)
        order = np.argsort(rows, axis=1)
        rows = np.take_along_axis(rows, order, axis=1)
        if piece.sides:
            return self._with_sides(
                piece,
                rows,
                [[shapes[k][j][2] for j in some] for k, some in zip(which.tolist(), order.tolist(), strict=True)],
            )
        first = np.sort(np.unique(rows, axis=0, return_index=True)[1])
        rows = rows[first]
        names = np.empty(len(self.cells), dtype=object)
        names[:] = self.cells
        lattice = self.board.lattice
        return [Placement(piece.name, tuple(cells), lattice) for cells in names[rows].tolist()], rows

    def _with_sides(
        self, piece: Piece, rows: Numbers, sides: Sequence[Sequence[Sides]]
    ) -> tuple[list[Placement], Numbers]:
        """Returns the places where no two labels, and no label and the frame, disagree."""
        found: dict[Placement, Numbers] = {}
        for row, labels in zip(rows, sides, strict=True):
            place = Placement(piece.name, tuple(self.cells[k] for k in row), self.board.lattice, tuple(labels))
            if agreed(self.board, place) is not None:
                found.setdefault(place, row)
        return [*found], np.array([*found.values()], dtype=np.int64).reshape(len(found), rows.shape[1])


def agreed(board: Board, place: Placement) -> dict[Side, str] | None:
    """Returns the label of each side between two cells of the board; None if two labels or the frame disagree."""
    found: dict[Side, str] = {}
    for cell, labels in zip(place.cells, place.sides, strict=False):
        for side, label in zip(board.sides[cell], labels, strict=True):
            if label != FREE and (found.setdefault(side, label) if side else board.frame or label) != label:
                return None
    return found
