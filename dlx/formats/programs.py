"""MPS and LP, the files of integer programs, read and written by HiGHS (extra `mip`).

An exact-cover problem is an integer program whose columns are 0 or 1, and whose coefficients are all 1:

    columns    options
    rows       items: `= 1` primary, `<= 1` secondary, other sums an item with multiplicities
    objective  weights, to be minimised: `best(problem, "min")`

The columns of an LP file are ordered by their first appearance, so that reading may change the order of options.
`dlx.formats.linear` makes the program of a problem, and `dlx.formats.constraints` the problem of a program.

HiGHS runs in a process of its own, which executes this file as a script. The reasons: HiGHS prints its version to
standard output, does not finish reading some damaged files, and cannot be loaded beside OR-Tools.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dlx.formats.constraints import EXACT, problem_of
from dlx.formats.errors import FormatError, FormatWarning, Place, refusal
from dlx.formats.linear import IntegerProgram, linear, words
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem

PATIENCE = 60.0  # seconds for HiGHS to read a file; it does not finish some damaged files
COMMENTS = {".mps": "*", ".lp": "\\"}  # how a comment begins
# HiGHS's messages: `ERROR: reason`, or `WARNING: reason: ignored`; in LP files the next line has `path:line:column`.
FAULT = re.compile(r"^(?:ERROR|WARNING): +(?P<reason>.*)(?:\n +--> .*:(?P<line>\d+):\d+)?", re.MULTILINE)


class ProgramFormat:
    """One of the two formats of integer programs, "mps" or "lp"."""

    def __init__(self, name: str) -> None:
        self.name = name

    def loads(self, data: str | bytes, file: str = "<string>") -> Problem:
        """Reads a problem from a text.

        Weights are int64 if all costs are whole, else float64; None if all costs are 0. If the objective is to be
        maximised, the weights change their signs, with a FormatWarning. Columns that are fixed are chosen or left out.

        Raises:
            FormatError: HiGHS cannot read the text, or the program is no exact-cover problem; the message names the
                row and the column.
            ImportError: highspy is not installed.
        """
        with Place(file):
            text = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
            problem: Problem = _in_highs(read, self.name, text, file)
            return problem

    def dumps(self, problem: Problem) -> bytes:
        """Writes a problem; comments explain numbers that stand for names.

        Raises:
            FormatError: a whole weight is 2^53 or more, and HiGHS would round it.
            ImportError: highspy is not installed.
        """
        weights = problem.weights
        if weights is not None and weights.dtype.kind == "i" and (large := weights[np.abs(weights) >= EXACT]).size:
            raise refusal(f"HiGHS would round the weight {large[0]}: it keeps whole numbers below 2^53")
        with Place("<problem>"):
            text: bytes = _in_highs(write, self.name, problem)
            return text


mps, lp = ProgramFormat("mps"), ProgramFormat("lp")


def _in_highs(work: Callable[..., object], name: str, *given: object) -> Any:
    """Calls `read` or `write` in a new process, with a path in a temporary folder."""
    if find_spec("highspy") is None:
        raise ImportError("MPS and LP files need highspy, which is not installed: pip install highspy", name="highspy")
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    limit = PATIENCE if work is read else None
    with TemporaryDirectory() as folder:
        path = Path(folder, f"program.{name}")
        command = [sys.executable, "-P", __file__, str(path)]
        call = pickle.dumps((work, given))
        try:
            subprocess.run(command, input=call, capture_output=True, timeout=limit, check=True, env=environ)
        except subprocess.TimeoutExpired:
            raise ProblemError(f"HiGHS has not read this in {PATIENCE:.0f} seconds; a line is damaged") from None
        except subprocess.CalledProcessError as error:
            last = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise ProblemError(f"HiGHS has failed with status {error.returncode}: {last[:200]}") from None
        result, messages = pickle.loads(Path(f"{path}.answer").read_bytes())
    for message in messages:
        warnings.warn(message, FormatWarning, stacklevel=3)
    if isinstance(result, FormatError):
        raise result
    return result


# In the process of HiGHS


def read(path: str, text: bytes, file: str) -> Problem:
    """Returns the problem in a text; errors name `file`, not the temporary file."""
    import highspy

    Path(path).write_bytes(text)
    solver = _solver(path)
    with Place(file) as place:
        is_read = solver.readModel(path) != highspy.HighsStatus.kError
        found = FAULT.finditer(Path(f"{path}.log").read_text(errors="replace"))
        faults = [fault for fault in found if not is_read or "ignored" in fault["reason"]]
        named = [fault for fault in faults if '"' in fault["reason"]]  # those that name a row or a column
        for fault in (named or faults)[:1]:
            place.line = int(fault["line"]) if fault["line"] else None
            raise ProblemError(fault["reason"].replace(path, f"the {Path(path).suffix[1:].upper()} file"))
        if not is_read:
            raise ProblemError("HiGHS cannot read this")
        solver.ensureColwise()
        return problem_of(solver.getModel(), file)


def write(path: str, problem: Problem) -> bytes:
    """Returns the text of a problem."""
    program = linear(problem)
    made = model(program)
    made.row_names_, made.col_names_, legend = words(program)
    solver = _solver(path)
    solver.passModel(made)
    solver.writeModel(path)
    comments = "".join(f"{COMMENTS[Path(path).suffix]} {line}\n" for line in legend)
    return comments.encode() + Path(path).read_bytes()


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
    """Returns a solver that writes its messages to the file `path` + ".log"."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("log_to_console", False)
    solver.setOptionValue("log_file", f"{path}.log")
    return solver


if __name__ == "__main__":
    work, given = pickle.load(sys.stdin.buffer)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = work(sys.argv[1], *given)
        except FormatError as error:
            result = error
    with open(f"{sys.argv[1]}.answer", "wb") as answer:
        messages = [str(warning.message) for warning in caught if warning.category is FormatWarning]
        pickle.dump((result, messages), answer)
