"""Shares the tree of a search for the best cover among workers, and saves it in a checkpoint, as open nodes.

A search runs in one process for its first tenths of a second. Then the open nodes of the tree, at first only the root,
become tasks. A worker is sent the matrix with its cuts once (`WorkerContext`), and for each task the nodes and the
score that a cover must reach (`NodeTask`). A node has the data that a kernel needs to start there: the chosen options,
the live options and the prices.

A worker searches below the last node of its task first. When its time is up, it returns its covers, its work and the
open nodes, the deepest ones last (`TaskResult`). Any worker can continue these nodes, a few in each task, and at least
two tasks if few tasks are waiting. The upper bound is the bound of the best open node. A node keeps its bound while a
worker searches it.

A checkpoint has the best covers so far and all open nodes, including the nodes that workers are searching, so nothing
is lost with a worker. The same call continues from the checkpoint; prices and cuts are computed again. If a problem has
several components, or is searched again in finer units, each of its searches has its own state in the file
(`Resources`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Limits, Loop, Over
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.optimum.matrix import Matrix
from dlx.optimum.units import Incumbents, Units
from dlx.parallel.workforce import Workforce
from dlx.problem.problem import Problem

if TYPE_CHECKING:
    from dlx.parallel.checkpoint import Checkpoint
    from dlx.parallel.crew import Workers

RAISING = 16  # covers in the buffer of a kernel that raises its target itself
ALONE = 20_000_000  # updates, some tenths of a second, before the search is shared; most searches end earlier
SENT = 16  # maximum open nodes of a task
FIRST_SLICE = 0.03  # seconds of the first task; nodes that a task returns get twice its time
SLICE = 0.25  # maximum seconds of a task; a worker gets a better score only with its next task
PROGRAMMED = 1.0  # maximum seconds of a task with linear programs, which has to find a basis first
DRAINED = 0.1  # seconds to wait for tasks when a search ends
NODES = 1 << 40  # maximum nodes of a task: more than a task has time for

Options = npt.NDArray[np.int32]
State = dict[str, Any]  # the state of a search for a checkpoint, as values for JSON


class OpenNode(NamedTuple):
    """An open node, in the form of the kernel's method `rest`."""

    share: float  # the share of the tree below the node
    bound: int
    chosen: Options
    live: Options
    prices: npt.NDArray[np.int64]

    def widened(self, n_items: int) -> OpenNode:
        """Returns the node with further secondary items, which have price 0."""
        return self._replace(prices=np.append(self.prices, np.zeros(n_items - len(self.prices), np.int64)))

    def listed(self) -> list[Any]:
        """Returns the node without its prices, as values for JSON."""
        return [self.share, self.bound, self.chosen.tolist(), self.live.tolist()]

    @classmethod
    def of(cls, listed: list[Any], n_options: int) -> OpenNode:
        """Returns the node of a value of `listed`, without prices; raises ValueError or TypeError if it is invalid."""
        share, bound, *options = listed
        chosen, live = (np.array(some, dtype=np.int32) for some in options)
        for some in (chosen, live):
            if some.ndim != 1 or not (0 <= some.min(initial=0) <= some.max(initial=0) < n_options):
                raise ValueError("a node has an option that is not there")
        return cls(float(share), int(bound), chosen, live, np.zeros(0, dtype=np.int64))


class WorkerContext:
    """The context of a worker, sent once: the problem with the cuts of the root, and the settings of the kernel."""

    def __init__(self, matrix: Matrix, kernel: Any, units: Units, k: int) -> None:
        self.matrix, self.units, self.k = matrix, units, k
        self.settings = kernel.settings()
        self.has_programs = bool(kernel.lp.levels)

    def kernel(self) -> Any:
        """Returns a kernel for one task."""
        room = max(1, self.matrix.rows.n_primary + 1, self.units.max_level)
        buffer = np.empty((RAISING if self.settings[0] else 1, room), dtype=np.int32)
        kernel = self.matrix.kernel(buffer, time.perf_counter_ns() >> 10)
        kernel.configure(*self.settings)
        return kernel


@dataclass(eq=False)
class NodeTask:
    """A task: some open nodes, the deepest last, and the limits of the worker, which are set when the task is sent."""

    nodes: list[OpenNode]
    seconds: float
    target: int = 0  # the score that a cover must have, in units
    max_nodes: int = 0

    @property
    def bound(self) -> int:
        return max(node.bound for node in self.nodes)

    def name(self) -> str:
        return f"the nodes with the options {self.nodes[-1].chosen.tolist()}"


class TaskResult(NamedTuple):
    """The result of a task."""

    rest: list[OpenNode]  # the open nodes
    found: list[tuple[int, ...]]  # the best covers
    covers: int
    nodes: int
    updates: int


def work(context: WorkerContext, task: NodeTask, over: Over) -> TaskResult:
    """Searches nodes, the last one first, until the time is up or they are done."""
    end, incumbents = time.perf_counter() + task.seconds, Incumbents(context.k, context.units)
    kernel, rest = context.kernel(), [*task.nodes]
    kernel.target = task.target
    while rest and kernel.nodes < task.max_nodes:
        node = rest.pop()
        if node.bound < kernel.target:
            continue
        kernel.start_at(node.chosen, node.live, node.prices)
        with Loop(Limits(max_nodes=task.max_nodes)) as loop:
            for _ in loop.slices(kernel):
                if incumbents.take(kernel):
                    kernel.target = max(task.target, incumbents.target)
                if over() or (time.perf_counter() >= end and not kernel.is_amid_node):
                    break
        incumbents.take(kernel)  # after an interrupt, covers may still be in the buffer
        if not loop.exhausted:
            rest += [below._replace(share=below.share * node.share) for below in map(OpenNode._make, kernel.rest())]
            break
        if over() or time.perf_counter() >= end:
            break
    found = [options for _, options in incumbents.covers]
    return TaskResult(rest, found, kernel.covers, kernel.nodes, kernel.updates)


