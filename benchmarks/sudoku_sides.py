"""Solves sudokus with one solver, in a process of its own, for a number of seconds, and prints the completions.

    python benchmarks/sudoku_sides.py SIDE SECONDS < task.pickle

The task is a dictionary of plain numbers and numpy arrays (see `bench_sudoku.py`). The output is a line of JSON.
Seconds are processor time. They do not include making the lists or lines of digits that a solver takes, or anything
that a solver can make for all grids beforehand, such as clauses.

The other sides are solvers of the package index, each called in its fastest form. A side imports its package when it is
made, since a process has only one side.
"""

from __future__ import annotations

import json
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from itertools import combinations, count, product
from typing import Any

import numpy as np
import numpy.typing as npt

Grids = npt.NDArray[np.uint8]
Grid = npt.NDArray[np.uint8]  # 81 digits, 0 for a blank


def square(grid: Grid) -> Grid:
    """A grid as an array of nine rows."""
    return grid.reshape(9, 9)


def line(grid: Grid) -> str:
    """A grid as 81 digits."""
    return "".join(map(str, grid.tolist()))


def digits(found: Any) -> list[int]:
    """Returns a completion as 81 digits."""
    return [int(digit) for digit in np.ravel(found)]


@dataclass(frozen=True)
class OneByOne:
    """A solver that is called once for each grid.

    Attributes:
        form: the grid in the form that the solver takes.
        solve: the completions of a grid, two at most if the side looks for two, in a form of its own.
        read: these as digits.
    """

    form: Callable[[Grid], Any]
    solve: Callable[[Any], Any]
    read: Callable[[Any], list[list[int]]]

    def run(self, grids: Grids, seconds: float) -> dict[str, Any]:
        """Solves grids until the time is over; the last one is finished."""
        forms = [self.form(grid) for grid in grids]
        found: list[Any] = []
        start = time.process_time()
        for form in forms:
            found.append(self.solve(form))
            if time.process_time() - start >= seconds:
                break
        spent = time.process_time() - start
        return {"done": len(found), "seconds": spent, "found": [self.read(one) for one in found]}


# Our own


class Bands:
    """`sudoku.count_many`, all grids at once, again and again; with a limit of 1 it is `solve_many`."""

    def __init__(self, limit: int) -> None:
        self.count = import_module("sudoku").count_many
        self.limit = limit

    def run(self, grids: Grids, seconds: float) -> dict[str, Any]:
        """Solves all grids, as often as the time allows."""
        done, spent, start = 0, 0.0, time.process_time()
        while not done or spent < seconds:
            result = self.count(grids, self.limit)
            done += len(grids)
            spent = time.process_time() - start
        completions = result.completions.reshape(-1, 81).tolist()
        found = [[completion] * count for completion, count in zip(completions, result.counts.tolist(), strict=True)]
        return {"done": done, "seconds": spent, "found": found, "nodes": result.nodes / len(grids)}


def a_call() -> OneByOne:
    """`sudoku.count_many` with one grid a call, as the others are called."""
    count = import_module("sudoku").count_many
    return OneByOne(
        line, lambda grid: count([grid], 2), lambda found: [digits(found.completions[0])] * int(found.counts[0])
    )


def exact_cover() -> OneByOne:
    """Exact cover, as for other sudokus: `encode`, `dlx.first`, and `dlx.count` up to 2."""
    dlx, sudoku = import_module("dlx"), import_module("sudoku")

    def solve(grid: Grid) -> Any:
        problem = sudoku.encode(grid)
        return problem, dlx.first(problem).cover, dlx.count(problem, max_covers=2).covers

    return OneByOne(square, solve, lambda found: [digits(sudoku.decode(*found[:2]))] * int(found[2]))


# Others


def choices() -> list[list[int]]:
    """The variables of which exactly one is true: digit d + 1 in row r and column c is 81 r + 9 c + d + 1."""
    nine = range(9)
    return [
        *([81 * r + 9 * c + d + 1 for d in nine] for r, c in product(nine, nine)),
        *([81 * r + 9 * c + d + 1 for c in nine] for r, d in product(nine, nine)),
        *([81 * r + 9 * c + d + 1 for r in nine] for c, d in product(nine, nine)),
        *(
            [81 * (3 * (b // 3) + k // 3) + 9 * (3 * (b % 3) + k % 3) + d + 1 for k in nine]
            for b, d in product(nine, nine)
        ),
    ]


def clauses() -> list[list[int]]:
    """The rules as clauses: one of each nine, and no two of them."""
    return [clause for nine in choices() for clause in (nine, *([-a, -b] for a, b in combinations(nine, 2)))]


def givens(grid: Grid) -> list[int]:
    """The variables of the givens."""
    return [9 * int(cell) + int(grid[cell]) for cell in np.flatnonzero(grid)]


def of_variables(true: Sequence[int]) -> list[int]:
    """The digits of a completion by the variables that are true, in order."""
    return [(variable - 1) % 9 + 1 for variable in true]


def cadical() -> OneByOne:
    """CaDiCaL by python-sat: one solver for all grids, which keeps what it has learnt; the givens are assumptions.

    That was nine times faster on minimal puzzles than a solver for each grid, and Glucose and MiniSat were no faster on
    any set in either way. A completion is forbidden by a clause that is switched off afterwards.
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

    return OneByOne(givens, solve, lambda found: [*map(of_variables, found)])


def cp_sat() -> OneByOne:
    """OR-Tools CP-SAT with one worker: a copy of a model with `exactly one` for each cell and digit of a unit."""
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

    return OneByOne(givens, solve, lambda found: [*map(of_variables, found)])


def sudoku_rust() -> OneByOne:
    """sudoku-rust, from an array."""
    solve = import_module("sudoku_rust").solve
    return OneByOne(lambda grid: square(grid).astype(np.uint16), solve, lambda found: [digits(found)])


# All

SIDES: dict[str, Callable[[], OneByOne | Bands]] = {
    "count_many": lambda: Bands(2),
    "solve_many": lambda: Bands(1),
    "count_many, a grid a call": a_call,
    "exact cover": exact_cover,
    "CaDiCaL": cadical,
    "CP-SAT": cp_sat,
    "sudoku-rust": sudoku_rust,
}
OWN = tuple(SIDES)[:4]
PACKAGES = {"CaDiCaL": "python-sat", "CP-SAT": "ortools"}  # the others are named as on the package index
FIRST_ONLY = ("solve_many", "sudoku-rust")  # these find one completion, and do not look for another one


def main() -> None:
    """Does the task on standard input, after a first grid that is not measured."""
    side, seconds = sys.argv[1], float(sys.argv[2])
    task = pickle.load(sys.stdin.buffer)
    solver = SIDES[side]()
    solver.run(task["example"][None], 60.0 if isinstance(solver, OneByOne) else 0.0)
    result = solver.run(task["grids"], seconds)
    released = "" if side in OWN else version(PACKAGES.get(side, side))
    print(json.dumps({**result, "version": released}), flush=True)


if __name__ == "__main__":
    main()
