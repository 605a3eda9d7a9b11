"""Workers of pools of processes and of dask, killed at random moments."""

from __future__ import annotations

import contextlib
import os
import random
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import active_children, get_context
from typing import Any

from executors import cluster
from families import build
from seeds import Nightly

from dlx import Progress

Workers = Callable[[], list[int]]
MATCHINGS = {8: (2027025, 4886520), 9: (34459425, 83070857)}  # covers and nodes: tenths of a second, and some seconds
SIZE = 9 if Nightly.on else 8  # at night workers are killed more often
LONG = build("matchings", SIZE)
COVERS, NODES = MATCHINGS[SIZE]


class Killing:
    """A `progress` that kills a worker `times` times, each time after new work has been done."""

    def __init__(self, workers: Workers, times: int) -> None:
        self.workers, self.left = workers, times
        self._draws, self._done = random.Random(1), 0

    def __call__(self, seen: Progress) -> None:
        if self.left and seen.nodes > self._done and (pids := self.workers()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._draws.choice(pids), signal.SIGKILL)
                self.left, self._done = self.left - 1, seen.nodes


def own_workers() -> list[int]:
    return [child.pid for child in active_children() if child.pid is not None]


def workers_of(client: Any) -> Workers:
    """Returns a function that lists the worker processes of a dask client."""
    return lambda: [nanny.pid for nanny in client.cluster.workers.values() if nanny.pid]


@contextlib.contextmanager
def mortal(way: str) -> Iterator[tuple[dict[str, Any], Workers]]:
    """Two workers that can be killed, as parameters of a search: processes of a pool, or those of dask."""
    if way == "dask":
        with cluster() as client:
            yield {"executor": client.get_executor(), "jobs": 2}, workers_of(client)
    else:
        with ProcessPoolExecutor(2, get_context(way)) as pool:
            yield {"executor": pool}, own_workers
