"""Tables, as the large public sets of puzzles are: a line with the names of the columns, and a line for each puzzle.

The columns may be in any order. Puzzles, and solutions if there are any, are in the line form; what other columns have,
a number or a level, says nothing about the grid. An empty line ends the table.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from sudoku.formats.asked import Asked
from sudoku.formats.files.file import Found, blank_fault, solution_fault
from sudoku.formats.line import Line
from sudoku.formats.lines import LONGEST_LINE
from sudoku.formats.signs import quoted
from sudoku.grid import Grid

PUZZLES = frozenset({"puzzle", "puzzles", "quiz", "quizzes", "question", "questions", "problem", "problems", "sudoku"})
SOLUTIONS = frozenset({"solution", "solutions", "answer", "answers"})
_BETWEEN = ",;\t"


def split(text: str, between: str) -> list[str] | None:
    """The fields of a line; None if its quotes are wrong."""
    try:
        fields = next(csv.reader([text], delimiter=between, strict=True), [])
    except csv.Error:
        return None
    return [field.strip() for field in fields]


def header(text: str) -> tuple[str, list[str]] | None:
    """What stands between columns, and their names in lower case, if a line has these and one is of puzzles.

    A single name is one in lower case only: `Sudoku` is a title.

    >>> header("id,Puzzle,Solution"), header("quizzes;solutions"), header("Sudoku"), header("name,grid")
    ((',', ['id', 'puzzle', 'solution']), (';', ['quizzes', 'solutions']), None, None)
    """
    for between in _BETWEEN:
        names = split(text.strip(), between) or []
        lower = [name.lower() for name in names]
        if not PUZZLES.isdisjoint(lower) and (len(names) > 1 or names == lower):
            return between, lower
    return None


class Table:
    """The lines of a table."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.form = asked, Line.of(asked.layout.size, asked.alphabet)
        self.over = self.waits = False
        self._line = 0
        self._columns: tuple[int, int | None] | None = None  # of puzzles and of solutions

    def take(self, line: int, piece: str) -> Iterator[Found]:
        """Reads a line; of one that comes in pieces only the first one is looked at, since it is too long."""
        if line == self._line:
            return
        self._line = line
        if self._columns is None:
            yield from self._begin(line, piece)
        elif not piece.strip():
            self.over = True
        elif len(piece) >= LONGEST_LINE:
            yield self.asked.error(line, f"the line has at least {LONGEST_LINE} characters")
        else:
            yield self._row(line, split(piece.strip("\r\n"), self._between))

    def close(self) -> Iterator[Found]:
        """Ends the table, which may end anywhere."""
        yield from ()

    def _begin(self, line: int, piece: str) -> Iterator[Found]:
        found = header(piece)
        if found is None:
            self.over = True
            known = ", ".join(sorted(PUZZLES))
            yield self.asked.error(line, f"{quoted(piece.strip())} names no column of puzzles, such as {known}")
            return
        self._between, self._names = found
        puzzles = [k for k, name in enumerate(self._names) if name in PUZZLES]
        solutions = [k for k, name in enumerate(self._names) if name in SOLUTIONS]
        for several in (puzzles, solutions):
            if len(several) > 1:
                self.over = True
                names = " or ".join(quoted(self._names[k]) for k in several)
                yield self.asked.error(line, f"the column may be {names}; name one of them otherwise")
        self._columns = puzzles[0], solutions[0] if solutions else None

    def _row(self, line: int, fields: Sequence[str] | None) -> Found:
        assert self._columns is not None
        if fields is None:
            return self.asked.error(line, "the line has a quote that does not end, or text behind one that does")
        if len(fields) != len(self._names):
            return self.asked.error(line, f"the line has {len(fields)} columns instead of {len(self._names)}")
        of_puzzle, of_solution = self._columns
        try:
            grid = self._grid(fields[of_puzzle], "puzzle")
            given = of_solution is not None and fields[of_solution]  # which may be empty
            solution = self._grid(given, "solution") if given else None
        except ValueError as error:
            return self.asked.error(line, str(error))
        if solution is not None:
            fault = solution_fault(grid, solution, self.asked.layout) or blank_fault(solution)
            if fault:
                return self.asked.error(line, fault)
        return self.asked.puzzle(grid, "csv", line)

    def _grid(self, cells: str, what: str) -> Grid:
        if self.form.cells(cells) != cells:
            raise ValueError(f"the {what} is wrong: {self.form.fault(cells)}")
        return self.form.grid(cells)
