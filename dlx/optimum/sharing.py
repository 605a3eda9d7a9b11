"""The tree of a search for the best cover, shared by workers: each task has some open nodes.

A search of some tenths of a second stays with one. Then each search of the tree begins with a *stack* of open nodes,
the root alone at first. A node has what a kernel needs to stand there: the options chosen, those that live, the prices,
and what is left of its branching. A worker takes the last node of a stack and goes down from it. When its time is up it
sends back the open nodes, the deepest ones last. If there are too few stacks, the largest is divided: every other node
goes to another one, so both have large nodes and small ones.

Each task has the score that a cover must have now. The bound is that of the best open node; nodes with workers count as
they were sent. What a task has found and done counts when it comes back.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import new_kernel
from dlx.engine.limits import Limits, Loop, Over
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.optimum.units import Incumbents, Units
from dlx.problem.checks import UNLIMITED
from dlx.problem.roles import Rows

if TYPE_CHECKING:
    from dlx.parallel.crew import Crew, Workers

RAISING = 16  # covers in the buffer of a kernel that raises its target itself
ALONE = 20_000_000  # updates before anybody is asked to help, some tenths of a second: most searches end before
SENT = 16  # nodes of a stack that go with a task, the deepest ones
FIRST_SLICE = 0.03  # seconds of the first task of a stack; each further one takes twice as long
SLICE = 0.25  # seconds of a task, at most, during which a worker knows no better score
PROGRAMMED = 1.0  # the same if nodes have linear programs: each task has to find a basis first
SCHEDULED, LONGEST = 0.01, 5.0  # seconds for each worker, since a scheduler takes 2 ms for a task, and at most
DRAINED = 0.1  # seconds to wait for tasks when a search ends
FAR = 0.4  # the part of a tree after which it is searched to its end, whatever its budget
NODES = UNLIMITED  # the most nodes of a task

ITEM, OPTION, PAIR, WHOLE = 1, 2, 3, 5  # what a node is divided by, as in the kernels; WHOLE: not yet

Numbers = npt.NDArray[np.int64]
Options = npt.NDArray[np.int32]


class Node(NamedTuple):
    """An open node, as `rest` of the kernel tells of it."""

    share: float  # of the tree
    bound: int
    chosen: Options
    live: Options
    prices: Numbers
    kind: int  # what it is divided by
    left: Numbers  # what is left of that: options and their slacks, or numbers

    def widened(self, n_items: int) -> Node:
        """Returns the node in a problem with more secondary items, which cost nothing."""
        return self._replace(prices=np.append(self.prices, np.zeros(n_items - len(self.prices), np.int64)))


class Ground:
    """The knowledge of every worker, sent once: the problem, with the cuts of the root, and the settings of kernels.

    Parameters:
        makings: rows, ranges and weights of the kernel.
        kernel: the one at the root, whose settings hold.
        units, k: for the best covers so far.
        least: count the covers with this score or a better one instead.
    """

    def __init__(self, makings: Makings, kernel: Any, units: Units, k: int, least: int | float | None = None) -> None:
        self.makings, self.units, self.k, self.least = makings, units, k, least
        self.room = max(1, makings.rows.n_primary + 1, units.max_level)
        self.settings = kernel.settings()
        self.programs = kernel.levels  # the levels that have linear programs
        self._free: list[Any] = []  # kernels that no task of this process uses

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_free": []}

    def take(self) -> Any:
        """Takes a kernel for a task, to be given back."""
        with suppress(IndexError):
            return self._free.pop()
        rows = 64 if self.least is not None else RAISING if self.settings[0] else 1
        kernel = self.makings.kernel(np.empty((rows, self.room), dtype=np.int32), time.perf_counter_ns() >> 10)
        kernel.set(*self.settings)
        return kernel

    def give_back(self, kernel: Any) -> None:
        self._free.append(kernel)


class Makings(NamedTuple):
    """The parts of a kernel that begins at the root of a problem."""

    rows: Rows
    ranges: Options | None
    weights: Numbers

    def kernel(self, buffer: Options, seed: int) -> Any:
        return new_kernel("branch_and_bound", self.rows, buffer, self.weights, seed, self.ranges)

    def __reduce__(self) -> tuple[Any, ...]:
        return Makings, (Rows(*self.rows), self.ranges, self.weights)  # without what rows have computed of themselves


class Task(NamedTuple):
    """The message to a worker."""

    nodes: Sequence[Node]
    target: int  # the score that a cover must have, in units
    most: int  # nodes to try
    covers: int  # covers to find
    seconds: float


class Done(NamedTuple):
    """The result of a task."""

    rest: list[Node]  # the open nodes
    found: list[tuple[int | float, tuple[int, ...]]]  # the best covers, with their scores
    covers: int
    nodes: int
    updates: int


def work(ground: Ground, task: Task, over: Over) -> Done:
    """Searches nodes, the last one first, until the time is up or they are done."""
    kernel, end = ground.take(), time.perf_counter() + task.seconds
    covers, nodes, updates = kernel.covers, kernel.nodes, kernel.updates
    taken, rest = _Taken(ground, kernel, task.target), [*task.nodes]
    limits = Limits(min(UNLIMITED, covers + task.covers), min(UNLIMITED, nodes + task.most))
    while rest and kernel.nodes < limits.max_nodes and kernel.covers < limits.max_covers:
        node = rest.pop()
        if node.bound < kernel.target:
            continue
        kernel.stand_at(*node[2:])
        with Loop(limits) as loop:
            for _ in loop.slices(kernel):
                taken.take()
                if over() or (time.perf_counter() >= end and not kernel.is_amid_node):
                    break
        taken.take()  # what an interrupt has left in the buffer
        if not loop.exhausted:
            rest += [below._replace(share=below.share * node.share) for below in map(Node._make, kernel.rest())]
            break
        if over() or time.perf_counter() >= end:
            break
    done = kernel.covers - covers - taken.rejected, kernel.nodes - nodes, kernel.updates - updates
    ground.give_back(kernel)
    return Done(rest, taken.incumbents.covers, *done)


class _Taken:
    """The covers of a task: the best of them, or how many do not reach the score."""

    def __init__(self, ground: Ground, kernel: Any, target: int) -> None:
        self._ground, self._kernel, self._target = ground, kernel, target
        self.incumbents, self.rejected = Incumbents(ground.k), 0
        kernel.target = target

    def take(self) -> None:
        """Takes covers out of the kernel's buffer, and raises its target."""
        found, ground = self._kernel.found(), self._ground
        if len(found) and ground.least is not None:
            self.rejected += int(np.count_nonzero(ground.units.exact[found].sum(axis=1) < ground.least))
        elif len(found):
            for row in found:
                options = np.sort(row[row >= 0])
                self.incumbents.offer(ground.units.total(options), tuple(options.tolist()))
            if self.incumbents.least is not None:
                self._kernel.target = max(self._target, ground.units.units_above(self.incumbents.least))
        self._kernel.filled = 0


