"""Workers of a run: every task is done once, whoever works, dies, or has never heard of it, until it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tasks
from executors import AtOnce, InAnyOrder, Noting
from processes import run as program
from seeds import for_seeds, tries
from waiting import until

from dlx.parallel import worker
from dlx.parallel.crew import Crew, Workers
from dlx.parallel.errors import NoWorkersError


@contextmanager
def run(
    executor: Executor | None,
    job: Callable[..., Any],
    context: object,
    numbers: int,
    jobs: int | None = 2,
    threads: bool = True,
    message: Callable[[int], int | None] = lambda number: number,
) -> Iterator[Crew[int, Any]]:
    """A run of tasks which are their own numbers."""
    crew: Crew[int, Any] = Crew(Workers(executor, jobs, threads), job, context, message)
    crew.todo.extend(range(numbers))
    try:
        yield crew
    finally:
        crew.close()


def results(crew: Crew[int, Any]) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []

    def idle() -> bool:
        found.extend(crew.step(0.05))
        assert len(crew.flight) <= 2 * crew.jobs
        return crew.is_idle

    until(idle)
    return found


@for_seeds(200)
def test_each_task_is_done_once(seed: int) -> None:
    """Tasks are done once each: at once, by threads, in any order, and however few are sent at a time."""
    rng = np.random.default_rng([seed, 51])
    context, jobs = tuple(rng.integers(0, 100, size=rng.integers(1, 30)).tolist()), int(rng.integers(1, 5))
    executor = [AtOnce(), InAnyOrder(seed), None][seed % 3]
    found: list[tuple[int, int]] = []
    with run(executor, tasks.shifted, context, len(context), jobs) as crew:
        while not crew.is_idle:
            there = [number for number, _ in found]
            assert sorted([*crew.open(), *there]) == [*range(len(context))]
            found += crew.step(0.01, int(rng.integers(0, 4)))
    assert sorted(found) == [*enumerate(context)]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_processes_are_sent_the_context_once(way: str, tmp_path: Path) -> None:
    """Processes that cannot know the context are sent it with the first tasks only, and those that are forked never.

    No task ends before each process has begun one, and so has the context: those under way then are all that need it.
    """
    context = tasks.Meeting(str(tmp_path), 2)
    with Noting(2, get_context(way)) as pool, run(pool, tasks.together, context, 100) as crew:
        assert sorted(results(crew)) == [(k, 10 * k) for k in range(100)]
        sent = sum(given is context for given in pool.tasks)
    assert len(list(tmp_path.iterdir())) == 2
    assert sent == 0 if way == "fork" else 1 <= sent <= 2 * crew.jobs


def test_workers_forget_old_contexts() -> None:
    """A worker keeps a few contexts that it has been sent, and asks for others again."""
    for k in range(worker.KEPT + 1):
        assert worker.do(f"run {k}", tasks.shifted, 0, (k,)) == k
    assert isinstance(worker.do("run 0", tasks.shifted, 0), worker.Unknown)
    assert worker.do(f"run {worker.KEPT}", tasks.shifted, 0) == worker.KEPT


@pytest.mark.posix
def test_workers_of_another_version() -> None:
    """Workers of another version are given no task, nor do they take one that comes with its context."""
    with ProcessPoolExecutor(1, get_context("fork"), initializer=tasks.be_another) as pool:
        assert pool.submit(int, "3").result() == 3  # it has begun, and knows of no run
        with (
            run(pool, tasks.shifted, (1, 2), 2) as crew,
            pytest.raises(NoWorkersError, match=r"process \d+ on .* has dancing-cover 0\.0\.1; it needs"),
        ):
            results(crew)
        answer = pool.submit(worker.do, "run", tasks.shifted, 0, (1, 2), worker.version()).result()
        assert isinstance(answer, worker.Unknown)
        assert answer.version == "0.0.1"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["fork", "spawn"])
@pytest.mark.posix
def test_workers_that_die(way: str, tmp_path: Path) -> None:
    """Tasks of workers that die are done again by fresh ones; those that go on killing are given up, after the rest."""
    context = tasks.Deadly(str(tmp_path), {3: 1, 7: 2, 20: 99})
    with ProcessPoolExecutor(2, get_context(way)) as pool, run(pool, tasks.deadly, context, 30) as crew:
        found = results(crew)
        assert crew.lost == [20]
    assert sorted(found) == [(k, 10 * k) for k in range(30) if k != 20]


@pytest.mark.slow
def test_workers_that_are_killed() -> None:
    """No task is lost or done twice when workers are killed from outside, at any time."""
    with run(None, tasks.slow, 10**6, 12, threads=False) as crew:
        found = list[tuple[int, int]]()
        for k in range(5):
            while len(found) < 12 * k + 4:
                found += crew.step(0.05)
            active_children()[0].kill()
            crew.todo.extend(range(12 * (k + 1), 12 * (k + 2)))
        found += results(crew)
    assert sorted(found) == [(k, 10 * k) for k in range(72)]


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "killed"), [(2, 1), (8, 8)])
def test_killed_at_rest(jobs: int, killed: int) -> None:
    """Workers that are killed while they wait hold up nobody, neither others nor the end, and no task is accused."""
    for _ in range(tries(16)):
        with run(None, tasks.shifted, (5, 6, 7), 3, jobs, threads=False) as crew:
            assert sorted(results(crew)) == [(0, 5), (1, 6), (2, 7)]
            for child in active_children()[:killed]:
                child.kill()
            until(lambda: killed == 1 or not active_children())
            crew.todo.extend([0, 1, 2])
            assert (sorted(results(crew)), crew.lost) == ([(0, 5), (1, 6), (2, 7)], [])
            active_children()[-1].kill()
    assert not active_children()


@pytest.mark.parametrize("threads", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_job_that_raises(threads: bool, tmp_path: Path) -> None:
    """The error of a job is the caller's, who may go on: then the task is done again."""
    with run(None, tasks.raising, str(tmp_path), 12, threads=threads) as crew:
        found, errors = [], []
        while not crew.is_idle:
            try:
                found += crew.step(0.05)
            except OSError as error:
                errors.append(str(error))
    assert sorted(errors) == ["task 0", "task 3", "task 6", "task 9"]
    assert sorted(found) == [(k, 10 * k) for k in range(12)]


