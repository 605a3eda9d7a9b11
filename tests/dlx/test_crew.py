"""Workers of a run: every task is done once, whoever works, dies, or has never heard of it, until it is stopped."""

from __future__ import annotations

import os
import pickle
import re
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tasks
from executors import AtOnce, InAnyOrder
from processes import run as program
from seeds import Nightly, for_seeds, nightly
from waiting import until

from dlx.parallel import worker
from dlx.parallel.crew import Crew, Workers
from dlx.parallel.errors import LostPieceError
from dlx.parallel.worker import Context


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


def open_tasks(crew: Crew[int, Any]) -> list[int]:
    return [*crew.todo, *(task for task, _ in crew.flight.values())]


def is_idle(crew: Crew[int, Any]) -> bool:
    return not open_tasks(crew)


def results(crew: Crew[int, Any]) -> list[tuple[int, Any]]:
    found: list[tuple[int, Any]] = []

    def idle() -> bool:
        found.extend(crew.step(0.05))
        assert len(crew.flight) <= 2 * crew.jobs
        return is_idle(crew)

    until(idle)
    return found


@for_seeds(200)
def test_each_task_is_done_once(seed: int) -> None:
    """Tasks are done once each: at once, by threads, in any order, however few are sent, and however late."""
    rng = np.random.default_rng([seed, 51])
    context, jobs = tuple(rng.integers(0, 100, size=rng.integers(1, 30)).tolist()), int(rng.integers(1, 5))
    executor = [AtOnce(), InAnyOrder(seed), None][seed % 3]
    found: list[tuple[int, int]] = []

    def message(number: int) -> int | None:
        return number if rng.random() < 0.5 else None

    with run(executor, tasks.shifted, context, len(context), jobs, message=message) as crew:
        while not is_idle(crew):
            came = [number for number, _ in found]
            assert sorted([*open_tasks(crew), *came]) == [*range(len(context))]
            found += crew.step(0.01, int(rng.integers(0, 4)))
    assert sorted(found) == [*enumerate(context)]


@pytest.mark.parametrize("way", ["fork", *nightly("spawn", "forkserver")])
def test_processes_unpickle_the_context_once(way: str, tmp_path: Path) -> None:
    """Each process of a pool unpickles the context with its first task only."""
    context = tasks.Meeting(str(tmp_path), 2)
    with ProcessPoolExecutor(2, get_context(way)) as pool, run(pool, tasks.together, context, 100) as crew:
        assert sorted(results(crew)) == [(k, 10 * k) for k in range(100)]
    assert sorted(path.read_text() for path in tmp_path.iterdir()) == ["unpickled once"] * 2


