"""One convention: a grid may be text, a puzzle or an array in every function, and comes back as (n, n) or (m, n, n)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from readings import BARE, LINE, SAMPLE, only

import sudoku
from sudoku import STRATEGIES, GridError, Layout, Puzzle, ring_weights
from sudoku.formats.conversion import GridLike, as_grid

FORMS: dict[str, GridLike] = {
    "line": LINE,
    "boxed": sudoku.to_boxed(SAMPLE),
    "puzzle": only(LINE),
    "array": SAMPLE,
    "flat array": SAMPLE.ravel(),
    "lists": SAMPLE.tolist(),
    "flat list": SAMPLE.ravel().tolist(),
    "another type": SAMPLE.astype(np.int64),
    "texts": BARE,
    "numbers with a point": SAMPLE.astype(np.float64),
    "masked": np.ma.masked_equal(np.where(SAMPLE == 0, 77, SAMPLE), 77),
}

FUNCTIONS: dict[str, Callable[[GridLike], object]] = {
    "as_grid": lambda grid: sudoku.as_grid(grid).tolist(),
    "best": lambda grid: sudoku.best(grid).score,
    "best, dlx": lambda grid: sudoku.best(grid, strategy="dlx").completions,
    "score": sudoku.score,
    "solve": lambda grid: sudoku.solve(grid).completion is not None,
    "count": lambda grid: sudoku.count(grid).covers,
    "shares": lambda grid: sudoku.shares(grid).tolist(),
    "encode": lambda grid: sudoku.encode(grid).n_options,
    "to_line": sudoku.to_line,
    "write": lambda grid: list(sudoku.write([grid], "rows")),
    "to_boxed": sudoku.to_boxed,
    "to_svg": lambda grid: sudoku.to_svg(grid, givens=grid),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_every_form(name: str, form: str) -> None:
    """The answer is that for the array, whatever the grid comes as."""
    assert FUNCTIONS[name](FORMS[form]) == FUNCTIONS[name](SAMPLE)


def test_a_batch_takes_every_form() -> None:
    """An array of either shape and any real type, and any sequence of grids in any forms, a generator too."""
    expected = [2829] * len(FORMS)
    many = np.stack([SAMPLE] * len(FORMS))
    arrays = (many, many.reshape(-1, 81), many.astype(np.float32), np.ma.masked_equal(many, 0))
    for grids in (*arrays, list(FORMS.values()), iter(FORMS.values()), many.tolist()):
        batch = sudoku.best_many(grids)
        assert batch.scores.tolist() == expected
        assert batch.completions.shape == (len(FORMS), 9, 9)
    assert sudoku.best_many(sudoku.read([LINE, LINE])).scores.tolist() == [2829, 2829]


@pytest.mark.parametrize(
    "box", [(2, 3), Layout.named("x", (2, 3)), Layout.jigsaw("AAAABB AACCBB CCCCBB DDEEEE DDEEFF DDFFFF")]
)
def test_completions_have_the_shape_of_the_grid(box: sudoku.layout.Box | Layout) -> None:
    """One completion has the shape (n, n), and m of them (m, n, n), by any layout."""
    grid = "1" + "." * 35
    best, batch = sudoku.best(grid, layout=box), sudoku.best_many([grid] * 2, layout=box)
    solution = sudoku.solve(grid, box).completion
    assert best.completion is not None
    assert solution is not None
    assert best.completion.shape == solution.shape == (6, 6)
    assert not best.completion.flags.writeable
    assert not solution.flags.writeable
    assert batch.completions.shape == (2, 6, 6)
    assert batch.scores.tolist() == [best.score] * 2


def puzzle_without(givens: str, box: tuple[int, int], *gone: tuple[Any, ...]) -> Puzzle:
    """A puzzle, and candidates that its blanks have not."""
    n = box[0] * box[1]
    marks = np.ones((n, n, n), dtype=bool)
    for place in gone:
        marks[place] = False
    return sudoku.as_puzzle(givens, box, marks)


def test_a_given_and_its_candidates() -> None:
    """A given is its cell's only candidate; if it is none itself, there is no completion, and that is no error."""
    given = "1" + 15 * "."
    assert puzzle_without(given, (2, 2)).candidates is None
    puzzle = puzzle_without(given, (2, 2), (0, 0, 0))
    assert puzzle.candidates is not None
    assert not puzzle.candidates[0, 0].any()
    assert sudoku.count(puzzle).covers == 0
    assert sudoku.count(puzzle_without(16 * ".", (2, 2), ())).covers == 0


