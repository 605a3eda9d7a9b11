"""Orders of the items that sweep across the problem in a straight line.

On a board, a breadth-first search from a corner sweeps along a diagonal, whose front is longer than that of a row. The
distances to four corners give the direction of a row: let b be the item farthest from a corner a, and c and d two
others. Then the distances to a and d, less those to b and c, are the same along a row. Distances are whole numbers, so
many items tie. Averages over the options break the ties by structure, so the order of the input hardly matters.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dlx.engine.limits import Over, check_limits, never
from dlx.problem.roles import Rows

Floats = npt.NDArray[np.float64]

ROUNDS = 5  # rounds of averages over the options
TILT = 0.25  # weight of the second direction, which orders the items within a row


def sweeps(rows: Rows, start: int, over: Over = never) -> list[npt.NDArray[np.int64]]:
    """Returns two orders of the primary items of a connected problem, in directions that cross.

    Parameters:
        start: an outermost item.
    """
    n = rows.n_primary
    options = _Averages(rows)
    from_a = options.distances(start, over)
    from_b = options.distances(int(np.argmax(from_a[:n])), over)
    from_c = options.distances(int(np.argmax(np.minimum(from_a, from_b)[:n])), over)
    from_d = options.distances(int(np.argmax(from_c[:n])), over)
    one, other = from_a + from_d - from_b - from_c, from_a + from_c - from_b - from_d
    return [np.argsort((x + TILT * y)[:n], kind="stable") for x, y in ((one, other), (other, one))]


class _Averages:
    """Averages over the items of each option, and over the options of each item."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._sizes = np.maximum(1, np.diff(rows.indptr))
        self._uses = np.maximum(1, np.diff(rows.by_item.begin))

    def distances(self, start: int, over: Over) -> Floats:
        """Returns smoothed distances of all items from `start`; items of one option are one step apart."""
        far = np.zeros(self._rows.n_items)
        reached = far.copy()
        reached[start] = 1
        while True:
            check_limits(over)
            before = reached
            reached = (self.of(reached) > 0).astype(np.float64)
            if not (reached > before).any():
                break
            far += 1 - before
        for _ in range(ROUNDS):
            far = self.of(far)
        return far

    def of(self, values: Floats) -> Floats:
        """Returns for each item the mean over its options of their mean values."""
        rows = self._rows
        means = np.bincount(rows.owner, values[rows.indices], minlength=rows.n_options) / self._sizes
        found: Floats = np.bincount(rows.indices, means[rows.owner], minlength=rows.n_items) / self._uses
        return found
