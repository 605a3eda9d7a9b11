"""The rules of f-puzzles, each as the layout that it makes of another one.

A rule that is not in `RULES` is refused by whoever reads the puzzle, and so is one that is there in a way that has no
equal here, such as an arrow whose circle has several cells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sudoku.formats.signs import clip, quoted
from sudoku.grid import Candidates
from sudoku.layout import Cell, Layout

_CELL = re.compile("R([0-9]{1,2})C([0-9]{1,2})")
_TOTAL = re.compile("[0-9]{1,4}")

# What may be in a rule: where it is, its number, and how it looks.
MEMBERS = frozenset({"cell", "cells", "lines", "value", "direction"})
MEMBERS |= {"baseC", "outlineC", "fontC", "width", "height", "size", "angle", "opacity"}

PARITIES = {"odd": 1, "even": 0}  # where the digits begin that are not, each second one
Rule = Callable[[Layout, Any], Layout]

_TYPES = {bool: "true or false", int: "a whole number", str: "a text", list: "a list", dict: "an object"}


def member(value: Mapping[str, Any], name: str, what: str, *types: type) -> Any:
    """A member of an object, of one of some types of JSON; None if it is missing, null, or an empty text or list.

    Raises:
        ValueError: it has another type.

    >>> member({"given": 1}, "given", "the cell", bool)
    Traceback (most recent call last):
    ...
    ValueError: the cell has the member 'given' with 1 instead of true or false
    """
    found = value.get(name)
    if found is None or found == "" or found == []:
        return None
    if type(found) not in types:  # true is an int for isinstance
        kinds = " or ".join(_TYPES[one] for one in types)
        raise ValueError(f"{what} has the member {quoted(name)} with {clip(repr(found))} instead of {kinds}")
    return found


def refuse(value: Any, known: frozenset[str], what: str) -> None:
    """Refuses an object with members that are not known, and neither empty nor false.

    Raises:
        ValueError: there are such members, which it names.

    >>> refuse({"size": 9, "arrow": [], "clone": [1], "quadruple": [1]}, frozenset({"size"}), "the puzzle")
    Traceback (most recent call last):
    ...
    ValueError: the puzzle has what is not supported: 'clone', 'quadruple'
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {clip(repr(value))} instead of an object")
    if wrong := [quoted(name) for name, member in value.items() if name not in known and member]:
        raise ValueError(f"{what} has what is not supported: {', '.join(wrong)}")


def cells_of(value: Any, what: str, n: int, member: str = "cells") -> list[Cell]:
    """The cells of a rule, such as `R1C9`, in their order.

    Raises:
        ValueError: it has none, or one outside of the grid.

    >>> cells_of({"cells": ["R1C9", "R2C9"]}, "extraregion", 9)
    [(0, 8), (1, 8)]
    """
    names = value.get(member) if isinstance(value, Mapping) else None
    if not isinstance(names, list) or not names:
        raise ValueError(f"{what} has {clip(repr(value))} instead of cells")
    return [_cell(name, what, n) for name in names]


def parities_of(value: Mapping[str, Any], n: int) -> Candidates:
    """Returns the candidates of each cell where some are odd and some are even: bool, shape (n, n, n).

    Raises:
        ValueError: what is odd or even is no cell.

    >>> parities_of({"odd": [{"cell": "R1C1"}], "even": [{"cell": "R1C1"}, {"cell": "R1C2"}]}, 2)[0].tolist()
    [[False, False], [False, True]]
    """
    allowed = np.ones((n, n, n), dtype=np.bool_)
    for what, parity in PARITIES.items():
        for one in _places(member(value, what, "the puzzle", list) or [], what):
            allowed[(*_cell(one.get("cell"), what, n), slice(parity, None, 2))] = False
    return allowed


def _cell(name: Any, what: str, n: int) -> Cell:
    match = _CELL.fullmatch(name) if isinstance(name, str) else None
    if not match or not (1 <= int(match[1]) <= n and 1 <= int(match[2]) <= n):
        raise ValueError(f"{what} has {clip(repr(name))}, which is no cell from R1C1 to R{n}C{n}")
    return int(match[1]) - 1, int(match[2]) - 1


def _places(value: list[Any], what: str) -> list[Any]:
    """The places of a rule, which have nothing that is not known."""
    for place in value:
        refuse(place, MEMBERS, what)
    return value


def _total(value: Any, what: str) -> int | None:
    """The number that a rule has; None if it has none."""
    text = value.get("value") if isinstance(value, Mapping) else value
    if text in (None, ""):
        return None
    if not isinstance(text, (int, str)) or not _TOTAL.fullmatch(str(text)):
        raise ValueError(f"{what} has the value {clip(repr(text))} instead of a number")
    return int(text)


def _needed(value: Any, what: str) -> int:
    total = _total(value, what)
    if total is None:
        raise ValueError(f"{what} has no value")
    return total


def _diagonal_up(layout: Layout, value: Any) -> Layout:
    return layout.with_regions("diagonal", [(layout.size - 1 - k, k) for k in range(layout.size)])


def _diagonal_down(layout: Layout, value: Any) -> Layout:
    return layout.with_regions("diagonal", [(k, k) for k in range(layout.size)])


def _variant(name: str) -> Rule:
    return lambda layout, value: layout.with_variants(name)


