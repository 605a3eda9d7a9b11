"""Rules and variants: against all grids of 4 x 4 and many of 6 x 6 in plain Python, and as they are published."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from itertools import permutations, product
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt
import pytest
from backtracking import full
from seeds import for_seeds
from setting_rules import WHOLE, drawn, random_rules
from small_squares import four_by_four

import dlx
import sudoku
from dlx.engine.dispatch import KernelName
from dlx.extending import Merge
from sudoku import Layout
from sudoku.encoding import candidates
from sudoku.formats.files.meaning import same_rules
from sudoku.layout import VARIANTS

Grids = npt.NDArray[np.uint8]


def listed(grids: Grids) -> list[bytes]:
    return sorted(grid.tobytes() for grid in grids)


@for_seeds(400)
def test_every_completion_is_one_cover(seed: int) -> None:
    """The covers of a grid decode to the grids that keep the rules, each once.

    The candidates come first among the options, and the others have no weight.
    """
    layout, _, grids, givens = random_rules(seed)
    problem = sudoku.encode(givens, layout, np.ones(layout.shape, dtype=int))
    blocks = [sudoku.decode(problem, block) for block in dlx.covers(problem).blocks()]
    assert listed(np.concatenate(blocks) if blocks else grids[:0]) == listed(grids), layout
    named = candidates(problem).tolist()
    assert problem.names is not None
    assert problem.weights is not None
    assert [list(name) for name in problem.names[: len(named)]] == named
    assert problem.weights.tolist() == [d for _, _, d in named] + [0] * (problem.n_options - len(named))


@pytest.mark.parametrize("kernel", ["auto", "bits", "links"])
def test_masks_that_get_shorter_lose_no_cover(kernel: KernelName) -> None:
    """A search whose masks lose a word of primary items, on some branches only, finds all completions."""
    line, diagonal = [(0, 2), (0, 3), (1, 2)], [(2, 2), (3, 1), (3, 0), (2, 0), (1, 1), (0, 1)]
    layout = sudoku.Layout.boxes(2, 2).with_lines("between", line).with_sums("little-killer", (15, diagonal))
    problem = sudoku.encode(np.zeros((4, 4), dtype=np.uint8), layout)
    right = [
        grid
        for grid in four_by_four()
        if WHOLE["between"]([int(grid[cell]) for cell in line]) and sum(int(grid[cell]) for cell in diagonal) == 15
    ]
    assert len(right) == 8
    blocks = [sudoku.decode(problem, block) for block in dlx.covers(problem, kernel=kernel).blocks()]
    assert listed(np.concatenate(blocks)) == listed(np.array(right))


@for_seeds(120)
def test_every_search_knows_the_rules(seed: int) -> None:
    """All answers are those of the grids: counts, solutions, scores, shares, candidates, explanations, puzzles.

    All searches but those of many grids keep to the candidates of a puzzle, too.
    """
    layout, _, grids, givens = random_rules(seed)
    rng, n = np.random.default_rng(seed), layout.size
    marks = rng.random((n, n, n)) < (0.9 if seed % 2 else 2)
    puzzle = sudoku.as_puzzle(givens, layout, marks)
    digits = np.arange(1, n + 1)
    kept = grids[[bool((marks | (grid[..., None] != digits) | (puzzle.grid[..., None] > 0)).all()) for grid in grids]]
    merge: Merge
    for merge in ("never", "same", "isomorphic"):
        assert sudoku.count(puzzle, merge=merge).covers == len(kept)
    assert sudoku.is_unique(puzzle) == (len(kept) == 1)
    completion = sudoku.solve(puzzle).completion
    assert (completion is None) == (len(kept) == 0)
    assert completion is None or completion.tobytes() in listed(kept)
    weights = np.arange(n * n).reshape(n, n)
    scores = sorted((kept * weights).sum(axis=(1, 2)).tolist(), reverse=True)
    for strategy in ("bound", "dlx"):
        best = sudoku.best(puzzle, weights=weights, strategy=strategy)
        assert (best.score, best.proven) == (scores[0] if scores else -1, True)
        assert best.completion is None or sudoku.score(best.completion, weights, layout) == best.score
    shares = np.stack([(kept == d).mean(axis=0) if scores else np.zeros((n, n)) for d in digits], axis=2)
    assert np.allclose(sudoku.shares(puzzle), shares)
    assert np.array_equal(sudoku.candidates(puzzle), shares > 0)
    if puzzle.candidates is not None:
        return
    many = sudoku.best_many([givens], layout=layout, weights=weights)
    assert many.scores.tolist() == (scores[:1] or [-1])
    assert sudoku.count_many([givens], 1000, layout).counts.tolist() == [min(len(kept), 1000)]
    assert sudoku.explain(givens, layout).completions == min(len(kept), 2)
    if n == 4 and len(kept):
        made = sudoku.generate(seed=seed, layout=layout)
        assert sum(((made == 0) | (made == grid)).all() for grid in kept) == 1


# Variants


ASTERISK = "......... ....#.... ..#...#.. ......... .#..#..#. ......... ..#...#.. ....#.... ........."
GIRANDOLA = "#.......# ....#.... ......... ......... .#..#..#. ......... ......... ....#.... #.......#"


def whole(cells: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Returns whether nine cells of each grid have every digit."""
    result: npt.NDArray[np.bool_] = (np.sort(cells.reshape(len(cells), -1), axis=1) == range(1, 10)).all(axis=1)
    return result


