"""Counting in pieces: one and two jobs on threads, processes and dask beside one search, with every count checked.

Nothing is merged, and workers are there before the clock starts. Seconds are by the clock on the wall, so the machine
has to be idle. On threads, the processor time of the whole call is noted as well: with one job it is that of all pieces
and of cutting them, and tells what pieces cost, on a busy machine too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, NamedTuple

import pytest
from families import build
from report import Record, duration, markdown, short

import sudoku
from dlx import Count, Problem, count
from dlx.parallel.cutting import split

ROUNDS = 3
# The contest's first sample without 13 of its givens.
SEVENTEEN = "700000000000005900000200000000020000000000608403000000007000000001060004080504002"
# Name -> the problem, and its number of covers. All covers are visited: merging would end some of them at once.
SEARCHES: Mapping[str, tuple[Callable[[], Problem], int]] = {
    "queens 15": (lambda: build("queens", 15), 2_279_184),
    "pentominoes 6x10": (lambda: build("pentominoes", 6, 10), 9_356),
    "sudoku, 17 givens": (lambda: sudoku.encode(SEVENTEEN), 3_578_272),
    "langford 12": (lambda: build("langford", 12), 216_288),
    "latin 6x6, first row given": (lambda: build("latin_below", 6), 1_128_960),
    "comb of 60 teeth": (lambda: build("comb", 60, 9), 22_135_680),
}


class Side(NamedTuple):
    """A side that counts: one search, or `jobs` workers of a kind."""

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
def test_count(benchmark: Any, side: Side, name: str) -> None:
    """Every side finds the known number of covers."""
    make, covers = SEARCHES[name]
    problem = make()
    spent: list[float] = []
    result: Count = benchmark.pedantic(_count, args=(problem, side, spent), rounds=ROUNDS)
    assert (result.covers, result.exhausted) == (covers, True)
    pieces = 1 if side.executor is None else len(split(problem).pieces)
    benchmark.extra_info |= {"instance": name, "side": side.name, "jobs": side.jobs, "covers": covers}
    benchmark.extra_info |= {"nodes": result.nodes, "pieces": pieces, "processor": min(spent)}


def _count(problem: Problem, side: Side, spent: list[float]) -> Count:
    """Counts, and notes the processor time that this process has taken for it."""
    start = time.process_time()
    jobs = None if side.executor is None else side.jobs
    result = count(problem, merge="never", executor=side.executor, jobs=jobs)
    spent.append(time.process_time() - start)
    return result


# The report

CORES = "two cores"
ALONE = ("one search", 1)

Records = Mapping[tuple[str, int], Record]  # who counts, and with how many jobs -> record


def table(records: Sequence[Record]) -> str:
    """The times of one search and of its pieces."""
    counts = _by_instance(records)
    sides = [side for side in KINDS[1:] if any(side in of for of in counts.values())]
    titles = [f"{name}, {jobs} job{'s' if jobs > 1 else ''}" for name, jobs in sides]
    header = ["problem", "covers", "nodes", "pieces", "one search", *titles, "processor time"]
    return f"""# Searches in pieces

Every count is checked, and all covers are visited. Times are wall-clock times, the least of several rounds.
They include cutting and communication, but not starting the workers. The number in brackets is the
speedup over one search. *Processor time* is the time of cutting and of all pieces on one thread, divided by
that of one search.

{markdown(header, [_row(name, of, sides) for name, of in counts.items()])}"""


def _by_instance(records: Sequence[Record]) -> Mapping[str, Records]:
    counts: dict[str, dict[tuple[str, int], Record]] = {}
    for record in records:
        counts.setdefault(record["instance"], {})[record["side"], record["jobs"]] = record
    return counts


def _row(name: str, of: Records, sides: Sequence[tuple[str, int]]) -> list[str]:
    alone, pieces = of[ALONE], of["threads", 1]
    start = [name, f"{alone['covers']:,}", short(alone["nodes"]), str(pieces["pieces"]), duration(alone["seconds"])]
    times = {side: of[side]["seconds"] for side in sides if side in of}
    cells = {side: f"{duration(seconds)} ({alone['seconds'] / seconds:.2f})" for side, seconds in times.items()}
    share = f"{pieces['processor'] / alone['processor']:.2f}"
    return [*start, *(cells.get(side, "not installed") for side in sides), share]
