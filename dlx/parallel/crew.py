"""Workers that do the tasks of a run, wherever they are, and the fate of the tasks of workers that die.

Any executor of `concurrent.futures` does, or one with the same interface, as dask's `get_executor()`. A task counts as
soon as its result comes back: a worker that dies loses no more than its task. A broken pool of processes is replaced by
processes of our own; a task whose worker has died is done again after the others, and given up after several deaths.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Hashable
from concurrent import futures
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from multiprocessing import connection
from typing import Any, Generic, TypeVar

from dlx.parallel import worker
from dlx.parallel.errors import LostPieceError, NoWorkersError
from dlx.parallel.worker import DiedError, Job, Processes
from dlx.problem.checks import UNLIMITED

WAIT = 0.02  # seconds between two looks at the clock and at Ctrl-C
TRIES = 5  # times in a row that workers may die with a task until it is given up
PATIENCE = 1.0  # seconds with a pool that has not seen that a worker has died

Task = TypeVar("Task", bound=Hashable)
Result = TypeVar("Result")


class Workers:
    """An executor, and processes of our own when it breaks; without one, threads or processes."""

    def __init__(self, executor: Executor | None, jobs: int | None, threads: bool = True) -> None:
        self._over: Any = None  # memory shared with processes of our own
        self._dead_since = math.inf
        self._own: futures.ThreadPoolExecutor | Processes | None = None
        if executor is None:
            self.jobs = jobs or os.cpu_count() or 1
            if threads or multiprocessing.current_process().daemon:  # which may not have processes of its own
                self._own = futures.ThreadPoolExecutor(self.jobs, "dlx")
            else:
                self._over = multiprocessing.RawValue("b", 0)  # no lock, which somebody could die with
                self._own = Processes(self.jobs, begin=worker.attend, given=(self._over,))
        else:
            self.jobs = jobs or getattr(executor, "_max_workers", None) or os.cpu_count() or 1
        self._executor: Any = executor or self._own
        pool: Any = self._executor
        if not self.may_cancel and getattr(pool, "_initializer", worker.begin) is not worker.begin:
            # All processes that a pool starts from now on end with their parent, also those without a task: each holds
            # both ends of the pipe on which it waits for one, so that none sees it end (CPython 3.11).
            pool._initargs = worker.parent_of(pool._mp_context), pool._initializer, pool._initargs
            pool._initializer = worker.begin

    def __str__(self) -> str:
        return type(self._executor).__name__

    @property
    def may_cancel(self) -> bool:
        """Tells whether waiting tasks can be cancelled; a pool of processes that breaks then hangs (CPython 3.11)."""
        return not isinstance(self._executor, futures.ProcessPoolExecutor)

    def submit(self, work: Callable[..., Any], *given: object) -> Future[Any]:
        """Hands something to a worker; raises TypeError if this is no executor, as a client of dask is none."""
        future = self._executor.submit(work, *given)
        if not isinstance(future, Future):
            raise TypeError(
                f"the executor is {self._executor!r}, whose submit returns {future!r}, which is no future of "
                "concurrent.futures; of a client of dask, take get_executor()"
            )
        return future

    def renew(self) -> None:
        """Takes processes of our own instead of a broken pool of processes; raises BrokenExecutor for another one."""
        if self.may_cancel:
            raise BrokenExecutor(f"{self} has broken, and only a pool of processes can be replaced")
        old = self._executor
        self._executor = self._own = Processes(old._max_workers, old._mp_context, old._initializer, old._initargs)

    def look(self) -> None:
        """Breaks a pool of which a worker has died while it sent a result: it would wait for the rest of it for ever.

        That is so in CPython 3.11 at least; a pool whose worker has died otherwise breaks by itself long before.
        """
        if self.may_cancel:
            return
        pool = self._executor
        processes = list((pool._processes or {}).values())
        with suppress(ValueError):  # one that has been closed meanwhile
            if not connection.wait([process.sentinel for process in processes], 0):
                self._dead_since = math.inf
                return
            self._dead_since = min(self._dead_since, time.monotonic())
            if time.monotonic() - self._dead_since >= PATIENCE:
                for process in processes:
                    process.kill()
                pool._result_queue._writer.close()  # nobody writes now, so that reading ends

    def stop(self) -> None:
        """Tells processes of our own that the run is over."""
        if self._over is not None:
            self._over.value = 1

    def close(self, wait: bool = True) -> None:
        """Ends what has been made here, processes at once, and waits for it; a caller's executor is left to him."""
        if self._own is not None:
            self._own.shutdown(wait=wait, cancel_futures=True)


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
        self._began = False  # whether anything has come back
        self._came: list[tuple[Task, Result]] = []  # results that wait, since another task has raised
        self._stopped = False
        worker.remember(self._run, context)

    @property
    def is_idle(self) -> bool:
        return not (self.flight or self.todo or self._came)

    def open(self) -> list[Task]:
        under_way = [task for task, _ in [*self.flight.values(), *self._came]]
        return [*self.todo, *under_way, *self.lost]

    def room(self) -> int:
        """Returns how many more tasks may be on their way: a little more than can be done at once."""
        return 2 * self.jobs - len(self.flight)

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
            raise LostPieceError(f"every worker has died of {self._named(self.lost)}")
        done = futures.wait(self.flight, 0 if self._came else seconds, futures.FIRST_COMPLETED).done
        if not done:
            self._workers.look()
        for future in done:
            if (result := self._take(future)) is not None:
                self._came.append(result)
        came, self._came = self._came, []
        return came

    def stop(self) -> None:
        """Lets the run come to its end: nothing more begins, and what is being done sees that it is over."""
        self._stopped = True
        self.todo.clear()
        if self._workers.may_cancel:
            self.flight = {future: given for future, given in self.flight.items() if not future.cancel()}
        worker.cancel(self._run)
        self._workers.stop()

    def close(self, wait: bool = True) -> None:
        """Ends the run, and what is done now counts no more; waits for workers of our own, which takes a moment."""
        self.stop()
        self._workers.close(wait)

    def _hand(self, task: Task, message: Any, *context: object) -> bool:
        """Hands a task to a worker, unless the executor turns out to have broken: then there is a fresh one."""
        try:
            future = self._workers.submit(worker.do, self._run, self._job, message, *context)
        except BrokenExecutor:
            self._replace()
            return False
        self.flight[future] = task, message
        return True

    def _take(self, future: Future[Any]) -> tuple[Task, Result] | None:
        if future not in self.flight:  # of an executor that has been replaced
            return None
        task, message = self.flight.pop(future)
        try:
            result = future.result()
        except DiedError:
            self._accuse(task)
            return None
        except BrokenExecutor:
            self.flight[future] = task, message
            self._replace()
            return None
        except futures.CancelledError:
            self.todo.appendleft(task)
            raise BrokenExecutor(
                f"{self._workers} has dropped what was being done, as where a scheduler dies"
            ) from None
        except Exception as error:
            if type(error).__name__ == "KilledWorker" or _is_forgotten(error):
                self._accuse(task)  # several have died that may have had it: so dask says
                return None
            self.todo.appendleft(task)
            raise
        if isinstance(result, worker.Unknown):
            if (theirs := getattr(result, "version", "another version")) != worker.version():
                self.todo.appendleft(task)
                where = getattr(result, "where", "a worker")
                raise NoWorkersError(f"{where} has dancing-cover {theirs}; it needs {worker.version()}, as here")
            if not self._stopped and not self._hand(task, message, self._context, worker.version()):
                self.todo.appendleft(task)
            return None
        self._deaths.pop(task, None)
        self._began = True
        return task, result

    def _replace(self) -> None:
        """Takes a fresh executor for all tasks under way, any of which may have killed the old one."""
        under_way = [task for task, _ in self.flight.values()]
        self.flight.clear()
        if not self._stopped:
            self.todo.extendleft(reversed(under_way))
            self._workers.renew()

    def _accuse(self, task: Task) -> None:
        """Notes a death with a task, to be done again after the others or given up; may raise BrokenExecutor."""
        self._deaths[task] += 1
        if self._stopped:
            return
        if self._deaths[task] >= TRIES:
            self.lost.append(task)
        else:
            self.todo.append(task)
        if not self._began and self._deaths.total() > 2 * TRIES * self.jobs:
            raise BrokenExecutor("all workers have died before they had done anything")


def _is_forgotten(error: Exception) -> bool:
    """Tells whether dask has lost a result just when it came: it takes that for the three parts of an exception."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = trace and trace.tb_frame.f_globals.get("__name__")
    return isinstance(error, (TypeError, ValueError)) and where == "distributed.cfexecutor"
