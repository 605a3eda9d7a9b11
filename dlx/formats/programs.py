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
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatError, FormatWarning, Place, refusal
from dlx.formats.linear import linear, words
from dlx.problem.checks import MAX_MULTIPLICITY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT

Names = tuple[list[str], list[str], list[str]]
Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

PATIENCE, PACE = 30.0, 1e5  # HiGHS may take 30 seconds, and a second more for each 100,000 bytes of a file
EXACT = 2**53  # whole weights below this are exact as floating-point numbers, which HiGHS calculates with
# HiGHS's messages: `ERROR: reason`, or `WARNING: reason: ignored`; in LP files the next line has `path:line:column`.
FAULT = re.compile(r"^(?:ERROR|WARNING): +(?P<reason>.*)(?:\n +--> .*:(?P<line>\d+):\d+)?", re.MULTILINE)
PROGRAM = """
import pickle, sys
path, work, given = sys.argv[1], *pickle.load(sys.stdin.buffer)
sys.path[:] = given[0]
from dlx.formats import programs
with open(path, "wb") as answer:
    pickle.dump(getattr(programs, work)(*given[1:]), answer)
"""


class Table(NamedTuple):
    """An integer program, as HiGHS has read it."""

    minimised: bool
    offset: float  # the constant in the objective
    is_quadratic: bool  # whether the objective has products of columns
    costs: Floats  # of the columns, in the objective
    low: Floats  # of the columns
    high: Floats
    whole: npt.NDArray[np.bool_]  # which columns are integer
    least: Floats  # of the rows
    most: Floats
    starts: npt.NDArray[np.int64]  # of each column in `entries` and `values`
    entries: npt.NDArray[np.int32]  # rows
    values: Floats  # coefficients
    columns: list[str]  # names
    rows: list[str]


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
            table, log = _in_highs(folder, PATIENCE + len(data) / PACE, _read, str(path))
        faults = [fault for fault in FAULT.finditer(log) if table is None or "ignored" in fault["reason"]]
        for fault in sorted(faults, key=lambda fault: '"' not in fault["reason"])[:1]:  # with a name, if there is one
            line = None if fault["line"] is None else int(fault["line"])
            raise FormatError(file, line, fault["reason"].replace(str(path), f"the {self.name.upper()} file"))
        if table is None:
            raise FormatError(file, None, f"HiGHS cannot read this as {self.name.upper()}")
        with Place(file):
            return _problem(table, file)

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
            legend, _ = _in_highs(folder, None, _write, bare, names, str(path))
            text = path.read_bytes()
        return "".join(f"{self._comment} {line}\n" for line in legend).encode() + text


mps = ProgramFormat("mps", "*")
lp = ProgramFormat("lp", "\\")


def _in_highs(folder: str, seconds: float | None, work: Callable[..., Any], *given: object) -> Any:
    """Calls one of the functions below in a process of its own, with HiGHS's messages in a file of the folder.

    HiGHS 1.16 reads some damaged files for ever, so it has a limit of some seconds.
    """
    if find_spec("highspy") is None:
        raise ImportError("MPS and LP files take highspy: pip install 'dancing-cover[mip]'", name="highspy")
    answer, log = Path(folder, "answer"), Path(folder, "log")
    message = pickle.dumps((work.__name__, (sys.path, str(log), *given)))
    command = [sys.executable, "-c", PROGRAM, str(answer)]
    try:
        subprocess.run(command, input=message, capture_output=True, timeout=seconds, check=True)
    except subprocess.TimeoutExpired:
        raise ProblemError(f"HiGHS has not read this in {seconds:.0f} seconds; a line is damaged") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ProblemError(f"HiGHS has failed with status {error.returncode}: {said[:200]}") from None
    return pickle.loads(answer.read_bytes()), log.read_text(errors="replace") if log.exists() else ""


# In the process of HiGHS


def _solver(log: str) -> Any:
    import highspy

    solver = highspy.Highs()
    solver.setOptionValue("log_to_console", False)
    solver.setOptionValue("log_file", log)
    return solver


