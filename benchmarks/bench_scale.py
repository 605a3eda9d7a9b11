"""Counting in pieces: one and two jobs on threads, processes and dask beside one search, with every count checked.

Nothing is merged, and workers are there before the clock starts. Seconds are by the clock on the wall, so the machine
has to be idle. On threads, the processor time of the whole call is noted as well: with one job it is that of all pieces
and of cutting them, and tells what pieces cost, on a busy machine too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib.util import find_spec
from typing import NamedTuple

import pytest
from many_workers import MANY, SEARCHES, Cut, cut, fills, planned
from pytest_benchmark.fixture import BenchmarkFixture

from dlx import Count, Problem, count
from dlx.parallel.cutting import PIECES, split

ROUNDS = 3
LARGE = 1e15  # nodes of the search that is planned


class Side(NamedTuple):
    """A side that counts: one search, or so many workers of a kind."""

    name: str
    jobs: int
    executor: Executor | None


@contextmanager
def _dask(jobs: int) -> Iterator[Executor]:
    if find_spec("distributed") is None:
        pytest.skip("dask is not installed: pip install -e '.[distributed]'")
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client.get_executor()


SIDES: dict[str, Callable[[int], object]] = {
    "threads": ThreadPoolExecutor,
    "processes": ProcessPoolExecutor,
    "dask": _dask,
}
KINDS = [("one search", 1), *((name, jobs) for name in SIDES for jobs in (1, 2))]


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: f"{kind[0]}-{kind[1]}")
def side(request: pytest.FixtureRequest) -> Iterator[Side]:
    """Workers that have begun to work."""
    name, jobs = request.param
    if name not in SIDES:
        yield Side(name, jobs, None)
        return
    with SIDES[name](jobs) as executor:  # type: ignore[attr-defined]
        wait([executor.submit(time.sleep, 0.1) for _ in range(2 * jobs)])
        yield Side(name, jobs, executor)


@pytest.mark.parametrize("name", SEARCHES)
def test_count(benchmark: BenchmarkFixture, side: Side, name: str) -> None:
    """Whoever counts finds as many covers as there are."""
    make, covers = SEARCHES[name]
    problem = make()
    spent: list[float] = []
    result: Count = benchmark.pedantic(_count, args=(problem, side, spent), rounds=ROUNDS)  # type: ignore[no-untyped-call]
    assert (result.covers, result.exhausted) == (covers, True)
    pieces = 1 if side.executor is None else len(split(problem).pieces)
    benchmark.extra_info |= {"what": "count", "instance": name, "side": side.name, "jobs": side.jobs, "covers": covers}
    benchmark.extra_info |= {"nodes": result.nodes, "pieces": pieces, "processor": min(spent)}


def _count(problem: Problem, side: Side, spent: list[float]) -> Count:
    """Counts, and notes the processor time that this process has taken for it."""
    start = time.process_time()
    jobs = None if side.executor is None else side.jobs
    result = count(problem, merge="never", executor=side.executor, jobs=jobs)
    spent.append(time.process_time() - start)
    return result


@pytest.mark.parametrize("pieces", [PIECES, MANY])
@pytest.mark.parametrize("name", SEARCHES)
def test_pieces(benchmark: BenchmarkFixture, name: str, pieces: int) -> None:
    """The pieces have all covers between them; how evenly they fill workers is worked out."""
    make, covers = SEARCHES[name]
    parts: Cut = benchmark.pedantic(cut, args=(make(), pieces), rounds=1)  # type: ignore[no-untyped-call]
    assert parts.covers == covers
    told = {"fills": fills(parts), "plans": planned(name, parts, LARGE) if pieces == MANY else []}
    benchmark.extra_info |= {"what": "pieces", "instance": name, "skew": parts.skew, "wanted": pieces, **told}
