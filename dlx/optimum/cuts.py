"""Cuts: inequalities that all covers satisfy, but the masses of the options, a fractional point, violate.

The masses are an exact or approximate solution of the linear program of set partitioning. A cut becomes a further
secondary item of the options in the inequality. This item is a row of the linear program, and has a price like any
other item.

* *Clique inequalities*: a cover has at most one of several options of which any two clash (M. Padberg,
  doi:10.1007/BF01580121; kernel `cuts`).
* *Odd-set inequalities*, the {0, 1/2}-cuts of V. Chvátal (doi:10.1016/0012-365X(73)90167-2) and J. Edmonds (J. Res. NBS
  69B (1965), doi:10.6028/jres.069B.013): the upper bounds of some items and of some options are added and halved. The
  right-hand side is rounded down, since both sides are whole. Lower bounds are treated in the same way and rounded up;
  for items at their upper bounds, these upper bounds are subtracted.
* *Cardinality cuts*, Chvátal's cuts with other divisors, as in vehicle routing with capacities (G. Laporte,
  Y. Nobert, M. Desrochers, doi:10.1287/opre.33.5.1050): let an option have at most d of some items. The lower bounds of
  these items, divided by d and rounded up, are the least number of options.
* *Count cuts*, Chvátal's cuts with a multiplier for each item: if every option costs 1, prices bound the number of
  options in a cover, and this number is whole.
* *Cliques of colours*, see `Palette`.

A new family needs a function that returns its violated inequalities as `Cut`, a place in `Separation.violated`, and a
check in `Model.implies` (`checking.py`), so that certificates can be checked.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Over
from dlx.optimum.matrix import Matrix
from dlx.optimum.parameters import TUNED
from dlx.optimum.sweeping import anneal
from dlx.optimum.units import UNIT_BITS
from dlx.problem.roles import Rows

ITEMS = 400  # maximum undecided items for the search of odd sets; more take too long
MANY = 60  # maximum items in an odd set
UNDECIDED = 0.01  # an option ties items to an odd set if its mass is at least this far from a whole number
COMMON = 8  # maximum primary items of an option by which options of one colour are grouped
FRACTIONAL = 0.01  # count cuts are looked for if the sum of the masses is at least this far from a whole number

Indices = npt.NDArray[np.int32]
Whole = npt.NDArray[np.integer[Any]]
Real = npt.NDArray[np.float64]


class Cut(NamedTuple):
    """An inequality that all covers satisfy, added to a problem as a secondary item.

    Attributes:
        options: the options with this item.
        least, most: the least and the greatest number of these options in a cover.
        items: empty for a clique inequality; otherwise the items whose bounds are added, divided and rounded.
        bounded: the options whose own upper bounds of 1 are added to the bounds of the items.
        by: the divisor.
        times: the multiplier of each item's bounds, which may be negative; empty if all are 1.
    """

    options: tuple[int, ...]
    least: int = 0
    most: int = 1
    items: tuple[int, ...] = ()
    bounded: tuple[int, ...] = ()
    by: int = 2
    times: tuple[int, ...] = ()


class Point:
    """A fractional point: the masses at the root, and the entries of primary items without colours.

    Parameters:
        plain: the matrix without cuts.
    """

    mass: Real  # the mass of each option, plus 1 for each time that it is chosen; 0 for dropped options
    matrix: Matrix  # the matrix with the cuts so far
    node: Any  # the root

    def __init__(self, plain: Matrix) -> None:
        rows, ranges = plain.rows, plain.ranges
        counts = (np.arange(rows.n_items) < rows.n_primary) & ~rows.takes_colours
        keep = counts[rows.indices]
        self.owner: Indices = rows.owner[keep]  # the option of each entry
        self.items: Indices = rows.indices[keep]  # the item of each entry
        self.room: Whole = rows.rooms(ranges[:, 1])  # the number of times that each option may be chosen
        lonely = (np.bincount(rows.indices, minlength=rows.n_items) == 1) & ~counts & (ranges[:, 1] == 1)
        self._alone = np.zeros(rows.n_options, np.bool_)  # options with an item of their own: chosen at most once
        self._alone[rows.owner[lonely[rows.indices]]] = True
        self._plain = plain

    def move(self, matrix: Matrix, node: Any) -> None:
        """Takes the masses of the root."""
        self.matrix, self.node = matrix, node
        (rows, ranges, _), n = self._plain, len(self.room)
        live, times = node.options_left(), np.bincount(node.path(), minlength=n)
        chosen = (times > 0) & (self.room == 1)  # chosen exactly once in all better covers
        self.mass, single = np.zeros(n), np.zeros(n, np.bool_)
        self.mass[live] = node.masses()[live]
        self.mass[chosen] = 0.0
        self.mass += times
        single[live] = self._alone[live]
        single[chosen] = False
        there = np.bincount(self.items, self.mass[self.owner], rows.n_items).astype(np.float64)
        flags = single.view(np.int8), chosen.view(np.int8)
        arrays = self.mass, self.room.astype(np.int64), *flags, ranges, there, rows.by_item.begin, rows.by_item.option
        self._rounding = compiled_module("dlx.kernels.price.cuts").Rounding(*arrays, TUNED.violation)

    def cuts(self, begin: Indices, items: Indices) -> list[tuple[float, Cut]]:
        """Returns the violated inequalities of sets of items, with their violations.

        Set s is items[begin[s] : begin[s + 1]].
        """
        return [(violation, Cut(*fields)) for violation, fields in self._rounding.cuts(begin, items)]


def clique_cuts(point: Point) -> list[Cut]:
    """Returns violated clique inequalities of the live options."""
    rows, node = point.matrix.rows, point.node
    exclusive = (point.matrix.ranges[:, 1] == 1) & ~rows.takes_colours  # options that share such an item clash
    live = np.sort(node.options_left())
    live = live[np.bincount(rows.owner, exclusive[rows.indices], rows.n_options)[live] > 0]
    graph = compiled_module("dlx.kernels.price.cuts").Cliques(rows, exclusive.view(np.int8), live, node.masses())
    found = graph.find(TUNED.clique, TUNED.support, TUNED.at_once, node.slacks())
    return [Cut(tuple(clique.tolist())) for clique in found]


def cardinality_cuts(point: Point) -> list[Cut]:
    """Returns the violated inequalities from the number of options that cover all items."""
    items = np.flatnonzero(np.bincount(point.items)).astype(np.int32)
    return [cut for _, cut in point.cuts(np.array([0, len(items)], dtype=np.int32), items)]


def odd_set_cuts(point: Point) -> list[Cut]:
    """Finds odd-set and cardinality cuts of clusters of items, the most violated ones first.

    Options with fractional masses join the items to clusters, each with the distance of its mass to a whole number as
    its weight. (The best odd set of all can be found for matchings: M. Padberg, M. Rao, doi:10.1287/moor.7.1.67.)
    """
    mass = np.minimum(point.mass, point.room)
    weight = np.abs(mass - np.rint(mass))
    undecided = weight[point.owner] > UNDECIDED
    owner, items = point.owner[undecided], point.items[undecided]
    is_there = np.bincount(items) > 0
    there = np.flatnonzero(is_there).astype(np.int32)
    if not 2 < len(there) <= ITEMS:
        return []
    begin = np.flatnonzero(np.diff(owner, prepend=-1))
    ends = np.append(begin, len(owner)).astype(np.int32)
    place = np.cumsum(is_there, dtype=np.int32) - np.int32(1)  # the rank of each item among the undecided items
    clusters = compiled_module("dlx.kernels.price.cuts").clusters
    sets, some = clusters(len(there), ends, place[items], weight[owner[begin]], MANY)
    known: dict[tuple[tuple[int, ...], int, int], tuple[float, Cut]] = {}
    for violation, cut in point.cuts(sets, there[some]):
        known[cut[:3]] = violation, cut
    worst_first = sorted(known.values(), key=lambda pair: -pair[0])
    return [cut for _, cut in worst_first[: TUNED.at_once]]


def count_cuts(point: Point, over: Over) -> list[Cut]:
    """Returns the violated inequalities on the number of options in a cover that follow from prices.

    There are none if all options have as many items, since cardinality cuts are as strong, or if the sum of the masses
    is whole.
    """
    sizes = np.bincount(point.owner, minlength=len(point.mass))[point.node.options_left()]
    number = float(point.mass.sum())
    if not len(sizes) or not np.ptp(sizes) or abs(number - round(number)) < FRACTIONAL:
        return []
    return [*_count_cut(point, True, over), *_count_cut(point, False, over)]


def _count_cut(point: Point, least: bool, over: Over) -> list[Cut]:
    """Returns the inequality on the least or the greatest number of options, if the point violates it.

    It follows from the prices of the linear program in which every option costs 1. Any prices give a valid inequality.
    """
    rows, ranges, worth = point.matrix.rows, point.matrix.ranges, -1 if least else 1
    weights = np.full(rows.n_options, worth << UNIT_BITS)
    counting = point.matrix._replace(weights=weights).kernel(np.empty((0, 1), dtype=np.int32), 0).node
    anneal(counting, TUNED.cut_sweeps, TUNED.cut_rounds, 1 << UNIT_BITS, over)
    prices = worth * counting.prices()
    total = np.zeros(rows.n_options, dtype=np.int64)
    np.add.at(total, rows.owner, prices[rows.indices])
    there = np.bincount(rows.owner[rows.indices < rows.n_primary], minlength=rows.n_options) > 0
    items = np.flatnonzero(prices)
    some = np.where((prices[items] > 0) == least, ranges[items, 0], ranges[items, 1])
    bound = sum(int(price) * int(times) for price, times in zip(prices[items], some, strict=True))
    options = there & (total > 0) if least else there
    by = int(total[options].max(initial=0) if least else total[options].min(initial=1 << 62))
    if by <= 0 or not options.any():
        return []
    low, high = (-(-bound // by), int(point.room[options].sum())) if least else (0, bound // by)
    mass = float(point.mass[options].sum())
    if (low - mass if least else mass - high) <= TUNED.violation:
        return []
    chosen = tuple(np.flatnonzero(options).tolist())
    return [Cut(chosen, low, high, tuple(items.tolist()), (), by, tuple(prices[items].tolist()))]


class Palette(NamedTuple):
    """The groups of options that give an item the same colour.

    Options that give an item different colours clash. The price of the item cannot express this: the price is 0, since
    options that agree on the colour share the item. Options that give the item one colour (or none) and have a primary
    item in common are a *group*; a cover has at most one of them. A group, together with a group of each other colour,
    is a clique. If the colours are open and closed sites, these cliques are the rows of the strong formulation of
    facility location: a customer is only supplied by an open site (D. Erlenkotter, doi:10.1287/opre.26.6.992).

    The heaviest group of each colour is enough: if their masses sum to at most 1, no such clique is violated.

    Attributes:
        option, begin: the options of group g are option[begin[g] : begin[g + 1]].
        shade: the shade of each group, a pair of an item and a colour; in ascending order.
        item: the item of each shade; in ascending order.
    """

    option: Whole
    begin: Whole
    shade: Whole
    item: Whole

    @classmethod
    def of(cls, matrix: Matrix) -> Palette:
        """Returns the palette of rows with colours; an option without an item covered once is a group of its own."""
        rows = matrix.rows
        assert rows.colours is not None
        once = (np.arange(rows.n_items) < rows.n_primary) & (matrix.ranges[:, 1] == 1)
        entry, shared = _shared(rows, rows.colours, once, np.flatnonzero(rows.takes_colours[rows.indices]))
        option, item, colour = rows.owner[entry], rows.indices[entry], rows.colours[entry]
        order = np.lexsort((option, shared, colour, item))
        option, item, colour, shared = option[order], item[order], colour[order], shared[order]
        begins_shade = np.append(True, (np.diff(item) != 0) | (np.diff(colour) != 0))
        begin = np.flatnonzero(begins_shade | np.append(True, np.diff(shared) != 0))
        shade = np.cumsum(begins_shade)[begin] - 1
        return cls(option, np.append(begin, len(option)), shade, item[begins_shade])

    def violated(self, mass: Real) -> list[Cut]:
        """Returns the cliques that the masses of the options violate, each once."""
        masses = np.add.reduceat(mass[self.option], self.begin[:-1])
        by_mass = np.lexsort((masses, self.shade))
        heaviest = by_mass[np.flatnonzero(np.append(np.diff(self.shade[by_mass]), 1))]  # the heaviest group of a shade

        first = np.append(True, np.diff(self.item) != 0)  # whether it is the first shade of its item
        repeats = (heaviest[self.shade] == np.arange(len(masses))) & ~first[self.shade]  # groups with the same clique
        # The mass of each group plus the heaviest group of each other shade of its item
        total = masses + np.bincount(self.item, masses[heaviest])[self.item[self.shade]] - masses[heaviest[self.shade]]
        over = np.where(repeats, 0.0, total - 1.0)
        return list(dict.fromkeys(self._cut(heaviest, g) for g in np.flatnonzero(over > TUNED.violation).tolist()))

    def _cut(self, heaviest: Whole, group: int) -> Cut:
        shade = self.shade[group]
        first, end = np.searchsorted(self.item, [self.item[shade], self.item[shade] + 1]).tolist()
        groups = [group, *(heaviest[s] for s in range(first, end) if s != shade)]
        return Cut(tuple(sorted(o for g in groups for o in self.option[self.begin[g] : self.begin[g + 1]].tolist())))


def _shared(rows: Rows, colours: Whole, once: npt.NDArray[np.bool_], entry: Whole) -> tuple[Whole, Whole]:
    """Returns the entries, one for each group of their option, and the common item of each group.

    The common item is a primary item that is covered `once`, a number beyond all items if the option has no such item,
    or -1 without a colour.
    """
    some = np.flatnonzero(once[rows.indices])
    alone = np.setdiff1d(np.arange(rows.n_options), rows.owner[some])
    owner = np.append(rows.owner[some], alone)
    common = np.append(rows.indices[some], rows.n_items + alone)[owner.argsort(kind="stable")]
    number = np.bincount(owner, minlength=rows.n_options)
    begin = np.cumsum(number) - number  # the position in `common` of the first item of each option
    times = np.where(colours[entry] > 0, np.minimum(number, COMMON)[rows.owner[entry]], 1)
    turn = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    entry = np.repeat(entry, times)
    return entry, np.where(colours[entry] > 0, common[begin[rows.owner[entry]] + turn], -1)


class Separation:
    """The cuts at a root so far, and the search for further cuts.

    Parameters:
        matrix: the rows, ranges and weights without cuts.
        has_pairs: whether options are pairs of items.
        over: returns whether a limit has been reached.

    Attributes:
        cuts: the cuts that have been added.
    """

    def __init__(self, matrix: Matrix, has_pairs: bool, over: Over) -> None:
        self.cuts: list[Cut] = []
        self._plain, self._has_pairs, self._over = matrix, has_pairs, over
        self._has_counted = False
        self._point: Point | None = None  # made at its first use

    def violated(self, node: Any, matrix: Matrix) -> list[Cut]:
        """Returns new cuts that the masses at the root violate, all of the first family that has any."""
        self._point = self._point or Point(self._plain)
        self._point.move(matrix, node)
        known = {*self.cuts}
        cliques = [] if self._has_pairs else [clique_cuts]  # a clique of pairs shares an item, or is an odd set
        for family in (self._colours, self._numbers, *cliques, odd_set_cuts):
            if cuts := [cut for cut in family(self._point) if cut not in known]:
                return cuts
        return []

    @cached_property
    def _palette(self) -> Palette:
        return Palette.of(self._plain)

    def _colours(self, point: Point) -> list[Cut]:
        return self._palette.violated(point.mass) if self._plain.rows.takes_colours.any() else []

    def _numbers(self, point: Point) -> list[Cut]:
        """Returns cuts on the number of options; count cuts are tried only once."""
        cuts, has_counted, self._has_counted = cardinality_cuts(point), self._has_counted, True
        return cuts if cuts or has_counted else count_cuts(point, self._over)
