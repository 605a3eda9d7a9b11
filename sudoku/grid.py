"""Sudoku grids as text and as arrays: the forms in which people write them, any mixture of them in one stream.

Words: a grid has n rows of n *cells*; a *box* has a rows and b columns, and n = a b; a *band* is a row of boxes and a
*stack* is a column of them. A *given* is a cell with a digit, 1 to n; the other cells are blank, 0.

A grid is read in three forms:

    line    81 characters, a digit or a blank each. A comment may follow after white space, `,` or `;`.
    rows    nine lines of nine digits or blanks, with white space between them or with nothing between them.
    boxed   the same with `|` between the boxes, and rules of `-`, `+` and `=` between the bands and around.

A blank is any of `0 . * - _ x X ?`. Anything from `#` on is a comment, a line with nothing else is skipped, and a line
`end` ends the input. In the line form, digits above 9 are the letters from A = 10 on, for grids of up to 32 rows; in
the other forms they are decimal numbers, and then there must be white space between the cells.

Within a band a line such as `---|---|---` is a row of blanks, and between bands it is a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

Box = tuple[int, int]
Grid = npt.NDArray[np.uint8]
Form = Literal["line", "rows", "boxed"]

BLANKS = "0.*-_xX?"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVW"  # 10 to 32; X is a blank
MAX_SIZE = 64
RULE = re.compile(r"[-+=|\s]*(--|[-+=]\s*[+=]|[+=]\s*-|^\s*[=+]\s*$)[-+=|\s]*")


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
    """

    grid: Grid
    form: Form
    file: str
    line: int


def grid_size(box: Box) -> int:
    """The number of rows, columns, boxes and digits of a grid with boxes of so many rows and columns.

    Raises:
        ValueError: the box is not a pair of whole numbers from 1, or their product is not between 2 and 64.

    >>> grid_size((3, 3)), grid_size((2, 3))
    (9, 6)
    """
    whole = len(box) == 2 and all(isinstance(side, (int, np.integer)) and side >= 1 for side in box)
    if not whole or not 2 <= box[0] * box[1] <= MAX_SIZE:
        raise ValueError(f"the box {box!r} is not (rows, columns) of 2 to {MAX_SIZE} cells")
    return int(box[0]) * int(box[1])


def as_grid(values: npt.ArrayLike, box: Box = (3, 3)) -> Grid:
    """Checks the cells of a grid; whether they contradict one another is not asked.

    Parameters:
        values: whole numbers from 0, a blank, to n; shape (n, n).
        box: the rows and columns of a box; n is their product.

    Returns:
        The grid as a read-only uint8 array of its own.

    Raises:
        ValueError: the shape, the type or a value is wrong; the message names it, and where it stands.

    >>> as_grid([[1, 2, 3, 4], [3, 4, 5, 2], [2, 1, 4, 3], [4, 3, 2, 1]], box=(2, 2))
    Traceback (most recent call last):
    ...
    ValueError: the value 5 in row 2, column 3 is not between 0 and 4
    """
    n = grid_size(box)
    array = np.asarray(values)
    if array.shape != (n, n):
        raise ValueError(f"the grid has the shape {array.shape} instead of {(n, n)}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"the grid has the type {array.dtype} instead of whole numbers")
    outside = (array < 0) | (array > n)
    if outside.any():
        r, c = np.argwhere(outside)[0].tolist()
        raise ValueError(f"the value {array[r, c]} in row {r + 1}, column {c + 1} is not between 0 and {n}")
    return _frozen(array.astype(np.uint8))


def _frozen(grid: Grid) -> Grid:
    grid.setflags(write=False)
    return grid
