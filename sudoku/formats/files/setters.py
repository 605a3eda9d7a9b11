"""Puzzles of f-puzzles.com as objects of JSON, which have no published description.

`sudoku/formats/files/fpuzzles.py` says which rules can be read. `SILENT` and `SILENT_IN_CELLS` name the members without
a meaning for completions. Any other member is an error that names it, unless it is null, false, 0 or empty.

A cell is blank unless its value is `given`: other values are tries, which the solver beside f-puzzles (D. Clamage,
https://github.com/dclamage/SudokuSolver) does not heed. Given marks are all candidates of their cell; other marks are
notes.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np

from sudoku.formats.files.fpuzzles import DRAWN, FLAGS, RULES, member, refuse, unexplained, with_rules
from sudoku.formats.request import Request, place_of, solution_fault
from sudoku.formats.signs import clip, quoted
from sudoku.grid import Candidates, Puzzle
from sudoku.layout import MAX_SIZE, Box, Layout, as_layout

COSMETIC = "of f-puzzles, which is only drawn and no rule"
SILENT = frozenset({"size", "grid", "solution", "title", "author", "ruleset", "highlightConflicts"})
SILENT |= {"disabledlogic", "truecandidatesoptions", "successMessage", "activeConstraints"}
SILENT_IN_CELLS = frozenset({"value", "given", "region", "givenPencilMarks"})
SILENT_IN_CELLS |= {"centerPencilMarks", "cornerPencilMarks", "c", "cArray", "highlight"}


def fpuzzle(value: Mapping[str, Any], request: Request, line: int) -> Puzzle:
    """Returns the puzzle of an object of f-puzzles; a ValueError names what is malformed or not supported."""
    refuse(value, SILENT | FLAGS.keys() | {*RULES, *DRAWN, "negative"}, "the puzzle")
    n = value["size"]
    if not isinstance(n, int) or isinstance(n, bool) or not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the size {clip(repr(n))} is not between 2 and {MAX_SIZE}")
    if names := unexplained(value):
        warnings.warn(f"{request.file}: skipped {', '.join(map(quoted, names))} {COSMETIC}", stacklevel=2)
    rows = _squared(value["grid"], n)
    layout = with_rules(_by_regions(_regions(rows, n)), value)
    digits = np.zeros((n, n), dtype=np.uint8)
    marks = np.ones((n, n, n), dtype=np.bool_)
    for r, c in np.ndindex(n, n):
        refuse(rows[r][c], SILENT_IN_CELLS, f"the cell in {place_of(r, c)}")
        digits[r, c] = _given(rows[r][c], marks[r, c], place_of(r, c))
    puzzle = request.with_layout(layout).puzzle(digits, "fpuzzles", line, marks)
    if solution := member(value, "solution", "the puzzle", list, str):
        cells = [_digit_of_solution(one, n) for one in solution]
        if len(cells) != n * n:
            raise ValueError(f"the solution has {len(cells)} cells instead of {n * n}")
        if fault := solution_fault(puzzle.grid, np.array(cells).reshape(n, n), layout):
            raise ValueError(fault)
    return puzzle


def _squared(value: Any, n: int) -> Sequence[Sequence[Any]]:
    if not isinstance(value, list) or len(value) != n:
        raise ValueError(f"the puzzle has not {n} rows")
    for r, row in enumerate(value, 1):
        if not isinstance(row, list) or len(row) != n:
            raise ValueError(f"row {r} is {clip(repr(row))} instead of {n} cells")
    return value


def _digit(value: Any, n: int, place: str) -> int:
    digit = _whole(value)
    if digit is None or not 1 <= digit <= n:
        raise ValueError(f"{clip(repr(value))} in {place} is not a digit from 1 to {n}")
    return digit


def _digit_of_solution(value: Any, n: int) -> int:
    """Returns a digit of a solution; 0 where it says nothing, as one sign that is no digit does."""
    digit = _whole(value)
    if digit is None and (value in (None, "") or (type(value) is str and len(value) == 1)):
        return 0
    if digit is None or digit > n:
        raise ValueError(f"the solution has {clip(repr(value))} instead of a digit from 1 to {n} or a blank")
    return digit


def _whole(value: Any) -> int | None:
    """Returns a number or a text of one or two digits as a number, and None of anything else."""
    text = str(value) if type(value) in (int, str) else ""
    return int(text) if re.fullmatch("[0-9]{1,2}", text) else None


def _given(cell: Mapping[str, Any], marks: Candidates, place: str) -> int:
    """Returns the given of a cell, or 0; and what may be there, which is noted in `marks`, shape (n,)."""
    what, n = f"the cell in {place}", len(marks)
    if given_marks := member(cell, "givenPencilMarks", what, list, int, str):
        found = [_digit(mark, n, place) for mark in (given_marks if isinstance(given_marks, list) else [given_marks])]
        marks[:] = np.isin(np.arange(1, n + 1), found)
    digit = _digit(cell["value"], n, place) if member(cell, "value", what, int, str) else 0
    return digit if member(cell, "given", what, bool) else 0


def usual_box(n: int) -> Box:
    """Returns the rows and columns of the boxes that f-puzzles has in a grid of n rows, unless cells say otherwise."""
    height = next(k for k in range(isqrt(n), 0, -1) if n % k == 0)
    return height, n // height


def _regions(rows: Sequence[Sequence[Any]], n: int) -> list[list[int]]:
    """Returns the number of each cell's region, where it has one by itself; the others are those of the usual boxes."""
    height, width = usual_box(n)
    found = [[r // height * height + c // width for c in range(n)] for r in range(n)]
    for r, c in np.ndindex(n, n):
        if isinstance(rows[r][c], Mapping):
            found[r][c] = rows[r][c].get("region", found[r][c])
        if type(found[r][c]) is not int:
            raise ValueError(f"the cell in {place_of(r, c)} is in the region {clip(repr(found[r][c]))}")
    return found


def _by_regions(regions: list[list[int]]) -> Layout:
    """Returns the layout of some regions of n cells each: boxes, if that is what they are."""
    n, layout = len(regions), Layout.jigsaw(regions)
    cells = {region.cells for region in layout.regions[2 * n :]}
    usual = (as_layout((height, n // height)) for height in range(1, n + 1) if n % height == 0)
    return next((boxes for boxes in usual if cells == {region.cells for region in boxes.regions[2 * n :]}), layout)
