"""Functions about many grids with workers: as without them, on any executor, within limits, with workers that die."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from multiprocessing import active_children, get_context
from typing import Any

import numpy as np
import pytest
from executors import AtOnce, InAnyOrder, cluster
from known_grids import EASY, EMPTY, FULL, UNSOLVABLE
from plain_grids import drawn
from processes import interrupt
from seeds import nightly

import dlx
import sudoku
import sudoku.sharing
from sudoku import canonical_many, count_many, generate_many, solve_many, unique_many

DRAWN = [drawn(np.random.default_rng(seed), few=20).reshape(9, 9) for seed in range(300)]
MIXED = np.stack([*EASY, *DRAWN, FULL, *UNSOLVABLE.values()])
SMALL = np.array([generate_many(1, seed=seed, layout=(2, 3))[0] for seed in range(9)])

# What is asked of workers, and without them.
QUESTIONS: dict[str, Callable[..., Any]] = {
    "solve": lambda **who: solve_many(MIXED, **who),
    "count": lambda **who: count_many(MIXED, 7, **who),
    "count other": lambda **who: count_many(SMALL, 7, (2, 3), **who),
    "unique": lambda **who: unique_many(MIXED, **who),
    "canonical": lambda **who: canonical_many(MIXED[:200], **who),
    "canonical other": lambda **who: canonical_many(SMALL[:, :4, :4] % 5, (2, 2), **who),
    "nothing": lambda **who: [f([], **who) for f in (solve_many, unique_many, canonical_many)],
    "generate": lambda **who: generate_many(700, seed=3, **who),
    "generate none": lambda **who: generate_many(0, **who),
    "generate sifted": lambda **who: generate_many(
        9, seed=4, symmetry="half-turn", minimal=True, givens=(22, 26), **who
    ),
    "generate hard": lambda **who: sudoku.generate(seed=5, difficulty=(8, 12), **who),
    "generate other": lambda **who: generate_many(5, seed=6, layout=(2, 3), difficulty=0, **who),
}


def said(answer: Any) -> list[Any]:
    """What an answer says, but for the time and the nodes."""
    if isinstance(answer, sudoku.Completions):
        return [answer.counts.tolist(), answer.completions.tolist(), answer.stopped]
    return [said(one) for one in answer] if isinstance(answer, list) else answer.tolist()


@cache
def alone(question: str) -> list[Any]:
    """What is said without workers."""
    return said(QUESTIONS[question]())


@pytest.fixture(scope="module", params=["jobs", "at once", "in any order", "processes", *nightly("threads", "dask")])
def who(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """The keywords for workers of each kind."""
    with ExitStack() as stack:
        if request.param == "jobs":
            yield {"jobs": 3}
        elif request.param == "dask":
            yield {"executor": stack.enter_context(cluster()).get_executor(), "jobs": 2}
        else:
            makers: dict[str, Callable[[], Any]] = {
                "at once": AtOnce,
                "in any order": lambda: InAnyOrder(5),
                "processes": lambda: ProcessPoolExecutor(2),
                "threads": lambda: ThreadPoolExecutor(2),
            }
            yield {"executor": stack.enter_context(makers[request.param]()), "jobs": 2}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.slow
def test_workers_answer_the_same(who: dict[str, Any], question: str) -> None:
    """Whoever works, the answers are the same, in the same order; the same seeds give the same puzzles."""
    assert said(QUESTIONS[question](**who)) == alone(question)


@pytest.mark.slow
def test_the_number_of_jobs_changes_no_puzzle() -> None:
    """A seed gives the same puzzles for any number of jobs, and fewer are the first ones of more."""
    expected = generate_many(15, seed=9, layout=(2, 2))
    for jobs in (1, 2, 5):
        assert np.array_equal(generate_many(15, seed=9, layout=(2, 2), jobs=jobs), expected)
        assert np.array_equal(generate_many(7, seed=9, layout=(2, 2), jobs=jobs), expected[:7])


@pytest.mark.slow
def test_errors_are_the_same() -> None:
    """Wrong input has the same error with workers, and so has a wrong executor, or what only workers can find out."""
    for ask in (solve_many, unique_many, canonical_many):
        with pytest.raises(ValueError, match=r"grids\[1\]: "):
            ask(["." * 81, "x"], jobs=2)
        with pytest.raises(TypeError, match="no method submit"):
            ask([FULL], executor=5)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="jobs"):
            ask([FULL], jobs=0)
    with pytest.raises(TypeError, match="neither a parameter nor a limit"):
        solve_many([FULL], jobs=2, most=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="rules that are no regions"):
        canonical_many([[0] * 81] * 3, sudoku.Layout.named("non-consecutive"), jobs=2)
    with pytest.raises(sudoku.NoPuzzleError) as alone:
        sudoku.generate(seed=5, givens=17, tries=100)
    with pytest.raises(sudoku.NoPuzzleError) as shared:
        sudoku.generate(seed=5, givens=17, tries=100, jobs=2)
    assert str(shared.value) == str(alone.value)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler  # also while the error is kept


@pytest.mark.parametrize("layout", [(3, 3), (2, 2)])
def test_limits_hold_for_all_grids(layout: tuple[int, int]) -> None:
    """A limit of all grids together stops workers, and what was counted by then is right."""
    grids = np.zeros((40, (layout[0] * layout[1]) ** 2), dtype=np.uint8)
    for limit in ({"max_covers": 900}, {"max_nodes": 900}, {"timeout": 0}, {"max_covers": 50}):
        found = count_many(grids, 100, layout, jobs=2, **limit)  # type: ignore[arg-type]
        assert found.stopped == next(iter(limit))
        assert set(found.counts.tolist()) <= {-1, 100}
        assert -1 in found.counts
        assert count_many(grids[:1], 100, layout, jobs=2, max_covers=50).stopped == "max_covers"
    assert count_many(grids, 100, layout, jobs=2, max_covers=4000).counts.tolist() == [100] * 40
    with pytest.raises(TimeoutError):
        unique_many(grids, layout, jobs=2, timeout=0)
    with pytest.raises(TimeoutError):
        generate_many(5, jobs=2, layout=layout, timeout=0)


@pytest.mark.slow
def test_progress_tells_of_all() -> None:
    """`progress` hears of the work of all workers in this process, and can stop them."""
    seen: list[dlx.Progress] = []
    with ProcessPoolExecutor(2) as pool:
        found = count_many(MIXED, 7, executor=pool, progress=seen.append)
    assert (seen[-1].nodes, seen[-1].fraction) == (found.nodes, 1.0)
    assert found.nodes == count_many(MIXED, 7).nodes

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    assert count_many([EMPTY] * 9, 10**9, jobs=2, progress=stop).stopped == "interrupt"


@pytest.mark.slow
@pytest.mark.posix
def test_killed_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of a pool of processes that are killed are replaced, and nothing is lost by that."""
    true, killed = sudoku.sharing.Sharing.step, list[int | None]()

    def step(self: Any, seconds: float) -> Any:
        for child in active_children()[: len(killed) < 3]:
            child.kill()
            killed.append(child.pid)
        return true(self, seconds)

    expected = {name: said(QUESTIONS[name]()) for name in ("count", "canonical", "generate")}
    monkeypatch.setattr(sudoku.sharing.Sharing, "step", step)
    for name, answer in expected.items():
        killed.clear()
        with ProcessPoolExecutor(2, get_context("fork")) as pool:
            assert said(QUESTIONS[name](executor=pool)) == answer
        assert killed


