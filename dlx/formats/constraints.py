"""The exact-cover problem of an integer program, as HiGHS has read it.

Columns are options and rows are items. If a program is no exact-cover problem, the error names the row or the column.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatWarning
from dlx.problem.checks import MAX_MULTIPLICITY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT, owners

Whole = npt.NDArray[np.int64]

EXACT = 2**53  # whole weights below this are exact as floating-point numbers, which HiGHS calculates with


def problem_of(model: Any, file: str) -> Problem:
    """Returns the exact-cover problem of a `HighsModel` that has its entries column by column; raises ProblemError."""
    lp = model.lp_
    starts, rows = (np.array(some, dtype=np.int64) for some in (lp.a_matrix_.start_, lp.a_matrix_.index_))
    columns = owners(starts)  # the column of each entry
    _check(model, starts, rows, columns)
    ranges = _ranges(lp, np.bincount(rows, minlength=lp.num_row_).tolist())
    roles = _roles(lp, starts, rows)
    for row, fixed in enumerate(np.bincount(rows, (roles == CHOSEN)[columns], len(ranges)).tolist()):
        if fixed > ranges[row, 1]:
            reason = f"allows {ranges[row, 1]} of its columns, but {fixed:g} are fixed at 1"
            raise ProblemError(f"the row {lp.row_names_[row]!r} {reason}")
    # A row that allows at most one column and has no lower bound is a secondary item. Only options with a primary item
    # can be in a cover. So if a column has only such rows, its first row becomes a primary item with 0 or 1 options.
    primary = (ranges != (0, 1)).any(axis=1) | np.isfinite(np.array(lp.row_lower_))
    covered = np.bincount(columns, primary[rows], len(roles)) > 0
    primary[rows[starts[:-1][~covered & (roles != LEFT_OUT)]]] = True
    order = np.argsort(~primary, kind="stable")
    ranges = ranges[order][: int(primary.sum())]
    names = lp.row_names_
    return Problem(
        tuple(names[row] for row in order.tolist()),
        len(ranges),
        starts,  # type: ignore[arg-type]
        np.argsort(order)[rows],  # type: ignore[arg-type]
        _weights(lp, file),  # type: ignore[arg-type]
        tuple(lp.col_names_),
        multiplicities=None if (ranges == 1).all() else ranges.astype(np.int32),
        roles=roles if (roles != FREE).any() else None,
    )


def _check(model: Any, starts: Whole, rows: Whole, columns: Whole) -> None:
    """Refuses an objective that is no sum, columns that are in no row or not integer, and coefficients other than 1."""
    from highspy import HighsVarType

    lp = model.lp_
    if model.hessian_.dim_ > 0:
        raise ProblemError("the objective has products of columns; only sums can be weights")
    if lp.offset_:
        raise ProblemError(f"the objective has the constant {lp.offset_:g}; take it away, and add it to the score")
    kinds = lp.integrality_ or [HighsVarType.kContinuous] * lp.num_col_
    for name, kind, number in zip(lp.col_names_, kinds, np.diff(starts).tolist(), strict=True):
        if kind != HighsVarType.kInteger:
            raise ProblemError(f"the column {name!r} is continuous; declare it as binary")
        if number == 0:
            raise ProblemError(f"the column {name!r} is in no row")
    values = np.array(lp.a_matrix_.value_)
    for k in np.flatnonzero(values != 1)[:1]:
        where = f"of the column {lp.col_names_[columns[k]]!r} in the row {lp.row_names_[rows[k]]!r}"
        raise ProblemError(f"the coefficient {where} is {values[k]:g} instead of 1")


def _weights(lp: Any, file: str) -> list[int] | list[float] | None:
    from highspy import ObjSense

    costs = np.array(lp.col_cost_)
    if not costs.any():
        return None
    if lp.sense_ == ObjSense.kMaximize:
        text = "the objective is to be maximised: all weights have changed their signs, and the least score is the best"
        warnings.warn(f"{file}: {text}", FormatWarning, stacklevel=2)
        costs = -costs
    is_whole = (costs == np.rint(costs)).all() and (np.abs(costs) < EXACT).all()
    return [int(cost) for cost in costs] if is_whole else costs.tolist()


def _ranges(lp: Any, sizes: list[int]) -> Whole:
    """Returns the least and the largest number of columns that may be 1 in each row; `sizes` counts all its columns."""
    found = []
    for name, low, high, size in zip(lp.row_names_, lp.row_lower_, lp.row_upper_, sizes, strict=True):
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


def _roles(lp: Any, starts: Whole, rows: Whole) -> npt.NDArray[np.int8]:
    """Returns the role of each column by its bounds: free, chosen or left out."""
    roles, row_upper = [], np.array(lp.row_upper_)
    for k, (name, low, high) in enumerate(zip(lp.col_names_, lp.col_lower_, lp.col_upper_, strict=True)):
        least, most = math.ceil(min(max(low, -1), 2)), math.floor(min(max(high, -1), 2))
        if least > most or least > 1 or most < 0:
            raise ProblemError(f"the column {name!r} is at least {low:g} and at most {high:g}")
        if least < 0:
            raise ProblemError(f"the column {name!r} may be negative; its lower bound is to be 0")
        if most > 1 and (row_upper[rows[slice(*starts[k : k + 2])]] >= 2).all():
            raise ProblemError(f"the column {name!r} may be 2 or more; declare it as binary")
        roles.append(LEFT_OUT if most == 0 else CHOSEN if least == 1 else FREE)
    return np.array(roles, dtype=np.int8)
