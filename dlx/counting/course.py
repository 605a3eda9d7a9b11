"""One of the searches of a count: its work, its forecast, and its turns, measured in nanoseconds."""

from __future__ import annotations

from math import exp, log
from typing import Generic, Protocol, TypeVar

from dlx.kernels import Runnable

# Nanoseconds of a node, of an update, and of a state of layers or an option added to a tree of covers; fitted to the
# problems of benchmarks/choice.py, most of which take between half and one and a half times as long.
PRICES = {
    "bits": (20, 0.55, 600),
    "links": (29, 3.5, 600),
    "multi": (25, 8.5, 600),
    "layers": (32, 0.5, 260),
    "drawing": (200, 0.4, 100),
}
MILLISECOND = 1e6  # nanoseconds
LEAST, FRESH = 100, 10_000  # nodes of a turn, and nanoseconds of a node in a search with fewer nodes than these
FAR = 700  # natural logarithm of a number near the largest float


class Search(Runnable, Protocol):
    """A kernel that visits covers, or a search that has states: `reached` is their number."""

    @property
    def name(self) -> str:
        """The name by which it has its prices."""


Way = TypeVar("Way", bound=Search, covariant=True)


class Course(Generic[Way]):
    """A search, its work and its forecast, all in nanoseconds.

    Parameters:
        prepared: the work of making the search.
        growth: the expected work is taken to grow as this power of the work done, until the two meet.
    """

    def __init__(self, way: Way, prepared: float = 0.0, growth: float = 0.0) -> None:
        self.way, self.prepared, self._growth = way, prepared, growth

    @property
    def searched(self) -> float:
        """The work of the search itself."""
        node, update, state = PRICES[self.way.name]
        return node * self.way.nodes + update * self.way.updates + state * getattr(self.way, "reached", 0)

    @property
    def work(self) -> float:
        """The work so far."""
        return self.prepared + self.searched

    @property
    def expected(self) -> float:
        """The work of the whole search, by the part of it that is done."""
        return self.searched / max(1e-300, self.way.fraction())

    @property
    def rest(self) -> float:
        """The forecast of the work from here on."""
        searched = max(1.0, self.searched)
        times = log(max(1.0, self.expected / searched)) / (1 - self._growth)
        return searched * (exp(min(FAR, times)) - 1)


class Turn(Generic[Way]):
    """A turn of a search, which ends at the same place however the loop slices it."""

    def __init__(self, course: Course[Way], work: float) -> None:
        self.course = course
        self._end = course.work + work
        self._stop()

    def _stop(self) -> None:
        """Chooses numbers of nodes and updates, one of which is reached before the end or soon behind it."""
        way, work = self.course.way, self._end - self.course.work
        each = self.course.searched / way.nodes if way.nodes >= LEAST else FRESH
        self._nodes = way.nodes + max(LEAST, int(work / each))
        self._updates = way.updates + max(LEAST, int(work / PRICES[way.name][1]))

    def is_over(self) -> bool:
        """Tells whether the turn has ended."""
        way = self.course.way
        if way.nodes < self._nodes and way.updates < self._updates:
            return False
        if self.course.work >= self._end:
            return True
        self._stop()
        return False

    def run(self, nodes: int, updates: int, covers: int) -> int:
        """Goes on within budgets, up to the next stop."""
        way = self.course.way
        return way.run(min(nodes, self._nodes - way.nodes), min(updates, self._updates - way.updates), covers)
