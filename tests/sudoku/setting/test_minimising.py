"""Givens that can go, and candidates: by comparing all completions before and after."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from backtracking import BOXES, check_minimal, completions, full, without
from seeds import for_seeds
from sudoku_command import CLASH, CLUE17, MANY, SOLVED

import sudoku

Grid = npt.NDArray[np.uint8]

LAYOUTS = [*BOXES[:2], sudoku.Layout.jigsaw("AAAB CABB CCDB CDDD")]


def some_grid(seed: int) -> tuple[Grid, sudoku.Layout]:
    """A grid of 4 x 4 with any number of completions, often none."""
    rng = np.random.default_rng(seed)
    layout = LAYOUTS[seed % len(LAYOUTS)]
    grid = full(layout, seed) * (rng.random((4, 4)) < rng.random())
    if rng.random() < 0.4:
        grid[tuple(rng.integers(4, size=2))] = rng.integers(1, 5)
    return grid.astype(np.uint8), layout


@for_seeds(150, 50)
def test_redundant_givens(seed: int) -> None:
    """A given is redundant just if the completions are the same ones without it."""
    grid, layout = some_grid(seed)
    all_of = set(completions(grid, layout, 1000))
    redundant = sudoku.redundant(grid, layout)
    for r, c in np.argwhere(grid).tolist():
        assert redundant[r, c] == (set(completions(without(grid, (r, c)), layout, 1000)) == all_of)
    assert not redundant[grid == 0].any()


@for_seeds(150, 50)
def test_minimise(seed: int) -> None:
    """The completions stay, all givens are from before, and none that is left can go."""
    grid, layout = some_grid(seed)
    left = sudoku.minimise(grid, layout, seed=seed)
    assert set(completions(left, layout, 1000)) == set(completions(grid, layout, 1000))
    assert (left[left > 0] == grid[left > 0]).all()
    assert not sudoku.redundant(left, layout).any()


def test_minimise_plain_grids() -> None:
    """By the fast kernel as by dlx: proper puzzles, a grid with many completions, and one with none."""
    for seed in range(3):
        check_minimal(sudoku.minimise(SOLVED, seed=seed))
    assert np.array_equal(sudoku.minimise(SOLVED, seed=1), sudoku.minimise(SOLVED, seed=1))
    assert not np.array_equal(sudoku.minimise(SOLVED, seed=1), sudoku.minimise(SOLVED, seed=2))
    assert np.array_equal(sudoku.minimise(CLUE17), sudoku.as_grid(CLUE17))
    assert np.count_nonzero(sudoku.minimise(CLASH)) == 2
    assert sudoku.count(sudoku.minimise(MANY)).covers == sudoku.count(MANY).covers


@for_seeds(100, 50)
def test_candidates(seed: int) -> None:
    """Candidates that survive the completions are in one; each given alone allows those by rules."""
    grid, layout = some_grid(seed)
    expected = np.zeros((4, 4, 4), dtype=np.bool_)
    for cells in completions(grid, layout, 1000):
        expected[(*np.indices((4, 4)), np.frombuffer(cells, dtype=np.uint8).reshape(4, 4) - 1)] = True
    assert np.array_equal(sudoku.candidates(grid, layout), expected)
    rules = sudoku.candidates(grid, layout, surviving="rules")
    for r, c in np.ndindex(4, 4):
        seen = {int(grid[cell]) for region in layout.regions if (r, c) in region.cells for cell in region.cells}
        free = {int(grid[r, c])} if grid[r, c] else {1, 2, 3, 4} - seen
        assert {d for d in range(1, 5) if rules[r, c, d - 1]} == free
