"""Sums: cells whose digits add up to a total.

A *cage* has no digit twice; a *little killer* may have, where its regions allow it; an *arrow* has the digit of its
circle as its total; a *sandwich* is a row or a column, and counts the digits between the smallest and the largest.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.layout.regions import Cell, Region, check_there, checked_cell, listed

SUMS = ("cage", "little-killer", "arrow", "sandwich")
MOST_OPTIONS = 50_000  # of one sum; so many take a second to make


class Sum(NamedTuple):
    """Cells whose digits add up to a total.

    Attributes:
        kind: "cage", "little-killer", "arrow" or "sandwich".
        name: which one of its kind: a number from 0, or a name.
        cells: (row, column) from 0; of a cage in any order, of a sandwich in that of the line.
        total: a whole number; for an arrow the cell of the circle.
    """

    kind: str
    name: int | str
    cells: tuple[Cell, ...]
    total: int | Cell

    @property
    def number(self) -> int:
        """The total of what is no arrow."""
        assert isinstance(self.total, int)
        return self.total

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    def check(self, size: int, there: set[Cell], regions: Iterable[Region]) -> None:
        """Checks its kind, its cells and its total in a grid of so many digits with these cells and regions."""
        checked_sum(*self)
        circle = [self.total] if isinstance(self.total, tuple) else []
        check_there((*self.cells, *circle), there, str(self))
        if fault := size_fault(self, size):
            raise ValueError(f"the {self} {fault}")
        if self.kind == "sandwich" and frozenset(self.cells) not in {region.cells for region in regions}:
            raise ValueError(f"the {self} is neither a row nor a column")


def checked_sum(kind: str, name: int | str, cells: object, total: object) -> Sum:
    """Checks a sum as somebody says it."""
    if kind not in SUMS:
        raise ValueError(f"{kind!r:.40} is no kind of sum: {', '.join(SUMS)} are")
    owner = f"{kind} {name}"
    found = listed(cells, owner)  # type: ignore[arg-type]
    if not found:
        raise ValueError(f"the {owner} has no cells")
    if kind == "arrow":
        circle = checked_cell(total, owner)  # type: ignore[arg-type]
        if circle in found:
            raise ValueError(f"the {owner} has its circle {circle} on its line")
        return Sum(kind, name, found, circle)
    if not isinstance(total, (int, np.integer)):
        raise ValueError(f"the {owner} has the total {total!r:.40} instead of a whole number")
    return Sum(kind, name, found, int(total))


def size_fault(one: Sum, size: int) -> str:
    """Describes a sum that no cells can have with so many digits, or that takes too many options; nothing of others."""
    cells = len(one.cells)
    if one.kind == "cage" and cells > size:
        return f"has {cells} cells for {size} digits, none of which it may have twice"
    if one.kind == "sandwich" and cells != size:
        return f"has {cells} cells instead of {size}, a row or a column"
    if (options := _options(one, size)) > MOST_OPTIONS:
        return f"of {cells} cells and {size} digits takes {options} options; at most {MOST_OPTIONS} are supported"
    return ""


def keeps(one: Sum, grid: npt.NDArray[np.uint8], size: int) -> bool:
    """Tells whether the digits of a grid have a sum, or some are blank."""
    digits = [int(grid[cell]) for cell in one.cells]
    total = int(grid[one.total]) if isinstance(one.total, tuple) else one.total
    if 0 in digits or (isinstance(one.total, tuple) and total == 0):
        return True
    if one.kind == "sandwich" and not {1, size} <= set(digits):
        return False
    if one.kind == "sandwich":
        first, last = sorted((digits.index(1), digits.index(size)))
        digits = digits[first + 1 : last]
    return sum(digits) == total and (one.kind != "cage" or len(set(digits)) == len(digits))


def _options(one: Sum, n: int) -> int:
    """Returns the number of options of a sum, or a larger one."""
    cells = len(one.cells)
    if one.kind == "cage":
        most = comb(n, cells)
        return most if most <= MOST_OPTIONS else _sets(n, cells, one.number)
    if one.kind == "little-killer":  # so many partial sums there are at most behind each cell, times the digits
        return n * sum(min(k, cells - k) * (n - 1) + 1 for k in range(1, cells + 1))
    if one.kind == "arrow":
        return n * n * cells
    return sum((n - 1 - k) * _sets(n - 2, k, one.number - k) for k in range(n - 1))


def _sets(n: int, size: int, total: int) -> int:
    """Returns the number of sets of so many of the digits 1 to n with that sum."""
    if not 0 <= total <= n * (n + 1) // 2:
        return 0
    ways = [1, *size * [0]]  # for each number of digits, 64 bits for each sum
    for digit in range(1, n + 1):
        for k in range(size, 0, -1):
            ways[k] += ways[k - 1] << 64 * digit
    return ways[size] >> 64 * total & (1 << 64) - 1
