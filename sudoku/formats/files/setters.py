"""Puzzles of f-puzzles.com as objects of JSON, in both directions; there is no published description.

`sudoku/formats/files/fpuzzles.py` has the rules. `SILENT` and `SILENT_IN_CELLS` name the members without a meaning for
completions. Any other member is an error that names it, unless it is null, false, 0 or empty.

A cell is blank unless its value is `given`: other values are tries, which the solver beside f-puzzles (D. Clamage,
https://github.com/dclamage/SudokuSolver) does not heed. Given marks are all candidates of their cell; other marks are
notes. Whatever is written is read again, and refused if that is not the same puzzle.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np

from sudoku.formats.files.fpuzzles import KNOWN, member, members_of, refuse, unexplained, with_members
from sudoku.formats.files.meaning import lost
from sudoku.formats.request import Request, place_of
from sudoku.formats.signs import clip, quoted
from sudoku.grid import Candidates, Puzzle, all_candidates
from sudoku.layout import MAX_SIZE, Box, Layout

Value = dict[str, Any]

COSMETIC = "of f-puzzles, which is only drawn and no rule"
SILENT = frozenset({"size", "grid", "solution", "title", "author", "ruleset", "highlightConflicts"})
SILENT |= {"disabledlogic", "truecandidatesoptions", "successMessage", "activeConstraints"}
SILENT_IN_CELLS = frozenset({"value", "given", "region", "givenPencilMarks"})
SILENT_IN_CELLS |= {"centerPencilMarks", "cornerPencilMarks", "c", "cArray", "highlight"}


def fpuzzle(value: Mapping[str, Any], request: Request, line: int) -> Puzzle:
    """Returns the puzzle of an object of f-puzzles; a ValueError names what is malformed or not supported."""
    refuse(value, SILENT | KNOWN, "the puzzle")
    n = value["size"]
    if not isinstance(n, int) or isinstance(n, bool) or not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the size {clip(repr(n))} is not between 2 and {MAX_SIZE}")
    if names := unexplained(value):
        warnings.warn(f"{request.file}: skipped {', '.join(map(quoted, names))} {COSMETIC}", stacklevel=2)
    rows = _squared(value["grid"], n)
    layout = with_members(_jigsaw(rows, n), value)
    digits = np.zeros((n, n), dtype=np.uint8)
    marks = np.ones((n, n, n), dtype=np.bool_)
    for r, c in np.ndindex(n, n):
        refuse(rows[r][c], SILENT_IN_CELLS, f"the cell in {place_of(r, c)}")
        digits[r, c] = _given(rows[r][c], marks[r, c], place_of(r, c))
    return request.with_layout(layout).puzzle(digits, "fpuzzles", line, marks)


def _squared(value: Any, n: int) -> list[list[Any]]:
    rows: list[list[Any]] = value if isinstance(value, list) else []
    if len(rows) != n or not all(isinstance(row, list) and len(row) == n for row in rows):
        raise ValueError(f"the grid has not {n} rows of {n} cells")
    return rows


def _digit(value: Any, n: int, place: str) -> int:
    """Returns a number or a text of one or two digits as a number; raises ValueError."""
    text = str(value) if type(value) in (int, str) else ""
    if not re.fullmatch("[0-9]{1,2}", text) or not 1 <= int(text) <= n:
        raise ValueError(f"{clip(repr(value))} in {place} is not a digit from 1 to {n}")
    return int(text)


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


def _jigsaw(rows: Sequence[Sequence[Any]], n: int) -> Layout:
    """Returns the layout of the cells' regions; a cell without one is in its usual box."""
    height, width = usual_box(n)
    names = [[r // height * height + c // width for c in range(n)] for r in range(n)]
    for r, c in np.ndindex(n, n):
        if isinstance(rows[r][c], Mapping):
            names[r][c] = rows[r][c].get("region", names[r][c])
        if type(names[r][c]) is not int:
            raise ValueError(f"the cell in {place_of(r, c)} is in the region {clip(repr(names[r][c]))}")
    layout = Layout.jigsaw(names)
    return layout if layout.box is None else Layout.boxes(*layout.box)


def fpuzzles_value(puzzle: Puzzle) -> Value:
    """Returns a puzzle as an object of f-puzzles; a ValueError names a rule that this cannot say."""
    n = puzzle.layout.size
    grid = [[_cell(puzzle, r, c) for c in range(n)] for r in range(n)]
    value = {"size": n, "grid": grid, **members_of(puzzle.layout)}
    back = fpuzzle(json.loads(json.dumps(value)), Request(puzzle.layout, puzzle.file), puzzle.line)
    if less := next(lost(puzzle.layout, back.layout), ""):
        raise ValueError(f"the form cannot represent the {less}")
    if more := next(lost(back.layout, puzzle.layout), ""):
        raise ValueError(f"the form cannot represent this puzzle without the {more}")
    if not np.array_equal(all_candidates(puzzle), all_candidates(back)):
        raise ValueError("the form cannot represent these candidates")
    return value


def _cell(puzzle: Puzzle, r: int, c: int) -> Value:
    """Returns the members of a cell."""
    n = puzzle.layout.size
    boxes = [k for k, region in enumerate(puzzle.layout.regions) if region.kind == "box" and (r, c) in region.cells]
    if len(boxes) != 1:
        where = f"{place_of(r, c)} is in {len(boxes)} boxes instead of one"
        raise ValueError(f"the form cannot represent the regions: {where}")
    cell: Value = {} if puzzle.layout.box == usual_box(n) else {"region": boxes[0] - 2 * n}
    if digit := int(puzzle.grid[r, c]):
        return cell | {"value": digit, "given": True}
    marks = None if puzzle.candidates is None else (np.flatnonzero(puzzle.candidates[r, c]) + 1).tolist()
    if marks == []:
        raise ValueError(f"the cell in {place_of(r, c)} has no candidate, which f-puzzles cannot say")
    return cell if marks is None or len(marks) == n else cell | {"givenPencilMarks": marks}
