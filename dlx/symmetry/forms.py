"""Remaining problems, and their canonical forms by the graph of items and options."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, never, until
from dlx.problem.roles import Rows
from dlx.symmetry.aside import plain_graph
from dlx.symmetry.nauty import Nauty

Words = npt.NDArray[np.uint64]
Lists = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]  # numbers[begin[k]:begin[k + 1]] are those of k


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
        self.clashes = [0] * len(self.pairs)  # the options that clash with each, itself too
        for o, pairs in enumerate(until(over, self.pairs)):
            for i, c in pairs:
                self.clashes[o] |= of[i] & ~users[i, c] if c else of[i]
            self.clashes[o] |= 1 << o
        self.users = of
        self.forced: list[int] = []  # options without rivals; what is left after them is the root:
        self.open, self.live = self._without_choice()
        opened, live = words_of([self.open], rows.n_primary)[0], words_of([self.live], len(self.pairs))[0]
        self.words, self.root = len(opened), np.concatenate([opened, live])
        self.state = self.root.copy()  # the one at hand of whoever searches

    def _without_choice(self) -> tuple[int, int]:
        """Returns the remaining problem at the root, once the options of items that have no other ones are chosen."""
        opened = (1 << self.rows.n_primary) - 1
        live = sum(1 << o for o, items in enumerate(self.items) if items)
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
        return opened, live

    def arrays(self) -> tuple[Lists, Lists, Words, Words]:
        """The items of each option, the options of each item, the clashes, and `users`, as the kernel takes them."""
        users = self.options if self.rows.n_primary == self.rows.n_items else []
        options = len(self.items)
        return lists_of(self.items), lists_of(self.options), words_of(self.clashes, options), words_of(users, options)

    def at_hand(self) -> tuple[int, int]:
        opened, live = (part.astype("<u8").tobytes() for part in np.split(self.state, [self.words]))
        return int.from_bytes(opened, "little"), int.from_bytes(live, "little")


class Form:
    """Canonical forms by the graph of items and options, which is always right."""

    def __init__(self, left: Left, nauty: Nauty) -> None:
        self.left = left
        self.nauty = nauty
        self.kinds: list[list[int]] = [[]]  # of points, by the items of each
        self.asked: Any = self  # the source of forms for the kernel
        # makes such a source for an array that has the state at hand; it can be sent to other processes
        self.at: Callable[[Words], Any] = partial(_form_at, left, nauty)

    def of(self) -> bytes:
        """The canonical form of the state at hand: its vertices are open items, secondary items and live options.

        So are the colours of secondary items; secondary items with fewer than two live options make no difference.
        """
        parts, graph = self._graph()
        return np.array([len(part) for part in parts], dtype=np.int32).tobytes() + bytes(self.nauty.certificate(graph))

    def order(self) -> list[Any]:
        """The vertices of the state at hand in canonical order: so those of states of one class correspond."""
        parts, graph = self._graph()
        vertices = [vertex for part in parts for vertex in part]
        return [vertices[k] for k in self.nauty.canon_label(graph)]

    def option_at(self, option: int, of: Mapping[Any, Any]) -> int:
        """The option that corresponds to another one, from the vertices that correspond to others."""
        return -1 - int(of[-1 - option])

    def _graph(self) -> tuple[list[list[Any]], Any]:
        """The vertices of each colour, and the graph; an option is there as a negative number."""
        opened, live = self.left.at_hand()
        left, options = self.left, list(bits(live))
        second = (i for i in range(left.rows.n_primary, left.rows.n_items) if (live & left.users[i]).bit_count() > 1)
        parts: list[list[Any]] = [list(bits(opened)), list(second), [], []]
        kept = {*parts[0], *parts[1]}
        pairs = {o: [(i, c) for i, c in left.pairs[o] if i in kept] for o in until(self.nauty.over, options)}
        parts[2] = sorted({pair for some in pairs.values() for pair in some if pair[1]})
        parts[3] = [-1 - o for o in options]
        number = {vertex: k for k, vertex in enumerate(vertex for part in parts for vertex in part)}
        adjacent = {number[pair]: [number[pair[0]]] for pair in parts[2]}
        for o, some in until(self.nauty.over, pairs.items()):
            adjacent[number[-1 - o]] = [number[(i, c) if c else i] for i, c in some]
        cells = [[number[vertex] for vertex in part] for part in parts if part]
        return parts, plain_graph(len(number), adjacent, cells)


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


def words_of(sets: Sequence[int], size: int) -> Words:
    """Returns sets of numbers below a size as rows of words, from the bits of whole numbers."""
    words = max(1, -(-size // 64))
    whole = b"".join(some.to_bytes(8 * words, "little") for some in sets)
    return np.frombuffer(whole, dtype="<u8").astype(np.uint64).reshape(len(sets), words)


def lists_of(sets: Sequence[int]) -> Lists:
    """Returns sets of numbers, the bits of whole numbers, one after the other."""
    numbers = [list(bits(some)) for some in sets]
    begin = np.cumsum([0, *map(len, numbers)], dtype=np.int32)
    return begin, np.array([number for some in numbers for number in some], dtype=np.int32)
