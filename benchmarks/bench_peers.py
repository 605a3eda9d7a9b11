"""Counting and listing covers: `dlx` beside the solvers of PyPI, with every count checked.

Each side runs in a process of its own (`peers.py`), from its own input, made beforehand. exact-cover has no secondary
items: as usual, each of them becomes primary and gets an extra option, and word squares are encoded without colours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from apart import Stopwatch, measure, missing, plain
from families import HARD_SUDOKUS, PENTOMINOES, SIXTEEN_GIVENS, build, tilings
from peers import LISTING, PEERS
from report import Record, bands, bold, duration, grouped, legend, limited, markdown, plot, ratio, short, ticks

from dlx import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LIMIT = 17.0  # seconds of processor time for one task of one side

# name: the problems, and how many covers they have in total
INSTANCES: dict[str, tuple[Callable[[], list[Problem]], int]] = {
    "queens 12": (lambda: [build("queens", 12)], 14_200),
    "pentominoes 6x10": (lambda: [build("pentominoes", 6, 10)], 9_356),
    "langford 12": (lambda: [build("langford", 12)], 216_288),
    "word squares 4x4": (lambda: [build("words", 760)], 5_184),
    "dominoes 8x8": (lambda: [build("dominoes", 8, 8)], 12_988_816),
    "sudoku, 16 givens": (lambda: [build("sudoku", SIXTEEN_GIVENS)], 97_290),
    "latin 6x6, first row given": (lambda: [build("latin_below", 6)], 1_128_960),
    "queens 14": (lambda: [build("queens", 14)], 365_596),
    "Y pentominoes 10x14": (lambda: [tilings([PENTOMINOES["Y"]], 10, 14)], 296),
    "soma": (lambda: [build("soma")], 11_520),
    "500 sparse options": (lambda: [build("sparse", 500, 60, 5)], 39),
    "20 hard sudokus": (lambda: [build("sudoku", digits) for digits in HARD_SUDOKUS], 20),
}
UNCOLOURED = {"word squares 4x4": lambda: [build("words_plain", 760)]}

CLOCK = Stopwatch()
pytestmark = pytest.mark.benchmark(timer=CLOCK)


@pytest.mark.parametrize("side", LISTING)
@pytest.mark.parametrize("name", INSTANCES)
def test_all_covers(benchmark: Any, name: str, side: str) -> None:
    """A side that ends in time counts and delivers the known number of covers."""
    if reason := missing(side):
        pytest.skip(reason)
    make, expected = INSTANCES[name]
    if side == "exact-cover":
        make = UNCOLOURED.get(name, make)
    problems = [plain(problem) for problem in make()]
    example = plain(build("toy"))
    record = benchmark.pedantic(measure, args=(side, LIMIT, problems, example, CLOCK, False), rounds=1)
    for task in record["tasks"].values():
        assert sum(task.pop("covers")) == expected
    benchmark.extra_info.update(instance=name, side=side, covers=expected, **record)


# The report

# Colours that the colour-blind can tell apart (Okabe and Ito, 2008).
COLOURS = dict(zip(("dlx", *PEERS), ("#0b5cad", "#e69f00", "#009e73", "#cc79a7"), strict=True))

Sides = Mapping[str, Record]  # side -> record


def table(records: Sequence[Record]) -> str:
    """Two tables: counting and listing."""
    problems = grouped(records, "instance")
    header = ["problem", "covers", "kernel", "nodes", *LISTING, "best peer : dlx"]
    listing = ["problem", "dlx, blocks", "dlx", *PEERS, "best peer : dlx"]
    return f"""# Counting and listing covers: dlx beside its peers

Every count is checked. Times are processor seconds on one thread, the least of several rounds. Each side
runs in its own process, from an input made beforehand, after a small problem to warm up. A run that reached
{records[0]["limit"]:g} s of processor time, or 8 GB of memory, is shown as such. *best peer : dlx* is the least time of
a peer divided by that of `dlx`.

exact-cover has no secondary items: for it, each diagonal of the queens has an extra option, and word squares
are encoded without colours, by an item for each letter in each cell.

## Counting

Every cover is visited: `dlx` counts with `merge="never"`, and chooses the *kernel*. xcover and pyxcc can
count only by listing.

{markdown(header, [_counting(name, sides) for name, sides in problems.items()])}

## Listing

Every cover is delivered. `dlx` delivers numpy blocks of up to 1,024 covers, or one tuple at a time; the peers
deliver one list or tuple at a time.

{markdown(listing, [_listing(name, sides) for name, sides in problems.items()])}"""


def seconds_of(record: Record, task: str) -> float | None:
    """The time of a task; a side that cannot count lists instead."""
    done = record["tasks"].get(task) or (record["tasks"].get("covers") if task == "count" else None)
    return float(done["seconds"]) if done else None


def _ends(sides: Sides, task: str) -> tuple[float, float] | None:
    """The time of `dlx`, and the least time of a peer, if there are both."""
    own, peers = seconds_of(sides["dlx"], task), [seconds_of(sides[peer], task) for peer in PEERS if peer in sides]
    best = min((time for time in peers if time is not None), default=None)
    return None if own is None or best is None else (own, best)


def _cell(sides: Sides, side: str, text: str | None) -> str:
    """A cell of a table, or the reason why there is nothing."""
    if side not in sides:
        return "not installed"
    return text or (limited(sides[side]) if sides[side]["stopped"] else "")


def _time(sides: Sides, side: str, task: str) -> str:
    seconds = seconds_of(sides[side], task) if side in sides else None
    return _cell(sides, side, None if seconds is None else duration(seconds))


def _ratio(sides: Sides, task: str) -> str:
    ends = _ends(sides, task)
    return bold(f"{ends[1] / ends[0]:.1f}" if ends else "", True)


def _counting(name: str, sides: Sides) -> list[str]:
    own = sides["dlx"]
    work = own["tasks"]["count"]
    start = [name, f"{own['covers']:,}", work["kernel"], short(work["nodes"])]
    return [*start, *(_time(sides, side, "count") for side in LISTING), _ratio(sides, "count")]


def _listing(name: str, sides: Sides) -> list[str]:
    times = (_time(sides, side, "covers") for side in ("dlx", *PEERS))
    return [name, _time(sides, "dlx", "blocks"), *times, _ratio(sides, "covers")]


def chart(records: Sequence[Record]) -> Figure:
    """A band for each problem, with a dot for each side: time to the right."""
    problems = grouped(records, "instance")
    figure, axes = plot(8.0, "Counting all covers")
    bands(axes, [f"{name}\n{sides['dlx']['covers']:,} covers" for name, sides in problems.items()])
    axes.set_xlim(0.008, 60)
    ticks(axes.xaxis, [0.01, 0.1, 1, 10])
    for band, sides in enumerate(problems.values()):
        if ends := _ends(sides, "count"):
            ratio(axes, band, ends, f"{ends[1] / ends[0]:.1f}x")
        for side in reversed(COLOURS):
            time = seconds_of(sides[side], "count") if side in sides else None
            if time is not None:
                axes.plot(time, band, "o", color=COLOURS[side], markersize=9, markeredgecolor="white", zorder=3)
    legend(figure, axes, COLOURS, len(COLOURS))
    return figure
