"""Puzzles of f-puzzles.com and sudokupad.app, as JSON, in files that have no published description.

The tables `FLAGS` and `RULES` say which rules of f-puzzles can be read; a rule that is there in a way that has no equal
here, such as an arrow whose circle has several cells, is refused. In SudokuPad rules are drawn, and said in words; so
anything drawn is refused, but for cages with a number, which is their sum. As in killer sudoku they have no digit
twice; one that says that they may is refused. A cage without cells has the title, the author or the rules in words.

`SILENT` and its like name the members without a meaning for completions; any other member is an error that names it,
unless it is null, false, 0 or empty. A rule that stands in words only is not seen.

In f-puzzles a cell is blank unless its value is `given`: other values have been filled in to try, and the solver beside
f-puzzles (D. Clamage, https://github.com/dclamage/SudokuSolver) takes no notice of them to find and count completions.
Given marks are all candidates of their cell, all other marks are notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from sudoku.constraints import Cell
from sudoku.formats.request import Asked, place_of, solution_fault
from sudoku.formats.signs import clip, quoted
from sudoku.grid import Candidates, Form, Puzzle
from sudoku.layout import MAX_SIZE, Layout, as_layout

SILENT = frozenset({"size", "grid", "solution", "title", "author", "ruleset", "highlightConflicts"})
SILENT |= {"disabledlogic", "truecandidatesoptions", "successMessage", "activeConstraints"}
SILENT_IN_CELLS = frozenset({"value", "given", "region", "givenPencilMarks"})
SILENT_IN_CELLS |= {"centerPencilMarks", "cornerPencilMarks", "c", "cArray", "highlight"}
# The members of a rule: its place, its number and its look.
SILENT_IN_RULES = frozenset({"cell", "cells", "lines", "value", "direction"})
SILENT_IN_RULES |= {"baseC", "outlineC", "fontC", "width", "height", "size", "angle", "opacity"}

# The same of SudokuPad.
PAD_SILENT = frozenset({"id", "cellSize", "metadata", "cells", "regions", "cages", "settings"})
PAD_SILENT_IN_CELLS = frozenset({"value", "given", "pencilMarks", "centremarks", "cornermarks", "candidates"})
PAD_METADATA = frozenset({"title", "author", "rules", "source", "solution", "msgcorrect", "msgincorrect", "video"})
PAD_SILENT_IN_CAGES = frozenset({"value", "cells", "unique", "outlineC", "fontC"})

PARITIES = {"odd": 1, "even": 0}  # where the digits begin that are not, each second one

Found = tuple[Callable[..., Layout], str, Any]  # a method that adds to a layout, a kind, and one of that kind

_CELL = re.compile("R([0-9]{1,2})C([0-9]{1,2})")
_TOTAL = re.compile("[0-9]{1,4}")
_TYPES = {bool: "true or false", int: "a whole number", str: "a text", list: "a list", dict: "an object"}


def fpuzzle(value: Mapping[str, Any], asked: Asked, line: int) -> Puzzle:
    """Returns the puzzle of an object of f-puzzles; a ValueError names what is malformed or not supported."""
    _refuse(value, SILENT | FLAGS.keys() | RULES.keys() | PARITIES.keys(), "the puzzle")
    n = value["size"]
    if not isinstance(n, int) or isinstance(n, bool) or not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the size {clip(repr(n))} is not between 2 and {MAX_SIZE}")
    rows = _squared(value["grid"], n)
    layout = _with_rules(_by_regions(_regions(rows, n)), value)
    allowed = _by_parity(value, n)
    digits = np.zeros((n, n), dtype=np.uint8)
    marks = np.ones((n, n, n), dtype=np.bool_)
    for r, c in np.ndindex(n, n):
        _refuse(rows[r][c], SILENT_IN_CELLS, f"the cell in {place_of(r, c)}")
        digits[r, c] = _given(rows[r][c], marks[r, c], place_of(r, c))
    solution = _member(value, "solution", "the puzzle", list, str) or ()
    puzzle = _made("fpuzzles", digits, marks & allowed, layout, solution, asked, line)
    for (r, c), one in zip(np.ndindex(n, n), solution, strict=False):
        digit = _digit_of_solution(one, n)
        if digit and not allowed[r, c, digit - 1]:
            parity = "even" if digit % 2 else "odd"
            raise ValueError(f"the solution has {digit} in {place_of(r, c)}, where it should be {parity}")
    return puzzle


def sudokupad(value: Mapping[str, Any], asked: Asked, line: int) -> Puzzle:
    """Returns the puzzle of an object of SudokuPad; a ValueError names what is malformed or not supported."""
    _refuse(value, PAD_SILENT, "the puzzle")
    words, cages = _words_and_cages(_member(value, "cages", "the puzzle", list) or [])
    metadata = _member(value, "metadata", "the puzzle", dict) or {}
    _refuse(metadata, PAD_METADATA, "the metadata")
    solution = _member(metadata, "solution", "the metadata", list, str) or words.get("solution")
    n = len(value["cells"]) if isinstance(value["cells"], list) else 0
    if not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the puzzle has {n} rows, which is not between 2 and {MAX_SIZE}")
    rows = _squared(value["cells"], n)
    digits = np.zeros((n, n), dtype=np.uint8)
    for r, c in np.ndindex(n, n):
        what = f"the cell in {place_of(r, c)}"
        _refuse(rows[r][c], PAD_SILENT_IN_CELLS, what)
        _member(rows[r][c], "given", what, bool)
        if digit := _member(rows[r][c], "value", what, int, str):
            digits[r, c] = _digit(digit, n, place_of(r, c))
    layout = _by_regions(_drawn_regions(value.get("regions"), n))
    layout = _added(layout, [_caged(total, _drawn_cage(cells, n)) for total, cells in cages])
    return _made("sudokupad", digits, np.ones((n, n, n), dtype=np.bool_), layout, solution, asked, line)


def _made(form: Form, digits: Any, marks: Candidates, layout: Layout, solution: Any, asked: Asked, line: int) -> Puzzle:
    if asked.chosen and layout != asked.layout:
        raise ValueError(f"the puzzle has the {layout!r}, and not the {asked.layout!r} that was asked for")
    puzzle = asked._replace(layout=layout).puzzle(digits, form, line, marks)
    if solution:
        cells = [_digit_of_solution(one, layout.size) for one in solution]
        if len(cells) != layout.size**2:
            raise ValueError(f"the solution has {len(cells)} cells instead of {layout.size**2}")
        if fault := solution_fault(puzzle.grid, np.array(cells).reshape(puzzle.grid.shape), layout):
            raise ValueError(fault)
    return puzzle


def _member(value: Mapping[str, Any], name: str, what: str, *types: type) -> Any:
    """Returns a member of an object, None if it is null, or an empty text or list; a ValueError refuses other types."""
    found = value.get(name)
    if found is None or found == "" or found == []:
        return None
    if type(found) not in types:  # true is an int for isinstance
        kinds = " or ".join(_TYPES[one] for one in types)
        raise ValueError(f"{what} has the member {quoted(name)} with {clip(repr(found))} instead of {kinds}")
    return found


def _refuse(value: Any, known: frozenset[str], what: str) -> None:
    """Refuses an object with members that are not known and say something: the ValueError names them."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {clip(repr(value))} instead of an object")
    if wrong := [quoted(name) for name, member in value.items() if name not in known and member]:
        raise ValueError(f"{what} has what is not supported: {', '.join(wrong)}")


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
    if given_marks := _member(cell, "givenPencilMarks", what, list, int, str):
        found = [_digit(mark, n, place) for mark in (given_marks if isinstance(given_marks, list) else [given_marks])]
        marks[:] = np.isin(np.arange(1, n + 1), found)
    digit = _digit(cell["value"], n, place) if _member(cell, "value", what, int, str) else 0
    return digit if _member(cell, "given", what, bool) else 0


