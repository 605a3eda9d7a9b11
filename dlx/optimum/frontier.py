"""The k best covers of a problem with a narrow frontier, by dynamic programming over its primary items in order.

A *layer* has the partial covers that cover all items up to one, and nothing else but what their options need. Two of
them with the same *state* can be completed in the same ways, so only the k best of each state stay. The state is what
each item of the *frontier* has, those that earlier options and later ones share: nothing, a colour, or no more room. It
is narrow for chains of words, strips of boards and jobs on a line, whose options link items that are near each other
in the order of `problem.items`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.problem.roles import Rows

STATES = 30_000  # partial covers of one layer, at most
OPTION = 2_000  # updates of the price kernel in the time that an option takes
STATE = 2  # and updates for each state that it may be added to
FULL = -1  # what an item has that is covered without a colour

Whole = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.integer[Any]]
Covers = list[tuple[int, ...]]


class Frontier:
    """The frontier of a problem without multiplicities.

    Attributes:
        work: the time that `best` may take, in updates of the price kernel; infinite if it cannot be called.

    Parameters:
        rows: the problem.
        bits: the most bits of information in a state, of which there are about 2**bits.
    """

    def __init__(self, rows: Rows, bits: float) -> None:
        self._rows, self.work = rows, math.inf
        if rows.multiplicities is not None or not rows.n_primary:
            return
        n, owner, items = rows.n_primary, rows.owner, rows.indices
        colours = self._colours = np.zeros(len(items), np.int32) if rows.colours is None else rows.colours
        self._layer = np.full(rows.n_options, n)  # of each option: its first primary item, n if it has none
        np.minimum.at(self._layer, owner, np.minimum(items, n))
        # For each item the layers of its first and of its last option
        self._begin, self._end, codes = np.full(rows.n_items, n), np.full(rows.n_items, -1), np.ones(rows.n_items)
        used = self._layer[owner] < n
        np.minimum.at(self._begin, items[used], self._layer[owner[used]])
        np.maximum.at(self._end, items[used], self._layer[owner[used]])
        np.maximum.at(codes, items, 1.0 + colours)
        self._end[:n] = np.arange(n)  # whether a primary item is covered has to be known in its own layer
        change, there = np.zeros(n + 2), self._begin < self._end
        np.add.at(change, self._begin[there], np.log2(1.0 + codes[there]))
        np.add.at(change, self._end[there], -np.log2(1.0 + codes[there]))
        widest = float(np.cumsum(change).max())
        if widest <= bits:
            self.work = rows.n_options * (OPTION + STATE * 2.0**widest)

    def best(self, weights: Whole, k: int, over: Callable[[], bool]) -> Covers | None:
        """Returns the k covers of the largest sums of weights, or all of them; None at a limit or with many states."""
        by_layer, links = np.argsort(self._layer, kind="stable"), []
        begin = np.searchsorted(self._layer[by_layer], np.arange(self._rows.n_primary + 1))
        items, state = np.zeros(0, dtype=np.int64), np.zeros((1, 0), dtype=np.int32)
        score = np.zeros(1, dtype=np.int64)
        for layer in range(self._rows.n_primary):
            if over():
                return None
            new = np.flatnonzero(self._begin == layer)
            items, state = np.append(items, new), np.pad(state, ((0, 0), (0, len(new))))
            parts = self._steps(items, state, layer, by_layer[begin[layer] : begin[layer + 1]])
            state, before, option = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
            score = score[before] + np.where(option >= 0, weights[option], 0)
            later = self._end[items] > layer
            items, state = items[later], state[:, later]
            kept = _best_of_each(state, score, k)
            if len(kept) > STATES:
                return None
            state, score = state[kept], score[kept]
            links.append((before[kept], option[kept]))
        return [_path(links, row) for row in np.argsort(-score, kind="stable")[:k].tolist()]

    def _steps(
        self, items: Whole, state: npt.NDArray[np.int32], layer: int, options: Whole
    ) -> list[tuple[npt.NDArray[Any], ...]]:
        """Returns the states behind a layer in parts, with the rows and the options, or -1, that they come from."""
        rows, place = self._rows, np.zeros(self._rows.n_items, dtype=np.int64)
        place[items] = np.arange(len(items))
        covered = state[:, place[layer]] != 0 if layer in items else np.zeros(len(state), dtype=np.bool_)
        done, open_ = np.flatnonzero(covered), np.flatnonzero(~covered)
        parts: list[tuple[Numbers, ...]] = [(state[done], done, np.full(len(done), -1))]
        for o in options.tolist():
            entries = slice(rows.indptr[o], rows.indptr[o + 1])
            columns, colours = place[rows.indices[entries]], self._colours[entries]
            now = state[np.ix_(open_, columns)]
            some = open_[((now == 0) | ((now == colours) & (colours > 0))).all(axis=1)]
            behind = state[some]
            behind[:, columns] = np.where(colours > 0, colours, FULL)
            parts.append((behind, some, np.full(len(some), o)))
        return parts


def _best_of_each(state: Numbers, score: Whole, k: int) -> npt.NDArray[np.intp]:
    """Returns the rows of the k largest scores of each state."""
    order = np.lexsort((-score, *state.T))
    sorted_ = state[order]
    first = np.flatnonzero(np.append(True, (np.diff(sorted_, axis=0) != 0).any(axis=1))[: len(order)])
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
