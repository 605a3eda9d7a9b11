"""Workers who do the numbered tasks of a run, wherever they are, and what becomes of the tasks of those who die.

Any executor of `concurrent.futures` does: threads, processes, or what looks like one, as dask's `get_executor()`. A
task counts when its result comes back, so nothing counts twice, and a worker that dies loses what it was doing and no
more. A pool of processes that has broken is replaced; a task that seems to kill its workers is done again alone, and is
given up after the others if it kills them then, too.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import suppress
from multiprocessing import connection
from typing import Any, Generic, TypeVar

from dlx.checks import UNLIMITED
from dlx.scale.worker import Job, Unknown, attend, cancel, do, remember

TRIES = 3  # times that workers may die with a task among others, and then alone, until it is given up
PATIENCE = 1.0  # seconds with a pool that has not seen that a worker has died

Task = TypeVar("Task")
Result = TypeVar("Result")


class Workers:
    """An executor, and a fresh one when it breaks.

    Parameters:
        executor: what looks like an executor of `concurrent.futures`; or None for one of our own.
        jobs: how many workers it has; None for what it says itself, or else for the processors of this machine.
        threads: whether our own are threads; else they are processes.
    """

    def __init__(self, executor: Executor | None, jobs: int | None, threads: bool = True) -> None:
        self._own: Executor | None = None
        self._over: Any = None  # what processes of our own look at
        if executor is None:
            executor = self._own = ThreadPoolExecutor(jobs, "dlx") if threads else self._processes(jobs)
        self._executor = executor
        self._dead_since = math.inf
        self.jobs = jobs or getattr(executor, "_max_workers", None) or os.cpu_count() or 1

    @property
    def may_cancel(self) -> bool:
        """Whether what has not begun can be cancelled: a pool of processes that breaks then hangs (CPython 3.11)."""
        return not isinstance(self._executor, ProcessPoolExecutor)

    def submit(self, work: Callable[..., Any], *given: object) -> Future[Any]:
        """Hands something to a worker."""
        return self._executor.submit(work, *given)

    def renew(self) -> None:
        """Takes a fresh pool of processes, as large as the one that has broken.

        Raises:
            BrokenExecutor: it was no such pool.
        """
        if not isinstance(self._executor, ProcessPoolExecutor):
            raise BrokenExecutor(f"{self._executor!r} has broken, and only a pool of processes can be replaced")
        self.close()
        old: Any = self._executor
        ways = old._max_workers, old._mp_context, old._initializer, old._initargs
        self._executor = self._own = ProcessPoolExecutor(*ways, max_tasks_per_child=old._max_tasks_per_child)

    def look(self) -> None:
        """Breaks a pool of which a worker has died while it sent a result: it would wait for the rest of it for ever.

        That is so in CPython 3.11 at least. A pool whose worker has died otherwise has broken long before this does it.
        """
        if not isinstance(self._executor, ProcessPoolExecutor):
            return
        pool: Any = self._executor
        processes = list((pool._processes or {}).values())
        with suppress(ValueError):  # one that has been closed meanwhile
            if not connection.wait([process.sentinel for process in processes], 0):
                self._dead_since = math.inf
                return
            self._dead_since = min(self._dead_since, time.monotonic())
            if time.monotonic() - self._dead_since >= PATIENCE:
                _kill(pool)

    def stop(self) -> None:
        """Tells processes of our own that the run is over."""
        if self._over is not None:
            self._over.value = 1

    def close(self, busy: bool = False, wait: bool = True) -> None:
        """Ends what has been made here; the caller's own executor is left to him.

        Parameters:
            busy: whether something is being done still: then processes are killed.
            wait: whether to wait for their end.
        """
        if busy and isinstance(self._own, ProcessPoolExecutor):
            _kill(self._own)
        if self._own is not None:
            self._own.shutdown(wait=wait, cancel_futures=True)

    def _processes(self, jobs: int | None) -> ProcessPoolExecutor:
        self._over = multiprocessing.RawValue("b", 0)  # no lock, which somebody could die with
        return ProcessPoolExecutor(jobs, initializer=attend, initargs=(self._over,))


def _kill(pool: Any) -> None:
    """Kills the processes of a pool, which then breaks."""
    for process in list((pool._processes or {}).values()):
        process.kill()
    pool._result_queue._writer.close()  # nobody writes now, so that reading ends


class Crew(Generic[Task, Result]):
    """A run of numbered tasks.

    Parameters:
        workers: who works.
        job: a function of a module that does a task: it is called with the context, the task, and a function that tells
            whether the run is over, which is to be asked some times in a second.
        context: what all tasks need; other processes are sent it once.
        make: the task of a number, made when a worker is free for it; None for nothing to do now.

    Attributes:
        todo: the numbers that are to be done next, in this order; for the caller to fill.
        lost: the numbers that have killed every worker, and are given up.
        flight: the tasks that are on their way, by their futures.
    """

    def __init__(self, workers: Workers, job: Job, context: object, make: Callable[[int], Task | None]) -> None:
        self.todo: deque[int] = deque()
        self.lost: list[int] = []
        self.flight: dict[Future[Any], tuple[int, Task]] = {}
        self.jobs = workers.jobs
        self._workers, self._job, self._context, self._make = workers, job, context, make
        self._run = uuid.uuid4().hex
        self._suspects: deque[int] = deque()  # they may have killed workers: to be done one at a time
        self._killed: Counter[int] = Counter()
        self._breaks = 0  # before anything has come back
        self._came: list[tuple[int, Result]] = []  # what has not been handed out, since another task has raised
        self._stopped = False
        remember(self._run, context)

    @property
    def is_idle(self) -> bool:
        """Whether nothing is to be done, and nothing being done."""
        return not (self.flight or self.todo or self._suspects or self._came)

    def open(self) -> list[int]:
        """All numbers that have not been done."""
        under_way = [number for number, _ in [*self.flight.values(), *self._came]]
        return [*self.todo, *under_way, *self._suspects, *self.lost]

    def room(self) -> int:
        """How many more tasks may be on their way: a little more than can be done at once."""
        return 2 * self.jobs - len(self.flight)

    def step(self, seconds: float, most: int = UNLIMITED) -> list[tuple[int, Result]]:
        """Gives the workers something to do, and waits for the next results.

        Parameters:
            seconds: how long it waits at most.
            most: how many more tasks it may send.

        Returns:
            Numbers and their results; an empty list if none came in time.

        Raises:
            BrokenExecutor: the executor has broken, and cannot be replaced.
            Exception: what a job has raised; its number is the next to be done again.
        """
        self._submit(most)
        done = wait(self.flight, 0 if self._came else seconds, FIRST_COMPLETED).done
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
        for queue in (self.todo, self._suspects):
            queue.clear()
        if self._workers.may_cancel:
            self.flight = {future: given for future, given in self.flight.items() if not future.cancel()}
        cancel(self._run)
        self._workers.stop()

    def close(self, wait: bool = True) -> None:
        """Ends the run, and what is done now counts no more; waits for workers of our own, which takes a moment."""
        self.stop()
        self._workers.close(busy=bool(self.flight), wait=wait)

    def _submit(self, most: int) -> None:
        if self._stopped:
            return
        if self._suspects:
            if not self.flight:
                self._send(self._suspects)
            return
        while self.todo and most > 0 and self.room() > 0 and not self._suspects and self._send(self.todo):
            most -= 1

    def _send(self, queue: deque[int]) -> bool:
        """Sends the task of the first number in a queue; False if there is none."""
        number = queue[0]
        task = self._make(number)
        if task is None:
            return False
        if self._hand(number, task):
            queue.popleft()
        return True

    def _hand(self, number: int, task: Task, *context: object) -> bool:
        """Hands a task to a worker, unless the executor turns out to have broken: then there is a fresh one."""
        try:
            future = self._workers.submit(do, self._run, self._job, task, *context)
        except BrokenExecutor:
            self._replace()
            return False
        self.flight[future] = number, task
        return True

    def _take(self, future: Future[Any]) -> tuple[int, Result] | None:
        """Takes what a worker has brought back, if it has."""
        if future not in self.flight:  # of an executor that has been replaced
            return None
        number, task = self.flight.pop(future)
        try:
            result = future.result()
        except BrokenExecutor:
            self.flight[future] = number, task
            self._replace()
            return None
        except Exception as error:
            if type(error).__name__ == "KilledWorker":  # what dask says after several workers
                self._accuse(number, TRIES)
                return None
            self.todo.appendleft(number)
            raise
        if isinstance(result, Unknown):
            if not self._stopped and not self._hand(number, task, self._context):
                self.todo.appendleft(number)
            return None
        self._killed.pop(number, None)
        self._breaks = -UNLIMITED
        return number, result

    def _replace(self) -> None:
        """Takes a fresh executor; one of the tasks that were being done may have killed a worker of the old one.

        Raises:
            BrokenExecutor: it cannot be replaced, or its workers die whatever they are given.
        """
        dead = [number for number, _ in self.flight.values()]
        self.flight.clear()
        if self._stopped:
            return
        self._breaks += 1
        if self._breaks > 2 * TRIES:
            raise BrokenExecutor("all workers have died before they had done anything")
        self._workers.renew()
        for number in reversed(dead):
            self._accuse(number, 1)

    def _accuse(self, number: int, times: int) -> None:
        """Notes that workers have died with a task, and when it is to be done again, if ever."""
        self._killed[number] += times
        if self._killed[number] < TRIES:
            self.todo.appendleft(number)
        elif self._killed[number] < 2 * TRIES:
            self._suspects.append(number)
        else:
            self.lost.append(number)
