"""The table and the chart of the strategies: who wins where, and where each one stops finishing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FixedLocator, LogFormatterMathtext, NullLocator
from report import GRID, QUIET, Record, bare, duration, markdown, short, ticks
from sudoku_instances import INSTANCES, KINDS, SERIES

# In the order of tables and lanes. Colours that the colour-blind can tell apart: those of Okabe and Ito (2008), but for
# the grey and a darker blue.
COLOURS = {
    "brute": "#8a8f98",
    "rows": "#56b4e9",
    "static": "#cc79a7",
    "dynamic": "#009e73",
    "dlx": "#0b5cad",
    "bound": "#d55e00",
}

NAME = 20.0  # by what factor of completions two names on one line must be apart
TIMES = (1e-4, 1e-3, 1e-2, 0.1, 1)  # seconds at the ticks
LANES = 0.8  # how much of a band the lanes take

Results = Mapping[str, Record]  # of one strategy: by the name of the instance


def table(records: Sequence[Record]) -> str:
    """Times and nodes of every strategy on every instance, the fastest in bold."""
    strategies = _by_strategy(records)
    header = ["grid", "givens", "completions", "best"]
    for strategy in strategies:
        header += [strategy, "nodes"]
    sources = [f"- `{instance.name}`: {instance.source}." for instance in (*SERIES[:2], *KINDS)]
    return "\n".join(
        [
            "# Target sudoku: the strategies side by side",
            "",
            "The best completion of each grid by the contest's weights, proven. Times are the least of several rounds",
            "and include everything from the grid as an array to the result; a node is a digit, or an option, tried.",
            f"`> {records[0]['limit']:g} s` is a strategy that did not finish, with the nodes it had tried by then.",
            "",
            markdown(header, [_row(name, list(strategies.values())) for name in INSTANCES]),
            "",
            "The grids:",
            "",
            *sources,
        ]
    )


def _by_strategy(records: Sequence[Record]) -> dict[str, Results]:
    """The records of each strategy that has any, by the name of the instance."""
    present = {record["strategy"] for record in records}
    return {
        strategy: {record["instance"]: record for record in records if record["strategy"] == strategy}
        for strategy in COLOURS
        if strategy in present
    }


def _row(name: str, strategies: Sequence[Results]) -> list[str]:
    instance = INSTANCES[name]
    records = [results[name] for results in strategies]
    least = min((record["seconds"] for record in records if record["finished"]), default=None)
    cells = [f"`{name}`", str(instance.givens), f"{instance.completions:,}", str(instance.best)]
    for record in records:
        time = duration(record["seconds"]) if record["finished"] else f"> {record['limit']:g} s"
        cells += [f"**{time}**" if record["finished"] and record["seconds"] == least else time, short(record["nodes"])]
    return cells


def chart(records: Sequence[Record]) -> Figure:
    """On the left one grid with fewer and fewer givens; on the right grids of other kinds."""
    strategies = _by_strategy(records)
    limit = float(records[0]["limit"])
    figure = Figure(figsize=(11, 5.6), layout=ConstrainedLayoutEngine(wspace=0.04))
    left, right = figure.subplots(1, 2, width_ratios=[1.2, 1])
    _draw_series(left, strategies, limit)
    _draw_kinds(right, strategies, limit)
    return figure


def _title(axes: Axes, title: str, explanation: str) -> None:
    axes.set_title(title, loc="left", fontsize=13, fontweight="bold", pad=26)
    axes.annotate(explanation, (0, 1), (0, 9), "axes fraction", "offset points", color=QUIET, va="bottom")


def _draw_series(axes: Axes, strategies: Mapping[str, Results], limit: float) -> None:
    """A line for each strategy: completions to the right, time upwards."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(2, 15 * max(instance.completions for instance in SERIES))
    axes.set_ylim(3e-5, 6 * limit)
    ticks(axes.yaxis, [*TIMES, limit])
    axes.xaxis.set_major_locator(FixedLocator([10.0**k for k in range(1, 9)]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(LogFormatterMathtext())
    axes.set_xlabel("completions")
    axes.tick_params(length=0)
    axes.grid(axis="y")
    axes.spines["left"].set_visible(False)
    axes.axhline(limit, color=QUIET, linewidth=1, linestyle=(0, (2, 3)))
    _title(axes, "One grid with fewer and fewer givens", f"time to the proven best; a cross: not in {limit:g} s")
    ends = {strategy: _draw_line(axes, strategy, results, limit) for strategy, results in strategies.items()}
    _label(axes, ends, limit)


def _draw_line(axes: Axes, strategy: str, results: Results, limit: float) -> tuple[float, float]:
    """The times of a strategy, up to a cross on the limit at the first grid that it does not finish; where it ends."""
    records = [results[instance.name] for instance in SERIES]
    done = [bool(record["finished"]) for record in records]
    kept = done.index(False) if False in done else len(done)
    points = [(float(record["completions"]), float(record["seconds"])) for record in records[:kept]]
    cross = [(float(record["completions"]), limit) for record in records[kept : kept + 1]]
    style: dict[str, Any] = {"color": COLOURS[strategy], "markeredgecolor": "white", "zorder": 3}
    axes.plot(*zip(*points, *cross, strict=True), linewidth=2, **style)
    axes.plot(*zip(*points, strict=True), "o", markersize=5, **style)
    for x, y in cross:
        axes.plot(x, y, "X", markersize=9, **style)
    return (cross or points)[-1]


def _label(axes: Axes, ends: Mapping[str, tuple[float, float]], limit: float) -> None:
    """Writes the name of each strategy where its line ends: beside it, or above the limit in one line or more."""
    lines: list[float] = []  # where the last name in each line of names stands
    for name, end in sorted(ends.items(), key=lambda item: item[1]):
        style: dict[str, Any] = {"textcoords": "offset points", "color": COLOURS[name], "weight": "bold"}
        if end[1] < limit:
            axes.annotate(name, end, (10, -4), **style)
            continue
        line = next((k for k, x in enumerate(lines) if end[0] > NAME * x), len(lines))
        lines[line : line + 1] = [end[0]]
        axes.annotate(name, end, (0, 9 + 13 * line), ha="center", **style)


def _draw_kinds(axes: Axes, strategies: Mapping[str, Results], limit: float) -> None:
    """A band for each grid, with a dot for each strategy in a lane of its own: time to the right."""
    axes.set_xscale("log")
    axes.set_xlim(6e-5, 1.6 * limit)
    axes.set_ylim(len(KINDS) - 0.45, -0.55)
    ticks(axes.xaxis, [*TIMES, limit])
    axes.axvline(limit, color=QUIET, linewidth=1, linestyle=(0, (2, 3)))
    axes.set_yticks(range(len(KINDS)), [""] * len(KINDS))
    bare(axes, "x")
    _title(axes, "Grids of other kinds", "a lane for each strategy, in the same colours")
    for band, kind in enumerate(KINDS):
        if band % 2 == 0:
            axes.axhspan(band - 0.5, band + 0.5, color=GRID, alpha=0.45, linewidth=0, zorder=0)
        _name(axes, band, kind.name, kind.givens, kind.completions)
        for lane, (strategy, results) in enumerate(strategies.items()):
            record = results[kind.name]
            marker, size, x = ("o", 7, record["seconds"]) if record["finished"] else ("X", 8, limit)
            y = band + ((lane + 0.5) / len(strategies) - 0.5) * LANES
            axes.plot(x, y, marker, color=COLOURS[strategy], markersize=size, markeredgecolor="white", zorder=3)


def _name(axes: Axes, band: int, name: str, givens: int, completions: int) -> None:
    """Writes what a band is about on its left."""
    note: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "ha": "right"}
    small = note | {"va": "top", "color": QUIET, "fontsize": 8.5}
    axes.annotate(name, (0, band), (-8, 2), va="bottom", weight="bold", **note)
    axes.annotate(f"{givens} givens", (0, band), (-8, 0), **small)
    axes.annotate(f"{completions:,} completion{'s' * (completions != 1)}", (0, band), (-8, -11), **small)
