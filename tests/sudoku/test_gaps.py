"""Several grids together, in which cells are missing: counts, texts and pictures."""

from __future__ import annotations

import numpy as np
from small_squares import four_by_four

import dlx
import sudoku
from sudoku import Layout

TWO = Layout.gattai((0, 0), (2, 2), box=(2, 2))
FIVE = Layout.gattai((0, 0), (0, 4), (2, 2), (4, 0), (4, 4), box=(2, 2))


def test_several_grids_together() -> None:
    """Five grids of four rows: of 288 for the middle one, each corner box leaves 288 / 24 ways for its grid."""
    assert FIVE.shape == (8, 8)
    assert sudoku.count(np.zeros((8, 8), dtype=int), FIVE).covers == 288 * 12**4
    assert sudoku.count(36 * ".", TWO).covers == 288 * 12 == dlx.diagram(sudoku.encode(36 * ".", TWO)).covers
    assert np.allclose(sudoku.shares(36 * ".", TWO).sum(axis=2), TWO.mask())


def test_grids_that_share_other_cells_than_boxes() -> None:
    """Two grids that share two columns, against all pairs of grids of four rows."""
    grids, layout = four_by_four(), Layout.gattai((0, 0), (1, 2), box=(2, 2))
    ends: dict[bytes, int] = {}
    for grid in grids:
        ends[grid[1:, 2:].tobytes()] = ends.get(grid[1:, 2:].tobytes(), 0) + 1
    expected = sum(ends.get(grid[:3, :2].tobytes(), 0) for grid in grids)
    assert sudoku.count(np.zeros(layout.shape, dtype=int), layout).covers == expected > 0


def test_a_samurai() -> None:
    """Each of its five grids is completed, cells that are missing are 0, and givens are kept."""
    layout = Layout.named("samurai")
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


def test_frames_and_blanks_with_gaps() -> None:
    """Rules and bars are passed over, and missing cells may be written as blanks."""
    framed = "+----+\n|12|34|..|\n|34|12|00|\n+----+\n|21|43|12|\n43 1.  34\n.. 34 .. ..\n 3 4 1 2\n"
    framed = framed.replace("43 1.  34", "43 1. 34").replace(".. 34 .. ..", ".. 34 ..")
    found = list(sudoku.read(framed.splitlines(), layout=TWO))
    assert isinstance(found[0], sudoku.Puzzle)
    assert (found[0].form, found[0].grid[3].tolist()) == ("boxed", [4, 3, 1, 0, 3, 4])


def test_a_bad_grid_with_gaps_costs_one_error() -> None:
    """A malformed grid is an error up to an empty line, and the next one is read."""
    lines = ["1234", "1239", "1234", "", 36 * ".", "123x4567", "", *(6 * ["......"])]
    found = list(sudoku.read(lines, layout=TWO))
    assert [isinstance(one, sudoku.Puzzle) for one in found] == [False, True, False, True]
    assert [one.line for one in found] == [2, 5, 6, 8]


def test_pictures_with_gaps() -> None:
    """Missing cells have no lines and no digits in pictures."""
    completion = sudoku.solve(36 * ".", TWO).completion
    assert completion is not None
    picture = sudoku.to_svg(completion, TWO)
    assert picture.count("<text") == 28
    boxes = "M0 0h72v72h-72zM72 0h72v72h-72zM0 72h72v72h-72zM72 72h72v72h-72zM144 72h72v72h-72z"
    assert f'd="{boxes}M72 144h72v72h-72zM144 144h72v72h-72z"' in picture
