"""Workers, the tasks of a run, and what happens to a task whose worker dies.

Any executor works if its `submit` returns a `concurrent.futures.Future`. A task counts when its result arrives, so a
dead worker loses only its task. Errors of a job arrive as values, so if a future raises, its worker is dead. Then the
task is repeated; after several deaths in a row, LostPieceError is raised. A pool of processes breaks as a whole: it is
replaced, and all of its tasks are repeated. A task that was in two broken pools runs alone, so that the task that kills
workers is found.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from concurrent import futures
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

from dlx.parallel.errors import LostPieceError
from dlx.parallel.worker import Context, Job, Packed, Raised, begin, do
from dlx.problem.checks import UNLIMITED

WAIT = 0.02  # seconds until the caller checks the clock and Ctrl-C again
SUSPECT = 2  # a task runs alone after this many pools in a row have broken with it
TRIES = 5  # a task is an error once this many workers in a row have died with it

Task = TypeVar("Task", bound=Hashable)
Result = TypeVar("Result")


class Workers:
    """The executor of a caller, or threads or processes made here.

    Attributes:
        jobs: the number of workers; default: the number of cores.
        places: the number of tasks that may be in flight.
    """

    def __init__(self, executor: Executor | None, jobs: int | None, threads: bool = True) -> None:
        self.jobs = jobs or os.cpu_count() or 1
        self.places = 2 * self.jobs
        self._executor: Any = executor
        self._own: Executor | None = None
        self._folder: TemporaryDirectory[str] | None = None
        if executor is None and threads:
            self._executor = self._own = ThreadPoolExecutor(self.jobs, "dlx")
        elif executor is None or isinstance(executor, ProcessPoolExecutor):
            self._folder = TemporaryDirectory(prefix="dlx-", ignore_cleanup_errors=True)
        if self._executor is None:
            self.renew()

    def __str__(self) -> str:
        return type(self._executor).__name__

    @property
    def folder(self) -> str | None:
        """The folder for contexts and answers of pool processes; None for other workers."""
        return None if self._folder is None else self._folder.name

    def submit(self, *call: Any) -> Future[Any]:
        """Submits a call to a worker; raises TypeError if `submit` returns no Future, as dask's Client does."""
        future = self._executor.submit(*call)
        if not isinstance(future, Future):
            raise TypeError(
                f"the executor is {self._executor!r}, whose submit returns {future!r}, which is no future of "
                "concurrent.futures; for a client of dask, pass its get_executor()"
            )
        return future

    def renew(self) -> None:
        """Replaces a broken pool of processes by a new one."""
        self._executor = self._own = ProcessPoolExecutor(self.jobs, initializer=begin, initargs=(self.folder, True))

    def cancel(self, future: Future[Any]) -> bool:
        """Cancels a task that has not begun, except in a process pool, which could hang later (CPython 3.11)."""
        return self.folder is None and future.cancel()

    def close(self) -> None:
        """Ends the workers made here and waits for them; a caller's executor keeps running."""
        if self._folder is not None:
            self._folder.cleanup()  # ends our processes, even if one waits for a lock of a dead process
        if self._own is not None:
            self._own.shutdown(cancel_futures=True)
        if self._folder is not None:
            self._folder.cleanup()  # again, since a process may have written an answer in the meantime


