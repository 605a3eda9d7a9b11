"""The hardness of a puzzle for a search: guesses, nodes and backdoors; not the steps that a person would take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import Limiting, Limits, Loop, Stop, StoppedError, compiled_module
from sudoku.constraints import Cell
from sudoku.formats.conversion import GridLike
from sudoku.grid import Grid
from sudoku.layout import Box, Layout, takes_layout
from sudoku.setting.queries import bare, given_options, numbered, ran

Options = npt.NDArray[np.int32]

LARGEST = 3  # cells of a backdoor: all sets of three take 0.03 s, of four a second


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The result of `measure`.

    Attributes:
        completions: how many there are, up to 2.
        guesses: how many candidates were tried where no single was left, until all completions, or two, had been found.
        nodes: how many candidates were placed in all, those that followed from singles included; where there are sums,
            what they are made of counts, too.
        backdoor: cells which, filled in as in the first completion, leave nothing but singles, and no fewer cells do;
            empty if singles are all that it takes. None if there is no completion, or no such set of so many cells.
        stopped: the limit that ended the search early, or None; then the numbers are those so far.
    """

    completions: int
    guesses: int
    nodes: int
    backdoor: tuple[Cell, ...] | None
    stopped: Stop | None


@takes_layout
def measure(
    grid: GridLike, layout: Box | Layout | None = None, *, largest: int = LARGEST, **limits: Unpack[Limiting]
) -> Measure:
    """Measures how much a search has to guess, and how few cells more would spare it that.

    The search fills in all singles: cells with one candidate left, and digits with one cell left in a row, a column, a
    box or another region of n cells. Where there is none, it guesses: it tries a candidate of an item (a cell, or a
    digit of a region) that has the fewest, the first one of these. So the number changes when a puzzle is turned, but
    for one that takes no guess. People find other puzzles hard: they know other steps, and shun guesses.

    Parameters:
        grid, layout: as for `solve`.
        largest: the most cells of a backdoor (R. Williams, C. Gomes, B. Selman, Backdoors to typical case complexity,
            IJCAI 2003); all sets of so many are tried.
        limits: as for `solve`, for the guesses and for the sets of cells each.

    Raises: as `solve`, and ValueError where `largest` is wrong.

    >>> measure("000000010400000000020000000000050407008000300001090000300400200050100000000806000")
    Measure(completions=1, guesses=0, nodes=64, backdoor=(), stopped=None)
    >>> hard = measure("800000000003600000070090200050007000000045700000100030001000068008500010090000400")
    >>> hard.guesses, hard.backdoor
    (160, ((0, 2), (4, 1)))
    """
    if isinstance(largest, bool) or not isinstance(largest, int) or largest < 0:
        raise ValueError(f"largest is {largest!r}; it must be a whole number from 0")
    givens, layout = bare(grid, layout)
    meter = Meter(layout)
    stopped = ran(kernel := meter.begin(givens), limits)
    backdoor = None
    if kernel.covers and not stopped:
        backdoor, stopped = _backdoor(meter, givens, largest, limits)
    return Measure(
        completions=kernel.covers,
        guesses=kernel.nodes,
        nodes=max(0, kernel.updates - int(np.count_nonzero(givens))),
        backdoor=backdoor,
        stopped=stopped,
    )


class Meter:
    """Counts guesses in grids of one layout, one after the other."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.problem, self.names, _ = numbered(layout)
        self.kernel = compiled_module("sudoku.kernels.propagation").Propagation(self.problem)

    def begin(self, grid: Grid) -> Any:
        """Returns the search for two completions of a grid, before its first guess."""
        self.kernel.begin(given_options(grid, self.layout))
        return self.kernel

    def guesses(self, grid: Grid, **limits: Unpack[Limiting]) -> int:
        """Returns the number of guesses on the way to two completions of a grid; StoppedError if a limit came first."""
        if stopped := ran(self.begin(grid), limits):
            raise StoppedError(stopped)
        return int(self.kernel.nodes)


def _backdoor(
    meter: Meter, givens: Grid, largest: int, limits: Limiting
) -> tuple[tuple[Cell, ...] | None, Stop | None]:
    """Returns the smallest backdoor of up to so many cells, the first of its size; or the limit that came before."""
    kernel = compiled_module("sudoku.kernels.propagation").Backdoors(meter.problem)
    kernel.begin(given_options(givens, meter.layout))
    if kernel.left() == 0:
        return (), None
    cover = np.sort(meter.kernel.first())
    cover = cover[cover < len(meter.names)]
    with Loop(Limits.of(**limits)) as loop:
        for size in range(1, largest + 1):
            kernel.seek(cover, size)
            for _ in loop.slices(kernel):
                pass
            if kernel.covers or loop.stopped:
                break
    if loop.stopped or not kernel.covers:
        return None, loop.stopped
    return tuple(meter.names[option][:2] for option in kernel.first().tolist()), None
