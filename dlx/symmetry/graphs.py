"""Coloured graphs: their automorphisms and canonical forms, by B. McKay's nauty.

B. D. McKay, A. Piperno, Practical graph isomorphism II, J. Symb. Comput. 60 (2014), doi:10.1016/j.jsc.2013.09.003. The
package `pynauty`, which the extra `symmetry` installs, has it for Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.checks import ProblemError

Numbers = npt.NDArray[np.int64]

MOST_VERTICES = 1 << 15  # nauty keeps a bit for each pair of vertices: 128 MB
EXACT = 10**10  # nauty counts in floating point, exactly below this


def nauty() -> Any:
    """The package `pynauty`.

    Raises:
        ImportError: it has not been installed.

    >>> nauty().__name__
    'pynauty'
    """
    try:
        import pynauty
    except ImportError as error:
        raise ImportError(
            "symmetries are found by pynauty, which is not installed: pip install 'dancing-cover[symmetry]'",
            name="pynauty",
        ) from error
    return pynauty


def plain_graph() -> Any:
    """An undirected graph of pynauty's whose attributes are set as they are: to check them takes longer than nauty.

    >>> path = plain_graph()
    >>> path.number_of_vertices, path.adjacency_dict, path.vertex_coloring = 3, {0: [1], 1: [2]}, [[0, 2], [1]]
    >>> len(nauty().certificate(path))
    24
    """

    class PlainGraph(nauty().Graph):  # type: ignore[misc]
        adjacency_dict: dict[int, list[int]]
        vertex_coloring: list[list[int]]

        def __init__(self) -> None:
            self.directed = False

    PlainGraph.adjacency_dict = PlainGraph.vertex_coloring = None  # type: ignore[assignment]  # no longer properties
    return PlainGraph()


class Graph:
    """An undirected graph; what is asked of it is asked with a colour for each vertex, which a symmetry has to keep.

    Parameters:
        size: the number of vertices.
        edges: int64, shape (2, edges).

    Raises:
        ImportError: there is no pynauty.
        ProblemError: there are too many vertices.

    >>> square = Graph(4, np.array([[0, 1, 2, 3], [1, 2, 3, 0]]))
    >>> square.automorphisms(np.zeros(4, dtype=np.int64))[1], square.automorphisms(np.array([0, 1, 1, 1]))[1]
    (8, 2)
    >>> square.form(np.array([0, 1, 1, 1])) == square.form(np.array([1, 1, 0, 1]))
    True
    """

    def __init__(self, size: int, edges: Numbers) -> None:
        self._nauty = nauty()
        if size > MOST_VERTICES:
            raise ProblemError(
                f"the problem has {size} items, options and colours; symmetries can be found of {MOST_VERTICES} at most"
            )
        self.size, self.edges = size, edges
        lists: dict[int, list[int]] = {}
        for one, other in edges.T.tolist():
            lists.setdefault(one, []).append(other)
        self._graph = self._nauty.Graph(size, adjacency_dict=lists)

    def extended(self, neighbours: list[Numbers]) -> Graph:
        """The graph with more vertices, which have the numbers after the others and these neighbours."""
        larger = object.__new__(Graph)
        larger._nauty = self._nauty
        larger.size = self.size + len(neighbours)
        owners = np.repeat(np.arange(self.size, larger.size), [len(each) for each in neighbours])
        larger.edges = np.concatenate(
            [self.edges, np.stack([owners, np.concatenate([self.edges[0, :0], *neighbours])])], 1
        )
        larger._graph = self._nauty.Graph(larger.size)
        larger._graph.adjacency_dict.update(self._graph.adjacency_dict)  # as it is: to check it again takes long
        larger._graph.adjacency_dict.update(enumerate((each.tolist() for each in neighbours), start=self.size))
        return larger

    def automorphisms(self, colours: Numbers) -> tuple[list[list[int]], int, Numbers]:
        """Permutations that generate all, how many there are in all, and the least vertex of each vertex' orbit.

        The order is exact: while it is too large for nauty to count, a vertex is fixed, which divides it by the length
        of that vertex' orbit.
        """
        if not self.size:
            return [], 1, np.empty(0, dtype=np.int64)
        generators, mantissa, exponent, orbits = self._group(colours)
        order, of_all = 1, orbits
        while exponent or mantissa >= EXACT:
            lengths = np.bincount(orbits)
            order *= int(lengths.max())
            colours = 2 * colours
            colours[lengths.argmax()] += 1
            _, mantissa, exponent, orbits = self._group(colours)
        return generators, order * round(mantissa), of_all

    def orbits(self, colours: Numbers) -> Numbers:
        """The least vertex of each vertex' orbit."""
        return self._group(colours)[3]

    def form(self, colours: Numbers) -> bytes:
        """The canonical form: the same for two coloured graphs just if they are isomorphic.

        It is the number of vertices of each colour, and the edges by the places of their ends in an order of the
        vertices that depends on the form alone. The whole of it is kept and compared, never a hash.
        """
        self._graph.set_vertex_coloring(_cells(colours))
        place = np.empty(self.size, dtype=np.int64)
        place[self._nauty.canon_label(self._graph)] = np.arange(self.size)
        ends = np.sort(place[self.edges], axis=0)
        edges = np.sort(ends[0] * self.size + ends[1]).astype(np.int32)
        return np.bincount(colours).tobytes() + b"|" + edges.tobytes()

    def _group(self, colours: Numbers) -> tuple[list[list[int]], float, int, Numbers]:
        self._graph.set_vertex_coloring(_cells(colours))
        generators, mantissa, exponent, orbits, _ = self._nauty.autgrp(self._graph)
        return generators, mantissa, exponent, np.array(orbits, dtype=np.int64)


def _cells(colours: Numbers) -> list[set[int]]:
    """The vertices of each colour, in the order of the colours."""
    order = np.argsort(colours, kind="stable")
    steps = np.flatnonzero(np.diff(colours[order])) + 1
    return [set(part.tolist()) for part in np.split(order, steps)]
