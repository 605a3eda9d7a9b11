"""The tree of a search for the best cover, shared by workers: each task has some open nodes.

A search runs in one process for its first tenths of a second. Then the open nodes of the tree become tasks; at first
the root is the only open node. A worker is sent the matrix with its cuts once (`WorkerContext`), and for each task the
nodes and the score that a cover must reach (`NodeTask`). A node has what a kernel needs to start there: the chosen
options, the live options and the prices.

A worker searches below the last node of its task first. When its time is up, it returns its covers, its work and the
open nodes, the deepest ones last (`TaskResult`). Any worker searches these nodes next, a few in each task; if there are
too few tasks, in two tasks. The upper bound is the bound of the best open node. A node keeps its bound while a worker
searches it.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Limits, Loop, Over
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.optimum.matrix import Matrix
from dlx.optimum.units import Incumbents, Units

if TYPE_CHECKING:
    from dlx.parallel.crew import Workers

RAISING = 16  # covers in the buffer of a kernel that raises its target itself
ALONE = 20_000_000  # updates before the search is shared, some tenths of a second: most searches end earlier
SENT = 16  # open nodes that a task is given, at most
FIRST_SLICE = 0.03  # seconds of the first task; the time doubles for the nodes that a task returns
SLICE = 0.25  # seconds of a task, at most; a worker gets a better score only with its next task
PROGRAMMED = 1.0  # seconds of a task with linear programs, at most; such a task has to find a basis first
DRAINED = 0.1  # seconds to wait for tasks when a search ends
NODES = 1 << 40  # nodes that a task may try, at most: more than a task has time for

Numbers = npt.NDArray[np.int64]
Options = npt.NDArray[np.int32]


class OpenNode(NamedTuple):
    """An open node, as `rest` of the kernel returns it."""

    share: float  # of the tree
    bound: int
    chosen: Options
    live: Options
    prices: Numbers

    def widened(self, n_items: int) -> OpenNode:
        """Returns the node in a problem with more secondary items, which cost nothing."""
        return self._replace(prices=np.append(self.prices, np.zeros(n_items - len(self.prices), np.int64)))


class WorkerContext:
    """The context of a worker, sent once: the problem with the root's cuts, and the settings of its kernel."""

    def __init__(self, matrix: Matrix, kernel: Any, units: Units, k: int) -> None:
        self.matrix, self.units, self.k = matrix, units, k
        self.room = max(1, matrix.rows.n_primary + 1, units.max_level)
        self.settings = kernel.settings()
        self.has_programs = bool(kernel.lp.levels)

    def kernel(self) -> Any:
        """Returns a kernel for one task."""
        rows = RAISING if self.settings[0] else 1
        kernel = self.matrix.kernel(np.empty((rows, self.room), dtype=np.int32), time.perf_counter_ns() >> 10)
        kernel.configure(*self.settings)
        return kernel


class NodeTask(NamedTuple):
    """The message to a worker."""

    nodes: list[OpenNode]
    target: int  # the score that a cover must have, in units
    max_nodes: int
    seconds: float


class TaskResult(NamedTuple):
    """The result of a task."""

    rest: list[OpenNode]  # the open nodes
    found: list[tuple[int, ...]]  # the best covers
    covers: int
    nodes: int
    updates: int


