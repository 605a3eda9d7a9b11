"""Workers of a run: every task is done once, whoever works, dies, or has never heard of it, until it is stopped."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tasks
from executors import AtOnce, InAnyOrder, Noting
from processes import environment
from processes import run as program
from seeds import for_seeds, tries
from waiting import WAIT, until

from dlx.parallel import worker
from dlx.parallel.crew import Crew, Workers
from dlx.parallel.errors import LostPieceError, NoWorkersError


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
        assert worker.do(f"run {k}", tasks.shifted, 0, None, (k,)) == k
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
        answer = pool.submit(worker.do, "run", tasks.shifted, 0, None, (1, 2), worker.version()).result()
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
    """Threads see that the run is over, processes end; nobody is left, and the other tasks never begin."""
    before = set(threading.enumerate())  # threads of other tests may still come to their end
    with run(None, tasks.endless if threads else tasks.deaf, str(tmp_path), 10, jobs=3, threads=threads) as crew:
        until(lambda: crew.step(0.01) or len(list(tmp_path.iterdir())) == 3)
        futures = [*crew.flight]
        own = [thread for thread in threading.enumerate() if thread not in before]
    done = [future for future in futures if not future.cancelled()]
    assert (len(done), len(list(tmp_path.iterdir()))) == (3, 3)
    assert not threads or {future.result() for future in done} == {"over"}
    until(lambda: not any(thread.is_alive() for thread in own))
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
    """A pool of the caller whose workers die at once is replaced; those that die of every task are an error."""
    with (
        ProcessPoolExecutor(2, get_context("fork"), initializer=tasks.die) as pool,
        run(pool, tasks.shifted, (1,), 1) as crew,
    ):
        assert results(crew) == [(0, 1)]
    with (
        run(None, tasks.deadly, tasks.Deadly("/dev", dict.fromkeys(range(30), 99)), 30, threads=False) as crew,
        pytest.raises(BrokenExecutor, match="Apart loses every task: BrokenProcessPool"),
    ):
        results(crew)


# Processes


@pytest.mark.slow
@pytest.mark.parametrize("who", ["own", "pool"])
@pytest.mark.posix
def test_killed_while_they_send(who: str) -> None:
    """Workers that are killed again and again, mostly while they send a large result, hold up nobody."""
    with ProcessPoolExecutor(2, get_context("fork")) if who == "pool" else nullcontext() as pool:
        with run(pool, tasks.large, 1_000_000, 40, threads=False) as crew:
            found, killed = list[tuple[int, Any]](), 0
            while not crew.is_idle:
                came = crew.step(0.005)
                found += came
                if came and killed < 10 and (children := active_children()):
                    children[killed % len(children)].kill()
                    killed += 1
        assert killed == 10
        assert sorted(task for task, _ in found) == [*range(40)]
        assert all(len(result) == 1_000_000 and set(result) == {task} for task, result in found)


@pytest.mark.slow
@pytest.mark.parametrize("who", ["own", "pool"])
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


@pytest.mark.posix
def test_nothing_is_left(tmp_path: Path) -> None:
    """Runs by processes leave no process, no open file and no folder."""
    before = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0
    for k in range(3):
        with run(None, tasks.large, 10**6, 4, threads=False) as crew:
            folder = Path(crew._workers.folder or "")
            crew.step(1.0)
        assert not folder.exists()
        if before:
            open_files = len(list(Path("/proc/self/fd").iterdir()))
            before = open_files if k == 0 else before
            assert open_files <= before
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
    crew = Crew(workers, tasks.shifted, tuple(range(100)))
    crew.todo.extend(range(100))
    while not crew.is_idle:
        crew.step()
    print(len(active_children()), workers.folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.parametrize("pool", [False, True])
@pytest.mark.posix
def test_they_end_with_their_program(pool: bool) -> None:
    """Idle processes whose program is killed end: its output, which they hold, ends; they remove their folder."""
    out = program(BEGIN.format(pool=pool)).stdout.split()
    assert int(out[0]) >= 1
    until(lambda: not Path(out[1]).exists())


FORKSERVER = """
import multiprocessing, signal
import tasks
from dlx.parallel.crew import Crew, Workers

