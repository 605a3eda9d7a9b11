"""Grids in notebooks: well-formed, whole, and as they were given; tests/data/answers.txt has problems."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import sudoku


@pytest.mark.parametrize("box", [(3, 3), (2, 3), (4, 4)])
def test_a_grid_is_a_picture(box: tuple[int, int]) -> None:
    """A picture has a digit for each cell that is not blank, and digits that were not given look different."""
    n = box[0] * box[1]
    givens = np.zeros((n, n), dtype=np.uint8)
    givens[0, 0] = n
    grid = givens.copy()
    grid[1, :] = np.arange(1, n + 1)
    texts = [
        node for node in ElementTree.fromstring(sudoku.to_svg(grid, box, givens)).iter() if node.tag.endswith("text")
    ]
    assert [int(node.text or "") for node in texts] == [n, *range(1, n + 1)]
    assert [node.get("font-weight") for node in texts] == ["bold"] + n * [None]


def test_a_puzzle_shows_itself() -> None:
    """A grid that was read is shown as a picture, with boxes of the shape that it was read with."""
    puzzle, wide = (next(sudoku.read(["12" + "." * 34], layout=box)) for box in ((2, 3), (3, 2)))
    assert isinstance(puzzle, sudoku.Puzzle)
    assert isinstance(wide, sudoku.Puzzle)
    assert puzzle._repr_svg_() == sudoku.to_svg(puzzle.grid, (2, 3)) != wide._repr_svg_()