class Crew(Generic[Task, Result]):
    """A run of tasks. `job(context, message, is_over)` does a task, and calls `is_over()` a few times per second.

    Parameters:
        workers: the workers.
        job: a module-level function.
        context: the first argument of `job`; each process unpickles it once.
        message: returns the message for a task; None if the task has to wait.
        named: describes a task for the message of a LostPieceError.

    Attributes:
        todo: the waiting tasks.
        flight: the task and the message of each future.
        jobs: the number of workers.
    """

    def __init__(
        self,
        workers: Workers,
        job: Job,
        context: object,
        message: Callable[[Task], Any] = lambda task: task,
        named: Callable[[Task], str] = str,
    ) -> None:
        self.todo: deque[Task] = deque()
        self.flight: dict[Future[Any], tuple[Task, Any]] = {}
        self.jobs = workers.jobs
        self._workers, self._job, self._context = workers, job, Context(context, workers.folder)
        self._message, self._named = message, named
        self._deaths: Counter[Task] = Counter()  # workers that died with a task since its last result
        self._stopped = False

    def room(self) -> int:
        """Returns the number of tasks that can be sent; 0 while a suspect runs."""
        is_alone = any(self._is_suspect(task) for task, _ in self.flight.values())
        return 0 if is_alone else self._workers.places - len(self.flight)

    def step(self, seconds: float = WAIT, most: int = UNLIMITED) -> Iterator[tuple[Task, Result]]:
        """Sends up to `most` tasks; yields tasks that have ended, with results, after up to `seconds`.

        Raises LostPieceError, BrokenExecutor, or the error of a job. Its task is queued again, so the run can go on.
        """
        self._send(most)
        for future in futures.wait(self.flight, seconds, futures.FIRST_COMPLETED).done:
            if future in self.flight:  # a broken pool that was replaced has cleared `flight`
                yield from self._taken(future)

    def stop(self) -> None:
        """Stops the run: no further task begins, and running jobs see that the run is over."""
        self._stopped = True
        self.todo.clear()
        self.flight = {future: sent for future, sent in self.flight.items() if not self._workers.cancel(future)}
        self._context.end()

    def close(self) -> None:
        """Stops the run, drops its results, and ends the workers."""
        self.stop()
        self._workers.close()

    def _send(self, most: int) -> None:
        """Sends up to `most` tasks, as long as workers have room."""
        while most > 0 and self.todo and self.room() > 0 and not self._stopped:
            if self.flight and self._is_suspect(self.todo[0]):
                return
            if (message := self._message(self.todo[0])) is None:
                return
            try:
                future = self._workers.submit(do, self._context, self._job, message)
            except BrokenExecutor as error:
                if self._workers.folder is None:
                    raise
                self._replace([], error)
            else:
                self.flight[future] = self.todo.popleft(), message
            most -= 1

    def _taken(self, future: Future[Any]) -> Iterator[tuple[Task, Result]]:
        """Yields the result of a task, or queues the task again."""
        task, _ = self.flight.pop(future)
        result, error = _outcome(future)
        if isinstance(error, CancelledError) and not self._stopped:
            self.todo.appendleft(task)
            raise BrokenExecutor(f"{self._workers} has cancelled a task; its scheduler may have died")
        if isinstance(error, BrokenExecutor) and self._workers.folder is not None:
            self._replace([task], error)
        elif error is not None:
            self._lose([task], error)
        elif not isinstance(result, Raised):
            del self._deaths[task]
            yield task, result
        elif not self._stopped:
            self.todo.appendleft(task)
            raise result.error

    def _is_suspect(self, task: Task) -> bool:
        """Returns whether a task may have broken process pools and must run alone."""
        return self._workers.folder is not None and self._deaths[task] >= SUSPECT

    def _replace(self, lost: list[Task], error: BaseException) -> None:
        """Replaces a broken process pool and requeues all tasks in flight."""
        lost += [task for task, _ in self.flight.values()]
        self.flight.clear()
        if not self._stopped:
            self._workers.renew()
        self._lose(lost, error)

    def _lose(self, tasks: list[Task], error: BaseException) -> None:
        """Requeues tasks whose workers died; raises LostPieceError if a task has lost too many workers in a row."""
        if self._stopped:
            return
        self.todo.extendleft(reversed(tasks))
        self._deaths.update(tasks)
        if deadly := [task for task in tasks if self._deaths[task] >= TRIES]:
            del self._deaths[deadly[0]]
            reason = f"{type(error).__name__}: {error}"
            raise LostPieceError(f"{TRIES} workers in a row have died of {self._named(deadly[0])} ({reason})")


def _outcome(future: Future[Any]) -> tuple[Any, BaseException | None]:
    """Returns the result of a future, or its error."""
    try:
        if (error := future.exception()) is not None:
            return None, error
        answer = future.result()
        return answer.unpack() if isinstance(answer, Packed) else answer, None
    except Exception as error:  # the future is cancelled, or its result cannot be unpickled
        return None, error