def _regions(rows: Sequence[Sequence[Any]], n: int) -> list[list[int]]:
    """Returns the number of each cell's region, where it has one by itself; the others are those of the usual boxes."""
    height = next(k for k in range(isqrt(n), 0, -1) if n % k == 0)
    width = n // height
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
        _refuse(cage, PAD_SILENT_IN_CAGES, "a cage")
        total, unique = _member(cage, "value", "a cage", int, str), _member(cage, "unique", "a cage", bool)
        said, cells = "" if total is None else str(total), cage.get("cells")
        name, colon, text = said.partition(":")
        if not cells and colon and name.strip() in PAD_METADATA:
            words[name.strip()] = text.strip()
        elif cells and unique is not False and (_TOTAL.fullmatch(said) or (unique and not said)):
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


def _by_parity(value: Mapping[str, Any], n: int) -> Candidates:
    """Returns the candidates where some cells are odd and some are even: bool, shape (n, n, n)."""
    allowed = np.ones((n, n, n), dtype=np.bool_)
    for what, parity in PARITIES.items():
        for one in _places(value, what, n):
            allowed[(*one.cell(one.value.get("cell")), slice(parity, None, 2))] = False
    return allowed


def _with_rules(layout: Layout, value: Mapping[str, Any]) -> Layout:
    n = layout.size
    for name, variant in FLAGS.items():
        if _member(value, name, "the puzzle", bool):
            cells = [(n - 1 - k if name == "diagonal+" else k, k) for k in range(n)]
            layout = layout.with_variants(variant) if variant else layout.with_regions("diagonal", cells)
    for name, rule in RULES.items():
        layout = _added(layout, (found for one in _places(value, name, n) for found in rule(one)))
    return layout


