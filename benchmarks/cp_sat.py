"""OR-Tools CP-SAT in a process of its own: its library and that of highspy cannot be loaded side by side."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache

Said = tuple[str, int | None, int, float]  # the status, the best score, the branches, and processor seconds


def maximise(weights: Sequence[int], items: Sequence[Sequence[int]], limit: float) -> Said:
    """Solves set partitioning with one thread, in this process.

    Parameters:
        weights: one for each option.
        items: for each item the numbers of the options that cover it.
        limit: seconds.
    """
    from ortools.sat.python import cp_model

    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    chosen = [model.new_bool_var("") for _ in weights]
    for options in items:
        model.add_exactly_one(chosen[o] for o in options)
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
