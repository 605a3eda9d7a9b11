"""What a strategy is, and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy.typing as npt

from sudoku.grid import Box, Grid

Stop = Literal["timeout", "max_nodes", "interrupt"]
Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Result:
    """The best completion that a strategy found, and how it got there.

    Attributes:
        strategy: the name of the strategy.
        score: the best score found; -1 if no completion was.
        completion: the completion with that score, read-only, shape (n, n); None if no completion was found.
        completions: how many completions were visited; None where the strategy does not count them.
        ties: how many completions share the best score; None where the strategy prunes equals away.
        proven: whether the search ended by itself: then `score` is the answer, otherwise only a lower bound.
        nodes: the digits (or options) tried, each a node of the search tree.
        seconds: the time taken.
        stopped: why the search ended early, or None.
        bound: no completion scores more than this; None where the strategy has no bound, or there is no completion.

    A score of -1 may also be that of a completion, where weights are negative: `completion` tells them apart.
    """

    strategy: str
    score: int
    completion: Grid | None
    completions: int | None
    ties: int | None
    proven: bool
    nodes: int
    seconds: float
    stopped: Stop | None
    bound: int | None = None


class Strategy(Protocol):
    """A way to find the completion with the best score."""

    def __call__(
        self,
        grid: npt.ArrayLike,
        weights: npt.ArrayLike,
        *,
        box: Box = (3, 3),
        timeout: float | None = None,
        max_nodes: int | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Finds the completion of a grid with the largest sum of digit times weight.

        Parameters:
            grid: whole numbers, shape (n, n), 0 where the cell is blank.
            weights: whole numbers between -2^40 and 2^40, shape (n, n).
            box: the rows and columns of a box; n is their product.
            timeout: stop after so many seconds.
            max_nodes: stop after trying so many digits.
            progress: called about every 20 ms with the completions and the nodes so far.

        Returns:
            The best completion found. Ctrl-C ends the search, not the program: `stopped` is then "interrupt".

        Raises:
            ValueError: the grid, the weights or the box are wrong or are none that this strategy can do, or a limit is
                negative.
        """
