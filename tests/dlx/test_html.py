"""What notebooks show: well-formed tables and pictures that have all that was asked for, and are never too large."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import dlx
import sudoku
from dlx import Coloured, Problem


def table(shown: str) -> list[list[str]]:
    """The cells of a table, row by row, read by a parser that accepts well-formed text only."""
    root = ElementTree.fromstring(shown.replace("<br>", " "))
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


def test_a_small_problem_is_a_table() -> None:
    """Names, weights, colours and multiplicities stand where they belong, and markup in names is none."""
    problem = Problem.from_options(
        {"<b>": ["a", Coloured("x", "red")], "&": ["b", ("c", 1)]},
        secondary="x",
        weights=[2, 3],
        multiplicities={"b": (0, 2), "a": 3},
    )
    assert table(problem._repr_html_()) == [
        ["option", "weight", "a (3)", "b (0 to 2)", "c 1", "x"],
        ["<b>", "2", "●", "", "", "red"],
        ["&", "3", "", "●", "●", ""],
    ]


def test_options_without_names_have_numbers() -> None:
    """And those chosen or left out say so."""
    problem = Problem.from_options(["ab", "bc", "c"]).with_chosen([0])
    assert [row[0] for row in table(problem._repr_html_())] == ["option", "0 (chosen)", "1 (left out)", "2"]


def test_a_large_problem_is_cut() -> None:
    """Many items have no columns, many options no rows, and long names are cut short."""
    problem = Problem.from_options([[f"{k}" * 200, k] for k in range(1000)])
    rows = table(problem._repr_html_())
    assert rows[0] == ["option", "items"]
    assert rows[-1] == ["... and 984 more options"]
    assert len(problem._repr_html_()) < 10_000


def test_an_empty_problem_is_a_table() -> None:
    """Without items and options there is just a head."""
    assert table(Problem.from_options([])._repr_html_()) == [["option"]]


def test_a_cover_is_a_table() -> None:
    """It has the numbers and the names of the options, and the score."""
    problem = Problem.from_options({"left": "ab", "right": "c"}, weights=[3, 4])
    (cover,) = dlx.best(problem).covers
    assert table(cover._repr_html_()) == [["number", "option"], ["0", "left"], ["1", "right"]]
    assert "score 7" in cover._repr_html_()


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
    puzzle, wide = (next(sudoku.read(["12" + "." * 34], box=box)) for box in ((2, 3), (3, 2)))
    assert isinstance(puzzle, sudoku.Puzzle)
    assert isinstance(wide, sudoku.Puzzle)
    assert puzzle._repr_svg_() == sudoku.to_svg(puzzle.grid, (2, 3)) != wide._repr_svg_()
