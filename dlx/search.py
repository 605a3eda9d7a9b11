"""The Python face of a search: covers one by one or in numpy blocks, counts, limits, progress.

A kernel runs without the interpreter lock for about 20 ms at a time. Between two such slices Python looks at signals
and the clock, so Ctrl-C, timeouts and progress need nothing from the kernels, and threads search in parallel.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dlx.engine import Kernel, Preference, build, shuffle
from dlx.kernels import BUFFER_FULL, EXHAUSTED
from dlx.problem import Problem

Stop = Literal["max_covers", "max_nodes", "timeout", "interrupt"]
Block = npt.NDArray[np.int32]

SLICE = 0.02  # seconds that a kernel runs before Python looks at signals and the clock
FIRST_STEP = 20_000  # nodes in the first slice; the next ones adapt to the speed seen
BUFFER = 1 << 22  # entries of a buffer of covers: 16 MB
UNLIMITED = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a search went.

    Attributes:
        nodes: the options tried, each a node of the search tree, complete covers included.
        updates: the steps of the data structures, which no machine changes: for `links` the nodes of lists taken out
            (Knuth's measure), for `bits` the words looked at. They compare runs of one kernel.
        seconds: the time spent searching.
        stopped: why the search stopped early, or None if it ended by itself.
    """

    nodes: int
    updates: int
    seconds: float
    stopped: Stop | None

    @property
    def exhausted(self) -> bool:
        """Whether the search ended by itself, so that the answer is the whole answer."""
        return self.stopped is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(Outcome):
    """What `count` returns: `covers`, the number found, `kernel`, which of them ran, and how the search went."""

    covers: int
    kernel: str


@dataclass(frozen=True, slots=True, kw_only=True)
class First(Outcome):
    """What `first` returns: `cover`, the option numbers, and how the search went.

    Without a cover, `exhausted` tells "there is none" from "none was found within the limits".
    """

    cover: tuple[int, ...] | None


