"""A portfolio of searches that count or draw: visiting, layers and merging take turns, until one of them has ended.

No search is the fastest on all problems, and none tells beforehand how long it will take. So several share the time (B.
Huberman, R. Lukose, T. Hogg, 1997, doi:10.1126/science.275.5296.51). Two that seem promising have equal shares: both
together take twice as long as the better one. Another has about the square root of a share, and may become promising
again. Work is measured in nodes and updates, not by a clock, so that the same call does the same twice.

A diagram is drawn by merging, in place of visiting, and by layers. What they have drawn cannot be forgotten: where both
take too much memory, the one that seems farther from its end is given up, and begun again if the other one fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import exp, inf, log
from operator import attrgetter
from typing import TypeAlias

from dlx.counting.drawing import Arrays, Drawing
from dlx.counting.layers import MANY, Layered
from dlx.counting.merging import Merging
from dlx.counting.order import pairs
from dlx.engine.limits import Over, never
from dlx.kernels import BUDGET_SPENT, EXHAUSTED, Kernel
from dlx.problem.checks import MEMORY
from dlx.problem.problem import Problem

Way: TypeAlias = "Kernel | Merging | Layered"

# Nanoseconds that a node, an update and an unknown state take in each kernel, about: fitted to the problems of
# benchmarks/choice.py, of which most took between half and one and a half times as long.
PRICES = {
    "bits": (20, 0.55, 0),
    "links": (29, 2.5, 0),
    "multi": (23, 9.5, 0),
    "layers": (18, 0.36, 190),
    "mergebits": (24, 0.5, 390),
    "mergesets": (150, 4.5, 100),
}
MILLISECOND = 1e6
FIRST = 3 * MILLISECOND  # of visiting, before anything else is prepared; or what that takes,
GLANCE, HUGE = 0.5 * MILLISECOND, 300 * MILLISECOND  # or this, where so much seems to be left;
PREPARED = 500  # nanoseconds for each entry; longer,
SMALL = 30 * MILLISECOND  # up to this, where no more seems to be left
TURN, FIRST_TURN = 5 * MILLISECOND, 15 * MILLISECOND  # many a search ends in its first one
FAIR = 10 * MILLISECOND  # all have equal shares at first: two others take no more than FAIR besides twice the best one
LONGER = 1 / 32  # of all work so far: turns grow with the search, as each begins with cold caches
LEAST, FRESH = 100, 10_000  # the nodes of a turn, and nanoseconds of a node in a search that has had fewer
TRIAL = 1_000  # nodes of a search that merges before its known states are looked at
KNOWN = 0.2  # the part of the states that were known where merging pays, on the problems of benchmarks/choice.py
# Times as long as another search seems to take: one of two trees is left behind then, layers have a share, and layers
# are alone.
LEADS = 2, 4, 8
NEAR = 2  # times the work so far: visiting alone seems promising, besides layers, where it will end so soon
HOPELESS = 1e6  # times the end that is foreseen: visits that seem to take so long do not go on
FAR = 700  # the logarithm of a number near the largest one
ORDERS = 30_000  # nanoseconds that other orders take, for each pair of items in an option
LATER = 3  # times that are taken by layers, before these are looked for
HALF = 1.0  # bits of states that another order saves, if layers begin again in it
SURE = 1000 * MILLISECOND  # of work in layers, before they are gone on with alone: on queens they lead for a while
LITTLE = 1 << 18  # bytes that layers take in any case: below that files take most of the time
RESERVED = 64  # a search that is not promising waits as soon as its states take this part of the memory


@dataclass
class Past:
    """The numbers of a search that is over, or has been given up."""

    name: str = ""
    nodes: int = 0
    updates: int = 0
    covers: int = 0
    hits: int = 0
    states: int = 0
    bytes: int = 0
    merges: bool = False

    @classmethod
    def of(cls, way: Way) -> Past:
        """Returns the numbers of a search."""
        common = way.name, way.nodes, way.updates, way.covers
        if isinstance(way, (Layered, Merging)):
            return cls(*common, way.hits, way.states, way.bytes, True)
        return cls(*common)


@dataclass(frozen=True)
class Outlook:
    """The search that seems to end first, and the states that it will have had; the work of all by then, and so far."""

    name: str
    merged: bool
    states: float
    work: float
    done: float


@dataclass
class Candidate:
    """A search, and its work."""

    way: Way
    prepared: float = 0.0  # nanoseconds that it has taken besides
    _seen: tuple[tuple[float, float], ...] = ((0.0, 0.0), (0.0, 0.0))  # the search and its expectation, before

    @property
    def searched(self) -> float:
        """Nanoseconds of its search, about."""
        node, update, state = PRICES[self.way.name]
        unknown = self.way.asked - self.way.hits if isinstance(self.way, (Layered, Merging)) else 0
        return node * self.way.nodes + update * self.way.updates + state * unknown

    @property
    def work(self) -> float:
        """Nanoseconds in all, about."""
        return self.prepared + self.searched

    @property
    def expected(self) -> float:
        """The nanoseconds of the whole search, by the part of it that is done."""
        return self.searched / max(1e-300, self.way.fraction())

    @property
    def foreseen(self) -> float:
        """The nanoseconds of the whole search, if what is expected goes on to grow as since its half, or before.

        It grew as a power of the search: where the two meet is the end, and for a power of 1 there is none.
        """
        (searched, expected), so_far = self._seen[0], max(1.0, self.searched)
        if not searched:
            return self.expected
        power = max(0.0, log(self.expected / expected) / log(so_far / searched))
        times = log(max(1.0, self.expected / so_far)) / (1 - power) if power < 1 else inf
        return so_far * exp(times) if times < FAR else inf

    def look(self) -> None:
        """Remembers what it expects, each time its search has doubled."""
        if self.searched >= max(TURN, 2 * self._seen[1][0]):
            self._seen = self._seen[1], (self.searched, self.expected)

    @property
    def pays(self) -> bool:
        """Tells whether enough of the states were known, or it is too early to tell."""
        way = self.way
        return not isinstance(way, (Layered, Merging)) or way.nodes < TRIAL or way.hits >= KNOWN * way.asked

    @property
    def bytes(self) -> int:
        """The memory of its states."""
        return self.way.bytes if isinstance(self.way, (Layered, Merging)) else 0


class Turn:
    """A turn of a candidate; it ends at the same place, however the loop slices it."""

    def __init__(self, candidate: Candidate, work: float) -> None:
        self.candidate = candidate
        self._end = candidate.work + work
        self._stop()

    def _stop(self) -> None:
        """Chooses the nodes and updates, of which one will be reached before the end, or soon behind it."""
        way, work = self.candidate.way, self._end - self.candidate.work
        each = self.candidate.searched / way.nodes if way.nodes >= LEAST else FRESH
        self._nodes = way.nodes + max(LEAST, int(work / each))
        self._updates = way.updates + max(LEAST, int(work / PRICES[way.name][1]))

    def is_over(self) -> bool:
        """Tells whether it is over, where it stops."""
        way = self.candidate.way
        if way.nodes < self._nodes and way.updates < self._updates:
            return False
        if self.candidate.work >= self._end:
            return True
        self._stop()
        return False

    def run(self, nodes: int, updates: int, covers: int) -> int:
        """Goes on within budgets, up to its next stop."""
        way = self.candidate.way
        return way.run(min(nodes, self._nodes - way.nodes), min(updates, self._updates - way.updates), covers)


class Portfolio:
    """The searches that take turns; the loop runs it (`dlx.kernels.Runnable`).

    Parameters:
        visiting: the kernel that visits covers one by one; none if equal problems are merged in any case; for a
            diagram, a search that merges.
        memory: bytes of all states together.
        draws: whether a diagram is made.
        handed: others may go on with it: by visits or in layers, so it does not merge otherwise.
        shared: others may go on with layers, once they are many.
    """

    def __init__(
        self,
        problem: Problem,
        visiting: Kernel | Merging | None,
        memory: int = MEMORY,
        over: Over = never,
        *,
        draws: bool = False,
        handed: bool = False,
        shared: bool = False,
    ) -> None:
        self._problem, self._over, self.memory, self._draws = problem, over, memory, draws
        self._visiting = None if visiting is None else Candidate(visiting)
        self._candidates = [] if self._visiting is None else [self._visiting]
        self._waiting: list[Callable[[], Way]] = [self._layers, self._merging]  # those that are not made yet
        if draws or handed:
            self._waiting.pop()
        self._handed, self._shared = handed, shared
        self._crowded: list[Callable[[], Way]] = []  # those that have been given up so that another one has room
        self._lack = ""  # of memory, as the first one without room says it
        self._diagram: Arrays | None = None
        self._past: list[Past] = []
        self._ended: Past | None = None
        self._turn: Turn | None = None
        self.large = visiting is None  # much seems to be left
        self.rests = 0.0  # the work of all at the end of the last turn
        self._sought = False  # whether an order was looked for that takes longer to find
        self.preparing = PREPARED * len(problem.indices)  # the work of making another search
        self._pairs = min(pairs(problem.rows()), problem.rows().n_items ** 2)  # each once, where many options have it

    def _layers(self, thorough: bool = False) -> Layered:
        if self._draws:
            return Drawing(self._problem, self.memory, self._over, thorough)
        return Layered(self._problem, max(self.memory, LITTLE), self._over, thorough)

    def _merging(self) -> Way:
        visits = self._visiting.way.name if self._visiting else ""
        return Merging(self._problem, self._draws, self.memory, visits, self._over)

    @property
    def nodes(self) -> int:
        """The options tried by all of them."""
        return sum(way.nodes for way in self._all())

    @property
    def updates(self) -> int:
        """The steps of all of them, each in its own measure."""
        return sum(way.updates for way in self._all())

    @property
    def covers(self) -> int:
        """The covers found by the one that has ended, or has found most."""
        return self.leading.covers

    @property
    def leading(self) -> Past:
        """The numbers of this one."""
        found: list[Way | Past] = [*self._all(), Past()]
        way = self._ended or max(found, key=attrgetter("covers"))
        return way if isinstance(way, Past) else Past.of(way)

    hits = property(attrgetter("leading.hits"))
    states = property(attrgetter("leading.states"))
    bytes = property(attrgetter("leading.bytes"))

    def fraction(self) -> float:
        """The part of the search behind the one that is farthest."""
        return 1.0 if self._ended else max((c.way.fraction() for c in self._candidates), default=0.0)

    @property
    def doing(self) -> str | None:
        """The item that layers cover, if they seem the most promising."""
        return next((getattr(c.way, "doing", None) for c in self._promising()), None)

    @property
    def visits(self) -> bool:
        """Tells whether visiting alone seems promising, after all have been tried."""
        return not self._waiting and self._promising() == [self._visiting]

    @property
    def layers(self) -> Layered | None:
        """The search in layers, in an order that stays, if others are to go on with it; it is their own then.

        That is between two turns, so that they begin at the same place in every run.
        """
        layers = self._one(Layered)
        if layers is None or not isinstance(layers.way, Layered) or not (self._sought and self.large):
            return None
        if self._turn is not None or not (
            layers.work >= SURE if self._handed else self._shared and layers.way.live >= MANY
        ):
            return None
        promising = self._promising()
        if promising[:1] != [layers] or (len(promising) > 1 and not self._handed):
            return None
        for candidate in [*self._candidates]:
            self._give_up(candidate)
        return layers.way

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Lets one of them go on for a turn, within budgets."""
        if self._turn is None:
            if not self.large and self._visiting is not None and self._seems_large(self._visiting):
                self.large = True
                return BUDGET_SPENT  # so that a problem may be parted here, before anything is made
            self._turn = Turn(*self._next())
        turn = self._turn
        try:
            state = turn.run(nodes, updates, covers)
            if state == EXHAUSTED and self._draws and isinstance(turn.candidate.way, (Drawing, Merging)):
                self._diagram = turn.candidate.way.diagram()
        except MemoryError as error:
            self._lack = self._lack or str(error)
            if len(self._candidates) == 1 and not self._waiting and not self._crowded:
                raise MemoryError(self._lack) from None
            self._make_room(turn.candidate)
            return BUDGET_SPENT
        if state == EXHAUSTED:
            self._ended = Past.of(turn.candidate.way)
            for other in [*self._candidates]:
                self._give_up(other)
        elif turn.is_over():
            self._turn = None
            self.rests = sum(c.work for c in self._candidates)
        return state

    def diagram(self) -> Arrays:
        """Returns the diagram of the search that has ended, as `Merging.diagram` does."""
        if self._diagram is None:
            raise RuntimeError("no search for a diagram has ended")
        return self._diagram

    def outlook(self, nodes: float) -> Outlook:
        """Returns which search seems to end first, and the work of all by then, with their turns.

        Parameters:
            nodes: all those of visiting, by a better estimate than its fraction.
        """

        def expected(c: Candidate) -> float:
            if c is self._visiting:
                return nodes * c.searched / c.way.nodes
            return c.foreseen if isinstance(c.way, Layered) else c.expected

        promising = self._promising()
        first = min(promising, key=lambda c: c.prepared + expected(c))
        end = max(first.work, first.prepared + expected(first))
        work = end
        for c in self._candidates:
            if c is not first:
                share = end if c in promising else min(end, (FAIR * end) ** 0.5)
                work += max(c.work, min(c.prepared + expected(c), share))
        merged = isinstance(first.way, (Layered, Merging))
        states = getattr(first.way, "states", 0) * expected(first) / first.searched if merged else 0.0
        return Outlook(first.way.name, merged, states, work, sum(c.work for c in self._candidates))

    def _all(self) -> Sequence[Way | Past]:
        return [*(candidate.way for candidate in self._candidates), *self._past]

    def _give_up(self, candidate: Candidate) -> None:
        """Keeps the numbers of a search, and lets its memory go."""
        self._turn = None
        self._candidates.remove(candidate)
        if candidate is self._visiting:
            self._visiting = None
        self._past.append(Past.of(candidate.way))

    def _make_room(self, candidate: Candidate) -> None:
        """Gives up a search that has no room left, or another one that seems farther from its end."""
        if self._draws and len(self._candidates) > 1:
            candidate = max(self._candidates, key=attrgetter("expected"))
            self._crowded.append(self._layers if isinstance(candidate.way, Layered) else self._merging)
        elif not self._waiting:
            self._waiting, self._crowded = self._crowded, []
        self._give_up(candidate)

    def _next(self) -> tuple[Candidate, float]:
        """Returns the one that is to go on, and the work of its turn."""
        if self._visiting is not None and not self.large:
            return self._visiting, GLANCE
        if self._waiting and self._wants_another():
            self._make(self._waiting.pop(0))
        for c in self._candidates:
            c.look()
        self._think_again(self._promising())
        promising = self._promising()
        taken = sum(c.bytes for c in self._candidates)
        for c in self._candidates:
            if isinstance(c.way, (Layered, Merging)):
                room = self.memory - taken + c.bytes
                c.way.memory = room if self._draws else max(LITTLE, room)
        turn = max(TURN, LONGER * sum(c.work for c in self._candidates))
        due = [c for c in self._candidates if c in promising or self._may_catch_up(c, promising)]
        candidate = min(due or self._candidates, key=lambda c: _due(c.work, c in promising))
        return candidate, turn if candidate.way.nodes else max(turn, FIRST_TURN)

    def _may_catch_up(self, candidate: Candidate, promising: list[Candidate]) -> bool:
        """Tells whether one that is not promising may go on: not where visits are hopeless, or states take memory."""
        end = min((c.foreseen for c in promising), default=inf)
        hopeless = candidate is self._visiting and candidate.expected > HOPELESS * max(TURN, end)
        return not hopeless and candidate.bytes <= max(LITTLE, self.memory // RESERVED)

    def _wants_another(self) -> bool:
        """Tells whether the next one is to be made, as that is work, too; the last one has been tried then."""
        longest = min((c.expected for c in self._candidates), default=inf)
        due = _due(self.preparing, longest >= LEADS[2] * self.preparing)
        return all(c.work >= due if c is self._visiting else c.searched >= FAIR for c in self._candidates)

    def _seems_large(self, visiting: Candidate) -> bool:
        """Tells whether much seems to be left after the first visits."""
        first = max(SMALL if self._draws else FIRST, self.preparing)
        if visiting.expected >= HUGE and not self._draws:
            first = max(GLANCE, self.preparing)
        return visiting.work >= first and max(visiting.work, visiting.expected) >= SMALL + first

    def _make(self, make: Callable[[], Way]) -> None:
        """Adds a candidate, or the next one if there is no memory for it."""
        try:
            self._candidates.append(Candidate(make(), self.preparing))
        except MemoryError:  # the plan is too large, or an item is covered too often
            if not self._candidates and not self._waiting:
                raise
            if not self._candidates:
                self._make(self._waiting.pop(0))

    def _think_again(self, promising: list[Candidate]) -> None:
        """Begins layers again in an order that takes longer to find, where they have taken long and it seems better."""
        layers = self._one(Layered)
        takes = ORDERS * self._pairs
        if layers is None or self._sought or layers.searched <= takes * (1 if self._shared else LATER):  # workers wait
            return
        if _due(layers.work + takes, layers in promising) > takes + sum(c.work for c in self._candidates):
            return
        self._sought = True
        layers.prepared += takes
        with suppress(MemoryError):
            again = self._layers(thorough=True)
            if isinstance(layers.way, Layered) and again.bits <= layers.way.bits - HALF:
                self._give_up(layers)
                self._candidates.append(Candidate(again, takes))

    def _one(self, kind: type[Layered | Merging]) -> Candidate | None:
        """Returns the candidate of a kind, if there is one."""
        return next((c for c in self._candidates if isinstance(c.way, kind)), None)

    def _promising(self) -> list[Candidate]:
        """Returns one or two candidates: those that merge, as far as it pays, and visiting where these are not both."""
        visiting, layers, merging = self._visiting, self._one(Layered), self._one(Merging)
        trees = [] if visiting is None else [visiting]
        if merging is not None and merging is not visiting and merging.pays:
            trees.append(merging)
        if visiting is not None and visiting.expected < NEAR * visiting.work:
            trees = [visiting]
        behind = min((c.expected for c in trees), default=inf)
        if layers is not None:
            if behind >= LEADS[2] * layers.foreseen:
                return [layers]
            if behind >= LEADS[1] * layers.expected:
                return [layers, *trees[-1:]]  # which costs a quarter of a tree at most, if it is wrong
        trees = [c for c in trees if c is merging or c.expected <= LEADS[0] * behind]
        if layers is not None and layers.foreseen <= sum(c.work for c in self._candidates) <= behind:
            return [layers, *trees]  # which seems to take no longer than all have taken so far
        return trees


def _due(work: float, promising: bool) -> float:
    """Returns when a search with so much work is to go on: the one with the least comes next."""
    return work if promising else max(work, work**2 / FAIR)
