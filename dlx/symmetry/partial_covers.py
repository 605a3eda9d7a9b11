"""Partial covers, their extensions, and their canonical forms.

If an item has a single live option, the option is chosen at once. The choice depends on the partial cover alone, so two
partial covers in one orbit stay in one orbit, and each keeps its covers.

Canonical forms come from a small graph on the points of the options, or from the graph of the whole problem. In a
Steiner triple system, options are triples of points, and items are pairs. The small graph has a vertex for each point
and for each chosen triple; for 15 points, the graph of the whole problem has one for each of 455 options and 105 items.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from dlx.engine.limits import Over, never, until
from dlx.problem.checks import UNLIMITED, ProblemError
from dlx.problem.problem import Problem
from dlx.symmetry.forms import BitProblem, bits
from dlx.symmetry.groups import Incidence, Symmetries, orbits
from dlx.symmetry.nauty import Graph, Numbers
from dlx.symmetry.nauty_worker import plain_graph
from dlx.symmetry.points import read_off

MOST_INVARIANTS = 64  # options of a cover; for larger covers, invariants take longer than nauty
MOST_PAIRS = 1_000_000  # points are not used if options have more pairs of points in all


class Partial(NamedTuple):
    """A partial cover."""

    chosen: tuple[int, ...]
    live: int  # the options that can still be chosen, as bits
    opened: int  # the open items, as bits; 0 for a cover
    item: int  # the open item to be covered next


class PartialCovers:
    """The tree of partial covers of a problem without multiplicities."""

    def __init__(self, problem: Problem, memory: int, over: Over = never) -> None:
        self._problem = BitProblem(problem.rows(), memory, over)

    def root(self) -> Partial | None:
        """Returns the partial cover at the root; None if there are no covers."""
        return self.extended(Partial(tuple(self._problem.forced), self._problem.live, self._problem.open, -1), None)

    def options(self, partial: Partial) -> list[int]:
        """Returns the live options of a partial cover's item."""
        return list(bits(partial.live & self._problem.options[partial.item]))

    def extended(self, partial: Partial, option: int | None) -> Partial | None:
        """Returns a partial cover extended by an option and by forced options; None if an item then has no option.

        Each cover below the partial cover is below exactly one of its extensions, which all have fewer live options.
        """
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
        """Returns the first open item with fewer than two live options, or else with the fewest, and their number."""
        options, item, fewest = self._problem.options, -1, UNLIMITED
        for i in bits(opened):
            number = (live & options[i]).bit_count()
            if number < fewest:
                item, fewest = i, number
                if number < 2:
                    break
        return item, fewest


class WholeForms:
    """Canonical forms from the graph of the whole problem, sound for every problem."""

    def __init__(self, incidence: Incidence, symmetries: Symmetries) -> None:
        self._incidence, self._order = incidence, symmetries.order

    def of(self, chosen: tuple[int, ...]) -> bytes:
        """Returns a form that two partial covers share iff a symmetry maps one to the other."""
        return self._incidence.graph.form(self._colours(chosen))

    of_cover = of

    def size(self, cover: tuple[int, ...]) -> int:
        """Returns the size of the orbit of a cover."""
        return self._order // self._incidence.graph.automorphisms(self._colours(cover))[1]

    def unlike(self, partial: Partial, options: list[int]) -> list[tuple[int, int]]:
        """Returns options that lead to different orbits, each with the number of equivalent options."""
        orbits = self._incidence.graph.automorphisms(self._colours(partial.chosen))[2]
        mine = orbits[self._incidence.problem.n_items + np.array(options, dtype=np.int64)]
        _, first, sizes = np.unique(mine, return_index=True, return_counts=True)
        return [(options[k], size) for k, size in zip(first.tolist(), sizes.tolist(), strict=True)]

    def _colours(self, chosen: tuple[int, ...]) -> Numbers:
        colours = 2 * self._incidence.colours
        colours[self._incidence.problem.n_items + np.array(chosen, dtype=np.int64)] += 1
        return colours


