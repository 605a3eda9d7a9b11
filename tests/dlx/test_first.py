"""One cover: two searches that take turns, proofs by counting, and the items that explain why there is none."""

from __future__ import annotations

import signal
from collections.abc import Collection
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from families import RANDOM, build
from kernels import MANY
from oracle import KINDS, derived, is_cover, random_problem
from seeds import for_seeds, nightly
from waiting import WAIT

from dlx import Problem, Progress, count, covers, explain, first, reference
from dlx.engine.dispatch import build as kernel_of
from dlx.kernels import BUDGET_SPENT
from dlx.search import explain as explaining
from dlx.search import first as module
from dlx.search.farkas import Farkas
from dlx.search.first import TakingTurns, finder

LOST = [("y_pentominoes", (15, 10)), ("quasigroup", (20, 150)), ("large_sudoku", (4, 150)), ("queens", (40,))]


def in_turns(problem: Problem, seed: int = 0) -> TakingTurns:
    """Both searches, as `first` has them."""
    return TakingTurns(problem, kernel_of(problem, room=1), seed)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns of a few nodes, from the beginning on."""
    monkeypatch.setattr(module, "ALONE", 0.0)
    monkeypatch.setattr(module, "TURN", 20.0)


# Turns


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("kind", ["plain", "coloured"])
@for_seeds(600)
def test_turns_find_a_cover_just_if_there_is_one(kind: str, seed: int) -> None:
    """Turns find a cover just if the reference does, whichever search ends first, by slices of any length."""
    rng = np.random.default_rng([seed, 1])
    problem = random_problem(rng, kind)
    both = in_turns(problem, seed)
    state = BUDGET_SPENT
    while state == BUDGET_SPENT:
        assert both.fraction() <= 1.0
        state = both.run(int(rng.integers(1, 9)), int(rng.integers(1, 99)), 1)
        kernels: list[Any] = both.searches
        for kernel in kernels:
            kernel.check()
    found = [tuple(o for o in row if o >= 0) for row in both.found().tolist()]
    assert both.covers == both.filled == len(found) == (next(reference.covers(problem), None) is not None)
    assert all(is_cover(problem, cover) for cover in found)
    assert found or both.fraction() == 1.0


@pytest.mark.usefixtures("short")
def test_slices_change_nothing() -> None:
    """Covers, nodes and updates are the same in one slice or in many."""
    problem = build("langford", 12)
    whole, sliced = in_turns(problem), in_turns(problem)
    whole.run(MANY, MANY, 1)
    while sliced.run(3, 100, 1) == BUDGET_SPENT:
        pass
    assert whole.found().tolist() == sliced.found().tolist() != []
    assert (whole.nodes, whole.updates) == (sliced.nodes, sliced.updates)


@pytest.mark.parametrize(("family", "sizes"), LOST)
@pytest.mark.parametrize("seed", [None, 1, *nightly(2)])
def test_covers_where_a_descent_may_be_lost(family: str, sizes: tuple[int, ...], seed: int | None) -> None:
    """A cover is found that verifies, the same for the same seed."""
    problem = build(family, *sizes, *([seed or 0] if family in RANDOM else []))
    result = first(problem, seed=seed, timeout=WAIT)
    assert result.cover is not None
    assert is_cover(problem, result.cover)
    assert result.exhausted
    assert first(problem, seed=seed).cover == result.cover


@pytest.mark.usefixtures("ticking")
def test_limits_stop_both() -> None:
    """A timeout and a limit of nodes stop both searches while they take turns."""
    problem = build("two_sets", 10, 12).with_chosen([0])
    hard = build("langford", 17)
    stopped = first(hard, timeout=1)
    assert (stopped.cover, stopped.stopped) == (None, "timeout")
    some = first(hard, max_nodes=200_000)
    assert (some.cover, some.stopped, some.nodes) == (None, "max_nodes", 200_000)
    assert first(problem, max_nodes=0).stopped == "max_nodes"
    fractions: list[float] = []
    first(hard, timeout=1, progress=lambda seen: fractions.append(seen.fraction))
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] <= fractions[-1] < 1


@pytest.mark.usefixtures("short")
def test_who_is_alone() -> None:
    """A kernel, preferences and multiplicities keep the plain search: the nodes are those of one."""
    problem = build("langford", 9)
    choices: list[dict[str, Any]] = [{"kernel": "links"}, {"kernel": "bits"}, {"prefer": []}]
    for choice in choices:
        search = covers(problem, **choice)
        assert list(search) == []
        assert first(problem, **choice).nodes == search.nodes
    assert first(problem).nodes not in (covers(problem).nodes, 0)
    assert first(Problem.from_options(["a", "a"], multiplicities={"a": 2})).cover == (0, 1)


# Proofs by counting


@for_seeds(1500)
def test_nothing_wrong_is_proven_by_counting(seed: int) -> None:
    """A problem with a proof has no cover, and the numbers of the proof are as they have to be."""
    rng = np.random.default_rng([seed, 2])
    problem = random_problem(rng, ["plain", "coloured"][seed % 2])
    shortage = Farkas(problem.rows())
    if not shortage.search(1e8):
        return
    assert next(reference.covers(problem), None) is None
    if shortage.numbers is None:
        return
    numbers = shortage.numbers
    options = (problem.indices[slice(*problem.indptr[o : o + 2])] for o in range(problem.n_options))
    assert all(numbers[option].sum() <= 0 for option in options if option.min() < problem.n_primary)
    assert (numbers[problem.n_primary :] <= 0).all()
    assert numbers.sum() > 0


def halls() -> Problem:
    """Thirty people, each of whom can do four jobs of thirty, but for four who can all do the same three."""
    rng = np.random.default_rng(1)
    jobs = [[0, 1, 2] if person < 4 else rng.choice(30, 4, replace=False).tolist() for person in range(30)]
    return Problem.from_options([[("person", p), ("job", j)] for p in range(30) for j in jobs[p]])


@pytest.mark.parametrize(
    "problem",
    [
        build("pigeons", 12, 11),
        build("pigeons", 50, 40),
        build("mutilated", 14),
        build("y_pentominoes", 7, 9),
        build("dominoes", 9, 9),
        halls(),
        Problem.from_options([], items="a"),
    ],
)
def test_proofs_by_counting(problem: Problem) -> None:
    """Pigeons, boards, people and jobs: `first` says at once that there is no cover."""
    shortage = Farkas(problem.rows())
    assert shortage.search(1e9)
    result = first(problem, timeout=WAIT)
    assert (result.cover, result.exhausted) == (None, True)


# Why there is none


BOARD = build("mutilated", 6)


def can_be_covered(problem: Problem, needed: Collection[int]) -> bool:
    """Returns whether options cover these primary items, and the others at most as often as they may; by trying all."""
    once = np.ones((problem.n_primary, 2), dtype=np.int32)
    ranges = once if problem.multiplicities is None else problem.multiplicities.copy()
    ranges[[item for item in range(problem.n_primary) if item not in needed], 0] = 0
    return next(reference.covers(replace(problem, multiplicities=ranges)), None) is not None


def cannot_be_spared(problem: Problem, items: Collection[Any]) -> bool:
    """Returns whether items cannot be covered together, but all others without any one of them."""
    numbers = {problem.items.index(item) for item in items}
    return not can_be_covered(problem, numbers) and all(can_be_covered(problem, numbers - {i}) for i in numbers)


@for_seeds(1000)
def test_items_cannot_be_covered_and_none_can_be_spared(seed: int) -> None:
    """The result is a cover, or items that brute force confirms as such; options may be chosen or left out."""
    problem = derived(np.random.default_rng(seed), KINDS[seed % 4])
    result = explain(problem)
    assert result.exhausted
    if result.cover is not None:
        assert (result.items, result.minimal, result.cover) == (None, False, first(problem).cover)
    else:
        assert result.items is not None
        assert result.minimal
        assert list(result.items) == [item for item in problem.items if item in result.items]
        assert cannot_be_spared(problem, result.items)


def test_few_of_many_items_take_few_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of 3,000 items are found in fewer than a hundred searches, not in 3,000."""
    calls: list[Problem] = []

    def counted(problem: Problem) -> Any:
        calls.append(problem)
        return finder(problem)

    monkeypatch.setattr(explaining, "finder", counted)
    corners = [[("corner", a), ("corner", b)] for a, b in combinations(range(3), 2)]
    result = explain(Problem.from_options([[("other", 0)], *corners, *([("other", k)] for k in range(1, 2997))]))
    assert result.items == tuple(("corner", k) for k in range(3))
    assert len(calls) < 100


