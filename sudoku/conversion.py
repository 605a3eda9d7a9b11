"""What the functions of the package take for a grid, and the grid they make of it; and grids written out again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sudoku.formats import boxed, gaps, line, parse, rows
from sudoku.grid import REAL, Grid, GridError, Puzzle, checked, misfits
from sudoku.layout import Box, Layout, as_layout
from sudoku.svg import draw

GridLike = str | Puzzle | npt.ArrayLike


def as_grid(grid: GridLike, box: Box | Layout | None = None) -> Grid:
    """Makes a grid of whatever people have; whether its givens contradict one another is not asked.

    Parameters:
        grid: a text in any form that `parse` reads; a `Puzzle`; or whole numbers from 0, a blank, to n, as an array or
            nested lists of shape (n, n) or (n^2,), or that of the layout. The array may have any real type, as
            `numpy.loadtxt` makes it, and what is masked is a blank.
        box: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.

    Returns:
        A read-only uint8 array of shape (n, n); 0 is a blank.

    Raises:
        GridError: the text is no grid; or `read` has yielded this error in the place of a grid.
        ValueError: this is nothing that can be a grid, or the shape, the type or a value is wrong; the message names
            it, and where it stands.

    >>> as_grid("12..34..........", box=(2, 2))[0]
    array([1, 2, 0, 0], dtype=uint8)
    >>> as_grid([[1, 2, 3, 4], [3, 4, 5, 2], [2, 1, 4, 3], [4, 3, 2, 1]], box=(2, 2))
    Traceback (most recent call last):
    ...
    ValueError: the value 5 in row 2, column 3 is not between 0 and 4
    """
    return with_layout(grid, box)[0]


def with_layout(grid: GridLike, box: Box | Layout | None) -> tuple[Grid, Layout]:
    """What `as_grid` returns, and the layout that it has been read by; parameters and errors are the same.

    >>> with_layout(4 * [[0, 0, 0, 0]], (2, 2))[1]
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2)
    """
    if isinstance(grid, GridError):
        raise grid
    if isinstance(grid, Puzzle):
        layout = grid.layout if box is None else as_layout(box)
        return (grid.grid if _fits(grid.layout, layout) else checked(grid.grid, layout)), layout
    layout = as_layout(box)
    return (parse(grid, layout) if isinstance(grid, str) else checked(grid, layout)), layout


def _fits(old: Layout, new: Layout) -> bool:
    """Whether what is a grid of the one is certainly a grid of the other."""
    return old is new or (old.is_square and new.is_square and old.size == new.size)


def as_grids(grids: Iterable[GridLike | GridError] | npt.ArrayLike, layout: Layout) -> npt.NDArray[np.uint8]:
    """Makes one array of many grids of one layout.

    Parameters:
        grids: an array of shape (m, n^2) or (m, n, n), or of the layout's, or any sequence of what `as_grid` takes.
        layout: their layout.

    Returns:
        A uint8 array of shape (m, n, n).

    Raises:
        ValueError: there is one grid only, or one of them is wrong; the message says which, the first being grids[0].

    >>> as_grids(["12..34..........", 4 * [[1, 2, 3, 4]]], as_layout((2, 2))).shape
    (2, 4, 4)
    """
    n, shape = layout.size, layout.shape
    if isinstance(grids, (str, Puzzle)) or not isinstance(grids, Iterable):
        raise ValueError(f"{grids!r:.40} is one grid, or none, instead of a sequence of grids")
    if not isinstance(grids, np.ndarray):
        found = [_numbered(k, grid, layout) for k, grid in enumerate(grids)]
        return np.array(found, dtype=np.uint8).reshape(-1, *shape)
    rows, columns = shape
    if grids.shape[1:] not in (shape, (rows * columns,)):
        raise ValueError(
            f"the grids have the shape {grids.shape} instead of (m, {rows}, {columns}) or (m, {rows * columns})"
        )
    if grids.dtype.kind not in REAL:
        raise ValueError(f"the grids have the type {grids.dtype} instead of whole numbers")
    array: npt.NDArray[Any] = np.asarray(np.ma.filled(grids, 0)).reshape(-1, rows, columns)
    wrong = misfits(array, n)
    if not layout.is_square:
        wrong |= (array != 0) & ~layout.mask()
    for k in np.flatnonzero(wrong.any(axis=(1, 2))).tolist():
        _numbered(k, array[k], layout)  # which says what is wrong
    return array.astype(np.uint8)


def _numbered(k: int, grid: GridLike | GridError, layout: Layout) -> Grid:
    """A grid of many, whose errors say which one it is."""
    try:
        if isinstance(grid, GridError):
            raise grid
        return as_grid(grid, layout)
    except ValueError as error:
        raise ValueError(f"grids[{k}]: {error}") from None


def to_line(grid: GridLike, box: Box | Layout | None = None) -> str:
    """Writes a grid in the line form: one character for each cell, with `.` for blanks and A for 10.

    Parameters:
        grid: a grid in any form that `as_grid` takes, of at most 32 rows.
        box: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.

    Raises:
        ValueError: the grid is malformed, or has more than 32 rows.

    >>> to_line([[1, 0, 3, 0], [3, 0, 1, 0], [0, 0, 4, 3], [4, 3, 0, 0]], box=(2, 2))
    '1.3.3.1...4343..'
    """
    return line.write(as_grid(grid, box))


def to_rows(grid: GridLike, box: Box | Layout | None = None) -> str:
    """Writes a grid as rows of numbers with spaces between them, and 0 for blanks.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        box: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.

    Raises:
        ValueError: the grid is malformed.

    >>> print(to_rows("1.3.3.1...4343..", box=(2, 2)))
    1 0 3 0
    3 0 1 0
    0 0 4 3
    4 3 0 0
    """
    cells, layout = with_layout(grid, box)
    return rows.write(cells) if layout.is_square else gaps.write(cells, layout, "0")


def to_boxed(grid: GridLike, box: Box | Layout | None = None) -> str:
    """Writes a grid with bars and rules between its boxes, and `.` for blanks.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        box: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3. A jigsaw
            has neither bars nor rules.

    Raises:
        ValueError: the grid is malformed.

    >>> print(to_boxed("1.3.3.1...4343..", box=(2, 2)))
    1 . | 3 .
    3 . | 1 .
    ----+----
    . . | 4 3
    4 3 | . .
    """
    cells, layout = with_layout(grid, box)
    return boxed.write(cells, layout) if layout.is_square else gaps.write(cells, layout, ".")


def to_svg(
    grid: GridLike,
    box: Box | Layout | None = None,
    givens: GridLike | None = None,
    shares: npt.ArrayLike | None = None,
) -> str:
    """Draws a grid with its boxes, and the further regions of its layout tinted.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        box: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.
        givens: a grid of the same layout whose digits were there from the beginning: these are bold, the others blue;
            without it, all are bold.
        shares: what `shares` says of the grid: then the possible digits of each blank are drawn in it, the likelier
            the bluer.

    Returns:
        The picture as text; in a notebook, `IPython.display.SVG(to_svg(grid))` shows it.

    Raises:
        ValueError: a grid is malformed, or the shares have another shape or are not between 0 and 1; the message says
            how.

    >>> picture = to_svg([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]], box=(2, 2))
    >>> picture.startswith("<svg"), picture.count("<text")
    (True, 14)
    >>> from sudoku import shares
    >>> puzzle = "1.....2........."
    >>> to_svg(puzzle, (2, 2), shares=shares(puzzle, (2, 2))).count("fill-opacity")
    32
    """
    drawn, layout = with_layout(grid, box)
    known = drawn if givens is None else as_grid(givens, layout)
    return draw(drawn, layout, known, None if shares is None else _as_shares(shares, layout))


def _as_shares(shares: npt.ArrayLike, layout: Layout) -> npt.NDArray[np.float64]:
    """Checks the chance of each digit in each cell."""
    table = np.asarray(shares)
    shape = (*layout.shape, layout.size)
    if table.shape != shape:
        raise ValueError(f"the shares have the shape {table.shape} instead of {shape}")
    if table.dtype.kind not in REAL:
        raise ValueError(f"the shares have the type {table.dtype} instead of numbers")
    if not (table.min() >= 0 and table.max() <= 1):
        r, c, k = np.argwhere(~((table >= 0) & (table <= 1)))[0].tolist()
        raise ValueError(f"the share {table[r, c, k]} of {k + 1} in row {r + 1}, column {c + 1} is not between 0 and 1")
    return table.astype(np.float64)
