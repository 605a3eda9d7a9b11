"""The best cover, proven, beside HiGHS, OR-Tools CP-SAT and enumeration, in one run, with every answer checked.

Each solver of integer programs gets the same options as arrays, made beforehand, with colours as in files for such
solvers (`dlx.formats.colours`): HiGHS as a row for each item, CP-SAT as an `exactly one`, an `at most one` for
secondary items, or a range; both with one thread and without a gap. `dlx` starts from the grid or the problem. The
families with weights are in `weighted_families.py`. All sides that prove a score must prove the same score, and no side
may find a better one.

Set-partitioning files of the OR-Library are timed too, if the environment variable SPP names a folder of them:

    SPP=~/spp python benchmarks/report.py best
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import cp_sat
import numpy as np
import numpy.typing as npt
import pytest
import weighted_families
from report import GRID, QUIET, Record, bare, bold, duration, grouped, markdown, mean, plot, short, ticks
from sudoku_instances import KNOWN

import dlx
import sudoku
from dlx.formats import read
from dlx.formats.colours import without_colours
from dlx.formats.highs import model

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

elsewhere = 0.0  # processor seconds spent in the other process


def clock() -> float:
    """Processor seconds spent on solving; other work of the machine does not count."""
    return time.process_time() + elsewhere


pytestmark = pytest.mark.benchmark(timer=clock)

LIMIT = 20.0  # seconds for a grid or a problem
LONG = 120.0  # seconds for a set-partitioning file
PILOT = 0.3  # seconds to spend on the rounds of what is quick,
QUICK = 1.0  # which is what takes no longer than this

FOLDER = os.environ.get("SPP")
OPTIMA = {  # each proven by HiGHS in this benchmark
    "sppaa04": 26374, "sppkl01": 1086, "sppnw08": 35894, "sppnw10": 68271, "sppnw12": 14118, "sppnw15": 67743,
    "sppnw18": 340160, "sppnw20": 16812, "sppnw21": 7408, "sppnw22": 6984, "sppnw23": 12534, "sppnw26": 6796,
    "sppnw32": 14877, "sppnw34": 10488, "sppnw37": 10068, "sppnw39": 10080, "sppnw40": 10809, "sppnw41": 11307,
    "sppus02": 5965,
}  # fmt: skip
SPP = {name: path for name in OPTIMA if (path := Path(FOLDER) / f"{name}.txt").exists()} if FOLDER else {}


Sense = Literal["max", "min"]
SIGNS = {"max": 1, "min": -1}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a side: the best score or None, whether it is proven, and its nodes if it counts them."""

    score: int | None
    proven: bool
    nodes: int | None = None


def costs(problem: dlx.Problem, columns: int) -> list[int]:
    """The weights of the options; the columns behind them, which are there for colours, cost nothing."""
    assert problem.weights is not None
    return [*problem.weights.tolist(), *[0] * (columns - problem.n_options)]


def by_highs(problem: dlx.Problem, sense: Sense, limit: float) -> Callable[[], Answer]:
    """HiGHS on a problem; the model is built here."""
    highspy = pytest.importorskip("highspy", reason="highspy is not installed: pip install -e '.[bench]'")
    plain = without_colours(problem)
    program = model(plain, costs(problem, plain.n_options))
    program.sense_ = highspy.ObjSense.kMaximize if sense == "max" else highspy.ObjSense.kMinimize

    def solve() -> Answer:
        solver = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0), ("time_limit", limit)):
            solver.setOptionValue(name, value)
        solver.passModel(program)
        solver.run()
        status, info = solver.getModelStatus(), solver.getInfo()
        proven = status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible)
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        return Answer(round(info.objective_function_value) if found else None, proven, int(info.mip_node_count))

    return solve


