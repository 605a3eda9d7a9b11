"""The exact-cover problem of an integer program, given as the `HighsModel` that HiGHS has read.

Columns are options and rows are items. What is no exact-cover problem is refused by the name of the row or the column.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatWarning
from dlx.problem.checks import MAX_MULTIPLICITY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT

Whole = npt.NDArray[np.int64]

EXACT = 2**53  # whole weights below this are exact as floating-point numbers, which HiGHS calculates with


class Entries(NamedTuple):
    """The coefficients of a program, column after column."""

    starts: Whole  # of each column in the others
    columns: Whole
    rows: Whole
    values: npt.NDArray[np.float64]


def problem_of(model: Any, file: str) -> Problem:
    """Returns the exact-cover problem of a `HighsModel`; raises ProblemError."""
    lp, matrix = model.lp_, model.lp_.a_matrix_
    starts = np.array(matrix.start_, dtype=np.int64)
    columns = np.repeat(np.arange(lp.num_col_), np.diff(starts))
    entries = Entries(starts, columns, np.array(matrix.index_, dtype=np.int64), np.array(matrix.value_, dtype=float))
    _check(model, entries)
    least, most = _sums(lp, entries)
    roles = _roles(lp, entries, most)
    _contradict(lp, entries, least, most, roles, file)
    primary = _primary(lp, entries, least, most, roles)
    order, names = np.argsort(~primary, kind="stable"), lp.row_names_
    ranges = np.stack([least, most], axis=1)[order][: int(primary.sum())]
    return Problem(
        tuple(names[row] for row in order.tolist()),
        len(ranges),
        starts,  # type: ignore[arg-type]
        np.argsort(order)[entries.rows],  # type: ignore[arg-type]
        _weights(lp, file),  # type: ignore[arg-type]
        tuple(lp.col_names_),
        multiplicities=None if (ranges == 1).all() else ranges.astype(np.int32),
        roles=roles if (roles != FREE).any() else None,
    )


def _refuse(what: str, names: list[str], wrong: npt.NDArray[np.bool_], reason: str, *values: npt.NDArray[Any]) -> None:
    """Raises ProblemError about the first row or column that is wrong; the reason is formatted with its values."""
    for k in np.flatnonzero(wrong)[:1]:
        raise ProblemError(f"the {what} {names[k]!r} {reason.format(*(value[k] for value in values))}")


def _check(model: Any, entries: Entries) -> None:
    """Refuses an objective that is no sum, columns that are in no row or not integer, and coefficients other than 1."""
    import highspy

    lp = model.lp_
    if model.hessian_.dim_ > 0:
        raise ProblemError("the objective has products of columns; only sums can be weights")
    if lp.offset_:
        raise ProblemError(f"the objective has the constant {lp.offset_:g}; take it away, and add it to the score")
    kinds = lp.integrality_ or [highspy.HighsVarType.kContinuous] * lp.num_col_
    wrong = np.array([kind != highspy.HighsVarType.kInteger for kind in kinds], dtype=bool)
    _refuse("column", lp.col_names_, wrong, "is continuous; declare it as binary")
    _refuse("column", lp.col_names_, np.diff(entries.starts) == 0, "is in no row")
    for k in np.flatnonzero(entries.values != 1)[:1]:
        column, row = lp.col_names_[entries.columns[k]], lp.row_names_[entries.rows[k]]
        where = f"of the column {column!r} in the row {row!r}"
        raise ProblemError(f"the coefficient {where} is {entries.values[k]:g} instead of 1")


def _weights(lp: Any, file: str) -> list[int] | list[float] | None:
    import highspy

    costs = np.array(lp.col_cost_, dtype=float)
    if not costs.any():
        return None
    if lp.sense_ != highspy.ObjSense.kMinimize:
        text = "the objective is to be maximised: all weights have changed their signs, and the least score is the best"
        warnings.warn(f"{file}: {text}", FormatWarning, stacklevel=2)
        costs = -costs
    is_whole = (costs == np.rint(costs)).all() and (np.abs(costs) < EXACT).all()
    return [int(cost) for cost in costs] if is_whole else costs.tolist()


def _sums(lp: Any, entries: Entries) -> tuple[Whole, Whole]:
    """Returns how many columns of each row have to be 1, at least and at most."""
    low, high = np.array(lp.row_lower_, dtype=float), np.array(lp.row_upper_, dtype=float)
    sizes = np.bincount(entries.rows, minlength=lp.num_row_)
    least = np.ceil(np.maximum(low, 0))
    most = np.where(np.isposinf(high), np.maximum(np.maximum(sizes, least), 1), np.floor(high))
    many = f"asks for {{0:g}} to {{1:g}} of its columns; the limit is {MAX_MULTIPLICITY}"
    for wrong, reason in (
        (most < 1, "allows at most {1:g} of its columns; the least that can be said is 1"),
        (np.maximum(least, most) > MAX_MULTIPLICITY, many),
        (least > most, "asks for at least {0:g} and at most {1:g} of its columns"),
    ):
        _refuse("row", lp.row_names_, wrong, reason, least, most)
    return least.astype(np.int64), most.astype(np.int64)


def _roles(lp: Any, entries: Entries, most: Whole) -> npt.NDArray[np.int8]:
    """Returns the role of each column by its bounds: free, chosen or left out."""
    low, high = np.ceil(np.array(lp.col_lower_, dtype=float)), np.floor(np.array(lp.col_upper_, dtype=float))
    is_limited = np.bincount(entries.columns, most[entries.rows] == 1, lp.num_col_) > 0
    for wrong, reason in (
        ((low > high) | (low > 1) | (high < 0), "is at least {0:g} and at most {1:g}"),
        (low < 0, "may be negative; its lower bound is to be 0"),
        ((high > 1) & ~is_limited, "may be 2 or more; declare it as binary"),
    ):
        _refuse("column", lp.col_names_, wrong, reason, low, high)
    return np.where(high == 0, LEFT_OUT, np.where(low == 1, CHOSEN, FREE)).astype(np.int8)


def _contradict(lp: Any, entries: Entries, least: Whole, most: Whole, roles: npt.NDArray[np.int8], file: str) -> None:
    """Makes a row that has too many columns fixed at 1 impossible: all its columns are left out, and it needs one."""
    fixed = (roles == CHOSEN)[entries.columns]
    rows = np.flatnonzero(np.bincount(entries.rows[fixed], minlength=lp.num_row_) > most)
    for row in rows[:1]:
        names = " and ".join(repr(lp.col_names_[c]) for c in entries.columns[fixed & (entries.rows == row)])
        text = f"the row {lp.row_names_[row]!r} allows {most[row]} of its columns; fixed at 1 are {names}"
        warnings.warn(f"{file}: {text}, so there is no cover", FormatWarning, stacklevel=2)
    least[rows] = np.maximum(least[rows], 1)
    roles[entries.columns[np.isin(entries.rows, rows)]] = LEFT_OUT


def _primary(
    lp: Any, entries: Entries, least: Whole, most: Whole, roles: npt.NDArray[np.int8]
) -> npt.NDArray[np.bool_]:
    """Tells whether each row is a primary item.

    A row of at most one column, without a lower bound, is a secondary item. But no cover has an option without a
    primary item, and a column that has only such rows may be 1: its first row is a primary item of 0 or 1 options.
    """
    primary: npt.NDArray[np.bool_] = (least != 0) | (most != 1) | np.isfinite(np.array(lp.row_lower_, dtype=float))
    covered = np.bincount(entries.columns, primary[entries.rows], lp.num_col_) > 0
    primary[entries.rows[entries.starts[:-1][~covered & (roles != LEFT_OUT)]]] = True
    return primary
