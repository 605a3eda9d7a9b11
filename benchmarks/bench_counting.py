"""Counting from 117 to 10^31 covers: by visits, in layers of states, by diagrams and by model counters.

Every count is checked. A wrong count of `dlx` is an error; a wrong count of another side is recorded. The cases of a
family are sorted by size. After a timeout or a wrong count, a side is not run on larger cases of the family.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from families import build
from peers import COUNTING, plain, run
from report import Record, cells, grouped, markdown, measured
from timing import apart, installed

LIMIT = 10.0  # processor seconds for a side
OWN = ("visiting", "layers", "auto", "isomorphic")
VISITED = 10**8  # cases with more covers are not visited: `dlx` visits about 10^7 covers per second
# Families in which many remaining problems are isomorphic.
ISOMORPHIC = ("matchings", "latin", "steiner", "tournaments", "grids")


@dataclass(frozen=True)
class Case:
    """A problem of `families.py` and its published number of covers."""

    family: str
    sizes: tuple[int, ...]
    covers: int

    @property
    def name(self) -> str:
        """The family and its usual sizes."""
        sizes = (2 * self.sizes[0],) if self.family == "matchings" else self.sizes
        return f"{self.family} {'x'.join(map(str, sizes))}"


# Family -> the source of its numbers.
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


def suits(side: str, case: Case) -> bool:
    """Returns whether a side is tried in a case."""
    return (
        (side != "isomorphic" or case.family in ISOMORPHIC)
        and (side != "Graphillion" or case.family in ("dominoes", "matchings"))
        and (side != "visiting" or case.covers <= VISITED)
    )


def measure() -> Iterator[Record]:
    """Yields the time and the count of each side on each case."""
    given_up: set[tuple[str, str]] = set()
    example = plain(build("dominoes", 2, 2))  # all sides can count it
    sides = installed(COUNTING)
    for case in CASES:
        for side in sides:
            if (side, case.family) not in given_up and suits(side, case):
                problem = plain(build(case.family, *case.sizes))
                done, stopped = apart(run, side, ["count"], [problem], example, LIMIT)
                seconds, found = done[0][1:] if done else (LIMIT, None)
                assert side not in OWN or found in (case.covers, None), (case, side)
                if found != case.covers:
                    given_up.add((side, case.family))
                record = {"problem": case.name, "side": side, "covers": case.covers, "found": found}
                yield record | {"seconds": seconds, "stopped": stopped}


def table(records: Sequence[Record]) -> str:
    """Returns the page: the times, and the sources of the published numbers."""
    problems = grouped(records)
    sides = measured(COUNTING, problems)
    rows = [_row(case.name, problems[case.name], sides) for case in CASES if case.name in problems]
    sources = "\n".join(f"* {family}: {source}" for family, source in SOURCES.items())
    return f"""# Counting covers: visiting, layers, diagrams, formulas

`dlx.count` compared with decision diagrams and a model counter. Every count is compared with the published number. A
wrong count is shown without its time. Times are processor seconds on one thread of a shared machine, the least of up to
three rounds. Each side runs in its own process. Making its input and counting a small problem as a warm-up are not
timed. The least time of a row is bold.

* *visiting* is `merge="never"`, *layers* is `merge="same"`, *auto* is the default of `dlx.count`, and *isomorphic* is
  `merge="isomorphic"`, for families in which many remaining problems are isomorphic.
* *Graphillion* counts perfect matchings of graphs; a perfect matching of a grid graph is a domino tiling.
* *xcover, memo* is algorithm Z of xcover with `use_memo_cache=True`. It identifies remaining problems by a hash of
  32 bits, and merges two problems that have the same hash.
* *d4* counts the models of the formula that `dlx convert --to cnf` writes; each model is one cover.

[peers.md](peers.md) has other programs that list covers. A run that reached {LIMIT:g} s of processor time, or 8 GB of
memory, is shown as such. A cell is empty if a side does not apply, if it was stopped or wrong on a smaller problem of
the family, or if there are more than {VISITED:,} covers for *visiting*.

{markdown(["problem", "covers", *sides], rows)}

## Sources of the published numbers

{sources}"""


def _row(name: str, records: dict[str, Record], sides: Sequence[str]) -> list[str]:
    """The row of a case: its covers, then the time of each right count, or the wrong count without its time."""
    covers = next(iter(records.values()))["covers"]
    number = f"{covers:,}" if covers < 10**10 else f"{covers:.3g}".replace("e+", "e")
    wrong = {side: f"wrong: {of['found']:,}" for side, of in records.items() if of["found"] not in (covers, None)}
    times = cells({side: record for side, record in records.items() if side not in wrong}, sides)
    return [name, number, *(wrong.get(side, time) for side, time in zip(sides, times, strict=True))]
