"""The pieces of a search, and their slices: a worker goes on with a piece from where the last slice stopped.

A slice takes some seconds at most, so that no worker is deaf for longer, none of those that outlive their program runs
on, and little is lost with one that dies. Where the search stands then is a short list of numbers (`mark` of a kernel),
and any other worker can go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import KernelName, Preference, build, by_item
from dlx.engine.limits import Limits, Loop, Over
from dlx.kernels import Kernel
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Problem
from dlx.problem.roles import FREE

Block = npt.NDArray[np.int32]

SENT = 1 << 20  # entries of covers that it brings back at most: 4 MB
FIRST_SLICE = 0.05  # seconds; each one of a piece takes twice as long as the one before


class Place(NamedTuple):
    """A place in the tree of a search: an option of a level, and all that is below it; or the whole tree."""

    chosen: tuple[int, ...]
    without: tuple[int, ...]  # options tried before, which are out of the question with multiplicities
    mark: tuple[int, ...]  # of a kernel before it tries the last option
    is_alone: bool = False  # the branches are other places; only a cover that ends here is in this one

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

    places: tuple[Place, ...]
    at: int  # the number of the place where the search is
    mark: list[int] | None  # the position there; None at its beginning
    nodes: int
    covers: int
    seconds: float


class Done(NamedTuple):
    """The result of a slice; at its end, `at` is behind the last place."""

    covers: int
    nodes: int
    updates: int
    at: int
    mark: list[int] | None
    block: Block | None  # the covers, if they were asked for


@dataclass(slots=True)
class Piece:
    """One place, or several in a row, and how far the search of it is."""

    places: tuple[Place, ...]
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

    def take(self, done: Done, longest: float) -> None:
        """Goes on to where a slice has come; the next one may take twice as long, up to so many seconds."""
        self.covers += done.covers
        self.nodes += done.nodes
        self.updates += done.updates
        self.at, self.mark = done.at, done.mark
        self.seconds = min(longest, 2 * self.seconds)


class KernelPool:
    """Kernels for the slices of a search, with room for so many covers; other processes make their own."""

    def __init__(self, problem: Problem, kernel: KernelName, prefer: Preference | None, rows: int) -> None:
        self.rows = rows
        self._problem, self._kernel = problem, kernel
        self.prefer = None if prefer is None else by_item(prefer)
        self._free: list[Kernel] = []

    def __getstate__(self) -> tuple[Any, ...]:
        numbers = {item: k for k, item in enumerate(self._problem.items)}
        prefer = None if self.prefer is None else {numbers[item]: rank for item, rank in self.prefer.items()}
        return nameless(self._problem), self._kernel, prefer, self.rows

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
            kernel = build(self._problem, self._kernel, self.prefer, self.rows)
        yield kernel
        self._free.append(kernel)


def nameless(problem: Problem) -> Problem:
    """Returns the problem with numbers for names, which can be sent to any worker."""
    colours = tuple(range(len(problem.colour_names)))
    return replace(problem, items=tuple(range(problem.n_items)), names=None, weights=None, colour_names=colours)


def work(pool: KernelPool, task: Slice, over: Over) -> Done:
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
    return Done(covers, nodes, updates, at, mark, np.concatenate(found) if found else None)


def _go_on(
    kernel: Kernel,
    place: Place,
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
