"""The chart of the README: a task in each band, our time and that of the best other program.

`python benchmarks/front.py` writes docs/benchmarks/front.svg from the records that are there.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from bench_peers import seconds_of
from peers import PEERS
from report import DOCS, INK, QUIET, bands, draw, duration, grouped, plot, ratio, ticks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OURS, OTHERS = "#d9480f", "#667085"
COUNTED = {  # instances of bench_peers
    "queens 12": "12 queens, all 14,200 placements",
    "pentominoes 6x10": "pentominoes, all 9,356 tilings",
    "langford 12": "Langford pairs, all 216,288",
}
PROVEN = {  # instances of bench_best
    "empty": "best completion of an empty sudoku",
    "partitioning 60 x 20,000": "best of 20,000 subsets of 60 items",
    "dominoes 40x40": "best tiling by 800 dominoes",
}
SETS = {"17 givens": "100,000 sudokus of 17 givens", "hard": "1,000 hard sudokus"}  # sets of tdoku.py
GRIDS = {"17 givens": 100_000, "hard": 1_000}

Row = tuple[str, float, float, str]  # the task, our seconds, those of the other program, and its name


def _records(name: str) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads((DOCS / f"{name}.json").read_text(encoding="utf-8"))["records"]
    return records


def rows() -> list[Row]:
    """Returns the tasks, with the best of the other programs that were measured on each."""
    found: list[Row] = []
    peers = grouped(_records("peers"), "instance")
    for name, task in COUNTED.items():
        sides = peers[name]
        times = {side: seconds for side in PEERS if side in sides and (seconds := seconds_of(sides[side], "count"))}
        best = min(times, key=times.__getitem__)
        found.append((task, sides["dlx"]["tasks"]["count"]["seconds"], times[best], best))
    proofs = grouped(_records("best"), "instance")
    for name, task in PROVEN.items():
        found.append((task, proofs[name]["dlx"]["seconds"], proofs[name]["HiGHS"]["seconds"], "HiGHS"))
    page = (DOCS / "tdoku.md").read_text(encoding="utf-8")
    for name, task in SETS.items():
        ours, tdoku = re.findall(rf"^\| {name} \| (\S+ ?\w?) \| (\S+ ?\w?) \|", page, re.MULTILINE)[0]
        found.append((task, GRIDS[name] / _number(ours), GRIDS[name] / _number(tdoku), "Tdoku"))
    return found


def _number(text: str) -> float:
    """Returns the number that `report.short` wrote."""
    digits, _, unit = text.partition(" ")
    return float(digits) * {"": 1.0, "k": 1e3, "M": 1e6}[unit]


def _times_as_long(ratio: float) -> str:
    return f"{ratio:.0f}x" if ratio >= 10 else f"{ratio:.1f}x"


def chart() -> Figure:
    """Draws a band for each task, with both times on a logarithmic scale and their ratio."""
    tasks = rows()
    figure, axes = plot(0.62 * len(tasks) + 0.9, "Dancing Cover beside the best other program")
    bands(axes, [task for task, *_ in tasks])
    axes.set_xlim(8e-4, 60)
    ticks(axes.xaxis, [0.001, 0.01, 0.1, 1, 10], duration)
    for band, (_, ours, other, name) in enumerate(tasks):
        ratio(axes, band, (ours, other), _times_as_long(other / ours))
        axes.plot(ours, band, "o", color=OURS, markersize=10, markeredgecolor="white", zorder=3)
        axes.plot(other, band, "o", color=OTHERS, markersize=10, markeredgecolor="white", zorder=3)
        axes.annotate(name, (other, band), (8, 0), textcoords="offset points", va="center", color=QUIET)
    axes.annotate("ours", (tasks[0][1], 0), (-8, 0), textcoords="offset points", ha="right", va="center", color=INK)
    return figure


if __name__ == "__main__":
    draw("front.svg", chart)
