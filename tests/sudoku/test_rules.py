"""Clashes, lines and sums: random layouts of four rows against all Latin squares, filtered by the rules alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import tries
from small_squares import Square, latin_squares

import dlx
import sudoku
from dlx.extending import Merge
from sudoku import Layout
from sudoku.constraints import Cell
from sudoku.encoding import candidates
from sudoku.layout import VARIANTS
from sudoku.rules import KINDS

Rule = Callable[[Square], bool]

CELLS = list(product(range(4), range(4)))
# The rules of lines by what they are called, without the package's table.
NEIGHBOURS: dict[str, Callable[[int, int], bool]] = {
    "thermometer": lambda a, b: a < b,
    "slow-thermometer": lambda a, b: a <= b,
    "whisper": lambda a, b: a - b >= 5 or b - a >= 5,
    "white-dot": lambda a, b: a - b in (1, -1),
    "black-dot": lambda a, b: (a, b) in {(1, 2), (2, 1), (2, 4), (4, 2)},
    "V": lambda a, b: a + b == 5,
    "X": lambda a, b: a + b == 10,
}


class Drawn(NamedTuple):
    """A layout, and the rules that it stands for."""

    layout: Layout
    rules: list[Rule]


def at(square: Square, cell: Cell) -> int:
    """The digit of a cell."""
    return square[4 * cell[0] + cell[1]]


def distinct(cells: Sequence[Cell]) -> Rule:
    """No digit twice."""
    return lambda square: len({at(square, cell) for cell in cells}) == len(cells)


def at_most_one(clash: Sequence[tuple[int, int, int]]) -> Rule:
    """No two of the candidates."""
    return lambda square: sum(at(square, (r, c)) == d for r, c, d in clash) <= 1


def follows(rule: Callable[[int, int], bool], one: Cell, other: Cell) -> Rule:
    """The digits of two cells are a pair that is allowed."""
    return lambda square: rule(at(square, one), at(square, other))


def sandwiched(square: Square, cells: Sequence[Cell]) -> int:
    """The sum of the digits between 1 and 4."""
    digits = [at(square, cell) for cell in cells]
    first, last = sorted((digits.index(1), digits.index(4)))
    return sum(digits[first + 1 : last])


def totals(kind: str, cells: tuple[Cell, ...], total: Any) -> Rule:
    """The rule of a sum."""
    if kind == "arrow":
        return lambda square: sum(at(square, cell) for cell in cells) == at(square, total)
    if kind == "sandwich":
        return lambda square: sandwiched(square, cells) == total
    return lambda square: (
        sum(at(square, cell) for cell in cells) == total and (kind != "cage" or distinct(cells)(square))
    )


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    """A layout of four rows with some of each: regions, clashes, lines and sums."""
    some = st.lists(st.sampled_from(CELLS), min_size=2, max_size=4, unique=True)
    blocks = [[(r + dr, c + dc) for dr in (0, 1) for dc in (0, 1)] for r in (0, 2) for c in (0, 2)]
    boxes = draw(st.booleans())
    layout = Layout.boxes(2, 2) if boxes else Layout(4, Layout.boxes(2, 2).regions[:8])
    rules = [distinct(block) for block in blocks] if boxes else []
    for cells in draw(st.lists(some, max_size=3)):
        layout, rules = layout.with_regions("extra", cells), [*rules, distinct(cells)]
    pairs = st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 4)), min_size=2, max_size=5, unique=True
    )
    for clash in draw(st.lists(pairs, max_size=2)):
        layout = layout.with_clashes("clash", clash)
        rules.append(at_most_one(clash))
    for kind, cells in draw(st.lists(st.tuples(st.sampled_from(sorted(NEIGHBOURS)), some), max_size=1)):
        layout = layout.with_lines(kind, cells)
        rules += [follows(NEIGHBOURS[kind], a, b) for a, b in pairwise(cells)]
    kinds = st.sampled_from(["cage", "cage", "little-killer", "arrow", "sandwich"])
    for kind, cells, total in draw(st.lists(st.tuples(kinds, some, st.integers(0, 13)), max_size=3)):
        asked: Any = total
        if kind == "sandwich":
            k = total % 4
            cells, asked = (
                [(k, c) for c in range(4)] if total > 6 else [(r, k) for r in range(4)],
                len(cells) + total // 5,
            )
        elif kind == "arrow":
            cells, asked = cells[1:], cells[0]
        layout, rules = layout.with_sums(kind, (asked, cells)), [*rules, totals(kind, tuple(cells), asked)]
    return Drawn(layout, rules)


def test_documents_have_every_kind() -> None:
    """The tables of docs/variants.md have the sentence of each record."""
    text = Path(__file__).parents[2].joinpath("docs", "variants.md").read_text()
    rows = [f"| `{kind.name}` | {kind.sentence} |" for kind in KINDS.values() if kind.asks is not None]
    rows += [f"| `{name}` | {variant.sentence} | {variant.what} |" for name, variant in VARIANTS.items()]
    assert [row for row in rows if row not in text] == []


GIVENS = st.lists(st.sampled_from([0] * 20 + [1, 2, 3, 4]), min_size=16, max_size=16)


def found(rules: Sequence[Rule], givens: Sequence[int]) -> list[Square]:
    """The squares that keep all rules and have the givens."""
    fits = (square for square in latin_squares() if all(d in (0, x) for d, x in zip(givens, square, strict=True)))
    return sorted(square for square in fits if all(rule(square) for rule in rules))


@pytest.mark.slow
@settings(max_examples=tries(800))
@given(drawn(), GIVENS)
def test_every_completion_is_one_cover(one: Drawn, givens: list[int]) -> None:
    """The covers of a grid decode to the squares that keep the rules, each once."""
    problem = sudoku.encode(givens, one.layout)
    blocks = list(dlx.covers(problem).blocks())
    listed = [tuple(grid.ravel().tolist()) for block in blocks for grid in sudoku.decode(problem, block)]
    assert sorted(listed) == found(one.rules, givens)


@pytest.mark.slow
@settings(max_examples=tries(120))
@given(drawn(), GIVENS, st.lists(st.tuples(*[st.integers(0, 3)] * 3), max_size=12) | st.just([]))
def test_every_search_knows_the_rules(one: Drawn, givens: list[int], gone: list[tuple[int, int, int]]) -> None:
    """Counts, merged or not, solutions, best scores, rankings, ties and shares are those of the squares.

    All searches but that of many grids keep to the candidates of a puzzle, too.
    """
    marks = np.ones((4, 4, 4), dtype=bool)
    for candidate in gone:
        marks[candidate] = False
    puzzle = sudoku.as_puzzle(givens, one.layout, marks)
    squares = [square for square in found(one.rules, givens) if all(square[4 * r + c] != k + 1 for r, c, k in gone)]
    grids = np.array(squares).reshape(-1, 4, 4)
    merge: Merge
    for merge in ("never", "same", "isomorphic"):
        assert sudoku.count(puzzle, merge=merge).covers == len(squares)
    assert sudoku.is_unique(puzzle) == (len(squares) == 1)
    completion = sudoku.solve(puzzle).completion
    assert (completion is None) == (not squares)
    assert completion is None or tuple(completion.ravel().tolist()) in squares
    weights = np.arange(16).reshape(4, 4)
    scores = sorted((grids * weights).sum(axis=(1, 2)).tolist(), reverse=True)
    for strategy in ("bound", "dlx"):
        best = sudoku.best(puzzle, weights=weights, strategy=strategy)
        assert (best.score, best.proven) == (scores[0] if scores else -1, True)
        assert best.completion is None or sudoku.score(best.completion, weights, one.layout) == best.score
    listed = sudoku.rank(puzzle, 600, weights=weights)
    assert listed.scores.tolist() == scores
    assert sorted(tuple(grid.ravel().tolist()) for grid in listed.completions) == squares
    if scores:
        assert sudoku.ties(puzzle, scores[0], weights=weights).covers == scores.count(scores[0])
    shares = np.stack([(grids == d).mean(axis=0) if squares else np.zeros((4, 4)) for d in range(1, 5)], axis=2)
    assert np.allclose(sudoku.shares(puzzle), shares)
    if puzzle.candidates is None:
        many = sudoku.best_many([givens], layout=one.layout, weights=weights)
        assert many.scores.tolist() == scores[:1] or (not scores and many.scores.tolist() == [-1])


@settings(max_examples=tries(50))
@given(drawn(), GIVENS)
def test_candidates_come_first(one: Drawn, givens: list[int]) -> None:
    """Options of sums, which have no cell and no weight, stand behind the candidates."""
    problem = sudoku.encode(givens, one.layout, np.ones((4, 4), dtype=int))
    named = candidates(problem).tolist()
    assert problem.names is not None
    assert problem.weights is not None
    assert [list(name) for name in problem.names[: len(named)]] == named
    assert problem.weights.tolist() == [d for _, _, d in named] + [0] * (problem.n_options - len(named))
    assert all(isinstance(name[0], str) for name in problem.names[len(named) :])
