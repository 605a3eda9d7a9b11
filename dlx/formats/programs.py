"""MPS and LP, the files of integer programs, read and written by HiGHS (extra `mip`).

An exact-cover problem is an integer program whose columns are 0 or 1, and whose coefficients are all 1:

    columns    options
    rows       items: `= 1` primary, `<= 1` secondary, other sums an item with multiplicities
    objective  weights, to be minimised: `best(problem, "min")`

The columns of an LP file are ordered by their first appearance, so that reading may change the order of options.
`dlx.formats.linear` makes the program of a problem. HiGHS runs in a process of its own, since it prints its version to
standard output, and since a fault in a parser must not end this process.
"""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np

from dlx.formats.constraints import EXACT, problem_of
from dlx.formats.errors import FormatError, Place, refusal
from dlx.formats.linear import linear, words
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem

Names = tuple[list[str], list[str], list[str]]

PATIENCE, PACE = 30.0, 1e5  # HiGHS may take 30 seconds, and a second more for each 100,000 bytes of a file
# HiGHS's messages: `ERROR: reason`, or `WARNING: reason: ignored`; in LP files the next line has `path:line:column`.
FAULT = re.compile(r"^(?:ERROR|WARNING): +(?P<reason>.*)(?:\n +--> .*:(?P<line>\d+):\d+)?", re.MULTILINE)
PROGRAM = """
import pickle, sys
sys.path[:] = pickle.load(sys.stdin.buffer)
from dlx.formats.programs import _answer
with open(sys.argv[1], "wb") as answer:
    pickle.dump(_answer(*pickle.load(sys.stdin.buffer)), answer)
"""


class ProgramFormat:
    """One of the two formats of integer programs.

    Parameters:
        name: "mps" or "lp".
        comment: the beginning of a comment line.
    """

    def __init__(self, name: str, comment: str) -> None:
        self.name, self._comment = name, comment

    def loads(self, data: str | bytes, file: str = "<string>") -> Problem:
        """Reads a problem from a text.

        Weights are int64 if all costs are whole, else float64; None if all costs are 0. If the objective is to be
        maximised, the weights change their signs, with a FormatWarning. Columns that are fixed are chosen or left out.

        Raises:
            FormatError: HiGHS cannot read the text, or the program is no exact-cover problem; the message names the
                row and the column.
            ImportError: highspy is not installed.
        """
        with Place(file), TemporaryDirectory() as folder:
            path = Path(folder, f"program.{self.name}")
            path.write_bytes(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data)
            problem: Problem = _in_highs(PATIENCE + len(data) / PACE, _read, str(path), file)
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
        program = linear(problem)
        names = [words(program, plain) for plain in (False, True)]
        items, colours = (tuple(range(len(known))) for known in (problem.items, problem.colour_names))
        bare = replace(problem, items=items, names=None, colour_names=colours)  # names may be of types unknown there
        with Place("<problem>"), TemporaryDirectory() as folder:
            path = Path(folder, f"program.{self.name}")
            legend = _in_highs(None, _write, str(path), bare, names)
            text = path.read_bytes()
        return "".join(f"{self._comment} {line}\n" for line in legend).encode() + text


mps = ProgramFormat("mps", "*")
lp = ProgramFormat("lp", "\\")


def _in_highs(seconds: float | None, work: Callable[..., Any], path: str, *given: object) -> Any:
    """Calls `_read` or `_write` in a process of its own, with its warnings and errors here.

    HiGHS 1.16 reads some damaged files for ever, so it has a limit of some seconds.
    """
    if find_spec("highspy") is None:
        raise ImportError("MPS and LP files take highspy: pip install 'dancing-cover[mip]'", name="highspy")
    answer = Path(f"{path}.answer")
    message = pickle.dumps(sys.path) + pickle.dumps((work, path, *given))
    command = [sys.executable, "-c", PROGRAM, str(answer)]
    try:
        subprocess.run(command, input=message, capture_output=True, timeout=seconds, check=True)
    except subprocess.TimeoutExpired:
        raise ProblemError(f"HiGHS has not read this in {seconds:.0f} seconds; a line is damaged") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ProblemError(f"HiGHS has failed with status {error.returncode}: {said[:200]}") from None
    result, warned = pickle.loads(answer.read_bytes())
    for warning in warned:
        warnings.warn(warning, stacklevel=4)
    if isinstance(result, Exception):
        raise result
    return result


