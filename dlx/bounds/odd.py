"""Odd sets: items that are covered an odd number of times in all, and that most options cover by twos.

Add the upper bounds of some items, how often each is covered at most, and of some options, each chosen at most once.
Halve the sum, and round down: what the options' coefficients come to is at most half of the right-hand side, rounded
down, since both sides are whole. Where the right-hand side is odd, the linear program does not know that (J. Edmonds,
J. Res. NBS 69B (1965), doi:10.6028/jres.069B.013; V. Chvátal, doi:10.1016/0012-365X(73)90167-2). The same goes for
lower bounds, rounded up. The options that are left with a coefficient are those of one more item, which is covered at
most so many times, or at least.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.bounds.ranges import Ranges
from dlx.roles import Rows

UNDECIDED = 0.01  # how far the mass of an option is from 0 and 1 at least where it joins items to a set
ITEMS = 400  # among which sets are looked for, at most
MANY = 60  # items in a set, at most
MASS = 0.1  # how much the masses must be wrong

Numbers = npt.NDArray[np.int64]


class OddSet(NamedTuple):
    """Options of which a cover has at least and at most so many, and by how much the masses are wrong about that."""

    options: list[int]
    least: int
    most: int
    wrong: float


class _Entries(NamedTuple):
    """The entries that options which may be chosen have of items that count, and what else is known of both."""

    owner: Numbers
    items: Numbers
    ranges: Ranges
    mass: npt.NDArray[np.float64]
    single: npt.NDArray[np.bool_]  # whether another item says that an option is chosen at most once


def odd_sets(
    rows: Rows, ranges: Ranges, live: npt.NDArray[np.int32], mass: npt.NDArray[np.float64], room: int
) -> list[OddSet]:
    """Odd sets that the masses are wrong about, the worst ones first.

    The sets tried are clusters of items, joined by the options that the masses leave undecided. (The best set of all
    can be found for matchings: M. Padberg, M. Rao, doi:10.1287/moor.7.1.67.)

    Parameters:
        rows: the problem.
        ranges: how often its items are still to be covered, besides the options chosen.
        live: int32, the options that may be in a cover worth finding.
        mass: float64, shape (n_options,).
        room: how many sets at most.
    """
    counts = np.arange(rows.n_items) < rows.n_primary
    if rows.colours is not None:
        counts[rows.indices[rows.colours > 0]] = False
    owner = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
    is_live = np.zeros(len(rows.indptr) - 1, dtype=np.bool_)
    is_live[live] = True
    keep = is_live[owner]
    single = np.zeros(len(is_live), dtype=np.bool_)
    lonely = (np.bincount(rows.indices, minlength=rows.n_items) == 1) & ~counts
    single[owner[lonely[rows.indices]]] = True
    keep &= counts[rows.indices]
    entries = _Entries(owner[keep], rows.indices[keep].astype(np.int64), ranges, mass, single)
    found: dict[tuple[int, ...], OddSet] = {}
    for some in _clusters(entries):
        for odd in _of_items(some, entries) if 2 < len(some) <= MANY else ():
            if odd.wrong > MASS:
                found[tuple(odd.options)] = odd
    return sorted(found.values(), key=lambda odd: -odd.wrong)[:room]


def _clusters(entries: _Entries) -> Iterator[Numbers]:
    """Sets of items that little undecided mass leaves: single items, joined again and again so that least does.

    The mass by which an option can be wrong is the distance of its mass to 0 or 1, whichever is nearer.
    """
    undecided = np.minimum(entries.mass, 1 - entries.mass)[entries.owner]
    strong = undecided > UNDECIDED
    items, index = np.unique(entries.items[strong], return_inverse=True)
    if not 2 < len(items) <= ITEMS:
        return
    owner, weight = entries.owner[strong], undecided[strong]
    size = np.bincount(owner)[owner]
    tie = np.zeros((len(items), len(items)))  # between clusters
    for k in np.unique(size):
        if k > 1:
            alike = size == k
            order = np.argsort(owner[alike], kind="stable")
            rows = index[alike][order].reshape(-1, k)
            shares = weight[alike][order].reshape(-1, k)[:, 0] / (k - 1)
            for a, b in combinations(range(k), 2):
                np.add.at(tie, (rows[:, a], rows[:, b]), shares)
                np.add.at(tie, (rows[:, b], rows[:, a]), shares)
    members = [[i] for i in range(len(items))]
    leaving = tie.sum(axis=1)
    for _ in range(len(items) - 1):
        joined = np.where(tie > 0, leaving[:, None] + leaving[None, :] - 2 * tie, np.inf)
        a, b = divmod(int(joined.argmin()), len(items))
        if not np.isfinite(joined[a, b]):
            return
        members[a] = members[a] + members[b]
        leaving[a], leaving[b] = joined[a, b], np.inf
        tie[a] += tie[b]
        tie[:, a] += tie[:, b]
        tie[b] = tie[:, b] = tie[a, a] = 0.0
        yield items[members[a]]


def _of_items(some: Numbers, entries: _Entries) -> list[OddSet]:
    """What halving the bounds of some items gives, with those of the options that are nearly in every cover."""
    mass = entries.mass
    inside = np.zeros(len(entries.ranges), dtype=np.bool_)
    inside[some] = True
    times = np.bincount(entries.owner[inside[entries.items]], minlength=len(mass))
    least, most = entries.ranges[some].sum(axis=0, dtype=np.int64).tolist()
    result = []
    bounded = _bounded(times, most, entries)
    if bounded is not None:
        half = (most + int(np.count_nonzero(bounded))) // 2
        options = np.flatnonzero(times + bounded >= 2)
        result.append(OddSet(options.tolist(), 0, half, float(mass[options].sum()) - half))
    bounded = _bounded(times, least, entries) if times.max() <= 2 else None
    if bounded is not None:
        half = -((int(np.count_nonzero(bounded)) - least) // 2)
        options = np.flatnonzero(times - bounded >= 1)
        if half > 0:
            result.append(OddSet(options.tolist(), half, len(options), half - float(mass[options].sum())))
    return result


def _bounded(times: Numbers, total: int, entries: _Entries) -> npt.NDArray[np.bool_] | None:
    """The options whose own bounds are added, so that the sum is odd; None if it cannot be."""
    crossing = (times % 2 == 1) & entries.single
    bounded: npt.NDArray[np.bool_] = crossing & (entries.mass > 0.5)
    if (total + np.count_nonzero(bounded)) % 2 == 0:
        choice = np.flatnonzero(crossing)
        if not len(choice):
            return None
        nearest = choice[np.abs(entries.mass[choice] - 0.5).argmin()]
        bounded[nearest] = not bounded[nearest]
    return bounded
