"""Sudoku as exact cover: the covers of an encoded grid are its completions, no more and no fewer."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from backtracking import blocks, completions, rules
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import tries

import dlx
from sudoku import restrictions
from sudoku.encoding import decode, encode
from sudoku.formats.conversion import as_grid
from sudoku.grid import Grid
from sudoku.layout import Box, Layout

SAMPLE = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"


def grids(box: Box, blanks: int = 3) -> st.SearchStrategy[Grid]:
    """Cells that are blank `blanks` times as often as each digit."""
    n = prod(box)
    cells = st.lists(st.sampled_from([0] * blanks + list(range(1, n + 1))), min_size=n * n, max_size=n * n)
    return cells.map(lambda values: as_grid(np.array(values).reshape(n, n), box))


@pytest.mark.parametrize("box", [(2, 2), (3, 2), (3, 3), (4, 4)])
def test_options_are_the_candidates_that_the_rules_leave(box: Box) -> None:
    """A given keeps its own option only, and a blank one for each digit that no given of its regions has."""
    regions = rules(prod(box), *blocks(*box))

    @settings(max_examples=tries(20))
    @given(grids(box, blanks=60))
    def compare(grid: Grid) -> None:
        expected = []
        for r, c in np.ndindex(grid.shape):
            seen = {int(grid[cell]) for cells in regions if (r, c) in cells for cell in cells}
            allowed = [int(grid[r, c])] if grid[r, c] else sorted(set(range(1, len(grid) + 1)) - seen)
            expected += [(r, c, digit) for digit in allowed]
        assert encode(grid, box).names == tuple(expected)

    compare()


@settings(max_examples=tries(50))
@given(grids((2, 2)))
def test_covers_are_the_completions(grid: Grid) -> None:
    """The covers of a 4x4 grid, contradictory ones included, decode to exactly what trial and error finds."""
    problem = encode(grid, (2, 2))
    found = sorted(decode(problem, cover).tobytes() for cover in dlx.covers(problem))
    assert found == sorted(completions(grid, rules(4, *blocks(2, 2)), 300))


@settings(max_examples=tries(200))
@given(st.lists(st.integers(-2, 70), min_size=16, max_size=16))
def test_decode_fills_the_grid_or_refuses(options: list[int]) -> None:
    """The grid has in each cell the digit of the one option for it, or there is an error, for any options."""
    problem = encode(np.zeros((4, 4), dtype=int), (2, 2))
    if len({option // 4 for option in options if 0 <= option < 64}) == 16:
        assert decode(problem, options).ravel().tolist() == [option % 4 + 1 for option in sorted(options)]
    else:
        with pytest.raises(ValueError, match="cover 0 has "):
            decode(problem, options)


@pytest.mark.parametrize(("grid", "box"), [(SAMPLE, (3, 3)), (36 * ".", (2, 3)), (256 * ".", (4, 4))])
def test_the_problem_of_a_grid_in_detail(grid: str, box: Box) -> None:
    """Items, names and entries of an encoded grid are these, so that option numbers keep their meaning."""
    n, (rows, columns) = prod(box), box
    problem = encode(grid, box, weights=np.arange(n * n).reshape(n, n))
    kinds = [(kind, k, d) for kind in ("row", "column", "box") for k in range(n) for d in range(1, n + 1)]
    assert problem.items == (*(("cell", r, c) for r in range(n) for c in range(n)), *kinds)
    assert problem.n_primary == 4 * n * n
    assert problem.names is not None
    assert problem.weights is not None
    assert len(problem.names) == n**3 or grid == SAMPLE
    place = {item: k for k, item in enumerate(problem.items)}
    expected = [
        [
            place["cell", r, c],
            place["row", r, d],
            place["column", c, d],
            place["box", r // rows * rows + c // columns, d],
        ]
        for r, c, d in problem.names
    ]
    assert problem.indices.tolist() == [entry for option in expected for entry in option]
    assert problem.indptr.tolist() == list(range(0, 4 * len(expected) + 1, 4))
    assert problem.weights.tolist() == [(n * r + c) * d for r, c, d in problem.names]
    assert encode(grid, Layout.boxes(*box)) == encode(grid, box)


def test_the_entries_of_all_rules_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule with which the options of all rules have too many entries is named; those before it are made."""
    monkeypatch.setattr(restrictions, "MOST_ENTRIES", 100)
    cells = [[(r, c) for c in range(3)] for r in range(9)]
    layout = Layout.boxes().with_sums("cage", *((15, row) for row in cells))
    with pytest.raises(ValueError, match="the rules, up to the cage 1, have more than 100 entries"):
        encode(81 * ".", layout)
    assert encode(81 * ".", layout.without(*(("cage", k) for k in range(1, 9)))).n_options == 729 + 8
