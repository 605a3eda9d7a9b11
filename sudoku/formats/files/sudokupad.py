"""Puzzles of SudokuPad, as JSON: https://sudokupad.app, whose files have no published description.

Rules are drawn there, and said in words for people; so a puzzle with anything drawn in it is an error that names it,
but for cages with a number, which is their sum. As in killer sudoku they have no digit twice; one that says that they
may is refused. Cages without cells have the title, the author and the rules in words: a rule that stands in these
words only is not seen. Marks in cells are notes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from sudoku.formats.files.constraints import member, refuse, with_cages
from sudoku.formats.files.fpuzzles import digit_of, made, regions_layout, squared
from sudoku.formats.request import Asked
from sudoku.formats.signs import clip
from sudoku.grid import Puzzle
from sudoku.layout import MAX_SIZE, Cell

SILENT = frozenset({"id", "cellSize", "metadata", "cells", "regions", "cages", "settings"})
SILENT_IN_CELLS = frozenset({"value", "given", "pencilMarks", "centremarks", "cornermarks", "candidates"})
SILENT_METADATA = frozenset({"title", "author", "rules", "source", "solution", "msgcorrect", "msgincorrect", "video"})
SILENT_IN_CAGES = frozenset({"value", "cells", "unique", "outlineC", "fontC"})

_TOTAL = re.compile("[0-9]{1,4}")


def sudokupad(value: Mapping[str, Any], asked: Asked, line: int) -> Puzzle:
    """Returns the puzzle of an object; a ValueError names what is malformed or not supported."""
    refuse(value, SILENT, "the puzzle")
    words, cages = _told(member(value, "cages", "the puzzle", list) or [])
    metadata = member(value, "metadata", "the puzzle", dict) or {}
    refuse(metadata, SILENT_METADATA, "the metadata")
    solution = member(metadata, "solution", "the metadata", list, str) or words.get("solution")
    n = len(value["cells"]) if isinstance(value["cells"], list) else 0
    if not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the puzzle has {n} rows, which is not between 2 and {MAX_SIZE}")
    rows = squared(value["cells"], n)
    digits = np.zeros((n, n), dtype=np.uint8)
    for r, c in np.ndindex(n, n):
        what = f"the cell in row {r + 1}, column {c + 1}"
        refuse(rows[r][c], SILENT_IN_CELLS, what)
        member(rows[r][c], "given", what, bool)
        if digit := member(rows[r][c], "value", what, int, str):
            digits[r, c] = digit_of(digit, n, (r, c))
    layout = with_cages(
        regions_layout(_regions(value.get("regions"), n)),
        [(total, _cage_cells(cells, n)) for total, cells in cages],
    )
    return made(digits, np.ones((n, n, n), dtype=np.bool_), layout, solution, asked, line, sudokupad=True)


def _told(cages: list[Any]) -> tuple[dict[str, str], list[tuple[int | None, Any]]]:
    """Divides cages into words, which have no cells, and sums, each with its total, if there is one, and its cells."""
    words: dict[str, str] = {}
    sums: list[tuple[int | None, Any]] = []
    for cage in cages:
        refuse(cage, SILENT_IN_CAGES, "a cage")
        total, unique = member(cage, "value", "a cage", int, str), member(cage, "unique", "a cage", bool)
        said = "" if total is None else str(total)
        name, colon, text = said.partition(":")
        if not cage.get("cells") and colon and name.strip() in SILENT_METADATA:
            words[name.strip()] = text.strip()
        elif cage.get("cells") and unique is not False and (_TOTAL.fullmatch(said) or (unique and not said)):
            sums.append((int(said) if said else None, cage["cells"]))
        else:
            raise ValueError(f"the puzzle has what is not supported: a cage, {clip(repr(cage))}")
    return words, sums


def _cage_cells(cells: Any, n: int) -> list[Cell]:
    """Returns the cells of a cage, each of them once."""
    found: list[Cell] = []
    for cell in cells if isinstance(cells, list) else [cells]:
        pair = _pair(cell, n)
        if pair is None or pair in found:
            fault = "which is there twice" if pair else "which is no cell [row, column] from 0"
            raise ValueError(f"a cage has {clip(repr(cell))}, {fault}")
        found.append(pair)
    return found


def _pair(cell: Any, n: int) -> Cell | None:
    """Returns a cell [row, column] from 0, or None if it is none of the grid."""
    pair = cell if isinstance(cell, list) and len(cell) == 2 else [-1, -1]
    there = all(isinstance(x, int) and not isinstance(x, bool) and 0 <= x < n for x in pair)
    return (pair[0], pair[1]) if there else None


def _regions(regions: Any, n: int) -> list[list[int]]:
    """Returns the number of each cell's region."""
    if not isinstance(regions, list) or not regions:
        raise ValueError("the puzzle does not say what its regions are")
    found = [[-1] * n for _ in range(n)]
    for k, region in enumerate(regions):
        for cell in region if isinstance(region, list) else [region]:
            pair = _pair(cell, n)
            if pair is None:
                raise ValueError(f"region {k + 1} has {clip(repr(cell))}, which is no cell [row, column] from 0")
            r, c = pair
            if found[r][c] != -1:
                raise ValueError(f"the cell in row {r + 1}, column {c + 1} is in two regions")
            found[r][c] = k
    for r, c in np.ndindex(n, n):
        if found[r][c] == -1:
            raise ValueError(f"the cell in row {r + 1}, column {c + 1} is in no region")
    return found
