"""Counting by turns: a portfolio of searches, and the product of the parts of a problem."""

from __future__ import annotations

from math import inf, prod
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from families import beside, build

from dlx import Problem, count
from dlx.counting import portfolio, product
from dlx.counting.layers import Layered
from dlx.counting.merging import Merging
from dlx.engine.dispatch import build as visiting
from dlx.engine.limits import Limits, Loop
from dlx.kernels import BUDGET_SPENT, EXHAUSTED


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets all searches begin at once, and makes their turns short."""
    for name in ("FIRST", "SMALL", "PREPARED"):
        monkeypatch.setattr(portfolio, name, 1e-6)
    for name in ("TURN", "FIRST_TURN"):
        monkeypatch.setattr(portfolio, name, 1e-6)
    monkeypatch.setattr(portfolio, "LEAST", 3)


def random_problem(rng: Random) -> Problem:
    """A small problem, with secondary items, multiplicities or neither."""
    items = range(rng.randint(1, 9))
    options = [rng.sample(items, rng.randint(1, len(items))) for _ in range(rng.randint(1, 24))]
    n_primary = rng.randint(1, len(items))
    times = {i: (rng.randint(0, 1), rng.randint(1, 3)) for i in items[:n_primary]} if rng.random() < 0.3 else None
    return Problem.from_options(options, items=items, secondary=items[n_primary:], multiplicities=times)


def test_any_turns_give_the_number_of_visits(eager: None) -> None:
    """A portfolio counts as many covers as visits do, whichever of its searches ends first."""
    rng, ended = Random(5), set()
    for _ in range(300):
        problem = random_problem(rng)
        turns = portfolio.Portfolio(problem, visiting(problem))
        with Loop(Limits.of()) as loop:
            for _ in loop.slices(turns):
                assert 0 <= turns.fraction() <= 1
        assert turns.covers == count(problem, merge="never").covers
        assert turns.fraction() == 1
        ended.add(turns.leading.merges)
    assert ended == {False, True}


@pytest.mark.parametrize("most", [1, 40, 160, 640, 2560])
def test_a_stopped_portfolio_has_a_part_of_the_covers(eager: None, most: int) -> None:
    """A limit of nodes holds for all searches together, and no more covers than there are have been found."""
    result = count(build("dominoes", 6, 6), max_nodes=most)
    assert result.nodes <= most
    assert result.covers <= 6728
    assert (result.stopped == "max_nodes") or result.covers == 6728


def test_turns_end_at_the_same_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """However a portfolio is sliced, each of its turns ends at the same nodes and updates."""
    for name in ("TURN", "FIRST_TURN"):
        monkeypatch.setattr(portfolio, name, portfolio.MILLISECOND)
    problem, ends = build("latin", 5), []
    for slices in (1000, 7919, 10**6):
        turns, seen, state = portfolio.Portfolio(problem, visiting(problem)), [], BUDGET_SPENT
        while state != EXHAUSTED:
            before = turns.rests
            state = turns.run(slices, 8 * slices, 10**9)
            seen += [(turns.nodes, turns.updates)] if turns.rests != before else []
        ends.append(seen)
    assert ends[0] == ends[1] == ends[2]
    assert len(ends[0]) > 5


@pytest.mark.parametrize("power", [0, 0.3, 0.6, 0.9])
def test_growth_is_foreseen(power: float) -> None:
    """An expectation that grows as a power of the search meets it where the closed form says, and never for power 1."""
    way = SimpleNamespace(name="bits", nodes=0, updates=0)
    candidate = portfolio.Candidate(cast(Any, way))

    def reach(nodes: int, power: float) -> None:
        way.nodes, way.fraction = nodes, lambda: (nodes / 1e7) ** (1 - power)
        candidate.look()

    for nodes in (300_000, 700_000, 2_000_000, 5_000_000, 7_000_000):
        reach(nodes, power)
    assert candidate.foreseen == pytest.approx(1e7 * portfolio.PRICES["bits"][0])
    way.nodes, way.fraction = 8_000_000, lambda: 1e-3
    assert candidate.foreseen == inf


def test_preparation_is_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that takes longer to prepare than visiting takes in all is not made."""
    problem = build("langford", 11)
    alone, shared = count(problem, merge="never").nodes, count(problem).nodes
    monkeypatch.setattr(portfolio, "PREPARED", 1e12 / len(problem.indices))
    assert count(problem).nodes == alone <= shared


def test_parts_multiply() -> None:
    """A problem of several parts has the product of their numbers, in the time of their sum."""
    sides = [build("queens", 8), build("dominoes", 8, 8), build("langford", 7)]
    result = count(beside(sides))
    assert result.covers == prod(count(side, merge="never").covers for side in sides[:1] + sides[2:]) * 12_988_816
    assert result.merged
    assert result.nodes < 500_000


def test_a_part_without_covers_ends_the_count(eager: None) -> None:
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
    rng = Random(7)
    for _ in range(200):
        sides = [random_problem(rng) for _ in range(3)]
        if len({side.multiplicities is None for side in sides}) == 1:
            found = product.parts(beside(sides).rows())
            assert len(found) >= 3
            expected = prod(count(side, merge="never").covers for side in sides)
            assert prod(count(part, merge="never").covers for part in found) == expected


def test_a_search_without_memory_leaves_its_turns_to_the_others(monkeypatch: pytest.MonkeyPatch, eager: None) -> None:
    """A search that finds no memory is given up, and the count goes on by the others."""

    def fails(*arguments: object) -> int:
        raise MemoryError

    monkeypatch.setattr(Layered, "run", fails)
    assert count(build("dominoes", 8, 8)).covers == 12_988_816
    monkeypatch.setattr(Merging, "run", fails)
    assert count(build("dominoes", 6, 6)).covers == 6728
    with pytest.raises(MemoryError):
        count(build("dominoes", 6, 6), merge="same")
