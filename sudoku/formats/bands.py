"""Empty lines between the bands of a grid.

An empty line ends a grid, unless exactly the rows of one band stand before it. A grid may have an empty line, and one
only, between any two of its bands. So that rows of two grids never make a third one,

    the grid is delivered with the line after its last row, which must be no further row: it might be the fourth row of
    a grid that begins below the last empty line, and nobody knows;
    where another block has more rows than a band, those before it are a grid that ends too early;
    after such a grid nobody knows which bands belong together: none do, up to a whole grid or two empty lines.
"""

from __future__ import annotations

from sudoku.formats.boxed import band
from sudoku.formats.rows import Row
from sudoku.layout import Layout

UNKNOWN = -(1 << 62)  # rows of a block that may have rules among them


class Bands:
    """The bands of a grid before the one that is being read."""

    def __init__(self, layout: Layout) -> None:
        self.height = band(layout)
        self.most = layout.size // self.height
        self.lost = False  # whether nobody knows which bands belong together
        self.end()

    def end(self) -> None:
        """Waits for the first band of a grid."""
        self.rows: list[Row] = []  # their rows
        self.number = 0  # how many there are, right or wrong
        self.spoilt = False  # whether a row of the grid was bad
        self._passed = 0  # rows of this band that have been passed over, with all before them

    def spoil(self, rows: int) -> None:
        """Notes that the last one of so many rows of a block was bad; `count` is told of the further ones."""
        self.spoilt, self._passed = True, rows

    def count(self, certain: bool) -> None:
        """Notes a row that is passed over, or a line that may be one."""
        self._passed += 1 if certain else UNKNOWN

    @property
    def last(self) -> bool:
        """Tells whether the next band is the last one, and there have been others."""
        return 0 < self.number == self.most - 1

    @property
    def rests(self) -> bool:
        """Tells whether no grid has begun, and nothing is known of the one before."""
        return not (self.lost or self.number or self.spoilt or self._passed)

    def gap(self, rows: list[Row]) -> bool:
        """Tells whether the empty line after these rows may stand between two bands, or ends a spoilt grid."""
        height = self._passed or len(rows)
        if not height and not self.number:
            self.lost = False  # two empty lines
        if self.lost or height != self.height or self.most == 1 or (self.last and not self.spoilt):
            self.lost |= self.spoilt and height != self.height
            return False
        self.rows += rows
        self.number += 1
        self._passed = 0
        if self.number == self.most:
            self.end()
        return True

    def whole(self, rows: list[Row]) -> bool:
        """Tells whether these rows are the last band of a good grid."""
        return self.last and not self.spoilt and len(rows) == self.height