def _read(log: str, path: str) -> Table | None:
    """Returns the program in a file; None if HiGHS cannot read it."""
    import highspy

    solver = _solver(log)
    if solver.readModel(path) == highspy.HighsStatus.kError:
        return None
    solver.ensureColwise()
    model = solver.getModel()
    program = model.lp_
    matrix = program.a_matrix_
    kinds = program.integrality_ or [highspy.HighsVarType.kContinuous] * program.num_col_
    return Table(
        minimised=program.sense_ == highspy.ObjSense.kMinimize,
        offset=program.offset_,
        is_quadratic=model.hessian_.dim_ > 0,
        costs=np.array(program.col_cost_),
        low=np.array(program.col_lower_),
        high=np.array(program.col_upper_),
        whole=np.array([kind == highspy.HighsVarType.kInteger for kind in kinds], dtype=bool),
        least=np.array(program.row_lower_),
        most=np.array(program.row_upper_),
        starts=np.array(matrix.start_, dtype=np.int64),
        entries=np.array(matrix.index_, dtype=np.int32),
        values=np.array(matrix.value_),
        columns=list(program.col_names_),
        rows=list(program.row_names_),
    )


def _write(log: str, problem: Problem, names: list[Names], path: str) -> list[str]:
    """Writes the program of a problem with the first names that HiGHS reads back, else the last; returns their legend.

    Parameters:
        log: the file for HiGHS's messages.
        problem: what to write.
        names: rows, columns and a legend, one or several times.
        path: the file to write.
    """
    highs = model(problem, "min")
    low, high = np.array(highs.row_lower_), np.array(highs.row_upper_)
    low[[row.item >= problem.n_primary for row in linear(problem).rows]] = -np.inf
    highs.row_lower_ = low
    is_range = np.isfinite(low) & (low < high) & path.endswith(".lp")  # for which LP files have two rows
    for rows, columns, legend in names:
        highs.row_names_, highs.col_names_ = rows, columns
        solver = _solver(log)
        solver.passModel(highs)
        solver.writeModel(path)
        again = _read(log, path)
        split = [row + end for row, two in zip(rows, is_range, strict=True) for end in (("lo", "up") if two else ("",))]
        if again is not None and {*again.rows, *again.columns} == {*columns, *split}:
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


# The problem of an integer program


def _problem(table: Table, file: str) -> Problem:
    """Returns the exact-cover problem of a program; raises ProblemError."""
    _check(table)
    least, most = _sums(table)
    roles = _roles(table, most)
    _contradict(table, least, most, roles, file)
    primary = _primary(table, least, most, roles)
    order = np.argsort(~primary, kind="stable")
    ranges = np.stack([least, most], axis=1)[order][: int(primary.sum())]
    return Problem(
        tuple(table.rows[row] for row in order.tolist()),
        len(ranges),
        table.starts,  # type: ignore[arg-type]
        np.argsort(order)[table.entries],  # type: ignore[arg-type]
        _weights(table, file),  # type: ignore[arg-type]
        tuple(table.columns),
        multiplicities=None if (ranges == 1).all() else ranges.astype(np.int32),
        roles=roles if (roles != FREE).any() else None,
    )


def _refuse(what: str, names: list[str], wrong: npt.NDArray[np.bool_], reason: str, *values: npt.NDArray[Any]) -> None:
    """Raises ProblemError about the first row or column that is wrong; the reason is formatted with its values."""
    for k in np.flatnonzero(wrong)[:1]:
        raise ProblemError(f"the {what} {names[k]!r} {reason.format(*(value[k] for value in values))}")


def _check(table: Table) -> None:
    """Refuses an objective that is no sum, columns that are in no row or not integer, and coefficients other than 1."""
    if table.is_quadratic:
        raise ProblemError("the objective has products of columns; only sums can be weights")
    if table.offset:
        raise ProblemError(f"the objective has the constant {table.offset:g}; take it away, and add it to the score")
    _refuse("column", table.columns, ~table.whole, "is continuous; declare it as binary")
    _refuse("column", table.columns, np.diff(table.starts) == 0, "is in no row")
    for entry in np.flatnonzero(table.values != 1)[:1]:
        column = table.columns[np.searchsorted(table.starts, entry, side="right") - 1]
        where = f"of the column {column!r} in the row {table.rows[table.entries[entry]]!r}"
        raise ProblemError(f"the coefficient {where} is {table.values[entry]:g} instead of 1")


