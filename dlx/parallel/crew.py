"""Workers that do the tasks of a run, and the fate of the tasks of workers that die.

Any executor of `concurrent.futures` does, or one with the same interface, as dask's `get_executor()`. A task counts as
soon as its result comes back, so a worker that dies loses no more than its task. Errors of a job come back as values:
any exception of a future is a lost worker. The task is done again after the others, and given up after several deaths.
When a pool of processes breaks, pools of one process each take its place, which tell whose task has killed.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import uuid
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent import futures
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

from dlx.parallel import worker
from dlx.parallel.errors import LostPieceError, NoWorkersError
from dlx.parallel.worker import Job, Packed, Raised, Unknown
from dlx.problem.checks import UNLIMITED

WAIT = 0.02  # seconds between two looks at the clock and at Ctrl-C
TRIES = 5  # a task is given up when so many workers in a row have died with it

Task = TypeVar("Task", bound=Hashable)
Result = TypeVar("Result")


class Apart:
    """Pools of one process each: a process that dies breaks nothing but its own pool, which is replaced."""

    def __init__(self, jobs: int, folder: str) -> None:
        self._folder = folder
        self._pools = [self._pool() for _ in range(jobs)]
        self._idle = [*range(jobs)]

    def submit(self, work: Callable[..., Any], *given: object) -> Future[Any]:
        """Hands something to an idle process, or to the first one if all are busy with a run that is over."""
        k = self._idle.pop() if self._idle else 0
        try:
            with _no_interrupts():
                future = self._pools[k].submit(work, *given)
        except BrokenExecutor:
            self._pools[k] = self._pool()
            self._idle.append(k)
            return self.submit(work, *given)
        future.add_done_callback(lambda _: self._idle.append(k))
        return future

    def shutdown(self, wait: bool) -> None:
        for pool in self._pools:
            pool.shutdown(wait=wait, cancel_futures=True)

    def _pool(self) -> ProcessPoolExecutor:
        parent = None if multiprocessing.get_start_method() == "forkserver" else os.getpid()
        return ProcessPoolExecutor(1, initializer=worker.begin, initargs=(parent, self._folder))


class Workers:
    """The executor of a caller, or threads or processes of our own."""

    def __init__(self, executor: Executor | None, jobs: int | None, threads: bool = True) -> None:
        self.jobs = jobs or os.cpu_count() or 1
        self._executor: Any = executor
        self._own: ThreadPoolExecutor | Apart | None = None
        self._folder: TemporaryDirectory[str] | None = None
        if executor is None and (threads or multiprocessing.current_process().daemon):  # which may have no processes
            self._executor = self._own = ThreadPoolExecutor(self.jobs, "dlx")
        elif executor is None or isinstance(executor, ProcessPoolExecutor):
            self._folder = TemporaryDirectory(prefix="dlx-", ignore_cleanup_errors=True)
        if self._executor is None:
            self.renew()

    def __str__(self) -> str:
        return type(self._executor).__name__

    @property
    def places(self) -> int:
        """How many tasks may be under way: a few more than can be done at once, but for processes apart."""
        return self.jobs if isinstance(self._own, Apart) else 2 * self.jobs

    @property
    def folder(self) -> str | None:
        """Where processes of this machine put their answers."""
        return None if self._folder is None else self._folder.name

    @property
    def is_pool(self) -> bool:
        """Whether this is a pool of processes of a caller, which breaks as a whole."""
        return isinstance(self._executor, ProcessPoolExecutor)

    def submit(self, *given: Any) -> Future[Any]:
        """Hands something to a worker; raises TypeError if this is no executor, as a client of dask is none."""
        future = self._executor.submit(*given)
        if not isinstance(future, Future):
            raise TypeError(
                f"the executor is {self._executor!r}, whose submit returns {future!r}, which is no future of "
                "concurrent.futures; of a client of dask, take get_executor()"
            )
        return future

    def renew(self) -> None:
        """Takes processes of our own instead of a broken pool of processes."""
        assert self.folder is not None
        self._executor = self._own = Apart(self.jobs, self.folder)

    def begin(self, run: str) -> None:
        """Notes a run for processes of this machine."""
        if self.folder is not None:
            Path(self.folder, run).touch()

    def end(self, run: str) -> None:
        """Tells processes of this machine that a run is over."""
        if self.folder is not None:
            Path(self.folder, run).unlink(missing_ok=True)

    def cancel(self, future: Future[Any]) -> bool:
        """Cancels a task that has not begun; a pool of processes that breaks then would hang (CPython 3.11)."""
        return self.folder is None and future.cancel()

    def close(self, wait: bool = True) -> None:
        """Ends what has been made here, and waits for it; a caller's executor is left to him."""
        if self._folder is not None:
            self._folder.cleanup()  # whereupon our processes end
        if isinstance(self._own, ThreadPoolExecutor):
            self._own.shutdown(wait=wait, cancel_futures=True)
        elif self._own is not None:
            self._own.shutdown(wait)


