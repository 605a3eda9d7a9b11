"""Sums as items and options of an exact-cover problem.

A *cage* has an item for itself and one for each digit, all primary. An option chooses the set of its digits: it has
the items of the others, those that no cell of the cage will have. So each digit is either chosen against or in one
cell, and no colours are needed. An option for each assignment of digits instead took 5 to 190 times as many
nodes, and the partial sums below 20 to 600 times, on four killer sudokus without givens.

A *sandwich* has an option for each place of its ends and each set of digits between them. There is a secondary item for
each candidate of its line, and the option has those of the candidates that it rules out.

In other sums digits may be repeated, so a *chain* of partial sums goes along the cells. For each cell there is an item
that is covered by one option for each digit and each partial sum before it. The digit is the colour of a secondary item
of the cell, which candidates have too, and partial sums are colours of secondary items between the cells (Knuth's XCC,
The Art of Computer Programming 4B, 7.2.2.1). Those that cannot end well are left out. An option for each assignment
takes 2 to 12 times fewer nodes where there are five cells, and five times as many options; for longer lines these are
too many.

Either way, a completion decides all of these options, so it is one cover.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from sudoku.layout import Cell, Layout, Sum

Item = tuple[str | int, ...]
Entry = tuple[Item, int | None]  # an item, and its colour if it has one


class Added(NamedTuple):
    """The items and options of sums in the problem of a grid."""

    primary: list[Item]
    secondary: list[Item]
    candidates: list[tuple[tuple[int, int, int], Entry]]  # entries that (row, column, digit) gets besides
    options: dict[Item, list[Entry]]  # by their names


def added(layout: Layout) -> Added:
    """Returns the items and options of the sums of a layout."""
    all_of = Added([], [], [], {})
    valued: dict[Cell, None] = {}
    for one in layout.sums:
        if one.kind == "sandwich":
            _add_sandwich(all_of, one, layout.size)
        elif one.kind == "cage" or (one.kind == "little-killer" and _in_one_region(one, layout)):
            _add_cage(all_of, one, layout.size)
        else:
            _add_chain(all_of, one, layout.size)
            valued |= dict.fromkeys((*one.cells, one.total) if isinstance(one.total, tuple) else one.cells)
    for cell in valued:
        all_of.secondary.append(_digit_of(cell))
        all_of.candidates.extend(((*cell, d), (_digit_of(cell), d)) for d in range(1, layout.size + 1))
    return all_of


def _in_one_region(one: Sum, layout: Layout) -> bool:
    """Tells whether no digit can be repeated, so that a little killer is a cage."""
    return any(region.cells.issuperset(one.cells) for region in layout.regions)


def _digit_of(cell: Cell) -> Item:
    return ("cell", *cell, "digit")


def _add_cage(to: Added, cage: Sum, n: int) -> None:
    items = [(cage.kind, cage.name, d) for d in range(n + 1)]
    to.primary.extend(items)
    to.candidates.extend(((*cell, d), (items[d], None)) for cell in cage.cells for d in range(1, n + 1))
    for digits in sets_of(n, len(cage.cells), cage.number):
        others = [item for d, item in enumerate(items) if d not in digits]
        to.options[cage.kind, cage.name, *digits] = [(item, None) for item in others]


def _add_sandwich(to: Added, one: Sum, n: int) -> None:
    item = {(k, d): (one.kind, one.name, k, d) for k in range(n) for d in range(1, n + 1)}
    to.primary.append((one.kind, one.name, 0))
    to.secondary.extend(item.values())
    to.candidates.extend(((*one.cells[k], d), (item[k, d], None)) for k, d in item)
    for first, last in combinations(range(n), 2):
        between = range(first + 1, last)
        for shifted in sets_of(n - 2, len(between), one.number - len(between)):
            inner = {d + 1 for d in shifted}  # of the digits 2 to n - 1
            outer = set(range(2, n)) - inner
            held = {k: inner if k in between else {1, n} if k in (first, last) else outer for k in range(n)}
            ruled = [(k, d) for k, d in item if d not in held[k]]
            entries: list[Entry] = [((one.kind, one.name, 0), None), *((item[pair], None) for pair in ruled)]
            to.options[one.kind, one.name, first, last, *sorted(inner)] = entries


def sets_of(most: int, size: int, total: int) -> Iterator[tuple[int, ...]]:
    """The sets of so many of the digits from 1 that have that sum, none of them tried in vain.

    >>> list(sets_of(9, 2, 5)), list(sets_of(9, 2, 18)), list(sets_of(4, 4, 10))
    ([(1, 4), (2, 3)], [], [(1, 2, 3, 4)])
    """
    if size == 0:
        yield from [()] * (total == 0)
        return
    for last in range(min(most, total), size - 1, -1):
        least, largest = size * (size - 1) // 2, (size - 1) * (2 * last - size) // 2  # of the digits below the last
        if least <= total - last <= largest:
            yield from ((*others, last) for others in sets_of(last - 1, size - 1, total - last))


def _add_chain(to: Added, one: Sum, n: int) -> None:
    steps = steps_of(one, n)
    last = len(steps) - 1
    to.primary.extend((one.kind, one.name, k) for k in range(len(steps)))
    to.secondary.extend((one.kind, one.name, k, "sum") for k in range(last))
    for k, (cell, step) in enumerate(zip(one.cells, steps, strict=True)):
        for digit, before in step:
            entries: list[Entry] = [((one.kind, one.name, k), None), (_digit_of(cell), digit)]
            if k > 0:
                entries.append(((one.kind, one.name, k - 1, "sum"), before))
            if k < last:
                entries.append(((one.kind, one.name, k, "sum"), before + digit))
            elif isinstance(one.total, tuple):
                entries.append((_digit_of(one.total), before + digit))
            to.options[one.kind, one.name, k, digit, before] = entries


def steps_of(one: Sum, n: int) -> list[list[tuple[int, int]]]:
    """The digits of each cell of a little killer or an arrow, with the sums before them."""
    ends = set(range(1, n + 1)) if isinstance(one.total, tuple) else {one.number}
    steps: list[list[tuple[int, int]]] = []
    reached = {0}
    for _ in one.cells:
        steps.append([(d, before) for before in sorted(reached) for d in range(1, n + 1) if before + d <= max(ends)])
        reached = {before + d for d, before in steps[-1]}
    for k in reversed(range(len(steps))):
        steps[k] = [(d, before) for d, before in steps[k] if before + d in ends]
        ends = {before for _, before in steps[k]}
    return steps
