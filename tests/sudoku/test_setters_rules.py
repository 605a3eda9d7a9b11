"""The rules of setters: against all grids of 4 x 4 and many of 6 x 6, in every question, and as they are published."""

from __future__ import annotations

import json
import random
import re
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from seeds import for_seeds
from setting_rules import drawn, random_rules
from small_squares import four_by_four

import sudoku
from sudoku import Layout
from sudoku.formats.files.meaning import same_rules
from sudoku.layout import VARIANTS

Grids = npt.NDArray[np.uint8]


@for_seeds(240)
def test_published_puzzles_are_read_back(seed: int) -> None:
    """A puzzle that f-puzzles can say is the same from JSON and from a link; others name the rule."""
    layout, _, grids, givens = random_rules(seed)
    rng = np.random.default_rng(seed)
    n = layout.size
    marks = rng.random((n, n, n)) < 0.8
    marks |= ~marks.any(axis=2, keepdims=True)
    marks |= np.arange(1, n + 1) == (grids[0] if len(grids) else sudoku.as_grid(givens, layout))[..., None]
    puzzle = sudoku.as_puzzle(givens, layout, marks if seed % 2 else None)
    named = "|".join(re.escape(kind) for kind, _ in layout.rules())
    refused: list[str] = []
    for form in ("fpuzzles", "sudokupad-link"):
        if "link" in form:
            pytest.importorskip("lzstring")
        try:
            text = "".join(sudoku.write([puzzle], form))
        except ValueError as error:
            refused.append(str(error))
            continue
        (back,) = sudoku.read([text])
        assert isinstance(back, sudoku.Puzzle), (back, layout)
        assert same_rules(back.layout, layout)
        assert sudoku.count(back).covers == sudoku.count(puzzle).covers
    assert all(
        re.fullmatch(f"the form cannot represent (the|this puzzle without the) ({named}) .", one) for one in refused
    ), refused


def test_what_cannot_be_said_is_named() -> None:
    """A little killer that is no diagonal and grids that share cells are refused by name."""
    base = Layout.boxes(2, 2)
    for layout, fault in (
        (base.with_sums("little-killer", (5, [(0, 0), (0, 1)])), "cannot represent the little-killer 0"),
        (base.with_lines("total-6", [(0, 0), (0, 1)]), "cannot represent the total-6 0"),
        (base.with_lines("no-X", [(0, 0), (0, 1)]), None),
        (base.with_lines("no-V", [(0, 0), (0, 1)]), "cannot represent the no-V 0"),
        (Layout(4, base.regions[:8]), "cannot represent the regions: row 1, column 1 is in 0 boxes"),
        (Layout.gattai((0, 0), (2, 2), box=(2, 2)), "is for square grids"),
    ):
        grid = np.zeros(layout.shape, dtype=int)
        if fault is None:
            assert len(list(sudoku.write([grid], "fpuzzles", layout))) == 1  # with 4 digits nothing adds up to 10
            continue
        with pytest.raises(ValueError, match=fault):
            list(sudoku.write([grid], "fpuzzles", layout))


@pytest.mark.parametrize("name", [*VARIANTS, "x,anti-king,anti-knight,non-consecutive"])
def test_variants_are_published(name: str) -> None:
    """Variants are read back as the same rules, by their flags or as further regions."""
    layout = Layout.named(name)
    (text,) = sudoku.write([81 * "."], "fpuzzles", layout)
    (back,) = sudoku.read([text])
    assert isinstance(back, sudoku.Puzzle)
    assert same_rules(back.layout, layout)


@for_seeds(64)
def test_rules_are_drawn(seed: int) -> None:
    """Each rule that is not all over the grid adds something to the picture, which is well-formed."""
    plain = Layout.boxes(2, 3)
    layout, _, kind = drawn(random.Random(seed), plain)
    picture = sudoku.to_svg(36 * ".", layout)
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert kind == "negative" or len(picture) > len(sudoku.to_svg(36 * ".", plain))


