"""One cover, or a proof that there is none, beside CaDiCaL and OR-Tools CP-SAT, in one run, with every answer checked.

Each problem is run with ten seeds. A seed sets the order of the search, and draws the problem if it is random.
CaDiCaL gets the formula of `dlx.formats.cnf`, with options and items in an order drawn by the seed; CP-SAT gets an
`exactly one` for each primary item, an `at most one` for each secondary one, and the seed. Both are made beforehand,
for one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import cp_sat
import large_families
import numpy as np
import pytest
from apart import missing
from report import Record, bold, duration, grouped, markdown, mean

import dlx
from dlx.engine.dispatch import shuffle
from dlx.formats.colours import without_colours

pytestmark = pytest.mark.benchmark(timer=time.process_time)

LIMIT = 20.0  # processor seconds
SEEDS = 10
ENOUGH = 15.0  # seconds; then a side gets no more seeds of a problem, so that the suite takes six minutes

PROBLEMS = {  # family, sizes, and whether there is a cover
    "100 queens": ("queens", (100,), True),
    "Y-pentominoes, 15 x 15": ("y_pentominoes", (15, 15), True),
    "Y-pentominoes, 20 x 20": ("y_pentominoes", (20, 20), True),
    "quasigroup 30, 316 holes": ("quasigroup", (30, 316), True),
    "quasigroup 33, 381 holes": ("quasigroup", (33, 381), True),
    "quasigroup 35, 405 holes": ("quasigroup", (35, 405), True),
    "quasigroup 40, 640 holes": ("quasigroup", (40, 640), True),
    "sudoku 25 x 25, 380 holes": ("large_sudoku", (5, 380), True),
    "sudoku 36 x 36, 800 holes": ("large_sudoku", (6, 800), True),
    "two sets of pentominoes, 10 x 12": ("two_sets", (10, 12), True),
    "any pentominoes, 15 x 20": ("any_pentominoes", (15, 20), True),
    "Langford 40": ("langford", (40,), True),
    "Steiner 25": ("steiner", (25,), True),
    "12 pigeons, 11 holes": ("pigeons", (12, 11), False),
    "board of 8 without two corners": ("mutilated", (8,), False),
    "Langford 13": ("langford", (13,), False),
}

Answer = tuple[bool, tuple[int, ...] | None]  # whether it has ended, and the cover
Task = Callable[[], Answer]


@cache
def problem(name: str, seed: int) -> dlx.Problem:
    """A problem of the table; those that are not random are made once."""
    family, sizes, _ = PROBLEMS[name]
    built = large_families.build(family, *sizes, seed=seed if family in large_families.RANDOM else 0)
    built.rows()
    return built


def by_dlx(instance: dlx.Problem, seed: int) -> Task:
    """`dlx.first`, from the problem on; the first seed is the order in which the options were listed."""

    def solve() -> Answer:
        result = dlx.first(instance, seed=seed or None, timeout=2 * LIMIT)
        return result.exhausted, result.cover

    return solve


def by_cadical(instance: dlx.Problem, seed: int) -> Task:
    """CaDiCaL 1.5.3, interrupted every 1000 conflicts; the clauses are made here."""
    from pysat.solvers import Cadical153

    from dlx.formats.cnf import Formula

    shuffled, old = shuffle(instance, seed)
    formula = Formula(shuffled).clauses

    def solve() -> Answer:
        start, answer = time.process_time(), None
        with Cadical153(bootstrap_with=formula) as solver:
            while answer is None and time.process_time() - start < LIMIT:
                solver.conf_budget(1000)
                answer = solver.solve_limited()
            chosen = [k - 1 for k in solver.get_model()[: instance.n_options] if k > 0] if answer else None
        return answer is not None, None if chosen is None else tuple(old[chosen].tolist())

    return solve


def by_cp_sat(instance: dlx.Problem, seed: int) -> Task:
    """CP-SAT with one worker; the model is built here."""
    plain = without_colours(instance)
    model, chosen, solver = cp_sat.modelled(plain.n_options, cp_sat.constraints(plain), 2 * LIMIT)
    solver.parameters.random_seed = seed
    solver.parameters.max_deterministic_time = 2 * LIMIT

    def solve() -> Answer:
        status = solver.status_name(solver.solve(model))
        if status not in ("OPTIMAL", "FEASIBLE"):
            return status == "INFEASIBLE", None
        return True, tuple(o for o, variable in enumerate(chosen) if solver.value(variable))

    return solve


SIDES: dict[str, Callable[[dlx.Problem, int], Task]] = {"dlx": by_dlx, "CaDiCaL": by_cadical, "CP-SAT": by_cp_sat}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("side", SIDES)
def test_first(benchmark: Any, side: str, name: str) -> None:
    """Every answer is a cover, or says rightly that there is none; the times of all seeds are recorded."""
    if reason := missing(side):
        pytest.skip(reason)
    times: list[float] = []
    rounds = SEEDS if benchmark.enabled else 1

    def run() -> None:
        for seed in range(rounds):
            instance = problem(name, seed)
            solve = SIDES[side](instance, seed)
            start = time.process_time()
            ended, cover = solve()
            seconds = time.process_time() - start
            assert not ended or (cover is not None) == PROBLEMS[name][2], (side, name, seed)
            assert cover is None or covers(instance, cover), (side, name, seed)
            times.append(round(seconds, 6) if ended and seconds <= LIMIT else LIMIT)
            if sum(times) > ENOUGH:
                break

    benchmark.pedantic(run, rounds=1, iterations=1)
    info = {"side": side, "problem": name, "cover": PROBLEMS[name][2], "limit": LIMIT, "enough": ENOUGH, "seeds": SEEDS}
    size = {"options": problem(name, 0).n_options, "items": problem(name, 0).n_items}
    benchmark.extra_info.update(**info, times=times, **size)


def covers(instance: dlx.Problem, cover: tuple[int, ...]) -> bool:
    """Returns whether options cover each primary item once and no secondary item twice."""
    items = np.concatenate([instance.indices[slice(*instance.indptr[o : o + 2])] for o in cover])
    times = np.bincount(items, minlength=instance.n_items)
    return bool((times <= 1).all() and (times[: instance.n_primary] == 1).all())


# The report

NAMES = {"dlx": "Dancing Cover", "CaDiCaL": "CaDiCaL 1.5.3", "CP-SAT": "OR-Tools CP-SAT"}

Problems = Mapping[str, Mapping[str, Record]]  # problem -> side -> record


def table(records: Sequence[Record]) -> str:
    """The means of the sides, then every problem."""
    problems = grouped(records, "problem")
    sides = _sides(problems)
    with_cover = {name: problem for name, problem in problems.items() if next(iter(problem.values()))["cover"]}
    header = ["", "options", "cover", *(NAMES[side] for side in sides), "slowest", "CaDiCaL, ratio"]
    return f"""# One cover