def by_cp_sat(problem: dlx.Problem, sense: Sense, limit: float) -> Callable[[], Answer]:
    """CP-SAT on a problem in the other process, whose time of solving alone is counted."""
    if find_spec("ortools") is None:
        pytest.skip("ortools is not installed: pip install -e '.[bench]'")
    sign, plain = SIGNS[sense], without_colours(problem)
    weights = [sign * cost for cost in costs(problem, plain.n_options)]
    arguments = weights, cp_sat.constraints(plain), limit

    def solve() -> Answer:
        global elsewhere
        status, score, branches, seconds = cp_sat.worker().submit(cp_sat.maximise, *arguments).result()
        elsewhere += seconds
        return Answer(None if score is None else sign * score, status in ("OPTIMAL", "INFEASIBLE"), branches)

    return solve


def by_strategy(strategy: str, grid: Any, limit: float) -> Callable[[], Answer]:
    """A strategy of `sudoku.best`, from the grid on."""

    def solve() -> Answer:
        result = sudoku.best(grid, strategy=strategy, timeout=limit)
        return Answer(result.score if result.completion is not None else None, result.proven, result.nodes)

    return solve


def by_dlx(problem: dlx.Problem, sense: Sense, limit: float) -> Callable[[], Answer]:
    """`dlx.best`."""

    def solve() -> Answer:
        result = dlx.best(problem, sense, timeout=limit)
        return Answer(None if result.score is None else int(result.score), result.proven, result.nodes)

    return solve


SOLVERS = {"dlx": by_dlx, "HiGHS": by_highs, "CP-SAT": by_cp_sat}


def of_grid(side: str, grid: Any) -> Callable[[], Answer]:
    """A side on a grid."""
    if side in ("dlx", "dynamic", "brute"):
        return by_strategy("bound" if side == "dlx" else side, grid, LIMIT)
    return SOLVERS[side](sudoku.encode(grid, weights=sudoku.ring_weights(9)), "max", LIMIT)


def measure(benchmark: Any, solve: Callable[[], Answer], limit: float, known: list[Answer], **info: Any) -> None:
    """Times a side several times if it is quick; records that and its answer, which must agree with those known."""
    global elsewhere
    start, begin = time.perf_counter(), clock()
    pilot = solve()
    seconds, spent = time.perf_counter() - start, clock() - begin
    if pilot.proven and seconds < QUICK:
        answer = benchmark.pedantic(solve, rounds=max(3, min(25, int(PILOT / seconds))))
    else:  # once is enough: these are the seconds of that once
        answer = pilot

        def again() -> None:
            global elsewhere
            elsewhere += spent

        benchmark.pedantic(again)
    check(answer, known, SIGNS[info["sense"]])
    known.append(answer)
    benchmark.extra_info.update(info, limit=limit, finished=answer.proven, score=answer.score, nodes=answer.nodes)


def check(answer: Answer, known: list[Answer], sign: int) -> None:
    """Checks that proven answers are the same, and that no answer is better than a proven one."""
    for other in known:
        if answer.proven and other.proven:
            assert answer.score == other.score
        for a, b in ((answer, other), (other, answer)):
            if a.proven and b.score is not None:
                assert a.score is not None
                assert sign * b.score <= sign * a.score


# The sides of a problem come one after the other, since a machine may be faster at one time than at another.
@pytest.mark.parametrize("side", ["dlx", "HiGHS", "CP-SAT", "dynamic", "brute"])
@pytest.mark.parametrize("name", KNOWN)
def test_grid(benchmark: Any, side: str, name: str) -> None:
    """Each side proves the known best score of each grid, unless its limit stops it."""
    row = KNOWN[name]
    grid = sudoku.parse(row["grid"])
    best = int(row["best_score"]) if int(row["best_score"]) >= 0 else None
    completions = float(row["completions"].lstrip("~"))
    info = {"group": "grids", "instance": name, "side": side, "completions": completions, "best": best, "sense": "max"}
    measure(benchmark, of_grid(side, grid), LIMIT, [Answer(best, True)], **info)


