"""Searches in pieces: any cut is the search itself; whoever works, or dies, limits mean the same."""

from __future__ import annotations

import gc
import os
import random
import re
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from multiprocessing import active_children, get_all_start_methods, get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from executors import AtOnce, InAnyOrder, cluster, cut_into, pieces_of
from families import build
from oracle import KINDS, as_sets, derived, partitioned, rows
from seeds import Nightly, for_seeds, nightly
from waiting import until

from dlx import Covers, Problem, Progress, count, covers, first
from dlx.engine.dispatch import KernelName, Preference
from dlx.engine.dispatch import build as kernel_of
from dlx.engine.limits import Limits, Loop, StoppedError
from dlx.kernels import Kernel
from dlx.parallel import cutting, pieces, slices
from dlx.parallel.crew import Workers
from dlx.parallel.cutting import Split, split
from dlx.parallel.errors import LostPieceError
from dlx.parallel.pieces import Pieces
from dlx.parallel.slices import Search, SearchPiece, Slice, TreePlace, do_slice
from dlx.problem.checks import UNLIMITED

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


# Workers that die


Pids = Callable[[], list[int]]
# At night workers are killed more often, in a count that takes some seconds.
LONG, COVERS, NODES = (LARGE, 34459425, 83070857) if Nightly.on else (build("matchings", 8), 2027025, 4886520)


class Killing:
    """A `progress` that kills a worker `times` times, each time after new work has been done."""

    def __init__(self, workers: Pids, times: int) -> None:
        self.workers, self.left = workers, times
        self._draws, self._done = random.Random(1), 0

    def __call__(self, seen: Progress) -> None:
        if self.left and seen.nodes > self._done and (pids := self.workers()):
            with suppress(ProcessLookupError):
                os.kill(self._draws.choice(pids), signal.SIGKILL)
                self.left, self._done = self.left - 1, seen.nodes


def own_workers() -> list[int]:
    return [child.pid for child in active_children() if child.pid is not None]


def workers_of(client: Any) -> Pids:
    """Returns a function that lists the worker processes of a dask client."""
    return lambda: [nanny.pid for nanny in client.cluster.workers.values() if nanny.pid]


@contextmanager
def mortal(way: str) -> Iterator[tuple[dict[str, Any], Pids]]:
    """Two workers that can be killed, as parameters of a search: processes of a pool, or those of dask."""
    if way == "dask":
        with cluster() as client:
            yield {"executor": client.get_executor(), "jobs": 2}, workers_of(client)
    else:
        with ProcessPoolExecutor(2, get_context(way)) as pool:
            yield {"executor": pool}, own_workers


def count_all(path: Path, **given: Any) -> bool:
    """Counts covers with a checkpoint, and tells whether the numbers are those of one search."""
    result = count(LONG, kernel="links", checkpoint=path, **given)
    return (result.covers, result.nodes, result.exhausted) == (COVERS, NODES, True)


def find_all(path: Path, **given: Any) -> bool:
    """Takes covers in blocks, and tells whether each has come once."""
    blocks = covers(build("rooks", 9), **given).blocks()
    return len({tuple(sorted(row)) for block in blocks for row in block.tolist()}) == 362880


SEARCHES = [count_all, find_all]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(("way", "times"), [("fork", 1), *nightly(("fork", 3), ("spawn", 1), ("dask", 1))])
def test_workers_are_killed_at_random_moments(
    search: Callable[..., bool], way: str, times: int, tmp_path: Path
) -> None:
    """Searches whose workers are killed again and again find and count the same as without."""
    with mortal(way) as (given, workers):
        progress = Killing(workers, times)
        assert search(tmp_path / "run.checkpoint", progress=progress, **given)
    assert progress.left == 0


DEADLY = 3  # the number of a piece


def kill_with(piece: SearchPiece) -> None:
    """Lets a piece end every process in which it is begun; in this one and in those that it forks from now on."""
    true = slices._go_on

    def deadly(kernel: Any, place: Any, *more: Any) -> Any:
        if place in piece.places:
            os._exit(1)
        return true(kernel, place, *more)

    slices._go_on = deadly  # type: ignore[assignment]


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> SearchPiece:
    monkeypatch.setattr(slices, "_go_on", slices._go_on)  # so that it is put back
    piece = split(ROOKS, kernel="links").pieces[DEADLY]
    kill_with(piece)
    return piece


