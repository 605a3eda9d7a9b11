"""The order of items for searches that merge: what it is, that it changes no answer, that a caller's hardly matters."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from oracle import KINDS, as_sets, random_problem
from seeds import for_seeds

from dlx import Problem, count, diagram, reference, tiles
from dlx.counting import layers, order
from dlx.counting.layers import Layered
from dlx.engine.dispatch import shuffle
from dlx.engine.limits import Over
from dlx.kernels import EXHAUSTED
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
    monkeypatch.setattr(order, "STRAIGHT", -math.inf)
    monkeypatch.setattr(order, "FIRST", -math.inf)
    monkeypatch.setattr(order, "ALL", -math.inf)
    monkeypatch.setattr(order, "TRIES", 4)
    problem = random_problem(np.random.default_rng([seed, 41]), kind)
    covers = as_sets(reference.covers(problem))
    assert count(problem, merge="same").covers == len(covers)
    thorough = Layered(problem)
    assert thorough.run(1 << 60, 1 << 60, 1 << 60) == EXHAUSTED
    assert thorough.covers == len(covers)
    assert as_sets(diagram(problem)) == covers


@all_kinds
@for_seeds(100)
def test_the_front_is_what_it_is_said_to_be(kind: str, seed: int) -> None:
    """The states of a front are those counted item by item, place by place, from the definition."""
    rng = np.random.default_rng([seed, 43])
    rows = random_problem(rng, kind).rows()
    some = rng.permutation(rows.n_primary)
    assert order.states(rows, some) == pytest.approx(math.log2(defined(rows, some.tolist())))


def defined(rows: Rows, some: list[int]) -> float:
    """The sum of 2^f over all places, and 1 for the end."""
    place = {item: k for k, item in enumerate(some)}
    options = [rows.indices[a:b].tolist() for a, b in pairwise(rows.indptr.tolist())]
    chosen = [(min(place[i] for i in option if i in place), option) for option in options if {*option} & {*place}]
    total = 1.0
    for k in range(len(some)):
        front = 0.0
        for item in range(rows.n_items):
            turns = [first <= k for first, option in chosen if item in option]
            if any(turns) and not all(turns):
                p = sum(turns) / len(turns)
                front += (-p * math.log2(p) - (1 - p) * math.log2(1 - p)) ** order.FLAT
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


@pytest.mark.parametrize("board", ["5x12 pentominoes", "9x8 tetrominoes", "8x9 trominoes", "hexagons"])
def test_the_order_of_items_and_options_hardly_matters(board: str) -> None:
    """With items and options shuffled, the estimated states differ by a factor of 1.3 at most."""
    problem = three_hexes(4) if board == "hexagons" else tiles.problem(*board.split(), each="any")
    states = [
        order.states(rows, order.smallest_front(rows))
        for rows in (problem.rows(), *(shuffle(problem, seed)[0].rows() for seed in range(10)))
    ]
    assert max(states) - min(states) < math.log2(1.3)


def three_hexes(n: int) -> Problem:
    """Tiles a hexagon of hexagons, n + 1 on a side, with pairs of neighbours and triples around a point."""
    cells = [(x, y) for x in range(-n, n + 1) for y in range(-n, n + 1) if abs(x + y) <= n]
    steps = [[(1, 0)], [(0, 1)], [(1, -1)], [(1, 0), (0, 1)], [(1, 0), (1, -1)]]
    places = [[(x, y), *((x + dx, y + dy) for dx, dy in step)] for x, y in cells for step in steps]
    return Problem.from_options([place for place in places if {*place} <= {*cells}], items=cells)


def test_by_itself_too() -> None:
    """Without being told to, a shuffled board of 10 x 10 is counted in a few thousand states; so is its diagram."""
    problem = dominoes(shuffled(10, 10, 7))
    result = count(problem)
    assert (result.covers, result.merged, result.states < 5_000) == (258584046368, True, True)
    made = diagram(problem)
    assert (made.covers, made.nodes < 10_000) == (258584046368, True)
    assert made.problem is problem


def test_limits_while_a_search_gets_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts and diagrams hand their limits on to what looks for an order."""
    handed: list[float] = []

    def smallest_front(rows: Rows, over: Over, *_: object) -> order.Order:
        handed.append(over.__self__.limits.timeout)  # type: ignore[attr-defined]
        return np.arange(rows.n_primary)

    monkeypatch.setattr(layers, "smallest_front", smallest_front)
    problem = dominoes(shuffled(6, 6, 7))
    assert count(problem, merge="same", timeout=300).covers == len(diagram(problem, timeout=200)) == 6728
    assert {300} <= {*handed} <= {300, 200}


