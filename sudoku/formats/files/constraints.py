"""The rules of f-puzzles, each as the layout that it makes of another one.

A rule that is in no table here is refused, and so is one that is there in a way that has no equal here, such as an
arrow whose circle has several cells.
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

# The members of a rule: its place, its number and its look.
MEMBERS = frozenset({"cell", "cells", "lines", "value", "direction"})
MEMBERS |= {"baseC", "outlineC", "fontC", "width", "height", "size", "angle", "opacity"}

PARITIES = {"odd": 1, "even": 0}  # where the digits begin that are not, each second one
Rule = Callable[[Layout, list[Any], str], Layout]  # a layout, the places of the rule, and its name

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
    """Refuses an object with members that are not known, and neither empty nor false: the ValueError names them."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {clip(repr(value))} instead of an object")
    if wrong := [quoted(name) for name, member in value.items() if name not in known and member]:
        raise ValueError(f"{what} has what is not supported: {', '.join(wrong)}")


def cells_of(value: Mapping[str, Any], what: str, n: int) -> list[Cell]:
    """Returns the cells of a rule, such as `R1C9`, in their order; a ValueError if one is outside, or there is none."""
    names = value.get("cells")
    if not isinstance(names, list) or not names:
        raise ValueError(f"{what} has {clip(repr(value))} instead of cells")
    return [_cell(name, what, n) for name in names]


def parities_of(value: Mapping[str, Any], n: int) -> Candidates:
    """Returns the candidates where some cells are odd and some are even: bool, shape (n, n, n)."""
    allowed = np.ones((n, n, n), dtype=np.bool_)
    for what, parity in PARITIES.items():
        for one in _known(member(value, what, "the puzzle", list) or [], what):
            allowed[(*_cell(one.get("cell"), what, n), slice(parity, None, 2))] = False
    return allowed


def with_rules(layout: Layout, value: Mapping[str, Any]) -> Layout:
    """Returns the layout with all rules of a puzzle."""
    for name, add in FLAGS.items():
        if member(value, name, "the puzzle", bool):
            layout = add(layout)
    for name, rule in RULES.items():
        if places := member(value, name, "the puzzle", list):
            layout = rule(layout, _known(places, name), name)
    return layout


def _known(places: list[Any], what: str) -> list[Any]:
    """Returns the places of a rule, none of which has a member that is not known."""
    for place in places:
        refuse(place, MEMBERS, what)
    return places


def _cell(name: Any, what: str, n: int) -> Cell:
    match = _CELL.fullmatch(name) if isinstance(name, str) else None
    if not match or not (1 <= int(match[1]) <= n and 1 <= int(match[2]) <= n):
        raise ValueError(f"{what} has {clip(repr(name))}, which is no cell from R1C1 to R{n}C{n}")
    return int(match[1]) - 1, int(match[2]) - 1


def _total(place: Mapping[str, Any], what: str) -> int:
    text = place.get("value")
    if text in (None, ""):
        raise ValueError(f"{what} has no value")
    if not isinstance(text, (int, str)) or not _TOTAL.fullmatch(str(text)):
        raise ValueError(f"{what} has the value {clip(repr(text))} instead of a number")
    return int(text)


def _lines(places: list[Any], what: str, n: int) -> Iterator[list[Cell]]:
    """Yields the lines of a rule."""
    for one in places:
        if one.get("lines") is None:
            raise ValueError(f"{what} has no lines")
        for names in member(one, "lines", what, list) or ():
            yield cells_of({"cells": names}, what, n)


def _extra_regions(layout: Layout, places: list[Any], what: str) -> Layout:
    return layout.with_regions("extra", *(cells_of(one, what, layout.size) for one in places))


def _cages(layout: Layout, places: list[Any], what: str) -> Layout:
    totals = [None if one.get("value") in (None, "") else _total(one, what) for one in places]
    return with_cages(
        layout, [(total, cells_of(one, what, layout.size)) for total, one in zip(totals, places, strict=True)]
    )


def with_cages(layout: Layout, cages: Sequence[tuple[int | None, list[Cell]]]) -> Layout:
    """Returns the layout with cages, none of which has a digit twice, and some of which have a total."""
    layout = layout.with_sums("cage", *((total, cells) for total, cells in cages if total is not None))
    bare = [cells for total, cells in cages if total is None]
    return layout.with_regions("cage", *bare) if bare else layout


