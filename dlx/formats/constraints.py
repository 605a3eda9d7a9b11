"""The exact-cover problem of an integer program, whose arrays are those of `dlx.formats.highs.read`.

Columns are options and rows are items. What is no exact-cover problem is refused by the name of the row or the column.
"""

from __future__ import annotations

import math
import warnings
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatWarning
from dlx.problem.checks import MAX_MULTIPLICITY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT, owners

Whole = npt.NDArray[np.int64]

EXACT = 2**53  # whole weights below this are exact as floating-point numbers, which HiGHS calculates with


def problem_of(program: SimpleNamespace, file: str) -> Problem:
    """Returns the exact-cover problem of an integer program; raises ProblemError."""
    columns = owners(program.starts)  # of the entries
    _check(program, columns)
    ranges, roles = _ranges(program), _roles(program)
    for row, fixed in enumerate(np.bincount(program.rows, (roles == CHOSEN)[columns], len(ranges)).tolist()):
        if fixed > ranges[row, 1]:
            reason = f"allows {ranges[row, 1]} of its columns, but {fixed:g} are fixed at 1"
            raise ProblemError(f"the row {program.row_names[row]!r} {reason}")
    primary = _primary(program, columns, ranges, roles)
    order = np.argsort(~primary, kind="stable")
    ranges = ranges[order][: int(primary.sum())]
    return Problem(
        tuple(program.row_names[row] for row in order.tolist()),
        len(ranges),
        program.starts,
        np.argsort(order)[program.rows],
        _weights(program, file),  # type: ignore[arg-type]
        tuple(program.column_names),
        multiplicities=None if (ranges == 1).all() else ranges.astype(np.int32),
        roles=roles if (roles != FREE).any() else None,
    )


def _check(program: SimpleNamespace, columns: Whole) -> None:
    """Refuses an objective that is no sum, columns that are in no row or not integer, and coefficients other than 1."""
    if program.products:
        raise ProblemError("the objective has products of columns; only sums can be weights")
    if program.constant:
        raise ProblemError(
            f"the objective has the constant {program.constant:g}; take it away, and add it to the score"
        )
    entries = np.diff(program.starts).tolist()
    for name, is_integer, number in zip(program.column_names, program.integer.tolist(), entries, strict=True):
        if not is_integer:
            raise ProblemError(f"the column {name!r} is continuous; declare it as binary")
        if number == 0:
            raise ProblemError(f"the column {name!r} is in no row")
    for k in np.flatnonzero(program.values != 1)[:1]:
        where = f"of the column {program.column_names[columns[k]]!r} in the row {program.row_names[program.rows[k]]!r}"
        raise ProblemError(f"the coefficient {where} is {program.values[k]:g} instead of 1")


def _weights(program: SimpleNamespace, file: str) -> list[int] | list[float] | None:
    costs = program.costs
    if not costs.any():
        return None
    if program.maximise:
        text = "the objective is to be maximised: all weights have changed their signs, and the least score is the best"
        warnings.warn(f"{file}: {text}", FormatWarning, stacklevel=2)
        costs = -costs
    is_whole = (costs == np.rint(costs)).all() and (np.abs(costs) < EXACT).all()
    return [int(cost) for cost in costs] if is_whole else costs.tolist()


def _ranges(program: SimpleNamespace) -> Whole:
    """Returns the least and the largest number of columns that may be 1, for each row."""
    found = []
    sizes = np.bincount(program.rows, minlength=len(program.row_names)).tolist()
    for name, low, high, size in zip(program.row_names, program.row_low, program.row_high, sizes, strict=True):
        least = math.ceil(max(low, 0))
        most = max(size, least, 1) if high == math.inf else math.floor(high)
        if most < 1:
            raise ProblemError(f"the row {name!r} allows at most {most} of its columns; an item needs at least 1")
        if max(least, most) > MAX_MULTIPLICITY:
            limit = f"the limit is {MAX_MULTIPLICITY}"
            raise ProblemError(f"the row {name!r} asks for {least} to {most} of its columns; {limit}")
        if least > most:
            raise ProblemError(f"the row {name!r} asks for at least {least} and at most {most} of its columns")
        found.append((least, most))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _roles(program: SimpleNamespace) -> npt.NDArray[np.int8]:
    """Returns the role of each column by its bounds: free, chosen or left out."""
    roles = []
    bounds = zip(program.column_names, program.low.tolist(), program.high.tolist(), strict=True)
    for k, (name, low, high) in enumerate(bounds):
        least, most = math.ceil(min(max(low, -1), 2)), math.floor(min(max(high, -1), 2))
        if least > most or least > 1 or most < 0:
            raise ProblemError(f"the column {name!r} is at least {low:g} and at most {high:g}")
        if least < 0:
            raise ProblemError(f"the column {name!r} may be negative; its lower bound is to be 0")
        if most > 1 and (program.row_high[program.rows[slice(*program.starts[k : k + 2])]] >= 2).all():
            raise ProblemError(f"the column {name!r} may be 2 or more; declare it as binary")
        roles.append(LEFT_OUT if most == 0 else CHOSEN if least == 1 else FREE)
    return np.array(roles, dtype=np.int8)


def _primary(
    program: SimpleNamespace, columns: Whole, ranges: Whole, roles: npt.NDArray[np.int8]
) -> npt.NDArray[np.bool_]:
    """Returns whether each row is a primary item.

    A row of at most one column, without a lower bound, is a secondary item. But no cover has an option without a
    primary item, and a column that has only such rows may be 1: its first row is a primary item of 0 or 1 options.
    """
    primary: npt.NDArray[np.bool_] = (ranges != (0, 1)).any(axis=1) | np.isfinite(program.row_low)
    covered = np.bincount(columns, primary[program.rows], len(roles)) > 0
    primary[program.rows[program.starts[:-1][~covered & (roles != LEFT_OUT)]]] = True
    return primary
