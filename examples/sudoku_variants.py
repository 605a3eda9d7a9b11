"""Sudoku variants: what every sudoku asks, and more regions that have each digit once.

*Items*: those of sudoku, which `sudoku.encode` gives: every cell is to be filled, and every row, column and box
has each digit. A variant adds an item (region, digit) for each digit of each further region: the two long diagonals, or
the four windows within the grid. In a jigsaw the regions take the place of the boxes.

*Options*: a digit in a cell, as in sudoku, with the items of the further regions that have the cell.

Exact cover for sudoku: The Art of Computer Programming 4B, section 7.2.2.1.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from drawing import INK, PALETTE, element, moved, outline, save, svg, text

import dlx
import sudoku

Grid = npt.NDArray[np.uint8]
Square = tuple[int, int]
Regions = Mapping[str, frozenset[Square]]

DIAGONALS: Regions = {
    "down": frozenset((k, k) for k in range(9)),
    "up": frozenset((k, 8 - k) for k in range(9)),
}

WINDOWS: Regions = {
    f"window {r}{c}": frozenset((r + i, c + j) for i in range(3) for j in range(3)) for r in (1, 5) for c in (1, 5)
}

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


def regions(picture: str) -> Regions:
    """The regions of a picture, in which each is drawn with a letter of its own."""
    cells = {(r, c): letter for r, line in enumerate(picture.split()) for c, letter in enumerate(line)}
    return {name: frozenset(cell for cell in cells if cells[cell] == name) for name in sorted(set(cells.values()))}


def variant(grid: Grid, extra: Regions, boxes: bool = True) -> dlx.Problem:
    """The problem of a grid with further regions, and with the boxes or without them."""
    plain = sudoku.encode(np.zeros((9, 9), dtype=np.uint8))
    options: dict[tuple[int, int, int], list[object]] = {}
    for o, (r, c, digit) in enumerate(plain.names or ()):
        if grid[r, c] in (0, digit):
            further = [(name, digit) for name, cells in extra.items() if (r, c) in cells]
            options[r, c, digit] = [*plain.option(o)[: 4 if boxes else 3], *further]
    return dlx.Problem.from_options(options)


BOXES: Regions = {
    f"box {r}{c}": frozenset((r + i, c + j) for i in range(3) for j in range(3)) for r in (0, 3, 6) for c in (0, 3, 6)
}

JIGSAW_COLOURS = (0, 2, 1, 4, 3, 5, 7, 8, 6)  # so that regions of like colours do not touch


def panel(title: str, grid: Grid, problem: dlx.Problem, tinted: dict[Square, str], thick: Regions) -> str:
    """A grid completed, with the givens in bold, some cells tinted and some regions outlined."""
    size = 32
    frame = {"fill": "none", "stroke": INK, "stroke_linecap": "round"}
    parts = [
        element("rect", x=c * size, y=r * size, width=size, height=size, fill=colour, fill_opacity=0.55)
        for (r, c), colour in tinted.items()
    ]
    lines = "".join(f"M0 {k * size}h{9 * size}M{k * size} 0v{9 * size}" for k in range(10))
    parts.append(element("path", d=lines, stroke=INK, stroke_opacity=0.35, stroke_width=0.8))
    parts += [element("path", d=outline(cells, size), stroke_width=2.4, **frame) for cells in thick.values()]
    for r, c, digit in problem.labels(dlx.first(problem).cover or ()):
        style = {"font_weight": "bold"} if grid[r, c] else {"fill_opacity": 0.62}
        parts.append(text((c + 0.5) * size, (r + 0.5) * size + 6.5, digit, 18, **style))
    return "".join([*parts, text(4.5 * size, -12, title, 15)])


def picture() -> str:
    """The three puzzles, solved."""
    jigsaw = regions(JIGSAW)
    tints = [PALETTE[k] for k in JIGSAW_COLOURS]
    mosaic = {cell: tint for cells, tint in zip(jigsaw.values(), tints, strict=True) for cell in cells}
    diagonals = {cell: PALETTE[1] for cells in DIAGONALS.values() for cell in cells}
    windows = {cell: PALETTE[5] for cells in WINDOWS.values() for cell in cells}
    x, w, j = (sudoku.parse(form) for form in (X_SUDOKU, WINDOKU, JIGSAW_SUDOKU))
    panels = [
        panel("X-sudoku", x, variant(x, DIAGONALS), diagonals, BOXES),
        panel("windoku", w, variant(w, WINDOWS), windows, BOXES),
        panel("jigsaw sudoku", j, variant(j, jigsaw, boxes=False), mosaic, jigsaw),
    ]
    return svg(984, 344, *(moved(24 + 324 * k, 36, each) for k, each in enumerate(panels)))


def main() -> None:
    """Solves an X-sudoku, a windoku and a jigsaw, and says how free their grids are without the further regions."""
    puzzles = [("X-sudoku", X_SUDOKU, DIAGONALS, True), ("windoku", WINDOKU, WINDOWS, True)]
    for name, form, extra, boxes in [*puzzles, ("jigsaw", JIGSAW_SUDOKU, regions(JIGSAW), False)]:
        grid = sudoku.parse(form)
        with_them = dlx.count(variant(grid, extra, boxes)).covers
        without = dlx.count(variant(grid, {}, boxes), max_covers=10_000).covers
        print(f"{name:8}: {np.count_nonzero(grid)} givens, completions: {with_them}, without its regions {without}+")
    save(picture())


if __name__ == "__main__":
    main()
