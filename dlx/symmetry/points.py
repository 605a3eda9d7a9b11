"""Points of items: with them, a remaining problem is a small graph.

In many combinatorial problems, items are small sets of points: a cell of a Latin square is a row and a column, the item
"row has symbol" is a row and a symbol. An open item is then an edge of a graph on the points, or a triangle, and an
option is a clique. The caller names the points, or they are read from the names of the items; they may be wrong, so
`PointGraph` checks them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Over, check_limits, until
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.symmetry.forms import BitProblem, Form, bits, lists_of
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.nauty_worker import plain_graph

Point = Hashable
Points = Callable[[Any], Iterable[Point]] | Mapping[Any, Iterable[Point]]
Family = list[int]  # for each point, its items as bits

MOST_POINTS = 64  # the points of a graph are the bits of a word
CLIQUES = 1_000_000  # steps of the search for cliques that are no options; after more, points are not used


class PointGraph:
    """The graph of points: two points are joined while an item with both of them is open.

    The graph is sound if it determines the remaining problem. Three conditions are checked for the whole problem:

    * Each item has edges of its own. The colours of their ends distinguish own edges from edges that several items
      share. So the graph determines the open items.
    * An option has exactly the items with own edges within its points; and these items join all its points, so that
      the points are a clique while the option is live.
    * Every clique of the whole graph with the same colours as an option is the set of points of an option. So an option
      is live iff its points are a clique, and isomorphic graphs have corresponding live options.

    The colours are the coarsest stable colouring of the points; own and shared edges count as two kinds of edges.

    Parameters:
        problem: what to cover.
        items: the names of its primary items.
        points: the points of each primary item.
        over: returns whether the search is over.

    Attributes:
        names: the points; all other attributes use their indices.

    Raises:
        ProblemError: the graph is not sound, has too many points, or would take too long to check.
    """

    def __init__(
        self, problem: BitProblem, items: Sequence[Any], points: Sequence[Sequence[Point]], over: Over
    ) -> None:
        self._problem, self._items, self._over = problem, items, over
        opened = list(bits(problem.open))
        self.names = sorted({point for i in opened for point in points[i]}, key=repr)
        if len(self.names) > MOST_POINTS:
            raise ProblemError(f"there are {len(self.names)} points; {MOST_POINTS} are the most that are supported")
        place = {point: k for k, point in enumerate(self.names)}
        self._ends = {i: sorted({place[point] for point in points[i]}) for i in opened}
        self._pairs = {i: [*combinations(ends, 2)] for i, ends in self._ends.items()}  # the edges of each open item
        users = Counter(pair for pairs in until(over, self._pairs.values()) for pair in pairs)
        self._shared = {pair: times > 1 for pair, times in users.items()}
        self._around: list[set[int]] = [set() for _ in self.names]
        for one, other in users:
            self._around[one].add(other)
            self._around[other].add(one)
        self._colours = self._stable()
        self._options = self._checked()  # the points of each live option -> the option

    def forms(self, nauty: Nauty) -> Any:
        """Returns the object that computes canonical forms for the kernel."""
        rows, points = self._problem.rows, {o: clique for clique, o in self._options.items()}
        pairs = [self._pairs.get(i, []) for i in range(rows.n_primary)]
        begin = np.cumsum([0, *map(len, pairs)], dtype=np.int32)
        one, other = np.array([pair for some in pairs for pair in some], dtype=np.int32).reshape(-1, 2).T.copy()
        cliques = lists_of(sum(1 << k for k in points.get(o, ())) for o in range(rows.n_options))
        colours = np.array(self._colours, dtype=np.int32)
        kernel = compiled_module("dlx.kernels.count.pointforms").Pointforms
        return kernel(
            self._problem.state, (begin, one, other), cliques, colours,
            plain_graph(), nauty.certificate, nauty.autgrp,
        )  # fmt: skip

    def families(self) -> list[Family]:
        """Returns the families of points; a count completes the points of one family in turn.

        A family has the points of one colour, or a subset of these without common items. In a Latin square, rows,
        columns and symbols have one colour, because symmetries exchange them; a family has only the rows.
        """
        parts = defaultdict(list)
        for k, colour in enumerate(self._colours):
            parts[colour].append(k)
        at = [sum(1 << i for i, ends in self._ends.items() if k in ends) for k in range(len(self.names))]
        families = []
        for part in parts.values():
            apart = [k for k in part if k == part[0] or (part[0], k) not in self._shared]
            separate = not any(pair in self._shared for pair in combinations(apart, 2))
            families.append([at[k] for k in self._side_by_side(apart if separate else part)])
        most = max(map(len, families), default=0)
        return [family for family in families if len(family) == most]

    def _stable(self) -> list[int]:
        """Returns the coarsest stable colouring of the points."""
        colours, number = [0] * len(self.names), 1
        while True:
            seen = [
                (colours[p], tuple(sorted((colours[q], self._shared[min(p, q), max(p, q)]) for q in around)))
                for p, around in enumerate(until(self._over, self._around))
            ]
            order = {value: k for k, value in enumerate(sorted(set(seen)))}
            colours = [order[value] for value in seen]
            if len(order) == number:
                return colours
            number = len(order)

    def _checked(self) -> dict[frozenset[int], int]:
        """Returns the live options by their points; raises ProblemError if the points are not sound."""
        problem = self._problem
        own = {i: [pair for pair in pairs if not self._shared[pair]] for i, pairs in self._pairs.items()}
        for i, pairs in own.items():
            if not pairs:
                points = ", ".join(repr(self.names[point]) for point in self._ends[i]) or "none"
                raise ProblemError(f"{self._items[i]!r} shares every pair of its points, {points}, with other items")
        if mixed := self._coloured_ends(False) & self._coloured_ends(True):
            raise ProblemError(
                f"edges with the colours {sorted(mixed)[0]} are an item's own in one place and shared in another"
            )
        options: dict[frozenset[int], int] = {}
        for o in until(self._over, bits(problem.live)):
            items = list(bits(problem.items[o]))
            clique = frozenset(k for i in items for k in self._ends[i])
            if clique in options:
                raise ProblemError(f"options[{options[clique]}] and options[{o}] have the same points")
            options[clique] = o
            joined = {pair for i in items for pair in self._pairs[i]}
            if len(joined) < len(clique) * (len(clique) - 1) // 2:
                raise ProblemError(f"options[{o}]: its items do not join all pairs of its points")
            if {i for i in own if any(clique.issuperset(pair) for pair in own[i])} != set(items):
                raise ProblemError(f"options[{o}] lacks an item that has an edge of its own within the option")
        for clique in self._cliques({tuple(sorted(self._colours[k] for k in clique)) for clique in options}):
            if clique not in options:
                raise ProblemError(f"{len(clique)} points are joined like those of an option, and are not")
        return options

    def _coloured_ends(self, shared: bool) -> set[tuple[int, ...]]:
        """Returns the pairs of colours at the ends of shared edges, or of own edges."""
        pairs = (pair for pair, is_shared in self._shared.items() if is_shared == shared)
        return {tuple(sorted(self._colours[k] for k in pair)) for pair in pairs}

    def _cliques(self, patterns: set[tuple[int, ...]]) -> Iterator[frozenset[int]]:
        """Yields the cliques with the colours of a pattern; raises ProblemError after CLIQUES steps."""
        wanted = [Counter(pattern) for pattern in patterns]
        begun: dict[tuple[int, ...], bool] = {}  # whether these colours are part of a pattern
        todo: list[tuple[tuple[int, ...], set[int]]] = [((), set(range(len(self.names))))]
        steps = 0
        while todo:
            check_limits(self._over)
            clique, others = todo.pop()
            if tuple(sorted(self._colours[k] for k in clique)) in patterns:
                yield frozenset(clique)
            steps += len(others)
            if steps > CLIQUES:
                raise ProblemError(f"it takes more than {CLIQUES} steps to find all points joined as in an option")
            longer = []
            for k in others:
                colours = tuple(sorted(self._colours[p] for p in (*clique, k)))
                if colours not in begun:
                    begun[colours] = any(Counter(colours) <= some for some in wanted)
                if begun[colours]:
                    longer.append(k)
            todo += (((*clique, k), {p for p in others & self._around[k] if p > k}) for k in longer)

    def _side_by_side(self, part: list[int]) -> list[int]:
        """Returns the points in an order in which each has the most neighbours in common with earlier points.

        Points are completed in this order, so columns that meet the same boxes of a grid are adjacent. For boxes of
        2 x 4, this order gives 4,500 classes; another order of the columns gives over 400,000.
        """
        order: list[int] = []
        common = dict.fromkeys(part, 0)
        while common:
            order.append(max(common, key=common.__getitem__))
            del common[order[-1]]
            for k in common:
                common[k] += len(self._around[k] & self._around[order[-1]])
        return order


def form_of(
    bit_problem: BitProblem, problem: Problem, points: Points | None, nauty: Nauty
) -> tuple[str, Any, list[Family]]:
    """Returns the reason why points are not used, or ""; the canonical forms; the families of points.

    Forms are by points if the points are sound, otherwise by items and options with one empty family. Points of the
    caller must be sound; without them, points are read from the names of the items.
    """
    items = problem.items[: bit_problem.rows.n_primary]
    try:
        if bit_problem.rows.n_primary < bit_problem.rows.n_items:
            raise ProblemError("there are secondary items, which have no points")
        if points is not None:
            found = points_of(items, points)
        else:
            known = set(items)
            options = ([i for i in problem.option(o) if i in known] for o in range(problem.n_options))
            found = read_off([*until(nauty.over, options)], items, nauty.over)
        graph = PointGraph(bit_problem, items, found, nauty.over)
        return "", graph.forms(nauty), graph.families() or [[]]
    except ProblemError as error:
        if points is not None:
            raise
        return str(error), Form(bit_problem, nauty), [[]]


def points_of(items: Iterable[Any], points: Points) -> list[list[Point]]:
    """Returns the caller's points of each primary item; raises ProblemError."""
    try:
        found = [list(points(item) if callable(points) else points[item]) for item in items]
        for some in found:
            hash(tuple(some))
        return found
    except (KeyError, TypeError) as error:
        raise ProblemError(f"there are no points of an item: {type(error).__name__} {error}") from None


def read_off(options: Sequence[Sequence[Any]], items: Sequence[Any], over: Over) -> list[list[Point]]:
    """Returns the points of each primary item from its name, a tuple; an option is the names of its primary items.

    If all names begin with a string, as in ("cell", row, column) and ("row", row, symbol), the string is the item's
    type. Positions in the names of two types mean the same if their values agree in every option, as the row of "cell"
    and the row of "row". The points of an option are the values at all positions of its names; the points of an item
    are those that all its options share. If a name does not begin with a string, as in pairs of numbers, the points are
    the members of the tuples.
    """
    if not all(isinstance(item, tuple) and len(item) > 1 for item in items):
        raise ProblemError("the items are not tuples, so points cannot be read from them")
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
    """Returns a number for each position in the names of each type, equal if values agree in every option."""
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
