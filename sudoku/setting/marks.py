"""Pencil marks: the digits that each cell can have by the rules, or in the completions."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import Limiting
from sudoku import encoding
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.layout import Box, Layout
from sudoku.setting.searches import Searches, check_placed, raises_at_limits

Marks = npt.NDArray[np.bool_]
Surviving = Literal["rules", "completions"]


@raises_at_limits()
def candidates(
    grid: GridLike,
    layout: Box | Layout | None = None,
    *,
    surviving: Surviving = "completions",
    **limits: Unpack[Limiting],
) -> Marks:
    """Returns the pencil marks of a grid: the digits that each cell can have.

    `shares` counts the completions with each digit, too.

    Parameters:
        grid: a grid in any form that `as_grid` takes; the pencil marks of a `Puzzle` exclude all other candidates.
        layout: as for `solve`.
        surviving: "rules": digits that no given excludes by a common region; "completions" (default): digits in a
            completion.
        limits: max_nodes, timeout (in seconds) and progress, as for every search of `dlx`; they hold for all searches
            together.

    Returns:
        bool, shape (rows, columns, n); index 0 is digit 1. A given is the only mark of its cell. Without a completion,
        "completions" leaves no marks.

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout, `surviving` or a limit is wrong.
        TimeoutError: max_nodes or the timeout ended the search.
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
    puzzle = as_puzzle(grid, layout)
    check_placed(puzzle)
    if surviving not in ("rules", "completions"):
        raise ValueError(f"surviving is {surviving!r}; it must be 'rules' or 'completions'")
    searches = Searches(puzzle.layout, limits)
    marks = np.zeros((*puzzle.grid.shape, puzzle.layout.size), dtype=np.bool_)
    by_rules = encoding.candidates(encoding.encode(puzzle)) - (0, 0, 1)
    if surviving == "rules":
        marks[tuple(by_rules.T)] = True
        return marks
    for r, c, k in by_rules.tolist():
        if marks[r, c, k]:
            continue
        grid = puzzle.grid.copy()
        grid[r, c] = k + 1
        if (completion := searches.completion(replace(puzzle, grid=grid))) is not None:
            rows, columns = np.nonzero(completion)
            marks[rows, columns, completion[rows, columns] - 1] = True
    return marks
