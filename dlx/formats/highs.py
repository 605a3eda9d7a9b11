"""MPS and LP files by HiGHS: `dlx.formats.programs` runs this as a script.

HiGHS has a process of its own, since it prints its version to standard output, reads some damaged files for ever, and
cannot be loaded beside OR-Tools.
"""

from __future__ import annotations

import pickle
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np

from dlx.formats.linear import IntegerProgram


def model(program: IntegerProgram) -> Any:
    """Returns a program as a `HighsLp`."""
    import highspy

    problem, rows = program.problem, program.rows
    costs, fixed = np.zeros(program.columns), np.full(program.columns, -1)
    costs[: problem.n_options] = 0 if problem.weights is None else problem.weights
    fixed[: problem.n_options] = program.fixed
    made = highspy.HighsLp()
    made.num_col_, made.num_row_ = program.columns, len(rows)
    made.col_cost_ = costs
    made.col_lower_, made.col_upper_ = (fixed == 1).astype(float), (fixed != 0).astype(float)
    made.integrality_ = [highspy.HighsVarType.kInteger] * program.columns
    made.row_lower_ = np.array([-np.inf if row.item >= problem.n_primary else row.least for row in rows], dtype=float)
    made.row_upper_ = np.array([row.most for row in rows], dtype=float)
    made.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    made.a_matrix_.start_ = np.cumsum([0, *(len(row.columns) for row in rows)])
    made.a_matrix_.index_ = np.array([column for row in rows for column in row.columns], dtype=np.int32)
    made.a_matrix_.value_ = np.ones(len(made.a_matrix_.index_))
    return made


def _solver(path: str) -> Any:
    """Returns a solver whose messages about a file go to another one beside it."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("log_to_console", False)
    solver.setOptionValue("log_file", f"{path}.log")
    return solver


def read(path: str) -> SimpleNamespace | None:
    """Returns the program in a file, with its entries column by column; None if HiGHS cannot read it."""
    import highspy

    solver = _solver(path)
    if solver.readModel(path) == highspy.HighsStatus.kError:
        return None
    solver.ensureColwise()
    whole = solver.getModel()
    lp, matrix = whole.lp_, whole.lp_.a_matrix_
    kinds = lp.integrality_ or [highspy.HighsVarType.kContinuous] * lp.num_col_
    return SimpleNamespace(
        row_names=list(lp.row_names_),
        column_names=list(lp.col_names_),
        maximise=lp.sense_ == highspy.ObjSense.kMaximize,
        products=whole.hessian_.dim_ > 0,
        constant=lp.offset_,
        costs=np.array(lp.col_cost_, dtype=float),
        low=np.array(lp.col_lower_, dtype=float),
        high=np.array(lp.col_upper_, dtype=float),
        integer=np.array([kind == highspy.HighsVarType.kInteger for kind in kinds], dtype=bool),
        row_low=np.array(lp.row_lower_, dtype=float),
        row_high=np.array(lp.row_upper_, dtype=float),
        starts=np.array(matrix.start_, dtype=np.int64),
        rows=np.array(matrix.index_, dtype=np.int64),
        values=np.array(matrix.value_, dtype=float),
    )


def write(path: str, program: IntegerProgram, row_names: list[str], column_names: list[str]) -> None:
    """Writes a program to a file."""
    solver = _solver(path)
    made = model(program)
    made.row_names_, made.col_names_ = row_names, column_names
    solver.passModel(made)
    solver.writeModel(path)


if __name__ == "__main__":
    work, given = pickle.load(sys.stdin.buffer)
    with open(sys.argv[1], "wb") as answer:
        pickle.dump((read if work == "read" else write)(*given), answer)
