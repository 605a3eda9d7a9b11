"""One form for all grids that are the same but for the order of rows and columns, a turn, and the names of digits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from dlx.extending import compiled_module
from sudoku.formats.conversion import GridLike, as_grids
from sudoku.grid import Grid, GridError, frozen
from sudoku.layout import as_layout
from sudoku.setting.searches import givens_of

Grids = npt.NDArray[np.uint8]


def canonical(grid: GridLike) -> Grid:
    """Returns the canonical form of a plain grid: two grids are isomorphic if and only if their forms are equal.

    The form is the least of all isomorphic grids, compared row by row, with 0 for a blank. There are 3,359,232
    permutations of cells, each with 9! permutations of digits (E. Russell and F. Jarvis, Mathematics of sudoku II,
    2006); a kernel prunes them row by row.

    Parameters:
        grid: a puzzle or a complete grid in any form that `as_grid` takes; it may break the rules.

    Returns:
        A read-only uint8 array of shape (9, 9).

    Raises:
        ValueError: the grid is wrong, or has another layout than 3 x 3 without further rules.

    >>> from sudoku import to_line
    >>> to_line(canonical("7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"))
    '......123...145.....6..2.7...4.5163..6.8...9.71.3.6..5.7..8.3..6..5.....8....39..'
    """
    givens, layout = givens_of(grid, None)
    if not layout.is_plain:
        remedy = "dlx.classify counts the classes of complete grids of other layouts"
        raise ValueError(f"only grids of 3 x 3 without further rules have a canonical form; {remedy}")
    return frozen(canonical_many(givens[None])[0])


def canonical_many(grids: Iterable[GridLike | GridError] | npt.ArrayLike) -> Grids:
    """Returns the canonical forms of many plain grids.

    `numpy.unique(canonical_many(grids), axis=0)` has one grid of each isomorphism class.

    Parameters:
        grids: an array of shape (m, 9, 9) or (m, 81) with 0 for blanks, or any sequence of grids in the forms that
            `as_grid` takes.

    Returns:
        A uint8 array of shape (m, 9, 9).

    Raises: as `canonical`. The message names a wrong grid by its index, as grids[0]. Ctrl-C raises KeyboardInterrupt.

    >>> canonical_many(["7" + 80 * ".", 40 * "." + "3" + 40 * "."])[:, 8].tolist()
    [[0, 0, 0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 1]]
    """
    checked = as_grids(grids, as_layout(None))
    least = np.zeros((len(checked), 81), dtype=np.uint8)
    kernel = compiled_module("sudoku.kernels.images").Images(checked.reshape(-1, 81), least)
    for k in range(len(checked)):
        kernel.find(k)  # one by one, for Ctrl-C: a grid filled with one digit takes 0.25 s
    return least.reshape(-1, 9, 9)
