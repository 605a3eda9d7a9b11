"""The tree of a search for the best cover, shared by workers: each task has some open nodes.

A search runs in one process for its first tenths of a second. Then the open nodes of the tree become tasks; at first
the root is the only open node. A node has what a kernel needs to start there: the chosen options, the live options and
the prices. A worker searches below the last node of its task first. When its time is up, it returns the open nodes,
the deepest ones last. Any worker searches these nodes next, a few in each task. If there are too few tasks, the nodes
are split into two tasks.

Each task has the score that a cover must reach. The upper bound is the bound of the best open node; a node keeps its
bound while a worker searches it. The covers and the work of a task count when the task returns.

A checkpoint has the best covers so far and the open nodes; the same call continues from it. Nodes that workers are
searching count as open, so a lost worker loses nothing. Prices and cuts are computed again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import new_kernel
from dlx.engine.limits import Limits, Loop, Over
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.optimum.units import Incumbents, Units
from dlx.parallel.workforce import Workforce
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Problem
from dlx.problem.roles import Rows

if TYPE_CHECKING:
    from dlx.parallel.checkpoint import Checkpoint
    from dlx.parallel.crew import Workers

RAISING = 16  # covers in the buffer of a kernel that raises its target itself
ALONE = 20_000_000  # updates before the search is shared, some tenths of a second: most searches end earlier
SENT = 16  # nodes of a task, at most
FIRST_SLICE = 0.03  # seconds of the first task; the time doubles for the nodes that a task returns
SLICE = 0.25  # most seconds of a task; a worker gets a better score only with its next task
PROGRAMMED = 1.0  # most seconds of a task with linear programs: each task has to find a basis first
SCHEDULED = 0.01  # seconds of a task for each worker, since a scheduler takes 2 ms for a task
LONGEST = 5.0  # seconds of a task with many workers
DRAINED = 0.1  # seconds to wait for tasks when a search ends
NODES = UNLIMITED  # the most nodes of a task

Numbers = npt.NDArray[np.int64]
Options = npt.NDArray[np.int32]
State = Mapping[str, Any]


class Node(NamedTuple):
    """An open node, as `rest` of the kernel returns it."""

    share: float  # of the tree
    bound: int
    chosen: Options
    live: Options
    prices: Numbers

    def widened(self, n_items: int) -> Node:
        """Returns the node in a problem with more secondary items, which cost nothing."""
        return self._replace(prices=np.append(self.prices, np.zeros(n_items - len(self.prices), np.int64)))


class Makings(NamedTuple):
    """The parts of a kernel that begins at the root of a problem."""

    rows: Rows
    ranges: Options | None
    weights: Numbers

    @property
    def bounds(self) -> Options:
        """How often each item is to be covered at least and at most; int32, shape (n_items, 2)."""
        return self.rows.ranges() if self.ranges is None else self.ranges

    def kernel(self, buffer: Options, seed: int) -> Any:
        return new_kernel("branch_and_bound", self.rows, buffer, self.weights, seed, self.ranges)

    def __reduce__(self) -> tuple[Any, ...]:
        return Makings, (Rows(*self.rows), self.ranges, self.weights)  # without what rows have computed of themselves


class WorkerContext:
    """The knowledge of every worker, sent once: the problem with the root's cuts, and the settings of its kernel."""

    def __init__(self, makings: Makings, kernel: Any, units: Units, k: int) -> None:
        self.makings, self.units, self.k = makings, units, k
        self.room = max(1, makings.rows.n_primary + 1, units.max_level)
        self.settings = kernel.settings()
        self.has_programs = bool(kernel.lp.levels)

    def kernel(self) -> Any:
        """Returns a kernel for one task."""
        rows = RAISING if self.settings[0] else 1
        kernel = self.makings.kernel(np.empty((rows, self.room), dtype=np.int32), time.perf_counter_ns() >> 10)
        kernel.configure(*self.settings)
        return kernel


class Task(NamedTuple):
    """The message to a worker."""

    nodes: list[Node]
    target: int  # the score that a cover must have, in units
    most: int  # nodes to try
    covers: int  # covers to find
    seconds: float


class Done(NamedTuple):
    """The result of a task."""

    rest: list[Node]  # the open nodes
    found: list[tuple[int, ...]]  # the best covers
    covers: int
    nodes: int
    updates: int