@cache
def weighted(name: str) -> tuple[weighted_families.Weighted, list[Answer]]:
    """A problem with weights, and the answers so far."""
    return weighted_families.build(name), []


@pytest.mark.parametrize("side", SOLVERS)
@pytest.mark.parametrize("name", weighted_families.INSTANCES)
def test_weighted(benchmark: Any, side: str, name: str) -> None:
    """The sides agree on the best score of each problem, as far as their limits let them prove it."""
    (problem, sense), known = weighted(name)
    solve = SOLVERS[side](problem, sense, LIMIT)
    info = {"group": "weighted", "instance": name, "side": side, "sense": sense}
    measure(benchmark, solve, LIMIT, known, items=problem.n_items, options=problem.n_options, **info)


@cache
def spp(name: str) -> dlx.Problem:
    """A file of the folder."""
    return read(SPP[name], format="orlib")


@pytest.mark.parametrize("side", ["dlx", "HiGHS"])
@pytest.mark.parametrize("name", SPP)
def test_set_partitioning(benchmark: Any, side: str, name: str) -> None:
    """Both sides prove the known optimum of each file, unless the limit stops them."""
    problem = spp(name)
    solve = SOLVERS[side](problem, "min", LONG)
    info = {"group": "spp", "instance": name, "side": side, "best": OPTIMA[name], "sense": "min"}
    known = [Answer(OPTIMA[name], True)]
    measure(benchmark, solve, LONG, known, rows=problem.n_items, columns=problem.n_options, **info)


# The report

# Side -> its name in the chart, and a colour that the colour-blind can tell apart (after Okabe and Ito, 2008).
SIDES = {
    "dlx": ("Dancing Cover", "#d55e00"),
    "HiGHS": ("HiGHS", "#0b5cad"),
    "CP-SAT": ("OR-Tools CP-SAT", "#8e63b8"),
    "dynamic": ("every completion, by bitmasks", "#009e73"),
    "brute": ("every completion, by brute force", "#8a8f98"),
}
NONE = 3e-3  # where grids without a completion stand on an axis that has no 0
CROSS = 1.9  # the factor between the crosses of two sides above the limit
SUMMARY = ["", "geometric mean", "median", "worst", "not finished", "geometric mean of ratios", "least ratio"]

Records = Mapping[str, Record]  # side -> record
Instances = Mapping[str, Records]
Numbers = npt.NDArray[np.float64]


def table(records: Sequence[Record]) -> str:
    """The geometric means and the worst cases, then every time: target sudoku, weighted families, set partitioning."""
    grids, problems, files = (_by_instance(records, group) for group in ("grids", "weighted", "spp"))
    parts = [
        f"""# The best cover, proven

Dancing Cover beside two solvers of integer programs on the same options, and beside two programs that visit
every completion of a target sudoku. Every answer is checked. Times are processor seconds on one thread, the
least of several rounds. The time of the two solvers does not include building their models; the other
programs start from the grid. A run without a proof after {_limit(grids):g} s counts as {_limit(grids):g} s, and is a
cross in the chart.

{_summaries(grids)}

## Target sudoku

{_grids(grids)}

*ratio* is the time of a side divided by the time of Dancing Cover. The grids are in `tests/data/target_sudoku.csv`.
"""
    ]
    if problems:
        parts += [
            f"""## Weighted families

Problems with integer weights, drawn from the seeds in `benchmarks/weighted_families.py`:
assignment, tilings, matchings, odd cycles, queens, Latin squares, random set partitioning, the same with the
fewest columns first (`crews`), packing of bins and of a ring, subgraphs, 2-factors, transport and cutting
stock with multiplicities, facilities with colours, problems that fall apart, and large empty grids of target
sudoku. Times and ratios are as above. A score in brackets is the best score
that any side found in {_limit(problems):g} s, without a proof.

{_summaries(problems)}

{_weighted(problems)}
"""
        ]
    if files:
        parts += [
            f"""## Set partitioning

Files of the [OR-Library](https://people.brunel.ac.uk/~mastjjb/jeb/orlib/sppinfo.html), to be minimised.
A run without a proof after {_limit(files):g} s counts as {_limit(files):g} s.

{_summaries(files)}

{_files(files)}
"""
        ]
    return "\n".join(parts).rstrip()


