"""Layouts as values, and as exact cover: the covers of an encoded grid are its completions, by trial and error."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from itertools import permutations
from math import inf, prod
from pathlib import Path

import numpy as np
import pytest
from backtracking import Regions, blocks, completions, rules
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import few, tries

import dlx
import sudoku
from sudoku import Layout, restrictions
from sudoku.constraints import Cell
from sudoku.encoding import decode, encode
from sudoku.formats.conversion import as_grid
from sudoku.formats.rules import read_rules
from sudoku.grid import Grid
from sudoku.layout import Box

KILLER = Path(__file__).parents[2] / "examples" / "killer.txt"
JIGSAW_4 = "AAAB ACBB CCDB CDDD"
JIGSAW_6 = "AAAABB AACCBB CCCCBB DDEEEE DDEEFF DDFFFF"
CROSS = [(1, 1), (1, 2), (2, 1)]  # fewer cells than digits: each digit at most once


def drawn(picture: str) -> list[list[Cell]]:
    """The cells of each region of a picture."""
    cells = {(r, c): name for r, row in enumerate(picture.split()) for c, name in enumerate(row)}
    return [[cell for cell in cells if cells[cell] == name] for name in sorted(set(cells.values()))]


CORNERS = [(3, 0), (0, 3)]
DIAGONALS = [[(k, k) for k in range(6)], [(k, 5 - k) for k in range(6)]]
LAYOUTS = [  # with their regions
    (Layout.jigsaw(JIGSAW_4).with_regions("cross", CROSS, CORNERS), rules(4, *drawn(JIGSAW_4), CROSS, CORNERS)),
    (Layout.jigsaw(JIGSAW_6), rules(6, *drawn(JIGSAW_6))),
    (Layout.named("x", (3, 2)), rules(6, *blocks(3, 2), *DIAGONALS)),
]


@pytest.mark.parametrize(("layout", "regions"), LAYOUTS, ids=lambda value: str(value)[:60])
def test_counts_by_trial_and_error(layout: Layout, regions: Regions) -> None:
    """Every layout has as many completions as trial and error finds by its rules."""
    grid = np.zeros((layout.size, layout.size), dtype=np.uint8)
    if layout.size == 6:
        grid[0] = range(1, 7)
    assert sudoku.count(grid, layout).covers == len(completions(grid, regions, inf))


def test_layouts_are_values() -> None:
    """Equal layouts have equal hashes and pickle; another box shape or another region is another one."""
    killer = read_rules(KILLER)
    layouts = [
        Layout.boxes(),
        Layout.boxes(2, 3),
        Layout.boxes(3, 2),
        Layout.named("x"),
        Layout.named("windoku"),
        Layout.boxes(1, 9),
    ]
    layouts += [killer, Layout.named("non-consecutive", killer.with_lines("V", [(0, 0), (0, 1)]))]
    layouts += [Layout.named("samurai"), Layout.gattai((0, 0), (0, 12))]
    assert len(set(layouts)) == len(layouts)
    for layout in layouts:
        again = pickle.loads(pickle.dumps(layout))
        assert again == layout == copy.deepcopy(layout)
        assert hash(again) == hash(layout)
    assert Layout.gattai((0, 0)) == Layout(9, layouts[0].regions) == layouts[0]
    with pytest.raises(AttributeError):
        layouts[0].size = 4  # type: ignore[misc]


@pytest.mark.parametrize("names", few(permutations(["x", "windoku", "anti-king", "non-consecutive"])), ids=" ".join)
def test_the_order_of_variants_does_not_matter(names: tuple[str, ...]) -> None:
    """Layouts with the same variants are equal, whether these are added together or one by one, in any order."""
    layout = Layout.boxes()
    for name in names:
        layout = Layout.named(name, layout)
    assert layout == Layout.named(",".join(names)) == Layout.named("x,windoku,anti-king,non-consecutive")


def test_layouts_pickled_elsewhere() -> None:
    """A layout from another process, where texts have other hashes, finds its equal in a set."""
    program = "import pickle, sys, sudoku; sys.stdout.buffer.write(pickle.dumps(sudoku.Layout.named('x')))"
    pickled = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout
    assert pickle.loads(pickled) in {Layout.named("x")}


@pytest.mark.parametrize("form", ["line", "rows", "boxed", "csv", "json"])
def test_rules_are_not_dropped(form: str) -> None:
    """A puzzle with further rules, its own or of `layout=`, is not written in a form that cannot say them."""
    layout = Layout.named("x", (2, 2))
    puzzle = sudoku.as_puzzle(16 * ".", layout)
    for grid, of in ((puzzle, None), (puzzle, layout), (puzzle.grid, layout)):
        with pytest.raises(ValueError, match="cannot represent the rule diagonal; fpuzzles can"):
            list(sudoku.write([grid], form, of))
    grids = map(sudoku.as_grid, [puzzle])
    assert list(sudoku.write(grids, form, (2, 2))) == list(sudoku.write([16 * "."], form, (2, 2)))
    assert list(sudoku.write([puzzle], "fpuzzles"))


def test_cages_that_cover_the_grid() -> None:
    """Cages that cover the grid leave the total of each to the others."""
    killer = read_rules(KILLER)
    assert sudoku.count(81 * ".", killer.without(("cage", 3))).covers == 1
    with pytest.raises(ValueError, match="there is no rule cage 99 to be left out"):
        killer.without(("cage", 99))


# Encoding


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
