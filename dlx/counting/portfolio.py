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
from math import inf
from typing import TypeAlias

from dlx.counting.course import MILLISECOND, Course, Turn
from dlx.counting.layers import Layered
from dlx.counting.order import PAIRS, neighbourhood, pairs
from dlx.counting.tally import Tallied, Tally, tally_of
from dlx.engine.limits import Over, never
from dlx.kernels import BUDGET_SPENT, EXHAUSTED, Finder
from dlx.problem.checks import MEMORY
from dlx.problem.problem import Problem

ENTRY, PAIR = 1200, 3500  # nanoseconds to prepare layers, for each entry, and each pair of items in an option
FREE = 4 * MILLISECOND  # work that the slower method may always do
SHARE = 0.03  # work of the slower method per work of the leader
WORTH = 1.5  # layers are tried if visits are expected to take this many times as long as a trial
TURN = 0.5 * MILLISECOND  # least work of a turn, since each turn begins with cold caches
LONGER = 1 / 8  # least work of a turn, as a part of its method's work so far
LEAD = 0.5  # layers lead if their forecast, too low at first, is below this fraction of the visits' forecast
ORDER = 50_000  # nanoseconds to find the best order, for each pair of items in an option
LATER = 8  # a search for a better order waits for this many times its own work
FEWER = 1.0  # layers begin again if the new order has fewer states by this many bits
SETTLED = 200 * MILLISECOND  # work after which the leader goes on alone, with workers or a checkpoint
LITTLE = 1 << 18  # bytes that layers always have; with fewer, files take most of the time
RESERVED = 64  # layers that do not lead pause once their states take 1/64 of the memory

