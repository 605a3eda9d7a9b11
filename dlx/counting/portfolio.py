"""The choice between two methods of counting: visiting covers one by one, and layers of states.

Neither is faster on all problems, and neither shows beforehand how long it will take. So visits begin. If they seem to
take long, layers are tried, and the method that seems to end first leads. The other method gets a small share of the
work (`SHARE`), and takes the lead when its forecast becomes better (B. Huberman, R. Lukose, T. Hogg, 1997,
doi:10.1126/science.275.5296.51, share time between algorithms in this manner). Work is measured in nodes and updates,
not in time, so that the same call does the same each time.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from dlx.counting.course import MILLISECOND, Course, Turn
from dlx.counting.layers import Layered
from dlx.counting.order import PAIRS, neighbourhood, pairs
from dlx.counting.tally import Tallied, Tally, tally_of
from dlx.engine.limits import Over, never
from dlx.kernels import BUDGET_SPENT, EXHAUSTED, Finder
from dlx.problem.checks import MEMORY, ProblemError
from dlx.problem.problem import Problem

ENTRY, PAIR = 1200, 3500  # nanoseconds to prepare layers, for each entry, and each pair of items in an option
FREE = 4 * MILLISECOND  # work that the slower method may always do
SHARE = 0.03  # work of the slower method per work of the leader
WORTH = 1.5  # layers are tried if visits are expected to take this many times as long as a trial
TURN = 0.5 * MILLISECOND  # least work of a turn, since each turn begins with cold caches
LONGER = 1 / 8  # least work of a turn, as a part of its method's work so far
LEAD = 0.5  # layers lead if their forecast, too low at first, is below this fraction of the visits' forecast
SETTLED = 200 * MILLISECOND  # work after which the leader goes on alone, with workers or a checkpoint
LITTLE = 1 << 18  # bytes that layers always have; with fewer, files take most of the time
RESERVED = 64  # layers that do not lead pause once their states take 1/64 of the memory

Method: TypeAlias = Finder | Layered


@dataclass(frozen=True)
class Outlook:
    """The forecast of a count.

    Attributes:
        name: the method that seems to end first.
        merged: whether this method merges equal remaining problems.
        states: its expected states at the end.
        work: the expected work of both methods, in nanoseconds.
        done: the work of both methods so far, in nanoseconds.
    """

    name: str
    merged: bool
    states: float
    work: float
    done: float


class CountingPortfolio(Tallied):
    """Visits and layers in turns; a `dlx.kernels.Runnable`.

    Parameters:
        visiting: the kernel that visits covers.
        memory: bytes of all states together.

    Attributes:
        is_large: whether visits are expected to take long.
        done: the work of both methods at the end of the last turn, in nanoseconds.
    """

    def __init__(self, problem: Problem, visiting: Finder, memory: int = MEMORY, over: Over = never) -> None:
        self._problem, self._over, self.memory = problem, over, memory
        self._visits = Course[Finder](visiting)
        self._layers: Course[Layered] | None = None
        self._may_try = True  # whether layers may still be tried
        self._given_up = Tally("layers", merged=True)  # the work of layers that ran out of memory
        self._turn: Turn[Method] | None = None
        self._ended: Course[Method] | None = None
        self.is_large = False
        self.done = 0.0

    @cached_property
    def preparing(self) -> float:
        """The nanoseconds to prepare layers."""
        rows = self._problem.rows()
        return ENTRY * len(rows.indices) + (PAIR * neighbourhood(rows) if pairs(rows) <= PAIRS else 0)

    # Totals of both methods

    def _courses(self) -> list[Course[Method]]:
        return [self._visits] if self._layers is None else [self._visits, self._layers]

    @property
    def nodes(self) -> int:
        """The options tried by both."""
        return self._given_up.nodes + sum(course.search.nodes for course in self._courses())

    @property
    def updates(self) -> int:
        """The steps of both, each in its own measure."""
        return self._given_up.updates + sum(course.search.updates for course in self._courses())

    def tally(self) -> Tally:
        """Returns the tally of the search that ended or leads, with the most covers and the work of both."""
        leading = tally_of((self._ended or self._leader).search)
        most = max(self._given_up.covers, *(course.search.covers for course in self._courses()), 0)
        covers = leading.covers if self._ended else most
        return replace(leading, nodes=self.nodes, updates=self.updates, covers=covers)

    @property
    def doing(self) -> str | None:
        """The item that layers cover, if they lead."""
        return self._layers.search.doing if self._layers is not None and self._leader is self._layers else None

    def fraction(self) -> float:
        """Returns the larger fraction done of the two methods, 0 to 1."""
        return 1.0 if self._ended else max(course.search.fraction() for course in self._courses())

    @property
    def settled(self) -> Layered | Finder | None:
        """The search that has led long enough to continue alone, or None."""
        leader = self._leader
        return leader.search if self._turn is None and leader.work >= SETTLED else None

    def take_layers(self) -> Layered:
        """Removes the search in layers and returns it; the caller must close it."""
        assert self._layers is not None
        layers, self._layers = self._layers.search, None
        return layers

    def close(self) -> None:
        """Closes the files of waiting states."""
        if self._layers is not None:
            self._layers.search.close()

    def limit_memory(self, memory: int) -> None:
        """Sets the bytes that the states may take from now on."""
        self.memory = memory
        if self._layers is not None:
            self._layers.search.memory = max(LITTLE, memory)

    # The choice

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues one method for a turn, within budgets."""
        if self._turn is None:
            if not self.is_large and self._seems_large():
                self.is_large = True
                return BUDGET_SPENT  # the caller may split the problem here, before layers are made
            self._turn = self._next_turn()
        turn = self._turn
        try:
            state = turn.run(nodes, updates, covers)
        except MemoryError:  # layers have no room
            self._give_up_layers()
            return BUDGET_SPENT
        if state == EXHAUSTED:
            self._ended = turn.course
        elif turn.is_over():
            self._turn = None
            self.done = sum(course.work for course in self._courses())
        return state

    def _seems_large(self) -> bool:
        """Returns whether a trial of layers is worth its work.

        Visits must be expected to take WORTH times a trial; more while they have done less work than a trial.
        """
        if self._visits.rest < WORTH * FREE:  # checked first: `preparing` takes time to compute
            return False
        trial = FREE + self.preparing
        return self._visits.rest >= WORTH * trial * max(1.0, trial / max(1.0, self._visits.work))

    def _next_turn(self) -> Turn[Method]:
        """Returns a turn of the leader, or of the other method if its share is not spent."""
        if self.is_large and self._may_try:
            self._may_try = False
            with suppress(MemoryError, ProblemError):  # layers cannot hold the options or multiplicities
                layers = Layered(self._problem, max(LITTLE, self.memory), self._over)
                self._layers = Course(layers, self.preparing)
        leader = self._leader
        for other in self._courses():
            if other is not leader and other.searched + _turn(other) <= self._allowance(other, leader):
                return Turn(other, _turn(other))
        return Turn(leader, _turn(leader))

    @property
    def _leader(self) -> Course[Method]:
        """The method that is expected to end first."""
        visits, layers = self._visits, self._layers
        return layers if layers is not None and layers.rest < LEAD * visits.rest else visits

    def _allowance(self, other: Course[Method], leader: Course[Method]) -> float:
        """Returns the work that the slower method may have done by now; layers pause if they use much memory."""
        layers = self._layers
        if layers is None or other is not layers:
            return SHARE * leader.work
        if layers.search.bytes > max(LITTLE, self.memory // RESERVED):
            return 0.0
        return FREE + SHARE * leader.work

    def outlook(self, nodes: float) -> Outlook:
        """Returns the forecast of the count.

        Parameters:
            nodes: an estimate of all nodes of visits, better than by `fraction`.
        """
        visits, layers = self._visits, self._layers
        done = sum(course.work for course in self._courses())
        rest = max(0.0, nodes * visits.searched / visits.search.nodes - visits.searched)
        if layers is None or layers.rest >= LEAD * rest:
            return Outlook(visits.search.name, False, 0.0, done + rest, done)
        states = layers.search.states / max(1e-300, layers.search.fraction())
        return Outlook(layers.search.name, True, states, done + layers.rest, done)

    def _give_up_layers(self) -> None:
        """Keeps the tally of layers, and frees their memory."""
        assert self._layers is not None
        self._given_up = tally_of(self._layers.search)
        self._layers.search.close()
        self._turn = self._layers = None


def _turn(course: Course[Method]) -> float:
    """Returns the work of the next turn."""
    return max(TURN, LONGER * course.searched)
