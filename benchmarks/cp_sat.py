"""OR-Tools CP-SAT in a process of its own: its library and that of highspy cannot be loaded side by side."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache

Said = tuple[str, int | None, int, float]  # the status, the best score, the branches, and processor seconds


def maximise(
    weights: Sequence[int], items: Sequence[Sequence[int]], ranges: Sequence[Sequence[int]], limit: float
) -> Said:
    """Finds the heaviest options that have each item as often as they should, with one thread, in this process."""
    from ortools.sat.python import cp_model

    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    chosen = [model.new_bool_var("") for _ in weights]
    for options, (least, most) in zip(items, ranges, strict=True):
        if (least, most) == (1, 1):
            model.add_exactly_one(chosen[o] for o in options)
        elif (least, most) == (0, 1):
            model.add_at_most_one(chosen[o] for o in options)
        else:
            model.add_linear_constraint(sum(chosen[o] for o in options), least, most)
    model.maximize(sum(w * x for w, x in zip(weights, chosen, strict=True)))
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = limit
    start = time.process_time()
    status = solver.status_name(solver.solve(model))
    seconds = time.process_time() - start
    score = round(solver.objective_value) if status in ("OPTIMAL", "FEASIBLE") else None
    return status, score, solver.num_branches, seconds


@cache
def worker() -> ProcessPoolExecutor:
    """The other process."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
