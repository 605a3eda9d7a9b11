"""Puzzles of f-puzzles.com, as JSON: https://www.f-puzzles.com, whose files have no published description.

The tables of `sudoku.formats.files.constraints` say which rules can be read, and how each changes the layout;
`SILENT` names the members without a meaning for completions. Any other member is an error that names it, unless it is
empty or false. The title, the author and the rules in words are for people: a rule that stands in these words only is
not seen.

What a person has filled in is a blank with one candidate. Marks in the centre or a corner of a cell are notes, and
given marks are all candidates of their cell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np

from sudoku.formats.files.constraints import FLAGS, PARITIES, RULES, member, parities_of, refuse, with_rules
from sudoku.formats.files.file import solution_fault
from sudoku.formats.request import Asked
from sudoku.formats.signs import clip
from sudoku.grid import Candidates, Puzzle
from sudoku.layout import MAX_SIZE, Cell, Layout, as_layout

SILENT = frozenset({"size", "grid", "solution", "title", "author", "ruleset", "highlightConflicts"})
SILENT |= {"disabledlogic", "truecandidatesoptions", "successMessage", "activeConstraints"}
SILENT_IN_CELLS = frozenset({"value", "given", "region", "givenPencilMarks"})
SILENT_IN_CELLS |= {"centerPencilMarks", "cornerPencilMarks", "c", "cArray", "highlight"}


def fpuzzle(value: Mapping[str, Any], asked: Asked, line: int) -> Puzzle:
    """Returns the puzzle of an object; a ValueError names what is malformed or not supported."""
    refuse(value, SILENT | FLAGS.keys() | RULES.keys() | PARITIES.keys(), "the puzzle")
    n = value["size"]
    if not isinstance(n, int) or isinstance(n, bool) or not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the size {clip(repr(n))} is not between 2 and {MAX_SIZE}")
    rows = squared(value["grid"], n)
    layout = with_rules(regions_layout(_regions(rows, n)), value)
    digits = np.zeros((n, n), dtype=np.uint8)
    allowed = parities_of(value, n)
    marks = np.ones((n, n, n), dtype=np.bool_)
    for r, c in np.ndindex(n, n):
        refuse(rows[r][c], SILENT_IN_CELLS, f"the cell in row {r + 1}, column {c + 1}")
        digits[r, c] = _cell(rows[r][c], marks[r, c], (r, c))
    solution = member(value, "solution", "the puzzle", list, str) or ()
    puzzle = made(digits, marks & allowed, layout, solution, asked, line)
    for k, one in enumerate(solution):
        (r, c), digit = divmod(k, n), _digit(one, n)
        if digit and not allowed[r, c, digit - 1]:
            parity = "even" if digit % 2 else "odd"
            raise ValueError(f"the solution has {digit} in row {r + 1}, column {c + 1}, where it should be {parity}")
    return puzzle


def made(
    digits: Any, marks: Candidates, layout: Layout, solution: Any, asked: Asked, line: int, sudokupad: bool = False
) -> Puzzle:
    """Returns the puzzle with its solution, if there is any, and its layout checked."""
    if asked.chosen and layout != asked.layout:
        raise ValueError(f"the puzzle has the {layout!r}, and not the {asked.layout!r} that was asked for")
    puzzle = asked.puzzle(digits, "sudokupad" if sudokupad else "fpuzzles", line, marks, layout)
    if solution:
        cells = [_digit(one, layout.size) for one in solution]
        if len(cells) != layout.size**2:
            raise ValueError(f"the solution has {len(cells)} cells instead of {layout.size**2}")
        if fault := solution_fault(puzzle.grid, np.array(cells).reshape(puzzle.grid.shape), layout):
            raise ValueError(fault)
    return puzzle


def _digit(value: Any, n: int) -> int:
    """Returns a digit of a solution; 0 where it says nothing, as one sign that is no digit does."""
    text = str(value) if type(value) in (int, str) else ""
    digit = int(text) if re.fullmatch("[0-9]{1,2}", text) else 0 if len(text) == 1 or value in (None, "") else n + 1
    if digit > n:
        raise ValueError(f"the solution has {clip(repr(value))} instead of a digit from 1 to {n} or a blank")
    return digit


def squared(value: Any, n: int) -> Sequence[Sequence[Any]]:
    """Returns a list of n lists of n, whatever they hold; a ValueError if it is none."""
    if not isinstance(value, list) or len(value) != n:
        raise ValueError(f"the puzzle has not {n} rows")
    for r, row in enumerate(value, 1):
        if not isinstance(row, list) or len(row) != n:
            raise ValueError(f"row {r} is {clip(repr(row))} instead of {n} cells")
    return value


def _cell(cell: Mapping[str, Any], marks: Candidates, place: Cell) -> int:
    """Returns the given of a cell, or 0; and what may be there, which is noted in `marks`, shape (n,)."""
    what = f"the cell in row {place[0] + 1}, column {place[1] + 1}"
    if given_marks := member(cell, "givenPencilMarks", what, list, int, str):
        marks[:] = False
        for mark in given_marks if isinstance(given_marks, list) else [given_marks]:
            marks[digit_of(mark, len(marks), place) - 1] = True
    if not member(cell, "value", what, int, str):
        return 0
    digit = digit_of(cell["value"], len(marks), place)
    if not member(cell, "given", what, bool):
        marks &= np.arange(1, len(marks) + 1) == digit
        return 0
    return digit


def digit_of(value: Any, n: int, place: Cell) -> int:
    """Returns the digit of a number or a text in a cell; a ValueError if it is none."""
    text = str(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
    if not re.fullmatch("[0-9]{1,2}", text) or not 1 <= int(text) <= n:
        where = f"in row {place[0] + 1}, column {place[1] + 1}"
        raise ValueError(f"{clip(repr(value))} {where} is not a digit from 1 to {n}")
    return int(text)


def _regions(rows: Sequence[Sequence[Any]], n: int) -> list[list[int]]:
    """Returns the number of each cell's region, where it has one by itself; the others are those of the usual boxes."""
    height = next(k for k in range(isqrt(n), 0, -1) if n % k == 0)
    width = n // height
    found = [[r // height * height + c // width for c in range(n)] for r in range(n)]
    for r, c in np.ndindex(n, n):
        cell = rows[r][c]
        own = cell.get("region", found[r][c]) if isinstance(cell, Mapping) else found[r][c]
        if not isinstance(own, int) or isinstance(own, bool):
            raise ValueError(f"the cell in row {r + 1}, column {c + 1} is in the region {clip(repr(own))}")
        found[r][c] = own
    return found


def regions_layout(regions: list[list[int]]) -> Layout:
    """Returns the layout of some regions of n cells each: boxes, if that is what they are."""
    n = len(regions)
    layout = Layout.jigsaw(regions)
    cells = {region.cells for region in layout.regions[2 * n :]}
    for height in range(1, n + 1):
        if n % height == 0:
            boxes = as_layout((height, n // height))
            if cells == {region.cells for region in boxes.regions[2 * n :]}:
                return boxes
    return layout
