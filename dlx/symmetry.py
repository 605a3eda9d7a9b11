"""The symmetries of a problem: the ways to exchange items and options that leave it what it is.

A problem is drawn as a graph whose vertices are items, options, and the pairs of a secondary item with a colour; its
automorphisms are the symmetries. B. McKay's nauty finds them (B. D. McKay, A. Piperno, Practical graph isomorphism II,
J. Symb. Comput. 60 (2014), doi:10.1016/j.jsc.2013.09.003), by way of `pynauty`, which the extra `symmetry` installs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.checks import ProblemError, frozen
from dlx.problem import Problem, as_problem
from dlx.roles import FREE

Numbers = npt.NDArray[np.int32]

MOST_VERTICES = 1 << 15  # nauty keeps a bit for each pair of vertices: 128 MB
EXACT = 10**10  # nauty counts in floating point, exactly below this
KINDS = 3  # of roles


class Numbering(NamedTuple):
    """A number for each option and one for each item: int32 arrays of shapes (n_options,) and (n_items,)."""

    options: Numbers
    items: Numbers


@dataclass(frozen=True, eq=False, slots=True)
class Symmetries:
    """The group of all symmetries of a problem; `symmetries` finds it.

    Attributes:
        order: how many there are, the identity included; an int of any size.
        generators: symmetries of which all others are made, each as two permutations: option o becomes option
            `options[o]`, item i becomes item `items[i]`.
        orbits: for each option the least one that it can become, and so for the items.

    >>> from dlx import Problem
    >>> found = symmetries(Problem.from_options(["ab", "bc", "cd", "da"]))
    >>> found.order, found.orbits.options.tolist(), found.orbits.items.tolist()
    (8, [0, 0, 0, 0], [0, 0, 0, 0])
    """

    order: int
    generators: tuple[Numbering, ...]
    orbits: Numbering

    def __repr__(self) -> str:
        orbits = [len(np.unique(numbers)) for numbers in self.orbits]
        return f"Symmetries({self.order}, {orbits[0]} orbits of options, {orbits[1]} of items)"


def symmetries(problem: Problem) -> Symmetries:
    """Finds all symmetries of a problem.

    A symmetry exchanges items and options so that each option gets just the items of the one that it becomes. Primary
    items remain primary and keep their multiplicities; options keep their weights, and remain chosen or left out. The
    colours of each secondary item may change places as well. Options that are equal, or items that the same options
    have, can be exchanged: that is a symmetry too.

    Parameters:
        problem: any problem.

    Returns:
        The group: its order, generators and orbits.

    Raises:
        ImportError: there is no pynauty.
        ProblemError: the problem is too large for it: the items, options and colours are more than 32768.
        TypeError: this is no problem.

    >>> from dlx import Problem
    >>> square = [(row, column) for row in range(4) for column in range(4)]
    >>> rooks = Problem.from_options([[("row", r), ("column", c)] for r, c in square])
    >>> symmetries(rooks)
    Symmetries(1152, 1 orbits of options, 1 of items)
    >>> symmetries(rooks.with_chosen([0])).order  # 2 * 3! * 3!
    72
    """
    return Graph(as_problem(problem)).symmetries()


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


class Graph:
    """A problem as a graph: first a vertex for each item, then for each option, then for each colour of an item.

    An option is joined to its items, or where it gives one a colour, to the vertex of that, which is joined to the item.
    Roles that a search has given to the options since can be told apart as well; without them, they are those of the
    problem.
    """

    def __init__(self, problem: Problem) -> None:
        self._nauty = nauty()
        self.n_items, self.n_options = problem.n_items, problem.n_options
        self._edges, self._size = _edges(problem)
        if self._size > MOST_VERTICES:
            raise ProblemError(
                f"the problem has {self._size} items, options and colours; the symmetries of at most {MOST_VERTICES} "
                "can be found"
            )
        self._kinds = _kinds(problem, self._size)
        self._n_kinds = int(self._kinds.max(initial=0)) + 1
        self._graph = self._nauty.Graph(self._size, adjacency_dict=_neighbours(self._edges))

    def symmetries(self, roles: npt.NDArray[np.int8] | None = None) -> Symmetries:
        """The symmetries that leave these roles as they are."""
        colours = self._colours(roles)
        generators, order, orbits = self._group(colours)
        halves = [self._halves(np.array(each, dtype=np.int32)) for each in generators]
        return Symmetries(order, tuple(halves), self._halves(orbits))

    def order(self, roles: npt.NDArray[np.int8] | None = None) -> int:
        """How many symmetries leave these roles as they are."""
        return self._group(self._colours(roles))[1]

    def orbits(self, roles: npt.NDArray[np.int8]) -> Numbers:
        """The orbits of the options under the symmetries that leave these roles as they are."""
        return self._halves(self._found(self._colours(roles))[3]).options

    def form(self, roles: npt.NDArray[np.int8]) -> bytes:
        """The canonical form of the problem with these roles: the same for two just if a symmetry makes one the other.

        It is the number of vertices of each colour, and the edges by the places of their ends in an order of the
        vertices that depends on the form alone.
        """
        colours = self._colours(roles)
        self._graph.set_vertex_coloring(_cells(colours))
        place = np.empty(self._size, dtype=np.int64)
        place[self._nauty.canon_label(self._graph)] = np.arange(self._size)
        ends = np.sort(place[self._edges], axis=0)
        counts = np.bincount(colours, minlength=self._n_kinds * KINDS)
        return counts.tobytes() + np.sort(ends[0] * self._size + ends[1]).astype(np.int32).tobytes()

    def _colours(self, roles: npt.NDArray[np.int8] | None) -> npt.NDArray[np.int64]:
        """The colour of each vertex: what may be exchanged has the same."""
        colours = self._kinds * KINDS
        colours[self.n_items : self.n_items + self.n_options] += FREE if roles is None else roles
        return colours

    def _group(self, colours: npt.NDArray[np.int64]) -> tuple[list[list[int]], int, Numbers]:
        """Generators, the order, and the least vertex of each orbit.

        The order is exact: while it is too large for nauty to count, a vertex is fixed, which divides it by the length
        of that vertex' orbit.
        """
        if not self._size:
            return [], 1, np.empty(0, dtype=np.int32)
        generators, mantissa, exponent, orbits = self._found(colours)
        order, of_all = 1, orbits
        while exponent or mantissa >= EXACT:
            lengths = np.bincount(orbits)
            order *= int(lengths.max())
            colours = 2 * colours
            colours[lengths.argmax()] += 1
            _, mantissa, exponent, orbits = self._found(colours)
        return generators, order * round(mantissa), of_all

    def _found(self, colours: npt.NDArray[np.int64]) -> tuple[list[list[int]], float, int, Numbers]:
        self._graph.set_vertex_coloring(_cells(colours))
        generators, mantissa, exponent, orbits, _ = self._nauty.autgrp(self._graph)
        return generators, mantissa, exponent, np.array(orbits, dtype=np.int32)

    def _halves(self, vertices: Numbers) -> Numbering:
        options = vertices[self.n_items : self.n_items + self.n_options] - np.int32(self.n_items)
        return Numbering(frozen(options), frozen(vertices[: self.n_items].copy()))


def _edges(problem: Problem) -> tuple[npt.NDArray[np.int64], int]:
    """The edges, an array of two rows, and how many vertices there are."""
    indices = problem.indices.astype(np.int64)
    options = problem.n_items + np.repeat(np.arange(problem.n_options), np.diff(problem.indptr))
    size = problem.n_items + problem.n_options
    if problem.colours is None:
        return np.stack([options, indices]), size
    coloured = problem.colours > 0
    pairs = np.stack([indices, problem.colours.astype(np.int64)])[:, coloured]
    different, which = np.unique(pairs, axis=1, return_inverse=True)
    vertices = size + np.arange(different.shape[1])
    ends = indices.copy()
    ends[coloured] = vertices[which.ravel()]
    return np.stack([np.append(options, vertices), np.append(ends, different[0])]), size + len(vertices)


def _kinds(problem: Problem, size: int) -> npt.NDArray[np.int64]:
    """A number for each vertex; the same for those that differ in nothing but their edges."""
    kinds = np.zeros((size, 4), dtype=np.float64)
    options = slice(problem.n_items, problem.n_items + problem.n_options)
    kinds[: problem.n_primary, 0] = 1
    kinds[options, 0] = 2
    kinds[options.stop :, 0] = 3
    if problem.multiplicities is not None:
        kinds[: problem.n_primary, 1:3] = problem.multiplicities
    if problem.implied is not None:
        kinds[: problem.n_items, 3] = problem.implied
    if problem.weights is not None:
        kinds[options, 1] = np.unique(problem.weights, return_inverse=True)[1]
    if problem.roles is not None:
        kinds[options, 3] = problem.roles
    return np.unique(kinds, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _neighbours(edges: npt.NDArray[np.int64]) -> dict[int, list[int]]:
    """The graph as pynauty takes it: each edge once."""
    lists: dict[int, list[int]] = {}
    for one, other in edges.T.tolist():
        lists.setdefault(one, []).append(other)
    return lists


def _cells(colours: npt.NDArray[np.int64]) -> list[set[int]]:
    """The vertices of each colour, in the order of the colours."""
    order = np.argsort(colours, kind="stable")
    steps = np.flatnonzero(np.diff(colours[order])) + 1
    return [set(part.tolist()) for part in np.split(order, steps)]
