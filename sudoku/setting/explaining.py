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
from sudoku.formats.conversion import GridLike
from sudoku.grid import Grid, Plain
from sudoku.layout import Box, Layout
from sudoku.setting.minimising import generator, minimised
from sudoku.setting.searches import Searches, givens_of, holders, numbered

ORDERS = 20  # orders of removal for a core; ten found a smallest core of 56 of 57 puzzles with a wrong digit
SAMPLE = 300  # completions that decide an extra given


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

    *No completion*: givens are removed one by one, in 20 random orders, while there is no completion; the core is the
    smallest set left. *Several*: adds the given that leaves the fewest of 300 completions until one remains. Each given
    of the core and each added given is needed, but smaller sets may exist.

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
    searches, conflicts = Searches(layout, limits), conflicts_in(givens, layout)
    found: dict[str, Any] = {"completions": None, "conflicts": conflicts}
    try:
        completion = searches.completion(givens)
        if completion is None:
            found["completions"] = 0
            found["core"] = _core(searches, givens, conflicts)
        else:
            for cells in _differing(searches, givens, completion):
                found |= {"completions": 2, "differing": cells}
            if "differing" in found:
                found["extra"] = _extra(searches, givens)
            else:
                found["completions"] = 1
    except StoppedError as error:
        found["stopped"] = error.stopped
    return Explanation(**found)


def _core(searches: Searches, givens: Grid, conflicts: Sequence[Conflict]) -> tuple[Cell, ...]:
    """Returns a core: of the first two givens that clash, or the smallest one that some orders of removal leave."""
    some = givens
    if conflicts:
        rows, columns, digits = np.array(conflicts[0].givens).T
        some = np.zeros_like(givens)
        some[rows, columns] = digits
    cells = cells_of(some > 0)
    orders = [generator(k).permutation(cells).tolist() for k in range(ORDERS)]
    return cells_of(min((minimised(searches, some, order) for order in orders), key=np.count_nonzero) > 0)


def _differing(searches: Searches, givens: Grid, completion: Grid) -> Iterator[tuple[Cell, ...]]:
    """Yields the cells that differ between completions: after each further completion, those known so far."""
    common = completion.copy()  # the digits that all completions found so far share, 0 elsewhere
    for r, c in np.argwhere((completion > 0) & (givens == 0)).tolist():
        if common[r, c] and (other := searches.other(givens, r, c, int(common[r, c]))) is not None:
            common[common != other] = 0
            yield cells_of(common != completion)


def _extra(searches: Searches, givens: Grid) -> tuple[Candidate, ...]:
    """Returns givens that leave one completion."""
    grid, added = givens.copy(), list[Cell]()
    while len(some := searches.some(grid, SAMPLE)) > 1:
        r, c, digit = rarest_candidate(np.array(some))
        added.append((r, c))
        grid[r, c] = digit
    minimal = minimised(searches, grid, added)
    return tuple((r, c, int(minimal[r, c])) for r, c in cells_of(minimal != givens))


def cells_of(mask: npt.NDArray[np.bool_]) -> tuple[Cell, ...]:
    """Returns the cells where a mask is true, row by row."""
    return tuple((r, c) for r, c in np.argwhere(mask).tolist())


def conflicts_in(givens: Grid, layout: Layout) -> tuple[Conflict, ...]:
    """Returns the pairs of givens that a rule forbids."""
    problem: Any = numbered(layout)[0]
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