def _added(layout: Layout, found: Iterable[Found]) -> Layout:
    """Returns the layout with what has been found, all of one kind together, and sums before regions."""
    kinds: dict[tuple[Callable[..., Layout], str], list[Any]] = {}
    for add, kind, one in found:
        kinds.setdefault((add, kind), []).append(one)
    for add, kind in sorted(kinds, key=lambda key: key[0] is Layout.with_regions):
        layout = add(layout, kind, *kinds[add, kind])
    return layout


def _places(value: Mapping[str, Any], rule: str, n: int) -> list[Place]:
    """Returns the places of a rule, none of which has a member that is not known."""
    places = _member(value, rule, "the puzzle", list) or []
    for place in places:
        _refuse(place, SILENT_IN_RULES, rule)
    return [Place(place, rule, n) for place in places]


def _caged(total: int | None, cells: Sequence[Cell]) -> Found:
    """Returns a cage, which has no digit twice: a sum, if it has a total."""
    return (Layout.with_regions, "cage", cells) if total is None else (Layout.with_sums, "cage", (total, cells))


class Place(NamedTuple):
    """One of the places of a rule of f-puzzles."""

    value: Mapping[str, Any]  # its members
    what: str  # the name of the rule
    n: int  # the rows of the grid

    def cell(self, name: Any, beside: bool = False) -> Cell:
        """Returns the cell of a name such as `R1C9`; of one beside the grid the row or the column is -1 or n."""
        n, match = self.n, _CELL.fullmatch(name) if isinstance(name, str) else None
        r, c = (int(match[1]) - 1, int(match[2]) - 1) if match else (-2, -2)
        within = 0 <= min(r, c) <= max(r, c) < n
        if within or not -1 <= min(r, c) <= max(r, c) <= n if beside else not within:
            where = "beside the grid" if beside else f"from R1C1 to R{n}C{n}"
            raise ValueError(f"{self.what} has {clip(repr(name))}, which is no cell {where}")
        return r, c

    def cells(self, names: Any = None) -> list[Cell]:
        """Returns cells by their names, or those of the place."""
        names = self.value.get("cells") if names is None else names
        if not isinstance(names, list) or not names:
            raise ValueError(f"{self.what} has {clip(repr(self.value))} instead of cells")
        return [self.cell(name) for name in names]

    def total(self) -> int | None:
        """Returns the number of the place, or None if it has no value."""
        text = self.value.get("value")
        if text in (None, ""):
            return None
        if not isinstance(text, (int, str)) or not _TOTAL.fullmatch(str(text)):
            raise ValueError(f"{self.what} has the value {clip(repr(text))} instead of a number")
        return int(text)

    def lines(self) -> Iterator[list[Cell]]:
        if self.value.get("lines") is None:
            raise ValueError(f"{self.what} has no lines")
        return map(self.cells, _member(self.value, "lines", self.what, list) or ())

    def sum(self, kind: str, cells: Sequence[Cell]) -> Found:
        if (total := self.total()) is None:
            raise ValueError(f"{self.what} has no value")
        return Layout.with_sums, kind, (total, cells)