Way: TypeAlias = Finder | Layered


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
        visiting: the kernel that visits covers; None: layers only.
        memory: bytes of all states together.

    Attributes:
        is_large: whether visits are expected to take long.
        done: the work of both ways at the end of the last turn, in nanoseconds.
    """

    def __init__(self, problem: Problem, visiting: Finder | None, memory: int = MEMORY, over: Over = never) -> None:
        self._problem, self._over, self.memory = problem, over, memory
        self._visits = None if visiting is None else Course[Finder](visiting)
        self._layers: Course[Layered] | None = None
        self._may_try = True  # whether layers may still be tried
        self._may_reorder = True  # whether a better order may still be sought
        self._turn: Turn[Way] | None = None
        self._ended: Course[Way] | None = None
        self._given_up: list[Tally] = []
        self.is_large = visiting is None
        self.done = 0.0

    @cached_property
    def _neighbours(self) -> int:
        """The pairs of items that share an option; the time to find an order grows with them."""
        return neighbourhood(self._problem.rows())

    def _has_orders(self, thorough: bool) -> bool:
        """Returns whether the problem is small enough to grow orders."""
        return pairs(self._problem.rows()) <= PAIRS[thorough]

    @cached_property
    def preparing(self) -> float:
        """The nanoseconds to prepare layers."""
        return ENTRY * len(self._problem.indices) + (PAIR * self._neighbours if self._has_orders(False) else 0)

    @cached_property
    def _ordering(self) -> float:
        """The nanoseconds to find the best order; infinity if there are too many pairs of items."""
        return ORDER * self._neighbours if self._has_orders(True) else inf

    # Totals of both methods

    def _courses(self) -> list[Course[Way]]:
        courses: tuple[Course[Way] | None, ...] = self._visits, self._layers
        return [course for course in courses if course is not None]

    @property
    def nodes(self) -> int:
        """The options tried by both."""
        return sum(tally.nodes for tally in self._given_up) + sum(course.way.nodes for course in self._courses())

    @property
    def updates(self) -> int:
        """The steps of both, each in its own measure."""
        return sum(tally.updates for tally in self._given_up) + sum(course.way.updates for course in self._courses())

    def tally(self) -> Tally:
        """Returns the tally of the search that ended or leads, with the most covers and the work of both."""
        if self._ended is not None:
            leading = tally_of(self._ended.way)
            return replace(leading, nodes=self.nodes, updates=self.updates)
        courses = self._courses()
        leading = tally_of(self._leader.way) if courses else Tally("layers", merged=True)
        found = [leading, *(tally_of(course.way) for course in courses), *self._given_up]
        most = max(tally.covers for tally in found)
        return replace(leading, nodes=self.nodes, updates=self.updates, covers=most)

    @property
    def doing(self) -> str | None:
        """The item that layers cover, if they lead."""
        return self._layers.way.doing if self._layers is not None and self._leader is self._layers else None

    def fraction(self) -> float:
        """Returns the larger fraction done of the two methods, 0 to 1."""
        return 1.0 if self._ended else max((course.way.fraction() for course in self._courses()), default=0.0)

    @property
    def settled(self) -> str | None:
        """The method that has led long enough to go on alone, "visits" or "layers"; None if there is none."""
        leader = self._leader if self._courses() else None
        if self._turn is not None or leader is None or leader.work < SETTLED:
            return None
        return "visits" if leader is self._visits else "layers"

    def layers_alone(self) -> Layered:
        """Gives up visits, fixes the order, and returns the search in layers."""
        if self._may_reorder:
            self._look_for_order()
        if self._visits is not None:
            self._given_up.append(tally_of(self._visits.way))
            self._visits = None
        assert self._layers is not None
        return self._layers.way

    def close(self) -> None:
        """Closes the files of states that wait."""
        if self._layers is not None:
            self._layers.way.close()

    def limit_memory(self, memory: int) -> None:
        """Sets the bytes that the states may take from now on."""
        self.memory = memory
        if self._layers is not None:
            self._layers.way.memory = max(LITTLE, memory)

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
            if self._visits is None:
                raise
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
        assert self._visits is not None
        if self._visits.rest < WORTH * FREE:  # checked first: `preparing` takes time to compute
            return False
        trial = FREE + self.preparing
        return self._visits.rest >= WORTH * trial * max(1.0, trial / max(1.0, self._visits.work))

    def _next_turn(self) -> Turn[Way]:
        """Returns a turn of the leader, or of the other method if its share is not spent."""
        if self.is_large:
            if self._may_try:
                self._try_layers()
            self._reorder()
        leader, other = self._leader, self._other
        if other is not None and other.searched + _turn(other) <= self._allowance(other, leader):
            return Turn(other, _turn(other))
        return Turn(leader, _turn(leader))

    @property
    def _leader(self) -> Course[Way]:
        """The method that seems to end first."""
        visits, layers = self._visits, self._layers
        if visits is None or layers is None:
            return self._courses()[0]
        return layers if layers.rest < LEAD * visits.rest else visits

    @property
    def _other(self) -> Course[Way] | None:
        return next((course for course in self._courses() if course is not self._leader), None)

    def _allowance(self, other: Course[Way], leader: Course[Way]) -> float:
        """Returns the work that the slower method may have done by now; layers pause if they use much memory."""
        layers = self._layers
        if layers is None or other is not layers:
            return SHARE * leader.work
        if layers.way.bytes > max(LITTLE, self.memory // RESERVED):
            return 0.0
        return FREE + SHARE * leader.work

    def outlook(self, nodes: float) -> Outlook:
        """Returns the forecast of the count.

        Parameters:
            nodes: an estimate of all nodes of visits, better than by `fraction`.
        """
        visits, layers = self._visits, self._layers
        done = sum(course.work for course in self._courses())
        assert visits is not None
        rest = max(0.0, nodes * visits.searched / visits.way.nodes - visits.searched)
        if layers is None or layers.rest >= LEAD * rest:
            return Outlook(visits.way.name, False, 0.0, done + rest, done)
        states = layers.way.states / max(1e-300, layers.way.fraction())
        return Outlook(layers.way.name, True, states, done + layers.rest, done)

    # Layers

    def _try_layers(self) -> None:
        """Makes the search in layers, if possible."""
        self._may_try = False
        try:
            self._layers = self._layers_in_order(thorough=False, prepared=self.preparing)
        except MemoryError:  # the plan is too large, or an item is covered more than 64 times
            if self._visits is None:
                raise

    def _layers_in_order(self, thorough: bool, prepared: float) -> Course[Layered]:
        return Course(Layered(self._problem, max(LITTLE, self.memory), self._over, thorough), prepared)

    def _give_up_layers(self) -> None:
        """Keeps the tally of layers, and frees their memory."""
        if self._layers is not None:
            self._given_up.append(tally_of(self._layers.way))
            self._layers.way.close()
        self._turn = self._layers = None

    def _reorder(self) -> None:
        """Searches for a better order if layers lead and take long."""
        layers = self._layers
        if layers is None or not self._may_reorder or self._leader is not layers:
            return
        if layers.searched > LATER * self._ordering:
            self._look_for_order()

    def _look_for_order(self) -> None:
        """Searches for a better order, and begins layers again if there is one."""
        self._may_reorder = False
        if self._ordering == inf:
            return
        assert self._layers is not None
        self._layers.prepared += self._ordering
        with suppress(MemoryError):
            again = self._layers_in_order(thorough=True, prepared=self._ordering)
            if again.way.bits <= self._layers.way.bits - FEWER:
                self._give_up_layers()
                self._layers = again


def _turn(course: Course[Way]) -> float:
    """Returns the work of the next turn."""
    return max(TURN, LONGER * course.searched)
