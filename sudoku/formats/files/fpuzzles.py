"""The rules of f-puzzles, in both directions: those of an object as a layout, and those of a layout as members.

`sudoku/rules.py` has their names, and `LINE_FORMS` and `SUM_FORMS` have both directions of each form. There is no
published description; where f-puzzles and its plugins leave a case open, this module follows SudokuSolver (D.
Clamage, https://github.com/dclamage/SudokuSolver): a whisper without a value is of half the digits, rounded up;
two neighbouring minima do not restrict each other; `negative` and `nonconsecutive` leave out marked pairs, and all
dots are marks of one kind.

The plugin's own rules are drawn besides, by a member `line` or `text` that says of which rule it is a picture, so that
programs without it show them. These pictures are written. Whatever is only drawn is skipped when a puzzle is read, with
a warning if no rule says the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any, NamedTuple

from sudoku.constraints import Cell, Line, Region, Sum, beside, line_kind
from sudoku.formats.signs import clip, quoted
from sudoku.layout import Layout
from sudoku.rules import KINDS

# The members of a rule: its place, its number and its look.
SILENT_IN_RULES = frozenset({"cell", "cells", "lines", "value", "values", "cloneCells", "direction", "fromConstraint"})
SILENT_IN_RULES |= {"baseC", "outlineC", "fontC", "width", "height", "size", "angle", "opacity"}

Found = tuple[Callable[..., Layout], str, Any]  # a method that adds to a layout, a kind, and one of that kind
Member = dict[str, Any]  # the members of a place
Said = tuple[str, Member]  # the name of a rule, and one of its places

_CELL = re.compile("R([0-9]{1,2})C([0-9]{1,2})")
TOTAL = re.compile("[0-9]{1,4}")


_TYPES = {bool: "true or false", int: "a whole number", str: "a text", list: "a list", dict: "an object"}


def member(value: Mapping[str, Any], name: str, what: str, *types: type) -> Any:
    """Returns a member of an object, None if it is null, or an empty text or list; a ValueError refuses other types."""
    found = value.get(name)
    if found is None or found == "" or found == []:
        return None
    if type(found) not in types:  # true is an int for isinstance
        kinds = " or ".join(_TYPES[one] for one in types)
        raise ValueError(f"{what} has the member {quoted(name)} with {clip(repr(found))} instead of {kinds}")
    return found


def refuse(value: Any, known: frozenset[str], what: str) -> None:
    """Refuses an object with members that are not known and say something: the ValueError names them."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {clip(repr(value))} instead of an object")
    if wrong := [quoted(name) for name, one in value.items() if name not in known and one]:
        raise ValueError(f"{what} has what is not supported: {', '.join(wrong)}")