class SharedTree:
    """A search of a tree by workers, which the loop runs like a kernel (`dlx.kernels.Runnable`); the caller closes it.

    Parameters:
        context, workers, loop: the context of the workers, the workers, and the limits of the search.
        kernel: the kernel at the root; its target is the target of all tasks, and its bound is lowered.
        nodes: the open nodes, the deepest last.
        offer: takes the options of a cover that a worker has found, and raises the kernel's target.
    """

    def __init__(
        self,
        context: WorkerContext,
        workers: Workers,
        loop: Loop,
        kernel: Any,
        nodes: list[OpenNode],
        offer: Callable[[Options], None],
    ) -> None:
        from dlx.parallel.crew import Crew

        self._loop, self._kernel, self._offer = loop, kernel, offer
        self._crew: Crew[NodeTask, TaskResult] = Crew(workers, work, context, self._message, named=NodeTask.name)
        self._longest = PROGRAMMED if context.has_programs else SLICE
        self._tasks: dict[NodeTask, None] = {}  # all open tasks, waiting or with a worker
        self.covers = self.nodes = self.updates = 0
        self._push(nodes, FIRST_SLICE)

    def open(self) -> list[OpenNode]:
        """Returns the open nodes; nodes that workers are searching are returned as they were sent."""
        return [node for task in self._tasks for node in task.nodes]

    def fraction(self) -> float:
        return min(1.0, max(0.0, 1.0 - sum(node.share for node in self.open())))

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Waits up to 20 ms for workers; raises LostPieceError or BrokenExecutor."""
        self._book(self._crew.step())
        return BUDGET_SPENT if self._tasks else EXHAUSTED

    def close(self) -> None:
        """Ends the search; waits up to 0.1 s for the tasks in flight."""
        crew, end = self._crew, time.perf_counter() + DRAINED
        crew.stop()
        while crew.flight and time.perf_counter() < end:
            self._book(crew.step())

    def _message(self, task: NodeTask) -> NodeTask | None:
        """Returns a task with its part of the remaining limits; None if nothing remains."""
        sent = sum(other.max_nodes for _, other in self._crew.flight.values())
        remaining = self._loop.limits.max_nodes - self._loop.nodes - sent
        most = min(NODES, -(-remaining // max(1, self._crew.room())))
        return replace(task, target=self._kernel.target, max_nodes=most) if most > 0 else None

    def _book(self, came: Iterable[tuple[NodeTask, TaskResult]]) -> None:
        """Takes the covers, the work and the open nodes of finished tasks."""
        for task, done in came:
            self.nodes += done.nodes
            self.updates += done.updates
            self.covers += done.covers
            for options in done.found:
                self._offer(np.array(options, dtype=np.int32))
            del self._tasks[task]
            self._push(done.rest, min(self._longest, 2 * task.seconds))
            if self._tasks:
                self._kernel.node.limit_bound(max(other.bound for other in self._tasks))

    def _push(self, nodes: list[OpenNode], seconds: float) -> None:
        """Queues nodes before all waiting tasks, a few in each task; at least two tasks if few are waiting."""
        waiting = self._crew.todo
        n = max(-(-len(nodes) // SENT), 2 if len(waiting) + len(self._crew.flight) < 2 * self._crew.jobs else 1)
        for k in range(n):
            if part := nodes[k::n]:
                task = NodeTask(part, seconds)
                self._tasks[task] = None
                waiting.appendleft(task)


@dataclass(frozen=True)
class Resources:
    """Workers, and a checkpoint file with the states of all searches of a call, each with a name."""

    workers: Callable[[], Workers] | None = None  # makes the workers at their first use
    checkpoint: Checkpoint | None = None
    states: dict[str, State] = field(default_factory=dict)  # the last state of each search
    name: str = "0"  # the name of this search

    def named(self, name: str) -> Resources:
        return replace(self, name=name)

    @property
    def state(self) -> State | None:
        return self.states.get(self.name)

    def follow(self, slices: Iterable[object], state: Callable[[], State]) -> None:
        """Runs a search slice by slice; if there is a checkpoint, saves the state regularly and at the end."""
        if self.checkpoint is not None:
            self.checkpoint.follow(slices, lambda: self._all_states(state()))
        else:
            for _ in slices:
                pass

    def save(self, state: State) -> None:
        """Saves the state of a search that ends or is stopped, if there is a checkpoint."""
        if self.checkpoint is not None:
            self.checkpoint.save(self._all_states(state))

    def _all_states(self, state: State) -> dict[str, State]:
        self.states[self.name] = state
        return self.states


@contextmanager
def resources_of(workforce: Workforce | None, problem: Problem, request: dict[str, Any]) -> Iterator[Resources]:
    """Yields the workers and the checkpoint that the caller requested, if any."""
    if workforce is None:
        yield Resources()
        return
    from hashlib import sha256  # imported here: it takes a millisecond

    weights = sha256(b"" if problem.weights is None else problem.weights.tobytes()).hexdigest()[:32]
    with workforce.opened(problem, weights=weights, **request) as checkpoint:
        states = (None if checkpoint is None else checkpoint.load()) or {}
        workers = cache(workforce.workers)
        try:
            yield Resources(workers, checkpoint, states)
        finally:
            if workers.cache_info().currsize:
                workers().close()
