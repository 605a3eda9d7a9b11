"""What setters ask, for layouts with more than regions: clashes, cages, sums along lines, and cells shared by grids."""

from __future__ import annotations

import numpy as np
import pytest
from setting import with_givens, without

import dlx
import sudoku
from sudoku import Layout
from sudoku.grid import Grid

CAGES = [(3, [(0, 0), (0, 1)]), (3, [(1, 2), (1, 3)]), (8, [(2, 1), (2, 2), (3, 1)])]
LAYOUTS = {
    "non-consecutive": Layout.named("non-consecutive", Layout.boxes(2, 3)),
    "anti-knight": Layout.named("anti-knight", Layout.boxes(2, 3)),
    "cages": Layout.boxes(2, 2).with_sums("cage", *CAGES),
    "arrow": Layout.boxes(2, 2).with_sums("arrow", ((0, 0), [(0, 1), (1, 2)])),
    "shared": Layout.gattai((0, 0), (2, 2), box=(2, 2)),
}


def number(grid: Grid, layout: Layout) -> int:
    """How many completions a grid has, up to 2."""
    return dlx.count(sudoku.encode(grid, layout), max_covers=2, merge="never").covers


@pytest.mark.parametrize("name", LAYOUTS)
def test_generated_puzzles(name: str) -> None:
    """They have one completion, and more without any one given; it is measured, and each given is needed."""
    layout = LAYOUTS[name]
    puzzle = sudoku.generate(layout=layout, seed=1)
    assert puzzle.shape == layout.shape
    assert number(puzzle, layout) == 1
    assert all(number(without(puzzle, (r, c)), layout) == 2 for r, c in np.argwhere(puzzle).tolist())
    assert sudoku.is_minimal(puzzle, layout)
    found = sudoku.measure(puzzle, layout)
    assert (found.completions, found.stopped) == (1, None)
    completion = sudoku.solve(puzzle, layout).completion
    assert completion is not None
    assert found.backdoor is not None
    filled = with_givens(puzzle, tuple((*cell, int(completion[cell])) for cell in found.backdoor))
    assert sudoku.measure(filled, layout).guesses == 0
    assert (sudoku.candidates(puzzle, layout).sum(axis=2) == (completion > 0)).all()
    marks = sudoku.candidates(puzzle, layout, surviving="rules")
    assert all(marks[r, c, completion[r, c] - 1] for r, c in np.argwhere(completion).tolist())


@pytest.mark.parametrize("name", LAYOUTS)
def test_explanations(name: str) -> None:
    """Extra givens leave one completion of the empty grid; of a wrong one a core has none, and none can be spared."""
    layout = LAYOUTS[name]
    blank = np.zeros(layout.shape, dtype=np.uint8)
    several = sudoku.explain(blank, layout)
    assert several.completions == 2
    assert several.extra is not None
    full = with_givens(blank, several.extra)
    assert number(full, layout) == 1
    completion = sudoku.solve(full, layout).completion
    assert completion is not None
    r, c = np.argwhere(completion)[-1].tolist()
    wrong = sudoku.explain(with_givens(completion, ((r, c, int(completion[r, c]) % layout.size + 1),)), layout)
    assert wrong.completions == 0
    assert wrong.core is not None
    assert wrong.smallest
    changed = with_givens(completion, ((r, c, int(completion[r, c]) % layout.size + 1),))
    rest = [(a, b) for a, b in np.argwhere(changed).tolist() if (a, b) not in wrong.core]
    core = without(changed, *rest)
    assert number(core, layout) == 0
    assert all(number(without(core, cell), layout) for cell in wrong.core)


def test_conflicts_of_clashes() -> None:
    """Of consecutive digits in neighbouring cells both givens are named, and the rule."""
    found = sudoku.explain("12" + 34 * ".", LAYOUTS["non-consecutive"])
    assert [conflict.givens for conflict in found.conflicts] == [((0, 0, 1), (0, 1, 2))]
    assert found.core == ((0, 0), (0, 1))


def test_canonical_forms() -> None:
    """Cells that are shared move with both grids; rules that are no regions are refused."""
    shared = LAYOUTS["shared"]
    puzzle = sudoku.generate(layout=shared, seed=3)
    turned = puzzle[::-1, ::-1]
    assert sudoku.is_isomorphic(puzzle, turned, shared)
    assert np.array_equal(sudoku.canonical(puzzle, shared), sudoku.canonical(turned, shared))
    for name in ("non-consecutive", "cages"):
        with pytest.raises(ValueError, match="rules that are no regions"):
            sudoku.canonical(np.zeros(LAYOUTS[name].shape, dtype=np.uint8), LAYOUTS[name])


def test_symmetric_patterns_of_other_shapes() -> None:
    """A symmetry that keeps the shape is one; one that does not is refused with the cell."""
    shared = LAYOUTS["shared"]
    pattern = sudoku.generate(layout=shared, seed=1, symmetry="half-turn") > 0
    assert np.array_equal(pattern, pattern[::-1, ::-1])
    with pytest.raises(ValueError, match=r"brings the cell .* where there is none"):
        sudoku.generate(layout=shared, symmetry="left-right")
