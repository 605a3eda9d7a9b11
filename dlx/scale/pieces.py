"""A search in pieces on an executor, as the loop runs it: a kernel like others, seen from above.

Any executor of `concurrent.futures` does: threads, processes, or what looks like one, as dask's `get_executor()`. Each
piece goes on in slices of up to a second, one after the other, wherever there is a worker; what a slice has found
counts when it comes back, so nothing counts twice, and with a worker that dies a second is lost.
"""

from __future__ import annotations

import math
import os
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Sequence
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
from dataclasses import dataclass
from multiprocessing import connection
from typing import Any

import numpy as np

from dlx.checks import UNLIMITED
from dlx.engine import KernelName
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.limits import Limits
from dlx.problem import Problem
from dlx.scale.errors import LostPieceError
from dlx.scale.parts import Piece
from dlx.scale.work import Block, Done, Task, cancel, nameless, remember, work

WAIT = 0.02  # seconds between two looks at the clock and at Ctrl-C
TRIES = 3  # times that workers may die with a piece among others, and then alone, until it is given up
FIRST_SLICE = 0.05  # seconds; each one of a piece takes twice as long as the one before,
SLICE = 1.0  # until they take so many: how long a worker goes without being asked
PATIENCE = 1.0  # seconds with a pool that has not seen that a worker has died


@dataclass(slots=True)
class Part:
    """A piece, and how far it is.

    Attributes:
        piece: which one.
        mark: where its search stands; None at the beginning, and at the end.
        covers, nodes, updates: how many there have been so far.
        is_done: whether it has come to its end.
        seconds: how long its next slice may take.
    """

    piece: Piece
    mark: list[int] | None = None
    covers: int = 0
    nodes: int = 0
    updates: int = 0
    is_done: bool = False
    seconds: float = FIRST_SLICE

    def take(self, done: Done) -> None:
        """Goes on to where a slice has come."""
        self.covers += done.covers
        self.nodes += done.nodes
        self.updates += done.updates
        self.mark, self.is_done = done.mark, done.mark is None
        self.seconds = min(SLICE, 2 * self.seconds)


class Workers:
    """An executor, and a fresh one when it breaks.

    Parameters:
        executor: what looks like an executor of `concurrent.futures`; or None for threads.
        jobs: how many workers it has; None for what it says itself, or else for the processors of this machine.
    """

    def __init__(self, executor: Executor | None, jobs: int | None) -> None:
        self._own: Executor | None = None
        if executor is None:
            executor = self._own = ThreadPoolExecutor(jobs, "dlx")
        self._executor = executor
        self._dead_since = math.inf
        self.jobs = jobs or getattr(executor, "_max_workers", None) or os.cpu_count() or 1

    def submit(self, task: Task) -> Future[Done]:
        """Hands a task to a worker."""
        return self._executor.submit(work, task)

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
        """Breaks a pool of which a worker has died while it sent covers: it would wait for the rest of them for ever.

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
                for process in processes:
                    process.kill()
                pool._result_queue._writer.close()  # nobody writes now, so that reading ends

    def close(self) -> None:
        """Ends what has been made here; the caller's own executor is left to him."""
        if self._own is not None:
            self._own.shutdown(wait=isinstance(self._own, ThreadPoolExecutor), cancel_futures=True)