@all_kinds
@for_seeds(100)
def test_pairs_of_neighbours(kind: str, seed: int) -> None:
    """The number of pairs of items that share an option is that of all neighbours, and of the items themselves."""
    rows = random_problem(np.random.default_rng([seed, 45]), kind).rows()
    used = len({*rows.indices.tolist()})
    assert order.neighbourhood(rows) == used + sum(map(len, order.neighbours(rows)))


def test_a_diamond_is_crossed_from_side_to_side() -> None:
    """Rows, columns and breadth-first layers of the Aztec diamond of order 10 have 30 times the states of its sides."""
    odd = [2 * k - 19 for k in range(20)]
    squares = [(r, c) for r in range(20) for c in range(20) if abs(odd[r]) + abs(odd[c]) <= 20]
    rows = dominoes(squares).rows()
    plainly = min(order.states(rows, some) for some in (np.arange(rows.n_primary), order.breadth_first(rows)))
    diagonally = order.states(dominoes(sorted(squares, key=sum)).rows(), np.arange(rows.n_primary))
    best = order.smallest_front(rows)
    assert order.states(rows, best) <= diagonally < plainly - math.log2(30)
    assert count(dominoes(squares), merge="same").covers == 2**55  # N. Elkies and others, arXiv:math/9201305


@all_kinds
@for_seeds(100)
def test_the_next_item_is_one_with_the_least_growth(kind: str, seed: int) -> None:
    """Of the items that are reached or beside one, each next item adds the fewest to the front, by the definition."""
    rows = random_problem(np.random.default_rng([seed, 44]), kind).rows()
    beside = order.neighbours(rows)
    options = [rows.indices[a:b].tolist() for a, b in pairwise(rows.indptr.tolist())]
    assert beside == [{j for option in options if i in option for j in option} - {i} for i in range(rows.n_items)]
    items = order.Growth(rows.n_primary, beside, int(seed % 3) - 1, Random(seed)).go_on().tolist()
    assert sorted(items) == list(range(rows.n_primary))
    reached: set[int] = set()
    for k, chosen in enumerate(items):
        left = set(items[k:])
        growth = {
            item: len(({item} | beside[item]) - reached)
            - sum(s >= rows.n_primary and beside[s] & left == {item} for s in beside[item])
            for item in left
            if ({item} | beside[item]) & reached
        }
        assert growth.get(chosen) == min(growth.values(), default=None)
        reached |= {chosen} | beside[chosen]


@pytest.mark.parametrize("teeth", [4, 8])
def test_branches_are_finished_one_by_one(teeth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shuffled comb of boards has no larger front than its spine and one tooth have, however many teeth it has."""
    monkeypatch.setattr(order, "STRAIGHT", -math.inf)
    monkeypatch.setattr(order, "FIRST", -math.inf)
    comb = [(r, c) for r in range(15) for c in range(6 * teeth) if r < 3 or c % 6 < 3]
    rows = dominoes([comb[k] for k in np.random.default_rng(teeth).permutation(len(comb))]).rows()
    assert order.fronts(rows, order.breadth_first(rows)).max() > 9
    best = order.smallest_front(rows)
    assert order.fronts(rows, best).max() <= 3 + 3


def test_a_limit_among_many_orders() -> None:
    """Wherever a limit comes, the rows are in some order, which is none with more states than the given one."""
    rows = dominoes(shuffled(12, 12, 3)).rows()
    given = order.states(rows, np.arange(rows.n_primary))
    looks = iter([False] * 10_000)
    order.smallest_front(rows, lambda: next(looks))
    asked = 10_000 - sum(1 for _ in looks)
    bits = []
    for last in range(asked):
        looks = iter([False] * last)
        found = order.smallest_front(rows, lambda looks=looks: next(looks, True))  # type: ignore[misc]
        bits.append(order.states(rows, found))
        assert sorted(found.tolist()) == [*range(rows.n_primary)]
    assert bits == sorted(bits, reverse=True)
    assert bits[0] == given > bits[-1]