def test_workers_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers without a common folder have the context from the task; those of another version are named."""
    sent = pickle.loads(pickle.dumps(Context((5, 6), None)))
    assert (worker.do(sent, tasks.shifted, 1), sent.is_over()) == (6, False)
    monkeypatch.setattr(worker, "version", lambda: "0.0.1")
    error = worker.do(sent, tasks.shifted, 1).error
    assert isinstance(error, RuntimeError)
    assert re.match(r"process \d+ on .* has dancing-cover 0\.0\.1; the search needs ", str(error))


@pytest.mark.parametrize("way", ["fork", *nightly("spawn")])
@pytest.mark.posix
def test_workers_that_die(way: str, tmp_path: Path) -> None:
    """Tasks of workers that die are done again by fresh ones; each that goes on killing is named."""
    deadly, named = {20, 21, 22, 29}, list[int]()
    context = tasks.Deadly(str(tmp_path), {3: 1, 7: 2, **dict.fromkeys(deadly, 99)})
    with ProcessPoolExecutor(2, get_context(way)) as pool, run(pool, tasks.deadly, context, 30) as crew:
        found = list[tuple[int, Any]]()
        while not is_idle(crew):
            try:
                found += crew.step(0.05)
            except LostPieceError as error:
                whole = re.fullmatch(r"5 workers in a row have died of (\d+) \(BrokenProcessPool: .*\)", str(error))
                named.append(int(whole[1] if whole else -1))
                crew.todo.remove(named[-1])
    assert sorted(named) == sorted(deadly)
    assert sorted(found) == [(k, 10 * k) for k in range(30) if k not in deadly]


@pytest.mark.parametrize(("jobs", "killed"), [(2, 1), (8, 8)])
def test_killed_at_rest(jobs: int, killed: int) -> None:
    """Workers that are killed while they wait hold up nobody, neither others nor the end, and no task is accused."""
    for _ in range(16 if Nightly.on else 2):
        with run(None, tasks.shifted, (5, 6, 7), 3, jobs, threads=False) as crew:
            assert sorted(results(crew)) == [(0, 5), (1, 6), (2, 7)]
            for child in active_children()[:killed]:
                child.kill()
            until(lambda: killed == 1 or not active_children())
            crew.todo.extend([0, 1, 2])
            assert sorted(results(crew)) == [(0, 5), (1, 6), (2, 7)]
            for child in active_children()[-1:]:
                child.kill()
    assert not active_children()


@pytest.mark.parametrize("threads", [True, pytest.param(False)])
def test_a_job_that_raises(threads: bool, tmp_path: Path) -> None:
    """The error of a job is the caller's, who may go on: then the task is done again."""
    with run(None, tasks.raising, str(tmp_path), 12, threads=threads) as crew:
        found, errors = list[tuple[int, int]](), list[str]()
        while not is_idle(crew):
            try:
                found += crew.step(0.05)
            except OSError as error:
                errors.append(str(error))
    assert sorted(errors) == ["task 0", "task 3", "task 6", "task 9"]
    assert sorted(found) == [(k, 10 * k) for k in range(12)]


@pytest.mark.parametrize("threads", [True, False], ids=["threads", "processes"])
def test_stop(threads: bool, tmp_path: Path) -> None:
    """The tasks that are being done see that the run is over, and their results come; then nobody is left."""
    before = set(threading.enumerate())  # threads of other tests may still come to their end
    with run(None, tasks.endless, str(tmp_path), 10, threads=threads) as crew:
        until(lambda: [*crew.step(0.01)] or {"0", "1"} <= {path.name for path in tmp_path.iterdir()})
        own = [thread for thread in threading.enumerate() if thread not in before]
        crew.stop()
        came = list[tuple[int, str]]()
        while crew.flight:
            came += crew.step(1.0)
        assert list(crew.step(0)) == []
    assert {result for _, result in came} == {"over"}
    assert {0, 1} <= {number for number, _ in came} < set(range(10))
    until(lambda: not any(thread.is_alive() for thread in own))
    assert active_children() == []


# Processes


@pytest.mark.posix
def test_interrupts_between_tasks() -> None:
    """A process of a pool ignores Ctrl-C from its first task on: it might be holding a lock of the pool."""
    with ProcessPoolExecutor(1, get_context("fork")) as pool, run(pool, tasks.shifted, (5, 6), 2) as crew:
        results(crew)
        before = pool.submit(os.getpid).result()
        os.kill(before, signal.SIGINT)
        crew.todo.extend([0, 1])
        assert sorted(results(crew)) == [(0, 5), (1, 6)]
        assert pool.submit(os.getpid).result() == before


@pytest.mark.parametrize("who", ["own", *nightly("pool")])
@pytest.mark.posix
def test_killed_while_they_send(who: str) -> None:
    """Workers that are killed again and again, mostly while they send a large result, hold up nobody."""
    with ProcessPoolExecutor(2, get_context("fork")) if who == "pool" else nullcontext() as pool:
        with run(pool, tasks.large, 1_000_000, 40, threads=False) as crew:
            found, killed = list[tuple[int, Any]](), 0
            while not is_idle(crew):
                came = list(crew.step(0.005))
                found += came
                if came and killed < 10 and (children := active_children()):
                    children[killed % len(children)].kill()
                    killed += 1
        assert killed == 10
        assert sorted(task for task, _ in found) == [*range(40)]
        assert all(len(result) == 1_000_000 and set(result) == {task} for task, result in found)