class Pieces:
    """A search in pieces; what the loop runs (`dlx.kernels.Finder`).

    Parameters:
        problem: what to cover.
        parts: its pieces, in the order in which they are to be begun, as far as they have come.
        workers: who works.
        kernel: the kernel that runs.
        rows: how many covers to hand out at a time, or 0 if they are only counted.
        ordered: whether the covers come in the order of the pieces; else they come as they are found.
        limits: how many nodes and covers there may be.
        note: called with the number of a part whenever it has come further.
        ends: called when the run is closed.
    """

    name = "pieces"

    def __init__(
        self,
        problem: Problem,
        parts: Sequence[Part],
        workers: Workers,
        *,
        kernel: KernelName = "auto",
        rows: int = 0,
        ordered: bool = False,
        limits: Limits = Limits(),  # noqa: B008  (it cannot be changed)
        note: Callable[[int], object] | None = None,
        ends: Callable[[], object] | None = None,
    ) -> None:
        self.parts = parts
        self._workers, self._kernel, self._rows, self._ordered, self._note = workers, kernel, rows, ordered, note
        self.limits, self._ends = limits, ends
        self._run = uuid.uuid4().hex
        self._problem = nameless(problem)
        self._todo = deque(k for k, part in enumerate(parts) if not part.is_done)
        self._flight: dict[Future[Done], Task] = {}
        self._suspects: deque[int] = deque()  # pieces that may have killed workers: to be done one at a time
        self._killed: Counter[int] = Counter()
        self._lost: list[int] = []
        self._breaks = 0  # before anything has come back
        self._blocks: dict[int, deque[Block]] = {}  # covers of a part that have come, and have not been handed out
        self._next = 0  # if `ordered`, the part whose covers are handed out
        self._buffer = np.empty((rows, problem.max_level), dtype=np.int32)
        self.filled = self._handed = 0
        remember(self._run, self._problem)

    # What the loop asks

    @property
    def nodes(self) -> int:
        """The options tried so far, as far as workers have told."""
        return sum(part.nodes for part in self.parts)

    @property
    def updates(self) -> int:
        """The steps of the data structures so far."""
        return sum(part.updates for part in self.parts)

    @property
    def covers(self) -> int:
        """The covers counted so far, or handed out."""
        return self._handed if self._rows else sum(part.covers for part in self.parts)

    @property
    def doing(self) -> str:
        """How many pieces have been done, in words."""
        return f"{sum(part.is_done for part in self.parts)} of {len(self.parts)} pieces"

    def fraction(self) -> float:
        """The part of the search that is done, by the estimates of the pieces."""
        total = sum(part.piece.nodes for part in self.parts)
        done = sum(p.piece.nodes if p.is_done else min(p.nodes, 0.95 * p.piece.nodes) for p in self.parts)
        return done / total if total else 1.0

    def check(self) -> None:
        """Raises an AssertionError if a piece is lost or there twice; to be called between two runs, by tests."""
        there = [*self._todo, *(task.number for task in self._flight.values()), *self._suspects, *self._lost]
        open_ = [k for k, part in enumerate(self.parts) if not part.is_done]
        assert sorted({*there, *self._blocks}) == sorted({*open_, *self._blocks}), "a piece is lost"
        assert len(there) == len(set(there)), "a piece is there twice"

    def found(self) -> Block:
        """The covers in the buffer: a row for each, option numbers in the order of choice, then -1."""
        return self._buffer[: self.filled]

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Hands out covers if there are any; else waits a moment for workers, and gives them something to do.

        Raises:
            LostPieceError: only pieces are left that kill their workers.
            BrokenExecutor: the executor has broken, and cannot be replaced.
        """
        last = self._handed + covers
        if self._rows and self._hand_out(last):
            return BUFFER_FULL
        self._submit()
        if not self._flight and not self._blocks and not self._todo and not self._suspects:
            if self._lost:
                chosen = [list(self.parts[k].piece.chosen) for k in self._lost]
                raise LostPieceError(
                    f"every worker has died of the pieces with the options {chosen}; the others are done"
                )
            return EXHAUSTED
        done = wait(self._flight, WAIT, FIRST_COMPLETED).done
        for future in done:
            self._take(future)
        if not done:
            self._workers.look()
        if self._rows:
            return BUFFER_FULL if self._hand_out(last) else BUDGET_SPENT
        return BUDGET_SPENT if self._todo or self._flight or self._suspects or self._lost else EXHAUSTED

    def close(self) -> None:
        """Ends the run: what has not begun never will, and what is running comes to its end by itself."""
        try:
            for future in self._flight:
                future.cancel()
            cancel(self._run)
            self._workers.close()
        finally:
            if self._ends is not None:
                self._ends()

    # Workers

    def _submit(self) -> None:
        """Gives workers something to do, and a little more than they can do at once."""
        if self._suspects:
            if not self._flight:
                self._send(self._suspects)
            return
        if self._ordered and self._next in self._todo:  # what all others wait for
            self._todo.remove(self._next)
            self._todo.appendleft(self._next)
            self._send(self._todo)
        while self._todo and self._idle() > len(self._blocks) and not self._suspects and self._send(self._todo):
            pass

    def _idle(self) -> int:
        """How many more pieces may be on their way."""
        return 2 * self._workers.jobs - len(self._flight)

    def _send(self, queue: deque[int]) -> bool:
        """Sends the next slice of the first part in a queue, unless the limits leave nothing for it: False."""
        nodes, covers = self._allowed()
        if min(nodes, covers) <= 0:
            return False
        k = queue[0]
        part = self.parts[k]
        rows = self._rows
        task = Task(self._run, k, None, part.piece, self._kernel, part.mark, rows, nodes, covers, part.seconds)
        if self._hand(task):
            queue.popleft()
        return True

    def _hand(self, task: Task) -> bool:
        """Hands a task to a worker, unless the executor turns out to have broken: then there is a fresh one."""
        try:
            self._flight[self._workers.submit(task)] = task
        except BrokenExecutor:
            self._replace()
            return False
        return True

    def _allowed(self) -> tuple[int, int]:
        """How many nodes and covers a slice may have; all that are on their way together keep the limits."""
        limits, flight, share = self.limits, self._flight.values(), max(1, self._idle())
        nodes = covers = UNLIMITED
        if limits.max_nodes < UNLIMITED:
            left = limits.max_nodes - self.nodes - sum(task.nodes for task in flight)
            nodes = -(-left // share)
        if self._rows:  # those that nobody wants are thrown away
            covers = max(1, limits.max_covers - self._handed)
        elif limits.max_covers < UNLIMITED:
            left = limits.max_covers - self.covers - sum(task.covers for task in flight)
            covers = -(-left // share)
        return nodes, covers

    def _take(self, future: Future[Done]) -> None:
        """Takes what a worker has brought back."""
        task = self._flight.pop(future, None)
        if task is None:  # of an executor that has been replaced
            return
        try:
            done = future.result()
        except BrokenExecutor:
            self._flight[future] = task
            self._replace()
            return
        except Exception as error:
            if type(error).__name__ == "KilledWorker":  # what dask says after several workers
                self._accuse(task.number, TRIES)
                return
            self._todo.appendleft(task.number)
            raise
        if done.known:
            self._book(task.number, done)
        elif not self._hand(task._replace(problem=self._problem)):
            self._todo.appendleft(task.number)

    def _book(self, k: int, done: Done) -> None:
        """Writes down how far a part has come."""
        part = self.parts[k]
        part.take(done)
        self._killed.pop(k, None)
        self._breaks = -UNLIMITED
        if done.block is not None and len(done.block):
            self._blocks.setdefault(k, deque()).append(done.block)
        elif not part.is_done:
            self._todo.appendleft(k)
        if self._note is not None:
            self._note(k)

    def _replace(self) -> None:
        """Takes a fresh executor; one of the pieces that were being done may have killed a worker of the old one.

        Raises:
            BrokenExecutor: it cannot be replaced, or its workers die whatever they are given.
        """
        dead = [task.number for task in self._flight.values()]
        self._flight.clear()
        self._breaks += 1
        if self._breaks > 2 * TRIES:
            raise BrokenExecutor("all workers have died before they had done anything")
        self._workers.renew()
        for k in reversed(dead):
            self._accuse(k, 1)

    def _accuse(self, k: int, times: int) -> None:
        """Notes that workers have died with a piece, and when it is to be done again, if ever."""
        self._killed[k] += times
        if self._killed[k] < TRIES:
            self._todo.appendleft(k)
        elif self._killed[k] < 2 * TRIES:
            self._suspects.append(k)
        else:
            self._lost.append(k)

    # Covers

    def _hand_out(self, last: int) -> bool:
        """Puts covers into the buffer, until so many have been handed out in all; whether there is room for no more."""
        while (room := min(last - self._handed, self._rows - self.filled)) > 0 and (k := self._giving()) is not None:
            block = self._blocks[k].popleft()
            size = min(room, len(block))
            width = min(block.shape[1], self._buffer.shape[1])  # pieces have bounds of their own for their covers
            rows = self._buffer[self.filled : self.filled + size]
            rows[:, :width], rows[:, width:] = block[:size, :width], -1
            self.filled += size
            self._handed += size
            if size < len(block):
                self._blocks[k].appendleft(block[size:])
            elif not self._blocks[k]:
                del self._blocks[k]
                if not self.parts[k].is_done:
                    self._todo.appendleft(k)
        return room <= 0

    def _giving(self) -> int | None:
        """The part whose covers are next, if some have come."""
        if not self._ordered:
            return next(iter(self._blocks), None)
        while self._next < len(self.parts) and self._next not in self._blocks and self._is_over(self._next):
            self._next += 1
        return self._next if self._next in self._blocks else None

    def _is_over(self, k: int) -> bool:
        return self.parts[k].is_done or k in self._lost
