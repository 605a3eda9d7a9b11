"""Covers drawn by what their items are called: a tiling where these are cells, and otherwise the matrix."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence

from dlx.counting.diagram import Diagram
from dlx.optimum.best import Cover
from dlx.problem.checks import is_whole
from dlx.problem.problem import Problem
from dlx.show.boards import MOST_CELLS, layers, tiling
from dlx.show.elements import Picture, spoken
from dlx.show.graphs import diagram_picture
from dlx.show.matrices import MOST_ROWS, matrix

# The forms of the names of cells in text; all names of a problem have one form.
FORMS = (
    re.compile(r"[rR](\d{1,4})[cC](\d{1,4})"),  # r2c3
    re.compile(r"\( ?(-?\d{1,4}), ?(-?\d{1,4})(?:, ?(-?\d{1,4}))? ?\)"),  # (2, 3) or (1, 2, 3)
    re.compile(r"(-?\d{1,4}),(-?\d{1,4})(?:,(-?\d{1,4}))?"),  # 2,3 or 1,2,3
    re.compile(r"(\d)(\d)(\d)?"),  # 23 or 123, as Knuth has them
)
NUMBER = re.compile(r"\d+")
FEW = 16  # options in a notebook of a problem that is too large for a picture


def draw(problem: Problem | Diagram, cover: Iterable[int] | Cover = (), *, title: str = "") -> Picture:
    """Draws a cover of a problem as a tiling, if its items are cells, or in layers, and otherwise as a matrix.

    Items are cells if they are tuples of two or three whole numbers, (row, column) or (layer, row, column), or text of
    one of the forms `r2c3`, `(2, 3)`, `2,3` and `23`, all of one form and length. Each option of the cover has to have
    some, and no two of them the same; what else an option has is the name of its piece. Items that are numbers, some of
    two digits and some of others, are no cells.

    Parameters:
        problem: the problem; or a small diagram, with the number of covers below each node.
        cover: numbers of options, or what `best` found; without it, the problem is drawn as a matrix. A -1, which fills
            up the row of a block, is passed over.
        title: what the picture is; without it, what there is in it.

    Returns:
        The picture. A matrix of more than 400 options has only the rows of the cover.

    Raises:
        ValueError: there is too much to draw: the message has the number and the limit.
        IndexError: there is no option of a number.
        TypeError: a number is not whole.

    >>> from dlx import Problem
    >>> options = ["A 00 01", "B 10 11", "A 00 10", "B 01 11"]
    >>> problem = Problem.from_options([option.split() for option in options])
    >>> draw(problem, [0, 1]).caption, draw(problem).caption
    ('a tiling of 4 cells by 2 pieces', '4 options and 6 items')
    """
    if isinstance(problem, Diagram):
        return diagram_picture(problem, title)
    options = getattr(cover, "options", cover)
    if not isinstance(options, Iterable):
        raise TypeError(f"{cover!r:.40} is no cover")
    chosen = [o for o in options if o != -1]
    if problem.n_items > MOST_CELLS:  # or it would take seconds to see that these are too many
        raise ValueError(f"the problem has {problem.n_items} items; a picture has no more than {MOST_CELLS}")
    found = board(problem, chosen)
    if found is None:
        few = problem.n_options <= MOST_ROWS
        return matrix(problem, chosen, options=None if few or not chosen else sorted(chosen), title=title)
    pieces, names = found
    if len(next(iter(pieces))) == 3:
        return layers({(z, r, c): piece for (z, r, c), piece in pieces.items()}, names=names, title=title)
    return tiling({(r, c): piece for (r, c), piece in pieces.items()}, names=names, title=title)


def picture(value: object) -> Picture | None:
    """Draws a value as a notebook shows it: a diagram, or a problem, of which only the first options if it is large.

    None where there is no room for a picture: the notebook then shows the value's `repr`.

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
    >>> board(Problem.from_options([["I", "r1c1", "r1c2"], ["O", "r2c1"]], secondary=["r2c2"]), [0, 1])
    ({(1, 1): 0, (1, 2): 0, (2, 1): 1, (2, 2): None}, {0: 'I', 1: 'O'})
    """
    cells = cells_of(problem)
    if not cover or cells is None:
        return None
    pieces: dict[tuple[int, ...], int | None] = {}
    names: dict[int, str] = {}
    for o in cover:
        problem.option(o)  # which says what is wrong with it
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
