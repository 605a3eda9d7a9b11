"""JSON: a value that may go over several lines, or a value in each line.

A puzzle is

    a text              in the line form;
    a list              of n lists of n cells, of n texts of n cells each, or of n^2 cells; a cell is a number, null or
                        a text, and 0, null and "" are blanks;
    an object           with a member such as "puzzle", and perhaps "solution", which is checked; further members may
                        have numbers and texts, but a list or an object there is an error, since it may be a rule;
    f-puzzles           an object with "grid" and "size", and
    SudokuPad           one with "cells": see `sudoku.formats.files.setters`.

A list of puzzles is all of them, and so is an object with such a list, as "puzzles" for example. An empty line ends a
value that is not complete, unless members end above it and others begin below. What is no JSON may be an array of a
program: see `sudoku.formats.files.code`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isqrt
from numbers import Integral, Real
from typing import Any

from sudoku.formats.files.code import array, continues
from sudoku.formats.files.setters import fpuzzle, sudokupad
from sudoku.formats.files.tabular import PUZZLES, SOLUTIONS
from sudoku.formats.line import Line
from sudoku.formats.request import Asked, File, Found, solution_fault
from sudoku.formats.rows import zero_fault
from sudoku.formats.signs import BLANKS, clip, quoted
from sudoku.grid import Form, Grid, Puzzle
from sudoku.layout import Layout, another_box

MOST = 1 << 24  # characters of a value
LONGEST_NUMBER = 20  # digits: Python takes quadratic time for longer ones

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|\'[^\']*\'|(?://|#).*|[\[\]{}()]')
_OPENS = {"[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1}
_JSON = re.compile(r'\s*(?:\[|\{\s*["}])|\s*"')


def decoded(text: str) -> Any:
    """Returns the value of a text of JSON; a ValueError if it is none, or has a member twice or what is no number."""
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


class Values(File):
    def __init__(self, asked: Asked) -> None:
        super().__init__(asked)
        self._text: list[str] = []  # in pieces
        self._line: list[str] = []  # the same, of this line
        self._size = self._depth = 0
        self._member = False  # whether a member has ended in the line before

    def take(self, line: int, piece: str) -> Iterator[Found]:
        self.line = self.line or line
        ends, before = piece.endswith("\n"), self._size
        self._size += len(piece)
        if self._size > MOST:
            if before <= MOST:
                yield self.asked.error(self.line, f"the value that begins here has more than {MOST} characters")
            self.over = ends
            self._text = []
            return
        self._text.append(piece)
        self._line.append(piece)
        if ends:
            last = "".join(self._line)
            self._line = []
            self._depth += sum(_OPENS.get(token[0][0], 0) for token in _TOKEN.finditer(last))
            self.waits = not last.strip() and self._member
            complete = self._depth <= 0 and not continues(last)
            self.over = complete or not (last.strip() or self.waits)
            self._member = last.rstrip()[-1:] in tuple(",]})")
        if self.over:
            yield from self.close()

    def close(self) -> Iterator[Found]:
        text, self._text = "".join(self._text), []
        if not text:
            return
        value, form = self._value(text)
        listed = _only_list(value) if isinstance(value, Mapping) else value
        several = isinstance(listed, list) and not is_grid(listed, self.asked.layout.size)
        for one in listed if several else [value]:
            found = self.asked.made(self.line, partial(puzzle, one, self.asked, self.line))
            yield replace(found, form=form) if isinstance(found, Puzzle) and found.form == "json" else found
        if several and not listed:
            yield self.asked.error(self.line, "the list is empty")

    def _value(self, text: str) -> tuple[Any, Form]:
        """Returns the value of a text, as JSON or else as an array of a program, or its fault; and the form."""
        asks_code = self.asked.format == "code"
        value = None if asks_code else _or_fault(decoded, text)
        if not asks_code and (self.asked.format is not None or not isinstance(value, ValueError)):
            return value, "json"
        other = _or_fault(array, text)
        wrong = not asks_code and isinstance(other, ValueError) and _JSON.match(text)
        return (value, "json") if wrong else (other, "code")


def _or_fault(parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except ValueError as error:
        return error


def is_grid(value: Sequence[Any], n: int) -> bool:
    """Tells whether a list is one grid of n rows, right or wrong, or one of another size, and not a list of grids."""
    cells = [len(row) for row in value if isinstance(row, (str, list)) and not any(isinstance(c, list) for c in row)]
    if len(cells) < len(value):
        return bool(value) and not any(isinstance(row, (str, list, dict)) for row in value)
    square = len(value) != n * n and set(cells) == {len(value)}
    return square or 2 * cells.count(n) > len(value)


def puzzle(value: Any, asked: Asked, line: int) -> Puzzle:
    """Returns the puzzle of a value; a ValueError says what is wrong, and in which cell."""
    if isinstance(value, ValueError):
        raise value
    if not isinstance(value, Mapping):
        return asked.puzzle(_grid(value, asked), "json", line)
    return _reader(value)(value, asked, line)


def _reader(value: Mapping[str, Any]) -> Callable[[Mapping[str, Any], Asked, int], Puzzle]:
    if "size" in value and isinstance(value.get("grid"), list):
        return fpuzzle
    return sudokupad if "cells" in value else _named


def _only_list(value: Mapping[str, Any]) -> Any:
    """Returns what may be the list of puzzles of an object: its only member with a puzzle, without lists beside it."""
    names = [name for name, one in value.items() if name.lower() in PUZZLES or isinstance(one, (list, dict))]
    return value[names[0]] if len(names) == 1 and names[0].lower() in PUZZLES and _reader(value) is _named else None


def _named(value: Mapping[str, Any], asked: Asked, line: int) -> Puzzle:
    names = [name for name in value if name.lower() in PUZZLES]
    if len(names) != 1:
        found = " and ".join(map(quoted, names)) or "none"
        raise ValueError(f"an object has one member with a puzzle, {', '.join(sorted(PUZZLES))}; here is {found}")
    solved = [name for name in value if name.lower() in SOLUTIONS]
    for name, other in value.items():
        if name not in names + solved and isinstance(other, (list, dict)):
            raise ValueError(f"the member {quoted(name)} is not supported: it may be a rule")
    grid = _grid(value[names[0]], asked)
    for name in solved:
        if fault := solution_fault(grid, _grid(value[name], asked), asked.layout, whole=True):
            raise ValueError(fault)
    return asked.puzzle(grid, "json", line)


def _grid(value: Any, asked: Asked) -> Grid:
    form = Line.of(asked.layout.size, asked.alphabet)
    n = form.size
    if isinstance(value, str):
        return form.whole(value)
    if not isinstance(value, list):
        raise ValueError(f"{_shown(value)} is no puzzle")
    if all(isinstance(row, str) for row in value) and len(value) == n:
        if wrong := [r for r, row in enumerate(value) if len(row) != n]:
            raise ValueError(f"row {wrong[0] + 1} is {_shown(value[wrong[0]])} instead of {n} cells")
        return form.whole("".join(value))
    rows = value if any(isinstance(row, list) for row in value) else [value[k : k + n] for k in range(0, len(value), n)]
    if len(rows) != n:
        side = len(value) if rows is value or any(isinstance(row, str) for row in value[:1]) else isqrt(len(value))
        other = another_box(side) if abs(side - n) > 1 and len(value) in (side, side * side) else ""
        raise ValueError(f"the list has {len(value)} cells or rows instead of {n * n} or {n}{other}")
    for r, row in enumerate(rows, 1):
        if not isinstance(row, list) or len(row) != n:
            raise ValueError(f"row {r} is {_shown(row)} instead of {n} cells")
    cells = [cell(one, form, r, c) for r, row in enumerate(rows, 1) for c, one in enumerate(row, 1)]
    if fault := zero_fault([_word(one) for row in rows for one in row], n, form.alphabet):
        raise ValueError(fault)
    return asked.puzzle(cells, "json", 1).grid


def cells(value: list[Any], layout: Layout) -> Grid:
    """Returns the cells of lists of n texts or n lists of n cells each, or n^2 cells; a ValueError if they are none."""
    if not layout.is_square:
        raise ValueError(f"the cells of {layout!r} are whole numbers, in an array")
    return _grid(value, Asked(layout, "<array>"))


def _word(value: object) -> str:
    """Returns a cell as `zero_fault` takes it."""
    if (number := _number(value)) is not None:
        return str(number)
    sign = "" if value is None else str(value).strip()
    return "0" if sign == "0" else "." if sign in ("", *BLANKS) else "1"


def cell(value: Any, form: Line, row: int, column: int) -> int:
    digit, known = -1, form.alphabet.values
    sign = value.strip() if isinstance(value, str) else value
    if sign is None or sign == "":
        digit = 0
    elif isinstance(sign, str):
        digit = known.get(sign, int(sign) if re.fullmatch("[1-9][0-9]?", sign) else -1)
    elif (number := _number(sign)) is not None:
        named = form.alphabet.given and any(sign.isdigit() for sign in form.alphabet.digits)
        digit = known.get(str(number), -1) if named else number
    if not 0 <= digit <= form.size:
        expected = f"neither a digit from 1 to {form.size} nor a blank"
        raise ValueError(f"{_shown(value)} in row {row}, column {column} is {expected}")
    return digit


def _number(value: object) -> int | None:
    """Returns a whole number, which may have a point; None for anything else."""
    if isinstance(value, Integral):
        return None if isinstance(value, bool) else int(value)
    return int(float(value)) if isinstance(value, Real) and float(value).is_integer() else None


def _shown(value: Any) -> str:
    return clip(json.dumps(value, default=str))