class Covers(Iterator[tuple[int, ...]]):
    """A lazy search for covers: iterate over it for tuples of option numbers, or over `blocks()` for numpy arrays.

    The options of a cover come in the order of choice. The search goes on from where it stopped, even after a
    KeyboardInterrupt; what it has found and spent so far is in the attributes.

    Attributes:
        problem: the problem.
        kernel: the name of the kernel that runs.
        stopped: why the search stopped early; None while it can go on, and when it ended by itself.
        exhausted: whether the whole search tree has been visited.
        seconds: the time spent searching; the caller's own time between two covers is not counted.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        max_covers: int | None = None,
        max_nodes: int | None = None,
        timeout: float | None = None,
        seed: int | None = None,
        kernel: Kernel = "auto",
        prefer: Preference | None = None,
        progress: Callable[[Covers], object] | None = None,
        _listing: bool = True,
    ) -> None:
        self.problem = problem
        self.exhausted = False
        self.seconds = 0.0
        self.limit(max_covers=max_covers, max_nodes=max_nodes, timeout=timeout)
        self._progress = progress
        self._step = FIRST_STEP
        self._taken = 0  # rows of the buffer that have been handed out
        self._pending: list[tuple[int, ...]] = []  # what the other rows say, last row first; or nothing yet
        width = problem.max_level
        rows = max(1, BUFFER // max(1, width)) if _listing else 0
        self._buffer = np.empty((min(rows, 1024), width), dtype=np.int32)
        self._old: Block | None = None  # the numbers that the caller knows the options by, if they were shuffled
        if seed is not None:
            problem, self._old = shuffle(problem, whole(seed, "seed"))
        self.kernel, self._kernel = build(problem, self._buffer, kernel, prefer)

    def limit(
        self, *, max_covers: int | None = None, max_nodes: int | None = None, timeout: float | None = None
    ) -> None:
        """Sets new limits, so that a search that an old one had stopped can go on; they count from its beginning.

        Parameters and errors: as for `covers`.

        >>> search = covers(Problem.from_options(["ab", "bc", "c", "a"]), max_covers=1)
        >>> len(list(search)), search.stopped
        (1, 'max_covers')
        >>> search.limit()
        >>> len(list(search)), search.stopped
        (1, None)
        """
        self._max_covers = whole(max_covers, "max_covers")
        self._max_nodes = whole(max_nodes, "max_nodes")
        self._timeout = duration(timeout)
        self.stopped: Stop | None = None

    @property
    def fraction(self) -> float:
        """The part of the search tree visited so far, from 0 to 1; it never falls.

        It is exact only where all options of an item have subtrees of the same size: a guess, but one that gets there.
        """
        return float(self._kernel.fraction())

    @property
    def covers(self) -> int:
        """The number of covers found so far; up to a block of them may not have been handed out yet."""
        return int(self._kernel.covers)

    @property
    def nodes(self) -> int:
        """The options tried so far."""
        return int(self._kernel.nodes)

    @property
    def updates(self) -> int:
        """The nodes taken out of lists so far."""
        return int(self._kernel.updates)

    def __iter__(self) -> Covers:
        return self

    def __next__(self) -> tuple[int, ...]:
        if not self._pending:
            # Blocks of 1, 2, 4, ... covers: the first one comes at once, and the last are as cheap as blocks.
            block = self._waiting(self.covers + 1)
            if not len(block):
                raise StopIteration
            self._pending = [tuple(row[: row.index(-1)] if -1 in row else row) for row in reversed(block.tolist())]
        self._taken += 1
        return self._pending.pop()

    def blocks(self, size: int = 1024) -> Iterator[Block]:
        """Yields the covers that are still to come, as arrays of up to `size` rows.

        Parameters:
            size: the most covers in a block, at least 1; no block has more than 1024, and where covers are very wide
                blocks are smaller still, to bound memory.

        Yields:
            int32 arrays of shape (covers, problem.max_level): option numbers in the order of choice, then -1. With a
            0 appended to the weights, `weights[block].sum(axis=1)` is the score of each cover.

        >>> problem = Problem.from_options(["ab", "bc", "cd", "ad"])
        >>> for block in Covers(problem).blocks():
        ...     print(block)
        [[0 2]
         [3 1]]
        """
        if whole(size, "size") == 0:
            raise ValueError("size is 0; a block has at least 1 cover")
        while len(block := self._waiting(size)):
            block = block[:size].copy()
            self._pending.clear()
            self._taken += len(block)
            yield block

    def _waiting(self, size: int) -> Block:
        """The covers not handed out yet, in the buffer; if there are none, it searches on for up to `size` of them."""
        if self._taken >= self._kernel.filled:
            self._kernel.filled = 0
            self._taken = 0
            self._advance(min(size, len(self._buffer)))
        rows = self._buffer[self._taken : self._kernel.filled]
        return rows if self._old is None else self._old[rows]

    def _advance(self, room: int) -> None:
        """Runs the kernel slice by slice until the search ends, `room` covers are found, or a limit is reached."""
        kernel = self._kernel
        goal = kernel.covers + room
        while self.stopped is None and not self.exhausted:
            covers, nodes = self._max_covers - kernel.covers, self._max_nodes - kernel.nodes
            if covers <= 0 or nodes < 0 or self.seconds >= self._timeout:
                self.stopped = "max_covers" if covers <= 0 else "max_nodes" if nodes < 0 else "timeout"
                return
            start = time.perf_counter()
            state = kernel.run(min(nodes, self._step), 8 * self._step, min(covers, goal - kernel.covers))
            spent = time.perf_counter() - start
            self.seconds += spent
            self._step = _adapt(self._step, spent)
            self.exhausted = state == EXHAUSTED
            if self._progress is not None:
                self._progress(self)
            if not self.exhausted and kernel.nodes >= self._max_nodes:
                self.stopped = "max_nodes"
            elif state == BUFFER_FULL and kernel.covers >= goal:
                return


def covers(
    problem: Problem,
    *,
    max_covers: int | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    kernel: Kernel = "auto",
    prefer: Preference | None = None,
    progress: Callable[[Covers], object] | None = None,
) -> Covers:
    """Searches lazily for every cover of a problem, by Algorithm X (TAOCP 4B, 7.2.2.1) on dancing links.

    Parameters:
        problem: what to cover.
        max_covers: stop after so many covers.
        max_nodes: stop after trying so many options.
        timeout: stop after so many seconds of search.
        seed: try options and items in an order drawn at random, so that the first covers look random; they are not
            uniformly distributed. Without it the order is always the same.
        kernel: "links", "bits" or "auto" (see `dlx.engine`); another one runs if that one cannot hold the problem.
        prefer: primary items, the most important one first, or a mapping from them to ranks, the lowest first. Where
            the search branches, which it does where no item is left with a single option, it does so on the first of
            these that are active; among equals, and behind all of them, on an item with the fewest options. This takes
            the kernel "links", and there must be no multiplicities.
        progress: called with the search about every 20 ms while it runs.

    Returns:
        An iterator over covers, tuples of option numbers; `problem.labels(cover)` gives them in the caller's terms, and
        the iterator's `blocks` method delivers numpy arrays instead.

    Raises:
        ValueError: a limit or the seed is negative or not a number, there is no such kernel, or it has no preferences.
        ProblemError: an item preferred is no primary item of the problem.
        TypeError: a limit or the seed has the wrong type.

    >>> toy = Problem.from_options(["ce", "adg", "bcf", "adf", "bg", "deg"], items="abcdefg")
    >>> search = covers(toy)
    >>> for cover in search:
    ...     print(cover, toy.labels(cover))
    (3, 4, 0) (('a', 'd', 'f'), ('b', 'g'), ('c', 'e'))
    >>> search.exhausted
    True
    """
    return Covers(
        problem,
        max_covers=max_covers,
        max_nodes=max_nodes,
        timeout=timeout,
        seed=seed,
        kernel=kernel,
        prefer=prefer,
        progress=progress,
    )


def count(
    problem: Problem,
    *,
    max_covers: int | None = None,
    max_nodes: int | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    kernel: Kernel = "auto",
    prefer: Preference | None = None,
    progress: Callable[[Covers], object] | None = None,
) -> Count:
    """Counts the covers of a problem without building them.

    Ctrl-C ends the count, not the program: the result then has what was counted so far, and `stopped == "interrupt"`.

    Parameters: as for `covers`.

    Returns:
        The number of covers, as `covers`, and how the search went.

    Raises: as `covers`.

    >>> toy = Problem.from_options(["ab", "bc", "c", "a", "b"])
    >>> result = count(toy)
    >>> result.covers, result.exhausted
    (3, True)
    >>> result = count(toy, max_covers=2)
    >>> result.covers, result.stopped
    (2, 'max_covers')
    """
    search = Covers(
        problem,
        max_covers=max_covers,
        max_nodes=max_nodes,
        timeout=timeout,
        seed=seed,
        kernel=kernel,
        prefer=prefer,
        progress=progress,
        _listing=False,
    )
    stopped: Stop | None = None
    try:
        search._advance(UNLIMITED)
    except KeyboardInterrupt:
        stopped = "interrupt"
    return Count(
        covers=search.covers,
        kernel=search.kernel,
        nodes=search.nodes,
        updates=search.updates,
        seconds=search.seconds,
        stopped=None if search.exhausted else search.stopped or stopped,
    )


def first(
    problem: Problem,
    *,
    max_nodes: int | None = None,
    timeout: float | None = None,
    seed: int | None = None,
    kernel: Kernel = "auto",
    prefer: Preference | None = None,
    progress: Callable[[Covers], object] | None = None,
) -> First:
    """Finds one cover of a problem, if it has any.

    Parameters: as for `covers`.

    Returns:
        The options of the cover as `cover`, or None there, and how the search went: `exhausted` is then true if
        there is no cover, and false if the limits, or Ctrl-C, came first.

    Raises: as `covers`.

    >>> first(Problem.from_options(["ab", "c"])).cover
    (0, 1)
    >>> nothing = first(Problem.from_options(["ab", "bc"]))
    >>> nothing.cover, nothing.exhausted
    (None, True)
    """
    search = Covers(
        problem, max_nodes=max_nodes, timeout=timeout, seed=seed, kernel=kernel, prefer=prefer, progress=progress
    )
    cover: tuple[int, ...] | None = None
    stopped: Stop | None = None
    try:
        cover = next(search, None)
    except KeyboardInterrupt:
        stopped = "interrupt"
    if cover is None and not search.exhausted:
        stopped = search.stopped or stopped
    return First(
        cover=cover,
        nodes=search.nodes,
        updates=search.updates,
        seconds=search.seconds,
        stopped=stopped,
    )


def _adapt(step: int, spent: float) -> int:
    """The size of the next slice, given how long the last one took: at most doubled, cut back as far as need be."""
    return max(16, min(2 * step, int(step * SLICE / max(spent, 1e-6)))) if spent > SLICE / 2 else min(2 * step, 1 << 30)


def whole(value: int | None, name: str) -> int:
    """A limit as a whole number; None means no limit."""
    if value is None:
        return UNLIMITED
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {value!r}; it must be a whole number or None")
    if value < 0:
        raise ValueError(f"{name} is {value}; it cannot be negative")
    return min(int(value), UNLIMITED)


def duration(value: float | None) -> float:
    """A timeout in seconds; None means no limit."""
    if value is None:
        return math.inf
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"timeout is {value!r}; it must be a number of seconds or None")
    if not value >= 0:
        raise ValueError(f"timeout is {value}; it must be 0 or more")
    return float(value)
