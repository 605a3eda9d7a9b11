"""Many grids at once: what they are one by one, in any shape, on any executor, with workers that die, after Ctrl-C."""

from __future__ import annotations

import math
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import repeat
from multiprocessing import active_children, get_context
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from executors import AtOnce, InAnyOrder
from known_grids import EASY, EMPTY, FULL, KNOWN, UNSOLVABLE, Grid, check
from plain_grids import drawn
from processes import interrupt, run
from seeds import nightly
from waiting import WAIT

import sudoku.many.best
import sudoku.sharing
from sudoku import RING_WEIGHTS, Batch, Result, best, best_many
from sudoku.sharing import CHUNK, some
from sudoku.solve import complete
from sudoku.strategies import bound

DRAWN = [drawn(np.random.default_rng(seed), few=12).reshape(9, 9) for seed in range(3 * CHUNK)]
MIXED = np.stack([*EASY, *DRAWN, FULL, *UNSOLVABLE.values()])


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.slow
def test_batches_are_what_each_grid_is(jobs: int) -> None:
    """Scores, completions and flags of a batch are those of its grids one by one, in their order, in any shape."""
    batch = best_many(MIXED.reshape(-1, 81), jobs=jobs)
    assert [array.dtype for array in (batch.scores, batch.completions, batch.proven)] == ["int64", "uint8", "bool"]
    assert batch.completions.shape == (len(MIXED), 9, 9)
    assert batch.scores.tolist() == [best(grid).score for grid in MIXED]
    assert batch.proven.all()
    assert not batch.interrupted
    for grid, score, completion in zip(MIXED, batch.scores.tolist(), batch.completions, strict=True):
        if score == -1:
            assert not completion.any()
        else:
            check(completion, grid, RING_WEIGHTS, score)
    assert best_many(MIXED, jobs=jobs).scores.tolist() == batch.scores.tolist()
    assert best_many(MIXED.tolist(), jobs=jobs).scores.tolist() == batch.scores.tolist()


def test_batches_with_weights() -> None:
    """A table of weights, negative ones among them, takes the place of the rings."""
    weights = np.random.default_rng(1).integers(-5, 6, (9, 9))
    batch = best_many(MIXED[:30], weights=weights)
    assert batch.scores.tolist() == [best(grid, weights=weights).score for grid in MIXED[:30]]
    assert batch.proven.all()


def test_batches_of_nothing() -> None:
    """Grids without completions have the score -1, proven; no grids have no answers."""
    batch = best_many(UNSOLVABLE.values())
    assert set(batch.scores.tolist()) == {-1}
    assert batch.proven.all()
    assert not batch.completions.any()
    none: list[npt.ArrayLike] = [[], np.zeros((0, 81), dtype=np.uint8), np.zeros((0, 9, 9), dtype=int)]
    for grids in none:
        batch = best_many(grids)
        assert (batch.scores.shape, batch.completions.shape, batch.proven.shape) == ((0,), (0, 9, 9), (0,))


def test_a_timeout_holds_for_each_grid() -> None:
    """No time at all: what is easy is proven all the same, and of the rest nothing is said."""
    batch = best_many([EMPTY, FULL, EMPTY], timeout=0)
    assert batch.proven.tolist() == [False, True, False]
    assert batch.scores[1] == best(FULL).score
    assert batch.scores[[0, 2]].tolist() == [-1, -1]
    assert not batch.completions[[0, 2]].any()


EXECUTORS: dict[str, Callable[[], Executor]] = {
    "threads": lambda: ThreadPoolExecutor(3),
    "at once": AtOnce,
    "in any order": lambda: InAnyOrder(5),
    "forked": lambda: ProcessPoolExecutor(2, get_context("fork")),
    "spawned": lambda: ProcessPoolExecutor(2, get_context("spawn")),
}


def equal(one: Batch, other: Batch) -> bool:
    """Tells if two batches say the same."""
    names = ("scores", "completions", "proven")
    same = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)
    return same and one.interrupted == other.interrupted


