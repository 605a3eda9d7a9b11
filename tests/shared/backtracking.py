"""Completions by plain backtracking on regions, without `dlx`; grids with fewer or more givens."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

import dlx
import sudoku

Grid = npt.NDArray[np.uint8]
Cell = tuple[int, int]
Regions = list[frozenset[Cell]]

BOXES = [sudoku.Layout.boxes(2, 2), sudoku.Layout.named("x", (2, 2)), sudoku.Layout.boxes(2, 3), sudoku.Layout.boxes()]
CAGES = [(3, [(0, 0), (0, 1)]), (3, [(1, 2), (1, 3)]), (8, [(2, 1), (2, 2), (3, 1)])]
RULES = {  # layouts with more than regions, or of other shapes
    "non-consecutive": sudoku.Layout.named("non-consecutive", BOXES[2]),
    "anti-knight": sudoku.Layout.named("anti-knight", BOXES[2]),
    "cages": BOXES[0].with_sums("cage", *CAGES),
    "arrow": BOXES[0].with_sums("arrow", ((0, 0), [(0, 1), (1, 2)])),
    "shared": sudoku.Layout.gattai((0, 0), (2, 2), box=(2, 2)),
}


def rules(n: int, *further: Collection[Cell]) -> Regions:
    """Returns rows, columns and further regions."""
    lines = [[(k, c) for c in range(n)] for k in range(n)]
    return [frozenset(cells) for cells in (*lines, *zip(*lines, strict=True), *further)]


def blocks(rows: int, columns: int) -> list[list[Cell]]:
    """Returns the cells of each box."""
    n = rows * columns
    corners = [(r, c) for r in range(0, n, rows) for c in range(0, n, columns)]
    return [[(top + r, left + c) for r in range(rows) for c in range(columns)] for top, left in corners]


def completions(grid: Grid, layout: sudoku.Layout | Regions, most: float = 2) -> list[bytes]:
    """Returns up to `most` completions of a grid; the blank with the fewest digits comes next."""
    regions = layout if isinstance(layout, list) else [region.cells for region in layout.regions]
    n = max(map(len, regions))
    cells = sorted(set().union(*regions))
    peers = {cell: set().union(*(region for region in regions if cell in region)) - {cell} for cell in cells}
    digits = {cell: int(grid[cell]) for cell in peers}
    found: list[bytes] = []
    if any(digits[cell] and digits[cell] == digits[peer] for cell in peers for peer in peers[cell]):
        return found

    def free(cell: Cell) -> set[int]:
        return set(range(1, n + 1)) - {digits[peer] for peer in peers[cell]}

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


def number(grid: Grid, layout: sudoku.Layout | None = None) -> int:
    """Returns the number of completions of a grid, at most 2, by dlx."""
    return dlx.count(sudoku.encode(grid, layout), max_covers=2, merge="never").covers


def full(layout: sudoku.Layout, seed: int) -> Grid:
    """Returns a completion of the empty grid."""
    problem = sudoku.encode(np.zeros(layout.shape, dtype=np.uint8), layout)
    cover = dlx.first(problem, seed=seed).cover
    assert cover is not None
    return sudoku.decode(problem, cover).copy()


def without(grid: Grid, *gone: Cell) -> Grid:
    """Returns a grid without some givens."""
    left = grid.copy()
    for cell in gone:
        left[cell] = 0
    return left


def with_givens(grid: Grid, *givens: tuple[int, int, int]) -> Grid:
    """Returns a grid with further givens."""
    more = grid.copy()
    for r, c, digit in givens:
        more[r, c] = digit
    return more


def check_minimal(puzzle: Grid, layout: sudoku.Layout | None = None) -> None:
    """Checks that a puzzle has one completion, and several without any one of its givens."""
    assert number(puzzle, layout) == 1
    assert all(number(without(puzzle, (r, c)), layout) == 2 for r, c in np.argwhere(puzzle).tolist())
