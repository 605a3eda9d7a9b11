"""Measures of hardness: singles, guesses and backdoors, against plain sets."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from backtracking import BOXES, with_givens
from oracle import is_cover, random_problem, subsets
from seeds import for_seeds
from sudoku_command import CLASH, CLUE17, EMPTY, SOLVED

import sudoku
from dlx.engine import limits
from dlx.extending import UNLIMITED, Progress, StoppedError, compiled_module
from sudoku.setting.measuring import Meter

Grid = npt.NDArray[np.uint8]

HARD = "800000000003600000070090200050007000000045700000100030001000068008500010090000400"
LAYOUTS = BOXES[:3]


def blanks_after_singles(grid: Grid, layout: sudoku.Layout) -> int:
    """The number of open cells when no cell has one candidate left, and no region of n cells one place for a digit."""
    problem = sudoku.encode(grid, layout)
    options = [set(problem.option(o)) for o in range(problem.n_options)]
    items = set(problem.items[: problem.n_primary])
    while True:
        single = next((o for o in options for item in o & items if sum(item in other for other in options) == 1), None)
        if single is None:
            return sum(item[0] == "cell" for item in items if isinstance(item, tuple))
        items -= single
        options = [option for option in options if not option & single]


@for_seeds(60, 20)
def test_backdoors(seed: int) -> None:
    """Filled in, a backdoor leaves nothing but singles, and no set of fewer cells of a unique completion does."""
    rng = np.random.default_rng(seed)
    layout = LAYOUTS[seed % len(LAYOUTS)]
    puzzle = sudoku.generate(layout=layout, seed=seed)
    completion = sudoku.solve(puzzle, layout).completion
    found = sudoku.measure(puzzle, layout)
    assert found.completions == 1
    assert completion is not None
    assert found.backdoor is not None

    def filled(cells: tuple[tuple[int, int], ...]) -> Grid:
        return with_givens(puzzle, *((*cell, int(completion[cell])) for cell in cells))

    assert blanks_after_singles(filled(found.backdoor), layout) == 0
    assert (found.guesses == 0) == (found.backdoor == ())
    cells = [(r, c) for r, c in rng.permutation(np.argwhere(puzzle == 0)).tolist()]
    for fewer in combinations(cells[:12], max(0, len(found.backdoor) - 1)):
        assert not found.backdoor or blanks_after_singles(filled(fewer), layout) > 0


@for_seeds(300)
@pytest.mark.slow
def test_all_covers_are_found(seed: int) -> None:
    """The search finds every cover of any problem, with colours too, and its fields keep their invariants."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, "coloured" if seed % 2 else "plain")
    if problem.n_options > 12:
        return
    kernel = compiled_module("sudoku.kernels.propagation").Propagation(problem, UNLIMITED)
    chosen = np.zeros(0, dtype=np.int32)
    for _ in range(2):
        kernel.begin(chosen)
        while kernel.run(1, UNLIMITED, UNLIMITED):
            kernel.check()
        kernel.check()
        assert kernel.covers == len(list(subsets(problem)))
        assert kernel.covers == 0 or is_cover(problem, kernel.first().tolist())


def test_begin_takes_everything_back() -> None:
    """A kernel that has solved one puzzle knows nothing of it in the next one."""
    problem = sudoku.encode(EMPTY)
    kernel = compiled_module("sudoku.kernels.propagation").Propagation(problem)
    numbers = {name: k for k, name in enumerate(problem.names or ())}
    guesses = []
    for text in (HARD, CLUE17, CLASH, HARD, SOLVED):
        grid = sudoku.as_grid(text)
        options = [numbers[r, c, int(grid[r, c])] for r, c in np.argwhere(grid).tolist()]
        sound = kernel.begin(np.array(options, dtype=np.int32))
        kernel.check()
        assert sound == (text != CLASH)
        kernel.run(UNLIMITED, UNLIMITED, UNLIMITED)
        kernel.check()
        guesses.append((kernel.nodes, kernel.covers))
    assert guesses == [(160, 1), (0, 1), (0, 0), (160, 1), (0, 1)]


def test_guesses_do_not_depend_on_the_names_of_digits() -> None:
    """Renaming digits changes the order of candidates, and nothing where singles are enough."""
    rng = np.random.default_rng(0)
    for puzzle in sudoku.generate_many(20, difficulty=0, seed=2):
        renamed = np.concatenate([[0], 1 + rng.permutation(9)])[puzzle]
        assert sudoku.measure(renamed.T).guesses == 0


def test_guesses_within_a_limit() -> None:
    """A limit before the guesses have been counted is an error and no number."""
    meter = Meter(sudoku.Layout.boxes())
    with pytest.raises(StoppedError, match="max_nodes"):
        meter.guesses(sudoku.as_grid(HARD), max_nodes=100)
    assert meter.guesses(sudoku.as_grid(HARD), max_nodes=1000) == 160


@pytest.mark.parametrize("reports", range(4))
def test_ctrl_c_in_any_report(monkeypatch: pytest.MonkeyPatch, reports: int) -> None:
    """However early a caller ends the search, the answer says so, and how far it came; there is always one."""
    monkeypatch.setattr(limits, "SLICE", 0.0)
    monkeypatch.setattr(limits, "FIRST_STEP", 1)
    monkeypatch.setattr(limits, "LEAST_STEP", 1)
    left = iter(range(reports))

    def progress(seen: Progress) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    measured = sudoku.measure(HARD, progress=progress)
    assert measured.stopped == "interrupt"
    assert measured.backdoor is None
