"""Problems as integer programs of HiGHS, read and written; `dlx.formats.programs` executes this file as a script."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatError, Place
from dlx.problem.checks import MAX_MULTIPLICITY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT, owners, ranges

EXACT = 2**53  # whole weights below this number are exact in HiGHS, which uses floating-point numbers
# HiGHS's messages: `ERROR: reason`, or `WARNING: reason: ignored`; in LP files the next line has `path:line:column`.
FAULT = re.compile(r"^(?:ERROR|WARNING): +(?P<reason>.*)(?:\n +--> .*:(?P<line>\d+):\d+)?", re.MULTILINE)


def read(path: str, file: str) -> tuple[Problem, bool]:
    """Returns the problem in a file, and whether its objective is maximised.

    Raises a FormatError with the name `file` if HiGHS cannot read it, or the program is no exact-cover problem.
    """
    import highspy

    solver = _solver(path)
    with Place(file) as place:
        is_read = solver.readModel(path) != highspy.HighsStatus.kError
        faults = [*FAULT.finditer(Path(f"{path}.log").read_text(errors="replace"))]
        faults = [fault for fault in faults if not is_read or "ignored" in fault["reason"]]
        faults.sort(key=lambda fault: '"' not in fault["reason"])  # a message with the name of a row or column is best
        for fault in faults[:1]:
            place.line = int(fault["line"]) if fault["line"] else None
            raise ProblemError(fault["reason"].replace(path, f"the {Path(path).suffix[1:].upper()} file"))
        if not is_read:
            raise ProblemError("HiGHS cannot read this")
        solver.ensureColwise()
        program = solver.getModel()
        if program.hessian_.dim_:
            raise ProblemError("the objective has products of columns; only sums can be weights")
        return _problem_of(program.lp_), program.lp_.sense_ == highspy.ObjSense.kMaximize


def write(path: str, problem: Problem, costs: Any, rows: list[str], columns: list[str]) -> bytes:
    """Returns the text of the integer program of a problem."""
    solver, program = _solver(path), model(problem, costs)
    program.row_names_, program.col_names_ = rows, columns
    solver.passModel(program)
    solver.writeModel(path)
    return Path(path).read_bytes()


def model(problem: Problem, costs: Any) -> Any:
    """Returns a problem without colours as a `HighsLp`: columns are options, rows are items."""
    import highspy

    primary = np.bincount(owners(problem.indptr), problem.indices < problem.n_primary, problem.n_options)
    roles = np.where(primary == 0, LEFT_OUT, FREE if problem.roles is None else problem.roles)
    least, most = ranges(problem.n_items, problem.n_primary, problem.multiplicities).T.astype(float)
    least[problem.n_primary :] = -np.inf
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = problem.n_options, problem.n_items
    lp.col_cost_ = np.asarray(costs, dtype=float)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * problem.n_options
    lp.col_lower_, lp.col_upper_ = (roles == CHOSEN).astype(float), (roles != LEFT_OUT).astype(float)
    lp.row_lower_, lp.row_upper_ = least, most
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = problem.indptr, problem.indices
    lp.a_matrix_.value_ = np.ones(len(problem.indices))
    return lp


def _solver(path: str) -> Any:
    """Returns a solver that writes its messages to the file `path` + ".log"."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("log_to_console", False)
    solver.setOptionValue("log_file", f"{path}.log")
    return solver


def _problem_of(lp: Any) -> Problem:
    """Returns the exact-cover problem of a `HighsLp`; raises ProblemError if it is no exact-cover problem."""
    starts, rows = np.array(lp.a_matrix_.start_, dtype=np.int64), np.array(lp.a_matrix_.index_, dtype=np.int64)
    names, columns = lp.row_names_, owners(starts)  # the column of each entry
    roles = _roles(lp, columns, rows)
    least, most = _row_limits(lp, rows)
    weights = _weights(lp, columns[np.isin(rows, np.flatnonzero((least == 1) & (most == 1))[:1])])
    # A row that allows at most one column and has no lower bound is a secondary item. Only options with a primary item
    # can be in a cover. So if a column has only such rows, its first row becomes a primary item with 0 or 1 options.
    primary = (least > 0) | (most > 1) | np.isfinite(lp.row_lower_)
    covered = np.bincount(columns, primary[rows], len(roles)) > 0
    primary[rows[starts[:-1][~covered & (roles != LEFT_OUT)]]] = True
    order = np.argsort(~primary, kind="stable")
    limits = np.array([least, most], dtype=np.int32).T[order[: int(primary.sum())]]
    return Problem(
        tuple(names[row] for row in order.tolist()),
        len(limits),
        starts,  # type: ignore[arg-type]
        np.argsort(order)[rows],  # type: ignore[arg-type]
        weights,
        tuple(lp.col_names_),
        multiplicities=None if (limits == 1).all() else limits,
        roles=roles if (roles != FREE).any() else None,
    )


