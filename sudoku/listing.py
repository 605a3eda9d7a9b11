"""Covers of a problem in blocks, near one cover first if covers are hard to find.

Algorithm X finds covers one after the other, but it can be lost in a part of the search tree that has none: a single V,
two cells that sum to 5, can be enough in an empty grid. `dlx.first`, which restarts and learns, finds a cover anyway.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import UNLIMITED, Limiting, Limits, Stop
from sudoku.grid import work_of

Block = npt.NDArray[np.int32]

NO_WORK = {"nodes": 0, "updates": 0, "seconds": 0.0}
PATIENCE = 100_000  # nodes without a cover, some 20 ms, before `dlx.first` takes over


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

    def rest(self, covers: int = UNLIMITED, nodes: int = UNLIMITED, past: Mapping[str, Any] = NO_WORK) -> Limiting:
        """Returns the rest of the limits, with up to this number of covers and nodes.

        If the budget already contains past work of a search, the limits for that search include the past work.
        """
        covers = min(covers, self.limits.max_covers - self.covers)
        return {
            "max_covers": None if covers >= UNLIMITED else covers,
            "max_nodes": max(0, min(nodes, self.limits.max_nodes - self.nodes + past["nodes"])),
            "timeout": max(0.0, self.limits.timeout - self.seconds + past["seconds"]),
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

    If Algorithm X finds no cover soon, `dlx.first` finds one. Then all covers with the first half of its options are
    listed, and after them all others.

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

    def blocks(self) -> Iterator[Block]:
        """Yields arrays of covers, as `dlx.Covers.blocks`; raises KeyboardInterrupt at Ctrl-C."""
        if self._most == 1:
            cover = self._any()
            if cover is not None:
                self.stopped = "max_covers"
                self._budget.covers += 1
                yield self._counted(np.array([cover], dtype=np.int32))
            return
        search = dlx.covers(self._problem, **self._budget.rest(self._most, PATIENCE))
        self.kernel = search.kernel
        past = NO_WORK  # the part of the search's work that the budget already contains
        try:
            yield from map(self._counted, search.blocks())
            self.stopped = search.stopped
            if search.stopped != "max_nodes" or self._budget.nodes + search.nodes >= self._budget.limits.max_nodes:
                return
            listed = np.array([-2], dtype=np.int32)  # options whose covers have been listed; no option is -2
            if search.covers == 0:
                past = work_of(search)
                self._budget.add(past)
                cover = self._any()
                if cover is None:
                    return
                listed = np.array(cover[: len(cover) // 2], dtype=np.int32)
                yield from self._covers_with(listed)
                if self.stopped:
                    return
            search.limit(**self._budget.rest(self._most, past=past))
            for block in search.blocks():
                others = block[np.isin(block, listed).sum(axis=1) < len(listed)]
                yield self._counted(others[: self._most - self.covers])
            self.stopped = search.stopped
        finally:
            work = work_of(search)
            self._budget.add({name: work[name] - past[name] for name in NO_WORK}, self.covers)

    def _counted(self, block: Block) -> Block:
        self.covers += len(block)
        return block

    def _any(self) -> tuple[int, ...] | None:
        """Returns a cover that `dlx.first` finds, or None."""
        found = dlx.first(self._problem, **self._budget.rest())
        self._budget.add(work_of(found))
        self.kernel, self.stopped = self.kernel or "first", found.stopped
        if found.stopped == "interrupt":
            raise KeyboardInterrupt
        return found.cover

    def _covers_with(self, options: Block) -> Iterator[Block]:
        """Yields the covers that have all of these options."""
        search = dlx.covers(self._problem.with_chosen(options.tolist()), **self._budget.rest(self._most))
        try:
            yield from map(self._counted, search.blocks())
        finally:
            self.stopped = search.stopped
            self._budget.add(work_of(search))
