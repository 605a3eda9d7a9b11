"""The covers of a problem up to symmetry: one cover of each orbit, and the size of the orbit.

If there are few symmetries, each cover is visited, and the least of its images represents its orbit. If there are many,
partial covers are extended breadth-first, option by option, and one is kept of each orbit (P. Kaski,
P. R. J. Östergård, Classification Algorithms for Codes and Designs, Springer 2006, chapter 4). For Steiner triple
systems of order 15, 22,000 canonical forms give 80 orbits of 60,281,712,691,200 covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Unpack, overload

from dlx.engine.limits import Limiting, Limits, Loop, Outcome, Over, StoppedError
from dlx.problem.checks import memory_bytes
from dlx.problem.problem import Problem, as_problem
from dlx.problem.words import counted
from dlx.symmetry.generators import Group, graph_with, subgroup
from dlx.symmetry.groups import Incidence, Symmetries
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.orbits import Extending, Images, Kind, Visiting
from dlx.symmetry.partial_covers import PartialCovers, forms_of


@dataclass(frozen=True, kw_only=True, repr=False)
class Classes(Outcome, Sequence[Kind]):
    """The result of `classify`: a sequence of `Kind`, one for each orbit of covers, sorted by cover.

    Attributes:
        found: the kinds in the order in which they were found; all of them if `exhausted`.
        symmetries: the symmetries; None if the search was stopped before they were found. For a group of the caller,
            `order` is the number of permutations of options in the group.

    The size of each kind is the size of the whole orbit, even if the search was stopped.
    """

    found: tuple[Kind, ...]
    symmetries: Symmetries | None

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds sorted by cover; sorting 200,000 takes 0.5 s, at the first use."""
        return tuple(sorted(self.found))

    @property
    def covers(self) -> int:
        """The number of covers of the kinds found; all covers if `exhausted`."""
        return sum(kind.size for kind in self.found)

    def __len__(self) -> int:
        return len(self.found)

    @overload
    def __getitem__(self, index: int) -> Kind: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Kind, ...]: ...
    def __getitem__(self, index: int | slice) -> Kind | tuple[Kind, ...]:
        return self.kinds[index]

    def __repr__(self) -> str:
        more = "" if self.exhausted else f", stopped by {self.stopped}"
        facts = [counted(len(self), "kind"), counted(self.covers, "cover")]
        if self.symmetries is not None:
            facts.append(counted(self.symmetries.order, "symmetry", "symmetries"))
        return f"Classes({', '.join(facts)}{more})"


class KindsMemoryError(MemoryError):
    """Raised if the kinds of covers need more than `memory`.

    Attributes:
        kinds: the kinds found so far, sorted by cover.
    """

    def __init__(self, reason: str, kinds: tuple[Kind, ...]) -> None:
        super().__init__(reason)
        self.kinds = kinds


def classify(
    problem: Problem,
    *,
    group: Group | None = None,
    memory: int | None = None,
    **limits: Unpack[Limiting],
) -> Classes:
    """Finds one cover of each kind; two covers are of one kind if a symmetry maps one to the other.

    When a search ends, the covers counted for each kind (visited, or implied by symmetry) are compared with the orbit
    size computed from the symmetries. Ctrl-C ends the search, not the program, and keeps what has been found. If the
    graph of the problem has more than 300 vertices, nauty runs in a separate process, which a limit or Ctrl-C can
    end.

    With more than a thousand symmetries, orbits of partial covers are found without visiting each cover. That is
    fastest if items are tuples of points, as for `count(merge="isomorphic")`: Latin squares of order 6 take 0.1 s, and
    2 s if their items are strings. Each cover is visited if there are multiplicities, or if `group` is smaller than the
    group of all symmetries with the same orbits of options and of items. All covers of a kind are then generated from
    the first one, and must fit in `memory`.

    Parameters:
        problem: what to cover.
        group: the symmetries to use; default: all. `Symmetries`, or a list of generators as for `up_to` of `count`.
        memory: estimated bytes for the kinds and the waiting partial covers; default: 1 GB. If partial covers need
            more, those with the fewest live options are extended first, which takes longer.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`);
            `covers` in limits and reports means kinds of covers.

    Returns:
        The kinds, the symmetries, and the work of the search.

    Raises:
        ImportError: pynauty is not installed, and canonical forms are needed: there is no `group`, or a large one.
        ProblemError: as `symmetries`; or a generator is no symmetry.
        TypeError, ValueError: a limit or the memory is invalid; or a generator is neither a permutation nor a mapping.
        KindsMemoryError: the kinds alone take more than `memory`; its `kinds` are those found so far.
        MemoryError: the sets of clashing options take more than `memory`, or nauty ran out of memory.
        RuntimeError: the comparison of sizes fails: a bug in this program or in nauty.

    >>> square = [(row, column) for row in range(4) for column in range(4)]
    >>> latin = [[("cell", r, c), ("row", r, s), ("column", c, s)] for r, c in square for s in range(4)]
    >>> classes = classify(Problem.from_options(latin))
    >>> classes
    Classes(2 kinds, 576 covers, 82944 symmetries)
    >>> sorted(kind.size for kind in classes)
    [144, 432]
    >>> mirror = [(c, r, s) for r, c in square for s in range(4)]
    >>> classify(Problem.from_options(latin), group=[[16 * r + 4 * c + s for r, c, s in mirror]])  # transposed squares
    Classes(336 kinds, 576 covers, 2 symmetries)
    """
    room, checked = memory_bytes(memory), Limits.of(**limits)
    problem = as_problem(problem)
    symmetries: Symmetries | None = None
    search: Visiting | Extending | None = None
    with Loop(checked) as loop, suppress(StoppedError), Nauty(loop.over) as nauty:
        loop.listen()  # for Ctrl-C while nauty works
        incidence = Incidence(problem, nauty)
        symmetries = incidence.symmetries() if group is None else subgroup(problem, group, loop.over)
        search = _search(incidence, symmetries, group is not None, room, loop.over)
        try:
            for _ in loop.slices(search):
                pass
        except MemoryError as error:
            raise KindsMemoryError(str(error), tuple(sorted(search.orbits.values()))) from None
    outcome = loop.outcome()
    if search is None:
        return Classes(found=(), symmetries=symmetries, **outcome)
    if loop.exhausted:
        search.check()
    if len(search.orbits) > checked.max_covers:
        outcome["stopped"] = "max_covers"
    found = tuple(islice(search.orbits.values(), checked.max_covers))
    return Classes(found=found, symmetries=symmetries, **outcome)


def _search(
    incidence: Incidence, symmetries: Symmetries, is_subgroup: bool, memory: int, over: Over
) -> Visiting | Extending:
    """Returns the search to use: over all covers, or over partial covers."""
    problem, images = incidence.problem, Images(incidence.problem, symmetries, memory, over)
    if not images.is_whole and problem.multiplicities is None:
        graph = graph_with(symmetries, incidence) if is_subgroup else (incidence, symmetries)
        if graph is not None:
            return Extending(PartialCovers(problem, memory, over), forms_of(*graph), memory)
    return Visiting(problem, images, memory)
