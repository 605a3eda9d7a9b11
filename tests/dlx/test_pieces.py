"""Searches in pieces: no cover is lost or there twice, whoever works, and limits mean what they mean for one search."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, suppress
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from executors import AtOnce, InAnyOrder, Noting
from families import build
from oracle import KINDS, as_sets, random_problem, rows
from processes import interrupt
from seeds import for_seeds

import dlx.limits
from dlx import Problem, ProblemError, Progress, count, covers, first, reduce
from dlx.limits import Limits, Loop
from dlx.scale import pieces, work
from dlx.scale.parts import split
from dlx.scale.pieces import Part, Pieces, Workers

ROOKS = build("rooks", 8)  # 40320 covers
QUEENS = build("queens", 9)  # 352 covers
MATCHINGS = build("matchings", 20)  # more covers than anybody will see
LONG = """
import time
from concurrent.futures import ProcessPoolExecutor
from dlx import count, covers, first
from families import build

def progress(seen):
    if seen.nodes > 10_000 and not began:
        began.append(time.perf_counter())
        print("searching", flush=True)

began = []
problem = build("matchings", 20)
"""


def derived(rng: np.random.Generator, seed: int) -> Problem:
    """A random problem of any kind, with options chosen or left out, or reduced."""
    problem = random_problem(rng, KINDS[seed % 4])
    options = rng.permutation(problem.n_options)
    if seed % 3 == 1:
        problem = problem.without(options[:2])
    if seed % 5 in (1, 2):
        with suppress(ProblemError):
            problem = problem.with_chosen(options[2:3])
    return reduce(problem) if seed % 7 > 3 else problem


@for_seeds(2000, block=200)
def test_each_cover_is_in_one_piece(seed: int) -> None:
    """The pieces of random problems, however many, have the covers of the whole, each once, and are always the same."""
    rng = np.random.default_rng([seed, 41])
    problem = derived(rng, seed)
    wanted = as_sets(covers(problem))
    parts = split(problem, pieces=int(rng.integers(1, 16)), least=float(rng.choice([0, 1, 3, 10])))
    assert as_sets(cover for part in parts for cover in covers(part.of(problem))) == wanted
    assert sum(count(part.of(problem)).covers for part in parts) == len(wanted)
    assert [part.nodes for part in parts] == sorted((part.nodes for part in parts), reverse=True)


@for_seeds(300)
def test_pieces_are_the_same_in_every_run(seed: int) -> None:
    """Cutting depends on the problem alone."""
    problem = derived(np.random.default_rng([seed, 42]), seed)
    assert split(problem, 12, 0) == split(problem, 12, 0)


def parts_of(problem: Problem, number: int) -> list[Part]:
    """Pieces that are to be done in slices as short as can be."""
    return [Part(piece, seconds=0.0) for piece in split(problem, number, 0)]


def found(run: Pieces) -> Iterator[tuple[int, ...]]:
    """The covers of a search in pieces, which is looked at between any two runs."""
    with Loop(Limits()) as loop:
        for _ in loop.slices(run):
            run.check()
            yield from rows(run.found())
            run.filled = 0


@for_seeds(400)
def test_nothing_is_lost_in_slices(seed: int) -> None:
    """Pieces that come back in any order, from one worker or several, have the covers of one search."""
    rng = np.random.default_rng([seed, 43])
    problem = derived(rng, seed)
    wanted = as_sets(covers(problem))
    executor = AtOnce() if seed % 2 else InAnyOrder(seed)
    with executor:
        for ordered in (False, True):
            workers = Workers(executor, int(rng.integers(1, 5)))
            parts = parts_of(problem, 9)
            with closing(Pieces(problem, parts, workers, rows=int(rng.integers(1, 4)), ordered=ordered)) as run:
                assert as_sets(found(run)) == wanted
        with closing(Pieces(problem, parts_of(problem, 9), Workers(executor, 2))) as run:
            assert not list(found(run))
            assert (run.covers, run.fraction()) == (len(wanted), 1.0)


@pytest.mark.parametrize("kernel", ["links", "bits"])
def test_short_slices_visit_the_same_nodes(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A piece in many slices has the covers and the nodes of its search in one."""
    monkeypatch.setattr(dlx.limits, "FIRST_STEP", 128)
    wanted = sum(count(piece.of(ROOKS), kernel=kernel).nodes for piece in split(ROOKS, 5, 0))
    notes: list[int] = []
    with closing(Pieces(ROOKS, parts_of(ROOKS, 5), Workers(AtOnce(), 1), kernel=kernel, note=notes.append)) as run:
        assert not list(found(run))
    assert (run.covers, run.nodes) == (40320, wanted)
    assert len(notes) > 50


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
@pytest.mark.parametrize("executor", executors().values(), ids=executors())
def test_executors(executor: Callable[[], Executor]) -> None:
    """Whoever works, the numbers and covers are those of one search, and the order is always the same if asked for."""
    with executor() as pool:
        result = count(ROOKS, merge="never", executor=pool)
        assert (result.covers, result.exhausted, result.kernel) == (40320, True, "pieces")
        multiple = build("rooks", 6)
        some = Problem.from_options(
            [multiple.option(o) for o in range(multiple.n_options)],
            items=multiple.items,
            multiplicities=dict.fromkeys(multiple.items[:3], (0, 1)),
        )
        assert count(some, merge="never", executor=pool).covers == count(some).covers
        assert set(covers(QUEENS, executor=pool)) == set(covers(QUEENS, jobs=2)) == set(covers(QUEENS, jobs=3))
        assert as_sets(covers(QUEENS, executor=pool)) == as_sets(covers(QUEENS))
        orders = [list(covers(QUEENS, ordered=True, **who)) for who in ({"executor": pool}, {"jobs": 3})]
        assert orders[0] == orders[1]
        cover = first(QUEENS, executor=pool).cover
        assert cover is not None
        assert tuple(sorted(cover)) in as_sets(covers(QUEENS))
        nothing = first(build("queens", 3), executor=pool)
        assert (nothing.cover, nothing.exhausted) == (None, True)


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
    start = time.perf_counter()
    result = count(MATCHINGS, jobs=2, merge="never", timeout=2)
    assert result.stopped == "timeout"
    assert result.covers > 0
    assert time.perf_counter() - start < 4
    search = covers(MATCHINGS, jobs=2, timeout=0.5)
    assert sum(1 for _ in zip(range(10**7), search, strict=False)) > 0


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
def test_the_first_cover_comes_at_once() -> None:
    """One cover is not waited for until a slice is full."""
    start = time.process_time()
    assert first(MATCHINGS, jobs=2).cover is not None
    search = covers(MATCHINGS, jobs=2)
    assert next(search)
    assert time.process_time() - start < 3


