"""Draws the chart of the README from results.json: for each task our time and the time of the best other program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench_peers import best_peer
from report import DOCS, duration, grouped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS, OTHERS = "#d9480f", "#667085"
# Text and lines on white: an SVG in a README has no background of its own.
INK, QUIET, GRID = "#1f2430", "#667085", "#e4e7ec"
STYLE: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica Neue", "Arial", "DejaVu Sans", "sans-serif"],
    "font.size": 11,
    "text.color": INK,
    "xtick.color": QUIET,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "figure.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "dancing-cover",
}
COUNTED = {  # problems of bench_peers
    "queens 12": "12 queens, all 14,200 placements",
    "pentominoes 6x10": "pentominoes, all 9,356 tilings",
    "langford 12": "Langford pairs, all 216,288",
}
PROVEN = {  # problems of bench_best
    "empty": "best completion of an empty sudoku",
    "partitioning 60 x 20,000": "best of 20,000 subsets of 60 items",
    "dominoes 40x40": "best tiling by 800 dominoes",
}
SETS = {  # sets of bench_tdoku, and numbers of grids
    "17 givens": ("100,000 sudokus of 17 givens", 100_000),
    "hard": ("1,000 hard sudokus", 1_000),
}

Row = tuple[str, float, float, str]  # the task, our seconds, the seconds of the other program, its name


def rows(results: dict[str, Any]) -> list[Row]:
    """Returns the tasks; each has the best of the other programs that were measured on it."""
    peers, best, tdoku = (grouped(results[name]["records"]) for name in ("peers", "best", "tdoku"))
    found: list[Row] = []
    for name, task in COUNTED.items():
        peer = best_peer(peers[name], "count")
        assert peer is not None
        found.append((task, peers[name]["dlx"]["seconds"], peer[1], peer[0]))
    for name, task in PROVEN.items():
        found.append((task, best[name]["dlx"]["seconds"], best[name]["HiGHS"]["seconds"], "HiGHS"))
    for name, (task, grids) in SETS.items():
        found.append((task, grids / tdoku[name]["ours"]["rate"], grids / tdoku[name]["Tdoku"]["rate"], "Tdoku"))
    return found


def _figure(tasks: list[Row]) -> Figure:
    """Draws a band for each task, with both times on a logarithmic scale and their ratio."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    figure = Figure(figsize=(6.0, 0.62 * len(tasks) + 0.9), layout="constrained")
    title = "Dancing Cover beside the best other program"
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, fontweight="bold")
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_xlim(8e-4, 60)
    axes.set_yticks(range(len(tasks)), [task for task, *_ in tasks])
    axes.set_ylim(len(tasks) - 0.5, -0.7)
    axes.xaxis.set_major_locator(FixedLocator([0.001, 0.01, 0.1, 1, 10]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: duration(value)))
    axes.tick_params(length=0)
    axes.grid(axis="x")
    axes.spines[:].set_visible(False)
    points: dict[str, Any] = {"textcoords": "offset points"}
    for band, (_, own, other, name) in enumerate(tasks):
        ratio = f"{other / own:.0f}x" if other >= 10 * own else f"{other / own:.1f}x"
        axes.plot([own, other], [band, band], color=QUIET, linewidth=1, zorder=2)
        axes.annotate(ratio, ((own * other) ** 0.5, band), (0, 4), color=INK, ha="center", va="bottom", **points)
        for time, colour in ((own, OURS), (other, OTHERS)):
            axes.plot(time, band, "o", color=colour, markersize=10, markeredgecolor="white", zorder=3)
        axes.annotate(name, (other, band), (8, 0), va="center", color=QUIET, **points)
    axes.annotate("ours", (tasks[0][1], 0), (-8, 0), ha="right", va="center", color=INK, **points)
    return figure


def draw(results: dict[str, Any]) -> None:
    """Writes docs/benchmarks/front.svg."""
    import matplotlib

    matplotlib.use("Agg")
    with matplotlib.rc_context(STYLE):
        _figure(rows(results)).savefig(DOCS / "front.svg", metadata={"Date": None, "Creator": None})
    print("docs/benchmarks/front.svg")
