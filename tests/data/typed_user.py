"""A user's program, as strict type checkers see it: what public names take, and of which type is what they return.

It is run, too. A type that is not what it says here makes a checker fail, and so does one that it does not know.
"""

import io
from collections.abc import Hashable, Iterator
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import dlx
import sudoku

CELLS = npt.NDArray[np.uint8]


def engine(problem: dlx.Problem) -> None:
    """Asks all there is about covers."""
    found = dlx.covers(problem, max_covers=3, seed=1)
    assert_type(found, dlx.Covers)
    for cover in found:
        assert_type(cover, tuple[int, ...])
        assert_type(problem.option(cover[0]), tuple[Hashable, ...])
        assert_type(problem.score(cover), int | float)
    counted = dlx.count(problem, timeout=10.0, max_nodes=1000, progress=tell)
    assert_type(counted.covers, int)
    assert_type(counted.seconds, float)
    assert_type(counted.stopped == "timeout", bool)
    assert_type(dlx.first(problem).cover, tuple[int, ...] | None)
    best = dlx.best(problem, sense="max", k=2)
    assert_type(best.score, int | float | None)
    for weighed in best.covers:
        assert_type(weighed, dlx.Cover)
    assert_type(dlx.count_reaching(problem, 1).covers, int)
    assert_type(dlx.estimate(problem, samples=10, seed=1), dlx.Estimate)
    assert_type(dlx.explain(problem), dlx.Explanation)


def diagrams(problem: dlx.Problem) -> None:
    """Asks about all covers at once."""
    diagram = dlx.diagram(problem)
    assert_type(diagram, dlx.Diagram)
    assert_type(diagram.covers, int)
    assert_type(diagram.uses(), tuple[int, ...])
    assert_type(diagram.sample(3), npt.NDArray[np.int32])
    assert_type(dlx.show.dot(diagram), str)
    for cover in diagram:
        assert_type(cover, tuple[int, ...])


def progress_of(search: dlx.Progress) -> float:
    """The attributes that a callback may ask for."""
    assert_type(search.nodes, int)
    return search.seconds


def tell(search: dlx.Progress) -> bool:
    """Goes on for ten seconds."""
    return progress_of(search) > 10


def problems() -> Iterator[dlx.Problem]:
    """Makes the same problem in some of the ways there are."""
    yield dlx.Problem.from_options(["ab", "cd", "ac", "bd"], weights=[3, 1, 2, 2])
    yield dlx.Problem.from_options([["a", "b"], ["c", "d"], ["a", "c"], ["b", "d"]], weights=1)
    yield dlx.Problem.from_matrix(np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]]), weights=1)
    yield dlx.formats.read(io.StringIO("a b c d\na b |1\nc d |1\na c |1\nb d |1\n"), "knuth")


def grids() -> None:
    """Asks all there is about a grid."""
    grid = sudoku.generate(seed=1)
    assert_type(grid, CELLS)
    assert_type(sudoku.parse(sudoku.to_line(grid)), CELLS)
    assert_type(sudoku.solve(grid).completion, CELLS | None)
    assert_type(sudoku.count(grid).covers, int)
    assert_type(sudoku.is_unique(grid), bool)
    assert_type(sudoku.shares(grid), npt.NDArray[np.float64])
    result = sudoku.best(grid, weights=sudoku.ring_weights(9))
    assert_type(result, sudoku.Result)
    assert_type(result.score, int | None)
    assert_type(sudoku.canonical(grid), CELLS)
    assert_type(sudoku.minimise(grid, seed=1), CELLS)
    assert_type(sudoku.to_svg(grid), str)
    assert_type(sudoku.encode(grid), dlx.Problem)
    assert_type(sudoku.rate(grid), sudoku.Rating)
    assert_type(sudoku.rate(grid).to_dict(), dict[str, Any])
    for item in sudoku.read([sudoku.to_line(grid)]):
        assert_type(item, sudoku.Puzzle | sudoku.GridError)
        if isinstance(item, sudoku.GridError):
            raise item
        assert_type(item.grid, CELLS)
    try:
        sudoku.parse("not a grid")
    except sudoku.GridError as error:
        assert_type(error.line, int)


if __name__ == "__main__":
    for problem in problems():
        engine(problem)
        diagrams(problem)
    grids()
    assert_type(dlx.__version__, str)
