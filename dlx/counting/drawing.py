"""Searches for a diagram of all covers: in layers, by visiting each cover, and by both in turn.

Layers are fast where many covers lead through few states, visits where covers are few. `Race` works in turns and
measures work in nodes and updates, not by the clock, so the same call makes the same diagram.
"""

from __future__ import annotations

from contextlib import suppress
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

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

EDGE = 28  # bytes that a tree takes for an edge and a node
FIRST_EDGES = 1 << 6  # edges for which a tree has room at the beginning
MOST_EDGES = 1 << 30  # edges of a tree: their numbers are int32

PRICES = {"bits": (20, 0.55), "links": (29, 2.5), "multi": (23, 9.5)}  # nanoseconds for a node and for an update
ROW, LEVEL = 200, 1  # nanoseconds to add a cover to a tree, and for each of its levels
MERGED = 400  # nanoseconds for a node of a tree
LAYERED = 200, 0.4, 100  # nanoseconds for a node, an update and a state in layers

NOTHING = 1e-100  # the part behind a search that has just begun
MILLISECOND = 1e6  # nanoseconds
FIRST = 5 * MILLISECOND  # work in visits before layers begin, and in each search before it can lose its share
PREPARING = 500  # nanoseconds to prepare layers for each item of an option
TURN = 5 * MILLISECOND  # work in a turn, at least
LONGER = 1 / 32  # a turn takes at least this part of all work so far
LEAST_SHARE, MOST_SHARE = 0.05, 0.3  # the work of the slower search as a part of the work of the faster one
LEAST_NODES, FRESH = 100, 10_000  # nodes in a turn, and nanoseconds for a node of a search that has had fewer


