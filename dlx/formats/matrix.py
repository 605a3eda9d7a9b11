"""Matrices of zeros and ones as text: CSV, or rows of digits with or without blanks between them.

    ,a,b,c              the items, after an empty cell
    left,1,1,0          an option: its name, and a cell for each item
    right,0,0,1

Rows are options, and columns are items. A column called cost or weight has the weights. Without names, options and
items are numbered from 0. The first line may have the sizes:

    2 3                 rows and columns
    1 1 0
    0 0 1
"""

from __future__ import annotations

import csv
import io
import re
import warnings

import numpy as np

from dlx.formats.errors import FormatWarning, Place, refusal
from dlx.formats.orlib import cost
from dlx.formats.text import check_plain, check_written, decoded, words_of
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import FREE, LEFT_OUT, owners

FORM = "a matrix"
DELIMITERS = ",;\t"
COSTS = re.compile("costs?|weights?", re.IGNORECASE)  # names of a column of costs
DIGITS = dict.fromkeys(("0", "0.0", "False", "FALSE"), False) | dict.fromkeys(("1", "1.0", "True", "TRUE"), True)

Line = tuple[int, list[str]]  # the number of a line, and its cells


def loads(data: str | bytes, file: str = "<string>") -> Problem:
    """Reads a problem; all items are covered exactly once.

    The first line has the names of items if its first cell is empty, a cell is called cost or weight, a cell after the
    first is not a number, or the cells number the columns from 0 or 1. Options have names if the first cell of a row is
    neither 0 nor 1, or if the first cell of the first line is empty. A column called cost or weight has the weights. A
    row of zeros keeps its number and is in no cover, with a FormatWarning.

    Raises a FormatError with the line and the column of a cell that is neither 0 nor 1.
    """
    with Place(file) as place:
        lines = _without_sizes(_cells(decoded(data).lstrip("\r\n").rstrip()), place)
        if not lines:
            raise ProblemError("there is no row")
        first = place.line = lines[0][0]
        head = lines.pop(0)[1] if _is_head(lines[0][1]) else []
        width = len(lines[0][1]) if lines else len(head)
        more = width - len(head) if head else 0  # 1 if the column of names has no cell in the heading
        costs = [k + more for k, cell in enumerate(head) if COSTS.fullmatch(cell)]
        if len(costs) > 1:
            raise ProblemError("there are two columns of costs")
        is_named = head[:1] == [""] or (0 not in costs and any(cells[0] not in DIGITS for _, cells in lines))
        if not 0 <= more <= is_named:
            raise ProblemError(f"there are {len(head)} names for {width} columns")
        columns = [k for k in range(is_named, width) if k not in costs]
        matrix, weights, idle = np.zeros((len(lines), len(columns)), dtype=np.bool_), list[float](), list[int]()
        for row, (place.line, cells) in enumerate(lines):
            if len(cells) != width:
                raise ProblemError(f"the row has {len(cells)} cells instead of {width}")
            matrix[row] = _values(cells, columns)
            weights += [cost(cells[k]) for k in costs]
            idle += [] if matrix[row].any() else [place.line]
        if idle:
            others = f" (rows of zeros: {len(idle)})" if len(idle) > 1 else ""
            text = f"{file}:{idle[0]}: a row of zeros is in no cover{others}"
            warnings.warn(text, FormatWarning, stacklevel=2)
        place.line = first if head else None
        items, names = [head[k - more] for k in columns if head], [cells[0] for _, cells in lines if is_named]
        return Problem(
            tuple(items) if items != [*map(str, range(len(items)))] else tuple(range(len(columns))),
            len(columns),
            np.append(0, np.cumsum(matrix.sum(axis=1))).astype(np.int32),
            np.nonzero(matrix)[1].astype(np.int32),
            weights if costs else None,  # type: ignore[arg-type]
            tuple(names) if names != [*map(str, range(len(names)))] else None,
            roles=np.where(matrix.any(axis=1), FREE, LEFT_OUT).astype(np.int8) if idle else None,
        )


