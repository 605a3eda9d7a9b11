"""Searches for a diagram of all covers: in layers, by visiting each cover, and by both in turn.

Layers are fast where many covers lead through few states, visits where covers are few. `Race` works in turns and
measures work in nodes and updates, not by the clock, so the same call makes the same diagram.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.counting.course import MILLISECOND, Course, Turn
from dlx.counting.layers import AT_ONCE, LEAST, MOST, Layered
from dlx.engine.compiled import compiled_module
from dlx.engine.dispatch import build
from dlx.engine.limits import Over, never
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED, NODE
from dlx.problem.checks import MEMORY, UNLIMITED
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK, BUFFER

Arrays: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint32]]
Way: TypeAlias = "Visiting | Drawing"

LINE = 8  # bytes of a line
ROOT, END = 1, 1  # the number of the first state among all, and of the empty cover in a diagram

TREE_NODE, TREE_EDGE = 170, 8  # bytes of a node and of an edge in a tree
GROWTH = 0.5  # the expected work of layers grows as this power of the work done

FIRST = 10 * MILLISECOND  # work in visits before layers begin, and in each search before it can lose its share
PREPARING = 500  # nanoseconds to prepare layers for each item of an option
TURN = 5 * MILLISECOND  # least work of a turn
LONGER = 1 / 32  # a turn takes at least this part of all work so far
HOPELESS = 1e14  # nanoseconds, about a day: visits that are expected to take longer are no way to end
SHARE = 0.05  # the work of the slower search as a part of the work of the faster one


class Drawing(Layered):
    """A search in layers that keeps its edges; no state waits in a file.

    Its kernel (`dlx/kernels/count/layers.py`) forgets a state once it is expanded, but writes a line for the state and
    for each of its edges. A state is expanded after all those that lead to it: read backwards, the lines have children
    first.
    """

    name = "drawing"
    draws = True
    covers = 0

    @property
    def bytes(self) -> int:
        """The bytes that its states and lines take now."""
        return super().bytes + LINE * len(self._kernel.lines()[0])

    def _make_room(self) -> None:
        """Doubles the room for states or lines, or raises a MemoryError."""
        kernel, lines = self._kernel, self._kernel.lines()
        states, n = kernel.capacity(), len(lines[0])
        if kernel.live == states:
            fits = states < MOST // 2 and AT_ONCE * kernel.takes(2 * states) + LINE * n <= self.memory
            has_grown = fits and self._has_loaded(2 * states)
        else:
            fits = n < MOST // 2 and kernel.takes(states) + LINE * 3 * n <= self.memory
            has_grown = fits and self._has_lengthened(2 * n)
        if not has_grown:
            raise too_large(self.states, None if fits else self.memory)

    def _has_lengthened(self, n: int) -> bool:
        try:
            longer = [np.empty(n, dtype=array.dtype) for array in self._kernel.lines()]
        except MemoryError:
            return False
        for new, old in zip(longer, self._kernel.lines(), strict=True):
            new[: len(old)] = old
        self._kernel.write_in(*longer)
        return True

    def diagram(self) -> Arrays:
        """Returns the first edge of each node, and the options and nodes of the edges, of a search that has ended."""
        kernel = self._kernel
        kernel.load(kernel.states(), LEAST)  # which gives memory back
        if kernel.ways() == ROOT:  # there is nothing to cover
            return np.array([0, 0, 0, 1], np.int32), np.array([-1], np.int32), np.array([END], np.uint32)
        options, nodes = (array[: kernel.n_lines][::-1] for array in kernel.lines())
        headings = np.flatnonzero(options == NODE)
        first = np.concatenate([[0, 0, 0], headings - np.arange(len(headings))]).astype(np.int32)
        number = np.zeros(kernel.n_reached + 1, dtype=np.uint32)  # of each node in the diagram, 0 of a dead end
        number[nodes[headings]] = np.arange(2, len(first) - 1)
        number[kernel.ways()] = END
        is_edge = options != NODE
        option, child = np.append(self.plan.options, np.int32(-1))[options[is_edge]], number[nodes[is_edge]]
        arrays = self._without_steps(first, option, child)
        gone = np.zeros(self._rows.n_options, dtype=np.int8)
        pruned: Arrays = compiled_module("dlx.kernels.count.paths").Paths(*arrays).restricted(gone, -2)
        return pruned

    def _without_steps(self, *arrays: Any) -> Arrays:
        """Puts the edges of a node in place of an edge without an option that leads there, unless that ends a cover."""
        first, option, child = arrays
        while len(steps := np.flatnonzero((option < 0) & (child != END))):
            sizes = np.ones(len(option), dtype=np.int64)
            sizes[steps] = np.diff(first)[child[steps]]
            ends = np.append(0, np.cumsum(sizes))
            if ends[-1] >= MOST or LINE * ends[-1] > self.memory:
                raise too_large(self.states, self.memory)
            begins = np.arange(len(option))
            begins[steps] = first[child[steps]]
            entries = np.arange(ends[-1]) + np.repeat(begins - ends[:-1], sizes)
            first, option, child = ends[first].astype(np.int32), option[entries], child[entries]
        return first, option, child


class Visiting:
    """A search that visits each cover, and merges equal subtrees of its search tree."""

    covers = 0

    def __init__(self, problem: Problem, memory: int = MEMORY) -> None:
        levels = problem.max_level
        self._kernel: Any = build(problem, room=max(1, min(BLOCK, BUFFER // max(1, levels))))
        self._tree: Any = compiled_module("dlx.kernels.count.paths").Tree(levels, problem.n_options)
        self.name, self.memory = self._kernel.name, memory  # bytes

    @property
    def nodes(self) -> int:
        """The options tried."""
        return int(self._kernel.nodes)

    @property
    def updates(self) -> int:
        """The steps of the kernel."""
        return int(self._kernel.updates)

    def fraction(self) -> float:
        """Returns the part of the search tree behind it, from 0 to 1."""
        return float(self._kernel.fraction())

    @property
    def reached(self) -> int:
        """The options of covers that were added to the tree."""
        return int(self._tree.n_added)

    @property
    def states(self) -> int:
        """The nodes so far."""
        return int(self._tree.size())

    @property
    def bytes(self) -> int:
        """The bytes that its tree takes now."""
        return TREE_NODE * self.states + TREE_EDGE * int(self._tree.n_edges)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on until the search ends or a budget is spent; raises MemoryError if the tree takes too much."""
        kernel = self._kernel
        last_node, last_update = kernel.nodes + nodes, kernel.updates + updates
        state = BUFFER_FULL
        while state == BUFFER_FULL and kernel.nodes < last_node and kernel.updates < last_update:
            state = int(kernel.run(last_node - kernel.nodes, last_update - kernel.updates, UNLIMITED))
            try:
                self._tree.add(kernel.found())
            except MemoryError:
                raise too_large(self.states) from None
            kernel.filled = 0
            if self.bytes > self.memory or self._tree.n_edges >= MOST // 2:
                raise too_large(self.states, self.memory)
        return state

    def diagram(self) -> Arrays:
        """Returns the diagram of a search that has ended, as `Drawing.diagram` does."""
        arrays: Arrays = self._tree.arrays()
        return arrays


