"""The items and options of what pairs of digits cannot say: sums, and rules of whole lines.

A *cage* has an item for itself and one for each digit, all primary. An option chooses the set of its digits: it has
the items of the others, those that no cell of the cage will have. So each digit is either chosen against or in one
cell, and no colours are needed. An option for each assignment of digits instead took 5 to 190 times as many
nodes, and the partial sums below 20 to 600 times, on four killer sudokus without givens. A *renban* line is a cage with
other sets. In each box a *region-sum* line is a cage, too, of which the sum is the colour of an item for all.

A *sandwich* has an option for each place of its ends and each set of digits between them. There is a secondary item for
each candidate of its line, and the option has those of the candidates that it rules out. An *X-sum* has an option for
each set of its first digits in the same way.

In others digits may be repeated, so an automaton goes along the cells: for a sum its states are the partial sums. For
each cell there is an item that is covered by one option for each digit and each state before it. The digit is the
colour of a secondary item of the cell, which candidates have too, and states are colours of secondary items between the
cells (Knuth's XCC, The Art of Computer Programming 4B, 7.2.2.1). Those that cannot end well are left out. An option for
each assignment takes 2 to 12 times fewer nodes where there are five cells, and five times as many options; for longer
lines these are too many.

*Odd* and *even* cells have an item each, primary, that the candidates have which are allowed.

Either way, a completion decides all of these options, so it is one cover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, product
from typing import Any

from sudoku.constraints import Candidate, Cell, Line, Sum
from sudoku.layout import Layout

Item = tuple[str | int, ...]
Entry = tuple[Item, int | None]  # an item, and its colour if it has one
Step = tuple[int, Any, Any]  # a digit, and the states before and after it
Options = Iterator[tuple[Item, list[Entry]]]  # each with its name

MOST_OPTIONS = 50_000  # of one rule; they take a second to make
MOST_ENTRIES = 12_000_000  # of all options; an entry takes 170 to 290 bytes while the problem is made
FAR_TOO_MANY = 4  # times MOST_OPTIONS: steps of an automaton of which a quarter may lead to an end


class Added:
    """The items and options of rules in the problem of a grid.

    Attributes:
        primary, secondary: the items.
        candidates: the entries that (row, column, digit) gets in addition.
        options: the entries of each option, by its name.
        valued: the cells whose digit is a colour.
    """

    def __init__(self) -> None:
        self.primary: list[Item] = []
        self.secondary: list[Item] = []
        self.candidates: list[tuple[Candidate, Entry]] = []
        self.options: dict[Item, list[Entry]] = {}
        self.valued: dict[Cell, None] = {}
        self._entries = 0  # of all options

    def add(self, one: Line | Sum, kind: str, layout: Layout) -> None:
        """Adds a line or a sum, by the function of its kind; a ValueError names one that takes too many options."""
        first = len(self.options)
        for name, entries in ADDERS[kind](self, one, layout):
            self.options[name] = entries
            self._entries += len(entries)
            if len(self.options) - first > MOST_OPTIONS:
                raise ValueError(f"the {one} takes more than {MOST_OPTIONS} options, the most that are supported")
            if self._entries > MOST_ENTRIES:
                raise ValueError(
                    f"the options of lines and sums, up to the {one}, have more than {MOST_ENTRIES} entries, "
                    "the most that are supported"
                )


def added(layout: Layout) -> Added:
    """Returns the items and options of the lines and sums of a layout; a ValueError names one that takes too many."""
    to = Added()
    for line in layout.lines:
        if line.kind in ADDERS:
            to.add(line, line.kind, layout)
    for one in layout.sums:
        to.add(one, layout.caged(one).kind, layout)
    for cell in to.valued:
        to.secondary.append(_digit_of(cell))
        to.candidates.extend(((*cell, d), (_digit_of(cell), d)) for d in range(1, layout.size + 1))
    return to


def _digit_of(cell: Cell) -> Item:
    return ("cell", *cell, "digit")


def _add_cage(to: Added, cage: Sum, layout: Layout) -> Options:
    sets = sets_of(layout.size, len(cage.cells), cage.number)
    return _add_sets(to, (cage.kind, cage.name), cage.cells, ((one, []) for one in sets), layout.size)


def _add_renban(to: Added, line: Line, layout: Layout) -> Options:
    n, k = layout.size, len(line.cells)
    sets = (tuple(range(first, first + k)) for first in range(1, n - k + 2))
    return _add_sets(to, (line.kind, line.name), line.cells, ((one, []) for one in sets), n)


def _add_region_sum(to: Added, line: Line, layout: Layout) -> Options:
    n, parts, total = layout.size, layout.parts(line), (line.kind, line.name, "sum")
    if len(parts) == 1:
        return
    to.secondary.append(total)
    for k, part in enumerate(parts):
        sets = combinations(range(1, n + 1), len(part))
        yield from _add_sets(to, (line.kind, line.name, k), part, ((one, [(total, sum(one))]) for one in sets), n)


def _add_sets(
    to: Added, owner: Item, cells: Sequence[Cell], sets: Iterable[tuple[tuple[int, ...], list[Entry]]], n: int
) -> Options:
    """Adds cells that have one of some sets of digits, each with further entries."""
    items = [(*owner, d) for d in range(n + 1)]
    to.primary.extend(items)
    to.candidates.extend(((*cell, d), (items[d], None)) for cell in cells for d in range(1, n + 1))
    for digits, more in sets:
        yield (*owner, *digits), [*((item, None) for d, item in enumerate(items) if d not in digits), *more]


def _add_sandwich(to: Added, one: Sum, layout: Layout) -> Options:
    n = layout.size

    def ways() -> Iterator[tuple[Item, list[set[int]]]]:
        for first, last in combinations(range(n), 2):
            between = range(first + 1, last)
            for shifted in sets_of(n - 2, len(between), one.number - len(between)):
                inner = {d + 1 for d in shifted}  # of the digits 2 to n - 1
                outer = set(range(2, n)) - inner
                held = [inner if k in between else {1, n} if k in (first, last) else outer for k in range(n)]
                yield (first, last, *sorted(inner)), held

    return _add_held(to, one, ways(), n)


def _add_x_sum(to: Added, one: Sum, layout: Layout) -> Options:
    n = layout.size

    def ways() -> Iterator[tuple[Item, list[set[int]]]]:
        for count in range(1, n + 1):
            for digits in sets_of(n, count, one.number):
                if count in digits:
                    rest, others = set(digits) - {count}, set(range(1, n + 1)) - set(digits)
                    yield (count, *digits), [{count}, *[rest] * (count - 1), *[others] * (n - count)]

    return _add_held(to, one, ways(), n)


def _add_held(to: Added, one: Sum, ways: Iterable[tuple[Item, list[set[int]]]], n: int) -> Options:
    """Adds ways to fill a line, of which a completion decides one: their names, and the digits that each cell has."""
    item = {(k, d): (one.kind, one.name, k, d) for k in range(n) for d in range(1, n + 1)}
    to.primary.append((one.kind, one.name, 0))
    to.secondary.extend(item.values())
    to.candidates.extend(((*one.cells[k], d), (item[k, d], None)) for k, d in item)
    for name, held in ways:
        ruled = [(item[k, d], None) for k, d in item if d not in held[k]]
        yield (one.kind, one.name, *name), [((one.kind, one.name, 0), None), *ruled]


def sets_of(most: int, size: int, total: int) -> Iterator[tuple[int, ...]]:
    """The sets of so many of the digits from 1 that have that sum, none of them tried in vain."""
    if size == 0:
        yield from [()] * (total == 0)
        return
    for last in range(min(most, total), size - 1, -1):
        least, largest = size * (size - 1) // 2, (size - 1) * (2 * last - size) // 2  # of the digits below the last
        if least <= total - last <= largest:
            yield from ((*others, last) for others in sets_of(last - 1, size - 1, total - last))


def _add_partial_sums(to: Added, one: Sum, layout: Layout) -> Options:
    digits = range(1, layout.size + 1)
    ends: dict[int, list[list[Entry]]] = {}  # the digits of the circles for each sum
    if circles := [_digit_of(cell) for cell in one.circles]:
        for some in product(digits, repeat=len(circles)):
            number = sum(digit * 10**k for k, digit in enumerate(reversed(some)))
            ends.setdefault(number, []).append(list(zip(circles, some, strict=True)))
    else:
        ends[one.number] = [[]]
    to.valued.update(dict.fromkeys(one.circles))
    most = max(ends)
    return _add_chain(
        to, one, one.cells, 0, lambda before, d: before + d if before + d <= most else None, ends.get, layout
    )


def _add_between(to: Added, line: Line, layout: Layout) -> Options:
    def step(state: tuple[int, ...], digit: int) -> tuple[int, ...] | None:
        """The ends come first, and stay the state: the lesser one and the larger one."""
        if len(state) < 2:
            return tuple(sorted((*state, digit))) if digit not in state else None
        return state if state[0] < digit < state[1] else None

    first, *inner, last = line.cells
    return _add_chain(to, line, (first, last, *inner), (), step, lambda _: [[]], layout)


def _add_skyscraper(to: Added, one: Sum, layout: Layout) -> Options:
    def step(state: tuple[int, int], digit: int) -> tuple[int, int]:
        """The largest digit so far, and how many have been the largest ones."""
        return (digit, state[1] + 1) if digit > state[0] else state

    return _add_chain(to, one, one.cells, (0, 0), step, lambda state: [[]] if state[1] == one.total else None, layout)


def _add_quadruple(to: Added, one: Sum, layout: Layout) -> Options:
    def step(state: tuple[int, ...], digit: int) -> tuple[int, ...]:
        """The digits that are still missing."""
        k = state.index(digit) if digit in state else len(state)
        return state[:k] + state[k + 1 :]

    return _add_chain(to, one, one.cells, one.total, step, lambda state: None if state else [[]], layout)


def _add_chain(
    to: Added,
    one: Sum | Line,
    cells: Sequence[Cell],
    start: Any,
    step: Callable[[Any, int], Any],
    ends: Callable[[Any], list[list[Entry]] | None],
    layout: Layout,
) -> Options:
    """Adds an automaton along some cells.

    Parameters:
        start: its first state; states are numbers, or tuples of them.
        step: the state behind a state and a digit, or None if there is none.
        ends: the entries of a last state, perhaps several that only one completion each can have; None if it is no end.
    """
    steps = steps_of(len(cells), layout.size, start, step, ends)
    to.valued.update(dict.fromkeys(cells))
    last = len(steps) - 1
    to.primary.extend((one.kind, one.name, k) for k in range(len(steps)))
    to.secondary.extend((one.kind, one.name, k, "sum") for k in range(last))
    colour: dict[Any, int] = {}
    for k, cell in enumerate(cells):
        for digit, before, after in steps[k]:
            entries: list[Entry] = [((one.kind, one.name, k), None), (_digit_of(cell), digit)]
            if k > 0:
                entries.append(((one.kind, one.name, k - 1, "sum"), colour[before]))
            name = (one.kind, one.name, k, digit, before)
            if k < last:
                shade = colour.setdefault(after, len(colour))
                yield name, [*entries, ((one.kind, one.name, k, "sum"), shade)]
                continue
            for j, more in enumerate(ends(after) or []):
                yield (*name, j), [*entries, *more]


def steps_of(
    cells: int, n: int, start: Any, step: Callable[[Any, int], Any], ends: Callable[[Any], object]
) -> list[list[Step]]:
    """Returns the digits of each cell with the states before and behind them, on some way from the start to an end.

    If there are far too many, those that lead to no end are not left out: the options of a rule are counted anyway.
    """
    steps: list[list[Step]] = []
    reached = {start}
    for _ in range(cells):
        tried = ((d, before, step(before, d)) for before in sorted(reached) for d in range(1, n + 1))
        steps.append([one for one in tried if one[2] is not None])
        reached = {after for _, _, after in steps[-1]}
        if sum(map(len, steps)) > FAR_TOO_MANY * MOST_OPTIONS:
            return steps
    left = {state for state in reached if ends(state) is not None}
    for k in reversed(range(cells)):
        steps[k] = [one for one in steps[k] if one[2] in left]
        left = {before for _, before, _ in steps[k]}
    return steps


def _add_parity(to: Added, line: Line, layout: Layout, first: int) -> Options:
    for k, cell in enumerate(line.cells):
        item = (line.kind, line.name, k)
        to.primary.append(item)
        to.candidates.extend(((*cell, d), (item, None)) for d in range(first, layout.size + 1, 2))
    return iter(())


# For each kind of rule the function that adds its items and yields its options.
ADDERS: dict[str, Callable[[Added, Any, Layout], Options]] = {
    "renban": _add_renban,
    "region-sum": _add_region_sum,
    "between": _add_between,
    "odd": partial(_add_parity, first=1),
    "even": partial(_add_parity, first=2),
    "cage": _add_cage,
    "little-killer": _add_partial_sums,
    "arrow": _add_partial_sums,
    "pill": _add_partial_sums,
    "sandwich": _add_sandwich,
    "x-sum": _add_x_sum,
    "skyscraper": _add_skyscraper,
    "quadruple": _add_quadruple,
}
