"""Sudoku as exact cover: a grid becomes a `dlx.Problem`, and its covers become grids again.

The encoding is Knuth's (The Art of Computer Programming 4B, 7.2.2.1, equation (30)). There are four kinds of items:
every cell holds a digit, and every row, every column and every box has each digit. An option puts a digit in a cell
and has one item of each kind. Further regions have items of their own, which are secondary where a region has fewer
cells than there are digits; so are clashes. `sudoku.encoding.totals` has those of sums.
"""

from __future__ import annotations

from functools import cache
from itertools import compress, product, takewhile
from math import isqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx import Problem
from sudoku.conversion import GridLike, as_puzzle
from sudoku.encoding.tables import Numbers, Tables, cell_items, tables_of
from sudoku.encoding.weights import Weights, as_weights
from sudoku.layout import Box, Cell, Layout, Shape, takes_layout


@takes_layout
def encode(grid: GridLike, layout: Box | Layout | None = None, weights: npt.ArrayLike | None = None) -> Problem:
    """Builds the exact-cover problem whose covers are the completions of a grid.

    There is an option for each given, and for each candidate that no given rules out, nor the candidates of a `Puzzle`.
    A contradictory grid is no error: two givens that clash share an item, so there is no cover.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.
        weights: whole numbers, shape (n, n), one for each cell: an option's weight is its digit times that.

    Returns:
        A problem with an item for each cell, ("cell", row, column), and for each digit of each region: ("row", row,
        digit), ("column", column, digit), ("box", box, digit), and (kind, name, digit) for those of a `Layout`. These
        are primary, 4 n^2 where the layout is rows, columns and boxes, but for those of regions that have fewer than n
        cells, clashes and what joins the steps of a sum. A region with the cells of one before it, as a box that is a
        row, has none. Its options are named (row, column, digit); behind them are those of sums, of which each
        completion decides which are in its cover. Rows, columns and boxes are numbered from 0 in reading order; digits
        are 1 to n.

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout or the weights have a wrong shape, type or value; the message says which.

    >>> problem = encode([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]], layout=(2, 2))
    >>> problem
    Problem(64 items, 16 options, 64 entries)
    >>> problem.names[-1], problem.option(15)
    ((3, 3, 1), (('cell', 3, 3), ('row', 3, 1), ('column', 3, 1), ('box', 3, 1)))
    >>> encode("." * 81, Layout.x().with_regions("centre", [(3, 4), (4, 4), (5, 4)]))
    Problem(342 + 9 secondary items, 729 options, 3105 entries)
    """
    puzzle = as_puzzle(grid, layout)
    layout = puzzle.layout
    tables = tables_of(layout)
    cells = _of_cells(puzzle.grid.ravel(), tables)
    given = np.flatnonzero(cells)
    givens = given * layout.size + cells[given] - 1
    taken = np.zeros(len(tables.items) + 1, dtype=np.bool_)
    taken[tables.entries[givens]] = True
    taken[-1] = False  # what fills the table up is no item
    live = _live(givens, taken, tables)
    if puzzle.candidates is not None:
        live &= _of_cells(puzzle.candidates.reshape(-1, layout.size), tables).ravel()
    numbers = np.flatnonzero(live)
    table = None
    if weights is not None:
        flat = _of_cells(as_weights(weights, layout.shape).ravel(), tables)
        table = flat[numbers // layout.size] * tables.digits[numbers]
    names = tuple(compress(tables.candidates, live.tolist()))
    rows = _rows(numbers, tables)
    if tables.sums.names or tables.colours is not None:
        return _with_sums(tables, rows, names, table, numbers, taken)
    return Problem(tables.items, tables.n_primary, *rows, table, names)


def _of_cells(values: npt.NDArray[Any], tables: Tables) -> npt.NDArray[Any]:
    """Returns the part of a table for the cells that are not missing."""
    return values if tables.cells is None else values[tables.cells]


def _live(givens: npt.NDArray[np.intp], taken: npt.NDArray[np.bool_], tables: Tables) -> npt.NDArray[np.bool_]:
    """Tells which candidates become options: the givens, and those that share no item with any given."""
    fours = taken.take(tables.entries).view(np.uint32)  # four items at a time
    live: npt.NDArray[np.bool_] = np.logical_not(fours.any(axis=1))
    live[givens] = True
    return live


def _rows(numbers: npt.NDArray[np.intp], tables: Tables) -> tuple[Numbers, Numbers]:
    """The items of some candidates, as compressed rows."""
    rows = tables.entries[numbers]
    if tables.indptr is not None:
        return tables.indptr[: len(numbers) + 1], rows.ravel()
    return np.append(0, np.cumsum(tables.lengths[numbers])).astype(np.int32), rows[rows < len(tables.items)]


def _with_sums(
    tables: Tables,
    rows: tuple[Numbers, Numbers],
    names: tuple[Any, ...],
    weights: Weights | None,
    numbers: npt.NDArray[np.intp],
    taken: npt.NDArray[np.bool_],
) -> Problem:
    """The problem with the options of sums behind the candidates, but for those whose items givens take."""
    sums = tables.sums
    owner = np.repeat(np.arange(len(sums.names)), np.diff(sums.indptr))
    live = np.bincount(owner[taken[sums.indices] & (sums.colours == 0)], minlength=len(sums.names)) == 0
    kept = live[owner]
    lengths = np.concatenate([np.diff(rows[0]), np.diff(sums.indptr)[live]])
    colours = None
    if tables.colours is not None:
        own = tables.colours[numbers][tables.entries[numbers] < len(tables.items)]
        colours = np.concatenate([own, sums.colours[kept]])
    return Problem(
        tables.items,
        tables.n_primary,
        np.append(0, np.cumsum(lengths)).astype(np.int32),
        np.concatenate([rows[1], sums.indices[kept]]),
        None if weights is None else np.concatenate([weights, np.zeros(int(live.sum()), dtype=np.int64)]),
        (*names, *compress(sums.names, live.tolist())),
        colours,
        () if colours is None else tuple(range(tables.n_colours)),
    )


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
            for one cell; the message names the cover and the option. Other clashes are not looked for.

    >>> from dlx import covers
    >>> problem = encode([[1, 2, 3, 4], [3, 4, 1, 2], [0, 0, 4, 3], [4, 3, 0, 0]], layout=(2, 2))
    >>> decode(problem, next(covers(problem)))
    array([[1, 2, 3, 4],
           [3, 4, 1, 2],
           [2, 1, 4, 3],
           [4, 3, 2, 1]], dtype=uint8)
    """
    picture = _picture(problem)
    cells = len(picture.cells)
    block = np.asarray(covers)
    place, digit = _places(problem, picture)
    flat = _options(block, place, cells)
    grids = np.zeros(flat.size, dtype=np.uint8)
    grids[place.take(flat) + np.arange(0, flat.size, cells)[:, None]] = digit.take(flat)
    if not grids.all():
        raise ValueError(_twice(flat, place, picture))
    if picture.missing:
        found, grids = grids, np.zeros((flat.size // cells, *picture.shape), dtype=np.uint8)
        grids[:, [r for _, r, _ in picture.cells], [c for _, _, c in picture.cells]] = found.reshape(-1, cells)
    return grids.reshape(*block.shape[:-1], *picture.shape)


class _Picture(NamedTuple):
    """The grid that a problem is about: its cells, as items, and what it looks like."""

    cells: tuple[Any, ...]
    digits: int
    shape: Shape
    missing: bool


def _places(problem: Problem, picture: _Picture) -> tuple[Numbers, npt.NDArray[np.uint8]]:
    """The cell and the digit of each option: a candidate's first two entries are its cell and the digit of its row."""
    begin = problem.indptr[:-1]
    place, second = problem.indices.take(begin), problem.indices.take(begin + 1, mode="clip")
    return place, ((second - len(picture.cells)) % picture.digits + 1).astype(np.uint8)


def _picture(problem: Problem) -> _Picture:
    """The grid of a problem: the items of its cells come first, and those of the digits of its first row next."""
    items: tuple[Any, ...] = problem.items
    for n in range(1, isqrt(problem.n_items) + 1):
        if items[n * n : n * n + 1] == (("row", 0, 1),) and items[: n * n] == cell_items(_square(n)):
            return _Picture(items[: n * n], n, (n, n), False)
    cells = tuple(takewhile(lambda item: isinstance(item, tuple) and len(item) == 3 and item[0] == "cell", items))
    if not cells:
        raise ValueError(f"{problem!r} is not the problem of a grid")
    rest = items[len(cells) :]
    digits = sum(1 for _ in takewhile(lambda item: item[:2] == rest[0][:2], rest))
    return _Picture(cells, digits, (max(r for _, r, _ in cells) + 1, max(c for _, _, c in cells) + 1), True)


@cache
def _square(n: int) -> tuple[Cell, ...]:
    return tuple(product(range(n), range(n)))


def candidates(problem: Problem) -> npt.NDArray[np.int64]:
    """The candidates among the options of an encoded grid, which come first; behind them are those of sums.

    Parameters:
        problem: what `encode` returned.

    Returns:
        The row, column and digit of each: shape (candidates, 3); rows and columns from 0.

    Raises:
        ValueError: the problem is not that of a grid.

    >>> candidates(encode([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]], layout=(2, 2)))[-2:].tolist()
    [[3, 2, 2], [3, 3, 1]]
    """
    picture = _picture(problem)
    place, digit = _places(problem, picture)
    there = place < len(picture.cells)
    cells = np.array([(r, c) for _, r, c in picture.cells])
    return np.column_stack([cells[place[there]], digit[there]])


def _options(block: npt.NDArray[Any], place: Numbers, cells: int) -> npt.NDArray[np.intp]:
    """Checks that covers have a number of an option for each cell, and nothing else but sums; shape (k, cells)."""
    n_options = len(place)
    if block.ndim not in (1, 2) or block.shape[-1] < cells:
        raise ValueError(f"the covers have the shape {block.shape}; each must have {cells} options")
    if block.dtype.kind not in "iu":
        raise ValueError(f"the covers have the type {block.dtype} instead of whole numbers")
    rows = block.reshape(-1, block.shape[-1])
    if n_options and place[-1] >= cells:
        rows = _without_sums(rows, place, cells)
    if rows.shape[1] > cells and len(longer := np.argwhere(rows[:, cells:] != -1)):
        raise ValueError(f"cover {longer[0][0]} has more than {cells} options, one for each cell")
    flat = rows[:, :cells]
    if flat.size and not (flat.min() >= 0 and flat.max() < n_options):
        k, wrong = np.argwhere((flat < 0) | (flat >= n_options))[0].tolist()
        raise ValueError(f"cover {k} has the option {flat[k, wrong]}; the problem has options 0 to {n_options - 1}")
    return flat


def _without_sums(rows: npt.NDArray[Any], place: Numbers, cells: int) -> npt.NDArray[Any]:
    """The same covers without the options of sums, filled up with -1 again."""
    sums = (rows >= 0) & (rows < len(place))
    sums[sums] = place[rows[sums]] >= cells
    order = np.argsort(sums, axis=1, kind="stable")
    return np.take_along_axis(np.where(sums, -1, rows), order, axis=1)


def _twice(flat: npt.NDArray[np.intp], place: Numbers, picture: _Picture) -> str:
    """Describes the first cover with two options for a cell, and so none for another."""
    for k, cover in enumerate(flat.tolist()):
        holder: dict[int, int] = {}
        for option in cover:
            cell = int(place[option])
            if cell in holder:
                _, r, c = picture.cells[cell]
                return (
                    f"cover {k} has the options {holder[cell]} and {option} for the cell in row {r + 1}, column {c + 1}"
                )
            holder[cell] = option
    raise AssertionError("every cover fills its grid")
