"""Pictures of problems and covers as SVG text: tilings, solids, boards, matrices; and diagrams for Graphviz.

Every function here returns a `Picture`, a text that can be written to a file, put into a page, or looked at in a
notebook; `panels` puts several into one. docs/drawing.md shows each of them.
"""

from typing import TYPE_CHECKING

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
    "dot",
    "draw",
    "element",
    "layers",
    "matrix",
    "moved",
    "panels",
    "queens",
    "readable",
    "region",
    "solid",
    "svg",
    "text",
    "tiling",
]

if TYPE_CHECKING:
    from dlx.show.boards import queens
    from dlx.show.graphviz import dot
    from dlx.show.problems import board, draw, matrix
    from dlx.show.solids import solid
    from dlx.show.tilings import borders, layers, region, tiling
else:
    _LATER = {
        **dict.fromkeys(("board", "draw", "matrix"), "dlx.show.problems"),
        **dict.fromkeys(("borders", "layers", "region", "tiling"), "dlx.show.tilings"),
        "dot": "dlx.show.graphviz",
        "queens": "dlx.show.boards",
        "solid": "dlx.show.solids",
    }

    def __getattr__(name: str) -> object:
        """Each kind of picture, when it is asked for first: commands load only what they draw."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
