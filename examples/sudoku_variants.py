"""Sudoku variants: the items of every sudoku, and more regions with each digit once.

*Items*: those of sudoku: every cell is to be filled, and every row, column and box has each digit. A variant adds an
item (kind, number, digit) for each digit of each further region: the two long diagonals, or the four windows within the
grid. In a jigsaw the regions take the place of the boxes.

*Options*: a digit in a cell, as in sudoku, with the items of the further regions that have the cell.

A `sudoku.Layout` has the regions, and every function of `sudoku` takes it in the place of a box.

Exact cover for sudoku: The Art of Computer Programming 4B, section 7.2.2.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from saving import save

import sudoku
from dlx.show import INK, PALETTE, borders, element, moved, svg, text
from sudoku import Layout, Region

JIGSAW = """
AAAABBCCC
AAABBBCCC
AAEBDBBCF
EEEDDBCCF
EEEDDDFFF
EGGHDDFFF
EGHHDHFII
GGGHHHIII
GGGHHIIII
"""

X_SUDOKU = """
. 5 . 7 . . 1 . .
. . . . 3 4 . . .
. . 2 . . . . . .
. . 1 . . 9 . . .
. 8 . . . . . 2 .
. . . 1 . . 4 . .
. . . . . . 6 . .
. . . 9 4 . . . .
. . 6 . . 2 . 1 .
"""

WINDOKU = """
. . . 5 . . 1 . .
. 2 . . . . . . .
. . 6 . . . 4 . .
8 7 . . . 1 . . .
. . . . . . . . .
. . . 8 . . . 3 9
. . 9 . . . 7 . .
. . . . . . . 2 .
. . 1 . . 5 . . .
"""

JIGSAW_SUDOKU = """
. 2 . . . . 4 . 9
. . . . . 9 . . 3
. . . . . . 2 . .
. . . . . 4 . 7 .
. 3 . . . . . 8 .
. 9 . 1 . . . . .
. . 8 . . . . . .
8 . . 7 . . . . .
3 . 7 . . . . 6 .
"""


class Variant(NamedTuple):
    """A puzzle: its name, its givens, its layout, and the same layout without what makes it a variant."""

    name: str
    form: str
    layout: Layout
    without: Layout


LATIN = Layout(9, Layout.boxes().regions[:18])  # rows and columns only

VARIANTS = (
    Variant("X-sudoku", X_SUDOKU, Layout.named("x"), Layout.boxes()),
    Variant("windoku", WINDOKU, Layout.named("windoku"), Layout.boxes()),
    Variant("jigsaw", JIGSAW_SUDOKU, Layout.jigsaw(JIGSAW), LATIN),
)

JIGSAW_COLOURS = (0, 2, 1, 3, 4, 5, 7, 8, 6)  # so that regions of like colours do not touch
COLOURS = {"diagonal": PALETTE[1], "window": PALETTE[5]}


def of_kind(layout: Layout, *kinds: str) -> list[Region]:
    """The regions of some kinds."""
    return [region for region in layout.regions if region.kind in kinds]


def tints(layout: Layout) -> dict[tuple[int, int], str]:
    """The colours of cells: those of the boxes in a jigsaw, and otherwise of the further regions."""
    if layout.box is None:
        mosaic = zip(of_kind(layout, "box"), JIGSAW_COLOURS, strict=True)
        return {cell: PALETTE[colour] for region, colour in mosaic for cell in region.cells}
    return {cell: COLOURS[region.kind] for region in of_kind(layout, *COLOURS) for cell in region.cells}


def panel(title: str, form: str, layout: Layout) -> str:
    """A grid completed, with the givens in bold, some cells tinted and the boxes outlined."""
    size = 32
    frame = {"fill": "none", "stroke": INK, "stroke_linecap": "round"}
    parts = [
        element("rect", x=c * size, y=r * size, width=size, height=size, fill=colour, fill_opacity=0.55)
        for (r, c), colour in tints(layout).items()
    ]
    lines = "".join(f"M0 {k * size}h{9 * size}M{k * size} 0v{9 * size}" for k in range(10))
    parts.append(element("path", d=lines, stroke=INK, stroke_opacity=0.35, stroke_width=0.8))
    parts.append(element("path", d=borders(layout.areas(), size), stroke_width=2.4, **frame))
    solution = sudoku.solve(form, layout)
    for (r, c), digit in np.ndenumerate(solution.givens if solution.completion is None else solution.completion):
        style = {"font_weight": "bold"} if solution.givens[r, c] else {"fill_opacity": 0.62}
        parts.append(text((c + 0.5) * size, (r + 0.5) * size + 6.5, digit, 18, **style))
    return "".join([*parts, text(4.5 * size, -12, title, 15)])


def picture() -> str:
    """The three puzzles, solved."""
    titles = ("X-sudoku", "windoku", "jigsaw sudoku")
    panels = [panel(title, puzzle.form, puzzle.layout) for title, puzzle in zip(titles, VARIANTS, strict=True)]
    return svg(
        984,
        344,
        *(moved(24 + 324 * k, 36, each) for k, each in enumerate(panels)),
        title="an X-sudoku, a windoku and a jigsaw sudoku, solved",
    )


def main() -> None:
    """Solves an X-sudoku, a windoku and a jigsaw, and says how free their grids are without the further regions."""
    for name, form, layout, without in VARIANTS:
        givens = np.count_nonzero(sudoku.parse(form))
        with_them = sudoku.count(form, layout).covers
        freely = sudoku.count(form, without, max_covers=10_000).covers
        print(f"{name:8}: {givens} givens, completions: {with_them}, without its regions {freely}+")
    save(picture())


if __name__ == "__main__":
    main()
