"""The rules of f-puzzles, and what each adds to a layout; a rule that is not in the table is refused.

A rule with a total or a number that is missing is refused, too, but for what is usual: cages without a total have no
digit twice, dots differ by 1 or are doubles.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from sudoku.formats.signs import clip, quoted
from sudoku.layout import Cell, Layout

# What may be in a rule: where it is, its number, and how it looks.
MEMBERS = frozenset({"cell", "cells", "lines", "value", "direction"})
MEMBERS |= {"baseC", "outlineC", "fontC", "width", "height", "size", "angle", "opacity"}
_CELL = re.compile("R([0-9]{1,2})C([0-9]{1,2})")

Rule = Callable[[Layout, Any], Layout]
One = Callable[[Layout, Mapping[str, Any], str], Layout]


def refuse(value: Any, known: frozenset[str], what: str) -> None:
    """Refuses an object with members that are not known, and neither empty nor false.

    Raises:
        ValueError: there are such members, which it names.

    >>> refuse({"size": 9, "arrow": [], "renban": [1], "xv": [1]}, frozenset({"size"}), "the puzzle")
    Traceback (most recent call last):
    ...
    ValueError: the puzzle has what is not supported: 'renban', 'xv'
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} is {clip(repr(value))} instead of an object")
    if wrong := [quoted(name) for name, member in value.items() if name not in known and member]:
        raise ValueError(f"{what} has what is not supported: {', '.join(wrong)}")


def cells_of(names: Any, what: str, n: int) -> list[Cell]:
    """The cells that a rule names, such as `R1C9`.

    Raises:
        ValueError: there are none, or one outside of the grid.

    >>> cells_of(["R1C9", "R2C9"], "extraregion", 9)
    [(0, 8), (1, 8)]
    """
    if not isinstance(names, list) or not names:
        raise ValueError(f"{what} has {clip(repr(names))} instead of cells")
    cells = []
    for name in names:
        match = _CELL.fullmatch(name) if isinstance(name, str) else None
        if not match or not (1 <= int(match[1]) <= n and 1 <= int(match[2]) <= n):
            raise ValueError(f"{what} has {clip(repr(name))}, which is no cell from R1C1 to R{n}C{n}")
        cells.append((int(match[1]) - 1, int(match[2]) - 1))
    return cells


def _variant(variant: str) -> Rule:
    """A rule that holds everywhere, by its name here."""
    return lambda layout, value: layout.with_variants(variant)


def _diagonal(up: bool) -> Rule:
    def rule(layout: Layout, value: Any) -> Layout:
        last = layout.size - 1
        return layout.with_regions("diagonal", [(last - k if up else k, k) for k in range(layout.size)])

    return rule


def _each(name: str, one: One) -> Rule:
    """A rule that is a list of places."""

    def rule(layout: Layout, value: Any) -> Layout:
        if not isinstance(value, list):
            raise ValueError(f"{name} is {clip(repr(value))} instead of a list")
        for place in value:
            refuse(place, MEMBERS, name)
            layout = one(layout, place, name)
        return layout

    return rule


def _total(place: Mapping[str, Any], name: str) -> int:
    """The number of a rule."""
    text = str(place.get("value", ""))
    if not re.fullmatch("[0-9]{1,6}", text):
        raise ValueError(f"{name} has {quoted(text)} instead of a total")
    return int(text)


def _usual(place: Mapping[str, Any], name: str, usual: str) -> None:
    """Refuses a rule with another number than the usual one."""
    if str(place.get("value") or usual) != usual:
        raise ValueError(f"{name} is supported with the value {usual} only, and not {clip(repr(place['value']))}")


def _region(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    return layout.with_regions("extra", cells_of(place.get("cells"), name, layout.size))


def _cage(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    cells = cells_of(place.get("cells"), name, layout.size)
    if not place.get("value"):
        return layout.with_regions("cage", cells)
    return layout.with_sums("cage", (_total(place, name), cells))


def _little_killer(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    cells = cells_of(place.get("cells"), name, layout.size)
    return layout.with_sums("little-killer", (_total(place, name), cells))


def _sandwich(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    """The total stands beside a row, in column 0 or behind the last one, or above or below a column."""
    n = layout.size
    match = _CELL.fullmatch(str(place.get("cell")))
    r, c = (int(match[1]) - 1, int(match[2]) - 1) if match else (-1, -1)
    if (0 <= r < n) == (0 <= c < n) or not {r, c} & {-1, n}:
        raise ValueError(f"{name} has {clip(repr(place.get('cell')))}, which is no place beside the grid")
    line = [(r, k) for k in range(n)] if 0 <= r < n else [(k, c) for k in range(n)]
    return layout.with_sums("sandwich", (_total(place, name), line))


def _arrow(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    """Arrows from one circle; of a circle of several cells the digits would be those of a number."""
    circle = cells_of(place.get("cells"), name, layout.size)
    if len(circle) > 1:
        raise ValueError(f"{name} is supported with a circle of one cell only, and not of {len(circle)}")
    for line in _lines(layout, place, name):
        if line[0] != circle[0] or len(line) < 2:
            raise ValueError(f"{name} has a line that does not lead away from its circle")
        layout = layout.with_sums("arrow", (circle[0], line[1:]))
    return layout


def _lines(layout: Layout, place: Mapping[str, Any], name: str) -> list[list[Cell]]:
    lines = place.get("lines")
    if not isinstance(lines, list) or not lines:
        raise ValueError(f"{name} has {clip(repr(lines))} instead of lines")
    return [cells_of(line, name, layout.size) for line in lines]


def _thermometer(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    return layout.with_lines("thermometer", *_lines(layout, place, name))


def _whisper(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    if layout.size != 9:
        raise ValueError(f"{name} is supported for 9 digits only, and not {layout.size}")
    _usual(place, name, "5")
    return layout.with_lines("whisper", *_lines(layout, place, name))


def _white_dot(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    _usual(place, name, "1")
    return layout.with_lines("white-dot", cells_of(place.get("cells"), name, layout.size))


def _black_dot(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    _usual(place, name, "2")
    return layout.with_lines("black-dot", cells_of(place.get("cells"), name, layout.size))


def _letter(layout: Layout, place: Mapping[str, Any], name: str) -> Layout:
    letter = str(place.get("value"))
    if letter not in ("V", "X"):
        raise ValueError(f"{name} has {quoted(letter)} instead of V or X")
    return layout.with_lines(letter, cells_of(place.get("cells"), name, layout.size))


# A rule's name, and the layout that it makes of another one.
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "diagonal+": _diagonal(up=True),
        "diagonal-": _diagonal(up=False),
        "antiknight": _variant("anti-knight"),
        "antiking": _variant("anti-king"),
        "nonconsecutive": _variant("non-consecutive"),
        "disjointgroups": _variant("disjoint-groups"),
        "extraregion": _each("extraregion", _region),
        "killercage": _each("killercage", _cage),
        "littlekillersum": _each("littlekillersum", _little_killer),
        "sandwichsum": _each("sandwichsum", _sandwich),
        "arrow": _each("arrow", _arrow),
        "thermometer": _each("thermometer", _thermometer),
        "whispers": _each("whispers", _whisper),
        "difference": _each("difference", _white_dot),
        "ratio": _each("ratio", _black_dot),
        "xv": _each("xv", _letter),
    }
)