class Stack:
    """Open nodes, the deepest ones last; the last `sent` of them are with a worker."""

    def __init__(self, nodes: list[Node], seconds: float = FIRST_SLICE) -> None:
        self.nodes, self.seconds, self.sent = nodes, seconds, 0

    @property
    def share(self) -> float:
        """The part of the tree below the nodes."""
        return sum(node.share for node in self.nodes)

    @property
    def bound(self) -> int:
        return max((node.bound for node in self.nodes), default=-UNLIMITED)

    def send(self, target: int) -> Sequence[Node]:
        """Drops nodes that cannot reach a target, and returns those to be sent."""
        self.nodes = [node for node in self.nodes if node.bound >= target]
        self.sent = min(SENT, len(self.nodes))
        return self.nodes[len(self.nodes) - self.sent :]

    def take(self, rest: list[Node], longest: float) -> None:
        """Takes back what a worker leaves open of the nodes sent."""
        self.nodes = self.nodes[: len(self.nodes) - self.sent] + rest
        self.seconds, self.sent = min(longest, 2 * self.seconds), 0

    def divide(self) -> Stack | None:
        """Returns another stack with half of the nodes; None if there is no choice."""
        n = len(self.nodes)
        if n == 1:
            return None
        other = Stack(self.nodes[n % 2 :: 2], self.seconds)
        self.nodes = self.nodes[1 - n % 2 :: 2]
        return other


