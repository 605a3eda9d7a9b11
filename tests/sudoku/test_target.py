"""Target sudoku: the weights, the score, the published samples, and the identity that holds for every completion."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dlx
import sudoku
from sudoku import DEFAULT, RING_WEIGHTS, STRATEGIES, best, decode, encode, parse, read_weights, ring_weights, score

EXAMPLES = Path(__file__).parents[2] / "examples"
Grid = npt.NDArray[np.uint8]
EMPTY = np.zeros((9, 9), dtype=np.uint8)
CYCLIC = np.array([[(3 * r + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)], dtype=np.uint8)


@st.composite
def completed(draw: st.DrawFn) -> Grid:
    """Completed grids: the cyclic one shuffled, most of it blanked, and completed anew in one of the ways there are."""
    digits = np.array(draw(st.permutations(range(1, 10))))
    bands, stacks = draw(st.permutations(range(3))), draw(st.permutations(range(3)))
    rows = [3 * band + k for band in bands for k in draw(st.permutations(range(3)))]
    columns = [3 * stack + k for stack in stacks for k in draw(st.permutations(range(3)))]
    shuffled = digits[CYCLIC - 1][np.ix_(rows, columns)]
    kept = draw(st.sets(st.integers(0, 80), min_size=18, max_size=30))
    grid = np.where(np.isin(np.arange(81), list(kept)).reshape(9, 9), shuffled, 0)
    problem = encode(grid)
    (*_, last) = dlx.covers(problem, max_covers=draw(st.integers(1, 200)))
    return decode(problem, last)


@settings(deadline=None)
@given(completed())
@pytest.mark.slow
def test_only_seventeen_cells_matter(grid: Grid) -> None:
    """The score of a completion is 2745 + 2 x the corners + the rest of the four 2x2 corner blocks + the centre."""
    corners = int(grid[np.ix_([0, 8], [0, 8])].sum())
    blocks = int(grid[np.ix_([0, 1, 7, 8], [0, 1, 7, 8])].sum())
    assert score(grid) == 2745 + 2 * corners + (blocks - corners) + int(grid[4, 4])


def test_ring_weights() -> None:
    """The weights are 6 on the border and one more on each ring inwards, up to 10 in the centre of nine rows."""
    assert RING_WEIGHTS.tolist() == [
        [6, 6, 6, 6, 6, 6, 6, 6, 6],
        [6, 7, 7, 7, 7, 7, 7, 7, 6],
        [6, 7, 8, 8, 8, 8, 8, 7, 6],
        [6, 7, 8, 9, 9, 9, 8, 7, 6],
        [6, 7, 8, 9, 10, 9, 8, 7, 6],
        [6, 7, 8, 9, 9, 9, 8, 7, 6],
        [6, 7, 8, 8, 8, 8, 8, 7, 6],
        [6, 7, 7, 7, 7, 7, 7, 7, 6],
        [6, 6, 6, 6, 6, 6, 6, 6, 6],
    ]
    assert RING_WEIGHTS.dtype == np.int64
    assert not RING_WEIGHTS.flags.writeable
    assert ring_weights(4).tolist() == [[6, 6, 6, 6], [6, 7, 7, 6], [6, 7, 7, 6], [6, 6, 6, 6]]


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=81, max_size=81), st.lists(st.integers(-99, 99), min_size=81, max_size=81))
@pytest.mark.slow
def test_score_is_the_sum_of_digit_times_weight(digits: list[int], weights: list[int]) -> None:
    """Whatever the digits and the weights, the score is the sum over the cells; a blank counts nothing."""
    expected = sum(digit * weight for digit, weight in zip(digits, weights, strict=True))
    assert score(np.reshape(digits, (9, 9)), np.reshape(weights, (9, 9))) == expected


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize(("file", "expected"), [("contest-1.txt", 2829), ("contest-2.txt", 2852)])
def test_published_samples(file: str, expected: int, name: str) -> None:
    """Every strategy proves the published answers to the two samples of the contest."""
    grid = parse((EXAMPLES / file).read_text())
    result = best(grid, strategy=name)
    assert (result.score, result.proven, result.strategy) == (expected, True, name)
    assert result.completion is not None
    assert score(result.completion) == expected
    assert np.array_equal(result.completion[grid > 0], grid[grid > 0])


@pytest.mark.parametrize(
    "grid",
    [
        "330000700050000014070010392080000003007300000000200000030020460040650200006000000",
        "600914057004800001003000098000400019020000500400100080000040100040000000000000634",
        "000005080000601043000000000010500000000106000300000005530000061000000004000000000",
    ],
    ids=["two 3s in a row", "no clash", "no clash, many blanks"],
)
def test_no_completion(grid: str) -> None:
    """Without a completion the score is -1, and that is proven, whether the clash is in sight or not."""
    result = best(parse(grid), strategy="dlx")
    assert (result.score, result.completion, result.completions, result.proven) == (-1, None, 0, True)


@settings(deadline=None)
@given(st.integers(0, 80), st.integers(1, 8))
@pytest.mark.slow
def test_full_grid_with_one_wrong_digit(cell: int, change: int) -> None:
    """A full grid is its own best completion, and has none as soon as any one digit is changed."""
    wrong = CYCLIC.copy()
    wrong.flat[cell] = (wrong.flat[cell] - 1 + change) % 9 + 1
    assert best(CYCLIC).score == score(CYCLIC)
    assert best(wrong).score == -1


def test_any_table_of_weights() -> None:
    """Another table takes the place of the rings: the last digit of the first row, and its negative."""
    weights = np.zeros((9, 9), dtype=int)
    weights[0, 8] = 1
    grid = CYCLIC.copy()
    grid[0, :] = grid[:, 8] = 0
    grid[8, :] = 0
    assert best(grid, weights=weights).score == max(range(1, 10), key=lambda digit: digit * allowed(grid, digit))
    least = best(grid, weights=-weights)
    assert least.score == -min(digit for digit in range(1, 10) if allowed(grid, digit))


def allowed(grid: Grid, digit: int) -> bool:
    """Whether the grid has a completion with that digit at the end of its first row."""
    tried = grid.copy()
    tried[0, 8] = digit
    return dlx.first(encode(tried)).cover is not None


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


def test_other_boxes() -> None:
    """All 288 grids of four rows are visited; the best score is that of the best of them."""
    result = best(np.zeros((4, 4), dtype=int), layout=(2, 2), strategy="dlx")
    problem = encode(np.zeros((4, 4), dtype=int), (2, 2))
    scores = [score(decode(problem, cover), ring_weights(4)) for cover in dlx.covers(problem)]
    assert (result.score, result.completions, result.ties) == (max(scores), 288, scores.count(max(scores)))


def test_limits_leave_the_best_unproven() -> None:
    """A limit stops the empty grid with the best so far; none of nothing is found within no nodes."""
    result = best(EMPTY, strategy="dlx", max_nodes=20_000)
    assert result.stopped == "max_nodes"
    assert not result.proven
    assert result.completion is not None
    assert result.score == score(result.completion)
    nothing = best(EMPTY, strategy="dlx", timeout=0)
    assert (nothing.score, nothing.completion, nothing.proven, nothing.stopped) == (-1, None, False, "timeout")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"strategy": "guess"}, f"there is no strategy 'guess'; there are {', '.join(STRATEGIES)}"),
        ({"weights": np.zeros((4, 4), dtype=int)}, "the weights have the shape (4, 4) instead of (9, 9)"),
        ({"weights": np.full((9, 9), 0.5)}, "the weights have the type float64 instead of whole numbers"),
        ({"box": (2, 2)}, "the grid has the shape (9, 9) instead of (4, 4)"),
        ({"box": (0, 9)}, "the box (0, 9) is not"),
        ({"timeout": -1}, "-1"),
        ({"sense": "most"}, "sense is 'most'; it must be 'max' or 'min'"),
    ],
)
def test_wrong_arguments(arguments: dict[str, object], message: str) -> None:
    """What is wrong is named before any search."""
    with pytest.raises(ValueError, match=re.escape(message)):
        best(EMPTY, **arguments)  # type: ignore[arg-type]


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


def test_public_names() -> None:
    """Every public name is there, the default strategy among them."""
    assert all(hasattr(sudoku, name) for name in sudoku.__all__)
    assert DEFAULT in STRATEGIES


def test_ring_weights_are_made_once() -> None:
    """The table of a size is one array for all grids."""
    assert ring_weights(9) is ring_weights(9)


def test_scores_of_text() -> None:
    """A text is scored by the weights of its size, with bars where its boxes are known."""
    grid = parse("1.3.3.1...4343..", (2, 2))
    weights = ring_weights(4)
    assert score("1.3.3.1...4343..", weights) == score(grid, weights) == int((grid * weights).sum())
    assert score(sudoku.to_boxed(grid, (2, 2)), weights, (2, 2)) == score(grid, weights)
    with pytest.raises(ValueError, match=re.escape("the weights have the shape (9, 9) instead of (4, 4)")):
        score(grid, RING_WEIGHTS, layout=(2, 2))
