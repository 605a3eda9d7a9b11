"""A grid as a value: its cells, checked, and the grid that was read from a text with the place it came from.

A *given* is a cell with a digit, 1 to n; the other cells are blank, 0. Whether givens contradict one another is not
asked: such a grid is a grid, and has no completion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from sudoku.layout import Layout
from sudoku.svg import draw

Grid = npt.NDArray[np.uint8]
Form = Literal["line", "rows", "boxed"]


class GridError(ValueError):
    """A text is not a sudoku grid.

    Attributes:
        file: the name of the input.
        line: the number of the line, from 1.
        reason: what is wrong, with the offending value.
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        super().__init__(file, line, reason)
        self.file = file
        self.line = line
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True, eq=False)
class Puzzle:
    """A grid as it was read.

    Attributes:
        grid: uint8, shape (n, n), read-only; 0 is a blank.
        form: how it was written.
        file: the name of the input.
        line: the number of its first line, from 1.
        layout: its regions.
    """

    grid: Grid
    form: Form
    file: str
    line: int
    layout: Layout

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return draw(self.grid, self.layout, self.grid)


def checked(values: npt.ArrayLike, n: int) -> Grid:
    """Checks the cells of a grid.

    Parameters:
        values: whole numbers from 0, a blank, to n; shape (n, n), or (n^2,), row by row.
        n: the number of rows.

    Returns:
        The grid as a read-only uint8 array of its own, of shape (n, n).

    Raises:
        ValueError: the shape, the type or a value is wrong; the message names it, and where it stands.

    >>> checked([[1, 2, 3, 4], [3, 4, 5, 2], [2, 1, 4, 3], [4, 3, 2, 1]], 4)
    Traceback (most recent call last):
    ...
    ValueError: the value 5 in row 2, column 3 is not between 0 and 4
    """
    array = np.asarray(values)
    if array.shape not in ((n, n), (n * n,)):
        raise ValueError(f"the grid has the shape {array.shape} instead of {(n, n)} or {(n * n,)}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"the grid has the type {array.dtype} instead of whole numbers")
    array = array.reshape(n, n)
    outside = (array < 0) | (array > n)
    if outside.any():
        r, c = np.argwhere(outside)[0].tolist()
        raise ValueError(f"the value {array[r, c]} in row {r + 1}, column {c + 1} is not between 0 and {n}")
    return frozen(array.astype(np.uint8))


def frozen(grid: Grid) -> Grid:
    """The same array, read-only from now on."""
    grid.setflags(write=False)
    return grid
