"""Sudoku as exact cover: a grid becomes a `dlx.Problem`, and covers become grids.

The encoding is Knuth's (The Art of Computer Programming 4B, 7.2.2.1, equation (30)). There are four kinds of items:
each cell holds a digit, and each row, column and box has each digit. An option puts a digit in a cell, and has one item
of each kind. Other regions have items, too, which are secondary if the region has fewer than n cells; each clash is a
secondary item. Lines and sums add items and options (`sudoku/restrictions.py`).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import product, takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx import Problem
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import REAL, check_whole
from sudoku.layout import Box, Layout, Shape
from sudoku.restrictions import Gadgets
from sudoku.rules import CAGE

Numbers = npt.NDArray[np.int32]
Weights = npt.NDArray[np.int64]

MAX_WEIGHT = 2**40
LAYOUTS = 64  # layouts whose tables are kept, half a megabyte each for 9 rows


def as_weights(weights: npt.ArrayLike, size: int | Shape = 9) -> Weights:
    """Checks a table of weights, one for each cell.

    Parameters:
        weights: whole numbers between -2^40 and 2^40, also as floats, shape (size, size).
        size: the number of rows of a square grid, or the rows and columns.

    Returns:
        A read-only int64 copy of the table.

    Raises:
        ValueError: the shape, the type or a value is wrong; the message names the first wrong value and its place.

    >>> as_weights([[1, 2], [3, 2**50]], size=2)
    Traceback (most recent call last):
    ...
    ValueError: the weight 1125899906842624 in row 2, column 2 is not between -2^40 and 2^40
    """
    table = np.asarray(weights)
    shape = size if isinstance(size, tuple) else (size, size)
    if table.shape != shape:
        raise ValueError(f"the weights have the shape {table.shape} instead of {shape}")
    if table.dtype.kind not in REAL or np.ma.is_masked(weights):
        kind = "masked cells" if np.ma.is_masked(weights) else f"the type {table.dtype}"
        raise ValueError(f"the weights have {kind} instead of whole numbers")
    check_whole(table, -MAX_WEIGHT, MAX_WEIGHT, "weight", "-2^40 and 2^40")
    kept = table.astype(np.int64)
    kept.setflags(write=False)
    return kept


def encode(grid: GridLike, layout: Box | Layout | None = None, weights: npt.ArrayLike | None = None) -> Problem:
    """Builds the exact-cover problem whose covers are the completions of a grid.

    There is an option for each given, and for each candidate that neither a given nor the pencil marks of a `Puzzle`
    exclude. Contradictory givens share an item, so there is no cover.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; default: the layout of a `Puzzle`, otherwise 3 x 3.
        weights: whole numbers, shape (n, n), one for each cell; the weight of an option is its digit times its cell's.

    Returns:
        A problem with an item for each cell, ("cell", row, column), and for each digit of each region: ("row", row,
        digit), ("column", column, digit), ("box", box, digit), and (kind, name, digit) for other regions. These are
        primary: 4 n^2 if the layout has only rows, columns and boxes. Regions of fewer than n cells, clashes and the
        states of sums are secondary. A region with the cells of an earlier one has no items. The options are named
        (row, column, digit); after them come the options of sums. Rows, columns and boxes are numbered from 0 in
        reading order; digits are 1 to n.

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout or the weights have a wrong shape, type or value; the message names it.

    >>> problem = encode([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]], layout=(2, 2))
    >>> problem
    Problem(64 items, 16 options, 64 entries)
    >>> problem.names[-1], problem.option(15)
    ((3, 3, 1), (('cell', 3, 3), ('row', 3, 1), ('column', 3, 1), ('box', 3, 1)))
    >>> encode("." * 81, Layout.named("x").with_regions("centre", [(3, 4), (4, 4), (5, 4)]))
    Problem(342 + 9 secondary items, 729 options, 3105 entries)
    """
    puzzle = as_puzzle(grid, layout)
    tables = tables_of(puzzle.layout)
    live = _live(tables, tables.givens(puzzle.grid))
    if puzzle.candidates is not None:
        marks = tables.marks(puzzle.candidates)
        live[: marks.size] &= marks
    numbers = np.flatnonzero(live)
    table = None
    if weights is not None:
        flat = as_weights(weights, puzzle.layout.shape).ravel()[tables.cells]
        table = flat[tables.places[numbers]] * tables.digits[numbers]
    names = tuple(tables.names[numbers].tolist())
    kept = live[tables.owners]
    indptr = np.zeros(len(numbers) + 1, dtype=np.int32)
    np.cumsum(tables.lengths[numbers], out=indptr[1:])
    empty = tables.problem
    indices = empty.indices[kept]
    for array in (indptr, indices):
        array.setflags(write=False)
    # The rows are some of those of `empty`, whose checks hold for them: to check them again took 24 of 66 µs.
    return Problem._of_matrix(
        items=empty.items,
        n_primary=empty.n_primary,
        indptr=indptr,
        indices=indices,
        weights=table,
        names=names,
        colours=None if empty.colours is None else empty.colours[kept],
        colour_names=empty.colour_names,
    )


def _live(tables: EncodingTables, givens: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Returns which options are givens, or share no uncoloured item with a given."""
    indices, colours = tables.problem.indices, tables.problem.colours
    taken = np.zeros(tables.problem.n_items, dtype=np.bool_)
    chosen = np.zeros(len(tables.names), dtype=np.bool_)
    chosen[givens] = True
    taken[indices[chosen[tables.owners]]] = True
    hit = taken.take(indices)
    if colours is not None:
        hit &= colours == 0
    live = np.ones(len(tables.names), dtype=np.bool_)
    live[tables.owners.compress(hit)] = False
    live[givens] = True
    return live


