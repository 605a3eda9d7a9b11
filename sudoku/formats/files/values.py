"""JSON: a value that may go over several lines, or a value in each line.

A puzzle is

    a text              in the line form;
    a list              of n lists of n cells, of n texts of n cells each, or of n^2 cells; a cell is a number, null or
                        a text, and 0, null and "" are blanks;
    an object           with a member such as "puzzle", and perhaps "solution", which is checked; further members may
                        have numbers and texts, but a list or an object there is an error, since it may be a rule;
    f-puzzles           an object with "grid" and "size": see `sudoku.formats.files.fpuzzles`;
    SudokuPad           an object with "cells": see `sudoku.formats.files.sudokupad`.

A list of puzzles is all of them. An empty line ends a value that is not complete.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sudoku.formats.asked import Asked
from sudoku.formats.files.file import Found, blank_fault, solution_fault
from sudoku.formats.files.fpuzzles import fpuzzle
from sudoku.formats.files.sudokupad import sudokupad
from sudoku.formats.files.tabular import PUZZLES, SOLUTIONS
from sudoku.formats.line import Line
from sudoku.formats.rows import zero_fault
from sudoku.formats.signs import BLANKS, clip, quoted
from sudoku.grid import Grid, Puzzle

MOST = 1 << 24  # characters of a value
LONGEST_NUMBER = 20  # digits: Python takes quadratic time for longer ones

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]')
_OPENS = {"[": 1, "{": 1, "]": -1, "}": -1}
_GRIDS = PUZZLES | {"grid", "board", "givens"}


def decoded(text: str) -> Any:
    """What a text of JSON says.

    Raises:
        ValueError: it is no JSON, has a member twice or a number that is no whole one, or is nested too deeply.

    >>> decoded('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: the member 'a' is there twice
    """
    try:
        return json.loads(text, parse_int=_whole, parse_constant=_refused, object_pairs_hook=_members)
    except json.JSONDecodeError as error:
        raise ValueError(f"this is no JSON: {error.msg}, at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("this JSON is nested too deeply") from None


def _whole(digits: str) -> int:
    return int(digits) if len(digits) <= LONGEST_NUMBER else 10**LONGEST_NUMBER


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no number of JSON")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(name for k, (name, _) in enumerate(pairs) if name in dict(pairs[:k]))
        raise ValueError(f"the member {quoted(twice)} is there twice")
    return members


class Values:
    """The lines of a value."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.over = asked, False
        self._begins = 0  # its first line
        self._text: list[str] = []  # in pieces
        self._line: list[str] = []  # the same, of this line
        self._size = self._depth = 0

    def take(self, line: int, piece: str) -> Iterator[Found]:
        """Reads a piece of a line, and the value if it is complete."""
        self._begins = self._begins or line
        ends = piece.endswith("\n")
        if self._size > MOST:
            self.over = ends
            return
        self._size += len(piece)
        self._text.append(piece)
        self._line.append(piece)
        if self._size > MOST:
            yield self.asked.error(self._begins, f"the value that begins here has more than {MOST} characters")
            self._text = []
        elif ends:
            last = "".join(self._line)
            self._line = []
            self._depth += sum(_OPENS.get(token[0][0], 0) for token in _TOKEN.finditer(last))
            self.over = self._depth <= 0 or not last.strip()
        if self.over or (ends and self._size > MOST):
            self.over = True
            yield from self.close()

    def close(self) -> Iterator[Found]:
        """Ends the value."""
        text, self._text = "".join(self._text), []
        if text:
            yield from values(decoded_or_fault(text), self.asked, self._begins)


def decoded_or_fault(text: str) -> Any:
    """What a text of JSON says, or what is wrong with it, as an error."""
    try:
        return decoded(text)
    except ValueError as error:
        return error


def values(value: Any, asked: Asked, line: int) -> Iterator[Found]:
    """The puzzles of a value, in their order."""
    several = isinstance(value, list) and not is_grid(value, asked.layout.size)
    for one in value if several else [value]:
        try:
            if isinstance(one, ValueError):
                raise one
            yield puzzle(one, asked, line)
        except ValueError as error:
            yield asked.error(line, str(error))
    if several and not value:
        yield asked.error(line, "the list is empty")


def is_grid(value: Sequence[Any], n: int) -> bool:
    """Whether a list is one grid of n rows, right or wrong, and not a list of grids.

    >>> is_grid([[1, 2], [2, 1]], 2), is_grid([[[1, 2], [2, 1]]], 2), is_grid(["12", "21"], 2), is_grid(["1221"], 2)
    (True, False, True, False)
    """
    cells = [len(row) for row in value if isinstance(row, (str, list)) and not any(isinstance(c, list) for c in row)]
    if len(cells) < len(value):
        return bool(value) and not any(isinstance(row, (str, list, dict)) for row in value)
    return len(value) == n and 2 * cells.count(n) > n


def puzzle(value: Any, asked: Asked, line: int) -> Puzzle:
    """The puzzle that a value is.

    Raises:
        ValueError: it is none; the message says what is wrong, and in which cell.
    """
    if isinstance(value, Mapping):
        if "size" in value and isinstance(value.get("grid"), list):
            return fpuzzle(value, asked, line)
        if "cells" in value:
            return sudokupad(value, asked, line)
        return _named(value, asked, line)
    return asked.puzzle(_grid(value, asked), "json", line)


def _named(value: Mapping[str, Any], asked: Asked, line: int) -> Puzzle:
    """The puzzle of an object that names it."""
    names = [name for name in value if name.lower() in _GRIDS]
    if len(names) != 1:
        found = " and ".join(map(quoted, names)) or "none"
        raise ValueError(f"an object has one member with a puzzle, {', '.join(sorted(_GRIDS))}; here is {found}")
    solved = [name for name in value if name.lower() in SOLUTIONS]
    for name, other in value.items():
        if name not in names + solved and isinstance(other, (list, dict)):
            raise ValueError(f"the member {quoted(name)} is not supported: it may be a rule")
    grid = _grid(value[names[0]], asked)
    for name in solved:
        solution = _grid(value[name], asked)
        if fault := solution_fault(grid, solution, asked.layout) or blank_fault(solution):
            raise ValueError(fault)
    return asked.puzzle(grid, "json", line)


def _grid(value: Any, asked: Asked) -> Grid:
    """The cells of a text or of lists."""
    form = Line(asked.layout.size, asked.alphabet)
    n = form.size
    if isinstance(value, str):
        return _text(value, form)
    if not isinstance(value, list):
        raise ValueError(f"{clip(json.dumps(value))} is no puzzle")
    if all(isinstance(row, str) for row in value) and len(value) == n:
        return _text("".join(value), form)
    rows = value if any(isinstance(row, list) for row in value) else [value[k : k + n] for k in range(0, len(value), n)]
    if len(rows) != n:
        raise ValueError(f"the list has {len(value)} cells or rows instead of {n * n} or {n}")
    for r, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != n:
            raise ValueError(f"row {r} is {clip(json.dumps(row))} instead of {n} cells")
    cells = [cell(one, form, r, c) for r, row in enumerate(rows, 1) for c, one in enumerate(row, 1)]
    if fault := zero_fault([_word(one) for row in rows for one in row], n):
        raise ValueError(fault)
    return asked.puzzle(cells, "json", 1).grid


def _word(value: object) -> str:
    """A cell as `zero_fault` takes it."""
    return str(value) if isinstance(value, int) or value == "0" else "." if value in (None, "", *BLANKS) else "1"


def _text(cells: str, form: Line) -> Grid:
    if form.cells(cells) != cells:
        raise ValueError(form.fault(cells))
    return form.grid(cells)


def cell(value: Any, form: Line, row: int, column: int) -> int:
    """The digit of a cell, or 0.

    Raises:
        ValueError: it is none.

    >>> nine = Line(9)
    >>> [cell(value, nine, 1, 1) for value in (5, "5", None, "", ".", 0)]
    [5, 5, 0, 0, 0, 0]
    """
    digit = -1
    if value is None or value == "":
        digit = 0
    elif isinstance(value, int) and not isinstance(value, bool):
        digit = value
    elif isinstance(value, str):
        digit = form.alphabet.values.get(value, int(value) if re.fullmatch("[1-9][0-9]?", value) else -1)
    if not 0 <= digit <= form.size:
        shown = clip(json.dumps(value))
        raise ValueError(f"{shown} in row {row}, column {column} is neither a digit from 1 to {form.size} nor a blank")
    return digit
