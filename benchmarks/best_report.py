"""The tables and the chart of the best cover: time against the number of completions, from none to 10^21."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from report import GRID, QUIET, Record, bare, duration, grouped, markdown, short, ticks

# Side -> its name in the chart, and a colour that the colour-blind can tell apart (after Okabe and Ito, 2008).
SIDES = {
    "dlx": ("Dancing Cover", "#d55e00"),
    "HiGHS": ("HiGHS", "#0b5cad"),
    "CP-SAT": ("OR-Tools CP-SAT", "#8e63b8"),
    "dynamic": ("every completion, by bitmasks", "#009e73"),
    "brute": ("every completion, by brute force", "#8a8f98"),
}
NONE = 0.06  # where grids without a completion stand on an axis that has no 0
CROSS = 1.9  # the factor between the crosses of two sides above the limit

Sides = Mapping[str, Mapping[str, Record]]  # instance -> side -> record
Numbers = npt.NDArray[np.float64]


def table(records: Sequence[Record]) -> str:
    """The geometric means and the worst cases, then every time: target sudoku, weighted families, set partitioning."""
    grids, weighted, spp = (_by_instance(records, group) for group in ("grids", "weighted", "spp"))
    parts = [
        "# The best cover, proven",
        "",
        *_introduction(grids),
        "## Target sudoku",
        "",
        _grids(grids),
        "",
        "*ratio* is the time of a side by that of Dancing Cover. The grids are in `tests/data/target_sudoku.csv`.",
        "",
    ]
    if weighted:
        parts += ["## Weighted families", "", *_weighted(weighted), ""]
    if spp:
        parts += [
            "## Set partitioning",
            "",
            "Files of the [OR-Library](https://people.brunel.ac.uk/~mastjjb/jeb/orlib/sppinfo.html), to be minimised.",
            f"A file that a side has not proven after {_limit(spp):g} s counts as that time.",
            "",
            _pairs(spp, ["file", "rows", "columns"]),
            "",
        ]
    return "\n".join(parts).rstrip()


def _introduction(grids: Sides) -> list[str]:
    limit = _limit(grids)
    return [
        "The best completion of a target sudoku by price, bound and slack, beside two solvers of integer programs on",
        "the same options and two programs that visit every completion. All answers are checked. Times are processor",
        "seconds on one thread, the least of several rounds: for Dancing Cover and the two programs from the grid to",
        "the result, for the solvers without the time to build their models. A side that had not proven its answer",
        f"after {limit:g} s has that limit counted as its time, and a cross in the chart.",
        "",
        _summaries(grids),
        "",
    ]


def _summaries(instances: Sides) -> str:
    """A row for each side."""
    return markdown(
        ["", "geometric mean", "median", "worst", "not finished", "geometric mean of ratios", "least ratio"],
        [_summary(side, instances) for side in _sides(instances)],
    )


def _by_instance(records: Sequence[Record], group: str) -> Sides:
    return grouped((record for record in records if record["group"] == group), "instance")


def _sides(instances: Sides) -> list[str]:
    """The sides that have been measured on all instances, in the order of tables."""
    return [side for side in SIDES if all(side in records for records in instances.values())]


def _limit(instances: Sides) -> float:
    return float(next(record["limit"] for records in instances.values() for record in records.values()))


def _seconds(record: Record) -> float:
    return float(record["seconds"] if record["finished"] else record["limit"])


def _times(side: str, instances: Sides) -> Numbers:
    return np.array([_seconds(records[side]) for records in instances.values()])


def _mean(values: Numbers) -> float:
    return float(np.exp(np.log(values).mean()))


def _summary(side: str, instances: Sides) -> list[str]:
    times = _times(side, instances)
    ratios = times / _times("dlx", instances)
    open_ = sum(not records[side]["finished"] for records in instances.values())
    return [
        f"**{SIDES[side][0]}**" if side == "dlx" else SIDES[side][0],
        duration(_mean(times)),
        duration(float(np.median(times))),
        f"> {duration(times.max())}" if open_ else duration(times.max()),
        str(open_),
        "" if side == "dlx" else f"{_mean(ratios):.3g}",
        "" if side == "dlx" else f"{ratios.min():.2g}",
    ]


def _time(record: Record) -> str:
    return duration(record["seconds"]) if record["finished"] else f"> {record['limit']:g} s"


def _grids(grids: Sides) -> str:
    """A row for each grid, by its completions."""
    rows = {
        name: [
            f"`{name}`",
            _count(_completions(records)),
            str(-1 if (best := records["dlx"]["best"]) is None else best),
        ]
        for name, records in sorted(grids.items(), key=lambda pair: (_completions(pair[1]), pair[0]))
    }
    return _compared(grids, ["grid", "completions", "best"], rows)


def _weighted(problems: Sides) -> list[str]:
    """Returns the means of all problems, then a row for each, in the order of the families."""
    limit = _limit(problems)
    rows = {
        name: [f"`{name}`", *(f"{records['dlx'][column]:,}" for column in ("items", "options")), _best(records)]
        for name, records in problems.items()
    }
    return [
        "Problems with whole weights, each drawn from a seed that `benchmarks/weighted_families.py` states:",
        "assignment, tilings, matchings, queens, Latin squares, random set partitioning, the same with the fewest",
        "columns first (`crews`), subgraphs and transport with multiplicities, problems that fall apart, and large",
        "empty grids of target sudoku. Times and ratios are as above; a score in brackets is the best that any side",
        f"has found, where none is proven in {limit:g} s.",
        "",
        _summaries(problems),
        "",
        _compared(problems, ["problem", "items", "options", "best"], rows),
    ]


def _best(records: Mapping[str, Record]) -> str:
    """The best score that a side has found, in brackets unless one has proven it."""
    proven = [record["score"] for record in records.values() if record["finished"]]
    better = max if records["dlx"]["sense"] == "max" else min
    found = [record["score"] for record in records.values() if record["score"] is not None]
    return str(proven[0]) if proven else f"({better(found)})" if found else ""


def _compared(instances: Sides, header: Sequence[str], rows: Mapping[str, list[str]]) -> str:
    """Each row, with the time and the nodes of Dancing Cover behind it, and the times and ratios of the other sides."""
    others = _sides(instances)[1:]
    for name, row in rows.items():
        records = instances[name]
        own = records["dlx"]
        row += [f"**{_time(own)}**" if _is_least(own, records) else _time(own), short(own["nodes"])]
        for side in others:
            time = f"**{_time(records[side])}**" if _is_least(records[side], records) else _time(records[side])
            row += [time, f"{_seconds(records[side]) / _seconds(own):.3g}"]
    names = [name for side in others for name in (side, "ratio")]
    return markdown([*header, SIDES["dlx"][0], "nodes", *names], rows.values())


def _is_least(record: Record, records: Mapping[str, Record]) -> bool:
    return bool(record["finished"]) and _seconds(record) == min(map(_seconds, records.values()))


def _completions(records: Mapping[str, Record]) -> float:
    return float(next(iter(records.values()))["completions"])


def _count(number: float) -> str:
    return f"{number:,.0f}" if number < 1e8 else f"~{number:.3g}".replace("e+0", "e+").replace("e+", "e")


def _pairs(instances: Sides, columns: Sequence[str]) -> str:
    """A row for each instance: Dancing Cover beside HiGHS, and under many rows what they amount to."""
    rows = []
    for name, records in sorted(instances.items(), key=lambda pair: _seconds(pair[1]["dlx"])):
        own, peer = records["dlx"], records["HiGHS"]
        row = [f"`{name}`", *(f"{own[column]:,}" for column in columns[1:])]
        row += [str(own["best"]), _time(own), short(own["nodes"]), _time(peer), f"{_seconds(peer) / _seconds(own):.3g}"]
        rows.append(row)
    if len(instances) > 1:
        own_times, peer_times = _times("dlx", instances), _times("HiGHS", instances)
        row = ["geometric mean", *("" for _ in columns[1:]), "", duration(_mean(own_times)), ""]
        rows.append([*row, duration(_mean(peer_times)), f"{_mean(peer_times / own_times):.3g}"])
    return markdown([*columns, "best", SIDES["dlx"][0], "nodes", "HiGHS", "ratio"], rows)


def chart(records: Sequence[Record]) -> Figure:
    """Every grid as a dot for each side, completions to the right and time upwards, with a line through each side."""
    grids = _by_instance(records, "grids")
    limit = _limit(grids)
    figure = Figure(figsize=(11, 6), layout="constrained")
    axes = figure.subplots()
    _axes(axes, limit)
    sides = [side for side in _sides(grids) if side != "brute"]  # another climbing line would say nothing new
    for lane, side in enumerate(reversed(sides)):
        _draw(axes, side, grids, limit, lane)
    return figure


def _axes(axes: Axes, limit: float) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(NONE / 2.2, 2e31)
    axes.set_ylim(4e-5, limit * CROSS**2.5)
    powers = [0, 3, 6, 9, 12, 15, 18, 21]
    axes.set_xticks([NONE, *(10.0**k for k in powers)], ["none", "1", *(f"$10^{{{k}}}$" for k in powers[1:])])
    axes.xaxis.set_minor_locator(NullLocator())
    ticks(axes.yaxis, [1e-4, 1e-3, 1e-2, 0.1, 1, limit])
    axes.tick_params(labelsize=10.5)
    bare(axes, "y")
    axes.axhspan(limit, limit * CROSS**2.5, color=GRID, alpha=0.45, linewidth=0, zorder=0)
    axes.annotate(f"not in {limit:g} s", (6, limit * CROSS**1.25), color=QUIET, va="center", fontsize=10)
    axes.set_xlabel("completions of the grid", x=0.36, fontsize=10.5)
    title = "The best completion, proven: it does not matter how many there are"
    axes.set_title(title, loc="left", fontsize=15, fontweight="bold", pad=30)
    text = "target sudoku on one thread: a dot for each grid, a line for the trend"
    axes.annotate(text, (0, 1), (0, 11), "axes fraction", "offset points", color=QUIET, va="bottom", fontsize=10.5)


def _draw(axes: Axes, side: str, grids: Sides, limit: float, lane: int) -> None:
    """The dots, crosses, line and name of a side; crosses stand in a lane of their own above the limit."""
    name, colour = SIDES[side]
    own = side == "dlx"
    x = np.array([max(_completions(records), NONE) for records in grids.values()])
    y = _times(side, grids)
    done = np.array([bool(records[side]["finished"]) for records in grids.values()])
    height = limit * CROSS ** (lane + 0.75)
    style: dict[str, Any] = {
        "color": colour,
        "markeredgecolor": "white",
        "linestyle": "none",
        "zorder": 5 if own else 3,
    }
    axes.plot(x[done], y[done], "o", markersize=8.5 if own else 6, alpha=1 if own else 0.8, **style)
    axes.plot(x[~done], np.full(np.count_nonzero(~done), height), "X", markersize=7.5, **style)
    line = _line(x, y, done)
    axes.plot(
        *line, color=colour, linewidth=4.5 if own else 2, alpha=0.9, solid_capstyle="round", zorder=4 if own else 2
    )
    _label(axes, name, colour, float(line[1][-1]) if done.all() else height, y, done)


def _line(x: Numbers, y: Numbers, done: npt.NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """The parabola, in logarithms, nearest to the dots from 1 completion on, up to the first grid not finished."""
    late = ~done & (x >= 1)
    end = x[late].min() if late.any() else x.max()
    some = (x >= 1) & (x <= end) & done
    at = np.geomspace(1, end, 200)
    height = np.exp(np.polyval(np.polyfit(np.log(x[some]), np.log(y[some]), 2), np.log(at)))
    return at[height <= y.max()], height[height <= y.max()]


def _label(axes: Axes, name: str, colour: str, height: float, y: Numbers, done: npt.NDArray[np.bool_]) -> None:
    """Names a side at the right, with its geometric mean and its worst case."""
    note: dict[str, Any] = {"textcoords": "offset points", "color": colour, "fontsize": 9.5}
    if done.all():
        axes.annotate(name, (3e22, height), (0, 1), **note | {"va": "bottom", "weight": "bold", "fontsize": 12.5})
        axes.annotate(
            f"geometric mean {duration(_mean(y))}, worst {duration(y.max())}", (3e22, height), (0, -1), va="top", **note
        )
    else:
        axes.annotate(name, (3e22, height), (0, 0), va="center", weight="bold", **note)
