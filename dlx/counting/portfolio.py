"""The choice between two methods: visiting covers one by one, and layers of states.

Neither is faster on all problems, and the time of neither is known beforehand. So visits begin. If they are expected to
take long, layers are tried, and the method that is expected to end first leads. The other method gets a small share of
the work (`SHARE`), and takes the lead when its forecast becomes better (B. Huberman, R. Lukose, T. Hogg, 1997,
doi:10.1126/science.275.5296.51, share time between algorithms in this manner). Work is measured in nodes and updates,
not in time, so that the same call does the same each time.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dlx.counting.layers import LITTLE
from dlx.counting.tally import Tallied, Tally, tally_of
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem

# Nanoseconds of a node, of an update, and of a third unit: a state in layers, or an option added to a tree of covers in
# visits. Fitted to benchmarks/choice.py: most problems take 0.5 to 1.5 times as long.
PRICES = {
    "bits": (10, 0.4, 600),
    "links": (6, 3.7, 600),
    "multi": (25, 8.5, 600),
    "layers": (48, 0.5, 350),
    "drawing": (200, 0.4, 100),
}
CORE_UPDATE = 4  # nanoseconds of an update in the core of a kernel that visits covers
MILLISECOND = 1e6  # nanoseconds
PREPARATION = 2 * MILLISECOND  # nanoseconds to prepare layers, the fixed part
ENTRY = 1000  # nanoseconds to prepare layers, for each entry of the problem
FREE = 4 * MILLISECOND  # work that layers may do in any case
SHARE = 0.02  # work of the slower method, as a fraction of the work of the leader
WORTH = 1.5  # layers are tried if visits are expected to take this many times as long as a trial
TURN = 0.5 * MILLISECOND  # least work of a turn, since each turn begins with cold caches
LONGER = 1 / 8  # least work of a turn, as a fraction of the work of its method so far
LEAST = 100  # least nodes of a turn
LEAD = 0.75  # layers take the lead if their forecast is below this fraction of the visits' forecast
KEEP = 1.8  # layers keep the lead if their forecast is below this multiple of the visits' forecast
SETTLED = 200 * MILLISECOND  # work after which the leader may go on alone, if its forecast is clearly better
LATE = 3000 * MILLISECOND  # work after which the leader may go on alone in any case
CLEAR = 8.0  # a forecast is clearly better if the other one is this many times as long
RESERVED = 64  # a method that does not lead pauses once its states take 1/64 of the memory


class Course:
    """A search with its work and its forecast, in nanoseconds.

    Parameters:
        search: a kernel that visits covers, or a search with states; its name is a key of `PRICES`.
        prepared: the work of making the search.
    """

    def __init__(self, search: Any, prepared: float = 0.0) -> None:
        self.search, self._prepared = search, prepared

    @property
    def searched(self) -> float:
        """The work of the search itself."""
        node, update, state = PRICES[self.search.name]
        in_core: int = getattr(self.search, "core_updates", 0)
        work: float = node * self.search.nodes + update * (self.search.updates - in_core) + CORE_UPDATE * in_core
        return work + state * getattr(self.search, "reached", 0)

    @property
    def work(self) -> float:
        """The work so far."""
        return self._prepared + self.searched

    @property
    def rest(self) -> float:
        """The forecast of the remaining work, by extrapolation from `fraction`."""
        fraction: float = self.search.fraction()
        return max(0.0, self.searched / max(1e-300, fraction) - self.searched)

    def turn(self) -> int:
        """Returns the nodes of its next turn."""
        return max(LEAST, int(self.search.nodes * max(LONGER, TURN / max(1.0, self.searched))))

    @property
    def bytes(self) -> int:
        """The bytes of its states."""
        return int(getattr(self.search, "bytes", 0))


class Portfolio(Tallied):
    """Visits and layers in turns; a `dlx.kernels.Runnable`.

    Parameters:
        visits: a search that visits covers.
        layers: makes a search in layers; None: layers are not tried.
        memory: bytes of all states together.

    Attributes:
        preparing: the nanoseconds to prepare layers.
        is_large: whether visits are expected to take long.
        done: the work of both methods at the end of the last turn, in nanoseconds.
    """

    def __init__(self, problem: Problem, visits: Any, layers: Callable[[], Any] | None, memory: int) -> None:
        self._layers, self.memory = layers, memory
        self.preparing = PREPARATION + ENTRY * len(problem.indices)
        self._courses = [Course(visits)]  # visits, then layers
        self._leader = self._courses[0]  # the method that has ended, or is expected to end first
        self._given_up = Tally("")  # the work of a method that ran out of memory
        self._course: Course | None = None  # the current method
        self._last = 0  # the nodes of the current method at the end of its turn
        self._has_ended = self.is_large = False
        self.done = 0.0

    @property
    def nodes(self) -> int:
        """The options tried by both methods."""
        return self._given_up.nodes + sum(int(course.search.nodes) for course in self._courses)

    @property
    def updates(self) -> int:
        """The sum of the steps of both methods, each in its own unit."""
        return self._given_up.updates + sum(int(course.search.updates) for course in self._courses)

    @property
    def leading(self) -> Any:
        """The search that has ended, or is expected to end first."""
        return self._leader.search

    def tally(self) -> Tally:
        """Returns the tally of the leading search, with the work of both methods and the larger number of covers."""
        leading = tally_of(self.leading)
        most = max(self._given_up.covers, *(course.search.covers for course in self._courses), 0)
        covers = leading.covers if self._has_ended else most
        return replace(leading, nodes=self.nodes, updates=self.updates, covers=covers)

    def outlook(self, nodes: float) -> tuple[Tally, float]:
        """Returns the tally of the search expected to end first, and the whole work as a multiple of the work so far.

        For layers, the tally has the expected number of states at the end.

        Parameters:
            nodes: an estimate of all nodes of visits, which takes the place of the forecast by `fraction`.
        """
        visits, *others = self._courses
        done = sum(course.work for course in self._courses)
        rest = max(0.0, nodes * visits.searched / visits.search.nodes - visits.searched)
        if not others or others[0].rest >= LEAD * rest:
            return tally_of(visits.search), (done + rest) / done
        layers = others[0].search
        states = layers.states / max(1e-300, layers.fraction())
        return replace(tally_of(layers), states=int(states)), (done + others[0].rest) / done

    @property
    def is_settled(self) -> bool:
        """True if the leader may go on alone: its forecast is clearly better, or enough work is done."""
        rests = sorted(course.rest for course in self._courses)
        is_clear = CLEAR * rests[0] < rests[-1] or len(rests) == 1
        return self.done >= (SETTLED if is_clear else LATE)

    @property
    def doing(self) -> str | None:
        """The progress of the leader in words, if it has any."""
        return getattr(self.leading, "doing", None)

    def fraction(self) -> float:
        """Returns the larger fraction done of the two methods, 0 to 1."""
        return 1.0 if self._has_ended else max(course.search.fraction() for course in self._courses)

    def close(self) -> None:
        """Closes the files of waiting states."""
        for course in self._courses:
            _close(course)

    # The choice

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues one method for a turn, within budgets; raises MemoryError if no method has room."""
        if self._course is None:
            if not self.is_large and self._seems_large():
                self.is_large = True
                return BUDGET_SPENT  # here the caller may split the problem, before layers are made
            self._course = self._next()
            self._last = self._course.search.nodes + self._course.turn()
        search = self._course.search
        try:
            state = int(search.run(min(nodes, self._last - search.nodes), updates, covers))
        except MemoryError:
            self._give_up(self._course)
            if not self._courses:
                if self._layers is None:
                    raise
                self._begin_layers()
            self._leader = self._courses[0]
            return BUDGET_SPENT
        self._has_ended = state == EXHAUSTED
        if self._has_ended:
            self._leader = self._course
        elif search.nodes >= self._last:
            self._course = None
            self.done = sum(course.work for course in self._courses)
        return state

    def _seems_large(self) -> bool:
        """Returns whether a trial of layers is worth its work.

        Visits must be expected to take at least WORTH times as long as a trial; until they have done as much work as a
        trial takes, this factor is larger by the ratio of the two.
        """
        visits = self._courses[0]
        trial = FREE + self.preparing
        return visits.rest >= WORTH * trial * max(1.0, trial / max(1.0, visits.work))

    def _next(self) -> Course:
        """Returns the method of the next turn: the leader, or the other one if its share is not spent."""
        if self.is_large:
            with suppress(MemoryError, ProblemError):  # layers cannot hold the options or multiplicities
                self._begin_layers()
        leader = self._leader = self._expected()
        course = next((other for other in self._courses if other is not leader and self._may_go(other, leader)), leader)
        if hasattr(course.search, "memory"):
            course.search.memory = self.memory - sum(other.bytes for other in self._courses if other is not course)
        return course

    def _expected(self) -> Course:
        """Returns the method that is expected to end first; in close cases the leader stays."""
        first, *others = self._courses
        most = KEEP if self._leader in others else LEAD
        return others[0] if others and others[0].rest < most * first.rest else first

    def _begin_layers(self) -> None:
        """Makes the search in layers, once."""
        make, self._layers = self._layers, None
        if make is not None:
            self._courses.append(Course(make(), self.preparing))

    def _may_go(self, other: Course, leader: Course) -> bool:
        """Returns whether the slower method may have a turn."""
        free = 0 if other is self._courses[0] else FREE
        return other.searched <= free + SHARE * leader.work and other.bytes <= max(LITTLE, self.memory // RESERVED)

    def _give_up(self, course: Course) -> None:
        """Abandons a method that has no room, and keeps its tally."""
        self._courses.remove(course)
        self._course, self._given_up = None, tally_of(course.search)
        _close(course)


def _close(course: Course) -> None:
    """Closes the files of waiting states, if the search has any."""
    close = getattr(course.search, "close", None)
    if close is not None:
        close()
