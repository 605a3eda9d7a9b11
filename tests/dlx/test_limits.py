"""Limits, progress and threads: what holds for every search of the engine, and the loop that sees to it."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from families import build
from gates import stuck
from kernels import kernel_for
from oracle import rows
from processes import run
from waiting import WAIT

import dlx.search.covers
from dlx import Covers, Problem, Progress, best, count, count_reaching, covers, estimate, first
from dlx.extending import Limiting, Limits, Loop
from dlx.kernels import BUDGET_SPENT

Search = Callable[..., Any]


def taken(problem: Problem, blocks: bool = False, **given: Any) -> Covers:
    """All covers, one by one or in blocks."""
    search = covers(problem, **given)
    for _ in search.blocks() if blocks else search:
        pass
    return search


# Each search, and a problem for which it takes seconds or years.
LONG: dict[str, tuple[Search, Problem]] = {
    "covers": (taken, build("dominoes", 15, 15)),
    "blocks": (partial(taken, blocks=True), build("matchings", 40)),
    "count": (count, build("matchings", 40)),
    "first": (first, build("langford", 21)),
    "best": (best, stuck()),
    "count_reaching": (lambda problem, **limits: count_reaching(problem, 0, **limits), build("matchings", 40)),
    "estimate": (estimate, build("langford", 60)),
}
IN_PIECES: dict[str, tuple[Search, Problem]] = {
    "covers in pieces": (partial(taken, jobs=2), build("matchings", 20)),
    "blocks in pieces": (partial(taken, blocks=True, jobs=2, ordered=True), build("matchings", 20)),
    "count in pieces": (partial(count, jobs=2), build("matchings", 20)),
    "first in pieces": (partial(first, jobs=2), build("langford", 21)),
}
EVERY = LONG | IN_PIECES
VISITING = ["covers", "blocks", "count", "covers in pieces", "blocks in pieces", "count in pieces"]  # cover by cover
SEARCHES = {name: search for name, (search, _) in EVERY.items()}
every_search = pytest.mark.parametrize("name", EVERY)
every_long_search = pytest.mark.parametrize("name", LONG)

pytestmark = pytest.mark.usefixtures("small_pieces", "few_pieces")


@every_search
def test_limits_may_be_any_whole_or_real_number(name: str) -> None:
    """Limits come as numpy's numbers or past 64 bits, an endless timeout is none, and so is None."""
    SEARCHES[name](build("queens", 5), max_nodes=np.int64(10**6), timeout=np.float32(100), max_covers=2**100)
    result = SEARCHES[name](build("queens", 5), max_nodes=None, timeout=math.inf, max_covers=None, progress=None)
    assert isinstance(result, Problem) or result.stopped is None


# What limits do


@every_search
@pytest.mark.parametrize("limits", [{"max_covers": 0}, {"timeout": 0}, {"max_nodes": 0}])
def test_a_limit_of_nothing_finds_nothing(name: str, limits: dict[str, int]) -> None:
    """A search that is allowed nothing stops before it tries an option, and says which limit it was."""
    problem = build("queens", 6)
    result = SEARCHES[name](problem, **limits)
    if isinstance(result, Problem):
        assert result == problem
        return
    assert result.stopped == next(iter(limits))
    if isinstance(result, dlx.Estimate):
        assert result.samples == 2  # there is no spread of fewer
        return
    assert not result.exhausted
    assert result.nodes <= (6 if "pieces" in name else 0)  # to cut is to try some


@every_search
@pytest.mark.parametrize("limit", [1, 2, 7, 100, 300])
def test_limits_on_nodes_are_kept(name: str, limit: int) -> None:
    """A search tries as many options as its limit allows; some searches go on to the end of their path."""
    seen: list[int] = []
    result = SEARCHES[name](build("queens", 9), max_nodes=limit, progress=lambda p: seen.append(p.nodes))
    assert max(seen, default=0) <= limit + 9 * 2
    if not isinstance(result, Problem):
        assert result.stopped in ("max_nodes", None)
    if name in VISITING:
        assert (result.nodes, result.stopped) == (limit, "max_nodes")


