"""The symmetries of a problem: the permutations of items and options that leave the problem unchanged.

A problem is represented by a graph whose vertices are items, options, and pairs of a secondary item with a colour; the
automorphisms of the graph are the symmetries.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Limits, Loop, Over, StoppedError, never, until
from dlx.problem.checks import frozen
from dlx.problem.problem import Problem, as_problem
from dlx.problem.roles import owners
from dlx.problem.words import shown
from dlx.symmetry.nauty import Graph, Nauty, Numbers

Permutation = npt.NDArray[np.int64]  # a permutation of options, items or points


class Numbering(NamedTuple):
    """A number for each option and each item: int32 arrays of shapes (n_options,) and (n_items,)."""

    options: npt.NDArray[np.int32]
    items: npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Symmetries:
    """A group of symmetries of a problem; `symmetries` finds the whole group.

    Attributes:
        order: the number of symmetries, with the identity; an int of any size.
        generators: symmetries that generate the group, each as two permutations: option o becomes `options[o]`, item i
            becomes `items[i]`.
        orbits: for each option and each item, the least member of its orbit.

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
        return f"Symmetries({shown(self.order)}, orbits of options: {orbits[0]}, of items: {orbits[1]})"


def symmetries(problem: Problem, *, timeout: float | None = None) -> Symmetries:
    """Finds all symmetries of a problem.

    A symmetry permutes items and options so that each option gets exactly the items of its image. Primary items stay
    primary and keep their multiplicities; options keep their weights and roles. The colours of a
    secondary item may be permuted, too. Exchanging equal options, or items with the same options, is also a
    symmetry.

    It takes milliseconds for hundreds of items and options, and seconds for thousands. With more than 300 vertices in
    the graph, nauty runs in a separate process, which a timeout or Ctrl-C can end.

    Parameters:
        problem: any problem.
        timeout: the seconds after which to stop.

    Returns:
        The group: its order, generators and orbits.

    Raises:
        ImportError: pynauty is not installed.
        ProblemError: the items, options and colours together are more than 32,768.
        TimeoutError: the timeout was reached.
        KeyboardInterrupt: Ctrl-C came first.
        MemoryError: nauty ran out of memory.
        TypeError: this is no problem, or the timeout is no number.
        ValueError: the timeout is negative.

    >>> from dlx import Problem
    >>> square = [(row, column) for row in range(4) for column in range(4)]
    >>> rooks = Problem.from_options([[("row", r), ("column", c)] for r, c in square])
    >>> symmetries(rooks)
    Symmetries(1152, orbits of options: 1, of items: 1)
    >>> symmetries(rooks.with_chosen([0])).order  # 2 * 3! * 3!
    72
    """
    problem = as_problem(problem)
    with Loop(Limits.of(timeout=timeout), raises=True) as loop, suppress(StoppedError), Nauty(loop.over) as nauty:
        loop.listen()  # for Ctrl-C while nauty works
        return Incidence(problem, nauty).symmetries()
    raise TimeoutError(f"{loop.stopped} came before the symmetries were found, after {loop.seconds:.3g} seconds")


class Incidence:
    """A problem as a graph: first a vertex for each item, then for each option, then for each colour of an item.

    An option is joined to its items; if it gives an item a colour, it is joined to the vertex of that colour instead,
    which is joined to the item. `numbers` distinguishes options and items further.

    Attributes:
        colours: a colour for each vertex, which symmetries preserve.
    """

    def __init__(self, problem: Problem, nauty: Nauty | None = None, numbers: Numbering | None = None) -> None:
        self.problem = problem
        self.nauty = nauty or Nauty()
        self.graph = Graph(*_drawn(problem), self.nauty)
        self.options = slice(problem.n_items, problem.n_items + problem.n_options)  # the vertices of options
        self.colours = _colours(problem, self.graph.size, self.options)
        if numbers is not None:
            self.colours = self._refined(np.concatenate([numbers.items, numbers.options]))

    def _refined(self, numbers: npt.NDArray[Any]) -> Numbers:
        """Returns the colours refined by numbers of the first vertices (items, then options)."""
        both = np.zeros((2, self.graph.size), dtype=np.int64)
        both[0], both[1, : len(numbers)] = self.colours, numbers
        return np.unique(both, axis=1, return_inverse=True)[1].ravel()

    def symmetries(self) -> Symmetries:
        generators, order, orbits = self.graph.automorphisms(self.colours)
        halves = [self._halves(each) for each in until(self.nauty.over, generators, 1)]
        return Symmetries(order, tuple(halves), self._halves(orbits))

    def order_of_kernel(self) -> int:
        """Returns the number of symmetries that fix every option."""
        numbers = np.maximum(np.arange(self.options.stop) - self.options.start, -1)  # items have -1
        return self.graph.automorphisms(self._refined(numbers))[1]

    def ends(self) -> list[list[int]]:
        """Returns for each option the vertices of its items and colours."""
        ends, items = self.graph.edges[1].tolist(), self.problem.indices.tolist()
        entries = until(self.nauty.over, pairwise(self.problem.indptr.tolist()))
        return [[*{*ends[a:b], *items[a:b]}] for a, b in entries]

    def _halves(self, vertices: Numbers) -> Numbering:
        first = self.options.start
        options = vertices[self.options] - first
        return Numbering(frozen(options.astype(np.int32)), frozen(vertices[:first].astype(np.int32)))


def _drawn(problem: Problem) -> tuple[int, Numbers]:
    """Returns the number of vertices of a problem's graph, and its edges; the entries come first, in order."""
    indices = problem.indices.astype(np.int64)
    options = problem.n_items + owners(problem.indptr)
    size = problem.n_items + problem.n_options
    if problem.colours is None:
        return size, np.stack([options, indices])
    coloured = problem.colours > 0
    pairs = np.stack([indices, problem.colours.astype(np.int64)])[:, coloured]
    different, which = np.unique(pairs, axis=1, return_inverse=True)
    vertices = size + np.arange(different.shape[1])
    ends = indices.copy()
    ends[coloured] = vertices[which.ravel()]
    return size + len(vertices), np.stack([np.append(options, vertices), np.append(ends, different[0])])


def _colours(problem: Problem, size: int, options: slice) -> Numbers:
    """Returns a number for each vertex; vertices that differ only in their edges have equal numbers."""
    facts = np.zeros((size, 4), dtype=np.int64)
    facts[: problem.n_primary, 0] = 1
    facts[options, 0] = 2
    facts[options.stop :, 0] = 3
    if problem.multiplicities is not None:
        facts[: problem.n_primary, 1:3] = problem.multiplicities
    if problem.weights is not None:
        facts[options, 1] = np.unique(problem.weights, return_inverse=True)[1]
    if problem.roles is not None:
        facts[options, 3] = problem.roles
    return np.unique(facts, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def orbits(images: Iterable[Permutation], n: int, over: Over = never) -> Permutation:
    """Returns for each of n points the least point of its orbit."""
    label, images = np.arange(n), list(images)
    while True:
        before = label.copy()
        for image in until(over, images, 1):
            label = np.minimum(label, label[image])
            label[image] = np.minimum(label[image], label)
        label = label[label]
        if np.array_equal(label, before):
            return label