# Ends

ENDED = """
result = {search}
late = time.perf_counter() - began[0]
assert result.stopped == "interrupt", result
assert result.nodes >= 10_000
assert late < {most}, late
print("the program goes on")
"""
ITERATED = """
search = covers(problem, {who}, progress=progress)
found = 0
try:
    for block in search.blocks():
        found += len(block)
except KeyboardInterrupt:
    late = time.perf_counter() - began[0]
    assert late < {most}, late
assert found and len(next(search.blocks(10))) == 10
print("the program goes on")
"""
POOL = "executor=ProcessPoolExecutor(2)"


@pytest.mark.slow
@pytest.mark.parametrize("who", ["jobs=2", POOL])
@pytest.mark.parametrize(
    "program",
    [
        ENDED.replace("{search}", "count(problem, {who}, merge='never', progress=progress)"),
        ENDED.replace("{search}", "first(build('pentominoes', 12, 40), {who}, progress=progress)"),
        ITERATED,
    ],
    ids=["count", "first", "covers"],
)
def test_an_interrupt(program: str, who: str) -> None:
    """Ctrl-C ends a search in pieces at once, with what has been counted; an iterator can go on."""
    result = interrupt(LONG + program.replace("{who}", who).replace("{most}", "3"))
    assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)


def workers_alive() -> int:
    """How many threads of searches in pieces there are."""
    return sum(thread.name.startswith("dlx") for thread in threading.enumerate())


def test_an_abandoned_search_ends_its_threads() -> None:
    """Nobody searches on for an iterator that is gone."""
    before = workers_alive()
    search = covers(MATCHINGS, jobs=2)
    next(search)
    assert workers_alive() == before + 2
    del search
    gc.collect()
    assert workers_alive() == before
    assert work._OWN == {}


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
def test_a_problem_is_sent_once() -> None:
    """A worker that was not forked asks for the problem, and is not sent it again; one that was forked needs none."""
    with Noting(1, get_context("spawn")) as pool:
        assert count(ROOKS, kernel="links", executor=pool).covers == 40320
        asked = [task for task in pool.tasks if task.problem is not None]
        assert 1 <= len(asked) <= 2  # two are on their way before the first one comes back
        assert len(pool.tasks) >= 8
    with Noting(1, get_context("fork")) as pool:
        assert count(ROOKS, kernel="links", executor=pool).covers == 40320
        assert not any(task.problem for task in pool.tasks)


def test_a_task_that_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in a worker is the caller's."""
    true, errors = work._slice, [MemoryError("too large"), MemoryError("too large")]

    def raising(*given: Any) -> Any:
        if errors and given[0].number == 3:
            raise errors.pop()
        return true(*given)

    monkeypatch.setattr(work, "_slice", raising)
    with pytest.raises(MemoryError, match="too large"):
        count(ROOKS, kernel="links", jobs=2)
    with pytest.raises(MemoryError, match="too large"):
        list(covers(ROOKS, jobs=2))
    assert not errors


def test_a_task_that_raises_loses_no_cover(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that is asked for covers again after an error in a worker has all of them in the end."""
    true, errors = work._slice, [OSError("gone")] * 3

    def raising(*given: Any) -> Any:
        if errors and given[0].number == 2:
            raise errors.pop()
        return true(*given)

    monkeypatch.setattr(work, "_slice", raising)
    search = covers(ROOKS, executor=AtOnce(), jobs=1)
    found: list[tuple[int, ...]] = []
    while errors:
        try:
            found.append(next(search))
        except OSError:
            continue
    assert as_sets([*found, *search]) == as_sets(covers(ROOKS))


def test_an_executor_that_is_none() -> None:
    """What cannot submit is refused, and so are no jobs, and preferences or merging in pieces."""
    with pytest.raises(TypeError, match="the executor is 3, which has no method submit"):
        count(ROOKS, executor=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="jobs"):
        covers(ROOKS, jobs=0)
    with pytest.raises(TypeError, match="jobs"):
        first(ROOKS, jobs=1.5)  # type: ignore[arg-type]
    for search in (count, covers, first):
        with pytest.raises(ValueError, match="preferences"):
            search(ROOKS, jobs=2, prefer=ROOKS.items[:1])
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


def test_slices_grow() -> None:
    """The slices of a piece take twice as long each, up to a second."""
    part = Part(split(ROOKS, 1)[0])
    lengths = []
    for _ in range(8):
        lengths.append(part.seconds)
        part.take(work.Done(0, 1, 1, [1], None))
    assert lengths[0] == pieces.FIRST_SLICE
    assert lengths[-1] == pieces.SLICE == max(lengths)
