"""The rules of a sudoku as a value: `Layout`, with its regions, clashes, lines and sums."""

from sudoku.layout.clashes import LINES, Candidate, Clash, Line
from sudoku.layout.keyword import takes_layout
from sudoku.layout.regions import MAX_SIZE, Box, Cell, Region, Shape, another_box, checked_shape
from sudoku.layout.sums import SUMS, Sum, size_fault
from sudoku.layout.value import EVERYWHERE, VARIANTS, Layout, as_layout, grid_size

__all__ = [
    "EVERYWHERE",
    "LINES",
    "MAX_SIZE",
    "SUMS",
    "VARIANTS",
    "Box",
    "Candidate",
    "Cell",
    "Clash",
    "Layout",
    "Line",
    "Region",
    "Shape",
    "Sum",
    "another_box",
    "as_layout",
    "checked_shape",
    "grid_size",
    "size_fault",
    "takes_layout",
]
