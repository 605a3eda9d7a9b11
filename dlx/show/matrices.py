"""Problems as matrices: options as rows, items as columns, and a cover's rows coloured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dlx.problem.problem import Problem, fault
from dlx.problem.roles import CHOSEN, FREE, LEFT_OUT
from dlx.problem.words import counted
from dlx.show.elements import (
    FAINT,
    INK,
    PAPER,
    WHITE,
    Picture,
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

MOST_ROWS, MOST_COLUMNS, MOST_ENTRIES = 400, 200, 10_000  # of a picture that anyone could read
SIDE, APART, MARGIN = 22, 14, 12  # of a cell, between primary and secondary items, around all


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
    for count, most, kind in ((len(shown), MOST_ROWS, "rows"), (problem.n_items, MOST_COLUMNS, "columns")):
        if count > most:
            raise ValueError(f"the matrix has {count} {kind}; a picture has no more than {most}")
    entries = sum(len(problem.option(o)) for o in [*shown, *chosen])  # which says what is wrong with a number
    if entries > MOST_ENTRIES:
        raise ValueError(f"the matrix has {entries} entries; a picture has no more than {MOST_ENTRIES}")
    turns = {o: k for k, o in enumerate(sorted(chosen))}
    names = [_name(problem, o) for o in shown]
    heads = [_head(problem, i) for i in range(problem.n_items)]
    both = 0 < problem.n_primary < problem.n_items
    across = [(i + 0.5) * SIDE + APART * (both and i >= problem.n_primary) for i in range(problem.n_items)]
    width = problem.n_items * SIDE + APART * both
    left = max((extent(name, 13) for name in names), default=0) + 10
    upright = any(extent(head, 13) > SIDE - 2 for head in heads)
    above = (max(extent(head, 13) for head in heads) if upright else 14) + 8 if heads else 0
    parts = [
        _column(head, x, i < problem.n_primary, upright) for i, (head, x) in enumerate(zip(heads, across, strict=True))
    ]
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
    problem: Problem,
    option: int,
    name: str,
    across: Sequence[float],
    width: float,
    turn: int | None,
    covered: bool,
) -> str:
    """A row, whose middle is at 0: `turn` is the number of the option in the cover, if it is there."""
    bold = {} if turn is None else {"font_weight": "bold"}
    parts = [text(-10, 4.5, name, 13, text_anchor="end", **bold)]
    fill = WHITE if turn is None else palette(turn)
    if turn is not None:
        parts.append(element("rect", x=-4, y=1 - SIDE / 2, width=width + 8, height=SIDE - 2, rx=4, fill=fill))
    else:
        parts.append(element("path", d=f"M0 0H{width:g}", stroke=FAINT, stroke_opacity=0.3))
    full = turn is not None or not covered
    begin, end = problem.indptr[option : option + 2].tolist()
    for entry in range(begin, end):
        x = across[problem.indices[entry]]
        colour = 0 if problem.colours is None else int(problem.colours[entry])
        parts.append(_entry(x, full, short(spoken(problem.colour_names[colour - 1]), 3) if colour else "", fill))
    return "".join(parts)


def _entry(x: float, full: bool, colour: str, behind: str) -> str:
    """A disc or a ring, or the name of a colour on what is behind it."""
    if not colour:
        fill, stroke = (readable(behind), "none") if full else (WHITE, FAINT)
        return element("circle", cx=x, cy=0, r=5 if full else 4.5, fill=fill, stroke=stroke)
    paper = element("rect", x=x - 9, y=-8, width=18, height=16, rx=3, fill=PAPER, stroke=INK, stroke_width=1.4 * full)
    return paper + text(x, 4, colour, min(11, 11 * 16 / extent(colour, 11)), fill=INK)