def test_minima_beside_each_other() -> None:
    """Of two minima of f-puzzles that touch, neither has to be less; each is less than its other neighbours."""
    grid: list[list[object]] = [[{}] * 4 for _ in range(4)]
    puzzle = sudoku.as_puzzle(json.dumps({"size": 4, "grid": grid, "minimum": [{"cell": "R1C1"}, {"cell": "R1C2"}]}))
    fits = [g for g in four_by_four() if g[0, 0] < g[1, 0] and g[0, 1] < min(g[0, 2], g[1, 1])]
    assert sudoku.count(puzzle).covers == len(fits)


def test_marked_pairs_of_nonconsecutive() -> None:
    """With dots of any kind, `nonconsecutive` is for the other pairs only."""
    grid: list[list[object]] = [[{}] * 4 for _ in range(4)]
    cells = list(np.ndindex(4, 4))
    pairs = [((r, c), other) for r, c in cells for other in ((r, c + 1), (r + 1, c)) if other in cells]
    one = four_by_four()[100].astype(int)
    near = [pair for pair in pairs if abs(one[pair[0]] - one[pair[1]]) == 1]
    black = [pair for pair in near if 2 in (one[pair[0]] / one[pair[1]], one[pair[1]] / one[pair[0]])]
    names = {pair: {"cells": [f"R{r + 1}C{c + 1}" for r, c in pair]} for pair in near}
    dots = {"difference": [names[pair] for pair in near if pair not in black], "ratio": [names[p] for p in black]}
    puzzle = sudoku.as_puzzle(json.dumps({"size": 4, "grid": grid, "nonconsecutive": True, **dots}))
    assert puzzle.layout.kinds()["no-white-dot"] == 24 - len(near)

    def keeps(g: Grids) -> bool:
        ratios = all(2 in (g[a] / g[b], g[b] / g[a]) for a, b in black)
        return ratios and all((abs(int(g[pair[0]]) - int(g[pair[1]])) == 1) == (pair in near) for pair in pairs)

    assert black
    assert sudoku.count(puzzle).covers == sum(map(keeps, four_by_four())) > 0


def test_the_order_of_kinds_does_not_matter() -> None:
    """Lines and sums of several kinds, in any order, are one layout, which f-puzzles gives back as it was."""
    both = [("white-dot", [(0, 0), (0, 1)]), ("thermometer", [(1, 0), (1, 1)]), ("difference-2", [(2, 0), (2, 1)])]
    made = []
    for lines in (both, both[::-1]):
        layout = Layout.boxes(2, 2)
        for kind, cells in lines:
            layout = layout.with_lines(kind, cells)
        made.append(layout.with_sums("quadruple", ((1, 2), [(2, 2), (2, 3)])).with_sums("cage", (3, [(3, 2), (3, 3)])))
    (text,) = sudoku.write([sudoku.as_puzzle("." * 16, made[0])], "fpuzzles")
    assert made[0] == made[1] == sudoku.as_puzzle(text).layout


def test_pictures_of_quadruples_and_regions() -> None:
    """A quadruple has its digits in rows of two within a circle; regions have a colour for each kind."""
    four = Layout.boxes(2, 2).with_sums("quadruple", ((3, 1, 2, 2), [(0, 0), (0, 1), (1, 0), (1, 1)]))
    drawn = sudoku.to_svg("." * 16, four)
    assert drawn.count("<circle") == 1
    assert re.findall("<text[^>]*>([^<]*)", drawn) == ["1 2", "2 3"]
    mixed = Layout.named("x", (2, 2)).with_regions("cross", [(1, 1), (1, 2), (2, 1), (2, 2)])
    for layout, colours in ((Layout.named("x", (2, 2)), 1), (mixed, 2)):
        takes_colours = sudoku.to_svg("." * 16, layout)
        assert len(set(re.findall('fill="(#[0-9a-f]*)" fill-opacity="0.4"', takes_colours))) == colours
