"""Puzzles and killers at random: one completion, minimal, symmetric, with the givens wanted; by trial and by dlx."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from backtracking import BOXES, RULES, check_minimal, completions
from seeds import for_seeds, nightly, tries
from sudoku_command import Feed

import sudoku
from sudoku import Layout
from sudoku.setting.generating import exchangeable
from sudoku.setting.random_grids import RandomGrids, tables

Grid = npt.NDArray[np.uint8]

GRIDS = 6_670_903_752_021_072_936_960  # B. Felgenhauer and F. Jarvis, Mathematics of sudoku I, 2006
BANDS = 948_109_639_680


def drawn(number: int, seed: int = 1) -> Grid:
    """Complete grids."""
    return RandomGrids(seed).draw(number).reshape(-1, 9, 9)


def test_complete_grids_keep_the_rules() -> None:
    """Rows, columns and boxes of all grids that are drawn have each digit, and no grid comes twice."""
    grids, digits = drawn(3000), np.arange(1, 10)
    boxes = grids.reshape(-1, 3, 3, 3, 3).swapaxes(2, 3).reshape(-1, 9, 9)
    for lines in (grids, grids.swapaxes(1, 2), boxes):
        assert (np.sort(lines, axis=2) == digits).all()
    assert len({grid.tobytes() for grid in grids}) == 3000
    assert np.array_equal(grids, drawn(3000))


def test_fillings_sum_to_the_number_of_bands() -> None:
    """Summed over all sets of columns, the fillings are the 948,109,639,680 bands; there are 1,728 at most."""
    fillings = tables().fillings
    assert 1680 * 36 * int(fillings.sum()) == BANDS
    assert fillings.max() == 1728


def test_as_many_tries_are_kept_as_there_are_grids() -> None:
    """A try is kept with the chance that the published number of all grids gives: within four deviations."""
    made = RandomGrids(7)
    made.draw(tries(100_000))
    number = tries(100_000) + len(made._unused)
    chance = float(Fraction(GRIDS, BANDS * 56**3 * 1728**2))
    expected, deviation = made.tries * chance, (made.tries * chance * (1 - chance)) ** 0.5
    assert abs(number - expected) < 4 * deviation


def test_puzzles_are_minimal() -> None:
    """Each has one completion, by backtracking, and two or more without any one of its givens, by dlx."""
    for puzzle in sudoku.generate_many(15, seed=4):
        assert len(completions(puzzle, BOXES[-1])) == 1
        check_minimal(puzzle)


IMAGES: dict[sudoku.Symmetry, Callable[[Any], Any]] = {
    "half-turn": lambda grid: grid[::-1, ::-1],
    "quarter-turn": np.rot90,
    "left-right": lambda grid: grid[:, ::-1],
    "up-down": lambda grid: grid[::-1],
    "diagonal": np.transpose,
    "antidiagonal": lambda grid: grid[::-1, ::-1].T,
    "full": np.rot90,
}


@pytest.mark.parametrize("symmetry", IMAGES)
def test_symmetry(symmetry: sudoku.Symmetry) -> None:
    """The pattern of the givens is what its image is, there is one completion, and no orbit can go."""
    for puzzle in sudoku.generate_many(3, seed=6, symmetry=symmetry):
        pattern = puzzle > 0
        assert np.array_equal(pattern, IMAGES[symmetry](pattern))
        if symmetry == "full":
            assert np.array_equal(pattern, pattern[::-1])
        assert len(completions(puzzle, BOXES[-1])) == 1
    assert not sudoku.redundant(sudoku.generate(seed=1, symmetry="diagonal", minimal=True)).any()
    pattern = sudoku.generate(seed=1, symmetry=symmetry, layout=(2, 3)) > 0  # not even if it brings boxes to no boxes
    assert np.array_equal(pattern, IMAGES[symmetry](pattern))


LAYOUTS = {
    "4x4": BOXES[0],
    "6x6": BOXES[2],
    "jigsaw": sudoku.Layout.jigsaw("AAAB CABB CCDB CDDD"),
    "x": sudoku.Layout.named("x"),
    "windoku": sudoku.Layout.named("windoku"),
    **RULES,
}


@pytest.mark.parametrize("name", [*(name for name in LAYOUTS if name != "windoku"), *nightly("windoku")])
def test_layouts(name: str) -> None:
    """Puzzles of any layout have one completion, and more without any one given; and they have marks."""
    layout = LAYOUTS[name]
    puzzle = sudoku.generate(layout=layout, seed=2)
    check_minimal(puzzle, layout)
    assert not sudoku.redundant(puzzle, layout).any()
    assert name in RULES or len(completions(puzzle, layout)) == 1
    completion = sudoku.solve(puzzle, layout).completion
    assert completion is not None
    assert (sudoku.candidates(puzzle, layout).sum(axis=2) == (completion > 0)).all()
    marks = sudoku.candidates(puzzle, layout, surviving="rules")
    assert all(marks[r, c, completion[r, c] - 1] for r, c in np.argwhere(completion).tolist())
    turned = sudoku.generate(layout=layout, seed=3, symmetry="half-turn", minimal=name == "4x4")
    assert name == "jigsaw" or np.array_equal(turned > 0, (turned > 0)[::-1, ::-1])


def test_a_timeout_describes_the_puzzles() -> None:
    """The message of a timeout describes the puzzles tried."""
    for doublings in range(8):  # until some have been tried, however slow the machine
        with pytest.raises(TimeoutError) as caught:
            sudoku.generate((2, 2), givens=7, minimal=True, tries=10**9, timeout=0.1 * 2**doublings)
        if found := re.search("timeout: none of [0-9]+ puzzles: they have [4-6] to [4-6] givens", str(caught.value)):
            break
    assert found


def test_large_puzzles() -> None:
    """With 400 givens a puzzle of 25 rows is made soon."""
    assert np.count_nonzero(sudoku.generate(layout=(5, 5), seed=1, givens=400)) == 400


@pytest.mark.parametrize("box", [None, (2, 3)])
def test_numbers_of_givens_are_drawn(box: tuple[int, int] | None) -> None:
    """Of a range all numbers come, not only the least, and the same seed draws the same ones."""
    least = 28 if box is None else 14
    puzzles = [sudoku.generate(seed=seed, givens=(least, least + 2), layout=box) for seed in range(24)]
    assert {int(np.count_nonzero(puzzle)) for puzzle in puzzles} == {least, least + 1, least + 2}
    assert (sudoku.generate(seed=5, givens=(least, least + 2), layout=box) == puzzles[5]).all()


@pytest.mark.parametrize("layout", [BOXES[0], BOXES[3], RULES["cages"]], ids=str)
def test_givens_are_where_the_pattern_is(layout: sudoku.Layout) -> None:
    """The givens are where those of a pattern are, and leave one completion; a grid and its mask mean the same."""
    model = sudoku.generate(layout=layout, seed=8, givens=(30, 34) if layout.is_plain else None)
    puzzle = sudoku.generate(layout=layout, seed=9, pattern=model > 0)
    assert np.array_equal(puzzle > 0, model > 0)
    assert sudoku.count(puzzle, layout).covers == 1
    assert np.array_equal(puzzle, sudoku.generate(layout=layout, seed=9, pattern=model))


def test_patterns_of_signs_and_truth_values() -> None:
    """A table of truth values is a pattern, and so is a text in which all but . and 0 mark givens."""
    table = [[True] * 9] * 9
    grid = sudoku.generate(pattern=table, seed=1)
    assert np.array_equal(grid, sudoku.generate(pattern=np.array(table), seed=1))
    assert np.array_equal(grid, sudoku.generate(pattern=9 * "XX?*-_~x1\n", seed=1))
    assert grid.all()
    assert sudoku.count(grid).covers == 1


@pytest.mark.parametrize("layout", [BOXES[0], LAYOUTS["jigsaw"], sudoku.Layout.named("x", (2, 2))], ids=str)
def test_blank_lines_that_can_be_exchanged(layout: sudoku.Layout) -> None:
    """Two blank rows or columns leave another completion wherever they are said to be exchangeable."""
    solution = sudoku.solve("." * 16, layout).completion
    assert solution is not None
    for one, other in combinations(range(4), 2):
        for name, turned in (("rows", False), ("columns", True)):
            grid = solution.copy()
            (grid.T if turned else grid)[[one, other]] = 0
            found = exchangeable(grid, layout)
            assert found in ("", f"{name} {one + 1} and {other + 1}")
            assert not found or sudoku.count(grid, layout).covers > 1
            assert layout != BOXES[0] or bool(found) == (one // 2 == other // 2)


# Killers


@for_seeds(40)
def test_killers(seed: int) -> None:
    """Cages cover the grid once, have no digit twice, are no larger than wanted, and have one completion."""
    base = (Layout.boxes(2, 2), Layout.boxes(2, 3), Layout.named("x", (2, 2)), Layout.boxes(1, 5))[seed % 4]
    largest = 2 + seed % 3
    killer = sudoku.generate_killer(base, seed=seed, largest=largest)
    assert killer == sudoku.generate_killer(base, seed=seed, largest=largest)
    assert sorted(cell for cage in killer.sums for cell in cage.cells) == base.cells()
    assert max(len(cage.cells) for cage in killer.sums) <= largest
    found = sudoku.solve(base.size**2 * ".", killer).completion
    assert found is not None
    assert sudoku.count(base.size**2 * ".", killer).covers == 1
    for cage in killer.sums:
        digits = [int(found[cell]) for cell in cage.cells]
        assert (sum(digits), len(set(digits))) == (cage.total, len(digits))


def test_killers_by_command(feed_sudoku: Feed) -> None:
    """The command prints one killer for each seed; a terminal shows how many are done."""
    task = ["generate", "--killer", "--box", "2x2", "-n", "3", "--seed", "1"]
    status, out, _ = feed_sudoku("", *task)
    assert (status, out.count("\n")) == (0, 3)
    assert feed_sudoku(out, "count") == (0, "1\n1\n1\n", "")
    assert feed_sudoku("", *task, "--timeout", "0")[0] == 3
    assert "0 of 3 killers, 0 s" in feed_sudoku.shown("", *task)


def test_a_limit_of_killers() -> None:
    """A limit that ends the search for a killer is an error."""
    with pytest.raises(TimeoutError):
        sudoku.generate_killer(seed=1, max_nodes=100)
