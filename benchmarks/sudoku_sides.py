"""Completes sudokus by one solver, in a process of its own, as many as it does in some seconds, and prints them.

    python benchmarks/sudoku_sides.py SIDE SECONDS FOLDER < task.pickle

The task is a dictionary of plain numbers and numpy arrays (see `bench_sudoku.py`); FOLDER is looked in first for
modules, since there are packages whose module is named sudoku, too. What is printed is a line of JSON. Seconds are of
processor time, without making the lists or lines of digits that a solver wants to be given, and without whatever it can
make for all grids beforehand, such as clauses.

Beside our own there are the solvers that the package index has, each as it is best called. What a class imports it
imports when it is made, since only one of them is there in a process.
"""

from __future__ import annotations

import importlib
import json
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from itertools import combinations, islice, product
from typing import Any

import numpy as np
import numpy.typing as npt

Grids = npt.NDArray[np.uint8]
Grid = npt.NDArray[np.uint8]  # 81 digits, 0 for a blank

CUT = 2.0  # a side that is so many times later than it should be is in a grid without end
AGAIN = 0.2  # seconds to the next signal, if a solver has caught the exception of the last one


class LateError(BaseException):
    """The time is over; no solver should catch this."""


def late(*_: object) -> None:
    """Ends what goes on when the time is over."""
    raise LateError


def rows(grid: Grid) -> list[list[int]]:
    """A grid as nine lists of digits."""
    return [[int(digit) for digit in row] for row in grid.reshape(9, 9)]


def square(grid: Grid) -> Grid:
    """A grid as an array of nine rows."""
    return grid.reshape(9, 9)


def line(grid: Grid) -> str:
    """A grid as 81 digits."""
    return "".join(map(str, grid.tolist()))


def digits(found: Any) -> list[int]:
    """A completion in whatever form, as 81 digits."""
    return [int(digit) for digit in (found if isinstance(found, str) else np.ravel(found))]


class OneByOne:
    """A solver that is given one grid after the other."""

    package = ""  # what it is called on the package index
    form: Callable[[Grid], Any] = staticmethod(rows)

    def solve(self, given: Any) -> Any:
        """The completions of a grid, two at most if the side looks for two, in a form of its own."""
        raise NotImplementedError

    def read(self, found: Any) -> list[list[int]]:
        """Those completions as digits."""
        return [digits(found)]

    def run(self, grids: Grids, seconds: float) -> dict[str, Any]:
        """Solves grids until the time is over; the last one is finished, if it does not take too long."""
        forms = [self.form(grid) for grid in grids]
        found: list[Any] = []
        start = time.process_time()
        try:
            signal.setitimer(signal.ITIMER_PROF, CUT * seconds, AGAIN)
            for form in forms:
                found.append(self.solve(form))
                if time.process_time() - start >= seconds:
                    break
        except LateError:
            pass
        signal.setitimer(signal.ITIMER_PROF, 0)
        spent = time.process_time() - start
        return {"done": len(found), "seconds": spent, "found": [self.read(one) for one in found]}

    def open(self, grids: Grids, seconds: float, limit: int) -> dict[str, Any]:
        """Counts completions, so many of each grid at most, until the time is over."""
        counts: list[int] = []
        forms = [self.form(grid) for grid in grids]
        start = time.process_time()
        for form in forms:
            counts.append(self.completions(form, limit, start + seconds))
            if time.process_time() - start >= seconds:
                break
        return {"done": len(counts), "seconds": time.process_time() - start, "counts": counts}

    def completions(self, given: Any, limit: int, until: float) -> int:
        """Counts the completions of a grid, up to a limit, or those found when the time is over."""
        return _counted(islice(self.each(given), limit), until)

    def each(self, given: Any) -> Iterator[Any]:
        """The completions of a grid, one by one."""
        raise NotImplementedError


def _counted(found: Iterator[Any], until: float) -> int:
    number = 0
    for number, _ in enumerate(found, start=1):
        if not number & 15 and time.process_time() >= until:
            break
    return number


# Our own


