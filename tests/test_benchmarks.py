"""The benchmarks: problems have what they claim, and sides answer."""

from __future__ import annotations

import doctest
import importlib
import json
from math import isclose

import numpy as np
import pytest
import sudoku_sets
import weighted_families
from apart import Stopwatch, measure, missing, plain, started
from bench_counting import CASES, Case
from bench_sudoku import solved, wrong
from closed_forms import CLOSED_FORMS
from families import build
from peers import COUNTING
from seeds import for_seeds, nightly

import dlx
import sudoku

SUDOKUS = ("rating", "sudoku_instances", "sudoku_sets")
WITH_EXAMPLES = ("families", "large_families", "puzzles", "report", "weighted_families", *SUDOKUS)


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples(module: str) -> None:
    """Examples in docstrings print the lines below them."""
    outcome = doctest.testmod(importlib.import_module(module))
    assert (outcome.attempted > 0, outcome.failed) == (True, 0)


# Counting


@pytest.mark.parametrize("case", [case for case in CASES if case.family in CLOSED_FORMS], ids=lambda case: case.name)
def test_known_numbers_agree_with_closed_forms(case: Case) -> None:
    """Known numbers of covers are the values of formulas, for families that have one."""
    assert isclose(case.covers, CLOSED_FORMS[case.family](*case.sizes), rel_tol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("side", ["visiting", *nightly(*(side for side in COUNTING if side != "visiting"))])
def test_sides_count(side: str) -> None:
    """Each side that is installed counts the 36 tilings of a small board, in the time that it says."""
    if reason := missing(side):
        pytest.skip(reason)
    clock = Stopwatch()
    record = measure(side, 30.0, [plain(build("dominoes", 4, 4))], plain(build("dominoes", 2, 2)), clock, True)
    assert (record["tasks"]["count"]["covers"], record["stopped"]) == ([36], None)
    assert clock.seconds == record["tasks"]["count"]["seconds"] > 0


# Sudokus

GIVENS = {"17 givens": (17, 17), "hard": (21, 23), "minimal": (17, 40), "24-30 givens": (24, 30), "easy": (32, 40)}
SETS = [*GIVENS, "open"]


@pytest.mark.parametrize("name", SETS)
def test_sets(name: str) -> None:
    """Each grid of a set has as many givens as the set says, and one completion or more."""
    puzzles = sudoku_sets.build(name, 30)
    least, most = GIVENS.get(name, (11, 34))
    for grid in puzzles.grids:
        assert least <= np.count_nonzero(grid) <= most
        assert dlx.count(sudoku.encode(grid.reshape(9, 9)), max_covers=2).covers == 1 + (name == "open")


@pytest.mark.slow
@pytest.mark.parametrize("side", ["count_many", "CaDiCaL"])
def test_sides_answer(side: str) -> None:
    """Sides find the completion of each puzzle, and count as many completions of open grids."""
    if reason := missing(side):
        pytest.skip(reason)
    puzzles, completions, _ = solved("minimal", 20)
    tasks = [(puzzles.grids, 0), (sudoku_sets.build("open", 3).grids, 50)]
    for grids, limit in tasks:
        task = {"example": sudoku_sets.build("easy", 1).grids[0], "grids": grids, "limit": limit}
        process = started("sudoku_sides.py", side, 0.2, task)
        assert not process.returncode, process.stderr.decode()
        answer = json.loads(process.stdout)
        if not limit:
            assert (len(answer["found"]), wrong(answer["found"], completions)) == (20, 0)
        else:
            assert answer["counts"] == [50] * 3


# The best cover


@for_seeds(100)
def test_weighted_problems_have_covers(seed: int) -> None:
    """A cover is planted where chance might leave none."""
    edges = [(a, b) for a in range(5) for b in range(a)]
    for problem, sense in (
        weighted_families.partitioning(20, 40, 2, 5, seed),
        weighted_families.subgraph(edges, seed),
        weighted_families.transport(4, 3, seed),
        weighted_families.deliveries(4, 5, seed),
        weighted_families.factor(6, 2, seed),
        weighted_families.odd_cycles(3, 7, 3, seed),
        weighted_families.packing(6, 20, 60, seed),
        weighted_families.ring(12, 4, 3, 2, 5, seed),
        weighted_families.cutting(3, 15, 60, seed),
        weighted_families.facilities(3, 5, 2, seed),
    ):
        assert dlx.best(problem, sense).score is not None