def test_a_task_that_is_not_ready() -> None:
    """Nothing is sent as long as the first task has no message; then all is done."""
    ready: list[int] = []
    with run(AtOnce(), tasks.shifted, (5, 6), 2, message=lambda number: number if ready else None) as crew:
        assert crew.step(0) == []
        ready.append(1)
        assert sorted(results(crew)) == [(0, 5), (1, 6)]


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "processes"])
def test_stop(threads: bool, tmp_path: Path) -> None:
    """The two of ten tasks that are being done see that the run is over, and their results come."""
    with run(None, tasks.endless, str(tmp_path), 10, threads=threads) as crew:
        until(lambda: crew.step(0.01) or {"0", "1"} <= {path.name for path in tmp_path.iterdir()})
        crew.stop()
        came = []
        while crew.flight:
            came += crew.step(1.0)
    assert {result for _, result in came} == {"over"}
    assert {0, 1} <= {number for number, _ in came} < set(range(10))
    assert crew.step(0) == []


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "processes"])
def test_close(threads: bool, tmp_path: Path) -> None:
    """Threads see that the run is over, processes are killed; nobody is left, and the other tasks never begin."""
    before = set(threading.enumerate())  # threads of other tests may still come to their end
    with run(None, tasks.endless if threads else tasks.deaf, str(tmp_path), 10, jobs=3, threads=threads) as crew:
        until(lambda: crew.step(0.01) or len(list(tmp_path.iterdir())) == 3)
        futures = [*crew.flight]
        own = [thread for thread in threading.enumerate() if thread not in before]
        assert len(own) == 3
    done = [future for future in futures if not future.cancelled()]
    assert (len(futures), len(done), len(list(tmp_path.iterdir()))) == (6, 3, 3)
    assert not threads or {future.result() for future in done} == {"over"}
    assert not any(thread.is_alive() for thread in own)
    assert active_children() == []