def _little_killer(one: Place) -> Iterator[Found]:
    if name := one.value.get("cell"):
        one.cell(name, beside=True)  # it says nothing beyond the cells within
    yield one.sum("little-killer", one.cells())


def _arrows(one: Place) -> Iterator[Found]:
    circle, *more = one.cells()
    if more:
        raise ValueError(f"{one.what} has what is not supported: a circle of several cells")
    for cells in one.lines():
        yield Layout.with_sums, "arrow", (circle, cells[1:] if cells[0] == circle else cells)


def _sandwich(one: Place) -> Iterator[Found]:
    """Yields a sum beside a row, at R3C0, or above a column, at R0C3."""
    n, name = one.n, one.value.get("cell")
    r, c = one.cell(name, beside=True)
    row = 0 <= r < n
    if not row and not 0 <= c < n:
        raise ValueError(f"{one.what} has {clip(repr(name))}, which is beside no row and no column")
    yield one.sum("sandwich", [(r, k) if row else (k, c) for k in range(n)])


def _pair(one: Place) -> Iterator[Found]:
    kinds, number, cells = PAIRS[one.what], _member(one.value, "value", one.what, str, int), one.cells()
    said = "" if number is None else str(number)
    if said not in kinds:
        known = ", ".join(filter(None, kinds))
        raise ValueError(f"{one.what} has the value {clip(repr(said))}, which is not supported: {known} are")
    yield Layout.with_lines, kinds[said], cells


# The kinds of lines between two neighbours, by the values of each rule.
PAIRS: Mapping[str, Mapping[str, str]] = {
    "difference": {"": "white-dot", "1": "white-dot"},
    "ratio": {"": "black-dot", "2": "black-dot"},
    "xv": {"X": "X", "V": "V"},
}
# The rules that a puzzle of f-puzzles has or has not, with the variants that they are, if they are some.
FLAGS = {"diagonal+": "", "diagonal-": "", "antiking": "anti-king", "antiknight": "anti-knight"}
FLAGS |= {"disjointgroups": "disjoint-groups", "nonconsecutive": "non-consecutive"}
# The rules that are lists of places.
RULES: Mapping[str, Callable[[Place], Iterable[Found]]] = {
    "extraregion": lambda one: [(Layout.with_regions, "extra", one.cells())],
    "killercage": lambda one: [_caged(one.total(), one.cells())],
    "littlekillersum": _little_killer,
    "arrow": _arrows,
    "sandwichsum": _sandwich,
    "thermometer": lambda one: ((Layout.with_lines, "thermometer", cells) for cells in one.lines()),
    "slowthermometer": lambda one: ((Layout.with_lines, "slow-thermometer", cells) for cells in one.lines()),
    **dict.fromkeys(PAIRS, _pair),
}
