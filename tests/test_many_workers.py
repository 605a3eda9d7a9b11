"""What the benchmarks say of searches in pieces is worked out right, and the pieces that they cut are whole."""

from __future__ import annotations

from typing import Any

import many_workers
import numpy as np
import pytest
import scale_report
from families import build
from many_workers import FILLS, PLANS, RATE, SEARCHES, TASK, WORKERS, Cut, cut, efficiency, fills, plan, planned

from dlx import count


@pytest.mark.parametrize(
    ("work", "workers", "share"),
    [
        ([5.0], 1, 1.0),
        ([5.0], 4, 0.25),
        ([3, 3, 2, 2, 2], 2, 12 / 14),  # largest first is not best: 6 and 6 would do
        ([1.0] * 64, 64, 1.0),
        ([], 3, 1.0),
    ],
)
def test_efficiency_is_that_of_list_scheduling(work: list[float], workers: int, share: float) -> None:
    """Each piece goes to the worker that is free first, and the last one to end decides."""
    assert efficiency(work, workers) == pytest.approx(share)


@pytest.mark.parametrize(
    ("family", "sizes"), [("queens", (7,)), ("langford", (7,)), ("latin_below", (4,)), ("comb", (9, 4))]
)
def test_pieces_have_all_covers(family: str, sizes: tuple[int, ...]) -> None:
    """A family that is cut has as many covers as in one search, and every piece a node, and an estimate."""
    problem = build(family, *sizes)
    parts = cut(problem, 30)
    assert parts.covers == count(problem).covers
    assert len(parts.nodes) == len(parts.guesses) >= 10
    assert parts.nodes.min() >= 1
    assert (np.diff(parts.guesses) <= 0).all()


def even(pieces: int) -> Cut:
    """A search whose pieces are all as large, as it had been guessed."""
    return Cut(np.full(pieces, 7.0), np.full(pieces, 7.0), 1)


def test_a_plan_of_even_pieces_is_arithmetic() -> None:
    """Without skew, workers are always busy; slices fill the journal, and keep the scheduler from its other work."""
    way = plan(even(10), nodes=RATE * 36_000, pieces=100, workers=10, slice_=1.0)
    assert [way.hours, way.piece, way.efficiency] == pytest.approx([1, 360, 1])
    assert way.journal == pytest.approx(many_workers.LINE * (100 + 36_000), rel=0.01)
    assert way.load == pytest.approx(10 * TASK, rel=0.01)


def test_fewer_pieces_than_workers_leave_some_idle() -> None:
    """A hundred pieces keep a thousand workers busy for a tenth of their time."""
    assert plan(even(10), 1e12, 100, 1_000, 1.0).efficiency == pytest.approx(0.1)


@pytest.mark.slow
def test_the_rows_fit_the_headers() -> None:
    """What is written of a search has a cell for each column."""
    parts = cut(build("queens", 7), 30)
    assert len(fills(parts)) == len(FILLS) == 3 + len(WORKERS)
    assert {len(row) for row in planned("queens", parts, 1e9)} == {1 + len(PLANS)}


def test_the_report_divides_by_one_search() -> None:
    """The table tells how much faster than one search each side was, and what pieces cost in processor time."""
    name = next(iter(SEARCHES))

    def record(side: str, jobs: int, seconds: float) -> dict[str, Any]:
        told = {"what": "count", "instance": name, "covers": 92, "nodes": 1_234, "pieces": 7}
        return {**told, "side": side, "jobs": jobs, "seconds": seconds, "processor": 2 * seconds}

    pieces = {"what": "pieces", "instance": name, "skew": 1.0, "wanted": 10, "fills": ["1"] * len(FILLS)}
    records = [
        record("one search", 1, 3.0),
        record("threads", 1, 3.3),
        record("threads", 2, 1.6),
        {**pieces, "plans": [["as it is", *["2"] * len(PLANS)]], "seconds": 1.0},
    ]
    text = scale_report.table(records)
    assert f"| {name} | 92 | 1.23 k | 7 | 3 s | 3.3 s (0.91) | 1.6 s (1.88) | 1.10 |" in text
