"""MPS and LP, the files of integer programs, read and written by HiGHS (extra `mip`).

An exact-cover problem is an integer program whose columns are 0 or 1, and whose coefficients are all 1:

    columns    options
    rows       items: `= 1` primary, `<= 1` secondary, other sums an item with multiplicities
    objective  weights, to be minimised: `best(problem, "min")`

The columns of an LP file are ordered by their first appearance, so that reading may change the order of options.

HiGHS runs in a process of its own (`dlx.formats.highs`). The reasons: HiGHS prints its version to standard output, does
not finish reading some damaged files, and cannot be loaded beside OR-Tools.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats import highs
from dlx.formats.errors import Place, SenseWarning, refusal
from dlx.formats.text import legend
from dlx.problem.checks import MAX_MULTIPLICITY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT, owners

PATIENCE = 60.0  # seconds for HiGHS to read a file; it does not finish some damaged files
EXACT = 2**53  # whole weights below this are exact as floating-point numbers, which HiGHS calculates with
COMMENTS = {"mps": "*", "lp": "\\"}  # how a comment begins
# Names that HiGHS writes and reads as they are, in MPS and LP files; an LP file writes a range as two rows, lo and up
KEYWORDS = (
    r"min|minimi[sz]e|minimum|max|maximi[sz]e|maximum|subject|such|st|bounds?|bin|binary|binaries|int|integers?|gen"
    r"|generals?|semi|semis|sos[12]?|end|free|inf|infinity|nan|.*lo|.*up"
)
NAME = re.compile(rf"(?!(?:{KEYWORDS})\Z)[a-z_][a-z0-9_.,()#]{{0,250}}", re.IGNORECASE | re.ASCII)


class ProgramFormat:
    """One of the two formats of integer programs, "mps" or "lp"."""

    def __init__(self, name: str) -> None:
        self.name = name

    def loads(self, data: str | bytes, file: str = "<string>") -> Problem:
        """Reads a problem from a text.

        Weights are int64 if all costs are whole, else float64; None if all costs are 0. If the objective is to be
        maximised, the weights have the opposite signs, with a SenseWarning. A constant is added to the weights of the
        options of one item, the first that is covered exactly once. Columns that are fixed are chosen or left out.

        Raises:
            FormatError: HiGHS cannot read the text, or the program is no exact-cover problem; the message names the
                row and the column.
            ImportError: highspy is not installed.
        """
        text = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        with Place(file) as place:
            program = _in_highs(highs.read, self.name, text)
            if "fault" in program:
                place.line = program["line"]
                raise ProblemError(program["fault"])
            problem = _problem_of(program)
        if program["maximised"] and problem.weights is not None:
            signs = "the weights have the opposite signs, so the least score is the best"
            warnings.warn(f"{file}: the objective is to be maximised: {signs}", SenseWarning, stacklevel=3)
        return problem

    def dumps(self, problem: Problem) -> bytes:
        """Writes a problem; comments explain numbers that stand for names.

        Raises:
            FormatError: the problem has colours; or a whole weight is 2^53 or more, and HiGHS would round it.
            ImportError: highspy is not installed.
        """
        weights = np.zeros(problem.n_options) if problem.weights is None else problem.weights
        if problem.colours is not None:
            raise refusal("options have colours; a CNF file can represent these", "an integer program")
        if weights.dtype.kind == "i" and (large := weights[np.abs(weights) >= EXACT]).size:
            raise refusal(f"HiGHS would round the weight {large[0]}: it keeps whole numbers below 2^53")
        rows, of_rows = _words(problem.items, "r")
        columns, of_columns = _words(problem.names or [f"x{k + 1}" for k in range(problem.n_options)], "x")
        with Place("<problem>"):
            text: bytes = _in_highs(highs.write, self.name, b"", problem, weights, rows, columns)
        comments = "".join(f"{COMMENTS[self.name]} {line}\n" for line in of_rows + of_columns)
        return comments.encode() + text


mps, lp = ProgramFormat("mps"), ProgramFormat("lp")


def _in_highs(work: Callable[..., object], name: str, text: bytes, *given: object) -> Any:
    """Calls `read` or `write` in a new process, with the path of a temporary file that has a text."""
    if find_spec("highspy") is None:
        raise ImportError("MPS and LP files need highspy, which is not installed: pip install highspy", name="highspy")
    with TemporaryDirectory() as folder:
        path = Path(folder, f"program.{name}")
        path.write_bytes(text)
        return _called(work, str(path), *given)


def _called(work: Callable[..., object], path: str, *given: object) -> Any:
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-P", "-m", "dlx.formats.highs", path]
    call, limit = pickle.dumps((work, given)), PATIENCE if work is highs.read else None
    try:
        subprocess.run(command, input=call, capture_output=True, timeout=limit, check=True, env=environ)
    except subprocess.TimeoutExpired:
        raise ProblemError(f"HiGHS has not read this in {PATIENCE:.0f} seconds; a line is damaged") from None
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ProblemError(f"HiGHS has failed with status {error.returncode}: {last[:200]}") from None
    return pickle.loads(Path(f"{path}.answer").read_bytes())


def _words(names: Sequence[object], letter: str) -> tuple[list[str], list[str]]:
    """Returns the names of rows or columns: numbers unless all are different words as `NAME` says, and comments."""
    words = [name for name in names if isinstance(name, str) and NAME.fullmatch(name)]
    if len({*words}) == len(names):
        return words, []
    numbers = [f"{letter}{k}" for k in range(1, len(names) + 1)]
    return numbers, legend(numbers, names)


def _problem_of(program: dict[str, Any]) -> Problem:
    """Returns the exact-cover problem of an integer program; raises ProblemError if it is none."""
    names, starts, rows = program["rows"], program["starts"], program["indices"]
    columns = owners(starts)  # the column of each entry
    roles = _roles(program, columns)
    least, most = _row_limits(program)
    weights = _weights(program, columns[np.isin(rows, np.flatnonzero((least == 1) & (most == 1))[:1])])
    # A row that allows at most one column and has no lower bound is a secondary item. Only options with a primary item
    # can be in a cover. So if a column has only such rows, its first row becomes a primary item with 0 or 1 options.
    primary = (least > 0) | (most > 1) | np.isfinite(program["row_limits"][0])
    covered = np.bincount(columns, primary[rows], len(roles)) > 0
    primary[rows[starts[:-1][~covered & (roles != LEFT_OUT)]]] = True
    order = np.argsort(~primary, kind="stable")
    ranges = np.array([least, most], dtype=np.int32).T[order[: int(primary.sum())]]
    return Problem(
        tuple(names[row] for row in order.tolist()),
        len(ranges),
        starts,
        np.argsort(order)[rows],
        weights,
        tuple(program["columns"]),
        multiplicities=None if (ranges == 1).all() else ranges,
        roles=roles if (roles != FREE).any() else None,
    )


def _roles(program: dict[str, Any], columns: Any) -> npt.NDArray[np.int8]:
    """Returns the role of each column; raises ProblemError for an entry or a column that is refused."""
    names, rows, values = program["columns"], program["indices"], program["values"]
    if not names:
        raise ProblemError("the program has no columns")
    for k in np.flatnonzero(values != 1)[:1]:
        where = f"of the column {names[columns[k]]!r} in the row {program['rows'][rows[k]]!r}"
        raise ProblemError(f"the coefficient {where} is {values[k]:g} instead of 1")
    low, high = program["column_limits"]
    least, greatest = np.ceil(low), np.floor(high)
    is_bounded = np.bincount(columns, program["row_limits"][1][rows] < 2, len(names)) > 0  # by a row
    faults = [
        (~program["whole"], "is continuous; declare it as binary"),
        (np.diff(program["starts"]) == 0, "is in no row"),
        ((least > greatest) | (least > 1) | (greatest < 0), "is at least {:g} and at most {:g}"),
        (least < 0, "may be negative; its lower bound is to be 0"),
        ((greatest > 1) & ~is_bounded, "may be 2 or more; declare it as binary"),
    ]
    _refuse("column", names, faults, low, high)
    return np.select([greatest == 0, least == 1], [LEFT_OUT, CHOSEN], FREE).astype(np.int8)


def _row_limits(program: dict[str, Any]) -> npt.NDArray[np.float64]:
    """Returns the least and the largest number of columns that may be 1 in each row."""
    low, high = program["row_limits"]
    sizes = np.bincount(program["indices"], minlength=len(low))
    least = np.ceil(np.maximum(low, 0))
    most = np.where(high == np.inf, np.maximum(np.maximum(sizes, least), 1), np.floor(high))
    limit = f"the limit is {MAX_MULTIPLICITY}"
    faults = [
        (most < 1, "allows at most {1:.0f} of its columns; an item needs at least 1"),
        (np.maximum(least, most) > MAX_MULTIPLICITY, f"asks for {{:.0f}} to {{:.0f}} of its columns; {limit}"),
        (least > most, "asks for at least {:.0f} and at most {:.0f} of its columns"),
    ]
    _refuse("row", program["rows"], faults, least, most)
    return np.array([least, most])


def _refuse(kind: str, names: Sequence[str], faults: Sequence[tuple[Any, str]], *facts: Any) -> None:
    """Raises a ProblemError that names the first row or column with a fault, and has the facts of it."""
    for wrong, reason in faults:
        for k in np.flatnonzero(wrong)[:1]:
            raise ProblemError(f"the {kind} {names[k]!r} {reason.format(*(fact[k] for fact in facts))}")


def _weights(program: dict[str, Any], columns: Any) -> npt.NDArray[Any] | None:
    """Returns the weights of the options; `columns` are those of a row `= 1`, one of which pays the constant."""
    costs, constant = program["costs"], program["offset"]
    if program["products"]:
        raise ProblemError("the objective has products of columns; only sums can be weights")
    if constant and not len(columns):
        raise ProblemError(f"the objective has the constant {constant:g}, and no row is a sum = 1; add it to the score")
    costs[columns] += constant
    if program["maximised"]:
        costs = -costs
    if not costs.any():
        return None
    is_whole = (costs == np.rint(costs)).all() and (np.abs(costs) < EXACT).all()
    weights: npt.NDArray[Any] = costs.astype(np.int64) if is_whole else costs
    return weights
