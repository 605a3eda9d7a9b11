"""Searches in pieces as callers ask for them: whoever works, limits and ends mean what they mean for one search."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from typing import Any

import numpy as np
import pytest
from executors import AtOnce, InAnyOrder
from families import build
from oracle import as_sets, rows
from seeds import nightly
from waiting import until

from dlx import Covers, Problem, Progress, count, covers, first
from dlx.parallel import cutting, pieces
from dlx.parallel.cutting import split
from dlx.parallel.slices import Search, Slice, do_slice

ROOKS = build("rooks", 8)  # 40320 covers
QUEENS = build("queens", 9)  # 352 covers
LARGE = build("matchings", 9)  # 34459425 covers
MATCHINGS = build("matchings", 20)  # more covers than anybody will see

pytestmark = pytest.mark.usefixtures("small_pieces", "few_pieces")


EXECUTORS: dict[str, Callable[[], Executor]] = {
    "at once": AtOnce,
    "any order": lambda: InAnyOrder(1),
    "threads": lambda: ThreadPoolExecutor(2),
    **{way: partial(ProcessPoolExecutor, 2, get_context(way)) for way in get_all_start_methods()},
}


@pytest.mark.parametrize("name", ["at once", "threads", "spawn", *nightly("any order", "fork", "forkserver")])
def test_executors(name: str) -> None:
    """Numbers and covers are those of one search, on any executor, and so is the order with `ordered`."""
    alone, preferred = list(covers(QUEENS)), QUEENS.items[4:7]
    some = build("rooks", 6)
    some = replace(some, multiplicities=np.array([[0, 1]] * 3 + [[1, 1]] * 9, dtype=np.int32))
    with EXECUTORS[name]() as pool:
        result = count(ROOKS, merge="never", executor=pool)
        assert (result.covers, result.exhausted, result.kernel) == (40320, True, "pieces")
        assert count(some, merge="never", executor=pool).covers == count(some).covers
        assert set(covers(QUEENS, executor=pool)) == set(covers(QUEENS, jobs=3)) == set(alone)
        assert list(covers(QUEENS, executor=pool, ordered=True)) == list(covers(QUEENS, jobs=3, ordered=True)) == alone
        ordered = list(covers(QUEENS, executor=pool, ordered=True, prefer=preferred))
        assert ordered == list(covers(QUEENS, prefer=preferred)) != alone
        assert first(QUEENS, executor=pool).cover in set(alone)
        assert as_sets(covers(QUEENS, executor=pool, seed=3)) == as_sets(alone)
        assert first(QUEENS, executor=pool, seed=3).cover in set(covers(QUEENS, seed=3))
        nothing = first(build("queens", 3), executor=pool)
        assert (nothing.cover, nothing.exhausted) == (None, True)
        blocks = list(covers(ROOKS, executor=pool).blocks(100))
        assert max(map(len, blocks)) <= 100
        assert as_sets(rows(np.concatenate(blocks))) == as_sets(covers(ROOKS))


@pytest.mark.usefixtures("ticking")
def test_a_timeout_while_the_search_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cutting, which takes seconds where there is much to do, ends when the time is up."""
    monkeypatch.setattr(cutting, "PIECES", 10**12)  # which take years, however fast the machine
    monkeypatch.setattr(cutting, "MOST", 10**12)
    result = count(MATCHINGS, jobs=2, merge="never", timeout=0.2)
    assert (result.covers, result.nodes, result.stopped) == (0, 0, "timeout")
    looked = first(MATCHINGS, jobs=2, timeout=0.2)
    assert looked.cover is not None or looked.stopped == "timeout"


def test_progress() -> None:
    """The numbers of progress grow to the whole, and its words name the pieces that are done."""
    seen: list[Progress] = []
    result = count(build("rooks", 9), kernel="links", jobs=2, progress=seen.append)
    assert [s.fraction for s in seen] == sorted(s.fraction for s in seen)
    assert [s.nodes for s in seen] == sorted(s.nodes for s in seen)
    assert (seen[-1].covers, seen[-1].nodes, seen[-1].fraction) == (result.covers, result.nodes, 1.0)
    done, _, number, _ = seen[-1].doing.split()
    assert done == number


@pytest.mark.parametrize("problem", [Problem.from_options([]), Problem.from_options(["ab"]).with_chosen([0])])
def test_a_search_with_nothing_to_choose(problem: Problem) -> None:
    """A search with nothing to choose has one cover, from one piece, whose fraction is a number before and behind."""
    search = covers(problem, jobs=2)
    assert (search.fraction, search.covers) == (0.0, 0)
    assert len(list(search)) == 1
    assert search.fraction == 1.0