class Bands:
    """`sudoku.count_many`, all grids at once, again and again; with a limit of 1 it is `solve_many`."""

    package = ""

    def __init__(self, limit: int) -> None:
        self.count = importlib.import_module("sudoku").count_many
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

    def open(self, grids: Grids, seconds: float, limit: int) -> dict[str, Any]:
        """Counts completions."""
        start = time.process_time()
        counts = self.count(grids, limit).counts.tolist()
        return {"done": len(grids), "seconds": time.process_time() - start, "counts": counts}


class ACall(OneByOne):
    """`sudoku.count_many` with one grid a call, as the others are called."""

    form = staticmethod(line)

    def __init__(self) -> None:
        self.count = importlib.import_module("sudoku").count_many

    def solve(self, given: str) -> Any:
        return self.count([given], 2)

    def read(self, found: Any) -> list[list[int]]:
        return [digits(found.completions[0])] * int(found.counts[0])


class ExactCover(OneByOne):
    """The road of all other sudokus: `encode`, `dlx.first`, and `dlx.count` up to 2."""

    form = staticmethod(square)

    def __init__(self) -> None:
        self.dlx, self.sudoku = importlib.import_module("dlx"), importlib.import_module("sudoku")

    def solve(self, given: Grid) -> Any:
        problem = self.sudoku.encode(given)
        return problem, self.dlx.first(problem).cover, self.dlx.count(problem, max_covers=2).covers

    def read(self, found: Any) -> list[list[int]]:
        problem, cover, covers = found
        return [digits(self.sudoku.decode(problem, cover))] * int(covers)

    def completions(self, given: Grid, limit: int, until: float) -> int:
        return int(self.dlx.count(self.sudoku.encode(given), max_covers=limit).covers)


class Cells(OneByOne):
    """The kernel of the strategy `dynamic`: backtracking cell by cell, the fewest candidates first."""

    form = staticmethod(square)

    def __init__(self) -> None:
        self.strategy = importlib.import_module("sudoku.strategies").STRATEGIES["dynamic"]
        self.weights = np.ones((9, 9), dtype=np.int64)

    def solve(self, given: Grid) -> Any:
        return self.strategy(given, self.weights, max_covers=2)

    def read(self, found: Any) -> list[list[int]]:
        return [digits(found.completion)] * int(found.completions)

    def completions(self, given: Grid, limit: int, until: float) -> int:
        return int(self.strategy(given, self.weights, max_covers=limit).completions)


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


class CaDiCaL(OneByOne):
    """CaDiCaL by python-sat: one solver for all grids, which keeps what it has learnt; the givens are assumptions.

    That was nine times faster on minimal puzzles than a solver for each grid, and Glucose and MiniSat were no faster on
    any set in either way. A completion is forbidden by a clause that is switched off afterwards.
    """

    package = "python-sat"
    form = staticmethod(givens)

    def __init__(self) -> None:
        self.make = importlib.import_module("pysat.solvers").Cadical153
        self.solver = self.make(bootstrap_with=clauses())
        self.switch = 729

    def solve(self, given: list[int]) -> Any:
        return list(islice(self.each(given), 2))

    def each(self, given: list[int]) -> Iterator[list[int]]:
        self.switch += 1
        assumptions = [*given, self.switch]
        while self.solver.solve(assumptions=assumptions):
            true = [variable for variable in self.solver.get_model()[:729] if variable > 0]
            yield true
            self.solver.add_clause([-self.switch, *(-variable for variable in true)])
        self.solver.add_clause([-self.switch])

    def read(self, found: Any) -> list[list[int]]:
        return [of_variables(true) for true in found]


