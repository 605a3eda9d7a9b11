"""Partial covers, what they are extended by, and their canonical forms.

Options that are the only ones left for an item are chosen at once: what they are depends on nothing else. So what two
partial covers come to is of one kind if they are, and has the covers that they have.

Their forms are those of a small graph on what the options are about, or of that of the whole problem.
In a Steiner triple system options are triples of points, and items are pairs. The chosen options are then a graph with
a vertex for each point, and one for each chosen triple; the 455 options and 105 items need not be in it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, pairwise
from math import prod
from typing import NamedTuple

import numpy as np

from dlx.engine.dispatch import build
from dlx.engine.limits import Over, never, until
from dlx.kernels import EXHAUSTED
from dlx.problem.checks import UNLIMITED, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT, owners
from dlx.symmetry.forms import Left, bits
from dlx.symmetry.groups import ROLES, Incidence, Roles, Symmetries, orbits
from dlx.symmetry.nauty import Graph, Numbers
from dlx.symmetry.nauty_worker import plain_graph
from dlx.symmetry.points import found, read_off

SHORT = 100  # nodes of a search below a partial cover that ends without extending it, if it finds one cover at most:
# with 2,000 nodes and 8 covers, Latin squares of order 6 and triple systems of order 13 took 1.5 to 2 times as long

MOST_STEPS = 10_000_000  # for finding out whether points are sound, beyond which they are not used
MOST_PAIRS = 1_000_000  # of points that options are about, beyond which they are not used either
MOST_HINTED = 64  # chosen options, for which hints are worth what they take
MOST_OPTIONS = 2_000  # for which hints are looked for in the whole graph,
MOST_FRIENDS = 50  # of an option, on the average
BITS = np.array([number.bit_count() for number in range(256)], dtype=np.uint8)


class Partial(NamedTuple):
    """A partial cover."""

    chosen: tuple[int, ...]
    live: int  # the options that can still be chosen, as the bits of a whole number
    opened: int  # the items that it leaves, as bits; 0 for a cover
    item: int  # the one of them that is covered next
    rest: Roles | None = None  # the role of each option, where that does not follow from what is chosen

    def roles(self, n_options: int) -> Roles:
        """The role of each option."""
        if self.rest is not None:
            return self.rest
        roles = np.full(n_options, LEFT_OUT, dtype=np.int8)
        roles[list(bits(self.live))] = FREE
        roles[list(self.chosen)] = CHOSEN
        return roles


# Finds options of which each makes another kind of partial cover, with the number of those like it.
Unlike = Callable[[Partial, list[int]], list[tuple[int, int]]]


class Sets:
    """The partial covers of a problem without multiplicities: what is left follows from what is chosen."""

    def __init__(self, problem: Problem, memory: int, over: Over = never) -> None:
        self._left = Left(problem.rows(), memory, over)
        self.nodes = 0  # options tried

    def root(self) -> Partial | None:
        """The partial cover that all begin with, or None: there are no covers."""
        return self._with(Partial(tuple(self._left.forced), self._left.live, self._left.open, -1), None)

    def extended(self, partial: Partial, unlike: Unlike, /) -> list[tuple[Partial | None, int]]:
        """Extends a partial cover that is no cover, or returns None if it has no covers; and the size of its orbit.

        Each cover is below one of them, and each has fewer live options than the partial cover.
        """
        options = list(bits(partial.live & self._left.options[partial.item]))
        self.nodes += len(options)
        return [(self._with(partial, option), times) for option, times in unlike(partial, options)]

    def ceiling(self, partial: Partial, /) -> int:
        """Returns the number of live options at most in what a partial cover is extended to."""
        left, live = self._left, partial.live
        clashes = [live & left.clashes[option] for option in bits(live & left.options[partial.item])]
        return live.bit_count() - min(map(int.bit_count, clashes))

    def _with(self, partial: Partial, option: int | None) -> Partial | None:
        """Chooses an option, if any, and then what is the only option of an item; None, where an item has none."""
        left, (chosen, live, opened, *_) = self._left, partial
        while True:
            if option is not None:
                chosen, live, opened = (*chosen, option), live & ~left.clashes[option], opened & ~left.items[option]
            item, fewest = self._narrowest(live, opened)
            if not opened or fewest > 1:
                return Partial(chosen, live, opened, item)
            if not fewest:
                return None
            option = (live & left.options[item]).bit_length() - 1

    def _narrowest(self, live: int, opened: int) -> tuple[int, int]:
        """The first open item with the fewest live options, or with one or none, and how many it has."""
        options, item, fewest = self._left.options, -1, UNLIMITED
        for i in bits(opened):
            number = (live & options[i]).bit_count()
            if number < fewest:
                item, fewest = i, number
                if number < 2:
                    break
        return item, fewest


class Multisets:
    """The partial covers of any problem: others than those that clash may have been left out."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        n = self._n = problem.n_primary
        branches = np.zeros(problem.n_items, dtype=np.bool_)
        branches[:n] = True if problem.implied is None else ~problem.implied[:n]
        keep = branches[problem.indices]
        self._items = problem.indices[keep]
        self._owners = owners(problem.indptr)[keep]
        self._least = self._most = np.ones(n, dtype=np.int64)
        if problem.multiplicities is not None:
            self._least, self._most = problem.multiplicities.T.astype(np.int64)
        self.nodes = 0  # options tried

    def root(self) -> Partial | None:
        return _partial(self._problem)

    def extended(self, partial: Partial, unlike: Unlike, /) -> list[tuple[Partial | None, int]]:
        problem = replace(self._problem, roles=partial.rest)
        choices = self._choices(problem._roles())
        kernel = build(problem, room=2)
        state = kernel.run(SHORT if choices else UNLIMITED, UNLIMITED, 2)
        self.nodes += kernel.nodes
        if choices and state != EXHAUSTED:
            return list(self._choosing(partial, problem, unlike, *choices))
        covers = [tuple(o for o in cover if o >= 0) for cover in kernel.found().tolist()]
        return [(Partial(cover, 0, 0, -1), 1) for cover in covers]

    def ceiling(self, partial: Partial, /) -> int:
        return partial.live.bit_count() - 1

    def _choices(self, roles: Roles) -> tuple[list[int], bool, bool] | None:
        """The options of an item with the fewest, whether at most one can be chosen, and whether none need be."""
        free = roles[self._owners] == FREE
        times = np.bincount(self._items[roles[self._owners] == CHOSEN], minlength=self._n)
        options = np.bincount(self._items[free], minlength=self._n)
        undecided = np.flatnonzero((options > 0) & (times < self._most))
        if not len(undecided):
            return None
        item = undecided[(options - (times >= self._least))[undecided].argmin()]
        once = times[item] + 1 == self._most[item]
        return self._owners[free & (self._items == item)].tolist(), bool(once), bool(times[item] >= self._least[item])

    def _choosing(
        self, partial: Partial, problem: Problem, unlike: Unlike, options: list[int], once: bool, none: bool
    ) -> Iterator[tuple[Partial, int]]:
        """Returns the result of each choice for an item of a partial cover."""
        self.nodes += len(options) + none
        if none:
            yield _partial(problem.without(options)), 1
        if once:  # then each option leaves out the others, and those in one orbit give the same
            for option, times in unlike(partial, options):
                yield _partial(problem.with_chosen([option])), times
        else:
            for option in options:
                yield _partial(problem.with_chosen([option])), 1
                problem = problem.without([option])


