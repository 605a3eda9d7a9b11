"""Searches in pieces as callers ask for them: whoever works, limits and ends mean what they mean for one search."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from itertools import pairwise
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from executors import AtOnce, InAnyOrder, Noting
from families import build
from oracle import as_sets, rows
from seeds import nightly
from waiting import until

from dlx import Problem, Progress, count, covers, first
from dlx.kernels import BUDGET_SPENT
from dlx.parallel import cutting, pieces, worker
from dlx.parallel.crew import Workers
from dlx.parallel.cutting import split
from dlx.parallel.pieces import Pieces
from dlx.parallel.slices import FIRST_SLICE, Done, KernelPool, Slice
from dlx.parallel.slices import work as do_slice

ROOKS = build("rooks", 8)  # 40320 covers
QUEENS = build("queens", 9)  # 352 covers
LARGE = build("matchings", 9)  # 34459425 covers
MATCHINGS = build("matchings", 20)  # more covers than anybody will see

pytestmark = pytest.mark.usefixtures("small_pieces", "few_pieces")


def executors() -> dict[str, Callable[[], Executor]]:
    """Everybody who can work."""
    return {
        "at once": AtOnce,
        "any order": lambda: InAnyOrder(1),
        "threads": lambda: ThreadPoolExecutor(2),
        "fork": lambda: ProcessPoolExecutor(2, get_context("fork")),
        "spawn": lambda: ProcessPoolExecutor(2, get_context("spawn")),
        "forkserver": lambda: ProcessPoolExecutor(2, get_context("forkserver")),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["at once", "threads", "spawn", *nightly("any order", "fork", "forkserver")])
def test_executors(name: str) -> None:
    """Whoever works, the numbers and covers are those of one search, and so is the order if that is asked for."""
    with executors()[name]() as pool:
        result = count(ROOKS, merge="never", executor=pool)
        assert (result.covers, result.exhausted, result.kernel) == (40320, True, "pieces")
        multiple = build("rooks", 6)
        some = Problem.from_options(
            [multiple.option(o) for o in range(multiple.n_options)],
            items=multiple.items,
            multiplicities=dict.fromkeys(multiple.items[:3], (0, 1)),
        )
        assert count(some, merge="never", executor=pool).covers == count(some).covers
        alone = list(covers(QUEENS))
        assert set(covers(QUEENS, executor=pool)) == set(covers(QUEENS, jobs=3)) == set(alone)
        assert list(covers(QUEENS, executor=pool, ordered=True)) == list(covers(QUEENS, jobs=3, ordered=True)) == alone
        preferred = QUEENS.items[4:7]
        ordered = list(covers(QUEENS, executor=pool, ordered=True, prefer=preferred))
        assert ordered == list(covers(QUEENS, prefer=preferred)) != alone
        cover = first(QUEENS, executor=pool).cover
        assert cover is not None
        assert cover in set(alone)
        nothing = first(build("queens", 3), executor=pool)
        assert (nothing.cover, nothing.exhausted) == (None, True)


@pytest.mark.slow
def test_blocks() -> None:
    """Blocks of covers from pieces have up to the rows that are asked for, and all covers once."""
    blocks = list(covers(ROOKS, jobs=2).blocks(100))
    assert max(map(len, blocks)) <= 100
    assert as_sets(rows(np.concatenate(blocks))) == as_sets(covers(ROOKS))


def test_a_seed_draws_another_order_of_the_same_covers() -> None:
    """Options keep their numbers where a search in pieces is shuffled."""
    assert as_sets(covers(QUEENS, jobs=2, seed=3)) == as_sets(covers(QUEENS))
    assert first(QUEENS, jobs=2, seed=3).cover in {tuple(c) for c in covers(QUEENS, jobs=2, seed=3)}
    assert count(QUEENS, jobs=2, seed=3).covers == 352


# Limits


@pytest.mark.parametrize("most", [0, 1, 2, 7, 1000, 40319, 40321])
def test_max_covers(most: int) -> None:
    """No search in pieces finds more covers than it may, nor fewer if there are so many."""
    result = count(ROOKS, jobs=2, max_covers=most)
    assert (result.covers, result.stopped) == (min(most, 40320), "max_covers" if most < 40320 else None)
    search = covers(ROOKS, jobs=2, max_covers=most)
    assert len(set(search)) == min(most, 40320)
    assert search.stopped == ("max_covers" if most <= 40320 else None)


@pytest.mark.parametrize("most", [0, 1, 2, 7, 1000, 30000])
def test_max_nodes(most: int) -> None:
    """No search in pieces tries more options than it may, nor fewer."""
    result = count(ROOKS, jobs=2, merge="never", max_nodes=most)
    assert (result.nodes, result.stopped) == (most, "max_nodes")
    result = count(ROOKS, jobs=2, kernel="links", max_nodes=most)
    assert (result.nodes, result.stopped) == (most, "max_nodes")
    search = covers(ROOKS, jobs=2, max_nodes=most)
    list(search)
    assert (search.nodes, search.stopped) == (most, "max_nodes")


@pytest.mark.slow
def test_new_limits() -> None:
    """A search in pieces that a limit has stopped goes on under another one, and has all covers in the end."""
    search = covers(ROOKS, jobs=2, max_nodes=500)
    some = list(search)
    search.limit(max_covers=len(some) + 10)
    some += search
    search.limit()
    assert as_sets([*some, *search]) == as_sets(covers(ROOKS))


@pytest.mark.slow
def test_a_timeout() -> None:
    """A search in pieces ends when its time is up, with what has been counted by then."""
    for doublings in range(8):  # until some have been counted, however slow the machine
        result = count(MATCHINGS, jobs=2, merge="never", timeout=2.0**doublings)
        assert result.stopped == "timeout"
        if result.covers:
            break
    assert result.covers > 0
    assert next(covers(MATCHINGS, jobs=2, timeout=120), None) is not None


@pytest.mark.slow
@pytest.mark.usefixtures("ticking")
def test_a_timeout_while_the_search_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cutting, which takes seconds where there is much to do, ends when the time is up."""
    monkeypatch.setattr(cutting, "PIECES", 10**12)  # which take years, however fast the machine
    monkeypatch.setattr(cutting, "MOST", 10**12)
    result = count(MATCHINGS, jobs=2, merge="never", timeout=0.2)
    assert (result.covers, result.nodes, result.stopped) == (0, 0, "timeout")
    looked = first(MATCHINGS, jobs=2, timeout=0.2)
    assert looked.cover is not None or looked.stopped == "timeout"


