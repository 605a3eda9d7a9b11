"""Odd sets: items that are covered an odd number of times in all, and that most options cover by twos.

Add the upper bounds of some items, how often each is covered at most, and of some options, each chosen at most once. Halve
the sum, and round down: what the options' coefficients come to is at most half of the right-hand side, rounded down, since
both sides are whole. Where the right-hand side is odd, the linear program does not know that (J. Edmonds, J. Res. NBS 69B
(1965), doi:10.6028/jres.069B.013; V. Chvátal, doi:10.1016/0012-365X(73)90167-2). The same goes for lower bounds, rounded up.
The options that are left with a coefficient are those of one more item, which is covered at most so many times, or at least.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.bounds.ranges import Ranges
from dlx.roles import Rows

LEVELS = (0.05, 0.1, 0.2, 0.3, 0.4)  # options whose masses are so far from 0 and 1 join items to a set
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

    The items of a set are those that options with a mass between 0 and 1 connect. (The best set of all can be found for matchings:
    M. Padberg, M. Rao, doi:10.1287/moor.7.1.67.)

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
    for level in LEVELS:
        strong = (mass[entries.owner] > level) & (mass[entries.owner] < 1 - level)
        for some in _components(entries.owner[strong], entries.items[strong], rows.n_items):
            for odd in _of_items(some, entries) if len(some) <= MANY else ():
                if odd.wrong > MASS:
                    found[tuple(odd.options)] = odd
    return sorted(found.values(), key=lambda odd: -odd.wrong)[:room]


def _components(owner: Numbers, items: Numbers, n_items: int) -> list[Numbers]:
    """The sets of three items or more that options connect."""
    label = np.arange(n_items)
    n_options = int(owner.max(initial=-1)) + 1
    while True:  # the least label spreads, and halves the way each time
        least = np.full(n_options, n_items)
        np.minimum.at(least, owner, label[items])
        spread = label.copy()
        np.minimum.at(spread, items, least[owner])
        spread = spread[spread]
        if (spread == label).all():
            break
        label = spread
    there = np.unique(items)
    order = there[np.argsort(label[there], kind="stable")]
    sets = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    return [some for some in sets if len(some) > 2]


def _of_items(some: Numbers, entries: _Entries) -> list[OddSet]:
    """What halving the bounds of some items gives, with those of the options that are nearly in every cover."""
    mass = entries.mass
    times = np.bincount(entries.owner[np.isin(entries.items, some)], minlength=len(mass))
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
