"""The covers of a problem up to its symmetries: one of each kind, and how many there are of it.

Where there are few symmetries, each cover is looked at, and the least of its images stands for its kind. Where there
are many, partial covers are extended breadth-first, option by option, and of those that a symmetry makes of each other
only one is kept (P. Kaski, P. R. J. Östergård, Classification Algorithms for Codes and Designs, Springer 2006, chapter
4). Of Steiner triple systems of order 15, 22,000 canonical forms give 80 kinds of 60,281,712,691,200; of Latin squares
of order 7, 95,000 give 147.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, Unpack, overload

import numpy as np

from dlx.engine.limits import Limiting, Limits, Loop, Outcome, Over, StoppedError
from dlx.parallel.cutting import nameless
from dlx.parallel.workforce import Workforce
from dlx.problem.checks import memory_bytes
from dlx.problem.problem import Problem, as_problem
from dlx.problem.words import counted
from dlx.search.covers import Block
from dlx.symmetry.groups import Incidence, Symmetries, elements
from dlx.symmetry.nauty import Nauty
from dlx.symmetry.orbits import Extender, Extending, Visiting, Visitor
from dlx.symmetry.partial_covers import Multisets, Sets, forms_of
from dlx.symmetry.subgroup import Closures, given, graph_with

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dlx.symmetry.conjugacy import Group

FEW = 1000  # symmetries, of which all images of a cover are made sooner than its canonical form


class Kind(NamedTuple):
    """A kind of cover: a cover, and how many symmetries can make of it."""

    cover: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Classes(Outcome, Sequence[Kind]):
    """The result of `classify`: a sequence with a `Kind` for each kind of cover, in the order of their covers.

    Attributes:
        kinds: the kinds that were found, all of them if the search is `exhausted`.
        symmetries: the symmetries, or None if the search was stopped before they were found. The `order` of a group
            that was given is the number of permutations of the options in it.

    Each kind has its whole size, even where the search has not come to its end.
    """

    kinds: tuple[Kind, ...]
    symmetries: Symmetries | None

    @property
    def covers(self) -> int:
        """The number of covers of the kinds found; if the search is exhausted, of the problem."""
        return sum(kind.size for kind in self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

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
    memory: int | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    **limits: Unpack[Limiting],
) -> Classes:
    """Finds one cover of each kind: two are of one kind if a symmetry of the problem makes one of the other.

    How many covers of a kind the search has met, with all that it has left out as symmetrical, is compared with what
    the symmetries say, whenever it comes to its end. Ctrl-C ends the search, not the program, and leaves what has been
    found. Where the graph of the problem has more than 300 vertices, nauty works in a process of its own, which
    a limit or Ctrl-C ends. It is fastest where items are tuples whose parts are what they are about, as `count` takes
    them for points (`dlx.symmetry.points`).

    Parameters:
        problem: what to cover.
        group: the symmetries that count, all of them without it: `Symmetries`, or a list of generators as `count` takes
            it for `up_to`. If they are more than a thousand, and not all that keep their orbits of options and of
            items, every cover is visited, without helpers; those of its kind are made of the first one, and have to
            find room in `memory`.
        memory: how many bytes the kinds and the partial covers that are still to be extended may take, nearly; 1 GB
            without it. A search that needs more for partial covers goes on with those that have the fewest options
            left, and takes longer.
        executor: who helps, where it takes long: what looks like an executor of `concurrent.futures`, as a pool of
            processes or dask's `Client.get_executor()`; without it, processes. (Threads are no help: canonical forms
            need the interpreter's lock.) The kinds, their covers and sizes are the same whoever does the work.
        jobs: how many work at a time; 1 without an executor, and with one as many as it has workers.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`);
            the covers that are limited and reported are kinds of covers.

    Returns:
        The kinds, the symmetries, and how the search went.

    Raises:
        ImportError: there is no pynauty.
        ProblemError: as `symmetries`; or a generator is no symmetry.
        TypeError, ValueError: a limit or the memory is wrong; or a generator is neither numbers nor a mapping.
        KindsMemoryError: the kinds alone take more than `memory`; it has those found so far, as `kinds`.
        MemoryError: which options clash takes more than that, or nauty has run out of memory.
        LostPieceError: some partial covers have killed every worker that took them.
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
    workforce = Workforce.of(executor, jobs)
    problem = as_problem(problem)
    symmetries: Symmetries | None = None
    search: Visiting | Extending | None = None
    with Loop(checked) as loop, suppress(StoppedError), Nauty(loop.over) as nauty:
        bare = problem if workforce is None else replace(nameless(problem), weights=problem.weights)  # fit to be sent
        incidence = Incidence(bare, nauty)
        symmetries = incidence.symmetries() if group is None else given(problem, group, loop.over)
        with closing(_search(problem, incidence, symmetries, group is not None, room, workforce, loop)) as search:
            try:
                for _ in loop.slices(search):
                    pass
            except MemoryError as error:
                raise KindsMemoryError(str(error), _found(search)) from None
    outcome = loop.outcome()
    if search is None:
        return Classes(kinds=(), symmetries=symmetries, **outcome)
    if loop.exhausted:
        search.check()
    if len(search.kinds) > checked.max_covers:
        outcome["stopped"] = "max_covers"
    return Classes(kinds=_found(search, checked.max_covers), symmetries=symmetries, **outcome)


def _found(search: Visiting | Extending, most: int | None = None) -> tuple[Kind, ...]:
    """The first kinds that have been found, in the order of their covers."""
    return tuple(sorted(Kind(*kind) for kind in islice(search.kinds.values(), most)))


def _search(
    problem: Problem,
    incidence: Incidence,
    symmetries: Symmetries,
    is_given: bool,
    memory: int,
    workforce: Workforce | None,
    loop: Loop,
) -> Visiting | Extending:
    """The search that is the shorter one; workers are given the problem of the incidence, without names."""
    bare, images = incidence.problem, _images(symmetries, loop.over)
    if images is not None:
        return Visiting(Visitor(bare, images), memory, workforce, loop.over)
    if is_given:
        graph = graph_with(symmetries, incidence)
        if graph is None:
            return Visiting(Closures(bare, symmetries, memory, loop.over), memory)
        incidence, symmetries = graph
    tree = Sets(bare, memory, loop.over) if bare.multiplicities is None else Multisets(bare)
    return Extending(Extender(tree, forms_of(incidence, symmetries, problem.items)), memory, workforce)


def _images(symmetries: Symmetries, over: Over) -> Block | None:
    """Returns the different images of the options under all symmetries, or None if they are more than a few."""
    identity = np.arange(len(symmetries.orbits.options), dtype=np.int32)
    found = elements([each.options for each in symmetries.generators], identity, FEW, over)
    return None if found is None else np.frombuffer(b"".join(found), np.int32).reshape(len(found), -1)
