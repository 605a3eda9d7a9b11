"""How many options a cover has, and how many large ones, by how many items there are to cover.

Divide by the size of the largest option what all items together are to be covered: a cover has as many options at
least, rounded up. Divide it by any size: of options as large as that it has as many at most, rounded down. What the
linear program thinks is between, and that weighs where each option costs about the same (as for odd sets, V. Chvátal,
doi:10.1016/0012-365X(73)90167-2).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dlx.bounds.odd import MASS, Entries
from dlx.bounds.ranges import Added


def counts(entries: Entries) -> list[Added]:
    """What the masses have wrong about how many options there are, and how many of each size at least.

    Parameters:
        entries: what counts of the problem.

    >>> six = np.repeat(np.arange(3), 2), np.array([0, 1, 1, 2, 0, 2]), np.ones((3, 2), np.int32)
    >>> for added in counts(Entries(*six, np.full(3, 0.5), *np.zeros((2, 3), np.bool_))):
    ...     print(added)
    Added(options=(0, 1, 2), least=2, most=3, items=(0, 1, 2), bounded=(), by=2)
    Added(options=(0, 1, 2), least=0, most=1, items=(0, 1, 2), bounded=(), by=2)
    """
    sizes = np.bincount(entries.owner, minlength=len(entries.mass))
    some = np.unique(entries.items)
    least, most = entries.ranges[some].sum(axis=0, dtype=np.int64).tolist()
    items, largest = tuple(some.tolist()), int(sizes.max(initial=1))
    by_size = np.bincount(sizes, entries.mass, largest + 1)
    mass = by_size[::-1].cumsum()[::-1].tolist()  # of the options of each size or more
    there = float(entries.mass[entries.owner].sum())
    short, over = max(0.0, least - there), max(0.0, there - most)  # which the masses are wrong about anyway
    low = -(-least // largest)
    found = []
    if least % largest and low - mass[1] - short / largest > MASS:
        found.append(Added(_as_large(1, sizes), low, most, items, by=largest))
    return found + [
        Added(_as_large(size, sizes), 0, most // size, items, by=size)
        for size in range(2, largest + 1)
        if most % size and mass[size] - most // size - over / size > MASS
    ]


def _as_large(size: int, sizes: npt.NDArray[np.int64]) -> tuple[int, ...]:
    return tuple(np.flatnonzero(sizes >= size).tolist())
