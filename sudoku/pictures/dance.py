"""Grids on the pages of `dlx.show.dance`."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any

import numpy as np

import dlx
from dlx.show import CELL
from dlx.show.dance import Backdrop, PageBoard
from sudoku.grid import Puzzle
from sudoku.pictures.svg import draw, spots, view

Region = tuple[str, Hashable]  # kind and name
COMMON = ("row", "column", "box")  # kinds that are abbreviated to a letter


def board(puzzle: Puzzle, problem: dlx.Problem, signs: str | None = None) -> PageBoard:
    """Returns the appearance of the options of an encoded grid; `signs` are the signs of a blank and of each digit."""
    layout = puzzle.layout
    rows, columns = layout.shape
    blank = np.zeros(layout.shape, dtype=np.uint8)
    empty = draw(blank, layout, blank)
    left, top, width, height = (side / CELL for side in view(layout))
    digits = signs[1:] if signs else [str(digit) for digit in range(1, layout.size + 1)]
    regions = {(region.kind, region.name) for region in layout.regions}
    marks = [
        (name[:2], digits[name[2] - 1], name[2] - 1) if len(name) == 3 and isinstance(name[0], int) else None
        for name in problem.names or ()
    ]
    return PageBoard(
        kind="candidates",
        rows=rows,
        columns=columns,
        marks=marks,
        givens={k: digits[digit - 1] for k, digit in enumerate(puzzle.grid.ravel().tolist()) if digit},
        items=[_name(item, digits, regions) for item in problem.items],
        spots=spots(layout),
        backdrop=Backdrop(empty, left, top, width, height),
    )


def rest(puzzle: Puzzle, problem: dlx.Problem) -> dlx.Problem:
    """Returns an encoded grid without its givens; if it has colours, it is returned unchanged."""
    if problem.colours is not None or problem.names is None:
        return problem
    given = {(*map(int, place), int(puzzle.grid[*place])) for place in np.argwhere(puzzle.grid)}
    gone = {item for o, name in enumerate(problem.names) if name in given for item in problem.option(o)}
    options = {name: option for o, name in enumerate(problem.names) if gone.isdisjoint(option := problem.option(o))}
    items = [item for item in problem.items if item not in gone]
    return dlx.Problem.from_options(
        options, items=items, secondary=[i for i in problem.items[problem.n_primary :] if i not in gone]
    )


def _name(item: Any, digits: Sequence[str], regions: Collection[Region] = ()) -> str:
    """Returns a short name of an item; rows and columns are numbered from 1.

    >>> _name(("cell", 0, 4), "1234"), _name(("column", 3, 2), "1234", {("column", 3)}), _name(("cage", 0, 2), "1234")
    ('r1c5', 'c4=2', 'cage 1, part 3')
    """
    kind, place, *rest = item
    numbers = [str(part + 1) if isinstance(part, int) else str(part) for part in (place, *rest)]
    if kind == "cell" and len(rest) == 1:
        return f"r{numbers[0]}c{numbers[1]}"
    if (kind, place) in regions:
        return f"{kind[0] if kind in COMMON else f'{kind} '}{numbers[0]}={digits[rest[0] - 1]}"
    return f"{kind} {', part '.join(numbers)}"
