"""Rows with bounds of their items, as the kernel `branch_and_bound` is given them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dlx.problem.roles import Rows
from dlx.problem.roles import ranges as ranges_of

Ranges = npt.NDArray[np.int32]  # shape (n_items, 2): how often each item is to be covered at least and at most


def with_ranges(rows: Rows) -> tuple[Rows, Ranges | None]:
    """Rows without multiplicities, and these as ranges of all items; None if every item is plain.

    An option that no item keeps from being chosen twice gets a secondary item of its own. Ranges end where more options
    than there are would be needed, so that what items cost at the worst stays within the kernel's numbers.
    """
    if rows.multiplicities is None:
        return rows, None
    ranges = ranges_of(rows.n_items, rows.n_primary, rows.multiplicities)
    least, most = rows.multiplicities.T
    there = np.bincount(rows.indices, minlength=rows.n_items)[: rows.n_primary]
    least = np.minimum(least, there + 1)  # one more than there are is never met either
    ranges[: rows.n_primary] = np.stack([least, np.maximum(np.maximum(1, least), np.minimum(most, there))], axis=1)
    ends = ranges[rows.indices, 1] == 1
    if rows.colours is not None:
        ends &= rows.colours == 0
    lasting = np.zeros(rows.n_options, dtype=np.bool_)
    lasting[rows.owner[rows.indices < rows.n_primary]] = True
    lasting[rows.owner[ends]] = False
    alone = np.flatnonzero(lasting)
    return with_secondary(rows._replace(multiplicities=None), alone, np.ones_like(alone)), np.append(
        ranges, np.tile(np.array([0, 1], dtype=np.int32), (len(alone), 1)), axis=0
    )


def with_secondary(rows: Rows, options: npt.NDArray[np.int64], sizes: npt.NDArray[np.int64]) -> Rows:
    """Returns the rows with a further secondary item for each set of options; `sizes` are those of the sets."""
    items = rows.n_items + np.repeat(np.arange(len(sizes)), sizes)
    order = np.argsort(options, kind="stable")
    before = np.append(0, np.cumsum(np.bincount(options, minlength=rows.n_options)))
    old = np.arange(len(rows.indices)) + np.repeat(before[:-1], np.diff(rows.indptr))
    indices, colours = np.zeros((2, len(rows.indices) + len(items)), dtype=np.int32)
    new = np.ones(len(indices), dtype=np.bool_)
    new[old] = False
    indices[old], indices[new] = rows.indices, items[order]
    if rows.colours is not None:
        colours[old] = rows.colours
    return rows._replace(
        indptr=(rows.indptr + before).astype(np.int32),
        indices=indices,
        n_items=rows.n_items + len(sizes),
        colours=None if rows.colours is None else colours,
    )
