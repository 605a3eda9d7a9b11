"""Converts the values that functions accept as grids to arrays, and grids to text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sudoku.formats import parse, parse_puzzle, writing
from sudoku.formats.writing import WRITERS
from sudoku.grid import REAL, Grid, GridError, Puzzle, checked, misfits, narrowed
from sudoku.layout import Box, Layout, as_layout

GridLike = str | Puzzle | npt.ArrayLike


def as_grid(grid: GridLike, layout: Box | Layout | None = None) -> Grid:
    """Converts a grid in any supported form to an array; does not check whether givens contradict one another.

    Parameters:
        grid: a text in any form that `parse` reads; a `Puzzle`; or whole numbers from 0 (a blank) to n, as an array or
            nested lists of shape (n, n), (n^2,) or the shape of the layout. The array may have any real type, as from
            `numpy.loadtxt`; masked values are blanks. Cells may also be signs or None, and rows may be texts.
        layout: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.

    Returns:
        A read-only uint8 array of shape (n, n); 0 is a blank.

    Raises:
        GridError: the text is no grid; or the value is a GridError that `read` has yielded.
        ValueError: the value is no grid, or its shape, its type or a cell is wrong; the message names the fault and its
            place.

    >>> as_grid("12..34..........", layout=(2, 2))[0]
    array([1, 2, 0, 0], dtype=uint8)
    >>> as_grid(["12..", "34..", "....", "...."], (2, 2))[1].tolist(), as_grid(15 * ["."] + [4], (2, 2))[3, 3]
    ([3, 4, 0, 0], np.uint8(4))
    >>> as_grid([[1, 2, 3, 4], [3, 4, 5, 2], [2, 1, 4, 3], [4, 3, 2, 1]], layout=(2, 2))
    Traceback (most recent call last):
    ...
    ValueError: the value 5 in row 2, column 3 is not between 0 and 4
    """
    return parse(grid, layout) if isinstance(grid, str) else as_puzzle(grid, layout).grid


def as_puzzle(
    grid: GridLike | GridError, layout: Box | Layout | None = None, candidates: npt.NDArray[np.bool_] | None = None
) -> Puzzle:
    """Converts a grid in any supported form to a puzzle, with its layout and the candidates of its blanks.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; without it, that of the grid, and otherwise 3 x 3.
        candidates: bool, shape (n, n, n): whether each digit may be in each row and column; index 0 is digit 1.
            Default: the candidates of the grid, otherwise all.

    Returns:
        The puzzle; `grid` itself if it is a puzzle that no other argument changes. Every function that accepts a grid
        also accepts a puzzle.

    Raises:
        GridError: the text is no grid.
        ValueError: as for `as_grid`, or the candidates have another shape or type.

    >>> marks = np.ones((4, 4, 4), dtype=bool)
    >>> marks[0, 0, :2] = False
    >>> puzzle = as_puzzle("." * 16, (2, 2), marks)
    >>> puzzle.layout, puzzle.candidates[0, 0].tolist()
    (Layout(4 x 4: row 4, column 4, box 4 of 2 x 2), [False, False, True, True])
    """
    if isinstance(grid, GridError):
        raise grid
    if isinstance(grid, str):
        puzzle = parse_puzzle(grid, layout)
    elif isinstance(grid, Puzzle):
        puzzle = grid
        if layout is not None and (other := as_layout(layout)) != grid.layout:
            puzzle = replace(grid, grid=checked(grid.grid, other), layout=other)
    else:
        layout = as_layout(layout)
        puzzle = Puzzle(checked(_numbers(grid, layout), layout), "array", "<array>", 1, layout)
    if candidates is None:
        return puzzle
    return replace(puzzle, candidates=narrowed(puzzle.grid, np.asarray(candidates), puzzle.layout.size))


def _numbers(grid: npt.ArrayLike, layout: Layout) -> npt.ArrayLike:
    """Returns the values with numbers in place of signs, texts and None; raises ValueError if a value is no cell."""
    try:
        kind = grid.dtype.kind if isinstance(grid, np.ndarray) else np.asarray(grid).dtype.kind
    except ValueError:  # lists of different lengths, which `checked` reports
        return grid
    if kind not in "OU" or not np.ndim(grid):
        return grid
    from sudoku.formats.files.values import cells  # with the reader of JSON, 5 ms

    return cells(np.array(grid, dtype=object).tolist(), layout)


def as_grids(grids: Iterable[GridLike | GridError] | npt.ArrayLike, layout: Layout) -> npt.NDArray[np.uint8]:
    """Returns grids of one layout as a uint8 array of shape (m, n, n); a ValueError names a wrong grid, as grids[0]."""
    shape = layout.shape
    if isinstance(grids, (str, Puzzle)) or not isinstance(grids, Iterable) or getattr(grids, "shape", None) == ():
        raise ValueError(f"{grids!r:.40} is one grid, or none, instead of a sequence of grids")
    flat = (shape[0] * shape[1],)
    if isinstance(grids, np.ndarray) and grids.shape[1:] in (shape, flat) and grids.dtype.kind in REAL:
        array: npt.NDArray[Any] = np.asarray(np.ma.filled(grids, 0)).reshape(-1, *shape)
        wrong = misfits(array, layout.size)
        if not layout.is_square:
            wrong |= (array != 0) & ~layout.mask()
        if not wrong.any():
            return array.astype(np.uint8)
    found = [_numbered(k, grid, layout) for k, grid in enumerate(grids)]
    return np.array(found, dtype=np.uint8).reshape(-1, *shape)


def _numbered(k: int, grid: GridLike | GridError, layout: Layout) -> Grid:
    """Returns one of many grids; errors name its index."""
    try:
        puzzle = as_puzzle(grid, layout)
        if puzzle.candidates is not None:
            raise ValueError("its blanks have candidates, which arrays of grids cannot say")
        return puzzle.grid
    except ValueError as error:
        raise ValueError(f"grids[{k}]: {error}") from None


def to_line(grid: GridLike, layout: Box | Layout | None = None) -> str:
    """Writes a grid in the line form: one character for each cell, with `.` for blanks and A for 10.

    Parameters:
        grid: a grid in any form that `as_grid` takes, of at most 32 rows.
        layout: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.

    Raises:
        ValueError: the grid is malformed, or has more than 32 rows.

    >>> to_line([[1, 0, 3, 0], [3, 0, 1, 0], [0, 0, 4, 3], [4, 3, 0, 0]], layout=(2, 2))
    '1.3.3.1...4343..'
    """
    return writing.line(as_grid(grid, layout))


def to_boxed(grid: GridLike, layout: Box | Layout | None = None) -> str:
    """Writes a grid with bars and rules between its boxes, and `.` for blanks; a jigsaw has neither bars nor rules.

    Parameters and errors: as for `to_line`, of any number of rows.

    >>> print(to_boxed("1.3.3.1...4343..", layout=(2, 2)))
    1 . | 3 .
    3 . | 1 .
    ----+----
    . . | 4 3
    4 3 | . .
    """
    return WRITERS["boxed"].grid(as_puzzle(grid, layout))


def write(
    grids: Iterable[GridLike | GridError], format: str = "line", layout: Box | Layout | None = None
) -> Iterator[str]:
    """Writes grids in one form, each as soon as it arrives.

    Parameters:
        grids: grids in any form that `as_grid` takes, such as what `read` yields.
        format: the form: one of `WRITERS`.
        layout: the rows and columns of a box, or a `Layout`; default: the layout of each grid, otherwise 3 x 3. Use
            `as_grid` to drop the rules of a `Puzzle`.

    Yields:
        Texts that end in a line end: the head of the file, then each grid.

    Raises:
        GridError: a text is no grid.
        ValueError: there is no such form, a grid is malformed, or the form cannot represent all of it: its
            candidates, its rules, its own regions, or its number of rows.

    >>> print("".join(write(["1.3.3.1...4343.."], "csv", layout=(2, 2))), end="")
    puzzle
    1.3.3.1...4343..
    """
    if format not in WRITERS:
        raise ValueError(f"there is no format {format!r:.40} to write; there are {', '.join(WRITERS)}")
    writer = WRITERS[format]

    def written(grid: GridLike | GridError) -> str:
        puzzle = as_puzzle(grid, layout)
        writer.check_rules(puzzle.layout)
        return writer.write(puzzle)

    return writer.texts(map(written, grids))
