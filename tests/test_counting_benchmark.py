"""The benchmark of counting: its numbers, its sides on small problems, and that a wrong count is told as wrong."""

from __future__ import annotations

from importlib.util import find_spec
from math import comb, cos, isclose, pi, prod
from typing import Any

import numpy as np
import pytest
from apart import Stopwatch, measure, missing, plain
from bench_counting import CASES, SOURCES, Case, unfit
from counters import SIDES
from families import build
from seeds import nightly


def kasteleyn(rows: int, columns: int) -> float:
    """Domino tilings of a board with an even number of rows and of columns, rounded."""
    return prod(
        4 * cos(pi * j / (rows + 1)) ** 2 + 4 * cos(pi * k / (columns + 1)) ** 2
        for j in range(1, rows // 2 + 1)
        for k in range(1, columns // 2 + 1)
    )


def bell(n: int) -> int:
    """Partitions of a set: by the size of what is not with the first element."""
    return 1 if n == 0 else sum(comb(n - 1, k) * bell(k) for k in range(n))


CLOSED_FORMS: dict[str, Any] = {
    "dominoes": kasteleyn,
    "partitions": bell,
    "matchings": lambda n: prod(range(1, 2 * n, 2)),
}


@pytest.mark.parametrize("case", [case for case in CASES if case.family in CLOSED_FORMS], ids=lambda case: case.name)
def test_known_numbers_agree_with_closed_forms(case: Case) -> None:
    """Where a formula exists, the number is its value."""
    assert isclose(case.covers, CLOSED_FORMS[case.family](*case.sizes), rel_tol=1e-12)


def test_cases_come_by_size() -> None:
    """A side is given up in the larger cases of a family only, and each family has a source."""
    for family in SOURCES:
        numbers = [case.covers for case in CASES if case.family == family]
        assert numbers == sorted(set(numbers)) != []
    assert {case.family for case in CASES} == SOURCES.keys()


def counted(side: str, limit: float, *problem: str | int) -> tuple[dict[str, Any], float]:
    """What a side says about a problem, and by what its clock went on."""
    if reason := missing(side):
        pytest.skip(reason)
    clock = Stopwatch()
    problems = [plain(build(str(problem[0]), *problem[1:]))]
    record = measure("counters.py", side, limit, problems, plain(build("dominoes", 2, 2)), clock)
    return record, clock.seconds


@pytest.mark.slow
@pytest.mark.parametrize(
    "side", ["visiting", *nightly(*(side for side in SIDES if not side.startswith(("dlx", "visi"))))]
)
def test_sides_count(side: str) -> None:
    """Each side that is installed counts the 36 tilings of a small board."""
    record, seconds = counted(side, 30.0, "dominoes", 4, 4)
    assert record["tasks"]["count"]["covers"] == [36]
    assert record["stopped"] is None
    assert seconds == record["tasks"]["count"]["seconds"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("side", ["visiting", "dd", *nightly("xcover, memo")])
def test_secondary_items(side: str) -> None:
    """An item that need not be covered may be left out: ten ways for five queens."""
    assert counted(side, 30.0, "queens", 5)[0]["tasks"]["count"]["covers"] == [10]


@pytest.mark.slow
def test_the_limit() -> None:
    """A side that takes longer is stopped, and counts as its limit."""
    record, seconds = counted("visiting", 0.2, "matchings", 11)
    assert (record["tasks"], record["stopped"], seconds) == ({}, "time", 0.2)


def test_what_is_not_tried() -> None:
    """Sides are left out where they do not apply, or would visit too many covers."""
    small, large = Case("dominoes", (4, 4), 36), Case("dominoes", (10, 10), 258_584_046_368)
    assert not unfit("visiting", small)
    assert "visit" in unfit("visiting", large)
    assert not unfit("auto", large)
    assert "renaming" in unfit("isomorphic", small)
    assert "matchings" in unfit("Graphillion", Case("queens", (5,), 10))


RECORD = {"instance": "dominoes 4x4", "family": "dominoes", "covers": 36, "limit": 5.0}
DONE = {"seconds": 0.0123, "nodes": 132, "merged": True, "hits": 5, "states": 7, "megabytes": 1.5}


@pytest.mark.skipif(find_spec("matplotlib") is None, reason="matplotlib is not installed: pip install -e '.[bench]'")
@pytest.mark.slow
def test_the_report() -> None:
    """A right count has its time, a wrong one is told without it, one that is late has the limit."""
    import counting_report

    records = [
        RECORD | {"side": "auto", "found": 36, "stopped": None, "tasks": {"count": DONE}},
        RECORD | {"side": "xcover, memo", "found": 35, "stopped": None, "tasks": {"count": DONE | {"seconds": 0.987}}},
        RECORD | {"side": "dd", "found": None, "stopped": "time", "tasks": {}},
        RECORD | {"side": "pyxcc", "found": None, "stopped": "memory", "tasks": {}},
    ]
    table = counting_report.table(records)
    for text in ("| **12 ms** |", "| wrong: 35 |", "| > 5 s |", "| > 8 GB |", "OEIS A004003"):
        assert text in table
    assert "990 ms" not in table
    heights = [np.asarray(line.get_ydata()).tolist() for line in counting_report.chart(records).axes[0].get_lines()]
    assert [0.0123] in heights
    assert [0.987] not in heights
