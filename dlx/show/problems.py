"""Covers drawn by what their items are called: a tiling where these are cells, and otherwise the matrix.

In a matrix options are rows, items are columns, and the rows of a cover are coloured.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence

from dlx.optimum.best import Cover
from dlx.problem.checks import is_whole
from dlx.problem.problem import Coloured, Label, Problem, as_problem, fault
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT
from dlx.problem.words import counted
from dlx.show.elements import (
    FAINT,
    INK,
    PAPER,
    WHITE,
    Picture,
    check_room,
    element,
    extent,
    moved,
    palette,
    readable,
    short,
    spoken,
    svg,
    text,
)
from dlx.show.tilings import MOST_CELLS, layers, tiling

# The forms of the names of cells in text; all names of a problem have one form.
FORMS = (
    re.compile(r"[rR](\d{1,4})[cC](\d{1,4})"),  # r2c3
    re.compile(r"\( ?(-?\d{1,4}), ?(-?\d{1,4})(?:, ?(-?\d{1,4}))? ?\)"),  # (2, 3) or (1, 2, 3)
    re.compile(r"(-?\d{1,4}),(-?\d{1,4})(?:,(-?\d{1,4}))?"),  # 2,3 or 1,2,3
    re.compile(r"(\d)(\d)(\d)?"),  # 23 or 123, as Knuth has them
)
NUMBER = re.compile(r"\d+")
MOST_ROWS, MOST_COLUMNS, MOST_ENTRIES = 400, 200, 10_000  # of a matrix that anyone could read
SIDE, APART, MARGIN = 22, 14, 12  # of a cell of it, between primary and secondary items, around all
FEW = 16  # options in a notebook of a problem that is too large for a picture


def draw(problem: Problem, cover: Iterable[int] | Cover = (), *, title: str = "") -> Picture:
    """Draws a cover of a problem as a tiling, if its items are cells, or in layers, and otherwise as a matrix.

    Items are cells if they are tuples of two or three whole numbers, (row, column) or (layer, row, column), or text of
    one of the forms `r2c3`, `(2, 3)`, `2,3` and `23`, all of one form and length. Each option of the cover has to have
    some, and no two of them the same; what else an option has is the name of its piece. Items that are numbers, some of
    two digits and some of others, are no cells.

    Parameters:
        problem: the problem.
        cover: numbers of options, or what `best` found; without it, the problem is drawn as a matrix. A -1, which fills
            up the row of a block, is passed over.
        title: what the picture is; without it, what there is in it.

    Returns:
        The picture. A matrix of more than 400 options has only the rows of the cover.

    Raises:
        ValueError: there is too much to draw: the message has the number and the limit.
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
    check_room("the problem", items=(problem.n_items, MOST_CELLS))  # or that would be seen after seconds
    found = board(problem, chosen)
    if found is None:
        few = problem.n_options <= MOST_ROWS
        return matrix(problem, chosen, options=None if few or not chosen else sorted(chosen), title=title)
    pieces, names = found
    if len(next(iter(pieces))) == 3:
        return layers({(z, r, c): piece for (z, r, c), piece in pieces.items()}, names=names, title=title)
    return tiling({(r, c): piece for (r, c), piece in pieces.items()}, names=names, title=title)


def picture(value: object) -> Picture | None:
    """Draws a problem as a notebook shows it; only the first options of a large one.

    Returns None if a picture is too large: the notebook then shows the value's `repr`.

    >>> from dlx import Problem
    >>> picture(Problem.from_options([[0]] * 1000)).caption
    '16 of 1000 options, and 1 item'
    """
    try:
        if isinstance(value, Problem) and value.n_options > FEW:
            return matrix(value, options=range(FEW))
        return draw(value)  # type: ignore[arg-type]  # every value with a picture in a notebook is one of these
    except ValueError:
        return None


