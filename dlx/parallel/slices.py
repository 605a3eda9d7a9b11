"""The pieces of a search, done slice by slice by any worker.

A piece is a place in the search tree (an option of a level and the subtree below it), or several places in a row. A
slice of a piece takes a few seconds at most: then a worker can be stopped, does not outlive its program for long, and
loses little when it dies. The position after a slice is a short list of numbers (`Kernel.mark`), from which any worker
can go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import KernelName, Preference, build, by_item, ranks
from dlx.engine.limits import Limits, Loop, Over
from dlx.kernels import Kernel
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Problem

Block = npt.NDArray[np.int32]

SENT = 1 << 20  # a slice ends when its covers have this many entries: 4 MB
FIRST_SLICE = 0.05  # seconds of the first slice of a piece; each slice may take twice as long as the previous one


class TreePlace(NamedTuple):
    """A place in a search tree: an option of a level with its subtree, or the whole tree.

    Attributes:
        chosen: the options from the root to this place.
        mark: the position of a kernel that tries the last option next.
    """

    chosen: tuple[int, ...]
    mark: tuple[int, ...]

    def begin(self, kernel: Kernel, mark: list[int] | None = None) -> None:
        """Moves a kernel below this place's last option, or to a mark there, and confines it to this place."""
        kernel.seek(list(self.mark) if mark is None else mark)
        if mark is None:
            kernel.run(bool(self.chosen), UNLIMITED, UNLIMITED)
        if self.chosen:
            kernel.confine(len(self.chosen))


@dataclass(slots=True)
class SearchPiece:
    """One place, or several in a row, and the state of their search.

    Attributes:
        places: the places in the order of the search.
        estimate: the estimated number of nodes.
        at: the index of the current place; `len(places)` at the end.
        mark: the kernel's position in this place; None at its start.
        covers, nodes, updates: the work done.
        seconds: the time for the next slice.
    """

    places: tuple[TreePlace, ...]
    estimate: float
    at: int = 0
    mark: list[int] | None = None
    covers: int = 0
    nodes: int = 0
    updates: int = 0
    seconds: float = FIRST_SLICE

    @property
    def is_done(self) -> bool:
        return self.at == len(self.places)

    @property
    def done(self) -> float:
        """The nodes done, in units of the estimate: never more than 95 % before the end."""
        return self.estimate if self.is_done else min(self.nodes, 0.95 * self.estimate)

    def state(self) -> list[Any]:
        """Returns the state for a checkpoint."""
        return [self.estimate, self.places, self.at, self.mark, self.covers, self.nodes, self.updates]

    @classmethod
    def of(cls, state: Sequence[Any]) -> SearchPiece:
        """Returns the piece saved as this state; raises TypeError or ValueError if it is invalid."""
        estimate, states, at, mark, *work = state
        places = tuple(TreePlace(tuple(map(index, chosen)), tuple(map(index, begin))) for chosen, begin in states)
        piece = cls(places, float(estimate), index(at), None if mark is None else [*map(index, mark)])
        piece.covers, piece.nodes, piece.updates = map(index, work)
        if not 0 <= piece.at + (piece.mark is not None) <= len(places) or min(work) < 0 or max(work) > UNLIMITED:
            raise ValueError(f"invalid piece: place {at} of {len(places)}, counts {work}")
        return piece


class Slice(NamedTuple):
    """The message to a worker: a piece, and the most nodes and covers of its next slice."""

    piece: SearchPiece
    nodes: int = UNLIMITED
    covers: int = UNLIMITED


@dataclass(frozen=True, eq=False)
class Search:
    """The search that is sent to workers, with numbers in place of names.

    Attributes:
        rows: the number of covers in the buffer of a kernel; 0 if covers are only counted.
    """

    problem: Problem
    kernel: KernelName
    prefer: Mapping[int, float] | None
    rows: int

    @classmethod
    def of(cls, problem: Problem, kernel: KernelName, prefer: Preference | None = None, rows: int = 0) -> Search:
        """Returns the search; raises the errors of `ranks`."""
        if prefer is not None:
            prefer = by_item(prefer)
            ranks(problem, prefer)
            prefer = {k: prefer[item] for k, item in enumerate(problem.items) if item in prefer}
        items, colours = tuple(range(problem.n_items)), tuple(range(len(problem.colour_names)))
        numbered = replace(problem, items=items, names=None, weights=None, colour_names=colours)
        return cls(numbered, kernel, prefer, rows)


def do_slice(search: Search, task: Slice, over: Over) -> tuple[SearchPiece, Block | None]:
    """The job of a worker: continues a piece until its end or a limit; returns the piece, and its covers if any."""
    piece = replace(task.piece)  # the original must not change: the run needs it if the worker dies
    last_cover, last_node = piece.covers + task.covers, piece.nodes + task.nodes
    end = time.perf_counter() + piece.seconds
    found: list[Block] = []

    def take() -> None:
        if kernel.filled:
            found.append(kernel.found().copy())
            kernel.filled = 0

    def is_time() -> bool:
        return over() or time.perf_counter() >= end or sum(block.size for block in found) >= SENT

    kernel = build(search.problem, search.kernel, search.prefer, search.rows)
    while not piece.is_done:
        limits = Limits(max_covers=last_cover - piece.covers, max_nodes=last_node - piece.nodes)
        is_done = _go_on(kernel, piece.places[piece.at], piece.mark, limits, is_time, take)
        piece.covers += kernel.covers
        piece.nodes += kernel.nodes
        piece.updates += kernel.updates
        piece.at, piece.mark = (piece.at + 1, None) if is_done else (piece.at, kernel.mark())
        if not is_done or piece.covers >= last_cover or piece.nodes >= last_node or is_time():
            break
    return piece, np.concatenate(found) if found else None


def _go_on(
    kernel: Kernel, place: TreePlace, mark: list[int] | None, limits: Limits, is_time: Over, take: Callable[[], None]
) -> bool:
    """Continues in a place, calls `take` after each kernel slice, and returns whether the place is done."""
    place.begin(kernel, mark)
    take()
    with Loop(limits) as loop:
        for _ in loop.slices(kernel):
            take()
            if is_time():
                break
    return loop.exhausted
