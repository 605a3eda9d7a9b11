"""Automorphisms and canonical forms of coloured graphs, by B. McKay's nauty, which a limit or Ctrl-C can stop.

B. D. McKay, A. Piperno, Practical graph isomorphism II, J. Symb. Comput. 60 (2014), doi:10.1016/j.jsc.2013.09.003. The
Python package `pynauty` wraps it; the extra `symmetry` installs `pynauty`.
"""

from __future__ import annotations

import pickle
import select
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from math import log
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, check_limits, never, until
from dlx.problem.checks import ProblemError
from dlx.symmetry import nauty_worker, stabilisers

if TYPE_CHECKING:
    from subprocess import Popen

Numbers = npt.NDArray[np.int64]

# Vertices. Smaller graphs run in this process: a process takes 25 ms to start. Some graphs of 1,000 vertices took 9 s.
SMALL = 300
WAIT = 20  # milliseconds between two checks of the limits while the process works
MOST_VERTICES = 1 << 15  # nauty needs a bit for each pair of vertices, 128 MB
TOLERANCE = 1e-6  # for log(order), whose error is 1e-10; less than log(1 + 1 / MOST_VERTICES)


class Nauty:
    """Runs nauty for one search.

    nauty holds the interpreter lock, and cannot be stopped. So large graphs go to a worker process. It starts with the
    first large graph, ends with `with` or with this process, and is killed when the search is over. Without an `over`,
    or if no process can be started, nauty runs in this process.

    Attributes:
        over: returns whether the search is over.
    """

    def __init__(self, over: Over = never) -> None:
        self.over = over
        self._is_apart = over is not never and hasattr(select, "poll")  # whether large graphs go to a process
        self._process: Popen[bytes] | None = None

    def __enter__(self) -> Nauty:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.over, self._is_apart = never, False
        self._kill()

    @cached_property
    def _package(self) -> Any:
        """The package pynauty, imported at its first use; raises ImportError."""
        return nauty_worker.nauty()

    def certificate(self, graph: Any) -> bytes:
        """Returns the adjacency matrix of the canonical form of a `plain_graph`."""
        if graph.number_of_vertices <= SMALL:  # the usual case, which may take only microseconds
            return self._package.certificate(graph)  # type: ignore[no-any-return]
        return self._call("certificate", graph)  # type: ignore[no-any-return]

    def canon_label(self, graph: Any) -> list[int]:
        return self._call("canon_label", graph)  # type: ignore[no-any-return]

    def autgrp(self, graph: Any) -> tuple[list[list[int]], float, int, list[int], int]:
        """Returns generators, mantissa and exponent of the order, orbits, and the number of orbits."""
        return self._call("autgrp", graph)  # type: ignore[no-any-return]

    def _call(self, function: str, graph: Any) -> Any:
        """Calls nauty; raises StoppedError if the search is over, MemoryError if the process ended."""
        check_limits(self.over)
        here = getattr(self._package, function)
        if graph.number_of_vertices > SMALL and self._is_apart and self._process is None:
            try:
                self._process = _begin()
            except OSError:  # no process can be started
                self._is_apart = False
        if graph.number_of_vertices <= SMALL or self._process is None:
            return here(graph)
        try:
            error, result = _answer(self._process, self.over, function, graph)
        except (OSError, EOFError, pickle.UnpicklingError):
            self._kill()
            raise MemoryError(f"nauty was killed on a graph with {graph.number_of_vertices} vertices") from None
        except BaseException:
            self._kill()
            raise
        if error is not None:
            raise error
        return result

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError), process:  # closing the pipe cannot flush unread data
                pass


