"""Problems as bits of Python integers, or of words for the kernels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, never, until
from dlx.problem.roles import Rows

Words = npt.NDArray[np.uint64]
Lists = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]  # begin, numbers: list k is numbers[begin[k]:begin[k + 1]]
Arrays = tuple[Lists, Lists, Words, Words]


class BitProblem:
    """A problem whose sets of items and options are bits of Python integers, or of words for the kernel."""

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
        coloured = [list(zip(indices[a:b], colours[a:b], strict=True)) for a, b in ends]  # the items of each option
        # The primary items of each option.
        self.items = [sum(1 << i for i, _ in pairs if i < rows.n_primary) for pairs in until(over, coloured)]
        users: dict[tuple[int, int], int] = defaultdict(int)  # the options with an item in a colour
        of: list[int] = [0] * rows.n_items
        for o, pairs in enumerate(until(over, coloured)):
            if self.items[o]:
                for i, c in pairs:
                    users[i, c] |= 1 << o
                    of[i] |= 1 << o
        self.options = of[: rows.n_primary]  # of each primary item
        self.clashes = [0] * n  # the options that clash with each, and the option itself
        for o, pairs in enumerate(until(over, coloured)):
            for i, c in pairs:
                self.clashes[o] |= of[i] & ~users[i, c] if c else of[i]
            self.clashes[o] |= 1 << o
        self.forced: list[int] = []  # options that are the only option of an item
        self.open, self.live = (1 << rows.n_primary) - 1, sum(1 << o for o, items in enumerate(self.items) if items)
        self._choose_forced()
        opened, live = words_of([self.open], rows.n_primary)[0], words_of([self.live], n)[0]
        self.words, self.root = len(opened), np.concatenate([opened, live])
        self.state = self.root.copy()  # the current state of the search

    def _choose_forced(self) -> None:
        """Chooses the only options of items, repeatedly, at the root."""
        opened, live = self.open, self.live
        lone = [i for i, options in enumerate(self.options) if options.bit_count() == 1]
        while lone:
            rivals = live & self.options[lone.pop()]
            if rivals.bit_count() != 1:
                continue  # the item is covered, or cannot be covered
            chosen = rivals.bit_length() - 1
            self.forced.append(chosen)
            gone = live & self.clashes[chosen]
            opened, live = opened & ~self.items[chosen], live & ~gone
            touched = {i for o in bits(gone) for i in bits(self.items[o] & opened)}
            lone += [i for i in sorted(touched) if (live & self.options[i]).bit_count() == 1]
        self.open, self.live = opened, live

    def arrays(self, over: Over = never) -> Arrays:
        """Returns the arrays for kernels: items of options, options of items as lists and as words, and clashes."""
        n = len(self.items)
        return (
            lists_of(until(over, self.items)),
            lists_of(until(over, self.options, 1)),
            words_of(until(over, self.clashes), n),
            words_of(self.options, n),
        )


def bits(number: int) -> Iterator[int]:
    """Yields the positions of the one bits, in ascending order."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def words_of(sets: Iterable[int], size: int) -> Words:
    """Returns sets of numbers below `size`, given as bits of integers, as rows of words."""
    words = max(1, -(-size // 64))
    whole = b"".join(some.to_bytes(8 * words, "little") for some in sets)
    return np.frombuffer(whole, dtype="<u8").astype(np.uint64).reshape(-1, words)


def lists_of(sets: Iterable[int]) -> Lists:
    """Returns sets of numbers, given as bits of integers, as concatenated lists."""
    numbers = [list(bits(some)) for some in sets]
    begin = np.cumsum([0, *map(len, numbers)], dtype=np.int32)
    return begin, np.array([number for some in numbers for number in some], dtype=np.int32)
