"""The benchmarks: examples print what they show."""

from __future__ import annotations

import doctest
import importlib

import pytest

SUDOKUS = ("rating", "sudoku_instances", "sudoku_sets")
WITH_EXAMPLES = ("families", "large_families", "puzzles", "report", "weighted_families", *SUDOKUS)


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples(module: str) -> None:
    """Examples in docstrings print the lines below them."""
    outcome = doctest.testmod(importlib.import_module(module))
    assert (outcome.attempted > 0, outcome.failed) == (True, 0)