class CpSat(OneByOne):
    """OR-Tools CP-SAT with one worker: a copy of a model with `exactly one` for each cell and digit of a unit."""

    package = "ortools"
    form = staticmethod(givens)

    def __init__(self) -> None:
        self.cp = cp = importlib.import_module("ortools.sat.python.cp_model")
        self.model = cp.CpModel()
        self.variables = [self.model.new_bool_var("") for _ in range(729)]
        for nine in choices():
            self.model.add_exactly_one(self.variables[k - 1] for k in nine)

        class Found(cp.CpSolverSolutionCallback):  # type: ignore[misc, name-defined]
            """Keeps completions until there are enough, or the time is over."""

            def __init__(self, variables: list[Any], enough: int, until: float) -> None:
                super().__init__()
                self.variables, self.enough, self.until = variables, enough, until
                self.number, self.first = 0, []  # type: ignore[var-annotated]

            def on_solution_callback(self) -> None:
                if not self.number:
                    self.first = [k + 1 for k, variable in enumerate(self.variables) if self.value(variable)]
                self.number += 1
                if self.number == self.enough or (not self.number & 15 and time.process_time() >= self.until):
                    self.stop_search()

        self.callback = Found

    def search(self, given: list[int], enough: int, until: float) -> Any:
        """The callback, after so many completions."""
        model, solver = self.model.clone(), self.cp.CpSolver()
        model.add_bool_and(self.variables[k - 1] for k in given)
        solver.parameters.num_workers, solver.parameters.enumerate_all_solutions = 1, True
        found = self.callback(self.variables, enough, until)
        solver.solve(model, found)
        return found

    def solve(self, given: list[int]) -> Any:
        found = self.search(given, 2, np.inf)
        return found.first, found.number

    def read(self, found: Any) -> list[list[int]]:
        return [of_variables(found[0])] * int(found[1])

    def completions(self, given: list[int], limit: int, until: float) -> int:
        return int(self.search(given, limit, until).number)


class Z3(OneByOne):
    """Z3 on the same clauses, with its solver for finite domains; a grid is pushed and popped."""

    package = "z3-solver"
    form = staticmethod(givens)

    def __init__(self) -> None:
        self.z3 = z3 = importlib.import_module("z3")
        self.solver = z3.SolverFor("QF_FD")
        self.variables = [z3.Bool(str(k + 1)) for k in range(729)]
        for clause in clauses():
            self.solver.add(z3.Or([self.variables[k - 1] if k > 0 else z3.Not(self.variables[-k - 1]) for k in clause]))

    def solve(self, given: list[int]) -> Any:
        found: list[list[int]] = []
        self.solver.push()
        self.solver.add([self.variables[k - 1] for k in given])
        while len(found) < 2 and self.solver.check() == self.z3.sat:
            model = self.solver.model()
            true = [k for k in range(729) if self.z3.is_true(model[self.variables[k]])]
            self.solver.add(self.z3.Or([self.z3.Not(self.variables[k]) for k in true]))
            found.append([k + 1 for k in true])
        self.solver.pop()
        return found

    def read(self, found: Any) -> list[list[int]]:
        return [of_variables(true) for true in found]


