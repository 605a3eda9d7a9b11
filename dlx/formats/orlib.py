"""Set-partitioning files in the format of the OR-Library.

    4 3            rows and columns: items and options
    5 2 1 2        a column: its cost, the number of its rows, and the rows, counted from 1
    3 2 3 4
    7 4 1 2 3 4

Costs are whole or real numbers, to be minimised: `best(problem, "min")`. J. E. Beasley's OR-Library (J. Oper. Res. Soc.
41 (1990), doi:10.1057/jors.1990.166) has airline problems in this format (K. L. Hoffman, M. Padberg, Management Science
39 (1993), doi:10.1287/mnsc.39.6.657).
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from itertools import pairwise

import numpy as np

from dlx.formats.errors import FormatWarning, Place, refusal
from dlx.formats.text import check_plain, decoded, words_of
from dlx.problem.checks import MAX_SCORE, ProblemError
from dlx.problem.problem import Problem

FORM = "a set-partitioning file"
DIGITS = 19  # digits of the largest number
WHOLE = re.compile(f"[-+]?[0-9]{{1,{DIGITS}}}")
NUMBER = re.compile(r"[-+]?(?:[0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})(?:[eE][-+]?[0-9]{1,5})?")
EXACT = 2**53  # whole floats up to this number are exact
ROWS_WITHOUT_COLUMNS = 10_000  # maximum rows of a file without columns, so that a small file cannot fill the memory


def loads(data: str | bytes, file: str = "<string>") -> Problem:
    """Reads a problem whose items are the rows; empty lines are skipped.

    The weights are the costs: int64 if all are whole, else float64.
    """
    lines = words_of(decoded(data))
    with Place(file) as place:
        if not lines:
            raise ProblemError("there is no line with the numbers of rows and columns")
        place.line, heading = lines[0]
        counts = _whole(heading)
        if len(counts) != 2:
            raise ProblemError(f"there are {len(counts)} numbers instead of 2, the numbers of rows and columns")
        if min(counts) < 0:
            raise ProblemError(f"there cannot be {min(counts)} rows or columns")
        n_rows, n_columns = counts
        if n_rows > (limit := max(ROWS_WITHOUT_COLUMNS, sum(len(words) for _, words in lines[1:]))):
            raise ProblemError(f"there are {n_rows} rows; with so few numbers the limit is {limit}")
        columns, costs = list[list[int]](), list[float]()
        for place.line, (first, *words) in lines[1 : n_columns + 1]:
            costs.append(cost(first))
            columns.append(_column(words, n_rows))
        if len(lines) > n_columns + 1:
            place.line = lines[n_columns + 1][0]
            raise ProblemError(f"there are more than {n_columns} columns")
        place.line = None
        if len(columns) < n_columns:
            raise ProblemError(f"there are {len(columns)} columns instead of {n_columns}")
        indptr = np.cumsum([0, *map(len, columns)])
        indices = np.array([row - 1 for column in columns for row in column], dtype=np.int64)
        return Problem.from_csr(indptr, indices, range(1, n_rows + 1), weights=costs)


def dumps(problem: Problem) -> bytes:
    """Returns a problem as text; it is read back as an equal problem, with int64 weights if all weights are whole.

    A FormatWarning says that names are not written, and that each column costs 1 if there are no weights. Raises
    FormatError if the format cannot represent the problem. If there are more than 10,000 items, the columns must have
    at least that many numbers, since `loads` refuses other files.
    """
    check_plain(FORM, problem)
    if problem.weights is None:
        warnings.warn("<problem>: there are no weights: each column costs 1", FormatWarning, stacklevel=2)
    numbers = [*map(str, range(1, problem.n_items + 1))]
    if [*map(str, problem.items)] != numbers or problem.names is not None:
        text = "<problem>: the names are not written: rows and columns are numbered in the order of items and options"
        warnings.warn(text, FormatWarning, stacklevel=2)
    rows = (problem.indices + 1).tolist()
    columns = [rows[begin:end] for begin, end in pairwise(problem.indptr.tolist())]
    weights = np.ones(problem.n_options, dtype=int) if problem.weights is None else problem.weights
    costs = (weights + 0).tolist()  # -0.0 becomes 0.0
    lines = [[cost, len(column), *column] for cost, column in zip(costs, columns, strict=True)]
    if problem.n_items > (limit := max(ROWS_WITHOUT_COLUMNS, sum(map(len, lines)))):
        raise refusal(f"there are {problem.n_items} items; with so few entries the limit is {limit}")
    return "".join(" ".join(map(str, line)) + "\n" for line in [[problem.n_items, len(lines)], *lines]).encode()


def _column(words: list[str], n_rows: int) -> list[int]:
    """Returns the rows of a column, from the numbers after its cost."""
    size, *rows = _whole(words) or [0]
    if size != len(rows):
        raise ProblemError(f"there are {len(rows)} rows instead of {size}")
    if size == 0:
        raise ProblemError("the column covers no row")
    outside = [row for row in rows if not 1 <= row <= n_rows]
    if outside:
        raise ProblemError(f"there is no row {outside[0]}; they are 1 to {n_rows}")
    if len(set(rows)) < len(rows):
        twice, _ = Counter(rows).most_common(1)[0]
        raise ProblemError(f"the row {twice} is listed twice")
    return rows


def _whole(words: list[str]) -> list[int]:
    for word in words:
        if not WHOLE.fullmatch(word):
            raise ProblemError(f"{word[:40]!r} is not a whole number of at most {DIGITS} digits")
    return [int(word) for word in words]


def cost(text: str) -> int | float:
    """Returns the cost of an option, an int if it is whole; raises ProblemError for a text that is no number."""
    if not NUMBER.fullmatch(text):
        hint = f"; write {text.replace(',', '.'):.40}" if NUMBER.fullmatch(text.replace(",", ".")) else ""
        raise ProblemError(f"{text[:40]!r} is not a number{hint}")
    is_whole = text.lstrip("+-").isdigit()
    value = int(text) if is_whole else float(text)
    if abs(value) >= (MAX_SCORE if is_whole else math.inf):
        limit = f"beyond the limit, {MAX_SCORE - 1}" if is_whole else "too large for a floating-point number"
        raise ProblemError(f"the cost {text[:40]} is {limit}")
    return int(value) if abs(value) <= EXACT and value == int(value) else value
