"""The result of a search for the best completion, and the protocol of strategies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, Unpack

import numpy.typing as npt

from dlx import Outcome
from dlx.extending import Limiting
from sudoku.conversion import GridLike
from sudoku.grid import Grid, Shown
from sudoku.layout import Box, Layout, as_layout


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Result(Outcome, Shown):
    """The best completion that a strategy found, and how the search went: nodes, updates, seconds and stopped.

    Attributes:
        strategy: the name of the strategy.
        score: the best score found; -1 if no completion was.
        completion: the completion with that score, read-only, shape (n, n); None if no completion was found.
        completions: how many completions were visited; None where the strategy does not count them.
        ties: how many completions share the best score; None where the strategy prunes equals away.
        bound: no completion scores more than this; None where the strategy has no bound, or there is no completion.
        givens: the grid, or None if whoever made the result has not said.
        layout: its layout.

    A score of -1 may also be that of a completion, where weights are negative: `completion` tells them apart.
    """

    strategy: str
    score: int
    completion: Grid | None
    completions: int | None
    ties: int | None
    bound: int | None = None
    givens: Grid | None = field(default=None, repr=False)
    layout: Layout = field(default=as_layout(None), repr=False)

    @property
    def proven(self) -> bool:
        """Tells whether the search ended by itself, so that `score` is the answer, otherwise only a lower bound."""
        return self.exhausted


class Strategy(Protocol):
    """A way to find the completion with the best score."""

    def __call__(
        self,
        grid: GridLike,
        weights: npt.ArrayLike,
        *,
        layout: Box | Layout | None = None,
        **limits: Unpack[Limiting],
    ) -> Result:
        """Finds the completion of a grid with the largest sum of digit times weight.

        Limits are those of every search of `dlx`; Ctrl-C ends the search, not the program. What is wrong, or none that
        this strategy can do, is a ValueError.
        """
