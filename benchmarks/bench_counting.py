"""Counting from 117 to 10^31 covers: by visits, in layers of states, by diagrams and by model counters.

Each side runs in a process of its own (`peers.py`). Every count is checked: a wrong count of `dlx` is an error,
a wrong count of another side is recorded as wrong. The cases of a family are sorted by size; a side that was late or
wrong on a case is not run on larger ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from apart import Stopwatch, measure, missing, plain
from families import build
from peers import COUNTING
from report import Record, bold, duration, grouped, limited, markdown

LIMIT = 10.0  # seconds of processor time for a side
OWN = ("visiting", "auto", "isomorphic")
VISITED = 10**8  # cases with more covers are not visited: `dlx` visits about 10^7 covers per second
# Families in which many remaining problems are isomorphic.
ISOMORPHIC = ("matchings", "latin", "steiner", "tournaments", "grids")


@dataclass(frozen=True)
class Case:
    """A problem of `families.py` with its number of covers, as it is known from elsewhere."""

    family: str
    sizes: tuple[int, ...]
    covers: int

    @property
    def name(self) -> str:
        """The family and its usual sizes."""
        sizes = (2 * self.sizes[0],) if self.family == "matchings" else self.sizes
        return f"{self.family} {'x'.join(map(str, sizes))}"


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
    Case("queens", (10,), 724),
    Case("langford", (11,), 35_584),
]

CLOCK = Stopwatch()
pytestmark = pytest.mark.benchmark(timer=CLOCK)
given_up: set[tuple[str, str]] = set()  # the sides and families in which a case was not done, or wrong


def unfit(side: str, case: Case) -> str:
    """Why a side is not tried in a case, or an empty text."""
    if side == "isomorphic" and case.family not in ISOMORPHIC:
        return "few remaining problems are isomorphic"
    if side == "Graphillion" and case.family not in ("dominoes", "matchings"):
        return "covers are no perfect matchings"
    if side == "visiting" and case.covers > VISITED:
        return "too many covers to visit"
    return missing(side)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("side", COUNTING)
def test_count(benchmark: Any, side: str, case: Case) -> None:
    """Sides of `dlx` must find the known number of covers; the counts of other sides are recorded."""
    if reason := unfit(side, case):
        pytest.skip(reason)
    if (side, case.family) in given_up:
        pytest.skip("a smaller one was not done")
    # The example is one that all sides can do, Graphillion too.
    args = (side, LIMIT, [plain(build(case.family, *case.sizes))], plain(build("dominoes", 2, 2)), CLOCK, True)
    record = benchmark.pedantic(measure, args=args, rounds=1)
    found = record["tasks"]["count"].pop("covers")[0] if record["tasks"] else None
    assert side not in OWN or found in (case.covers, None)
    if found != case.covers:
        given_up.add((side, case.family))
    benchmark.extra_info.update(
        instance=case.name, family=case.family, side=side, covers=case.covers, found=found, **record
    )


# The report

Sides = Mapping[str, Record]  # side -> record


def table(records: Sequence[Record]) -> str:
    """Returns the page: the times, and the sources of the known numbers."""
    found = grouped(records, "instance")
    problems = {name: found[name] for name in dict.fromkeys([*(case.name for case in CASES), *found]) if name in found}
    limit = min(record["limit"] for record in records)
    sources = "\n".join(f"* {family}: {source}" for family, source in SOURCES.items())
    return f"""# Counting covers: visiting, layers, diagrams, formulas

`dlx.count` beside decision diagrams and a model counter. Every count is compared with the known number; a
wrong count is shown without its time. Times are processor seconds on one thread of a shared machine, the
least of up to three rounds. Each side runs in its own process, from an input made beforehand, after a small
warm-up problem. The least time of a row is bold.

* *visiting* is `merge="never"`, *auto* is the default of `dlx.count`, and *isomorphic* is
  `merge="isomorphic"`, for families in which many remaining problems are isomorphic.
* *Graphillion* counts perfect matchings of graphs; a perfect matching of a grid graph is a domino tiling.
* *xcover, memo* is algorithm Z of xcover with `use_memo_cache=True`. It identifies remaining problems by a hash of
  32 bits, and merges two problems that have the same hash.
* *d4* counts the models of the formula that `dlx convert --to cnf` writes; each model is one cover.

[peers.md](peers.md) has other programs that list covers. A run that reached {limit:g} s of processor time, or 8 GB of
memory, is shown as such. A cell is empty if a side does not apply, if it was late or wrong on a smaller problem of the
family, or if *visiting* would have more than {VISITED:,} covers to visit.

{markdown(["problem", "covers", *COUNTING], [_times(name, sides) for name, sides in problems.items()])}

## Where the known numbers are from

{sources}"""


def _any(sides: Sides) -> Record:
    return next(iter(sides.values()))


def _count(record: Record | None) -> Record | None:
    """The record of a right count."""
    right = record is not None and record["found"] == record["covers"]
    return record["tasks"]["count"] if record and right else None


def _cell(record: Record | None) -> str:
    """The time of a right count, or the reason why there is none."""
    if record is None:
        return ""
    if count := _count(record):
        return duration(count["seconds"])
    return limited(record) if record["found"] is None else f"wrong: {record['found']:,}"


def _times(name: str, sides: Sides) -> list[str]:
    number = _any(sides)["covers"]
    covers = f"{number:,}" if number < 10**10 else f"{number:.3g}".replace("e+", "e")
    right = {side: count["seconds"] for side in sides if (count := _count(sides[side]))}
    best = min(right, key=lambda side: right[side], default="")
    cells = ((side, _cell(sides.get(side))) for side in COUNTING)
    return [name, covers, *(bold(cell, side == best) for side, cell in cells)]