def _by_instance(records: Sequence[Record], group: str) -> Instances:
    return grouped((record for record in records if record["group"] == group), "instance")


def _sides(instances: Instances) -> list[str]:
    """The sides that have been measured on all instances, in the order of tables."""
    return [side for side in SIDES if all(side in records for records in instances.values())]


def _limit(instances: Instances) -> float:
    return float(next(record["limit"] for records in instances.values() for record in records.values()))


def _seconds(record: Record) -> float:
    return float(record["seconds"] if record["finished"] else record["limit"])


def _times(side: str, instances: Instances) -> Numbers:
    return np.array([_seconds(records[side]) for records in instances.values()])


def _summaries(instances: Instances) -> str:
    return markdown(SUMMARY, [_summary(side, instances) for side in _sides(instances)])


def _summary(side: str, instances: Instances) -> list[str]:
    own, times = side == "dlx", _times(side, instances)
    ratios = times / _times("dlx", instances)
    late = sum(not records[side]["finished"] for records in instances.values())
    row = [bold(SIDES[side][0], own), duration(mean(times)), duration(float(np.median(times)))]
    row += ["> " * bool(late) + duration(times.max()), str(late)]
    return row + (["", ""] if own else [f"{mean(ratios):.3g}", f"{ratios.min():.2g}"])


def _time(record: Record) -> str:
    return duration(record["seconds"]) if record["finished"] else f"> {record['limit']:g} s"


def _grids(grids: Instances) -> str:
    """A row for each grid, by its completions."""
    rows = {}
    for name, records in sorted(grids.items(), key=lambda pair: (_completions(pair[1]), pair[0])):
        number, best = _completions(records), records["dlx"]["best"]
        count = f"{number:,.0f}" if number < 1e8 else f"~{number:.3g}".replace("e+0", "e+").replace("e+", "e")
        rows[name] = [f"`{name}`", count, str(-1 if best is None else best)]
    return _compared(grids, ["grid", "completions", "best"], rows)


def _weighted(problems: Instances) -> str:
    """A row for each problem, in the order of the families."""
    rows = {
        name: [f"`{name}`", *(f"{records['dlx'][column]:,}" for column in ("items", "options")), _best(records)]
        for name, records in problems.items()
    }
    return _compared(problems, ["problem", "items", "options", "best"], rows)


def _best(records: Records) -> str:
    """The best score that a side has found, in brackets unless one has proven it."""
    proven = [record["score"] for record in records.values() if record["finished"]]
    better = max if records["dlx"]["sense"] == "max" else min
    found = [record["score"] for record in records.values() if record["score"] is not None]
    return str(proven[0]) if proven else f"({better(found)})" if found else ""


def _files(files: Instances) -> str:
    """A row for each file, by our time."""
    rows = {
        name: [f"`{name}`", *(f"{records['dlx'][column]:,}" for column in ("rows", "columns")), _best(records)]
        for name, records in sorted(files.items(), key=lambda pair: _seconds(pair[1]["dlx"]))
    }
    return _compared(files, ["file", "rows", "columns", "best"], rows)


def _compared(instances: Instances, header: Sequence[str], rows: Mapping[str, list[str]]) -> str:
    """Each row, with the time and the nodes of Dancing Cover behind it, and the times and ratios of the other sides."""
    others = _sides(instances)[1:]
    for name, row in rows.items():
        records = instances[name]
        own, least = records["dlx"], min(map(_seconds, records.values()))
        times = {side: bold(_time(of), of["finished"] and _seconds(of) == least) for side, of in records.items()}
        row += [times["dlx"], short(own["nodes"])]
        for side in others:
            row += [times[side], f"{_seconds(records[side]) / _seconds(own):.3g}"]
    names = [name for side in others for name in (side, "ratio")]
    return markdown([*header, SIDES["dlx"][0], "nodes", *names], rows.values())


