"""A search cut into pieces, which can be done anywhere and in any order, slice by slice.

A piece is a place in the search tree, an option of some level and all below it, or several small places in a row. So
each cover is in one piece, and the pieces in a row are the search itself: the same covers in the same order, by the
same nodes. The largest place by Knuth's random paths (`dlx.estimate`) is cut first, until there are enough pieces,
or none is worth it. The cut depends on the problem and the kernel alone.

A slice of a piece takes some seconds at most, so that no worker is deaf for longer, none of those that outlive their
program runs on, and little is lost with one that dies. Where the search stands then is a short list of numbers (`mark`
of a kernel), and any other worker can go on.
"""

from __future__ import annotations

import hashlib
import heapq
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import index
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import KernelName, Preference, build, by_item
from dlx.engine.limits import Limits, Loop, Over, StoppedError, never
from dlx.kernels import ENTER, Kernel
from dlx.problem.checks import UNLIMITED, ProblemError
from dlx.problem.problem import Problem
from dlx.problem.roles import FREE

Block = npt.NDArray[np.int32]

PIECES = 256  # the number of pieces, or more where these would have more nodes each than the next number
WORTH = 1e9  # nodes of a piece, about a minute
MOST = 4096  # the largest number of pieces: to cut a hundred takes up to a tenth of a second
LEAST = 500_000  # nodes, some fifty milliseconds: smaller places are put together, and not cut
EACH = 4  # nodes of a place for each of its branches and each entry of the problem: with fewer it is not cut
PATHS = 16  # paths of an estimate, 0.1 to 1 ms; with 30 the pieces were hardly more alike
ROOT_PATHS = 100  # paths of the estimate of the whole search
SEVERAL = 7  # the further cost of an estimate with multiplicities, as a multiple of a plain one
EFFORT = 5_000_000  # entries looked at by all estimates, 3 s; later branches of a place count as alike
HURRIED = 300_000  # the same where pieces are wanted soon
LARGE = 1e290  # nodes; the largest estimate
STEPS = 20  # cuts for each piece that is wanted; no more are tried
# The pieces depend on these, and on the search.
SPLIT = [PIECES, WORTH, MOST, LEAST, EACH, PATHS, ROOT_PATHS, EFFORT, STEPS]

SENT = 1 << 20  # entries of covers that it brings back at most: 4 MB
FIRST_SLICE = 0.05  # seconds; each one of a piece takes twice as long as the one before


class TreePlace(NamedTuple):
    """A place in the tree of a search: an option of a level, and all that is below it; or the whole tree."""

    chosen: tuple[int, ...]
    without: tuple[int, ...]  # options tried before, which are out of the question with multiplicities
    mark: tuple[int, ...]  # of a kernel before it tries the last option
    is_alone: bool = False  # the branches are other places; only a cover that ends here is in this one

    @classmethod
    def of_state(cls, chosen: Iterable[Any], without: Iterable[Any], mark: Iterable[Any], is_alone: Any) -> TreePlace:
        """Returns the place in a state; raises TypeError or ValueError if there is none."""
        return cls(tuple(map(index, chosen)), tuple(map(index, without)), tuple(map(index, mark)), bool(is_alone))

    def begin(self, kernel: Kernel) -> int:
        """Tries the option, and lets the kernel go no further than this place; the state in which it comes back."""
        kernel.seek(list(self.mark))
        state = kernel.run(bool(self.chosen), 1 << 60, 1 << 60)
        if self.chosen:
            kernel.confine(len(self.chosen))
        return state

    def of(self, problem: Problem) -> Problem:
        """Returns the problem whose covers are below this place."""
        part = problem.without(np.array(self.without, dtype=np.int64)).with_chosen(self.chosen)
        if not self.is_alone:
            return part
        free = np.arange(part.n_options) if part.roles is None else np.flatnonzero(part.roles == FREE)
        return part.without(free)


class Slice(NamedTuple):
    """The message to a worker: where a piece stands, and how far it may go."""

    places: tuple[TreePlace, ...]
    at: int  # the number of the place where the search is
    mark: list[int] | None  # the position there; None at its beginning
    nodes: int
    covers: int
    seconds: float


class SliceResult(NamedTuple):
    """The result of a slice; at its end, `at` is behind the last place."""

    covers: int
    nodes: int
    updates: int
    at: int
    mark: list[int] | None
    block: Block | None  # the covers, if they were asked for


