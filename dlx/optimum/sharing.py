"""The search for the best cover by many workers: the nodes that are open in its tree are searched by whoever is free.

A search of some tenths of a second stays with one. From then on each search of the tree begins with a *stack* of open
nodes, the root alone at first, and each node has what a kernel needs to stand there: the options chosen, those that
live, the prices, and what is left of its branching. A worker takes the last node of a stack and goes down from it; when
its time is up it sends back what is open, as the stack goes on, deepest nodes last. Where there are too few stacks, the
largest is dealt out: every other node goes to another one, so that both have large nodes and small ones. So there are
about as many stacks as workers, each as deep as the tree.

A worker keeps its kernel where it stands, and goes on if the next task of that stack comes to it, less what has been
dealt to others: to begin at a node takes a basis of its linear program, and more pivots than to come from the node
above. Trees of air04 took two threads 422 million updates in the mean of twelve runs when every task began anew, and
343 now; one thread takes 337.

With each task goes the score that a cover must have now. The bound is that of the best node that is open; those with
workers count as they were sent. What a task has found and done counts when it comes back, and only then.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import new_kernel
from dlx.engine.limits import Limits, Loop, Over
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.optimum.parameters import TUNED
from dlx.optimum.units import Incumbents, Units
from dlx.problem.checks import UNLIMITED
from dlx.problem.roles import Rows

if TYPE_CHECKING:
    from dlx.parallel.crew import Crew, Workers

ALONE = 20_000_000  # updates before anybody is asked to help, some tenths of a second: most searches end before
SENT = 16  # nodes of a stack that go with a task, its deepest: their subtrees mostly outlast it
FIRST_SLICE = 0.03  # seconds of a task; the next ones of a stack take twice as long each,
SLICE = 0.25  # up to this, for which a worker knows no better score; or longer where there are many workers
PROGRAMMED = 1.0  # or up to this, where each node of a task begins with the inverse of a basis
SCHEDULED, LONGEST = 0.01, 5.0  # seconds for each worker, since a scheduler takes 2 ms for a task, and at most
DRAINED = 0.1  # seconds for what is being done to come back when a search ends
# Of a tree: where so much is done, it is searched to its end, whatever it was to have. With 0.65 two seeds of sppaa04
# took 62.7 and 31.5 s of processor time instead of 27.4 and 25.2.
FAR = 0.4
NODES = UNLIMITED  # of a task

ITEM, OPTION, PAIR, WHOLE = 1, 2, 3, 5  # what a node is divided by, as in the kernels; WHOLE: not yet
DIVE = 6  # only once from top to bottom: the seed, the temperature and the most nodes are left of it

Numbers = npt.NDArray[np.int64]
Options = npt.NDArray[np.int32]

NONE: Options = np.zeros(0, dtype=np.int32)


class Node(NamedTuple):
    """An open node, as `rest` of the kernel tells of it."""

    share: float  # of the tree
    bound: int
    chosen: Options
    live: Options
    prices: Numbers
    kind: int  # what it is divided by
    left: Numbers  # what is left of that: options and their slacks, or numbers
    basis: Options = NONE  # the basic variables of its linear program, if it has one

    def widened(self, n_items: int) -> Node:
        """Returns the node in a problem with more secondary items, which cost nothing."""
        return self._replace(prices=np.append(self.prices, np.zeros(n_items - len(self.prices), np.int64)))

    def halves(self) -> list[Node]:
        """Returns two nodes with every other of the options left, or this one where there is no choice."""
        options, slacks = self.left[: len(self.left) // 2], self.left[len(self.left) // 2 :]
        if self.kind != ITEM or len(options) < 2:
            return [self]
        halves = [(options[k::2], slacks[k::2]) for k in (1, 0)]
        shares = [self.share * len(some) / len(options) for some, _ in halves]
        return [self._replace(share=part, left=np.concatenate(half)) for part, half in zip(shares, halves, strict=True)]


class Ground:
    """The knowledge of every worker, sent once: the problem, with the items added at the root, and the way to search.

    Parameters:
        makings: rows, ranges and weights of the kernel.
        kernel: the one at the root, whose settings hold.
        jobs: how many workers there are.
        units, k: for the best covers so far; where `least` is given, covers with that score are counted instead.
    """

    def __init__(
        self, makings: Makings, kernel: Any, jobs: int, units: Units, k: int, least: int | float | None = None
    ) -> None:
        self.makings, self.units, self.k, self.least = makings, units, k, least
        self.room = max(1, makings.rows.n_primary + 1, units.max_level)
        self.settings = kernel.settings()
        self.programs = kernel.levels  # that have some
        self._free: list[Any] = []
        self._kept: dict[int, tuple[Any, float]] = {}
        self._made = 0
        self._root, self._jobs = kernel, jobs

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_free": [], "_kept": {}, "_made": 0, "_root": None}

    def lend(self, token: int) -> tuple[Any, float]:
        """Lends a kernel to the caller alone, and tells the share of the tree in which it stands, 0 if nowhere.

        That is the kernel kept by this token, or one that stands nowhere. There are two for each worker, or one where
        it has a process of its own; then that which has waited longest.
        """
        with suppress(KeyError):  # another thread may be quicker, here and below
            return self._kept.pop(token)
        with suppress(IndexError):
            return self._free.pop(), 0.0
        with suppress(KeyError, StopIteration, RuntimeError):
            if self._made >= (1 if self._root is None else 2 * self._jobs):
                return self._kept.pop(next(iter(self._kept)))[0], 0.0
        self._made += 1
        rows = 64 if self.least is not None else TUNED.raising if self.settings[0] else 1
        kernel = self.makings.kernel(np.empty((rows, self.room), dtype=np.int32), time.perf_counter_ns() >> 10)
        kernel.set(*self.settings)
        if self._root is not None and kernel.pairs:  # in one process
            kernel.share_pairs(self._root, self._jobs)
        return kernel, 0.0

    def keep(self, token: int, kernel: Any, share: float) -> None:
        """Keeps a kernel that was lent, where it stands in a share of the tree, or nowhere."""
        if share:
            self._kept[token] = kernel, share
        else:
            self._free.append(kernel)


class Makings(NamedTuple):
    """The parts of a kernel that begins at the root of a problem."""

    rows: Rows
    ranges: Options | None
    weights: Numbers

    def kernel(self, buffer: Options, seed: int) -> Any:
        return new_kernel("branch_and_bound", self.rows, buffer, self.weights, seed, TUNED, self.ranges)

    def __reduce__(self) -> tuple[Any, ...]:
        return Makings, (Rows(*self.rows), self.ranges, self.weights)  # without what rows have computed of themselves


class Task(NamedTuple):
    """The message to a worker: open nodes, the score that a cover must have, in units, and how far it may go.

    A kernel that is kept by the token stands at the last nodes, as many as `standing`, and can just go on. Of those
    that it has told of, some are `gone`, to other workers.
    """

    nodes: Sequence[Node]
    target: int
    most: int  # nodes to try
    covers: int
    seconds: float
    token: int = 0
    standing: int = 0
    gone: tuple[int, ...] = ()


def warm_up(kernel: Any, temperature: float) -> None:
    """Has a kernel at the root dive at a temperature, with prices as at that: a few sweeps at nodes will do then."""
    kernel.diving = temperature
    if kernel.heat(temperature):
        kernel.anneal(TUNED.dive_sweeps)
        kernel.cool()


class Done(NamedTuple):
    """The result of a task: what is open, the best covers found or how many, and what it has taken."""

    rest: list[Node]
    found: list[tuple[int | float, tuple[int, ...]]]
    covers: int
    nodes: int
    updates: int
    token: int  # of the kernel
    standing: int  # how many of the last nodes that are open it has come to
    went_on: bool  # whether a kernel could just go on


def work(ground: Ground, task: Task, over: Over) -> Done:
    """Searches nodes, the last one first, until the time is up or they are done."""
    end = time.perf_counter() + task.seconds
    rest: list[Node | None] = [*task.nodes]  # None is where the kernel stands
    incumbents = Incumbents(ground.k)
    rejected = 0

    def take() -> None:
        nonlocal rejected
        found = kernel.found()
        if len(found) and ground.least is not None:
            rejected += int(np.count_nonzero(ground.units.exact[found].sum(axis=1) < ground.least))
        elif len(found):
            for row in found:
                options = np.sort(row[row >= 0])
                incumbents.offer(ground.units.total(options), tuple(options.tolist()))
            if incumbents.least is not None:
                kernel.target = max(task.target, ground.units.target(incumbents.least))
        kernel.filled = 0

    kernel, share = ground.lend(task.token)
    if went_on := share > 0.0:
        rest[len(rest) - task.standing :] = [None]
        kernel.skip(task.gone)
    kernel.target, standing, token = task.target, 0, uuid.uuid4().int
    nodes, updates, covers = kernel.nodes, kernel.updates, kernel.covers
    limits = Limits(min(UNLIMITED, covers + task.covers), min(UNLIMITED, nodes + task.most))
    while rest and kernel.nodes < limits.max_nodes and kernel.covers < limits.max_covers:
        once, dives = UNLIMITED, False
        if node := rest.pop():
            if node.bound < kernel.target:
                continue
            share, dives = node.share, node.kind == DIVE
            kernel.stand_at(*node[2:5], WHOLE if dives else node.kind, node.left, node.basis)
            if dives:
                seed, temperature, once = node.left.tolist()
                kernel.restart(seed)
                warm_up(kernel, temperature)
        with Loop(limits) as loop:
            for _ in loop.slices(kernel, once):
                take()
                if over() or (time.perf_counter() >= end and not dives and not kernel.is_amid_node):
                    break
        take()  # what an interrupt has left in the buffer
        kernel.diving = 0.0
        if not (loop.exhausted or dives):
            open_ = [node._replace(share=node.share * share) for node in map(Node._make, kernel.rest())]
            rest, standing = [*rest, *open_], len(open_)
            break
        if over() or time.perf_counter() >= end:
            break
    done = kernel.covers - covers - rejected, kernel.nodes - nodes, kernel.updates - updates
    ground.keep(token, kernel, share if standing else 0.0)
    return Done([*filter(None, rest)], incumbents.covers, *done, token, standing, went_on)


class Stack:
    """Open nodes, the deepest ones last, and how many of these are with a worker."""

    def __init__(self, nodes: list[Node], seconds: float = FIRST_SLICE) -> None:
        self.seconds, self.sent = seconds, 0
        self.nodes = nodes
        self.stand(0, 0)
        self.sum_up()

    def sum_up(self) -> None:
        self.share = sum(node.share for node in self.nodes)
        self.bound = max((node.bound for node in self.nodes), default=-UNLIMITED)

    def stand(self, token: int, standing: int) -> None:
        """Notes that a worker has a kernel at the last nodes, so many, which the token tells."""
        self.token = token if 0 < standing <= SENT else 0
        self.places = [*range(standing)] if self.token else []  # of these for that kernel,
        self.gone: list[int] = []  # and of others that have been dealt to somebody else

    def send(self, target: int) -> Sequence[Node]:
        """Drops what cannot reach a target, and returns the nodes to be sent."""
        self._keep([k for k, node in enumerate(self.nodes) if node.bound >= target])
        self.sum_up()
        self.sent = min(SENT, len(self.nodes))
        return self.nodes[len(self.nodes) - self.sent :]

    def _keep(self, kept: list[int]) -> None:
        """Keeps some of the nodes."""
        at = len(self.nodes) - len(self.places)
        self.places = [self.places[k - at] for k in kept if k >= at]
        self.nodes = [self.nodes[k] for k in kept]

    def deal(self) -> Stack | None:
        """Returns another stack with half of the nodes; None if there is no choice."""
        if len(self.nodes) == 1:
            if len(halves := self.nodes[0].halves()) == 1:
                return None
            self.nodes = halves
            self.stand(0, 0)
        n, before = len(self.nodes), {*self.places}
        other = Stack(self.nodes[n % 2 :: 2], self.seconds)
        self._keep([*range(1 - n % 2, n, 2)])
        self.gone += before - {*self.places}
        self.sum_up()
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
        self._proves = all(node.kind != DIVE for node in nodes)
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
        if not self._stacks and self._proves:
            return EXHAUSTED
        return BUFFER_FULL if len(self._buffer) else BUDGET_SPENT

    def go_on(self) -> None:
        """Takes what workers have done, and hands out tasks, without waiting."""
        self._advance(self._crew.step(0.0))
        self._crew.send()

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
        nodes = stack.send(target)  # before it is asked what is left of the places
        return Task(nodes, target, most, covers, stack.seconds, stack.token, len(stack.places), tuple(stack.gone))

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
        stack.nodes = stack.nodes[: len(stack.nodes) - stack.sent] + done.rest
        stack.seconds, stack.sent = min(SLICE if done.went_on else self._longest, 2 * stack.seconds), 0
        stack.stand(done.token, done.standing)
        stack.sum_up()
        if stack.nodes:
            self._crew.todo.append(stack)
        else:
            del self._stacks[stack]
        bounds = [open_.bound for open_ in self._stacks]
        if bounds:
            self._kernel.lower(max(bounds))

    def _deal(self) -> None:
        """Deals out the largest stacks that no worker has, until there are enough for all."""
        crew = self._crew
        while crew.todo and len(crew.todo) + len(crew.flight) < 2 * crew.jobs:
            other = max(crew.todo, key=lambda stack: stack.share).deal()
            if other is None:
                return
            self._push(other)

    def _push(self, stack: Stack) -> None:
        self._stacks[stack] = None
        self._crew.todo.append(stack)
