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

    >>> given = Rows(np.array([0, 1, 2], np.int32), np.zeros(2, np.int32), 1, 1, None, np.array([[2, 2]], np.int32))
    >>> rows, ranges = with_ranges(given)
    >>> rows.indices.tolist(), ranges.tolist()
    ([0, 1, 0, 2], [[2, 2], [0, 1], [0, 1]])
    """
    if rows.multiplicities is None:
        return rows, None
    ranges = ranges_of(rows)
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
    """Rows with a secondary item more for each of some sets of options, which share it.

    Parameters:
        rows: the rows.
        options: the options of one set after the other; int64.
        sizes: how many there are in each set; int64.

    >>> rows = Rows(np.array([0, 1, 2], np.int32), np.array([0, 1], np.int32), 2, 2, None, None)
    >>> with_secondary(rows, np.array([0, 1, 1]), np.array([2, 1])).indices.tolist()
    [0, 2, 1, 2, 3]
    """
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
