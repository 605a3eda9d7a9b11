"""Which givens can go, and why there is no completion, or several: minimal and true, by all completions and by dlx."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest
from backtracking import BOXES, RULES, check_minimal, completions, full, number, with_givens, without
from gates import in_slices
from seeds import for_seeds
from sudoku_command import CLASH, CLUE17, EMPTY, MANY, SOLVED

import sudoku
from dlx import Progress

Grid = npt.NDArray[np.uint8]

FEW_WITHOUT = "8.4952..395.71.2.41.24867955.86.1937.6329514.4193..5683..52..7...71643596.5.37421"

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
    few = sudoku.minimise(FEW_WITHOUT, seed=100, timeout=5)  # the kernel alone takes minutes
    assert sudoku.explain(few).core == tuple(map(tuple, np.argwhere(few).tolist()))
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


# Explanations


def check(grid: Grid, layout: sudoku.Layout = BOXES[-1]) -> sudoku.Explanation:
    """Verifies an explanation by taking away what it names."""
    found = sudoku.explain(grid, layout)
    assert found.stopped is None
    assert found.completions == number(grid, layout)
    if found.core is not None:
        core = without(grid, *((r, c) for r, c in np.argwhere(grid).tolist() if (r, c) not in found.core))
        assert number(core, layout) == 0
        assert all(number(without(core, cell), layout) for cell in found.core)
    if found.extra is not None:
        more = with_givens(grid, *found.extra)
        assert number(more, layout) == 1
        assert all(number(without(more, given[:2]), layout) == 2 for given in found.extra)
    assert (found.core is None, found.extra is None) == (found.completions != 0, found.completions != 2)
    return found


@for_seeds(120, 40)
def test_random_grids(seed: int) -> None:
    """Cores, extra givens and the cells that differ, for grids of some layouts with some digits changed."""
    rng = np.random.default_rng(seed)
    layout = BOXES[seed % len(BOXES)]
    grid = full(layout, seed)
    grid[rng.random(grid.shape) >= rng.choice([0.3, 0.5])] = 0
    for r, c in rng.integers(layout.size, size=(int(rng.integers(3)), 2)):
        grid[r, c] = rng.integers(1, layout.size + 1)
    found = check(grid, layout)
    marks = sudoku.candidates(grid, layout).sum(axis=2)
    assert sorted(found.differing) == [(r, c) for r, c in np.argwhere(marks > 1).tolist()]


@pytest.mark.parametrize("layout", RULES.values(), ids=RULES)
def test_rules_that_are_no_regions(layout: sudoku.Layout) -> None:
    """Extra givens of an empty grid, and the core of a completion with a wrong digit, by other rules, too."""
    check(np.zeros(layout.shape, dtype=np.uint8), layout)
    wrong = full(layout, 1)
    cell = tuple(np.argwhere(wrong)[-1])
    wrong[cell] = wrong[cell] % layout.size + 1
    check(wrong, layout)


def test_clashes() -> None:
    """Every pair of equal givens in a region, or of givens that another rule forbids, is named with the rule."""
    found = check(sudoku.as_grid(CLASH))
    pair = ((0, 0, 3), (0, 1, 3))
    assert found.conflicts == (("row", 0, pair), ("column", 1, ((0, 1, 3), (6, 1, 3))), ("box", 0, pair))
    assert found.core == ((0, 0), (0, 1))
    diagonal = sudoku.explain("1....1..........", sudoku.Layout.named("x", (2, 2)))
    assert sudoku.Conflict("diagonal", 0, ((0, 0, 1), (1, 1, 1))) in diagonal.conflicts
    three = sudoku.explain("111.............", (2, 2))
    assert len([conflict for conflict in three.conflicts if conflict.kind == "row"]) == 3
    consecutive = sudoku.explain("12" + 34 * ".", RULES["non-consecutive"])
    assert [conflict.givens for conflict in consecutive.conflicts] == [((0, 0, 1), (0, 1, 2))]
    assert consecutive.core == ((0, 0), (0, 1))


@pytest.mark.parametrize("grid", [f"9{SOLVED[1:]}", MANY], ids=["none", "several"])
def test_called_off_in_any_report(monkeypatch: pytest.MonkeyPatch, grid: str) -> None:
    """Whatever is searched when a caller ends it, listed completions and least sets too: there is an answer so far."""
    in_slices(monkeypatch, 50)
    seen: list[Progress] = []
    whole = sudoku.explain(grid, progress=seen.append)
    for last in {0, *range(1, len(seen), 1 + len(seen) // 10), len(seen) - 1}:
        left = iter(range(last))

        def progress(_: Progress, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise KeyboardInterrupt

        found = sudoku.explain(grid, progress=progress)
        assert found.conflicts == whole.conflicts
        if last == len(seen) - 1 and found.stopped is None:  # the last report comes when all has been found
            assert (found.core, found.extra) == (whole.core, whole.extra)
        else:
            assert (found.stopped, found.core, found.extra) == ("interrupt", None, None)


def test_many_completions() -> None:
    """Too many to be listed: what is found leaves one completion, and fewer givens may do."""
    found = check(sudoku.as_grid(EMPTY))
    assert found.extra is not None
    assert 17 <= len(found.extra) < 30
    assert len(found.differing) == 81
    check(sudoku.as_grid(MANY))
