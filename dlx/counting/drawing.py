"""A search in layers that keeps its edges, for a diagram of all covers.

Its kernel (`dlx/kernels/merge/layers.py`) forgets a state once it is expanded, but writes a line for it and for each of
its edges. A state is expanded after all those that lead to it: read backwards, the lines have children first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.counting.layers import AT_ONCE, LEAST, MOST, Layered
from dlx.engine.compiled import compiled_module
from dlx.kernels import NODE

Arrays = tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint32]]

LINE = 8  # bytes
ROOT, END = 1, 1  # the number of the first state among all, and of the empty cover in a diagram


class Drawing(Layered):
    """A search in layers for a diagram; no state waits in a file."""

    draws = True
    covers = 0

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
            raise self._lack("more memory than there is" if fits else f"more than {self.memory} bytes")

    def _lack(self, of: str) -> MemoryError:
        return MemoryError(f"the diagram takes {of}: it has {self.states} nodes so far")

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
        """Returns the diagram of a search that has ended, as `Merging.diagram` does; raises MemoryError."""
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
                raise self._lack(f"more than {self.memory} bytes")
            begins = np.arange(len(option))
            begins[steps] = first[child[steps]]
            entries = np.arange(ends[-1]) + np.repeat(begins - ends[:-1], sizes)
            first, option, child = ends[first].astype(np.int32), option[entries], child[entries]
        return first, option, child