@pytest.mark.parametrize("who", ["own", *nightly("pool")])
@pytest.mark.posix
def test_what_cannot_be_sent(who: str) -> None:
    """Results that cannot be sent, and errors that cannot, are errors of their task."""
    with ProcessPoolExecutor(2, get_context("fork")) if who == "pool" else nullcontext() as pool:
        for job, error, message in (
            (tasks.unsendable, TypeError, "it cannot be sent"),
            (tasks.stubborn, RuntimeError, "StubbornError: 1 and 2"),
        ):
            with run(pool, job, 0, 1, threads=False) as crew, pytest.raises(error, match=message):
                results(crew)


@pytest.mark.posix("/proc/self/fd")
def test_nothing_is_left() -> None:
    """Runs by processes leave no process, no open file and no folder."""
    open_files = []
    for _ in range(3):
        with run(None, tasks.large, 10**6, 4, threads=False) as crew:
            folder = Path(crew._workers.folder or "")
            list(crew.step(1.0))
        assert not folder.exists()
        open_files.append(len(list(Path("/proc/self/fd").iterdir())))
    assert open_files[-1] <= open_files[0]
    assert not active_children()


BEGIN = """
import os, signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, get_context
import tasks
from dlx.parallel.crew import Crew, Workers

if __name__ == "__main__":
    pool = ProcessPoolExecutor(8, get_context("fork")) if {pool} else None
    workers = Workers(pool, 8, threads=False)
    crew = Crew(workers, tasks.together, tasks.Meeting({folder!r}, 8))  # each process takes a task
    crew.todo.extend(range(16))
    while crew.todo or crew.flight:
        list(crew.step())
    print(len(active_children()), workers.folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("pool", [False, *nightly(True)])
@pytest.mark.posix
def test_they_end_with_their_program(pool: bool, tmp_path: Path) -> None:
    """Processes that have had a task end with their program: its output, which they hold, ends; so does the folder."""
    out = program(BEGIN.format(pool=pool, folder=str(tmp_path))).stdout.split()
    assert int(out[0]) >= 1
    until(lambda: not Path(out[1]).exists())


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


@pytest.mark.parametrize(
    ("becomes", "error", "message"),
    [
        (broken, BrokenExecutor, "broken"),
        (lambda *_: "future", TypeError, r"pass its get_executor\(\)"),  # as a client of dask has futures of its own
        (lambda *_: failed(CancelledError()), BrokenExecutor, "Odd has cancelled a task; its scheduler may have died"),
        (lambda *_: failed(KilledWorker("no room")), LostPieceError, r"died of \d+ \(KilledWorker: no room\)"),
    ],
)
@pytest.mark.parametrize("numbers", [5, 10_000])
def test_executors_that_do_nothing(
    becomes: Callable[..., Any], error: type[Exception], message: str, numbers: int
) -> None:
    """The error is the executor's, however many tasks there are, and no task is lost."""
    with run(Odd(becomes), tasks.shifted, (), numbers) as crew:
        with pytest.raises(error, match=message):
            results(crew)
        assert sorted(open_tasks(crew)) == [*range(numbers)]


def failed(error: Exception) -> Future[Any]:
    """The future of what has raised an error."""
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


class KilledWorker(Exception):  # noqa: N818  (dask's name)
    """As dask's."""


@pytest.mark.parametrize("error", [KilledWorker("died"), BrokenExecutor(), ValueError("2 values")])
@pytest.mark.parametrize("deaths", [1, 12])
def test_errors_of_futures(error: Exception, deaths: int) -> None:
    """A future that raises, whatever it is, has lost its worker: the task is done again; the fifth time it is named.

    dask raises its KilledWorker, and others where it loses a result.
    """
    left = [error] * deaths

    def killing(future: Future[Any], task: int) -> Future[Any]:
        return failed(left.pop()) if task == 1 and left else future

    with run(Odd(killing), tasks.shifted, (4, 5, 6), 3) as crew:
        found, errors = list[tuple[int, int]](), list[str]()
        while not is_idle(crew):
            try:
                found += crew.step(0.05)
            except LostPieceError as lost:
                errors.append(str(lost))
    assert sorted(found) == [(0, 4), (1, 5), (2, 6)]
    assert errors == [f"5 workers in a row have died of 1 ({type(error).__name__}: {error})"] * (deaths // 5)