def _weights(table: Table, file: str) -> list[int] | list[float] | None:
    if not table.costs.any():
        return None
    if not table.minimised:
        text = "the objective is to be maximised: all weights have changed their signs, and the least score is the best"
        warnings.warn(f"{file}: {text}", FormatWarning, stacklevel=5)
    costs: list[float] = (table.costs if table.minimised else -table.costs).tolist()
    is_whole = all(cost.is_integer() and abs(cost) < EXACT for cost in costs)
    return [int(cost) for cost in costs] if is_whole else costs


def _sums(table: Table) -> tuple[Whole, Whole]:
    """Returns how many columns of each row have to be 1, at least and at most."""
    sizes = np.bincount(table.entries, minlength=len(table.rows))
    least = np.ceil(np.maximum(table.least, 0))
    most = np.where(np.isposinf(table.most), np.maximum(np.maximum(sizes, least), 1), np.floor(table.most))
    many = f"asks for {{0:g}} to {{1:g}} of its columns; the limit is {MAX_MULTIPLICITY}"
    for wrong, reason in (
        (most < 1, "allows at most {1:g} of its columns; the least that can be said is 1"),
        (np.maximum(least, most) > MAX_MULTIPLICITY, many),
        (least > most, "asks for at least {0:g} and at most {1:g} of its columns"),
    ):
        _refuse("row", table.rows, wrong, reason, least, most)
    return least.astype(np.int64), most.astype(np.int64)


def _roles(table: Table, most: Whole) -> npt.NDArray[np.int8]:
    """Returns the role of each column by its bounds: free, chosen or left out."""
    low, high = np.ceil(table.low), np.floor(table.high)
    is_limited = np.add.reduceat(np.append(most[table.entries] == 1, False), table.starts[:-1]) > 0
    for wrong, reason in (
        ((low > high) | (low > 1) | (high < 0), "is at least {0:g} and at most {1:g}"),
        (low < 0, "may be negative; its lower bound is to be 0"),
        ((high > 1) & ~is_limited, "may be 2 or more; declare it as binary"),
    ):
        _refuse("column", table.columns, wrong, reason, low, high)
    return np.where(high == 0, LEFT_OUT, np.where(low == 1, CHOSEN, FREE)).astype(np.int8)


def _contradict(table: Table, least: Whole, most: Whole, roles: npt.NDArray[np.int8], file: str) -> None:
    """Makes a row that has too many columns fixed at 1 impossible: all its columns are left out, and it needs one."""
    owners = np.repeat(np.arange(len(roles)), np.diff(table.starts))
    fixed = (roles == CHOSEN)[owners]
    rows = np.flatnonzero(np.bincount(table.entries[fixed], minlength=len(most)) > most)
    for row in rows[:1]:
        names = " and ".join(repr(table.columns[column]) for column in owners[fixed & (table.entries == row)])
        text = f"the row {table.rows[row]!r} allows {most[row]} of its columns; fixed at 1 are {names}"
        warnings.warn(f"{file}: {text}, so there is no cover", FormatWarning, stacklevel=4)
    least[rows] = np.maximum(least[rows], 1)
    roles[owners[np.isin(table.entries, rows)]] = LEFT_OUT


def _primary(table: Table, least: Whole, most: Whole, roles: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
    """Tells whether each row is a primary item.

    A row of at most one column, without a lower bound, is a secondary item. But no cover has an option without a
    primary item, and a column that has only such rows may be 1: its first row is a primary item of 0 or 1 options.
    """
    primary: npt.NDArray[np.bool_] = (least != 0) | (most != 1) | np.isfinite(table.least)
    covered = np.add.reduceat(np.append(primary[table.entries], False), table.starts[:-1]) > 0
    idle = ~covered & (roles != LEFT_OUT)
    primary[table.entries[table.starts[:-1][idle]]] = True
    return primary
