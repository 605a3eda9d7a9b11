"""The exact-cover problem of an integer program, whose arrays are those of `dlx.formats.highs.read`.

Columns are options and rows are items. What is no exact-cover problem is refused by the name of the row or the column.
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import FormatWarning
from dlx.problem.checks import MAX_MULTIPLICITY, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT, owners

Whole = npt.NDArray[np.int64]
Which = npt.NDArray[np.bool_]

EXACT = 2**53  # whole weights below this are exact as floating-point numbers, which HiGHS calculates with


def problem_of(program: SimpleNamespace, file: str) -> Problem:
    """Returns the exact-cover problem of an integer program; raises ProblemError."""
    columns = owners(program.starts)  # of the entries
    _check(program, columns)
    least, most = _sums(program)
    roles = _roles(program, columns, most)
    primary = _primary(program, columns, least, most, roles)
    order = np.argsort(~primary, kind="stable")
    ranges = np.stack([least, most], axis=1)[order][: int(primary.sum())]
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


def _refuse(what: str, names: list[str], wrong: Which, reason: str, *values: npt.NDArray[Any]) -> None:
    """Raises ProblemError about the first row or column that is wrong; the reason is formatted with its values."""
    for k in np.flatnonzero(wrong)[:1]:
        raise ProblemError(f"the {what} {names[k]!r} {reason.format(*(value[k] for value in values))}")


def _check(program: SimpleNamespace, columns: Whole) -> None:
    """Refuses an objective that is no sum, columns that are in no row or not integer, and coefficients other than 1."""
    names = program.column_names
    if program.products:
        raise ProblemError("the objective has products of columns; only sums can be weights")
    if program.constant:
        raise ProblemError(
            f"the objective has the constant {program.constant:g}; take it away, and add it to the score"
        )
    _refuse("column", names, ~program.integer, "is continuous; declare it as binary")
    _refuse("column", names, np.diff(program.starts) == 0, "is in no row")
    for k in np.flatnonzero(program.values != 1)[:1]:
        where = f"of the column {names[columns[k]]!r} in the row {program.row_names[program.rows[k]]!r}"
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


def _sums(program: SimpleNamespace) -> tuple[Whole, Whole]:
    """Returns the least and the largest number of columns that may be 1, for each row."""
    high = program.row_high
    sizes = np.bincount(program.rows, minlength=len(high))
    least = np.ceil(np.maximum(program.row_low, 0))
    most = np.where(np.isposinf(high), np.maximum(np.maximum(sizes, least), 1), np.floor(high))
    many = f"asks for {{0:g}} to {{1:g}} of its columns; the limit is {MAX_MULTIPLICITY}"
    for wrong, reason in (
        (most < 1, "allows at most {1:g} of its columns; the least that can be said is 1"),
        (np.maximum(least, most) > MAX_MULTIPLICITY, many),
        (least > most, "asks for at least {0:g} and at most {1:g} of its columns"),
    ):
        _refuse("row", program.row_names, wrong, reason, least, most)
    return least.astype(np.int64), most.astype(np.int64)


def _roles(program: SimpleNamespace, columns: Whole, most: Whole) -> npt.NDArray[np.int8]:
    """Returns the role of each column by its bounds: free, chosen or left out."""
    low, high = np.ceil(program.low), np.floor(program.high)
    is_limited = np.bincount(columns, most[program.rows] == 1, len(low)) > 0
    for wrong, reason in (
        ((low > high) | (low > 1) | (high < 0), "is at least {0:g} and at most {1:g}"),
        (low < 0, "may be negative; its lower bound is to be 0"),
        ((high > 1) & ~is_limited, "may be 2 or more; declare it as binary"),
    ):
        _refuse("column", program.column_names, wrong, reason, low, high)
    roles = np.where(high == 0, LEFT_OUT, np.where(low == 1, CHOSEN, FREE)).astype(np.int8)
    fixed = np.bincount(program.rows, (roles == CHOSEN)[columns], len(most))
    _refuse("row", program.row_names, fixed > most, "allows {0} of its columns, but {1:g} are fixed at 1", most, fixed)
    return roles


def _primary(program: SimpleNamespace, columns: Whole, least: Whole, most: Whole, roles: npt.NDArray[np.int8]) -> Which:
    """Returns whether each row is a primary item.

    A row of at most one column, without a lower bound, is a secondary item. But no cover has an option without a
    primary item, and a column that has only such rows may be 1: its first row is a primary item of 0 or 1 options.
    """
    primary: Which = (least != 0) | (most != 1) | np.isfinite(program.row_low)
    covered = np.bincount(columns, primary[program.rows], len(roles)) > 0
    primary[program.rows[program.starts[:-1][~covered & (roles != LEFT_OUT)]]] = True
    return primary