@dataclass(slots=True)
class SearchPiece:
    """One place, or several in a row, and how far the search of it is."""

    places: tuple[TreePlace, ...]
    estimate: float  # of its nodes
    at: int = 0
    mark: list[int] | None = None
    covers: int = 0
    nodes: int = 0
    updates: int = 0
    seconds: float = FIRST_SLICE  # of its next slice

    @property
    def is_done(self) -> bool:
        return self.at == len(self.places)

    @property
    def done(self) -> float:
        """The number of its nodes that have been done, by the estimate."""
        return self.estimate if self.is_done else min(self.nodes, 0.95 * self.estimate)

    def slice(self, nodes: int = UNLIMITED, covers: int = UNLIMITED) -> Slice:
        return Slice(self.places, self.at, self.mark, nodes, covers, self.seconds)

    def take(self, done: SliceResult, longest: float) -> None:
        """Goes on to where a slice has come; the next one may take twice as long, up to so many seconds."""
        self.covers += done.covers
        self.nodes += done.nodes
        self.updates += done.updates
        self.at, self.mark = done.at, done.mark
        self.seconds = min(longest, 2 * self.seconds)

    def state(self) -> list[Any]:
        """Returns the state for a checkpoint."""
        return [self.estimate, self.places, self.at, self.mark, self.covers, self.nodes, self.updates]

    @classmethod
    def of(cls, state: Sequence[Any]) -> SearchPiece:
        """Returns the piece with this state; raises TypeError or ValueError if there is none."""
        estimate, told, at, mark, *work = state
        places = tuple(TreePlace.of_state(*place) for place in told)
        piece = cls(places, float(estimate), index(at), None if mark is None else [*map(index, mark)])
        piece.covers, piece.nodes, piece.updates = map(index, work)
        if not 0 <= piece.at + (piece.mark is not None) <= len(places) or min(work) < 0 or max(work) > UNLIMITED:
            raise ValueError(f"a piece at place {at} of {len(places)} with the counts {work}")
        return piece


class KernelPool:
    """Kernels for the slices of a search, with room for so many covers; other processes make their own."""

    def __init__(self, problem: Problem, kernel: KernelName, prefer: Preference | None, rows: int) -> None:
        self.problem, self.rows = problem, rows
        self._kernel = kernel
        self.prefer = None if prefer is None else by_item(prefer)
        self._free: list[Kernel] = []

    def __getstate__(self) -> tuple[Any, ...]:
        numbers = {item: k for k, item in enumerate(self.problem.items)}
        prefer = None if self.prefer is None else {numbers[item]: rank for item, rank in self.prefer.items()}
        return nameless(self.problem), self._kernel, prefer, self.rows

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def kept(self, block: Block) -> Block:
        """Returns the covers of a kernel's buffer that are brought back."""
        return block.copy()

    @contextmanager
    def running(self) -> Iterator[Kernel]:
        """Lends a kernel to the caller alone."""
        try:
            kernel = self._free.pop()  # which no other thread can do at the same time
        except IndexError:
            kernel = build(self.problem, self._kernel, self.prefer, self.rows)
        yield kernel
        self._free.append(kernel)


def nameless(problem: Problem) -> Problem:
    """Returns the problem with numbers for names, which can be sent to any worker."""
    colours = tuple(range(len(problem.colour_names)))
    return replace(problem, items=tuple(range(problem.n_items)), names=None, weights=None, colour_names=colours)


def work(pool: KernelPool, task: Slice, over: Over) -> SliceResult:
    end = time.perf_counter() + task.seconds
    found: list[Block] = []
    covers = nodes = updates = 0
    at, mark = task.at, task.mark

    def take() -> None:
        if kernel.filled:
            found.append(pool.kept(kernel.found()))
            kernel.filled = 0

    def is_time() -> bool:
        return over() or time.perf_counter() >= end or sum(block.size for block in found) >= SENT

    with pool.running() as kernel:
        while at < len(task.places):
            limits = Limits(max_covers=task.covers - covers, max_nodes=task.nodes - nodes)
            is_done = _go_on(kernel, task.places[at], mark, limits, is_time, take)
            covers, nodes, updates = covers + kernel.covers, nodes + kernel.nodes, updates + kernel.updates
            if not is_done:
                mark = kernel.mark()
                break
            at, mark = at + 1, None
            if covers >= task.covers or nodes >= task.nodes or is_time():
                break
    return SliceResult(covers, nodes, updates, at, mark, np.concatenate(found) if found else None)


def _go_on(
    kernel: Kernel,
    place: TreePlace,
    mark: list[int] | None,
    limits: Limits,
    is_time: Over,
    take: Callable[[], None],
) -> bool:
    """Goes on with what is below a place, and has its covers taken; whether it has come to its end."""
    if mark is None:
        place.begin(kernel)
    else:
        kernel.seek(mark)
        kernel.confine(len(place.chosen))
    take()
    if place.is_alone:
        return True
    with Loop(limits) as loop:
        for _ in loop.slices(kernel):
            take()
            if is_time():
                break
    return loop.exhausted


class Split(NamedTuple):
    """A search in pieces, in the order of one search, and the number of nodes that were tried to find them."""

    pieces: list[SearchPiece]
    nodes: int

    def state(self) -> dict[str, Any]:
        """Returns the state for a checkpoint."""
        return {"cut": self.nodes, "pieces": [piece.state() for piece in self.pieces]}

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Split:
        """Returns the search with this state; raises TypeError, ValueError or LookupError if there is none."""
        return cls([SearchPiece.of(piece) for piece in state["pieces"]], index(state["cut"]))


