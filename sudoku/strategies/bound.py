"""The best completion as the best cover by weight, proven by prices; it visits no more completions than it must."""

from __future__ import annotations

from typing import Unpack

import numpy.typing as npt

import dlx
from dlx.extending import Limiting
from sudoku.conversion import GridLike
from sudoku.encoding import decode, encode
from sudoku.grid import frozen
from sudoku.layout import Box, Layout, takes_layout
from sudoku.strategies.result import Result


@takes_layout
def bound(
    grid: GridLike, weights: npt.ArrayLike, *, layout: Box | Layout | None = None, **limits: Unpack[Limiting]
) -> Result:
    """Finds the best completion by `dlx.best`, which knows nothing about sudoku, in any layout; see `Strategy`."""
    problem = encode(grid, layout, weights)
    found = dlx.best(problem, **limits)
    return Result(
        strategy="bound",
        score=-1 if found.score is None else int(found.score),
        completion=frozen(decode(problem, found.covers[0].options)) if found.covers else None,
        completions=None,
        ties=None,
        nodes=found.nodes,
        updates=found.updates,
        seconds=found.seconds,
        stopped=found.stopped,
        bound=None if found.bound is None else int(found.bound),
    )
