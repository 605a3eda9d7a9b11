"""Counting by turns: visits and layers, the choice between them, and the product of the parts of a problem."""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np
import pytest
from families import beside, build
from oracle import KINDS, random_problem

from dlx import Problem, count
from dlx.counting import portfolio, product
from dlx.counting.layers import Layered
from dlx.counting.portfolio import Portfolio
from dlx.engine.dispatch import build as visiting
from dlx.engine.limits import Limits, Loop
from dlx.kernels import BUDGET_SPENT, EXHAUSTED

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
