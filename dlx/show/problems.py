"""Pictures of problems and covers: a tiling or a solid if the names of items are cells, otherwise a matrix."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from dlx.problem.checks import is_whole
from dlx.problem.cover import Cover
from dlx.problem.placement import Placement
from dlx.problem.problem import Coloured, Label, Problem, as_problem, fault
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT
from dlx.problem.words import counted
from dlx.show.elements import (
    FAINT,
    INK,
    PAPER,
    Picture,
    check_room,
    element,
    extent,
    moved,
    palette,
    short,
    spoken,
    svg,
    text,
)
from dlx.show.solids import solid
from dlx.show.tilings import CORNERS, MOST_CELLS, SIZE, Corner, edge_of, square, tiling

# The forms of cells as text; all cells of a problem have the same form.
FORMS = (
    re.compile(r"[rR](\d{1,4})[cC](\d{1,4})"),  # r2c3
    re.compile(r"\( ?(-?\d{1,4}), ?(-?\d{1,4})(?:, ?(-?\d{1,4}))? ?\)"),  # (2, 3) or (1, 2, 3)
    re.compile(r"(-?\d{1,4}),(-?\d{1,4})(?:,(-?\d{1,4}))?"),  # 2,3 or 1,2,3
    re.compile(r"(\d)(\d)(\d)?"),  # 23 or 123, as in Knuth's files
)
NUMBER = re.compile(r"\d+")
MOST_ROWS, MOST_COLUMNS, MOST_ENTRIES = 400, 200, 10_000  # maximum sizes of a matrix
SIDE = 22  # pixels of a cell of a matrix
GAP = 14  # pixels between primary and secondary items
MARGIN = 12  # pixels around the matrix
FONT_SIZE = 13  # pixels
FEW = 16  # maximum options of a problem in a notebook


def draw(problem: Problem, cover: Iterable[int] | Cover = (), *, title: str = "") -> Picture:
    """Draws a cover as a tiling or a solid if the items are cells, and otherwise as a matrix.

    A cell is an item that is a tuple of two or three whole numbers, (row, column) or (layer, row, column), or a text
    such as `r2c3`, `(2, 3)`, `2,3` or `23`. All cells have the same form and length; if other items are numbers of
    other lengths, no item is a cell. A cover is drawn as a tiling if each of its options has a cell and no two options
    share a cell. The first item of an option that is not a cell is the name of its piece. Cells are squares; the cells
    of a problem of `dlx.tiles`, even if read from a file, have the shape of its lattice.

    Parameters:
        problem: the problem.
        cover: numbers of options, or a cover of `best`; -1 is skipped. Default: the problem is drawn as a matrix.
        title: the title of the picture. Default: a description of its contents.

    Returns:
        The picture. A matrix of more than 400 options has only the rows of the cover.

    Raises:
        ValueError: the problem or the picture is too large; the message has the number and the limit.
        IndexError: there is no option of a number.
        TypeError: this is no problem, or a number is not whole.

    >>> from dlx import Problem
    >>> options = ["A 00 01", "B 10 11", "A 00 10", "B 01 11"]
    >>> problem = Problem.from_options([option.split() for option in options])
    >>> draw(problem, [0, 1]).caption, draw(problem).caption
    ('a tiling of 4 cells by 2 pieces', '4 options and 6 items')
    """
    problem = as_problem(problem)
    options = getattr(cover, "options", cover)
    if not isinstance(options, Iterable):
        raise TypeError(f"{cover!r:.40} is no cover")
    chosen = [o for o in options if o != -1]
    check_room("the problem", items=(problem.n_items, MOST_CELLS))
    found = _board(problem, chosen)
    if found is None:
        few = problem.n_options <= MOST_ROWS
        return matrix(problem, chosen, options=None if few or not chosen else sorted(chosen), title=title)
    pieces, names = found
    if len(next(iter(pieces))) == 3:
        return solid({(z, r, c): piece for (z, r, c), piece in pieces.items()}, layers=True, title=title)
    corners = corners_of(problem)
    flat = {(r, c): piece for (r, c), piece in pieces.items()}
    return tiling(flat, size=edge_of(corners((0, 0)), SIZE), corners=corners, names=names, title=title)


def corners_of(problem: Problem) -> Corner:
    """Returns the function for the corners of a cell: from the lattice of the placements, otherwise squares."""
    name = problem.names[0] if problem.names else None
    return CORNERS.get(name.lattice, square) if isinstance(name, Placement) else square


def picture(value: object) -> Picture | None:
    """Draws a problem for a notebook, with its first 16 options; returns None if the picture would be too large."""
    try:
        if isinstance(value, Problem) and value.n_options > FEW:
            return matrix(value, options=range(FEW))
        return draw(value)  # type: ignore[arg-type]  # all values with a picture are of these types
    except ValueError:
        return None


def _board(problem: Problem, cover: Sequence[int]) -> tuple[dict[tuple[int, ...], int | None], dict[int, str]] | None:
    """Returns the option in each cell, and the names of pieces; None if the cover is no tiling (see `draw`)."""
    cells = cells_of(problem)
    if not cover or cells is None:
        return None
    pieces: dict[tuple[int, ...], int | None] = {}
    names: dict[int, str] = {}
    for o in cover:
        problem.option(o)  # raises the error for a wrong number
        places, name = piece_of(problem, cells, o)
        if not places or not pieces.keys().isdisjoint(places):
            return None
        pieces |= dict.fromkeys(places, o)
        names |= {o: name} if name else {}
    return pieces | {cell: None for cell in cells.values() if cell not in pieces}, names


def piece_of(
    problem: Problem, cells: Mapping[Hashable, tuple[int, ...]], option: int
) -> tuple[list[tuple[int, ...]], str]:
    """Returns the cells of an option and the name of its piece, which is its first item that is no cell, or ""."""
    items = [problem.items[i] for i in problem.indices[slice(*problem.indptr[option : option + 2])].tolist()]
    name = next((spoken(item) for item in items if item not in cells), "")
    return [cells[item] for item in items if item in cells], name


def cells_of(problem: Problem) -> dict[Hashable, tuple[int, ...]] | None:
    """Returns the coordinates of each item that is a cell (see `draw`); None if there is none."""
    cells: dict[Hashable, tuple[int, ...]] = {}
    forms = set()  # forms with their lengths
    for item in problem.items:
        if isinstance(item, tuple) and len(item) in (2, 3) and all(map(is_whole, item)):
            cells[item] = tuple(map(int, item))
            forms.add((-1, len(item)))
        matches = (pattern.fullmatch(item) for pattern in FORMS) if isinstance(item, str) else ()
        for form, match in enumerate(matches):
            if match:
                cells[item] = tuple(int(k) for k in match.groups() if k is not None)
                forms.add((form, len(cells[item])))
                break
    if len(forms) != 1:
        return None
    others = (item for item in problem.items if isinstance(item, str) and item not in cells)
    if forms.pop()[0] == len(FORMS) - 1 and any(map(NUMBER.fullmatch, others)):
        return None  # the numbers may also be cells
    return cells


def option_text(label: Label) -> str:
    """Returns the name of an option, or its items with their colours."""
    if type(label) is not tuple:  # a name, perhaps a named tuple
        return spoken(label)
    return " ".join(
        f"{spoken(part.item)}:{spoken(part.colour)}" if isinstance(part, Coloured) else spoken(part) for part in label
    )


# Matrices


def matrix(
    problem: Problem, cover: Iterable[int] = (), *, options: Iterable[int] | None = None, title: str = ""
) -> Picture:
    """Draws a problem as a matrix: a row for each option, a column for each item, a disc for each entry.

    The rows of the cover are coloured and have full discs; other rows have rings. The name of a colour replaces a disc.
    Secondary items are separate, in italics. The multiplicity of an item is below it.

    Parameters:
        problem: the problem.
        cover: the numbers of the options to colour; -1 is skipped. If they are no cover, the title says so.
        options: the numbers of the options to show. Default: all options. Options without names show their numbers,
            from 0.
        title: the title of the picture. Default: the numbers of options and items, and the cover.

    Raises:
        ValueError: there are more than 400 rows, 200 columns or 10,000 entries.
        IndexError: there is no option of a number.
        TypeError: a number is not whole.

    >>> from dlx import Problem
    >>> picture = matrix(Problem.from_options({"left": "ab", "right": "c", "all": "abc"}), [0, 1])
    >>> picture.caption, picture.count("<circle")
    ('3 options and 3 items, with a cover of 2 options', 6)
    """
    chosen = [o for o in cover if o != -1]
    shown = range(problem.n_options) if options is None else list(options)
    check_room("the matrix", rows=(len(shown), MOST_ROWS), columns=(problem.n_items, MOST_COLUMNS))
    entries = sum(len(problem.option(o)) for o in [*shown, *chosen])  # raises the error for a wrong number
    check_room("the matrix", entries=(entries, MOST_ENTRIES))
    names, heads = [_name(problem, o) for o in shown], [_head(problem, i) for i in range(problem.n_items)]
    gap = GAP if 0 < problem.n_primary < problem.n_items else 0
    xs = [(i + 0.5) * SIDE + (gap if i >= problem.n_primary else 0) for i in range(problem.n_items)]
    width, height = problem.n_items * SIDE + gap, len(shown) * SIDE
    left = max((extent(name, FONT_SIZE) for name in names), default=0) + 10
    upright = any(extent(head, FONT_SIZE) > SIDE - 2 for head in heads)
    above = max((extent(head, FONT_SIZE) if upright else FONT_SIZE for head in heads), default=0) + 8
    parts = []
    for i, (head, x) in enumerate(zip(heads, xs, strict=True)):
        style = {"font_style": "italic"} if i >= problem.n_primary else {}
        if upright:
            style |= {"text_anchor": "start", "transform": f"translate({x + 4:g} -6) rotate(-90)"}
        parts.append(text(0 if upright else x, 0 if upright else -8, head, FONT_SIZE, **style))
    columns = "".join(f"M{x:g} 0V{height}" for x in xs)
    parts.append(element("path", d=columns, stroke=FAINT, stroke_opacity=0.3))
    fills = {o: palette(k) for k, o in enumerate(sorted(chosen))}
    for r, (o, name) in enumerate(zip(shown, names, strict=True)):
        row = _row(problem, o, name, xs, width, fills.get(o), full=o in fills or not fills)
        parts.append(moved(0, (r + 0.5) * SIDE, row))
    count, items = counted(len(shown), "option"), counted(problem.n_items, "item")
    default = f"{count} and {items}"
    if len(shown) < problem.n_options:
        default = f"{len(shown)} of {counted(problem.n_options, 'option')}, and {items}"
    if chosen:
        several, reason = counted(len(chosen), "option"), fault(problem, chosen)
        default += f", with {several}, no cover: {reason}" if reason else f", with a cover of {several}"
    body = moved(MARGIN + left, MARGIN + above, *parts)
    return svg(left + width + 2 * MARGIN, above + height + 2 * MARGIN, body, title=title or default)


def _name(problem: Problem, option: int) -> str:
    """Returns the name or number of an option, with its weight and its role."""
    name = short(spoken(option if problem.names is None else problem.names[option]))
    weight = "" if problem.weights is None else f": {problem.weights[option]}"
    role = FREE if problem.roles is None else int(problem.roles[option])
    return name + weight + {LEFT_OUT: " (left out)", CHOSEN: " (chosen)"}.get(role, "")


def _head(problem: Problem, item: int) -> str:
    """Returns the name of an item, with its multiplicity unless this is 1."""
    name = short(spoken(problem.items[item]))
    if problem.multiplicities is None or item >= problem.n_primary:
        return name
    low, high = problem.multiplicities[item].tolist()
    return name if low == high == 1 else f"{name} ({low if low == high else f'{low} to {high}'})"


def _row(
    problem: Problem, option: int, name: str, xs: Sequence[float], width: float, fill: str | None, full: bool
) -> str:
    """Draws a row around y = 0; `fill` is the colour of its band, `full` whether its discs are full."""
    bold = {} if fill is None else {"font_weight": "bold"}
    parts = [text(-10, 4.5, name, FONT_SIZE, text_anchor="end", **bold)]
    if fill is None:
        parts.append(element("path", d=f"M0 0H{width:g}", stroke=FAINT, stroke_opacity=0.3))
    else:
        parts.append(element("rect", x=-4, y=1 - SIDE / 2, width=width + 8, height=SIDE - 2, rx=4, fill=fill))
    for entry in range(*problem.indptr[option : option + 2].tolist()):
        x = xs[problem.indices[entry]]
        colour = 0 if problem.colours is None else int(problem.colours[entry])
        if colour:
            colour_name = short(spoken(problem.colour_names[colour - 1]), 3)
            style: dict[str, Any] = {"fill": PAPER, "stroke": INK, "stroke_width": 1.4 * full}
            parts.append(element("rect", x=x - 9, y=-8, width=18, height=16, rx=3, **style))
            parts.append(text(x, 4, colour_name, min(11, 16 / extent(colour_name, 1))))
        else:
            style = {"fill": INK, "stroke": "none"} if full else {"fill": "white", "stroke": FAINT}
            parts.append(element("circle", cx=x, cy=0, r=5 if full else 4.5, **style))
    return "".join(parts)
