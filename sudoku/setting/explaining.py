"""Why a grid has no completion or several: conflicting givens, and missing givens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import Limiting, Stop, StoppedError
from sudoku.constraints import Candidate, Cell
from sudoku.formats.conversion import GridLike
from sudoku.grid import Grid, Plain
from sudoku.layout import Box, Layout
from sudoku.setting.minimising import generator, minimised
from sudoku.setting.queries import Searches, givens_of, holders, numbered

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
    search = _Explainer(givens, layout, limits)
    try:
        search.run()
    except StoppedError as error:
        search.found["stopped"] = error.stopped
    return Explanation(**search.found)  # type: ignore[arg-type]


class _Explainer:
    """The search for an explanation; `found` has the fields of `Explanation` known so far."""

    def __init__(self, givens: Grid, layout: Layout, limits: Limiting) -> None:
        self.givens, self.layout = givens, layout
        self.searches = Searches(layout, limits)
        self.found: dict[str, object] = {"completions": None, "conflicts": conflicts_in(givens, layout)}

    def run(self) -> None:
        completion = self.searches.completion(self.givens)
        if completion is None:
            self.found["completions"] = 0
            self.found["core"], self.found["smallest"] = self._core()
        elif self._differs(completion):
            self.found["extra"], self.found["smallest"] = self._extra()
        else:
            self.found["completions"] = 1

    def _core(self) -> tuple[tuple[Cell, ...], bool]:
        """Returns a core, and whether it is proven to be a smallest one."""
        cells = cells_of(self.givens > 0)
        corrections: list[set[Cell]] = []  # a core has a given of each of these sets
        for _ in range(ROUNDS):
            some = smallest_hitting_set(corrections, self.searches)
            correction = self._correction(some, cells)
            if not correction:
                return tuple(sorted(some)), True
            corrections.append(correction)
        order = generator(0).permutation(cells).tolist()
        return cells_of(minimised(self.searches, self.givens, order) > 0), False

    def _correction(self, some: Iterable[Cell], cells: Sequence[Cell]) -> set[Cell]:
        """Returns a minimal set of givens whose removal leaves a completion with `some`; empty if there is none."""
        kept = np.zeros_like(self.givens)
        for cell in some:
            kept[cell] = self.givens[cell]
        completion = self.searches.completion(kept)
        if completion is None:
            return set()
        kept = np.where(completion == self.givens, self.givens, 0)
        for cell in cells:
            if not kept[cell]:
                kept[cell] = self.givens[cell]
                if self.searches.completion(kept) is None:
                    kept[cell] = 0
        return {cell for cell in cells if not kept[cell]}

    def _differs(self, completion: Grid) -> bool:
        """Finds the cells that differ between completions; returns whether there are any."""
        common = completion.copy()  # the digits that all completions found so far share, 0 elsewhere
        for r, c in np.argwhere((completion > 0) & (self.givens == 0)).tolist():
            if not common[r, c]:
                continue
            other = self.searches.completion(self.givens, without=(r, c, int(common[r, c])))
            if other is not None:
                common[common != other] = 0
                self.found |= {"completions": 2, "differing": cells_of(common != completion)}
        return "differing" in self.found

    def _extra(self) -> tuple[tuple[Candidate, ...], bool]:
        """Returns givens that leave one completion, and whether it is proven that fewer do not."""
        grid, added = self.givens.copy(), list[Cell]()
        all_listed = len(some := self.searches.some(grid, SAMPLE)) < SAMPLE
        while len(some) > 1:
            r, c, digit = rarest_candidate(np.array(some))
            added.append((r, c))
            grid[r, c] = digit
            some = self.searches.some(grid, SAMPLE)
        minimal = minimised(self.searches, grid, added)
        extra = tuple((r, c, int(minimal[r, c])) for r, c in cells_of(minimal != self.givens))
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
    return list(searches.best(problem).labels)


def rarest_candidate(completions: Grid) -> Candidate:
    """Returns a candidate that is in the fewest of some completions, but in at least one."""
    digits = np.arange(1, int(completions.max()) + 1)
    times = (completions[..., None] == digits).sum(axis=0)
    r, c, k = np.unravel_index(np.where(times > 0, times, len(completions)).argmin(), times.shape)
    return int(r), int(c), int(k) + 1
