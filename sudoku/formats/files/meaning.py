"""Compares layouts by the meaning of their rules, regardless of names and order.

A meaning is a set: the pairs of cells that regions make different, the pairs of candidates that lines exclude, and each
other rule itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import lru_cache
from itertools import combinations

from sudoku.constraints import Constraint, Region
from sudoku.layout import Layout
from sudoku.restrictions import Pairs

Part = Region | Constraint
Meaning = frozenset[Hashable]


def same_rules(layout: Layout, other: Layout) -> bool:
    """Returns whether two layouts mean the same."""
    shapes = (layout.size, layout.shape) == (other.size, other.shape)
    return layout == other or (shapes and meaning(layout) == meaning(other))


def has_rules(layout: Layout, other: Layout) -> bool:
    """Returns whether a layout has the boxes and all rules of another one."""
    shapes = (layout.shape, layout.box) == (other.shape, other.box)
    return same_rules(layout, other) or (shapes and not any(lost(other, layout)))


def lost(layout: Layout, other: Layout) -> Iterator[str]:
    """Returns the names of the rules of a layout that another layout lacks."""
    known = meaning(other)
    for part in layout.all_rules():
        if not part_meaning(part, layout) <= known:
            yield str(part)


@lru_cache(8)
def meaning(layout: Layout) -> Meaning:
    return frozenset[Hashable]().union(*(part_meaning(part, layout) for part in layout.all_rules()))


def part_meaning(part: Part, layout: Layout) -> Meaning:
    """Returns the meaning of one rule of a layout."""
    if isinstance(part, Region):
        return frozenset(map(frozenset, combinations(part.cells, 2)))
    restriction = part.record.restriction
    if isinstance(restriction, Pairs):
        clashes = restriction.clashes(part.cells, layout.size)
        pairs = (pair for clash in clashes for pair in combinations(clash, 2))
        return frozenset(frozenset(pair) for pair in pairs if pair[0][:2] != pair[1][:2])
    if part.kind in ("odd", "even"):
        return frozenset((part.kind, cell) for cell in part.cells)
    cells: Hashable = part.cells if part.record.cells == "view" else frozenset(part.cells)
    if part.kind == "between":
        cells = frozenset([part.cells[0], part.cells[-1]]), cells
    if part.kind == "region-sum":
        cells = min(part.cells, part.cells[::-1])
    return frozenset([(part.kind, part.total, cells)])
