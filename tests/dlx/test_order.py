"""The order of items for searches that merge: what it is, that it changes no answer, that a caller's hardly matters."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from oracle import KINDS, as_sets, random_problem
from seeds import for_seeds

from dlx import Problem, count, diagram, reference
from dlx.counting import layers, merging, order
from dlx.engine.limits import Over
from dlx.problem.roles import Rows

Cell = tuple[int, int]
all_kinds = pytest.mark.parametrize("kind", KINDS)


def dominoes(board: list[Cell]) -> Problem:
    """Tiles a board, whose cells are in a given order, with dominoes."""
    places = [((r, c), other) for r, c in board for other in ((r, c + 1), (r + 1, c))]
    cells = set(board)
    return Problem.from_options([place for place in places if place[1] in cells], items=board)


def shuffled(rows: int, columns: int, seed: int) -> list[Cell]:
    """The cells of a board in a random order."""
    board = [(r, c) for r in range(rows) for c in range(columns)]
    return [board[k] for k in np.random.default_rng(seed).permutation(len(board))]


@all_kinds
@for_seeds(100)
def test_an_order_changes_no_answer(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the order that is found always taken, counts and diagrams are those of the reference, option by option."""
    monkeypatch.setattr(order, "FEW", -1.0)
    monkeypatch.setattr(order, "BETTER", math.inf)
    problem = random_problem(np.random.default_rng([seed, 41]), kind)
    covers = as_sets(reference.covers(problem))
    assert count(problem, merge="same").covers == len(covers)
    assert as_sets(diagram(problem)) == covers


@all_kinds
@for_seeds(100)
def test_every_primary_item_has_a_place(kind: str, seed: int) -> None:
    """Each primary item is in the order just once."""
    rows = random_problem(np.random.default_rng([seed, 42]), kind).rows()
    assert sorted(order.breadth_first(rows).tolist()) == list(range(rows.n_primary))


@all_kinds
@for_seeds(100)
def test_the_front_is_what_it_is_said_to_be(kind: str, seed: int) -> None:
    """The states of a front are those counted item by item, place by place, from the definition."""
    rng = np.random.default_rng([seed, 43])
    rows = random_problem(rng, kind).rows()
    some = rng.permutation(rows.n_primary)
    assert order.states(rows, some) == pytest.approx(math.log2(defined(rows, some.tolist())))


def defined(rows: Rows, some: list[int]) -> int:
    """The sum of 2^f over all places, and 1 for the end."""
    place = {item: k for k, item in enumerate(some)}
    options = [rows.indices[a:b].tolist() for a, b in pairwise(rows.indptr.tolist())]
    chosen = [(min(place[i] for i in option if i in place), option) for option in options if {*option} & {*place}]
    total = 1
    for k in range(len(some)):
        front = 0
        for item in range(rows.n_items):
            at = [first for first, option in chosen if item in option]
            end = place.get(item, max(at, default=0))
            front += min(at, default=end) <= k < end
        total += 2**front
    return total


@pytest.mark.parametrize(
    ("rows", "columns", "states"), [(4, 50, 1_000), (50, 4, 1_000), (6, 40, 5_000), (10, 10, 5_000)]
)
def test_the_order_of_a_board_does_not_matter(rows: int, columns: int, states: int) -> None:
    """By rows, by columns or at random, long boards and square ones take few states, and have as many tilings."""
    by_rows = [(r, c) for r in range(rows) for c in range(columns)]
    by_columns = sorted(by_rows, key=lambda cell: cell[::-1])
    results = [
        count(dominoes(board), merge="same", max_nodes=100_000)
        for board in (by_rows, by_columns, *(shuffled(rows, columns, seed) for seed in range(3)))
    ]
    assert all(result.exhausted and result.states < states for result in results)
    assert len({result.covers for result in results}) == 1


def test_by_itself_too() -> None:
    """Without being told to, a shuffled board of 10 x 10 is counted in a few thousand states; so is its diagram."""
    problem = dominoes(shuffled(10, 10, 7))
    result = count(problem)
    assert (result.covers, result.merged, result.states < 5_000) == (258584046368, True, True)
    made = diagram(problem)
    assert (made.covers, made.nodes < 10_000) == (258584046368, True)
    assert made.problem is problem


@pytest.mark.parametrize("columns", [0, 50])
def test_a_good_order_is_kept(columns: int) -> None:
    """Rows whose items come in an order of few states are the very same ones."""
    rows = dominoes([(r, c) for c in range(columns) for r in range(4)]).rows()
    assert order.in_order(rows) is rows


def test_a_limit_comes_before_the_order() -> None:
    """Once a limit has been reached, no order is looked for any longer, and the rows are the very same ones."""
    rows = dominoes(shuffled(10, 10, 7)).rows()
    asked: list[bool] = []

    def over() -> bool:
        asked.append(len(asked) == 2)
        return asked[-1]

    assert order.in_order(rows, over) is rows
    assert asked == [False, False, True]
    assert order.in_order(rows, lambda: False) is not rows


def test_limits_while_a_search_gets_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts and diagrams hand their limits on to what looks for an order."""
    handed: list[float] = []

    def in_order(rows: Rows, over: Over, *_: object) -> Rows:
        handed.append(over.__self__.limits.timeout)  # type: ignore[attr-defined]
        return rows

    def smallest_front(rows: Rows, over: Over, *_: object) -> order.Order:
        return np.arange(in_order(rows, over).n_primary)

    monkeypatch.setattr(merging, "in_order", in_order)
    monkeypatch.setattr(layers, "smallest_front", smallest_front)
    problem = dominoes(shuffled(6, 6, 7))
    assert count(problem, merge="same", timeout=300).covers == len(diagram(problem, timeout=200)) == 6728
    assert handed == [300, 200]


def test_a_diamond_is_crossed_from_side_to_side() -> None:
    """Rows, columns and breadth-first layers of the Aztec diamond of order 10 have 30 times the states of its sides."""
    odd = [2 * k - 19 for k in range(20)]
    squares = [(r, c) for r in range(20) for c in range(20) if abs(odd[r]) + abs(odd[c]) <= 20]
    rows = dominoes(squares).rows()
    plainly = min(order.states(rows, some) for some in (np.arange(rows.n_primary), order.breadth_first(rows)))
    best = order.smallest_front(rows)
    assert order.states(rows, best) < plainly - math.log2(30)
    assert count(dominoes(squares), merge="same").covers == 2**55  # N. Elkies and others, arXiv:math/9201305
