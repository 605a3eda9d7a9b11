"""Layouts: what they refuse, what they are equal to, and their grids counted by trial and error."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from backtracking import Regions, blocks, completions, rules

import sudoku
from sudoku import Layout, Region
from sudoku.formats.rules import read_rules
from sudoku.layout import Box, Cell, as_layout

KILLER = Path(__file__).parents[2] / "examples" / "killer.txt"
JIGSAW_4 = "AAAB ACBB CCDB CDDD"
JIGSAW_6 = "AAAABB AACCBB CCCCBB DDEEEE DDEEFF DDFFFF"
CROSS = [(1, 1), (1, 2), (2, 1)]  # fewer cells than digits: each digit at most once


def drawn(picture: str) -> list[list[Cell]]:
    """The cells of each region of a picture."""
    cells = {(r, c): name for r, row in enumerate(picture.split()) for c, name in enumerate(row)}
    return [[cell for cell in cells if cells[cell] == name] for name in sorted(set(cells.values()))]


def diagonals(n: int) -> list[list[Cell]]:
    """The cells of both long diagonals."""
    return [[(k, k) for k in range(n)], [(k, n - 1 - k) for k in range(n)]]


CORNERS = [(3, 0), (0, 3)]
LAYOUTS = [  # with their regions, and the number of completions where it is published
    (Layout.boxes(2, 2), rules(4, *blocks(2, 2)), 288),  # OEIS A107739
    (Layout.x(2, 2), rules(4, *blocks(2, 2), *diagonals(4)), 48),
    (Layout.windoku(2), rules(4, *blocks(2, 2), [(1, 1), (1, 2), (2, 1), (2, 2)]), None),
    (Layout.jigsaw(JIGSAW_4), rules(4, *drawn(JIGSAW_4)), None),
    (Layout.boxes(2, 2).with_regions("cross", CROSS), rules(4, *blocks(2, 2), CROSS), None),
    (Layout.jigsaw(JIGSAW_4).with_regions("cross", CROSS, CORNERS), rules(4, *drawn(JIGSAW_4), CROSS, CORNERS), None),
    (Layout.boxes(2, 3), rules(6, *blocks(2, 3)), 39168),  # by renaming, a 720th of 28,200,960 grids
    (Layout.boxes(3, 2), rules(6, *blocks(3, 2)), 39168),
    (Layout.x(2, 3), rules(6, *blocks(2, 3), *diagonals(6)), None),
    (Layout.x(3, 2), rules(6, *blocks(3, 2), *diagonals(6)), None),
    (Layout.jigsaw(JIGSAW_6), rules(6, *drawn(JIGSAW_6)), None),
]


@pytest.mark.parametrize(("layout", "regions", "known"), LAYOUTS, ids=lambda value: str(value)[:60])
@pytest.mark.slow
def test_counts_by_trial_and_error(layout: Layout, regions: Regions, known: int | None) -> None:
    """Every layout has as many completions as trial and error finds by its rules, and as published where they are."""
    grid = np.zeros((layout.size, layout.size), dtype=np.uint8)
    if layout.size == 6:
        grid[0] = range(1, 7)
    found = len(completions(grid, regions, inf)) if layout.size == 4 or known is None else known
    assert sudoku.count(grid, layout).covers == found
    assert known in (None, found)


@pytest.mark.parametrize(("n", "squares"), [(2, 2), (3, 12), (4, 576), (5, 161280)])
def test_boxes_that_are_rows_or_columns_make_latin_squares(n: int, squares: int) -> None:
    """Boxes of one row or one column, and pieces of a jigsaw that are rows, ask nothing more than rows and columns."""
    rows = [n * chr(ord("A") + k) for k in range(n)]
    for layout in (Layout.boxes(1, n), Layout.boxes(n, 1), Layout.jigsaw(rows)):
        assert len(sudoku.encode([0] * n * n, layout).items) == 3 * n * n
        for merge in ("auto", "isomorphic"):
            assert sudoku.count([0] * n * n, layout, merge=merge).covers == squares


def test_the_layout_comes_after_the_grids() -> None:
    """Functions of one grid and of many take the layout behind what they are asked about, and as `box`."""
    grid, box = "123434..21....21", (2, 2)
    assert sudoku.unique_many([grid], box).tolist() == [sudoku.is_unique(grid, box)] == [True]
    assert np.array_equal(sudoku.canonical_many([grid], box)[0], sudoku.canonical(grid, box))
    completion = sudoku.solve(grid, box).completion
    assert completion is not None
    assert np.array_equal(sudoku.solve_many([grid], box).completions[0], completion)
    assert np.array_equal(sudoku.solve_many([grid], layout=box).completions[0], completion)
    assert sudoku.count_many([16 * "."], 500, box).counts[0] == sudoku.count(16 * ".", box).covers
    with pytest.raises(TypeError, match=r"the limit is \(2, 2\) instead of a whole number; it comes before the box"):
        sudoku.count_many([grid], box)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [0, -1, 2**62 + 1, 10**30])
def test_limits_of_counts(limit: int) -> None:
    """A limit that is none is named, with both ends of what may be one."""
    with pytest.raises(ValueError, match=f"the limit is {limit}; it must be at least 1, and at most {2**62}"):
        sudoku.count_many([16 * "."], limit, (2, 2))


def test_regions_of_the_constructors() -> None:
    """The regions are those that the names of the layouts say, in reading order."""
    nine = Layout.boxes()
    assert nine == as_layout((3, 3)) == as_layout(None)
    assert nine.regions[18] == Region("box", 0, frozenset((r, c) for r in range(3) for c in range(3)))
    windows = [region.cells for region in Layout.windoku().regions if region.kind == "window"]
    assert [(min(cells), max(cells)) for cells in windows] == [
        ((1, 1), (3, 3)),
        ((1, 5), (3, 7)),
        ((5, 1), (7, 3)),
        ((5, 5), (7, 7)),
    ]
    assert len(Layout.windoku(4).regions) == 48 + 9
    names = [[1, 1, 1, 2], [1, 3, 2, 2], [3, 3, 4, 2], [3, 4, 4, 4]]
    assert [region.name for region in Layout.jigsaw(names).regions[8:]] == [1, 2, 3, 4]
    numbered = nine.with_regions("spot", [(0, 0)]).with_regions("spot", [(1, 1)])
    assert [region.name for region in numbered.regions[27:]] == [0, 1]


def test_layouts_are_values() -> None:
    """Equal layouts have equal hashes and pickle; another box shape, another region or another order is another one."""
    killer = read_rules(KILLER)
    layouts = [Layout.boxes(), Layout.boxes(2, 3), Layout.boxes(3, 2), Layout.x(), Layout.windoku(), Layout.boxes(1, 9)]
    layouts += [killer, killer.with_lines("V", [(0, 0), (0, 1)]).with_variants("non-consecutive")]
    layouts += [Layout.samurai(), Layout.gattai((0, 0), (0, 12))]
    assert len(set(layouts)) == len(layouts)
    for layout in layouts:
        again = pickle.loads(pickle.dumps(layout))
        assert again == layout == copy.deepcopy(layout)
        assert hash(again) == hash(layout)
    assert Layout.gattai((0, 0)) == Layout(9, NINE.regions, [3, 3]) == NINE  # type: ignore[arg-type]
    with pytest.raises(AttributeError):
        layouts[0].size = 4  # type: ignore[misc]


@pytest.mark.slow
def test_layouts_pickled_elsewhere() -> None:
    """A layout from another process, where texts have other hashes, finds its equal in a set."""
    program = "import pickle, sys, sudoku; sys.stdout.buffer.write(pickle.dumps(sudoku.Layout.x()))"
    pickled = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout
    assert pickle.loads(pickled) in {Layout.x()}


FOUR, NINE = Layout.boxes(2, 2), Layout.boxes()
ONE, ROW, DOWN = [(0, 0)], [(0, c) for c in range(9)], [(k, k) for k in range(9)]


@pytest.mark.parametrize(
    ("build", "arguments", "message"),
    [
        (Layout.boxes, [1, 1], "the box (1, 1) is not (rows, columns) of 2 to 64 cells"),
        (Layout.boxes, [9, 9], "the box (9, 9) is not"),
        (Layout.windoku, [9], "the box (9, 9) is not"),
        (Layout.jigsaw, [""], "the size 0 of the layout is not between 2 and 64"),
        (Layout.jigsaw, ["AB AB ABC"], "row 1 of the map has 2 cells; it has 3 rows"),
        (Layout.jigsaw, ["AAA ABB BCC"], "the region 'A' has 4 cells instead of 3"),
        *((Layout.jigsaw, [regions], "map") for regions in (None, 4, [1, 2], [[[1]] * 4] * 4)),
        (Layout, [4, FOUR.regions[1:]], "the regions do not begin with the 4 rows and 4 columns"),
        (Layout, [4, (*FOUR.regions, FOUR.regions[8])], "the name box 0 of a region is taken"),
        *((Layout, [4, FOUR.regions, box], "the box") for box in [(3, 3), (1, 4), (4, 1), (0, 0), 2]),
        (Layout, [2, (), None, (3, 3)], "the shape (3, 3) has no cell in its last row or in its last column"),
        (FOUR.with_regions, ["extra", []], "the region extra 0 has 0 cells instead of 1 to 4"),
        (FOUR.with_regions, ["extra", ROW[:5]], "the region extra 0 has 5 cells instead of 1 to 4"),
        (FOUR.with_regions, ["extra", [(0, 4)]], "the cell (0, 4) of the region extra 0 is not in a grid of 4 rows"),
        (FOUR.with_regions, ["cell", ONE], "the kind 'cell', which is reserved"),
        (FOUR.with_regions, [DOWN[:2]], "the kind [(0, 0), (1, 1)] is no text: with_regions takes the kind, and then"),
        (FOUR.with_regions, ["c"], "there is no region of the kind 'c'"),
        (FOUR.with_regions, ["c", [(0, 0.5)]], "(0, 0.5) in the region c 0 is not a cell, (row, column) in whole"),
        (FOUR.with_regions, ["c", ONE, [(0, 9)]], "the cell (0, 9) of the region c 1 is not in a grid of 4 rows"),
        (FOUR.with_regions, ["c", ONE * 5], "the region c 0 has the cell (0, 0) twice"),
        (FOUR.with_regions, ["c", (0, 0), (1, 1)], "0 in the region c 0 is not a cell"),
        (FOUR.with_regions, ["c", ["ab"]], "'ab' in the region c 0 is not a cell"),
        (FOUR.with_regions, ["c", [(0, 0, 0)]], "(0, 0, 0) in the region c 0 is not a cell"),
        (FOUR.with_regions, ["c", 5], "the region c 0 is 5 instead of cells (row, column)"),
        (Layout.named, ["y"], "there is no variant 'y': there are x, windoku,"),
        (Layout.named, [""], "there is no variant ''"),
        (Layout.named, ["x,x"], "the variant x is named twice"),
        (Layout.x().with_variants, ["x"], "the variant x adds the diagonal 0, which is there already"),
        (Layout.named, ["samurai,samurai"], "the variant samurai is named twice"),
        (Layout.named, ["samurai", (2, 2)], "samurai is of grids with boxes of 3 x 3, not of Layout(4 x 4"),
        (Layout.named, ["samurai,x"], "x is for grids with as many rows and columns as digits, not for Layout(21"),
        (Layout.named, ["windoku", (2, 3)], "windoku is for boxes with as many rows as columns, not for"),
        (Layout.named, ["centre-dots", (2, 3)], "with a cell in the middle, not for those of 2 x 3"),
        (Layout.named, ["asterisk", (2, 2)], "asterisk is for grids of 9 rows, not for Layout(4 x 4"),
        (Layout.named, ["disjoint-groups", Layout.jigsaw("AAB ABB CCC")], "is for rectangular boxes, not for"),
        (Layout.gattai, [], "the corners () are not cells (row, column) from 0, one for each grid"),
        (Layout.gattai, [(0, 0), (0, 0)], "the list of corners has the cell (0, 0) twice"),
        (Layout.gattai, [(0, 0), (0, -1)], "the corners ((0, 0), (0, -1)) are not cells"),
        (Layout.gattai, [(0, 0), (0, 1000)], "the shape (9, 1009) is not (rows, columns) of 1 to 256"),
        (NINE.with_lines, ["snake", ROW], "'snake' is no kind of line: thermometer, slow-"),
        (NINE.with_lines, ["V", ONE], "the line V 0 has 1 cells instead of two or more"),
        (NINE.with_lines, ["V", [(0, 8), (0, 9)]], "the cell (0, 9) of the line V 0 is not in the grid"),
        (NINE.with_lines, ["V", ONE * 2], "the line V 0 has the cell (0, 0) twice"),
        (NINE.with_lines, ["V", 5], "the line V 0 is 5 instead of cells (row, column)"),
        (NINE.with_sums, ["sum", (3, ONE)], "'sum' is no kind of sum: cage, little-killer, arrow"),
        (NINE.with_sums, ["cage", (3, [])], "the cage 0 has no cells"),
        (NINE.with_sums, ["cage", 3], "the cage 0 is 3 instead of a total and cells"),
        (NINE.with_sums, ["cage", (3.5, ONE)], "the cage 0 has the total 3.5 instead of a whole"),
        (
            FOUR.with_sums,
            ["cage", (9, [*ROW[:4], (1, 1)])],
            "the cage 0 has 5 cells for 4 digits, none of which it",
        ),
        (NINE.with_sums, ["cage", (3, [(0, 9)])], "the cell (0, 9) of the cage 0 is not in the grid"),
        (NINE.with_sums, ["arrow", ((0, 0), ONE)], "the arrow 0 has its circle (0, 0) on its line"),
        (NINE.with_sums, ["arrow", (5, ONE)], "5 in the arrow 0 is not a cell"),
        (NINE.with_sums, ["sandwich", (5, ONE)], "the sandwich 0 has 1 cells instead of 9"),
        (NINE.with_sums, ["sandwich", (5, DOWN)], "the sandwich 0 is neither a row nor a column"),
        (NINE.with_clashes, ["c", ONE], "(0, 0) in the clash c 0 is not a candidate"),
        (NINE.with_clashes, ["c", [(0, 0, 10)]], "the digit 10 of the clash c 0 is not between 1 and 9"),
        (NINE.with_clashes, ["cell", [(0, 0, 1)]], "the name cell 0 is taken"),
    ],
)
def test_wrong_layouts(build: Callable[..., object], arguments: list[object], message: str) -> None:
    """What is no layout is refused, with the region, the rule, the cell or the value that is wrong."""
    with pytest.raises(ValueError, match=re.escape(message)):
        build(*arguments)


WRONG_BOXES = [3, 2, "2x2", 2.5, (2,), {2, 3}, np.array(3), (0, 3), (1, 1), (9, 9), (3, 3, 3), (1.5, 2), (-3, -3)]


@pytest.mark.parametrize("box", WRONG_BOXES)
def test_what_is_no_box(box: Box) -> None:
    """Whatever is no pair of whole numbers with a product between 2 and 64 is refused as a box in the same words."""
    functions = (sudoku.grid_size, lambda box: next(sudoku.read([], box)), lambda box: sudoku.best(81 * ".", box))
    for function in functions:
        with pytest.raises(ValueError, match=re.escape(f"the box {box!r} is not (rows, columns) of 2 to 64 cells")):
            function(box)


def test_one_side_alone_is_no_box() -> None:
    """One number alone is refused, unless it is the usual one: nobody guesses the other side."""
    for build in (Layout.x, Layout.boxes):
        assert build() == build(3) == build(3, 3)
        with pytest.raises(ValueError, match="4 alone is no box: give both, rows and columns of a box"):
            build(4)
        with pytest.raises(ValueError, match="2 alone is no box: give both, rows and columns of a box"):
            build(columns=2)


def test_a_sandwich_without_bread() -> None:
    """A line without a 1 or an n breaks its sandwich."""
    layout = Layout.boxes(4, 1).with_sums("sandwich", (0, [(r, 2) for r in range(4)]))
    assert layout.broken(sudoku.as_grid("2331421314323124", layout)) == "sandwich 0"


def test_pictures_of_layouts() -> None:
    """Thick lines follow the boxes of any shape, and further regions are tinted."""
    plain = sudoku.to_svg("." * 16, (2, 2))
    assert 'd="M0 0h144M0 72h144M0 144h144M0 0v144M72 0v144M144 0v144"' in plain
    jigsaw = sudoku.to_svg("." * 16, Layout.jigsaw(JIGSAW_4))
    assert "M36 36h72M0 72h36M72 72h36" in jigsaw
    assert sudoku.to_svg("." * 16, Layout.x(2, 2)).count("<rect") == plain.count("<rect") + 8


@pytest.mark.parametrize("layout", [Layout.x(2, 2), Layout.x(2, 3), Layout.boxes(2, 2).with_regions("d", DOWN[:4])])
def test_visiting_scores_what_the_bound_does_where_digits_have_further_items(layout: Layout) -> None:
    """The score of the strategy `dlx` is that of its completion, however wide the blocks of covers are."""
    n = layout.size
    grid = [[1, *(n - 1) * [0]], *(n - 1) * [n * [0]]] if n == 4 else [list(range(1, n + 1)), *(n - 1) * [n * [0]]]
    for sense in ("max", "min"):
        visited = sudoku.best(grid, layout=layout, strategy="dlx", sense=sense)
        assert visited.completion is not None
        assert visited.score == sudoku.score(visited.completion, layout=layout)
        assert visited.score == sudoku.best(grid, layout=layout, sense=sense).score


FUNCTIONS = {name: value for name in sudoku.__all__ if inspect.isfunction(value := getattr(sudoku, name))}
TAKING = {
    name: list(parameters.values())
    for name, function in FUNCTIONS.items()
    if "layout" in (parameters := inspect.signature(function).parameters) and name != "generate"  # by its name only
}


@pytest.mark.parametrize("name", sorted(TAKING.keys() - {"grid_size", "score", "write"}))
def test_the_layout_comes_first(name: str) -> None:
    """Of what may be left out the layout comes first in every function, and needs no name.

    But in `score` weights come first, and in `write` the form; `grid_size` needs the layout.
    """
    optional = next(parameter for parameter in TAKING[name] if parameter.default is not parameter.empty)
    assert (optional.name, optional.kind) == ("layout", optional.POSITIONAL_OR_KEYWORD)


@pytest.mark.parametrize("name", sorted(TAKING))
def test_box_is_another_name_of_layout(name: str) -> None:
    """Every function with the parameter `layout` has the one decorator that takes it as `box=`, too."""
    assert hasattr(FUNCTIONS[name], "__wrapped__")
    with pytest.raises(TypeError, match="layout= or box=, not both"):
        FUNCTIONS[name](layout=(2, 2), box=(2, 2))


def test_a_box_by_its_older_name() -> None:
    """A pair of numbers is taken as `box=` where grids are read, encoded and named."""
    functions: list[Callable[..., Any]] = [sudoku.as_grid, sudoku.to_boxed, sudoku.encode, Layout.named]
    for function, value in zip(functions, (*3 * ["1" + 15 * "."], "x"), strict=True):
        assert np.array_equal(function(value, box=(2, 2)), function(value, layout=(2, 2)))
