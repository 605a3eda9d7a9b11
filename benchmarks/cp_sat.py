"""OR-Tools CP-SAT, run in its own process, because its library and the library of highspy cannot be loaded together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from colours import users_of
from timing import least, once

from dlx.problem.problem import Problem
from dlx.problem.roles import ranges

Constraint = tuple[Sequence[int], int, int]  # columns, and the least and the greatest number of them in a solution


class Found(NamedTuple):
    """The result of a search: whether it ended, the columns or None, their score, branches and processor seconds."""

    ended: bool
    columns: list[int] | None
    score: int | None
    branches: int
    seconds: float


def constraints(plain: Problem) -> list[Constraint]:
    """Returns the options of each item of a problem without colours, with its bounds."""
    bounds = ranges(plain.n_items, plain.n_primary, plain.multiplicities).tolist()
    return [(users, *pair) for users, pair in zip(users_of(plain), bounds, strict=True)]


def solve(
    columns: int, constraints: Sequence[Constraint], weights: Sequence[int] | None, limit: float, seed: int = 0
) -> Iterator[Found]:
    """Yields the heaviest columns that satisfy all constraints, or any such columns if there are no weights.

    With weights, the time is the least of several rounds.
    """
    from ortools.sat.python import cp_model

    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    chosen = [model.new_bool_var("") for _ in range(columns)]
    for some, low, high in constraints:
        if (low, high) == (1, 1):
            model.add_exactly_one(chosen[column] for column in some)
        elif (low, high) == (0, 1):
            model.add_at_most_one(chosen[column] for column in some)
        else:
            model.add_linear_constraint(sum(chosen[column] for column in some), low, high)
    if weights is not None:
        model.maximize(sum(w * x for w, x in zip(weights, chosen, strict=True)))
    solver.parameters.num_workers, solver.parameters.random_seed = 1, seed
    solver.parameters.max_time_in_seconds = limit
    seconds, result = (once if weights is None else least)(lambda: solver.solve(model))
    status = solver.status_name(result)
    found = status in ("OPTIMAL", "FEASIBLE")
    ended = status in ("OPTIMAL", "INFEASIBLE") or (found and weights is None)
    score = round(solver.objective_value) if found and weights is not None else None
    columns_found = [column for column, variable in enumerate(chosen) if solver.value(variable)] if found else None
    yield Found(ended, columns_found, score, solver.num_branches, seconds)
