"""The order of items for searches that merge: what it is, that it changes no answer, that a caller's hardly matters."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracle import KINDS, as_sets, random_problem
from seeds import for_seeds

from dlx import Problem, count, diagram, reference, tiles
from dlx.counting import order
from dlx.engine.dispatch import shuffle
from dlx.problem.roles import Rows

Cell = tuple[int, int]
all_kinds = pytest.mark.parametrize("kind", KINDS)


def states(rows: Rows, items: order.Order) -> float:
    """The binary logarithm of the estimated states in an order."""
    return order.Front(rows).found(items).bits


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
    problem = random_problem(np.random.default_rng([seed, 41]), kind)
    covers = as_sets(reference.covers(problem))
    assert count(problem, merge="same").covers == len(covers)
    assert as_sets(diagram(problem)) == covers


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
    estimated = [
        states(rows, order.smallest_front(rows))
        for rows in (problem.rows(), *(shuffle(problem, seed)[0].rows() for seed in range(10)))
    ]
    assert max(estimated) - min(estimated) < math.log2(1.3)


def three_hexes(n: int) -> Problem:
    """Tiles a hexagon of hexagons, n + 1 on a side, with pairs of neighbours and triples around a point."""
    cells = [(x, y) for x in range(-n, n + 1) for y in range(-n, n + 1) if abs(x + y) <= n]
    steps = [[(1, 0)], [(0, 1)], [(1, -1)], [(1, 0), (0, 1)], [(1, 0), (1, -1)]]
    places = [[(x, y), *((x + dx, y + dy) for dx, dy in step)] for x, y in cells for step in steps]
    return Problem.from_options([place for place in places if {*place} <= {*cells}], items=cells)


def test_a_diamond_is_crossed_from_side_to_side() -> None:
    """Rows, columns and breadth-first layers of the Aztec diamond of order 10 have 30 times the states of its sides."""
    odd = [2 * k - 19 for k in range(20)]
    squares = [(r, c) for r in range(20) for c in range(20) if abs(odd[r]) + abs(odd[c]) <= 20]
    rows = dominoes(squares).rows()
    plainly = min(states(rows, some) for some in (np.arange(rows.n_primary), order.breadth_first(rows)))
    diagonally = states(dominoes(sorted(squares, key=sum)).rows(), np.arange(rows.n_primary))
    best = order.smallest_front(rows)
    assert states(rows, best) <= diagonally < plainly - math.log2(30)
    assert count(dominoes(squares), merge="same").covers == 2**55  # N. Elkies and others, arXiv:math/9201305


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
    given = states(rows, np.arange(rows.n_primary))
    looks = iter([False] * 10_000)
    order.smallest_front(rows, lambda: next(looks))
    asked = 10_000 - sum(1 for _ in looks)
    bits = []
    for last in range(asked):
        looks = iter([False] * last)
        found = order.smallest_front(rows, lambda looks=looks: next(looks, True))  # type: ignore[misc]
        bits.append(states(rows, found))
        assert sorted(found.tolist()) == [*range(rows.n_primary)]
    assert bits == sorted(bits, reverse=True)
    assert bits[0] == given > bits[-1]
