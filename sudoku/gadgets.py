"""The items and options of what pairs of digits cannot say: sums, and rules of whole lines.

A *cage* has an item for itself and one for each digit, all primary. An option chooses the set of its digits:
it covers the items of all other digits. So each digit is either excluded or in one cell, and no colours are needed. On
four killer sudokus without givens, an option for each assignment of digits took 5 to 190 times as many nodes, and the
partial sums described below 20 to 600 times as many. A *renban* line is a cage with other sets. Each part of a
*region-sum* line in a box is a cage; the sum is the colour of an item that all parts share.

A *sandwich* has an option for each place of its ends and each set of digits between them. There is a secondary item for
each candidate of its line, and the option has those of the candidates that it rules out. An *X-sum* has an option for
each set of its first digits in the same way.

In other rules digits may repeat. An automaton reads the cells in order; for a sum, its states are the partial sums.
Each cell has an item, and an option for each digit and each state before the cell covers this item. The digit is the
colour of a secondary item of the cell, which candidates have too, and states are colours of secondary items between the
cells (Knuth's XCC, The Art of Computer Programming 4B, 7.2.2.1). Options on no path to a final state are omitted. For
five cells, an option for each assignment takes 2 to 12 times fewer nodes and five times as many options; for longer
lines there are too many assignments.

Each *odd* or *even* cell has a primary item, which only its allowed candidates cover.

A completion determines all of these options, so each completion is exactly one cover.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain, product
from typing import Any

from sudoku.constraints import Candidate, Cell, Clash, Line, Sum, clashes_of, line_kind, number_of
from sudoku.layout import Layout
from sudoku.rules import KINDS, Automaton, Fillings, Pairs, Parity, Sets

Item = tuple[str | int, ...]
Entry = tuple[Item, int | None]  # an item, and its colour if it has one
Step = tuple[int, Any, Any]  # a digit, and the states before and after it
Options = Iterator[tuple[Item, list[Entry]]]  # each with its name

MOST_OPTIONS = 50_000  # of one rule; they take a second to make
MOST_ENTRIES = 4_000_000  # of all rules; an entry takes 170 to 580 bytes while the problem is made
FAR_TOO_MANY = 4  # times MOST_OPTIONS: most steps of an automaton before those without an end are removed


class Gadgets:
    """The items and options of the clashes, lines and sums of a layout, in the problem of a grid.

    Raises ValueError if a rule takes too many options, or all together too many entries.

    Attributes:
        primary, secondary: the items.
        candidates: the entries that (row, column, digit) gets in addition.
        options: the entries of each option, by its name.
    """

    def __init__(self, layout: Layout) -> None:
        self.primary: list[Item] = []
        self.secondary: list[Item] = []
        self.candidates: list[tuple[Candidate, Entry]] = []
        self.options: dict[Item, list[Entry]] = {}
        self._valued: dict[Cell, None] = {}  # the cells whose digit is a colour
        self._entries = 0  # of clashes and options
        for clash in chain.from_iterable(clashes_of(line, layout.size) for line in layout.lines):
            self._count(clash, len(clash.candidates))
            self.secondary.append(clash[:3])
            self.candidates.extend((one, (clash[:3], None)) for one in clash.candidates)
        rules: list[Line | Sum] = [*layout.lines, *layout.sums]
        for rule in rules:
            first = len(self.options)
            for name, entries in self._options(rule, layout):
                self.options[name] = entries
                self._count(rule, len(entries))
                if len(self.options) - first > MOST_OPTIONS:
                    raise ValueError(f"the {rule} takes more than {MOST_OPTIONS} options, the most that are supported")
        for cell in self._valued:
            self.secondary.append(_digit_of(cell))
            self.candidates.extend(((*cell, d), (_digit_of(cell), d)) for d in range(1, layout.size + 1))

    def _count(self, rule: Clash | Line | Sum, entries: int) -> None:
        self._entries += entries
        if self._entries > MOST_ENTRIES:
            raise ValueError(
                f"the rules, up to the {rule.kind} {rule.name}, have more than {MOST_ENTRIES} entries, "
                "the most that are supported"
            )

    def _options(self, rule: Line | Sum, layout: Layout) -> Options:
        """Adds the items of a rule, and returns its options; none for clashes."""
        n, owner = layout.size, (rule.kind, rule.name)
        if isinstance(rule, Line):
            restriction = line_kind(rule.kind).restriction
        else:
            restriction = KINDS["cage" if _is_cage(rule, layout) else rule.kind].restriction
        match restriction:
            case None | Pairs():
                return iter(())
            case Sets(in_parts=True):
                return self._parts(owner, layout.parts(rule), restriction, n)
            case Sets():
                total = rule.number if isinstance(rule, Sum) else 0
                return self._sets(owner, rule.cells, restriction.sets(n, len(rule.cells), total), n)
            case Fillings():
                assert isinstance(rule, Sum)
                return self._fillings(owner, rule.cells, restriction.fillings(n, rule.number), n)
            case Automaton():
                return self._chain(rule, restriction, n)
            case Parity():
                return self._digits(owner, rule.cells, restriction.remainder, n)

    def _parts(self, owner: Item, parts: Sequence[Sequence[Cell]], restriction: Sets, n: int) -> Options:
        """Adds the parts of a line with equal sums; the common sum is the colour that all parts share."""
        total: Item = (*owner, "sum")
        if len(parts) == 1:
            return
        self.secondary.append(total)
        for k, part in enumerate(parts):
            for name, entries in self._sets((*owner, k), part, restriction.sets(n, len(part), 0), n):
                yield name, [*entries, (total, sum(map(int, name[3:])))]

    def _sets(self, owner: Item, cells: Sequence[Cell], sets: Iterable[tuple[int, ...]], n: int) -> Options:
        """Adds cells whose digits are one of some sets."""
        items = [(*owner, d) for d in range(n + 1)]
        self.primary.extend(items)
        self.candidates.extend(((*cell, d), (items[d], None)) for cell in cells for d in range(1, n + 1))
        for digits in sets:
            yield (*owner, *digits), [(item, None) for d, item in enumerate(items) if d not in digits]

    def _fillings(
        self, owner: Item, cells: Sequence[Cell], fillings: Iterable[tuple[Item, list[set[int]]]], n: int
    ) -> Options:
        """Adds the fillings of a row or column: names, and the digits that each cell can have."""
        item = {(k, d): (*owner, k, d) for k in range(n) for d in range(1, n + 1)}
        self.primary.append((*owner, 0))
        self.secondary.extend(item.values())
        self.candidates.extend(((*cells[k], d), (item[k, d], None)) for k, d in item)
        for name, held in fillings:
            ruled_out = [(item[k, d], None) for k, d in item if d not in held[k]]
            yield (*owner, *name), [((*owner, 0), None), *ruled_out]

    def _chain(self, rule: Line | Sum, automaton: Automaton, n: int) -> Options:
        """Adds an automaton along the cells of a rule."""
        owner, total = (rule.kind, rule.name), rule.total
        ends: dict[Any, list[list[Entry]]] | None = None  # the digits of the circles for each last state
        if rule.circles:
            self._valued.update(dict.fromkeys(rule.circles))
            ends = {}
            for some in product(range(1, n + 1), repeat=len(rule.circles)):
                ends.setdefault(number_of(some), []).append([*zip(map(_digit_of, rule.circles), some, strict=True)])
            total = max(ends)
        cells = automaton.order(rule.cells)
        steps = steps_of(automaton, len(cells), n, total, ends)
        self._valued.update(dict.fromkeys(cells))
        last = len(steps) - 1
        self.primary.extend((*owner, k) for k in range(len(steps)))
        self.secondary.extend((*owner, k, "sum") for k in range(last))
        colour: dict[Any, int] = {}
        for k, cell in enumerate(cells):
            for digit, before, after in steps[k]:
                entries: list[Entry] = [((*owner, k), None), (_digit_of(cell), digit)]
                if k > 0:
                    entries.append(((*owner, k - 1, "sum"), colour[before]))
                name = (*owner, k, digit, before)
                if k < last:
                    shade = colour.setdefault(after, len(colour))
                    yield name, [*entries, ((*owner, k, "sum"), shade)]
                    continue
                for j, more in enumerate([[]] if ends is None else ends.get(after, [])):
                    yield (*name, j), [*entries, *more]

    def _digits(self, owner: Item, cells: Sequence[Cell], remainder: int, n: int) -> Options:
        """Adds an item for each cell, which the digits with a remainder by 2 have."""
        for k, cell in enumerate(cells):
            self.primary.append((*owner, k))
            self.candidates.extend(((*cell, d), ((*owner, k), None)) for d in range(1, n + 1) if d % 2 == remainder)
        return iter(())


def _is_cage(one: Sum, layout: Layout) -> bool:
    """Returns whether all cells of a little killer are in one region, so that it is a cage."""
    return one.kind == "little-killer" and any(region.cells.issuperset(one.cells) for region in layout.regions)


def _digit_of(cell: Cell) -> Item:
    return ("cell", *cell, "digit")


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