def _begin() -> Popen[bytes]:
    """Starts the worker process, which gets no Ctrl-C from the terminal; raises OSError if there is no Python."""
    import subprocess  # imported here: it takes 5 ms, and few searches need another process

    # A frozen program would start itself again and again.
    python = "" if getattr(sys, "frozen", False) else sys.executable or ""
    return subprocess.Popen(
        [python, "-S", nauty_worker.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _answer(process: Popen[bytes], over: Over, function: str, graph: Any) -> Any:
    """Returns the error, or None, and the result of the worker process; raises StoppedError, OSError, EOFError."""
    question: Any = process.stdin
    answer: Any = process.stdout
    paths = [place for place in sys.path if isinstance(place, str)]
    pickle.dump((paths, function, graph.number_of_vertices, graph.adjacency_dict, graph.vertex_coloring), question)
    question.flush()
    ready = select.poll()
    ready.register(answer, select.POLLIN)
    while not ready.poll(WAIT):
        check_limits(over)
    return pickle.load(answer)


class Graph:
    """An undirected graph. Its methods take a colour for each vertex, which symmetries preserve."""

    def __init__(self, size: int, edges: Numbers, nauty: Nauty | None = None) -> None:
        self._nauty = nauty or Nauty()
        if size > MOST_VERTICES:
            raise ProblemError(
                f"the problem has {size} items, options and colours; symmetries need at most {MOST_VERTICES}"
            )
        self.size, self.edges = size, edges
        around = until(self._nauty.over, _neighbours(edges, size))
        self._graph = nauty_worker.plain_graph(size, {k: some for k, some in enumerate(around) if some})

    def automorphisms(self, colours: Numbers) -> tuple[list[Numbers], int, Numbers]:
        """Returns generators, the order of the group, and the least vertex of each vertex's orbit."""
        if not self.size:
            return [], 1, np.empty(0, dtype=np.int64)
        self._graph.vertex_coloring = [part.tolist() for part in parted(colours)]
        images, mantissa, exponent, orbits, _ = self._nauty.autgrp(self._graph)
        generators = [np.array(image, dtype=np.int64) for image in images]
        order = _order(generators, self.size, log(mantissa) + exponent * log(10))
        if order is None:  # has not happened so far
            order = stabilisers.order(generators, self._nauty.over)
        return generators, order, np.array(orbits, dtype=np.int64)

    def form(self, colours: Numbers) -> bytes:
        """Returns the canonical form, which is equal for two coloured graphs iff they are isomorphic.

        It has the number of vertices of each colour, and the edges in a canonical numbering of the vertices. It is the
        whole form, never a hash.
        """
        self._graph.vertex_coloring = [part.tolist() for part in parted(colours)]
        place = np.empty(self.size, dtype=np.int64)
        place[self._nauty.canon_label(self._graph)] = np.arange(self.size)
        ends = np.sort(place[self.edges], axis=0)
        edges = np.sort(ends[0] * self.size + ends[1]).astype(np.int32)
        return np.bincount(colours).tobytes() + b"|" + edges.tobytes()


def _order(generators: list[Numbers], size: int, about: float) -> int | None:
    """Returns the order of the group that some permutations generate, given its logarithm; None if not found.

    Choose points b1, b2, ... so that the first g1 generators fix all of b1, b2, ... but b1, the first g2 all but b1 and
    b2, and so on. The order is at least the product of the orbit lengths of b1, b2, ... under these generators, since
    b2, b3, ... are fixed while b1 moves in its orbit, and so on. If the order is larger, it is so by a factor of at
    least 1 + 1 / size: the logarithm has to be exact to that. nauty's first generators fix the most points
    (B. D. McKay, Practical graph isomorphism, Congressus Numerantium 30, 1981). So a generator that moves new points
    begins a new part; of the new points, the one with the longest orbit is chosen.
    """
    orbit, length = list(range(size)), [1] * size
    moved = np.zeros(size, dtype=np.bool_)
    fresh: list[int] = []
    order = 1
    for image in generators:
        moves = np.flatnonzero(image != np.arange(size))
        if len(new := moves[~moved[moves]]):
            order *= max((length[root(orbit, point)] for point in fresh), default=1)
            fresh = new.tolist()
        moved[moves] = True
        for one, other in zip(moves.tolist(), image[moves].tolist(), strict=True):
            one, other = root(orbit, one), root(orbit, other)
            if one != other:
                orbit[other] = one
                length[one] += length[other]
    order *= max((length[root(orbit, point)] for point in fresh), default=1)
    return order if abs(log(order) - about) < TOLERANCE else None


def root(parents: list[int], k: int) -> int:
    """Returns the root of k in a union-find forest."""
    while parents[k] != k:
        parents[k] = parents[parents[k]]
        k = parents[k]
    return k


def _neighbours(edges: Numbers, size: int) -> Iterator[list[int]]:
    """Yields for each vertex the second ends of the edges whose first end it is."""
    others = edges[1, np.argsort(edges[0] * size + edges[1])]
    ends = np.cumsum(np.bincount(edges[0], minlength=size)).tolist()
    return (others[a:b].tolist() for a, b in pairwise([0, *ends]))


def parted(numbers: Numbers) -> list[Numbers]:
    """Returns the positions of each distinct number, by ascending number."""
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)