def _roles(lp: Any, columns: Any, rows: Any) -> npt.NDArray[np.int8]:
    """Returns the role of each column; raises ProblemError for an invalid entry or column."""
    import highspy

    names, values = lp.col_names_, np.array(lp.a_matrix_.value_)
    if not names:
        raise ProblemError("the program has no columns")
    for k in np.flatnonzero(values != 1)[:1]:
        where = f"of the column {names[columns[k]]!r} in the row {lp.row_names_[rows[k]]!r}"
        raise ProblemError(f"the coefficient {where} is {values[k]:g} instead of 1")
    low, high = np.array(lp.col_lower_), np.array(lp.col_upper_)
    least, greatest = np.ceil(low), np.floor(high)
    is_whole = [kind == highspy.HighsVarType.kInteger for kind in lp.integrality_] or [False] * len(names)
    is_bounded = np.bincount(columns, np.array(lp.row_upper_)[rows] < 2, len(names)) > 0  # bounded by a row
    is_binary = (least >= 0) & (least <= np.minimum(greatest, 1)) & ((greatest <= 1) | is_bounded)
    _refuse("column", names, np.logical_not(is_whole), "is continuous; declare it as binary")
    _refuse("column", names, np.bincount(columns, minlength=len(names)) == 0, "is in no row")
    _refuse("column", names, ~is_binary, "may be from {:g} to {:g}; declare it as binary", low, high)
    return np.select([greatest == 0, least == 1], [LEFT_OUT, CHOSEN], FREE).astype(np.int8)


def _row_limits(lp: Any, rows: Any) -> npt.NDArray[np.float64]:
    """Returns the least and the largest number of columns with the value 1 in each row."""
    high = np.array(lp.row_upper_)
    sizes = np.bincount(rows, minlength=len(high))
    least = np.ceil(np.maximum(lp.row_lower_, 0))
    most = np.where(high == np.inf, np.maximum(np.maximum(sizes, least), 1), np.floor(high))
    wrong = (most < 1) | (least > most) | (most > MAX_MULTIPLICITY)
    rule = f"the most must be from 1 to {MAX_MULTIPLICITY}, and no less than the least"
    _refuse("row", lp.row_names_, wrong, f"allows {{:.0f}} to {{:.0f}} of its columns; {rule}", least, most)
    return np.array([least, most])


def _refuse(kind: str, names: Sequence[str], wrong: Any, reason: str, *facts: Any) -> None:
    """Raises a ProblemError with the name of the first wrong row or column, the reason and its facts."""
    for k in np.flatnonzero(wrong)[:1]:
        raise ProblemError(f"the {kind} {names[k]!r} {reason.format(*(fact[k] for fact in facts))}")


def _weights(lp: Any, columns: Any) -> npt.NDArray[Any] | None:
    """Returns the weights of the options. The constant is added to `columns`, the columns of a row `= 1`."""
    costs, constant = np.array(lp.col_cost_), lp.offset_
    _refuse("column", lp.col_names_, np.isinf(costs), "costs {:g}; HiGHS reads 1e20 and more as infinite", costs)
    if constant and not len(columns):
        raise ProblemError(f"the objective has the constant {constant:g}, and no row is a sum = 1; add it to the score")
    if (costs[columns] + constant - constant != costs[columns]).any():
        raise ProblemError(f"the objective has the constant {constant:g}, with which costs would be rounded: omit it")
    costs[columns] += constant
    if not costs.any():
        return None
    is_whole = (costs == np.rint(costs)).all() and (np.abs(costs) < EXACT).all()
    return costs.astype(np.int64) if is_whole else costs


if __name__ == "__main__":
    work, given = pickle.load(sys.stdin.buffer)
    try:
        answer = work(sys.argv[1], *given)
    except FormatError as error:
        answer = error
    Path(f"{sys.argv[1]}.answer").write_bytes(pickle.dumps(answer))