@pytest.mark.slow
def test_progress() -> None:
    """What progress is told grows, names the pieces that are done, and ends at the whole."""
    seen: list[Progress] = []
    result = count(build("rooks", 9), kernel="links", jobs=2, progress=seen.append)
    assert [s.fraction for s in seen] == sorted(s.fraction for s in seen)
    assert [s.nodes for s in seen] == sorted(s.nodes for s in seen)
    assert (seen[-1].covers, seen[-1].nodes, seen[-1].fraction) == (result.covers, result.nodes, 1.0)
    done, _, number, _ = seen[-1].doing.split()
    assert done == number


@pytest.mark.parametrize("problem", [Problem.from_options([]), Problem.from_options(["ab"]).with_chosen([0])])
def test_a_search_with_nothing_to_choose(problem: Problem) -> None:
    """One cover, from one piece, whose fraction is a number before and behind."""
    search = covers(problem, jobs=2)
    assert (search.fraction, search.covers) == (0.0, 0)
    assert len(list(search)) == 1
    assert search.fraction == 1.0


@pytest.mark.slow
def test_the_first_cover_comes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One cover is not waited for until a slice is full, which would take years."""
    monkeypatch.setattr(pieces, "work", lambda search, task, over: do_slice(search, task._replace(seconds=1e9), over))
    assert first(MATCHINGS, jobs=2).cover is not None
    search = covers(MATCHINGS, jobs=2)
    assert next(search)


# Ends


def workers_alive() -> int:
    """How many threads of searches in pieces there are."""
    return sum(thread.name.startswith("dlx") for thread in threading.enumerate())


def wait_for_workers(number: int) -> None:
    """Waits until there are so many of these threads."""
    until(lambda: workers_alive() == number)


@pytest.mark.slow
def test_an_abandoned_search_ends_its_threads() -> None:
    """Nobody searches on for an iterator that is gone."""
    gc.collect()
    wait_for_workers(0)
    search = covers(MATCHINGS, jobs=2)
    next(search)
    assert workers_alive() == 2
    del search
    gc.collect()
    wait_for_workers(0)
    assert worker._OWN == {}


@pytest.mark.slow
def test_a_search_that_its_progress_knows_is_given_up_too() -> None:
    """What is called with the progress of a search may know the search, and both are collected."""

    class Watched:
        def __init__(self) -> None:
            self.search = covers(MATCHINGS, jobs=2, progress=self.look)

        def look(self, seen: Progress) -> None:
            """Does nothing."""

    next(Watched().search)
    gc.collect()
    wait_for_workers(0)
    assert worker._OWN == {}


@pytest.mark.slow
def test_what_has_been_found_is_handed_out() -> None:
    """Covers that workers have found within a limit of nodes are not kept back."""
    for ordered in (False, True):
        search = covers(LARGE, jobs=4, max_nodes=3_000_000, ordered=ordered)
        found = sum(len(block) for block in search.blocks())
        assert (search.stopped, found) == ("max_nodes", search.covers)


@pytest.mark.slow
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


@pytest.mark.slow
def test_names_that_cannot_be_sent() -> None:
    """Workers get numbers for names: what cannot be pickled can be searched by other processes."""
    names = [lambda: 1, threading.Lock(), object()]
    problem = Problem.from_options([[a] for a in names] + [[a, b] for a in names for b in names if a is not b])
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        found = list(covers(problem, executor=pool))
        assert as_sets(found) == as_sets(covers(problem))
        assert all(name in names for name in problem.labels(found[0])[0])


# Workers


@pytest.mark.slow
@pytest.mark.posix
def test_a_problem_is_sent_once() -> None:
    """A worker that was not forked asks for the problem, and is not sent it again; one that was forked needs none."""
    with Noting(1, get_context("spawn")) as pool:
        assert count(ROOKS, kernel="links", executor=pool).covers == 40320
        assert 1 <= given(pool, KernelPool) <= 2  # two are on their way before the first one comes back
        assert given(pool, Slice) >= 8
    with Noting(1, get_context("fork")) as pool:
        assert count(ROOKS, kernel="links", executor=pool).covers == 40320
        assert given(pool, KernelPool) == 0


def given(pool: Noting, kind: type) -> int:
    """How many of a kind have been handed to a pool."""
    return sum(isinstance(one, kind) for one in pool.tasks)


def raising(monkeypatch: pytest.MonkeyPatch, errors: list[Exception], chosen: tuple[int, ...]) -> None:
    """Lets the piece that begins with such a place raise errors, as long as there are some."""
    true = do_slice

    def work(kernels: KernelPool, task: Slice, over: Callable[[], bool]) -> Done:
        if errors and task.places[0].chosen == chosen:
            raise errors.pop()
        return true(kernels, task, over)

    monkeypatch.setattr(pieces, "work", work)


def some_place(number: int = 3) -> tuple[int, ...]:
    """The options with which a piece of `ROOKS` begins."""
    return split(ROOKS).pieces[number].places[0].chosen


def test_a_task_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in a worker is the caller's."""
    errors: list[Exception] = [MemoryError("too large"), MemoryError("too large")]
    raising(monkeypatch, errors, some_place())
    with pytest.raises(MemoryError, match="too large"):
        count(ROOKS, kernel="links", jobs=2)
    with pytest.raises(MemoryError, match="too large"):
        list(covers(ROOKS, jobs=2))
    assert not errors