# In the process of HiGHS


def _answer(work: Callable[..., Any], *given: Any) -> tuple[Any, list[Warning]]:
    """Returns the result of `_read` or `_write`, or its error, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = work(*given)
        except (FormatError, ProblemError, OverflowError) as error:
            result = error
    return result, [warning.message for warning in caught]  # type: ignore[misc]


def _solver(path: str) -> Any:
    """Returns a solver whose messages about a file go to another one beside it."""
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("log_to_console", False)
    solver.setOptionValue("log_file", f"{path}.log")
    return solver


def _model(path: str) -> Any:
    """Returns the program in a file, a `HighsModel`; None if HiGHS cannot read it."""
    import highspy

    solver = _solver(path)
    if solver.readModel(path) == highspy.HighsStatus.kError:
        return None
    solver.ensureColwise()
    return solver.getModel()


def _read(path: str, file: str) -> Problem:
    """Returns the problem in a file; raises FormatError, with the first fault that HiGHS tells of, or ProblemError."""
    model, log, name = _model(path), Path(f"{path}.log"), Path(path).suffix[1:].upper()
    told = FAULT.finditer(log.read_text(errors="replace") if log.exists() else "")
    faults = [fault for fault in told if model is None or "ignored" in fault["reason"]]
    for fault in sorted(faults, key=lambda fault: '"' not in fault["reason"])[:1]:  # with a name, if there is one
        line = None if fault["line"] is None else int(fault["line"])
        raise FormatError(file, line, fault["reason"].replace(path, f"the {name} file"))
    if model is None:
        raise FormatError(file, None, f"HiGHS cannot read this as {name}")
    return problem_of(model, file)


def _write(path: str, problem: Problem, names: list[Names]) -> list[str]:
    """Writes the program of a problem with the first names that HiGHS reads back, else the last; returns their legend.

    Parameters:
        path: the file to write.
        problem: what to write.
        names: rows, columns and a legend, one or several times.
    """
    highs = model(problem, "min")
    low, high = np.array(highs.row_lower_), np.array(highs.row_upper_)
    low[[row.item >= problem.n_primary for row in linear(problem).rows]] = -np.inf
    highs.row_lower_ = low
    is_range = np.isfinite(low) & (low < high) & path.endswith(".lp")  # for which LP files have two rows
    for rows, columns, legend in names:
        highs.row_names_, highs.col_names_ = rows, columns
        solver = _solver(path)
        solver.passModel(highs)
        solver.writeModel(path)
        again = _model(path)
        split = [row + end for row, two in zip(rows, is_range, strict=True) for end in (("lo", "up") if two else ("",))]
        if again is not None and {*again.lp_.row_names_, *again.lp_.col_names_} == {*columns, *split}:
            return legend
    return names[-1][2]


def model(problem: Problem, sense: Literal["max", "min"]) -> Any:
    """Returns the integer program of a problem as HiGHS takes it, a `HighsLp`; its first columns are the options."""
    import highspy

    program = linear(problem)
    more, rows = program.columns - problem.n_options, program.rows
    weights = np.zeros(problem.n_options) if problem.weights is None else problem.weights.astype(float)
    fixed = np.append(np.array(program.fixed, dtype=int), np.full(more, -1))
    made = highspy.HighsLp()
    made.num_col_, made.num_row_ = program.columns, len(rows)
    made.sense_ = highspy.ObjSense.kMaximize if sense == "max" else highspy.ObjSense.kMinimize
    made.col_cost_ = np.append(weights, np.zeros(more))
    made.col_lower_, made.col_upper_ = (fixed > 0).astype(float), (fixed != 0).astype(float)
    made.integrality_ = [highspy.HighsVarType.kInteger] * program.columns
    made.row_lower_, made.row_upper_ = (np.array([row[end] for row in rows], dtype=float) for end in (2, 3))
    made.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    made.a_matrix_.start_ = np.cumsum([0, *(len(row.columns) for row in rows)])
    made.a_matrix_.index_ = np.array([column for row in rows for column in row.columns], dtype=np.int32)
    made.a_matrix_.value_ = np.ones(len(made.a_matrix_.index_))
    return made
