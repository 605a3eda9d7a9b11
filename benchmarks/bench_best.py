"""The best cover, proven, beside HiGHS, OR-Tools CP-SAT and enumeration, in one run, with every answer checked.

Each solver of integer programs is given the same options as arrays, made beforehand: HiGHS as a row for each item,
CP-SAT as an `exactly one`, an `at most one` for secondary items, or a range; both with one thread and without a gap.
`dlx` begins with the grid, or with the problem. The families with weights are in `weighted_families.py`: what their
sides prove has to be the same, and what one has found must not be better than what another one has proven.

Set-partitioning files of the OR-Library are timed too, if the environment variable SPP names a folder of them:

    SPP=~/spp python benchmarks/report.py best
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import cp_sat
import numpy as np
import pytest
import weighted_families

import dlx
import sudoku
from dlx.formats import read
from dlx.problem.roles import ranges

elsewhere = 0.0  # processor seconds spent in the other process


def clock() -> float:
    """Processor seconds spent on solving: what else the machine does is no business of any side."""
    return time.process_time() + elsewhere


pytestmark = pytest.mark.benchmark(timer=clock)

LIMIT = 20.0  # seconds for a grid or a problem
LONG = 120.0  # seconds for a set-partitioning file
PILOT = 0.3  # seconds to spend on the rounds of what is quick,
QUICK = 1.0  # which is what takes no longer than this

KNOWN = Path(__file__).parents[1] / "tests" / "data" / "target_sudoku.csv"
SAMPLES = {"sample1": "3", "sample2": "85"}  # their completions, which that file does not have
with KNOWN.open(encoding="utf-8") as file:
    GRIDS = {row["name"]: row for row in csv.DictReader(file)}

# Instances that say what others of their families say, too; without them the suite takes a quarter of an hour.
LIKE_OTHERS = (
    "assignment 50", "assignment 100", "assignment 20, 3-D", "dominoes 20x20", "trominoes 12x15, both",
    "matching, 60 points", "queens 12", "queens 30", "latin 8",
)  # fmt: skip

FOLDER = os.environ.get("SPP")
OPTIMA = {  # each proven by HiGHS in this benchmark
    "sppaa04": 26374, "sppkl01": 1086, "sppnw08": 35894, "sppnw10": 68271, "sppnw12": 14118, "sppnw15": 67743,
    "sppnw18": 340160, "sppnw20": 16812, "sppnw21": 7408, "sppnw22": 6984, "sppnw23": 12534, "sppnw26": 6796,
    "sppnw32": 14877, "sppnw34": 10488, "sppnw37": 10068, "sppnw39": 10080, "sppnw40": 10809, "sppnw41": 11307,
    "sppus02": 5965,
}  # fmt: skip
SPP = {name: path for name in OPTIMA if (path := Path(FOLDER) / f"{name}.txt").exists()} if FOLDER else {}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a side: the best score or None, whether it is proven, and its nodes if it counts them."""

    score: int | None
    proven: bool
    nodes: int | None = None


def by_highs(problem: dlx.Problem, sign: int, limit: float) -> Callable[[], Answer]:
    """HiGHS on a problem, to be maximised with sign 1 and minimised with -1; the model is built here."""
    highspy = pytest.importorskip("highspy", reason="highspy is not installed: pip install -e '.[bench]'")
    assert problem.weights is not None
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = problem.n_options, problem.n_items
    model.col_cost_ = problem.weights.astype(float)
    model.col_lower_, model.col_upper_ = np.zeros(problem.n_options), np.ones(problem.n_options)
    model.row_lower_, model.row_upper_ = ranges(problem.n_items, problem.n_primary, problem.multiplicities).T.astype(
        float
    )
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_, model.a_matrix_.index_ = problem.indptr, problem.indices
    model.a_matrix_.value_ = np.ones(len(problem.indices))
    model.integrality_ = [highspy.HighsVarType.kInteger] * problem.n_options
    model.sense_ = highspy.ObjSense.kMaximize if sign > 0 else highspy.ObjSense.kMinimize

    def solve() -> Answer:
        solver = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0), ("time_limit", limit)):
            solver.setOptionValue(name, value)
        solver.passModel(model)
        solver.run()
        status, info = solver.getModelStatus(), solver.getInfo()
        proven = status in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible)
        found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        return Answer(round(info.objective_function_value) if found else None, proven, int(info.mip_node_count))

    return solve


def by_cp_sat(problem: dlx.Problem, sign: int, limit: float) -> Callable[[], Answer]:
    """CP-SAT on a problem, with a sign as HiGHS, in the other process; only what it spends on solving is counted."""
    if find_spec("ortools") is None:
        pytest.skip("ortools is not installed: pip install -e '.[bench]'")
    assert problem.weights is not None
    arguments = (sign * problem.weights).tolist(), cp_sat.constraints(problem), limit

    def solve() -> Answer:
        global elsewhere
        status, score, branches, seconds = cp_sat.worker().submit(cp_sat.maximise, *arguments).result()
        elsewhere += seconds
        return Answer(None if score is None else sign * score, status in ("OPTIMAL", "INFEASIBLE"), branches)

    return solve


