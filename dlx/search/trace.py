"""A search as a list of events, for pages, lessons and tests: what a kernel does, node by node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, Unpack

import numpy as np

from dlx.engine.dispatch import KernelName, Preference, build
from dlx.engine.limits import Limiting, Limits, Loop, Outcome
from dlx.kernels import Kernel
from dlx.problem.checks import whole_number
from dlx.problem.problem import Problem, as_problem
from dlx.problem.roles import Rows, ranges
from dlx.problem.words import counted

EVENTS = 100_000  # of a trace, if nothing else is said

Kind = Literal["choose", "try", "cover", "purify", "found", "back up"]


class Event(NamedTuple):
    """A step of Algorithm X.

    Attributes:
        kind: "choose": the search branches on `item`. "cover": `item` is done with, and its options clash with what is
            chosen. "try": it chooses `option`. "purify": the option gives `item` a colour, with which others clash.
            "found": the options chosen are a cover. "back up": it takes the option of this level back, and with it
            all that came after.
        level: how many options had been chosen before the one of this level; where `kind` is "found", how many there
            are.
        item: its number in `Problem.items`. Where the search backs up from a dead end, the first primary item that
            would be left with too few options. Otherwise -1, also for a level that takes any further option, as there
            are with multiplicities.
        option: its number; -1 where `kind` is "choose", "cover" or "purify".
        colour: a number c for `Problem.colour_names[c - 1]` where `kind` is "purify", and otherwise 0.
    """

    kind: Kind
    level: int
    item: int = -1
    option: int = -1
    colour: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(Outcome):
    """The result of `trace`: the events of a search, and how it went.

    Attributes:
        problem: the problem.
        kernel: the name of the kernel that searched.
        events: what it did. Each "try" has its "back up", unless the trace was stopped; between the two are the levels
            below it.
    """

    problem: Problem
    kernel: str
    events: tuple[Event, ...]

    def __repr__(self) -> str:
        """Names the problem and the number of events.

        >>> trace(Problem.from_options(["ab", "c", "a", "b"]))
        Trace(17 events by bits, of Problem(3 items, 4 options, 5 entries))
        """
        end = f", stopped by {self.stopped}" if self.stopped else ""
        return f"{type(self).__name__}({counted(len(self.events), 'event')} by {self.kernel}, of {self.problem!r}{end})"

    def covers(self) -> Iterator[tuple[int, ...]]:
        """Yields the covers found, option numbers in the order of choice, as `dlx.covers` does.

        >>> list(trace(Problem.from_options(["ab", "c", "a", "b"])).covers())
        [(1, 0), (1, 2, 3)]
        """
        chosen: list[int] = []
        for event in self.events:
            if event.kind == "try":
                chosen[event.level :] = [event.option]
            elif event.kind == "found":
                yield tuple(chosen[: event.level])


def trace(
    problem: Problem,
    *,
    kernel: KernelName = "auto",
    prefer: Preference | None = None,
    max_events: int = EVENTS,
    **limits: Unpack[Limiting],
) -> Trace:
    """Records the search of `dlx.covers`: the choices are the kernel's own, which runs node by node.

    What is covered and purified by a choice is worked out beside it, in the order of TAOCP 4B, 7.2.2.1, Algorithms X
    and C. A kernel may look at less: it stops covering where an item has no option left.

    Parameters:
        problem: what to cover.
        kernel, prefer: as for `dlx.covers`.
        max_events: the most events to record, at least 0.
        limits: as for `dlx.covers`.

    Returns:
        The events, and how the search went; `stopped` is "max_events" if there would have been more.

    Raises:
        ValueError, TypeError, ProblemError: as `dlx.covers`.

    >>> for event in trace(Problem.from_options(["ab", "c", "bc"])).events:
    ...     print(*event)
    choose 0 0 -1 0
    cover 0 0 -1 0
    try 0 -1 0 0
    cover 0 1 -1 0
    choose 1 2 -1 0
    cover 1 2 -1 0
    try 1 -1 1 0
    found 2 -1 -1 0
    back up 1 -1 1 0
    back up 0 -1 0 0
    """
    max_events = whole_number(max_events, "max_events")
    tracer = _Tracer(as_problem(problem), build(problem, kernel, prefer))
    with Loop(Limits.of(**limits)) as loop:
        nodes = 0  # at first the kernel only goes to where its first option is to be tried
        while not (loop.exhausted or loop.stopped):
            for _ in loop.slices(tracer.kernel, nodes):
                tracer.follow()
            nodes = 1
            if len(tracer.events) > max_events:
                loop.stopped = "max_events"
    return Trace(
        problem=problem,
        kernel=tracer.kernel.name,
        events=tuple(tracer.events[:max_events]),
        nodes=loop.nodes,
        updates=loop.updates,
        seconds=loop.seconds,
        stopped=loop.stopped,
    )


class _Tracer:
    """Notes what a kernel does, which is run node by node from its beginning."""

    def __init__(self, problem: Problem, kernel: Kernel) -> None:
        self.kernel = kernel
        self.events: list[Event] = []
        self._items = _item_numbers(problem)
        self._state = _State(problem.rows())
        self._chosen: list[int] = []
        self._deepest = -1  # the last level that has been begun
        self._covers = 0
        self._next = -1, -1  # the item that the kernel branches on, and the option that it tries next

    def follow(self) -> None:
        """Notes the node that the kernel has tried, if any, and how it has come to where it stands."""
        item, option = self._next
        stuck = -1  # the item by which the option leads to a dead end
        if option >= 0:
            level = len(self._chosen)
            self.events.append(Event("try", level, option=option))
            self._note(level, self._state.choose_option(option, item))
            self._chosen.append(option)
            stuck = self._state.stuck()
        if self.kernel.covers > self._covers:
            self._covers = self.kernel.covers
            self.events.append(Event("found", len(self._chosen)))
            stuck = -1
        self._next = item, option = self.kernel.standing()
        level = len(self.kernel.path()) if option >= 0 else 0
        while len(self._chosen) > level:
            back = self._chosen.pop()
            self._state.take_back(back)
            self._deepest = len(self._chosen)
            self.events.append(Event("back up", self._deepest, self._name(stuck), back))
            stuck = -1
        if option >= 0 and self._deepest < level:
            self._deepest = level
            self.events.append(Event("choose", level, self._name(item)))
            self._note(level, self._state.choose_item(item))

    def _note(self, level: int, clashes: list[tuple[int, int]]) -> None:
        """Notes items that are done with, or have been given a colour."""
        for item, colour in clashes:
            if self._name(item) >= 0:
                self.events.append(Event("purify" if colour else "cover", level, self._name(item), colour=colour))

    def _name(self, item: int) -> int:
        """The number of an item in the problem; -1 for those that only the kernel knows."""
        return self._items[item] if item >= 0 else -1


def _item_numbers(problem: Problem) -> list[int]:
    """Returns for each item that kernels see its number in the problem; -1 for those of chosen options (`Rows`)."""
    there = range(problem.n_items) if problem.implied is None else np.flatnonzero(~problem.implied).tolist()
    rows = problem.rows()
    primary = [item for item in there if item < problem.n_primary]
    own = rows.n_items - len(there)
    return [*primary, *[-1] * own, *there[len(primary) :]]


class _State:
    """The remaining problem after some choices, worked out plainly."""

    def __init__(self, rows: Rows) -> None:
        colours = np.zeros(len(rows.indices), dtype=np.int32) if rows.colours is None else rows.colours
        entries = list(zip(rows.indices.tolist(), colours.tolist(), strict=True))
        self.options = [dict(entries[a:b]) for a, b in pairwise(rows.indptr.tolist())]
        self.n_primary = rows.n_primary
        self.once = rows.multiplicities is None
        usable = [o for o, option in enumerate(self.options) if any(item < self.n_primary for item in option)]
        self.live = set(usable)
        self.users: list[list[int]] = [[] for _ in range(rows.n_items)]
        for o in usable:
            for item in self.options[o]:
                self.users[item].append(o)
        self.size = [len(users) for users in self.users]
        self.need, self.room = ranges(rows.n_items, rows.n_primary, rows.multiplicities).T.tolist()
        self.shade = [0] * rows.n_items
        self.hidden: list[int] = []  # options, in the order in which they were hidden
        self.floors: list[tuple[int, list[tuple[int, int]]]] = []  # for each choice: len(hidden), the shades given

    def choose_item(self, item: int) -> list[tuple[int, int]]:
        """Covers the item of a new level; what has been covered, with the colour 0."""
        return [self._close(item)] if self.once and item >= 0 else []

    def choose_option(self, option: int, item: int) -> list[tuple[int, int]]:
        """Chooses an option; the items that it covers, with 0, or purifies, with their colours, from `item` on."""
        self.floors.append((len(self.hidden), []))
        if not self.once:
            self._hide(option)
        clashes = []
        for each in self._around(option, item):
            self.need[each] -= 1
            self.room[each] -= 1
            colour = self.options[option][each]
            if colour and not self.shade[each]:
                clashes.append(self._paint(each, colour))
            elif not colour and self.room[each] <= 0 and not (self.once and each == item):
                clashes.append(self._close(each))
        return clashes

    def _around(self, option: int, item: int) -> list[int]:
        """The items of an option, in its order but from a given one on."""
        items = list(self.options[option])
        k = items.index(item) if item in items else 0
        return items[k:] + items[:k]

    def _close(self, item: int) -> tuple[int, int]:
        for o in self.users[item]:
            self._hide(o)
        return item, 0

    def _paint(self, item: int, colour: int) -> tuple[int, int]:
        self.shade[item] = colour
        self.floors[-1][1].append((item, colour))
        for o in self.users[item]:
            if self.options[o][item] != colour:
                self._hide(o)
        return item, colour

    def _hide(self, option: int) -> None:
        if option in self.live:
            self.live.remove(option)
            self.hidden.append(option)
            for item in self.options[option]:
                self.size[item] -= 1

    def take_back(self, option: int) -> None:
        """Undoes the last choice; with multiplicities the option is left out for the rest of its level."""
        height, painted = self.floors.pop()
        while len(self.hidden) > height:
            back = self.hidden.pop()
            self.live.add(back)
            for item in self.options[back]:
                self.size[item] += 1
        for item, _ in painted:
            self.shade[item] = 0
        for item in self.options[option]:
            self.need[item] += 1
            self.room[item] += 1
        if not self.once:
            self._hide(option)

    def stuck(self) -> int:
        """The first primary item that has fewer options left than it needs; -1: there is none."""
        return next((i for i in range(self.n_primary) if self.size[i] < self.need[i]), -1)
