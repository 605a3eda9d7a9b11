"""Pictures of problems, covers and counts as SVG text: tilings, boards, graphs, matrices, trees, charts.

Every function here returns a `Picture`, a text that can be written to a file, put into a page, or looked at in a
notebook; `panels` puts several into one. docs/drawing.md shows each of them.
"""

from dlx.drawing.boards import heat_map, layers, queens, tiling
from dlx.drawing.charts import distribution
from dlx.drawing.elements import (
    FAINT,
    INK,
    PALETTE,
    PAPER,
    SOFT,
    TINT,
    Picture,
    borders,
    element,
    moved,
    panels,
    readable,
    svg,
    text,
)
from dlx.drawing.graphs import graph, parents, tree
from dlx.drawing.matrices import matrix
from dlx.drawing.problems import board, draw

__all__ = [
    "FAINT",
    "INK",
    "PALETTE",
    "PAPER",
    "SOFT",
    "TINT",
    "Picture",
    "board",
    "borders",
    "distribution",
    "draw",
    "element",
    "graph",
    "heat_map",
    "layers",
    "matrix",
    "moved",
    "panels",
    "parents",
    "queens",
    "readable",
    "svg",
    "text",
    "tiling",
    "tree",
]
