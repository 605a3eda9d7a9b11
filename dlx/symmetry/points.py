"""Points: what items are about, so that what is left of a problem is a small graph.

In the problems that combinatorialists count, items are small sets of points: a cell of a Latin square is a row and a
column, a pair of a row and a symbol is these two. An open item is then an edge of a graph on the points, or a triangle,
and an option is a clique. Points are given, or read off the names of the items; they may be wrong, and `PointForm`
checks them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Over, look, never, until
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.symmetry.forms import BitProblem, Form, bits, lists_of
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.nauty_worker import nauty as package
from dlx.symmetry.nauty_worker import plain_graph

Numbers = npt.NDArray[np.int32]
Point = Hashable
Points = Callable[[Any], Iterable[Point]] | Mapping[Any, Iterable[Point]]

CLIQUES = 1_000_000  # steps of the search for cliques that are no options, beyond which points are not used


class PointForm(Form):
    """Canonical forms by the graph of points: an edge is there while an item that has its ends is open.

    It is sound if the graph tells what is left, which is checked for the whole problem:

    * Each item has edges of its own, which no other item has. They are told from the edges that several items share by
      the colours of their ends. So a graph tells which items are open.
    * An option has the items whose own edges lie within its points, and no others; and these items join all its points,
      so that they are a clique as long as the option is live.
    * The cliques of the whole graph with as many points of each colour as an option has are just the points of options.
      So an option is live just if its points are a clique, and isomorphic graphs have live options that correspond.

    The colours are those of the coarsest stable colouring of the points, by the edges and by whether these are shared.
    """

    def __init__(
        self, problem: BitProblem, items: Sequence[Any], points: Sequence[Sequence[Point]], nauty: Nauty
    ) -> None:
        super().__init__(problem, nauty)
        self.items = items
        opened = list(bits(problem.open))
        names = sorted({point for i in opened for point in points[i]}, key=repr)
        place = {point: k for k, point in enumerate(names)}
        self.names, self.n = names, len(names)
        ends = {i: sorted({place[point] for point in points[i]}) for i in opened}
        users = Counter(pair for i in until(nauty.over, opened) for pair in combinations(ends[i], 2))
        self.shared = {pair: times > 1 for pair, times in users.items()}
        self.around: list[set[int]] = [set() for _ in range(self.n)]
        for one, other in self.shared:
            self.around[one].add(other)
            self.around[other].add(one)
        self.colours = self._stable()
        self._check(ends)
        self.items_at = [sum(1 << i for i in opened if k in ends[i]) for k in range(self.n)]
        self.kinds = self._kinds() or self.kinds
        cliques = [self._points_of.get(o, ()) for o in range(len(problem.items))]
        points_of = lists_of([sum(1 << k for k in clique) for clique in cliques])
        forms = compiled_module("dlx.kernels.count.pointforms").Pointforms
        colours = np.array(self.colours, dtype=np.int32)
        asked = plain_graph(), nauty.certificate, package().autgrp
        self.asked = forms(problem.state, self._edges(ends), points_of, colours, *asked)

    def of(self) -> bytes:
        return bytes(self.asked.of())

    def _edges(self, ends: Mapping[int, list[int]]) -> tuple[Numbers, Numbers, Numbers]:
        """The edges of each primary item: where those of item i begin, the lesser ends of all, and the greater ends."""
        pairs = [[*combinations(ends.get(i, ()), 2)] for i in range(self.problem.rows.n_primary)]
        begin = np.cumsum([0, *map(len, pairs)], dtype=np.int32)
        one, other = np.array([pair for some in pairs for pair in some], dtype=np.int32).reshape(-1, 2).T.copy()
        return begin, one, other

    def _stable(self) -> list[int]:
        """The coarsest stable colouring of the points."""
        colours, number = [0] * self.n, 1
        while True:
            seen = [
                (colours[p], tuple(sorted((colours[q], self.shared[min(p, q), max(p, q)]) for q in around)))
                for p, around in enumerate(until(self.nauty.over, self.around))
            ]
            order = {value: k for k, value in enumerate(sorted(set(seen)))}
            colours = [order[value] for value in seen]
            if len(order) == number:
                return colours
            number = len(order)

    def _check(self, ends: Mapping[int, list[int]]) -> None:
        """Raises a ProblemError with the reason why the points are not sound."""
        problem, items = self.problem, self.items
        own = {i: [pair for pair in combinations(some, 2) if not self.shared[pair]] for i, some in ends.items()}
        for i, pairs in own.items():
            if not pairs:
                told = ", ".join(repr(self.names[point]) for point in ends[i]) or "none"
                raise ProblemError(f"the points of {items[i]!r}, {told}, have no two that no other item has")
        kinds = {
            shared: {self._ends(pair) for pair, is_shared in self.shared.items() if is_shared == shared}
            for shared in (False, True)
        }
        if mixed := kinds[False] & kinds[True]:
            raise ProblemError(
                f"edges of {len(mixed)} kinds are some items' own, and others are shared by several items"
            )
        cliques: dict[frozenset[int], int] = {}
        for o in until(self.nauty.over, bits(problem.live)):
            clique = frozenset(k for i in bits(problem.items[o]) for k in ends[i])
            if clique in cliques:
                raise ProblemError(f"options {cliques[clique]} and {o} have the same points")
            cliques[clique] = o
            joined = {pair for i in bits(problem.items[o]) for pair in combinations(ends[i], 2)}
            if len(joined) < len(clique) * (len(clique) - 1) // 2:
                raise ProblemError(f"the items of option {o} do not join all its points")
            within = {i for i in own if any(clique.issuperset(pair) for pair in own[i])}
            if within != set(bits(problem.items[o])):
                raise ProblemError(f"option {o} has not just the items whose points are within its own")
        self._points_of: dict[int, Iterable[int]] = {o: clique for clique, o in cliques.items()}
        patterns = {tuple(sorted(self.colours[k] for k in clique)) for clique in cliques}
        for clique in self._cliques(patterns):
            if clique not in cliques:
                raise ProblemError(f"{len(clique)} points look like those of an option, and are not")

    def _ends(self, pair: tuple[int, int]) -> tuple[int, ...]:
        return tuple(sorted((self.colours[pair[0]], self.colours[pair[1]])))

    def _cliques(self, patterns: set[tuple[int, ...]]) -> Iterator[frozenset[int]]:
        """The cliques of the whole graph with the colours of a pattern; at most so many steps are spent on it."""
        wanted = [Counter(pattern) for pattern in patterns]
        begun: dict[tuple[int, ...], bool] = {}  # whether a clique with these colours may be part of such a one
        todo: list[tuple[tuple[int, ...], set[int]]] = [((), set(range(self.n)))]
        steps = 0
        while todo:
            look(self.nauty.over)
            clique, others = todo.pop()
            if tuple(sorted(self.colours[k] for k in clique)) in patterns:
                yield frozenset(clique)
            steps += len(others)
            if steps > CLIQUES:
                raise ProblemError(f"after {CLIQUES} steps it is not known which points look like those of an option")
            longer = []
            for k in others:
                colours = tuple(sorted(self.colours[p] for p in (*clique, k)))
                if colours not in begun:
                    begun[colours] = any(Counter(colours) <= some for some in wanted)
                if begun[colours]:
                    longer.append(k)
            todo += (((*clique, k), {p for p in others & self.around[k] if p > k}) for k in longer)

    def _kinds(self) -> list[list[int]]:
        """Returns the families of points to complete one after the other, each point as the bits of its items.

        A family has the points of one colour, or some of these that share no item. The rows of a Latin square have the
        colour of its columns and symbols, because a symmetry can exchange them.
        """
        parts = defaultdict(list)
        for k, colour in enumerate(self.colours):
            parts[colour].append(k)
        kinds = []
        for part in parts.values():
            apart = [k for k in part if k == part[0] or (part[0], k) not in self.shared]
            separate = not any(pair in self.shared for pair in combinations(apart, 2))
            kinds.append([self.items_at[k] for k in self._side_by_side(apart if separate else part)])
        return kinds

    def _side_by_side(self, part: list[int]) -> list[int]:
        """The points in an order in which each has the most neighbours in common with those before it.

        Points are completed in this order, so columns that meet the same boxes of a grid are neighbours. For boxes of
        2 x 4 this order gives 4,500 classes; another order of the columns gives more than 400,000.
        """
        order: list[int] = []
        common = dict.fromkeys(part, 0)
        while common:
            order.append(max(common, key=common.__getitem__))
            del common[order[-1]]
            for k in common:
                common[k] += len(self.around[k] & self.around[order[-1]])
        return order


def form_of(bit_problem: BitProblem, problem: Problem, points: Points | None, nauty: Nauty) -> tuple[str, Form]:
    """Returns why points are not used, or an empty text; and the canonical forms.

    These are forms by points if the points are sound, and else by items and options. The points are those given, or
    else those read off the names of the items. Points that are given have to be sound.
    """
    there = np.arange(len(problem.items)) if problem.implied is None else np.flatnonzero(~problem.implied)
    items = [problem.items[i] for i in there[: bit_problem.rows.n_primary].tolist()]
    try:
        if bit_problem.rows.n_primary < bit_problem.rows.n_items:
            raise ProblemError("there are secondary items, which are not about points")
        if points is not None:
            return "", PointForm(bit_problem, items, _given(items, points), nauty)
        known = set(items)
        options = ([i for i in problem.option(o) if i in known] for o in range(problem.n_options))
        return "", PointForm(bit_problem, items, read_off([*until(nauty.over, options)], items, nauty.over), nauty)
    except ProblemError as error:
        if points is not None:
            raise
        return str(error), Form(bit_problem, nauty)


def _given(items: Sequence[Any], points: Points) -> list[list[Point]]:
    """The points of each primary item, as the caller gives them."""
    try:
        found = [list(points(item) if callable(points) else points[item]) for item in items]
        for some in found:
            hash(tuple(some))
        return found
    except (KeyError, TypeError) as error:
        raise ProblemError(f"there are no points of an item: {type(error).__name__} {error}") from None


def read_off(options: Sequence[Sequence[Any]], items: Sequence[Any], over: Over = never) -> list[list[Point]]:
    """The points of each primary item, by its name, a tuple; options are given by the names of their primary items.

    If all names begin with a text, as in ("cell", row, column) and ("row", row, symbol), the text is the kind of the
    item. Two places in the names of two kinds mean the same thing if their values agree in every option, as the row of
    "cell" and the row of "row" do. The points of an option are the values in all places of its names; an item has the
    points that all its options share. If a name does not begin with a text, as in pairs of
    numbers, the points are the members of the tuples.
    """
    if not all(isinstance(item, tuple) and len(item) > 1 for item in items):
        raise ProblemError("the items are no tuples, from which points could be read off")
    if not all(isinstance(item[0], str) for item in items):
        return [list(item) for item in items]
    same = _same_places(until(over, options, 1))
    points: dict[Any, set[Any]] = {}
    for option in until(over, options):
        here = {(same[item[0], k], value) for item in option for k, value in enumerate(item[1:])}
        for item in option:
            points[item] = points[item] & here if item in points else here
    return [list(points.get(item, ())) for item in items]


def _same_places(options: Iterable[Sequence[Any]]) -> dict[tuple[str, int], int]:
    """A number for each place in the names of each kind, the same for those that agree in every option."""
    agree: dict[frozenset[tuple[str, int]], bool] = {}
    number: dict[tuple[str, int], int] = {}
    for option in options:
        places = [((item[0], k), value) for item in option for k, value in enumerate(item[1:])]
        for place, _ in places:
            number.setdefault(place, len(number))
        for (place, value), (other, another) in combinations(places, 2):
            pair = frozenset((place, other))
            agree[pair] = agree.get(pair, True) and value == another
    for pair, always in agree.items():
        if always and len(pair) == 2:
            a, b = (number[place] for place in pair)
            number = {place: min(a, b) if k in (a, b) else k for place, k in number.items()}
    return number
