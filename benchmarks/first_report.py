"""The table and the chart of the search for one cover: ours beside CaDiCaL and CP-SAT, the median of ten seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from report import QUIET, Record, bare, duration, grouped, markdown, ticks

# Side -> its name, and a colour that the colour-blind can tell apart (after Okabe and Ito, 2008).
SIDES = {
    "dlx": ("Dancing Cover", "#d55e00"),
    "CaDiCaL": ("CaDiCaL 1.5.3", "#0b5cad"),
    "CP-SAT": ("OR-Tools CP-SAT", "#8e63b8"),
}

Problems = Mapping[str, Mapping[str, Record]]  # problem -> side -> record


def table(records: Sequence[Record]) -> str:
    """Returns the means of the sides, then every problem."""
    problems = grouped(records, "problem")
    with_cover = {name: sides for name, sides in problems.items() if _any(sides)["cover"]}
    some = _any(next(iter(problems.values())))
    return "\n".join(
        [
            "# One cover",
            "",
            "`dlx.first` beside a SAT solver and a constraint solver on problems in which a plain descent gets",
            f"lost, or might: processor seconds on one thread, the median of {some['seeds']} seeds, which draw the",
            "order of the search, and the quasigroups and sudokus. Every answer is checked. CaDiCaL is given",
            "clauses in which at most one option of an item is chosen by pairs, and of more than five by a",
            "sequential counter (`dlx.formats.cnf`); CP-SAT is told `exactly one` and `at most one`. Their time",
            "is without that of making their models; ours begins with the problem. A run that has not ended after",
            f"{some['limit']:g} s counts as that; a side that has taken {some['enough']:g} s on a problem is given",
            "no more seeds of it.",
            "",
            markdown(["with a cover", "geometric mean", "ratio", "least ratio"], _summary(with_cover)),
            "",
            markdown(
                [
                    "",
                    "options",
                    "cover",
                    *(f"{SIDES[side][0]}" for side in _sides(problems)),
                    "slowest",
                    "CaDiCaL, ratio",
                ],
                [_row(name, sides, _sides(problems)) for name, sides in problems.items()],
            ),
            "",
            "*slowest* is our slowest seed, and *ratio* the median of a side by ours.",
        ]
    )


def _any(sides: Mapping[str, Record]) -> Record:
    return next(iter(sides.values()))


def _sides(problems: Problems) -> list[str]:
    """The sides that have been measured, in the order of tables."""
    return [side for side in SIDES if all(side in sides for sides in problems.values())]


def _median(record: Record) -> float:
    return float(np.median(record["times"]))


def _mean(values: Sequence[float]) -> float:
    return float(np.exp(np.log(values).mean()))


def _time(record: Record) -> str:
    median = _median(record)
    return duration(median) if median < record["limit"] else f"> {record['limit']:g} s"


def _summary(problems: Problems) -> list[list[str]]:
    rows = []
    for side in _sides(problems):
        medians = [_median(sides[side]) for sides in problems.values()]
        ratios = [_median(sides[side]) / _median(sides["dlx"]) for sides in problems.values()]
        told = ["", ""] if side == "dlx" else [f"{_mean(ratios):.3g}", f"{min(ratios):.2g}"]
        rows.append([f"**{SIDES[side][0]}**" if side == "dlx" else SIDES[side][0], duration(_mean(medians)), *told])
    return rows


def _row(name: str, problem: Mapping[str, Record], sides: Sequence[str]) -> list[str]:
    own, least = problem["dlx"], min(_median(problem[side]) for side in sides)
    times = [_time(problem[side]) for side in sides]
    times = [f"**{t}**" if _median(problem[side]) == least else t for side, t in zip(sides, times, strict=True)]
    slowest = max(own["times"])
    ratio = f"{_median(problem['CaDiCaL']) / _median(own):.2g}" if "CaDiCaL" in sides else ""
    slow = duration(slowest) if slowest < own["limit"] else f"> {own['limit']:g} s"
    return [name, f"{own['options']:,}", "yes" if own["cover"] else "no", *times, slow, ratio]


def chart(records: Sequence[Record]) -> Figure:
    """A line for each problem, a dot in it for each side, its median, and a small one for each seed."""
    problems = grouped(records, "problem")
    limit = float(records[0]["limit"])
    figure = Figure(figsize=(11, 0.36 * len(problems) + 1.6), layout="constrained")
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_yticks(range(len(problems)), list(problems))
    axes.invert_yaxis()
    for side in _sides(problems):
        name, colour = SIDES[side]
        own = side == "dlx"
        for height, sides in enumerate(problems.values()):
            times = sides[side]["times"]
            axes.plot(times, [height] * len(times), "|", color=colour, markersize=7, alpha=0.4, zorder=2)
        medians = [_median(sides[side]) for sides in problems.values()]
        axes.plot(
            medians,
            range(len(medians)),
            "o",
            color=colour,
            markeredgecolor="white",
            label=name,
            markersize=10 if own else 7,
            zorder=5 if own else 3,
        )
    ticks(axes.xaxis, [1e-3, 1e-2, 0.1, 1, limit])
    bare(axes, "x")
    axes.set_title("One cover: the median of ten seeds", loc="left", fontsize=15, fontweight="bold", pad=12)
    axes.set_xlabel(f"processor seconds; a run that has not ended in {limit:g} s stands there", color=QUIET)
    axes.legend(loc="lower right", frameon=False)
    return figure
