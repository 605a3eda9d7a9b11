"""The kernel of plain grids: the completions that `dlx` finds, in whatever pieces it runs, and when it gives up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_grids import FULL, RINGS, check
from plain_grids import Grids, drawn, shuffled, stream
from seeds import tries

import dlx
import sudoku
from dlx.extending import BUFFER_FULL, EXHAUSTED, UNLIMITED, Limits
from sudoku.solve import complete

RECTANGLES = (
    "....27139213.5.687.97.31542576.1.3284287639151395827647823964519612458733..178296"  # three, of two digits each
)


def check_first(cells: Grids, grid: Grids) -> None:
    """Checks a completion by the rules."""
    check(cells.reshape(9, 9), grid.reshape(9, 9), RINGS, int(cells @ RINGS.ravel()))


def test_counts_of_dlx() -> None:
    """Random grids, contradictory ones and open ones among them, have the number of completions that dlx counts."""
    rng = np.random.default_rng(1)
    grids = np.array([drawn(rng) for _ in range(tries(3000))])
    found = complete(grids, Limits.of(), most=40)
    for grid, number, cells in zip(grids, found.counts.tolist(), found.completions, strict=True):
        assert number == dlx.count(sudoku.encode(grid), max_covers=40, merge="never").covers
        if number:
            check_first(cells, grid)
        assert cells.any() == (number > 0)
    assert {0, 1, 2, 40} <= set(found.counts.tolist())


def test_twins_are_counted() -> None:
    """A guess doubles the completions where all blanks have two candidates, and the count ends at its limit."""
    grid = sudoku.parse(RECTANGLES)
    for most in (2, 3, 7, 8, 100):
        kernel, counts, completions = stream(grid.reshape(1, 81), most)
        assert kernel.run(UNLIMITED, UNLIMITED, UNLIMITED) == EXHAUSTED
        assert counts.tolist() == [min(most, 8)]
        assert kernel.nodes == 3
        check_first(completions[0], grid)


@settings(max_examples=tries(60))
@given(seed=st.integers(0, 2**32 - 1), nodes=st.integers(1, 7), updates=st.integers(1, 30), covers=st.integers(1, 9))
def test_in_pieces(seed: int, nodes: int, updates: int, covers: int) -> None:
    """However small the budgets, counts, completions and nodes are those of one run, and the fields are sound."""
    rng = np.random.default_rng(seed)
    grids = np.array([drawn(rng, few=22) for _ in range(5)])
    weights = rng.integers(-(2**40), 2**40, 81) if seed % 2 else None
    whole, counts, completions = stream(grids, 60, weights=weights)
    assert whole.run(UNLIMITED, UNLIMITED, UNLIMITED) == EXHAUSTED
    pieces, counts_of_pieces, completions_of_pieces = stream(grids, 60, weights=weights)
    state = None
    while state != EXHAUSTED:
        before = pieces.nodes, pieces.covers, pieces.fraction()
        state = pieces.run(nodes, updates, covers)
        pieces.check()
        assert pieces.nodes - before[0] <= nodes
        assert pieces.covers - before[1] <= covers
        assert state != BUFFER_FULL or pieces.covers - before[1] == covers
        assert 1 >= pieces.fraction() >= before[2]
    assert (counts == counts_of_pieces).all()
    assert (completions == completions_of_pieces).all()
    assert (whole.nodes, whole.updates, whole.covers) == (pieces.nodes, pieces.updates, counts.sum())


def test_patience() -> None:
    """A grid that takes too many guesses is given up, those after it are not."""
    rng = np.random.default_rng(3)
    hard = sudoku.parse("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..")
    grids = np.array(
        [hard.ravel(), shuffled(FULL, rng).ravel(), np.zeros(81), shuffled(hard, rng).ravel()], dtype=np.uint8
    )
    found = complete(grids, Limits.of(), most=2, patience=3)
    assert found.counts.tolist() == [-1, 1, -1, -1]
    assert (found.done, found.outcome["stopped"]) == (4, None)
    assert found.outcome["nodes"] <= 9


def test_the_best_of_all_completions() -> None:
    """With weights the best of all completions is kept, twins too, of equals the first; or the grid is given up."""
    rng = np.random.default_rng(6)
    grids = np.array([drawn(rng, few=26) for _ in range(tries(300))] + [sudoku.parse(RECTANGLES).ravel()])
    weights = rng.integers(-2, 3, 81)  # few values: there are ties
    found = complete(grids, Limits.of(), UNLIMITED, 160, weights=weights)
    assert {-1, 0, 1, 8} <= set(found.counts.tolist())
    for grid, number, cells in zip(grids, found.counts.tolist(), found.completions, strict=True):
        if number >= 0:
            problem = sudoku.encode(grid)
            completions = [sudoku.decode(problem, cover).ravel().tolist() for cover in dlx.covers(problem)]
            assert len(completions) == number
            if completions:
                assert cells.tolist() == min(completions, key=lambda one: (-int(one @ weights), one))


@pytest.mark.parametrize("nodes", [1, 2, 3, 6, UNLIMITED])
def test_what_was_given_up_stays_so(nodes: int) -> None:
    """In pieces that end just where a grid is given up, or run again after the end, its count is still -1."""
    hard = sudoku.parse("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..")
    rng = np.random.default_rng(4)
    kernel, counts, completions = stream(np.array([shuffled(hard, rng).ravel() for _ in range(5)]), 2, patience=3)
    while kernel.run(nodes, UNLIMITED, UNLIMITED) != EXHAUSTED:
        pass
    assert kernel.run(nodes, UNLIMITED, UNLIMITED) == EXHAUSTED
    assert counts.tolist() == [-1] * 5
    assert not completions.any()


def test_limits() -> None:
    """A limit stops in the middle; the result has the grids done, and the completions of the grid at work."""
    open_grid = np.zeros((2, 81), dtype=np.uint8)
    found = complete(open_grid, Limits.of(max_covers=1200), most=1000)
    assert found.counts.tolist() == [1000, -1]
    assert (found.done, found.under_way, found.outcome["stopped"]) == (1, 200, "max_covers")
    found = complete(open_grid, Limits.of(max_nodes=10), most=1)
    assert (found.done, found.outcome["nodes"], found.outcome["stopped"]) == (0, 10, "max_nodes")
    assert complete(open_grid[:0], Limits.of()).done == 0


WIDE = stream(np.zeros((1, 81), dtype=np.uint8), 1)[0].is_wide
needs_wide = pytest.mark.skipif(not WIDE, reason="this processor has no AVX-512, or the kernel none for it")


@needs_wide
@pytest.mark.parametrize(("few", "most"), [(17, 50), (22, 9), (30, 2)])
def test_narrow(few: int, most: int) -> None:
    """Random grids have the same completions after the same guesses with AVX-512 and without, in any pieces."""
    rng = np.random.default_rng(few)
    grids = np.array([drawn(rng, few=few) for _ in range(tries(2000))])
    wide, wide_counts, wide_completions = stream(grids, most)
    narrow, counts, completions = stream(grids, most)
    narrow.is_wide = False
    while wide.run(7, 1000, UNLIMITED):
        wide.check()
    assert narrow.run(UNLIMITED, UNLIMITED, UNLIMITED) == EXHAUSTED
    assert wide_counts.tolist() == counts.tolist()
    assert wide_completions.tolist() == completions.tolist()
    assert wide.nodes == narrow.nodes
