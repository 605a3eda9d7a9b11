"""Lines with regions, and pencil marks in braces, as people write them."""

from __future__ import annotations

import pytest
from sudoku_command import Feed

import sudoku

PUZZLE = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
BOXES = "111222333" * 3 + "444555666" * 3 + "777888999" * 3
REGIONS = f"{BOXES[:2]}2{BOXES[3:12]}1{BOXES[13:]}"  # r1c3 and r2c4 are exchanged


@pytest.mark.parametrize("blank", "0.*_")
def test_a_line_of_cells_and_regions_has_any_blanks(blank: str) -> None:
    """Cells and regions in one line are a jigsaw, whatever sign its blanks have."""
    found = sudoku.as_puzzle(PUZZLE.replace(".", blank) + REGIONS)
    assert found.layout == sudoku.Layout.jigsaw([REGIONS[k : k + 9] for k in range(0, 81, 9)])
    assert sudoku.to_line(found.grid) == PUZZLE


@pytest.mark.parametrize("between", [",", ", ", " "])
def test_pencil_marks_in_braces(feed_sudoku: Feed, between: str) -> None:
    """Marks in braces are candidates, a single one, too; others are refused as before."""
    grid = sudoku.as_grid(PUZZLE)
    marks = sudoku.candidates(grid, surviving="rules")
    rows = (
        (
            str(grid[r, c]) if grid[r, c] else f"{{{between.join(str(d + 1) for d in range(9) if marks[r, c, d])}}}"
            for c in range(9)
        )
        for r in range(9)
    )
    text = "".join(f"{' '.join(row)}\n" for row in rows)
    found = sudoku.as_puzzle(text)
    assert (found.grid == grid).all()
    assert found.candidates is not None
    assert (found.candidates == marks).all()
    status, out, err = feed_sudoku(text.replace("{", "{1,", 1), "count")
    assert (status, err != "") == (2, True), out
