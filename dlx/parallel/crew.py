"""Workers that do the tasks of a run, and what becomes of the tasks of workers that die.

Any executor does whose `submit` returns a `concurrent.futures.Future`. A task counts when its result comes back, so a
worker that dies loses no more than its task. Errors of a job come back as values, so a future that raises anything has
lost its worker. The task is done again after the others, and given up after several deaths. A pool of processes breaks
as a whole: it is replaced, and all of its tasks are done again. Tasks that were in two broken pools are done one at a
time, so that the task that kills is found.
"""

from __future__ import annotations

import multiprocessing
import os
import uuid
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from concurrent import futures
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Generic, TypeVar

from dlx.parallel import worker
from dlx.parallel.errors import LostPieceError
from dlx.parallel.worker import Job, Packed, Raised, Sent, Unknown
from dlx.problem.checks import UNLIMITED

WAIT = 0.02  # seconds until the caller checks the clock and Ctrl-C again
SUSPECT = 2  # pools of processes in a row that broke with a task before it is done alone
TRIES = 5  # workers in a row that died with a task before it is given up

Task = TypeVar("Task", bound=Hashable)
Result = TypeVar("Result")


class Workers:
    """The executor of a caller, or threads or processes made here.

    Attributes:
        jobs: the number of workers; default: the number of cores.
        places: the number of tasks that may be under way at the same time.
    """

    def __init__(self, executor: Executor | None, jobs: int | None, threads: bool = True) -> None:
        self.jobs = jobs or os.cpu_count() or 1
        self.places = 2 * self.jobs
        self._executor: Any = executor
        self._own: Executor | None = None
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
    def folder(self) -> str | None:
        """The folder where processes of a pool put their answers; None for other workers."""
        return None if self._folder is None else self._folder.name

    def submit(self, *call: Any) -> Future[Any]:
        """Submits a call to a worker; raises TypeError if this is no executor, as a client of dask is none."""
        future = self._executor.submit(*call)
        if not isinstance(future, Future):
            raise TypeError(
                f"the executor is {self._executor!r}, whose submit returns {future!r}, which is no future of "
                "concurrent.futures; of a client of dask, take get_executor()"
            )
        return future

    def renew(self) -> None:
        """Replaces a broken pool of processes by one made here."""
        assert self._folder is not None
        jobs = min(self.jobs, 61) if os.name == "nt" else self.jobs  # Windows cannot wait for more processes
        self._executor = self._own = ProcessPoolExecutor(jobs, initializer=worker.begin, initargs=(self._folder.name,))

    def begin(self, run: str) -> None:
        """Creates the file that tells the processes of a pool that a run goes on."""
        if self.folder is not None:
            Path(self.folder, run).touch()

    def end(self, run: str) -> None:
        """Removes the file, so that the processes of a pool see that a run is over."""
        if self.folder is not None:
            Path(self.folder, run).unlink(missing_ok=True)

    def cancel(self, future: Future[Any]) -> bool:
        """Cancels a task that has not begun; a pool of processes that breaks afterwards would hang (CPython 3.11)."""
        return self.folder is None and future.cancel()

    def close(self, wait: bool = True) -> None:
        """Ends the workers that were made here, and waits for them; the executor of a caller goes on."""
        if self._folder is not None:
            self._folder.cleanup()  # whereupon processes made here end
        if self._own is not None:
            self._own.shutdown(wait, cancel_futures=True)
        if self._folder is not None:
            self._folder.cleanup()  # again: a process may have written an answer meanwhile