def board(problem: Problem, cover: Sequence[int]) -> tuple[dict[tuple[int, ...], int | None], dict[int, str]] | None:
    """Returns the look of a cover, if items are cells by their names, as `draw` says.

    Parameters:
        problem: the problem.
        cover: numbers of options.

    Returns:
        The option that has each cell, or None for a cell that is not covered; and what the options are called that
        have items besides their cells. Or None, if the cover is no picture.

    Raises: as `draw`.

    >>> from dlx import Problem
    >>> items = ["I", "O", "r1c1", "r1c2", "r2c1", "r2c2"]
    >>> board(Problem.from_options([["I", "r1c1", "r1c2"], ["O", "r2c1"]], items=items, secondary=["r2c2"]), [0, 1])
    ({(1, 1): 0, (1, 2): 0, (2, 1): 1, (2, 2): None}, {0: 'I', 1: 'O'})
    """
    cells = cells_of(problem)
    if not cover or cells is None:
        return None
    pieces: dict[tuple[int, ...], int | None] = {}
    names: dict[int, str] = {}
    for o in cover:
        problem.option(o)  # raises the error for a wrong number
        items = [problem.items[i] for i in problem.indices[slice(*problem.indptr[o : o + 2])].tolist()]
        places = [cells[item] for item in items if item in cells]
        if not places or not pieces.keys().isdisjoint(places):
            return None
        pieces |= dict.fromkeys(places, o)
        named = [spoken(item) for item in items if item not in cells]
        names |= {o: named[0]} if named else {}
    return pieces | {cell: None for cell in cells.values() if cell not in pieces}, names


def cells_of(problem: Problem) -> dict[Hashable, tuple[int, ...]] | None:
    """Returns the places of items that are cells by their names, as `draw` tells them; None without any."""
    cells: dict[Hashable, tuple[int, ...]] = {}
    forms = set()  # with the length of each: all names of cells are of one form
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
        return None  # numbers, as the cells may be, too
    return cells


def option_text(label: Label) -> str:
    """Returns an option as it is called, or its items with their colours.

    >>> option_text("left"), option_text((("r", 1), Coloured("c", "red")))
    ('left', 'r 1 c:red')
    """
    if type(label) is not tuple:  # a name, which may be a named tuple
        return spoken(label)
    return " ".join(
        f"{spoken(part.item)}:{spoken(part.colour)}" if isinstance(part, Coloured) else spoken(part) for part in label
    )


# Matrices