def _little_killers(layout: Layout, places: list[Any], what: str) -> Layout:
    for one in places:  # the cell beside the grid says nothing beyond the cells within
        if one.get("cell"):
            _beside(one, what, layout.size)
    return layout.with_sums("little-killer", *((_total(one, what), cells_of(one, what, layout.size)) for one in places))


def _arrows(layout: Layout, places: list[Any], what: str) -> Layout:
    found: list[tuple[Cell, list[Cell]]] = []
    for place in places:
        circle, *more = cells_of(place, what, layout.size)
        if more:
            raise ValueError(f"{what} has what is not supported: a circle of several cells")
        lines = _lines([place], what, layout.size)
        found += [(circle, cells[1:] if cells[0] == circle else cells) for cells in lines]
    return layout.with_sums("arrow", *found)


def _thermometers(kind: str) -> Rule:
    """Returns the rule that makes lines of a kind."""
    return lambda layout, places, what: layout.with_lines(kind, *_lines(places, what, layout.size))


def _pairs(kinds: Mapping[str, str]) -> Rule:
    """Returns the rule about two neighbours, by the kinds of lines that their values are."""

    def rule(layout: Layout, places: list[Any], what: str) -> Layout:
        found: dict[str, list[list[Cell]]] = {}
        for one in places:
            number = member(one, "value", what, str, int)
            cells, said = cells_of(one, what, layout.size), "" if number is None else str(number)
            if said not in kinds:
                known = ", ".join(filter(None, kinds))
                raise ValueError(f"{what} has the value {clip(repr(said))}, which is not supported: {known} are")
            found.setdefault(kinds[said], []).append(cells)
        for kind, lines in found.items():
            layout = layout.with_lines(kind, *lines)
        return layout

    return rule


def _beside(place: Mapping[str, Any], what: str, n: int) -> Cell:
    """Returns the cell of a clue around the grid; its row or its column is 0 or n + 1."""
    name = place.get("cell")
    match = _CELL.fullmatch(name) if isinstance(name, str) else None
    cell = (int(match[1]), int(match[2])) if match else (-1, -1)
    if not all(0 <= k <= n + 1 for k in cell) or not {0, n + 1} & {*cell}:
        raise ValueError(f"{what} has {clip(repr(name))}, which is no cell beside the grid")
    return cell


def _sandwiches(layout: Layout, places: list[Any], what: str) -> Layout:
    """Adds sums beside rows, at R3C0, and above columns, at R0C3."""
    n = layout.size
    found: list[tuple[int, list[Cell]]] = []
    for one in places:
        r, c = _beside(one, what, n)
        row = 1 <= r <= n
        if not row and not 1 <= c <= n:
            raise ValueError(f"{what} has {clip(repr(one['cell']))}, which is beside no row and no column")
        cells = [(r - 1, k) for k in range(n)] if row else [(k, c - 1) for k in range(n)]
        found.append((_total(one, what), cells))
    return layout.with_sums("sandwich", *found)


# The rules that a puzzle has or has not, and those that are lists of places, each by its name.
FLAGS: Mapping[str, Callable[[Layout], Layout]] = {
    "diagonal+": lambda layout: layout.with_regions("diagonal", [(layout.size - 1 - k, k) for k in range(layout.size)]),
    "diagonal-": lambda layout: layout.with_regions("diagonal", [(k, k) for k in range(layout.size)]),
    "antiking": lambda layout: layout.with_variants("anti-king"),
    "antiknight": lambda layout: layout.with_variants("anti-knight"),
    "disjointgroups": lambda layout: layout.with_variants("disjoint-groups"),
    "nonconsecutive": lambda layout: layout.with_variants("non-consecutive"),
}
RULES: Mapping[str, Rule] = {
    "extraregion": _extra_regions,
    "killercage": _cages,
    "littlekillersum": _little_killers,
    "arrow": _arrows,
    "sandwichsum": _sandwiches,
    "thermometer": _thermometers("thermometer"),
    "slowthermometer": _thermometers("slow-thermometer"),
    "difference": _pairs({"": "white-dot", "1": "white-dot"}),
    "ratio": _pairs({"": "black-dot", "2": "black-dot"}),
    "xv": _pairs({"X": "X", "V": "V"}),
}
