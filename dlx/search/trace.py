"""A search as a list of events, for pages, lessons and tests: what a kernel does, node by node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import KernelName, Preference, build
from dlx.engine.limits import Limiting, Limits, Loop, Outcome
from dlx.kernels import Kernel
from dlx.problem.checks import whole_number
from dlx.problem.problem import Problem, as_problem
from dlx.problem.roles import ranges
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
    """Notes what a kernel does, which is run node by node from its beginning, and works out what a choice covers."""

    def __init__(self, problem: Problem, kernel: Kernel) -> None:
        rows = problem.rows()
        self.kernel = kernel
        self.events: list[Event] = []
        self._names = _item_numbers(problem)
        self._rows = rows
        self._colours = np.zeros_like(rows.indices) if rows.colours is None else rows.colours
        self._live = np.bincount(rows.owner[rows.indices < rows.n_primary], minlength=rows.n_options) > 0
        self._size = np.bincount(rows.indices[self._live[rows.owner]], minlength=rows.n_items)  # live options of items
        # how many more options each item needs, and may have
        self._need, self._room = ranges(rows.n_items, rows.n_primary, rows.multiplicities).T.copy()
        self._shade = np.zeros(rows.n_items, dtype=np.int32)  # the colours that items have been given
        self._chosen: list[int] = []
        self._painted: list[list[int]] = []  # for each option chosen the items that it has given a colour
        self._hidden: list[list[int]] = [[]]  # for each level the options that are not live since it was reached
        self._deepest = -1  # the last level that has been begun
        self._covers = 0
        self._next = -1, -1  # the item that the kernel branches on, and the option that it tries next

    def follow(self) -> None:
        """Notes the node that the kernel has tried, if any, and how it has come to where it stands."""
        item, option = self._next
        stuck = -1  # the item by which the option leads to a dead end
        if option >= 0:
            self.events.append(Event("try", len(self._chosen), option=option))
            self._choose(option, item)
            stuck = self._stuck()
        if self.kernel.covers > self._covers:
            self._covers = self.kernel.covers
            self.events.append(Event("found", len(self._chosen)))
            stuck = -1
        self._next = item, option = self.kernel.standing()
        level = len(self.kernel.path()) if option >= 0 else 0
        while len(self._chosen) > level:
            back = self._take_back()
            self._deepest = len(self._chosen)
            self.events.append(Event("back up", self._deepest, self._name(stuck), back))
            stuck = -1
        if option >= 0 and self._deepest < level:
            self._deepest = level
            self.events.append(Event("choose", level, self._name(item)))
            if self._rows.multiplicities is None:
                self._note(level, item)

    def _note(self, level: int, item: int, colour: int = 0) -> None:
        """Notes an item that is done with, or has been given a colour."""
        if self._name(item) >= 0:
            self.events.append(Event("purify" if colour else "cover", level, self._name(item), colour=colour))

    def _name(self, item: int) -> int:
        """The number of an item in the problem; -1 for those that only the kernel knows."""
        return self._names[item] if item >= 0 else -1

    def _choose(self, option: int, branch: int) -> None:
        """Chooses an option, and notes the items that it covers or purifies, from the one of the level on."""
        level, once = len(self._chosen), self._rows.multiplicities is None
        entries, items = self._entries(option)
        self._need[items] -= 1
        self._room[items] -= 1
        facts = (array[items].tolist() for array in (self._room, self._shade))
        order = list(zip(items.tolist(), self._colours[entries].tolist(), *facts, strict=True))
        first = next((k for k, entry in enumerate(order) if entry[0] == branch), 0)
        self._painted.append([])
        for item, colour, room, shade in order[first:] + order[:first]:
            if colour and not shade:
                self._shade[item] = colour
                self._painted[-1].append(item)
                self._note(level, item, colour)
            elif not colour and room <= 0 and not (once and item == branch):
                self._note(level, item)
        self._chosen.append(option)
        self._hidden.append([])
        for item in items[self._room[items] <= 0].tolist():
            begin, end = self._rows.by_item.begin[item : item + 2]
            colours = self._colours[self._rows.by_item.entry[begin:end]]
            self._hide(self._rows.by_item.option[begin:end][(colours == 0) | (colours != self._shade[item])])
        if not once:
            self._hide(np.array([option]))

    def _take_back(self) -> int:
        """Takes the last choice back; its level goes on without it."""
        option = self._chosen.pop()
        _, items = self._entries(option)
        self._need[items] += 1
        self._room[items] += 1
        self._shade[self._painted.pop()] = 0
        for back in self._hidden.pop():
            self._live[back] = True
            self._size[self._entries(back)[1]] += 1
        if self._rows.multiplicities is not None:  # else the item of the level is covered
            self._hide(np.array([option]))
        return option

    def _hide(self, options: npt.NDArray[np.integer[Any]]) -> None:
        """Hides options from the level on, as far as they are live."""
        for option in options[self._live[options]].tolist():
            self._live[option] = False
            self._size[self._entries(option)[1]] -= 1
            self._hidden[-1].append(option)

    def _entries(self, option: int) -> tuple[slice, npt.NDArray[np.int32]]:
        """The places of an option's entries, and their items."""
        entries = slice(*self._rows.indptr[option : option + 2].tolist())
        return entries, self._rows.indices[entries]

    def _stuck(self) -> int:
        """The first primary item that has fewer options left than it needs; -1: there is none."""
        n = self._rows.n_primary
        short = np.flatnonzero(self._size[:n] < self._need[:n])
        return int(short[0]) if len(short) else -1


def _item_numbers(problem: Problem) -> list[int]:
    """Returns for each item that kernels see its number in the problem; -1 for those of chosen options (`Rows`)."""
    there = range(problem.n_items) if problem.implied is None else np.flatnonzero(~problem.implied).tolist()
    rows = problem.rows()
    primary = [item for item in there if item < problem.n_primary]
    own = rows.n_items - len(there)
    return [*primary, *[-1] * own, *there[len(primary) :]]
