"""Functions about many grids: as one by one, on any executor, within limits, with workers that die, after Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from multiprocessing import active_children, get_context
from typing import Any

import numpy as np
import pytest
from executors import InAnyOrder, cluster
from known_grids import EASY, EMPTY, FULL, KNOWN, UNSOLVABLE, check
from plain_grids import drawn
from seeds import nightly

import dlx
import sudoku
import sudoku.many
from dlx.extending import Crew, Loop
from sudoku import RING_WEIGHTS, best, best_many, canonical_many, count_many, generate_many

FEW = [drawn(np.random.default_rng(seed), few=12).reshape(9, 9) for seed in range(48)]
DRAWN = [drawn(np.random.default_rng(seed), few=20).reshape(9, 9) for seed in range(300)]
MIXED = np.stack([*EASY, *DRAWN, FULL, *UNSOLVABLE.values()])
TARGETS = np.stack([*EASY, *FEW, FULL, *UNSOLVABLE.values()])
SMALL = np.array([generate_many(1, seed=seed, layout=(2, 3))[0] for seed in range(9)])

# Calls with workers, and without them.
QUESTIONS: dict[str, Callable[..., Any]] = {
    "best": lambda **who: best_many(TARGETS, **who),
    "best other": lambda **who: best_many(np.zeros((5, 16), dtype=int), layout=(2, 2), **who),
    "canonical": lambda **who: canonical_many(MIXED[:200], **who),
    "canonical other": lambda **who: canonical_many(SMALL[:, :4, :4] % 5, (2, 2), **who),
    "nothing": lambda **who: [f([], **who) for f in (best_many, canonical_many)],
}


def without_work(answer: Any) -> Any:
    """Returns an answer as plain data, without its nodes, updates and seconds."""
    if isinstance(answer, (sudoku.Completions, sudoku.Batch)):
        work = {"nodes", "updates", "seconds"}
        return {name: value for name, value in answer.to_dict().items() if name not in work}
    return [without_work(one) for one in answer] if isinstance(answer, list) else answer.tolist()


@cache
def alone(question: str) -> Any:
    """Returns the answer without workers."""
    return without_work(QUESTIONS[question]())


@pytest.fixture(scope="module", params=["jobs", "processes", *nightly("in any order", "threads", "dask")])
def who(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """The keywords for workers of each kind."""
    with ExitStack() as stack:
        if request.param == "jobs":
            yield {"jobs": 3}
        elif request.param == "dask":
            yield {"executor": stack.enter_context(cluster()).get_executor(), "jobs": 2}
        else:
            makers: dict[str, Callable[[], Any]] = {
                "in any order": lambda: InAnyOrder(5),
                "processes": lambda: ProcessPoolExecutor(2, get_context("spawn")),
                "threads": lambda: ThreadPoolExecutor(2),
            }
            yield {"executor": stack.enter_context(makers[request.param]()), "jobs": 2}


@pytest.mark.parametrize("question", QUESTIONS)
def test_workers_answer_the_same(who: dict[str, Any], question: str) -> None:
    """Whoever works, the answers are the same, in the same order."""
    assert without_work(QUESTIONS[question](**who)) == alone(question)


def test_batches_are_what_each_grid_is() -> None:
    """Scores and completions of a batch are those of its grids one by one, in their order, in any shape."""
    batch = best_many(TARGETS.reshape(-1, 81))
    assert [array.dtype for array in (batch.scores, batch.completions, batch.proven)] == ["int64", "uint8", "bool"]
    assert batch.scores.tolist() == [best(grid).score for grid in TARGETS]
    assert batch.proven.all()
    for grid, score, completion in zip(TARGETS, batch.scores.tolist(), batch.completions, strict=True):
        if score == -1:
            assert not completion.any()
        else:
            check(completion, grid, RING_WEIGHTS, score)
    assert best_many(TARGETS.tolist()).scores.tolist() == batch.scores.tolist()
    weights = np.random.default_rng(1).integers(-5, 6, (9, 9))
    expected = [best(grid, weights=weights).score for grid in TARGETS[:30]]
    assert best_many(TARGETS[:30], weights=weights).scores.tolist() == expected


def test_a_timeout_holds_for_each_grid() -> None:
    """With a timeout of 0, easy grids are proven, and the others have no score."""
    batch = best_many([EMPTY, FULL, EMPTY], timeout=0)
    assert batch.proven.tolist() == [False, True, False]
    assert batch.scores.tolist() == [-1, best(FULL).score, -1]
    assert not batch.completions[[0, 2]].any()


def test_errors_are_the_same() -> None:
    """Wrong input has the same error with workers, and so has a wrong executor, or what only workers can find out."""
    for search in (best_many, canonical_many):
        with pytest.raises(ValueError, match=r"grids\[1\]: "):
            search(["." * 81, "x"], jobs=2)
        with pytest.raises(TypeError, match="no method submit"):
            search([FULL], executor=5)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="jobs"):
            search([FULL], jobs=0)
    with pytest.raises(TypeError, match="neither a parameter nor a limit"):
        best_many([FULL], jobs=2, most=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="rules that are not regions"):
        canonical_many([[0] * 81] * 3, sudoku.Layout.named("non-consecutive"), jobs=2)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler  # also while the error is kept


@pytest.mark.parametrize("layout", [(3, 3), (2, 2)])
def test_limits_hold_for_all_grids(layout: tuple[int, int]) -> None:
    """A limit of all grids together ends a count, and what was counted by then is right."""
    grids = np.zeros((40, (layout[0] * layout[1]) ** 2), dtype=np.uint8)
    for limit in ({"max_covers": 900}, {"max_nodes": 900}, {"timeout": 0}, {"max_covers": 50}):
        found = count_many(grids, 100, layout, **limit)  # type: ignore[arg-type]
        assert found.stopped == next(iter(limit))
        assert set(found.counts.tolist()) <= {-1, 100}
        assert -1 in found.counts
    assert count_many(grids, 100, layout, max_covers=4000).counts.tolist() == [100] * 40


def test_progress_tells_of_all() -> None:
    """`progress` hears of the searches of threads, and not of those of other workers."""
    seen: list[dlx.Progress] = []
    with ProcessPoolExecutor(2) as pool:
        best_many([EMPTY, EMPTY], executor=pool, progress=seen.append)
    assert not seen
    best_many([EMPTY, EMPTY], jobs=2, progress=seen.append)
    assert seen


def raising(error: type[BaseException]) -> Callable[[object], None]:
    """A `progress` that ends the search."""

    def progress(_: object) -> None:
        raise error

    return progress


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_progress_that_stops(jobs: int) -> None:
    """A `progress` that raises KeyboardInterrupt ends the batch as Ctrl-C does; another error is the caller's."""
    batch = best_many([FULL, EMPTY, EMPTY], jobs=jobs, progress=raising(KeyboardInterrupt))
    assert batch.interrupted
    assert not batch.proven[1:].all()
    with pytest.raises(ZeroDivisionError):
        best_many([FULL, EMPTY, EMPTY], jobs=jobs, progress=raising(ZeroDivisionError))


