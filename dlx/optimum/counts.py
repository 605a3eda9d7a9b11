"""How many options cover some items, and how many large ones, by how often these are to be covered.

Divide by the most that an option has of some items how often all of them together are to be covered: a cover has as
many options there at least, rounded up. Divide it by any number: of options that have so many of the items it has as
many at most, rounded down. What the linear program thinks is between; and that weighs where each option costs about the
same (as for odd sets, V. Chvátal, doi:10.1016/0012-365X(73)90167-2; for the customers of vehicles that can serve so
many, G. Laporte, Y. Nobert, M. Desrochers, doi:10.1287/opre.33.5.1050).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dlx.optimum.entries import Entries, Numbers
from dlx.optimum.ranges import Added

MASS = 0.1  # how much the masses must be wrong


def counts(some: Numbers, entries: Entries) -> list[tuple[float, Added]]:
    """What the masses have wrong about how many options cover some items, and how many cover so many of them at least.

    Parameters:
        some: the items.
        entries: what counts of the problem.

    Returns:
        How much the masses are wrong, and what they are wrong about.

    >>> three = np.repeat(np.arange(3), 2), np.array([0, 1, 1, 2, 0, 2]), np.ones((3, 2), np.int32)
    >>> entries = Entries(*three, np.full(3, 0.5), *np.zeros((2, 3), np.bool_))
    >>> for wrong, added in counts(np.arange(3), entries):
    ...     print(wrong, added)
    0.5 Added(options=(0, 1, 2), least=2, most=3, items=(0, 1, 2), bounded=(), by=2)
    0.5 Added(options=(0, 1, 2), least=0, most=1, items=(0, 1, 2), bounded=(), by=2)
    """
    inside = np.zeros(len(entries.ranges), dtype=np.bool_)
    inside[some] = True
    sizes = np.bincount(entries.owner[inside[entries.items]], minlength=len(entries.mass))
    least, most = entries.ranges[some].sum(axis=0, dtype=np.int64).tolist()
    items, largest = tuple(some.tolist()), int(sizes.max(initial=1))
    by_size = np.bincount(sizes, entries.mass, largest + 1)
    mass = by_size[::-1].cumsum()[::-1].tolist()  # of the options of each size or more
    there = float(sizes @ entries.mass)
    short, over = max(0.0, least - there), max(0.0, there - most)  # which the masses are wrong about anyway
    found = []
    low = -(-least // largest)
    if least % largest and (wrong := low - mass[1] - short / largest) > MASS:
        found.append((wrong, Added(_as_large(1, sizes), low, most, items, by=largest)))
    for size in range(2, largest + 1):
        high = most // size
        if most % size and (wrong := mass[size] - high - over / size) > MASS:
            found.append((wrong, Added(_as_large(size, sizes), 0, high, items, by=size)))
    return found


def _as_large(size: int, sizes: npt.NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(np.flatnonzero(sizes >= size).tolist())
