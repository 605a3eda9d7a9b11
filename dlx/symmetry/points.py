"""Points: what items are about, so that what is left of a problem is a small graph.

In the problems that combinatorialists count, items are small sets of points: a cell of a Latin square is a row and a
column, a pair of a row and a symbol is these two. An open item is then an edge of a graph on the points, or a triangle,
and an option is a clique. Points are given, or read off the names of the items, or guessed from the options; what is
read off or guessed may be wrong, and `PointForm` checks it.

Guesses are for names that tell nothing. Two items that are about the same point are *alike*: many options of one and
options of the other meet, in a third item or by being the same option. Two cells of a Latin square in the same row
meet in n items, the row with each symbol, and cells of different rows and columns in none. If alike items are joined,
this is nearly a graph of edges that are joined where they have an end in common, a line graph. Its points are cliques
such that each edge is in one of them (J. Krausz, *Demonstration nouvelle d'une theoreme de Whitney sur les reseaux*,
Mat. Fiz. Lapok 50 (1943) 75-85); and where cliques are large, two neighbours tell theirs, which is most of their
common neighbours (R. C. Bose, *Strongly regular graphs, partial geometries and partially balanced designs*, Pacific J.
Math. 13 (1963), doi:10.2140/pjm.1963.13.389). The right threshold of likeness is not known: each number that occurs is
tried.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Over, look, never, until
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.symmetry.forms import Form, Left, Lists, Words, bits, lists_of
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.nauty_worker import nauty as package
from dlx.symmetry.nauty_worker import plain_graph

Numbers = npt.NDArray[np.int32]
Likeness = npt.NDArray[np.float64]
Point = Hashable
Points = Callable[[Any], Iterable[Point]] | Mapping[Any, Iterable[Point]]

CLIQUES = 1_000_000  # steps of the search for cliques that are no options, beyond which points are not used

ITEMS = 2_000  # beyond which nothing is looked for: how alike so many are takes a second
STEPS = 1_000_000  # pairs, neighbours and items that may be looked at: a second or two
THRESHOLDS = 16  # of how alike items are
BLOCKS = 16  # in which that is computed


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

    def __init__(self, left: Left, items: Sequence[Any], points: Sequence[Sequence[Point]], nauty: Nauty) -> None:
        super().__init__(left, nauty)
        self.items = items
        opened = list(bits(left.open))
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
        cliques = [self._points_of.get(o, ()) for o in range(len(left.items))]
        points_of = lists_of([sum(1 << k for k in clique) for clique in cliques])
        self.at = partial(_form_at, nauty, self._edges(ends), points_of, np.array(self.colours, dtype=np.int32))
        self.asked = self.at(left.state)

    def of(self) -> bytes:
        return bytes(self.asked.of())

    def order(self) -> list[int]:
        return list(self.asked.order())

    def option_at(self, option: int, of: Mapping[Any, Any]) -> int:
        return self._option_of[frozenset(of[point] for point in self._points_of[option])]

    def _edges(self, ends: Mapping[int, list[int]]) -> tuple[Numbers, Numbers, Numbers]:
        """The edges of each primary item: where those of item i begin, the lesser ends of all, and the greater ends."""
        pairs = [[*combinations(ends.get(i, ()), 2)] for i in range(self.left.rows.n_primary)]
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
        left, items = self.left, self.items
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
        for o in until(self.nauty.over, bits(left.live)):
            clique = frozenset(k for i in bits(left.items[o]) for k in ends[i])
            if clique in cliques:
                raise ProblemError(f"options {cliques[clique]} and {o} have the same points")
            cliques[clique] = o
            joined = {pair for i in bits(left.items[o]) for pair in combinations(ends[i], 2)}
            if len(joined) < len(clique) * (len(clique) - 1) // 2:
                raise ProblemError(f"the items of option {o} do not join all its points")
            within = {i for i in own if any(clique.issuperset(pair) for pair in own[i])}
            if within != set(bits(left.items[o])):
                raise ProblemError(f"option {o} has not just the items whose points are within its own")
        self._option_of = cliques
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
        """The kinds of points, by the items of each: those of a colour, or of these some that have no item in common.

        The rows of a Latin square have the colour of its columns and symbols, which they may change places with.
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

        They are finished in this order: columns that meet the same boxes of a grid come one after the other. For boxes
        of 2 x 4 and columns in another order, 400,000 classes were not enough, and in this one there are 4,500.
        """
        order: list[int] = []
        common = dict.fromkeys(part, 0)
        while common:
            order.append(max(common, key=common.__getitem__))
            del common[order[-1]]
            for k in common:
                common[k] += len(self.around[k] & self.around[order[-1]])
        return order


def _form_at(nauty: Nauty, edges: tuple[Numbers, ...], points: Lists, colours: Numbers, state: Words) -> Any:
    """Returns the function that makes the forms of the state in an array, at full speed."""
    forms = compiled_module("dlx.kernels.merge.pointforms").Pointforms
    asked = nauty.certificate, nauty.canon_label, package().autgrp
    return forms(state, edges, points, colours, plain_graph(), *asked)


def form_of(left: Left, problem: Problem, points: Points | None, nauty: Nauty) -> tuple[str, Form]:
    """Canonical forms by points where these are sound, and else by items and options; and why points are not used.

    The points are those given, or else those that are read off the items' names, or else those found from the options.
    """
    there = np.arange(len(problem.items)) if problem.implied is None else np.flatnonzero(~problem.implied)
    numbers = there[: left.rows.n_primary].tolist()
    items = [problem.items[i] for i in numbers]
    try:
        if left.slots is not None:
            raise ProblemError("there are multiplicities, which points do not tell of")
        if left.rows.n_primary < left.rows.n_items:
            raise ProblemError("there are secondary items, which points do not tell of")
        if points is not None:
            first = _given(items, points)
        else:
            live = until(nauty.over, bits(left.live))
            first = read_off([[items[i] for i in bits(left.items[o])] for o in live], items, nauty.over)
        return "", PointForm(left, items, first, nauty)
    except ProblemError as error:
        if points is not None:
            raise
        doubt = str(error)
    if left.rows.n_primary == left.rows.n_items and left.slots is None:
        for guess in _guesses(left, problem, numbers, nauty.over):
            with suppress(ProblemError):
                return "", PointForm(left, items, guess, nauty)
        doubt += "; and no points that are found from the options are sound"
    return doubt, Form(left, nauty)


def _guesses(left: Left, problem: Problem, numbers: Sequence[int], over: Over) -> Iterator[list[list[int]]]:
    """Points of each item that is there: found from all options, even those chosen or left out; then from what is left.

    All options of a problem are more regular than those that are left.
    """
    with suppress(ProblemError):
        whole = [problem.indices[a:b].tolist() for a, b in pairwise(problem.indptr)]
        for points in found(whole, len(problem.items), over):
            yield [points[i] for i in numbers]
    if problem.roles is not None or left.forced:
        with suppress(ProblemError):
            yield from found([list(bits(left.items[o])) for o in bits(left.live)], left.rows.n_primary, over)


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

    Where all names begin with a text, as in ("cell", row, column) and ("row", row, symbol), this tells what kind of
    item it is. Two places in names of two kinds are about the same thing if they agree in every option: here the row of
    a cell and that of a row. An option's points are the values of its names in all places, and an item has those of all
    its options. Where they do not agree, as in pairs of people, the points are the members of the tuples.
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


# Guesses


def found(options: Sequence[Sequence[int]], n_items: int, over: Over = never) -> Iterator[list[list[int]]]:
    """Guesses at the points of each item, the ones by which items have to be most alike first.

    In a guess two items of an option have a point in common if they are alike, and an option of several items has each
    of its points by more than one. A ProblemError tells of too many items, or too much looked at.
    """
    if n_items > ITEMS:
        raise ProblemError(f"there are {n_items} items, and points are found among {ITEMS} at most")
    together = _together(options, n_items, over)
    pairs = np.argwhere(np.triu(together, 1))
    alike = np.concatenate([some @ together for some in until(over, np.array_split(together, BLOCKS), 1)])
    search = _Search(options, n_items, over)
    known: set[frozenset[frozenset[int]]] = set()
    for threshold in _thresholds(alike):
        enough = alike[pairs[:, 0], pairs[:, 1]] >= threshold
        points = search.points(_joined(alike >= threshold), pairs[enough].tolist())
        if points and frozenset(points) not in known:
            known.add(frozenset(points))
            yield [[p for p, some in enumerate(points) if i in some] for i in range(n_items)]


def _together(options: Sequence[Sequence[int]], n_items: int, over: Over) -> Likeness:
    """In how many options each two items are."""
    by_length = defaultdict(list)
    for option in options:
        by_length[len(option)].append(option)
    together = np.zeros(n_items * n_items)
    for length, some in by_length.items():
        size = max(1, (n_items // max(1, length)) ** 2)  # so that these have about as many pairs as there are
        for start in until(over, range(0, len(some), size), 1):
            items = np.array(some[start : start + size], dtype=np.intp)
            both = items[:, :, None] * n_items + items[:, None, :]
            together += np.bincount(both.ravel(), minlength=n_items * n_items)
    return together.reshape(n_items, n_items)


def _thresholds(alike: Likeness) -> Likeness:
    """The numbers that tell how alike two items are, the greatest first; of many a few."""
    values = np.unique(alike[np.triu_indices(len(alike), 1)])[::-1]
    values = values[values > 0]
    return values[np.unique(np.linspace(0, len(values) - 1, min(len(values), THRESHOLDS)).astype(np.intp))]


def _joined(alike: npt.NDArray[np.bool_]) -> list[int]:
    """The items that each is alike, itself too, as bits."""
    rows = np.packbits(alike | np.eye(len(alike), dtype=np.bool_), axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


class _Search:
    """A search for points that counts its steps."""

    def __init__(self, options: Sequence[Sequence[int]], n_items: int, over: Over) -> None:
        self.options, self.steps, self._over = options, 0, over
        self.of: list[list[int]] = [[] for _ in range(n_items)]
        for o, option in enumerate(options):
            for i in option:
                self.of[i].append(o)

    def points(self, joined: list[int], pairs: list[list[int]]) -> list[frozenset[int]]:
        """The items of each point, such that each pair of joined items of an option is about one; or nothing.

        Pairs with many common neighbours come first: what is small may be a part of what is large.
        """
        self._spend(len(pairs))
        apart = [-(joined[i] & joined[j]).bit_count() for i, j in until(self._over, pairs)]
        points: list[frozenset[int]] = []
        of = [0] * len(joined)  # the points of each item, as bits
        for i, j in (pairs[k] for k in np.argsort(apart, kind="stable").tolist()):
            if of[i] & of[j]:
                continue
            point = self._grown(self._core(joined, joined[i] & joined[j]))
            if not point or len(points) == len(joined):
                return []
            for item in point:
                of[item] |= 1 << len(points)
            points.append(point)
        return points

    def _core(self, joined: list[int], common: int) -> list[int]:
        """The common neighbours of two items, but for those joined to three fifths of them at most."""
        size = common.bit_count()
        self._spend(size)
        return [i for i in bits(common) if 5 * (joined[i] & common).bit_count() > 3 * size]

    def _grown(self, core: list[int]) -> frozenset[int]:
        """The items that have more than half of their options in common with the others; or none, if that is no point.

        Some items of a point need not be alike: a digit in two boxes of a grid that no row or column meets both.
        """
        point, todo = set(core), core
        here: set[int] = set()  # the options of these items
        times: Counter[int] = Counter()  # in how many of these options an item is
        while todo:
            new = {o for i in todo for o in self.of[i]} - here
            here |= new
            seen = [i for o in new for i in self.options[o]]
            self._spend(len(seen))
            times.update(seen)
            todo = [i for i in set(seen) - point if 2 * times[i] > len(self.of[i])]
            point.update(todo)
        alone = any(sum(i in point for i in self.options[o]) == 1 < len(self.options[o]) for o in here)
        return frozenset() if alone else frozenset(point)

    def _spend(self, steps: int) -> None:
        look(self._over)
        self.steps += steps
        if self.steps > STEPS:
            raise ProblemError(f"after {STEPS} steps no points have been found")
