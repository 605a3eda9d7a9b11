"""Solvers of sudokus, each run in its own process (`timing.apart`).

The other packages are called in their fastest form. A side imports its package when it is made. The time starts after
the grids are in the form that a solver takes, and after anything that all grids share is made, such as clauses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import combinations, count
from typing import Any

import numpy as np
import numpy.typing as npt

Grids = npt.NDArray[np.uint8]
Grid = npt.NDArray[np.uint8]  # 81 digits, 0 for a blank
Completions = list[list[int]]  # at most two, as 81 digits each
# Three functions: grid -> input of the solver -> output of the solver -> completions as digits.
Side = tuple[Callable[[Grid], Any], Callable[[Any], Any], Callable[[Any], Completions]]


def digits(found: Any) -> list[int]:
    """Returns a completion as 81 digits."""
    return [int(digit) for digit in np.ravel(found)]


def a_call() -> Side:
    """`sudoku.count_many` with one grid per call, as other packages are called."""
    count = import_module("sudoku").count_many
    return (
        lambda grid: "".join(map(str, grid.tolist())),
        lambda line: count([line], 2),
        lambda found: [digits(found.completions[0])] * int(found.counts[0]),
    )


def exact_cover() -> Side:
    """`encode`, `dlx.first`, and `dlx.count` up to 2, as for sudokus with other rules."""
    dlx, sudoku = import_module("dlx"), import_module("sudoku")

    def solve(grid: Grid) -> Any:
        problem = sudoku.encode(grid)
        return problem, dlx.first(problem).cover, dlx.count(problem, max_covers=2).covers

    return lambda grid: grid.reshape(9, 9), solve, lambda found: [digits(sudoku.decode(*found[:2]))] * int(found[2])


def choices() -> list[list[int]]:
    """Returns sets of variables, one of which is true. Digit d + 1 in row r and column c is 81 r + 9 c + d + 1."""
    rows = np.arange(1, 730).reshape(9, 9, 9)
    boxes = rows.reshape(3, 3, 3, 3, 9).transpose(0, 2, 4, 1, 3)
    nines: list[list[int]] = np.concatenate(
        [part.reshape(81, 9) for part in (rows, rows.transpose(0, 2, 1), rows.transpose(1, 2, 0), boxes)]
    ).tolist()
    return nines


def clauses() -> list[list[int]]:
    """Returns the rules as clauses: at least one variable of each set, and not two."""
    return [clause for nine in choices() for clause in (nine, *([-a, -b] for a, b in combinations(nine, 2)))]


def givens(grid: Grid) -> list[int]:
    """Returns the variables of the givens."""
    return [9 * int(cell) + int(grid[cell]) for cell in np.flatnonzero(grid)]


def of_variables(found: list[list[int]]) -> Completions:
    """Returns completions as digits from their true variables in increasing order."""
    return [[(variable - 1) % 9 + 1 for variable in true] for true in found]


def cadical() -> Side:
    """CaDiCaL by python-sat: one solver for all grids, which keeps learnt clauses; the givens are assumptions.

    On minimal puzzles this was nine times faster than a new solver for each grid. Glucose and MiniSat were not faster
    on any set. A clause forbids a completion that was found, and is switched off before the next grid.
    """
    solver = import_module("pysat.solvers").Cadical153(bootstrap_with=clauses())
    switches = count(730)

    def solve(clues: list[int]) -> list[list[int]]:
        switch, found = next(switches), list[list[int]]()
        while len(found) < 2 and solver.solve(assumptions=[*clues, switch]):
            found.append([variable for variable in solver.get_model()[:729] if variable > 0])
            solver.add_clause([-switch, *(-variable for variable in found[-1])])
        solver.add_clause([-switch])
        return found

    return givens, solve, of_variables


def cp_sat() -> Side:
    """OR-Tools CP-SAT with one worker; its model has `exactly one` for each cell and each digit of a unit."""
    cp = import_module("ortools.sat.python.cp_model")
    rules = cp.CpModel()
    variables = [rules.new_bool_var("") for _ in range(729)]
    for nine in choices():
        rules.add_exactly_one(variables[k - 1] for k in nine)

    class Found(cp.CpSolverSolutionCallback):  # type: ignore[misc, name-defined]
        """Keeps the first two completions."""

        def __init__(self) -> None:
            super().__init__()
            self.completions: list[list[int]] = []

        def on_solution_callback(self) -> None:
            self.completions.append([k + 1 for k, variable in enumerate(variables) if self.value(variable)])
            if len(self.completions) == 2:
                self.stop_search()

    def solve(clues: list[int]) -> list[list[int]]:
        model, solver = rules.clone(), cp.CpSolver()
        model.add_bool_and(variables[k - 1] for k in clues)
        solver.parameters.num_workers, solver.parameters.enumerate_all_solutions = 1, True
        found = Found()
        solver.solve(model, found)
        return found.completions

    return givens, solve, of_variables


def sudoku_rust() -> Side:
    """sudoku-rust; its input is an array."""
    solve = import_module("sudoku_rust").solve
    return lambda grid: grid.reshape(9, 9).astype(np.uint16), solve, lambda found: [digits(found)]


AT_ONCE = {"count_many": 2, "solve_many": 1}  # sides that take all grids in one call -> limit of completions
ONE_BY_ONE: dict[str, Callable[[], Side]] = {
    "count_many, a grid a call": a_call,
    "exact cover": exact_cover,
    "CaDiCaL": cadical,
    "CP-SAT": cp_sat,
    "sudoku-rust": sudoku_rust,
}
SIDES = (*AT_ONCE, *ONE_BY_ONE)
OWN = SIDES[:4]
FIRST_ONLY = ("solve_many", "sudoku-rust")  # sides that stop at one completion

Solved = tuple[int, float, list[Completions]]  # solved grids, processor seconds, completions of the first grids


def run(side: str, grids: Grids, seconds: float) -> Iterator[Solved]:
    """Yields what a side solves in a number of processor seconds, after the last grid as a warm-up."""
    if side in AT_ONCE:
        yield _at_once(grids, AT_ONCE[side], seconds)
    else:
        yield _one_by_one(*ONE_BY_ONE[side](), grids, seconds)


def _at_once(grids: Grids, limit: int, seconds: float) -> Solved:
    """Solves all grids again and again until the time is over."""
    many = import_module("sudoku").count_many
    many(grids[-1:], limit)
    done, start = 0, time.process_time()
    while not done or time.process_time() - start < seconds:
        result = many(grids, limit)
        done += len(grids)
    spent = time.process_time() - start
    completions = result.completions.reshape(-1, 81).tolist()
    return done, spent, [[one] * number for one, number in zip(completions, result.counts.tolist(), strict=True)]


def _one_by_one(
    form: Callable[[Grid], Any],
    solve: Callable[[Any], Any],
    read: Callable[[Any], Completions],
    grids: Grids,
    seconds: float,
) -> Solved:
    """Solves grids until the time is over, and finishes the last one."""
    solve(form(grids[-1]))
    forms, found = [form(grid) for grid in grids], list[Any]()
    start = time.process_time()
    for one in forms:
        found.append(solve(one))
        if time.process_time() - start >= seconds:
            break
    return len(found), time.process_time() - start, [read(one) for one in found]
