"""Reads killers and jigsaws whose text contains their cages and regions.

3x3::k:2560:4097:...     a killer: 256 times the total of each cell's cage plus the number of the cage;
                         `3x3:d:k:` has both diagonals, too
SumoCueV1=0J1=6J1...     a jigsaw: the digit, or 0, and the region of each cell; or a killer if there is a `+`:
                         `=15` is the total of the cage that begins there, `+4` another cell of the cage of cell 4
06.2...2222...           the cells in a line, and the regions of all cells behind them, by digits or letters
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from math import isqrt

from sudoku.constraints import Cell, beside
from sudoku.formats.request import Request
from sudoku.formats.signs import BLANKS
from sudoku.grid import Puzzle
from sudoku.layout import Layout, as_layout

_KILLER = re.compile(r"(\d{1,2})x(\d{1,2}):(d?):k((?::\d{1,9})+):?", re.IGNORECASE)
_SUMOCUE = re.compile(r"SumoCueV1((?:[=+]\d{1,4}(?:J\d{1,4})?)+)", re.IGNORECASE)
_SUMOCUE_CELL = re.compile(r"([=+])(\d+)(?:J(\d+))?", re.IGNORECASE)


def with_own_regions(text: str, request: Request, line: int) -> Puzzle | None:
    """Returns the puzzle of a line, or None if it has none of these forms; a ValueError describes a fault."""
    if found := _KILLER.fullmatch(text):
        return _killer(found, request, line)
    if found := _SUMOCUE.fullmatch(text):
        return _sumocue(found[1], request, line)
    cells, names = text[: len(text) // 2], text[len(text) // 2 :]
    if len(cells) != len(names) or cells.strip(BLANKS + "123456789") or not is_map(names):
        return None
    return jigsaw([int(sign) if sign.isdecimal() else 0 for sign in cells], names, request, line)


def jigsaw(digits: Sequence[int], names: str, request: Request, line: int) -> Puzzle:
    """Returns the jigsaw puzzle with given digits and names of regions, one for each cell."""
    return _with_digits(request.with_layout(_layout(names)), digits, line)


def _layout(names: Sequence[int | str]) -> Layout:
    """Returns the jigsaw layout with these names of regions, one for each cell."""
    n = isqrt(len(names))
    return Layout.jigsaw([names[k : k + n] for k in range(0, n * n, n)])


def is_map(names: Sequence[Hashable]) -> bool:
    """Returns whether the names of all cells are those of four or more regions in one piece each, and no completion."""
    n = len({*names})
    if n < 4 or len(names) != n * n or {*Counter(names).values()} != {n}:
        return False
    if all(len({*names[k : k + n]}) == n for k in range(0, n * n, n)):
        return False
    areas: dict[Hashable, set[Cell]] = {}
    for k, name in enumerate(names):
        areas.setdefault(name, set()).add(divmod(k, n))
    return all(map(_is_connected, areas.values()))


def _is_connected(cells: set[Cell]) -> bool:
    """Returns whether cells are connected by their sides."""
    reached = [min(cells)]
    for cell in reached:
        reached += [other for other in beside(cell, cells) if other not in reached]
    return len(reached) == len(cells)


def _killer(found: re.Match[str], request: Request, line: int) -> Puzzle:
    layout = as_layout((int(found[1]), int(found[2])))
    codes = list(map(int, found[4][1:].split(":")))
    _check_number(len(codes), layout.size)
    if found[3]:
        layout = Layout.named("x", layout)
    return _caged(request.with_layout(layout), codes, [code >> 8 for code in codes], line)


def _sumocue(text: str, request: Request, line: int) -> Puzzle:
    cells = [(sign, int(number), region) for sign, number, region in _SUMOCUE_CELL.findall(text)]
    regions = [region for _, _, region in cells]
    n = isqrt(len(cells)) if any(regions) else request.layout.size
    _check_number(len(cells), n)
    if any(regions) and not all(regions):
        raise ValueError(f"cell {regions.index('') + 1} has no region, but others have one: write J and its number")
    if all(regions):
        request = request.with_layout(_layout(regions))
    numbers = [number for _, number, _ in cells]
    if all(sign == "=" for sign, _, _ in cells):
        return _with_digits(request, numbers, line)
    firsts = [k if sign == "=" else number for k, (sign, number, _) in enumerate(cells)]
    if any(first >= len(cells) or cells[first][0] == "+" for first in firsts):
        raise ValueError("a cell belongs to a cage that begins nowhere")
    return _caged(request, firsts, [numbers[first] for first in firsts], line)


def _with_digits(request: Request, digits: Sequence[int], line: int) -> Puzzle:
    if max(digits) > request.layout.size:
        raise ValueError(f"{max(digits)} is not between 0 and {request.layout.size}")
    return request.puzzle(digits, "jigsaw", line)


def _caged(request: Request, names: Sequence[int], totals: Sequence[int], line: int) -> Puzzle:
    """Returns a puzzle with a cage for each name; cells without a total are in no cage."""
    n = request.layout.size
    cages: dict[int, list[int]] = {}
    for k, total in enumerate(totals):
        if total:
            cages.setdefault(names[k], []).append(k)
    sums = [(totals[cells[0]], [divmod(k, n) for k in cells]) for cells in cages.values()]
    return request._replace(layout=request.layout.with_sums("cage", *sums)).puzzle([0] * (n * n), "killer", line)


def _check_number(cells: int, n: int) -> None:
    if cells != n * n:
        raise ValueError(f"the line has {cells} cells instead of {n * n}")