class Crew(Generic[Task, Result]):
    """A run of tasks: `job(context, message, is_over)` does one, and calls `is_over()` some times in a second.

    Parameters:
        workers: who does the tasks.
        job, context: a function of a module, and its first argument, which is sent to each worker once.
        message: returns the message for a task when a worker is free; None if the task has to wait.
        source: returns the next task when `todo` is empty; None if there is none.
        named: describes lost tasks for the message of a LostPieceError.

    Attributes:
        todo: the tasks that wait.
        lost: the tasks that were given up; the caller may take them out.
        flight: the task and the message of each future.
        jobs: the number of workers.
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
        self.lost: list[Task] = []
        self.flight: dict[Future[Any], tuple[Task, Any]] = {}
        self.jobs = workers.jobs
        self._workers, self._job, self._context = workers, job, context
        self._message, self._source, self._named = message, source, named
        self._sent: Sent | None = None  # the pickled context, once a worker has asked for it
        self._run = uuid.uuid4().hex
        self._deaths: Counter[Task] = Counter()  # workers that died with a task since it last came back
        self._losses = 0  # tasks lost since anything came back
        self._reason = ""  # the error of the last loss, as text: the error itself would keep the frames of the search
        self._came: list[tuple[Task, Result]] = []  # results that wait because another task has raised
        self._stopped = False
        worker.remember(self._run, context)
        workers.begin(self._run)

    @property
    def is_idle(self) -> bool:
        return not (self.flight or self.todo or self._came)

    def open(self) -> list[Task]:
        """Returns all tasks whose results the caller has not got."""
        return [*self.todo, *(task for task, _ in [*self.flight.values(), *self._came]), *self.lost]

    def room(self) -> int:
        """Returns the number of tasks that can be sent; none beside a suspect."""
        is_alone = any(self._is_suspect(task) for task, _ in self.flight.values())
        return 0 if is_alone else self._workers.places - len(self.flight)

    def send(self, most: int = UNLIMITED) -> None:
        """Sends up to `most` tasks, as long as workers have room."""
        while most > 0 and self.room() > 0 and not self._stopped:
            if not self.todo and (task := self._source()) is not None:
                self.todo.append(task)
            if not self.todo or (self.flight and self._is_suspect(self.todo[0])):
                return
            if (message := self._message(self.todo[0])) is None:
                return
            if self._submit(self.todo[0], message):
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
            if future in self.flight and (result := self._take(future)) is not None:
                self._came.append(result)
        came, self._came = self._came, []
        return came

    def stop(self) -> None:
        """Lets the run come to its end: nothing more begins, and what is being done sees that it is over."""
        self._stopped = True
        self.todo.clear()
        self.flight = {future: sent for future, sent in self.flight.items() if not self._workers.cancel(future)}
        worker.cancel(self._run)
        self._workers.end(self._run)

    def close(self, wait: bool = True) -> None:
        """Ends the run without the results of its tasks, and ends the workers."""
        self.stop()
        self._workers.close(wait)

    def _submit(self, task: Task, message: Any, sent: Sent | None = None) -> bool:
        """Submits a task, and returns True; if a pool of processes has broken, replaces it, and returns False."""
        try:
            future = self._workers.submit(worker.do, self._run, self._job, message, self._workers.folder, sent)
        except BrokenExecutor as error:
            if self._workers.folder is None:
                raise
            self._replace([], error)
            return False
        self.flight[future] = task, message
        return True

    def _take(self, future: Future[Any]) -> tuple[Task, Result] | None:
        """Returns a task with its result; None if it has to be done again. Raises the error of a job."""
        task, message = self.flight.pop(future)
        result, error = _outcome(future)
        if isinstance(error, CancelledError) and not self._stopped:
            self.todo.appendleft(task)
            raise BrokenExecutor(f"{self._workers} has cancelled a task, as it does if its scheduler has died")
        if isinstance(error, BrokenExecutor) and self._workers.folder is not None:
            self._replace([task], error)
        elif error is not None:
            self._lose([task], error)
        elif isinstance(result, Unknown):
            self._send_context(task, message)
        else:
            del self._deaths[task]
            self._losses = 0
            if isinstance(result, Raised):
                self.todo.appendleft(task)
                raise result.error
            return task, result
        return None

    def _send_context(self, task: Task, message: Any) -> None:
        """Sends a task once more, with the context, to a worker that does not know the run."""
        if self._sent is None:
            self._sent = Sent.of(self._context)
        if not self._stopped and not self._submit(task, message, self._sent):
            self.todo.appendleft(task)

    def _is_suspect(self, task: Task) -> bool:
        """Returns whether a task may have broken some pools of processes, and has to be done alone."""
        return self._workers.folder is not None and self._deaths[task] >= SUSPECT

    def _replace(self, lost: list[Task], error: BaseException) -> None:
        """Replaces a broken pool of processes, which has lost all tasks under way."""
        lost += [task for task, _ in self.flight.values()]
        self.flight.clear()
        if not self._stopped:
            self._workers.renew()
        self._lose(lost, error)

    def _lose(self, tasks: Iterable[Task], error: BaseException) -> None:
        """Notes the deaths of workers with some tasks, to be done again after the others or given up.

        Raises BrokenExecutor after more losses than some deadly tasks would cause.
        """
        self._reason = f"{type(error).__name__}: {error}"
        for task in tasks:
            self._deaths[task] += 1
            self._losses += 1
            if not self._stopped:
                (self.todo if self._deaths[task] < TRIES else self.lost).append(task)
        if self._losses >= TRIES * (2 * self.jobs + 1) and not self._stopped:
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
