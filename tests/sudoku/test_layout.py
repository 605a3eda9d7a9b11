"""Layouts: what they refuse, what they are equal to, and their grids counted by trial and error."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from itertools import permutations
from math import factorial, inf
from pathlib import Path

import numpy as np
import pytest
from backtracking import Regions, blocks, completions, rules
from seeds import few

import sudoku
from sudoku import Layout
from sudoku.constraints import Cell
from sudoku.formats.rules import read_rules

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


@pytest.mark.parametrize(("box", "number"), [((2, 2), 288), ((2, 3), 28_200_960), ((3, 2), 28_200_960)])
def test_published_counts(box: tuple[int, int], number: int) -> None:
    """OEIS A107739 and A291187; a first row is one of n! by renaming."""
    n = box[0] * box[1]
    grid = np.zeros((n, n), dtype=np.uint8)
    grid[0] = range(1, n + 1)
    assert sudoku.count(grid, box).covers * factorial(n) == number


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
