"""Reads and writes puzzles of f-puzzles.com as JSON objects.

`sudoku/rules.py` has the names of the rules, and `FORMS` has both directions of each form. `SILENT`, `SILENT_IN_CELLS`
and `SILENT_IN_RULES` name the members that do not restrict completions. Any other unknown member is an error, unless it
is null, false, 0 or empty. A written puzzle is read again, and refused if it is not the same puzzle.

A cell is blank unless its value is `given`: other values are trials of a player, which SudokuSolver ignores. Given
marks are the candidates of their cell; other marks are notes.

There is no published description. Where f-puzzles and its plugins leave a case open, this module follows SudokuSolver
(D. Clamage, https://github.com/dclamage/SudokuSolver): a whisper without a value needs a difference of half the digits,
rounded up; two neighbouring minima do not restrict each other; `negative` and `nonconsecutive` skip marked pairs; and
all dots are marks of the same kind.

Rules of the plugin are also drawn by members `line` or `text`, so that programs without the plugin show these rules;
such a member names its rule. These pictures are written. When a puzzle is read, drawings are skipped, with a warning
unless a rule explains the drawing.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise, product
from math import isqrt
from typing import Any, NamedTuple

import numpy as np

from sudoku.constraints import Cell, Constraint, Region, Total, beside
from sudoku.formats.files.meaning import lost
from sudoku.formats.request import Request, place_of
from sudoku.formats.signs import clip, quoted
from sudoku.grid import Candidates, Puzzle, all_candidates
from sudoku.layout import MAX_SIZE, PLAIN, Box, Layout, parts_of, with_rules
from sudoku.rules import KINDS, Kind

SILENT = frozenset({"size", "grid", "solution", "title", "author", "ruleset", "highlightConflicts"})
SILENT |= {"disabledlogic", "truecandidatesoptions", "successMessage", "activeConstraints"}
SILENT_IN_CELLS = frozenset({"value", "given", "region", "givenPencilMarks"})
SILENT_IN_CELLS |= {"centerPencilMarks", "cornerPencilMarks", "c", "cArray", "highlight"}
# The members of a rule: its place, its number and its appearance.
SILENT_IN_RULES = frozenset({"cell", "cells", "lines", "value", "values", "cloneCells", "direction", "fromConstraint"})
SILENT_IN_RULES |= {"baseC", "outlineC", "fontC", "width", "height", "size", "angle", "opacity"}

Rule = Region | Constraint
Member = dict[str, Any]  # the members of a place
Said = tuple[str, Member]  # the name of a rule, and one of its places

_CELL = re.compile("R([0-9]{1,2})C([0-9]{1,2})")
TOTAL = re.compile("[0-9]{1,4}")
_TYPES = {bool: "true or false", int: "a whole number", str: "a text", list: "a list", dict: "an object"}


def member(value: Mapping[str, Any], name: str, what: str, *types: type) -> Any:
    """Returns a member of an object; None if it is null or empty; raises ValueError for other types."""
    found = value.get(name)
    if found is None or found == "" or found == []:
        return None
    if type(found) not in types:  # true is an int for isinstance
        kinds = " or ".join(_TYPES[one] for one in types)
        raise ValueError(f"{what} has the member {quoted(name)} with {clip(repr(found))} instead of {kinds}")
    return found


def refuse(value: Any, known: frozenset[str], what: str) -> None:
    """Raises ValueError with the names of unknown members, unless they are null, false, 0 or empty."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {clip(repr(value))} instead of an object")
    if wrong := [quoted(name) for name, one in value.items() if name not in known and one]:
        raise ValueError(f"{what} has what is not supported: {', '.join(wrong)}")


