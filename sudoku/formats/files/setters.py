"""Puzzles of f-puzzles.com and sudokupad.app, as JSON, in files that have no published description.

`sudoku/formats/files/fpuzzles.py` says which rules of f-puzzles can be read; a rule that is there in a way that has no
equal here, such as an arrow whose circle has three cells, is refused. In SudokuPad rules are drawn, and said in words;
so anything drawn is refused, but for cages with a number, which is their sum. As in killer sudoku they have no digit
twice; one that says that they may is refused. A cage without cells has the title, the author or the rules in words.

`SILENT` and its like name the members without a meaning for completions; any other member is an error that names it,
unless it is null, false, 0 or empty. A rule that stands in words only is not seen.

In f-puzzles a cell is blank unless its value is `given`: other values have been filled in to try, and the solver beside
f-puzzles (D. Clamage, https://github.com/dclamage/SudokuSolver) takes no notice of them to find and count completions.
Given marks are all candidates of their cell, all other marks are notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import isqrt
from typing import Any

import numpy as np

from sudoku.constraints import Cell
from sudoku.formats.files.fpuzzles import FLAGS, PICTURES, RULES, TOTAL, added, caged, with_rules
from sudoku.formats.files.meaning import same_rules
from sudoku.formats.files.members import member, refuse
from sudoku.formats.request import Asked, place_of, solution_fault
from sudoku.formats.signs import clip
from sudoku.grid import Candidates, Form, Puzzle
from sudoku.layout import MAX_SIZE, Box, Layout, as_layout

SILENT = frozenset({"size", "grid", "solution", "title", "author", "ruleset", "highlightConflicts"})
SILENT |= {"disabledlogic", "truecandidatesoptions", "successMessage", "activeConstraints"}
SILENT_IN_CELLS = frozenset({"value", "given", "region", "givenPencilMarks"})
SILENT_IN_CELLS |= {"centerPencilMarks", "cornerPencilMarks", "c", "cArray", "highlight"}

# The same of SudokuPad.
PAD_SILENT = frozenset({"id", "cellSize", "metadata", "cells", "regions", "cages", "settings"})
PAD_SILENT_IN_CELLS = frozenset({"value", "given", "pencilMarks", "centremarks", "cornermarks", "candidates"})
PAD_METADATA = frozenset({"title", "author", "rules", "source", "solution", "msgcorrect", "msgincorrect", "video"})
PAD_SILENT_IN_CAGES = frozenset({"value", "cells", "unique", "outlineC", "fontC"})


def fpuzzle(value: Mapping[str, Any], asked: Asked, line: int) -> Puzzle:
    """Returns the puzzle of an object of f-puzzles; a ValueError names what is malformed or not supported."""
    refuse(value, SILENT | FLAGS.keys() | {*RULES, *PICTURES, "negative"}, "the puzzle")
    n = value["size"]
    if not isinstance(n, int) or isinstance(n, bool) or not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the size {clip(repr(n))} is not between 2 and {MAX_SIZE}")
    rows = _squared(value["grid"], n)
    layout = with_rules(_by_regions(_regions(rows, n)), value)
    digits = np.zeros((n, n), dtype=np.uint8)
    marks = np.ones((n, n, n), dtype=np.bool_)
    for r, c in np.ndindex(n, n):
        refuse(rows[r][c], SILENT_IN_CELLS, f"the cell in {place_of(r, c)}")
        digits[r, c] = _given(rows[r][c], marks[r, c], place_of(r, c))
    solution = member(value, "solution", "the puzzle", list, str) or ()
    return _made("fpuzzles", digits, marks, layout, solution, asked, line)


def sudokupad(value: Mapping[str, Any], asked: Asked, line: int) -> Puzzle:
    """Returns the puzzle of an object of SudokuPad; a ValueError names what is malformed or not supported."""
    refuse(value, PAD_SILENT, "the puzzle")
    words, cages = _words_and_cages(member(value, "cages", "the puzzle", list) or [])
    metadata = member(value, "metadata", "the puzzle", dict) or {}
    refuse(metadata, PAD_METADATA, "the metadata")
    solution = member(metadata, "solution", "the metadata", list, str) or words.get("solution")
    n = len(value["cells"]) if isinstance(value["cells"], list) else 0
    if not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the puzzle has {n} rows, which is not between 2 and {MAX_SIZE}")
    rows = _squared(value["cells"], n)
    digits = np.zeros((n, n), dtype=np.uint8)
    for r, c in np.ndindex(n, n):
        what = f"the cell in {place_of(r, c)}"
        refuse(rows[r][c], PAD_SILENT_IN_CELLS, what)
        member(rows[r][c], "given", what, bool)
        if digit := member(rows[r][c], "value", what, int, str):
            digits[r, c] = _digit(digit, n, place_of(r, c))
    layout = _by_regions(_drawn_regions(value.get("regions"), n))
    layout = added(layout, [caged(total, _drawn_cage(cells, n)) for total, cells in cages])
    return _made("sudokupad", digits, np.ones((n, n, n), dtype=np.bool_), layout, solution, asked, line)


def _made(form: Form, digits: Any, marks: Candidates, layout: Layout, solution: Any, asked: Asked, line: int) -> Puzzle:
    if asked.chosen and not same_rules(layout, asked.layout):
        raise ValueError(f"the puzzle has the {layout!r}, and not the {asked.layout!r} that was asked for")
    puzzle = asked._replace(layout=layout).puzzle(digits, form, line, marks)
    if solution:
        cells = [_digit_of_solution(one, layout.size) for one in solution]
        if len(cells) != layout.size**2:
            raise ValueError(f"the solution has {len(cells)} cells instead of {layout.size**2}")
        if fault := solution_fault(puzzle.grid, np.array(cells).reshape(puzzle.grid.shape), layout):
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


def _drawn_regions(regions: Any, n: int) -> list[list[int]]:
    if not isinstance(regions, list) or not regions:
        raise ValueError("the puzzle does not say what its regions are")
    found: dict[Cell, int] = {}
    for k, region in enumerate(regions):
        for cell in _drawn_cells(region, n, f"region {k + 1}"):
            if cell in found:
                raise ValueError(f"the cell in {place_of(*cell)} is in two regions")
            found[cell] = k
    for r, c in np.ndindex(n, n):
        if (r, c) not in found:
            raise ValueError(f"the cell in {place_of(r, c)} is in no region")
    return [[found[r, c] for c in range(n)] for r in range(n)]


def _by_regions(regions: list[list[int]]) -> Layout:
    """Returns the layout of some regions of n cells each: boxes, if that is what they are."""
    n, layout = len(regions), Layout.jigsaw(regions)
    cells = {region.cells for region in layout.regions[2 * n :]}
    usual = (as_layout((height, n // height)) for height in range(1, n + 1) if n % height == 0)
    return next((boxes for boxes in usual if cells == {region.cells for region in boxes.regions[2 * n :]}), layout)


def _words_and_cages(cages: list[Any]) -> tuple[dict[str, str], list[tuple[int | None, Any]]]:
    """Divides cages into words, which have no cells, and cages with their totals, if they have one, and their cells."""
    words: dict[str, str] = {}
    found: list[tuple[int | None, Any]] = []
    for cage in cages:
        refuse(cage, PAD_SILENT_IN_CAGES, "a cage")
        total, unique = member(cage, "value", "a cage", int, str), member(cage, "unique", "a cage", bool)
        said, cells = "" if total is None else str(total), cage.get("cells")
        name, colon, text = said.partition(":")
        if not cells and colon and name.strip() in PAD_METADATA:
            words[name.strip()] = text.strip()
        elif cells and unique is not False and (TOTAL.fullmatch(said) or (unique and not said)):
            found.append((int(said) if said else None, cells))
        else:
            raise ValueError(f"the puzzle has what is not supported: a cage, {clip(repr(cage))}")
    return words, found


def _drawn_cage(cells: Any, n: int) -> list[Cell]:
    found = list(_drawn_cells(cells, n, "a cage"))
    for k, cell in enumerate(found):
        if cell in found[:k]:
            raise ValueError(f"a cage has {clip(repr([*cell]))}, which is there twice")
    return found


def _drawn_cells(cells: Any, n: int, owner: str) -> Iterator[Cell]:
    for cell in cells if isinstance(cells, list) else [cells]:
        pair = cell if isinstance(cell, list) and len(cell) == 2 else [-1, -1]
        if not all(type(x) is int and 0 <= x < n for x in pair):
            raise ValueError(f"{owner} has {clip(repr(cell))}, which is no cell [row, column] from 0")
        yield pair[0], pair[1]
