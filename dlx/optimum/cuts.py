"""Cuts: inequalities of all covers that a fractional point, the masses at a temperature, violates.

At a temperature the masses of the options are near to a solution of the linear program of set partitioning. Where they
violate an inequality that every cover keeps, no prices can be good: the program thinks more of these options than there
is. One more secondary item, which the options of the inequality share, is its row, and gets a price like any other.

* *Clique inequalities*: options of which any two clash, one of them at most (M. Padberg, doi:10.1007/BF01580121; kernel
  `cliques`).
* *Odd-set inequalities*, the {0, 1/2}-cuts of V. Chvátal (doi:10.1016/0012-365X(73)90167-2) and J. Edmonds (J. Res. NBS
  69B (1965), doi:10.6028/jres.069B.013): the upper bounds of some items, and of some options, each chosen at most once,
  are added and halved. The options' coefficients come to at most half of the right-hand side, rounded down, since both
  sides are whole. The same goes for lower bounds, rounded up, with upper bounds subtracted where items are at these.
* *Cardinality cuts*, Chvátal's with other divisors, as for the customers of vehicles with a capacity (G. Laporte,
  Y. Nobert, M. Desrochers, doi:10.1287/opre.33.5.1050): the lower bounds of some items, divided by the most of them
  that an option has, rounded up, are options of a cover at least; the upper bounds, divided by any number, rounded
  down, are at most the options with so many of the items.
* *Count cuts*, Chvátal's with a multiplier for each item: where every option costs 1, prices bound the cost of a cover,
  which is how many options it has, and whole.

Each cut is true of all covers, not only of those worth finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.optimum.parameters import TUNED
from dlx.problem.roles import Rows

TINY = 1e-6  # mass of an option, which tells nothing

Numbers = npt.NDArray[np.int64]
Ranges = npt.NDArray[np.int32]  # shape (n_items, 2): how often each item is to be covered at least and at most


class Cut(NamedTuple):
    """A secondary item that is added to a problem: an inequality of all its covers.

    Attributes:
        options: the options that have it.
        least, most: how many of them a cover has at least and at most.
        items: empty for a clique inequality; otherwise the items whose bounds are added, divided and rounded;
        bounded: the options whose own bounds, once at most, are added to these;
        by: the divisor;
        times: what the bounds of the items are multiplied by before that, which may be negative; nothing if by 1.
    """

    options: tuple[int, ...]
    least: int = 0
    most: int = 1
    items: tuple[int, ...] = ()
    bounded: tuple[int, ...] = ()
    by: int = 2
    times: tuple[int, ...] = ()

    @classmethod
    def of(cls, told: Iterable[Any]) -> Cut:
        """Returns the cut of which a file tells, with lists for tuples."""
        fields: list[Any] = [tuple(field) if isinstance(field, list) else field for field in told]
        return cls(*fields)


class Entries(NamedTuple):
    """The entries of the items for which cuts are looked for, the primary ones without colours."""

    owner: npt.NDArray[np.int32]  # the option of each entry,
    items: Numbers  # and its item
    room: npt.NDArray[np.integer[Any]]  # how often each option may be chosen
    alone: npt.NDArray[np.bool_]  # whether an item of its own says that it is chosen at most once

    @classmethod
    def of(cls, rows: Rows, ranges: Ranges) -> Entries:
        """Returns the entries of some rows, whose items are to be covered as often as ranges tell."""
        counts = (np.arange(rows.n_items) < rows.n_primary) & ~rows.tinted
        lonely = (np.bincount(rows.indices, minlength=rows.n_items) == 1) & ~counts & (ranges[:, 1] == 1)
        alone = np.zeros(rows.n_options, np.bool_)
        alone[rows.owner[lonely[rows.indices]]] = True
        keep = counts[rows.indices]
        return cls(rows.owner[keep], rows.indices[keep].astype(np.int64), rows.rooms(ranges[:, 1]), alone)


class Point(NamedTuple):
    """A fractional point, and the entries of the items for which cuts are looked for."""

    owner: npt.NDArray[np.int32]  # as in `Entries`
    items: Numbers
    ranges: Ranges  # the bounds of all items
    mass: npt.NDArray[np.float64]  # of each option, with 1 for each time that it is chosen; 0 if it no longer lives
    room: npt.NDArray[np.integer[Any]]  # as in `Entries`
    single: npt.NDArray[np.bool_]  # whether it lives, and another item says that it is chosen at most once
    chosen: npt.NDArray[np.bool_]  # whether it is in all covers worth finding, and once at most

    @classmethod
    def of(cls, entries: Entries, ranges: Ranges, kernel: Any) -> Point:
        """Returns the point where a kernel stands."""
        owner, items, room, alone = entries
        chosen = (np.bincount(kernel.path(), minlength=len(room)) > 0) & (room == 1)
        lives = np.zeros(len(room), np.bool_)
        lives[kernel.options_left()] = True
        return cls(owner, items, ranges, known_masses(kernel, room), room, alone & lives & ~chosen, chosen)


def known_masses(kernel: Any, room: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
    """Returns the masses of all options where a kernel stands, with the times that each has been chosen.

    `room` is how often each may be chosen.
    """
    known, live = np.zeros(len(room)), kernel.options_left()
    times = np.bincount(kernel.path(), minlength=len(room))
    known[live] = kernel.masses()[live]
    known[(times > 0) & (room == 1)] = 0.0
    known += times
    return known


def clique_cuts(rows: Rows, ranges: Ranges | None, kernel: Any, most: int, seed: int) -> list[Cut]:
    """Returns at most so many violated clique inequalities of the options that live where a kernel stands."""
    ends = np.ones(rows.n_items, dtype=np.bool_)  # items for which two options that have it clash
    if ranges is not None:
        ends = ranges[:, 1] == 1
    ends &= ~rows.tinted
    ending = np.bincount(rows.owner, ends[rows.indices], rows.n_options) > 0
    live = np.sort(kernel.options_left())
    live = live[ending[live]]
    mass, slack = kernel.masses()[live], kernel.slacks()[live]
    place = np.full(rows.n_options, -1)
    place[live] = np.arange(len(live))
    there = (place[rows.owner] >= 0) & ends[rows.indices]
    owner, items = place[rows.owner[there]], rows.indices[there]
    order = np.lexsort((items, owner))
    indptr = np.append(0, np.cumsum(np.bincount(owner, minlength=len(live)))).astype(np.int32)
    clashing = Rows(indptr, items[order].astype(np.int32), rows.n_items, rows.n_primary, None, None)
    graph = compiled_module("dlx.kernels.price.cliques").Cliques(clashing, mass, seed)
    return [Cut(tuple(live[clique].tolist())) for clique in graph.find(TUNED, most, slack)]


def odd_set_cuts(point: Point, most: int) -> list[Cut]:
    """Finds odd-set and cardinality cuts of clusters of items, the most violated ones first.

    The clusters are joined by the options that the masses leave undecided, or else by all that have masses. (The best
    odd set of all can be found for matchings: M. Padberg, M. Rao, doi:10.1287/moor.7.1.67.)
    """
    mass = np.minimum(point.mass, point.room)
    return _cuts_of(np.abs(mass - np.rint(mass)), point, most) or _cuts_of(mass, point, most)


def _cuts_of(weight: npt.NDArray[np.float64], point: Point, most: int) -> list[Cut]:
    """Finds cuts of clusters that options join by some weights, the most violated ones first."""
    sets = [some for some in _clusters(weight, point) if 2 < len(some) <= TUNED.many]
    found: dict[tuple[int, float], tuple[float, Cut]] = {}
    for place, violation, cut in sorted(_rounded(sets, point), key=lambda one: -len(one[2].options)):
        if violation > TUNED.steep * len(cut.options) ** 0.5:
            found[place, round(violation, 6)] = violation, cut  # of two that say the same the one with fewer options
    known = {cut[:3]: (violation, cut) for violation, cut in found.values()}
    worst_first = sorted(known.values(), key=lambda pair: -pair[0])
    return [cut for _, cut in worst_first[:most]]


def _clusters(weight: npt.NDArray[np.float64], point: Point) -> Iterator[Numbers]:
    """Joins the items that options link, so that the least weight leaves a set.

    The weight by which an option can be wrong is the distance of its mass to a whole number. Where options link so many
    items that the sets would take too long, there are none of these.
    """
    strong = weight[point.owner] > TUNED.undecided
    owner, items = point.owner[strong], point.items[strong]
    few = len(np.unique(items)) <= TUNED.items
    label = np.zeros(len(items), dtype=np.int64) if few else _linked(owner, items)
    order = np.argsort(label, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        there, index = np.unique(items[part], return_inverse=True)
        if 2 < len(there) <= TUNED.items:
            for some in _joined(owner[part], index, weight[owner[part]], len(there)):
                yield there[some]


def _linked(owner: npt.NDArray[np.int32], items: Numbers) -> Numbers:
    """Returns a label for each entry, the same for entries of options that share items."""
    _, option = np.unique(owner, return_inverse=True)
    _, item = np.unique(items, return_inverse=True)
    label = np.arange(item.max(initial=0) + 1)
    while True:
        least = np.full(len(option), len(label))
        np.minimum.at(least, option, label[item])
        new = label.copy()
        np.minimum.at(new, item, least[option])
        new = new[new]
        if np.array_equal(new, label):
            return label[item]
        label = new


def _joined(
    owner: npt.NDArray[np.int32], index: Numbers, weight: npt.NDArray[np.float64], n: int
) -> Iterator[list[int]]:
    """Joins n items, from single ones on, and yields the sets, and what is left of all that are linked without them."""
    begin = np.flatnonzero(np.diff(owner, prepend=-1)).astype(np.int32)
    clusters = compiled_module("dlx.kernels.price.clusters").Clusters
    pairs = clusters(n, np.append(begin, np.int32(len(owner))), index.astype(np.int32), weight[begin]).join().tolist()
    members, sets = [[i] for i in range(n)], []
    for a, b in pairs:
        members[a] = members[a] + members[b]
        sets.append((a, members[a]))
    linked: dict[int, list[int]] = {}
    for a, b in reversed(pairs):
        linked[b] = linked.setdefault(a, members[a])
    for a, some in sets:
        yield some
        if 2 * len(some) > len(linked[a]):
            yield [*{*linked[a]}.difference(some)]


class _Sums(NamedTuple):
    """Sums of the bounds of items in some sets, and of the options; shape (sets,), or (sets, options)."""

    sets: list[Numbers]
    option: npt.NDArray[np.int32]  # those with items in any of the sets
    mass: npt.NDArray[np.float64]
    room: npt.NDArray[np.integer[Any]]
    single: npt.NDArray[np.bool_]  # of options, as in `Point`
    chosen: npt.NDArray[np.bool_]
    times: Numbers  # how many of the items an option has,
    signed: Numbers  # with those subtracted that are at their upper bounds
    least: Numbers  # the sums of the items' bounds
    most: Numbers
    short: npt.NDArray[np.float64]  # the sums of what the masses violate the bounds by
    over: npt.NDArray[np.float64]
    base: Numbers  # the sums of lower bounds, with upper ones subtracted where items are at these,
    lacking: npt.NDArray[np.float64]  # and what the masses violate these by
    factor: Numbers  # -1 for each item of the problem that is at its upper bound, and 1 for others

    @classmethod
    def of(cls, sets: list[Numbers], point: Point, least: float) -> _Sums:
        """Returns the sums for sets of items, and for the options that have at least so much mass."""
        owner, items = point.owner, point.items
        if least > 0:
            heavy = point.mass[owner] >= least
            owner, items = owner[heavy], items[heavy]
        inside = np.zeros((len(sets), len(point.ranges)), dtype=np.bool_)
        inside[np.repeat(np.arange(len(sets)), [len(some) for some in sets]), np.concatenate(sets)] = True
        which, entry = np.nonzero(inside[:, items])
        option, place = np.unique(owner[entry], return_inverse=True)
        there = np.bincount(point.items, point.mass[point.owner], len(point.ranges))
        low, high = point.ranges.astype(np.int64).T
        short, over = np.maximum(0, low - there), np.maximum(0, there - high)
        upper = (low < high) & (2 * there > low + high)
        shape = len(sets), len(option)
        cell = which * len(option) + place
        times = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
        negative = np.bincount(cell[upper[items[entry]]], minlength=shape[0] * shape[1]).reshape(shape)
        return cls(
            sets,
            option,
            point.mass[option],
            point.room[option],
            point.single[option],
            point.chosen[option],
            times,
            times - 2 * negative,
            inside @ low,
            inside @ high,
            inside @ short,
            inside @ over,
            inside @ np.where(upper, -high, low),
            inside @ np.where(upper, over, short),
            np.where(upper, -1, 1),
        )

    def cuts(
        self,
        violation: npt.NDArray[np.float64],
        has: npt.NDArray[np.bool_],
        low: Numbers,
        high: Numbers,
        by: Numbers,
        bounded: npt.NDArray[np.bool_] | None = None,
        *,
        signed: bool = False,
    ) -> Iterator[tuple[int, float, Cut]]:
        """Returns the inequalities that are violated, with the places of their sets and the violations."""
        for k in np.flatnonzero(violation > TUNED.violation).tolist():
            bounds = () if bounded is None else tuple(self.option[bounded[k]].tolist())
            options, items = tuple(self.option[has[k]].tolist()), tuple(self.sets[k].tolist())
            factor = self.factor[self.sets[k]]
            times = tuple(factor.tolist()) if signed and (factor < 0).any() else ()
            yield k, float(violation[k]), Cut(options, int(low[k]), int(high[k]), items, bounds, int(by[k]), times)


def _rounded(sets: list[Numbers], point: Point) -> list[tuple[int, float, Cut]]:
    """Returns the violated inequalities of sets of items, with places and violations: by sizes, and by halves."""
    found: list[tuple[int, float, Cut]] = []
    size = len(point.items) + len(point.mass)
    at_once = max(1, TUNED.batch // size)
    for k in range(0, min(len(sets), TUNED.tests // size), at_once):
        some = sets[k : k + at_once]
        heavy = _Sums.of(some, point, TINY)  # what they say of violations is right, and they are fewer
        violated = sorted({place for place, _, _ in (*_by_size(heavy), *_by_half(heavy))})
        if violated:
            sums = _Sums.of([some[place] for place in violated], point, 0.0)
            both = sorted([*_by_size(sums), *_by_half(sums)], key=lambda cut: cut[0])
            found += [(k + violated[place], violation, cut) for place, violation, cut in both]
    return found


def cardinality_cuts(some: Numbers, point: Point) -> list[Cut]:
    """Returns the violated inequalities from the number of options that cover an item set."""
    return [cut for _, _, cut in _rounded([some], point)] if len(some) else []


def _by_size(sums: _Sums) -> Iterator[tuple[int, float, Cut]]:
    """Divides the bounds of the items by the most that an option has of them, or less."""
    times, mass = sums.times, sums.mass
    largest = times.max(axis=1, initial=1)
    there = times @ mass
    short, over = np.maximum(0.0, sums.least - there), np.maximum(0.0, there - sums.most)
    has = times >= 1
    low, rest = -(-sums.least // largest), sums.least % largest
    yield from sums.cuts(np.where(rest, low - has @ mass - short / largest, -np.inf), has, low, sums.most, largest)
    for size in range(2, int(largest.max()) + 1):
        has, high = times >= size, sums.most // size
        divides = (sums.most % size == 0) | (size > largest)
        violation = np.where(divides, -np.inf, has @ mass - high - over / size)
        yield from sums.cuts(violation, has, np.zeros_like(high), high, np.full_like(high, size))


def _by_half(sums: _Sums) -> Iterator[tuple[int, float, Cut]]:
    """Halves the bounds of the items, with those of the options that are nearly in every cover.

    The violation of a cut does not count that of the items' own bounds.
    """
    times, mass = sums.times, sums.mass
    bounded, odd = _bounded(sums, times % 2 == 1, sums.most)
    high = (sums.most + np.count_nonzero(bounded, axis=1)) // 2
    has, two = times + bounded >= 2, np.full_like(high, 2)
    yield from sums.cuts(
        np.where(odd, has @ mass - sums.over - high, -np.inf), has, np.zeros_like(high), high, two, bounded
    )
    bounded, odd = _bounded(sums, sums.signed == 1, sums.base)
    low = -((np.count_nonzero(bounded, axis=1) - sums.base) // 2)
    has = sums.signed - bounded >= 1
    odd &= (low > 0) & (times.max(axis=1, initial=0) <= 2)
    violation = np.where(odd, low - sums.lacking - has @ mass, -np.inf)
    yield from sums.cuts(violation, has, low, has @ sums.room, two, bounded, signed=True)


def _bounded(
    sums: _Sums, crossing: npt.NDArray[np.bool_], total: Numbers
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Chooses crossing options whose own bounds are added, so that the sums are odd; tells where they are."""
    free = crossing & sums.single
    bounded: npt.NDArray[np.bool_] = crossing & sums.chosen | free & (sums.mass > 0.5)
    even = (total + np.count_nonzero(bounded, axis=1)) % 2 == 0
    turned = np.flatnonzero(even & free.any(axis=1))
    if len(turned):
        nearest = np.where(free[turned], np.abs(sums.mass - 0.5), np.inf).argmin(axis=1)
        bounded[turned, nearest] ^= True
        even[turned] = False
    return bounded, ~even


