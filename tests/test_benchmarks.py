"""The benchmarks: problems have what they claim, and examples print what they show."""

from __future__ import annotations

import doctest
import importlib

import pytest
import weighted_families
from seeds import for_seeds

import dlx

SUDOKUS = ("rating", "sudoku_instances", "sudoku_sets")
WITH_EXAMPLES = ("families", "large_families", "puzzles", "report", "weighted_families", *SUDOKUS)


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples(module: str) -> None:
    """Examples in docstrings print the lines below them."""
    outcome = doctest.testmod(importlib.import_module(module))
    assert (outcome.attempted > 0, outcome.failed) == (True, 0)


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
