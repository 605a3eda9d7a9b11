"""A search as a list of events, node by node, for pages, programs and tests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import KernelName, Preference, build
from dlx.engine.limits import Limiting, Limits, Loop, Outcome
from dlx.kernels import Kernel
from dlx.problem.checks import whole_number
from dlx.problem.problem import Problem, as_problem
from dlx.problem.words import counted

EVENTS = 100_000  # the default limit of a trace

Kind = Literal["choose", "try", "cover", "purify", "found", "back up"]


class Event(NamedTuple):
    """A step of Algorithm X.

    Attributes:
        kind: "choose": the search branches on `item`. "cover": `item` is covered, and its other options are removed.
            "try": `option` is chosen. "purify": the option gives `item` a colour, and options with another colour are
            removed. "found": the chosen options are a cover. "back up": the option of this level, and all that
            followed it, is undone.
        level: the number of options chosen before this level; for "found", the number of options chosen.
        item: its number in `Problem.items`; for "back up" from a dead end, the first primary item with too few options;
            otherwise -1, also for a level of multiplicities that takes any further option.
        option: its number; -1 for "choose", "cover" and "purify".
        colour: for "purify" a number c, meaning `Problem.colour_names[c - 1]`; otherwise 0.
    """

    kind: Kind
    level: int
    item: int = -1
    option: int = -1
    colour: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(Outcome):
    """The result of `trace`: the events of a search, and its work.

    Attributes:
        problem: the problem.
        kernel: the name of the kernel that searched.
        events: the events. Between a "try" and its "back up" are the levels below; only a stopped trace lacks some
            "back up".
    """

    problem: Problem
    kernel: str
    events: tuple[Event, ...]

    def __repr__(self) -> str:
        """Names the problem and the number of events.

        >>> trace(Problem.from_options(["ab", "c", "a", "b"]))
        Trace(17 events by links, of Problem(3 items, 4 options, 5 entries))
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
    """Records the search of `dlx.covers` node by node.

    The choices are those of the kernel. The items that a choice covers and purifies are computed beside it, in the
    order of TAOCP 4B, 7.2.2.1, Algorithms X and C. The kernel itself may stop covering if an item has no option left.

    Parameters:
        problem: what to cover.
        kernel, prefer: as for `dlx.covers`.
        max_events: the most events to record, at least 0.
        limits: as for `dlx.covers`.

    Returns:
        The events, and the work of the search; `stopped` is "max_events" if there are more.

    Raises: as `dlx.covers`.

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
        nodes = 0  # at first, the kernel goes to its first option without trying it
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
        **loop.outcome() | {"stopped": loop.stopped},  # also a limit at the very end
    )


class _Tracer:
    """Records the events of a kernel that runs node by node from its start."""

    def __init__(self, problem: Problem, kernel: Kernel) -> None:
        rows = problem.rows()
        self.kernel = kernel
        self.events: list[Event] = []
        self._names = item_numbers(problem)
        self._rows = rows
        self._once = rows.multiplicities is None
        self._colours = np.zeros_like(rows.indices) if rows.colours is None else rows.colours
        live = np.bincount(rows.owner[rows.indices < rows.n_primary], minlength=rows.n_options) > 0
        need, room = rows.ranges().T
        self._states = [_State(live, need, room, np.zeros(rows.n_items, dtype=np.int32))]  # one state for each level
        self._chosen: list[int] = []
        self._deepest = -1  # the last level entered
        self._covers = 0
        self._next = -1, -1  # the item that the kernel branches on, and the option that it tries next

    def follow(self) -> None:
        """Records the node that the kernel has tried, and the events before the next node."""
        item, option = self._next
        may_be_stuck = option >= 0
        if option >= 0:
            self.events.append(Event("try", len(self._chosen), option=option))
            self._choose(option, item)
        if self.kernel.covers > self._covers:
            self._covers = self.kernel.covers
            self.events.append(Event("found", len(self._chosen)))
            may_be_stuck = False
        self._next = item, option = self.kernel.standing()
        level = len(self.kernel.path()) if option >= 0 else 0
        while len(self._chosen) > level:
            stuck = self._stuck() if may_be_stuck else -1
            may_be_stuck = False
            back = self._chosen.pop()
            self._states.pop()
            if not self._once:  # otherwise the item of the level is covered
                self._states[-1].live[back] = False
            self._deepest = len(self._chosen)
            self.events.append(Event("back up", self._deepest, self._name(stuck), back))
        if option >= 0 and self._deepest < level:
            self._deepest = level
            self.events.append(Event("choose", level, self._name(item)))
            if self._once:
                self._note(level, item)

    def _note(self, level: int, item: int, colour: int = 0) -> None:
        """Records an item that is covered or gets a colour."""
        if self._name(item) >= 0:
            self.events.append(Event("purify" if colour else "cover", level, self._name(item), colour=colour))

    def _name(self, item: int) -> int:
        """Returns the number of an item in the problem; -1 for items that only the kernel has."""
        return self._names[item] if item >= 0 else -1

    def _choose(self, option: int, branch: int) -> None:
        """Chooses an option, and records the items that it covers or purifies, the branching item first."""
        old = self._states[-1]
        live, need, room, shade = old.live.copy(), old.need.copy(), old.room.copy(), old.shade.copy()
        entries = slice(*self._rows.indptr[option : option + 2].tolist())
        items = self._rows.indices[entries]
        need[items] -= 1
        room[items] -= 1
        order = list(zip(items.tolist(), self._colours[entries].tolist(), strict=True))
        first = next((k for k, (item, _) in enumerate(order) if item == branch), 0)
        for item, colour in order[first:] + order[:first]:
            if colour and not shade[item]:
                shade[item] = colour
                self._note(len(self._chosen), item, colour)
            elif not colour and room[item] <= 0 and not (self._once and item == branch):
                self._note(len(self._chosen), item)
        full = np.zeros(len(room), dtype=np.bool_)
        full[items[room[items] <= 0]] = True
        every = self._rows.indices
        clash = full[every] & ((self._colours == 0) | (self._colours != shade[every]))
        live[self._rows.owner[clash]] = False
        if not self._once:
            live[option] = False
        self._chosen.append(option)
        self._states.append(_State(live, need, room, shade))

    def _stuck(self) -> int:
        """Returns the first primary item with fewer options than it needs, or -1."""
        rows, state = self._rows, self._states[-1]
        options = np.bincount(rows.indices[state.live[rows.owner]], minlength=rows.n_items)
        short = np.flatnonzero((options < state.need)[: rows.n_primary])
        return int(short[0]) if len(short) else -1


class _State(NamedTuple):
    """The live options; and for each item its remaining need, its remaining room, and its colour."""

    live: npt.NDArray[np.bool_]
    need: npt.NDArray[np.int32]
    room: npt.NDArray[np.int32]
    shade: npt.NDArray[np.int32]


def item_numbers(problem: Problem) -> list[int]:
    """Returns the number in the problem of each item of `Rows`; -1 for items of chosen options."""
    own = problem.rows().n_items - problem.n_items
    return [*range(problem.n_primary), *[-1] * own, *range(problem.n_primary, problem.n_items)]
