"""Several grids together, in which cells are missing: counts, texts and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from small_squares import four_by_four

import dlx
import sudoku
from sudoku import Layout

FIVE = Layout.gattai((0, 0), (0, 4), (2, 2), (4, 0), (4, 4), box=(2, 2))


@pytest.mark.slow
def test_several_grids_together() -> None:
    """Five grids of four rows: of 288 for the middle one, each corner box leaves 288 / 24 ways for its grid."""
    assert FIVE.shape == (8, 8)
    assert sudoku.count(np.zeros((8, 8), dtype=int), FIVE).covers == 288 * 12**4
    two = Layout.gattai((0, 0), (2, 2), box=(2, 2))
    assert sudoku.count(36 * ".", two).covers == 288 * 12 == dlx.diagram(sudoku.encode(36 * ".", two)).covers


@pytest.mark.slow
def test_grids_that_share_other_cells_than_boxes() -> None:
    """Two grids that share two columns, against all pairs of grids of four rows."""
    grids, layout = four_by_four(), Layout.gattai((0, 0), (1, 2), box=(2, 2))
    ends: dict[bytes, int] = {}
    for grid in grids:
        ends[grid[1:, 2:].tobytes()] = ends.get(grid[1:, 2:].tobytes(), 0) + 1
    expected = sum(ends.get(grid[:3, :2].tobytes(), 0) for grid in grids)
    assert sudoku.count(np.zeros(layout.shape, dtype=int), layout).covers == expected > 0


@pytest.mark.slow
def test_a_samurai() -> None:
    """Each of its five grids is completed, cells that are missing are 0, and givens are kept."""
    layout = Layout.samurai()
    first = sudoku.solve(441 * ".", layout).completion
    assert first is not None
    given = np.where(np.random.default_rng(0).random(first.shape) < 0.4, first, 0)
    solution = sudoku.solve(given, layout).completion
    assert solution is not None
    assert ((given == 0) | (given == solution)).all()
    assert not solution[~layout.mask()].any()
    for top, left in [(0, 0), (0, 12), (6, 6), (12, 0), (12, 12)]:
        grid = solution[top : top + 9, left : left + 9]
        boxes = [grid[r : r + 3, c : c + 3] for r in (0, 3, 6) for c in (0, 3, 6)]
        assert all(sorted(unit.ravel().tolist()) == list(range(1, 10)) for unit in (*grid, *grid.T, *boxes))
    best = sudoku.best(given, layout=layout)
    assert best.completion is not None
    assert best.score == sudoku.score(best.completion, layout=layout)
    assert sudoku.best_many([given], layout=layout).scores.tolist() == [best.score]
    chances = sudoku.shares(given, layout) if sudoku.count(given, layout, max_covers=10**6).exhausted else None
    assert chances is None or np.allclose(chances.sum(axis=2), layout.mask())


@pytest.mark.parametrize("write", [sudoku.to_line, sudoku.to_rows, sudoku.to_boxed])
@pytest.mark.parametrize("layout", [Layout.samurai(), FIVE, Layout.gattai((0, 0), (8, 8), box=(4, 4))], ids=str)
def test_texts_with_gaps(write: Callable[[Any, Layout], str], layout: Layout) -> None:
    """Grids with cells that are missing come back from every form, and with those that are blanks beside them."""
    rng = np.random.default_rng(1)
    grid = np.where(layout.mask(), rng.integers(0, layout.size + 1, layout.shape), 0)
    text = write(grid, layout)
    assert np.array_equal(sudoku.parse(text, layout), grid)
    two = list(sudoku.read([*text.splitlines(), "", *text.splitlines()], layout=layout))
    assert [isinstance(one, sudoku.Puzzle) and np.array_equal(one.grid, grid) for one in two] == [True, True]


def test_frames_and_blanks_with_gaps() -> None:
    """Rules and bars are passed over, and missing cells may be written as blanks."""
    layout = Layout.gattai((0, 0), (2, 2), box=(2, 2))
    framed = "+----+\n|12|34|..|\n|34|12|00|\n+----+\n|21|43|12|\n43 1.  34\n.. 34 .. ..\n 3 4 1 2\n"
    framed = framed.replace("43 1.  34", "43 1. 34").replace(".. 34 .. ..", ".. 34 ..")
    found = list(sudoku.read(framed.splitlines(), layout=layout))
    assert isinstance(found[0], sudoku.Puzzle)
    assert (found[0].form, found[0].grid[3].tolist()) == ("boxed", [4, 3, 1, 0, 3, 4])


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("1234..", 1, "ends after 1 of 6 rows"),
        ("12345.", 1, "5 in row 1 is not between 0 and 4; what follows"),
        ("12.", 1, "row 1 has 3 cells instead of 4, or 6 with those that are missing: '12.'"),
        ("1234..\n34a2..", 2, "'a' in row 2 is neither a digit nor a blank"),
        ("12341.\n34....\n......\n......\n......\n......", 1, "1 in row 1, column 5 is where the layout has no cell"),
        ("....1" + 31 * ".", 1, "1 in row 1, column 5 is where the layout has no cell"),
        ("", 1, "there is no grid"),
    ],
)
def test_wrong_texts_with_gaps(text: str, line: int, reason: str) -> None:
    """A malformed grid is one error with its line and what is wrong."""
    with pytest.raises(sudoku.GridError, match=re.escape(reason)) as caught:
        sudoku.parse(text, Layout.gattai((0, 0), (2, 2), box=(2, 2)))
    assert caught.value.line == line


def test_a_bad_grid_with_gaps_costs_one_error() -> None:
    """What is left of a malformed grid is passed over up to an empty line, and the next one is read."""
    layout = Layout.gattai((0, 0), (2, 2), box=(2, 2))
    lines = ["1234", "1239", "1234", "", 36 * ".", "bad line", "worse", "", *(6 * ["......"])]
    found = list(sudoku.read(lines, layout=layout))
    assert [isinstance(one, sudoku.Puzzle) for one in found] == [False, True, False, True]
    assert [one.line for one in found] == [2, 5, 6, 9]


def wrong_arrays() -> Iterator[tuple[Any, str]]:
    """Arrays that are no grids of two overlapping squares of four rows."""
    grid = np.zeros((6, 6), dtype=int)
    grid[0, 5] = 3
    yield grid, "the value 3 in row 1, column 6 is where the layout has no cell"
    yield np.zeros((4, 4), dtype=int), "the grid has the shape (4, 4) instead of (6, 6) or (36,)"
    yield [[1, 2], 3], "row 1 has 2 cells instead of 6"
    yield np.full((6, 6), 5), "the value 5 in row 1, column 1 is not between 0 and 4"


@pytest.mark.parametrize(("grid", "message"), list(wrong_arrays()))
def test_wrong_arrays_with_gaps(grid: Any, message: str) -> None:
    """A digit where there is no cell is an error, alone and among many, and so is another shape."""
    layout = Layout.gattai((0, 0), (2, 2), box=(2, 2))
    with pytest.raises(ValueError, match=re.escape(message)):
        sudoku.as_grid(grid, layout)
    with pytest.raises(ValueError, match=re.escape(f"grids[0]: {message}")):
        sudoku.best_many([grid], layout=layout)
    puzzle = sudoku.as_grid(np.zeros((4, 4), dtype=int), (2, 2))
    with pytest.raises(ValueError, match=re.escape("the grid has the shape (4, 4)")):
        sudoku.solve(puzzle, layout)


def test_pictures_with_gaps() -> None:
    """Where cells are missing there are no lines and no digits."""
    layout = Layout.gattai((0, 0), (2, 2), box=(2, 2))
    completion = sudoku.solve(36 * ".", layout).completion
    assert completion is not None
    picture = sudoku.to_svg(completion, layout)
    assert picture.count("<text") == 28
    assert "M0 0h144M0 72h216M0 144h216M72 216h144" in picture
