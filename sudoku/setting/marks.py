"""Pencil marks: which digits each cell can have, by the rules or by the completions."""

from __future__ import annotations

from typing import Literal, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import Limiting
from sudoku.conversion import GridLike, with_layout
from sudoku.encoding import encode
from sudoku.grid import Grid
from sudoku.layout import Box, Layout
from sudoku.setting.asking import Asking, StoppedError

Marks = npt.NDArray[np.bool_]
Surviving = Literal["rules", "completions"]


def candidates(
    grid: GridLike,
    box: Box | Layout | None = None,
    *,
    surviving: Surviving = "completions",
    **limits: Unpack[Limiting],
) -> Marks:
    """Which digits each cell can have: the pencil marks of a grid. `shares` says in how many completions, too.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        box: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.
        surviving: what they have survived: "rules" for those that no given rules out by itself, through a region that
            has both cells; "completions" for those that are in a completion.
        limits: max_nodes, timeout (in seconds) and progress, as for every search of `dlx`, for all searches together.

    Returns:
        bool, shape (rows, columns, n), digits from 1 on. A given is the only candidate of its cell. Without a
        completion no candidate survives the completions.

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the box, `surviving` or a limit is wrong.
        TimeoutError: max_nodes or the timeout came first.
        KeyboardInterrupt: Ctrl-C came first.

    >>> candidates("1....2..........", (2, 2), surviving="rules")[0]
    array([[ True, False, False, False],
           [False, False,  True,  True],
           [False,  True,  True,  True],
           [False,  True,  True,  True]])
    >>> candidates("1....2....3....4", (2, 2))[0]
    array([[ True, False, False, False],
           [False, False,  True,  True],
           [False,  True, False,  True],
           [False,  True,  True, False]])
    """
    givens, layout = with_layout(grid, box)
    if surviving not in ("rules", "completions"):
        raise ValueError(f"surviving is {surviving!r}; it must be 'rules' or 'completions'")
    asking = Asking(layout, limits)
    marks = _by_rules(givens, layout)
    try:
        return marks if surviving == "rules" else _by_completions(asking, givens, marks)
    except StoppedError as error:
        raise error.raised() from None


def _by_rules(givens: Grid, layout: Layout) -> Marks:
    """The candidates that are options of the problem."""
    marks = np.zeros((*givens.shape, layout.size), dtype=np.bool_)
    for row, column, digit in encode(givens, layout).names or ():
        marks[row, column, digit - 1] = True
    return marks


def _by_completions(asking: Asking, givens: Grid, marks: Marks) -> Marks:
    """The candidates of completions: each that no completion so far has is asked for."""
    found = np.zeros_like(marks)
    tried = givens.copy()
    for r, c, k in np.argwhere(marks).tolist():
        if found[r, c, k]:
            continue
        before, tried[r, c] = tried[r, c], k + 1
        completion = asking.completion(tried)
        tried[r, c] = before
        if completion is not None:
            rows, columns = np.nonzero(completion)
            found[rows, columns, completion[rows, columns] - 1] = True
    return found
