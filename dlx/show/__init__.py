"""Pictures of problems and covers as SVG text: tilings, solids, boards, matrices; and diagrams for Graphviz.

Every function here returns a `Picture`, a text that can be written to a file, put into a page, or looked at in a
notebook; `panels` puts several into one. docs/drawing.md shows each of them.
"""

from dlx.show.boards import queens
from dlx.show.elements import (
    FAINT,
    INK,
    PALETTE,
    PAPER,
    SOFT,
    TINT,
    Picture,
    element,
    moved,
    panels,
    readable,
    svg,
    text,
)
from dlx.show.graphviz import dot
from dlx.show.problems import board, draw, matrix
from dlx.show.solids import solid
from dlx.show.tilings import borders, layers, region, tiling

__all__ = [
    "FAINT", "INK", "PALETTE", "PAPER", "SOFT", "TINT", "Picture", "board", "borders", "dot", "draw", "element",
    "layers", "matrix", "moved", "panels", "queens", "readable", "region", "solid", "svg", "text", "tiling",
]  # fmt: skip