class Crew(Generic[Task, Result]):
    """A run of tasks: `job(context, message, is_over)` does one, and asks `is_over()` some times in a second.

    A task is taken from `todo`, or else from `source`; its message is made when a worker is free, None for not now.
    """

    def __init__(
        self,
        workers: Workers,
        job: Job,
        context: object,
        message: Callable[[Task], Any] = lambda task: task,
        source: Callable[[], Task | None] = lambda: None,
        named: Callable[[list[Task]], str] = lambda lost: f"{lost[0]}; what does not need it is done",
    ) -> None:
        self.todo: deque[Task] = deque()
        self.lost: list[Task] = []  # have killed every worker; the caller may take them out
        self.flight: dict[Future[Any], tuple[Task, Any]] = {}
        self.jobs = workers.jobs
        self._workers, self._job, self._context = workers, job, context
        self._message, self._source, self._named = message, source, named
        self._run = uuid.uuid4().hex
        self._deaths: Counter[Task] = Counter()  # of workers that had a task, since it has last come back
        self._losses = 0  # since anything has come back
        self._reason = ""  # of the last loss; the error itself would keep the frames of the search
        self._came: list[tuple[Task, Result]] = []  # results that wait, since another task has raised
        self._stopped = False
        worker.remember(self._run, context)
        workers.begin(self._run)

    @property
    def is_idle(self) -> bool:
        return not (self.flight or self.todo or self._came)

    def open(self) -> list[Task]:
        under_way = [task for task, _ in [*self.flight.values(), *self._came]]
        return [*self.todo, *under_way, *self.lost]

    def room(self) -> int:
        """Returns how many more tasks may be under way."""
        return self._workers.places - len(self.flight)

    def send(self, most: int = UNLIMITED) -> None:
        """Sends the next tasks, as long as there are any and a worker may soon be free."""
        while most > 0 and self.room() > 0 and not self._stopped:
            if not self.todo and (task := self._source()) is not None:
                self.todo.append(task)
            if not self.todo or (message := self._message(self.todo[0])) is None:
                return
            if self._hand(self.todo[0], message):
                self.todo.popleft()
            most -= 1

    def step(self, seconds: float = WAIT, most: int = UNLIMITED) -> list[tuple[Task, Result]]:
        """Sends up to `most` tasks, and returns the next tasks with their results, none if none came in time.

        Raises LostPieceError, BrokenExecutor, NoWorkersError, or the error of a job, whose task is then the next.
        """
        self.send(most)
        if self.lost and self.is_idle:
            raise LostPieceError(f"every worker has died of {self._named(self.lost)} ({self._reason})")
        for future in futures.wait(self.flight, 0 if self._came else seconds, futures.FIRST_COMPLETED).done:
            if (result := self._take(future)) is not None:
                self._came.append(result)
        came, self._came = self._came, []
        return came

    def stop(self) -> None:
        """Lets the run come to its end: nothing more begins, and what is being done sees that it is over."""
        self._stopped = True
        self.todo.clear()
        self.flight = {future: given for future, given in self.flight.items() if not self._workers.cancel(future)}
        worker.cancel(self._run)
        self._workers.end(self._run)

    def close(self, wait: bool = True) -> None:
        """Ends the run, and what is done now counts no more; waits for workers of our own, which takes a moment."""
        self.stop()
        self._workers.close(wait)

    def _hand(self, task: Task, message: Any, *context: object) -> bool:
        """Hands a task to a worker, unless the pool turns out to have broken: then there is a fresh one."""
        try:
            future = self._workers.submit(worker.do, self._run, self._job, message, self._workers.folder, *context)
        except BrokenExecutor:
            if not self._workers.is_pool:
                raise
            self._replace()
            return False
        self.flight[future] = task, message
        return True

    def _take(self, future: Future[Any]) -> tuple[Task, Result] | None:
        if future not in self.flight:  # of a pool that has been replaced
            return None
        task, message = self.flight.pop(future)
        result, error = _outcome(future)
        if error is not None:
            self._lose(task, error)
            return None
        if isinstance(result, Unknown):
            self._send_context(task, message, result)
            return None
        self._deaths.pop(task, None)
        self._losses = 0
        if isinstance(result, Raised):
            self.todo.appendleft(task)
            raise result.error
        return task, result

    def _send_context(self, task: Task, message: Any, answer: Unknown) -> None:
        """Sends a task once more to a worker that does not know the run; raises NoWorkersError for another version."""
        if answer.version != worker.version():
            self.todo.appendleft(task)
            needed = f"it needs {worker.version()}, as here"
            raise NoWorkersError(f"{answer.where} has dancing-cover {answer.version}; {needed}")
        if not self._stopped and not self._hand(task, message, self._context, worker.version()):
            self.todo.appendleft(task)

    def _lose(self, task: Task, error: BaseException) -> None:
        """Has a task done again whose worker has died, any of those in a pool that has broken."""
        if self._workers.is_pool and isinstance(error, BrokenExecutor):
            self.todo.appendleft(task)
            self._replace()
        else:
            self._accuse(task, error)

    def _replace(self) -> None:
        """Takes fresh processes for all tasks under way, any of which may have broken the pool."""
        under_way = [task for task, _ in self.flight.values()]
        self.flight.clear()
        if not self._stopped:
            self.todo.extendleft(reversed(under_way))
            self._workers.renew()

    def _accuse(self, task: Task, error: BaseException) -> None:
        """Notes a death with a task, to be done again after the others or given up; may raise BrokenExecutor."""
        self._deaths[task] += 1
        self._losses += 1
        self._reason = f"{type(error).__name__}: {error}"
        if self._stopped:
            return
        (self.todo if self._deaths[task] < TRIES else self.lost).append(task)
        if self._losses >= TRIES * (2 * self.jobs + 1):  # more than some deadly tasks would take
            raise BrokenExecutor(f"{self._workers} loses every task: {self._reason}")


def _outcome(future: Future[Any]) -> tuple[Any, BaseException | None]:
    """Returns the answer of a future, or its error, which is not raised: its frames would keep the search alive."""
    try:
        if (error := future.exception()) is not None:
            return None, error
        answer = future.result()
        return answer.unpack() if isinstance(answer, Packed) else answer, None
    except Exception as error:  # it is cancelled, or cannot be read
        return None, error.with_traceback(None)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Keeps Ctrl-C from a process that is being forked; it leaves it to the main program from its beginning."""
    if multiprocessing.get_start_method() != "fork":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