@pytest.mark.slow
def test_a_task_that_raises_loses_no_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is asked for covers again after an error in a worker has all of them in the end, in their order."""
    errors: list[Exception] = [OSError("gone"), OSError("gone"), OSError("gone")]
    raising(monkeypatch, errors, some_place())
    search = covers(ROOKS, executor=AtOnce(), jobs=1, ordered=True)
    found: list[tuple[int, ...]] = []
    while errors:
        try:
            found.append(next(search))
        except OSError:
            continue
    assert [*found, *search] == list(covers(ROOKS))


def test_an_executor_that_is_none() -> None:
    """What cannot submit is refused, and so are no jobs, and merging in pieces."""
    with pytest.raises(ValueError, match="jobs is 100000000; it must be at most "):
        count(build("queens", 4), jobs=10**8)
    with pytest.raises(TypeError, match="the executor is 3, which has no method submit"):
        count(ROOKS, executor=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="ThreadPoolExecutor'>, which has no method submit"):
        count(ROOKS, executor=ThreadPoolExecutor)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="jobs"):
        covers(ROOKS, jobs=0)
    with pytest.raises(TypeError, match="jobs"):
        first(ROOKS, jobs=1.5)  # type: ignore[arg-type]
    for search in (count, covers, first):
        with pytest.raises(ValueError, match="preferences"):
            search(ROOKS, jobs=2, kernel="bits", prefer=ROOKS.items[:1])
    with pytest.raises(ValueError, match="in pieces"):
        count(ROOKS, jobs=2, merge="same")


class Breaking(AtOnce):
    """Is broken from the start."""

    def submit(self, *_: Any, **__: Any) -> Any:
        """Cannot."""
        raise BrokenExecutor("broken")


def test_an_executor_that_cannot_be_replaced() -> None:
    """One that is broken and no pool of processes ends the search, with its name."""
    with pytest.raises(BrokenExecutor, match="only a pool of processes can be replaced"):
        count(ROOKS, kernel="links", executor=Breaking())


def lengths(jobs: int) -> list[float]:
    """How long the slices of a piece are that never ends."""
    done = Done(0, 1, 1, 0, [1, 0], None)
    tasks: list[Slice] = []

    def work(kernels: KernelPool, task: Slice, over: object) -> Done:
        tasks.append(task)
        return done

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "work", work)
        whole = split(ROOKS, 1).pieces
        with closing(Pieces(KernelPool(ROOKS, "auto", None, 0), whole, Workers(AtOnce(), jobs))) as run:
            for _ in range(12):
                assert run.run(1, 1, 1) == BUDGET_SPENT
    return [task.seconds for task in tasks]


@pytest.mark.parametrize(("jobs", "longest"), [(1, pieces.SLICE), (300, 3.0), (9_999, pieces.LONGEST)])
def test_slices_grow(jobs: int, longest: float) -> None:
    """The slices of a piece take twice as long each, up to a second, or longer where a scheduler has many workers."""
    seconds = lengths(jobs)
    assert seconds[0] == FIRST_SLICE
    assert all(b == min(2 * a, longest) for a, b in pairwise(seconds))
    assert seconds[-1] == longest
