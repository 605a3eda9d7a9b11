"""The protocol of readers of whole files, and the checks of solutions that several of them need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from sudoku.grid import Grid, GridError, Puzzle
from sudoku.layout import Layout

Found = Puzzle | GridError


class File(Protocol):
    """A text of a certain form, that takes all lines up to its end.

    Attributes:
        over: whether the last line was the last one of it.
        waits: whether it ends above the next line unless that begins as its members do.
    """

    over: bool
    waits: bool

    def take(self, line: int, piece: str) -> Iterator[Found]:
        """Reads a line, or the next piece of a long one; only the last piece of a line ends in a line end."""

    def close(self) -> Iterator[Found]:
        """Ends the text, which may be an error."""


def solution_fault(grid: Grid, solution: Grid, layout: Layout) -> str:
    """Returns the fault of the solution that a file gives for a grid, or nothing; where it is blank it says nothing.

    >>> grid = np.array([[1, 0], [0, 0]], dtype=np.uint8)
    >>> solution_fault(grid, np.array([[1, 2], [2, 2]], dtype=np.uint8), Layout.boxes(1, 2))
    'the solution has 2 in row 2, column 2 and in row 2, column 1, which are in one row'
    """
    clashes = np.argwhere((grid != 0) & (solution != 0) & (grid != solution))
    if len(clashes):
        r, c = clashes[0].tolist()
        return f"the solution has {solution[r, c]} in row {r + 1}, column {c + 1}, where the puzzle has {grid[r, c]}"
    rows = solution.tolist()
    for kind, _, cells in layout.regions:
        digits = [digit for r, c in cells if (digit := rows[r][c])]
        if len(set(digits)) < len(digits):
            return f"the solution has {_twice(rows, sorted(cells))}, which are in one {kind}"
    broken = layout.broken(solution)
    return broken and f"the solution breaks the {broken}"


def _twice(rows: list[list[int]], cells: Sequence[tuple[int, int]]) -> str:
    """The first digit that is in one of some cells and in another one, and in which."""
    there: dict[int, tuple[int, int]] = {}
    for r, c in cells:
        digit = rows[r][c]
        if digit in there:
            return (
                f"{digit} in row {r + 1}, column {c + 1} and in row {there[digit][0] + 1}, column {there[digit][1] + 1}"
            )
        if digit:
            there[digit] = (r, c)
    raise AssertionError("no digit is there twice")


def blank_fault(solution: Grid) -> str:
    """Returns the fault of a solution that must have a digit in every cell, or nothing."""
    blanks = np.argwhere(solution == 0)
    if not len(blanks):
        return ""
    r, c = blanks[0].tolist()
    return f"the solution has no digit in row {r + 1}, column {c + 1}"
