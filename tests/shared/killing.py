"""Workers that are killed at random moments: those of pools of processes, and those of dask."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from multiprocessing import active_children
from typing import Any

from families import build

from dlx import Count, Progress, count

Workers = Callable[[], list[int]]
LONG = build("matchings", 9)  # 34459425 covers, in some seconds


@cache
def alone() -> Count:
    """What one search in `LONG` comes to."""
    return count(LONG, merge="never")


class Killing:
    """A `progress` that kills a worker so many times, within so many seconds of the last, when more has been done."""

    def __init__(self, workers: Workers, times: int, every: float = 0.3) -> None:
        self.workers, self.left, self.every = workers, times, every
        self._draws = random.Random(1)
        self._due, self._done = 0.0, 0

    def __call__(self, seen: Progress) -> None:
        """Kills one if it is time."""
        if self.left and time.monotonic() >= self._due and seen.nodes > self._done and (pids := self.workers()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._draws.choice(pids), signal.SIGKILL)
                self.left, self._done = self.left - 1, seen.nodes
                self._due = time.monotonic() + self._draws.uniform(0, self.every)


def own_workers() -> list[int]:
    """The processes of the pools of this one."""
    return [child.pid for child in active_children() if child.pid is not None]


def workers_of(client: Any) -> Workers:
    """Lists the processes of the workers of somebody's dask."""
    return lambda: [nanny.pid for nanny in client.cluster.workers.values() if nanny.pid]


@contextlib.contextmanager
def killed_meanwhile(times: int, every: float = 0.3) -> Iterator[list[int | None]]:
    """Kills a process of a pool again and again, up to so many times; those that were killed, for what has no nodes."""
    over, killed = threading.Event(), list[int | None]()

    def kill() -> None:
        while len(killed) < times and not over.wait(every):
            for child in active_children()[:1]:
                child.kill()
                killed.append(child.pid)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield killed
    finally:
        over.set()
        killer.join()