def picked(picture: str) -> Callable[[Grids], npt.NDArray[np.bool_]]:
    """Returns whether the cells of a picture have every digit."""
    mask = np.array([list(row) for row in picture.split()]) == "#"
    return lambda grids: whole(grids[:, mask])


def apart(grids: Grids, down: int, across: int) -> npt.NDArray[np.bool_]:
    """Returns whether no two cells that are so far from each other are equal."""
    wide = grids.shape[2] - abs(across)
    one = grids[:, : grids.shape[1] - down, max(0, -across) :][:, :, :wide]
    other = grids[:, down:, max(0, across) :][:, :, :wide]
    result: npt.NDArray[np.bool_] = (one != other).all(axis=(1, 2))
    return result


# The rule of each variant, in numpy, for completed grids of nine rows.
RULES: dict[str, Callable[[Grids], Any]] = {
    "x": lambda g: whole(g[:, range(9), range(9)]) & whole(g[:, range(9), range(8, -1, -1)]),
    "windoku": lambda g: np.all([whole(g[:, r : r + 3, c : c + 3]) for r in (1, 5) for c in (1, 5)], axis=0),
    "centre-dots": lambda g: whole(g[:, 1::3, 1::3]),
    "asterisk": picked(ASTERISK),
    "girandola": picked(GIRANDOLA),
    "disjoint-groups": lambda g: np.all([whole(g[:, r::3, c::3]) for r in range(3) for c in range(3)], axis=0),
    "anti-king": lambda g: apart(g, 1, 1) & apart(g, 1, -1) & apart(g, 0, 1) & apart(g, 1, 0),
    "anti-knight": lambda g: apart(g, 1, 2) & apart(g, 1, -2) & apart(g, 2, 1) & apart(g, 2, -1),
    "non-consecutive": lambda g: (
        (np.abs(np.diff(g.astype(int), axis=1)) != 1).all(axis=(1, 2))
        & (np.abs(np.diff(g.astype(int), axis=2)) != 1).all(axis=(1, 2))
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seed", range(4))
def test_variants_by_their_rules(name: str, seed: int) -> None:
    """Of the completions of a plain grid, a variant has just those that keep its rule."""
    layout, rng = Layout.named(name), np.random.default_rng(seed)
    grid = full(layout, seed)
    assert RULES[name](grid[None])[0]
    order = rng.permutation(81)
    opened = grid.copy()
    for k in range(20, 81):
        opened.ravel()[order[:k]] = 0
        if sudoku.count(opened, max_covers=3000).covers == 3000:
            break
        grid = opened.copy()
    plain = sudoku.encode(grid)
    completions = np.concatenate([sudoku.decode(plain, block) for block in dlx.covers(plain).blocks()])
    assert len(completions) > 1
    assert sudoku.count(grid, layout).covers == np.count_nonzero(RULES[name](completions))


def test_small_variants() -> None:
    """All 288 grids of four rows, and those of them that each variant has."""
    grids = four_by_four()
    assert len(grids) == 288  # OEIS A107739
    for names in (["anti-king"], ["anti-knight"], ["non-consecutive"], ["anti-king", "anti-knight"]):
        expected = np.count_nonzero(np.all([RULES[name](grids) for name in names], axis=0))
        assert sudoku.count(16 * ".", Layout.named(",".join(names), (2, 2))).covers == expected
    groups = [len({*grid[r::2, c::2].ravel().tolist()}) == 4 for grid in grids for r in (0, 1) for c in (0, 1)]
    number = sudoku.count(16 * ".", Layout.named("disjoint-groups", (2, 2))).covers
    assert number == np.count_nonzero(np.array(groups).reshape(-1, 4).all(axis=1)) > 0
    sixes = sudoku.encode("123456" + 30 * ".", (2, 3))
    listed = np.concatenate([sudoku.decode(sixes, block) for block in dlx.covers(sixes).blocks()])
    assert len(listed) * 720 == 28_200_960  # OEIS A291187
    for name, rule in (("anti-king", RULES["anti-king"]), ("anti-knight", RULES["anti-knight"])):
        count = sudoku.count("123456" + 30 * ".", Layout.named(name, (2, 3))).covers
        assert count == np.count_nonzero(rule(listed)), name


@pytest.mark.parametrize(("name", "number"), [("anti-king", 10), ("anti-knight", 10), ("non-consecutive", 2)])
def test_variants_across_two_grids(name: str, number: int) -> None:
    """Side by side, cells of two grids are neighbours, too, and have equal digits unless a king's moves forbid it."""
    rows = np.array(list(permutations(range(1, 6))), dtype=np.uint8)
    squares = rows[:, None]
    for _ in range(4):  # all Latin squares of five rows that keep the rule, row by row
        both = np.concatenate([np.repeat(squares, 120, axis=0), np.tile(rows, (len(squares), 1))[:, None]], axis=1)
        latin = (both[:, :-1] != both[:, -1:]).all(axis=(1, 2))
        squares = both[latin & RULES[name](both)]
    assert len(squares) > number
    layout = Layout.named(name, Layout.gattai((0, 0), (0, 5), box=(1, 5)))
    pairs = np.array([np.hstack(pair) for pair in product(squares, repeat=2)])
    kept = pairs[RULES[name](pairs)]
    assert (kept[:, :, 4] == kept[:, :, 5]).any() == (name != "anti-king")
    assert sudoku.count(np.zeros((5, 10), dtype=int), layout).covers == len(kept)


# As they are published


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
        re.fullmatch(
            f"(the form cannot represent|f-puzzles would add) the ({named}) .(, which this puzzle does not have)?", one
        )
        for one in refused
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