class SmallForms:
    """Canonical forms from a graph on points; a point is represented by the set of options that have it.

    The vertices are the points and the chosen options, each joined to its points. Two points are joined if an option
    has both; or, if this makes fewer edges, if none has both. This is sound under three conditions, which are checked:

    1. Each generator of the problem's group maps points to points. Then the group acts on the points, and preserves
       their orbits (their colours) and the edges.
    2. Options have different sets of points. Let K be the group of symmetries that fix every option. A symmetry fixes
       every point iff it is in K. So the group induced on the points is G/K, where G is the problem's group.
    3. The graph on points has no more symmetries than G/K. It has all of G/K, so its group is exactly G/K.

    Let an isomorphism map the graph of one set of chosen options to the graph of another. It acts on the points as some
    symmetry of the problem. That symmetry maps the first set to options with the same points as the second set, hence,
    by condition 2, to the second set. The chosen options determine the options that can still be chosen.

    Isolated vertices are omitted; the form has the number of the other vertices of each colour. ProblemError means that
    a condition does not hold, or that there are too many pairs of points.
    """

    def __init__(self, incidence: Incidence, symmetries: Symmetries, points_of: Sequence[Iterable[Hashable]]) -> None:
        self._nauty = incidence.nauty
        points: dict[Hashable, set[int]] = defaultdict(set)
        for option, some in enumerate(until(self._nauty.over, points_of)):
            for point in some:
                points[point].add(option)
        numbers = {sets: k for k, sets in enumerate(dict.fromkeys(frozenset(some) for some in points.values()))}
        self._points: list[list[int]] = [[] for _ in points_of]  # the points of each option
        for sets, k in until(self._nauty.over, numbers.items()):
            for option in sets:
                self._points[option].append(k)
        if len(set(map(tuple, self._points))) < len(points_of):
            raise ProblemError("different options have the same points")
        self._colours = self._orbits(numbers, symmetries)
        edges = self._edges(len(numbers))
        self._graph = Graph(len(numbers), edges, self._nauty)
        self._order = symmetries.order // incidence.order_of_kernel()
        if self._graph.automorphisms(self._colours)[1] != self._order:
            raise ProblemError("the graph on points has more symmetries than the problem")
        self._draw(edges)

    def _orbits(self, numbers: dict[frozenset[int], int], symmetries: Symmetries) -> Numbers:
        """Returns for each point the number of its orbit."""
        images = []
        for generator in symmetries.generators:
            image = generator.options.tolist()
            of_point = np.arange(len(numbers))
            for sets, k in until(self._nauty.over, numbers.items()):
                other = numbers.get(frozenset(image[option] for option in sets))
                if other is None:
                    raise ProblemError("a symmetry does not map points to points")
                of_point[k] = other
            images.append(of_point)
        return np.unique(orbits(images, len(numbers)), return_inverse=True)[1].astype(np.int64)

    def _edges(self, n: int) -> Numbers:
        """Returns the edges, shape (2, edges)."""
        if sum(len(some) ** 2 for some in self._points) > 2 * MOST_PAIRS:
            raise ProblemError(f"the options have more than {MOST_PAIRS} pairs of points in all")
        pairs = {pair for some in until(self._nauty.over, self._points) for pair in combinations(some, 2)}
        if len(pairs) > n * (n - 1) // 4:
            pairs = {*combinations(range(n), 2)} - pairs
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T

    def _draw(self, edges: Numbers) -> None:
        """Prepares the part of the graph common to all forms: the points with edges."""
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
        """Returns the canonical form of the graph; chosen options are coloured by their invariants."""
        place, cells, shade = self._place.copy(), [cell.copy() for cell in self._cells], self._shade
        options = [self._points[option] for option in chosen]
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
        """Returns for each option of the cover 6 times the number of sets of it and 3 others that meet pairwise.

        For very regular covers, nauty has to try many vertex orders. For a triple system of order 15, the invariants
        take 0.2 ms, and nauty then 0.03 ms instead of 4 ms.
        """
        n = len(cover)
        if n > MOST_INVARIANTS:
            return [0] * n
        points = [self._points[option] for option in cover]
        has = np.zeros((n, len(self._colours)), dtype=np.float32)
        has[np.repeat(np.arange(n), [len(some) for some in points]), [point for some in points for point in some]] = 1
        meet = (has @ has.T > 0).astype(np.float32)
        np.fill_diagonal(meet, 0)
        three = meet[:, :, None] * meet[:, None, :] * meet
        cliques: list[int] = (np.matmul(three, three) * three).sum(axis=(1, 2)).astype(np.int64).tolist()
        return cliques

    def size(self, cover: tuple[int, ...]) -> int:
        first, points = len(self._colours), [self._points[option] for option in cover]
        owners = np.repeat(np.arange(first, first + len(points)), [len(some) for some in points])
        edges = np.stack([owners, np.array([point for some in points for point in some], dtype=np.int64)])
        graph = Graph(first + len(points), np.concatenate([self._graph.edges, edges], 1), self._nauty)
        invariants = np.unique(self._invariants(cover), return_inverse=True)[1].astype(np.int64)
        colours = np.append(self._colours, len(self._cells) + invariants)
        return self._order // graph.automorphisms(colours)[1]

    def unlike(self, partial: Partial, options: list[int]) -> list[tuple[int, int]]:
        """Returns all options, since computing forms takes less time than finding equivalent options."""
        return [(option, 1) for option in options]


Forms = WholeForms | SmallForms


def forms_of(incidence: Incidence, symmetries: Symmetries) -> Forms:
    """Returns canonical forms from the smallest sound graph: on points, on items, or of the whole problem."""
    problem, over = incidence.problem, incidence.nauty.over
    items = [[i for i in problem.indices[a:b].tolist() if i < problem.n_primary] for a, b in pairwise(problem.indptr)]
    names = problem.items
    with suppress(ProblemError):
        points = read_off([[names[i] for i in some] for some in items], names[: problem.n_primary], over)
        return SmallForms(incidence, symmetries, [{point for i in some for point in points[i]} for some in items])
    with suppress(ProblemError):
        return SmallForms(incidence, symmetries, incidence.ends())
    return WholeForms(incidence, symmetries)