def _completions(records: Records) -> float:
    return float(next(iter(records.values()))["completions"])


def chart(records: Sequence[Record]) -> Figure:
    """A dot for each grid and side, completions to the right and time upwards, with a line for each side."""
    grids = _by_instance(records, "grids")
    limit = _limit(grids)
    figure, axes = plot(5.6, "The best completion, proven:\nit does not matter how many there are")
    _axes(axes, limit)
    sides = [side for side in _sides(grids) if side != "brute"]  # another climbing line would say nothing new
    for lane, side in enumerate(reversed(sides)):
        _draw(axes, side, grids, limit * CROSS ** (lane + 0.75))
    return figure


def _axes(axes: Axes, limit: float) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(NONE / 10, 2e23)
    axes.set_ylim(4e-5, limit * CROSS**2.5)
    powers = [0, 5, 10, 15, 20]
    axes.set_xticks([NONE, *(10.0**k for k in powers)], ["none", "1", *(f"$10^{{{k}}}$" for k in powers[1:])])
    axes.set_xticks([], minor=True)
    ticks(axes.yaxis, [1e-4, 1e-3, 1e-2, 0.1, 1, limit])
    bare(axes, "y")
    axes.axhspan(limit, limit * CROSS**2.5, color=GRID, alpha=0.45, linewidth=0, zorder=0)
    axes.annotate(f"not in {limit:g} s", (NONE / 5, limit * CROSS**1.25), color=QUIET, va="center")
    axes.set_xlabel("completions of the grid")
    text = "target sudoku: a dot for each grid, a line for the trend"
    axes.annotate(text, (0, 1), (0, 11), "axes fraction", "offset points", color=QUIET, va="bottom")


def _draw(axes: Axes, side: str, grids: Instances, height: float) -> None:
    """The dots, the line and the name of a side; its crosses stand in a lane above the limit."""
    (name, colour), own = SIDES[side], side == "dlx"
    x = np.array([max(_completions(records), NONE) for records in grids.values()])
    y = _times(side, grids)
    done = np.array([bool(records[side]["finished"]) for records in grids.values()])
    style: dict[str, Any] = {"color": colour, "markeredgecolor": "white", "linestyle": "none"}
    style["zorder"] = 5 if own else 3
    axes.plot(x[done], y[done], "o", markersize=8.5 if own else 6, alpha=1 if own else 0.8, **style)
    axes.plot(x[~done], np.full(np.count_nonzero(~done), height), "X", markersize=7.5, **style)
    line = _line(x, y, done)
    style = {"linewidth": 4.5 if own else 2, "zorder": 4 if own else 2, "solid_capstyle": "round"}
    axes.plot(*line, color=colour, alpha=0.9, **style)
    note: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False, "color": colour}
    if done.all():
        end, worst = (3e23, float(line[1][-1])), f"median {duration(np.median(y))}\nworst {duration(y.max())}"
        axes.annotate(name, end, (0, 1), **note | {"va": "bottom", "weight": "bold", "fontsize": 12})
        axes.annotate(worst, end, (0, -1), va="top", **note)
    else:
        axes.annotate(name.partition(",")[0], (3e23, height), (0, 0), va="center", weight="bold", **note)


def _line(x: Numbers, y: Numbers, done: npt.NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
    """The least-squares parabola in logarithms through the dots with completions, up to the first unfinished grid."""
    late = ~done & (x >= 1)
    end = x[late].min() if late.any() else x.max()
    some = (x >= 1) & (x <= end) & done
    at = np.geomspace(1, end, 200)
    height = np.exp(np.polyval(np.polyfit(np.log(x[some]), np.log(y[some]), 2), np.log(at)))
    return at[height <= y.max()], height[height <= y.max()]
