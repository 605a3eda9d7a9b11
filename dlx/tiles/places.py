"""The places of a shape on a board, found for all positions of an orientation at once."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.problem.placement import Placement
from dlx.tiles.boards import Board
from dlx.tiles.lattice import lattice_of
from dlx.tiles.pieces import Piece, Shape
from dlx.tiles.shapes import PLAIN, Side

Numbers = npt.NDArray[np.int32]
MOST_IN_BOX = 1 << 24  # maximum number of cells of the box around a board
AT_ONCE = 1 << 18  # cell numbers in a block
NO_CELL = -1  # marks a place of the box that is not a cell
ANY_MARK, NO_MARK = -2, -1  # codes of the marks of a piece: no mark; a mark that is not on the board


class BoardCells:
    """The cells of a board as arrays; a cell is represented by its position in the sorted list of cells.

    >>> from dlx.tiles import Board, Piece
    >>> board_cells = BoardCells(Board.of("##./###"))
    >>> board_cells.cells, board_cells.rows(Piece.of("I", "##").orientations("fixed"))[1].tolist()
    ([(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)], [[0, 1], [2, 3], [3, 4]])
    """

    def __init__(self, board: Board) -> None:
        self.board, self._lattice = board, lattice_of(board.lattice)
        if prod(board.size) > MOST_IN_BOX:
            size = " x ".join(map(str, board.size))
            raise ValueError(f"the cells of the board lie too far apart, in a box of {size}")
        self.cells = sorted(board.marks)
        corner = [min(numbers) for numbers in zip(*board.marks, strict=True)]
        self._least = [x % 2 for x in corner]  # even, so that the parity of cells is preserved
        origin = np.array([x - x % 2 for x in corner], dtype=object)
        moved: Any = (np.array([*board.marks], dtype=object) - origin).astype(np.int32).T
        self._positions: Any = self._lattice.position(tuple(moved))
        self._number = np.full(prod(board.size), NO_CELL, dtype=np.int32)  # the cell at each place of the box
        self._number[np.sort(self._key(moved))] = np.arange(len(self.cells))
        self._codes = {mark: code for code, mark in enumerate(dict.fromkeys(board.marks.values()))}
        self._marks = np.array([self._codes[board.marks[cell]] for cell in self.cells])

    def _key(self, axes: Any) -> Numbers:
        """Returns a number for each cell of the box around the board, given the arrays of its coordinates."""
        key: Numbers = axes[0] - self._least[0]
        for axis, least, size in zip(axes[1:], self._least[1:], self.board.size[1:], strict=True):
            key = key * size + (axis - least)
        return key

    def rows(self, shapes: Sequence[Shape]) -> tuple[Numbers, Numbers]:
        """Returns all places of some shapes: the number of each place's shape, and a row of its cells."""
        at = np.array([[position for position, _, _ in shape] for shape in shapes], dtype=np.int64)
        at = np.moveaxis(at, 2, 0)  # one array of shape (shapes, cells) for each axis
        which, anchors = np.nonzero(self._can_anchor(at))
        steps = (at - at[:, :, :1]).astype(np.int32)  # no overflow, since a shape with an anchor fits into the box
        size = max(1, AT_ONCE // at.shape[2])
        blocks = ((which[k : k + size], anchors[k : k + size]) for k in range(0, max(1, len(which)), size))
        parts = [
            self._on_board([x[some, None] + step[of] for x, step in zip(self._positions, steps, strict=True)])
            for of, some in blocks
        ]
        which, rows = which[np.concatenate([there for there, _ in parts])], np.concatenate([rows for _, rows in parts])
        codes = np.array([[self._code(mark) for _, mark, _ in shape] for shape in shapes])
        if (codes != ANY_MARK).any():
            fits = ((codes[which] == ANY_MARK) | (codes[which] == self._marks[rows])).all(axis=1)
            which, rows = which[fits], rows[fits]
        return which, rows

    def _code(self, mark: str) -> int:
        return ANY_MARK if mark == PLAIN else self._codes.get(mark, NO_MARK)

    def _can_anchor(self, at: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Returns whether the first cell of each shape can be on each cell, judged only by the bounding box."""
        can = np.ones((at.shape[1], len(self.cells)), dtype=np.bool_)
        for x, shape in zip(self._positions, at, strict=True):
            first = shape[:, :1]
            can &= (x - first) % self._lattice.period == 0
            can &= x >= x.min() + first - shape.min(axis=1, keepdims=True)
            can &= x <= x.max() + first - shape.max(axis=1, keepdims=True)
        return can

    def _on_board(self, positions: Any) -> tuple[npt.NDArray[np.bool_], Numbers]:
        """Returns which rows of positions consist of cells of the board, and the cells of these rows."""
        cells: Any = self._lattice.cell(tuple(positions))
        there = np.ones(len(cells[0]), dtype=np.bool_)
        for axis, least, length in zip(cells, self._least, self.board.size, strict=True):
            there &= (axis.min(axis=1) >= least) & (axis.max(axis=1) < least + length)
        rows = self._number[self._key([axis[there] for axis in cells])]
        filled = (rows != NO_CELL).all(axis=1)
        there[there] = filled
        return there, rows[filled]

    def placed(self, piece: Piece, shapes: Sequence[Shape]) -> tuple[list[Placement], Numbers]:
        """Returns all different places of a piece in some orientations, and a sorted row of cells for each."""
        which, rows = self.rows(shapes)
        lattice = self.board.lattice
        if piece.sides:
            each = zip(which.tolist(), rows[:, 0].tolist(), strict=True)
            places = [Placement(piece.name, (self.cells[cell],), lattice, shapes[k][0][2]) for k, cell in each]
            fits = [k for k, place in enumerate(places) if agreed(self.board, place) is not None]
            return [places[k] for k in fits], rows[fits]
        rows.sort(axis=1)
        if {*piece.marks} > {PLAIN}:  # otherwise all places have different cells
            rows = rows[np.sort(np.unique(rows, axis=0, return_index=True)[1])]
        names = np.empty(len(self.cells), dtype=object)
        names[:] = self.cells
        cells = iter(names[rows.ravel()].tolist())
        tuples = zip(*[cells] * rows.shape[1], strict=True)  # one tuple for each place
        return [Placement(piece.name, some, lattice) for some in tuples], rows


def agreed(board: Board, place: Placement) -> dict[Side, str] | None:
    """Returns the label of each side between two cells of the board; None if the frame has another label."""
    found: dict[Side, str] = {}
    for side, label in zip(board.sides[place.cells[0]], place.sides, strict=True):
        if side:
            found[side] = label
        elif board.frame and board.frame != label:
            return None
    return found