def test_a_single_candidate_is_no_given() -> None:
    """A single candidate has the completions of the given, but a blank cell: in grids, givens of solutions, pictures.

    Another layout of the same size keeps it.
    """
    puzzle = puzzle_without(16 * ".", (2, 2), (0, 0, slice(1, 4)))
    assert sudoku.count(puzzle).covers == sudoku.count("1...............", (2, 2)).covers == 72
    assert not puzzle.grid.any()
    assert not sudoku.solve(puzzle).givens.any()
    assert sudoku.encode(puzzle).n_options == 61
    picture = sudoku.to_svg(puzzle)
    assert (picture.count("fill-opacity"), picture.count("<text")) == (60, 61)
    assert puzzle._repr_svg_() == picture
    assert sudoku.count(puzzle, Layout.named("x", (2, 2))).covers == 12


def test_what_cannot_keep_to_candidates_refuses_them() -> None:
    """The kernels of cells, and batches, say so, and never answer about another puzzle."""
    puzzle = puzzle_without(81 * ".", (3, 3), (0, 0, 0))
    for name in set(STRATEGIES) - {"bound", "dlx"}:
        with pytest.raises(ValueError, match=f"the strategy {name} does no grids whose blanks have candidates"):
            sudoku.best(puzzle, strategy=name, max_nodes=1)
    with pytest.raises(ValueError, match=r"grids\[1\]: its blanks have candidates, which arrays of grids cannot say"):
        sudoku.best_many(["." * 81, puzzle], timeout=0)


def test_a_puzzle_brings_its_layout() -> None:
    """A puzzle is solved by the layout that it was read by, unless another one is given."""
    puzzle = only("1" + "." * 15, Layout.named("x", (2, 2)))
    assert sudoku.count(puzzle).covers == 12
    assert sudoku.count(puzzle, (2, 2)).covers == 72


def test_an_error_in_the_place_of_a_grid_is_raised() -> None:
    """A GridError that `read` has yielded is raised as it is by every function that takes a grid."""
    (error,) = sudoku.read([LINE[1:]], file="f.txt")
    for function in FUNCTIONS.values():
        with pytest.raises(GridError) as caught:
            function(error)  # type: ignore[arg-type]
        assert caught.value is error


CELLS: list[list[Any]] = [[int(cell) if cell.isdigit() else cell for cell in row] for row in BARE]


@pytest.mark.parametrize(
    "value",
    [
        BARE,
        tuple(BARE),
        list(LINE),
        [list(row) for row in BARE],
        [[cell.strip(".") for cell in row] for row in BARE],
        CELLS,
        [[None if cell == "." else cell for cell in row] for row in CELLS],
        [[None if cell == "." else float(cell) for cell in row] for row in CELLS],
        [[None if cell == "." else np.int64(cell) for cell in row] for row in CELLS],
        np.array([list(row) for row in BARE]),
        np.array(CELLS, dtype=object),
    ],
)
def test_signs_and_texts_in_lists(value: npt.ArrayLike) -> None:
    """Rows may be texts, and cells signs, texts, None and numbers, mixed as people have them."""
    assert np.array_equal(as_grid(value), SAMPLE)
    assert np.array_equal(sudoku.best_many([value, LINE]).scores, [2829, 2829])


def test_grids_are_read_only_and_their_own() -> None:
    """The grid of `as_grid` cannot be changed, and does not change with the caller's array."""
    values = SAMPLE.copy()
    grid = as_grid(values)
    values[0, 0] = 1
    assert grid[0, 0] == 7
    with pytest.raises(ValueError, match="read-only"):
        grid[0, 0] = 5
    for form in FORMS.values():
        assert not as_grid(form).flags.writeable


def test_notebooks_show_results() -> None:
    """A result and a solution show their completions, givens in bold, in the boxes of the layout."""
    result, solution = sudoku.best(LINE), sudoku.solve(LINE)
    picture = result._repr_svg_()
    assert picture == sudoku.to_svg(result.completion, givens=LINE)  # type: ignore[arg-type]
    assert picture is not None
    assert picture.count("bold") == np.count_nonzero(SAMPLE)
    assert (solution._repr_svg_() or "").count("<text") == 81
    none = sudoku.best("11" + LINE[2:])
    assert none.completion is None
    assert none._repr_svg_() == sudoku.to_svg("11" + LINE[2:])
    alone = STRATEGIES["bound"](LINE, ring_weights(9))  # which nobody has told the givens
    assert alone._repr_svg_() == sudoku.to_svg(alone.completion)  # type: ignore[arg-type]
    assert sudoku.best("." * 16, layout=Layout.named("x", (2, 2)))._repr_svg_().count("<rect") == 9  # type: ignore[union-attr]
