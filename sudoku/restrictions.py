"""The kinds of restrictions of digits, each with its items and options of the problem.

    Pairs      some pairs of cells allow some pairs of digits.
    Sets       the digits are different, and form one of some sets.
    SameSums   each part of a line in a box is a cage, and all have the same sum.
    Fillings   a whole row or column has one of some fillings, each with a set of digits for every cell.
    Automaton  each digit changes a state, and the last state must be accepted; digits may be repeated.
    Parity     each cell is odd, or each cell is even.

A completion determines which of these options are chosen, so each completion is exactly one cover.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import lru_cache, reduce
from itertools import combinations, groupby, pairwise, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx import Coloured

Cell = tuple[int, int]
Pair = tuple[Cell, Cell]
Candidate = tuple[int, int, int]
Digits = Sequence[int]
Item = tuple[str | int, ...]
Entry = Item | Coloured  # an item, with a colour or without one
Options = Iterable[tuple[Item, list[Entry]]]  # each option with its name
Step = tuple[int, Any, Any]  # a digit, and the states before and after it
Clash = tuple[Candidate, ...]  # candidates of which at most one may hold

MOST_OPTIONS = 50_000  # maximum options of one rule, which take a second to make
MOST_ENTRIES = 4_000_000  # maximum entries of all rules; an entry takes 170 to 580 bytes while the problem is made
FAR_TOO_MANY = 4  # steps of an automaton, in MOST_OPTIONS, from which it is refused without removing dead ends


class Gadgets:
    """The items and options of rules, added to those of a grid.

    Attributes:
        size: the number of digits.
        areas: returns a number for the boxes of each cell.
        options: the entries of each option, by its name: the candidates (row, column, digit), then options of rules.
        primary, secondary: the items.
    """

    def __init__(self, size: int, areas: Callable[[], npt.NDArray[np.intp]], cells: Iterable[Cell]) -> None:
        self.size = size
        self.areas = areas
        self.primary: list[Item] = [("cell", r, c) for r, c in cells]
        candidates = product(self.primary, range(1, size + 1))
        self.options: dict[Item, list[Entry]] = {(*item[1:], d): [item] for item, d in candidates}
        self.secondary: list[Item] = []
        self._coloured: set[Cell] = set()  # the cells with a secondary item whose colour is the digit
        self._entries = 0  # the number of entries of clashes and options

    def add(self, owner: Item, options: Options) -> None:
        """Adds the options of a rule; raises ValueError if they are too many, or all rules have too many entries."""
        first = len(self.options)
        for name, entries in options:
            self.options[name] = entries
            self.count(owner, len(entries))
            if len(self.options) - first > MOST_OPTIONS:
                text = " ".join(map(str, owner))
                raise ValueError(f"the {text} takes more than {MOST_OPTIONS} options, the most that are supported")

    def count(self, owner: Item, entries: int) -> None:
        """Counts entries of a rule; raises ValueError if there are too many."""
        self._entries += entries
        if self._entries > MOST_ENTRIES:
            text = f"the rules, up to the {' '.join(map(str, owner))}, have more than {MOST_ENTRIES} entries"
            raise ValueError(f"{text}, the most that are supported")

    def digit_of(self, cell: Cell) -> Item:
        """Returns the secondary item of a cell whose colour is the digit."""
        item = ("cell", *cell, "digit")
        if cell not in self._coloured:
            self._coloured.add(cell)
            self.secondary.append(item)
            for d in range(1, self.size + 1):
                self.options[*cell, d].append(Coloured(item, d))
        return item


class Pairs(NamedTuple):
    """The allowed pairs of digits; `of` yields the restricted pairs of cells, or of the digits in these cells.

    Candidates of one cell exclude each other anyway. So a set of digits of the first cell and a set of digits of the
    second make one clash, a secondary item, if no pair of them is allowed. There is at most one clash for each digit of
    the first cell, with sets as large as possible: for a thermometer, the digits from d on in the lower cell, and the
    digits up to d in the higher cell.
    """

    allowed: Callable[[int, int], bool]
    of: Callable[[Sequence[Any]], Iterable[tuple[Any, Any]]] = pairwise

    def clashes(self, cells: Sequence[Cell], n: int) -> Iterator[Clash]:
        """Yields the clashes of some cells."""
        for (below, above), (first, second) in product(self.of(cells), _forbidden(self, n)):
            yield *((*below, d) for d in first), *((*above, d) for d in second)

    def options(self, gadgets: Gadgets, owner: Item, cells: Sequence[Cell], total: Any) -> Options:
        for number, clash in enumerate(self.clashes(cells, gadgets.size)):
            gadgets.count(owner, len(clash))
            item = (*owner, number)
            gadgets.secondary.append(item)
            for one in clash:
                gadgets.options[one].append(item)
        return ()


@lru_cache(256)
def _forbidden(pairs: Pairs, size: int) -> list[tuple[list[int], frozenset[int]]]:
    """Returns pairs of sets of digits that contain no allowed pair; together they contain all forbidden pairs."""
    digits = range(1, size + 1)
    against = {a: frozenset(b for b in digits if not pairs.allowed(a, b)) for a in digits}
    sets = [second for second in dict.fromkeys(against.values()) if second]
    return [([a for a in digits if second <= against[a]], second) for second in sets]


class Sets(NamedTuple):
    """The sets of digits, by the size n of the grid, the number of cells and the total.

    There is an item for the rule and one for each digit, all primary. An option chooses the set of its digits: it
    covers the items of all other digits. So each digit is either excluded or in one cell, and no colours are needed. On
    four killer sudokus without givens, an option for each assignment of digits took 5 to 190 times as many nodes, and
    the partial sums of an automaton 20 to 600 times as many.
    """

    sets: Callable[[int, int, int], Iterable[tuple[int, ...]]]

    def options(self, gadgets: Gadgets, owner: Item, cells: Sequence[Cell], total: Any) -> Options:
        return _sets(gadgets, owner, cells, self.sets(gadgets.size, len(cells), total or 0))


def _sets(gadgets: Gadgets, owner: Item, cells: Sequence[Cell], sets: Iterable[tuple[int, ...]]) -> Options:
    """Adds cells whose digits are one of some sets."""
    items = [(*owner, d) for d in range(gadgets.size + 1)]
    gadgets.primary.extend(items)
    for cell, d in product(cells, range(1, gadgets.size + 1)):
        gadgets.options[*cell, d].append(items[d])
    for digits in sets:
        yield (*owner, *digits), [item for d, item in enumerate(items) if d not in digits]


class SameSums(NamedTuple):
    """The parts of a line in the boxes have the same sum: the colour of an item that all parts share."""

    def options(self, gadgets: Gadgets, owner: Item, cells: Sequence[Cell], total: Any) -> Options:
        areas = gadgets.areas()
        parts = [list(part) for _, part in groupby(cells, lambda cell: areas[cell])]
        if len(parts) == 1:
            return
        item: Item = (*owner, "sum")
        gadgets.secondary.append(item)
        for k, part in enumerate(parts):
            for name, entries in _sets(gadgets, (*owner, k), part, combinations(range(1, gadgets.size + 1), len(part))):
                yield name, [*entries, Coloured(item, sum(map(int, name[3:])))]


class Fillings(NamedTuple):
    """The fillings of a row or a column, by n and the total: a name, and the digits of each cell.

    There is a secondary item for each candidate, and the option of a filling has the items of the candidates that the
    filling rules out.
    """

    fillings: Callable[[int, int], Iterable[tuple[tuple[int, ...], list[set[int]]]]]

    def options(self, gadgets: Gadgets, owner: Item, cells: Sequence[Cell], total: Any) -> Options:
        n = gadgets.size
        item = {(k, d): (*owner, k, d) for k in range(n) for d in range(1, n + 1)}
        gadgets.primary.append((*owner, 0))
        gadgets.secondary.extend(item.values())
        for k, d in item:
            gadgets.options[*cells[k], d].append(item[k, d])
        for name, held in self.fillings(n, total):
            yield (*owner, *name), [(*owner, 0), *(item[k, d] for k, d in item if d not in held[k])]


class Automaton(NamedTuple):
    """The states along the cells; a state is a number or a tuple of numbers.

    Each cell has an item, and an option for each digit and each state before the cell covers this item. The digit is
    the colour of a secondary item of the cell, which candidates have too, and states are colours of secondary items
    between the cells (Knuth's XCC, The Art of Computer Programming 4B, 7.2.2.1). Options on no path to a final state
    are omitted. For five cells, an option for each assignment takes 2 to 12 times fewer nodes and five times as many
    options; for longer lines there are too many assignments.

    If circles have the total, their digits form the number that must be the last state.
    """

    start: Callable[[Any], Any]  # total -> first state
    step: Callable[[Any, int, Any], Any]  # state, digit, total -> next state, or None
    ends: Callable[[Any, Any], bool]  # state, total -> whether the state is accepted as the last
    ends_first: bool = False  # whether the two ends of the line come first
    is_circled: bool = False  # whether the total is in circled cells

    def options(self, gadgets: Gadgets, owner: Item, cells: Sequence[Cell], total: Any) -> Options:
        """Adds the items of the cells and of the states between them, and yields the options."""
        ends: dict[Any, list[list[Coloured]]] | None = None  # the digits of the circles for each last state
        if self.is_circled:
            ends = {}
            circles = [gadgets.digit_of(cell) for cell in total]
            for some in product(range(1, gadgets.size + 1), repeat=len(circles)):
                number = reduce(lambda before, digit: 10 * before + digit, some)  # 17 for 1 and 7
                ends.setdefault(number, []).append([*map(Coloured, circles, some)])
            total = max(ends)
        if self.ends_first:
            cells = (cells[0], cells[-1], *cells[1:-1])
        places = [gadgets.digit_of(cell) for cell in cells]
        steps = steps_of(self, len(cells), gadgets.size, total, ends)
        last = len(steps) - 1
        gadgets.primary.extend((*owner, k) for k in range(len(steps)))
        gadgets.secondary.extend((*owner, k, "sum") for k in range(last))
        for k, place in enumerate(places):
            for digit, before, after in steps[k]:
                entries: list[Entry] = [(*owner, k), Coloured(place, digit)]
                if k > 0:
                    entries.append(Coloured((*owner, k - 1, "sum"), before))
                name = (*owner, k, digit, before)
                if k < last:
                    yield name, [*entries, Coloured((*owner, k, "sum"), after)]
                    continue
                for j, more in enumerate([[]] if ends is None else ends.get(after, [])):
                    yield (*name, j), [*entries, *more]


def steps_of(automaton: Automaton, cells: int, n: int, total: Any, ends: Container[Any] | None) -> list[list[Step]]:
    """Returns the steps of each cell (digit, state before, state after) on a path from the start to a final state.

    If there are far too many steps, dead ends are not pruned; the rule is then refused for its number of options.
    """
    steps: list[list[Step]] = []
    reached = {automaton.start(total)}
    for _ in range(cells):
        tried = ((d, before, automaton.step(before, d, total)) for before in sorted(reached) for d in range(1, n + 1))
        steps.append([one for one in tried if one[2] is not None])
        reached = {after for _, _, after in steps[-1]}
        if sum(map(len, steps)) > FAR_TOO_MANY * MOST_OPTIONS:
            return steps
    alive = {state for state in reached if (automaton.ends(state, total) if ends is None else state in ends)}
    for k in reversed(range(cells)):
        steps[k] = [one for one in steps[k] if one[2] in alive]
        alive = {before for _, before, _ in steps[k]}
    return steps


class Parity(NamedTuple):
    """Each cell has a digit with this remainder modulo 2 (1: odd, 0: even): only these cover its item."""

    remainder: int

    def options(self, gadgets: Gadgets, owner: Item, cells: Sequence[Cell], total: Any) -> Options:
        for k, cell in enumerate(cells):
            gadgets.primary.append((*owner, k))
            for d in range(1, gadgets.size + 1):
                if d % 2 == self.remainder:
                    gadgets.options[*cell, d].append((*owner, k))
        return ()


Restriction = Pairs | Sets | SameSums | Fillings | Automaton | Parity
