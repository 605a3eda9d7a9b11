"""The covers of a problem up to its symmetries: one of each kind, and how many there are of it.

If there are few symmetries, each cover is visited, and the least of its images stands for its kind. If there are many,
partial covers are extended breadth-first, option by option, and one is kept of those that a symmetry makes of each
other (P. Kaski, P. R. J. Östergård, Classification Algorithms for Codes and Designs, Springer 2006, chapter 4). For
Steiner triple systems of order 15, 22,000 canonical forms give 80 kinds of 60,281,712,691,200 covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Unpack, overload

import numpy as np

from dlx.engine.limits import Limiting, Limits, Loop, Outcome, Over, StoppedError
from dlx.problem.checks import memory_bytes
from dlx.problem.problem import Problem, as_problem
from dlx.problem.words import counted
from dlx.search.covers import Block
from dlx.symmetry.conjugacy import Group
from dlx.symmetry.groups import Incidence, Symmetries, elements
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.orbits import Closures, Extending, Images, Kind, Visiting
from dlx.symmetry.partial_covers import PartialCovers, forms_of
from dlx.symmetry.points import Point, Points, points_of
from dlx.symmetry.subgroup import graph_with, subgroup

FEW = 1000  # symmetries; up to here all images of a cover are made faster than its canonical form


@dataclass(frozen=True, kw_only=True, repr=False)
class Classes(Outcome, Sequence[Kind]):
    """The result of `classify`: a sequence with a `Kind` for each kind of cover, in the order of their covers.

    Attributes:
        found: the kinds that were found, in the order of the search: all of them if the search is `exhausted`.
        symmetries: the symmetries, or None if the search was stopped before they were found. The `order` of a group
            that was given is the number of permutations of the options in it.

    Each kind has its whole size, even if the search has not come to its end.
    """

    found: tuple[Kind, ...]
    symmetries: Symmetries | None

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds in the order of their covers; 200,000 take half a second to sort, at the first use."""
        return tuple(sorted(self.found))

    @property
    def covers(self) -> int:
        """The number of covers of the kinds found; if the search is exhausted, of the problem."""
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
    """The kinds of covers take more memory than there is.

    Attributes:
        kinds: those found so far, in the order of their covers, each with its whole size.
    """

    def __init__(self, reason: str, kinds: tuple[Kind, ...]) -> None:
        super().__init__(reason)
        self.kinds = kinds


def classify(
    problem: Problem,
    *,
    group: Group | None = None,
    points: Points | None = None,
    memory: int | None = None,
    **limits: Unpack[Limiting],
) -> Classes:
    """Finds one cover of each kind: two are of one kind if a symmetry of the problem makes one of the other.

    At the end of a search, the number of covers of each kind that it has met, counting those that it has left out as
    symmetrical, is compared with the size that the symmetries tell. Ctrl-C ends the search, not the program, and leaves
    what has been found. If the graph of the problem has more than 300 vertices, nauty works in a process of its own,
    which a limit or Ctrl-C ends.

    If there are more than a thousand symmetries, orbits of partial covers are found first, without visiting each cover.
    That is fastest with points: Latin squares of order 6 take .1 s, and 2 s if their items are texts without `points`.
    Each cover is visited if there are multiplicities, or if a `group` is smaller than the group of all symmetries that
    keep its orbits of options and of items. All covers of a kind are then generated from the first one, and have to fit
    in `memory`.

    Parameters:
        problem: what to cover.
        group: the symmetries that count, by default all: `Symmetries`, or a list of generators as `count` takes it for
            `up_to`.
        points: what each primary item is about, as for `count(merge="isomorphic")`; default: read off items that are
            tuples. They are not used where each cover is visited.
        memory: how many bytes the kinds and the partial covers that wait may take, by estimate; default: 1 GB. A search
            that needs more for partial covers extends those with the fewest live options first, and takes longer.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`);
            the covers that are limited and reported are kinds of covers.

    Returns:
        The kinds, the symmetries, and how the search went.

    Raises:
        ImportError: pynauty is not installed.
        ProblemError: as `symmetries`; or a generator is no symmetry; or an item has no points, or a graph on the points
            would not tell the kinds.
        TypeError, ValueError: a limit or the memory is wrong; or a generator is neither numbers nor a mapping.
        KindsMemoryError: the kinds alone take more than `memory`; it has those found so far, as `kinds`.
        MemoryError: which options clash takes more than `memory`, or nauty has run out of memory.
        RuntimeError: the comparison fails, which would be a fault of this program or of nauty.

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
    about = None if points is None else points_of(problem.items[: problem.n_primary], points)
    symmetries: Symmetries | None = None
    search: Visiting | Extending | None = None
    with Loop(checked) as loop, suppress(StoppedError), Nauty(loop.over) as nauty:
        incidence = Incidence(problem, nauty)
        symmetries = incidence.symmetries() if group is None else subgroup(problem, group, loop.over)
        search = _search(incidence, symmetries, about, group is not None, room, loop.over)
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
    incidence: Incidence,
    symmetries: Symmetries,
    points: list[list[Point]] | None,
    is_subgroup: bool,
    memory: int,
    over: Over,
) -> Visiting | Extending:
    """Returns the search that is expected to take less time."""
    problem, images = incidence.problem, _images(symmetries, over)
    if images is not None:
        return Visiting(problem, Images(problem, images), memory)
    graph = graph_with(symmetries, incidence) if is_subgroup else (incidence, symmetries)
    if graph is None or problem.multiplicities is not None:
        return Visiting(problem, Closures(symmetries, memory, over), memory)
    return Extending(PartialCovers(problem, memory, over), forms_of(*graph, points), memory)


def _images(symmetries: Symmetries, over: Over) -> Block | None:
    """Returns the images of the options under all symmetries, or None if there are more than a few symmetries."""
    identity = np.arange(len(symmetries.orbits.options), dtype=np.int32)
    found = elements([each.options for each in symmetries.generators], identity, FEW, over)
    return None if found is None else np.frombuffer(b"".join(found), np.int32).reshape(len(found), -1)