@pytest.mark.parametrize("name", [*VISITING, "count_reaching"])
@pytest.mark.parametrize("limit", [1, 2, 91, 92, 93])
def test_limits_on_covers_are_kept(name: str, limit: int) -> None:
    """A search finds the covers that its limit allows."""
    result = SEARCHES[name](build("queens", 8), max_covers=limit)
    assert result.covers == min(limit, 92)
    assert result.exhausted or result.stopped == "max_covers"
    assert limit >= 92 or result.stopped == "max_covers"


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_the_best_of_so_many_covers(limit: int) -> None:
    """`best` stops at its limit of covers; its answer is one of them, unproven, and the bound holds."""
    problem = replace(build("queens", 8), weights=np.arange(64))
    highest = best(problem).score
    result = best(problem, k=10, max_covers=limit)
    assert (len(result.covers), result.stopped, result.proven) == (limit, "max_covers", False)
    assert highest is not None
    assert result.bound is not None
    assert result.bound >= highest


@every_search
def test_a_timeout_is_kept(name: str) -> None:
    """A search that would take years ends, and says that its timeout is why; it keeps what it has found."""
    search, problem = EVERY[name]
    result = search(problem, timeout=0.1)
    assert isinstance(result, (Problem, dlx.Estimate)) or (result.stopped == "timeout" and result.seconds >= 0.1)
    if isinstance(result, dlx.First):
        assert (result.cover, result.exhausted) == (None, False)
    elif name in ("blocks", "count"):
        assert result.covers > 0


def crews(items: int = 400, options: int = 6040, size: int = 100) -> Problem:
    """Options of many items, each: a single node is long."""
    rng = np.random.default_rng(1)
    indices = np.sort(rng.permuted(np.tile(np.arange(items), (options, 1)), axis=1)[:, :size], axis=1)
    weights = rng.integers(1, 100, options)
    return Problem.from_csr(np.arange(options + 1) * size, indices.ravel(), items, weights=weights)


@pytest.mark.parametrize("wanted", [best, lambda problem, **limits: count_reaching(problem, 300, **limits)])
@pytest.mark.usefixtures("ticking")
def test_a_timeout_is_kept_where_a_node_is_long(wanted: Search) -> None:
    """Plain search before the prices, and the prices, look at the clock, and report, more than once."""
    problem = crews()
    problem.rows()
    seen: list[float] = []
    result = wanted(problem, timeout=1, progress=lambda p: seen.append(p.seconds))
    assert result.stopped == "timeout"
    assert len(seen) >= 2


def test_a_step_never_grows_faster_than_the_speed_seen() -> None:
    """A long slice after a thousand that are cut short is still about as long as it should be."""
    kernel = kernel_for("links", build("dominoes", 15, 15))
    with Loop(Limits.of()) as loop:
        for _ in range(1000):
            for _ in loop.slices(kernel, nodes=1):
                pass
        for state, _ in zip(loop.slices(kernel), range(10), strict=False):
            assert state == BUDGET_SPENT  # with a step that had grown a thousand times it would not come back


# Progress


@every_long_search
@pytest.mark.usefixtures("ticking")
def test_progress_is_reported_in_one_form(name: str) -> None:
    """Every search calls `progress` with a `Progress`, several times; nodes, covers and seconds never fall."""
    search, problem = LONG[name]
    seen: list[Progress] = []
    search(problem, progress=seen.append, timeout=4 if search is best else 1)
    assert len(seen) >= 2
    assert {type(p) for p in seen} == {Progress}
    for before, after in pairwise(seen):
        assert before.nodes <= after.nodes
        assert before.covers <= after.covers or before.memory == 0 < after.memory  # to merge is to begin anew
        assert before.seconds <= after.seconds
    assert all(0 <= p.fraction <= 1 for p in seen)
    if search is best:
        assert all((p.score is None) == (p.covers == 0) for p in seen)
        assert all(p.bound is not None for p in seen)
    else:
        assert {(p.score, p.bound) for p in seen} == {(None, None)}


def test_progress_of_what_merges() -> None:
    """States, hits, memory and covers of a search that merges never fall; of one that visits the first three are 0."""
    seen: list[Progress] = []
    result = count(build("dominoes", 14, 14), merge="same", progress=seen.append)
    numbers = [(p.states, p.hits, p.memory, p.covers) for p in seen]
    assert numbers[-1] == (result.states, result.hits, result.memory, result.covers)
    assert (seen[-1].nodes, seen[-1].fraction) == (result.nodes, 1.0)
    assert min(numbers[-1]) > 0
    assert all(one <= other for pair in pairwise(numbers) for one, other in zip(*pair, strict=True))
    seen.clear()
    count(build("queens", 9), merge="never", progress=seen.append)
    assert {(p.states, p.hits, p.memory, p.doing) for p in seen} == {(0, 0, 0, "")}