def test_limits() -> None:
    """Limits hold for all searches together; the items proven by then are returned, and marked."""
    problem = BOARD
    whole = explain(problem)
    sizes = set()
    for most in range(0, whole.nodes, max(1, whole.nodes // 40)):
        result = explain(problem, max_nodes=most)
        assert result.nodes <= most + 1
        assert (result.stopped, result.minimal, result.cover) == ("max_nodes", False, None)
        if result.items is not None:
            sizes.add(len(result.items))
            assert set(whole.items or ()) <= set(result.items)
            assert len(result.items) < 34 or result.nodes >= count(problem).nodes
    assert len(sizes) > 2
    assert explain(problem, max_nodes=whole.nodes + 1).items == whole.items
    for limits in ({"timeout": 0}, {"max_covers": 0}):
        stopped = explain(problem, **limits)  # type: ignore[arg-type]
        assert (stopped.items, stopped.cover, stopped.stopped) == (None, None, next(iter(limits)))


def test_progress_is_of_all_searches() -> None:
    """Nodes and seconds never fall, and once there is no cover it says how many items are left."""
    seen: list[Progress] = []
    result = explain(BOARD, progress=seen.append)
    assert [p.nodes for p in seen] == sorted(p.nodes for p in seen)
    assert [p.seconds for p in seen] == sorted(p.seconds for p in seen)
    assert seen[-1].nodes == result.nodes
    assert {p.doing for p in seen} >= {"", "34 items left", "17 items left"}


@pytest.mark.posix
def test_an_interrupt_ends_it_with_what_is_proven() -> None:
    """Ctrl-C once some items have been spared leaves those that remain, which are not marked as minimal."""

    def interrupt(seen: Progress) -> None:
        if seen.doing == "17 items left":
            signal.raise_signal(signal.SIGINT)

    result = explain(BOARD, progress=interrupt)
    assert (len(result.items or ()), result.stopped, result.minimal) == (17, "interrupt", False)
