"""Workers of a run: every task is done once, whoever works, dies, or has never heard of the run."""

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
from seeds import for_seeds
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
) -> Iterator[Crew[int, Any]]:
    """A run of tasks which are their own numbers."""
    crew: Crew[int, Any] = Crew(Workers(executor, jobs, threads), job, context, lambda number: number)
    crew.todo.extend(range(numbers))
    try:
        yield crew
    finally:
        crew.close()


def results(crew: Crew[int, Any]) -> list[tuple[int, Any]]:
    """All that comes back."""
    found: list[tuple[int, Any]] = []

    def idle() -> bool:
        found.extend(crew.step(0.05))
        assert len(crew.flight) <= 2 * crew.jobs
        return crew.is_idle

    until(idle)
    return found


@for_seeds(200)
def test_each_task_is_done_once(seed: int) -> None:
    """In this process, at once, by threads and in any order, with any limits on what is sent at a time."""
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
    """They are given no task, and neither do they take one that comes with its context."""
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
    """Whoever is killed from outside, at any time, no task is lost or done twice."""
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
def test_many_killed_at_rest() -> None:
    """Of workers that have died while they had nothing to do, no task is accused."""
    with run(None, tasks.shifted, (5, 6), 1, jobs=8, threads=False) as crew:
        assert results(crew) == [(0, 5)]
        for child in active_children():
            child.kill()
        until(lambda: not active_children())
        crew.todo.append(1)
        assert (results(crew), crew.lost) == ([(1, 6)], [])


@pytest.mark.slow
def test_killed_at_rest() -> None:
    """Workers that are killed while they wait for something to do hold up nobody: neither the others nor the end."""
    for _ in range(20):
        with run(None, tasks.shifted, (5, 6, 7), 3, threads=False) as crew:
            assert sorted(results(crew)) == [(0, 5), (1, 6), (2, 7)]
            active_children()[0].kill()
            crew.todo.extend([0, 1, 2])
            assert sorted(results(crew)) == [(0, 5), (1, 6), (2, 7)]
            active_children()[-1].kill()
    assert not active_children()


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_job_that_raises(processes: bool, tmp_path: Path) -> None:
    """Its error is the caller's, who may go on: then the task is done again."""
    with run(None, tasks.raising, str(tmp_path), 12, threads=not processes) as crew:
        found, errors = [], []
        while not crew.is_idle:
            try:
                found += crew.step(0.05)
            except OSError as error:
                errors.append(str(error))
    assert sorted(errors) == ["task 0", "task 3", "task 6", "task 9"]
    assert sorted(found) == [(k, 10 * k) for k in range(12)]


@pytest.mark.slow
def test_results_that_cannot_be_sent() -> None:
    """They raise the error of pickle, and nothing hangs."""
    with run(None, tasks.unsendable, (1,), 1, threads=False) as crew, pytest.raises(TypeError, match="cannot be sent"):
        results(crew)


def test_a_task_that_is_not_ready() -> None:
    """While there is none for the first number, nothing is sent; then all is done."""
    ready: list[int] = []
    crew: Crew[int, int] = Crew(
        Workers(AtOnce(), 2), tasks.shifted, (5, 6), lambda number: number if number in ready else None
    )
    crew.todo.extend([0, 1])
    assert crew.step(0) == []
    ready += [0, 1]
    assert sorted(results(crew)) == [(0, 5), (1, 6)]
    crew.close()


def test_closing_while_threads_run(tmp_path: Path) -> None:
    """What is being done sees that the run is over, what has not begun never begins, and the threads end."""
    before = set(threading.enumerate())  # threads of other tests may still come to their end
    with run(None, tasks.endless, str(tmp_path), 10, jobs=3) as crew:
        until(lambda: crew.step(0.01) or len(list(tmp_path.iterdir())) == 3)
        futures = [*crew.flight]
        threads = [thread for thread in threading.enumerate() if thread not in before]
        assert len(threads) == 3
    assert sum(future.cancelled() for future in futures) == 3
    assert {future.result() for future in futures if not future.cancelled()} == {"over"}
    assert not any(thread.is_alive() for thread in threads)


def test_a_pool_of_the_caller_is_left_to_him() -> None:
    """It works after the run as before, and a closed run leaves nothing behind."""
    before = set(worker._OWN)
    with ThreadPoolExecutor(1) as pool:
        with run(pool, tasks.shifted, (1, 2), 2) as crew:
            assert sorted(results(crew)) == [(0, 1), (1, 2)]
        assert pool.submit(int, "3").result() == 3
    assert set(worker._OWN) == before


class Broken(AtOnce):
    """Cannot do anything."""

    def submit(self, *_: Any, **__: Any) -> Any:
        """Says so."""
        raise BrokenExecutor("broken")


def test_an_executor_that_cannot_be_replaced() -> None:
    """Its name is in the error."""
    with (
        run(Broken(), tasks.shifted, (1,), 1) as crew,
        pytest.raises(BrokenExecutor, match="Broken has broken, and only a pool of processes can be replaced"),
    ):
        crew.step(0)


def test_an_executor_that_drops_its_tasks() -> None:
    """Tasks that the executor has cancelled, as dask does without its scheduler, are an error, and none is lost."""

    class Dropping(AtOnce):
        """Cancels all."""

        def submit(self, *_: Any, **__: Any) -> Any:
            future: Future[Any] = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with run(Dropping(), tasks.shifted, (1, 2), 2) as crew:
        with pytest.raises(BrokenExecutor, match="Dropping has dropped what was being done"):
            crew.step(0)
        assert sorted(crew.open()) == [0, 1]


def test_what_is_no_executor() -> None:
    """Futures of another kind, such as a client of dask returns, are refused, with what to take instead."""

    class Client(AtOnce):
        """Has futures of its own."""

        def submit(self, *_: Any, **__: Any) -> Any:
            return "future"

    with run(Client(), tasks.shifted, (1, 2), 2) as crew, pytest.raises(TypeError, match=r"take get_executor\(\)"):
        crew.step(0)


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


def test_what_dask_says_of_a_killer() -> None:
    """A task of which workers of dask die again and again is given up, after the others."""

    class KilledWorker(Exception):  # noqa: N818  (dask's name)
        """As dask's."""

    class Dask(AtOnce):
        """Loses all workers with task 1."""

        def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
            future = super().submit(work, *given)
            if given[2] == 1:
                future._exception = KilledWorker("task 1")
            return future

    with run(Dask(), tasks.shifted, (4, 5, 6), 3) as crew:
        assert sorted(results(crew)) == [(0, 4), (2, 6)]
        assert crew.lost == [1]