`dlx.first` beside a SAT solver and a constraint solver, on problems for which a plain search may take very long.
Times are processor seconds on one thread, the median of {records[0]["seeds"]} seeds. A seed sets the order of the
search, and draws the quasigroups and sudokus. Every answer is checked. CaDiCaL gets the clauses of
`dlx.formats.cnf`: at most one option of an item by pairs, or by a sequential counter if there are more than
five. CP-SAT gets `exactly one` and `at most one`. Building their models is not timed; our time starts with
the problem. A run without an answer after {records[0]["limit"]:g} s counts as {records[0]["limit"]:g} s. A side that
has used {records[0]["enough"]:g} s on a problem gets no more seeds of it.

{markdown(["with a cover", "geometric mean", "ratio", "least ratio"], _summary(with_cover, sides))}

{markdown(header, [_row(name, problem, sides) for name, problem in problems.items()])}

*slowest* is our slowest seed. A ratio is the median time of a side divided by our median time."""


def _sides(problems: Problems) -> list[str]:
    """The sides that have been measured, in the order of tables."""
    return [side for side in NAMES if all(side in sides for sides in problems.values())]


def _median(record: Record) -> float:
    return float(np.median(record["times"]))


def _time(seconds: float, record: Record) -> str:
    return duration(seconds) if seconds < record["limit"] else f"> {record['limit']:g} s"


def _summary(problems: Problems, sides: Sequence[str]) -> list[list[str]]:
    rows = []
    for side in sides:
        medians = [_median(problem[side]) for problem in problems.values()]
        ratios = [_median(problem[side]) / _median(problem["dlx"]) for problem in problems.values()]
        ratio_cells = ["", ""] if side == "dlx" else [f"{mean(ratios):.3g}", f"{min(ratios):.2g}"]
        rows.append([bold(NAMES[side], side == "dlx"), duration(mean(medians)), *ratio_cells])
    return rows


def _row(name: str, problem: Mapping[str, Record], sides: Sequence[str]) -> list[str]:
    own, medians = problem["dlx"], {side: _median(problem[side]) for side in sides}
    least = min(medians.values())
    times = [bold(_time(median, problem[side]), median == least) for side, median in medians.items()]
    ratio = f"{medians['CaDiCaL'] / medians['dlx']:.2g}" if "CaDiCaL" in sides else ""
    return [name, f"{own['options']:,}", "yes" if own["cover"] else "no", *times, _time(max(own["times"]), own), ratio]
