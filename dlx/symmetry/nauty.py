"""Coloured graphs, their automorphisms and canonical forms: by B. McKay's nauty, which a limit or Ctrl-C can stop.

B. D. McKay, A. Piperno, Practical graph isomorphism II, J. Symb. Comput. 60 (2014), doi:10.1016/j.jsc.2013.09.003. The
package `pynauty`, which the extra `symmetry` installs, has it for Python.
"""

from __future__ import annotations

import pickle
import select
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from math import factorial, log, prod
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, look, never, until
from dlx.parallel import program
from dlx.problem.checks import ProblemError
from dlx.symmetry import nauty_worker, stabilisers

if TYPE_CHECKING:
    from subprocess import Popen

Numbers = npt.NDArray[np.int64]

SMALL = 300  # vertices: a smaller graph does not pay for a process, which begins in 25 ms; some of 1,000 took 9 s
WAIT = 20  # milliseconds between two checks of the limits while a process works
MOST_VERTICES = 1 << 15  # nauty keeps a bit for each pair of vertices: 128 MB
TOLERANCE = 1e-6  # of logarithms of an order, which are right to 1e-10: less than log(1 + 1 / MOST_VERTICES)


class Nauty:
    """The source of canonical forms and automorphisms for one search.

    nauty holds the interpreter's lock, and nothing stops it. So graphs that are not small go to a worker process, which
    begins with the first of them, and ends with `with` or with this process, or is killed when the search is over.
    Without a search to ask whether it is over, and if no process can be started, nauty works in this process.

    Attributes:
        over: tells whether the search is over.
    """

    def __init__(self, over: Over = never) -> None:
        self._package = nauty_worker.nauty()
        self.over = over
        self._is_apart = over is not never and hasattr(select, "poll")  # large graphs go to a process
        self._process: Popen[bytes] | None = None

    def __enter__(self) -> Nauty:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.over, self._is_apart = never, False
        self._kill()

    def certificate(self, graph: Any) -> bytes:
        """The adjacency matrix of the canonical form of a `plain_graph`."""
        if graph.number_of_vertices <= SMALL:  # as most are, and some take a few microseconds
            return self._package.certificate(graph)  # type: ignore[no-any-return]
        return self._ask("certificate", graph)  # type: ignore[no-any-return]

    def canon_label(self, graph: Any) -> list[int]:
        return self._ask("canon_label", graph)  # type: ignore[no-any-return]

    def autgrp(self, graph: Any) -> tuple[list[list[int]], float, int, list[int], int]:
        """Generators, the mantissa and the exponent of their group's order, the orbits, and how many there are."""
        return self._ask("autgrp", graph)  # type: ignore[no-any-return]

    def _ask(self, question: str, graph: Any) -> Any:
        """Asks nauty; raises StoppedError if the search is over, MemoryError if the process has been killed."""
        look(self.over)
        if graph.number_of_vertices > SMALL and self._is_apart:
            with suppress(OSError, EOFError, pickle.UnpicklingError):
                return self._answer(question, graph)
            self._is_apart = False  # no process begins, or it has ended early
        return getattr(self._package, question)(graph)

    def _answer(self, question: str, graph: Any) -> Any:
        try:
            if self._process is None:
                self._process = _begin()
            program.send(
                self._process, (question, graph.number_of_vertices, graph.adjacency_dict, graph.vertex_coloring)
            )
            answer: Any = self._process.stdout
            ready = select.poll()
            ready.register(answer, select.POLLIN)
            while not ready.poll(WAIT):
                look(self.over)
            error, result = pickle.load(answer)
        except (OSError, EOFError, pickle.UnpicklingError):
            killed = self._process is not None and self._process.wait() < 0
            self._kill()
            if killed:
                raise MemoryError(f"nauty was killed at a graph with {graph.number_of_vertices} vertices") from None
            raise
        except BaseException:
            self._kill()
            raise
        if error is not None:
            raise error
        return result

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            program.end(process)


def _begin() -> Popen[bytes]:
    return program.begin(nauty_worker.__file__)


class _Twins(NamedTuple):
    """The sets of twins, the graph with the first of each alone, its colours, and what each colour means."""

    parts: list[Numbers]
    graph: Graph
    colours: Numbers
    table: bytes


