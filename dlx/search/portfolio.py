"""Two searches for one cover that take turns: a plain one, and one that learns from its conflicts.

Neither wins everywhere. A plain descent is heavy-tailed: most ends come at once, and a few never (C. Gomes, B. Selman,
N. Crato, H. Kautz, doi:10.1023/A:1006314320276). So the plain search goes first, alone for a while, in which most
problems are done; from then on both have the same share of the time, and whatever either proves or finds in a time is
had in twice that. Now and then a proof by counting is tried, for a small part of that time. Turns are measured in
updates and nodes, not by a clock: the same search is the same every time.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUDGET_SPENT, EXHAUSTED, Finder
from dlx.problem.problem import Problem
from dlx.search.farkas import Farkas

# Nanoseconds for an update and for a node, on eight to sixteen families; for one family they may be wrong by a half.
COSTS = {"links": (4.0, 90.0), "bits": (0.6, 30.0), "learn": (4.0, 0.0)}
ALONE = 1.5e7  # nanoseconds for which the plain search is alone: some thousand dead ends
LOOK = 0.04  # the part of all the time for which a proof by counting is looked for
TURN = 1e6  # about how long its turns are at least; they are in updates only, and nodes come on top of that


class Portfolio:
    """A `Finder` of one cover: a plain search, one that learns, and one for a proof by counting, made when needed."""

    def __init__(self, problem: Problem, plain: Finder, seed: int = 0) -> None:
        self.searches = [plain]  # the plain one, and the one that learns
        self._problem, self._seed = problem, seed
        self._running = plain
        self._shortage: Farkas | None = None
        self._proven = False  # by counting
        self._next_look = ALONE
        self._turn = int(TURN / COSTS[plain.name][0])
        self._end = self._turn  # the updates of the running search at which its turn is over

    @property
    def name(self) -> str:
        """The name of the search that has the turn."""
        return self._running.name

    @property
    def nodes(self) -> int:
        """The options tried by both."""
        return sum(search.nodes for search in self.searches)

    @property
    def updates(self) -> int:
        """The steps of both."""
        return sum(search.updates for search in self.searches)

    @property
    def covers(self) -> int:
        """The covers found so far."""
        return sum(search.covers for search in self.searches)

    @property
    def filled(self) -> int:
        """The covers held by the one that has the turn; it keeps the turn once it has found one, or has ended."""
        return self._running.filled

    @filled.setter
    def filled(self, number: int) -> None:
        self._running.filled = number

    def found(self) -> npt.NDArray[np.int32]:
        """The covers in its buffer."""
        return self._running.found()

    def fraction(self) -> float:
        """The part of the tree of the plain search behind it; 1 if the other one has ended."""
        return 1.0 if self._proven else max(search.fraction() for search in self.searches)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on until either ends or finds a cover, or a budget of both together is spent."""
        last_node, last_update = self.nodes + nodes, self.updates + updates
        while True:
            running = self._running
            left = min(last_update - self.updates, self._end - running.updates)
            state = running.run(last_node - self.nodes, left, covers)
            if state != BUDGET_SPENT:
                return state
            if running.updates >= self._end:
                if self._is_short():
                    return EXHAUSTED
                self._change()
            if self.nodes >= last_node or self.updates >= last_update:
                return state

    def check(self) -> None:
        """Raises an AssertionError that names a broken invariant of either."""
        for search in self.searches:
            search.check()

    def _is_short(self) -> bool:
        """Tells whether a proof by counting has been found; it is looked for whenever the time has doubled."""
        time = sum(map(_effort, self.searches))
        if not self._proven and time >= self._next_look:
            self._next_look = 2 * time
            self._shortage = self._shortage or Farkas(self._problem.rows())
            self._proven = self._shortage.look(LOOK * time)
        return self._proven

    def _change(self) -> None:
        """Gives the other one the turn, until both have had the same time, if it has not had that already."""
        plain = self.searches[0]
        debt = _effort(plain) - sum(map(_effort, self.searches[1:]))
        if self._running is plain and debt > 0 and _effort(plain) >= ALONE:
            if len(self.searches) == 1:
                buffer = np.empty((1, self._problem.max_level), dtype=np.int32)
                self.searches.append(new_kernel("learn", self._problem.rows(), buffer, self._seed))
            self._running = self.searches[1]
            self._end = self._running.updates + 1 + int(debt / COSTS[self._running.name][0])
        else:
            self._running = plain
            self._end = plain.updates + self._turn


def _effort(search: Finder) -> float:
    """About how many nanoseconds a search has taken."""
    update, node = COSTS[search.name]
    return update * search.updates + node * search.nodes
