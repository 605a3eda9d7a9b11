"""Questions about one grid after the other, within limits for all; by the fast kernel where the layout is plain."""

from __future__ import annotations

import time
from typing import Any

import dlx
from dlx.extending import EXHAUSTED, UNLIMITED, Limiting, Limits, Loop, StoppedError, compiled_module
from sudoku.conversion import GridLike, as_puzzle
from sudoku.encoding import decode, encode
from sudoku.grid import Grid, Puzzle
from sudoku.layout import Box, Candidate, Layout

QUICK = 2_000  # nodes, some milliseconds, before a loop is put around a search of the fast kernel


def bare(grid: GridLike, layout: Box | Layout | None = None) -> tuple[Grid, Layout]:
    """A grid and its layout.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.

    Raises:
        ValueError: the grid or the layout is wrong, or the grid has pencil marks: whatever takes givens away, or
            exchanges digits, would have to know what their marks were.

    >>> bare("1" * 16, (2, 2))[1]
    Layout(4 x 4: row 4, column 4, box 4 of 2 x 2)
    """
    puzzle = as_puzzle(grid, layout)
    if puzzle.candidates is not None:
        raise ValueError("the grid has pencil marks, which say more than its givens: leave them out (as_grid)")
    return puzzle.grid, puzzle.layout


def candidates_of(problem: dlx.Problem) -> list[Candidate]:
    """The candidates among the options of a grid, which are the first ones: sums have others.

    >>> candidates_of(encode("1234341221430000", (2, 2)))[-1]
    (3, 3, 1)
    """
    return [name for name in problem.names or () if isinstance(name[0], int)]


class Asking:
    """Answers questions about grids of one layout.

    Parameters:
        layout: the layout.
        limits: max_nodes, timeout and progress, for all questions together.

    Raises:
        ValueError: a limit is wrong.
        TypeError: a limit has the wrong type, or is max_covers.

    >>> import numpy as np
    >>> asking = Asking(Layout.boxes(2, 2), {})
    >>> grid = np.array([[1, 2, 3, 4], [3, 4, 1, 2], [2, 1, 4, 3], [0, 0, 0, 0]], dtype=np.uint8)
    >>> asking.completion(grid)[3], asking.completion(grid, without=(3, 0, 4))
    (array([4, 3, 2, 1], dtype=uint8), None)
    """

    def __init__(self, layout: Layout, limits: Limiting) -> None:
        if "max_covers" in limits:
            raise TypeError("max_covers is no limit here")
        given = Limits.of(**limits)
        self.layout = layout
        self.nodes, self.max_nodes = 0, given.max_nodes
        self.end = time.monotonic() + given.timeout
        self.progress = limits.get("progress")
        self.plain = layout.is_plain
        self.kernel: Any = compiled_module("sudoku.kernels.minimal").Question() if self.plain else None

    def completion(self, grid: Grid | Puzzle, without: Candidate | None = None) -> Grid | None:
        """A completion of a grid, or of a puzzle with pencil marks, perhaps without a candidate; None if there is none.

        Raises:
            StoppedError: a limit came first.
        """
        if self.plain and not isinstance(grid, Puzzle):
            return self._fast(grid, without)
        problem = encode(grid, self.layout)
        if without is not None:
            problem = problem.without([k for k, name in enumerate(problem.names or ()) if name == without])
        found = dlx.first(problem, **self._limits())
        self._note(found)
        return None if found.cover is None else decode(problem, found.cover)

    def has_one(self, grid: Grid) -> bool:
        """Tells whether a grid has one completion, and no other one.

        Raises:
            StoppedError: a limit came first.
        """
        if self.plain:
            return self._fast(grid, None, 2) is not None and self.kernel.here == 1
        return len(self.some(grid, 2)) == 1

    def some(self, grid: Grid, most: int) -> list[Grid]:
        """Completions of a grid, up to so many.

        Raises:
            StoppedError: a limit came before.
        """
        problem = encode(grid, self.layout)
        limits = self._limits()
        limits["max_covers"] = most
        covers = dlx.covers(problem, **limits)
        found = [decode(problem, cover) for cover in covers]
        if covers.stopped != "max_covers":
            self._note(covers)
        return found

    def _fast(self, grid: Grid, without: Candidate | None, most: int = 1) -> Grid | None:
        """The first completion of plain sudoku, after a search for up to so many."""
        self._limits()
        row, column, digit = without or (0, 0, 0)
        self.kernel.ask(grid.reshape(1, 81).copy(), 9 * row + column, digit, most)
        before = self.kernel.nodes
        if self.kernel.run(QUICK, UNLIMITED, UNLIMITED) != EXHAUSTED:
            with Loop(Limits.of(**self._limits())) as loop:
                for _ in loop.slices(self.kernel):
                    pass
            if loop.stopped:
                raise StoppedError(loop.stopped)
        self.nodes += self.kernel.nodes - before
        return self.kernel.completion().reshape(9, 9) if self.kernel.here else None

    def _limits(self) -> Limiting:
        """Returns the rest of the limits.

        Raises:
            StoppedError: nothing is.
        """
        left = self.end - time.monotonic()
        if left <= 0:
            raise StoppedError("timeout")
        if self.nodes > self.max_nodes:
            raise StoppedError("max_nodes")
        return {"timeout": left, "max_nodes": self.max_nodes - self.nodes, "progress": self.progress}

    def _note(self, outcome: Any) -> None:
        self.nodes += outcome.nodes
        if outcome.stopped:
            raise StoppedError(outcome.stopped)