def test_the_first_cover_comes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One cover is not waited for until a slice is full, which would take years."""

    def endless(search: Search, task: Slice, over: Callable[[], bool]) -> Any:
        return do_slice(search, Slice(replace(task.piece, seconds=1e9), *task[1:]), over)

    monkeypatch.setattr(pieces, "do_slice", endless)
    assert first(MATCHINGS, jobs=2).cover is not None
    assert next(covers(MATCHINGS, jobs=2))


@pytest.mark.parametrize("jobs", [2, 3])
def test_the_first_cover_ends_the_search(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Others who look for one stop as soon as there is one: here they find none before."""
    first_of_all = threading.Lock()

    def work(search: Search, task: Slice, over: Callable[[], bool]) -> Any:
        if not first_of_all.acquire(blocking=False):
            until(over)
        return do_slice(search, task, over)

    monkeypatch.setattr(pieces, "do_slice", work)
    for seed in range(5):
        assert first(MATCHINGS, jobs=jobs, seed=seed).cover is not None
        first_of_all.release()


# Ends


def workers_alive() -> int:
    return sum(thread.name.startswith("dlx") for thread in threading.enumerate())


class Watched:
    """A search whose progress knows it."""

    def __init__(self) -> None:
        self.search = covers(MATCHINGS, jobs=2, progress=self.look)

    def look(self, seen: Progress) -> None:
        pass


@pytest.mark.parametrize("made", [lambda: covers(MATCHINGS, jobs=2), lambda: Watched().search], ids=["", "watched"])
def test_an_abandoned_search_ends_its_threads(made: Callable[[], Covers]) -> None:
    """Nobody searches on for an iterator that is gone, though what is called with its progress may know it."""
    gc.collect()
    until(lambda: workers_alive() == 0)
    search = made()
    next(search)
    assert workers_alive() in (1, 2)  # a thread that is idle again takes the next piece, too
    del search
    gc.collect()
    until(lambda: workers_alive() == 0)


def test_what_has_been_found_is_handed_out() -> None:
    """Covers that workers have found within a limit of nodes are not kept back."""
    for ordered in (False, True):
        search = covers(LARGE, jobs=4, max_nodes=3_000_000, ordered=ordered)
        found = sum(len(block) for block in search.blocks())
        assert (search.stopped, found) == ("max_nodes", search.covers)


@pytest.mark.parametrize("executor", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_two_searches_on_one_executor(executor: Callable[[int], Executor]) -> None:
    """Searches that share an executor do not get each other's covers."""
    with executor(2) as pool:
        for a, b in zip(covers(QUEENS, executor=pool), some := covers(ROOKS, executor=pool), strict=False):
            assert (len(a), len(b)) == (9, 8)
        assert len(list(some)) == 40320 - 352
        with ThreadPoolExecutor(12) as callers:  # more than a worker remembers problems of
            results = callers.map(lambda _: count(ROOKS, kernel="links", executor=pool).covers, range(12))
            assert list(results) == [40320] * 12


def test_names_that_cannot_be_sent() -> None:
    """Workers get numbers for names: what cannot be pickled can be searched by other processes."""
    names = [lambda: 1, threading.Lock(), object()]
    problem = Problem.from_options([[a] for a in names] + [[a, b] for a in names for b in names if a is not b])
    with ProcessPoolExecutor(1) as pool:
        found = list(covers(problem, executor=pool))
        assert as_sets(found) == as_sets(covers(problem))
        assert all(name in names for name in problem.labels(found[0])[0])


def test_an_error_in_a_worker_loses_no_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error is raised to the caller; the search then continues and finds all covers, in their order."""
    errors, place = [OSError("gone"), OSError("gone"), OSError("gone")], split(ROOKS).pieces[3].places[0]

    def work(search: Search, task: Slice, over: Callable[[], bool]) -> Any:
        if errors and task.piece.places[0] == place:
            raise errors.pop()
        return do_slice(search, task, over)

    monkeypatch.setattr(pieces, "do_slice", work)
    search = covers(ROOKS, executor=AtOnce(), jobs=1, ordered=True)
    found: list[tuple[int, ...]] = []
    while errors:
        with suppress(OSError):
            found.append(next(search))
    assert [*found, *search] == list(covers(ROOKS))
