"""Sudoku as exact cover: a grid becomes a `dlx.Problem`, and its covers become grids again.

The encoding is Knuth's (The Art of Computer Programming 4B, 7.2.2.1, equation (30)). There are four kinds of items:
every cell holds a digit, and every row, every column and every box has each digit. An option puts a digit in a cell
and has one item of each kind. Further regions have items of their own, which are secondary where a region has fewer
cells than there are digits; so are clashes. Sums have further items and options:
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from math import prod
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx import Problem
from dlx.extending import Limiting, Limits
from sudoku.constraints import Candidate, Clash, Region
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.gadgets import Entry, Item, added
from sudoku.grid import REAL, Puzzle, check_whole
from sudoku.layout import Box, Layout, Shape

Numbers = npt.NDArray[np.int32]
Weights = npt.NDArray[np.int64]

MAX_WEIGHT = 2**40
MOST_CLASHING = 4_000_000  # candidates of all clashes of a layout, which take 480 to 580 bytes each
LAYOUTS = 64  # tables kept: those of 9 rows take half a megabyte each


def as_weights(weights: npt.ArrayLike, size: int | Shape = 9) -> Weights:
    """Checks a table of weights, one for each cell.

    Parameters:
        weights: whole numbers between -2^40 and 2^40, which may be floats, shape (size, size).
        size: the number of rows of the grid; or its rows and columns, if these are not as many.

    Returns:
        The table as a read-only int64 array of its own.

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

    There is an option for each given, and for each candidate that no given rules out, nor the candidates of a `Puzzle`.
    A contradictory grid is no error: two givens that clash share an item, so there is no cover.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.
        weights: whole numbers, shape (n, n), one for each cell: an option's weight is its digit times the number.

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
    >>> encode("." * 81, Layout.named("x").with_regions("centre", [(3, 4), (4, 4), (5, 4)]))
    Problem(342 + 9 secondary items, 729 options, 3105 entries)
    """
    puzzle = as_puzzle(grid, layout)
    layout = puzzle.layout
    tables = tables_of(layout)
    cells = puzzle.grid.ravel()[tables.cells]
    given = np.flatnonzero(cells)
    live = _live(tables, given * layout.size + cells[given] - 1)
    if puzzle.candidates is not None:
        marks = puzzle.candidates.reshape(-1, layout.size)[tables.cells].ravel()
        live[: marks.size] &= marks
    numbers = np.flatnonzero(live)
    table = None
    if weights is not None:
        flat = as_weights(weights, layout.shape).ravel()[tables.cells]
        table = flat[tables.places[numbers]] * tables.digits[numbers]
    names = tuple(tables.names[numbers].tolist())
    if tables.fours is not None:
        indptr, indices = tables.indptr[: len(numbers) + 1], tables.fours[numbers].ravel()
        return Problem(tables.items, tables.n_primary, indptr, indices, table, names)
    kept = live[tables.owners]
    indptr = np.append(0, np.cumsum(np.diff(tables.indptr)[numbers])).astype(np.int32)
    indices, colours = tables.indices[kept], None if tables.colours is None else tables.colours[kept]
    return Problem(tables.items, tables.n_primary, indptr, indices, table, names, colours, tables.colour_names)


def encoded(puzzle: Puzzle, limits: Limiting, weights: npt.ArrayLike | None = None) -> tuple[Problem, Limiting, float]:
    """Returns the problem of a puzzle, the limits that are left for the search, and the seconds that it took."""
    Limits.of(**limits)  # refuses wrong ones before the problem is made
    begun = time.perf_counter()
    problem = encode(puzzle, weights=weights)
    seconds = time.perf_counter() - begun
    return problem, remaining(limits, seconds), seconds


def remaining(limits: Limiting, seconds: float) -> Limiting:
    """Returns the limits of a search of which some seconds have gone.

    >>> remaining({"timeout": 3, "max_nodes": 5}, 2.0), remaining({}, 2.0)
    ({'timeout': 1.0, 'max_nodes': 5}, {})
    """
    if limits.get("timeout") is None:
        return limits
    return {**limits, "timeout": max(0.0, Limits.of(timeout=limits["timeout"]).timeout - seconds)}


def _live(tables: Tables, givens: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Tells which options are the givens, or share no item with any of them but for one that has a colour."""
    taken = np.zeros(len(tables.items), dtype=np.bool_)
    if tables.fours is not None:
        taken[tables.fours[givens]] = True
        live: npt.NDArray[np.bool_] = taken.take(tables.indices).view(np.uint32) == 0  # four items at a time
    else:
        chosen = np.zeros(len(tables.names), dtype=np.bool_)
        chosen[givens] = True
        taken[tables.indices[chosen[tables.owners]]] = True
        hit = taken[tables.indices]
        if tables.colours is not None:
            hit &= tables.colours == 0
        live = np.bincount(tables.owners[hit], minlength=len(tables.names)) == 0
    live[givens] = True
    return live


