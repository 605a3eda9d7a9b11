"""The covers of a problem up to its symmetries: one of each kind, and how many there are of it.

Where there are few symmetries, each cover is looked at, and the least of its images stands for its kind. Where there
are many, partial covers are extended breadth-first, option by option, and of those that a symmetry makes of each other
only one is kept (P. Kaski, P. R. J. Östergård, Classification Algorithms for Codes and Designs, Springer 2006, chapter
4); what is left of one is searched as ever as soon as that is short.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack, overload

import numpy as np
import numpy.typing as npt

from dlx.checks import UNLIMITED
from dlx.engine import build
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.limits import SLICE, Limiting, Limits, Loop, Outcome
from dlx.problem import Problem, as_problem
from dlx.roles import CHOSEN, FREE
from dlx.search import BLOCK, BUFFER, Block
from dlx.symmetry.groups import Cliques, Incidence, Symmetries

Roles = npt.NDArray[np.int8]

FEW = 1000  # symmetries, of which all images of a cover are made sooner than its canonical form
SHORT = 100  # nodes of a search below a partial cover that ends without extending it, if it finds one cover at most:
# with 2,000 nodes and 8 covers, Latin squares of order 6 and triple systems of order 13 took 1.5 to 2 times as long


class Kind(NamedTuple):
    """A kind of cover: a cover, and how many symmetries can make of it."""

    cover: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Classes(Outcome, Sequence[Kind]):
    """What `classify` returns: a sequence with a `Kind` for each kind of cover, in the order of their covers.

    Attributes:
        kinds: the kinds that were found, all of them if the search is `exhausted`.
        symmetries: the symmetries.

    Each kind has its whole size, even where the search has not come to its end.
    """

    kinds: tuple[Kind, ...]
    symmetries: Symmetries

    @property
    def covers(self) -> int:
        """How many covers the kinds found have together; if the search is exhausted, all that the problem has."""
        return sum(kind.size for kind in self.kinds)

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, index: int) -> Kind: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Kind, ...]: ...
    def __getitem__(self, index: int | slice) -> Kind | tuple[Kind, ...]:
        return self.kinds[index]

    def __iter__(self) -> Iterator[Kind]:
        return iter(self.kinds)

    def __repr__(self) -> str:
        more = "" if self.exhausted else f", stopped by {self.stopped}"
        return f"Classes({len(self)} kinds, {self.covers} covers, {self.symmetries.order} symmetries{more})"


def classify(problem: Problem, **limits: Unpack[Limiting]) -> Classes:
    """Finds one cover of each kind: two are of one kind if a symmetry of the problem makes one of the other.

    How many covers of a kind the search has met, with all that it has left out as symmetrical, is compared with what
    the symmetries say, whenever it comes to its end. Ctrl-C ends the search, not the program, and leaves what has been
    found; limits and Ctrl-C are looked at between two partial covers, whose forms take some milliseconds.

    Parameters:
        problem: what to cover.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`dlx.limits.Limiting`);
            the covers that are limited and reported are kinds of covers.

    Returns:
        The kinds, the symmetries, and how the search went.

    Raises:
        ImportError, ProblemError: as `symmetries`.
        TypeError, ValueError: a limit is wrong.
        RuntimeError: the comparison fails, which would be a fault of this program or of nauty.

    >>> square = [(row, column) for row in range(4) for column in range(4)]
    >>> latin = [[("cell", r, c), ("row", r, s), ("column", c, s)] for r, c in square for s in range(4)]
    >>> classes = classify(Problem.from_options(latin))
    >>> classes
    Classes(2 kinds, 576 covers, 82944 symmetries)
    >>> sorted(kind.size for kind in classes)
    [144, 432]
    """
    checked = Limits.of(**limits)
    incidence = Incidence(as_problem(problem))
    with Loop(checked) as loop:
        symmetries = incidence.symmetries()
        images = _images(symmetries)
        search = _Extending(incidence, symmetries.order) if images is None else _Visiting(problem, images)
        for _ in loop.slices(search):
            pass
    outcome = loop.outcome()
    if loop.exhausted:
        search.check()
    if len(search.kinds) > checked.max_covers:
        outcome["stopped"] = "max_covers"
    found = [Kind(cover, size) for cover, size in search.kinds.values()]
    return Classes(kinds=tuple(sorted(found[: checked.max_covers])), symmetries=symmetries, **outcome)


def _images(symmetries: Symmetries) -> Block | None:
    """What all symmetries make of the options, a row for each different one, or None if they are more than a few."""
    generators = [each.options for each in symmetries.generators]
    images = {np.arange(len(symmetries.orbits.options), dtype=np.int32).tobytes(): None}
    new = list(images)
    while new:
        made = {each[np.frombuffer(old, np.int32)].tobytes(): None for old in new for each in generators}
        new = [image for image in made if image not in images]
        images.update(dict.fromkeys(new))
        if len(images) > FEW:
            return None
    return np.frombuffer(b"".join(images), np.int32).reshape(len(images), -1)


class _Search:
    """What both searches have: kinds of covers, and how often each has been met.

    Attributes:
        kinds: by its form, a cover of each kind, and how many there are of it.
        covers: the number of kinds.
    """

    def __init__(self) -> None:
        self.kinds: dict[bytes, tuple[tuple[int, ...], int]] = {}
        self._met: dict[bytes, int] = {}

    @property
    def covers(self) -> int:
        return len(self.kinds)

    def meet(self, form: bytes, times: int) -> bool:
        """Notes that so many covers have a form; whether it is new."""
        self._met[form] = self._met.get(form, 0) + times
        return form not in self.kinds

    def check(self) -> None:
        """Compares how many covers of each kind have been met with what the symmetries say.

        Raises:
            RuntimeError: they differ, which would be a fault of this program or of nauty.
        """
        for form, (cover, size) in self.kinds.items():
            if self._met[form] != size:
                raise RuntimeError(f"{self._met[form]} covers like {cover} have been met, and there are {size}")


class _Visiting(_Search):
    """A search for all covers; the least image of a cover is its form."""

    def __init__(self, problem: Problem, images: Block) -> None:
        super().__init__()
        room = max(1, min(BLOCK, BUFFER // max(1, problem.max_level)))
        self._kernel = build(problem, room=room)
        self._room = room
        self._images = np.concatenate([images, np.full((len(images), 1), -1, dtype=np.int32)], axis=1)

    @property
    def nodes(self) -> int:
        return self._kernel.nodes

    @property
    def updates(self) -> int:
        return self._kernel.updates

    def fraction(self) -> float:
        return self._kernel.fraction()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Goes on with the search for all covers, by a block of them at most."""
        last = self.covers + covers
        state = self._kernel.run(nodes, updates, self._room)
        self._take(self._kernel.found())
        self._kernel.filled = 0
        if state == BUFFER_FULL and self.covers < last:
            return BUDGET_SPENT
        return state

    def _take(self, block: Block) -> None:
        """Notes the covers of a block."""
        least = np.sort(block, axis=1)
        block, same = least.copy(), np.zeros(len(block), dtype=np.int64)
        for image in self._images:
            other = np.sort(image[block], axis=1)
            same += (other == block).all(axis=1)
            smaller = _is_less(other, least)
            least[smaller] = other[smaller]
        for cover, fixed in zip(least, same.tolist(), strict=True):
            form = cover.tobytes()
            if self.meet(form, 1):
                self.kinds[form] = tuple(cover[cover >= 0].tolist()), len(self._images) // fixed


