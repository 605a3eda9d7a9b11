"""Why a grid has no completion or several: conflicting givens, and missing givens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

from dlx.extending import Limiting, Stop, StoppedError
from sudoku.constraints import Candidate, Cell
from sudoku.encoding import tables_of
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, Plain
from sudoku.layout import Box, Layout
from sudoku.setting.minimising import generator, minimised, unsolvable
from sudoku.setting.searches import Searches, givens_of, holders

ORDERS = 20  # random orders of removal that are tried for a core
SAMPLE = 300  # completions from which an extra given is chosen


class Conflict(NamedTuple):
    """Two givens that a rule forbids.

    Attributes:
        kind, name: the rule: a region, a line or a sum of the layout.
        givens: both, each (row, column, digit); rows and columns from 0.
    """

    kind: str
    name: int | str
    givens: tuple[Candidate, Candidate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(Plain):
    """The result of `explain`. Rows and columns are numbered from 0.

    Attributes:
        completions: 0, 1, or 2 for more than one; None if a limit came before it was known.
        conflicts: the pairs of givens that a rule forbids.
        core: a minimal set of givens without a common completion; None if there is a completion, or a limit came
            first.
        differing: the cells that differ between completions; those found so far, if a limit came first.
        extra: further givens (row, column, digit), all needed, that leave a single completion; None if the grid does
            not have several completions, or a limit came first.
        stopped: the limit that ended the search early, or None.
    """

    completions: int | None
    conflicts: tuple[Conflict, ...] = ()
    core: tuple[Cell, ...] | None = None
    differing: tuple[Cell, ...] = ()
    extra: tuple[Candidate, ...] | None = None
    stopped: Stop | None = None


def explain(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> Explanation:
    """Explains why a grid does not have exactly one completion.

    *No completion*: removes givens one by one while there is no completion, in 20 random orders, and returns the least
    core. A smaller one may exist: in 110 of 115 puzzles with a wrong digit, the core was a smallest one. Two givens
    that clash are a core.

    *Several*: adds the given that leaves the fewest of 300 completions until one remains. None of the added givens is
    redundant, but a smaller set may exist. If there are fewer than 300 completions, a single given is found if one is
    enough.

    Parameters and errors: as for `solve`, without max_covers; the limits hold for all searches together.

    Returns:
        The explanation so far; Ctrl-C ends the search, not the program.

    >>> wrong = explain("1.1.............", layout=(2, 2))
    >>> wrong.conflicts[0], wrong.core
    (Conflict(kind='row', name=0, givens=((0, 0, 1), (0, 2, 1))), ((0, 0), (0, 2)))
    >>> several = explain("123434122.......", layout=(2, 2))
    >>> several.completions, several.differing, several.extra
    (2, ((2, 1), (2, 3), (3, 1), (3, 3)), ((2, 1, 1),))
    """
    givens, layout = givens_of(grid, layout)
    searches = Searches(layout, limits)
    found: dict[str, Any] = {"completions": None, "conflicts": conflicts_in(givens, layout)}
    try:
        counts = searches.completions(givens[None], 2).counts
        found["completions"] = int(counts[0])
        if counts[0] == 0:
            found["core"] = _core(searches, givens, found["conflicts"])
        elif counts[0] > 1:
            some = searches.some(givens, SAMPLE)
            for cells in _differing(searches, givens, np.array(some)):
                found["differing"] = cells
            found["extra"] = _extra(searches, givens, some)
    except StoppedError as error:
        found["stopped"] = error.stopped
    return Explanation(**found)


def _core(searches: Searches, givens: Grid, conflicts: Sequence[Conflict]) -> tuple[Cell, ...]:
    """Returns a core: the smallest one after removals in some orders, or both givens of the first conflict."""
    if conflicts:
        kept = np.zeros_like(givens)
        for r, c, digit in conflicts[0].givens:
            kept[r, c] = digit
        givens = kept
    random, cells = generator(0), np.argwhere(givens)
    cores = (unsolvable(searches, givens, random.permutation(cells).tolist()) for _ in range(ORDERS))
    return min((cells_of(core > 0) for core in cores), key=len)


def _differing(searches: Searches, givens: Grid, some: Grid) -> Iterator[tuple[Cell, ...]]:
    """Yields the cells that differ between completions: between some of them, and after further searches."""
    differ = (some != some[0]).any(axis=0)
    yield cells_of(differ)
    marks = some[0][..., None] == np.arange(1, searches.layout.size + 1)
    marks[differ] = True  # no search for further digits of these cells
    if len(some) == SAMPLE:
        for known in searches.marks(as_puzzle(givens, searches.layout), marks):
            yield cells_of(known.sum(axis=2) > 1)


def _extra(searches: Searches, givens: Grid, some: list[Grid]) -> tuple[Candidate, ...]:
    """Returns givens that leave one of some completions."""
    grid, added = givens.copy(), list[Cell]()
    while len(some) > 1:
        r, c, digit = rarest_candidate(np.array(some))
        added.append((r, c))
        grid[r, c] = digit
        some = searches.some(grid, SAMPLE)
    minimal = minimised(searches, grid, added)
    return tuple((r, c, int(minimal[r, c])) for r, c in cells_of(minimal != givens))


def cells_of(mask: npt.NDArray[np.bool_]) -> tuple[Cell, ...]:
    """Returns the cells where a mask is true, row by row."""
    return tuple((r, c) for r, c in np.argwhere(mask).tolist())


def conflicts_in(givens: Grid, layout: Layout) -> tuple[Conflict, ...]:
    """Returns the pairs of givens that a rule forbids."""
    problem: Any = tables_of(layout).problem
    found: dict[Conflict, None] = {}
    for item, options in sorted(holders(givens, layout).items()):
        kind, name = problem.items[item][:2]
        for one, other in combinations((problem.names[option] for option in options), 2):
            found[Conflict(kind, name, (one, other))] = None  # a line may have several items for a pair
    return tuple(found)


def rarest_candidate(completions: Grid) -> Candidate:
    """Returns a candidate that is in the fewest of some completions, but in at least one."""
    digits = np.arange(1, int(completions.max()) + 1)
    times = (completions[..., None] == digits).sum(axis=0)
    r, c, k = np.unravel_index(np.where(times > 0, times, len(completions)).argmin(), times.shape)
    return int(r), int(c), int(k) + 1