class Place(NamedTuple):
    """One of the places of a rule of f-puzzles."""

    value: Mapping[str, Any]  # its members
    what: str  # the name of the rule
    n: int  # the rows of the grid
    others: frozenset[str]  # the cells of all places of the rule that have one cell

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
        if not isinstance(text, (int, str)) or not TOTAL.fullmatch(str(text)):
            raise ValueError(f"{self.what} has the value {clip(repr(text))} instead of a number")
        return int(text)

    def lines(self) -> Iterator[list[Cell]]:
        """Returns the cells of each line of the place."""
        if self.value.get("lines") is None:
            raise ValueError(f"{self.what} has no lines")
        return map(self.cells, member(self.value, "lines", self.what, list) or ())

    def sum(self, kind: str, cells: Sequence[Cell]) -> Found:
        if (total := self.total()) is None:
            raise ValueError(f"{self.what} has no value")
        return Layout.with_sums, kind, (total, cells)

    def halves(self) -> Iterator[list[Cell]]:
        """Returns each cell of the place with the one that is its clone."""
        cells, others = self.cells(), self.cells(self.value.get("cloneCells"))
        if len(cells) != len(others):
            raise ValueError(f"{self.what} has {len(others)} cells for {len(cells)}")
        return ([one, other] for one, other in zip(cells, others, strict=True) if one != other)

    def star(self) -> list[list[Cell]]:
        """Returns the cell of the place, and those beside it that are none of the other places."""
        one, rows = self.cell(self.value.get("cell")), range(self.n)
        free = [cell for cell in beside(one, {*product(rows, rows)}) if named(cell) not in self.others]
        return [[one, *free]] if free else []

    def kind(self) -> str:
        """Returns the kind of lines of the place."""
        value, usual = "", {"difference": 1, "ratio": 2, "whispers": -(-self.n // 2)}
        if self.what == "xv":
            value = str(self.value.get("value") or "").upper()
            if value not in ("X", "V"):
                raise ValueError(f"xv has the value {clip(repr(value))}, which is not supported: X, V are")
        elif self.what in usual:
            number = self.total()
            if number == 0 and self.what != "whispers":
                raise ValueError(f"{self.what} has the value 0 instead of a number from 1")
            value = str(number or usual[self.what])
        return WITH_VALUE.get((self.what, value)) or f"{self.what.removesuffix('s')}-{value}"

    def seen(self) -> list[Cell]:
        """Returns the cells seen from a place outside the grid: row 3 from R3C0, column 3 from R0C3."""
        n, name = self.n, self.value.get("cell")
        r, c = self.cell(name, beside=True)
        if 0 <= r < n:
            return [(r, k) for k in range(n)][:: 1 if c < 0 else -1]
        if not 0 <= c < n:
            raise ValueError(f"{self.what} has {clip(repr(name))}, which is beside no row and no column")
        return [(k, c) for k in range(n)][:: 1 if r < 0 else -1]


def places(value: Mapping[str, Any], rule: str, n: int) -> list[Place]:
    """Returns the places of a rule, none of which has a member that is not known."""
    found = member(value, rule, "the puzzle", list) or []
    for place in found:
        refuse(place, SILENT_IN_RULES, rule)
    single = frozenset(name for place in found if isinstance(name := place.get("cell"), str))
    return [Place(place, rule, n, single) for place in found]


def added(layout: Layout, found: Iterable[Found]) -> Layout:
    """Returns the layout with what has been found, all of one kind together, and sums before regions."""
    kinds: dict[tuple[Callable[..., Layout], str], list[Any]] = {}
    for add, kind, one in found:
        kinds.setdefault((add, kind), []).append(one)
    for add, kind in sorted(kinds, key=lambda key: key[0] is Layout.with_regions):
        layout = add(layout, kind, *kinds[add, kind])
    return layout


def with_rules(layout: Layout, value: Mapping[str, Any]) -> Layout:
    """Returns the layout with the rules of an object; a ValueError names what is malformed or not supported."""
    n = layout.size
    flags = [name for name in FLAGS if member(value, name, "the puzzle", bool)]
    if "nonconsecutive" in flags and (value.get("difference") or value.get("ratio")):
        flags.remove("nonconsecutive")
    for name in flags:
        layout = with_flag(layout, name)
    layout = added(layout, (found for name in RULES for one in places(value, name, n) for found in _found(one)))
    negative = member(value, "negative", "the puzzle", list) or []
    if wrong := [one for one in negative if one not in ("xv", "ratio")]:
        raise ValueError(f"negative has {clip(repr(wrong[0]))}, which is not supported: xv and ratio are")
    if value.get("nonconsecutive") and "nonconsecutive" not in flags:
        negative = ["difference", *negative]
    return layout.with_negative(*(kind for one in dict.fromkeys(negative) for kind in unmarked(layout, one)))


def unexplained(value: Mapping[str, Any]) -> list[str]:
    """Returns the members that draw something which is no picture of a rule."""
    names = [cosmetic.name for cosmetic in COSMETICS.values()]

    def is_picture(one: Any) -> bool:
        return isinstance(one, Mapping) and one.get("fromConstraint") in names

    return [name for name in DRAWN if not all(map(is_picture, member(value, name, "the puzzle", list) or []))]


def with_flag(layout: Layout, name: str) -> Layout:
    """Returns the layout with a rule that holds all over the grid."""
    n = layout.size
    if variant := FLAGS[name]:
        return Layout.named(variant, layout)
    return layout.with_regions("diagonal", [(n - 1 - k if name == "diagonal+" else k, k) for k in range(n)])


def unmarked(layout: Layout, name: str) -> tuple[str, ...]:
    """Returns the kinds of marks that unmarked pairs have not: of ratios those that there are, or else of 2."""
    if name == "ratio":
        ratios = (line.kind for line in layout.lines if line.kind == "black-dot" or line.kind.startswith("ratio-"))
        return tuple(sorted(set(ratios))) or ("black-dot",)
    return ("X", "V") if name == "xv" else ("white-dot",)


def caged(total: int | None, cells: Sequence[Cell]) -> Found:
    """Returns a cage, which has no digit twice: a sum, if it has a total."""
    return (Layout.with_regions, "cage", cells) if total is None else (Layout.with_sums, "cage", (total, cells))


def _found(one: Place) -> Iterable[Found]:
    """Returns what a place adds."""
    if one.what in LINES:
        return ((Layout.with_lines, one.kind(), cells) for cells in LINES[one.what][0](one))
    if one.what == "extraregion":
        return [(Layout.with_regions, "extra", one.cells())]
    return SUMS[one.what][0](one)


def _little_killer(one: Place) -> Iterator[Found]:
    if name := one.value.get("cell"):
        one.cell(name, beside=True)  # it says nothing beyond the cells within
    yield one.sum("little-killer", one.cells())


def _arrows(one: Place) -> Iterator[Found]:
    circle = sorted(one.cells())
    if len(circle) > 2:
        raise ValueError(f"{one.what} has what is not supported: a circle of more than two cells")
    for cells in one.lines():
        line = [cell for cell in cells if cell not in circle]
        yield (Layout.with_sums, *(("arrow", (circle[0], line)) if len(circle) == 1 else ("pill", (circle, line))))


def _seen(one: Place) -> list[Found]:
    kind = next(kind for kind in KINDS.values() if kind.published and kind.published[0] == one.what)
    cells = one.seen()
    return [one.sum(kind.name, cells if kind.is_one_way else sorted(cells))]


def _quadruple(one: Place) -> Iterator[Found]:
    if values := member(one.value, "values", one.what, list):
        if not all(isinstance(value, (int, str)) and TOTAL.fullmatch(str(value)) for value in values):
            raise ValueError(f"{one.what} has the values {clip(repr(values))} instead of digits")
        yield Layout.with_sums, "quadruple", (tuple(map(int, values)), one.cells())


# The rules that a puzzle of f-puzzles has or has not, with the variants that they are, if they are some.
FLAGS = {"diagonal+": "", "diagonal-": "", "antiking": "anti-king", "antiknight": "anti-knight"}
FLAGS |= {"disjointgroups": "disjoint-groups", "nonconsecutive": "non-consecutive"}
DRAWN = ("line", "rectangle", "circle", "text", "cage")  # members that draw something and are no rules


class Cosmetic(NamedTuple):
    """The picture of a rule of the plugin: the rule's title; a colour and a width of lines, or a sign and its size."""

    name: str
    sign: str
    width: float


COSMETICS = {
    "renban": Cosmetic("Renban", "#F067F0", 0.4),
    "whispers": Cosmetic("Whispers", "#67F067", 0.3),
    "regionsumline": Cosmetic("Region Sum Line", "#2ECBFF", 0.25),
    "slowthermometer": Cosmetic("Slow Thermometer", "#CFCFCF", 0.3),
    "xsum": Cosmetic("X Sum", "\u25ef", 1.2),
    "skyscraper": Cosmetic("Skyscraper", "\u25af", 1.2),
}


def named(cell: Cell) -> str:
    """Returns the name of a cell; that of one beside the grid has a 0, or one more than there are rows."""
    return f"R{cell[0] + 1}C{cell[1] + 1}"


def said(rule: Region | Line | Sum, n: int) -> Iterator[Said]:
    """Yields the places of a rule of a layout; none if f-puzzles cannot say it, or says it of the whole grid."""
    if isinstance(rule, Region):
        name = "killercage" if rule.kind == "cage" else "extraregion"
        yield name, {"cells": [named(cell) for cell in sorted(rule.cells)]}
    elif isinstance(rule, Line):
        name, form, *value = line_kind(rule.kind).published or ("", "")
        for place in LINE_FORMS[form][1]([named(cell) for cell in rule.cells]) if form else ():
            yield name, {**place, **({"value": value[0]} if value else {})}
    elif isinstance(rule, Sum):
        name, form = KINDS[rule.kind].published
        yield from ((name, place) for place in SUM_FORMS[form][1](rule, [named(cell) for cell in rule.cells], n))


def _on_diagonal(one: Sum, names: list[str], n: int) -> Iterator[Member]:
    """Yields a little killer that goes along a whole diagonal."""
    r, c = one.cells[0]
    for down, across in product((1, -1), repeat=2):
        whole = [(r + k * down, c + k * across) for k in range(-1, n)]
        within = [cell for cell in whole if 0 <= min(cell) <= max(cell) < n]
        if list(one.cells) == within:
            direction = ("D" if down > 0 else "U") + ("R" if across > 0 else "L")
            yield {"cell": named(whole[0]), "direction": direction, "cells": names, "value": str(one.number)}
            return


def _beside(one: Sum, names: list[str], n: int) -> Iterator[Member]:
    """Yields a total of a row or a column, at the side from which it is seen."""
    cells = list(one.cells) if KINDS[one.kind].is_one_way else sorted(one.cells)
    if cells in (sorted(cells), sorted(cells, reverse=True)):
        (r, c), (s, d) = cells[:2]
        yield {"cell": named((2 * r - s, 2 * c - d)), "value": str(one.number)}


def _cage(one: Sum, names: list[str], n: int) -> list[Member]:
    return [{"cells": names, "value": str(one.number)}]


def _arrow(one: Sum, names: list[str], n: int) -> list[Member]:
    circles = [named(cell) for cell in one.circles]
    return [{"cells": circles, "lines": [[circles[-1], *names]]}]


def _as_clone(names: list[str]) -> list[Member]:
    half = len(names) // 2
    return [{"cells": names[:half], "cloneCells": names[half:]}]


# Functions that convert lines: one reads the lines of a place, the other writes places from names of cells.
LineForm = tuple[Callable[[Place], Iterable[Sequence[Cell]]], Callable[[list[str]], Iterable[Member]]]
# Functions that convert sums: one reads what is at a place, the other writes the places of a sum.
SumForm = tuple[Callable[[Place], Iterable[Found]], Callable[[Sum, list[str], int], Iterable[Member]]]

LINE_FORMS: Mapping[str, LineForm] = {
    "line": (Place.lines, lambda names: [{"lines": [names]}]),
    "pairs": (lambda one: [one.cells()], lambda names: [{"cells": list(pair)} for pair in pairwise(names)]),
    "cells": (lambda one: [[one.cell(one.value.get("cell"))]], lambda names: [{"cell": name} for name in names]),
    "star": (Place.star, lambda names: [{"cell": names[0]}]),
    "clone": (Place.halves, _as_clone),
}
SUM_FORMS: Mapping[str, SumForm] = {
    "cage": (lambda one: [caged(one.total(), one.cells())], _cage),
    "diagonal": (_little_killer, _on_diagonal),
    "arrow": (_arrows, _arrow),
    "side": (_seen, _beside),
    "quadruple": (_quadruple, lambda one, names, n: [{"cells": names, "values": one.total}]),
}
_PUBLISHED = {kind.published: kind for kind in KINDS.values() if kind.published}
LINES = {name: LINE_FORMS[form] for (name, form, *_), kind in _PUBLISHED.items() if not kind.total}
SUMS = {name: SUM_FORMS[form] for (name, form, *_), kind in _PUBLISHED.items() if kind.total}
WITH_VALUE = {(name, "".join(value)): kind.name for (name, _, *value), kind in _PUBLISHED.items() if kind.restriction}
RULES = ("extraregion", *LINES, *SUMS)


def pictures(name: str, place: Mapping[str, Any]) -> Iterator[Said]:
    """Yields the pictures of a rule that only the plugin knows."""
    if (cosmetic := COSMETICS.get(name)) is None:
        return
    of = {"fromConstraint": cosmetic.name}
    if "lines" in place:
        yield "line", {"lines": place["lines"], "outlineC": cosmetic.sign, "width": cosmetic.width, **of}
        return
    for text, size in ((cosmetic.sign, cosmetic.width), (place["value"], 0.7)):
        yield "text", {"cells": [place["cell"]], "value": text, "fontC": "#000000", "size": size, **of}