def work(context: WorkerContext, task: NodeTask, over: Over) -> TaskResult:
    """Searches nodes, the last one first, until the time is up or they are done."""
    end, units = time.perf_counter() + task.seconds, context.units
    incumbents, rest = Incumbents(context.k), [*task.nodes]
    kernel = context.kernel()
    kernel.target = task.target

    def take() -> None:
        """Moves the covers in the kernel's buffer to the incumbents, and raises the target."""
        for row in kernel.found():
            options = np.sort(row[row >= 0])
            incumbents.offer(units.total(options), tuple(options.tolist()))
        if kernel.filled and incumbents.least is not None:
            kernel.target = max(task.target, units.units_above(incumbents.least))
        kernel.filled = 0

    while rest and kernel.nodes < task.max_nodes:
        node = rest.pop()
        if node.bound < kernel.target:
            continue
        kernel.start_at(*node[2:])
        with Loop(Limits(max_nodes=task.max_nodes)) as loop:
            for _ in loop.slices(kernel):
                take()
                if over() or (time.perf_counter() >= end and not kernel.is_amid_node):
                    break
        take()  # what an interrupt has left in the buffer
        if not loop.exhausted:
            rest += [below._replace(share=below.share * node.share) for below in map(OpenNode._make, kernel.rest())]
            break
        if over() or time.perf_counter() >= end:
            break
    found = [options for _, options in incumbents.covers]
    return TaskResult(rest, found, kernel.covers, kernel.nodes, kernel.updates)


@dataclass(eq=False)
class NodePiece:
    """Some open nodes, the deepest ones last, and the seconds that a worker has for them."""

    nodes: list[OpenNode]
    seconds: float

    @property
    def bound(self) -> int:
        return max(node.bound for node in self.nodes)

    def name(self) -> str:
        return f"the nodes with the options {self.nodes[-1].chosen.tolist()}"


class SharedTree:
    """A search of a tree by workers, which the loop runs like a kernel (`dlx.kernels.Finder`); the caller closes it.

    `kernel` is the one at the root: its target holds for all tasks, and its bound is lowered. `nodes` are the open
    nodes, the deepest ones last.
    """

    name = "branch_and_bound"

    def __init__(
        self, context: WorkerContext, workers: Workers, kernel: Any, nodes: list[OpenNode], loop: Loop
    ) -> None:
        from dlx.parallel.crew import Crew

        self._loop, self._kernel = loop, kernel
        self._buffer = np.full((0, context.room), -1, dtype=np.int32)
        self._crew: Crew[NodePiece, TaskResult] = Crew(workers, work, context, self._task, named=NodePiece.name)
        self._longest = PROGRAMMED if context.has_programs else SLICE
        self._pieces: dict[NodePiece, None] = {}  # all open ones, waiting or with a worker
        self.covers = self.nodes = self.updates = self.filled = 0
        self._push(nodes, FIRST_SLICE)

    def open(self) -> list[OpenNode]:
        """Returns the nodes that are open; those with workers as they were sent."""
        return [node for piece in self._pieces for node in piece.nodes]

    def fraction(self) -> float:
        return min(1.0, max(0.0, 1.0 - sum(node.share for node in self.open())))

    def found(self) -> Options:
        """Returns the covers that tasks have sent, in the form of `Finder.found`."""
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

    def _task(self, piece: NodePiece) -> NodeTask | None:
        """Returns the task of a piece with its part of the remaining limits; None if nothing remains."""
        flight: list[NodeTask] = [sent for _, sent in self._crew.flight.values()]
        remaining = self._loop.limits.max_nodes - self._loop.nodes - sum(sent.max_nodes for sent in flight)
        most = min(NODES, -(-remaining // max(1, self._crew.room())))
        return NodeTask(piece.nodes, self._kernel.target, most, piece.seconds) if most > 0 else None

    def _book(self, came: Iterable[tuple[NodePiece, TaskResult]]) -> None:
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
                self._kernel.node.limit_bound(max(piece.bound for piece in self._pieces))

    def _push(self, nodes: list[OpenNode], seconds: float) -> None:
        """Queues nodes before all waiting pieces, a few in each piece; at least two pieces if few are waiting."""
        waiting = self._crew.todo
        n = max(-(-len(nodes) // SENT), 2 if len(waiting) + len(self._crew.flight) < 2 * self._crew.jobs else 1)
        for k in range(n):
            if part := nodes[k::n]:
                piece = NodePiece(part, seconds)
                self._pieces[piece] = None
                waiting.appendleft(piece)