def decode(problem: Problem, covers: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Turns covers of an encoded grid into completions.

    Parameters:
        problem: what `encode` returned.
        covers: one cover, shape (n^2,), or a block of them, shape (k, n^2): whole numbers, the options. What `blocks`
            fills wider rows up with, -1, is passed over.

    Returns:
        The completion as a uint8 array of shape (n, n), or the k of them, shape (k, n, n).

    Raises:
        ValueError: the problem has no cells; or a cover does not have n^2 options, has an unknown option, or has no
            option for a cell. The message names the cover and the option or the cell. Other clashes are not checked.

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
        k, blank = divmod(int(grids.argmin()), cells)
        _, r, c = picture.cells[blank]
        raise ValueError(f"cover {k} has no option for the cell in row {r + 1}, column {c + 1}, but two for another")
    if cells < prod(picture.shape):
        found, grids = grids, np.zeros((flat.size // cells, *picture.shape), dtype=np.uint8)
        grids[:, [r for _, r, _ in picture.cells], [c for _, _, c in picture.cells]] = found.reshape(-1, cells)
    return grids.reshape(*block.shape[:-1], *picture.shape)


class _Picture(NamedTuple):
    """The grid that a problem is about: its cells, as items, and what it looks like."""

    cells: tuple[Any, ...]
    digits: int
    shape: Shape


def _places(problem: Problem, picture: _Picture) -> tuple[Numbers, npt.NDArray[np.uint8]]:
    """The cell and the digit of each option: a candidate's first two entries are its cell and the digit of its row."""
    begin = problem.indptr[:-1]
    place, second = problem.indices.take(begin), problem.indices.take(begin + 1, mode="clip")
    return place, ((second - len(picture.cells)) % picture.digits + 1).astype(np.uint8)


def _picture(problem: Problem) -> _Picture:
    """The grid of a problem: the items of its cells come first, and those of the digits of its first row next."""
    items: tuple[Any, ...] = problem.items
    others = bisect_left(
        items, True, hi=problem.n_primary, key=lambda item: not isinstance(item, tuple) or item[0] != "cell"
    )
    cells = items[:others]
    if not cells:
        raise ValueError(f"{problem!r} is not the problem of a grid")
    digits = sum(1 for _ in takewhile(lambda item: item[:2] == items[len(cells)][:2], items[len(cells) :]))
    return _Picture(cells, digits, (cells[-1][1] + 1, max(map(itemgetter(2), cells)) + 1))


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


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a layout: its candidates, by row, then column, then digit, and behind them the options of sums."""

    items: tuple[Item, ...]  # the cells, then (kind, name, digit) of each region, secondary ones last
    n_primary: int
    cells: npt.NDArray[np.intp] | slice  # where the cells are in the shape
    names: npt.NDArray[np.object_]  # of each option; (row, column, digit) of a candidate
    places: npt.NDArray[np.intp]  # the number of each option's cell, 0 for sums
    digits: npt.NDArray[np.int64]  # the digit of each option, 0 for sums
    owners: npt.NDArray[np.intp]  # the option of each entry
    indptr: Numbers
    indices: Numbers  # the number of each entry's item
    colours: Numbers | None  # of each entry, if there are any
    colour_names: tuple[int, ...]
    fours: Numbers | None  # the items of each option, shape (options, 4), if every one has four


@lru_cache(LAYOUTS)
def tables_of(layout: Layout) -> Tables:
    """Makes the tables of a layout."""
    n, cells, extra = layout.size, layout.cells(), added(layout)
    regions, clashes = layout.distinct_regions(), _clashes(layout)
    full = [region for region in regions if len(region.cells) == n]
    partial = [region for region in regions if len(region.cells) < n]
    primary: list[Item] = [*(("cell", *cell) for cell in cells), *_region_items(full, n), *extra.primary]
    items = [*primary, *_region_items(partial, n), *(clash[:3] for clash in clashes), *extra.secondary]
    further = [(one, (clash[:3], None)) for clash in clashes for one in clash.candidates] + extra.candidates
    entries = _entries(layout, (*full, *partial), items, further, extra.options.values())
    order = np.argsort(entries[0], kind="stable")
    owners, indices, colours = (column[order] for column in entries)
    none = np.zeros(len(extra.options), dtype=np.int64)
    digits = range(1, n + 1)
    names = np.empty(n * len(cells) + len(none), dtype=np.object_)
    names[:] = [(r, c, d) for r, c in cells for d in digits] + list(extra.options)
    lengths = np.bincount(owners, minlength=len(names))
    return Tables(
        items=tuple(items),
        n_primary=len(primary),
        cells=slice(None) if layout.is_square else np.flatnonzero(layout.mask()),
        names=names,
        places=np.append(np.repeat(np.arange(len(cells)), n), none),
        digits=np.append(np.tile(np.arange(1, n + 1), len(cells)), none),
        owners=owners.astype(np.intp),
        indptr=np.append(0, np.cumsum(lengths)).astype(np.int32),
        indices=indices,
        colours=colours if colours.any() else None,
        colour_names=tuple(range(colours.max())),
        fours=indices.reshape(-1, 4) if (lengths == 4).all() and not colours.any() else None,
    )


def _clashes(layout: Layout) -> list[Clash]:
    """Returns the clashes of a layout; a ValueError if they have too many candidates."""
    found, candidates = [], 0
    for clash in layout.all_clashes():
        candidates += len(clash.candidates)
        if candidates > MOST_CLASHING:
            raise ValueError(
                f"the clashes, up to the {clash.kind} {clash.name}, have more than {MOST_CLASHING} candidates, "
                "the most that are supported"
            )
        found.append(clash)
    return found


def _entries(
    layout: Layout,
    regions: Iterable[Region],
    items: Iterable[Item],
    further: Iterable[tuple[Candidate, Entry]],
    options: Iterable[Iterable[Entry]],
) -> tuple[Numbers, ...]:
    """Returns the option, the item and the colour of each entry; the entries of an option are in order."""
    n, place = layout.size, {cell: k for k, cell in enumerate(layout.cells())}
    number = {item: k for k, item in enumerate(items)}
    # A cell, its first item in itself or in a region, and whether each of its digits has an item of its own there.
    lines = [(k, k, 0) for k in place.values()]
    lines += [(place[cell], number[kind, name, 1], 1) for kind, name, cells in regions for cell in cells]
    cell, first, step = np.array(lines, dtype=np.int32).T[..., None]
    digit = np.arange(n, dtype=np.int32)
    usual = n * cell + digit, first + step * digit, np.zeros((len(lines), n), dtype=np.int32)
    others = [(n * place[r, c] + d - 1, number[item], _colour(shade)) for (r, c, d), (item, shade) in further]
    for k, entries in enumerate(options, n * len(place)):
        others += [(k, number[item], _colour(shade)) for item, shade in entries]
    more = np.array(others, dtype=np.int32).reshape(-1, 3).T
    return tuple(np.concatenate([one.ravel(), other]) for one, other in zip(usual, more, strict=True))


def _region_items(regions: Iterable[Region], n: int) -> list[Item]:
    return [(kind, name, d) for kind, name, _ in regions for d in range(1, n + 1)]


def _colour(shade: int | None) -> int:
    """The number of a colour, which is a digit or a state from 0 on; 0 for none."""
    return 0 if shade is None else shade + 1
