"""`sudoku shares`: for each blank of a grid the share of the completions that has each digit there."""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt

from sudoku.command.answer import Answer, Told, as_object, names
from sudoku.grid import Grid, Puzzle
from sudoku.pictures.svg import draw
from sudoku.solve import shares as chances_of

Chances = npt.NDArray[np.float64]


def shares(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """The shares in the blanks of a grid, as a table; and as a picture, if one is wanted."""
    try:
        chances = chances_of(puzzle, timeout=options.timeout, progress=told, memory=options.memory)
    except TimeoutError:
        return _unknown(puzzle, options, "timeout")
    except KeyboardInterrupt:
        return _unknown(puzzle, options, "interrupt")
    if not chances.any():
        return Answer(as_object(puzzle, shares=None, stopped=None) if options.json else "-1", none=True)
    known = names(puzzle.layout, options)
    if options.json:
        text = as_object(puzzle, shares=_facts(puzzle.grid, chances), stopped=None)
    else:
        text = _table(puzzle.grid, chances, known)
    picture = None if options.svg is None else draw(puzzle.grid, puzzle.layout, puzzle.grid, chances, known)
    return Answer(text, picture=picture)


def _unknown(puzzle: Puzzle, options: argparse.Namespace, stopped: str) -> Answer:
    """Returns the answer where there has not been enough time: part of the completions would tell nothing."""
    return Answer(as_object(puzzle, shares=None, stopped=stopped) if options.json else "unknown", stopped)


def _facts(grid: Grid, chances: Chances) -> list[dict[str, object]]:
    """The shares for programs: the blanks, each with its possible digits."""
    return [
        {
            "row": r + 1,
            "column": c + 1,
            "digits": {d: share for d, share in enumerate(chances[r, c].tolist(), 1) if share},
        }
        for r, c in _blanks(grid, chances)
    ]


def _table(grid: Grid, chances: Chances, known: str | None = None) -> str:
    """The shares in per cent: a line for each blank, a column for each digit.

    >>> grid = np.array([[1, 2], [2, 0]], dtype=np.uint8)
    >>> print(_table(grid, np.array([[[1, 0], [0, 1]], [[0, 1], [0.25, 0.75]]])))
       %     1     2
    r2c2  25.0  75.0
    """
    lines = [("%", *(known[1:] if known else map(str, range(1, chances.shape[2] + 1))))]
    for r, c in _blanks(grid, chances):
        certain = np.count_nonzero(chances[r, c]) == 1
        lines.append((f"r{r + 1}c{c + 1}", *(_percent(share, certain) for share in chances[r, c].tolist())))
    width = max(len(name) for name, *_ in lines)
    return "\n".join([f"{name:>{width}}" + "".join([f"{text:>6}" for text in texts]) for name, *texts in lines])


def _blanks(grid: Grid, chances: Chances) -> list[list[int]]:
    """The blanks of a grid that has a completion; where a cell is missing, there is no chance of any digit."""
    return np.argwhere((grid == 0) & chances.any(axis=2)).tolist()


def _percent(share: float, certain: bool) -> str:
    """A share in five characters at most, from which what is impossible or certain can be told.

    >>> [_percent(share, False) for share in (0.0, 1e-9, 0.25, 1 - 1e-9)], _percent(1.0, True)
    (['.', '<0.1', '25.0', '>99.9'], '100')
    """
    if not share or certain:
        return "100" if share else "."
    return {"0.0": "<0.1", "100.0": ">99.9"}.get(text := f"{share:.1%}"[:-1], text)
