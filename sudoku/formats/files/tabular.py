"""Tables, as the large public sets of puzzles are: a line with the names of the columns, and a line for each puzzle.

The columns may be in any order. Puzzles, and solutions if there are any, are in the line form; what other columns have,
a number or a level, says nothing about the grid. An empty line ends the table.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from sudoku.formats.line import Line
from sudoku.formats.request import LONGEST_LINE, Asked, File, Found, solution_fault
from sudoku.formats.signs import quoted
from sudoku.grid import Grid, Puzzle

_TITLES = frozenset({"grid", "grids", "board", "boards", "givens"})  # words that are no table by themselves
PUZZLES = _TITLES | {"puzzle", "puzzles", "quiz", "quizzes", "question", "questions", "problem", "problems", "sudoku"}
SOLUTIONS = frozenset({"solution", "solutions", "answer", "answers"})
_BETWEEN = ",;\t"


def split(text: str, between: str) -> list[str] | None:
    """Returns the fields of a line; None if its quotes are wrong."""
    try:
        fields = next(csv.reader([text], delimiter=between, strict=True), [])
    except csv.Error:
        return None
    return [field.strip() for field in fields]


class Columns(NamedTuple):
    between: str  # what stands between columns
    number: int  # how many there are
    puzzle: int  # which one has the puzzles, from 0
    solution: int | None  # which one has their solutions, or None


def columns_of(text: str) -> Columns | None:
    """Returns the columns of a table, if a line has their names and one is of puzzles; a ValueError if several are.

    A single name is one in lower case only: `Sudoku` is a title, and so is `grid`.
    """
    for between in _BETWEEN:
        names = split(text.strip(), between) or []
        lower = [name.lower() for name in names]
        alone = names == lower and _TITLES.isdisjoint(lower)
        if not PUZZLES.isdisjoint(lower) and (len(names) > 1 or alone) and not any(map(_is_grid, names)):
            return Columns(between, len(names), _only(lower, PUZZLES) or 0, _only(lower, SOLUTIONS))
    return None


def _is_grid(name: str) -> bool:
    """Tells whether what stands in the place of a name is a grid: `sudoku,53..7....` is no heading."""
    return len(name) > 15 and not any(char.isalpha() for char in name)


def is_heading(text: str) -> bool:
    """Tells whether a line has the names of columns, and one at least is of puzzles."""
    try:
        return columns_of(text) is not None
    except ValueError:
        return True


def _only(names: Sequence[str], known: frozenset[str]) -> int | None:
    found = [k for k, name in enumerate(names) if name in known]
    if len(found) > 1:
        several = " or ".join(quoted(names[k]) for k in found)
        raise ValueError(f"the column may be {several}; name one of them otherwise")
    return found[0] if found else None


class Table(File):
    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self.form = Line.of(asked.layout.size, asked.alphabet)
        self.columns: Columns | None = None  # where it has what, as soon as its heading has been read
        self._last = 0  # line that was looked at

    def take(self, line: int, piece: str) -> Iterator[Found]:
        """Reads a line; of one that comes in pieces only the first one is looked at, since it is too long."""
        if line == self._last:
            return
        self._last = line
        if self.columns is None:
            yield from self._begin(line, piece)
        elif not piece.strip():
            self.over = True
        elif len(piece) >= LONGEST_LINE:
            yield self.asked.error(line, f"the line has at least {LONGEST_LINE} characters")
        else:
            yield self.asked.made(line, partial(self._row, line, piece.strip("\r\n"), self.columns))

    def _begin(self, line: int, piece: str) -> Iterator[Found]:
        try:
            self.columns = columns_of(piece)
            if self.columns is None:
                known = ", ".join(sorted(PUZZLES))
                raise ValueError(f"{quoted(piece.strip())} names no column of puzzles, such as {known}")
        except ValueError as error:
            self.over = True
            yield self.asked.error(line, str(error))

    def _row(self, line: int, text: str, columns: Columns) -> Puzzle:
        fields = split(text, columns.between)
        if fields is None:
            raise ValueError("the line has a quote that does not end, or text behind one that does")
        if len(fields) != columns.number:
            raise ValueError(f"the line has {len(fields)} columns instead of {columns.number}")
        grid = self._grid(fields[columns.puzzle], "puzzle")
        if columns.solution is not None and fields[columns.solution]:  # which may be empty
            solution = self._grid(fields[columns.solution], "solution")
            if fault := solution_fault(grid, solution, self.asked.layout, whole=True):
                raise ValueError(fault)
        return self.asked.puzzle(grid, "csv", line)

    def _grid(self, cells: str, what: str) -> Grid:
        if self.form.cells(cells) != cells:
            raise ValueError(f"the {what} is wrong: {self.form.fault(cells)}")
        return self.form.grid(cells)
