"""Tables, as the large public sets of puzzles are: a line with the names of the columns, and a line for each puzzle.

The columns may be in any order. Puzzles and solutions are in the line form. Other columns are skipped. An empty line
ends the table.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import NamedTuple

from sudoku.formats.request import Asked, Found, solution_fault
from sudoku.formats.signs import LONGEST_LINE, Signs, quoted
from sudoku.grid import Grid, Puzzle

_TITLES = frozenset({"grid", "grids", "board", "boards", "givens"})  # words that are no table by themselves
PUZZLES = _TITLES | {"puzzle", "puzzles", "quiz", "quizzes", "question", "questions", "problem", "problems", "sudoku"}
SOLUTIONS = frozenset({"solution", "solutions", "answer", "answers"})


class Columns(NamedTuple):
    """The columns of a table, counted from 0."""

    between: str  # the sign between columns
    number: int
    puzzle: int
    solution: int | None


def columns_of(text: str) -> Columns | None:
    """Returns the columns of a line of names if one has puzzles; a ValueError if several have.

    A name alone in its line is one in lower case only: `Sudoku` is a title, and so is `grid`.
    """
    for between in ",;\t":
        names = [name.strip(' "') for name in text.strip().split(between)]
        lower = [name.lower() for name in names]
        alone = names == lower and _TITLES.isdisjoint(lower)
        if not PUZZLES.isdisjoint(lower) and (len(names) > 1 or alone) and all(map(_may_be_name, names)):
            return Columns(between, len(names), _only(lower, PUZZLES) or 0, _only(lower, SOLUTIONS))
    return None


def _may_be_name(name: str) -> bool:
    return not name[:1].isdigit() and len(name) <= 40 and (len(name) < 16 or any(map(str.isalpha, name)))


def _only(names: Sequence[str], known: frozenset[str]) -> int | None:
    found = [k for k, name in enumerate(names) if name in known]
    if len(found) > 1:
        several = " or ".join(quoted(names[k]) for k in found)
        raise ValueError(f"the column may be {several}; name one of them otherwise")
    return found[0] if found else None


class Table:
    """Reads the lines below the names of the columns."""

    def __init__(self, asked: Asked, signs: Signs, columns: Columns) -> None:
        self.asked, self.signs, self.columns = asked, signs, columns

    def read(self, line: int, text: str) -> Found:
        """Returns the puzzle of a line, or its error."""
        return self.asked.made(line, lambda: self._puzzle(line, text.strip("\r\n")))

    def _puzzle(self, line: int, text: str) -> Puzzle:
        if len(text) >= LONGEST_LINE:
            raise ValueError(f"the line has at least {LONGEST_LINE} characters")
        try:
            fields = next(csv.reader([text], delimiter=self.columns.between, strict=True), [])
        except csv.Error:
            raise ValueError("the line has a quote that does not end, or text behind one that does") from None
        if len(fields) != self.columns.number:
            raise ValueError(f"the line has {len(fields)} columns instead of {self.columns.number}")
        grid = self._grid(fields[self.columns.puzzle], "puzzle")
        solution = "" if self.columns.solution is None else fields[self.columns.solution].strip()
        if solution and (
            fault := solution_fault(grid, self._grid(solution, "solution"), self.asked.layout, whole=True)
        ):
            raise ValueError(fault)
        return self.asked.puzzle(grid, "csv", line)

    def _grid(self, field: str, what: str) -> Grid:
        cells = field.strip()
        if len(cells) != self.signs.cells or cells.strip(self.signs.signs):
            raise ValueError(f"the {what} is wrong: {self.signs.line_fault(cells)}")
        return self.signs.whole(cells)
