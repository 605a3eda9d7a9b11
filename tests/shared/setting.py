"""A second way to the answers of setters: plain backtracking on the regions of a layout, which knows nothing of dlx."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sudoku import Layout

Grid = npt.NDArray[np.uint8]


def completions(grid: Grid, layout: Layout, most: int = 2) -> list[bytes]:
    """Completions of a grid, up to so many: the blank with the fewest digits next, all its digits in turn."""
    peers = {
        cell: set().union(*(r.cells for r in layout.regions if cell in r.cells)) - {cell} for cell in cells(layout)
    }
    digits = {cell: int(grid[cell]) for cell in peers}
    found: list[bytes] = []
    if any(digits[cell] and digits[cell] == digits[peer] for cell in peers for peer in peers[cell]):
        return found

    def free(cell: tuple[int, int]) -> set[int]:
        return set(range(1, layout.size + 1)) - {digits[peer] for peer in peers[cell]}

    def go_on() -> None:
        blanks = [cell for cell, digit in digits.items() if not digit]
        if not blanks:
            found.append(bytes(digits.values()))
            return
        cell = min(blanks, key=lambda blank: len(free(blank)))
        for digit in sorted(free(cell)):
            if len(found) < most:
                digits[cell] = digit
                go_on()
        digits[cell] = 0

    go_on()
    return found


def cells(layout: Layout) -> list[tuple[int, int]]:
    """The cells of a layout, in reading order."""
    return sorted({cell for region in layout.regions for cell in region.cells})


def without(grid: Grid, *gone: tuple[int, int]) -> Grid:
    """A grid without some givens."""
    left = grid.copy()
    for cell in gone:
        left[cell] = 0
    return left


def with_givens(grid: Grid, givens: tuple[tuple[int, int, int], ...]) -> Grid:
    """A grid with further givens."""
    more = grid.copy()
    for r, c, digit in givens:
        more[r, c] = digit
    return more