class SharedTree:
    """The search of a tree by workers, for the loop (`dlx.kernels.Finder`), to be closed at its end.

    Parameters:
        ground: what they know.
        workers: they.
        kernel: the one at the root, whose target holds now, and whose bound is lowered.
        nodes: what is open.
        loop: what is searched, with its limits.
    """

    name = "branch_and_bound"

    def __init__(
        self,
        ground: Ground,
        workers: Workers,
        kernel: Any,
        nodes: list[Node],
        loop: Loop,
    ) -> None:
        from dlx.parallel.crew import Crew

        self._loop, self._kernel = loop, kernel
        self._buffer = np.full((0, ground.room), -1, dtype=np.int32)
        self._crew: Crew[Stack, Done] = Crew(workers, work, ground, self._task, named=self._named)
        self._longest = min(LONGEST, max(PROGRAMMED if ground.programs else SLICE, SCHEDULED * workers.jobs))
        self._stacks: dict[Stack, None] = {}  # that are not yet empty, wherever they are
        if nodes:
            self._push(Stack(nodes))
        self.covers = self.nodes = self.updates = 0

    def open(self) -> list[Node]:
        """Returns the nodes that are open; those with workers as they were sent."""
        return [node for stack in self._stacks for node in stack.nodes]

    # The interface to the loop

    def fraction(self) -> float:
        return min(1.0, max(0.0, 1.0 - sum(stack.share for stack in self._stacks)))

    def found(self) -> Options:
        """Returns the covers that have come, as kernels do."""
        return self._buffer

    @property
    def filled(self) -> int:
        """The number of covers that wait to be taken."""
        return len(self._buffer)

    @filled.setter
    def filled(self, number: int) -> None:
        self._buffer = self._buffer[:number]

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Waits a moment for workers; raises LostPieceError or BrokenExecutor."""
        self._advance(self._crew.step())
        if not self._stacks:
            return EXHAUSTED
        return BUFFER_FULL if len(self._buffer) else BUDGET_SPENT

    def close(self) -> None:
        """Ends the search; what is being done comes back if it takes but a moment."""
        crew, end = self._crew, time.perf_counter() + DRAINED
        crew.stop()
        while crew.flight and time.perf_counter() < end:
            for stack, done in crew.step():
                self._book(stack, done)

    # Tasks

    def _task(self, stack: Stack) -> Task | None:
        """Returns the next task of a stack with its part of what limits leave, if they leave any."""
        share = max(1, self._crew.room())
        flight: list[Task] = [given for _, given in self._crew.flight.values()]
        limits, most = self._loop.limits, NODES
        if limits.max_nodes < UNLIMITED:
            left = limits.max_nodes - self._loop.nodes - sum(given.most for given in flight)
            most = min(most, -(-left // share))
        covers = UNLIMITED if limits.max_covers >= UNLIMITED else max(1, limits.max_covers - self._loop.covers)
        if most <= 0:
            return None
        target = self._kernel.target
        return Task(stack.send(target), target, most, covers, stack.seconds)

    def _advance(self, came: Sequence[tuple[Stack, Done]]) -> None:
        for stack, done in came:
            self._book(stack, done)
        self._deal()

    def _named(self, lost: list[Stack]) -> str:
        chosen = [stack.nodes[-1].chosen.tolist() for stack in lost if stack.nodes]
        return f"the nodes with the options {chosen}; the others are done"

    def _book(self, stack: Stack, done: Done) -> None:
        self.nodes += done.nodes
        self.updates += done.updates
        self.covers += done.covers
        if done.found:
            rows = np.full((len(done.found), self._buffer.shape[1]), -1, dtype=np.int32)
            for row, (_, options) in zip(rows, done.found, strict=True):
                row[: len(options)] = options
            self._buffer = np.concatenate([self._buffer, rows])
        stack.take(done.rest, self._longest)
        if stack.nodes:
            self._crew.todo.append(stack)
        else:
            del self._stacks[stack]
        bounds = [open_.bound for open_ in self._stacks]
        if bounds:
            self._kernel.lower(max(bounds))

    def _deal(self) -> None:
        """Divides the largest stacks that no worker has, until there are enough for all."""
        crew = self._crew
        while crew.todo and len(crew.todo) + len(crew.flight) < 2 * crew.jobs:
            other = max(crew.todo, key=lambda stack: stack.share).divide()
            if other is None:
                return
            self._push(other)

    def _push(self, stack: Stack) -> None:
        self._stacks[stack] = None
        self._crew.todo.append(stack)