def by_strategy(strategy: str, grid: Any, limit: float) -> Callable[[], Answer]:
    """A strategy of `sudoku.best`, from the grid on."""
    box = (4, 4) if len(grid) == 16 else (3, 3)

    def solve() -> Answer:
        result = sudoku.best(grid, strategy=strategy, layout=box, timeout=limit)
        return Answer(None if result.score < 0 else result.score, result.proven, result.nodes)

    return solve


def by_dlx(problem: dlx.Problem, sense: Literal["max", "min"], limit: float) -> Callable[[], Answer]:
    """`dlx.best`."""

    def solve() -> Answer:
        result = dlx.best(problem, sense, timeout=limit)
        return Answer(None if result.score is None else int(result.score), result.proven, result.nodes)

    return solve


def of_grid(side: str, grid: Any) -> Callable[[], Answer]:
    """A side on a grid."""
    if side in ("dlx", "dynamic", "brute"):
        return by_strategy("bound" if side == "dlx" else side, grid, LIMIT)
    box = (4, 4) if len(grid) == 16 else (3, 3)
    problem = sudoku.encode(grid, layout=box, weights=sudoku.ring_weights(len(grid)))
    return by_highs(problem, 1, LIMIT) if side == "HiGHS" else by_cp_sat(problem, 1, LIMIT)


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
    check(answer, known, 1 if info["sense"] == "max" else -1)
    known.append(answer)
    benchmark.extra_info.update(info, limit=limit, finished=answer.proven, score=answer.score, nodes=answer.nodes)


def check(answer: Answer, known: list[Answer], sign: int) -> None:
    """Two answers that are proven are the same, and none is better than one that is."""
    for other in known:
        if answer.proven and other.proven:
            assert answer.score == other.score
        for a, b in ((answer, other), (other, answer)):
            if a.proven and b.score is not None:
                assert a.score is not None
                assert sign * b.score <= sign * a.score


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("side", ["dlx", "HiGHS", "CP-SAT", "dynamic", "brute"])
def test_grid(benchmark: Any, side: str, name: str) -> None:
    """Each side proves the known best score of each grid, unless its limit stops it."""
    row = GRIDS[name]
    grid = sudoku.parse(row["grid"])
    best = int(row["best_score"]) if int(row["best_score"]) >= 0 else None
    completions = float((row["completions"] or SAMPLES[name]).lstrip("~"))
    info = {"group": "grids", "instance": name, "side": side, "completions": completions, "best": best, "sense": "max"}
    measure(benchmark, of_grid(side, grid), LIMIT, [Answer(best, True)], **info)


@cache
def weighted(name: str) -> tuple[weighted_families.Weighted, list[Answer]]:
    """A problem with weights, and what the sides have said of it so far."""
    return weighted_families.build(name), []


@pytest.mark.parametrize("name", [name for name in weighted_families.INSTANCES if name not in LIKE_OTHERS])
@pytest.mark.parametrize("side", ["dlx", "HiGHS", "CP-SAT"])
def test_weighted(benchmark: Any, side: str, name: str) -> None:
    """The sides agree on the best score of each problem, as far as their limits let them prove it."""
    (problem, sense), known = weighted(name)
    sign = 1 if sense == "max" else -1
    sides = {"dlx": lambda: by_dlx(problem, sense, LIMIT), "HiGHS": lambda: by_highs(problem, sign, LIMIT)}
    solve = sides.get(side, lambda: by_cp_sat(problem, sign, LIMIT))()
    info = {"group": "weighted", "instance": name, "side": side, "sense": sense}
    measure(benchmark, solve, LIMIT, known, items=problem.n_items, options=problem.n_options, **info)


@cache
def spp(name: str) -> dlx.Problem:
    """A file of the folder."""
    return read(SPP[name], format="orlib")


@pytest.mark.parametrize("name", SPP)
@pytest.mark.parametrize("side", ["dlx", "HiGHS"])
def test_set_partitioning(benchmark: Any, side: str, name: str) -> None:
    """Both sides prove the known optimum of each file, unless the limit stops them."""
    problem = spp(name)
    solve = by_dlx(problem, "min", LONG) if side == "dlx" else by_highs(problem, -1, LONG)
    info = {"group": "spp", "instance": name, "side": side, "best": OPTIMA[name], "sense": "min"}
    known = [Answer(OPTIMA[name], True)]
    measure(benchmark, solve, LONG, known, rows=problem.n_items, columns=problem.n_options, **info)