class Drawing(Layered):
    """A search in layers that keeps its edges; no state waits in a file.

    Its kernel (`dlx/kernels/merge/layers.py`) forgets a state once it is expanded, but writes a line for the state and
    for each of its edges. A state is expanded after all those that lead to it: read backwards, the lines have children
    first.
    """

    draws = True
    covers = 0

    @property
    def work(self) -> float:
        """About how many nanoseconds it has taken."""
        node, update, state = LAYERED
        return float(node * self.nodes + update * self.updates + state * (self.states + self.live))

    @property
    def expected_work(self) -> float:
        """About how many nanoseconds it will take in all, if the forecast grows as the square root of the work."""
        forecast = forecast_work(self)
        return forecast * forecast / max(1.0, self.work)

    @property
    def bytes(self) -> int:
        """The bytes that its states and lines take now."""
        return super().bytes + LINE * len(self._kernel.lines()[0])

    def _make_room(self) -> None:
        """Makes room for twice as many states or lines, or raises an error."""
        kernel, lines = self._kernel, self._kernel.lines()
        states, n = kernel.capacity(), len(lines[0])
        if kernel.live == states:
            fits = states < MOST // 2 and AT_ONCE * kernel.takes(2 * states) + LINE * n <= self.memory
            has_grown = fits and self._has_loaded(kernel.states(), 2 * states)
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
        pruned: Arrays = compiled_module("dlx.kernels.merge.paths").Paths(*arrays).restricted(gone, -2)
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

    name = property(attrgetter("_kernel.name"))
    nodes = property(attrgetter("_kernel.nodes"))
    updates = property(attrgetter("_kernel.updates"))
    states = property(attrgetter("_tree.n_nodes"))  # merged so far

    def __init__(self, problem: Problem, memory: int = MEMORY) -> None:
        levels = problem.max_level
        self._kernel: Any = build(problem, room=max(1, min(BLOCK, BUFFER // max(1, levels))))
        self._tree: Any = compiled_module("dlx.kernels.merge.paths").Tree(levels, problem.n_options, FIRST_EDGES)
        self._row = ROW + LEVEL * levels  # nanoseconds for a cover
        self.memory = memory  # bytes

    @property
    def bytes(self) -> int:
        """The bytes that its tree takes now."""
        return EDGE * int(self._tree.capacity())

    @property
    def work(self) -> float:
        """About how many nanoseconds it has taken."""
        node, update = PRICES[self.name]
        searched = node * self.nodes + update * self.updates
        return float(searched + self._row * self._kernel.covers + MERGED * self.states)

    @property
    def expected_work(self) -> float:
        """About how many nanoseconds it will take in all."""
        return forecast_work(self)

    def fraction(self) -> float:
        """Returns the part of the search tree behind it, from 0 to 1."""
        return float(self._kernel.fraction())

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on until the search ends or a budget of nodes or updates is spent; raises MemoryError."""
        kernel = self._kernel
        last_node, last_update = kernel.nodes + nodes, kernel.updates + updates
        state = BUFFER_FULL
        while state == BUFFER_FULL and kernel.nodes < last_node and kernel.updates < last_update:
            state = int(kernel.run(last_node - kernel.nodes, last_update - kernel.updates, UNLIMITED))
            rows, done = kernel.found(), 0
            while (done := self._tree.add(rows, done)) < len(rows):
                self._make_room()
            kernel.filled = 0
        while state == EXHAUSTED and not self._tree.end():
            self._make_room()
        return state

    def _make_room(self) -> None:
        edges = self._tree.capacity()
        if edges >= MOST_EDGES or 3 * EDGE * edges > self.memory:  # old and new arrays are there at the same time
            raise too_large(self.states, self.memory)
        try:
            self._tree.grow(2 * edges)
        except MemoryError:
            raise too_large(self.states) from None

    def diagram(self) -> Arrays:
        """Returns the diagram of a search that has ended, as `Drawing.diagram` does."""
        arrays: Arrays = self._tree.arrays()
        return arrays


class Race:
    """Visits, and layers in turn with them if visits are expected to take long; the loop runs it (`Runnable`).

    The search that is expected to end first does most of the work. The other one does a part of that, which is smaller
    the longer this search is expected to take. If both take too much memory together, the slower one is given up, and
    begins again if the faster one cannot end without its memory.
    """

    covers = 0

    def __init__(self, problem: Problem, memory: int, over: Over = never) -> None:
        self._problem, self._memory, self._over = problem, memory, over
        self._first = max(FIRST, PREPARING * len(problem.indices))  # nanoseconds of visits before layers begin
        self._waiting: list[type[Way]] = [Drawing]  # searches that may still begin
        self._ways: list[Way] = [self._begun(Visiting)]
        self._is_short = False  # of memory: the searches run one after the other
        self._way, self._end = self._ways[0], 0  # the search whose turn it is, and the node at which the turn ends
        self._past = [0, 0]  # nodes and updates of searches that were given up
        self._arrays: Arrays | None = None

    @property
    def nodes(self) -> int:
        """The options tried by all searches."""
        return self._past[0] + sum(int(way.nodes) for way in self._ways)

    @property
    def updates(self) -> int:
        """The steps of all searches, each in its own measure."""
        return self._past[1] + sum(int(way.updates) for way in self._ways)

    @property
    def states(self) -> int:
        """The nodes of the diagram that has most of them so far."""
        return max((int(way.states) for way in self._ways), default=0)

    def fraction(self) -> float:
        """Returns the part behind the search that is expected to end first."""
        return 1.0 if self._arrays else self._ranked()[0].fraction()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Lets one of the searches go on within budgets; raises MemoryError if no other one can."""
        if self._way.nodes >= self._end:
            self._begin_turn()
        way = self._way
        try:
            state = way.run(min(nodes, self._end - way.nodes), updates, covers)
            if state == EXHAUSTED:
                self._arrays = way.diagram()
        except MemoryError as error:
            self._make_room(error)
            return BUDGET_SPENT
        return state

    def diagram(self) -> Arrays:
        """Returns the diagram of the search that has ended, as `Drawing.diagram` does."""
        if self._arrays is None:
            raise RuntimeError("no search for a diagram has ended")
        return self._arrays

    def _begun(self, kind: type[Way]) -> Way:
        """Returns a new search."""
        if kind is Visiting:
            return Visiting(self._problem, self._memory)
        return Drawing(self._problem, self._memory, self._over, thorough=False)

    def _begin_turn(self) -> None:
        """Chooses the search that goes on, and for how many nodes."""
        if self._waiting and not self._is_short and self._is_long(self._ways[0]):
            with suppress(MemoryError):  # there are too many options for layers, or an item is covered too often
                self._ways.append(self._begun(self._waiting.pop()))
        self._way = way = self._next()
        way.memory = self._memory - sum(other.bytes for other in self._ways if other is not way)
        turn = max(TURN, sum(some.work for some in self._ways) * LONGER)
        each = way.work / way.nodes if way.nodes >= LEAST_NODES else FRESH
        self._end = way.nodes + max(LEAST_NODES, int(turn / each))

    def _is_long(self, visits: Way) -> bool:
        """Tells whether visits have taken some time and are expected to take as much again."""
        return visits.work >= self._first and visits.expected_work >= visits.work + self._first

    def _next(self) -> Way:
        """Returns the search that is expected to end first, or the other one if that is behind its share."""
        first, *others = self._ranked()
        for other in others:
            share = min(MOST_SHARE, max(LEAST_SHARE, first.expected_work / other.expected_work))
            if other.work < max(FIRST, share * first.work):
                return other
        return first

    def _ranked(self) -> list[Way]:
        """Returns the searches, the one that is expected to end first before the other."""
        return sorted(self._ways, key=attrgetter("expected_work"))

    def _make_room(self, error: MemoryError) -> None:
        """Gives up the slower search; if there was only one, begins with another or raises the error."""
        self._is_short = True
        loser = self._ranked()[-1]
        self._ways.remove(loser)
        self._past = [self._past[0] + loser.nodes, self._past[1] + loser.updates]
        if self._ways:
            self._waiting.append(type(loser))
        else:
            if not self._waiting:
                raise error
            with suppress(MemoryError):
                self._ways.append(self._begun(self._waiting.pop()))
            if not self._ways:
                raise error
        self._begin_turn()


def forecast_work(way: Way) -> float:
    """Returns about how many nanoseconds a search will take in all, by the part behind it."""
    return way.work / max(way.fraction(), NOTHING)


def too_large(nodes: int, memory: int | None = None) -> MemoryError:
    """Returns the error of a diagram that takes more than the bytes it may, or than there are."""
    limit = "more memory than there is" if memory is None else f"more than {memory} bytes"
    remedy = "raise `memory`, or use `count` for the number of covers"
    return MemoryError(f"the diagram takes {limit}: it has {nodes} nodes so far; {remedy}")
