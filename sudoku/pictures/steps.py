"""Pictures of steps of reasoning: the grid with its pencil marks, and the marks of `dlx.show.step_marks`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import wrap
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.show import CELL, moved, step_marks, svg, text
from sudoku.constraints import Candidate, Cell
from sudoku.encoding import tables_of
from sudoku.grid import Puzzle, all_candidates
from sudoku.layout import Layout
from sudoku.pictures.svg import CANDIDATE, draw, faint, spots, view
from sudoku.setting.sentences import Step, is_option
from sudoku.solve import Solution
from sudoku.strategies import Result

FONT_SIZE = 14  # pixels of a sentence
WIDE = 0.56  # about the width of a letter, in font sizes


def step_picture(step: Step, signs: str | None = None) -> str:
    """Draws a step in its puzzle with all pencil marks; `signs` are those of a blank and of the digits."""
    puzzle = step.before
    faint = np.where(puzzle.grid[..., None] == 0, CANDIDATE * all_candidates(puzzle), 0)
    drawn = draw(puzzle.grid, puzzle.layout, step.givens, faint, signs, singles=False)
    return drawn.replace("</svg>", f"{marks_of(step)}\n</svg>")


def picture(value: object) -> str | None:
    """Draws a step, a grid, or a completion with its givens, for a notebook; None for other values."""
    if isinstance(value, Step):
        return step_picture(value)
    if isinstance(value, Puzzle):
        return draw(value.grid, value.layout, value.grid, faint(value.candidates))
    if isinstance(value, Result | Solution):
        grid = value.givens if value.completion is None else value.completion
        return None if grid is None else draw(grid, value.layout, grid if value.givens is None else value.givens)
    return None


def steps_picture(found: Mapping[int, Step], signs: str | None = None) -> str:
    """Draws steps, given by their numbers, one below the other, each with its sentence."""
    if not found:
        return svg(2 * CELL, CELL, title="no step")
    parts, y = [], 0.0
    _, _, width, height = (2 * side for side in view(next(iter(found.values())).before.layout))
    for number, step in found.items():
        most = int(width / (FONT_SIZE * WIDE))
        for line in wrap(f"{number}. {step.sentence(signs)}", most, break_long_words=False, break_on_hyphens=False):
            y += 1.4 * FONT_SIZE
            parts.append(text(width / 2, y, line, FONT_SIZE))
        y += FONT_SIZE
        parts.append(moved(0, y, step_picture(step, signs)))
        y += height + FONT_SIZE
    return svg(width, y, *parts, title="steps without guesses")


def marks_of(step: Step) -> str:
    """Returns the marks of a step."""
    layout, pencil = step.before.layout, all_candidates(step.before)
    places = spots(layout)

    def candidates(names: Iterable[Any]) -> list[tuple[float, float, float]]:
        found = []
        for r, c, d in (name for name in names if not is_option(name) and pencil[name[0], name[1], name[2] - 1]):
            x, y, size = places[d - 1]
            found.append((c * CELL + x, r * CELL + y, size))
        return found

    truths = [cells_of(item, layout) for item in step.truths]
    if step.placed is not None:
        return step_marks(truths=dict.fromkeys(truths), chosen=candidates([step.placed]))
    out = set(step.out)
    if step.path:
        true, chain = {one for group in step.path for one in group}, [candidates(group) for group in step.path]
        true_spots, out_spots = candidates(sorted(true - out, key=str)), candidates(step.out)
        return step_marks(true=true_spots, out=out_spots, chain=chain, closed=step.rank == 0)
    true, linked = (
        {one for item in items for one in candidates_of(item, layout)} for items in (step.truths, step.links)
    )
    return step_marks(
        truths=dict.fromkeys(truths),
        links=() if step.combination else dict.fromkeys(cells_of(item, layout) for item in step.links),
        true=candidates(sorted(true - out)),
        linked=candidates(sorted(linked - true - out)),
        out=candidates(step.out),
    )


def candidates_of(item: Any, layout: Layout) -> frozenset[Candidate]:
    """Returns the candidates that have an item."""
    return _candidates(layout, tables_of(layout).options_of(item))


def cells_of(item: Any, layout: Layout) -> frozenset[Cell]:
    """Returns the cells of an item's candidates; for an item of a sum, those of the candidates beside its options."""
    tables = tables_of(layout)
    options, indices = tables.options_of(item), tables.problem.indices
    found = _candidates(layout, options)
    if not found:
        items = indices[np.isin(tables.owners, options)]
        found = _candidates(layout, tables.owners[np.isin(indices, items)])
    return frozenset((r, c) for r, c, _ in found)


def _candidates(layout: Layout, options: npt.NDArray[np.intp]) -> frozenset[Candidate]:
    """Returns the candidates among some options."""
    return frozenset(name for name in tables_of(layout).names[options].tolist() if not is_option(name))