def matrix(
    problem: Problem,
    cover: Iterable[int] = (),
    *,
    options: Iterable[int] | None = None,
    title: str = "",
) -> Picture:
    """A problem as a matrix: a disc, or a colour, says that an option, a row, has an item, a column.

    The discs of a cover's options are full, on rows in colours, and the others are rings. Secondary items are apart, in
    italics; under an item that need not be covered once is written how often.

    Parameters:
        problem: the problem.
        cover: numbers of options, whose rows are coloured, a cover or not, which is said; a -1, which fills up the row
            of a block, is passed over.
        options: the numbers of the options that are shown; without it, all.
        title: what the picture is; without it, what there is in it.

    Raises:
        ValueError: there are more than 400 rows, 200 columns or 10,000 discs.
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
    turns = {o: k for k, o in enumerate(sorted(chosen))}
    names = [_name(problem, o) for o in shown]
    heads = [_head(problem, i) for i in range(problem.n_items)]
    both = 0 < problem.n_primary < problem.n_items
    across = [(i + 0.5) * SIDE + APART * (both and i >= problem.n_primary) for i in range(problem.n_items)]
    width = problem.n_items * SIDE + APART * both
    left = max((extent(name, 13) for name in names), default=0) + 10
    upright = any(extent(head, 13) > SIDE - 2 for head in heads)
    above = (max(extent(head, 13) for head in heads) if upright else 14) + 8 if heads else 0
    each = enumerate(zip(heads, across, strict=True))
    parts = [_column(head, x, i < problem.n_primary, upright) for i, (head, x) in each]
    high = len(shown) * SIDE
    grid = "".join(f"M{x:g} 0V{high}" for x in across)
    parts.append(element("path", d=grid, stroke=FAINT, stroke_opacity=0.3))
    for r, (o, name) in enumerate(zip(shown, names, strict=True)):
        parts.append(moved(0, (r + 0.5) * SIDE, _row(problem, o, name, across, width, turns.get(o), bool(turns))))
    items = counted(problem.n_items, "item")
    said = f"{counted(len(shown), 'option')} and {items}"
    if len(shown) < problem.n_options:
        said = f"{len(shown)} of {counted(problem.n_options, 'option')}, and {items}"
    if chosen:  # a cover, or the reason why they are none
        several, reason = counted(len(chosen), "option"), fault(problem, chosen)
        said += f", with {several}, no cover: {reason}" if reason else f", with a cover of {several}"
    x, y = MARGIN + left, MARGIN + above
    return svg(x + width + MARGIN, y + high + MARGIN, moved(x, y, *parts), title=title or said)


def _name(problem: Problem, option: int) -> str:
    """The name or number of an option, its weight, and its role."""
    name = short(spoken(option if problem.names is None else problem.names[option]))
    name += "" if problem.weights is None else f": {problem.weights[option]}"
    role = FREE if problem.roles is None else int(problem.roles[option])
    return name + {LEFT_OUT: " (left out)", CHOSEN: " (chosen)"}.get(role, "")


def _head(problem: Problem, item: int) -> str:
    """The name of an item, and how often it is to be covered if that is not once."""
    name = short(spoken(problem.items[item]))
    if problem.multiplicities is None or item >= problem.n_primary:
        return name
    low, high = problem.multiplicities[item].tolist()
    return name if low == high == 1 else f"{name} ({low if low == high else f'{low} to {high}'})"


def _column(head: str, x: float, primary: bool, upright: bool) -> str:
    style = {} if primary else {"font_style": "italic"}
    if not upright:
        return text(x, -8, head, 13, **style)
    return text(0, 0, head, 13, text_anchor="start", transform=f"translate({x + 4:g} -6) rotate(-90)", **style)


def _row(
    problem: Problem, option: int, name: str, across: Sequence[float], width: float, turn: int | None, covered: bool
) -> str:
    """A row, whose middle is at 0: `turn` is the number of the option in the cover, if it is there."""
    if turn is None:
        bold, fill = {}, WHITE
        ground = element("path", d=f"M0 0H{width:g}", stroke=FAINT, stroke_opacity=0.3)
    else:
        bold, fill = {"font_weight": "bold"}, palette(turn)
        ground = element("rect", x=-4, y=1 - SIDE / 2, width=width + 8, height=SIDE - 2, rx=4, fill=fill)
    parts = [text(-10, 4.5, name, 13, text_anchor="end", **bold), ground]
    full = turn is not None or not covered
    for entry in range(*problem.indptr[option : option + 2].tolist()):
        x = across[problem.indices[entry]]
        colour = 0 if problem.colours is None else int(problem.colours[entry])
        parts.append(_entry(x, full, short(spoken(problem.colour_names[colour - 1]), 3) if colour else "", fill))
    return "".join(parts)


def _entry(x: float, full: bool, colour: str, behind: str) -> str:
    """A disc or a ring, or the name of a colour on paper."""
    if not colour:
        fill, stroke = (readable(behind), "none") if full else (WHITE, FAINT)
        return element("circle", cx=x, cy=0, r=5 if full else 4.5, fill=fill, stroke=stroke)
    paper = element("rect", x=x - 9, y=-8, width=18, height=16, rx=3, fill=PAPER, stroke=INK, stroke_width=1.4 * full)
    return paper + text(x, 4, colour, min(11, 11 * 16 / extent(colour, 11)), fill=INK)
