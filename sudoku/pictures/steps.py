"""Pictures of steps of reasoning, in colours and shapes that everybody can tell apart.

Truths are blue squares within full lines, links orange rings within dashed ones, and what is out is crossed out on red;
a chain is a line, full where one of its ends holds, and dashed where one at most does. The colours are those of M.
Okabe and K. Ito, Color Universal Design (2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import isqrt
from typing import Any

import numpy as np

from dlx.show import INK, element, moved, outline, square, svg, text
from sudoku.constraints import Candidate, Cell
from sudoku.encoding import Tables, tables_of
from sudoku.layout import Layout
from sudoku.pictures.svg import CANDIDATE, CELL, draw, view
from sudoku.pictures.svg import picture as picture_of_grids
from sudoku.setting.naming import is_option
from sudoku.setting.reasoning import Step

TRUTH, LINK, OUT, PLACED = "#0072b2", "#e69f00", "#d55e00", "#009e73"  # blue, orange, vermilion, bluish green
DASHED = {"stroke": LINK, "stroke_dasharray": "4 3"}
CAPTION = 14  # the size of the letters of a sentence
WIDE = 0.56  # how wide a letter is, in the size of its font


def step_picture(step: Step, signs: str | None = None) -> str:
    """Draws a step in its puzzle with all pencil marks; `signs` are those of a blank and of the digits."""
    puzzle, layout = step.before, step.before.layout
    marks = puzzle.candidates
    if marks is None:
        marks = (puzzle.grid[..., None] == 0) | (puzzle.grid[..., None] == np.arange(1, layout.size + 1))
    filled = np.where(puzzle.grid[..., None] == 0, CANDIDATE * marks, 0)
    drawn = draw(puzzle.grid, layout, step.givens, filled, signs, singles=False)
    return drawn.replace("</svg>", "\n".join([*_marked(step, marks), "</svg>"]))


def picture(value: object) -> str | None:
    """Draws what a notebook shows as a picture; None for others."""
    return step_picture(value) if isinstance(value, Step) else picture_of_grids(value)


def steps_picture(found: list[Step], signs: str | None = None) -> str:
    """Draws steps one below the other, each with its sentence."""
    if not found:
        return svg(2 * CELL, CELL, title="no step")
    parts, down = [], 0.0
    _, _, width, height = (2 * side for side in view(found[0].before.layout))
    for number, step in enumerate(found, 1):
        lines = list(_wrapped(f"{number}. {step.said(signs)}", int(width / (CAPTION * WIDE))))
        for line in lines:
            down += 1.4 * CAPTION
            parts.append(text(width / 2, down, line, CAPTION))
        down += CAPTION
        parts.append(moved(0, down, step_picture(step, signs)))
        down += height + CAPTION
    return svg(width, down, *parts, title="steps without guesses")


def _marked(step: Step, marks: Any) -> Iterator[str]:
    """Draws the truths and links, what is out, and what is placed."""
    layout, n = step.before.layout, step.before.layout.size
    side = CELL / (isqrt(n - 1) + 1)
    holders = {item: candidates_of(item, layout) for item in (*step.truths, *step.links)}
    yield from _chained(step, side) if step.path else _outlined(step)
    true, linked = ({one for item in items for one in holders[item]} for items in (step.truths, step.links))
    if step.path:
        true, linked = {name for group in step.path for name in group if not is_option(name)}, set()
    told = true | linked | set(step.out) if step.placed is None else {step.placed}
    for r, c, d in sorted(told):
        if not marks[r, c, d - 1]:
            continue
        at = _place((r, c, d), side)
        if (r, c, d) == step.placed:
            yield element("circle", cx=at[0], cy=at[1], r=0.48 * side, fill=PLACED, fill_opacity=0.45, stroke=PLACED)
        elif (r, c, d) in step.out:
            yield _square(at, side, OUT, fill=OUT)
            ends = [(at[0] + k * side / 2.4, at[1] + j * side / 2.4) for k, j in ((-1, -1), (1, 1), (-1, 1), (1, -1))]
            path = "".join(f"{'ML'[k % 2]}{x:g} {y:g}" for k, (x, y) in enumerate(ends))
            yield element("path", d=path, stroke=INK, stroke_width=1.2)
        elif (r, c, d) in true:
            yield _square(at, side, TRUTH, fill=TRUTH)
        else:
            yield _square(at, side, LINK, fill="none")


def _outlined(step: Step) -> Iterator[str]:
    """Draws lines around the cells of truths and links."""
    links = () if step.placed or step.combination else step.links
    for items, inset, style in ((step.truths, 0.04, {"stroke": TRUTH}), (links, 0.1, DASHED)):
        for cells in dict.fromkeys(cells_of(item, step.before.layout) for item in items):
            yield element("path", d=outline(map(square, cells), CELL, inset), fill="none", stroke_width=1.6, **style)


def _chained(step: Step, side: float) -> Iterator[str]:
    """Draws lines from group to group of a chain."""
    places = [[_place(name, side) for name in group if not is_option(name)] for group in step.path]
    middle = [tuple(sum(xs) / len(xs) for xs in zip(*some, strict=True)) for some in places]
    for k, (a, b) in enumerate(pairwise(middle if step.rank else [*middle, middle[0]])):
        if a and b:
            style = DASHED if k % 2 else {"stroke": TRUTH}
            line = f"M{a[0]:g} {a[1]:g}L{b[0]:g} {b[1]:g}"
            yield element("path", d=line, fill="none", stroke_width=1.6, opacity=0.7, **style)


def _place(candidate: Candidate, side: float) -> tuple[float, float]:
    """The middle of a candidate."""
    r, c, d = candidate
    across = round(CELL / side)
    return c * CELL + ((d - 1) % across + 0.5) * side, r * CELL + ((d - 1) // across + 0.5) * side


def _square(at: tuple[float, float], side: float, colour: str, fill: str) -> str:
    half = 0.44 * side
    x, y, wide = at[0] - half, at[1] - half, 2 * half
    style = {"fill": fill, "fill_opacity": 0.4, "stroke": colour, "stroke_width": 1, "rx": 1.5}
    return element("rect", "", x=x, y=y, width=wide, height=wide, **style)


def candidates_of(item: Any, layout: Layout) -> frozenset[Candidate]:
    """The candidates of a layout that an item has."""
    tables = tables_of(layout)
    return _among(tables, tables.indices == tables.items.index(item))


def cells_of(item: Any, layout: Layout) -> frozenset[Cell]:
    """The cells of an item's candidates; of a sum, whose item has none, of those that share items with its options."""
    tables = tables_of(layout)
    has = tables.indices == tables.items.index(item)
    beside = tables.indices[np.isin(tables.owners, tables.owners[has])]
    return frozenset((r, c) for r, c, _ in _among(tables, has) or _among(tables, np.isin(tables.indices, beside)))


def _among(tables: Tables, entries: Any) -> frozenset[Candidate]:
    """The candidates among the options of some entries."""
    names = tables.names[tables.owners[np.flatnonzero(entries)]].tolist()
    return frozenset(name for name in names if not is_option(name))


def _wrapped(said: str, most: int) -> Iterator[str]:
    """Lines of words, of up to so many letters where words allow."""
    line = ""
    for word in said.split():
        if line and len(line) + 1 + len(word) > most:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line
