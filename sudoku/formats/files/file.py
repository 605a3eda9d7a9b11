"""The base of readers of whole files, and the check of solutions that several of them need."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sudoku.formats.request import Asked
from sudoku.grid import Grid, GridError, Puzzle
from sudoku.layout import Layout

Found = Puzzle | GridError


class File:
    """A text of a certain form, that takes all lines up to its end."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.line = 0  # where it begins
        self.over = False  # whether the last line was the last one of it
        self.waits = False  # whether it ends above the next line unless that begins as its members do

    def take(self, line: int, piece: str) -> Iterator[Found]:
        """Reads a line, or the next piece of a long one; only the last piece of a line ends in a line end."""
        raise NotImplementedError

    def close(self) -> Iterator[Found]:
        """Ends the text, which may be an error."""
        yield from ()


def solution_fault(grid: Grid, solution: Grid, layout: Layout, whole: bool = False) -> str:
    """Returns the fault of the solution of a grid, or nothing; its blanks are none unless it must be whole."""
    clashes = np.argwhere((grid != 0) & (solution != 0) & (grid != solution))
    if len(clashes):
        r, c = clashes[0].tolist()
        return f"the solution has {solution[r, c]} in {_place(r, c)}, where the puzzle has {grid[r, c]}"
    rows = solution.tolist()
    for kind, _, cells in layout.regions:
        digits = [digit for r, c in cells if (digit := rows[r][c])]
        if len(set(digits)) < len(digits):
            there: dict[int, tuple[int, int]] = {}
            for r, c in sorted(cells):
                first = there.setdefault(rows[r][c], (r, c))
                if rows[r][c] and first != (r, c):
                    both = f"{rows[r][c]} in {_place(r, c)} and in {_place(*first)}"
                    return f"the solution has {both}, which are in one {kind}"
    if broken := layout.broken(solution):
        return f"the solution breaks the {broken}"
    blanks = np.argwhere(solution == 0)
    return f"the solution has no digit in {_place(*blanks[0].tolist())}" if whole and len(blanks) else ""


def _place(r: int, c: int) -> str:
    return f"row {r + 1}, column {c + 1}"
