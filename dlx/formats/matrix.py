"""Matrices of zeros and ones as text: CSV, or rows of digits with or without blanks between them.

    ,a,b,c              the items, behind an empty cell
    left,1,1,0          an option: its name, and a cell for each item
    right,0,0,1

Rows are options, columns are items. Without names, options and items are numbers from 0. Sizes may stand in front:

    2 3                 rows and columns
    1 1 0
    0 0 1
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from dlx.formats.errors import Place, refusal
from dlx.formats.text import check_plain, check_written, decoded, words_of
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import owners

FORM = "a matrix"
DELIMITERS = ",;\t"
DIGITS = {"0": False, "1": True}

Line = tuple[int, list[str]]  # its number, and its cells


def loads(data: str | bytes, file: str = "<string>") -> Problem:
    """Reads a problem, all of whose items are to be covered once.

    The first line has the names of items if its first cell is empty, another cell is no number, or the cells number the
    columns from 0 or 1. Options have names if the first cell of a row is neither 0 nor 1, or if that of the first line
    is empty. A row of zeros keeps its number and is in no cover, with a warning.

    Raises a FormatError with the line and the column of a cell that is neither 0 nor 1.
    """
    with Place(file) as place:
        lines = _without_sizes(_cells(decoded(data).strip()), place)
        if not lines:
            raise ProblemError("there is no row")
        head = _is_head(lines[0][1])
        items = lines[0][1] if head else None
        rows = lines[1:] if head else lines
        is_named = (items is not None and not items[0]) or any(cells[0] not in DIGITS for _, cells in rows)
        names = tuple(cells[0] for _, cells in rows) if is_named else None
        if items is not None and is_named and (not rows or len(items) == len(rows[0][1])):
            items = items[1:]
        width = len(rows[0][1]) - is_named if rows else len(items or ())
        matrix = np.zeros((len(rows), width), dtype=np.bool_)
        for row, (place.line, cells) in enumerate(rows):
            matrix[row] = _row(cells[is_named:], width, is_named)
        place.line = lines[0][0] if head else None
        if items == [*map(str, range(width))]:
            items = None
        problem = Problem.from_matrix(matrix, items=items)
        is_numbered = names is None or names == tuple(map(str, range(len(names))))
        return problem if is_numbered else replace(problem, names=names)


def dumps(problem: Problem) -> bytes:
    """Writes a problem as CSV, with the names of items, and of options; without names their numbers.

    Raises a FormatError for what a matrix cannot represent.
    """
    check_plain(FORM, problem, empty=True)
    if problem.weights is not None:
        raise refusal("the options have weights", FORM)
    items, names = problem.items, problem.names or range(problem.n_options)
    words = [[*map(str, some)] for some in (items, names)]
    fault = "has white space at its ends, or a line end or what is no text in it"
    for kind, some, written in zip(("item", "name"), (items, names), words, strict=True):
        check_written(FORM, kind, some, written, _fits, fault)
    matrix = np.zeros((problem.n_options, problem.n_items), dtype=int)
    matrix[owners(problem.indptr), problem.indices] = 1
    stream = io.StringIO()
    lines = csv.writer(stream, lineterminator="\n")
    lines.writerow(["", *words[0]])
    lines.writerows([name, *row] for name, row in zip(words[1], matrix.tolist(), strict=True))
    return stream.getvalue().encode("utf-8", "surrogateescape")


def _fits(word: str) -> bool:
    return word.strip() == word and not {"\n", "\r"} & {*word}


def _cells(text: str) -> list[Line]:
    """Returns the lines of a text that are not empty."""
    delimiter = next((sign for sign in DELIMITERS if sign in text), None)
    if delimiter is None:
        return [(k, [*words[0]] if len(words) == 1 and len(words[0]) > 1 else words) for k, words in words_of(text)]
    reader = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    try:
        return [(reader.line_num, [cell.strip() for cell in cells]) for cells in reader if any(cells)]
    except csv.Error as error:
        raise ProblemError(f"line {reader.line_num}: {error}") from None


def _without_sizes(lines: list[Line], place: Place) -> list[Line]:
    """Returns the lines behind a first one with the numbers of rows and columns, if it is that."""
    sizes = lines[0][1] if lines else []
    if len(sizes) != 2 or not all(cell.isdecimal() for cell in sizes):
        return lines
    n_rows, n_columns = map(int, sizes)
    if max(n_rows, n_columns) < 2 and [len(cells) for _, cells in lines[1:]] != [n_columns] * n_rows:
        return lines  # a row of two cells
    if n_rows != len(lines) - 1:
        place.line = lines[0][0]
        raise ProblemError(f"there are {len(lines) - 1} rows instead of {n_rows}")
    for place.line, cells in lines[1:]:
        if len(cells) != n_columns:
            raise ProblemError(f"the row has {len(cells)} cells instead of {n_columns}")
    return lines[1:]


def _is_head(cells: list[str]) -> bool:
    """Returns whether a line has the names of items."""
    if all(cell.isdecimal() for cell in cells):
        return len(cells) > 2 and cells in ([str(k + first) for k in range(len(cells))] for first in (0, 1))
    return not cells[0] or not all(map(_is_number, cells[1:] or cells))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _row(cells: list[str], width: int, shift: int) -> npt.NDArray[np.bool_]:
    """Returns the row in some cells, the first of which is the column `shift` + 1 of the line."""
    if len(cells) != width:
        raise ProblemError(f"the row has {len(cells)} cells instead of {width}")
    for column, cell in enumerate(cells, shift + 1):
        if cell not in DIGITS:
            raise ProblemError(f"column {column} has {cell[:40]!r}, which is neither 0 nor 1")
    return np.array([DIGITS[cell] for cell in cells], dtype=np.bool_)
