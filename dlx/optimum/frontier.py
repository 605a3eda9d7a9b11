"""The k best covers of a problem with a narrow frontier, by dynamic programming over its primary items in order.

A *layer* has the partial covers that cover all items up to one, and nothing else but what their options need. Two of
them with the same *state* can be completed in the same ways, so only the k best of each state stay. The state has a bit
for each later item that is covered, and the colour of each secondary item that later options have: the *frontier*. It
is narrow for chains of words, strips of boards and jobs on a line, whose options link items that are near each other
in the order of `problem.items`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.problem.roles import Rows

SPAN = 20  # an option's first and last primary item are no farther apart
STATES = 30_000  # partial covers of one layer, at most
WORD = 63  # bits of a state that numpy can shift
OPTION = 2_000  # updates of the price kernel in the time that an option takes, besides 1 for each state

Whole = npt.NDArray[np.int64]
Covers = list[tuple[int, ...]]


class Slot(NamedTuple):
    """The bits of a secondary item in a state, which are 0 while it is open."""

    shift: int
    codes: int  # the code for no colour; smaller codes are colours


class Frontier:
    """The frontier of a problem without multiplicities.

    Attributes:
        work: the time that `best` may take, in updates of the price kernel; infinite if it cannot be called.

    Parameters:
        rows: the problem.
        bits: the most bits of information in a state, of which there are about 2**bits.
    """

    def __init__(self, rows: Rows, bits: float) -> None:
        self._rows = rows
        self.work = math.inf
        some = np.flatnonzero(np.diff(rows.indptr))  # options that have been left out have no items
        if rows.multiplicities is not None or not rows.n_primary or not len(some):
            return
        items = rows.indices.astype(np.int64)
        first = np.minimum.reduceat(items, rows.indptr[some])
        last = np.maximum.reduceat(np.where(items < rows.n_primary, items, -1), rows.indptr[some])
        if (last - first).max() > SPAN:
            return
        self._first = np.full(rows.n_options, rows.n_primary)
        self._first[some] = np.where(last >= 0, first, rows.n_primary)
        self._begin, self._end = self._lives(items)
        self._slots = self._slotted()
        highest = max((slot.shift + slot.codes.bit_length() for slot in self._slots), default=0)
        if highest <= WORD and self._bits() <= bits:
            self.work = len(some) * (OPTION + 2.0 ** self._bits())

    def _lives(self, items: Whole) -> tuple[Whole, Whole]:
        """Returns the first and the last layer whose options have each item."""
        layer = self._first[self._rows.owner]
        used = layer < self._rows.n_primary
        begin, end = np.full(self._rows.n_items, self._rows.n_primary), np.full(self._rows.n_items, -1)
        np.minimum.at(begin, items[used], layer[used])
        np.maximum.at(end, items[used], layer[used])
        return begin, end

    def _slotted(self) -> list[Slot]:
        """Returns bits for each secondary item, behind those of primary ones; disjoint lives may share bits."""
        rows = self._rows
        n, colours = rows.n_primary, np.zeros(rows.n_items, dtype=np.int64)
        if rows.colours is not None:
            np.maximum.at(colours, rows.indices, rows.colours)
        slots, free = [Slot(0, 0)] * (rows.n_items - n), [(SPAN + 1, WORD)]  # bits from one to before another
        busy: list[tuple[int, int, int]] = []  # the end of a life, and its bits
        for item in (n + np.argsort(self._begin[n:], kind="stable")).tolist():
            codes = int(colours[item]) + 1
            width = codes.bit_length()
            free += [bits[1:] for bits in busy if bits[0] < self._begin[item]]
            busy = [bits for bits in busy if bits[0] >= self._begin[item]]
            fits = [bits for bits in free if bits[1] - bits[0] >= width]
            a, b = min(fits, key=lambda bits: bits[1] - bits[0], default=(WORD, WORD + width))
            if fits:
                free.remove((a, b))
                free += [(a + width, b)] if a + width < b else []
            slots[item - n] = Slot(a, codes)
            busy.append((int(self._end[item]), a, a + width))
        return slots

    def _bits(self) -> float:
        """Returns the most bits of information in a state behind any layer."""
        n, change = self._rows.n_primary, np.zeros(self._rows.n_primary + 2)
        weight = np.append(np.ones(n), np.log2([1.0 + slot.codes for slot in self._slots]))
        end = np.append(np.arange(n), self._end[n:])
        there = self._begin < end  # an item is in states behind its first layer, up to before its last one
        np.add.at(change, self._begin[there], weight[there])
        np.add.at(change, end[there], -weight[there])
        return float(np.cumsum(change).max())

    def best(self, weights: Whole, k: int, over: Callable[[], bool]) -> Covers | None:
        """Returns the k covers of the largest sums of weights, or all of them; None at a limit or with many states."""
        n = self._rows.n_primary
        by_layer = np.argsort(self._first, kind="stable")
        begin = np.searchsorted(self._first[by_layer], np.arange(n + 1))
        state, score = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        links: list[tuple[Whole, Whole]] = []  # for each layer, the row before and the option of each row
        for layer in range(n):
            if over():
                return None
            done = np.flatnonzero(state & 1)
            open_ = np.flatnonzero(~state & 1)
            parts = [(state[done], score[done], done, np.full(len(done), -1))]
            for o in by_layer[begin[layer] : begin[layer + 1]].tolist():
                fits, bits = self._fitting(state[open_], o, layer)
                some = open_[fits]
                parts.append((state[some] | bits, score[some] + weights[o], some, np.full(len(some), o)))
            state, score, before, option = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
            state = self._behind(state, layer)
            kept = _best_of_each(state, score, k)
            if len(kept) > STATES:
                return None
            state, score = state[kept], score[kept]
            links.append((before[kept], option[kept]))
        return [_path(links, row) for row in np.argsort(-score, kind="stable")[:k].tolist()]

    def _fitting(self, state: Whole, o: int, layer: int) -> tuple[npt.NDArray[np.bool_], int]:
        """Tells which states an option fits, and returns the bits that it sets."""
        rows, bits = self._rows, 0
        fits = np.ones(len(state), dtype=np.bool_)
        for e in range(rows.indptr[o], rows.indptr[o + 1]):
            item = int(rows.indices[e])
            if item < rows.n_primary:
                bits |= 1 << (item - layer)
                continue
            slot, colour = self._slots[item - rows.n_primary], 0 if rows.colours is None else int(rows.colours[e])
            now = (state >> slot.shift) & ((1 << slot.codes.bit_length()) - 1)
            fits &= (now == 0) | (now == colour) if colour else now == 0
            bits |= (colour or slot.codes) << slot.shift
        window = bits & ((1 << (SPAN + 1)) - 1)
        return fits & ((state & window) == 0), bits

    def _behind(self, state: Whole, layer: int) -> Whole:
        """Returns states behind a layer: without its item, and without secondary items that no later option has."""
        window = (1 << (SPAN + 1)) - 1
        gone = window
        for item in np.flatnonzero(self._end[self._rows.n_primary :] == layer).tolist():
            slot = self._slots[item]
            gone |= ((1 << slot.codes.bit_length()) - 1) << slot.shift
        return ((state & window) >> 1) | (state & ~gone)


def _best_of_each(state: Whole, score: Whole, k: int) -> npt.NDArray[np.intp]:
    """Returns the rows of the k largest scores of each state."""
    order = np.lexsort((-score, state))
    begins = np.append(True, np.diff(state[order]) != 0)[: len(order)]
    first = np.flatnonzero(begins)
    rank = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
    return order[rank < k]


def _path(links: list[tuple[Whole, Whole]], row: int) -> tuple[int, ...]:
    """Returns the options on the way to a row of the last layer."""
    options = []
    for before, option in reversed(links):
        if option[row] >= 0:
            options.append(int(option[row]))
        row = int(before[row])
    return tuple(sorted(options))
