"""Reads JSON values, which may have several lines.

A puzzle is

    a text              in the line form;
    a list              of n lists of n cells, of n texts of n cells each, or of n^2 cells; a cell is a number, null or
                        a text, and 0, null and "" are blanks;
    an object           with a member such as "puzzle" or "value"; "solution" is skipped, and another member with a list
                        or an object is an error, since it may be a rule;
    f-puzzles           an object with "grid" and "size": see `sudoku.formats.files.fpuzzles`.

Puzzles may be in lists, and in objects with exactly one list or object. An empty line ends an incomplete value, unless
the line before it ends a member.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from math import isqrt
from numbers import Integral, Real
from typing import Any

import numpy.typing as npt

from sudoku.formats.files.fpuzzles import fpuzzle
from sudoku.formats.request import PUZZLES, Found, Request, place_of
from sudoku.formats.signs import LONGEST_VALUE, TOO_LONG, Signs, clip, quoted
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Layout, another_box

SOLUTIONS = frozenset({"solution", "solutions", "answer", "answers"})
PRINTED = frozenset({"minimal", "canonical", "completion"})  # members of objects that commands print

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}()]')
_JSON_SIGN = re.compile(r'["\[\]{}():,#/]')
_LITERAL = re.compile(r"true|false|null|None|-?[0-9]{1,4}(\.[0-9]*)?")  # a value in a line of its own
_OPENS = {"[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1}


def decoded(text: str) -> Any:
    """Returns the value of a JSON text; raises ValueError for other text, a member that occurs twice, or NaN."""
    try:
        return json.loads(text, parse_constant=_refused, object_pairs_hook=_members)
    except json.JSONDecodeError as error:
        raise ValueError(f"this is no JSON: {error.msg}, at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("this JSON is nested too deeply") from None


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no number of JSON")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice = next(name for k, (name, _) in enumerate(pairs) if name in dict(pairs[:k]))
        raise ValueError(f"the member {quoted(twice)} is there twice")
    return members


class Values:
    """A value of JSON, which takes all lines up to its end."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.line = 0  # the number of its first line
        self.over = False  # whether the last line has ended it
        self._text: list[str] = []  # lines
        self._size = self._depth = 0
        self._before = ""  # the last sign of the previous line

    def ends_before(self, piece: str) -> bool:
        """Returns whether a line is outside this value: it begins another value, or has cells without signs of JSON."""
        bare = piece.strip()
        if bare[:1] == "{":
            return self._before not in ("", *"[{(:,")
        return bool(bare) and not _JSON_SIGN.search(bare) and not _LITERAL.fullmatch(bare)

    def take(self, line: int, piece: str) -> Iterator[Found]:
        self.line = self.line or line
        self._size += len(piece)
        if self._size > LONGEST_VALUE:
            yield self.request.error(self.line, TOO_LONG)
            self.over = True
            return
        self._text.append(piece)
        self._depth += sum(_OPENS.get(token, 0) for token in _TOKEN.findall(piece))
        self.over = self._depth <= 0 or not (piece.strip() or self._before in (",", "]", "}", ")"))
        self._before = piece.rstrip()[-1:]
        if self.over:
            yield from self.close()

    def close(self) -> Iterator[Found]:
        text, self._text = "".join(self._text), []
        try:
            value = decoded(text.rstrip().removesuffix(","))  # as in a list over several lines
        except ValueError as error:
            yield self.request.error(self.line, str(error))
            return
        found = list(_puzzles_in(value, self.request.layout.size))
        for one in found:
            try:
                yield puzzle(one, self.request, self.line)
            except ValueError as error:
                yield self.request.error(self.line, str(error))
        if not found:
            yield self.request.error(self.line, "the list is empty")


def _puzzles_in(value: Any, n: int) -> Iterator[Any]:
    """Yields the values in lists and objects that should be puzzles, valid or not."""
    while isinstance(value, Mapping) and (inner := _only_list(value, n)) is not None:
        value = inner
    if isinstance(value, list) and not is_grid(value, n):
        for one in value:
            yield from _puzzles_in(one, n)
    else:
        yield value


