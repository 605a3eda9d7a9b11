"""The part of a problem with some of its items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dlx.problem.problem import Problem
from dlx.problem.roles import Rows


def part_of(rows: Rows, there: npt.NDArray[np.bool_]) -> tuple[Problem, npt.NDArray[np.int64]]:
    """Returns the problem with only these items and the options with these items, and the numbers of the options."""
    items, entries = np.flatnonzero(there), there[rows.indices]
    n_primary = int(np.searchsorted(items, rows.n_primary))
    sizes = np.bincount(rows.owner[entries], minlength=rows.n_options)
    options = np.flatnonzero(sizes)
    colours = None if rows.colours is None else rows.colours[entries]
    problem = Problem(
        tuple(range(len(items))),
        n_primary,
        np.append(0, np.cumsum(sizes[options])).astype(np.int32),
        np.searchsorted(items, rows.indices[entries]).astype(np.int32),
        colours=colours,
        colour_names=() if colours is None else tuple(range(int(colours.max(initial=0)))),
        multiplicities=None if rows.multiplicities is None else rows.multiplicities[items[:n_primary]],
    )
    return problem, options
