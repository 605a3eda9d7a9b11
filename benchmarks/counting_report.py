"""The tables and the chart of counting: covers against time for ways that visit each and ways that need not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench_counting import CASES, SOURCES, VISITED
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator
from peers import COUNTING, PEERS
from report import GRID, QUIET, Record, bare, duration, grouped, markdown, short, ticks

Sides = Mapping[str, Record]  # side -> record

# Name in the chart -> its sides, colour and marker; colours that the colour-blind can tell apart (Okabe and Ito, 2008).
MARKS: Mapping[str, tuple[Sequence[str], str, str]] = {
    "dlx, visiting": (("visiting",), "#56b4e9", "o"),
    "dlx.count": (("auto",), "#0b5cad", "o"),
    "dlx, up to renaming": (("isomorphic",), "#d55e00", "o"),
    "dd": (("dd",), "#009e73", "s"),
    "Graphillion": (("Graphillion",), "#cc79a7", "s"),
    "xcover, memo": (("xcover, memo",), "#e69f00", "D"),
    "peers that visit": (tuple(PEERS), "#8a8f98", "v"),
}
CROSS = 2.2  # the factor between two lanes above the limit


def table(records: Sequence[Record]) -> str:
    """The times, the work that `dlx` did, the memory, and the known numbers with their sources."""
    problems = _by_problem(records)
    return "\n".join(
        [
            "# Counting covers: visiting, merging, diagrams",
            "",
            *_introduction(records),
            "",
            markdown(["problem", "covers", *COUNTING], [_times(name, sides) for name, sides in problems.items()]),
            "",
            "## What `dlx` did",
            "",
            "*way* is what `auto` chose. *states* are the remaining problems in its table at the end, *hits* how often",
            "one was there before. Up to renaming, *nodes* are the options tried, and *classes* what was expanded.",
            "",
            markdown(
                [
                    "problem",
                    "visiting: nodes",
                    "way",
                    "nodes",
                    "hits",
                    "states",
                    "up to renaming: nodes",
                    "hits",
                    "classes",
                ],
                [_work(name, sides) for name, sides in problems.items()],
            ),
            "",
            "## Memory",
            "",
            "How far the memory of the process grew, in MB; pyxcc and dlx-cython collect all covers.",
            "",
            markdown(["problem", *COUNTING], [_memory(name, sides) for name, sides in problems.items()]),
            "",
            "## The numbers",
            "",
            markdown(["problem", "source", "covers"], [_source(name, sides) for name, sides in problems.items()], 2),
        ]
    )


def _introduction(records: Sequence[Record]) -> list[str]:
    limit = min(record["limit"] for record in records)
    own, other = VISITED["visiting"], VISITED["xcover"]
    return [
        "How many covers, by ways of `dlx.count`, by decision diagrams, and by solvers that visit every cover. Every",
        "count was compared with the known number; a wrong one is shown as such, without its time. Times are processor",
        "seconds on one thread of a machine that was shared with other work, the least of up to three rounds, from an",
        "input made beforehand; each side runs in a process of its own, warmed up by a small problem. The least time",
        "of a row is bold. Ratios of these times are those of one run.",
        "",
        '* *visiting* is `merge="never"`, *auto* what `dlx.count` does if nothing is said, *same* `merge="same"`, and',
        '  *isomorphic* `merge="isomorphic"`, tried where much is the same up to renaming.',
        "* *dd* makes a binary decision diagram with CUDD: for each item that one of its options is chosen, and then",
        "  all of them together. The options stay in the order of their first items; other orders may be better.",
        "* *Graphillion* counts perfect matchings of graphs: those of grids are domino tilings.",
        "* *xcover, memo* is its algorithm Z with `use_memo_cache=True`. There a hash of 32 bits tells whether a",
        "  remaining problem is known, and two with the same hash are taken for one.",
        "* exact-cover counts by visiting each cover; xcover, pyxcc and dlx-cython list them.",
        "",
        f"A side that did not end within {limit:g} s of processor time, or 8 GB of memory, is shown as such. A cell is",
        "empty where a side does not apply, where it was late or wrong in a smaller case of the family, or where it",
        f"visits each cover and there are more than {own:,} (for `dlx`) or {other:,} (for the others).",
    ]


def _by_problem(records: Sequence[Record]) -> Mapping[str, Sides]:
    """The records of each problem by side, in the order of the cases."""
    problems = grouped(records, "instance")
    return {
        name: problems[name] for name in dict.fromkeys([*(case.name for case in CASES), *problems]) if name in problems
    }


def _covers(number: int) -> str:
    """A number of covers, rounded if it is long."""
    return f"{number:,}" if number < 10**10 else f"{number:.3g}".replace("e+", "e")


def _number(sides: Sides) -> int:
    return int(next(iter(sides.values()))["covers"])


def _count(record: Record | None) -> Record | None:
    """Returns the record of a right count."""
    if record is None or record["found"] != record["covers"]:
        return None
    count: Record = record["tasks"]["count"]
    return count


def _cell(sides: Sides, side: str, text: Callable[[Record], str]) -> str:
    """Returns the text of a right count, or the reason why there is none."""
    if side not in sides:
        return ""
    record = sides[side]
    if count := _count(record):
        return text(count)
    if record["found"] is not None:
        return f"wrong: {record['found']:,}"
    return f"> {record['limit']:g} s" if record["stopped"] == "time" else "> 8 GB"


def _times(name: str, sides: Sides) -> list[str]:
    right = {side: count["seconds"] for side in sides if (count := _count(sides[side]))}
    best = min(right, key=lambda side: right[side], default="")
    cells = {side: _cell(sides, side, lambda count: duration(count["seconds"])) for side in COUNTING}
    return [
        name,
        _covers(_number(sides)),
        *(f"**{cells[side]}**" if side == best else cells[side] for side in COUNTING),
    ]


def _work(name: str, sides: Sides) -> list[str]:
    def numbers(side: str, *keys: str) -> list[str]:
        count = _count(sides.get(side))
        return [short(count[key]) for key in keys] if count else ["" for _ in keys]

    auto = _count(sides.get("auto"))
    way = "" if auto is None else "merges" if auto["merged"] else "visits"
    merging = numbers("auto", "nodes", "hits", "states")
    return [name, *numbers("visiting", "nodes"), way, *merging, *numbers("isomorphic", "nodes", "hits", "states")]


def _memory(name: str, sides: Sides) -> list[str]:
    return [name, *(_cell(sides, side, lambda count: f"{count['megabytes']:,.1f}") for side in COUNTING)]


def _source(name: str, sides: Sides) -> list[str]:
    return [name, SOURCES[next(iter(sides.values()))["family"]], f"{_number(sides):,}"]


def chart(records: Sequence[Record]) -> Figure:
    """Every right count as a mark, covers to the right and time upwards; what was late or wrong stands above."""
    limit = min(record["limit"] for record in records)
    figure = Figure(figsize=(10, 6.2), layout="constrained")
    axes = figure.subplots()
    _axes(axes, limit)
    for name, (sides, colour, marker) in MARKS.items():
        style: dict[str, Any] = {"color": colour, "linestyle": "none", "markeredgecolor": "white"}
        some = [record for record in records if record["side"] in sides]
        own = name.startswith("dlx")
        for points, shape in (
            ([(record["covers"], count["seconds"]) for record in some if (count := _count(record))], marker),
            ([(r["covers"], limit * CROSS) for r in some if r["found"] is None], "X"),
            ([(r["covers"], limit * CROSS**2) for r in some if r["found"] not in (None, r["covers"])], "X"),
        ):
            axes.plot(*_columns(points), shape, markersize=9 if own else 7, zorder=4 if own else 3, **style)
        axes.plot([], [], marker, label=name, markersize=8, **style)
    figure.legend(loc="outside lower center", ncols=len(MARKS), frameon=False, handletextpad=0.1, columnspacing=1.2)
    return figure


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [float(x) for x, _ in points], [y for _, y in points]


def _axes(axes: Axes, limit: float) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(50, 1e40)
    axes.set_ylim(1e-5, limit * CROSS**2.8)
    axes.xaxis.set_major_locator(FixedLocator([10.0**k for k in range(5, 45, 5)]))
    axes.xaxis.set_minor_locator(NullLocator())
    ticks(axes.yaxis, [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, limit])
    bare(axes, "y")
    axes.axhspan(limit, limit * CROSS**2.8, color=GRID, alpha=0.45, linewidth=0, zorder=0)
    for lane, text in ((1, f"not in {limit:g} s, or 8 GB"), (2, "a wrong count")):
        axes.annotate(text, (1e33, limit * CROSS**lane), color=QUIET, va="center")
    axes.plot([1e7 * 1e-5, 1e7 * limit], [1e-5, limit], "--", color=QUIET, linewidth=1, zorder=1)
    axes.annotate("10 million covers a second", (1e3, 3e-5), color=QUIET)
    axes.set_xlabel("covers")
    axes.set_title("Counting covers: a mark for each problem and side", loc="left", fontsize=13, fontweight="bold")
