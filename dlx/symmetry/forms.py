"""Problems as bits, and canonical forms of remaining problems, which nauty finds from graphs of items and options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, never, until
from dlx.problem.roles import Rows
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.nauty_worker import plain_graph

Words = npt.NDArray[np.uint64]
Ends = tuple[Any, ...]  # items, or pairs (item, colour)
Lists = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]  # begin, numbers: list k is numbers[begin[k]:begin[k + 1]]


Arrays = tuple[Lists, Lists, Words]


class BitProblem:
    """A problem whose sets of items and options are bits of Python integers, or of words for the kernel."""

    def __init__(self, rows: Rows, memory: int, over: Over = never) -> None:
        n, shades = rows.n_options, rows.n_items if rows.colours is None else len(rows.indices)
        size = n * (2 * n + rows.n_items + shades) // 8  # two sets of options for each option, item and colour
        if size > memory:
            raise MemoryError(
                f"the clashes of {n} options with {rows.n_items} items take {size} bytes, more than memory={memory}; "
                "give more memory"
            )
        self.rows = rows
        indices = rows.indices.tolist()
        colours = [0] * len(indices) if rows.colours is None else rows.colours.tolist()
        ends = until(over, pairwise(rows.indptr.tolist()))
        self.pairs = [list(zip(indices[a:b], colours[a:b], strict=True)) for a, b in ends]
        # The primary items of each option.
        self.items = [sum(1 << i for i, _ in pairs if i < rows.n_primary) for pairs in until(over, self.pairs)]
        users: dict[tuple[int, int], int] = defaultdict(int)  # the options with an item in a colour
        of: list[int] = [0] * rows.n_items
        for o, pairs in enumerate(until(over, self.pairs)):
            if self.items[o]:
                for i, c in pairs:
                    users[i, c] |= 1 << o
                    of[i] |= 1 << o
        self.options = of[: rows.n_primary]  # the options of each primary item
        self.clashes = [0] * len(self.pairs)  # the options that clash with each option, including itself
        for o, pairs in enumerate(until(over, self.pairs)):
            for i, c in pairs:
                self.clashes[o] |= of[i] & ~users[i, c] if c else of[i]
            self.clashes[o] |= 1 << o
        self.users = of
        self.forced: list[int] = []  # options that are the only option of an item
        self.open, self.live = (1 << rows.n_primary) - 1, sum(1 << o for o, items in enumerate(self.items) if items)
        self._choose_forced()
        opened, live = words_of([self.open], rows.n_primary)[0], words_of([self.live], len(self.pairs))[0]
        self.words, self.root = len(opened), np.concatenate([opened, live])
        self.state = self.root.copy()  # the current state of the search

    def _choose_forced(self) -> None:
        """Chooses the only options of items, repeatedly, at the root."""
        done = False
        while not done:
            done = True
            for i in bits(self.open):
                rivals = self.live & self.options[i]
                if self.open >> i & 1 and rivals.bit_count() == 1:
                    chosen, done = rivals.bit_length() - 1, False
                    self.forced.append(chosen)
                    self.open, self.live = self.open & ~self.items[chosen], self.live & ~self.clashes[chosen]

    def arrays(self, over: Over = never) -> Arrays:
        """Returns the arrays for kernels: the items of options, the options of items, and the clashes of options."""
        return (
            lists_of(until(over, self.items)),
            lists_of(until(over, self.options, 1)),
            words_of(until(over, self.clashes), len(self.items)),
        )

    def at_hand(self) -> tuple[int, int]:
        opened, live = (part.astype("<u8").tobytes() for part in np.split(self.state, [self.words]))
        return int.from_bytes(opened, "little"), int.from_bytes(live, "little")


class Form:
    """Canonical forms by the graph of items and options, which are sound for every problem."""

    def __init__(self, problem: BitProblem, nauty: Nauty) -> None:
        self.problem, self.nauty = problem, nauty

    def of(self) -> bytes:
        """Returns the canonical form of the current state."""
        colours, joined = self._drawn()
        if not colours:
            return b""
        number = {vertex: k for k, vertex in enumerate(colours)}
        cells = defaultdict[tuple[int, ...], list[int]](list)
        for vertex, colour in colours.items():
            cells[colour].append(number[vertex])
        neighbours = defaultdict[int, list[int]](list)
        for one, other in joined:
            neighbours[number[one]].append(number[other])
        graph = plain_graph(len(number), neighbours, [cells[colour] for colour in sorted(cells)])
        sizes = repr([(colour, len(cells[colour])) for colour in sorted(cells)]).encode()
        return sizes + bytes(self.nauty.certificate(graph))

    @cached_property
    def _alike(self) -> list[tuple[Ends, int]]:
        """The sets of items of options, each with the bits of the options that have it."""
        alike: dict[Ends, int] = defaultdict(int)
        for o in until(self.nauty.over, bits(self.problem.live)):
            alike[tuple((i, c) if c else i for i, c in sorted(self.problem.pairs[o]))] |= 1 << o
        return [*alike.items()]

    def _drawn(self) -> tuple[dict[Any, tuple[int, ...]], list[tuple[Any, Any]]]:
        """Returns the graph of the current state: the colour of each vertex, and the edges.

        The vertices are open items, secondary items with at least two live options, their colours, and options. Options
        with equal items and colours share a vertex. Options of a single item have no vertex; they change the item's
        colour. A single option of two items has no vertex; it is an edge between the items.
        """
        opened, live = self.problem.at_hand()
        problem, n = self.problem, self.problem.rows.n_primary
        alike = [(ends, some) for ends, them in self._alike if (some := them & live)]
        second = [i for i in range(n, problem.rows.n_items) if (live & problem.users[i]).bit_count() > 1]
        if n < problem.rows.n_items:
            kept, both = {*range(n), *second}, defaultdict[Ends, int](int)
            for ends, some in until(self.nauty.over, alike):
                both[tuple(end for end in ends if (end[0] if isinstance(end, tuple) else end) in kept)] |= some
            alike = [*both.items()]
        colours = dict[Any, tuple[int, ...]](dict.fromkeys(bits(opened), (0,)))
        colours.update(dict.fromkeys(second, (1,)))
        joined: list[tuple[Any, Any]] = []
        for ends, some in until(self.nauty.over, alike):
            number = some.bit_count()
            for end in ends:
                if isinstance(end, tuple) and end not in colours:
                    colours[end] = (2,)
                    joined.append((end, end[0]))
            if len(ends) == 1:
                colours[ends[0]] += (number,)
            elif len(ends) == 2 and number == 1:
                joined.append(ends)
            else:
                colours[ends, number] = (3, number)
                joined += [((ends, number), end) for end in ends]
        return colours, joined


def bits(number: int) -> Iterator[int]:
    """Yields the positions of the one bits, in ascending order."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def words_of(sets: Iterable[int], size: int) -> Words:
    """Converts sets of numbers below `size` from integers with a bit for each number to rows of 64-bit words."""
    words = max(1, -(-size // 64))
    whole = b"".join(some.to_bytes(8 * words, "little") for some in sets)
    return np.frombuffer(whole, dtype="<u8").astype(np.uint64).reshape(-1, words)


def lists_of(sets: Iterable[int]) -> Lists:
    """Converts sets of numbers from integers with a bit for each number to concatenated lists."""
    numbers = [list(bits(some)) for some in sets]
    begin = np.cumsum([0, *map(len, numbers)], dtype=np.int32)
    return begin, np.array([number for some in numbers for number in some], dtype=np.int32)
