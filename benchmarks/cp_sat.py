"""OR-Tools CP-SAT in a process of its own: its library and that of highspy cannot be loaded side by side."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

from dlx.formats.colours import users_of
from dlx.problem.problem import Problem
from dlx.problem.roles import ranges

Said = tuple[str, int | None, int, float]  # the status, the best score, the branches, and processor seconds


def constraints(plain: Problem) -> list[tuple[Sequence[int], Sequence[int]]]:
    """The options of each item of a problem without colours, and how many of them a cover has at least and at most."""
    limits = ranges(plain.n_items, plain.n_primary, plain.multiplicities).tolist()
    return [*zip(users_of(plain), limits, strict=True)]


def modelled(columns: int, constraints: Sequence[tuple[Sequence[int], Sequence[int]]], limit: float) -> Any:
    """Returns the model, its variables, and a solver with one thread and a limit in seconds."""
    from ortools.sat.python import cp_model

    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    chosen = [model.new_bool_var("") for _ in range(columns)]
    for some, (least, most) in constraints:
        if (least, most) == (1, 1):
            model.add_exactly_one(chosen[column] for column in some)
        elif (least, most) == (0, 1):
            model.add_at_most_one(chosen[column] for column in some)
        else:
            model.add_linear_constraint(sum(chosen[column] for column in some), least, most)
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    return model, chosen, solver


def maximise(weights: Sequence[int], constraints: Sequence[tuple[Sequence[int], Sequence[int]]], limit: float) -> Said:
    """Finds the heaviest columns that satisfy all rows, in this process."""
    model, chosen, solver = modelled(len(weights), constraints, limit)
    model.maximize(sum(w * x for w, x in zip(weights, chosen, strict=True)))
    start = time.process_time()
    status = solver.status_name(solver.solve(model))
    seconds = time.process_time() - start
    score = round(solver.objective_value) if status in ("OPTIMAL", "FEASIBLE") else None
    return status, score, solver.num_branches, seconds


@cache
def worker() -> ProcessPoolExecutor:
    """The other process."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
