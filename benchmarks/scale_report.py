"""The tables and the chart of searches in pieces: how much faster two jobs are, and how evenly pieces fill workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from many_workers import FILLS, LINE, PLANS, RATE, TASK
from report import GRID, INK, Record, duration, markdown, short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CORES = "two cores"
ALONE = ("one search", 1)
COLOURS = {"threads": "#0b5cad", "processes": "#e69f00", "dask": "#009e73"}  # Okabe and Ito (2008), but for the blue

Sides = Mapping[tuple[str, int], Record]  # who counts, and with how many jobs -> record


def table(records: Sequence[Record]) -> str:
    """Three tables: speed-up, how evenly pieces fill workers, and what a large search takes."""
    counts = _by_instance(records)
    sides = [(name, jobs) for name in COLOURS for jobs in (1, 2) if any((name, jobs) in of for of in counts.values())]
    header = [
        "problem",
        "covers",
        "nodes",
        "pieces",
        "one search",
        *(_title(*side) for side in sides),
        "processor time",
    ]
    pieces = [record for record in records if record["what"] == "pieces"]
    uneven = max((record for record in pieces if record["plans"]), key=lambda record: float(record["skew"]))
    return "\n".join(
        [
            "# Searches in pieces",
            "",
            "Every count was checked; nothing is merged. Times are by the clock on the wall, the least of several",
            "rounds, with cutting and all that is sent, to workers that were there before. In brackets is how much",
            "faster than one search that is. *Processor time* is that of all pieces on one thread, with cutting them,",
            "by that of one search.",
            "",
            markdown(header, [_row(name, of, sides) for name, of in counts.items()]),
            "",
            "## How evenly pieces fill workers",
            "",
            "Nodes are measured and time is simulated: each piece takes as long as it has nodes, and the one that",
            "seems largest goes first to the worker that is free first. Under each number of workers is the share of",
            "their time that they are busy. The small searches stand for large ones whose pieces are as uneven.",
            "",
            markdown(["problem", *FILLS], [[record["instance"], *record["fills"]] for record in pieces]),
            "",
            "## A large search on 1,000 workers",
            "",
            f"10^15 nodes at {RATE / 1e6:g} million a second, with pieces as uneven as those of {uneven['instance']},",
            f"the worst of the table above; {LINE:g} bytes of journal for a piece and for each of its slices, and",
            f"{TASK * 1000:g} ms of dask's scheduler for a slice. With a load above 1 the workers wait for the",
            "scheduler, and the hours are multiplied by it.",
            "",
            markdown(["", *PLANS], uneven["plans"]),
        ]
    )


def _by_instance(records: Sequence[Record]) -> Mapping[str, Sides]:
    counts: dict[str, dict[tuple[str, int], Record]] = {}
    for record in records:
        if record["what"] == "count":
            counts.setdefault(record["instance"], {})[record["side"], record["jobs"]] = record
    return counts


def _title(name: str, jobs: int) -> str:
    return f"{name}, {jobs} job{'s' if jobs > 1 else ''}"


def _row(name: str, of: Sides, sides: Sequence[tuple[str, int]]) -> list[str]:
    alone, pieces = of[ALONE], of["threads", 1]
    start = [name, f"{alone['covers']:,}", short(alone["nodes"]), str(pieces["pieces"]), duration(alone["seconds"])]
    return [*start, *(_time(of, side) for side in sides), f"{pieces['processor'] / alone['processor']:.2f}"]


def _time(of: Sides, side: tuple[str, int]) -> str:
    if side not in of:
        return "not installed"
    seconds = of[side]["seconds"]
    return f"{duration(seconds)} ({of[ALONE]['seconds'] / seconds:.2f})"


def chart(records: Sequence[Record]) -> Figure:
    """A band for each problem, with a bar for each kind of worker: how much faster two of them are than one search."""
    from matplotlib.figure import Figure

    counts = _by_instance(records)
    figure = Figure(figsize=(8, 4.6), layout="constrained")
    axes = figure.subplots()
    height = 0.8 / len(COLOURS)
    for band, of in enumerate(counts.values()):
        for lane, (name, colour) in enumerate(COLOURS.items()):
            if (name, 2) in of:
                ratio = of[ALONE]["seconds"] / of[name, 2]["seconds"]
                axes.barh(band + (lane - 1) * height, ratio, 0.9 * height, color=colour, label="" if band else name)
                axes.annotate(f"{ratio:.2f}", (ratio, band + (lane - 1) * height), (3, 0), va="center", fontsize=8.5,
                              textcoords="offset points", color=INK)  # fmt: skip
    axes.set_yticks(range(len(counts)), list(counts))
    axes.set_ylim(len(counts) - 0.5, -0.5)
    axes.set_xlim(0, 2.15)
    axes.axvline(1, color=GRID, zorder=0)
    axes.axvline(2, color=GRID, zorder=0)
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_title("Two jobs beside one search: how much faster", loc="left", fontsize=13, fontweight="bold")
    figure.legend(loc="outside lower center", ncols=len(COLOURS), frameon=False)
    return figure
