"""The covers of a problem up to its symmetries: one of each kind, and how many there are of it.

Where there are few symmetries, each cover is looked at, and the least of its images stands for its kind. Where there
are many, partial covers are extended breadth-first, option by option, and of those that a symmetry makes of each other
only one is kept (P. Kaski, P. R. J. Östergård, Classification Algorithms for Codes and Designs, Springer 2006, chapter
4). Of Steiner triple systems of order 15, 22,000 canonical forms give 80 kinds of 60,281,712,691,200; of Latin squares
of order 7, 95,000 give 147.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Unpack, overload

import numpy as np
import numpy.typing as npt

from dlx.checks import whole_number
from dlx.counting.merging import MEMORY
from dlx.engine import build
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.limits import SLICE, Limiting, Limits, Loop, Outcome
from dlx.problem import Problem, as_problem
from dlx.search import BLOCK, BUFFER, Block
from dlx.symmetry.chosen import Forms, forms_of
from dlx.symmetry.groups import Incidence, Symmetries, shown
from dlx.symmetry.partial import Multisets, Partial, Sets, Tree

FEW = 1000  # symmetries, of which all images of a cover are made sooner than its canonical form
OBJECTS = 600  # bytes for what a kind or a partial cover has beside its form and its options


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
        return (
            f"Classes({len(self)} kinds, {shown(self.covers)} covers, {shown(self.symmetries.order)} symmetries{more})"
        )


def classify(problem: Problem, *, memory: int = MEMORY, **limits: Unpack[Limiting]) -> Classes:
    """Finds one cover of each kind: two are of one kind if a symmetry of the problem makes one of the other.

    How many covers of a kind the search has met, with all that it has left out as symmetrical, is compared with what
    the symmetries say, whenever it comes to its end. Ctrl-C ends the search, not the program, and leaves what has been
    found; limits and Ctrl-C are looked at between two canonical forms, of which each takes some microseconds or, by the
    graph of a large problem, milliseconds. It is fastest where items are tuples whose parts are what they are about, as
    `count` takes them for points (`dlx.symmetry.points`).

    Parameters:
        problem: what to cover.
        memory: how many bytes the kinds and the partial covers that are still to be extended may take, nearly. A search
            that needs more for partial covers goes on with those that have the fewest options left, and takes longer.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`dlx.limits.Limiting`);
            the covers that are limited and reported are kinds of covers.

    Returns:
        The kinds, the symmetries, and how the search went.

    Raises:
        ImportError, ProblemError: as `symmetries`.
        TypeError, ValueError: a limit is wrong, or there is no memory at all.
        MemoryError: the kinds alone take more than `memory`; it says how many there are so far.
        RuntimeError: the comparison fails, which would be a fault of this program or of nauty.

    >>> square = [(row, column) for row in range(4) for column in range(4)]
    >>> latin = [[("cell", r, c), ("row", r, s), ("column", c, s)] for r, c in square for s in range(4)]
    >>> classes = classify(Problem.from_options(latin))
    >>> classes
    Classes(2 kinds, 576 covers, 82944 symmetries)
    >>> sorted(kind.size for kind in classes)
    [144, 432]
    """
    room, checked = whole_number(memory, "memory", 1), Limits.of(**limits)
    incidence = Incidence(as_problem(problem))
    with Loop(checked) as loop:
        symmetries = incidence.symmetries()
        images = _images(symmetries)
        search = _extending(incidence, symmetries, room) if images is None else _Visiting(problem, images, room)
        for _ in loop.slices(search):
            pass
    outcome = loop.outcome()
    if loop.exhausted:
        search.check()
    if len(search.kinds) > checked.max_covers:
        outcome["stopped"] = "max_covers"
    found = [Kind(cover, size) for cover, size in search.kinds.values()]
    return Classes(kinds=tuple(sorted(found[: checked.max_covers])), symmetries=symmetries, **outcome)


def _extending(incidence: Incidence, symmetries: Symmetries, memory: int) -> _Extending:
    """The search that extends partial covers."""
    problem = incidence.problem
    tree = Sets(problem, memory) if problem.multiplicities is None else Multisets(problem)
    return _Extending(tree, forms_of(incidence, symmetries), memory)


def _images(symmetries: Symmetries) -> Block | None:
    """What all symmetries make of the options, a row for each different one, or None if they are more than a few."""
    generators = [each.options for each in symmetries.generators]
    images = {np.arange(len(symmetries.orbits.options), dtype=np.int32).tobytes(): None}
    new = list(images)
    while new:
        made, new = (each[np.frombuffer(old, np.int32)].tobytes() for old in new for each in generators), []
        for image in made:
            if image not in images:
                images[image] = None
                new.append(image)
            if len(images) > FEW:
                return None
    return np.frombuffer(b"".join(images), np.int32).reshape(len(images), -1)


class _Search:
    """What both searches have: kinds of covers, and how often each has been met.

    Attributes:
        kinds: by its form, a cover of each kind, and how many there are of it.
        covers: the number of kinds.
        bytes: what the kinds, and partial covers if there are any, take, nearly.
    """

    def __init__(self, memory: int) -> None:
        self.kinds: dict[bytes, tuple[tuple[int, ...], int]] = {}
        self._met: dict[bytes, int] = {}
        self._memory = memory
        self._own = self.bytes = 0

    @abstractmethod
    def fraction(self) -> float: ...

    @property
    def covers(self) -> int:
        return len(self.kinds)

    def meet(self, form: bytes, times: int) -> bool:
        """Notes that so many covers have a form; whether it is new."""
        self._met[form] = self._met.get(form, 0) + times
        return form not in self.kinds

    def keep(self, form: bytes, cover: tuple[int, ...], size: int) -> None:
        """Notes a new kind.

        Raises:
            MemoryError: the kinds alone take more than there is.
        """
        self.kinds[form] = cover, size
        self.bytes += (takes := OBJECTS + len(form) + 40 * len(cover))
        self._own += takes
        if self._own > self._memory:
            raise MemoryError(
                f"the kinds of covers take more than {self._memory} bytes: there are {self.covers} so far, "
                f"and about {100 * self.fraction():.3g} % of the search is done"
            )

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

    def __init__(self, problem: Problem, images: Block, memory: int) -> None:
        super().__init__(memory)
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
                self.keep(form, tuple(cover[cover >= 0].tolist()), len(self._images) // fixed)


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
class _Left:
    """A partial cover that is left, how many there are like it, and their part of the search tree."""

    partial: Partial
    times: int = 0
    share: float = 0.0


class _Extending(_Search):
    """A search that goes breadth-first from partial covers to larger ones, and keeps one of each kind.

    Every cover is below just one of what a partial cover is extended to. If others of its kind were extended by the
    images of these choices, that would give the images of what it gives: so it stands for all of them, with their
    number. A choice leaves fewer options live. So none of a kind is still to come when those with the most are taken
    first. Where there is no memory for more, those with the fewest are: then some kinds are extended more than once.

    Attributes:
        nodes: the options tried.
        updates: the canonical forms.
    """

    def __init__(self, tree: Tree, forms: Forms, memory: int) -> None:
        super().__init__(memory)
        self._tree, self._forms = tree, forms
        self._left: dict[int, dict[bytes, _Left]] = {}  # by the number of live options, and by form
        self._steps = self._extended()
        self.updates = 0
        self._done = 0.0

    @property
    def nodes(self) -> int:
        return self._tree.nodes

    def fraction(self) -> float:
        return min(1.0, self._done)

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Extends partial covers until there are none or a budget is spent."""
        last_node, last_cover = self.nodes + nodes, self.covers + covers
        end = time.perf_counter() + SLICE
        while self.nodes < last_node and time.perf_counter() < end:
            if self.covers >= last_cover:
                return BUFFER_FULL
            if next(self._steps, None) is None:
                return EXHAUSTED
        return BUDGET_SPENT

    def _extended(self) -> Iterator[int]:
        """Goes through all partial covers, and comes back after each form."""
        self._keep(self._tree.root(), 1, 1.0)
        while self._left:
            left = self._next()
            found = self._tree.extended(left.partial, self._forms)
            share = left.share / max(1, sum(times for _, times in found))
            self._done += 0.0 if found else left.share
            for partial, times in found:
                self._keep(partial, times * left.times, times * share)
                yield self.updates

    def _next(self) -> _Left:
        """Takes one of those with the most live options; or the fewest, where memory is short."""
        place = (max if self.bytes <= self._memory else min)(self._left)
        form, left = self._left[place].popitem()
        self.bytes -= _bytes(form, left.partial)
        if not self._left[place]:
            del self._left[place]
        return left

    def _keep(self, partial: Partial | None, times: int, share: float) -> None:
        """Notes a cover, or puts a partial cover with those that are left, or adds it to the one of its kind."""
        self.updates += partial is not None
        if partial is None or not partial.opened:
            self._done += share
            if partial is not None:
                self._meet(tuple(sorted(partial.chosen)), times)
            return
        form = self._forms.of(partial)
        same = self._left.setdefault(partial.live.bit_count(), {})
        if form not in same:
            same[form] = _Left(partial)
            self.bytes += _bytes(form, partial)
        same[form].times += times
        same[form].share += share

    def _meet(self, cover: tuple[int, ...], times: int) -> None:
        """Notes a cover that so many are like."""
        form = self._forms.of_cover(cover)
        if self.meet(form, times):
            self.keep(form, cover, self._forms.size(cover))


def _bytes(form: bytes, partial: Partial) -> int:
    """What a partial cover takes, nearly."""
    rest = 0 if partial.rest is None else OBJECTS + partial.rest.n_options
    return OBJECTS + len(form) + 40 * len(partial.chosen) + partial.live.bit_length() // 7 + rest