class Place(NamedTuple):
    """A place of a rule of f-puzzles. A missing member raises KeyError; a member of a wrong type raises TypeError."""

    value: Mapping[str, Any]  # the members of the place
    what: str  # the name of the rule
    n: int  # the rows of the grid
    others: frozenset[str]  # the cells of all places of the rule

    def cell(self, name: Any, beside: bool = False) -> Cell:
        """Returns the cell of a name such as `R1C9`; outside the grid, the row or the column is -1 or n."""
        n, match = self.n, _CELL.fullmatch(name)
        r, c = (int(match[1]) - 1, int(match[2]) - 1) if match else (-2, -2)
        within = 0 <= min(r, c) <= max(r, c) < n
        if within or not -1 <= min(r, c) <= max(r, c) <= n if beside else not within:
            where = "beside the grid" if beside else f"from R1C1 to R{n}C{n}"
            raise ValueError(f"{self.what} has {clip(repr(name))}, which is no cell {where}")
        return r, c

    def several(self, name: str) -> list[Any]:
        """Returns the list of a member."""
        found: list[Any] = self.value[name]
        if not isinstance(found, list):
            raise TypeError(name)
        return found

    def cells(self, name: str = "cells") -> list[Cell]:
        return [self.cell(cell) for cell in self.several(name)]

    def lines(self) -> list[list[Cell]]:
        """Returns the cells of each line of the place."""
        return [[self.cell(name) for name in names] for names in self.several("lines")]

    def number(self) -> int | None:
        """Returns the number of the place, or None if it has no value."""
        value = self.value.get("value")
        if value in (None, ""):
            return None
        if not TOTAL.fullmatch(str(value)):
            raise ValueError(f"{self.what} has the value {clip(repr(value))} instead of a number")
        return int(value)

    def total(self) -> int:
        if (total := self.number()) is None:
            raise ValueError(f"{self.what} has no value")
        return total

    def kind(self) -> str:
        """Returns the kind of the rule, which may depend on the value of the place."""
        kinds = PUBLISHED[self.what]
        values = {kind.published.value: kind.name for kind in kinds if kind.published.value}
        if not values:
            return kinds[0].name
        if self.what == "xv":
            value = str(self.value.get("value") or "").upper()
            if value not in values:
                raise ValueError(f"xv has the value {clip(repr(value))}, which is not supported: X, V are")
            return values[value]
        number = self.number()
        if number == 0 and self.what != "whispers":
            raise ValueError(f"{self.what} has the value 0 instead of a number from 1")
        value = str(number or {"difference": 1, "ratio": 2, "whispers": -(-self.n // 2)}[self.what])
        return values.get(value) or f"{self.what.removesuffix('s')}-{value}"

    def rule(self, cells: Sequence[Cell], total: Total = None) -> Constraint:
        return Constraint(self.kind(), "", tuple(cells), total)


def _cage(one: Place) -> list[Rule]:
    """Returns a cage; without a total it is a region."""
    if (total := one.number()) is None:
        return [Region("cage", "", one.cells())]  # type: ignore[arg-type]  # listed by `with_rules`
    return [one.rule(one.cells(), total)]


def _clones(one: Place) -> list[Rule]:
    """Returns pairs of a cell and its clone."""
    cells, clones = one.cells(), one.cells("cloneCells")
    if len(cells) != len(clones):
        raise ValueError(f"{one.what} has {len(cells)} cells and {len(clones)} clones")
    return [one.rule(pair) for pair in zip(cells, clones, strict=True) if pair[0] != pair[1]]


def _star(one: Place) -> list[Rule]:
    """Returns the cell of the place with its neighbours, except cells of other places."""
    cell, rows = one.cell(one.value.get("cell")), range(one.n)
    free = [other for other in beside(cell, {*product(rows, rows)}) if named(other) not in one.others]
    return [one.rule([cell, *free])] if free else []


def _arrows(one: Place) -> Iterator[Rule]:
    """Yields an arrow or a pill for each line."""
    circle = sorted(one.cells())
    if len(circle) > 2:
        raise ValueError(f"{one.what} has what is not supported: a circle of more than two cells")
    for cells in one.lines():
        line = tuple(cell for cell in cells if cell not in circle)
        if len(circle) == 2:
            yield Constraint("pill", "", line, tuple(circle))
        else:
            yield Constraint("arrow", "", line, circle[0])


def _little_killer(one: Place) -> list[Rule]:
    if name := one.value.get("cell"):
        one.cell(name, beside=True)  # only a check of the name
    return [one.rule(one.cells(), one.total())]


def _on_diagonal(one: Constraint, names: list[str], n: int) -> Iterator[Member]:
    """Yields a little killer that goes along a whole diagonal."""
    r, c = one.cells[0]
    for down, across in product((1, -1), repeat=2):
        whole = [(r + k * down, c + k * across) for k in range(-1, n)]
        within = [cell for cell in whole if 0 <= min(cell) <= max(cell) < n]
        if list(one.cells) == within:
            direction = ("D" if down > 0 else "U") + ("R" if across > 0 else "L")
            yield {"cell": named(whole[0]), "direction": direction, "cells": names}
            return


def _seen(one: Place) -> list[Rule]:
    """Returns the clue of the row or column next to its place: row 3 for R3C0, column 3 for R0C3."""
    n, name = one.n, one.value.get("cell")
    r, c = one.cell(name, beside=True)
    if not (0 <= r < n or 0 <= c < n):
        raise ValueError(f"{one.what} has {clip(repr(name))}, which is beside no row and no column")
    cells = [(r, k) for k in range(n)] if 0 <= r < n else [(k, c) for k in range(n)]
    backward = PUBLISHED[one.what][0].cells == "view" and n in (r, c)
    return [one.rule(cells[::-1] if backward else cells, one.total())]


def _beside(one: Constraint, names: list[str], n: int) -> Iterator[Member]:
    """Yields the place of a clue, at the side from which its row or column is seen."""
    cells = list(one.cells) if one.record.cells == "view" else sorted(one.cells)
    if cells in (sorted(cells), sorted(cells, reverse=True)):
        (r, c), (s, d) = cells[:2]
        yield {"cell": named((2 * r - s, 2 * c - d))}


def _quadruple(one: Place) -> list[Rule]:
    digits = tuple(map(str, [] if one.value.get("values") is None else one.several("values")))
    if not all(map(TOTAL.fullmatch, digits)):
        raise ValueError(f"{one.what} has the values {', '.join(digits)} instead of digits")
    return [one.rule(one.cells(), tuple(map(int, digits)))] if digits else []


class Form(NamedTuple):
    """The form of the places of a rule: how they are read and written."""

    read: Callable[[Place], Iterable[Rule]]
    write: Callable[[Constraint, list[str], int], Iterable[Member]]  # constraint, names of cells -> places


FORMS: Mapping[str, Form] = {
    "line": Form(lambda one: map(one.rule, one.lines()), lambda rule, names, n: [{"lines": [names]}]),
    "pairs": Form(
        lambda one: [one.rule(one.cells())],
        lambda rule, names, n: [{"cells": list(pair)} for pair in pairwise(names)],
    ),
    "cells": Form(
        lambda one: [one.rule([one.cell(one.value.get("cell"))])],
        lambda rule, names, n: [{"cell": name} for name in names],
    ),
    "star": Form(_star, lambda rule, names, n: [{"cell": names[0]}]),
    "clone": Form(
        _clones,
        lambda rule, names, n: [{"cells": names[: len(names) // 2], "cloneCells": names[len(names) // 2 :]}],
    ),
    "cage": Form(_cage, lambda rule, names, n: [{"cells": names}]),
    "diagonal": Form(_little_killer, _on_diagonal),
    "arrow": Form(
        _arrows,
        lambda rule, names, n: [
            {"cells": [*map(named, rule.circles)], "lines": [[named(rule.circles[-1]), *names]]},
        ],
    ),
    "side": Form(_seen, _beside),
    "quadruple": Form(_quadruple, lambda rule, names, n: [{"cells": names, "values": rule.total}]),
}
# The kinds of each name
PUBLISHED: dict[str, list[Kind]] = {}
for _kind in KINDS.values():
    if _kind.published.name:
        PUBLISHED.setdefault(_kind.published.name, []).append(_kind)
RULES = ("extraregion", *PUBLISHED)

# The rules of the whole grid: the name of the variant, and the kinds of its rules
FLAGS = {"diagonal+": ("x", slice(1, 2)), "diagonal-": ("x", slice(0, 1)), "antiking": ("anti-king", slice(None))}
FLAGS |= {"antiknight": ("anti-knight", slice(None)), "disjointgroups": ("disjoint-groups", slice(None))}
NEGATIVES = ("difference", "xv", "ratio")  # difference is `nonconsecutive` in f-puzzles
DRAWN = ("line", "rectangle", "circle", "text", "cage")  # members that only draw
KNOWN = frozenset({*FLAGS, *RULES, *DRAWN, "negative", "nonconsecutive"})


def with_members(layout: Layout, value: Mapping[str, Any]) -> Layout:
    """Returns the layout with the rules of an object; a ValueError names what is malformed or not supported."""
    rules: list[Rule] = []
    for name in FLAGS:
        if member(value, name, "the puzzle", bool):
            rules += of_flag(layout, name)
    for name in RULES:
        found = member(value, name, "the puzzle", list) or []
        for place in found:
            refuse(place, SILENT_IN_RULES, name)
        others = frozenset(str(place.get("cell")) for place in found)
        for place in found:
            try:
                rules += _read(Place(place, name, layout.size, others))
            except (LookupError, TypeError):
                raise ValueError(f"{name} has {clip(repr(place))}, in which a member is missing or wrong") from None
    layout = with_rules(layout, rules)
    negative = member(value, "negative", "the puzzle", list) or []
    if wrong := [one for one in negative if one not in ("xv", "ratio")]:
        raise ValueError(f"negative has {clip(repr(wrong[0]))}, which is not supported: xv and ratio are")
    if member(value, "nonconsecutive", "the puzzle", bool):
        negative = ["difference", *negative]
    return layout.with_negative(*(kind for one in negative for kind in unmarked(layout, one)))


def _read(one: Place) -> list[Rule]:
    """Returns the rules of a place."""
    if one.what == "extraregion":
        return [Region("extra", "", one.cells())]  # type: ignore[arg-type]  # listed by `with_rules`
    return list(FORMS[PUBLISHED[one.what][0].published.form].read(one))


def of_flag(layout: Layout, name: str) -> list[Region]:
    """Returns the rules of a flag; raises ValueError if the grid cannot have it."""
    variant, some = FLAGS[name]
    return [rule for rule in parts_of(variant, layout)[some] if isinstance(rule, Region)]


def unmarked(layout: Layout, name: str) -> tuple[str, ...]:
    """Returns the kinds of marks that unmarked pairs must not satisfy: for ratios the present ratios, default 2."""
    if name == "ratio":
        ratios = (line.kind for line in layout.lines if line.kind == "black-dot" or line.kind.startswith("ratio-"))
        return tuple(sorted(set(ratios))) or ("black-dot",)
    return ("X", "V") if name == "xv" else ("white-dot",)


def unexplained(value: Mapping[str, Any]) -> list[str]:
    """Returns the drawing members that do not show a rule."""
    titles = [kind.published.title for kind in KINDS.values() if kind.published.title]

    def is_picture(one: Any) -> bool:
        return isinstance(one, Mapping) and one.get("fromConstraint") in titles

    return [name for name in DRAWN if not all(map(is_picture, member(value, name, "the puzzle", list) or []))]


def named(cell: Cell) -> str:
    """Returns the name of a cell; rows and columns outside the grid are 0 or n + 1."""
    return f"R{cell[0] + 1}C{cell[1] + 1}"


def said(rule: Rule, n: int) -> Iterator[Said]:
    """Yields the places of a rule of a layout and its pictures; nothing if f-puzzles cannot represent the rule."""
    if isinstance(rule, Region):
        yield "killercage" if rule.kind == "cage" else "extraregion", {"cells": [*map(named, sorted(rule.cells))]}
        return
    published, style = rule.record.published, rule.record.style
    value = str(rule.total) if isinstance(rule.total, int) else published.value
    of = {"fromConstraint": published.title}
    places = FORMS[published.form].write(rule, [*map(named, rule.cells)], n) if published.name else ()
    for place in places:
        yield published.name, place | ({"value": value} if value else {})
        if published.title and "lines" in place:
            yield "line", {"lines": place["lines"], "outlineC": style.colour, "width": style.width} | of
        elif published.title:
            text = f"{style.sign}{value}"
            yield "text", {"cells": [place["cell"]], "value": text, "fontC": "#000000", "size": 0.7} | of


@lru_cache(8)
def members_of(layout: Layout) -> Member:
    """Returns the members for the rules of a layout: first flags and negatives, then all other rules."""
    plain, value = layout.without(*layout.rules()), Member()
    regions = {region.cells: region for region in layout.regions if region.kind not in PLAIN}
    for flag in FLAGS:
        with suppress(ValueError):  # the grid cannot have this rule
            areas = {region.cells for region in of_flag(plain, flag)}
            if areas and areas <= regions.keys():
                value[flag] = True
                regions = {cells: region for cells, region in regions.items() if cells not in areas}
    marked = layout.without(*(rule for rule in layout.rules() if rule[0].startswith("no-")))
    lines = {(line.kind.replace("non-consecutive", "no-white-dot"), frozenset(line.cells)) for line in layout.lines}
    for name in NEGATIVES:
        found = marked.with_negative(*unmarked(marked, name)).lines
        pairs = {(line.kind, frozenset(line.cells)) for line in found if line.kind.startswith("no-")}
        if pairs and pairs <= lines:
            if name == "difference":
                value["nonconsecutive"] = True
            else:
                value.setdefault("negative", []).append(name)
    rules: list[Rule] = [*regions.values(), *layout.constraints]
    for rule in rules:
        for name, place in said(rule, layout.size):
            value.setdefault(name, []).append(place)
    return value


def fpuzzle(value: Mapping[str, Any], request: Request, line: int) -> Puzzle:
    """Returns the puzzle of an object of f-puzzles; a ValueError names what is malformed or not supported."""
    refuse(value, SILENT | KNOWN, "the puzzle")
    n = value["size"]
    if not isinstance(n, int) or isinstance(n, bool) or not 2 <= n <= MAX_SIZE:
        raise ValueError(f"the size {clip(repr(n))} is not between 2 and {MAX_SIZE}")
    if names := unexplained(value):
        reason = "of f-puzzles, which is only drawn and no rule"
        warnings.warn(f"{request.file}: skipped {', '.join(map(quoted, names))} {reason}", stacklevel=2)
    rows = _squared(value["grid"], n)
    layout = with_members(_jigsaw(rows, n), value)
    digits = np.zeros((n, n), dtype=np.uint8)
    marks = np.ones((n, n, n), dtype=np.bool_)
    for r, c in np.ndindex(n, n):
        refuse(rows[r][c], SILENT_IN_CELLS, f"the cell in {place_of(r, c)}")
        digits[r, c] = _given(rows[r][c], marks[r, c], place_of(r, c))
    return request.with_layout(layout).puzzle(digits, "fpuzzles", line, marks)


def _squared(value: Any, n: int) -> list[list[Any]]:
    rows: list[list[Any]] = value if isinstance(value, list) else []
    if len(rows) != n or not all(isinstance(row, list) and len(row) == n for row in rows):
        raise ValueError(f"the grid has not {n} rows of {n} cells")
    return rows


def _digit(value: Any, n: int, place: str) -> int:
    """Returns a number or a text of one or two digits as a number; raises ValueError."""
    text = str(value) if type(value) in (int, str) else ""
    if not re.fullmatch("[0-9]{1,2}", text) or not 1 <= int(text) <= n:
        raise ValueError(f"{clip(repr(value))} in {place} is not a digit from 1 to {n}")
    return int(text)


def _given(cell: Mapping[str, Any], marks: Candidates, place: str) -> int:
    """Returns the given of a cell, or 0; writes its candidates to `marks`, shape (n,)."""
    what, n = f"the cell in {place}", len(marks)
    if given_marks := member(cell, "givenPencilMarks", what, list, int, str):
        found = [_digit(mark, n, place) for mark in (given_marks if isinstance(given_marks, list) else [given_marks])]
        marks[:] = np.isin(np.arange(1, n + 1), found)
    digit = _digit(cell["value"], n, place) if member(cell, "value", what, int, str) else 0
    return digit if member(cell, "given", what, bool) else 0


def usual_box(n: int) -> Box:
    """Returns the default box of f-puzzles for a grid of n rows, as rows and columns."""
    height = next(k for k in range(isqrt(n), 0, -1) if n % k == 0)
    return height, n // height


def _jigsaw(rows: Sequence[Sequence[Any]], n: int) -> Layout:
    """Returns the layout of the regions of cells; a cell without a region is in its default box."""
    height, width = usual_box(n)
    names = [[r // height * height + c // width for c in range(n)] for r in range(n)]
    for r, c in np.ndindex(n, n):
        if isinstance(rows[r][c], Mapping):
            names[r][c] = rows[r][c].get("region", names[r][c])
        if type(names[r][c]) is not int:
            raise ValueError(f"the cell in {place_of(r, c)} is in the region {clip(repr(names[r][c]))}")
    layout = Layout.jigsaw(names)
    return layout if layout.box is None else Layout.boxes(*layout.box)


def fpuzzles_value(puzzle: Puzzle) -> Member:
    """Returns a puzzle as an object of f-puzzles; a ValueError names a rule that f-puzzles cannot represent."""
    n = puzzle.layout.size
    grid = [[_cell(puzzle, r, c) for c in range(n)] for r in range(n)]
    value = {"size": n, "grid": grid, **members_of(puzzle.layout)}
    back = fpuzzle(json.loads(json.dumps(value)), Request(puzzle.layout, puzzle.file), puzzle.line)
    if less := next(lost(puzzle.layout, back.layout), ""):
        raise ValueError(f"the form cannot represent the {less}")
    if more := next(lost(back.layout, puzzle.layout), ""):
        raise ValueError(f"f-puzzles would add the {more}, which this puzzle does not have")
    if not np.array_equal(all_candidates(puzzle), all_candidates(back)):
        raise ValueError("the form cannot represent these candidates")
    return value


def _cell(puzzle: Puzzle, r: int, c: int) -> Member:
    """Returns the members of a cell."""
    n = puzzle.layout.size
    boxes = [k for k, region in enumerate(puzzle.layout.regions) if region.kind == "box" and (r, c) in region.cells]
    if len(boxes) != 1:
        where = f"{place_of(r, c)} is in {len(boxes)} boxes instead of one"
        raise ValueError(f"the form cannot represent the regions: {where}")
    cell: Member = {} if puzzle.layout.box == usual_box(n) else {"region": boxes[0] - 2 * n}
    if digit := int(puzzle.grid[r, c]):
        return cell | {"value": digit, "given": True}
    marks = None if puzzle.candidates is None else (np.flatnonzero(puzzle.candidates[r, c]) + 1).tolist()
    if marks == []:
        raise ValueError(f"the cell in {place_of(r, c)} has no candidate, which f-puzzles cannot say")
    return cell if marks is None or len(marks) == n else cell | {"givenPencilMarks": marks}
