"""Cuts: inequalities that all covers satisfy and a fractional point, the masses of the options, violates.

The masses are a solution of the linear program of set partitioning, or near one. A cut becomes one more secondary item,
which the options of the inequality share. This item is a row of the program, and gets a price like any other.

* *Clique inequalities*: a cover has at most one of several options of which any two clash (M. Padberg,
  doi:10.1007/BF01580121; kernel `cuts`).
* *Odd-set inequalities*, the {0, 1/2}-cuts of V. Chvátal (doi:10.1016/0012-365X(73)90167-2) and J. Edmonds (J. Res. NBS
  69B (1965), doi:10.6028/jres.069B.013): the upper bounds of some items, and of some options, are added and halved. The
  right-hand side is rounded down, since both sides are whole. Lower bounds are rounded up; upper bounds are subtracted
  from them for items at their upper bounds.
* *Cardinality cuts*, Chvátal's with other divisors, as for the customers of vehicles with a capacity (G. Laporte,
  Y. Nobert, M. Desrochers, doi:10.1287/opre.33.5.1050): let an option have at most d of some items. The lower bounds of
  these items, divided by d and rounded up, are the least number of options.
* *Count cuts*, Chvátal's with a multiplier for each item: if every option costs 1, prices bound the number of options
  of a cover, which is whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.compiled import compiled_module
from dlx.optimum.matrix import Ranges
from dlx.optimum.parameters import TUNED
from dlx.problem.roles import ByItem, Rows

ITEMS = 400  # undecided items among which odd sets are looked for, at most
MANY = 60  # items in an odd set, at most
UNDECIDED = 0.01  # an option joins items to an odd set if its mass is farther from a whole number

Numbers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]


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
    def of(cls, listed: Iterable[Any]) -> Cut:
        """Returns the cut with these fields, which are lists in a file instead of tuples."""
        fields: list[Any] = [tuple(field) if isinstance(field, list) else field for field in listed]
        return cls(*fields)


class Entries(NamedTuple):
    """The entries of the items for which cuts are looked for, the primary ones without colours."""

    owner: Indices  # the option of each entry,
    items: Indices  # and its item
    room: npt.NDArray[np.integer[Any]]  # how often each option may be chosen
    alone: npt.NDArray[np.bool_]  # whether an item of its own says that it is chosen at most once
    by_item: ByItem  # the options of these items, and of others

    @classmethod
    def of(cls, rows: Rows, ranges: Ranges) -> Entries:
        """Returns the entries of some rows, whose items are to be covered as often as ranges tell."""
        counts = (np.arange(rows.n_items) < rows.n_primary) & ~rows.takes_colours
        lonely = (np.bincount(rows.indices, minlength=rows.n_items) == 1) & ~counts & (ranges[:, 1] == 1)
        alone = np.zeros(rows.n_options, np.bool_)
        alone[rows.owner[lonely[rows.indices]]] = True
        keep = counts[rows.indices]
        return cls(rows.owner[keep], rows.indices[keep], rows.rooms(ranges[:, 1]), alone, rows.by_item)


@dataclass(frozen=True)
class Point:
    """A fractional point, and the entries of the items for which cuts are looked for."""

    entries: Entries
    ranges: Ranges  # the bounds of all items
    mass: npt.NDArray[np.float64]  # of each option, with 1 for each time that it is chosen; 0 if it no longer lives
    single: npt.NDArray[np.bool_]  # of each option: whether it lives, and another item allows it only once
    chosen: npt.NDArray[np.bool_]  # of each option: whether it is in all covers worth finding, exactly once

    @classmethod
    def of(cls, entries: Entries, ranges: Ranges, node: Any) -> Point:
        """Returns the point at the root."""
        room = entries.room
        chosen = (np.bincount(node.path(), minlength=len(room)) > 0) & (room == 1)
        lives = np.zeros(len(room), np.bool_)
        lives[node.options_left()] = True
        return cls(entries, ranges, known_masses(node, room), entries.alone & lives & ~chosen, chosen)

    @cached_property
    def rounding(self) -> Any:
        """The kernel that looks for cuts of sets of items here."""
        entries, mass, by_item = self.entries, self.mass, self.entries.by_item
        there = np.bincount(entries.items, mass[entries.owner], len(self.ranges)).astype(np.float64)
        flags = self.single.view(np.int8), self.chosen.view(np.int8)
        arrays = mass, entries.room.astype(np.int64), *flags, self.ranges, there, by_item.begin, by_item.option
        return compiled_module("dlx.kernels.price.cuts").Rounding(*arrays, TUNED.violation)

    def cuts(self, begin: Indices, items: Indices) -> list[tuple[float, Cut]]:
        """Returns the violated inequalities of sets of items, with their violations.

        Set s is items[begin[s] : begin[s + 1]].
        """
        return [(violation, Cut(*fields)) for violation, fields in self.rounding.cuts(begin, items)]


def known_masses(node: Any, room: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.float64]:
    """Returns the masses of all options at the root, with the times that each has been chosen.

    `room` is how often each may be chosen.
    """
    known, live = np.zeros(len(room)), node.options_left()
    times = np.bincount(node.path(), minlength=len(room))
    known[live] = node.masses()[live]
    known[(times > 0) & (room == 1)] = 0.0
    known += times
    return known


def clique_cuts(rows: Rows, ranges: Ranges | None, node: Any, most: int) -> list[Cut]:
    """Returns up to `most` violated clique inequalities of the live options."""
    ends = np.ones(rows.n_items, dtype=np.bool_)  # items for which two options that have it clash
    if ranges is not None:
        ends = ranges[:, 1] == 1
    ends &= ~rows.takes_colours
    ending = np.bincount(rows.owner, ends[rows.indices], rows.n_options) > 0
    live = np.sort(node.options_left())
    live = live[ending[live]]
    mass, slack = node.masses()[live], node.slacks()[live]
    place = np.full(rows.n_options, -1)
    place[live] = np.arange(len(live))
    there = (place[rows.owner] >= 0) & ends[rows.indices]
    owner, items = place[rows.owner[there]], rows.indices[there]
    order = np.lexsort((items, owner))
    indptr = np.append(0, np.cumsum(np.bincount(owner, minlength=len(live)))).astype(np.int32)
    clashing = Rows(indptr, items[order].astype(np.int32), rows.n_items, rows.n_primary, None, None)
    graph = compiled_module("dlx.kernels.price.cuts").Cliques(clashing, mass)
    found = graph.find(TUNED.clique, TUNED.support, most, slack)
    return [Cut(tuple(live[clique].tolist())) for clique in found]


def cardinality_cuts(point: Point) -> list[Cut]:
    """Returns the violated inequalities from the number of options that cover all items."""
    items = np.flatnonzero(np.bincount(point.entries.items)).astype(np.int32)
    return [cut for _, cut in point.cuts(np.array([0, len(items)], dtype=np.int32), items)]


def odd_set_cuts(point: Point, most: int) -> list[Cut]:
    """Finds odd-set and cardinality cuts of clusters of items, the most violated ones first.

    The clusters are joined by the options that the masses leave undecided. (The best odd set of all can be found for
    matchings: M. Padberg, M. Rao, doi:10.1287/moor.7.1.67.)
    """
    mass = np.minimum(point.mass, point.entries.room)
    weight = np.abs(mass - np.rint(mass))
    known: dict[tuple[tuple[int, ...], int, int], tuple[float, Cut]] = {}
    for violation, cut in point.cuts(*_clusters(weight, point.entries)):
        known[cut[:3]] = violation, cut
    worst_first = sorted(known.values(), key=lambda pair: -pair[0])
    return [cut for _, cut in worst_first[:most]]


def _clusters(weight: npt.NDArray[np.float64], entries: Entries) -> tuple[Indices, Indices]:
    """Clusters items that options link, with least weight between clusters; returns them for `Point.cuts`.

    The weight by which an option can be wrong is the distance of its mass to a whole number. If options link more than
    `ITEMS` items, which would take too long, there are no sets.
    """
    strong = weight[entries.owner] > UNDECIDED
    owner, weight = entries.owner[strong], weight[entries.owner[strong]]
    items = entries.items[strong]
    is_there = np.bincount(items) > 0
    there = np.flatnonzero(is_there).astype(np.int32)
    if not 2 < len(there) <= ITEMS:
        return np.zeros(1, np.int32), there
    begin = np.flatnonzero(np.diff(owner, prepend=-1)).astype(np.int32)
    clusters = compiled_module("dlx.kernels.price.cuts").clusters
    ends = np.append(begin, np.int32(len(owner)))
    place = np.cumsum(is_there, dtype=np.int32) - np.int32(1)  # of an item among those that are there
    sets, some = clusters(len(there), ends, place[items], weight[begin], MANY)
    return sets, there[some]


def count_cut(prices: Numbers, rows: Rows, point: Point, least: bool) -> Cut | None:
    """Returns the inequality on the number of options in a cover that follows from prices; None if the point meets it.

    Parameters:
        prices: of all items: good dual values of the linear program that minimises (`least`) or maximises the number of
            options. Any prices give a valid inequality.
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
    low, high = (-(-bound // by), int(point.entries.room[options].sum())) if least else (0, bound // by)
    mass = float(point.mass[options].sum())
    chosen = tuple(np.flatnonzero(options).tolist())
    if (low - mass if least else mass - high) <= TUNED.violation:
        return None
    return Cut(chosen, low, high, tuple(items.tolist()), (), by, tuple(prices[items].tolist()))
