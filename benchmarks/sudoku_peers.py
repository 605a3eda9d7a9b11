"""The solvers of sudoku that the package index has, each as it is best called; `sudoku_sides.py` runs them.

What a class imports it imports when it is made, since only one of them is there in a process.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product
from typing import Any

import numpy as np
from one_by_one import Grid, OneByOne, digits, line


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
