"""Counting up to isomorphism by many workers: all is counted as by one, whoever works, in whatever order, and dies."""

from __future__ import annotations

import contextlib
import os
import pickle
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from multiprocessing import active_children, get_context
from typing import Any

import numpy as np
import pytest
from executors import AtOnce, InAnyOrder, Noting
from families import grids, latin, steiner
from oracle import random_problem
from seeds import few, for_seeds, nightly
from symmetric import about_points, copies, factorizations, renamed
from waiting import until

from dlx import Count, Problem, Progress, count
from dlx.counting import batches
from dlx.counting.batches import InBatches
from dlx.counting.isomorphism import Ground, Remains
from dlx.engine.limits import Limits, Loop
from dlx.parallel.errors import LostPieceError
from dlx.parallel.workforce import Workforce

pytest.importorskip("pynauty")


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are asked from the beginning, and for the smallest buckets."""
    monkeypatch.setattr(batches, "ALONE", 0.0)
    monkeypatch.setattr(batches, "LEAST", 1e-9)
    monkeypatch.setattr(batches, "BATCH", 0.002)
    monkeypatch.setattr("dlx.counting.isomorphism.PILOTS", ((1, None), (2, 0.8), (3, 1.0)))


def counted(result: Count) -> tuple[int, ...]:
    """The fields of a count that are the same in every run."""
    return result.covers, result.states, result.nodes, result.updates, result.hits


def some_problem(seed: int) -> Problem:
    """Points that are read off, found, or not there, secondary items and colours; copies of something beside it."""
    rng = np.random.default_rng([seed, 61])
    if seed % 4 == 0:
        return about_points(rng)
    if seed % 4 == 1:
        return renamed(rng, [latin(4), steiner(9), factorizations(6), grids(2, 2)][seed // 4 % 4])
    problem = random_problem(rng, ["plain", "coloured"][seed // 4 % 2])
    return copies(2, problem)


@for_seeds(400, block=100)
def test_random_problems(at_once: None, seed: int) -> None:
    """Covers, classes, nodes and forms of one search, whoever works and in whatever order they are done."""
    problem = some_problem(seed)
    alone = counted(count(problem, merge="isomorphic"))
    executor: Executor = InAnyOrder(seed) if seed % 2 else AtOnce()
    jobs = 1 + seed % 5
    assert counted(count(problem, merge="isomorphic", executor=executor, jobs=jobs)) == alone
    executor.shutdown()


@pytest.mark.posix
def test_batches_have_been_sent(at_once: None) -> None:
    """The test above can fail: workers do most of the work."""
    noted = Noting(2, get_context("fork"))
    with noted:
        count(factorizations(10), merge="isomorphic", executor=noted)
    sent = [given for given in noted.tasks if isinstance(given, batches.ClassBatch)]
    assert len(sent) > 20
    assert sum(len(batch.weights) for batch in sent) > 100


@pytest.mark.slow
@pytest.mark.parametrize("who", ["jobs", "spawn", *nightly("threads", "fork", "forkserver")])
def test_executors(who: str, at_once: None) -> None:
    """Published numbers, and the same in every run, by threads and by processes that are made in any way."""
    with contextlib.ExitStack() as stack:
        scale: dict[str, Any] = {"jobs": 2}
        if who == "threads":
            scale["executor"] = stack.enter_context(ThreadPoolExecutor(3))
        elif who != "jobs":
            scale["executor"] = stack.enter_context(ProcessPoolExecutor(2, get_context(who)))
        for problem in few((latin(7), steiner(15), factorizations(10), grids(2, 4))):
            assert counted(count(problem, merge="isomorphic", **scale)) == counted(count(problem, merge="isomorphic"))


@pytest.mark.slow
def test_names_stay_at_home(at_once: None) -> None:
    """Items that cannot be pickled are no matter: workers are sent numbers."""
    cells = [(r, c, s) for r in range(5) for c in range(5) for s in range(5)]
    names: dict[Any, Any] = {}

    def name(*key: Any) -> Any:
        return names.setdefault(key, lambda: key)

    problem = Problem.from_options([[name(0, r, c), name(1, r, s), name(2, c, s)] for r, c, s in cells])
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(problem)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        assert count(problem, merge="isomorphic", executor=pool).covers == 161280


def test_a_small_count_stays_at_home() -> None:
    """A count of less than a second asks no worker."""
    executor = Noting(2)
    assert count(latin(6), merge="isomorphic", executor=executor).covers == 812851200
    assert executor.tasks == []
    executor.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [0, 2])
@pytest.mark.parametrize("problem", [steiner(15)], ids=["steiner"])
def test_short_memory(problem: Problem, jobs: int, at_once: None) -> None:
    """With less memory classes are expanded again, or there is an error; what is taken stays below what may be."""
    whole = count(problem, merge="isomorphic")
    states = []
    for memory in (int(whole.memory * 0.85**k) for k in range(10)):
        with contextlib.suppress(MemoryError), ThreadPoolExecutor(2) as pool:
            result = count(problem, merge="isomorphic", memory=memory, executor=pool if jobs else None)
            assert (result.covers, result.exhausted) == (whole.covers, True)
            assert result.memory <= memory
            states.append(result.states)
    assert max(states) > whole.states


# Limits


@pytest.mark.slow
def test_limits(at_once: None) -> None:
    """A timeout and a limit of nodes end the count in time, and its processes with it."""
    problem = factorizations(12)
    result = count(problem, merge="isomorphic", jobs=2, timeout=1.0)
    assert (result.covers, result.stopped) == (0, "timeout")
    result = count(problem, merge="isomorphic", jobs=2, max_nodes=20_000)
    assert result.stopped == "max_nodes"
    assert 20_000 <= result.nodes < 40_000  # what is on its way is counted
    until(lambda: not active_children())
    assert count(latin(4), merge="isomorphic", jobs=2, max_covers=10).covers == 10


@pytest.mark.parametrize("jobs", [0, 2])
def test_progress(at_once: None, jobs: int) -> None:
    """It tells of classes and where the count stands, and goes on to the end, when the fraction is 1."""
    seen: list[Progress] = []
    with ThreadPoolExecutor(2) as pool:
        result = count(latin(6), merge="isomorphic", executor=pool if jobs else None, progress=seen.append)
    assert (seen[-1].covers, seen[-1].states, seen[-1].fraction) == (result.covers, result.states, 1.0)
    assert all(before.nodes <= after.nodes for before, after in pairwise(seen))
    assert not jobs or "items open" in seen[0].doing


# Workers that die


@pytest.mark.slow
def test_classes_that_kill(at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of which every worker dies ends the count with an error, and nothing hangs."""
    true = Ground.classes

    def deadly(self: Any) -> Any:
        os._exit(1)

    monkeypatch.setattr(Ground, "classes", deadly)
    with pytest.raises((LostPieceError, BrokenExecutor), match="died"):
        count(latin(6), merge="isomorphic", jobs=2)
    monkeypatch.setattr(Ground, "classes", true)


def test_what_is_sent_is_small(at_once: None) -> None:
    """A batch is the open items and weights of its classes, and comes back with the forms: some hundred bytes each."""
    with closing(InBatches(Remains(latin(7), None), Workforce(AtOnce(), 1))) as search, Loop(Limits.of()) as loop:
        ground = len(pickle.dumps(search.remains.ground(search._way.points, search._way.whole)))
        for _ in loop.slices(search):
            for batch in search._sent.values():
                assert len(pickle.dumps(batch)) < 500 + 40 * len(batch.weights)
    assert ground < 60_000
    assert search.covers == 61479419904000
