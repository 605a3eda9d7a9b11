"""A kernel that merges, and its memory: its choice, its growth, and its forgetting."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from dlx.counting.order import in_order
from dlx.engine.dispatch import merger, new_kernel
from dlx.engine.limits import Over, never
from dlx.kernels import CRAMPED
from dlx.problem.checks import MEMORY, UNLIMITED
from dlx.problem.problem import Problem

MOST = 1 << 31  # states, and edges: their numbers are int32
FIRST_STATES, LEAST_STATES = 1 << 12, 1 << 5  # for which there is room at the beginning


class Merging:
    """A search that solves equal remaining problems once; the loop runs it (`dlx.kernels.Runnable`)."""

    name = property(attrgetter("_kernel.name"))
    nodes = property(attrgetter("_kernel.nodes"))
    updates = property(attrgetter("_kernel.updates"))
    hits = property(attrgetter("_memo.hits"))  # the states that were known,
    asked = property(attrgetter("_memo.asked"))  # of those that were looked up
    states = property(attrgetter("_memo.n_states"))

    def __init__(
        self, problem: Problem, draws: bool, memory: int = MEMORY, visits: str = "", over: Over = never
    ) -> None:
        rows = in_order(problem.rows(), over)
        self._kernel: Any = new_kernel(
            merger(rows, visits), rows, np.empty((0, problem.max_level), dtype=np.int32), draws
        )
        self._memo: Any = self._kernel.memo
        states = FIRST_STATES
        while states > LEAST_STATES and self._memo.takes(states, states * draws) > memory:
            states //= 2
        while not self._has_grown(states, states):
            if states <= LEAST_STATES:
                raise MemoryError("there is not enough memory to begin with")
            states //= 2
        self.memory = memory  # bytes
        self.forgotten = 0  # how often a count had no room left, and forgot half of its states

    @property
    def covers(self) -> int:
        """The covers found so far, however many; none where a diagram is made."""
        return 0 if self._memo.draws else int(self._kernel.total())

    @property
    def bytes(self) -> int:
        """The bytes that its memory takes now."""
        return int(self._memo.takes(*self._memo.capacity()))

    def fraction(self) -> float:
        """Returns the part of the search tree behind it, from 0 to 1; what is known counts as searched."""
        return float(self._kernel.fraction())

    def diagram(self) -> tuple[Any, Any, Any]:
        """Returns the diagram of a search that has ended: the first edge of each node, options and nodes of edges."""
        _, first, options, children = self._memo.diagram()
        return first, options, children

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on until the search ends or a budget is spent, and makes room; raises MemoryError for a diagram."""
        kernel = self._kernel
        last_node, last_update = kernel.nodes + nodes, kernel.updates + updates
        last_cover = min(kernel.covers + covers, UNLIMITED)
        while True:
            state = int(kernel.run(last_node - kernel.nodes, last_update - kernel.updates, last_cover - kernel.covers))
            if state != CRAMPED:
                return state
            self._make_room()

    def _make_room(self) -> None:
        """Makes room for twice as many states or edges; where these take too much, forgets half, or raises an error."""
        memo = self._memo
        states, edges = memo.capacity()
        taken = memo.takes(states, edges)
        few_states = memo.n_states + 2 > states
        wanted = (states * (1 + few_states), edges + (edges + memo.n_pending_room) * (not few_states and memo.draws))
        fits = wanted[0] < MOST and wanted[1] < MOST and memo.takes(*wanted) + taken <= self.memory
        if fits and self._has_grown(*wanted):
            return
        if memo.draws:
            limit = f"more than {self.memory} bytes" if not fits else "more memory than there is"
            raise MemoryError(f"the diagram takes {limit}: it has {memo.n_nodes} nodes so far")
        if few_states:
            try:
                memo.forget()
            except MemoryError:  # to choose states to keep takes memory, too
                memo.clear()
            self.forgotten += 1
            return
        while not self._has_grown(states, edges):  # another digit is needed at any price
            if states <= LEAST_STATES:
                raise MemoryError("there is not enough memory to count so many covers")
            memo.clear()
            states //= 2

    def _has_grown(self, states: int, edges: int) -> bool:
        """Makes room for so many states and edges, if the system has any."""
        try:
            self._memo.grow(states, edges)
        except MemoryError:
            return False
        return True
