"""What a reader is asked for: the layout, the signs, the form, and what errors call the input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sudoku.grid import Form, Grid, GridError, Puzzle, frozen
from sudoku.layout import Layout


class Asked(NamedTuple):
    """What a reader is asked for.

    Attributes:
        layout: what grids are read by, unless their form has a layout of its own.
        file: what errors call the input.
        chosen: whether somebody has asked for this layout, so that no other one will do.
        format: the name of the form that all grids must have, or None.
        alphabet: the signs of the digits, or None for the usual ones.
    """

    layout: Layout
    file: str
    chosen: bool = False
    format: str | None = None
    alphabet: str | None = None

    def puzzle(
        self,
        cells: npt.ArrayLike,
        form: Form,
        line: int,
        candidates: npt.NDArray[np.bool_] | None = None,
        layout: Layout | None = None,
    ) -> Puzzle:
        """A grid that has been read; as many cells as the layout's shape has, each known to be a digit or 0."""
        own = self.layout if layout is None else layout
        grid: Grid = frozen(np.array(cells, dtype=np.uint8).reshape(own.shape))
        return Puzzle(grid, form, self.file, line, own, candidates)

    def error(self, line: int, reason: str) -> GridError:
        """What stands for a grid that is malformed."""
        return GridError(self.file, line, reason)
