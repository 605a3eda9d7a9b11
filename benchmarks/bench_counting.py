"""Counting covers by visiting each, by merging what is the same, and by decision diagrams: from 117 to 10^31 of them.

Each side runs in a process of its own (`peers.py`). Every count is checked: one of `dlx` has to be right, and one of
another side that is wrong is recorded as wrong. The cases of a family come by size, and a side that did not end in one,
or was wrong, is not tried in those that follow. All sudoku grids are counted, in more than a minute, if the environment
variable LONG is set; COUNTING_LIMIT is the limit of a side in seconds, 60 without it:

    LONG=1 python benchmarks/report.py counting
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import pytest
from apart import Stopwatch, measure, missing, plain
from families import build
from peers import COUNTING, PEERS

from dlx import Problem

LIMIT = float(os.environ.get("COUNTING_LIMIT", "60"))  # seconds of processor time for a side
LONG = 600.0  # and for a case that is long
OWN = ("visiting", "auto", "same", "isomorphic")
# Sides that visit each cover, and how many covers are too many to try: `dlx` has some 10^7 a second, and the others up
# to 3 * 10^6.
VISITED = {"visiting": 10**8} | dict.fromkeys(PEERS, 2 * 10**7)
# Families of which much is the same up to renaming.
RENAMED = ("matchings", "latin", "steiner", "tournaments", "grids")


@dataclass(frozen=True)
class Case:
    """A problem of `families.py` with its number of covers, as it is known from elsewhere."""

    family: str
    sizes: tuple[int, ...]
    covers: int
    long: bool = False

    @property
    def name(self) -> str:
        """The family, and the sizes as people say them."""
        sizes = (2 * self.sizes[0],) if self.family == "matchings" else self.sizes
        return f"{self.family} {'x'.join(map(str, sizes))}"

    def problem(self) -> Problem:
        """The problem itself."""
        return build(self.family, *self.sizes)


# Family -> where its numbers are from.
SOURCES = {
    "dominoes": "P. Kasteleyn, doi:10.1016/0031-8914(61)90063-5; OEIS A004003",
    "tetrominoes": "OEIS A230031",
    "partitions": "Bell numbers, OEIS A000110",
    "matchings": "(2n - 1)!! for 2n points, OEIS A001147",
    "latin": "OEIS A002860",
    "steiner": "OEIS A030128",
    "tournaments": "one-factorizations of complete graphs, OEIS A000438",
    "grids": "K. Pettersen, E. Russell, B. Felgenhauer and F. Jarvis: afjarvis.org.uk/sudoku",
    "queens": "OEIS A000170",
    "langford": "OEIS A014552, twice",
}
CASES = [
    Case("dominoes", (6, 6), 6_728),
    Case("dominoes", (8, 8), 12_988_816),
    Case("dominoes", (10, 10), 258_584_046_368),
    Case("dominoes", (12, 12), 53_060_477_521_960_000),
    Case("dominoes", (16, 16), 2_444_888_770_250_892_795_802_079_170_816),
    Case("tetrominoes", (4, 4), 117),
    Case("tetrominoes", (6, 6), 178_939),
    Case("tetrominoes", (8, 8), 19_077_209_438),
    Case("partitions", (10,), 115_975),
    Case("partitions", (12,), 4_213_597),
    Case("matchings", (6,), 10_395),
    Case("matchings", (7,), 135_135),
    Case("matchings", (8,), 2_027_025),
    Case("matchings", (9,), 34_459_425),
    Case("matchings", (10,), 654_729_075),
    Case("matchings", (11,), 13_749_310_575),
    Case("latin", (5,), 161_280),
    Case("latin", (6,), 812_851_200),
    Case("latin", (7,), 61_479_419_904_000),
    Case("latin", (8,), 108_776_032_459_082_956_800),
    Case("steiner", (9,), 840),
    Case("steiner", (13,), 1_197_504_000),
    Case("steiner", (15,), 60_281_712_691_200),
    Case("tournaments", (8,), 6_240),
    Case("tournaments", (10,), 1_225_566_720),
    Case("grids", (2, 2), 288),
    Case("grids", (2, 3), 28_200_960),
    Case("grids", (2, 4), 29_136_487_207_403_520),
    Case("grids", (3, 3), 6_670_903_752_021_072_936_960, long=True),
    Case("queens", (10,), 724),
    Case("langford", (11,), 35_584),
]

CLOCK = Stopwatch()
pytestmark = pytest.mark.benchmark(timer=CLOCK)
given_up: set[tuple[str, str]] = set()  # the sides and families in which a case was not done, or wrong


def unfit(side: str, case: Case) -> str:
    """Why a side is not tried in a case, or an empty text."""
    if side == "isomorphic" and case.family not in RENAMED:
        return "hardly anything is the same up to renaming"
    if side == "Graphillion" and case.family not in ("dominoes", "matchings"):
        return "covers are no perfect matchings"
    if case.long and "LONG" not in os.environ:
        return "it takes more than a minute: LONG=1"
    if case.covers > VISITED.get(side, case.covers):
        return "too many covers to visit"
    return missing(side)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("side", COUNTING)
def test_count(benchmark: Any, side: str, case: Case) -> None:
    """A side of `dlx` that ends finds as many covers as there are; what others find is noted."""
    if reason := unfit(side, case):
        pytest.skip(reason)
    if (side, case.family) in given_up:
        pytest.skip("a smaller one was not done")
    limit = LONG if case.long else LIMIT
    # The example is one that all sides can do, Graphillion too.
    args = (side, limit, [plain(case.problem())], plain(build("dominoes", 2, 2)), CLOCK, True)
    record = benchmark.pedantic(measure, args=args, rounds=1)
    found = record["tasks"]["count"].pop("covers")[0] if record["tasks"] else None
    assert side not in OWN or found in (case.covers, None)
    if found != case.covers:
        given_up.add((side, case.family))
    benchmark.extra_info.update(
        instance=case.name, family=case.family, side=side, covers=case.covers, found=found, **record
    )
