"""Workers that die: a count loses none of its pieces by that, counts none twice, and names those that kill."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import pytest
from families import build
from oracle import as_sets

from dlx import Progress, count, covers
from dlx.scale import work
from dlx.scale.errors import LostPieceError
from dlx.scale.journal import tell
from dlx.scale.parts import split

pytestmark = pytest.mark.slow

ROOKS = build("rooks", 7)  # 5040 covers
LARGE = build("matchings", 9)  # 34459425 covers


def killing(workers: Callable[[], list[int]], times: int, every: float) -> Callable[[Progress], None]:
    """Kills a worker so many times, at random moments after something has been done."""
    draws = random.Random(1)
    left, due, done = [times], [0.0], [0]

    def progress(seen: Progress) -> None:
        if left[0] and time.monotonic() >= due[0] and seen.nodes > done[0] and (pids := workers()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(draws.choice(pids), signal.SIGKILL)
                left[0], done[0] = left[0] - 1, seen.nodes
                due[0] = time.monotonic() + draws.uniform(0, every)

    progress.left = left  # type: ignore[attr-defined]
    return progress


def own_workers() -> list[int]:
    """The processes of the pools of this one."""
    return [child.pid for child in active_children() if child.pid is not None]


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_workers_are_killed_at_random_moments(way: str, tmp_path: Path) -> None:
    """Ten times a worker of a pool of processes is killed: the numbers are those of a run in which none is."""
    path = tmp_path / "run.journal"
    progress = killing(own_workers, 10, 0.3)
    with ProcessPoolExecutor(2, get_context(way)) as pool:
        result = count(LARGE, executor=pool, checkpoint=path, progress=progress)
    assert (result.covers, result.exhausted) == (34459425, True)
    assert progress.left[0] <= 3  # type: ignore[attr-defined]
    assert sum(part.nodes for part in tell(str(path))[1]) == result.nodes


def test_covers_survive_their_workers() -> None:
    """An iterator of covers has each of them once, though workers are killed."""
    progress = killing(own_workers, 5, 0.1)
    problem = build("rooks", 9)
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        blocks = covers(problem, executor=pool, progress=progress).blocks()
        found = {tuple(sorted(row)) for block in blocks for row in block.tolist()}
    assert len(found) == 362880


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> int:
    """A piece that ends every process in which it is begun."""
    true, number = work._slice, 3

    def deadly(task: Any, *more: Any) -> Any:
        if task.number == number:
            os._exit(1)
        return true(task, *more)

    monkeypatch.setattr(work, "_slice", deadly)
    return number


def test_a_piece_that_kills(killer: int, tmp_path: Path) -> None:
    """The other pieces are done, and then the error names it; nothing hangs."""
    path = tmp_path / "run.journal"
    lost = list(split(ROOKS)[killer].chosen)
    named = re.escape(f"with the options [{lost}]; the others are done")
    with ProcessPoolExecutor(2, get_context("fork")) as pool, pytest.raises(LostPieceError, match=named):
        count(ROOKS, kernel="links", executor=pool, checkpoint=path)
    parts = tell(str(path))[1]
    assert [k for k, part in enumerate(parts) if not part.is_done] == [killer]
    assert sum(part.covers for part in parts) == 5040 - 5040 // 7


@pytest.mark.parametrize("ordered", [False, True])
def test_covers_beside_a_piece_that_kills(killer: int, ordered: bool) -> None:
    """All other covers come, and then the error."""
    found: list[tuple[int, ...]] = []
    with ProcessPoolExecutor(2, get_context("fork")) as pool, pytest.raises(LostPieceError):
        found.extend(covers(ROOKS, executor=pool, ordered=ordered))
    assert len(set(as_sets(found))) == len(found) == 5040 - 5040 // 7


def die() -> None:
    """What no worker survives."""
    os._exit(1)


def test_workers_that_die_whatever_they_get() -> None:
    """A pool whose workers never live is the caller's to mend: the search ends with an error."""
    with (
        ProcessPoolExecutor(2, get_context("fork"), initializer=die) as pool,
        pytest.raises(BrokenExecutor, match="all workers have died before they had done anything"),
    ):
        count(ROOKS, kernel="links", executor=pool)


# dask


@contextmanager
def cluster(workers: int = 2, **more: Any) -> Iterator[Any]:
    """Somebody's dask, with a process for each worker."""
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 3, "logging.distributed": "critical"}),
        distributed.LocalCluster(workers, threads_per_worker=1, dashboard_address=None, **more) as local,
        distributed.Client(local) as client,
    ):
        yield client


def test_dask() -> None:
    """An executor of dask counts, and finds all covers, in their order if that is asked for."""
    with cluster() as client:
        pool = client.get_executor()
        assert count(ROOKS, kernel="links", executor=pool).covers == 5040
        assert as_sets(covers(ROOKS, executor=pool)) == as_sets(covers(ROOKS))
        assert list(covers(ROOKS, executor=pool, ordered=True)) == list(covers(ROOKS, jobs=2, ordered=True))


@pytest.mark.parametrize("times", [1, 3])
def test_workers_of_dask_are_killed(times: int) -> None:
    """Dask gives the pieces of a dead worker to others."""
    with cluster() as client:
        progress = killing(lambda: [nanny.pid for nanny in client.cluster.workers.values() if nanny.pid], times, 2.0)
        result = count(LARGE, kernel="links", executor=client.get_executor(), jobs=2, progress=progress)
    assert (result.covers, progress.left) == (34459425, [0])  # type: ignore[attr-defined]


def murderous(number: int) -> None:
    """Makes a piece end the process that begins it."""
    true = work._slice

    def deadly(task: Any, *more: Any) -> Any:
        if task.number == number:
            os._exit(1)
        return true(task, *more)

    work._slice = deadly  # type: ignore[assignment]


def test_a_piece_that_kills_the_workers_of_dask() -> None:
    """What dask gives up is tried once more, alone; then the others have been done, and the error names it."""
    distributed = pytest.importorskip("distributed")

    class Murderous(distributed.WorkerPlugin):  # type: ignore[misc, name-defined]
        def setup(self, worker: Any) -> None:
            murderous(3)

    with cluster() as client:
        client.register_plugin(Murderous())
        with pytest.raises(LostPieceError, match="the others are done"):
            count(ROOKS, kernel="links", executor=client.get_executor(), jobs=2)