@pytest.mark.slow
@pytest.mark.posix
def test_a_grid_that_kills(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid that no worker survives keeps the count -1, and all others are done; what has no such answer raises."""

    def deadly(grid: Any, *more: Any) -> Any:
        if not np.any(grid):
            os._exit(1)
        return true(grid, *more)

    true: Callable[..., Any] = sudoku.encode
    monkeypatch.setattr(sys.modules["sudoku.solve"], "encode", deadly)
    grids = SMALL.copy()
    grids[4] = 0
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        found = count_many(grids, 2, (2, 3), executor=pool)
        assert found.counts.tolist() == [1, 1, 1, 1, -1, 1, 1, 1, 1]
        with pytest.raises(dlx.LostPieceError, match=r"grids\[4\]"):
            unique_many(grids, (2, 3), executor=pool)
    module = sys.modules["sudoku.setting.canonical"]
    true = module.__dict__["_canonical"]
    monkeypatch.setattr(module, "_canonical", deadly)
    with (
        ProcessPoolExecutor(2, get_context("fork")) as pool,
        pytest.raises(dlx.LostPieceError, match=r"grids\[4\]"),
    ):
        canonical_many(grids, (2, 3), executor=pool)


INTERRUPTED = """
import signal
from concurrent.futures import ProcessPoolExecutor
import numpy as np
import sudoku
from sudoku import sharing

signal.signal(signal.SIGINT, signal.default_int_handler)
true, taken = sharing.Sharing.step, []

def step(self, seconds):
    came = true(self, seconds)
    if came and not taken:
        taken.append(1)
        print("searching", flush=True)
    return came

sharing.Sharing.step = step
grids = np.zeros((20_000, 81), dtype=np.uint8)
try:
    found = ASKED
    assert found.stopped == "interrupt"
    assert {*found.counts.tolist()} == {-1, 3000}
except KeyboardInterrupt:
    print("raised, and ", end="")
print("the program goes on")
"""


@pytest.mark.parametrize("who", ["jobs=2", "executor=ProcessPoolExecutor(2)"])
@pytest.mark.parametrize(
    ("asked", "raised"),
    [
        ("sudoku.count_many(grids, 3000, WHO)", ""),
        ("sudoku.canonical_many(sudoku.solve_many(grids).completions, WHO)", "raised, and "),
        ("sudoku.generate_many(10**9, WHO)", "raised, and "),
    ],
)
@pytest.mark.slow
@pytest.mark.posix
def test_an_interrupt(asked: str, raised: str, who: str) -> None:
    """Ctrl-C ends the workers and not the program: what was counted is there, and elsewhere it is raised."""
    result = interrupt(INTERRUPTED.replace("ASKED", asked.replace("WHO", who)))
    assert (result.stdout, result.stderr, result.returncode) == (f"{raised}the program goes on\n", "", 0)
