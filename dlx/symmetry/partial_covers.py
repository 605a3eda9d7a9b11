"""Partial covers, what they are extended by, and their canonical forms.

An option that is the only live one of an item is chosen at once. This choice depends on the partial cover alone, so two
partial covers in one orbit are still in one orbit afterwards, and each keeps its covers.

Canonical forms come from a small graph on the points of the options, or from the graph of the whole problem.
In a Steiner triple system options are triples of points, and items are pairs. The chosen options are then a graph with
a vertex for each point, and one for each chosen triple; the 455 options and 105 items need not be in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from contextlib import suppress
from itertools import combinations, pairwise
from math import prod
from typing import NamedTuple

import numpy as np

from dlx.engine.limits import Over, never, until
from dlx.problem.checks import UNLIMITED, ProblemError
from dlx.problem.problem import Problem
from dlx.symmetry.forms import BitProblem, bits
from dlx.symmetry.groups import Incidence, Symmetries, orbits
from dlx.symmetry.nauty import Graph, Numbers
from dlx.symmetry.nauty_worker import plain_graph
from dlx.symmetry.points import Point, read_off

MOST_STEPS = 10_000_000  # points are not used if a check of their images takes more steps
MOST_INVARIANTS = 64  # options of a cover: invariants of more take longer than nauty
MOST_PAIRS = 1_000_000  # points are not used if options are about more pairs of them


class Partial(NamedTuple):
    """A partial cover."""

    chosen: tuple[int, ...]
    live: int  # the options that can still be chosen, as the bits of a whole number
    opened: int  # the items that it leaves open, as bits; 0 for a cover
    item: int  # the open item that is covered next


# Finds options of which each makes another orbit of partial covers, with the number of those like it.
Unlike = Callable[[Partial, list[int]], list[tuple[int, int]]]


class PartialCovers:
    """The partial covers of a problem without multiplicities, by what is left after the options that are chosen."""

    def __init__(self, problem: Problem, memory: int, over: Over = never) -> None:
        self._problem = BitProblem(problem.rows(), memory, over)
        self.nodes = 0  # options tried

    def root(self) -> Partial | None:
        """Returns the partial cover that all begin with, or None if there are no covers."""
        return self._with(Partial(tuple(self._problem.forced), self._problem.live, self._problem.open, -1), None)

    def extended(self, partial: Partial, unlike: Unlike) -> list[tuple[Partial | None, int]]:
        """Returns the extensions of a partial cover by the options of an item, one of each orbit with its size.

        An extension without covers may be None. Each cover is below one extension, and each extension has fewer live
        options than the partial cover.
        """
        options = list(bits(partial.live & self._problem.options[partial.item]))
        self.nodes += len(options)
        return [(self._with(partial, option), times) for option, times in unlike(partial, options)]

    def _with(self, partial: Partial, option: int | None) -> Partial | None:
        """Chooses an option, if any, and then what is the only option of an item; None, where an item has none."""
        problem, (chosen, live, opened, *_) = self._problem, partial
        while True:
            if option is not None:
                chosen = (*chosen, option)
                live, opened = live & ~problem.clashes[option], opened & ~problem.items[option]
            item, fewest = self._narrowest(live, opened)
            if not opened or fewest > 1:
                return Partial(chosen, live, opened, item)
            if not fewest:
                return None
            option = (live & problem.options[item]).bit_length() - 1

    def _narrowest(self, live: int, opened: int) -> tuple[int, int]:
        """The first open item with the fewest live options, or with one or none, and how many it has."""
        options, item, fewest = self._problem.options, -1, UNLIMITED
        for i in bits(opened):
            number = (live & options[i]).bit_count()
            if number < fewest:
                item, fewest = i, number
                if number < 2:
                    break
        return item, fewest


class WholeForms:
    """Canonical forms by the graph of the whole problem, which are sound for every problem."""

    def __init__(self, incidence: Incidence, symmetries: Symmetries) -> None:
        self._incidence, self._order = incidence, symmetries.order

    def of(self, chosen: tuple[int, ...]) -> bytes:
        """Returns a form that two partial covers share just if a symmetry makes one of the other."""
        return self._incidence.graph.form(self._colours(chosen))

    of_cover = of

    def size(self, cover: tuple[int, ...]) -> int:
        """Returns the number of covers in an orbit."""
        return self._order // self._incidence.graph.automorphisms(self._colours(cover))[1]

    def unlike(self, partial: Partial, options: list[int]) -> list[tuple[int, int]]:
        """Returns options that make partial covers of different orbits, each with the number of options like it."""
        orbits = self._incidence.graph.automorphisms(self._colours(partial.chosen))[2]
        mine = orbits[self._incidence.problem.n_items + np.array(options, dtype=np.int64)]
        _, first, sizes = np.unique(mine, return_index=True, return_counts=True)
        return [(options[k], size) for k, size in zip(first.tolist(), sizes.tolist(), strict=True)]

    def _colours(self, chosen: tuple[int, ...]) -> Numbers:
        colours = 2 * self._incidence.colours
        colours[self._incidence.problem.n_items + np.array(chosen, dtype=np.int64)] += 1
        return colours


class SmallForms:
    """Canonical forms by a graph on points, which options are about; a point is taken for the set of these options.

    The vertices are the points and, joined to its points, each chosen option. Two points are joined if an option has
    both; or if none has, where that makes fewer edges. This is sound under three conditions, which are checked.

    1. Each generator of the group of the problem makes points of points. Then the group acts on them, keeps their
       orbits, which are their colours, and the edges.
    2. Options that are not equal have different points. Let K be the kernel of the action of the group G on classes of
       equal options. A symmetry that moves no point maps each option to an equal one, so it is in K. A symmetry in K
       moves no point. So the group of the points is G/K.
    3. The graph on points has no more symmetries than G/K has. As it has all of these, its symmetries are just these.

    So let an isomorphism map the graph of one set of chosen options to that of another. It acts on the points as some
    symmetry of the problem does. That symmetry maps the first set to options with the same points as the second set:
    by condition 2 the second set, up to equal options. Chosen options are never equal, without multiplicities. The
    options that can still be chosen follow from the chosen ones.

    Vertices that have no edge are left out; how many of each colour there are is in the form. A ProblemError tells
    that a condition does not hold, or would take long to check.
    """

    def __init__(self, incidence: Incidence, symmetries: Symmetries, about: Sequence[Iterable[Hashable]]) -> None:
        self._nauty = incidence.nauty
        self._class, first = incidence.equal_options()
        self._times = Counter(self._class)
        points: dict[Hashable, set[int]] = defaultdict(set)
        for one, option in enumerate(until(self._nauty.over, first)):
            for point in about[option]:
                points[point].add(one)
        numbers = {sets: k for k, sets in enumerate(dict.fromkeys(frozenset(some) for some in points.values()))}
        self._points: list[list[int]] = [[] for _ in first]
        for sets, k in until(self._nauty.over, numbers.items()):
            for one in sets:
                self._points[one].append(k)
        if len(set(map(tuple, self._points))) < len(first):
            raise ProblemError("options that are not equal are about the same points")
        self._colours = self._orbits(numbers, first, symmetries)
        edges = self._edges(len(numbers))
        self._graph = Graph(len(numbers), edges, self._nauty)
        self._order = symmetries.order // incidence.order_of_kernel(self._class)
        if self._graph.automorphisms(self._colours)[1] != self._order:
            raise ProblemError("the graph on points has more symmetries than the problem")
        self._draw(edges)

    def _orbits(self, numbers: dict[frozenset[int], int], first: Sequence[int], symmetries: Symmetries) -> Numbers:
        """A number for each orbit of points."""
        if sum(map(len, numbers)) * len(symmetries.generators) > MOST_STEPS:
            raise ProblemError("it would take long to find out whether symmetries make points of points")
        images = []
        for generator in symmetries.generators:
            image = [self._class[o] for o in generator.options[list(first)].tolist()]
            of_point = np.arange(len(numbers))
            for sets, k in until(self._nauty.over, numbers.items()):
                other = numbers.get(frozenset(image[one] for one in sets))
                if other is None:
                    raise ProblemError("a symmetry makes something of a point that is none")
                of_point[k] = other
            images.append(of_point)
        return np.unique(orbits(images, len(numbers)), return_inverse=True)[1].astype(np.int64)

    def _edges(self, n: int) -> Numbers:
        """Two points for each edge."""
        if sum(len(some) ** 2 for some in self._points) > 2 * MOST_PAIRS:
            raise ProblemError("there are too many pairs of points")
        pairs = {pair for some in until(self._nauty.over, self._points) for pair in combinations(some, 2)}
        if len(pairs) > n * (n - 1) // 4:
            pairs = {*combinations(range(n), 2)} - pairs
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T

    def _draw(self, edges: Numbers) -> None:
        """Makes the part of the graph that is always there: the points that have edges."""
        joined = np.unique(edges).tolist()
        place = self._place = {point: k for k, point in enumerate(joined)}
        self._joined: dict[int, list[int]] = defaultdict(list)
        for one, other in edges.T.tolist():
            self._joined[place[one]].append(place[other])
        self._shade: list[int] = self._colours.tolist()
        self._cells: list[list[int]] = [[] for _ in range(max(self._shade, default=-1) + 1)]
        for point, k in place.items():
            self._cells[self._shade[point]].append(k)

    def of(self, chosen: tuple[int, ...]) -> bytes:
        return self._form(chosen, [0] * len(chosen))

    def of_cover(self, cover: tuple[int, ...]) -> bytes:
        return self._form(cover, self._invariants(cover))

    def _form(self, chosen: tuple[int, ...], invariants: list[int]) -> bytes:
        """Returns the canonical form of the graph, in which an invariant of a chosen option is its colour."""
        place, cells, shade = self._place.copy(), [cell.copy() for cell in self._cells], self._shade
        options = [self._points[self._class[option]] for option in chosen]
        for points in options:
            for point in points:
                if point not in place:
                    cells[shade[point]].append(len(place))
                    place[point] = len(place)
        neighbours = self._joined.copy()
        coloured: dict[int, list[int]] = {colour: [] for colour in sorted(set(invariants))}
        for k, (points, colour) in enumerate(zip(options, invariants, strict=True), start=len(place)):
            neighbours[k] = [place[point] for point in points]
            coloured[colour].append(k)
        cells += coloured.values()
        sizes = np.array([*coloured, -1, *map(len, cells)], dtype=np.int32).tobytes()
        size = len(place) + len(chosen)
        if not size:
            return sizes  # nauty needs a vertex
        return sizes + bytes(self._nauty.certificate(plain_graph(size, neighbours, [cell for cell in cells if cell])))

    def _invariants(self, cover: tuple[int, ...]) -> list[int]:
        """Returns for each option the number of cliques of four pairwise meeting options of the cover that it is in.

        Many covers are so regular that nauty tries many orders of the vertices. For a triple system of order 15 the
        invariants take 0.2 ms, and nauty 0.03 ms instead of 4 ms.
        """
        n = len(cover)
        if n > MOST_INVARIANTS:
            return [0] * n
        points = [self._points[self._class[option]] for option in cover]
        has = np.zeros((n, len(self._colours)), dtype=np.float32)
        has[np.repeat(np.arange(n), [len(some) for some in points]), [point for some in points for point in some]] = 1
        meet = (has @ has.T > 0).astype(np.float32)
        np.fill_diagonal(meet, 0)
        three = meet[:, :, None] * meet[:, None, :] * meet
        cliques: list[int] = (np.matmul(three, three) * three).sum(axis=(1, 2)).astype(np.int64).tolist()
        return cliques

    def size(self, cover: tuple[int, ...]) -> int:
        classes = [self._class[option] for option in cover]
        first, points = len(self._colours), [self._points[one] for one in classes]
        owners = np.repeat(np.arange(first, first + len(points)), [len(some) for some in points])
        edges = np.stack([owners, np.array([point for some in points for point in some], dtype=np.int64)])
        graph = Graph(first + len(points), np.concatenate([self._graph.edges, edges], 1), self._nauty)
        invariants = np.unique(self._invariants(cover), return_inverse=True)[1].astype(np.int64)
        colours = np.append(self._colours, len(self._cells) + invariants)
        return self._order // graph.automorphisms(colours)[1] * prod(self._times[one] for one in classes)

    def unlike(self, partial: Partial, options: list[int]) -> list[tuple[int, int]]:
        """One of each options that are equal: to find those that are like each other takes longer than their forms."""
        equal: dict[int, list[int]] = defaultdict(list)
        for option in options:
            equal[self._class[option]].append(option)
        return [(some[0], len(some)) for some in equal.values()]


Forms = WholeForms | SmallForms


def forms_of(incidence: Incidence, symmetries: Symmetries, points: list[list[Point]] | None = None) -> Forms:
    """Returns canonical forms by the smallest graph that is sound: on points, on items, or of the whole problem.

    Points of each primary item that the caller tells have to be sound; without them they are read off the names.
    """
    problem, over = incidence.problem, incidence.nauty.over
    items = [[i for i in problem.indices[a:b].tolist() if i < problem.n_primary] for a, b in pairwise(problem.indptr)]

    def small(points: list[list[Point]]) -> SmallForms:
        return SmallForms(incidence, symmetries, [{point for i in some for point in points[i]} for some in items])

    if points is not None:
        return small(points)
    names = problem.items
    with suppress(ProblemError):
        return small(read_off([[names[i] for i in some] for some in items], names[: problem.n_primary], over))
    with suppress(ProblemError):
        return SmallForms(incidence, symmetries, incidence.ends())
    return WholeForms(incidence, symmetries)
