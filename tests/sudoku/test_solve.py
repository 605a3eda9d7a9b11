"""Plain sudoku from Python: completions, counts, and the limits that `dlx` takes."""

from __future__ import annotations

import numpy as np
import pytest

import sudoku

SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


def test_solve_finds_the_completion() -> None:
    """The one completion of a grid with 17 givens, by the rules alone."""
    solution = sudoku.solve(SEVENTEEN)
    assert solution.completion is not None
    assert solution.stopped is None
    grid, digits = solution.completion, set(range(1, 10))
    assert all(set(row.tolist()) == digits for row in (*grid, *grid.T))
    assert all(set(grid[r : r + 3, c : c + 3].ravel().tolist()) == digits for r in (0, 3, 6) for c in (0, 3, 6))
    givens = sudoku.parse(SEVENTEEN)
    assert np.array_equal(grid[givens > 0], givens[givens > 0])
    assert sudoku.count(SEVENTEEN).covers == 1


def test_solve_tells_none_from_unknown() -> None:
    """A grid without completions is exhausted; a search that was stopped says by what."""
    none = sudoku.solve("5...5" + "." * 76)
    assert (none.completion, none.exhausted, none.stopped) == (None, True, None)
    stopped = sudoku.solve("." * 81, max_nodes=5)
    assert (stopped.completion, stopped.exhausted, stopped.stopped) == (None, False, "max_nodes")
    late = sudoku.solve("." * 81, timeout=0)
    assert (late.completion, late.stopped) == (None, "timeout")


def test_count_stops_at_its_limits() -> None:
    """Every limit of `dlx.count` is passed through, and so is progress."""
    assert sudoku.count("." * 81, max_covers=7).covers == 7
    assert sudoku.count("." * 81, max_nodes=1000).stopped == "max_nodes"
    seen: list[object] = []
    assert sudoku.count("." * 81, timeout=0.1, progress=seen.append).stopped == "timeout"
    assert seen


def test_wrong_limits() -> None:
    """A limit that is none is refused by name."""
    for function in (sudoku.solve, sudoku.count):
        with pytest.raises(ValueError, match="timeout is -1"):
            function("." * 81, timeout=-1)
        with pytest.raises(ValueError, match="max_nodes is -1"):
            function("." * 81, max_nodes=-1)
    with pytest.raises(TypeError, match="tiemout"):
        sudoku.solve("." * 81, tiemout=1)  # type: ignore[call-arg]
