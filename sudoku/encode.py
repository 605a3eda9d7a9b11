"""Sudoku as exact cover: a grid becomes a `dlx.Problem`, and its covers become grids again.

The encoding is Knuth's (The Art of Computer Programming 4B, 7.2.2.1, equation (30)). There are four kinds of items:
every cell holds a digit, and every row, every column and every box has each digit. An option puts a digit in a cell
and has one item of each kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import compress

import numpy as np
import numpy.typing as npt

from dlx import Problem
from sudoku.grid import Box, Grid, as_grid, grid_size

Item = tuple[str, int, int]
Candidate = tuple[int, int, int]
Weights = npt.NDArray[np.int64]

MAX_WEIGHT = 2**40


@dataclass(frozen=True, slots=True)
class _Tables:
    """What all grids of one box shape share; candidates are numbered by row, then column, then digit."""

    items: tuple[Item, ...]  # ("cell", row, column), then ("row" | "column" | "box", its number, digit)
    candidates: tuple[Candidate, ...]  # (row, column, digit)
    entries: npt.NDArray[np.int32]  # shape (n^3, 4): the numbers of each candidate's items
    indptr: npt.NDArray[np.int32]  # 0, 4, 8, ...: every option has four items
    digits: npt.NDArray[np.int64]  # shape (n^3,): the digit of each candidate


@cache
def _tables(box: Box) -> _Tables:
    n = grid_size(box)
    row, column, digit = np.unravel_index(np.arange(n**3), (n, n, n))
    place = row // box[0] * box[0] + column // box[1]
    lines = [row * n + column, *(k * n * n + line * n + digit for k, line in enumerate((row, column, place), 1))]
    items: list[Item] = [("cell", r, c) for r in range(n) for c in range(n)]
    items += [(kind, k, d) for kind in ("row", "column", "box") for k in range(n) for d in range(1, n + 1)]
    return _Tables(
        tuple(items),
        tuple(zip(row.tolist(), column.tolist(), (digit + 1).tolist(), strict=True)),
        np.stack(lines, axis=1).astype(np.int32),
        np.arange(0, 4 * n**3 + 1, 4, dtype=np.int32),
        digit + 1,
    )


def encode(grid: npt.ArrayLike, box: Box = (3, 3), weights: npt.ArrayLike | None = None) -> Problem:
    """Builds the exact-cover problem whose covers are the completions of a grid.

    There is an option for each given, and for each candidate that no given rules out. A contradictory grid is no
    error: two givens that clash share an item, so there is no cover.

    Parameters:
        grid: whole numbers, shape (n, n), 0 where the cell is blank.
        box: the rows and columns of a box; n is their product.
        weights: whole numbers, shape (n, n), one for each cell: an option's weight is its digit times that.

    Returns:
        A problem with 4 n^2 primary items, each a tuple: ("cell", row, column), ("row", row, digit),
        ("column", column, digit) or ("box", box, digit). Its options are named (row, column, digit). Rows, columns and
        boxes are numbered from 0 in reading order; digits are 1 to n.

    Raises:
        ValueError: the grid, the box or the weights have a wrong shape, type or value; the message says which.

    >>> problem = encode([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]], box=(2, 2))
    >>> problem
    Problem(64 items, 16 options, 64 entries)
    >>> problem.names[-1], problem.option(15)
    ((3, 3, 1), (('cell', 3, 3), ('row', 3, 1), ('column', 3, 1), ('box', 3, 1)))
    """
    checked = as_grid(grid, box)
    tables = _tables((int(box[0]), int(box[1])))
    live = _candidates(checked, tables)
    numbers = np.flatnonzero(live)
    return Problem(
        tables.items,
        len(tables.items),
        tables.indptr[: len(numbers) + 1],
        tables.entries[numbers].ravel(),
        None if weights is None else _option_weights(as_weights(weights, len(checked)), tables)[numbers],
        tuple(compress(tables.candidates, live.tolist())),
    )


def _candidates(grid: Grid, tables: _Tables) -> npt.NDArray[np.bool_]:
    """Which candidates become options: the givens, and those that share no item with any given."""
    cells = np.flatnonzero(grid)
    givens = cells * len(grid) + grid.ravel()[cells] - 1
    taken = np.zeros(len(tables.items), dtype=np.bool_)
    taken[tables.entries[givens]] = True
    live: npt.NDArray[np.bool_] = taken[tables.entries].view(np.uint32)[:, 0] == 0  # its four items at a time
    live[givens] = True
    return live


def _option_weights(weights: Weights, tables: _Tables) -> Weights:
    return np.repeat(weights.ravel(), len(weights)) * tables.digits


def as_weights(weights: npt.ArrayLike, size: int = 9) -> Weights:
    """Checks a table of weights, one for each cell.

    Parameters:
        weights: whole numbers between -2^40 and 2^40, shape (size, size).
        size: the number of rows of the grid.

    Returns:
        The table as a read-only int64 array of its own.

    Raises:
        ValueError: the shape, the type or a value is wrong; the message names it, and where it stands.

    >>> as_weights([[1, 2], [3, 2**50]], size=2)
    Traceback (most recent call last):
    ...
    ValueError: the weight 1125899906842624 in row 2, column 2 is not between -2^40 and 2^40
    """
    table = np.asarray(weights)
    if table.shape != (size, size):
        raise ValueError(f"the weights have the shape {table.shape} instead of {(size, size)}")
    if table.dtype.kind not in "iu":
        raise ValueError(f"the weights have the type {table.dtype} instead of whole numbers")
    outside = np.argwhere((table < -MAX_WEIGHT) | (table > MAX_WEIGHT))
    if len(outside):
        r, c = outside[0].tolist()
        raise ValueError(f"the weight {table[r, c]} in row {r + 1}, column {c + 1} is not between -2^40 and 2^40")
    kept = table.astype(np.int64)
    kept.setflags(write=False)
    return kept


def decode(problem: Problem, covers: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Turns covers of an encoded grid into completions.

    Parameters:
        problem: what `encode` returned.
        covers: one cover, shape (n^2,), or a block of them, shape (k, n^2): whole numbers, the options.

    Returns:
        The completion as a uint8 array of shape (n, n), or the k of them, shape (k, n, n).

    Raises:
        ValueError: a cover has not n^2 options.

    >>> from dlx import covers
    >>> problem = encode([[1, 2, 3, 4], [3, 4, 1, 2], [0, 0, 4, 3], [4, 3, 0, 0]], box=(2, 2))
    >>> decode(problem, next(covers(problem)))
    array([[1, 2, 3, 4],
           [3, 4, 1, 2],
           [2, 1, 4, 3],
           [4, 3, 2, 1]], dtype=uint8)
    """
    cells = problem.n_primary // 4
    n = round(cells**0.5)
    block = np.asarray(covers)
    if block.ndim not in (1, 2) or block.shape[-1] != cells:
        raise ValueError(f"the covers have the shape {block.shape}; each must have {cells} options")
    # An option's entries are its cell, row-digit, column-digit and box-digit; each kind has n^2 items.
    place, digit = problem.indices[0::4], (problem.indices[1::4] % n + 1).astype(np.uint8)
    grids = np.empty((block.size // cells, cells), dtype=np.uint8)
    flat = block.reshape(-1, cells)
    grids[np.arange(len(flat))[:, None], place[flat]] = digit[flat]
    return grids.reshape(*block.shape[:-1], n, n)
