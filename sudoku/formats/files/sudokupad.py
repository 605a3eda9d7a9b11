"""Puzzles of SudokuPad, as JSON: https://sudokupad.app, whose files have no published description.

Rules are drawn there, and said in words for people; so a puzzle with anything drawn in it is an error that names it.
Cages without cells have the title, the author and the rules in words: a rule that stands in these words only is not
seen. Marks in cells are notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sudoku.formats.asked import Asked
from sudoku.formats.files.constraints import refuse
from sudoku.formats.files.fpuzzles import digit_of, made, regions_layout, squared
from sudoku.formats.signs import clip
from sudoku.grid import Puzzle
from sudoku.layout import MAX_SIZE

SILENT = frozenset({"id", "cellSize", "metadata", "cells", "regions", "cages", "settings"})
SILENT_IN_CELLS = frozenset({"value", "given", "pencilMarks", "centremarks", "cornermarks", "candidates"})
SILENT_METADATA = frozenset({"title", "author", "rules", "source", "solution", "msgcorrect", "msgincorrect", "video"})
SILENT_IN_CAGES = frozenset({"value", "cells"})


def sudokupad(value: Mapping[str, Any], asked: Asked, line: int) -> Puzzle:
    """The puzzle that an object is.

    Raises:
        ValueError: it has something that is not supported, or is malformed, or another layout was asked for.
    """
    refuse(value, SILENT, "the puzzle")
    metadata = value.get("metadata") or {}
    refuse(metadata, SILENT_METADATA, "the metadata")
    solution = metadata.get("solution") or _words(value.get("cages") or []).get("solution")
    n = len(value["cells"]) if isinstance(value["cells"], list) else 0
    if not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the puzzle has {n} rows, which is not between 2 and {MAX_SIZE}")
    rows = squared(value["cells"], n)
    digits = np.zeros((n, n), dtype=np.uint8)
    for r, c in np.ndindex(n, n):
        refuse(rows[r][c], SILENT_IN_CELLS, f"the cell in row {r + 1}, column {c + 1}")
        if rows[r][c].get("value"):
            digits[r, c] = digit_of(rows[r][c]["value"], n, (r, c))
    layout = regions_layout(_regions(value.get("regions"), n))
    return made(digits, np.ones((n, n, n), dtype=np.bool_), layout, solution, asked, line, sudokupad=True)


def _words(cages: Any) -> dict[str, str]:
    """What is said in words, by cages without cells; a cage with cells is a rule.

    >>> _words([{"value": "title: First steps"}])
    {'title': 'First steps'}
    """
    words: dict[str, str] = {}
    for cage in cages if isinstance(cages, list) else [cages]:
        refuse(cage, SILENT_IN_CAGES, "a cage")
        name, colon, text = str(cage.get("value", "")).partition(":")
        if cage.get("cells") or not colon or name.strip() not in SILENT_METADATA:
            raise ValueError(f"the puzzle has what is not supported: a cage, {clip(repr(cage))}")
        words[name.strip()] = text.strip()
    return words


def _regions(regions: Any, n: int) -> list[list[int]]:
    """The number of each cell's region."""
    if not isinstance(regions, list) or not regions:
        raise ValueError("the puzzle does not say what its regions are")
    found = [[-1] * n for _ in range(n)]
    for k, region in enumerate(regions):
        for cell in region if isinstance(region, list) else [region]:
            pair: list[int] = cell if isinstance(cell, list) and len(cell) == 2 else [-1, -1]
            if not all(isinstance(x, int) and not isinstance(x, bool) and 0 <= x < n for x in pair):
                raise ValueError(f"region {k + 1} has {clip(repr(cell))}, which is no cell [row, column] from 0")
            r, c = pair
            if found[r][c] != -1:
                raise ValueError(f"the cell in row {r + 1}, column {c + 1} is in two regions")
            found[r][c] = k
    for r, c in np.ndindex(n, n):
        if found[r][c] == -1:
            raise ValueError(f"the cell in row {r + 1}, column {c + 1} is in no region")
    return found
