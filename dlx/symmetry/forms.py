"""What is left of a problem as sets of bits, and its canonical form by the graph of items and options.

Canonical forms come from nauty (McKay, Piperno: Practical graph isomorphism, II, 2014, doi:10.1016/j.jsc.2013.09.003),
by the package pynauty.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from dlx.roles import Rows
from dlx.symmetry.graphs import nauty


class Left:
    """What is left of a problem, as sets of items and options that are bits of whole numbers.

    Attributes:
        items: for each option its primary items; `options`: for each primary item its options.
        clashes: for each option those that clash with it, itself too.
        open, live: what is left at the root, once options without rivals are chosen.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        entries = [rows.indices[a:b].tolist() for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)]
        colours = [0] * len(rows.indices) if rows.colours is None else rows.colours.tolist()
        self.items = [sum(1 << i for i in entry if i < rows.n_primary) for entry in entries]
        users: dict[tuple[int, int], int] = defaultdict(int)  # the options that have an item in a colour
        of: list[int] = [0] * rows.n_items
        self.pairs = [
            list(zip(entry, colours[a:], strict=False)) for entry, a in zip(entries, rows.indptr.tolist(), strict=False)
        ]
        for o, pairs in enumerate(self.pairs):
            if self.items[o]:
                for i, c in pairs:
                    users[i, c] |= 1 << o
                    of[i] |= 1 << o
        self.options = of[: rows.n_primary]
        self.clashes = [0] * len(entries)
        for o, pairs in enumerate(self.pairs):
            for i, c in pairs:
                self.clashes[o] |= of[i] & ~users[i, c] if c else of[i]
            self.clashes[o] |= 1 << o
        self.users = of
        self.open, self.live = self._without_choice()

    def _without_choice(self) -> tuple[int, int]:
        """What is left at the root, once the options of items that have no other ones are chosen."""
        opened = (1 << self.rows.n_primary) - 1
        live = sum(1 << o for o, items in enumerate(self.items) if items)
        lone = [o for o in self.options if o and not o & (o - 1)]
        while lone:
            chosen = lone.pop().bit_length() - 1
            if live >> chosen & 1:
                opened, live = opened & ~self.items[chosen], live & ~self.clashes[chosen]
                rivals = (live & self.options[i] for i in bits(opened))
                lone += [o for o in rivals if o and not o & (o - 1)]
        return opened, live

    def item(self, opened: int, live: int) -> int:
        """Of some open items the first one with the fewest live options."""
        options = self.options
        return min(bits(opened), key=lambda i: (live & options[i]).bit_count())


class Form:
    """Canonical forms by the graph of items and options, which is always right."""

    def __init__(self, left: Left) -> None:
        self.left = left
        self.nauty = nauty()
        self.kinds: list[list[int]] = [[]]  # of points, by the items of each

    def of(self, opened: int, live: int) -> bytes:
        """The canonical form: its vertices are open items, those of secondary items' colours, and live options.

        Secondary items that have fewer than two live options make no difference.
        """
        if not opened:
            return b""  # nauty wants a vertex
        left, options = self.left, list(bits(live))
        second = (i for i in range(left.rows.n_primary, left.rows.n_items) if (live & left.users[i]).bit_count() > 1)
        parts: list[list[Any]] = [list(bits(opened)), list(second), [], []]
        kept = {*parts[0], *parts[1]}
        pairs = {o: [(i, c) for i, c in left.pairs[o] if i in kept] for o in options}
        parts[2] = sorted({pair for some in pairs.values() for pair in some if pair[1]})
        parts[3] = [-1 - o for o in options]
        number = {vertex: k for k, vertex in enumerate(vertex for part in parts for vertex in part)}
        adjacent = {number[pair]: [number[pair[0]]] for pair in parts[2]}
        for o, some in pairs.items():
            adjacent[number[-1 - o]] = [number[(i, c) if c else i] for i, c in some]
        graph = self.nauty.Graph(len(number), False, adjacent, [{number[v] for v in part} for part in parts if part])
        return np.array([len(part) for part in parts], dtype=np.int32).tobytes() + bytes(self.nauty.certificate(graph))


def bits(number: int) -> Iterator[int]:
    """The places of the ones in a whole number, in order."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
