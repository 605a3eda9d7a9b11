"""Why a grid has no completion or several: conflicting givens, and missing givens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import Limiting, Stop, StoppedError
from sudoku.constraints import Candidate, Cell
from sudoku.formats.conversion import GridLike, as_puzzle
from sudoku.grid import Grid, Plain
from sudoku.layout import Box, Layout
from sudoku.setting.minimising import generator, minimised
from sudoku.setting.searches import Searches, givens_of, holders, numbered

ROUNDS = 200  # correction sets in the search for a smallest core
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
        smallest: whether it is proven that no core, or no set of extra givens, is smaller; None without either.
        stopped: the limit that ended the search early, or None.
    """

    completions: int | None
    conflicts: tuple[Conflict, ...] = ()
    core: tuple[Cell, ...] | None = None
    differing: tuple[Cell, ...] = ()
    extra: tuple[Candidate, ...] | None = None
    smallest: bool | None = None
    stopped: Stop | None = None


def explain(grid: GridLike, layout: Box | Layout | None = None, **limits: Unpack[Limiting]) -> Explanation:
    """Explains why a grid does not have exactly one completion.

    *No completion*: searches for a smallest core, by implicit hitting sets (A. Ignatiev, A. Previti, M. Liffiton,
    J. Marques-Silva, CP 2015, doi:10.1007/978-3-319-23219-5_13). Removing a correction set from the givens makes them
    solvable. A smallest set that meets all correction sets found so far is a smallest core if it has no completion.
    Two givens that clash are a smallest core. After 200 sets a core is found by removing givens one by one; it may not
    be a smallest one.

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
            found["core"], found["smallest"] = _core(searches, givens)
        elif counts[0] > 1:
            some = searches.some(givens, SAMPLE)
            for cells in _differing(searches, givens, np.array(some)):
                found["differing"] = cells
            found["extra"], found["smallest"] = _extra(searches, givens, some)
    except StoppedError as error:
        found["stopped"] = error.stopped
    return Explanation(**found)


def _core(searches: Searches, givens: Grid) -> tuple[tuple[Cell, ...], bool]:
    """Returns a core, and whether it is proven to be a smallest one."""
    corrections: list[set[Cell]] = []  # a core has a given of each of these sets
    for _ in range(ROUNDS):
        some = smallest_hitting_set(corrections, searches)
        correction = _correction(searches, givens, some)
        if not correction:
            return tuple(sorted(some)), True
        corrections.append(correction)
    order = generator(0).permutation(np.argwhere(givens)).tolist()
    return cells_of(minimised(searches, givens, order) > 0), False


def _correction(searches: Searches, givens: Grid, some: Iterable[Cell]) -> set[Cell]:
    """Returns a minimal set of givens whose removal leaves a completion with `some`; empty if there is none."""
    kept = np.zeros_like(givens)
    for cell in some:
        kept[cell] = givens[cell]
    completion = searches.completion(kept)
    if completion is None:
        return set()
    kept = np.where(completion == givens, givens, 0)
    correction = set[Cell]()
    for cell in cells_of(kept != givens):
        kept[cell] = givens[cell]
        if searches.completion(kept) is None:
            kept[cell] = 0
            correction.add(cell)
    return correction


def _differing(searches: Searches, givens: Grid, some: Grid) -> Iterator[tuple[Cell, ...]]:
    """Yields the cells that differ between completions: between some of them, and after further searches."""
    differ = (some != some[0]).any(axis=0)
    yield cells_of(differ)
    marks = some[0][..., None] == np.arange(1, searches.layout.size + 1)
    marks[differ] = True  # further digits of these cells are not looked for
    if len(some) == SAMPLE:
        for known in searches.marks(as_puzzle(givens, searches.layout), marks):
            yield cells_of(known.sum(axis=2) > 1)


def _extra(searches: Searches, givens: Grid, some: list[Grid]) -> tuple[tuple[Candidate, ...], bool]:
    """Returns givens that leave one of some completions, and whether it is proven that fewer do not."""
    grid, added, all_listed = givens.copy(), list[Cell](), len(some) < SAMPLE
    while len(some) > 1:
        r, c, digit = rarest_candidate(np.array(some))
        added.append((r, c))
        grid[r, c] = digit
        some = searches.some(grid, SAMPLE)
    minimal = minimised(searches, grid, added)
    extra = tuple((r, c, int(minimal[r, c])) for r, c in cells_of(minimal != givens))
    return extra, len(extra) <= 1 + all_listed


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


def smallest_hitting_set(sets: Sequence[set[Cell]], searches: Searches) -> list[Cell]:
    """Returns a smallest set of cells that has a cell of each set."""
    cells = sorted({cell for one in sets for cell in one})
    options = {cell: [k for k, one in enumerate(sets) if cell in one] for cell in cells}
    if not options:
        return []
    most = {k: (1, len(one)) for k, one in enumerate(sets)}
    problem = dlx.Problem.from_options(options, weights=[1] * len(options), multiplicities=most)
    found = dlx.best(problem, "min", **searches.limits())
    searches.note(found)
    return list(found.covers[0].labels)


def rarest_candidate(completions: Grid) -> Candidate:
    """Returns a candidate that is in the fewest of some completions, but in at least one."""
    digits = np.arange(1, int(completions.max()) + 1)
    times = (completions[..., None] == digits).sum(axis=0)
    r, c, k = np.unravel_index(np.where(times > 0, times, len(completions)).argmin(), times.shape)
    return int(r), int(c), int(k) + 1
