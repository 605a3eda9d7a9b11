"""Sums as items and options of an exact-cover problem.

A *cage* has an item for itself and one for each digit, all primary. An option chooses the set of its digits: it has
the items of the others, those that no cell of the cage will have. So each digit is either chosen against or in one
cell, and no colours are needed. An option for each assignment of digits instead took 5 to 190 times as many
nodes, and the partial sums below 20 to 600 times, on four killer sudokus without givens.

In all other sums digits may be repeated, so a *chain* of states goes along the cells: partial sums, or for a sandwich
whether it has begun, what it came to, and whether it has ended. For each cell there is an item that is covered by one
option for each digit and each state before and after. The digit is the colour of a secondary item of the cell, which
candidates have too, and the states are colours of secondary items between the cells (Knuth's XCC, The Art of Computer
Programming 4B, 7.2.2.1). States that cannot end well are left out.

Either way, a completion decides all of these options, so it is one cover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sudoku.layout import Cell, Layout, Sum

Item = tuple[str | int, ...]
Entry = tuple[Item, int | None]  # an item, and its colour if it has one
State = int
Next = Callable[[State, int], State | None]


class Added(NamedTuple):
    """What sums add to the problem of a grid.

    Attributes:
        primary, secondary: further items.
        candidates: for a candidate (row, column, digit) the entries that it gets besides.
        options: further options by their names.
    """

    primary: list[Item]
    secondary: list[Item]
    candidates: list[tuple[tuple[int, int, int], Entry]]
    options: dict[Item, list[Entry]]


def added(layout: Layout) -> Added:
    """What the sums of a layout add.

    >>> layout = Layout.boxes(2, 2).with_sums("cage", (5, [(0, 0), (0, 1)]))
    >>> for name, entries in added(layout).options.items():
    ...     print(name, entries)
    ('cage', 0, 1, 4) [(('cage', 0, 0), None), (('cage', 0, 2), None), (('cage', 0, 3), None)]
    ('cage', 0, 2, 3) [(('cage', 0, 0), None), (('cage', 0, 1), None), (('cage', 0, 4), None)]
    """
    all_of = Added([], [], [], {})
    valued: dict[Cell, None] = {}
    for one in layout.sums:
        if one.kind == "cage":
            _add_cage(all_of, one, layout.size)
        else:
            _add_chain(all_of, one, layout.size)
            valued |= dict.fromkeys((*one.cells, one.total) if isinstance(one.total, tuple) else one.cells)
    for cell in valued:
        all_of.secondary.append(_digit_of(cell))
        all_of.candidates.extend(((*cell, d), (_digit_of(cell), d)) for d in range(1, layout.size + 1))
    return all_of


def _digit_of(cell: Cell) -> Item:
    return ("cell", *cell, "digit")


def _add_cage(to: Added, cage: Sum, n: int) -> None:
    items = [(cage.kind, cage.name, d) for d in range(n + 1)]
    to.primary.extend(items)
    to.candidates.extend(((*cell, d), (items[d], None)) for cell in cage.cells for d in range(1, n + 1))
    for digits in sets_of(n, len(cage.cells), int(cage.total)):  # type: ignore[arg-type]
        others = [item for d, item in enumerate(items) if d not in digits]
        to.options[cage.kind, cage.name, *digits] = [(item, None) for item in others]


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
    steps = list(steps_of(one, n))
    last = len(steps) - 1
    to.primary.extend((one.kind, one.name, k) for k in range(len(steps)))
    to.secondary.extend((one.kind, one.name, k, "state") for k in range(last))
    for k, (cell, step) in enumerate(zip(one.cells, steps, strict=True)):
        for digit, before, after in step:
            entries: list[Entry] = [((one.kind, one.name, k), None), (_digit_of(cell), digit)]
            if k > 0:
                entries.append(((one.kind, one.name, k - 1, "state"), before))
            if k < last:
                entries.append(((one.kind, one.name, k, "state"), after))
            elif isinstance(one.total, tuple):
                entries.append((_digit_of(one.total), after))
            to.options[one.kind, one.name, k, digit, before] = entries


def steps_of(one: Sum, n: int) -> Iterator[list[tuple[int, State, State]]]:
    """For each cell of a chain its digits, with the states before and after it.

    Parameters:
        one: a little killer, an arrow or a sandwich.
        n: the number of digits.

    >>> list(steps_of(Sum("little-killer", 0, ((0, 0), (1, 1)), 4), 2))
    [[(2, 0, 2)], [(2, 2, 4)]]
    """
    follow, ends = _chain(one, n)
    digits = range(1, n + 1)
    moves: list[list[tuple[int, State, State]]] = []
    reached = {0}
    for _ in one.cells:
        tried = ((d, a, follow(a, d)) for a in sorted(reached) for d in digits)
        moves.append([(d, a, b) for d, a, b in tried if b is not None])
        reached = {b for _, _, b in moves[-1]}
    for k in reversed(range(len(moves))):
        moves[k] = [(d, a, b) for d, a, b in moves[k] if b in ends]
        ends = {a for _, a, _ in moves[k]}
    yield from moves


def _chain(one: Sum, n: int) -> tuple[Next, set[State]]:
    """Which state follows a state by a digit, and which ones may be the last; the first one is 0."""
    if isinstance(one.total, tuple):
        return (lambda a, d: a + d if a + d <= n else None), set(range(1, n + 1))
    total = one.total
    if one.kind == "little-killer":
        return (lambda a, d: a + d if a + d <= total else None), {total}
    over = total + 2  # 0 before the sandwich, 1 + sum in it

    def follow(state: State, digit: int) -> State | None:
        if digit in (1, n):
            return {0: 1, total + 1: over}.get(state)
        if state in (0, over):
            return state
        return state + digit if state + digit < over else None

    return follow, {over}