def is_grid(value: Sequence[Any], n: int) -> bool:
    """Returns whether a list is one grid, valid or not, and not a list of grids."""
    cells = [len(row) for row in value if isinstance(row, (str, list)) and not any(isinstance(c, list) for c in row)]
    if len(cells) < len(value):
        return bool(value) and not any(isinstance(row, (str, list, dict)) for row in value)
    square = len(value) != n * n and set(cells) == {len(value)}
    return square or 2 * cells.count(n) > len(value)


def puzzle(value: Any, request: Request, line: int) -> Puzzle:
    """Returns the puzzle of a value; a ValueError names the fault and the cell."""
    if not isinstance(value, Mapping):
        return request.puzzle(_grid(value, request), "json", line)
    return fpuzzle(value, request, line) if _is_fpuzzle(value) else _named(value, request, line)


def _is_fpuzzle(value: Mapping[str, Any]) -> bool:
    return "size" in value and isinstance(value.get("grid"), list)


def _only_list(value: Mapping[str, Any], n: int) -> Any:
    """Returns the only list or object inside an object, if it may hold puzzles; otherwise None."""
    inner = [(name, one) for name, one in value.items() if isinstance(one, (list, dict))]
    if _is_fpuzzle(value) or len(inner) != 1 or any(map(_has_puzzle, set(value) - {inner[0][0]})):
        return None
    name, one = inner[0]
    return None if _has_puzzle(name) and isinstance(one, list) and (is_grid(one, n) or not one) else one


def _has_puzzle(name: str) -> bool:
    return name.lower() in PUZZLES or name.lower() == "value"


def _named(value: Mapping[str, Any], request: Request, line: int) -> Puzzle:
    members = [name for name, one in value.items() if isinstance(one, (str, list))]
    names = [name for name in members if _has_puzzle(name)] or [name for name in members if name in PRINTED]
    if len(names) != 1:
        found = " and ".join(map(quoted, names)) or "none"
        raise ValueError(f'an object has one member with a puzzle, such as "grid" or "puzzle"; here is {found}')
    for name, other in value.items():
        if name != names[0] and name.lower() not in SOLUTIONS and isinstance(other, (list, dict)):
            raise ValueError(f"the member {quoted(name)} is not supported: it may be a rule")
    return request.puzzle(_grid(value[names[0]], request), "json", line)


def _grid(value: Any, request: Request) -> Grid:
    form = Signs.of(request.layout, request.alphabet)
    n = form.n
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
    return request.puzzle(_digits(rows, form), "json", 1).grid


def cells(value: list[Any], layout: Layout) -> Grid:
    """Returns the cells of lists of n texts or n lists of n cells each, or n^2 cells; a ValueError if they are none."""
    if not layout.is_square:
        raise ValueError(f"the cells of {layout!r} are whole numbers, in an array")
    return _grid(value, Request(layout, "<array>"))


def _digits(rows: list[list[Any]], form: Signs) -> npt.ArrayLike:
    """Returns the digits of all cells; a ValueError names the first cell that is none."""
    names = form.names
    are_signs = not form.given or any(name.isdigit() for name in names[1:])  # whether numbers are signs of digits
    texts = [_text(one, names, are_signs) or names[0] for row in rows for one in row]
    for k, text in enumerate(texts):
        if form.fault(text) or (form.single and len(text) > 1):
            r, c = divmod(k, form.n)
            shown = f"{_shown(rows[r][c])} in {place_of(r, c)}"
            raise ValueError(f"{shown} is neither a digit from 1 to {form.n} nor a blank")
    return form.grid("".join(texts) if form.single else texts)[0]


def _text(value: object, names: str, are_signs: bool) -> str:
    """Returns a cell as text."""
    if (number := _number(value)) is None:
        return "" if value is None else str(value).strip()
    return str(number) if are_signs or not 0 <= number < len(names) else names[number]


def _number(value: object) -> int | None:
    """Returns a whole number, which may have a point; None for anything else."""
    if isinstance(value, Integral):
        return None if isinstance(value, bool) else int(value)
    return int(float(value)) if isinstance(value, Real) and float(value).is_integer() else None


def _shown(value: Any) -> str:
    return clip(json.dumps(value, default=str))
