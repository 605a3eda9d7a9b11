"""What the search for items to add knows of a problem: entries, ranges, and masses at a temperature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.optimum.ranges import Ranges
from dlx.problem.roles import Rows

Numbers = npt.NDArray[np.int64]


class Entries(NamedTuple):
    """The entries of items that count, how often these are covered, and what else is known of the options.

    Attributes:
        owner, items: the option and the item of each entry.
        ranges: how often items are covered.
        mass: 1 for a chosen option, 0 for one that no longer lives.
        single: whether an option lives, and another item says that it is chosen at most once.
        chosen: whether it is in all covers worth finding.
    """

    owner: Numbers
    items: Numbers
    ranges: Ranges
    mass: npt.NDArray[np.float64]
    single: npt.NDArray[np.bool_]
    chosen: npt.NDArray[np.bool_]


def entries_of(
    rows: Rows,
    ranges: Ranges,
    live: npt.NDArray[np.int32],
    chosen: Sequence[int],
    mass: npt.NDArray[np.float64],
) -> Entries:
    """What counts of a problem: the entries of its primary items, but for those where options have colours.

    Parameters:
        rows: the problem.
        ranges: how often its items are to be covered.
        live: int32, the options that may be in a cover worth finding.
        chosen: the options that are in all of these.
        mass: float64, shape (n_options,); only those of live options count.
    """
    n_options = len(rows.indptr) - 1
    counts = np.arange(rows.n_items) < rows.n_primary
    if rows.colours is not None:
        counts[rows.indices[rows.colours > 0]] = False
    owner = np.repeat(np.arange(n_options), np.diff(rows.indptr))
    known, single, is_chosen = np.zeros(n_options), np.zeros(n_options, np.bool_), np.zeros(n_options, np.bool_)
    known[live] = mass[live]
    is_chosen[list(chosen)] = True
    known[is_chosen] = 1.0
    lonely = (np.bincount(rows.indices, minlength=rows.n_items) == 1) & ~counts
    single[np.intersect1d(owner[lonely[rows.indices]], live)] = True
    keep = counts[rows.indices]
    return Entries(owner[keep], rows.indices[keep].astype(np.int64), ranges, known, single & ~is_chosen, is_chosen)