def _extra_regions(layout: Layout, value: Any) -> Layout:
    regions = (cells_of(one, "extraregion", layout.size) for one in _places(value, "extraregion"))
    return layout.with_regions("extra", *regions)


def _cages(layout: Layout, value: Any) -> Layout:
    """Killer cages; one without a number has no digit twice."""
    places = _places(value, "killercage")
    return with_cages(layout, [(_total(one, "killercage"), cells_of(one, "killercage", layout.size)) for one in places])


def with_cages(layout: Layout, cages: Sequence[tuple[int | None, list[Cell]]]) -> Layout:
    """The layout with cages, none of which has a digit twice, and some of which have a total.

    >>> with_cages(Layout.boxes(2, 2), [(5, [(0, 0), (0, 1)]), (None, [(1, 1), (2, 2)])])
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2, cage 2)
    """
    layout = layout.with_sums("cage", *((total, cells) for total, cells in cages if total is not None))
    bare = [cells for total, cells in cages if total is None]
    return layout.with_regions("cage", *bare) if bare else layout


def _little_killers(layout: Layout, value: Any) -> Layout:
    what = "littlekillersum"
    places = _places(value, what)
    for one in places:
        member(one, "cell", what, str)
    sums = [(_needed(one, what), cells_of(one, what, layout.size)) for one in places]
    return layout.with_sums("little-killer", *sums)


def _arrows(layout: Layout, value: Any) -> Layout:
    found: list[tuple[Cell, list[Cell]]] = []
    for one in _places(value, "arrow"):
        circle = cells_of(one, "arrow", layout.size)
        if len(circle) > 1:
            raise ValueError("arrow has what is not supported: a circle of several cells")
        lines = _lines(one, "arrow", layout.size)
        found += [(circle[0], cells[1:] if cells[0] == circle[0] else cells) for cells in lines]
    return layout.with_sums("arrow", *found)


def _lines(value: Any, what: str, n: int) -> Iterator[list[Cell]]:
    if value.get("lines") is None:
        raise ValueError(f"{what} has no lines")
    for names in member(value, "lines", what, list) or ():
        yield cells_of({"cells": names}, what, n)


def _thermometers(kind: str, what: str) -> Rule:
    """Rules whose lines are lines here."""

    def rule(layout: Layout, value: Any) -> Layout:
        places = _places(value, what)
        return layout.with_lines(kind, *(cells for one in places for cells in _lines(one, what, layout.size)))

    return rule


def _pairs(what: str, kinds: Mapping[str, str]) -> Rule:
    """Rules about two neighbours, by the kinds of lines that their values are."""

    def rule(layout: Layout, value: Any) -> Layout:
        found: dict[str, list[list[Cell]]] = {}
        for one in _places(value, what):
            cells, said = cells_of(one, what, layout.size), str(member(one, "value", what, str, int) or "")
            if said not in kinds:
                known = ", ".join(filter(None, kinds))
                raise ValueError(f"{what} has the value {clip(repr(said))}, which is not supported: {known} are")
            found.setdefault(kinds[said], []).append(cells)
        for kind, lines in found.items():
            layout = layout.with_lines(kind, *lines)
        return layout

    return rule


def _sandwiches(layout: Layout, value: Any) -> Layout:
    """Sums beside rows, at R3C0, and above columns, at R0C3."""
    n = layout.size
    found: list[tuple[int, list[Cell]]] = []
    for one in _places(value, "sandwichsum"):
        name = one.get("cell") if isinstance(one, Mapping) else None
        match = _CELL.fullmatch(name) if isinstance(name, str) else None
        r, c = (int(match[1]), int(match[2])) if match else (0, 0)
        row, column = 1 <= r <= n and c in (0, n + 1), 1 <= c <= n and r in (0, n + 1)
        if not (row or column):
            raise ValueError(f"sandwichsum has {clip(repr(name))}, which is beside no row and no column")
        cells = [(r - 1, k) for k in range(n)] if row else [(k, c - 1) for k in range(n)]
        found.append((_needed(one, "sandwichsum"), cells))
    return layout.with_sums("sandwich", *found)


# The rules that a puzzle has or has not; the others are lists of places.
FLAGS = frozenset({"diagonal+", "diagonal-", "antiking", "antiknight", "disjointgroups", "nonconsecutive"})

# A rule's name, and the layout that it makes of another one.
RULES: Mapping[str, Rule] = {
    "diagonal+": _diagonal_up,
    "diagonal-": _diagonal_down,
    "antiking": _variant("anti-king"),
    "antiknight": _variant("anti-knight"),
    "disjointgroups": _variant("disjoint-groups"),
    "nonconsecutive": _variant("non-consecutive"),
    "extraregion": _extra_regions,
    "killercage": _cages,
    "littlekillersum": _little_killers,
    "arrow": _arrows,
    "sandwichsum": _sandwiches,
    "thermometer": _thermometers("thermometer", "thermometer"),
    "slowthermometer": _thermometers("slow-thermometer", "slowthermometer"),
    "difference": _pairs("difference", {"": "white-dot", "1": "white-dot"}),
    "ratio": _pairs("ratio", {"": "black-dot", "2": "black-dot"}),
    "xv": _pairs("xv", {"X": "X", "V": "V"}),
}
