"""Sudoku as exact cover: a grid becomes a `dlx.Problem`, and its covers become grids again.

The encoding is Knuth's (The Art of Computer Programming 4B, 7.2.2.1, equation (30)). There are four kinds of items:
every cell holds a digit, and every row, every column and every box has each digit. An option puts a digit in a cell
and has one item of each kind. Further regions have items of their own, which are secondary where a region has fewer
cells than there are digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx import Problem
from sudoku.conversion import GridLike, as_puzzle
from sudoku.grid import Grid
from sudoku.layout import Box, Layout, Region

Item = tuple[str, int | str, int]
Candidate = tuple[int, int, int]
Weights = npt.NDArray[np.int64]

MAX_WEIGHT = 2**40
LAYOUTS = 64  # tables kept: those of 9 rows take half a megabyte each


@dataclass(frozen=True, slots=True)
class _Tables:
    """What all grids of one layout share; candidates are numbered by row, then column, then digit."""

    items: tuple[Item, ...]  # ("cell", row, column), then (kind, name, digit) of each region, secondary ones last
    n_primary: int
    candidates: tuple[Candidate, ...]  # (row, column, digit)
    entries: npt.NDArray[np.int32]  # shape (n^3, 4 k): the numbers of each candidate's items, then len(items)
    lengths: npt.NDArray[np.int32]  # shape (n^3,): how many items each candidate has
    indptr: npt.NDArray[np.int32] | None  # 0, 4, 8, ... where every candidate has four items
    digits: npt.NDArray[np.int64]  # shape (n^3,): the digit of each candidate


@lru_cache(LAYOUTS)
def _tables(layout: Layout) -> _Tables:
    n = layout.size
    row, column, digit = np.unravel_index(np.arange(n**3), (n, n, n))
    full = [region for region in layout.regions if len(region.cells) == n]
    partial = [region for region in layout.regions if len(region.cells) < n]
    items: list[Item] = [("cell", r, c) for r in range(n) for c in range(n)]
    items += [(kind, name, d) for kind, name, _ in (*full, *partial) for d in range(1, n + 1)]
    first = _first_items(n, (*full, *partial), len(items))[row * n + column]
    entries = np.where(first < len(items), first + digit[:, None], len(items))
    entries[:, 0] = row * n + column
    lengths = np.count_nonzero(entries < len(items), axis=1)
    return _Tables(
        tuple(items),
        n * n + n * len(full),
        tuple(zip(row.tolist(), column.tolist(), (digit + 1).tolist(), strict=True)),
        entries.astype(np.int32),
        lengths.astype(np.int32),
        np.arange(0, 4 * n**3 + 1, 4, dtype=np.int32) if (lengths == 4).all() else None,
        digit + 1,
    )


def _first_items(n: int, regions: tuple[Region, ...], none: int) -> npt.NDArray[np.int64]:
    """For each cell a 0 and the items of digit 1 of its regions, filled up with `none` to a multiple of four."""
    of: list[list[int]] = [[0] for _ in range(n * n)]
    for k, region in enumerate(regions):
        for r, c in region.cells:
            of[r * n + c].append(n * n + k * n)
    width = -(-max(map(len, of)) // 4) * 4
    return np.array([first + [none] * (width - len(first)) for first in of])


def encode(grid: GridLike, box: Box | Layout | None = None, weights: npt.ArrayLike | None = None) -> Problem:
    """Builds the exact-cover problem whose covers are the completions of a grid.

    There is an option for each given, and for each candidate that no given rules out, nor the candidates of a `Puzzle`.
    A contradictory grid is no error: two givens that clash share an item, so there is no cover.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        box: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.
        weights: whole numbers, shape (n, n), one for each cell: an option's weight is its digit times that.

    Returns:
        A problem with an item for each cell, ("cell", row, column), and for each digit of each region: ("row", row,
        digit), ("column", column, digit), ("box", box, digit), and (kind, name, digit) for those of a `Layout`. These
        are primary, 4 n^2 where the layout is rows, columns and boxes, but for those of regions that have fewer than n
        cells. Its options are named (row, column, digit). Rows, columns and boxes are numbered from 0 in reading order;
        digits are 1 to n.

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the box or the weights have a wrong shape, type or value; the message says which.

    >>> problem = encode([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]], box=(2, 2))
    >>> problem
    Problem(64 items, 16 options, 64 entries)
    >>> problem.names[-1], problem.option(15)
    ((3, 3, 1), (('cell', 3, 3), ('row', 3, 1), ('column', 3, 1), ('box', 3, 1)))
    >>> encode("." * 81, Layout.x().with_regions("centre", [(3, 4), (4, 4), (5, 4)]))
    Problem(342 + 9 secondary items, 729 options, 3105 entries)
    """
    puzzle = as_puzzle(grid, box)
    tables = _tables(puzzle.layout)
    live = _candidates(puzzle.grid, tables)
    if puzzle.candidates is not None:
        live &= puzzle.candidates.ravel()
    numbers = np.flatnonzero(live)
    return Problem(
        tables.items,
        tables.n_primary,
        *_rows(numbers, tables),
        None if weights is None else _option_weights(as_weights(weights, puzzle.layout.size), tables)[numbers],
        tuple(compress(tables.candidates, live.tolist())),
    )


def _candidates(grid: Grid, tables: _Tables) -> npt.NDArray[np.bool_]:
    """Which candidates become options: the givens, and those that share no item with any given."""
    cells = np.flatnonzero(grid)
    givens = cells * len(grid) + grid.ravel()[cells] - 1
    taken = np.zeros(len(tables.items) + 1, dtype=np.bool_)
    taken[tables.entries[givens]] = True
    taken[-1] = False  # what fills the table up is no item
    fours = taken.take(tables.entries).view(np.uint32)  # four items at a time
    live: npt.NDArray[np.bool_] = np.logical_not(fours.any(axis=1))
    live[givens] = True
    return live


def _rows(numbers: npt.NDArray[np.intp], tables: _Tables) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The items of some candidates, as compressed rows."""
    rows = tables.entries[numbers]
    if tables.indptr is not None:
        return tables.indptr[: len(numbers) + 1], rows.ravel()
    return np.append(0, np.cumsum(tables.lengths[numbers])).astype(np.int32), rows[rows < len(tables.items)]


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
    if isinstance(weights, np.ma.MaskedArray) and np.ma.is_masked(weights):
        r, c = np.argwhere(np.ma.getmaskarray(weights))[0].tolist()
        raise ValueError(f"the weight in row {r + 1}, column {c + 1} is masked")
    if table.dtype.kind not in "iu":
        raise ValueError(f"the weights have the type {table.dtype} instead of whole numbers")
    if not (table.min() >= -MAX_WEIGHT and table.max() <= MAX_WEIGHT):
        r, c = np.argwhere((table < -MAX_WEIGHT) | (table > MAX_WEIGHT))[0].tolist()
        raise ValueError(f"the weight {table[r, c]} in row {r + 1}, column {c + 1} is not between -2^40 and 2^40")
    kept = table.astype(np.int64)
    kept.setflags(write=False)
    return kept


