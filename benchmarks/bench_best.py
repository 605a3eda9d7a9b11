"""The best cover with a proof: `dlx` compared with HiGHS and OR-Tools CP-SAT. Every answer is checked.

The integer-programming solvers get the same options as arrays without colours (`colours.py`). The arrays are made
before the time starts. Each solver uses one thread, and its gap is 0. The time of `dlx` starts with the grid or the
problem. All sides that prove a score must prove the same score, and no side may find a better one.

Set-partitioning files of the OR-Library are timed if the environment variable SPP names a folder of them:

    SPP=~/spp python benchmarks/report.py best
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import cp_sat
import numpy as np
import weighted_families
from colours import without_colours
from report import Record, Sides, cells, duration, grouped, markdown, mean, measured, short
from sudoku_sets import KNOWN
from timing import apart, installed, least
from weighted_families import Sense

import dlx
import sudoku
from dlx.formats import read
from dlx.formats.highs import model

LIMIT = 20.0  # processor seconds for a grid or a problem
LONG = 120.0  # processor seconds for a set-partitioning file

FOLDER = os.environ.get("SPP")
OPTIMA = {  # each was proven by HiGHS in this benchmark
    "sppaa04": 26374, "sppkl01": 1086, "sppnw08": 35894, "sppnw10": 68271, "sppnw12": 14118, "sppnw15": 67743,
    "sppnw18": 340160, "sppnw20": 16812, "sppnw21": 7408, "sppnw22": 6984, "sppnw23": 12534, "sppnw26": 6796,
    "sppnw32": 14877, "sppnw34": 10488, "sppnw37": 10068, "sppnw39": 10080, "sppnw40": 10809, "sppnw41": 11307,
    "sppus02": 5965,
}  # fmt: skip
SPP = {name: path for name in OPTIMA if (path := Path(FOLDER) / f"{name}.txt").exists()} if FOLDER else {}


class Answer(NamedTuple):
    """The best score of a side or None, whether it is proven, the nodes, and the processor seconds."""

    score: int | None
    proven: bool
    nodes: int = 0
    seconds: float = 0.0


def by_dlx(problem: dlx.Problem, sense: Sense, limit: float) -> Answer:
    """`dlx.best`."""
    seconds, result = least(lambda: dlx.best(problem, sense, timeout=limit))
    return Answer(None if result.score is None else int(result.score), result.proven, result.nodes, seconds)


def by_highs(problem: dlx.Problem, sense: Sense, limit: float) -> Answer:
    """HiGHS; the model is made before the time starts."""
    import highspy

    plain = without_colours(problem)
    program = model(plain, _costs(problem, plain))
    program.sense_ = highspy.ObjSense.kMaximize if sense == "max" else highspy.ObjSense.kMinimize

    def solve() -> Any:
        solver = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0), ("time_limit", limit)):
            solver.setOptionValue(name, value)
        solver.passModel(program)
        solver.run()
        return solver

    seconds, solver = least(solve)
    info = solver.getInfo()
    proven = solver.getModelStatus() in (highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible)
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    score = round(info.objective_function_value) if found else None
    return Answer(score, proven, int(info.mip_node_count), seconds)


def by_cp_sat(problem: dlx.Problem, sense: Sense, limit: float) -> Answer:
    """CP-SAT in a process of its own."""
    sign, plain = (1 if sense == "max" else -1), without_colours(problem)
    weights = [sign * cost for cost in _costs(problem, plain)]
    ((found,), _) = apart(cp_sat.solve, plain.n_options, cp_sat.constraints(plain), weights, limit)
    score = None if found.score is None else sign * found.score
    return Answer(score, found.ended, found.branches, found.seconds)


def _costs(problem: dlx.Problem, plain: dlx.Problem) -> list[int]:
    """Returns the weights of the options; the auxiliary options after them have weight 0."""
    assert problem.weights is not None
    return [*problem.weights.tolist(), *[0] * (plain.n_options - problem.n_options)]


SOLVERS = {"dlx": by_dlx, "HiGHS": by_highs, "CP-SAT": by_cp_sat}


def of_grid(grid: Any) -> Answer:
    """`sudoku.best`; the time starts with the grid."""
    seconds, result = least(lambda: sudoku.best(grid, strategy="bound", timeout=LIMIT))
    return Answer(result.score if result.completion is not None else None, result.proven, result.nodes, seconds)


def agrees(answer: Answer, other: Answer, sense: Sense) -> bool:
    """Returns whether no answer is better than a proven one."""
    sign = 1 if sense == "max" else -1
    for proven, found in ((answer, other), (other, answer)):
        score, known = found.score, proven.score
        if proven.proven and score is not None and (known is None or sign * score > sign * known):
            return False
    return not (answer.proven and other.proven) or answer.score == other.score


def problems() -> Iterator[tuple[Record, dict[str, Callable[[], Answer]], list[Answer]]]:
    """Yields a description of each problem, its sides, and its known answers."""
    for name, row in KNOWN.items():
        grid, best = sudoku.parse(row["grid"]), int(row["best_score"])
        sides = solvers(sudoku.encode(grid, weights=sudoku.RING_WEIGHTS), "max", LIMIT)
        about = {"problem": name, "group": "grids", "sense": "max", "completions": row["completions"]}
        yield about, sides | {"dlx": partial(of_grid, grid)}, [Answer(best if best >= 0 else None, True)]
    for name in weighted_families.INSTANCES:
        problem, sense = weighted_families.build(name)
        about = {"problem": name, "group": "weighted", "sense": sense}
        yield about | size(problem), solvers(problem, sense, LIMIT), []
    for name, path in SPP.items():
        problem = read(path, format="orlib")
        sides = solvers(problem, "min", LONG)
        sides.pop("CP-SAT")
        about = {"problem": name, "group": "spp", "sense": "min"}
        yield about | size(problem), sides, [Answer(OPTIMA[name], True)]


def solvers(problem: dlx.Problem, sense: Sense, limit: float) -> dict[str, Callable[[], Answer]]:
    """Returns the sides of a problem."""
    return {side: partial(solve, problem, sense, limit) for side, solve in SOLVERS.items()}


def size(problem: dlx.Problem) -> Record:
    """Returns the numbers of items and options."""
    return {"items": problem.n_items, "options": problem.n_options}


def measure() -> Iterator[Record]:
    """Yields the answer of each side on each problem; it must agree with the known answers."""
    for about, sides, known in problems():
        for side in installed(sides):
            answer = sides[side]()
            assert all(agrees(answer, other, about["sense"]) for other in known), (about, side, answer)
            known.append(answer)
            seconds = answer.seconds if answer.proven else LONG if about["group"] == "spp" else LIMIT
            record = {"side": side, "score": answer.score, "nodes": answer.nodes, "seconds": seconds}
            yield about | record | {"stopped": None if answer.proven else "time"}


NAMES = {"dlx": "Dancing Cover", "HiGHS": "HiGHS", "CP-SAT": "OR-Tools CP-SAT"}
SUMMARY = ["", "geometric mean", "median", "worst", "not finished", "geometric mean of ratios", "least ratio"]


def table(records: Sequence[Record]) -> str:
    """Returns the page: for each group the means and the worst cases, then every time."""
    grids, weighted, files = (
        grouped(record for record in records if record["group"] == group) for group in ("grids", "weighted", "spp")
    )
    grids = dict(sorted(grids.items(), key=lambda pair: (_completions(pair[1]), pair[0])))
    files = dict(sorted(files.items(), key=lambda pair: pair[1]["dlx"]["seconds"]))
    return f"""# The best cover, proven