def _partial(rest: Problem) -> Partial:
    """A partial cover that leaves open what only its problem tells."""
    roles = rest._roles()
    live = int.from_bytes(np.packbits(roles == FREE, bitorder="little").tobytes(), "little")
    return Partial(tuple(np.flatnonzero(roles == CHOSEN).tolist()), live, 1, -1, roles)


Tree = Sets | Multisets


class WholeForms:
    """Canonical forms by the graph of the whole problem, which are always right."""

    def __init__(self, incidence: Incidence, symmetries: Symmetries) -> None:
        self._incidence, self._order = incidence, symmetries.order

    def of(self, partial: Partial, /) -> bytes:
        """A form that two partial covers share just if a symmetry makes one the other."""
        return self._incidence.graph.form(self._colours(partial))

    def of_cover(self, cover: tuple[int, ...], /) -> bytes:
        """The same for covers, and sooner where one is a regular structure: nauty is told which options are unlike.

        A triple system of order 15 took 6 ms instead of 56. Any hint would do that is the same for options that a
        symmetry makes of each other.
        """
        incidence, roles = self._incidence, self._roles_of_cover(cover)
        colours = incidence.colours(roles)
        counts = np.bincount(colours, minlength=ROLES * (int(incidence.kinds.max(initial=0)) + 1))
        hinted = colours * (incidence.problem.n_options + 1)
        hints = _friendships(incidence.problem, roles)
        hinted[incidence.options] += np.unique(hints, return_inverse=True)[1].ravel()
        return counts.tobytes() + incidence.graph.form(np.unique(hinted, return_inverse=True)[1].ravel())

    def size(self, cover: tuple[int, ...], /) -> int:
        """Returns the number of covers of a kind."""
        incidence = self._incidence
        return self._order // incidence.graph.automorphisms(incidence.colours(self._roles_of_cover(cover)))[1]

    def unlike(self, partial: Partial, options: list[int], /) -> list[tuple[int, int]]:
        """Options of which each makes another kind of partial cover, and how many of those given are like it."""
        orbits = self._incidence.graph.automorphisms(self._colours(partial))[2]
        mine = orbits[self._incidence.problem.n_items + np.array(options, dtype=np.int64)]
        _, first, sizes = np.unique(mine, return_index=True, return_counts=True)
        return [(options[k], size) for k, size in zip(first.tolist(), sizes.tolist(), strict=True)]

    def _colours(self, partial: Partial) -> Numbers:
        return self._incidence.colours(partial.roles(self._incidence.problem.n_options))

    def _roles_of_cover(self, cover: Sequence[int]) -> Roles:
        """The roles that the problem has, where the options of a cover are chosen."""
        roles = self._incidence.problem._roles()
        roles[list(cover)] = CHOSEN
        return roles