def mask() -> None:
    print(signal.pthread_sigmask(signal.SIG_BLOCK, []), flush=True)

if __name__ == "__main__":
    multiprocessing.set_start_method("forkserver")
    lock = multiprocessing.Lock()
    crew = Crew(Workers(None, 1, threads=False), tasks.shifted, (8,))
    crew.todo.append(0)
    while not crew.is_idle:
        for result in crew.step(9.0):
            print(result, flush=True)
    user = multiprocessing.Process(target=mask)
    user.start()
    user.join()
    crew.close()
"""


@pytest.mark.slow
@pytest.mark.posix
def test_others_can_be_interrupted(tmp_path: Path) -> None:
    """A server that forks processes, ours and others, blocks no signals."""
    path = tmp_path / "program.py"
    path.write_text(FORKSERVER)
    ended = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment(), timeout=WAIT)
    assert (ended.stdout.split("\n"), ended.stderr) == (["(0, 8)", "set()", ""], "")


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
        (lambda *_: "future", TypeError, r"take get_executor\(\)"),  # as a client of dask has futures of its own
    ],
)
def test_executors_that_take_nothing(becomes: Callable[..., Any], error: type[Exception], message: str) -> None:
    """The error is the executor's, and no task is lost."""
    with run(Odd(becomes), tasks.shifted, (1, 2), 2) as crew:
        with pytest.raises(error, match=message):
            crew.step(0)
        assert sorted(crew.open()) == [0, 1]


@pytest.mark.parametrize("numbers", [5, 10_000])
def test_executors_that_lose_everything(numbers: int) -> None:
    """An executor that loses task after task has broken, however many tasks there are."""
    with (
        run(Odd(lambda *_: failed(CancelledError("no scheduler"))), tasks.shifted, (), numbers) as crew,
        pytest.raises(BrokenExecutor, match="Odd loses every task: CancelledError: no scheduler"),
    ):
        results(crew)


def failed(error: Exception) -> Future[Any]:
    """The future of what has raised an error."""
    future: Future[Any] = Future()
    future.set_exception(error)
    return future


class KilledWorker(Exception):  # noqa: N818  (dask's name)
    """As dask's."""


@pytest.mark.parametrize("error", [KilledWorker("died"), BrokenExecutor(), CancelledError(), ValueError("2 values")])
@pytest.mark.parametrize("deaths", [1, 99])
def test_errors_of_futures(error: Exception, deaths: int) -> None:
    """A future that raises, whatever it is, has lost its worker: the task is done again, or given up after the others.

    dask raises its KilledWorker, CancelledError where the scheduler dies, and others where it loses a result.
    """
    left = [error] * deaths

    def killing(future: Future[Any], task: int) -> Future[Any]:
        return failed(left.pop()) if task == 1 and left else future

    with run(Odd(killing), tasks.shifted, (4, 5, 6), 3) as crew:
        assert sorted(results(crew)) == [(0, 4), (1, 5), (2, 6)][:: 2 if deaths > 1 else 1]
        assert crew.lost == [1] * (deaths > 1)
        if deaths > 1:
            reason = re.escape(f"({type(error).__name__}: {error})")
            with pytest.raises(LostPieceError, match=f"died of 1; what does not need it is done {reason}"):
                crew.step()


def test_crews_are_loaded_when_they_are_asked_for() -> None:
    """`dlx.extending` has them, but neither pools nor multiprocessing are loaded before."""
    ended = program(
        "import sys, dlx.extending as e; print('concurrent.futures' in sys.modules); e.Crew;"
        "print('concurrent.futures' in sys.modules); e.Crow"
    )
    assert ended.stdout == "False\nTrue\n"
    assert "AttributeError: module 'dlx.extending' has no attribute 'Crow'" in ended.stderr
