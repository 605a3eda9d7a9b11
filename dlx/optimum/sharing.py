"""The tree of a search for the best cover, shared by workers and kept in a checkpoint, as open nodes.

A search runs in one process for its first tenths of a second. Then the open nodes of the tree become tasks; at first
the root is the only open node. A worker is sent the matrix with its cuts once (`WorkerContext`), and for each task the
nodes and the score that a cover must reach (`NodeTask`). A node has what a kernel needs to start there: the chosen
options, the live options and the prices.

A worker searches below the last node of its task first. When its time is up, it returns its covers, its work and the
open nodes, the deepest ones last (`TaskResult`). Any worker searches these nodes next, a few in each task; if there are
too few tasks, in two tasks. The upper bound is the bound of the best open node. A node keeps its bound while a worker
searches it.

A checkpoint has the best covers so far and the open nodes, those that workers are searching too, so a lost worker loses
nothing. The same call continues from it; prices and cuts are computed again. A problem that falls apart, or is searched
again in finer units, has several searches, each with a state of its own in the file (`Resources`).
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
ALONE = 20_000_000  # updates before the search is shared, some tenths of a second: most searches end earlier
SENT = 16  # open nodes that a task is given, at most
FIRST_SLICE = 0.03  # seconds of the first task; the time doubles for the nodes that a task returns
SLICE = 0.25  # seconds of a task, at most; a worker gets a better score only with its next task
PROGRAMMED = 1.0  # seconds of a task with linear programs, at most; such a task has to find a basis first
DRAINED = 0.1  # seconds to wait for tasks when a search ends
NODES = 1 << 40  # nodes that a task may try, at most: more than a task has time for

Options = npt.NDArray[np.int32]
State = dict[str, Any]  # of a search, for a checkpoint: values for JSON


class OpenNode(NamedTuple):
    """An open node, as `rest` of the kernel returns it."""

    share: float  # of the tree
    bound: int
    chosen: Options
    live: Options
    prices: npt.NDArray[np.int64]

    def widened(self, n_items: int) -> OpenNode:
        """Returns the node in a problem with more secondary items, which cost nothing."""
        return self._replace(prices=np.append(self.prices, np.zeros(n_items - len(self.prices), np.int64)))

    def listed(self) -> list[Any]:
        """Returns the node for JSON, without its prices."""
        return [self.share, self.bound, self.chosen.tolist(), self.live.tolist()]

    @classmethod
    def of(cls, listed: list[Any], n_options: int) -> OpenNode:
        """Returns a node that still needs prices; raises ValueError or TypeError if there can be no such node."""
        share, bound, *options = listed
        chosen, live = (np.array(some, dtype=np.int32) for some in options)
        for some in (chosen, live):
            if some.ndim != 1 or not (0 <= some.min(initial=0) <= some.max(initial=0) < n_options):
                raise ValueError("a node has an option that is not there")
        return cls(float(share), int(bound), chosen, live, np.zeros(0, dtype=np.int64))


class WorkerContext:
    """The context of a worker, sent once: the problem with the root's cuts, and the settings of its kernel."""

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
    """Some open nodes, the deepest ones last, and the limits of a worker, which are set when the task is sent."""

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
        incumbents.take(kernel)  # what an interrupt has left in the buffer
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
        context, workers, loop: what the workers are sent, who they are, and the limits of the search.
        kernel: the kernel at the root: its target holds for all tasks, and its bound is lowered.
        nodes: the open nodes, the deepest ones last.
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
        self._tasks: dict[NodeTask, None] = {}  # all open ones, waiting or with a worker
        self.covers = self.nodes = self.updates = 0
        self._push(nodes, FIRST_SLICE)

    def open(self) -> list[OpenNode]:
        """Returns the nodes that are open; those with workers as they were sent."""
        return [node for task in self._tasks for node in task.nodes]

    def fraction(self) -> float:
        return min(1.0, max(0.0, 1.0 - sum(node.share for node in self.open())))

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Waits a moment for workers; raises LostPieceError or BrokenExecutor."""
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
        """Takes what tasks have found and done, and the nodes that they leave open."""
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

    workers: Callable[[], Workers] | None = None  # makes the workers when they are needed first
    checkpoint: Checkpoint | None = None
    states: dict[str, State] = field(default_factory=dict)  # the last state of each search
    name: str = "0"  # of this search

    def named(self, name: str) -> Resources:
        return replace(self, name=name)

    @property
    def state(self) -> State | None:
        return self.states.get(self.name)

    def follow(self, slices: Iterable[object], state: Callable[[], State]) -> None:
        """Runs a search slice by slice; saves its state now and then, and at the end, if there is a checkpoint."""
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
