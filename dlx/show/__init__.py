"""Pictures of problems and covers as SVG text: tilings, solids and matrices; diagrams for Graphviz.

A `Picture` is text that can be written to a file, put into a page, or shown in a notebook; `panels` puts several into
one. docs/drawing.md shows them.
"""

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
    svg,
    text,
)
from dlx.show.graphviz import dot
from dlx.show.problems import draw, matrix
from dlx.show.reasoning import CELL, step_marks
from dlx.show.solids import solid
from dlx.show.tilings import borders, outline, region, square, tiling

__all__ = [
    "CELL", "FAINT", "INK", "PALETTE", "PAPER", "SOFT", "TINT", "Picture", "borders", "dot", "draw", "element",
    "matrix", "moved", "outline", "panels", "region", "solid", "square", "step_marks", "svg", "text", "tiling",
]  # fmt: skip
