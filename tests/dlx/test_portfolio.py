"""Counting: visits and layers by turns, the choice between them, the parts of a problem, and the order of items."""

from __future__ import annotations

import math
from functools import partial
from math import prod

import numpy as np
import pytest
from families import beside, build
from oracle import KINDS, as_sets, random_problem
from seeds import for_seeds
from waiting import WAIT

from dlx import Problem, count, diagram, reference, tiles
from dlx.counting import order, portfolio, product
from dlx.counting.layers import Layered
from dlx.counting.portfolio import Portfolio
from dlx.engine.dispatch import build as visiting
from dlx.engine.dispatch import shuffle
from dlx.engine.limits import Limits, Loop
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.problem.roles import Rows

EAGER = ("FREE", "WORTH", "PREPARATION", "ENTRY", "TURN", "LONGER")


@pytest.fixture(params=[1e-6, 1e9], ids=["visits lead", "layers lead"])
def eager(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets both ways begin at once, in short turns, with either as the leader."""
    for name in EAGER:
        monkeypatch.setattr(portfolio, name, 1e-6)
    monkeypatch.setattr(portfolio, "LEAD", request.param)
    monkeypatch.setattr(portfolio, "SHARE", 1.0)
    monkeypatch.setattr(portfolio, "LEAST", 3)


def turns_of(problem: Problem) -> Portfolio:
    """Visits and layers of a problem, in turns."""
    return Portfolio(problem, visiting(problem), partial(Layered, problem), 1 << 30)


@pytest.mark.usefixtures("eager")
def test_any_turns_give_the_number_of_visits() -> None:
    """A portfolio counts as many covers as visits do, whichever of its searches ends first."""
    rng, ended = np.random.default_rng(5), set()
    for k in range(300):
        problem = random_problem(rng, KINDS[k % 4])
        turns = turns_of(problem)
        with Loop(Limits.of()) as loop:
            for _ in loop.slices(turns):
                assert 0 <= turns.fraction() <= 1
        assert turns.covers == count(problem, merge="never").covers
        assert turns.fraction() == 1
        ended.add(turns.tally().merged)
    assert True in ended


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("most", [1, 40, 160, 640, 2560])
def test_a_stopped_portfolio_has_a_part_of_the_covers(most: int) -> None:
    """A limit of nodes holds for all searches together, and no more covers than there are have been found."""
    result = count(build("dominoes", 6, 6), max_nodes=most)
    assert result.nodes <= most
    assert result.covers <= 6728
    assert (result.stopped == "max_nodes") or result.covers == 6728


def test_turns_end_at_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """However a portfolio is sliced, each of its turns ends at the same nodes and updates."""
    monkeypatch.setattr(portfolio, "LONGER", 1e-6)
    problem, ends = build("latin", 5), []
    for slices in (1000, 7919, 10**6):
        turns, seen, state = turns_of(problem), [], BUDGET_SPENT
        while state != EXHAUSTED:
            before = turns.done
            state = turns.run(slices, 8 * slices, 10**9)
            seen += [(turns.nodes, turns.updates)] if turns.done != before else []
        ends.append(seen)
    assert ends[0] == ends[1] == ends[2]
    assert len(ends[0]) > 5


def test_preparation_is_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers that take longer to prepare than visits take in all are not tried."""
    problem = build("queens", 13)
    alone = count(problem, merge="never").nodes
    for name in ("PREPARATION", "ENTRY"):
        monkeypatch.setattr(portfolio, name, 0)
    assert count(problem).nodes > alone
    monkeypatch.setattr(portfolio, "ENTRY", 1e12 / len(problem.indices))
    assert count(problem).nodes == alone


def test_parts_multiply() -> None:
    """A problem of several parts has the product of their numbers, in the time of their sum."""
    sides = [build("queens", 8), build("dominoes", 8, 8), build("langford", 7)]
    result = count(beside(sides))
    assert result.covers == prod(count(side, merge="never").covers for side in sides[:1] + sides[2:]) * 12_988_816
    assert result.merged
    assert result.nodes < 500_000


@pytest.mark.usefixtures("eager")
def test_a_part_without_covers_ends_the_count() -> None:
    """A part without covers leaves the whole without covers, however large the others are."""
    none = Problem.from_options([[k, "x"] for k in range(3)], items=["x", *range(3)])
    result = count(beside([none, build("dominoes", 20, 20)]))
    assert (result.covers, result.exhausted) == (0, True)


@pytest.mark.parametrize("last", ["queens", "langford"])
def test_a_hard_part_comes_first(last: str) -> None:
    """A part after one that takes minutes shows that there is no cover, or has its factor in what is known so far."""
    result = count(beside([build("latin", 7), build(last, 10)]), max_nodes=1_000_000)
    assert result.exhausted if last == "langford" else result.covers % 724 == 0 < result.covers  # 10 cannot be done


def test_parts_keep_colours_and_multiplicities() -> None:
    """The parts of random problems that stand side by side have their product, whatever their items are like."""
    rng = np.random.default_rng(7)
    for k in range(100):
        sides = [random_problem(rng, KINDS[k % 4]) for _ in range(3)]
        found = product.parts(beside(sides).rows())
        expected = prod(count(side, merge="never").covers for side in sides)
        assert prod(count(part, merge="never").covers for part in found) == expected


@pytest.mark.usefixtures("eager")
def test_layers_without_memory_leave_the_count_to_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers that find no memory are given up, and visits go on; without visits that is an error."""

    def fails(*arguments: object) -> int:
        raise MemoryError("no room")

    monkeypatch.setattr(Layered, "run", fails)
    result = count(build("dominoes", 6, 6))
    assert (result.covers, result.kernel, result.merged) == (6728, "links", False)
    with pytest.raises(MemoryError, match="no room"):
        count(build("dominoes", 6, 6), merge="same")


def test_a_trial_costs_little() -> None:
    """Where visits are best, layers have at most a twentieth of the nodes: 12 pentominoes on 6 x 10."""
    problem = build("pentominoes", 6, 10)
    result = count(problem)
    assert (result.covers, result.kernel) == (9356, "bits")
    assert result.nodes <= 1.05 * count(problem, merge="never").nodes


# Which of the two is taken


@pytest.mark.parametrize("n", [100, 400, 600, pytest.param(1200)])
def test_deep_searches(n: int) -> None:
    """Merging is found to pay even if the first descent alone takes thousands of nodes."""
    board = [(r, c) for c in range(n) for r in range(4)]
    down = [[(r, c), (r + 1, c)] for r, c in board if r < 3]
    right = [[(r, c), (r, c + 1)] for r, c in board if c < n - 1]
    result = count(Problem.from_options(down + right, items=board), timeout=WAIT)
    assert (result.merged, result.exhausted) == (True, True)
    a = [1, 1, 5, 11]  # a(n) = a(n - 1) + 5 a(n - 2) + a(n - 3) - a(n - 4), OEIS A005178
    while len(a) <= n:
        a.append(a[-1] + 5 * a[-2] + a[-3] - a[-4])
    assert result.covers == a[n]


def test_a_limit_of_nodes() -> None:
    """No more nodes than asked for, trials included; what has been counted is a part of the whole."""
    for nodes in (0, 1, 2500, 10_000, 17_999, 18_001, 30_000):
        result = count(build("matchings", 11), max_nodes=nodes)
        assert (result.nodes, result.stopped) == (nodes, "max_nodes")
        assert 0 <= result.covers < 13749310575


def test_a_large_first_branch() -> None:
    """One option that is the whole board, tried first, hides nothing: the rest of the tree is large, and is merged."""
    problem = build("dominoes", 10, 10)
    whole = [problem.items, *(problem.option(o) for o in range(problem.n_options))]
    result = count(Problem.from_options(whole, items=problem.items), timeout=WAIT)
    assert (result.covers, result.merged) == (258584046368 + 1, True)


# The order of items


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
