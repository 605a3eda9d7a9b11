"""Covers of a problem in blocks, near one cover first if covers are hard to find.

Algorithm X finds covers one after the other, but it can be lost in a part of the search tree that has none: a single V,
two cells that sum to 5, can be enough in an empty grid. `dlx.first`, which restarts and learns, finds a cover anyway.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import UNLIMITED, Limiting, Limits, Stop
from sudoku.grid import work_of

Block = npt.NDArray[np.int32]

PATIENCE = 100_000  # nodes without a cover, some 20 ms, before `dlx.first` takes over
LONG = 1 << 21  # nodes, half a second, before `dlx.first` begins again; twice as many each next time
LARGEST = 1024  # covers of a block


class Budget:
    """The limits of several searches together, and the work of these searches; the clock starts at once."""

    def __init__(self, **limits: Unpack[Limiting]) -> None:
        self.limits = Limits.of(**limits)
        self.covers = self.nodes = self.updates = 0
        self._start = time.perf_counter()

    @property
    def seconds(self) -> float:
        """The time since the start."""
        return time.perf_counter() - self._start

    def rest(self, covers: int = UNLIMITED, nodes: int = UNLIMITED) -> Limiting:
        """Returns the limits that are left, with at most `covers` covers and `nodes` nodes."""
        covers = min(covers, self.limits.max_covers - self.covers)
        return {
            "max_covers": None if covers >= UNLIMITED else covers,
            "max_nodes": max(0, min(nodes, self.limits.max_nodes - self.nodes)),
            "timeout": max(0.0, self.limits.timeout - self.seconds),
            "progress": self.limits.progress,
        }

    def add(self, work: Mapping[str, Any], covers: int = 0) -> None:
        """Adds the work of a search, as fields of a `dlx.Outcome`."""
        self.covers += covers
        self.nodes += work["nodes"]
        self.updates += work["updates"]

    def work(self) -> dict[str, Any]:
        """Returns the work so far, as fields of a `dlx.Outcome`."""
        return {"nodes": self.nodes, "updates": self.updates, "seconds": self.seconds}


class Listing:
    """A search for covers.

    If Algorithm X finds no cover soon, `dlx.first` finds one. Then a second search lists all covers. It tries
    the options of the known cover first, so it finds covers near that one first.

    Parameters:
        problem: what to cover.
        budget: the limits; the search adds its work.
        most: the most covers to find.

    Attributes:
        covers: the number of covers found.
        stopped: why the search stopped early, or None; "max_covers" also after `most` covers.
        kernel: the name of the kernel; "first" if `dlx.first` alone has searched.
        first: the first cover that `number` found, or None.
    """

    def __init__(self, problem: dlx.Problem, budget: Budget, most: int = UNLIMITED) -> None:
        self._problem, self._budget = problem, budget
        self._most = min(most, budget.limits.max_covers - budget.covers)
        self.covers = 0
        self.stopped: Stop | None = None
        self.kernel = ""
        self.first: npt.NDArray[np.int32] | None = None

    def number(self) -> int:
        """Returns the number of covers found; after Ctrl-C, `stopped` is "interrupt"."""
        try:
            for block in self.blocks():
                if self.first is None:
                    self.first = block[0]
        except KeyboardInterrupt:
            self.stopped = "interrupt"
        return self.covers

    def blocks(self, size: int = 1) -> Iterator[Block]:
        """Yields arrays of covers: `size` covers in the first, twice as many in each next one, at most 1024.

        Raises KeyboardInterrupt at Ctrl-C, after a block of the covers that had been found.
        """
        if self._most == 1:
            cover = self._any()
            if cover is not None:
                self.covers, self.stopped = 1, "max_covers"
                self._budget.covers += 1
                yield np.array([cover], dtype=np.int32)
            return
        limits = self._budget.rest(self._most)
        most_nodes = limits["max_nodes"] or 0
        search = dlx.covers(self._problem, **limits | {"max_nodes": min(most_nodes, PATIENCE)})
        self.kernel = search.kernel
        yield from self._blocks_of(search, size, limits)
        if self.stopped != "max_nodes" or search.covers or most_nodes <= PATIENCE:
            return
        cover = self._any()
        if cover is None:
            return
        order = np.append(cover, np.delete(np.arange(self._problem.n_options), cover))
        limits = self._budget.rest(self._most)
        search = dlx.covers(_in_order(self._problem, order), **limits)
        numbers = np.append(order, -1).astype(np.int32)  # -1, with which blocks are padded, stays
        for block in self._blocks_of(search, size, limits):
            yield numbers[block]

    def _blocks_of(self, search: dlx.Covers, size: int, limits: Limiting) -> Iterator[Block]:
        """Yields the covers of a search; after the first cover, raises its limit of nodes to that of `limits`."""
        is_raised = False
        try:
            while True:
                try:
                    block = next(search.blocks(size), None)
                except KeyboardInterrupt:
                    if search.covers > self.covers:
                        block = next(search.blocks())
                        self.covers += len(block)
                        yield block
                    raise
                if block is not None:
                    self.covers += len(block)
                    yield block
                    size = min(2 * size, LARGEST)
                elif search.stopped == "max_nodes" and search.covers and not is_raised:
                    search.limit(**limits)
                    is_raised = True
                else:
                    break
        finally:
            self.stopped = search.stopped
            self._budget.add(work_of(search), search.covers)

    def _any(self) -> tuple[int, ...] | None:
        """Returns a cover that `dlx.first` finds, or None."""
        found = first(self._problem, self._budget)
        self.kernel, self.stopped = self.kernel or "first", found.stopped
        if found.stopped == "interrupt":
            raise KeyboardInterrupt
        return found.cover


def first(problem: dlx.Problem, budget: Budget, seed: int | None = None) -> dlx.First:
    """Searches for a cover by `dlx.first`, which begins again with another seed if it takes too long."""
    nodes = LONG
    while True:
        found = dlx.first(problem, seed=seed, **budget.rest(nodes=nodes))
        budget.add(work_of(found))
        if found.stopped != "max_nodes" or budget.nodes >= budget.limits.max_nodes:
            return found
        seed, nodes = 1 if seed is None else seed + 1, 2 * nodes


def _in_order(problem: dlx.Problem, order: npt.NDArray[np.int64]) -> dlx.Problem:
    """Returns the problem of a grid with its options in another order, without their names and weights."""
    sizes = np.diff(problem.indptr)[order]
    indptr = np.append(0, np.cumsum(sizes)).astype(np.int32)
    entries = np.repeat(problem.indptr[order] - indptr[:-1], sizes) + np.arange(indptr[-1])
    colours = None if problem.colours is None else problem.colours[entries]
    indices = problem.indices[entries]
    return replace(problem, indptr=indptr, indices=indices, colours=colours, names=None, weights=None)
