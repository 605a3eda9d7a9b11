"""Odd sets: items that are covered an odd number of times in all, and that most options cover by twos.

Add the upper bounds of some items, how often each is covered at most, and of some options, each chosen at most once.
Halve the sum, and round down: what the options' coefficients come to is at most half of the right-hand side, rounded
down, since both sides are whole. Where the right-hand side is odd, the linear program does not know that (J. Edmonds,
J. Res. NBS 69B (1965), doi:10.6028/jres.069B.013; V. Chvátal, doi:10.1016/0012-365X(73)90167-2). The same goes for
lower bounds, rounded up. The options that are left with a coefficient are those of one more item, which is covered at
most so many times, or at least. The same sets are divided by other numbers, too (`dlx.optimum.counts`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt

from dlx.optimum.counts import counts
from dlx.optimum.entries import Entries, Numbers
from dlx.optimum.ranges import Added

UNDECIDED = 0.01  # how far the mass of an option is from 0 and 1 at least where it joins items to a set
ITEMS = 400  # among which sets are looked for, at most
MANY = 60  # items in a set, at most
MASS = 0.1  # how much the masses must be wrong


def odd_sets(entries: Entries, room: int, among: int = ITEMS) -> list[Added]:
    """Odd sets and counts of sets that the masses are wrong about, the worst ones first.

    The sets tried are clusters of items, joined by the options that the masses leave undecided. (The best set of all
    can be found for matchings: M. Padberg, M. Rao, doi:10.1287/moor.7.1.67.) Each is true of all covers, not only of
    those worth finding: the options that no longer live have a mass of 0, and no chosen one costs a half.

    Parameters:
        entries: what counts of the problem.
        room: how many sets at most.
        among: how many items may be undecided at most; finding clusters takes time with the cube of that.
    """
    found: dict[tuple[bool, tuple[int, ...]], tuple[float, Added]] = {}
    for some in _clusters(entries, min(among, ITEMS)):
        if 2 < len(some) <= MANY:
            odd = [(wrong, added) for wrong, added in _of_items(some, entries) if wrong > MASS]
            found |= {(added.least > 0, added.options): (wrong, added) for wrong, added in counts(some, entries) + odd}
    worst_first = sorted(found.values(), key=lambda pair: -pair[0])
    return [added for _, added in worst_first[:room]]


def _clusters(entries: Entries, among: int) -> Iterator[Numbers]:
    """Sets of items that little undecided mass leaves: single items, joined again and again so that least does.

    The mass by which an option can be wrong is the distance of its mass to 0 or 1, whichever is nearer.
    """
    undecided = np.minimum(entries.mass, 1 - entries.mass)[entries.owner]
    strong = undecided > UNDECIDED
    items, index = np.unique(entries.items[strong], return_inverse=True)
    if not 2 < len(items) <= among:
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


def _of_items(some: Numbers, entries: Entries) -> list[tuple[float, Added]]:
    """What halving the bounds of some items gives, with those of the options that are nearly in every cover.

    How much the masses are wrong about that does not count what they are wrong about the items' own bounds.
    """
    mass = entries.mass
    inside = np.zeros(len(entries.ranges), dtype=np.bool_)
    inside[some] = True
    times = np.bincount(entries.owner[inside[entries.items]], minlength=len(mass))
    least, most = entries.ranges[some].sum(axis=0, dtype=np.int64).tolist()
    items = tuple(some.tolist())
    there = np.bincount(entries.items, mass[entries.owner], len(entries.ranges))[some]
    below, above = (
        float(np.maximum(0, sign * (entries.ranges[some, end] - there)).sum()) for end, sign in ((0, 1), (1, -1))
    )
    result = []
    bounded = _bounded(times, most, entries)
    if bounded is not None:
        half = (most + int(np.count_nonzero(bounded))) // 2
        options = np.flatnonzero(times + bounded >= 2)
        odd = Added(tuple(options.tolist()), 0, half, items, tuple(np.flatnonzero(bounded).tolist()))
        result.append((float(mass[options].sum()) - above - half, odd))
    bounded = _bounded(times, least, entries) if times.max() <= 2 else None
    if bounded is not None:
        half = -((int(np.count_nonzero(bounded)) - least) // 2)
        options = np.flatnonzero(times - bounded >= 1)
        if half > 0:
            odd = Added(tuple(options.tolist()), half, len(options), items, tuple(np.flatnonzero(bounded).tolist()))
            result.append((half - below - float(mass[options].sum()), odd))
    return result


def _bounded(times: Numbers, total: int, entries: Entries) -> npt.NDArray[np.bool_] | None:
    """The options whose own bounds are added, so that the sum is odd; None if it cannot be."""
    crossing = times % 2 == 1
    free = crossing & entries.single
    bounded: npt.NDArray[np.bool_] = crossing & entries.chosen | free & (entries.mass > 0.5)
    if (total + np.count_nonzero(bounded)) % 2 == 0:
        choice = np.flatnonzero(free)
        if not len(choice):
            return None
        nearest = choice[np.abs(entries.mass[choice] - 0.5).argmin()]
        bounded[nearest] = not bounded[nearest]
    return bounded
