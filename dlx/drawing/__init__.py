"""Pictures of problems, covers and counts as SVG text: tilings, boards, graphs, matrices, trees, charts.

Every function here returns a `Picture`, a text that can be written to a file, put into a page, or looked at in a
notebook; `panels` puts several into one. docs/drawing.md shows each of them.
"""

from typing import TYPE_CHECKING

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
    "region",
    "svg",
    "text",
    "tiling",
    "tree",
]

if TYPE_CHECKING:
    from dlx.drawing.boards import heat_map, layers, queens, region, tiling
    from dlx.drawing.charts import distribution
    from dlx.drawing.graphs import graph, parents, tree
    from dlx.drawing.matrices import matrix
    from dlx.drawing.problems import board, draw
else:
    _LATER = {
        **dict.fromkeys(("heat_map", "layers", "queens", "region", "tiling"), "dlx.drawing.boards"),
        **dict.fromkeys(("graph", "parents", "tree"), "dlx.drawing.graphs"),
        **dict.fromkeys(("board", "draw"), "dlx.drawing.problems"),
        "distribution": "dlx.drawing.charts",
        "matrix": "dlx.drawing.matrices",
    }

    def __getattr__(name: str) -> object:
        """Each kind of picture, when it is asked for first: commands load only what they draw."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