def decode(problem: Problem, covers: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Returns the completions of covers of an encoded grid.

    Parameters:
        problem: the problem that `encode` returned.
        covers: the options of one cover, shape (n^2,), or of k covers, shape (k, n^2); -1, with which `blocks` pads
            rows, is skipped.

    Returns:
        The completion as a uint8 array of shape (n, n), or k completions, shape (k, n, n).

    Raises:
        ValueError: the problem has no cells; or a cover has not n^2 options, an unknown option, or no option for a
            cell. The message names the cover and the option or the cell. Other rules are not checked.

    >>> from dlx import covers
    >>> problem = encode([[1, 2, 3, 4], [3, 4, 1, 2], [0, 0, 4, 3], [4, 3, 0, 0]], layout=(2, 2))
    >>> decode(problem, next(covers(problem)))
    array([[1, 2, 3, 4],
           [3, 4, 1, 2],
           [2, 1, 4, 3],
           [4, 3, 2, 1]], dtype=uint8)
    """
    place, digit, cells = _candidates(problem)
    block = np.asarray(covers)
    beside = len(cells)  # the place of options of sums, and of -1
    if block.ndim not in (1, 2) or block.shape[-1] < beside:
        raise ValueError(f"the covers have the shape {block.shape}; each must have {beside} options")
    if block.dtype.kind not in "iu":
        raise ValueError(f"the covers have the type {block.dtype} instead of whole numbers")
    rows = block.reshape(-1, block.shape[-1])
    if rows.size and not (rows.min() >= -1 and rows.max() < len(place)):
        k, wrong = np.argwhere((rows < -1) | (rows >= len(place)))[0].tolist()
        raise ValueError(f"cover {k} has the option {rows[k, wrong]}; the problem has options 0 to {len(place) - 1}")
    found = np.append(np.minimum(place, beside), beside).take(rows)
    grids = np.zeros((len(rows), beside + 1), dtype=np.uint8)
    grids.ravel()[found + np.arange(0, grids.size, beside + 1)[:, None]] = np.append(digit, 0).take(rows)
    filled = grids[:, :beside]
    if not filled.all():
        k, blank = np.argwhere(filled == 0)[0].tolist()
        _, r, c = cells[blank]
        raise ValueError(f"cover {k} has no option for the cell in row {r + 1}, column {c + 1}")
    if rows.shape[1] > beside and (several := np.count_nonzero(found < beside, axis=1) > beside).any():
        raise ValueError(f"cover {several.argmax()} has several options for a cell")
    shape = (cells[-1][1] + 1, max(c for _, _, c in cells) + 1)
    if beside == shape[0] * shape[1]:
        return filled.reshape(*block.shape[:-1], *shape)
    decoded = np.zeros((len(rows), *shape), dtype=np.uint8)
    decoded[:, [r for _, r, _ in cells], [c for _, _, c in cells]] = filled
    return decoded.reshape(*block.shape[:-1], *shape)


def candidates(problem: Problem) -> npt.NDArray[np.int64]:
    """Returns the row, column and digit of each candidate of an encoded grid, shape (candidates, 3)."""
    place, digit, cells = _candidates(problem)
    there = place < len(cells)
    return np.column_stack([np.array([cell[1:] for cell in cells])[place[there]], digit[there]])


def _candidates(problem: Problem) -> tuple[Numbers, Numbers, tuple[Any, ...]]:
    """Returns the cell and the digit of each option, and the items of the cells.

    The first entries of a candidate are its cell and its row. The items begin with the cells and the digits of the
    first row. An option of a sum has a cell behind the last one.
    """
    items: tuple[Any, ...] = problem.items
    n_cells = bisect_left(items, True, key=lambda item: not isinstance(item, tuple) or item[0] != "cell")
    if not n_cells:
        raise ValueError(f"{problem!r} is not the problem of a grid")
    digits = sum(1 for _ in takewhile(lambda item: item[:2] == items[n_cells][:2], items[n_cells:]))
    begin = problem.indptr[:-1]
    place, second = problem.indices.take(begin), problem.indices.take(begin + 1, mode="clip")
    return place, (second - n_cells) % digits + 1, items[:n_cells]


@dataclass(frozen=True, slots=True)
class EncodingTables:
    """The problem of an empty grid, and its entries and options as arrays."""

    size: int  # the number of digits
    problem: Problem
    cells: npt.NDArray[np.intp] | slice  # the places of the cells in the flat grid
    names: npt.NDArray[np.object_]  # of each option; (row, column, digit) for a candidate
    places: npt.NDArray[np.intp]  # the number of each option's cell, 0 for options of rules
    digits: npt.NDArray[np.int64]  # the digit of each option, 0 for options of rules
    owners: npt.NDArray[np.intp]  # the option of each entry
    lengths: Numbers  # the number of entries of each option

    def givens(self, grid: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
        """Returns the options of the givens of a grid."""
        cells = grid.ravel()[self.cells]
        given = np.flatnonzero(cells)
        return given * self.size + cells[given] - 1

    def marks(self, candidates: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Returns which options of candidates are pencil marks."""
        return candidates.reshape(-1, self.size)[self.cells].ravel()

    def options_of(self, item: Any) -> npt.NDArray[np.intp]:
        """Returns the options that have an item."""
        found: npt.NDArray[np.intp] = self.owners[self.problem.indices == self.problem.items.index(item)]
        return found


@lru_cache(LAYOUTS)
def tables_of(layout: Layout) -> EncodingTables:
    """Returns the tables of a layout."""
    problem = _empty(layout)
    n, n_cells, lengths = layout.size, len(layout.cells()), np.diff(problem.indptr)
    names = np.empty(problem.n_options, dtype=np.object_)
    names[:] = problem.names
    none = np.zeros(problem.n_options - n * n_cells, dtype=np.int64)
    return EncodingTables(
        size=n,
        problem=problem,
        cells=slice(None) if layout.is_square else np.flatnonzero(layout.mask()),
        names=names,
        places=np.append(np.repeat(np.arange(n_cells), n), none),
        digits=np.append(np.tile(np.arange(1, n + 1), n_cells), none),
        owners=np.repeat(np.arange(problem.n_options), lengths),
        lengths=lengths,
    )


def _empty(layout: Layout) -> Problem:
    """Returns the problem of a grid without givens: candidates by row, column and digit, then the options of sums."""
    n, gadgets = layout.size, Gadgets(layout.size, layout.areas, layout.cells())
    for kind, name, cells in sorted(layout.distinct_regions(), key=lambda region: len(region.cells) < n):
        items = [(kind, name, d) for d in range(1, n + 1)]
        (gadgets.primary if len(cells) == n else gadgets.secondary).extend(items)
        for (r, c), item in product(cells, items):
            gadgets.options[r, c, item[2]].append(item)
    for rule in layout.constraints:
        # A little killer with all cells in one region is a cage
        is_cage = rule.kind == "little-killer" and any(one.cells.issuperset(rule.cells) for one in layout.regions)
        restriction: Any = CAGE if is_cage else rule.record.restriction
        owner = (rule.kind, rule.name)
        gadgets.add(owner, restriction.options(gadgets, owner, rule.cells, rule.circles or rule.total))
    return Problem.from_options(
        gadgets.options, items=[*gadgets.primary, *gadgets.secondary], secondary=gadgets.secondary
    )
