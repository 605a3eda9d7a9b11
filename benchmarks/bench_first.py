"""One cover, or a proof that there is none: `dlx` compared with CaDiCaL and OR-Tools CP-SAT.

Every answer is checked. Each problem is run with ten seeds. A seed determines the order of the search, and the problem
if the problem is random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import cp_sat
import numpy as np
from colours import without_colours
from families import RANDOM, build
from report import Record, Sides, cell, cells, duration, grouped, markdown, mean, measured
from timing import apart, installed, once

import dlx
from dlx.engine.dispatch import shuffle
from dlx.formats.cnf import Formula

LIMIT = 20.0  # processor seconds
SEEDS = 10
ENOUGH = 15.0  # processor seconds on a problem, after which a side gets no more seeds; the suite takes six minutes

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

Cover = Iterable[int] | None
Answer = tuple[float, bool, Cover]  # the processor seconds, whether the search has ended, and the cover


def by_dlx(problem: dlx.Problem, seed: int) -> Answer:
    """`dlx.first`; the time starts with the problem, and seed 0 searches the options in their given order."""
    seconds, result = once(lambda: dlx.first(problem, seed=seed or None, timeout=2 * LIMIT))
    return seconds, result.exhausted, result.cover


def by_cadical(problem: dlx.Problem, seed: int) -> Answer:
    """CaDiCaL 1.5.3, interrupted every 1000 conflicts; the seed shuffles the clauses."""
    from pysat.solvers import Cadical153

    shuffled, old = shuffle(problem, seed)
    formula, answer = Formula(shuffled).clauses, None
    seconds, solver = once(lambda: Cadical153(bootstrap_with=formula))
    while answer is None and seconds < LIMIT:
        solver.conf_budget(1000)
        spent, answer = once(solver.solve_limited)
        seconds += spent
    chosen = [k - 1 for k in solver.get_model()[: problem.n_options] if k > 0] if answer else None
    return seconds, answer is not None, None if chosen is None else old[chosen].tolist()


def by_cp_sat(problem: dlx.Problem, seed: int) -> Answer:
    """CP-SAT with one worker."""
    plain = without_colours(problem)
    ((found,), _) = apart(cp_sat.solve, plain.n_options, cp_sat.constraints(plain), None, 2 * LIMIT, seed)
    return found.seconds, found.ended, found.columns


SIDES: dict[str, Callable[[dlx.Problem, int], Answer]] = {"dlx": by_dlx, "CaDiCaL": by_cadical, "CP-SAT": by_cp_sat}


def measure() -> Iterator[Record]:
    """Yields the times of each side on each problem, one for each seed."""
    for name, (family, sizes, has_cover) in PROBLEMS.items():
        problems = [build(family, *sizes, *([seed] if family in RANDOM else [])) for seed in range(SEEDS)]
        for problem in problems:
            problem.rows()
        for side in installed(SIDES):
            times: list[float] = []
            for seed, problem in enumerate(problems):
                seconds, ended, cover = SIDES[side](problem, seed)
                assert not ended or (cover is not None) == has_cover, (side, name, seed)
                assert cover is None or covers(problem, list(cover)), (side, name, seed)
                times.append(round(seconds, 6) if ended and seconds <= LIMIT else LIMIT)
                if sum(times) > ENOUGH:
                    break
            record = {"problem": name, "side": side, "options": problems[0].n_options, "times": times}
            seconds = float(np.median(times))
            yield record | {"seconds": seconds, "stopped": None if seconds < LIMIT else "time"}


def covers(problem: dlx.Problem, cover: Sequence[int]) -> bool:
    """Returns whether options cover each primary item once and no secondary item twice."""
    items = np.concatenate([problem.indices[slice(*problem.indptr[o : o + 2])] for o in cover])
    times = np.bincount(items, minlength=problem.n_items)
    return bool((times <= 1).all() and (times[: problem.n_primary] == 1).all())


NAMES = {"dlx": "Dancing Cover", "CaDiCaL": "CaDiCaL 1.5.3", "CP-SAT": "OR-Tools CP-SAT"}


def table(records: Sequence[Record]) -> str:
    """Returns the page: the mean times of the sides, and a row for each problem."""
    problems = grouped(records)
    sides = measured(NAMES, problems)
    names = [NAMES[side] for side in sides]
    rows = [_row(name, records, sides) for name, records in problems.items()]
    return f"""# One cover

`dlx.first` compared with a SAT solver and a constraint solver, on problems for which a plain search may take very long.
Times are processor seconds on one thread, the median of {SEEDS} seeds. A seed determines the order of the search, and
which quasigroup or sudoku is solved. Every answer is checked. CaDiCaL gets the clauses of `dlx.formats.cnf`. If an item
has at most five options, a clause for each pair of options forbids to choose both; for more options, the clauses are a
sequential counter. CP-SAT gets `exactly one` and `at most one`. Building the models of both is not timed; the time of
`dlx.first` starts with the problem. A run without an answer after {LIMIT:g} s counts as {LIMIT:g} s. After {ENOUGH:g} s
on a problem, a side gets no more seeds.

{markdown(["with a cover", "geometric mean", "ratio", "least ratio"], _summary(problems, sides))}

{markdown(["", "options", "cover", *names, "slowest", "CaDiCaL, ratio"], rows)}

*slowest* is the slowest seed of Dancing Cover. A ratio is the median time of a side divided by the median time of
Dancing Cover."""


def _summary(problems: Mapping[str, Sides], sides: Sequence[str]) -> list[list[str]]:
    """The means of each side over the problems that have a cover."""
    with_cover = [records for name, records in problems.items() if PROBLEMS[name][2]]
    rows = [["**Dancing Cover**", duration(mean(of["dlx"]["seconds"] for of in with_cover)), "", ""]]
    for side in sides[1:]:
        times = [records[side]["seconds"] for records in with_cover]
        ratios = [records[side]["seconds"] / records["dlx"]["seconds"] for records in with_cover]
        rows.append([NAMES[side], duration(mean(times)), f"{mean(ratios):.3g}", f"{min(ratios):.2g}"])
    return rows


def _row(name: str, records: Sides, sides: Sequence[str]) -> list[str]:
    own = records["dlx"]
    slowest = cell(own | {"seconds": max(own["times"])})
    ratio = f"{records['CaDiCaL']['seconds'] / own['seconds']:.2g}" if "CaDiCaL" in records else ""
    has_cover = "yes" if PROBLEMS[name][2] else "no"
    return [name, f"{own['options']:,}", has_cover, *cells(records, sides), slowest, ratio]