def test_a_pool_of_the_caller_is_left_to_him() -> None:
    """A caller's pool works after the run as before, and a closed run leaves nothing behind."""
    before = set(worker._OWN)
    with ThreadPoolExecutor(1) as pool:
        with run(pool, tasks.shifted, (1, 2), 2) as crew:
            assert sorted(results(crew)) == [(0, 1), (1, 2)]
        assert pool.submit(int, "3").result() == 3
    assert set(worker._OWN) == before


@pytest.mark.slow
@pytest.mark.posix
def test_workers_that_never_live() -> None:
    """A pool whose workers die at once is the caller's to mend."""
    with (
        ProcessPoolExecutor(2, get_context("fork"), initializer=tasks.die) as pool,
        run(pool, tasks.shifted, (1,), 30) as crew,
        pytest.raises(BrokenExecutor, match="before they had done anything"),
    ):
        results(crew)


# Executors that are odd


class Odd(AtOnce):
    """Does everything at once, and hands out what becomes of its futures."""

    def __init__(self, becomes: Callable[[Future[Any], int], Any]) -> None:
        self._becomes = becomes

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
        return self._becomes(super().submit(work, *given), given[2])


def broken(future: Future[Any], task: int) -> None:
    """Nothing can be done."""
    raise BrokenExecutor("broken")


def dropped(future: Future[Any], task: int) -> Future[Any]:
    """It is cancelled, as by dask without its scheduler."""
    future = Future()
    future.cancel()
    future.set_running_or_notify_cancel()
    return future


@pytest.mark.parametrize(
    ("becomes", "error", "message"),
    [
        (broken, BrokenExecutor, "Odd has broken, and only a pool of processes can be replaced"),
        (dropped, BrokenExecutor, "Odd has dropped what was being done"),
        (lambda *_: "future", TypeError, r"take get_executor\(\)"),  # as a client of dask has futures of its own
    ],
)
def test_executors_that_do_nothing(becomes: Callable[..., Any], error: type[Exception], message: str) -> None:
    """The error names the executor, and no task is lost."""
    with run(Odd(becomes), tasks.shifted, (1, 2), 2) as crew:
        with pytest.raises(error, match=message):
            crew.step(0)
        assert sorted(crew.open()) == [0, 1]


class KilledWorker(Exception):  # noqa: N818  (dask's name)
    """As dask's."""


def failed(future: Future[Any], error: Exception) -> Future[Any]:
    """The future of what has raised an error."""
    future = Future()
    future.set_exception(error)
    return future


def test_what_dask_says_of_a_killer() -> None:
    """A task of which workers of dask die again and again is given up, after the others."""
    killing = Odd(lambda future, task: failed(future, KilledWorker()) if task == 1 else future)
    with run(killing, tasks.shifted, (4, 5, 6), 3) as crew:
        assert sorted(results(crew)) == [(0, 4), (2, 6)]
        assert crew.lost == [1]


def test_results_that_dask_forgets() -> None:
    """A result that dask takes for the three parts of an exception is made again; any other error is the caller's."""
    statements = ["typ, exc, tb = range(4)"] * 3 + ["{}[1]"]

    def forgotten(future: Future[Any], task: int) -> Future[Any]:
        try:
            exec(statements.pop(0) if statements else "", {"__name__": "distributed.cfexecutor"})
        except Exception as error:
            return failed(future, error)
        return future

    with run(Odd(forgotten), tasks.shifted, (4, 5), 1) as crew:
        with pytest.raises(KeyError):
            results(crew)
        assert (results(crew), crew.lost, statements) == ([(0, 4)], [], [])


def test_crews_are_loaded_when_they_are_asked_for() -> None:
    """`dlx.extending` has them, but neither pools nor multiprocessing are loaded before."""
    ended = program(
        "import sys, dlx.extending as e; print('concurrent.futures' in sys.modules); e.Crew;"
        "print('concurrent.futures' in sys.modules); e.Crow"
    )
    assert ended.stdout == "False\nTrue\n"
    assert "AttributeError: module 'dlx.extending' has no attribute 'Crow'" in ended.stderr