def count_cut(prices: Numbers, rows: Rows, point: Point, least: bool) -> tuple[float, Cut] | None:
    """Returns the inequality for the number of options in a cover that prices give, with its violation.

    Parameters:
        prices: of all items, near to those of the linear program in which each option costs 1, and a cover costs least
            or most; any others give a true inequality, too.
    """
    total = np.zeros(rows.n_options, dtype=np.int64)
    np.add.at(total, rows.owner, prices[rows.indices])
    there = np.bincount(rows.owner[rows.indices < rows.n_primary], minlength=rows.n_options) > 0
    items = np.flatnonzero(prices)
    some = np.where((prices[items] > 0) == least, point.ranges[items, 0], point.ranges[items, 1])
    bound = sum(int(price) * int(times) for price, times in zip(prices[items], some, strict=True))
    options = there & (total > 0) if least else there
    by = int(total[options].max(initial=0) if least else total[options].min(initial=1 << 62))
    if by <= 0 or not options.any():
        return None
    low, high = (-(-bound // by), int(point.room[options].sum())) if least else (0, bound // by)
    mass = float(point.mass[options].sum())
    chosen = tuple(np.flatnonzero(options).tolist())
    cut = Cut(chosen, low, high, tuple(items.tolist()), (), by, tuple(prices[items].tolist()))
    return low - mass if least else mass - high, cut
