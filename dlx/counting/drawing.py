"""Searches that make a diagram of all covers: in layers, and by visits; `dlx.counting.portfolio` chooses."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dlx.counting.layers import AT_ONCE, LEAST, MOST, Layered
from dlx.engine.compiled import compiled_module
from dlx.engine.dispatch import build
from dlx.kernels import BUFFER_FULL, NODE
from dlx.problem.checks import MEMORY, UNLIMITED
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK, BUFFER

Arrays: TypeAlias = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint32]]
LINE = 8  # bytes of a line (an edge, or the heading of a node)
ROOT, END = 1, 1  # the number of the first state, and the node of the empty cover in a diagram

TREE_NODE, TREE_EDGE = 170, 8  # bytes in a tree of visited covers


class Drawing(Layered):
    """A search in layers that keeps its edges; its states stay in memory.

    The kernel (`dlx/kernels/count/layers.py`) drops a state after expanding it, but writes a line for the state and one
    for each of its edges. A state is expanded after all its parents, so in reverse order of the lines, children come
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
        """Doubles the room for states or lines; raises MemoryError if they would take more than `memory`."""
        kernel, lines = self._kernel, self._kernel.lines()
        states, n = kernel.capacity(), len(lines[0])
        if kernel.live == states:
            if states >= MOST // 2 or AT_ONCE * kernel.takes(2 * states) + LINE * n > self.memory:
                raise MemoryError
            kernel.load(kernel.states(), 2 * states)
        else:
            if n >= MOST // 2 or kernel.takes(states) + LINE * 3 * n > self.memory:
                raise MemoryError
            longer = [np.empty(2 * n, dtype=array.dtype) for array in lines]
            for new, old in zip(longer, lines, strict=True):
                new[:n] = old
            kernel.write_in(*longer)

    def diagram(self) -> Arrays:
        """Returns first_edge, edge_option and edge_child of a `Diagram`, after the search has ended."""
        kernel = self._kernel
        kernel.load(kernel.states(), LEAST)  # frees memory
        if kernel.ways() == ROOT:  # nothing has to be covered
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
                raise MemoryError
            begins = np.arange(len(option))
            begins[steps] = first[child[steps]]
            entries = np.arange(ends[-1]) + np.repeat(begins - ends[:-1], sizes)
            first, option, child = ends[first].astype(np.int32), option[entries], child[entries]
        return first, option, child


class CoverTree:
    """A search that visits each cover and merges equal subtrees."""

    covers = hits = 0

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

    @property
    def core_updates(self) -> int:
        """The steps in the core of the kernel."""
        return int(getattr(self._kernel, "core_updates", 0))

    def fraction(self) -> float:
        """Returns the fraction of the search tree that has been searched, from 0 to 1."""
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
            self._tree.add(kernel.found())
            kernel.filled = 0
            if self.bytes > self.memory or self._tree.n_edges >= MOST // 2:
                raise MemoryError
        return state

    def diagram(self) -> Arrays:
        """Returns the diagram of a search that has ended, as `Drawing.diagram` does."""
        arrays: Arrays = self._tree.arrays()
        return arrays