def _friendships(problem: Problem, roles: Roles) -> Numbers:
    """A number for each option, from what those that are not chosen share with a cover, or 0 for each.

    Two options are friends if two chosen ones or more have primary items of both. The friends that two friends have in
    common are counted, and the squares summed for each option.
    """
    n = problem.n_options
    if problem.multiplicities is not None or n > MOST_OPTIONS:
        return np.zeros(n, dtype=np.int64)
    owner = owners(problem.indptr)
    primary = problem.indices < problem.n_primary
    taken = primary & (roles[owner] == CHOSEN)
    by = np.full(problem.n_items, -1)  # the option of the cover that has an item
    by[problem.indices[taken]] = owner[taken]
    meets = primary & (roles[owner] != CHOSEN) & (by[problem.indices] >= 0)
    met = np.zeros((n, n), dtype=np.float32)
    met[owner[meets], by[problem.indices[meets]]] = 1
    met = met[:, roles == CHOSEN]
    friends = met @ met.T >= 2
    np.fill_diagonal(friends, False)
    one, other = np.nonzero(friends)
    if len(one) > MOST_FRIENDS * n:
        return np.zeros(n, dtype=np.int64)
    rows = np.packbits(friends, axis=1)
    common = BITS[rows[one] & rows[other]].sum(axis=1, dtype=np.int64)
    return np.bincount(one, weights=common**2, minlength=n).astype(np.int64)


