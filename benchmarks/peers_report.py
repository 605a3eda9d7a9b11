"""The tables and the chart of the peers: how long each takes to count the same covers, and to hand them over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from peers import LISTING, PEERS
from report import INK, QUIET, Record, bare, duration, grouped, markdown, short, ticks

# Colours that the colour-blind can tell apart (Okabe and Ito, 2008).
COLOURS = dict(zip(("dlx", *PEERS), ("#0b5cad", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"), strict=True))

Sides = Mapping[str, Record]  # side -> record


def table(records: Sequence[Record]) -> str:
    """Three tables: counting, listing, and memory."""
    problems = grouped(records, "instance")
    limit = records[0]["limit"]
    header = ["problem", "covers", "kernel", "nodes", *LISTING, "best peer : dlx"]
    listing = ["problem", "dlx, blocks", "dlx", *PEERS, "best peer : dlx"]
    return "\n".join(
        [
            "# Counting and listing covers: dlx beside its peers",
            "",
            "Every count was checked. Times are processor seconds on one thread, the least of several rounds, from an",
            "input made beforehand; each side runs in a process of its own, warmed up by a small problem. A side that",
            f"did not end within {limit:g} s of processor time, or 8 GB of memory, is shown as such. *best peer : dlx*",
            "is the least time of a peer by that of `dlx`.",
            "",
            "exact-cover and dlx-cython have no secondary items: the diagonals of the queens get an option of their",
            "own there, and word squares are encoded without colours, by an item for each letter in each cell.",
            "",
            "## Counting",
            "",
            "`dlx` chooses the *kernel*; *links* and *bits* are the same count with either of them by name. xcover,",
            "pyxcc and dlx-cython have no way to count but to list.",
            "",
            markdown(header, [_counting(name, sides) for name, sides in problems.items()]),
            "",
            "## Listing",
            "",
            "Every cover handed over: by `dlx` as numpy blocks of up to 1,024 of them, or else one by one as Python",
            "tuples, as the peers do with lists or tuples.",
            "",
            markdown(listing, [_listing(name, sides) for name, sides in problems.items()]),
            "",
            "## Memory while listing",
            "",
            "How far the memory of the process grew, in MB. `dlx` and xcover give covers one by one, the others all at",
            "once.",
            "",
            markdown(["problem", "dlx", *PEERS], [_memory(name, sides) for name, sides in problems.items()]),
        ]
    )


def _seconds(record: Record, task: str) -> float | None:
    """The time of a task; a side that cannot count lists instead."""
    done = record["tasks"].get(task) or (record["tasks"].get("covers") if task == "count" else None)
    return float(done["seconds"]) if done else None


def _best(sides: Sides, task: str) -> float | None:
    """The least time of a peer."""
    times = [_seconds(sides[peer], task) for peer in PEERS if peer in sides]
    return min((time for time in times if time is not None), default=None)


def _cell(sides: Sides, side: str, text: Callable[[Record], str | None]) -> str:
    """A cell of a table: what there is to say, or why there is nothing."""
    if side not in sides:
        return "not installed"
    reasons = {"time": f"> {sides[side]['limit']:g} s", "memory": "> 8 GB"}
    return text(sides[side]) or reasons.get(sides[side]["stopped"], "")


def _time(sides: Sides, side: str, task: str) -> str:
    def text(record: Record) -> str | None:
        seconds = _seconds(record, task)
        return None if seconds is None else duration(seconds)

    return _cell(sides, side, text)


def _ratio(sides: Sides, task: str) -> str:
    best, own = _best(sides, task), _seconds(sides["dlx"], task)
    return f"{best / own:.1f}" if best is not None and own is not None else ""


def _counting(name: str, sides: Sides) -> list[str]:
    own = sides["dlx"]
    work = own["tasks"]["count"]
    start = [name, f"{own['covers']:,}", work["kernel"], short(work["nodes"])]
    return [*start, *(_time(sides, side, "count") for side in LISTING), f"**{_ratio(sides, 'count')}**"]


def _listing(name: str, sides: Sides) -> list[str]:
    times = (_time(sides, side, "covers") for side in ("dlx", *PEERS))
    return [name, _time(sides, "dlx", "blocks"), *times, f"**{_ratio(sides, 'covers')}**"]


def _memory(name: str, sides: Sides) -> list[str]:
    def text(record: Record) -> str | None:
        done = record["tasks"].get("covers")
        return None if done is None else f"{done['megabytes']:,.1f}"

    return [name, *(_cell(sides, side, text) for side in ("dlx", *PEERS))]


def chart(records: Sequence[Record]) -> Figure:
    """A band for each problem, with a dot for each side: time to the right."""
    figure = Figure(figsize=(8, 5.6), layout="constrained")
    axes = figure.subplots()
    problems = grouped(records, "instance")
    axes.set_xscale("log")
    axes.set_xlim(0.008, 60)
    ticks(axes.xaxis, [0.01, 0.1, 1, 10])
    axes.set_yticks(range(len(problems)), [f"{name}\n{_covers(sides)}" for name, sides in problems.items()])
    axes.set_ylim(len(problems) - 0.5, -0.7)
    bare(axes, "x")
    axes.set_title("Counting all covers", loc="left", fontsize=13, fontweight="bold")
    for band, sides in enumerate(problems.values()):
        _draw_band(axes, band, sides)
    handles = [axes.plot([], [], "o", color=colour, markersize=8, label=side)[0] for side, colour in COLOURS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(COLOURS), frameon=False)
    return figure


def _covers(sides: Sides) -> str:
    covers = sides["dlx"]["covers"]
    return f"{covers:,} covers"


def _draw_band(axes: Axes, band: int, sides: Sides) -> None:
    """The dots of a problem, joined by a line from `dlx` to the best peer that carries their ratio."""
    own, best = _seconds(sides["dlx"], "count"), _best(sides, "count")
    if own is not None and best is not None:
        axes.plot([own, best], [band, band], color=QUIET, linewidth=1, zorder=2)
        place: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "bottom"}
        axes.annotate(f"{best / own:.1f}x", ((own * best) ** 0.5, band), (0, 4), color=INK, **place)
    for side in reversed(COLOURS):
        time = _seconds(sides[side], "count") if side in sides else None
        if time is not None:
            axes.plot(time, band, "o", color=COLOURS[side], markersize=9, markeredgecolor="white", zorder=3)