def split(
    problem: Problem,
    pieces: int | None = None,
    least: float | None = None,
    *,
    kernel: KernelName = "auto",
    prefer: Preference | None = None,
    max_nodes: int = UNLIMITED,
    hurry: bool = False,
    over: Over = never,
) -> Split:
    """Cuts a search into pieces, so many or as many as pay; each cover is in one. May raise StoppedError."""
    least = LEAST if least is None else least
    tree = _Tree(problem, build(problem, kernel, prefer), max_nodes, HURRIED if hurry else EFFORT, over)
    leaves, wanted = tree.grow(pieces, least)
    return Split([*_together(leaves, wanted, least)], tree.nodes)


def fingerprint(problem: Problem) -> str:
    """Returns a hash of the options, items, colours and roles of a problem, but not of their names."""
    told = hashlib.sha256(f"{problem.n_primary} {problem.n_items}".encode())
    optional = problem.colours, problem.multiplicities, problem.roles, problem.implied
    for part in (problem.indptr, problem.indices, *optional):
        told.update(b"-" if part is None else str(part.shape).encode() + np.ascontiguousarray(part).tobytes())
    return told.hexdigest()[:32]


class _Leaf(NamedTuple):
    """A place in a tree that grows; of two, the larger one is the less."""

    less: float  # minus the estimate of its nodes
    key: tuple[int, ...]  # the branch on each level: the order of the search
    place: TreePlace


class _Tree:
    """The upper part of the tree of a search, which grows where it seems largest."""

    def __init__(self, problem: Problem, kernel: Kernel, most: int, effort: int, over: Over) -> None:
        self._problem, self._kernel, self._most, self._over = problem, kernel, most, over
        self._effort = effort  # entries that may still be looked at
        self.nodes = 0  # tried, and in no leaf
        self._done: list[_Leaf] = []
        self._heap: list[_Leaf] = []

    def grow(self, pieces: int | None, least: float) -> tuple[list[_Leaf], int]:
        """Cuts the largest leaf, again and again; returns all in the order of the search, and how many were wanted."""
        self._push((), TreePlace((), (), (ENTER,)), PATHS if self._effort == HURRIED else ROOT_PATHS)
        wanted = int(min(MOST, max(PIECES, -self._heap[0].less / WORTH))) if pieces is None else pieces
        for _ in range(STEPS * wanted):
            size = len(self._heap) + len(self._done)
            if not self._heap or size >= wanted or -self._heap[0].less < least:
                break
            if self._heap[0].key and self.nodes >= self._most:
                break
            if self._over():  # where there is a hurry, no paths look up
                raise StoppedError
            self._cut(heapq.heappop(self._heap), EACH if least else 0)
        return sorted([*self._done, *self._heap], key=lambda leaf: leaf.key), wanted

    def _push(self, key: tuple[int, ...], place: TreePlace, paths: int, nodes: float | None = None) -> None:
        """Adds a leaf, whose nodes are estimated by so many paths if they are not given."""
        nodes = self._estimated(place, paths) if nodes is None else nodes
        heapq.heappush(self._heap, _Leaf(-min(self._most, nodes), key, place))

    def _cut(self, leaf: _Leaf, each: int) -> None:
        """Puts the branches below a leaf in its place, unless to look at them all would take too long."""
        kernel, place, entries = self._kernel, leaf.place, len(self._problem.indices)
        place.begin(kernel)
        covers = kernel.covers
        branches = kernel.branches()
        if (covers and not branches) or -leaf.less < each * len(branches) * entries:
            self._done.append(leaf)
            return
        if covers:  # as where items may be covered more often
            self._done.append(_Leaf(-1.0, leaf.key, place._replace(is_alone=True)))
        else:
            self.nodes += bool(place.chosen)
        several = self._problem.multiplicities is not None
        self._effort -= len(branches) * entries * (1 + SEVERAL * several)
        for k, (option, mark) in enumerate(branches):
            tried = tuple(other for other, _ in branches[:k]) if several else ()
            below = TreePlace((*place.chosen, option), (*place.without, *tried), tuple(mark))
            self._push((*leaf.key, k), below, PATHS, None if self._effort > 0 else -leaf.less / len(branches))

    def _estimated(self, place: TreePlace, paths: int) -> float:
        try:
            part = place.of(self._problem)
        except ProblemError:
            return 1.0
        prober: Any = build(part, "links")
        draws = np.random.default_rng(0)
        tallies = np.zeros((paths, 2))
        for tally in tallies:
            if self._over():
                raise StoppedError
            prober.probe(draws.random(part.max_level + 1), tally)
        return float(np.minimum(tallies[:, 0], LARGE).mean())


def _together(leaves: Sequence[_Leaf], wanted: int, least: float) -> Iterator[SearchPiece]:
    """Yields the pieces of some leaves: small ones in a row are one, up to a size that is worth sending."""
    enough = max(least, -sum(leaf.less for leaf in leaves) / (4 * max(1, wanted)))
    row: list[TreePlace] = []
    nodes = 0.0
    for less, _, place in leaves:
        if row and nodes - less > enough:
            yield SearchPiece(tuple(row), nodes)
            row, nodes = [], 0.0
        row.append(place)
        nodes -= less
    if row:
        yield SearchPiece(tuple(row), nodes)