@pytest.mark.parametrize("name", ["in any order", "spawned", *nightly("at once", "threads", "forked")])
@pytest.mark.slow
def test_executors(name: str) -> None:
    """Whoever works, the batch is what it is without them, in any layout, and the executor can be used again."""
    with EXECUTORS[name]() as executor:
        assert equal(best_many(MIXED, executor=executor, jobs=3), best_many(MIXED))
        assert equal(best_many(MIXED[:2], executor=executor, timeout=0), best_many(MIXED[:2], timeout=0))
        small = np.zeros((5, 16), dtype=int)
        assert equal(best_many(small, layout=(2, 2), executor=executor), best_many(small, layout=(2, 2)))
        assert executor.submit(int, "7").result() == 7


@pytest.mark.slow
@pytest.mark.posix
def test_killed_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of a pool of processes are killed again and again, and the batch loses nothing by that."""
    several = sudoku.count_many(MIXED, 2000).counts == 2000  # the others are done without workers
    grids = np.concatenate(9 * [MIXED[several]])
    expected = best_many(grids)
    true, killed = sudoku.many.best._note, list[int | None]()

    def note(*given: Any) -> bool:
        for child in active_children()[: len(killed) < 3]:
            child.kill()
            killed.append(child.pid)
        return true(*given)

    monkeypatch.setattr(sudoku.many.best, "_note", note)
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        assert equal(best_many(grids, executor=pool), expected)
    assert len(killed) == 3


@pytest.mark.slow
@pytest.mark.posix
def test_a_grid_that_kills(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid that no worker survives is left unproven; all others are done, those that came with it, too."""

    def deadly(grid: Grid, *more: Any, **limits: Any) -> Result:
        if not grid.any():
            os._exit(1)
        return bound(grid, *more, **limits)

    grids = np.stack([KNOWN["clue17"].grid] * 100)
    grids[:, 0] = 0  # so many completions that workers do them
    grids[40] = EMPTY
    monkeypatch.setattr(sudoku.many.best, "bound", deadly)
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        batch = best_many(grids, executor=pool)
    assert np.flatnonzero(~batch.proven).tolist() == [40]
    assert not batch.interrupted


@pytest.mark.posix
def test_progress_is_of_this_process() -> None:
    """`progress` hears of the searches in threads, and not of those in other processes, which never call it."""
    for pool, least in ((ThreadPoolExecutor(2), 1), (ProcessPoolExecutor(2, get_context("fork")), 0)):
        seen: list[int] = []
        with pool:
            best_many([EMPTY, EMPTY], executor=pool, progress=lambda _, seen=seen: seen.append(os.getpid()))  # type: ignore[misc]
        assert len(seen) >= least
        assert set(seen) <= {os.getpid()}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_progress_that_stops(jobs: int) -> None:
    """A `progress` that raises KeyboardInterrupt ends the batch as Ctrl-C does; another error is the caller's."""

    def stop(error: type[BaseException]) -> Callable[[object], None]:
        def progress(_: object) -> None:
            raise error

        return progress

    batch = best_many([FULL, EMPTY, EMPTY], jobs=jobs, progress=stop(KeyboardInterrupt))
    assert batch.interrupted
    assert not batch.proven[1:].all()
    with pytest.raises(ZeroDivisionError):
        best_many([FULL, EMPTY, EMPTY], jobs=jobs, progress=stop(ZeroDivisionError))