@pytest.mark.posix
def test_a_piece_that_kills(killer: SearchPiece, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error names it, and nothing hangs; the same call goes on from the checkpoint, and counts each cover once."""
    path = tmp_path / "run.checkpoint"
    named = re.escape(f"died of the piece with the options {list(killer.places[0].chosen)} (BrokenProcessPool")
    with ProcessPoolExecutor(2, get_context("fork")) as pool, pytest.raises(LostPieceError, match=named):
        count(ROOKS, kernel="links", executor=pool, checkpoint=path)
    assert not pieces_of(path)[DEADLY].is_done
    monkeypatch.undo()
    assert count(ROOKS, kernel="links", jobs=2, checkpoint=path).covers == 40320


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.posix
def test_covers_beside_a_piece_that_kills(killer: SearchPiece, ordered: bool) -> None:
    """The search names the piece; no cover has come twice, and in their order if that is asked for."""
    found: list[tuple[int, ...]] = []
    with ProcessPoolExecutor(2, get_context("fork")) as pool, pytest.raises(LostPieceError):
        found.extend(covers(ROOKS, kernel="links", executor=pool, ordered=ordered))
    whole = list(covers(ROOKS, kernel="links"))
    assert found == whole[: len(found)] if ordered else len(set(found)) == len(found) and set(found) < set(whole)


# dask


@pytest.mark.nightly
def test_dask() -> None:
    """An executor of dask counts, and finds all covers, in their order if asked."""
    with mortal("dask") as (given, _):
        assert count(ROOKS, kernel="links", **given).covers == 40320
        assert as_sets(covers(ROOKS, **given)) == as_sets(covers(ROOKS))
        assert list(covers(ROOKS, ordered=True, **given)) == list(covers(ROOKS))


# As one search


class Asked(NamedTuple):
    """A search as a caller asks for it."""

    problem: Problem
    kernel: KernelName = "auto"
    prefer: Preference | None = None

    def cut(self, pieces: int) -> Split:
        """The search in about `pieces` pieces, however small."""
        return cut_into(pieces, self.problem, kernel=self.kernel, prefer=self.prefer)

    def alone(self, room: int = 0) -> Kernel:
        return kernel_of(self.problem, self.kernel, self.prefer, room)

    def pieces(self, cut: Split, workers: Workers | None = None, rows: int = 0, ordered: bool = False) -> Pieces:
        """The run of its pieces, in the shortest slices."""
        cut = Split([replace(piece, seconds=0.0) for piece in cut.pieces], cut.nodes)
        return Pieces(Search.of(*self, rows), cut, workers or Workers(AtOnce(), 1), ordered=ordered)


def asked(rng: np.random.Generator, seed: int) -> Asked:
    """A random search: the kinds of problems take turns, by any kernel that can do them, some with preferences."""
    problem = derived(rng, KINDS[seed % 4])
    kernels: list[KernelName] = ["auto", "links", "bits"]
    kernel = kernels[int(rng.integers(3))]
    if kernel == "bits" or problem.multiplicities is not None or rng.random() < 0.5:
        return Asked(problem, kernel)
    primary = problem.items[: problem.n_primary]
    return Asked(problem, kernel, {item: int(rng.integers(-2, 3)) for item in primary if rng.random() < 0.5})


def optional(problem: Problem) -> Problem:
    """The problem with multiplicities of 0 to 2 for all items, so that a cover ends at every node."""
    return replace(problem, multiplicities=np.tile([0, 2], (problem.n_primary, 1)).astype(np.int32))


def check(run: Pieces) -> None:
    """Checks between two runs that each open piece is there once."""
    crew = run._crew
    there = [*crew.todo, *(k for k, _ in crew.flight.values())]
    open_ = {k for k, piece in enumerate(run.pieces) if not piece.is_done}
    assert {*there, *run._blocks} == {*open_, *run._blocks}, "a piece is lost"
    assert len(there) == len(set(there)), "a piece is there twice"


def found(run: Pieces) -> Iterator[tuple[int, ...]]:
    """Yields the covers of a search in pieces; checks it between any two runs, and closes it."""
    with closing(run), Loop(Limits()) as loop:
        for _ in loop.slices(run):
            check(run)
            yield from rows(run.found())
            run.filled = 0


def places(cut: Split) -> list[TreePlace]:
    return [place for piece in cut.pieces for place in piece.places]


def executor(seed: int) -> Executor:
    return AtOnce() if seed % 2 else InAnyOrder(seed)


def visited(search: Asked) -> tuple[list[tuple[int, ...]], int]:
    """The covers of one search in their order, and its nodes."""
    kernel = search.alone()
    kernel.run(UNLIMITED, UNLIMITED, UNLIMITED)
    return list(covers(search.problem, kernel=search.kernel, prefer=search.prefer)), kernel.nodes


# The whole


@pytest.mark.usefixtures("short_slices")
@for_seeds(2000, block=60)
def test_pieces_are_one_search(seed: int) -> None:
    """Pieces done in any order have the covers and the nodes of one search, and its order; or are only counted."""
    rng = np.random.default_rng([seed, 42])
    search = asked(rng, seed)
    alone, nodes = visited(search)
    cut = search.cut(int(rng.integers(1, 20)))
    with executor(seed) as pool:
        for rows, ordered in ((0, False), (int(rng.integers(1, 4)), False), (int(rng.integers(1, 4)), True)):
            run = search.pieces(cut, Workers(pool, int(rng.integers(1, 4))), rows, ordered)
            some = list(found(run))
            assert (run.covers, run.fraction()) == (len(alone), 1.0)
            assert as_sets(some) == (as_sets(alone) if rows else [])
            if search.problem.multiplicities is None:  # where the order does not depend on marks
                assert run.nodes == nodes
                assert some == alone or not ordered


# The cut


@for_seeds(300, block=50)
def test_cuts_are_the_same_in_every_run(seed: int) -> None:
    """They depend on the search alone."""
    rng = np.random.default_rng([seed, 44])
    search = asked(rng, seed)
    assert search.cut(12) == search.cut(12)


def test_small_searches_are_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of a few milliseconds is cut only if pieces are asked for; then their number is the one asked for."""
    monkeypatch.undo()  # of the fixtures of all tests here
    assert len(places(split(ROOKS))) == 1
    assert split(ROOKS).nodes == 0
    assert 60 <= len(cut_into(60, ROOKS).pieces) <= 60 + 8
    assert len(places(split(build("rooks", 9)))) == 9  # 986,409 nodes


def test_no_piece_is_larger_than_it_must_be() -> None:
    """The largest place is cut first, until no place is as large as what is worth cutting."""
    cut = cut_into(10_000, build("rooks", 9), 20_000)  # places have 109,601, then 13,700 nodes
    assert {len(place.chosen) for place in places(cut)} == {2}
    assert max(piece.estimate for piece in cut.pieces) <= 20_000


@for_seeds(200)
def test_any_places_in_a_row_can_be_a_piece(seed: int) -> None:
    """A slice can end at any place of a piece, and the pieces are the search all the same."""
    rng = np.random.default_rng([seed, 45])
    search = asked(rng, seed)
    alone, nodes = visited(search)
    cut = search.cut(20)
    row = places(cut)
    ends = sorted({0, *rng.integers(0, len(row) + 1, int(rng.integers(0, 5))).tolist(), len(row)})
    pieces = [SearchPiece(tuple(row[i:j]), 1.0) for i, j in pairwise(ends)]
    run = search.pieces(Split(pieces, cut.nodes), rows=int(rng.integers(1, 4)), ordered=True)
    some = list(found(run))
    assert as_sets(some) == as_sets(alone)
    assert search.problem.multiplicities is not None or (some, run.nodes) == (alone, nodes)


@pytest.mark.parametrize("most", [0, 1, 7])
def test_cutting_keeps_to_a_limit_of_nodes(most: int) -> None:
    """Options tried to cut a search are nodes of it; the first level is there without any."""
    cut = cut_into(60, ROOKS, max_nodes=most)
    assert cut.nodes == most
    assert len(places(cut)) >= 8


def test_cutting_can_be_stopped() -> None:
    """It asks before each place whether to go on."""
    asked: list[bool] = []

    def over() -> bool:
        asked.append(len(asked) == 20)
        return asked[-1]

    with pytest.raises(StoppedError):
        cut_into(60, ROOKS, over=over)
    assert len(asked) == 21


@for_seeds(400, block=50)
def test_inner_nodes_that_are_covers(seed: int) -> None:
    """A cover ends at every node where nothing must be covered; such a place is not cut, and no cover is lost."""
    rng = np.random.default_rng([seed, 46])
    problem = partitioned(rng)
    some = optional(problem.without(rng.permutation(problem.n_options)[6:]))
    run = Asked(some).pieces(Asked(some).cut(20), rows=int(rng.integers(1, 4)), ordered=bool(seed % 2))
    assert as_sets(found(run)) == as_sets(covers(some))
