"""A search of a portfolio: its work and forecast in nanoseconds, and its turns."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from dlx.kernels import Runnable

# Nanoseconds of a node, an update, and a state (in layers) or an option added to a tree of covers. Fitted to
# benchmarks/choice.py: most problems take 0.5 to 1.5 times as long.
PRICES = {
    "bits": (16, 0.4, 600),
    "links": (6, 3.7, 600),
    "multi": (25, 8.5, 600),
    "layers": (32, 0.5, 260),
    "drawing": (200, 0.4, 100),
}
MILLISECOND = 1e6  # nanoseconds
LEAST, FRESH = 100, 10_000  # nodes of a turn at least; nanoseconds of a node until a search has this many nodes


class Search(Runnable, Protocol):
    """A kernel that visits covers, or a search with states, whose number is `reached`."""

    @property
    def name(self) -> str:
        """The key of the search in `PRICES`."""


SearchType = TypeVar("SearchType", bound=Search, covariant=True)


class Course(Generic[SearchType]):
    """A search with its work and its forecast, in nanoseconds.

    Parameters:
        prepared: the work of making the search.
    """

    def __init__(self, search: SearchType, prepared: float = 0.0) -> None:
        self.search, self.prepared = search, prepared

    @property
    def searched(self) -> float:
        """The work of the search itself."""
        node, update, state = PRICES[self.search.name]
        return node * self.search.nodes + update * self.search.updates + state * getattr(self.search, "reached", 0)

    @property
    def work(self) -> float:
        """The work so far."""
        return self.prepared + self.searched

    @property
    def expected(self) -> float:
        """The work of the whole search, by extrapolation from `fraction`."""
        return self.searched / max(1e-300, self.search.fraction())

    @property
    def rest(self) -> float:
        """The forecast of the remaining work."""
        return max(0.0, self.expected - self.searched)


class Turn(Generic[SearchType]):
    """A turn of a search, whose end does not depend on the loop's slices."""

    def __init__(self, course: Course[SearchType], work: float) -> None:
        self.course = course
        self._end = course.work + work
        self._stop()

    def _stop(self) -> None:
        """Sets the numbers of nodes and updates at which to check for the end of the turn."""
        search, work = self.course.search, self._end - self.course.work
        each = self.course.searched / search.nodes if search.nodes >= LEAST else FRESH
        self._nodes = search.nodes + max(LEAST, int(work / each))
        self._updates = search.updates + max(LEAST, int(work / PRICES[search.name][1]))

    def is_over(self) -> bool:
        """Returns whether the turn has ended."""
        search = self.course.search
        if search.nodes < self._nodes and search.updates < self._updates:
            return False
        if self.course.work >= self._end:
            return True
        self._stop()
        return False

    def run(self, nodes: int, updates: int, covers: int) -> int:
        """Continues within budgets, up to the next check."""
        search = self.course.search
        return search.run(min(nodes, self._nodes - search.nodes), min(updates, self._updates - search.updates), covers)