class SmallForms:
    """Canonical forms by a graph on points, which options are about; a point is taken for the set of these options.

    The vertices are the points and, joined to its points, each chosen option. Two points are joined if an option has
    both; or if none has, where that makes fewer edges. This is sound under three conditions, which are checked.

    1. Each generator of the group of the problem makes points of points. Then the group acts on them, keeps their
       orbits, which are their colours, and the edges.
    2. Options are about different points unless they are equal. Then a symmetry that moves no point makes of each
       option one that equals it: it is in the kernel K of what the group G makes of options, where equal ones are the
       same. A symmetry in K moves no point. So the group of the points is G/K.
    3. The graph on points has no more symmetries than G/K has. As it has all of these, its symmetries are just these.

    So when a symmetry of the graph of one set of chosen options makes it that of another, what it does to points is
    done by a symmetry of the problem, which makes options of options that are about the same points as the chosen ones
    of the other; and these are the same, but for equal options. Chosen options are never equal, without multiplicities.
    The options that can still be chosen follow from the chosen ones.

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

    def of(self, partial: Partial, /) -> bytes:
        return self._form(partial.chosen, [0] * len(partial.chosen))

    def of_cover(self, cover: tuple[int, ...], /) -> bytes:
        return self._form(cover, self._hints(cover))

    def _form(self, chosen: tuple[int, ...], hints: list[int]) -> bytes:
        """The canonical form of the graph, in which chosen options with other hints have other colours."""
        place, cells, shade = self._place.copy(), [cell.copy() for cell in self._cells], self._shade
        options = [self._points[self._class[option]] for option in chosen]
        for points in options:
            for point in points:
                if point not in place:
                    cells[shade[point]].append(len(place))
                    place[point] = len(place)
        neighbours = self._joined.copy()
        hinted: dict[int, list[int]] = {hint: [] for hint in sorted(set(hints))}
        for k, (points, hint) in enumerate(zip(options, hints, strict=True), start=len(place)):
            neighbours[k] = [place[point] for point in points]
            hinted[hint].append(k)
        cells += hinted.values()
        sizes = np.array([*hinted, -1, *map(len, cells)], dtype=np.int32).tobytes()
        size = len(place) + len(chosen)
        if not size:
            return sizes  # nauty wants a vertex
        graph = plain_graph(size, neighbours, [cell for cell in cells if cell])
        return sizes + bytes(self._nauty.certificate(graph))

    def _hints(self, cover: tuple[int, ...]) -> list[int]:
        """For each option in how many ways it and three others of a cover have points in common, any two of the four.

        A cover is often so regular a structure that nauty would try many orders of its vertices: for a triple system of
        order 15 this takes 0.2 ms, and nauty 0.03 ms instead of 4.
        """
        n = len(cover)
        if n > MOST_HINTED:
            return [0] * n
        points = [self._points[self._class[option]] for option in cover]
        has = np.zeros((n, len(self._colours)), dtype=np.float32)
        has[np.repeat(np.arange(n), [len(some) for some in points]), [point for some in points for point in some]] = 1
        meet = (has @ has.T > 0).astype(np.float32)
        np.fill_diagonal(meet, 0)
        three = meet[:, :, None] * meet[:, None, :] * meet
        ways: list[int] = (np.matmul(three, three) * three).sum(axis=(1, 2)).astype(np.int64).tolist()
        return ways

    def size(self, cover: tuple[int, ...], /) -> int:
        classes = [self._class[option] for option in cover]
        first, points = len(self._colours), [self._points[one] for one in classes]
        owners = np.repeat(np.arange(first, first + len(points)), [len(some) for some in points])
        edges = np.stack([owners, np.array([point for some in points for point in some], dtype=np.int64)])
        graph = Graph(first + len(points), np.concatenate([self._graph.edges, edges], 1), self._nauty)
        hints = np.unique(self._hints(cover), return_inverse=True)[1].astype(np.int64)
        colours = np.append(self._colours, len(self._cells) + hints)
        return self._order // graph.automorphisms(colours)[1] * prod(self._times[one] for one in classes)

    def unlike(self, partial: Partial, options: list[int], /) -> list[tuple[int, int]]:
        """One of each options that are equal: to find those that are like each other takes longer than their forms."""
        first = {self._class[option]: option for option in reversed(options)}
        times = Counter(self._class[option] for option in options)
        return [(option, times[one]) for one, option in first.items()]


class ItemForms(SmallForms):
    """The same, where the points are the items with their colours.

    On these no two options of a cover meet, and nauty is told of covers what helps with the whole graph. Where any two
    items are joined, or none, covers are drawn as stars, and need no help.
    """

    def __init__(self, incidence: Incidence, symmetries: Symmetries) -> None:
        super().__init__(incidence, symmetries, incidence.ends())
        self._whole = WholeForms(incidence, symmetries)

    def of_cover(self, cover: tuple[int, ...], /) -> bytes:
        if not self._joined:
            return self._form(cover, [0] * len(cover))
        return self._whole.of_cover(cover)


Forms = WholeForms | SmallForms


def forms_of(incidence: Incidence, symmetries: Symmetries, names: Sequence[Hashable] | None = None) -> Forms:
    """Canonical forms by the smallest graph that is sound: on points that names tell of, on items, or the whole one.

    The names are those of the items, where the problem has others.
    """
    problem = incidence.problem
    if problem.multiplicities is None:
        for about in _about(problem, problem.items if names is None else names, incidence.nauty.over):
            with suppress(ProblemError):
                return SmallForms(incidence, symmetries, about)
        with suppress(ProblemError):
            return ItemForms(incidence, symmetries)
    return WholeForms(incidence, symmetries)


def _about(problem: Problem, names: Sequence[Hashable], over: Over) -> Iterator[list[set[Hashable]]]:
    """Guesses at the points of each option: read off the names of primary items, or found from the options."""
    n = problem.n_primary
    items = [[i for i in problem.indices[a:b].tolist() if i < n] for a, b in pairwise(problem.indptr)]
    with suppress(ProblemError):
        points = read_off([[names[i] for i in some] for some in items], names[:n], over)
        yield [{point for i in some for point in points[i]} for some in items]
    with suppress(ProblemError):
        for guess in found(items, n, over):
            yield [{point for i in some for point in guess[i]} for some in items]