class Race:
    """Visits, and layers in turn with them if visits are expected to take long; the loop runs it (`Runnable`).

    The search that is expected to end first does most of the work. If both take too much memory together, the slower
    one is given up, and begins again if the faster one cannot end without its memory.
    """

    covers = 0

    def __init__(self, problem: Problem, memory: int, over: Over = never) -> None:
        self._problem, self._memory, self._over = problem, memory, over
        self._first = max(FIRST, PREPARING * len(problem.indices))  # nanoseconds of visits before layers begin
        self._waiting: list[type[Way]] = [Visiting, Drawing]  # searches that may still begin, the first one first
        self._is_short = False  # of memory: the searches run one after the other
        self._lack: MemoryError | None = None  # why a search was given up, or could not begin
        self._past = [0, 0]  # nodes and updates of searches that were given up
        self._courses: list[Course[Way]] = []
        self._begin()
        self._turn = self._next_turn()
        self._arrays: Arrays | None = None

    @property
    def nodes(self) -> int:
        """The options tried by all searches."""
        return self._past[0] + sum(course.way.nodes for course in self._courses)

    @property
    def updates(self) -> int:
        """The steps of all searches, each in its own measure."""
        return self._past[1] + sum(course.way.updates for course in self._courses)

    @property
    def states(self) -> int:
        """The nodes of the diagram that has most of them so far."""
        return max(course.way.states for course in self._courses)

    def fraction(self) -> float:
        """Returns the part behind the search that is expected to end first."""
        return 1.0 if self._arrays else self._ranked()[0].way.fraction()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Lets one of the searches go on within budgets; raises MemoryError if no other one can."""
        if self._turn.is_over():
            self._turn = self._next_turn()
        try:
            state = self._turn.run(nodes, updates, covers)
            if state == EXHAUSTED:
                self._arrays = self._turn.course.way.diagram()
        except MemoryError as error:
            self._make_room(error)
            return BUDGET_SPENT
        return state

    def diagram(self) -> Arrays:
        """Returns the diagram of the search that has ended, as `Drawing.diagram` does."""
        if self._arrays is None:
            raise RuntimeError("no search for a diagram has ended")
        return self._arrays

    def _begin(self) -> None:
        """Begins a search that waits; raises MemoryError if there are too many options or multiplicities for layers."""
        if self._waiting.pop(0) is Visiting:
            self._courses.append(Course(Visiting(self._problem, self._memory)))
        else:
            layers = Drawing(self._problem, self._memory, self._over, thorough=False)
            self._courses.append(Course(layers, growth=GROWTH))

    def _next_turn(self) -> Turn[Way]:
        """Returns the turn of the search that goes on, with the memory that the other one leaves."""
        if self._waiting and not self._is_short and self._is_long(self._courses[0]):
            try:
                self._begin()
            except MemoryError:
                self._lack = too_large(self.states)
        self._check_hope()
        first, *others = self._ranked()
        course = next((other for other in others if other.work < max(FIRST, SHARE * first.work)), first)
        course.way.memory = self._memory - sum(other.way.bytes for other in self._courses if other is not course)
        return Turn(course, max(TURN, LONGER * sum(some.work for some in self._courses)))

    def _is_long(self, visits: Course[Way]) -> bool:
        """Tells whether visits have taken some time and are expected to take as much again."""
        return visits.work >= self._first and visits.rest >= self._first

    def _ranked(self) -> list[Course[Way]]:
        """Returns the searches, the one that is expected to end first before the other."""
        return sorted(self._courses, key=lambda course: course.work + course.rest)

    def _check_hope(self) -> None:
        """Raises a MemoryError if layers have no room, and visits alone would take too long."""
        course, layers_may_begin = self._courses[0], self._waiting and not self._is_short
        alone = len(self._courses) == 1 and isinstance(course.way, Visiting) and not layers_may_begin
        if alone and course.work >= self._first and course.rest > HOPELESS:
            raise self._lack or too_large(self.states)

    def _make_room(self, error: MemoryError) -> None:
        """Gives up the slower search; if there was only one, begins with another or raises the error."""
        self._is_short, self._lack = True, error
        loser = self._ranked()[-1]
        self._courses.remove(loser)
        self._past = [self._past[0] + loser.way.nodes, self._past[1] + loser.way.updates]
        if self._courses:
            self._waiting.append(type(loser.way))
        elif self._waiting:
            try:
                self._begin()
            except MemoryError:
                raise error from None
        else:
            raise error
        self._turn = self._next_turn()


def too_large(nodes: int, memory: int | None = None) -> MemoryError:
    """Returns the error of a diagram that takes more than the bytes it may, or than there are."""
    limit = "more memory than there is" if memory is None else f"more than {memory} bytes"
    remedy = "raise `memory`, or use `count` for the number of covers"
    return MemoryError(f"the diagram takes {limit}: it has {nodes} nodes so far; {remedy}")
