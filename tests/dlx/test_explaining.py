"""Why there is no cover: the items named cannot be covered together, but all without any one of them can."""

from __future__ import annotations

import signal
from collections.abc import Collection
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from cuts import derived
from families import build
from oracle import KINDS
from seeds import for_seeds

from dlx import Problem, Progress, count, explain, first, reference
from dlx.search import explain as explaining
from dlx.search.first import finder

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
