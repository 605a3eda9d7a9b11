"""The table and the chart of the peers: how long each takes to count the same covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator
from report import INK, QUIET, Record, duration, markdown, short

# Blue and orange, which the colour-blind can tell apart (Okabe and Ito, 2008); the orange is the lighter one.
COLOURS = {"dlx": "#0b5cad", "exact-cover": "#e69f00"}

Times = Mapping[str, Mapping[str, Record]]  # problem -> side -> record


def table(records: Sequence[Record]) -> str:
    """Times of both sides with their ratio, the work of `dlx`, and what it costs to deliver the covers."""
    header = [
        "problem",
        "covers",
        "dlx",
        "exact-cover",
        "ratio",
        "covers/s",
        "nodes",
        "updates",
        "blocks",
        "blocks : count",
    ]
    return "\n".join(
        [
            "# Counting covers: dlx beside exact-cover",
            "",
            "All covers counted by both, and both counts checked. Times are processor seconds, the least of several",
            "rounds, from a `dlx.Problem` or a matrix of zeros and ones to the count, on one thread. *ratio* is the",
            "time of exact-cover by that of `dlx`; *covers/s*, *nodes* and *updates* are those of `dlx`. *blocks* is",
            "the time of `dlx` for the covers themselves, as numpy arrays of up to 1,024 of them. exact-cover has no",
            "secondary items: the diagonals of the queens get an option of their own there.",
            "",
            markdown(header, [_row(name, sides) for name, sides in _by_problem(records).items()]),
        ]
    )


def _by_problem(records: Sequence[Record]) -> Times:
    problems: dict[str, dict[str, Record]] = {}
    for record in records:
        problems.setdefault(record["instance"], {})[record["side"]] = record
    return problems


def _row(name: str, sides: Mapping[str, Record]) -> list[str]:
    own, blocks, peer = sides["dlx"], sides["dlx, blocks"], sides.get("exact-cover")
    seconds = own["seconds"]
    return [
        name,
        f"{own['covers']:,}",
        f"**{duration(seconds)}**" if peer is None or seconds < peer["seconds"] else duration(seconds),
        duration(peer["seconds"]) if peer else "not installed",
        f"{peer['seconds'] / seconds:.1f}" if peer else "",
        short(round(own["covers"] / seconds)),
        short(own["nodes"]),
        short(own["updates"]),
        duration(blocks["seconds"]),
        f"{blocks['seconds'] / seconds:.2f}",
    ]


def chart(records: Sequence[Record]) -> Figure:
    """A band for each problem, with a dot for each side: time to the right."""
    figure = Figure(figsize=(8, 3.2), layout="constrained")
    axes = figure.subplots()
    problems = _by_problem(records)
    axes.set_xscale("log")
    axes.set_xlim(*_limits(records))
    axes.xaxis.set_major_locator(FixedLocator([0.001, 0.01, 0.1, 1, 10, 100]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: duration(seconds)))
    axes.set_yticks(range(len(problems)), [f"{name}\n{_covers(sides)}" for name, sides in problems.items()])
    axes.set_ylim(len(problems) - 0.5, -0.5)
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.grid(axis="x")
    axes.set_title("Counting all covers", loc="left", fontsize=13, fontweight="bold")
    for band, sides in enumerate(problems.values()):
        _draw_band(axes, band, {side: sides[side]["seconds"] for side in COLOURS if side in sides})
    return figure


def _limits(records: Sequence[Record]) -> tuple[float, float]:
    times = [float(record["seconds"]) for record in records if record["side"] in COLOURS]
    return min(times) / 2, max(times) * 3


def _covers(sides: Mapping[str, Record]) -> str:
    return f"{sides['dlx']['covers']:,} covers"


def _draw_band(axes: Axes, band: int, seconds: Mapping[str, float]) -> None:
    """The dots of a problem, joined by a line that carries their ratio; the first band names the sides."""
    axes.plot(list(seconds.values()), [band] * len(seconds), color=QUIET, linewidth=1, zorder=2)
    for side, time in seconds.items():
        axes.plot(time, band, "o", color=COLOURS[side], markersize=9, markeredgecolor="white", zorder=3)
        if band == 0:
            place: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "weight": "bold"}
            axes.annotate(side, (time, band), (0, 9), color=COLOURS[side], **place)
    if len(seconds) > 1:
        own, peer = seconds["dlx"], seconds["exact-cover"]
        axes.annotate(f"{peer / own:.1f}x", (peer, band), (9, 0), textcoords="offset points", va="center", color=INK)
