"""Target sudoku: the completion of a grid with the largest sum of digit times weight.

In the published puzzle (NOIP 2009, "Target sudoku"), a cell weighs 6 on the border ring of the grid, 7, 8 and 9 on the
inner rings, and 10 in the centre. Other tables of weights can be given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import UNLIMITED, Limiting, Limits
from sudoku.encoding import MAX_WEIGHT, Weights, as_weights
from sudoku.formats.conversion import GridLike, as_grids, as_puzzle
from sudoku.formats.request import said_lines
from sudoku.formats.signs import quoted
from sudoku.grid import GridError, Plain, Puzzle, frozen
from sudoku.layout import MAX_SIZE, Box, Layout, Shape, as_layout, checked_shape
from sudoku.solve import VISITS, complete, is_plain
from sudoku.strategies import DEFAULT, STRATEGIES, Result, bound

Sense = Literal["max", "min"]


def ring_weights(size: int | Shape) -> Weights:
    """Returns the weights of target sudoku: 6 on the border, and one more on each ring inwards.

    Parameters:
        size: the number of rows of a square grid, 1 to 64; or the rows and columns, each up to 256.

    Returns:
        A read-only int64 array of shape (size, size), or (rows, columns); the same array for each call.

    Raises:
        TypeError: the size is no whole number.
        ValueError: the size is not between 1 and 64, or 256.

    >>> ring_weights(6)
    array([[6, 6, 6, 6, 6, 6],
           [6, 7, 7, 7, 7, 6],
           [6, 7, 8, 8, 7, 6],
           [6, 7, 8, 8, 7, 6],
           [6, 7, 7, 7, 7, 6],
           [6, 6, 6, 6, 6, 6]])
    """
    return _rings(_shape(size))


@lru_cache
def _rings(shape: Shape) -> Weights:
    down, across = (np.minimum(np.arange(side), np.arange(side)[::-1]) for side in shape)
    return as_weights(6 + np.minimum(down[:, None], across), shape)


def _shape(size: int | Shape) -> Shape:
    """Returns the rows and columns of a size; raises TypeError or ValueError."""
    if isinstance(size, tuple):
        return checked_shape(size)
    if not isinstance(size, (int, np.integer)):
        raise TypeError(f"the size {size!r:.40} is not a whole number from 1 to {MAX_SIZE}")
    if not 1 <= size <= MAX_SIZE:
        raise ValueError(f"the size {size} is not between 1 and {MAX_SIZE}")
    return int(size), int(size)


RING_WEIGHTS = ring_weights(9)


def score(grid: GridLike, weights: npt.ArrayLike | None = None, layout: Box | Layout | None = None) -> int:
    """Returns the sum of digit times weight over the cells of a grid; the grid need not be valid.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        weights: whole numbers between -2^40 and 2^40, shape (n, n); default: `ring_weights(n)`.
        layout: as for `best`.

    Raises:
        GridError: a text is no grid.
        ValueError: the shape, the type or a value of either is wrong; the message names the value and its place.

    >>> score(np.full((9, 9), 5))
    2850
    >>> score(16 * "1", layout=(2, 2))
    100
    """
    puzzle = as_puzzle(grid, layout)
    return int((puzzle.grid.astype(np.int64) * weights_or_rings(weights, puzzle.layout.shape)).sum())


def best(
    grid: GridLike,
    layout: Box | Layout | None = None,
    *,
    weights: npt.ArrayLike | None = None,
    strategy: str | None = None,
    sense: Sense = "max",
    **limits: Unpack[Limiting],
) -> Result:
    """Finds the completion of a grid with the best score.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; default: the layout of a `Puzzle`, otherwise 3 x 3.
        weights: as for `score`.
        strategy: a key of `STRATEGIES`; default: `DEFAULT`. But if a plain grid has few completions, and neither
            max_covers nor max_nodes is given, all completions are visited, by the strategy "bands".
        sense: "max" for the largest score (default), "min" for the smallest.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for `solve`.

    Returns:
        The best score and its completion; the number of completions visited; and whether the score is proven. The score
        is -1 if there is no completion, and None if a limit or Ctrl-C came before one was found.

    Raises:
        GridError: a text is no grid.
        ValueError: a parameter is wrong, or the strategy is unknown or cannot do grids of this layout.

    >>> sample = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
    >>> best(sample).score, best(sample, sense="min").score
    (2829, 2829)
    >>> result = best(sample, strategy="dlx")
    >>> result.score, result.completions, result.proven
    (2829, 3, True)
    """
    name = DEFAULT if strategy is None else strategy
    if name not in STRATEGIES:
        raise ValueError(f"there is no strategy {name!r}; there are {', '.join(STRATEGIES)}")
    if sense not in ("max", "min"):
        raise ValueError(f"sense is {sense!r}; it must be 'max' or 'min'")
    puzzle = as_puzzle(grid, layout)
    sign = 1 if sense == "max" else -1
    table = sign * weights_or_rings(weights, puzzle.layout.shape)
    visits = strategy is None and limits.keys() <= {"timeout", "progress"} and is_plain(puzzle)
    result = _visited(puzzle, table, Limits.of(**limits)) if visits else None
    result = result or STRATEGIES[name](puzzle, table, layout=puzzle.layout, **limits)
    return replace(
        result,
        score=result.score if result.completion is None or result.score is None else sign * result.score,
        bound=None if result.bound is None else sign * result.bound,
        givens=puzzle.grid,
        layout=puzzle.layout,
    )


def _visited(puzzle: Puzzle, weights: Weights, limits: Limits) -> Result | None:
    """Visits all completions of a plain grid; returns None if they are many."""
    found = complete(puzzle.grid[None], limits, UNLIMITED, VISITS, weights=weights)
    number = int(found.counts[0])
    if number < 0 and found.outcome["stopped"] != "interrupt":
        return None
    completion = frozen(found.completions[0].reshape(9, 9)) if number > 0 else None
    score = -1 if completion is None else int((completion.astype(np.int64) * weights).sum())
    return Result(
        strategy="bands",
        score=None if number < 0 else score,
        completion=completion,
        completions=max(number, 0),
        bound=score if number > 0 else None,
        **found.outcome,
    )


def weights_or_rings(weights: npt.ArrayLike | None, size: int | Shape) -> Weights:
    """Returns checked weights; default: those of the rings."""
    return ring_weights(size) if weights is None else as_weights(weights, size)


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


def read_weights(file: str | os.PathLike[str], size: int | Shape = 9) -> Weights:
    """Reads a table of weights: a line of whole numbers for each row, separated by spaces, commas or semicolons.

    `#` begins a comment; empty lines are skipped.

    Parameters:
        file: the path of the file.
        size: the number of rows of a square grid, or the rows and columns.

    Returns:
        A read-only int64 array of shape (size, size), or (rows, columns).

    Raises:
        TypeError: the size is no whole number.
        ValueError: the file has another number of rows or columns, a value that is not a whole number between -2^40 and
            2^40, a line of 65536 characters or more, or more than 65536 lines; the message names the file, the line,
            and the value or the limit. Or the size is wrong.
        OSError: the file cannot be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "corners.txt"
    ...     _ = path.write_text("1 0 0 1\\n" + "0 0 0 0\\n" * 2 + "1 0 0 -1\\n")
    ...     read_weights(path, size=4)[3]
    array([ 1,  0,  0, -1])
    """
    shape = _shape(size)
    rows: list[list[int]] = []
    for number, line in said_lines(file):
        place, cells = f"{os.fspath(file)}:{number}:", re.sub("[,;]", " ", line).split()
        for cell in cells:
            if not re.fullmatch("[-+]?[0-9]{1,15}", cell) or abs(int(cell)) > MAX_WEIGHT:
                raise ValueError(f"{place} {quoted(cell)} is not a whole number between -2^40 and 2^40")
        if len(cells) != shape[1]:
            raise ValueError(f"{place} there are {len(cells)} weights instead of {shape[1]}")
        rows.append([int(cell) for cell in cells])
    if len(rows) != shape[0]:
        raise ValueError(f"{os.fspath(file)}: there are {len(rows)} rows of weights instead of {shape[0]}")
    return as_weights(rows, shape)
