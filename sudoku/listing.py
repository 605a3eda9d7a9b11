"""Covers of a problem in blocks, by a search that begins near a cover.

Algorithm X finds covers one after the other, but it can be lost in a part of the search tree that has none: two digits
in a row that sum to 5 are enough in an empty grid. `dlx.first`, which restarts and learns, finds a cover anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import UNLIMITED, Limiting, Limits, Stop

Block = npt.NDArray[np.int32]

PATIENCE = 20_000  # nodes without a cover, some 20 ms, before `dlx.first` takes over


class Budget:
    """The limits of several searches together, and the work of these searches so far."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.covers = self.nodes = self.updates = 0
        self.seconds = 0.0

    def left(self, covers: int = UNLIMITED, nodes: int = UNLIMITED) -> Limiting:
        """Returns the rest of the limits, with up to this number of covers and nodes."""
        return {
            "max_covers": min(covers, self.limits.max_covers - self.covers),
            "max_nodes": max(0, min(nodes, self.limits.max_nodes - self.nodes)),
            "timeout": max(0.0, self.limits.timeout - self.seconds),
            "progress": self.limits.progress,
        }

    def add(self, search: dlx.Covers | dlx.First, covers: int) -> None:
        """Adds the work of a search."""
        self.covers += covers
        self.nodes += search.nodes
        self.updates += search.updates
        self.seconds += search.seconds

    def work(self) -> dict[str, Any]:
        """Returns the work so far, as fields of a `dlx.Outcome`."""
        return {"nodes": self.nodes, "updates": self.updates, "seconds": self.seconds}


class Listing:
    """A search for covers.

    If Algorithm X finds no cover soon, `dlx.first` finds one. Then the parts of the search tree beside this cover are
    searched: those with all but the last of its options first, since a near cover shares most options.

    Parameters:
        problem: what to cover.
        budget: the limits; the search adds its work.
        most: the most covers to find.

    Attributes:
        covers: the number of covers found.
        stopped: why the search stopped early, or None; "max_covers" also after `most` covers.
        kernel: the name of the last kernel.
    """

    def __init__(self, problem: dlx.Problem, budget: Budget, most: int = UNLIMITED) -> None:
        self._problem, self._budget, self._most = problem, budget, most
        self.covers = 0
        self.stopped: Stop | None = None
        self.kernel = ""

    def blocks(self) -> Iterator[Block]:
        """Yields arrays of covers, as `dlx.Covers.blocks`; raises KeyboardInterrupt at Ctrl-C."""
        yield from self._all(self._problem, PATIENCE)
        if self.stopped != "max_nodes" or self._budget.nodes >= self._budget.limits.max_nodes:
            return
        found = dlx.first(self._problem, **self._budget.left())
        self._budget.add(found, int(found.cover is not None))
        if found.stopped == "interrupt":
            raise KeyboardInterrupt
        self.stopped = found.stopped
        if found.cover is None:
            return
        self.covers += 1
        yield np.array([found.cover], dtype=np.int32)
        for k in range(len(found.cover) - 1, -1, -1):
            if self.covers >= self._most or self._budget.covers >= self._budget.limits.max_covers:
                self.stopped = "max_covers"
            if self.stopped:
                return
            part = self._problem.with_chosen(found.cover[:k]).without([found.cover[k]])
            yield from self._all(part)

    def _all(self, problem: dlx.Problem, patience: int = UNLIMITED) -> Iterator[Block]:
        """Yields the covers of a problem; gives up after some nodes without a cover."""
        before, most = self.covers, self._most - self.covers
        search = dlx.covers(problem, **self._budget.left(most, patience))
        self.kernel = search.kernel
        try:
            for block in search.blocks():
                self.covers += len(block)
                yield block
            if search.stopped == "max_nodes" and self.covers > before:
                search.limit(**self._budget.left(most))
                for block in search.blocks():
                    self.covers += len(block)
                    yield block
        finally:
            self.stopped = search.stopped
            self._budget.add(search, self.covers - before)
