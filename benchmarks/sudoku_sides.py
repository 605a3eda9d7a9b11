"""Completes sudokus by one solver, in a process of its own, as many as it does in some seconds, and prints them.

    python benchmarks/sudoku_sides.py SIDE SECONDS FOLDER < task.pickle

The task is a dictionary of plain numbers and numpy arrays (see `bench_sudoku.py`); FOLDER is looked in first for
modules, since there are packages whose module is named sudoku, too. What is printed is a line of JSON. Seconds are of
processor time, without making the lists or lines of digits that a solver wants to be given, and without whatever it can
make for all grids beforehand, such as clauses.
"""

from __future__ import annotations

import importlib
import json
import pickle
import signal
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np
from one_by_one import Grid, Grids, OneByOne, digits, late, line, square
from sudoku_peers import (
    Z3,
    CaDiCaL,
    CpSat,
    DlxSudoku,
    Dokusan,
    PySudoku,
    PythonConstraint,
    SudokuPy,
    SudokuRust,
    SudokuSolver,
    Sudokutools,
)


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