def work(ground: WorkerContext, task: Task, over: Over) -> Done:
    """Searches nodes, the last one first, until the time is up or they are done."""
    end, units = time.perf_counter() + task.seconds, ground.units
    incumbents, rest = Incumbents(ground.k), [*task.nodes]
    kernel = ground.kernel()
    kernel.target = task.target

    def take() -> None:
        """Moves the covers in the kernel's buffer to the incumbents, and raises the target."""
        for row in kernel.found():
            options = np.sort(row[row >= 0])
            incumbents.offer(units.total(options), tuple(options.tolist()))
        if kernel.filled and incumbents.least is not None:
            kernel.target = max(task.target, units.units_above(incumbents.least))
        kernel.filled = 0

    limits = Limits(task.covers, task.most)
    while rest and kernel.nodes < task.most and kernel.covers < task.covers:
        node = rest.pop()
        if node.bound < kernel.target:
            continue
        kernel.start_at(*node[2:])
        with Loop(limits) as loop:
            for _ in loop.slices(kernel):
                take()
                if over() or (time.perf_counter() >= end and not kernel.is_amid_node):
                    break
        take()  # what an interrupt has left in the buffer
        if not loop.exhausted:
            rest += [below._replace(share=below.share * node.share) for below in map(Node._make, kernel.rest())]
            break
        if over() or time.perf_counter() >= end:
            break
    found = [options for _, options in incumbents.covers]
    return Done(rest, found, kernel.covers, kernel.nodes, kernel.updates)


@dataclass(eq=False)
class Piece:
    """Some open nodes, the deepest ones last, and the seconds that a worker has for them."""

    nodes: list[Node]
    seconds: float

    @property
    def bound(self) -> int:
        return max(node.bound for node in self.nodes)


