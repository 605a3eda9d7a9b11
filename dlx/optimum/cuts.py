"""Cuts: inequalities of all covers that a fractional point, the masses at a temperature, violates.

At a temperature the masses of the options are near to a solution of the linear program of set partitioning. Where they
violate an inequality that every cover keeps, no prices can be good: the program thinks more of these options than there
is. One more secondary item, which the options of the inequality share, is its row, and gets a price like any other.

* *Clique inequalities*: options of which any two clash, one of them at most (M. Padberg, doi:10.1007/BF01580121; kernel
  `cliques`).
* *Odd-set inequalities*, the {0, 1/2}-cuts of V. Chvátal (doi:10.1016/0012-365X(73)90167-2) and J. Edmonds (J. Res. NBS
  69B (1965), doi:10.6028/jres.069B.013): the upper bounds of some items, and of some options, each chosen at most once,
  are added and halved. The options' coefficients come to at most half of the right-hand side, rounded down, since both
  sides are whole. The same goes for lower bounds, rounded up.
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
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.optimum.parameters import TUNED
from dlx.problem.roles import Rows

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


class Point(NamedTuple):
    """A fractional point, and the entries of the items for which cuts are looked for."""

    owner: npt.NDArray[np.int32]  # the option of each entry,
    items: Numbers  # and its item
    ranges: Ranges  # the bounds of all items
    mass: npt.NDArray[np.float64]  # of each option, with 1 for each time that it is chosen; 0 if it no longer lives
    room: npt.NDArray[np.integer[Any]]  # how often it may be chosen
    single: npt.NDArray[np.bool_]  # whether it lives, and another item says that it is chosen at most once
    chosen: npt.NDArray[np.bool_]  # whether it is in all covers worth finding, and once at most

    @classmethod
    def of(cls, rows: Rows, ranges: Ranges, kernel: Any) -> Point:
        """Returns the point where a kernel stands; its entries are those of primary items without colours."""
        live, chosen = kernel.options_left(), kernel.path()
        n_options = rows.n_options
        counts = (np.arange(rows.n_items) < rows.n_primary) & ~rows.tinted
        owner, room = rows.owner, rows.rooms(ranges[:, 1])
        single = np.zeros(n_options, np.bool_)
        is_chosen = (np.bincount(np.array(chosen, dtype=np.int64), minlength=n_options) > 0) & (room == 1)
        lonely = (np.bincount(rows.indices, minlength=rows.n_items) == 1) & ~counts & (ranges[:, 1] == 1)
        single[np.intersect1d(owner[lonely[rows.indices]], live)] = True
        keep = counts[rows.indices]
        single &= ~is_chosen
        mass = known_masses(kernel, room)
        return cls(owner[keep], rows.indices[keep].astype(np.int64), ranges, mass, room, single, is_chosen)

    def times(self, some: Numbers) -> Numbers:
        """Returns the number of entries of each option in some items."""
        inside = np.zeros(len(self.ranges), dtype=np.bool_)
        inside[some] = True
        return np.bincount(self.owner[inside[self.items]], minlength=len(self.mass))


def known_masses(kernel: Any, room: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
    """Returns the masses of all options where a kernel stands, with the times that each has been chosen.

    `room` is how often each may be chosen.
    """
    known, live = np.zeros(len(room)), kernel.options_left()
    times = np.bincount(np.array(kernel.path(), dtype=np.int64), minlength=len(room))
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


def odd_set_cuts(point: Point, most: int, among: int = TUNED.items) -> list[Cut]:
    """Finds odd-set and cardinality cuts of clusters of items, the most violated ones first.

    The clusters are joined by the options that the masses leave undecided. (The best odd set of all can be found for
    matchings: M. Padberg, M. Rao, doi:10.1287/moor.7.1.67.)
    """
    found: dict[tuple[bool, tuple[int, ...]], tuple[float, Cut]] = {}
    for some in _clusters(point, min(among, TUNED.items)):
        if 2 < len(some) <= TUNED.many:
            odd = [(violation, cut) for violation, cut in _halved(some, point) if violation > TUNED.violation]
            both = cardinality_cuts(some, point) + odd
            found |= {(cut.least > 0, cut.options): (violation, cut) for violation, cut in both}
    worst_first = sorted(found.values(), key=lambda pair: -pair[0])
    return [cut for _, cut in worst_first[:most]]


def _clusters(point: Point, among: int) -> Iterator[Numbers]:
    """Joins the items that undecided options link, so that the undecided mass that leaves a set is least.

    The mass by which an option can be wrong is the distance of its mass to a whole number. Where options link so many
    items that the sets would take too long, there are none of these.
    """
    mass = np.minimum(point.mass, point.room)
    undecided = np.abs(mass - np.rint(mass))[point.owner]
    strong = undecided > TUNED.undecided
    owner, items, weight = point.owner[strong], point.items[strong], undecided[strong]
    label = _linked(owner, items)
    order = np.argsort(label, kind="stable")
    for part in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        there, index = np.unique(items[part], return_inverse=True)
        if 2 < len(there) <= among:
            yield from (there[some] for some in _joined(owner[part], index, weight[part], len(there)))


def _linked(owner: Numbers, items: Numbers) -> Numbers:
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


def _joined(owner: Numbers, index: Numbers, weight: npt.NDArray[np.float64], n: int) -> Iterator[list[int]]:
    """Joins n items, from single ones on."""
    size = np.bincount(owner)[owner]
    tie = np.zeros((n, n))  # between clusters
    for k in np.unique(size):
        if k > 1:
            alike = size == k
            order = np.argsort(owner[alike], kind="stable")
            rows = index[alike][order].reshape(-1, k)
            shares = weight[alike][order].reshape(-1, k)[:, 0] / (k - 1)
            for a, b in combinations(range(k), 2):
                np.add.at(tie, (rows[:, a], rows[:, b]), shares)
                np.add.at(tie, (rows[:, b], rows[:, a]), shares)
    members = [[i] for i in range(n)]
    leaving = tie.sum(axis=1)
    for _ in range(n - 1):
        joined = np.where(tie > 0, leaving[:, None] + leaving[None, :] - 2 * tie, np.inf)
        a, b = divmod(int(joined.argmin()), n)
        if not np.isfinite(joined[a, b]):
            return
        members[a] = members[a] + members[b]
        leaving[a], leaving[b] = joined[a, b], np.inf
        tie[a] += tie[b]
        tie[:, a] += tie[:, b]
        tie[b] = tie[:, b] = tie[a, a] = 0.0
        yield members[a]


def _halved(some: Numbers, point: Point) -> list[tuple[float, Cut]]:
    """Halves the bounds of some items, with those of the options that are nearly in every cover.

    The violation of a cut does not count that of the items' own bounds.
    """
    mass, times = point.mass, point.times(some)
    least, most = point.ranges[some].sum(axis=0, dtype=np.int64).tolist()
    items = tuple(some.tolist())
    there = np.bincount(point.items, mass[point.owner], len(point.ranges))[some]
    below, above = (
        float(np.maximum(0, sign * (point.ranges[some, end] - there)).sum()) for end, sign in ((0, 1), (1, -1))
    )
    result = []
    bounded = _bounded(times, most, point)
    if bounded is not None:
        half = (most + int(np.count_nonzero(bounded))) // 2
        options = np.flatnonzero(times + bounded >= 2)
        cut = Cut(tuple(options.tolist()), 0, half, items, tuple(np.flatnonzero(bounded).tolist()))
        result.append((float(mass[options].sum()) - above - half, cut))
    bounded = _bounded(times, least, point) if times.max() <= 2 else None
    if bounded is not None:
        half = -((int(np.count_nonzero(bounded)) - least) // 2)
        options = np.flatnonzero(times - bounded >= 1)
        if half > 0:
            high = int(point.room[options].sum())
            cut = Cut(tuple(options.tolist()), half, high, items, tuple(np.flatnonzero(bounded).tolist()))
            result.append((half - below - float(mass[options].sum()), cut))
    return result


def _bounded(times: Numbers, total: int, point: Point) -> npt.NDArray[np.bool_] | None:
    """Chooses the options whose own bounds are added, so that the sum is odd; None if it cannot be."""
    crossing = times % 2 == 1
    free = crossing & point.single
    bounded: npt.NDArray[np.bool_] = crossing & point.chosen | free & (point.mass > 0.5)
    if (total + np.count_nonzero(bounded)) % 2 == 0:
        choice = np.flatnonzero(free)
        if not len(choice):
            return None
        nearest = choice[np.abs(point.mass[choice] - 0.5).argmin()]
        bounded[nearest] = not bounded[nearest]
    return bounded


def cardinality_cuts(some: Numbers, point: Point) -> list[tuple[float, Cut]]:
    """Returns the violated inequalities, with their violations, from the number of options that cover an item set."""
    sizes = point.times(some)
    least, most = point.ranges[some].sum(axis=0, dtype=np.int64).tolist()
    items, largest = tuple(some.tolist()), int(sizes.max(initial=1))
    mass = np.bincount(sizes, point.mass, largest + 1)[::-1].cumsum()[::-1].tolist()  # of options of each size or more
    there = float(sizes @ point.mass)
    short, over = max(0.0, least - there), max(0.0, there - most)  # the violation of the items' own bounds

    def cut(size: int, low: int, high: int, by: int) -> Cut:
        return Cut(tuple(np.flatnonzero(sizes >= size).tolist()), low, high, items, by=by)

    found = []
    low = -(-least // largest)
    if least % largest and (violation := low - mass[1] - short / largest) > TUNED.violation:
        found.append((violation, cut(1, low, most, largest)))
    for size in range(2, largest + 1):
        high = most // size
        if most % size and (violation := mass[size] - high - over / size) > TUNED.violation:
            found.append((violation, cut(size, 0, high, size)))
    return found


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
