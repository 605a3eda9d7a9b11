"""Searches that make a diagram of all covers: in layers, by visits, and by both in turns.

Layers are fast if many covers share few states, visits if covers are few. `Race` works in turns and measures work in
nodes and updates, not in time, so the same call makes the same diagram.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.counting.course import MILLISECOND, Course, Turn
from dlx.counting.layers import AT_ONCE, LEAST, MOST, Layered, check_multiplicities
from dlx.engine.compiled import compiled_module
from dlx.engine.dispatch import build
from dlx.engine.limits import Over, never
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED, NODE
from dlx.problem.checks import MEMORY, UNLIMITED, ProblemError
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK, BUFFER

Arrays: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint32]]
Method: TypeAlias = "Visiting | Drawing"

LINE = 8  # bytes of a line (an edge, or the heading of a node)
ROOT, END = 1, 1  # the number of the first state among all, and of the empty cover in a diagram

TREE_NODE, TREE_EDGE = 170, 8  # bytes in a tree of visited covers

FIRST = 10 * MILLISECOND  # work of visits before layers begin; least work of a search before it can lose its share
PREPARING = 500  # nanoseconds to prepare layers for each item of an option
TURN = 5 * MILLISECOND  # least work of a turn
LONGER = 1 / 32  # least work of a turn, as a part of all work so far
SHARE = 0.05  # work of the slower search per work of the faster one


class Drawing(Layered):
    """A search in layers that keeps its edges; its states stay in memory.

    The kernel (`dlx/kernels/count/layers.py`) drops a state after expanding it, but writes a line for the state and
    one for each of its edges. A state is expanded after all its parents: read backwards, the lines have children
    first.
    """

    name = "drawing"
    draws = True
    covers = 0

    @property
    def bytes(self) -> int:
        """The bytes of its states and lines."""
        return super().bytes + LINE * len(self._kernel.lines()[0])

    def _make_room(self) -> None:
        """Doubles the room for states or lines; raises MemoryError."""
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
        """Returns first_edge, edge_option and edge_child of a `Diagram`, after the search has ended."""
        kernel = self._kernel
        kernel.load(kernel.states(), LEAST)  # frees memory
        if kernel.ways() == ROOT:  # there is nothing to cover
            return np.array([0, 0, 0, 1], np.int32), np.array([-1], np.int32), np.array([END], np.uint32)
        options, nodes = (array[: kernel.n_lines][::-1] for array in kernel.lines())
        headings = np.flatnonzero(options == NODE)
        first = np.concatenate([[0, 0, 0], headings - np.arange(len(headings))]).astype(np.int32)
        number = np.zeros(kernel.n_reached + 1, dtype=np.uint32)  # each state's node in the diagram; 0: dead end
        number[nodes[headings]] = np.arange(2, len(first) - 1)
        number[kernel.ways()] = END
        is_edge = options != NODE
        option, child = np.append(self.plan.options, np.int32(-1))[options[is_edge]], number[nodes[is_edge]]
        arrays = self._without_steps(first, option, child)
        gone = np.zeros(self._rows.n_options, dtype=np.int8)
        pruned: Arrays = compiled_module("dlx.kernels.count.paths").Paths(*arrays).restricted(gone, -2)
        return pruned

    def _without_steps(self, *arrays: Any) -> Arrays:
        """Replaces each edge without an option, except to END, by the edges of the node below it."""
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
    """A search that visits each cover and merges equal subtrees."""

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
        """The options added to the tree."""
        return int(self._tree.n_added)

    @property
    def states(self) -> int:
        """The nodes of the tree."""
        return int(self._tree.size())

    @property
    def bytes(self) -> int:
        """The estimated bytes of the tree."""
        return TREE_NODE * self.states + TREE_EDGE * int(self._tree.n_edges)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues until the search ends or a budget is spent; raises MemoryError if the tree is too large."""
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
    """Visits covers, in turns with layers if visits are expected to take long; a `Runnable` for the loop.

    The search that is expected to end first does most of the work. A search out of memory is given up, and the other
    one goes on.
    """

    covers = 0

    def __init__(self, problem: Problem, memory: int, over: Over = never) -> None:
        self._problem, self._memory, self._over = problem, memory, over
        self._first = max(FIRST, PREPARING * len(problem.indices))  # nanoseconds of visits before layers begin
        self._courses: list[Course[Method]] = [Course(Visiting(problem, memory))]
        self._may_draw = True  # whether layers may still begin
        self._past = [0, 0]  # nodes and updates of abandoned searches
        self._turn = self._next_turn()
        self._arrays: Arrays | None = None

    @property
    def nodes(self) -> int:
        """The options tried by all searches, with abandoned ones."""
        return self._past[0] + sum(course.search.nodes for course in self._courses)

    @property
    def updates(self) -> int:
        """The steps of all searches, each in its own measure."""
        return self._past[1] + sum(course.search.updates for course in self._courses)

    @property
    def states(self) -> int:
        """The nodes of the larger diagram so far."""
        return max((course.search.states for course in self._courses), default=0)

    def fraction(self) -> float:
        """Returns the fraction done of the search that is expected to end first."""
        return 1.0 if self._arrays else self._ranked()[0].search.fraction()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Continues one of the searches within budgets; raises MemoryError if none has room."""
        if self._turn.is_over():
            self._turn = self._next_turn()
        try:
            state = self._turn.run(nodes, updates, covers)
            if state == EXHAUSTED:
                self._arrays = self._turn.course.search.diagram()
        except MemoryError as error:
            self._give_up(error)
            return BUDGET_SPENT
        return state

    def diagram(self) -> Arrays:
        """Returns the arrays of the search that has ended, as `Drawing.diagram` does."""
        if self._arrays is None:
            raise RuntimeError("no search for a diagram has ended")
        return self._arrays

    def _begin_layers(self) -> None:
        """Begins layers; raises MemoryError or ProblemError if they cannot hold the options or multiplicities."""
        self._may_draw = False
        self._courses.append(Course(Drawing(self._problem, self._memory, self._over)))

    def _next_turn(self) -> Turn[Method]:
        """Returns the next turn; its search gets the memory that the other search does not use."""
        if self._may_draw and self._is_long(self._courses[0]):
            with suppress(MemoryError, ProblemError):
                self._begin_layers()
        first, *others = self._ranked()
        course = next((other for other in others if other.work < max(FIRST, SHARE * first.work)), first)
        course.search.memory = self._memory - sum(other.search.bytes for other in self._courses if other is not course)
        return Turn(course, max(TURN, LONGER * sum(some.work for some in self._courses)))

    def _is_long(self, visits: Course[Method]) -> bool:
        """Returns whether visits have taken `_first` of work, and are expected to take as much again."""
        return visits.work >= self._first and visits.rest >= self._first

    def _ranked(self) -> list[Course[Method]]:
        """Returns the searches by expected end, the first to end first."""
        return sorted(self._courses, key=lambda course: course.work + course.rest)

    def _give_up(self, error: MemoryError) -> None:
        """Abandons the search that exceeded its memory; if none is left, begins layers or raises the error."""
        lost = self._turn.course
        self._courses.remove(lost)
        self._past = [self._past[0] + lost.search.nodes, self._past[1] + lost.search.updates]
        if not self._courses:
            check_multiplicities(self._problem)
            if not self._may_draw:
                raise error
            try:
                self._begin_layers()
            except MemoryError:
                raise error from None
        self._turn = self._next_turn()


def too_large(nodes: int, memory: int | None = None) -> MemoryError:
    """Returns the error of a diagram that exceeds `memory`, or the memory of the machine."""
    limit = "more memory than there is" if memory is None else f"more than {memory} bytes"
    remedy = "raise memory, or only count the covers"
    return MemoryError(f"the diagram takes {limit}: it has {nodes} nodes so far; {remedy}")