Dancing Cover beside two solvers of integer programs on the same options. Every answer is checked. Times are processor
seconds on one thread, the least of several rounds. The time of the two solvers does not include building their models;
Dancing Cover starts from the grid or the problem. A run without a proof after {LIMIT:g} s counts as {LIMIT:g} s.
*ratio* is the time of a side divided by the time of Dancing Cover.

{_summaries(grids)}

## Target sudoku

The grids are in `tests/data/target_sudoku.csv`. [Strategies](strategies.md) has programs that visit every completion.

{_compared("grid", grids)}

## Weighted families

Problems with integer weights, made by `benchmarks/weighted_families.py` with fixed seeds: assignment, tilings,
matchings, odd cycles, queens, Latin squares, random set partitioning, set partitioning with as few columns as possible
(`crews`), bin packing, jobs on a ring, subgraphs, 2-factors, transport and cutting stock with multiplicities,
facilities with colours, problems with several components, and large empty grids of target sudoku. A score in brackets
is the best score that any side found in {LIMIT:g} s; it is not proven.

{_summaries(weighted)}

{_compared("problem", weighted)}{_set_partitioning(files)}"""


def _set_partitioning(files: Mapping[str, Sides]) -> str:
    """The section about the OR-Library, or nothing if its files were not measured."""
    if not files:
        return ""
    return f"""

