"""Remaining problems, and their canonical forms by the graph of items and options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from itertools import pairwise
from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, never, until
from dlx.problem.roles import Rows
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.nauty_worker import plain_graph

SORTS = 8  # sets of items with multiplicities such that an option has one of each, as rows and columns, looked for
Words = npt.NDArray[np.uint64]
Ends = tuple[Any, ...]  # items, those with a colour as a pair
Lists = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]  # numbers[begin[k]:begin[k + 1]] are those of k


class Slots(NamedTuple):
    """The open items of a problem with multiplicities: bits from begin[i] on, of which least[i] say what item i needs.

    The others are its room. An item is covered by one option less where its last bit of need goes, or else of room.
    """

    begin: npt.NDArray[np.int32]
    least: npt.NDArray[np.int32]

    def times(self, opened: int, i: int) -> tuple[int, int, bool]:
        """Returns how often an item needs to be covered, its room beyond, and whether `ways` counts its orders."""
        begin, middle, end = int(self.begin[i]), int(self.begin[i] + self.least[i]), int(self.begin[i + 1])
        need = (opened >> begin & (1 << middle - begin) - 1).bit_count()
        return need, (opened >> middle & (1 << end - middle) - 1).bit_count(), middle == end and need > 1

    def bits(self, i: int) -> int:
        """Returns the bits of an item."""
        return (1 << int(self.begin[i + 1])) - (1 << int(self.begin[i]))

    @property
    def ways(self) -> int:
        """The product of the orders in which the options of each item could be chosen that has no room."""
        return prod(factorial(size) for size in self.least[self.least == np.diff(self.begin)].tolist())


def slots_of(multiplicities: npt.NDArray[np.int32], options: Sequence[int]) -> Slots:
    """Returns the bits for items, from the least and the most of each: at most all options, and one if bare."""
    number = np.array([some.bit_count() for some in options], dtype=np.int64)
    least = np.minimum(multiplicities[:, 0], number + 1)
    most = np.maximum(least, np.minimum(multiplicities[:, 1], number))
    return Slots(np.cumsum([0, *most], dtype=np.int32), least.astype(np.int32))


Arrays = tuple[Lists, Lists, Words, Words, Slots | None]


class Left:
    """A remaining problem: open items and live options, as bits of whole numbers, or of words for the kernel."""

    def __init__(self, rows: Rows, memory: int, over: Over = never) -> None:
        n, shades = rows.n_options, rows.n_items if rows.colours is None else len(rows.indices)
        size = n * (2 * n + rows.n_items + shades) // 8  # two sets of options for each option, item and colour
        if size > memory:
            raise MemoryError(
                f"what {n} options with {rows.n_items} items clash with takes more than {memory} bytes: {size}"
            )
        self.rows = rows
        indices = rows.indices.tolist()
        colours = [0] * len(indices) if rows.colours is None else rows.colours.tolist()
        ends = until(over, pairwise(rows.indptr.tolist()))
        self.pairs = [list(zip(indices[a:b], colours[a:b], strict=True)) for a, b in ends]
        # the primary items of each option
        self.items = [sum(1 << i for i, _ in pairs if i < rows.n_primary) for pairs in until(over, self.pairs)]
        users: dict[tuple[int, int], int] = defaultdict(int)  # the options that have an item in a colour
        of: list[int] = [0] * rows.n_items
        for o, pairs in enumerate(until(over, self.pairs)):
            if self.items[o]:
                for i, c in pairs:
                    users[i, c] |= 1 << o
                    of[i] |= 1 << o
        self.options = of[: rows.n_primary]  # of each primary item
        self.slots = None if rows.multiplicities is None else slots_of(rows.multiplicities, self.options)
        first = 0 if self.slots is None else rows.n_primary  # with multiplicities primary items make no clash for good
        self.clashes = [0] * len(self.pairs)  # the options that clash with each, itself too
        for o, pairs in enumerate(until(over, self.pairs)):
            for i, c in pairs:
                if i >= first:
                    self.clashes[o] |= of[i] & ~users[i, c] if c else of[i]
            self.clashes[o] |= 1 << o
        self.users = of
        self.forced: list[int] = []  # options without rivals; what is left after them is the root:
        self.n_open = rows.n_primary if self.slots is None else int(self.slots.begin[-1])  # bits
        self.open, self.live = (1 << self.n_open) - 1, sum(1 << o for o, items in enumerate(self.items) if items)
        if self.slots is None:
            self._choose_forced()
        opened, live = words_of([self.open], self.n_open)[0], words_of([self.live], len(self.pairs))[0]
        self.words, self.root = len(opened), np.concatenate([opened, live])
        self.state = self.root.copy()  # the one at hand of whoever searches

    def _choose_forced(self) -> None:
        """Chooses, at the root, the options of items that have no other ones."""
        opened, live = self.open, self.live
        lone = [i for i, options in enumerate(self.options) if options.bit_count() == 1]
        while lone:
            rivals = live & self.options[lone.pop()]
            if rivals.bit_count() != 1:
                continue  # it is covered, or cannot be
            chosen = rivals.bit_length() - 1
            self.forced.append(chosen)
            gone = live & self.clashes[chosen]
            opened, live = opened & ~self.items[chosen], live & ~gone
            touched = {i for o in bits(gone) for i in bits(self.items[o] & opened)}
            lone += [i for i in sorted(touched) if (live & self.options[i]).bit_count() == 1]
        self.open, self.live = opened, live

    def arrays(self, over: Over = never) -> Arrays:
        """The items of each option, the options of each item, the clashes, `users` and slots, as kernels take them."""
        users = self.options if self.rows.n_primary == self.rows.n_items or self.slots is not None else []
        options = len(self.items)
        return (
            lists_of(until(over, self.items)),
            lists_of(until(over, self.options, 1)),
            words_of(until(over, self.clashes), options),
            words_of(users, options),
            self.slots,
        )

    def at_hand(self) -> tuple[int, int]:
        opened, live = (part.astype("<u8").tobytes() for part in np.split(self.state, [self.words]))
        return int.from_bytes(opened, "little"), int.from_bytes(live, "little")


class _Drawn:
    """A graph with coloured vertices, by what they are, and the sets of options that are alike, by their items."""

    def __init__(
        self, vertices: dict[Any, tuple[int, ...]], joined: list[tuple[Any, Any]], alike: list[tuple[Ends, int]]
    ) -> None:
        self.number = {vertex: k for k, vertex in enumerate(vertices)}
        cells = defaultdict[tuple[int, ...], list[int]](list)
        for k, colour in enumerate(vertices.values()):
            cells[colour].append(k)
        self.alike = alike
        self._cells = [cells[colour] for colour in sorted(cells)]
        self.sizes = repr([(colour, len(cells[colour])) for colour in sorted(cells)]).encode()
        self._joined = joined

    def graph(self) -> Any:
        """Returns the graph for nauty."""
        neighbours = defaultdict[int, list[int]](list)
        for one, other in self._joined:
            neighbours[self.number[one]].append(self.number[other])
        return plain_graph(len(self.number), neighbours, self._cells)


class Form:
    """Canonical forms by the graph of items and options, which is always right."""

    def __init__(self, left: Left, nauty: Nauty) -> None:
        self.left = left
        self.nauty = nauty
        self.kinds = [_lines(left)]  # of points, by the open items of each
        self.asked: Any = self  # the source of forms for the kernel
        # makes such a source for an array that has the state at hand; it can be sent to other processes
        self.at: Callable[[Words], Any] = partial(_form_at, left, nauty)

    def of(self) -> bytes:
        """The canonical form of the state at hand."""
        drawn = self._drawn()
        if not drawn.number:
            return b""
        return drawn.sizes + bytes(self.nauty.certificate(drawn.graph()))

    def order(self) -> list[Any]:
        """The options of the state at hand in canonical order: so those of states of one class correspond."""
        drawn = self._drawn()
        place = {k: at for at, k in enumerate(self.nauty.canon_label(drawn.graph()))} if drawn.number else {}
        return [
            o
            for _, some in sorted(
                (sorted(place[drawn.number[end]] for end in ends), some) for ends, some in drawn.alike
            )
            for o in bits(some)
        ]

    def option_at(self, option: int, of: Mapping[Any, Any]) -> int:
        """The option that corresponds to another one, from the things that correspond to others."""
        return int(of[option])

    @cached_property
    def _alike(self) -> list[tuple[Ends, int]]:
        """The items of options, with the options that have them, as bits."""
        alike: dict[Ends, int] = defaultdict(int)
        for o in until(self.nauty.over, bits(self.left.live)):
            alike[tuple((i, c) if c else i for i, c in sorted(self.left.pairs[o]))] |= 1 << o
        return [*alike.items()]

    def _drawn(self) -> _Drawn:
        """The graph of the state at hand.

        Its vertices are open items, secondary items with two live options or more, the colours of these, and options:
        one for all that have the same of these. There is none for options of one item, which has another colour then,
        nor for one of two that is alone: these are joined.
        """
        opened, live = self.left.at_hand()
        left, n = self.left, self.left.rows.n_primary
        alike = [(ends, some) for ends, them in self._alike if (some := them & live)]
        second = [i for i in range(n, left.rows.n_items) if (live & left.users[i]).bit_count() > 1]
        if n < left.rows.n_items:
            kept, both = {*range(n), *second}, defaultdict[Ends, int](int)
            for ends, some in until(self.nauty.over, alike):
                both[tuple(end for end in ends if (end[0] if isinstance(end, tuple) else end) in kept)] |= some
            alike = [*both.items()]
        vertices = dict[Any, tuple[int, ...]]()  # with their colours
        if left.slots is None:
            vertices.update(dict.fromkeys(bits(opened), (0,)))
        else:
            times = ((i, left.slots.times(opened, i)) for i in range(n))
            vertices.update({i: (0, *some) for i, some in times if some[0] + some[1]})
        vertices.update(dict.fromkeys(second, (1,)))
        joined: list[tuple[Any, Any]] = []
        for ends, some in until(self.nauty.over, alike):
            number = some.bit_count()
            for end in ends:
                if isinstance(end, tuple) and end not in vertices:
                    vertices[end] = (2,)
                    joined.append((end, end[0]))
            if len(ends) == 1:
                vertices[ends[0]] += (number,)
            elif len(ends) == 2 and number == 1:
                joined.append(ends)
            else:
                vertices[ends, number] = (3, number)
                joined += [((ends, number), end) for end in ends]
        return _Drawn(vertices, joined, alike)


def _lines(left: Left) -> list[int]:
    """Items with multiplicities of which each option has one, as the rows of a matrix, by their bits; or none.

    Rows are finished one after the other, so what is left differs in columns alone: of such items the most are taken.
    12 x 12 with sums of 3 have 1,032 classes row by row, and 13,605 if any item is covered next.
    """
    if left.slots is None:
        return []
    kinds, rest = [], [i for i, options in enumerate(left.options) if options]
    for _ in range(SORTS):
        taken, kind, others = 0, list[int](), list[int]()
        for i in rest:
            apart = not taken & left.options[i]
            (kind if apart else others).append(i)
            taken |= left.options[i] if apart else 0
        rest = others
        if taken == left.live:
            kinds.append(kind)
    return [left.slots.bits(i) for i in max(kinds, key=len, default=[])]


def _form_at(left: Left, nauty: Nauty, state: Words) -> Form:
    other = copy(left)
    other.state = state
    return Form(other, nauty)


def bits(number: int) -> Iterator[int]:
    """The places of the ones in a whole number, in order."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def words_of(sets: Iterable[int], size: int) -> Words:
    """Returns sets of numbers below a size as rows of words, from the bits of whole numbers."""
    words = max(1, -(-size // 64))
    whole = b"".join(some.to_bytes(8 * words, "little") for some in sets)
    return np.frombuffer(whole, dtype="<u8").astype(np.uint64).reshape(-1, words)


def lists_of(sets: Iterable[int]) -> Lists:
    """Returns sets of numbers, the bits of whole numbers, one after the other."""
    numbers = [list(bits(some)) for some in sets]
    begin = np.cumsum([0, *map(len, numbers)], dtype=np.int32)
    return begin, np.array([number for some in numbers for number in some], dtype=np.int32)
