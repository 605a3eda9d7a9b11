"""Integer programs as HiGHS reads and writes them; this file is executed as a script by `dlx.formats.programs`."""

from __future__ import annotations

import pickle
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT, owners, ranges

# HiGHS's messages: `ERROR: reason`, or `WARNING: reason: ignored`; in LP files the next line has `path:line:column`.
FAULT = re.compile(r"^(?:ERROR|WARNING): +(?P<reason>.*)(?:\n +--> .*:(?P<line>\d+):\d+)?", re.MULTILINE)


def read(path: str) -> dict[str, Any]:
    """Returns the integer program in a file, column by column, or the `fault` of the file and its `line`."""
    import highspy

    solver = _solver(path)
    is_read = solver.readModel(path) != highspy.HighsStatus.kError
    faults = [*FAULT.finditer(Path(f"{path}.log").read_text(errors="replace"))]
    faults = [fault for fault in faults if not is_read or "ignored" in fault["reason"]]
    for fault in sorted(faults, key=lambda fault: '"' not in fault["reason"]):  # the name of a row or a column is best
        reason = fault["reason"].replace(path, f"the {Path(path).suffix[1:].upper()} file")
        return {"fault": reason, "line": int(fault["line"]) if fault["line"] else None}
    if not is_read:
        return {"fault": "HiGHS cannot read this", "line": None}
    solver.ensureColwise()
    model = solver.getModel()
    lp = model.lp_
    whole = [kind == highspy.HighsVarType.kInteger for kind in lp.integrality_]
    return {
        "rows": list(lp.row_names_),
        "row_limits": np.array([lp.row_lower_, lp.row_upper_]),
        "columns": list(lp.col_names_),
        "column_limits": np.array([lp.col_lower_, lp.col_upper_]),
        "whole": np.array(whole or [False] * lp.num_col_, dtype=bool),
        "starts": np.array(lp.a_matrix_.start_, dtype=np.int64),
        "indices": np.array(lp.a_matrix_.index_, dtype=np.int64),
        "values": np.array(lp.a_matrix_.value_),
        "costs": np.array(lp.col_cost_),
        "offset": lp.offset_,
        "maximised": lp.sense_ == highspy.ObjSense.kMaximize,
        "products": model.hessian_.dim_ > 0,
    }


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
    lp.col_cost_, lp.integrality_ = np.asarray(costs, dtype=float), [highspy.HighsVarType.kInteger] * problem.n_options
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


if __name__ == "__main__":
    work, given = pickle.load(sys.stdin.buffer)
    Path(f"{sys.argv[1]}.answer").write_bytes(pickle.dumps(work(sys.argv[1], *given)))
