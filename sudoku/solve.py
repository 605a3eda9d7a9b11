"""Plain sudoku: a completion of a grid, how many it has, and how often each digit is in each cell of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import UNLIMITED, Limiting, Limits, Merge
from sudoku.conversion import GridLike, as_puzzle
from sudoku.encoding import candidates, decode, encode
from sudoku.grid import Grid, Shown, frozen, work_of
from sudoku.layout import Box, Layout, takes_layout
from sudoku.many.plain import complete

FEW = 1 << 17  # completions of a plain grid that are visited, in 40 ms, before equal states are merged


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution(dlx.Outcome, Shown):
    """The result of `solve`: a completion of a grid, and how the search went.

    Attributes:
        completion: uint8, shape (n, n), read-only; or None. Then `exhausted` tells "there is none" from "none was found
            within the limits". With a completion `exhausted` says nothing about others: `count(grid, max_covers=2)`
            asks whether there are any.
        givens: the grid, of the same shape.
        layout: its layout.
    """

    completion: Grid | None
    givens: Grid = field(repr=False)
    layout: Layout = field(repr=False)


@takes_layout
def solve(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> Solution:
    """Finds a completion of a grid, if it has any; of several, one of them.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search of `dlx`.

    Returns:
        The completion, or None there, and how the search went. Ctrl-C ends the search, not the program: `stopped` is
        then "interrupt".

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout or a limit is wrong.

    >>> solve("1...............", layout=(2, 2)).completion[0]
    array([1, 2, 3, 4], dtype=uint8)
    >>> unsolvable = solve("11..............", layout=(2, 2))
    >>> unsolvable.completion, unsolvable.exhausted
    (None, True)
    """
    puzzle = as_puzzle(grid, layout)
    if puzzle.layout.is_plain and puzzle.candidates is None:
        plain = complete(puzzle.grid[None], Limits.of(**limits))
        completion = frozen(plain.completions[0].reshape(9, 9)) if plain.counts[0] > 0 else None
        return Solution(completion=completion, givens=puzzle.grid, layout=puzzle.layout, **plain.outcome)
    problem = encode(puzzle)
    found = dlx.first(problem, **limits)
    return Solution(
        completion=None if found.cover is None else frozen(decode(problem, found.cover)),
        givens=puzzle.grid,
        layout=puzzle.layout,
        **work_of(found),
    )


@takes_layout
def count(
    grid: GridLike,
    layout: Box | Layout | None = None,
    *,
    merge: Merge = "auto",
    memory: int | None = None,
    **limits: Unpack[Limiting],
) -> dlx.Count:
    """Counts the completions of a grid.

    Parameters:
        grid, layout, limits: as for `solve`.
        merge: whether what is left is counted once where it is the same, as for `dlx.count`: "auto" for where that
            pays, "never", "same", or "isomorphic" for what is the same up to renaming (with the extra `symmetry`), by
            which all 6.67e21 grids are counted in minutes.
        memory: how many bytes may remember what is left, 1 GB without it.

    Returns:
        The number, as `covers`, whether it is the whole number, as `exhausted`, and how the search went. Ctrl-C ends
        the search, not the program.

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout, `merge`, the memory or a limit is wrong.
        ImportError: "isomorphic" is wanted, and pynauty is not installed.
        MemoryError: "isomorphic" takes more than `memory`.

    >>> count("................", layout=(2, 2)).covers
    288
    >>> count("." * 36, layout=(2, 3), merge="isomorphic").covers
    28200960
    >>> count("................", Layout.x(2, 2)).covers
    48
    >>> count("." * 81, max_covers=1000).stopped
    'max_covers'
    """
    puzzle = as_puzzle(grid, layout)
    if puzzle.layout.is_plain and puzzle.candidates is None and merge in ("auto", "never"):
        quick = _count_plain(puzzle.grid, Limits.of(**limits), UNLIMITED if merge == "never" else FEW)
        if quick is not None:
            return quick
    return dlx.count(encode(puzzle), merge=merge, memory=memory, **limits)


def _count_plain(givens: Grid, limits: Limits, few: int) -> dlx.Count | None:
    """Returns the number of completions of a plain grid, if they are few, or if a limit comes first; otherwise None."""
    found = complete(givens[None], limits, UNLIMITED, glance=few)
    if not found.done and found.outcome["stopped"] is None:
        return None
    covers = int(found.counts[0]) if found.done else found.under_way
    return dlx.Count(covers=covers, kernel="bands", **found.outcome)


@takes_layout
def shares(
    grid: GridLike, layout: Box | Layout | None = None, *, memory: int | None = None, **limits: Unpack[Limiting]
) -> npt.NDArray[np.float64]:
    """The chance of each digit in each cell, if every completion of a grid has the same chance.

    All completions are counted, as a diagram (`dlx.diagram`), which need not visit them; how many there may be depends
    on the grid. An empty one of 3 x 3 is far too much.

    Parameters:
        grid: a grid in any form that `as_grid` takes.
        layout: the rows and columns of a box, or a `Layout`; without it, that of a `Puzzle`, and otherwise 3 x 3.
        memory: how many bytes the search may take, 1 GB without it; and so many the counts of completions.
        limits: max_nodes, timeout (in seconds) and progress, as for every search of `dlx`.

    Returns:
        The part of the completions that have each digit in each cell, correct to the last bit or so: float64, shape
        (n, n, n), rows, columns, and digits from 1 on; all 0 if there is no completion.

    Raises:
        GridError: a text is no grid.
        ValueError: the grid, the layout or a limit is wrong.
        TypeError: a limit has the wrong type, or is max_covers.
        TimeoutError: max_nodes or the timeout came first.
        MemoryError: it would take more than `memory`.
        KeyboardInterrupt: Ctrl-C came first.

    >>> shares("1.....2.........", layout=(2, 2))[3, 3]
    array([0.  , 0.5 , 0.25, 0.25])
    """
    puzzle = as_puzzle(grid, layout)
    problem = encode(puzzle)
    row, column, digit = candidates(problem).T
    chances = np.zeros((*puzzle.layout.shape, puzzle.layout.size))
    chances[row, column, digit - 1] = dlx.diagram(problem, memory=memory, **limits).shares()[: len(row)]
    return chances
