"""Counts up to isomorphism that take from four seconds to more than an hour, each in its own process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import combinations
from math import factorial
from typing import Any

from report import Record, duration, markdown
from timing import apart, once


def schedules(n: int) -> Any:
    """Returns the problem of round-robin schedules: n teams on n - 1 named days, and each pair of teams plays once."""
    pairs = list(combinations(range(n), 2))
    options = [[pair, *((team, "on", day) for team in pair)] for pair in pairs for day in range(n - 1)]
    return import_module("dlx").Problem.from_options(options)


# name: the family, its sizes, and the published number of covers
CASES: dict[str, tuple[str, tuple[int, ...], int]] = {
    "Latin squares of order 9": ("latin", (9,), 5524751496156892842531225600),
    "Latin squares of order 10": ("latin", (10,), 9982437658213039871725064756920320000),
    "schedules for 12 teams, days named": ("schedules", (12,), 252282619805368320 * factorial(11)),
    "sudoku grids": ("grids", (3, 3), 6670903752021072936960),
    "sudoku grids of 2 x 5 boxes": ("grids", (2, 5), 1903816047972624930994913280000),
}


def counted(family: str, sizes: Sequence[int]) -> Iterator[Record]:
    """Yields a record of one count: covers, classes, canonical forms, processor seconds, and bytes of the process."""
    import resource  # Windows lacks it

    dlx, families = import_module("dlx"), import_module("families")
    problem = schedules(*sizes) if family == "schedules" else families.build(family, *sizes)
    seconds, result = once(lambda: dlx.count(problem, merge="isomorphic"))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    numbers = {"covers": result.covers, "classes": result.states, "forms": result.updates}
    yield numbers | {"seconds": seconds, "memory": memory}


def measure() -> Iterator[Record]:
    """Yields the record of each problem, with its known number of covers."""
    for name, (family, sizes, covers) in CASES.items():
        ((record,), _) = apart(counted, family, sizes)
        assert record["covers"] == covers, name
        yield {"problem": name, "side": "isomorphic", "stopped": None} | record


def table(records: Sequence[Record]) -> str:
    """Returns the page."""
    rows = [
        [
            of["problem"],
            f"{of['covers']:,}",
            f"{of['classes']:,}",
            f"{of['forms']:,}",
            duration(of["seconds"]),
            _megabytes(of),
        ]
        for of in records
    ]
    return f"""# Large counts up to isomorphism

`dlx.count(problem, merge="isomorphic")` on one core. Every number of covers is compared with a published one.
*forms* is the number of canonical forms that the count computed, and *memory* is the memory of the whole process.
[Counting](../counting.md#the-same-up-to-renaming) explains the method.

{markdown(["", "covers", "classes", "forms", "time", "memory"], rows)}"""


def _megabytes(record: Record) -> str:
    return f"{record['memory'] / 1e6:.0f} MB" if record["memory"] else "-"