class Graph:
    """An undirected graph. Its methods take a colour for each vertex, which symmetries keep."""

    def __init__(self, size: int, edges: Numbers, nauty: Nauty | None = None) -> None:
        self._nauty = nauty or Nauty()
        if size > MOST_VERTICES:
            raise ProblemError(
                f"the problem has {size} items, options and colours; symmetries can be found of {MOST_VERTICES} at most"
            )
        self.size, self.edges = size, edges
        around = until(self._nauty.over, _neighbours(edges, size))
        self._graph = nauty_worker.plain_graph(size, {k: some for k, some in enumerate(around) if some})

    def automorphisms(self, colours: Numbers) -> tuple[list[Numbers], int, Numbers]:
        """Permutations that generate all, how many there are in all, and the least vertex of each vertex' orbit.

        *Twins* have the same colour and neighbours. nauty gets one of them: it takes 30 s for 3,000 twins.
        """
        twins = self._twins(colours)
        if twins is None:
            return self._group(colours)
        generators, order, orbits = twins.graph._group(twins.colours)
        lifted = [_lifted(image, twins.parts) for image in until(self._nauty.over, generators, 1)]
        exchanges = [each for part in until(self._nauty.over, twins.parts) for each in _exchanges(part, self.size)]
        least = np.full(len(orbits), self.size)
        np.minimum.at(least, orbits, [part[0] for part in twins.parts])
        of_all = np.empty(self.size, dtype=np.int64)
        sizes = [len(part) for part in twins.parts]
        of_all[np.concatenate(twins.parts)] = np.repeat(least[orbits], sizes)
        return lifted + exchanges, order * prod(map(factorial, sizes)), of_all

    def _twins(self, colours: Numbers) -> _Twins | None:
        """The graph without twins, or None if there are none."""
        both = self._neighbourhoods * (int(colours.max(initial=0)) + 1) + colours
        _, first, which = np.unique(both, return_index=True, return_inverse=True)
        if len(first) == self.size:
            return None
        parts = parted(which)
        kinds = np.stack([colours[first], [len(part) for part in parts]])
        table, shades = np.unique(kinds, axis=1, return_inverse=True)
        place = np.full(self.size, -1)
        place[first] = np.arange(len(first))
        ends = place[self.edges]
        graph = Graph(len(first), ends[:, (ends >= 0).all(axis=0)], self._nauty)
        return _Twins(parts, graph, shades.ravel(), table.tobytes())

    @cached_property
    def _neighbourhoods(self) -> Numbers:
        """A number for each vertex, the same for those with the same neighbours."""
        numbers: dict[tuple[int, ...], int] = {}
        both = np.concatenate([self.edges, self.edges[::-1]], axis=1)
        around = until(self._nauty.over, _neighbours(both, self.size))
        return np.array([numbers.setdefault(tuple(some), len(numbers)) for some in around], dtype=np.int64)

    def form(self, colours: Numbers) -> bytes:
        """The canonical form: the same for two coloured graphs just if they are isomorphic.

        It is the number of vertices of each colour, and the edges by the places of their ends in an order of the
        vertices that depends on the form alone; of twins only one is there. All of it is compared, never a hash.
        """
        twins = self._twins(colours)
        if twins is not None:
            return b"twins" + twins.table + twins.graph._labelled(twins.colours)
        return b"plain" + self._labelled(colours)

    def _labelled(self, colours: Numbers) -> bytes:
        self._graph.vertex_coloring = [part.tolist() for part in parted(colours)]
        place = np.empty(self.size, dtype=np.int64)
        place[self._nauty.canon_label(self._graph)] = np.arange(self.size)
        ends = np.sort(place[self.edges], axis=0)
        edges = np.sort(ends[0] * self.size + ends[1]).astype(np.int32)
        return np.bincount(colours).tobytes() + b"|" + edges.tobytes()

    def _group(self, colours: Numbers) -> tuple[list[Numbers], int, Numbers]:
        """As `automorphisms`, by nauty alone; the order is exact."""
        if not self.size:
            return [], 1, np.empty(0, dtype=np.int64)
        self._graph.vertex_coloring = [part.tolist() for part in parted(colours)]
        images, mantissa, exponent, orbits, _ = self._nauty.autgrp(self._graph)
        generators = [np.array(image, dtype=np.int64) for image in images]
        order = _order(generators, self.size, log(mantissa) + exponent * log(10))
        if order is None:  # no such generators have been seen
            order = stabilisers.order(generators, self._nauty.over)
        return generators, order, np.array(orbits, dtype=np.int64)


def _order(generators: list[Numbers], size: int, about: float) -> int | None:
    """The order of the group of some permutations, if they tell it; its logarithm is nearly known.

    Choose points b1, b2, ... so that the first generators, up to some number g1, fix all of them but b1, those up to g2
    all but b1 and b2, and so on. The order is at least the product of the lengths that the orbits of b1, b2, ... have
    under so many generators, since b2, b3, ... are fixed where the orbit of b1 is, and so on. If it is larger, then by
    a factor of 1 + 1 / size at least: this is how exact the logarithm has to be. nauty's first generators fix the most
    points (B. D. McKay, Practical graph isomorphism, Congressus Numerantium 30, 1981), so a generator that moves what
    none before it does begins a new part, and one of these points is chosen for it, the one with the longest orbit.
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
    """The place that stands for the set of place k, in a forest of sets by their parents."""
    while parents[k] != k:
        parents[k] = parents[parents[k]]
        k = parents[k]
    return k


def _lifted(image: Numbers, twins: list[Numbers]) -> Numbers:
    lifted = np.empty(sum(map(len, twins)), dtype=np.int64)
    lifted[np.concatenate(twins)] = np.concatenate([twins[other] for other in image.tolist()])
    return lifted


def _exchanges(some: Numbers, size: int) -> list[Numbers]:
    """Two permutations that generate all of some twins, or one or none: an exchange, and a cycle."""
    exchange, cycle = np.arange(size), np.arange(size)
    exchange[some[:2]] = some[:2][::-1]
    cycle[some] = np.roll(some, 1)
    return [exchange, cycle][: len(some) - 1]


def _neighbours(edges: Numbers, size: int) -> Iterator[list[int]]:
    """Yields, for each vertex, the other ends of the edges with it as their first end."""
    others = edges[1, np.argsort(edges[0] * size + edges[1])]
    ends = np.cumsum(np.bincount(edges[0], minlength=size)).tolist()
    return (others[a:b].tolist() for a, b in pairwise([0, *ends]))


def parted(numbers: Numbers) -> list[Numbers]:
    """Returns the places of each number, in the order of the numbers."""
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)