def decode(problem: Problem, covers: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Turns covers of an encoded grid into completions.

    Parameters:
        problem: what `encode` returned.
        covers: one cover, shape (n^2,), or a block of them, shape (k, n^2): whole numbers, the options. What `blocks`
            fills wider rows up with, -1, is passed over.

    Returns:
        The completion as a uint8 array of shape (n, n), or the k of them, shape (k, n, n).

    Raises:
        ValueError: the problem has no cells, a cover has not n^2 options, or one that the problem has not, or two
            for one cell; the message names the cover and the option. Whether the options clash elsewhere is not asked.

    >>> from dlx import covers
    >>> problem = encode([[1, 2, 3, 4], [3, 4, 1, 2], [0, 0, 4, 3], [4, 3, 0, 0]], box=(2, 2))
    >>> decode(problem, next(covers(problem)))
    array([[1, 2, 3, 4],
           [3, 4, 1, 2],
           [2, 1, 4, 3],
           [4, 3, 2, 1]], dtype=uint8)
    """
    n = _size(problem)
    cells = n * n
    block = np.asarray(covers)
    flat = _options(block, cells, problem.n_options)
    # The first two entries of an option are its cell and the digit of its row; each region has n items.
    begin = problem.indptr[:-1]
    place, digit = problem.indices.take(begin), (problem.indices.take(begin + 1) % n + 1).astype(np.uint8)
    grids = np.zeros(flat.size, dtype=np.uint8)
    grids[place.take(flat) + np.arange(0, flat.size, cells)[:, None]] = digit.take(flat)
    if not grids.all():
        raise ValueError(_twice(flat, place, n))
    return grids.reshape(*block.shape[:-1], n, n)


def _size(problem: Problem) -> int:
    """How many rows the grid of a problem has: the items of its cells come first, and those of the rows next."""
    for n in range(1, isqrt(problem.n_items) + 1):
        if problem.items[n * n : n * n + 1] == (("row", 0, 1),):
            return n
    raise ValueError(f"{problem!r} is not the problem of a grid")


def _options(block: npt.NDArray[Any], cells: int, n_options: int) -> npt.NDArray[np.intp]:
    """Checks that covers have a number of an option for each cell, and nothing else; shape (k, cells)."""
    if block.ndim not in (1, 2) or block.shape[-1] < cells:
        raise ValueError(f"the covers have the shape {block.shape}; each must have {cells} options")
    if block.dtype.kind not in "iu":
        raise ValueError(f"the covers have the type {block.dtype} instead of whole numbers")
    rows = block.reshape(-1, block.shape[-1])
    if rows.shape[1] > cells and len(longer := np.argwhere(rows[:, cells:] != -1)):
        raise ValueError(f"cover {longer[0][0]} has more than {cells} options, one for each cell")
    flat = rows[:, :cells]
    if flat.size and not (flat.min() >= 0 and flat.max() < n_options):
        k, place = np.argwhere((flat < 0) | (flat >= n_options))[0].tolist()
        raise ValueError(f"cover {k} has the option {flat[k, place]}; the problem has options 0 to {n_options - 1}")
    return flat


def _twice(flat: npt.NDArray[np.intp], place: npt.NDArray[np.int32], n: int) -> str:
    """What is wrong with the first cover that has two options for a cell, and so none for another."""
    for k, cover in enumerate(flat.tolist()):
        holder: dict[int, int] = {}
        for option in cover:
            cell = int(place[option])
            if cell in holder:
                r, c = divmod(cell, n)
                return (
                    f"cover {k} has the options {holder[cell]} and {option} for the cell in row {r + 1}, column {c + 1}"
                )
            holder[cell] = option
    raise AssertionError("every cover fills its grid")