## Set partitioning

Files of the [OR-Library](https://people.brunel.ac.uk/~mastjjb/jeb/orlib/sppinfo.html); the score is minimised.
A run without a proof after {LONG:g} s counts as {LONG:g} s.

{_summaries(files)}

{_compared("file", files)}"""


def _completions(sides: Sides) -> float:
    return float(sides["dlx"]["completions"].lstrip("~"))


def _summaries(problems: Mapping[str, Sides]) -> str:
    """The means of the times of each side, and of their ratios to ours."""
    rows = []
    own = np.array([sides["dlx"]["seconds"] for sides in problems.values()])
    for side in measured(NAMES, problems):
        times = np.array([sides[side]["seconds"] for sides in problems.values()])
        late = sum(bool(sides[side]["stopped"]) for sides in problems.values())
        row = [NAMES[side], duration(mean(times)), duration(float(np.median(times)))]
        row += ["> " * bool(late) + duration(times.max()), str(late)]
        ratios = ["", ""] if side == "dlx" else [f"{mean(times / own):.3g}", f"{(times / own).min():.2g}"]
        rows.append(row + ratios)
    return markdown(SUMMARY, rows)


def _compared(what: str, problems: Mapping[str, Sides]) -> str:
    """A row for each problem: its size, its best score, our time and nodes, and the times and ratios of the others."""
    sides = measured(NAMES, problems)
    sizes = [key for key in ("completions", "items", "options") if all(key in of["dlx"] for of in problems.values())]
    header = [what, *sizes, "best", NAMES["dlx"], "nodes", *(text for side in sides[1:] for text in (side, "ratio"))]
    rows = []
    for name, of in problems.items():
        own = of["dlx"]
        first, *others = cells(of, sides)
        row = [f"`{name}`", *(_number(own[key]) for key in sizes), _best(of), first, short(own["nodes"])]
        for side, time in zip(sides[1:], others, strict=True):
            row += [time, f"{of[side]['seconds'] / own['seconds']:.3g}"]
        rows.append(row)
    return markdown(header, rows)


def _number(value: int | str) -> str:
    """A number of items or options, or of completions, which may be estimated."""
    return str(value).replace("e+0", "e").replace("e+", "e") if str(value).startswith("~") else f"{int(value):,}"


def _best(sides: Sides) -> str:
    """The best score of any side, in brackets if no side has proven it; -1 if there is no completion."""
    proven = [of["score"] for of in sides.values() if not of["stopped"]]
    found = [of["score"] for of in sides.values() if of["score"] is not None]
    if proven:
        return "-1" if proven[0] is None else str(proven[0])
    better = max if sides["dlx"]["sense"] == "max" else min
    return f"({better(found)})" if found else ""