def dumps(problem: Problem) -> bytes:
    """Returns a problem as CSV, with the names of items and options; options without names have their numbers.

    Weights are the last column, called cost. Raises a FormatError if a matrix cannot represent the problem.
    """
    check_plain(FORM, problem, empty=True)
    items, names = problem.items, problem.names or range(problem.n_options)
    words = [[*map(str, some)] for some in (items, names)]
    fault = "begins or ends with white space, or contains a line end or unprintable text"
    for kind, some, written in zip(("item", "name"), (items, names), words, strict=True):
        check_written(FORM, kind, some, written, _fits, fault)
    if column := next(filter(COSTS.fullmatch, words[0]), None):
        raise refusal(f"the item {column!r} has the name of a column of costs", FORM)
    matrix = np.zeros((problem.n_options, problem.n_items), dtype=int)
    matrix[owners(problem.indptr), problem.indices] = 1
    stream = io.StringIO()
    lines = csv.writer(stream, lineterminator="\n")
    table = [words[0], *matrix.tolist()]
    if problem.weights is not None:
        table = [[*row, cost] for row, cost in zip(table, ["cost", *problem.weights.tolist()], strict=True)]
    lines.writerows([name, *row] for name, row in zip(["", *words[1]], table, strict=True))
    return stream.getvalue().encode("utf-8", "surrogateescape")


def _fits(word: str) -> bool:
    return word.strip() == word and not {"\n", "\r"} & {*word}


def _cells(text: str) -> list[Line]:
    """Returns the nonempty lines of a text; the delimiter is the first of DELIMITERS in the first line."""
    delimiter = next((sign for sign in DELIMITERS if sign in text.partition("\n")[0]), None)
    if delimiter is None:
        return [(k, [*words[0]] if len(words) == 1 and len(words[0]) > 1 else words) for k, words in words_of(text)]
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    try:
        return [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if any(cells)]
    except csv.Error as error:
        raise ProblemError(f"line {reader.line_num}: {error}") from None


def _without_sizes(lines: list[Line], place: Place) -> list[Line]:
    """Returns the lines after a first line with the numbers of rows and columns, if there is such a line."""
    sizes = lines[0][1] if lines else []
    if len(sizes) != 2 or not all(cell.isdecimal() for cell in sizes):
        return lines
    n_rows, n_columns = map(int, sizes)
    if max(n_rows, n_columns) < 2 and [len(cells) for _, cells in lines[1:]] != [n_columns] * n_rows:
        return lines  # the first line is a row of two cells
    if n_rows != len(lines) - 1:
        place.line = lines[0][0]
        raise ProblemError(f"there are {len(lines) - 1} rows instead of {n_rows}")
    for place.line, cells in lines[1:]:
        if len(cells) != n_columns:
            raise ProblemError(f"the row has {len(cells)} cells instead of {n_columns}")
    return lines[1:]


def _is_head(cells: list[str]) -> bool:
    """Returns whether a line has the names of items."""
    if any(map(COSTS.fullmatch, cells)):
        return True
    if all(cell in DIGITS for cell in cells):
        return False
    if all(cell.isdecimal() for cell in cells):
        return len(cells) > 2 and cells in ([str(k + first) for k in range(len(cells))] for first in (0, 1))
    return not cells[0] or not all(map(_is_number, cells[1:] or cells))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _values(cells: list[str], columns: list[int]) -> list[bool]:
    """Returns the values in some cells of a row."""
    try:
        return [DIGITS[cells[k]] for k in columns]
    except KeyError:
        k = next(k for k in columns if cells[k] not in DIGITS)
        digits = "write 1 for a mark and 0 for an empty cell"
        hint = "costs are in a column called cost" if _is_number(cells[k]) else digits
        raise ProblemError(f"column {k + 1} has {cells[k]!r:.40}, which is neither 0 nor 1; {hint}") from None