@pytest.mark.posix
def test_killed_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of a pool of processes that are killed are replaced, and nothing is lost by that."""
    true, killed = Crew.step, list[int | None]()

    def step(self: Any, seconds: float) -> Any:
        for child in active_children()[: len(killed) < 3]:
            child.kill()
            killed.append(child.pid)
        return true(self, seconds)

    monkeypatch.setattr(Crew, "step", step)
    for name in ("best", "canonical"):
        killed.clear()
        with ProcessPoolExecutor(2, get_context("fork")) as pool:
            assert without_work(QUESTIONS[name](executor=pool)) == alone(name)
        assert killed


@pytest.mark.posix
def test_a_grid_that_kills(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid that no worker survives ends the work with an error that says where it is."""

    def deadly(true: Callable[..., Any]) -> Callable[..., Any]:
        return lambda grid, *more, **named: true(grid, *more, **named) if np.any(grid) else os._exit(1)

    canonical = sys.modules["sudoku.setting.canonical"]
    for module, name in ((canonical, "_canonical"), (sudoku.many, "bound")):
        monkeypatch.setattr(module, name, deadly(getattr(module, name)))
    grids = SMALL.copy()
    grids[4] = 0
    hard = np.stack([KNOWN["clue17"].grid] * 40)
    hard[:, 0] = 0  # too many completions for all but `bound`
    hard[20] = EMPTY
    tasks: list[Callable[[Any], object]] = [
        lambda pool: canonical_many(grids, (2, 3), executor=pool),
        lambda pool: best_many(hard, executor=pool),
    ]
    for task in tasks:
        message = r"5 workers in a row have died of (one of )?grids\[\d+\]( to grids\[\d+\])? \(Broken"
        with ProcessPoolExecutor(2, get_context("fork")) as pool, pytest.raises(dlx.LostPieceError, match=message):
            task(pool)


@pytest.fixture
def interrupting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sends Ctrl-C when workers have results for the second time; returns a list with the number of these moments."""
    true, moments = Crew.step, list[int]()

    def step(self: Any, seconds: float) -> Any:
        came = list(true(self, seconds))
        if came:
            moments.append(len(came))
            if len(moments) == 2:
                signal.raise_signal(signal.SIGINT)
        return came

    monkeypatch.setattr(Crew, "step", step)
    return moments


def test_an_interrupt_keeps_what_was_found(interrupting: list[int]) -> None:
    """Ctrl-C ends the workers: scores and completions that were found are in the result."""
    batch = best_many(np.zeros((400, 81), dtype=np.uint8), jobs=2)
    assert batch.interrupted
    assert 0 < batch.proven.sum() < 400
    assert (batch.scores[batch.proven] == 2906).all()
    assert (batch.completions[batch.proven].astype(int).sum(axis=(1, 2)) == 405).all()


def test_an_interrupt_is_raised(interrupting: list[int]) -> None:
    """Ctrl-C ends the workers and is raised by functions without a part of an answer."""
    with ProcessPoolExecutor(2) as pool, pytest.raises(KeyboardInterrupt):
        canonical_many(np.broadcast_to(FULL, (20_000, 9, 9)), executor=pool)


def test_an_interrupt_ends_what_threads_are_busy_with(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is heard by the searches of all threads, not only by the main one."""
    true, busy = Loop.report, set[int]()

    def report(self: Any, kernel: Any) -> None:
        true(self, kernel)
        busy.add(threading.get_ident())
        if len(busy) == 2:
            busy.add(0)
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Loop, "report", report)
    batch = best_many(2 * [625 * "."], layout=(5, 5), jobs=2)
    assert batch.interrupted
    assert not batch.proven.any()
