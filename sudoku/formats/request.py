"""A request to a reader: layout, signs, form and the name of the input in errors; and the lines of a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import TextIOBase
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.grid import Form, Grid, GridError, Puzzle, frozen, narrowed
from sudoku.layout import Layout

LONGEST_LINE = 1 << 16  # a longer line comes in pieces


class Asked(NamedTuple):
    """A request to a reader."""

    layout: Layout  # what grids are read by, unless their form has a layout of its own
    file: str  # what errors call the input
    chosen: bool = False  # whether somebody has asked for this layout, so that no other one will do
    format: str | None = None  # the name of the form that all grids must have, or None
    alphabet: str | None = None  # the signs of the digits, or None for the usual ones

    def puzzle(
        self,
        cells: npt.ArrayLike,
        form: Form,
        line: int,
        allowed: npt.NDArray[np.bool_] | None = None,
        layout: Layout | None = None,
    ) -> Puzzle:
        """Returns a grid of cells that are digits or 0, as many as the layout has, and what is allowed in each."""
        own = self.layout if layout is None else layout
        grid: Grid = frozen(np.array(cells, dtype=np.uint8).reshape(own.shape))
        candidates = None if allowed is None else narrowed(grid, allowed.reshape(*own.shape, own.size))
        return Puzzle(grid, form, self.file, line, own, candidates)

    def made(self, line: int, make: Callable[[], Puzzle]) -> Puzzle | GridError:
        """Returns the puzzle that a function makes, or the error in its place."""
        try:
            return make()
        except ValueError as error:
            return self.error(line, str(error))

    def error(self, line: int, reason: str) -> GridError:
        """Returns the error in the place of a malformed grid."""
        return GridError(self.file, line, reason)


def lines_of(stream: TextIOBase) -> Iterator[str]:
    """Yields the lines as they come; a very long one in pieces, of which only the last one has a line end."""
    return iter(lambda: stream.readline(LONGEST_LINE), "")