class PythonConstraint(OneByOne):
    """python-constraint, with its `AllDifferentConstraint` for each unit."""

    package = "python-constraint"
    form = staticmethod(line)

    def __init__(self) -> None:
        self.constraint = importlib.import_module("constraint")
        units = (sorted({(k - 1) // 9 for k in nine}) for nine in choices())
        self.units = [unit for unit in units if len(unit) == 9][::9]  # each is there once for every digit

    def solve(self, given: str) -> Any:
        return list(islice(self.each(given), 2))

    def each(self, given: str) -> Iterator[Any]:
        problem = self.constraint.Problem()
        for cell, digit in enumerate(given):
            problem.addVariable(cell, [int(digit)] if digit != "0" else list(range(1, 10)))
        for unit in self.units:
            problem.addConstraint(self.constraint.AllDifferentConstraint(), unit)
        found: Iterator[Any] = problem.getSolutionIter()
        return found

    def read(self, found: Any) -> list[list[int]]:
        return [[one[cell] for cell in range(81)] for one in found]


class SudokuRust(OneByOne):
    """sudoku-rust, from an array."""

    package = "sudoku-rust"
    form = staticmethod(lambda grid: grid.reshape(9, 9).astype(np.uint16))

    def __init__(self) -> None:
        self.find = importlib.import_module("sudoku_rust").solve

    def solve(self, given: Any) -> Any:
        return self.find(given)


class Sudokutools(OneByOne):
    """sudokutools by its exact cover on dictionaries."""

    package = "sudokutools"
    form = staticmethod(line)

    def __init__(self) -> None:
        self.decode = importlib.import_module("sudokutools.sudoku").Sudoku.decode
        self.dlx = importlib.import_module("sudokutools.solve").dlx

    def solve(self, given: str) -> Any:
        return list(islice(self.each(given), 2))

    def each(self, given: str) -> Iterator[Any]:
        found: Iterator[Any] = self.dlx(self.decode(given))
        return found

    def read(self, found: Any) -> list[list[int]]:
        return [digits(one.encode()) for one in found]


class SudokuPy(OneByOne):
    """sudoku-py, which can be asked for two completions."""

    package = "sudoku-py"

    def __init__(self) -> None:
        self.make = importlib.import_module("sudoku_py").Sudoku

    def solve(self, given: list[list[int]]) -> Any:
        puzzle = self.make([list(row) for row in given])
        puzzle.solve(solutions=2)
        return puzzle.solutions

    def read(self, found: Any) -> list[list[int]]:
        return [digits(one) for one in found]


class Dokusan(OneByOne):
    """dokusan by its backtracking with singles."""

    package = "dokusan"

    def __init__(self) -> None:
        boards = importlib.import_module("dokusan.boards")
        self.make, self.box = boards.Sudoku.from_list, boards.BoxSize(3, 3)
        self.backtrack = importlib.import_module("dokusan.solvers").backtrack

    def solve(self, given: list[list[int]]) -> Any:
        return self.backtrack(self.make(given, box_size=self.box))

    def read(self, found: Any) -> list[list[int]]:
        return [digits(str(found))]


class DlxSudoku(OneByOne):
    """dlxsudoku: singles, and then dancing links in Python."""

    package = "dlxsudoku"
    form = staticmethod(line)

    def __init__(self) -> None:
        self.make = importlib.import_module("dlxsudoku").Sudoku

    def solve(self, given: str) -> Any:
        puzzle = self.make(given)
        puzzle.solve()
        return puzzle

    def read(self, found: Any) -> list[list[int]]:
        return [digits(found.to_oneliner())]


class PySudoku(OneByOne):
    """py-sudoku, whose module is named sudoku, too."""

    package = "py-sudoku"

    def __init__(self) -> None:
        self.make = importlib.import_module("sudoku").Sudoku

    def solve(self, given: list[list[int]]) -> Any:
        return self.make(3, 3, board=given).solve().board


class SudokuSolver(OneByOne):
    """sudoku-solver: preprocessors, singles and backtracking on a text."""

    package = "sudoku-solver"
    form = staticmethod(lambda grid: line(grid).replace("0", "."))

    def __init__(self) -> None:
        self.make = importlib.import_module("sudokulib.solver").SudokuSolver
        self.grid = importlib.import_module("sudokulib.grid").StringGrid

    def solve(self, given: str) -> Any:
        solver = self.make(given, grid_class=self.grid)
        solver.run()
        return solver.grid.layer.table

    def read(self, found: Any) -> list[list[int]]:
        return [digits("".join(found).replace("X", "0"))]


# All

SIDES: dict[str, Callable[[], Any]] = {
    "count_many": lambda: Bands(2),
    "solve_many": lambda: Bands(1),
    "count_many, a grid a call": ACall,
    "exact cover": ExactCover,
    "cells": Cells,
    "CaDiCaL": CaDiCaL,
    "CP-SAT": CpSat,
    "z3-solver": Z3,
    "sudoku-rust": SudokuRust,
    "sudokutools": Sudokutools,
    "python-constraint": PythonConstraint,
    "dokusan": Dokusan,
    "dlxsudoku": DlxSudoku,
    "py-sudoku": PySudoku,
    "sudoku-py": SudokuPy,
    "sudoku-solver": SudokuSolver,
}
# These find a completion, and do not ask for another one.
FIRST_ONLY = ("solve_many", "sudoku-rust", "dokusan", "dlxsudoku", "py-sudoku", "sudoku-solver")
# These count completions of open grids.
COUNTING = ("count_many", "exact cover", "cells", "CaDiCaL", "CP-SAT", "sudokutools", "python-constraint")


def main() -> None:
    """Does the task on standard input, after a first grid that is not measured."""
    side, seconds, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    sys.path.insert(0, folder)
    signal.signal(signal.SIGPROF, late)
    task = pickle.load(sys.stdin.buffer)
    solver = SIDES[side]()
    solver.run(task["example"][None], 60.0 if isinstance(solver, OneByOne) else 0.0)
    limit = task["limit"]
    result = solver.open(task["grids"], seconds, limit) if limit else solver.run(task["grids"], seconds)
    print(json.dumps({**result, "version": solver.package and version(solver.package)}), flush=True)


if __name__ == "__main__":
    main()
