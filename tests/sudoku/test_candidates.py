"""Candidates of a puzzle: every search keeps to them, and only those are refused that cannot."""

from __future__ import annotations

import numpy as np
import pytest

from sudoku import (
    STRATEGIES,
    as_puzzle,
    best,
    best_many,
    count,
    encode,
    solve,
    to_svg,
)
from sudoku.grid import Puzzle
from sudoku.layout import Layout

BOX = (2, 2)


def test_a_given_and_its_candidates() -> None:
    """A given is its cell's only candidate; if it is none itself, there is no completion, and that is no error."""
    marks = np.ones((4, 4, 4), dtype=bool)
    assert as_puzzle("1...............", BOX, marks).candidates is None
    marks[0, 0, 0] = False
    puzzle = as_puzzle("1...............", BOX, marks)
    assert puzzle.candidates is not None
    assert not puzzle.candidates[0, 0].any()
    assert count(puzzle).covers == 0
    assert count(as_puzzle("." * 16, BOX, np.zeros((4, 4, 4), dtype=bool))).covers == 0


def test_a_single_candidate_is_no_given() -> None:
    """It has the completions of the given, but its cell is blank, in the grid and in the solution's givens."""
    marks = np.ones((4, 4, 4), dtype=bool)
    marks[0, 0] = [True, False, False, False]
    puzzle = as_puzzle("." * 16, BOX, marks)
    assert count(puzzle).covers == count("1...............", BOX).covers == 72
    assert not puzzle.grid.any()
    assert not solve(puzzle).givens.any()
    assert encode(puzzle).n_options == 61


def test_what_cannot_keep_to_candidates_refuses_them() -> None:
    """The kernels of cells, and batches, say so, and never answer about another puzzle."""
    marks = np.ones((9, 9, 9), dtype=bool)
    marks[0, 0, 0] = False
    puzzle = as_puzzle("." * 81, None, marks)
    for name in set(STRATEGIES) - {"bound", "dlx"}:
        with pytest.raises(ValueError, match=f"the strategy {name} does no grids whose blanks have candidates"):
            best(puzzle, strategy=name, max_nodes=1)
    with pytest.raises(ValueError, match=r"grids\[1\]: its blanks have candidates, which arrays of grids cannot say"):
        best_many(["." * 81, puzzle], timeout=0)


def test_candidates_are_drawn() -> None:
    """A picture shows the candidates of the blanks, and those of a cell with one larger."""
    marks = np.ones((4, 4, 4), dtype=bool)
    marks[0, 0, 1:] = False
    picture = to_svg(as_puzzle("." * 16, BOX, marks))
    assert picture.count("fill-opacity") == 60
    assert picture.count("<text") == 61
    assert as_puzzle("." * 16, BOX, marks)._repr_svg_() == picture


def test_the_layout_of_a_puzzle() -> None:
    """Another layout of the same size keeps the candidates; one of another size is an error."""
    marks = np.ones((4, 4, 4), dtype=bool)
    marks[0, 0, 1:] = False
    puzzle = as_puzzle("." * 16, BOX, marks)
    assert count(puzzle, Layout.x(2, 2)).covers == 12
    with pytest.raises(ValueError, match=r"the grid has the shape \(4, 4\) instead of \(9, 9\)"):
        count(puzzle, (3, 3))
    assert isinstance(puzzle, Puzzle)
