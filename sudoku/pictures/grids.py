"""Pictures of grids: in SVG, in PNG, and in notebooks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dlx.show import moved, svg, text
from sudoku.conversion import GridLike, as_grid, as_puzzle
from sudoku.grid import REAL, Puzzle
from sudoku.layout import Box, Layout, takes_layout
from sudoku.pictures.png import png
from sudoku.pictures.svg import draw, faint, view
from sudoku.solve import Solution
from sudoku.strategies import Result
from sudoku.target import Ranking

FEW = 12  # completions of a ranking that a notebook shows
GAP = 30  # pixels between two of them, with a score


@takes_layout
def to_svg(
    grid: GridLike,
    layout: Box | Layout | None = None,
    givens: GridLike | None = None,
    shares: npt.ArrayLike | None = None,
) -> str:
    """Draws a grid with its boxes, and the further regions of its layout tinted.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.
        givens: a grid of the same layout whose digits were there from the beginning: these are bold, the others blue;
            without it, all are bold.
        shares: what `shares` says of the grid: then the possible digits of each blank are drawn in it, the likelier
            the bluer. Without it, the candidates of a `Puzzle` are.

    Returns:
        The picture as text; in a notebook, `IPython.display.SVG(to_svg(grid))` shows it.

    Raises:
        ValueError: a grid is malformed, or the shares have another shape or are not between 0 and 1; the message says
            how.

    >>> picture = to_svg([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [4, 3, 0, 0]], layout=(2, 2))
    >>> picture.startswith("<svg"), picture.count("<text")
    (True, 14)
    >>> from sudoku import shares
    >>> puzzle = "1.....2........."
    >>> to_svg(puzzle, (2, 2), shares=shares(puzzle, (2, 2))).count("fill-opacity")
    32
    """
    puzzle = as_puzzle(grid, layout)
    drawn, layout = puzzle.grid, puzzle.layout
    known = drawn if givens is None else as_grid(givens, layout)
    if shares is None:
        shares = faint(puzzle.candidates)
    return draw(drawn, layout, known, None if shares is None else _as_shares(shares, layout))


@takes_layout
def to_png(
    grid: GridLike,
    layout: Box | Layout | None = None,
    givens: GridLike | None = None,
    shares: npt.ArrayLike | None = None,
) -> bytes:
    """Draws the picture of `to_svg` in PNG, by resvg (extra `pictures`); parameters and errors are the same.

    Returns:
        The bytes of the picture, 656 x 656 for 9 rows.

    Raises:
        ImportError: the extra is not installed.

    >>> to_png("1.3.3.1...4343..", layout=(2, 2))[1:4]
    b'PNG'
    """
    return png(to_svg(grid, layout, givens, shares))


def _as_shares(shares: npt.ArrayLike, layout: Layout) -> npt.NDArray[np.float64]:
    """Checks the chance of each digit in each cell."""
    table = np.asarray(shares)
    shape = (*layout.shape, layout.size)
    if table.shape != shape:
        raise ValueError(f"the shares have the shape {table.shape} instead of {shape}")
    if table.dtype.kind not in REAL:
        raise ValueError(f"the shares have the type {table.dtype} instead of numbers")
    if not (table.min() >= 0 and table.max() <= 1):
        r, c, k = np.argwhere(~((table >= 0) & (table <= 1)))[0].tolist()
        raise ValueError(f"the share {table[r, c, k]} of {k + 1} in row {r + 1}, column {c + 1} is not between 0 and 1")
    return table.astype(np.float64)


def picture(value: object) -> str | None:
    """Draws a grid, a completion with its givens, or the first of a ranking as a notebook shows it; None for others."""
    if isinstance(value, Puzzle):
        return draw(value.grid, value.layout, value.grid, faint(value.candidates))
    if isinstance(value, Ranking):
        return _ranking(value)
    if isinstance(value, Result | Solution):
        grid = value.givens if value.completion is None else value.completion
        return None if grid is None else draw(grid, value.layout, grid if value.givens is None else value.givens)
    return None


def _ranking(ranking: Ranking) -> str:
    """Draws the first completions with their scores, one below the other."""
    _, _, width, height = view(ranking.layout)
    step = height + GAP
    parts = []
    for k, (completion, score) in enumerate(zip(ranking.completions[:FEW], ranking.scores.tolist(), strict=False)):
        parts.append(moved(0, k * step, draw(completion, ranking.layout, ranking.givens)))
        parts.append(text(width / 2, (k + 1) * step - GAP / 3, f"{score:,}"))
    rest = len(ranking.scores) - FEW
    said = f"and {rest:,} more" if rest > 0 else "" if parts else "no completion"
    parts.append(text(width / 2, len(parts) // 2 * step + GAP / 2, said))
    return svg(width, len(parts) // 2 * step + GAP, *parts, title=said or "the best completions")