class SharedTree:
    """The search of a tree by workers, for the loop (`dlx.kernels.Finder`), to be closed at its end.

    `kernel` is the one at the root: its target holds for all tasks, and its bound is lowered. `nodes` are the open
    nodes, the deepest ones last.
    """

    name = "branch_and_bound"

    def __init__(self, ground: WorkerContext, workers: Workers, kernel: Any, nodes: list[Node], loop: Loop) -> None:
        from dlx.parallel.crew import Crew

        self._loop, self._kernel = loop, kernel
        self._buffer = np.full((0, ground.room), -1, dtype=np.int32)
        self._crew: Crew[Piece, Done] = Crew(workers, work, ground, self._task, named=_named)
        self._longest = min(LONGEST, max(PROGRAMMED if ground.has_programs else SLICE, SCHEDULED * workers.jobs))
        self._pieces: dict[Piece, None] = {}  # all open ones, wherever they are
        self.covers = self.nodes = self.updates = self.filled = 0
        self._push(nodes, FIRST_SLICE)

    def open(self) -> list[Node]:
        """Returns the nodes that are open; those with workers as they were sent."""
        return [node for piece in self._pieces for node in piece.nodes]

    def fraction(self) -> float:
        return min(1.0, max(0.0, 1.0 - sum(node.share for node in self.open())))

    def found(self) -> Options:
        """Returns the covers that have come, as kernels do."""
        return self._buffer[: self.filled]

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Waits a moment for workers; raises LostPieceError or BrokenExecutor."""
        self._book(self._crew.step())
        if not self._pieces:
            return EXHAUSTED
        return BUFFER_FULL if self.filled else BUDGET_SPENT

    def close(self) -> None:
        """Ends the search; waits up to 0.1 s for the tasks in flight."""
        crew, end = self._crew, time.perf_counter() + DRAINED
        crew.stop()
        while crew.flight and time.perf_counter() < end:
            self._book(crew.step())

    def _task(self, piece: Piece) -> Task | None:
        """Returns the task of a piece with its part of the remaining limits; None if nothing remains."""
        flight: list[Task] = [sent for _, sent in self._crew.flight.values()]
        limits, most = self._loop.limits, NODES
        if limits.max_nodes < UNLIMITED:
            left = limits.max_nodes - self._loop.nodes - sum(sent.most for sent in flight)
            most = min(most, -(-left // max(1, self._crew.room())))
        covers = UNLIMITED if limits.max_covers >= UNLIMITED else max(1, limits.max_covers - self._loop.covers)
        return Task(piece.nodes, self._kernel.target, most, covers, piece.seconds) if most > 0 else None

    def _book(self, came: Iterable[tuple[Piece, Done]]) -> None:
        """Takes what tasks have found and done, and the nodes that they leave open."""
        for piece, done in came:
            self.nodes += done.nodes
            self.updates += done.updates
            self.covers += done.covers
            rows = np.full((len(done.found), self._buffer.shape[1]), -1, dtype=np.int32)
            for row, options in zip(rows, done.found, strict=True):
                row[: len(options)] = options
            self._buffer = np.concatenate([self.found(), rows])
            self.filled = len(self._buffer)
            del self._pieces[piece]
            self._push(done.rest, min(self._longest, 2 * piece.seconds))
            if self._pieces:
                self._kernel.lower_bound_to(max(piece.bound for piece in self._pieces))

    def _push(self, nodes: list[Node], seconds: float) -> None:
        """Queues nodes before all waiting pieces, a few in each piece; at least two pieces if few are waiting."""
        waiting = self._crew.todo
        n = max(-(-len(nodes) // SENT), 2 if len(waiting) + len(self._crew.flight) < 2 * self._crew.jobs else 1)
        parts = [nodes[k::n] for k in range(n)] if n == 2 else [nodes[k : k + SENT] for k in range(0, len(nodes), SENT)]
        for part in parts:
            if part:
                piece = Piece(part, seconds)
                self._pieces[piece] = None
                waiting.appendleft(piece)


def _named(piece: Piece) -> str:
    return f"the nodes with the options {piece.nodes[-1].chosen.tolist()}"


# Checkpoints


def state_of(loop: Loop, nodes: list[Node]) -> dict[str, Any]:
    """Returns the state of a search with these open nodes: the work done, and the nodes in a few long arrays."""
    state: dict[str, Any] = {
        "done": [loop.nodes, loop.updates, loop.covers],
        "share": np.array([node.share for node in nodes], dtype=np.float64),
        "bound": np.array([node.bound for node in nodes], dtype=np.int64),
    }
    for name in ("chosen", "live"):
        options = [getattr(node, name) for node in nodes]
        state[name] = np.concatenate([np.zeros(0, dtype=np.int32), *options])
        state[f"{name}_end"] = np.cumsum([len(some) for some in options], dtype=np.int64)
    return state


def nodes_of(state: State, prices: Numbers, n_options: int) -> list[Node]:
    """Returns the open nodes of a state, with these prices; raises ValueError if there can be no such nodes."""
    options = {}
    for name in ("chosen", "live"):
        numbers, ends = state[name], state[f"{name}_end"].tolist()
        if ends != sorted(ends) or len(numbers) != max(ends, default=0) or numbers.dtype != np.int32:
            raise ValueError(f"{name!r} of nodes ends at {ends}")
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < n_options:
            raise ValueError("a node has an option that is not there")
        options[name] = np.split(numbers, ends[:-1])[: len(ends)]
    numbers = zip(state["share"].tolist(), state["bound"].tolist(), options["chosen"], options["live"], strict=True)
    return [Node(float(share), int(bound), chosen, live, prices) for share, bound, chosen, live in numbers]


@dataclass(frozen=True)
class Help:
    """Workers, and a checkpoint file with the states of all searches of a call, each with a name.

    A problem that falls apart, or is searched again with finer scores, has several searches.
    """

    workers: Callable[[], Workers]  # makes the workers when they are needed first
    checkpoint: Checkpoint | None
    states: dict[str, State]  # the last state of each search
    name: str = "0"  # of this search

    def named(self, name: str) -> Help:
        return replace(self, name=name)

    @property
    def state(self) -> State | None:
        return self.states.get(self.name)

    def follow(self, slices: Iterable[object], state: Callable[[], State]) -> None:
        """Runs a search slice by slice, and saves its state now and then, and whatever ends it."""
        if self.checkpoint is None:
            for _ in slices:
                pass
        else:
            self.checkpoint.follow(slices, lambda: self._with(state()))

    def save(self, state: State) -> None:
        """Saves the state of a search that ends or is stopped."""
        if self.checkpoint is not None:
            self.checkpoint.save(self._with(state))

    def _with(self, state: State) -> State:
        """Returns the states of all searches, after this one has come to another."""
        self.states[self.name] = state
        return {f"{name}/{key}": value for name, state in self.states.items() for key, value in state.items()}


@contextmanager
def helped(workforce: Workforce | None, problem: Problem, asked: dict[str, Any]) -> Iterator[Help | None]:
    """Yields the workers and checkpoint that the caller requested; None if there are none."""
    if workforce is None:
        yield None
        return
    from hashlib import sha256  # imported here: it takes a millisecond

    with ExitStack() as stack:
        states = dict[str, Any]()
        weights = sha256(b"" if problem.weights is None else problem.weights.tobytes()).hexdigest()[:32]
        checkpoint = stack.enter_context(workforce.opened(problem, weights=weights, **asked))
        if checkpoint is not None:
            for key, value in (checkpoint.load() or {}).items():
                name, _, own = key.partition("/")
                states.setdefault(name, {})[own] = value
        workers = cache(workforce.workers)
        try:
            yield Help(workers, checkpoint, states)
        finally:
            if workers.cache_info().currsize:
                workers().close()