@every_search
def test_progress_is_called_in_short_searches_too(name: str) -> None:
    """Reports come at least once, and at last with everything that has been found."""
    seen: list[Progress] = []
    result = SEARCHES[name](build("queens", 6), progress=seen.append)
    assert seen
    if name in (*VISITING, "count_reaching"):
        assert (seen[-1].nodes, seen[-1].covers, seen[-1].fraction) == (result.nodes, 4, 1.0)


@pytest.mark.parametrize("name", sorted(EVERY))
def test_what_progress_raises_is_raised(name: str) -> None:
    """An error in `progress` ends the search as any error does."""
    search, problem = EVERY[name]
    with pytest.raises(ZeroDivisionError):
        search(problem, progress=lambda seen: seen.nodes // 0)


def test_a_search_within_a_search() -> None:
    """`progress` may run other searches, which have limits and a clock of their own."""
    inner: list[tuple[int, int]] = []

    def progress(_: Progress) -> None:
        if len(inner) < 5:
            inner.append((count(build("queens", 8)).covers, count(build("matchings", 40), max_nodes=100).nodes))

    assert count(build("latin", 5), progress=progress).covers == 161_280
    assert best(stuck(), max_nodes=200, progress=progress).score == 60
    assert set(inner) == {(92, 100)}


# Covers, shared


def in_a_thread(search: Covers) -> object:
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(next, search).result(WAIT)


@pytest.mark.parametrize("ask", [next, lambda search: next(search.blocks()), in_a_thread])
def test_a_running_search_cannot_be_asked_for_covers(ask: Callable[[Covers], object]) -> None:
    """Neither `progress` nor another thread gets covers of a search that runs, and the search loses none by that."""
    problem, errors = build("queens", 8), list[str]()

    def progress(_: Progress) -> None:
        with pytest.raises(RuntimeError, match="the search is running") as caught:
            ask(search)
        errors.append(str(caught.value))

    search = covers(problem, progress=progress)
    assert list(search) == list(covers(problem))
    assert search.exhausted
    assert errors


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_search_cannot_be_copied(duplicate: Callable[[object], object]) -> None:
    """Two copies would share a kernel."""
    search = covers(build("queens", 6))
    next(search)
    with pytest.raises(TypeError, match="a search cannot be copied or pickled"):
        duplicate(search)
    assert len(list(search)) == 3


# Python switches threads as often as it can, while all of them need the same kernel for the first time.
AT_ONCE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from dlx import count
from families import build

problem = build("queens", 10)
sys.setswitchinterval(1e-6)
with ThreadPoolExecutor(8) as threads:
    print([result.covers for result in threads.map(count, [problem] * 8)])
"""


def test_threads_that_search_at_once() -> None:
    """The first searches of a program may begin in several threads: each waits until its kernel has been loaded."""
    result = run(AT_ONCE)
    assert (result.stdout, result.stderr) == ("[724, 724, 724, 724, 724, 724, 724, 724]\n", "")


@pytest.mark.parametrize("pieces", [{}, {"jobs": 2, "ordered": True}], ids=["whole", "in pieces"])
def test_limits_changed_in_between(pieces: dict[str, Any]) -> None:
    """A search stopped by one limit after the other finds altogether what it would have found at once."""
    problem = Problem.from_options(combinations(range(10), 2))
    expected = list(covers(problem))
    search = covers(problem, max_covers=0, **pieces)
    found = list(search)
    rng = np.random.default_rng(1)
    while not search.exhausted:
        several: list[Limiting] = [
            {"max_covers": search.covers + int(rng.integers(0, 50))},
            {"max_nodes": search.nodes + int(rng.integers(0, 50))},
            {"timeout": search.seconds},
            {"timeout": search.seconds + 1e-4},
            {},
        ]
        search.limit(**several[rng.integers(0, 4 if len(found) < 800 else 5)])
        found += search if rng.integers(2) else [row for block in search.blocks(7) for row in rows(block)]
    assert found == expected