def _is_less(one: Block, other: Block) -> npt.NDArray[np.bool_]:
    """Which rows come before those of the other block.

    >>> _is_less(np.array([[1, 2], [3, 1], [4, 4]]), np.array([[1, 3], [2, 9], [4, 4]])).tolist()
    [True, False, False]
    """
    if not one.shape[1]:
        return np.zeros(len(one), dtype=np.bool_)
    first = (one != other).argmax(axis=1)[:, None]
    less: npt.NDArray[np.bool_] = (np.take_along_axis(one, first, 1) < np.take_along_axis(other, first, 1))[:, 0]
    return less


@dataclass(slots=True)
class _Partial:
    """What a partial cover leaves, how many like it there are, and its part of the search tree."""

    problem: Problem
    times: int
    share: float


class _Extending(_Search):
    """A search that goes breadth-first from partial covers to larger ones, and keeps one of each kind.

    Every cover is below just one of the choices that a partial cover is extended by. If others of its kind were
    extended by the images of these, that would give the images of what it gives: so it stands for all of them, with
    their number. A choice leaves fewer options free. So none of a kind is still to come when those with the most are
    taken first.

    Attributes:
        nodes: the options tried, by the searches below partial covers, too.
        updates: the steps of these searches.
    """

    def __init__(self, incidence: Incidence, order: int) -> None:
        super().__init__()
        problem = self._base = incidence.problem
        self._incidence = incidence
        self._order = order
        cliques = None if problem.multiplicities is not None else Cliques(incidence, order)
        self._form = cliques.form if cliques and cliques.entire else incidence.form
        self._branching = _Branching(problem)
        self._heap: list[int] = []  # the numbers of free options of the partial covers that are left, negative
        self._left: dict[int, dict[bytes, _Partial]] = {}  # they themselves, by these and by their forms
        self.nodes = self.updates = 0
        self._done = 0.0
        self._keep(problem, 1, 1.0)

    def fraction(self) -> float:
        return min(1.0, self._done)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Extends partial covers until there are none or a budget is spent."""
        last_node, last_cover = self.nodes + nodes, self.covers + covers
        end = time.perf_counter() + SLICE
        while self._heap:
            if self.nodes >= last_node or time.perf_counter() >= end:
                return BUDGET_SPENT
            if self.covers >= last_cover:
                return BUFFER_FULL
            some = self._left[self._heap[0]]
            if some:
                self._take(some.popitem()[1])
            else:
                del self._left[heapq.heappop(self._heap)]
        return EXHAUSTED

    def _keep(self, problem: Problem, times: int, share: float) -> None:
        """Puts a partial cover with those that are left, or adds it to the one of its kind."""
        roles = _roles(problem)
        place = -int(np.count_nonzero(roles == FREE))
        if place not in self._left:
            self._left[place] = {}
            heapq.heappush(self._heap, place)
        partial = self._left[place].setdefault(self._form(roles), _Partial(problem, 0, 0.0))
        partial.times += times
        partial.share += share

    def _take(self, partial: _Partial) -> None:
        """Searches what is below a partial cover, or if that is long, extends it."""
        choices = self._branching.choices(_roles(partial.problem))
        kernel = build(partial.problem, room=2)
        state = kernel.run(SHORT if choices else UNLIMITED, UNLIMITED, 2)
        self.nodes += kernel.nodes
        self.updates += kernel.updates
        if choices and state != EXHAUSTED:
            self._extend(partial, *choices)
            return
        for cover in kernel.found().tolist():
            self._meet(sorted(o for o in cover if o >= 0), partial.times)
        self._done += partial.share

    def _meet(self, cover: list[int], times: int) -> None:
        """Notes a cover that so many are like."""
        roles = _roles(self._base).copy()
        roles[cover] = CHOSEN
        form = self._incidence.form_of_cover(roles)
        if self.meet(form, times):
            self.kinds[form] = tuple(cover), self._order // self._incidence.order(roles)

    def _extend(self, partial: _Partial, options: npt.NDArray[np.int64], once: bool, none: bool) -> None:
        """Keeps what each choice for an item makes of a partial cover."""
        share = partial.share / (len(options) + none)
        self.nodes += len(options) + none
        if none:
            self._keep(partial.problem.without(options), partial.times, share)
        if once:  # then each option leaves out the others, and those in one orbit give the same
            orbits = self._incidence.orbits(_roles(partial.problem))[options]
            _, first, sizes = np.unique(orbits, return_index=True, return_counts=True)
            for option, size in zip(options[first], sizes.tolist(), strict=True):
                self._keep(partial.problem.with_chosen([option]), size * partial.times, size * share)
        else:
            for k, option in enumerate(options):
                rest = partial.problem.without(options[:k])
                self._keep(rest.with_chosen([option]), partial.times, share)


def _roles(problem: Problem) -> Roles:
    return np.full(problem.n_options, FREE, dtype=np.int8) if problem.roles is None else problem.roles


class _Branching:
    """Which item a partial cover is extended by: one with the fewest options."""

    def __init__(self, problem: Problem) -> None:
        n = self._n = problem.n_primary
        branches = np.zeros(problem.n_items, dtype=np.bool_)
        branches[:n] = True if problem.implied is None else ~problem.implied[:n]
        keep = branches[problem.indices]
        self._items = problem.indices[keep]
        self._owners = np.repeat(np.arange(problem.n_options), np.diff(problem.indptr))[keep]
        self._least = self._most = np.ones(n, dtype=np.int64)
        if problem.multiplicities is not None:
            self._least, self._most = problem.multiplicities.T.astype(np.int64)

    def choices(self, roles: Roles) -> tuple[npt.NDArray[np.int64], bool, bool] | None:
        """The options of an item, whether at most one can be chosen, and whether none need be; or all is decided."""
        free = roles[self._owners] == FREE
        times = np.bincount(self._items[roles[self._owners] == CHOSEN], minlength=self._n)
        options = np.bincount(self._items[free], minlength=self._n)
        undecided = np.flatnonzero((options > 0) & (times < self._most))
        if not len(undecided):
            return None
        item = undecided[(options - (times >= self._least))[undecided].argmin()]
        once = times[item] + 1 == self._most[item]
        return self._owners[free & (self._items == item)], bool(once), bool(times[item] >= self._least[item])
