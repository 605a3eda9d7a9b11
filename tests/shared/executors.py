"""Executors for tests: at once, in any order, pools that note their tasks, and dask; and pieces of searches."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dlx import Problem
from dlx.parallel import cutting
from dlx.parallel.checkpoint import HEADER
from dlx.parallel.cutting import Split, split
from dlx.parallel.slices import SearchPiece


class AtOnce(Executor):
    """Does each task at once, when it is submitted."""

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        _do(future, work, given)
        return future


class InAnyOrder(Executor):
    """Does the submitted tasks one after the other, in random order."""

    def __init__(self, seed: int) -> None:
        self._waiting: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []
        self._draws = random.Random(seed)
        self._thread = ThreadPoolExecutor(1)

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._waiting.append((future, work, given))
        self._thread.submit(self._one)
        return future

    def _one(self) -> None:
        future, work, given = self._waiting.pop(self._draws.randrange(len(self._waiting)))
        if future.set_running_or_notify_cancel():
            _do(future, work, given)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._thread.shutdown(wait, cancel_futures=cancel_futures)


class Noting(ProcessPoolExecutor):
    """Keeps all submitted tasks."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.tasks: list[Any] = []

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        self.tasks += given
        return super().submit(work, *given, **named)


@contextmanager
def cluster() -> Iterator[Any]:
    """A dask cluster with two worker processes, which gives up a task after it has killed more than three workers."""
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 3, "logging.distributed": "critical"}),
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as local,
        distributed.Client(local) as client,
    ):
        yield client


def _do(future: Future[Any], work: Callable[..., Any], given: tuple[Any, ...]) -> None:
    try:
        future.set_result(work(*given))
    except Exception as error:
        future.set_exception(error)


def cut_into(pieces: int, problem: Problem, least: int = 0, **search: Any) -> Split:
    """A search in about `pieces` pieces, however small."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"PIECES": pieces, "MOST": pieces, "LEAST": least, "EACH": 4 * (least > 0)}.items():
            patch.setattr(cutting, name, value)
        return split(problem, **search)


def pieces_of(path: Path) -> list[SearchPiece]:
    """The pieces in the checkpoint of a count by visits, also while that runs; none while there is none yet."""
    if not path.exists() or not path.stat().st_size:
        return []
    with np.load(path) as archive:
        return Split.of(json.loads(archive[HEADER].tobytes())["state"]).pieces