@pytest.mark.parametrize("jobs", [None, 1, 2])
def test_the_first_blocks_are_done_first(jobs: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt in the second block of grids finds the first one done, with its grid of many completions."""
    blocks: list[int] = []

    def interrupted(grids: npt.NDArray[np.uint8], *given: Any, **named: Any) -> Any:
        blocks.append(len(grids))
        found = complete(grids, *given, **named)
        if len(blocks) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            found = complete(grids, *given, **named)
        return found

    monkeypatch.setattr(sudoku.many.best, "BLOCK", 2)
    monkeypatch.setattr(sudoku.many.best, "complete", interrupted)
    batch = best_many([FULL, EMPTY, FULL, FULL, EMPTY, FULL], jobs=jobs)
    assert batch.interrupted
    assert batch.proven[:2].all()
    assert batch.scores[1] == 2906
    assert not batch.proven[4:].any()
    assert blocks == [2, 2]


class Found(NamedTuple):
    """The answer of a job of these tests to a number."""

    number: float
    stopped: str | None = None


def waiting(context: None, numbers: Sequence[float], over: Callable[[], bool]) -> Iterator[Found]:
    """Asks so many times for each number whether to stop, and does if it is told so."""
    for number in numbers:
        stopped = any(over() for _ in (range(int(number)) if number < math.inf else repeat(0)))
        yield Found(number, "interrupt" if stopped else None)


def never() -> bool:
    """The run is not over."""
    return False


def test_no_answer_waits_for_a_later_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several a worker comes back without the one that takes long; alone that one has all the time there is."""
    assert some((waiting, None), [math.inf, 0], never) == []
    monkeypatch.setattr(sudoku.sharing, "SLICE", 0)
    assert some((waiting, None), [9, 0], never) == []
    assert some((waiting, None), [9], never) == [Found(9)]
    assert some((waiting, None), [math.inf], lambda: True) == [Found(math.inf, "interrupt")]
    monkeypatch.setattr(sudoku.sharing, "SLICE", math.inf)
    assert some((waiting, None), [0, 9, 0], never) == [Found(0), Found(9), Found(0)]


BATCH = """
import signal
from concurrent.futures import ProcessPoolExecutor
import numpy as np
from sudoku import best_many
from sudoku.many import best as batch

signal.signal(signal.SIGINT, signal.default_int_handler)
grids = np.zeros((20_000, 81), dtype=np.uint8)  # half a minute
true, noted = batch._note, []

def note(*given):
    noted.append(given)
    if len(noted) == 20:
        print("searching", flush=True)
    return true(*given)

batch._note = note
batch = best_many(grids, WORKERS)
assert batch.interrupted
done = batch.proven
assert 0 < done.sum() < len(done)
assert (batch.scores[done] == 2906).all()
assert (batch.completions[done].astype(int).sum(axis=(1, 2)) == 405).all()
print("the program goes on")
"""


@pytest.mark.parametrize("executor", ["jobs=1", "jobs=2", "executor=ProcessPoolExecutor(2)"])
@pytest.mark.slow
@pytest.mark.posix
def test_an_interrupt_keeps_what_is_done(executor: str) -> None:
    """Ctrl-C ends a batch, not the program: what was done is in it and proven, and the rest is unproven."""
    result = interrupt(BATCH.replace("WORKERS", executor))
    assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)


LONG = """
import os, signal, threading
import sudoku
from dlx.engine.limits import Loop
true, busy = Loop.report, set()
def report(self, kernel):
    true(self, kernel)
    busy.add(threading.get_ident())
    if len(busy) == 2:
        busy.add("told")
        os.kill(os.getpid(), signal.SIGINT)
Loop.report = report
batch = sudoku.best_many(2 * [625 * "."], layout=(5, 5), jobs=2)
assert batch.interrupted
assert not batch.proven.any()
print("the program goes on")
"""


@pytest.mark.slow
@pytest.mark.posix
def test_an_interrupt_ends_what_threads_are_busy_with() -> None:
    """Ctrl-C is heard by the searches of all threads, not only by the main one."""
    result = run(LONG)
    assert (result.stdout, result.stderr, result.returncode) == ("the program goes on\n", "", 0)


@pytest.mark.slow
def test_few_grids_are_shared_among_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two grids are done by two threads at once: each waits until the other has begun, too."""
    both = threading.Barrier(2, timeout=WAIT)

    def waiting(*arguments: Any, **limits: Any) -> Result:
        both.wait()
        return bound(*arguments, **limits)

    monkeypatch.setattr(sudoku.many.best, "bound", waiting)
    assert best_many(2 * [256 * [0]], layout=(4, 4), jobs=2).scores.tolist() == [18312, 18312]
