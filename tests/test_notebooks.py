"""Pictures in notebooks: well-formed, whole, and never too large."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import sudoku
from dlx import Coloured, Problem


def texts(problem: Problem) -> list[str]:
    """The texts in the picture of a problem, read by a parser that accepts well-formed text only."""
    root = ElementTree.fromstring(problem._repr_svg_() or "")
    return ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("}text")]


def test_a_small_problem_is_a_matrix() -> None:
    """It has names, weights, colours and multiplicities, and markup in names is none."""
    problem = Problem.from_options(
        {"<b>": ["a", Coloured("x", "red")], "&": ["b", ("c", 1)]},
        secondary="x",
        weights=[2, 3],
        multiplicities={"b": (0, 2), "a": 3},
    )
    assert texts(problem) == ["a (3)", "b (0 to 2)", "c 1", "x", "<b>: 2", "red", "&: 3"]


def test_options_without_names_have_numbers() -> None:
    """And those chosen or left out say so."""
    problem = Problem.from_options(["ab", "bc", "c"]).with_chosen([0])
    assert texts(problem)[3:] == ["0 (chosen)", "1 (left out)", "2"]


def test_a_large_problem_is_cut() -> None:
    """Of many options the first are shown, and of many items nothing but the numbers."""
    problem = Problem.from_options([[f"{k}" * 200, 0] for k in range(1, 1000)])
    assert problem._repr_svg_() is None
    assert repr(problem) == "Problem(1000 items, 999 options, 1998 entries)"
    assert texts(Problem.from_options([[k % 3] for k in range(1000)]))[3:] == [*map(str, range(16))]


def test_an_empty_problem_is_a_picture() -> None:
    """Without items and options there is nothing but its title."""
    assert texts(Problem.from_options([])) == []


@pytest.mark.parametrize("box", [(3, 3), (2, 3), (4, 4)])
def test_a_grid_is_a_picture(box: tuple[int, int]) -> None:
    """It has a digit for each cell that is not blank, and the digits that were not given look different."""
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


def test_a_malformed_grid_is_no_picture() -> None:
    """It is refused as everywhere else, whether it is the grid or the givens."""
    with pytest.raises(ValueError, match="shape"):
        sudoku.to_svg(np.zeros((9, 8), dtype=int))
    with pytest.raises(ValueError, match="between 0 and 9"):
        sudoku.to_svg(np.zeros((9, 9), dtype=int), givens=np.full((9, 9), 10))


def test_a_puzzle_shows_itself() -> None:
    """A grid that was read is shown as a picture, with boxes of the shape that it was read with."""
    puzzle, wide = (next(sudoku.read(["12" + "." * 34], layout=box)) for box in ((2, 3), (3, 2)))
    assert isinstance(puzzle, sudoku.Puzzle)
    assert isinstance(wide, sudoku.Puzzle)
    assert puzzle._repr_svg_() == sudoku.to_svg(puzzle.grid, (2, 3)) != wide._repr_svg_()
