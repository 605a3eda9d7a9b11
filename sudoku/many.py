"""Target sudoku for many grids: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import UNLIMITED, Limiting, Limits
from sudoku.formats.conversion import GridLike, as_grids
from sudoku.grid import GridError, Plain
from sudoku.layout import Box, Layout, as_layout
from sudoku.solve import VISITS, complete
from sudoku.strategies import bound
from sudoku.target import weights_or_rings


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Batch(Plain):
    """The best completions of many grids.

    Attributes:
        scores: int64, shape (m,); -1 if a grid has no completion, or none was found.
        completions: uint8, shape (m, n, n); zeros without a completion.
        proven: bool, shape (m,); whether the score is proven, also if it is -1.
        interrupted: whether Ctrl-C came first; the results found before are kept.
    """

    scores: npt.NDArray[np.int64]
    completions: npt.NDArray[np.uint8]
    proven: npt.NDArray[np.bool_]
    interrupted: bool


def best_many(
    grids: Iterable[GridLike | GridError] | npt.ArrayLike,
    layout: Box | Layout | None = None,
    *,
    weights: npt.ArrayLike | None = None,
    **limits: Unpack[Limiting],
) -> Batch:
    """Finds the best completion of each of many grids.

    If a plain grid has few completions, all of them are visited; among equal scores, the first in reading order is
    kept. All other grids are searched by `dlx.best`.

    Parameters:
        grids, layout: as for `solve_many`.
        weights: as for `score`.
        limits: as for `best`, for each grid; grids with few completions ignore them.

    Returns:
        Scores, completions and flags, in the order of the grids. Ctrl-C ends the batch, not the program.

    Raises:
        ValueError: the grids (as for `solve_many`), the weights or a limit are wrong.

    >>> sample = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
    >>> many = best_many([sample, 81 * [0], 81 * [1]])
    >>> many.scores, many.proven
    (array([2829, 2906,   -1]), array([ True,  True,  True]))
    """
    layout = as_layout(layout)
    table = weights_or_rings(weights, layout.shape)
    checked = as_grids(grids, layout)
    Limits.of(**limits)  # refuses wrong ones
    scores = np.full(len(checked), -1, dtype=np.int64)
    completions = np.zeros(checked.shape, dtype=np.uint8)
    proven = np.zeros(len(checked), dtype=np.bool_)
    interrupted = False
    try:
        if layout.is_plain:
            found = complete(checked, Limits.of(), UNLIMITED, VISITS, weights=table)
            some = found.counts > 0
            completions[some] = found.completions[some].reshape(-1, 9, 9)
            scores[some] = found.completions[some] @ table.ravel()
            proven, interrupted = found.counts >= 0, found.outcome["stopped"] is not None
        for k in np.flatnonzero(~proven).tolist():
            if interrupted:
                break
            result = bound(checked[k], table, layout=layout, **limits)
            interrupted = result.stopped == "interrupt"
            if result.completion is not None and result.score is not None:
                scores[k], completions[k] = result.score, result.completion
            proven[k] = result.proven
    except KeyboardInterrupt:
        interrupted = True
    return Batch(scores=scores, completions=completions, proven=proven, interrupted=interrupted)
