"""Explanations of grids with no completion, or several: givens that are to blame, and givens that are missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Unpack, cast

import numpy as np
import numpy.typing as npt

import dlx
from dlx.extending import Limiting, Stop, StoppedError
from sudoku.constraints import Candidate, Cell
from sudoku.formats.conversion import GridLike
from sudoku.grid import Grid, Plain
from sudoku.layout import Box, Layout
from sudoku.setting.marks import agreeing
from sudoku.setting.minimising import generator, minimised
from sudoku.setting.queries import Asking, bare, holders, numbered

ROUNDS = 200  # sets of givens tried in the search for a smallest core
SAMPLE = 300  # completions that an extra given is chosen by


class Conflict(NamedTuple):
    """Two givens that a rule forbids.

    Attributes:
        kind, name: what has it: a region, a clash or a sum, as the layout has them.
        givens: both, (row, column, digit), rows and columns from 0.
    """

    kind: str
    name: int | str
    givens: tuple[Candidate, Candidate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(Plain):
    """The result of `explain`. Rows and columns are numbered from 0.

    Attributes:
        completions: how many there are: 0, 1, or 2 for more than one; None if a limit came before that was known.
        conflicts: the pairs of givens that a rule forbids.
        core: givens without a common completion, each of which is needed: without any one, the others have one. None if
            there is a completion, or a limit came first.
        differing: the cells that are not the same in all completions; those found so far, if a limit came first.
        extra: further givens (row, column, digit) that leave a single completion, each of which is needed; None if the
            grid does not have several completions, or a limit came first.
        smallest: whether it is proven that no core has fewer givens, or that fewer extra givens are not enough; None
            without a core and extra givens.
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

    Parameters and errors: as for `solve`; max_covers is no limit here, and the others are for all searches together.

    Returns:
        The explanation so far; Ctrl-C ends the search, not the program.

    >>> wrong = explain("1.1.............", layout=(2, 2))
    >>> wrong.conflicts[0], wrong.core
    (Conflict(kind='row', name=0, givens=((0, 0, 1), (0, 2, 1))), ((0, 0), (0, 2)))
    >>> several = explain("123434122.......", layout=(2, 2))
    >>> several.completions, several.differing, several.extra
    (2, ((2, 1), (2, 3), (3, 1), (3, 3)), ((2, 1, 1),))
    """
    givens, layout = bare(grid, layout)
    search = _Search(givens, layout, limits)
    try:
        search.run()
    except StoppedError as error:
        search.found["stopped"] = error.stopped
    return Explanation(**search.found)  # type: ignore[arg-type]


class _Search:
    """The steps of an explanation; `found` has the arguments of `Explanation` that are known by now."""

    def __init__(self, givens: Grid, layout: Layout, limits: Limiting) -> None:
        self.givens, self.layout = givens, layout
        self.asking = Asking(layout, limits)
        self.found: dict[str, object] = {"completions": None, "conflicts": conflicts_in(givens, layout)}

    def run(self) -> None:
        completion = self.asking.completion(self.givens)
        if completion is None:
            self.found["completions"] = 0
            self.found["core"], self.found["smallest"] = self._core()
        elif self._differs(completion):
            self.found["extra"], self.found["smallest"] = self._extra()
        else:
            self.found["completions"] = 1

    def _core(self) -> tuple[tuple[Cell, ...], bool]:
        """Givens without completion, and whether there are no fewer of them."""
        cells = cells_of(self.givens > 0)
        left_out: list[set[Cell]] = []  # from each of these sets a core has a given
        for _ in range(ROUNDS):
            some = least_meeting(left_out, self.asking)
            missing = self._left_out(some, cells)
            if not missing:
                return tuple(sorted(some)), True
            left_out.append(missing)
        order = generator(0).permutation(cells).tolist()
        return cells_of(minimised(self.asking, self.givens, order) > 0), False

    def _left_out(self, some: Iterable[Cell], cells: Sequence[Cell]) -> set[Cell]:
        """A smallest set of givens without which there is a completion that has `some`; empty if it has none."""
        kept = np.zeros_like(self.givens)
        for cell in some:
            kept[cell] = self.givens[cell]
        completion = self.asking.completion(kept)
        if completion is None:
            return set()
        kept = np.where(completion == self.givens, self.givens, 0)
        for cell in cells:
            if not kept[cell]:
                kept[cell] = self.givens[cell]
                if self.asking.completion(kept) is None:
                    kept[cell] = 0
        return {cell for cell in cells if not kept[cell]}

    def _differs(self, completion: Grid) -> bool:
        """Notes the cells of which some completion has another digit; tells whether there are any."""
        for left in agreeing(self.asking, self.givens, completion):
            self.found |= {"completions": 2, "differing": cells_of(left != completion)}
        return "differing" in self.found

    def _extra(self) -> tuple[tuple[Candidate, ...], bool]:
        """Returns further givens that leave one completion, and whether fewer are proven not to be enough."""
        grid, chosen = self.givens.copy(), list[Cell]()
        all_listed = len(some := self.asking.some(grid, SAMPLE)) < SAMPLE
        while len(some) > 1:
            r, c, digit = telling(np.array(some))
            chosen.append((r, c))
            grid[r, c] = digit
            some = self.asking.some(grid, SAMPLE)
        left = minimised(self.asking, grid, chosen)
        extra = tuple((r, c, int(left[r, c])) for r, c in cells_of(left != self.givens))
        return extra, len(extra) <= 1 + all_listed


def cells_of(mask: npt.NDArray[np.bool_]) -> tuple[Cell, ...]:
    """The cells where a mask is true, row by row."""
    return tuple((r, c) for r, c in np.argwhere(mask).tolist())


def conflicts_in(givens: Grid, layout: Layout) -> tuple[Conflict, ...]:
    """The pairs of givens that share something which only one candidate can have."""
    problem, names, _ = numbered(layout)
    found: dict[Conflict, None] = {}
    for item, options in sorted(holders(givens, layout).items()):
        kind, name = cast(tuple[Any, ...], problem.items[item])[:2]
        for one, other in combinations((names[option] for option in options), 2):
            found[Conflict(kind, name, (one, other))] = None  # a clash may have several items
    return tuple(found)


def least_meeting(sets: Sequence[set[Cell]], asking: Asking) -> list[Cell]:
    """As few things as possible of which each set has one (a smallest hitting set)."""
    things = sorted({thing for one in sets for thing in one})
    options = {thing: [k for k, one in enumerate(sets) if thing in one] for thing in things}
    if not options:
        return []
    most = {k: (1, len(one)) for k, one in enumerate(sets)}
    problem = dlx.Problem.from_options(options, weights=[1] * len(options), multiplicities=most)
    return list(asking.best(problem).labels)


def telling(completions: Grid) -> Candidate:
    """The candidate that is in the fewest of some completions, but in one at least."""
    digits = np.arange(1, int(completions.max()) + 1)
    times = (completions[..., None] == digits).sum(axis=0)
    r, c, k = np.unravel_index(np.where(times > 0, times, len(completions)).argmin(), times.shape)
    return int(r), int(c), int(k) + 1
