"""The matrix of a search by prices: rows with ranges instead of multiplicities, and the items of cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import new_kernel
from dlx.problem.roles import Rows

Ranges = npt.NDArray[np.int32]  # shape (n_items, 2): the least and the most times that each item is covered


class Matrix(NamedTuple):
    """The rows, ranges and weights of a kernel that begins at the root of a problem; the weights are in units."""

    rows: Rows
    ranges: Ranges
    weights: npt.NDArray[np.int64]

    def kernel(self, buffer: npt.NDArray[np.int32], seed: int) -> Any:
        return new_kernel("branch_and_bound", self.rows, buffer, self.weights, seed, self.ranges)

    def __reduce__(self) -> tuple[Any, ...]:
        return Matrix, (Rows(*self.rows), self.ranges, self.weights)  # without the cached values of the rows


def mean_size(rows: Rows) -> float:
    """Returns the mean number of items without colours in an option."""
    entries = len(rows.indices) if rows.colours is None else int(np.count_nonzero(~rows.takes_colours[rows.indices]))
    return entries / max(1, rows.n_options)


def remaining_ranges(rows: Rows, ranges: Ranges, chosen: Sequence[int]) -> npt.NDArray[np.int64]:
    """Returns the least and the largest number of options that each item still needs; int64, shape (n_items, 2)."""
    used = np.bincount(np.repeat(rows.indices, rows.times(chosen)[rows.owner]), minlength=rows.n_items)
    remaining: npt.NDArray[np.int64] = np.maximum(0, ranges.astype(np.int64) - used[:, None])
    return remaining


def with_ranges(rows: Rows, times: npt.NDArray[np.int32] | None = None) -> tuple[Rows, Ranges]:
    """Returns the rows without multiplicities, and the range of each item.

    If an option exists fewer `times` (usually once) than its items allow, it gets a secondary item of its own. Ranges
    are cut at the number of options of an item, so that the largest possible cost of an item stays within int64.
    """
    if rows.multiplicities is None:
        return rows, rows.ranges()
    times = np.ones(rows.n_options, dtype=np.int32) if times is None else times
    bounds, n = rows.ranges(), rows.n_primary
    there = np.bincount(rows.indices, times[rows.owner], rows.n_items)[:n].astype(np.int32)
    least = np.minimum(bounds[:n, 0], there + 1, out=bounds[:n, 0])  # one more than all options is impossible, too
    np.maximum(np.maximum(least, 1), np.minimum(bounds[:n, 1], there), out=bounds[:n, 1])
    enough = bounds[rows.indices, 1] <= times[rows.owner]
    if rows.colours is not None:
        enough &= rows.colours == 0
    lasting = np.zeros(rows.n_options, dtype=np.bool_)
    lasting[rows.owner[rows.indices < n]] = True
    lasting[rows.owner[enough]] = False
    alone = np.flatnonzero(lasting)
    if not len(alone):
        return rows._replace(multiplicities=None), bounds
    rows = with_secondary(rows._replace(multiplicities=None), alone, np.ones_like(alone))
    added = np.zeros((len(alone), 2), dtype=np.int32)
    added[:, 1] = times[alone]
    return rows, np.append(bounds, added, axis=0)


def with_secondary(rows: Rows, options: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Rows:
    """Returns the rows with a further secondary item for each set of options; `sizes` has the sizes of the sets."""
    order = options.argsort(kind="stable")
    places = rows.indptr[options[order] + 1] + np.arange(len(options))  # after the last entry of each option
    indptr = rows.indptr.copy()
    indptr[1:] += np.bincount(options, minlength=rows.n_options).cumsum()
    kept = np.ones(len(rows.indices) + len(options), dtype=np.bool_)
    kept[places] = False
    indices = np.empty(len(kept), dtype=np.int32)
    indices[kept], indices[places] = rows.indices, (rows.n_items + np.arange(len(sizes)).repeat(sizes))[order]
    colours = None
    if rows.colours is not None:
        colours = np.zeros(len(kept), dtype=np.int32)
        colours[kept] = rows.colours
    return rows._replace(indptr=indptr, indices=indices, n_items=rows.n_items + len(sizes), colours=colours)
