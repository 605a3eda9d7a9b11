"""Target sudoku: the weights, the score, the published samples, and the identity that holds for every completion."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from known_grids import EMPTY, RINGS

import sudoku
from dlx.extending import compiled_module
from sudoku import RING_WEIGHTS, STRATEGIES, best, parse, rank, read_weights, ring_weights, score, ties

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
def test_only_seventeen_cells_matter() -> None:
    """The score of a completion is 2745 + 2 x the corners + the rest of the four 2x2 corner blocks + the centre."""
    grids = np.zeros((10_000, 81), dtype=np.uint8)
    compiled_module("sudoku.kernels.random_grids").RandomGrids(1).draw(grids)
    for grid in grids.reshape(-1, 9, 9).astype(int):
        corners, blocks = grid[::8, ::8].sum(), grid[np.ix_([0, 1, 7, 8], [0, 1, 7, 8])].sum()
        assert score(grid) == (grid * RINGS).sum() == 2745 + corners + blocks + grid[4, 4]


def test_ring_weights() -> None:
    """The weights are 6 on the border and one more on each ring inwards, up to 10 in the centre of nine rows."""
    assert np.array_equal(RING_WEIGHTS, RINGS)
    assert RING_WEIGHTS.dtype == np.int64
    assert not RING_WEIGHTS.flags.writeable
    assert ring_weights(9) is RING_WEIGHTS
    assert ring_weights(4).tolist() == [[6, 6, 6, 6], [6, 7, 7, 6], [6, 7, 7, 6], [6, 6, 6, 6]]


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_lowest_score(name: str) -> None:
    """With sense "min" every strategy finds the lowest score: of the second sample, 2842."""
    grid = parse((EXAMPLES / "contest-2.txt").read_text())
    result = best(grid, strategy=name, sense="min")
    assert (result.score, result.proven) == (2842, True)
    assert result.completion is not None
    assert score(result.completion) == 2842
    assert result.bound in (None, 2842)
    clash = grid.copy()
    clash[0, :2] = 5
    assert (best(clash, strategy=name, sense="min").score, best(clash, strategy=name, sense="min").bound) == (-1, None)


@pytest.mark.parametrize(
    ("search", "arguments", "message"),
    [
        (best, {"strategy": "guess"}, f"there is no strategy 'guess'; there are {', '.join(STRATEGIES)}"),
        (best, {"weights": np.full((9, 9), 0.5)}, "the weights have the type float64 instead of whole numbers"),
        (best, {"box": (0, 9)}, "the box (0, 9) is not"),
        (best, {"sense": "most"}, "sense is 'most'; it must be 'max' or 'min'"),
        (rank, {"k": 0}, "k is 0"),
        (rank, {"k": 1, "sense": "most"}, "sense is 'most'"),
        *[
            (search, needed | arguments, message)
            for search, needed in ((best, {}), (rank, {"k": 1}), (ties, {"score": 0}))
            for arguments, message in (
                ({"weights": np.zeros((4, 4), dtype=int)}, "the weights have the shape (4, 4) instead of (9, 9)"),
                ({"box": (2, 2)}, "the grid has the shape (9, 9) instead of (4, 4)"),
                ({"timeout": -1}, "timeout is -1"),
                ({"max_nodes": -1}, "max_nodes is -1"),
            )
        ],
    ],
)
def test_wrong_arguments(search: Callable[..., object], arguments: dict[str, object], message: str) -> None:
    """Wrong arguments are named before any search."""
    with pytest.raises(ValueError, match=re.escape(message)):
        search(EMPTY, **arguments)


@pytest.mark.parametrize(
    ("grid", "weights", "message"),
    [
        (EMPTY, np.zeros((9, 8), dtype=int), "the weights have the shape (9, 8) instead of (9, 9)"),
        (EMPTY, 5, "the weights have the shape () instead of (1, 1)"),
        (EMPTY, np.zeros((4, 4), dtype=int), "the grid has the shape (9, 9) instead of (4, 4)"),
        (EMPTY + 10, RING_WEIGHTS, "the value 10 in row 1, column 1 is not between 0 and 9"),
        (EMPTY + 0.5, RING_WEIGHTS, "the value 0.5 in row 1, column 1 is not a whole number"),
    ],
)
def test_score_of_what_is_no_grid(grid: npt.ArrayLike, weights: npt.ArrayLike, message: str) -> None:
    """Arrays of the wrong shape, type or value are refused."""
    with pytest.raises(ValueError, match=re.escape(message)):
        score(grid, weights)


def test_weights_from_a_file(tmp_path: Path) -> None:
    """A file has a line for each row, signs, comments, empty lines and a byte order mark if need be."""
    path = tmp_path / "weights.txt"
    text = "\n".join(" ".join(map(str, row)) for row in RING_WEIGHTS.tolist())
    path.write_text(f"\ufeff# rings\n\n{text.replace('10', '-10 # centre', 1).replace('7', '+7')}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{path}:7: there are 5 weights instead of 9")):
        read_weights(path)
    path.write_text(f"\ufeff# rings\n\n{text.replace('10', '-10').replace('7', '+7')} # end\n", encoding="utf-8")
    weights = read_weights(path)
    assert weights[4, 4] == -10
    assert np.array_equal(np.abs(weights), RING_WEIGHTS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": there are 0 rows of weights instead of 9"),
        ("1 2 3 4 5 6 7 8 9\n" * 10, ": there are 10 rows of weights instead of 9"),
        ("1 2 3\n", ":1: there are 3 weights instead of 9"),
        ("# c\n1 2 3 4 5 6 7 8 9.5\n", ":2: '9.5' is not a whole number"),
        ("1 2 3 4 5 6 7 8 nan\n", ":1: 'nan' is not a whole number"),
        ("1 2 3 4 5 6 7 8 \u0663\n", ":1: '\u0663' is not a whole number"),
        ("1 2 3 4 5 6 7 8 +-1\n", ":1: '+-1' is not a whole number"),
        ("1 2 3 4 5 6 7 8 " + "9" * 50, f":1: '{'9' * 40}...' is not a whole number"),
        ("1 2 3 4 5 6 7 8 9000000000000\n" * 9, ":1: '9000000000000' is not a whole number between -2^40"),
        (
            "1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 1099511627777\n",
            ":2: '1099511627777' is not a whole number between -2^40",
        ),
        ("#\n" + 100_000 * " ", ":2: the line has at least 65536 characters"),
        (100_000 * "\n", ":65537: there are more than 65536 lines"),
    ],
)
def test_malformed_weights(text: str, message: str, tmp_path: Path) -> None:
    """A malformed table is refused with the file, the line and the value."""
    path = tmp_path / "weights.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(f"{path}{message}")):
        read_weights(path)


@pytest.mark.posix
def test_weights_without_an_end() -> None:
    """A file that never ends is refused after so many characters, in bounded memory."""
    with pytest.raises(ValueError, match="/dev/zero:1: the line has at least 65536 characters"):
        read_weights("/dev/zero")


@pytest.mark.parametrize("function", [ring_weights, lambda size: read_weights("no such file", size)])
def test_sizes_of_weights(function: Callable[[object], object]) -> None:
    """A size that no layout has is refused with its value and the limit."""
    for size in (0, -1, 65, 10**9):
        with pytest.raises(ValueError, match=f"the size {size} is not between 1 and 64"):
            function(size)
    for wrong in ("9", 9.0, None, [9]):
        with pytest.raises(TypeError, match=re.escape(f"the size {wrong!r} is not a whole number from 1 to 64")):
            function(wrong)


def test_scores_by_the_rings_of_the_grid() -> None:
    """Without weights a score is by the ring weights of the grid's own size, whatever it comes as."""
    for n in (4, 9, 16):
        ones = np.full((n, n), 1)
        assert score(ones) == score(ones.ravel()) == score(ones.tolist()) == int(ring_weights(n).sum())
    assert score(16 * ".", layout=(2, 2)) == 0
    assert score(16 * "1", layout=(2, 2)) == int(ring_weights(4).sum())
    (puzzle,) = sudoku.read([16 * "1"], layout=(2, 2))
    assert isinstance(puzzle, sudoku.Puzzle)
    assert score(puzzle) == score(puzzle, ring_weights(4)) == int(ring_weights(4).sum())
    for size in (0, 65):
        with pytest.raises(ValueError, match=re.escape(f"the grid has the shape ({size}, {size}) instead of (9, 9)")):
            score(np.zeros((size, size), dtype=int))


def test_scores_of_text() -> None:
    """A text is scored by the weights of its size, with bars where its boxes are known."""
    grid = parse("1.3.3.1...4343..", (2, 2))
    weights = ring_weights(4)
    assert score("1.3.3.1...4343..", weights) == score(grid, weights) == int((grid * weights).sum())
    assert score(sudoku.to_boxed(grid, (2, 2)), weights, (2, 2)) == score(grid, weights)
    with pytest.raises(ValueError, match=re.escape("the weights have the shape (9, 9) instead of (4, 4)")):
        score(grid, RING_WEIGHTS, layout=(2, 2))
