"""Searches for all covers, one by one or in numpy blocks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, Unpack

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import KernelName, Preference, build, shuffle
from dlx.engine.limits import Limiting, Limits, Loop, Stop
from dlx.kernels import Finder
from dlx.parallel.workforce import Workforce, in_pieces
from dlx.problem.checks import whole_number
from dlx.problem.problem import Problem, as_problem
from dlx.problem.shown import Tabled

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dlx.parallel.pieces import Pieces

Block = npt.NDArray[np.int32]

LARGE = 64  # covers of a block from which a table of Python ints is faster
BLOCK = 1024  # the most covers in the buffer of a kernel
BUFFER = 1 << 22  # the most entries of this buffer, 16 MB


class Covers(Iterator[tuple[int, ...]], Tabled):
    """A lazy search for covers: iteration yields tuples of option numbers, and `blocks()` yields numpy arrays.

    The options of a cover come in the order of choice. The search continues where it stopped, even after a
    KeyboardInterrupt; the attributes hold its totals so far. A search cannot be copied, and threads that share it need
    a lock.

    Attributes:
        problem: the problem.
    """

    def __init__(
        self,
        problem: Problem,
        *,
        seed: int | None = None,
        kernel: KernelName = "auto",
        prefer: Preference | None = None,
        executor: Executor | None = None,
        jobs: int | None = None,
        ordered: bool = False,
        **limits: Unpack[Limiting],
    ) -> None:
        self.problem = as_problem(problem)
        self._loop = Loop(Limits.of(**limits), raises=True)
        workforce = Workforce.of(executor, jobs)
        self._pending: list[tuple[int, ...]] = []  # covers taken from the kernel, in reverse order
        self._old: Block | None = None  # the caller's option numbers, if the options were shuffled
        self._running = threading.Lock()
        self._pieces: Pieces | None = None
        if seed is not None:
            problem, self._old = shuffle(problem, whole_number(seed, "seed"))
        self._room = max(1, min(BLOCK, BUFFER // max(1, problem.max_level)))
        if workforce is None:
            self._kernel: Finder = build(problem, kernel, prefer, self._room)
        else:
            self._pieces = in_pieces(problem, workforce, kernel, prefer, self._loop.limits, self._room, ordered)
            self._kernel = self._pieces

    def limit(self, **limits: Unpack[Limiting]) -> None:
        """Sets new limits, counted from the start of the search; a stopped search can continue.

        Parameters and errors: as for `covers`; without `progress`, reports go on as before.

        >>> search = covers(Problem.from_options(["ab", "bc", "c", "a"]), max_covers=1)
        >>> len(list(search)), search.stopped
        (1, 'max_covers')
        >>> search.limit()
        >>> len(list(search)), search.stopped
        (1, None)
        """
        old, new = self._loop.limits, Limits.of(**limits)
        self._loop.limits = new if "progress" in limits else replace(new, progress=old.progress, close=old.close)
        if self._pieces is not None:
            self._pieces.limits = self._loop.limits
        self._loop.stopped = None

    @property
    def kernel(self) -> str:
        """The name of the kernel that runs."""
        return self._kernel.name

    @property
    def stopped(self) -> Stop | None:
        """The limit that stopped the search; None while it can continue, and after its end."""
        return self._loop.stopped

    @property
    def exhausted(self) -> bool:
        """Whether the whole search tree has been visited and all covers have been handed out.

        It may still be False after the last cover; then the next call ends the search.
        """
        return self._loop.exhausted and not self._pending and not self._kernel.filled

    @property
    def seconds(self) -> float:
        """The time spent searching, without the caller's time between covers."""
        return self._loop.seconds

    @property
    def fraction(self) -> float:
        """The part of the search tree visited so far, from 0 to 1; it never falls.

        It is exact only if all options of an item have subtrees of the same size.
        """
        return self._kernel.fraction()

    @property
    def covers(self) -> int:
        """The number of covers found so far; up to a block of them may not have been yielded yet."""
        return self._kernel.covers

    @property
    def nodes(self) -> int:
        """The options tried so far."""
        return self._kernel.nodes

    @property
    def updates(self) -> int:
        """The steps of the data structures so far."""
        return self._kernel.updates

    def __iter__(self) -> Covers:
        return self

    def __next__(self) -> tuple[int, ...]:
        if not self._pending:
            # Blocks of 1, 2, 4, ... covers: the first cover comes soon, and later covers cost no more than in blocks.
            rows = self._tuples(self._search(self.covers + 1)[::-1])
            self._pending, self._kernel.filled = rows, 0  # a single statement, so that Ctrl-C loses no cover
            if not rows:
                raise StopIteration
        return self._pending.pop()

    def _tuples(self, block: Block) -> list[tuple[int, ...]]:
        """Returns the rows of a block as tuples, without the padding of -1."""
        rows = (self._numbers[block] if len(block) >= LARGE else block).tolist()
        if not np.count_nonzero(block[:, -1:] < 0):
            return list(map(tuple, rows))
        return [tuple(row[: row.index(-1)] if -1 in row else row) for row in rows]

    @cached_property
    def _numbers(self) -> npt.NDArray[np.object_]:
        """The option numbers as Python ints, then -1; indexing it is three times as fast as making new ints."""
        return np.append(np.arange(self.problem.n_options).astype(object), -1)

    def blocks(self, size: int = BLOCK) -> Iterator[Block]:
        """Yields the remaining covers as arrays of up to `size` rows.

        Parameters:
            size: the most covers in a block, at least 1. Blocks have at most 1024 covers, and fewer if covers are very
                wide, to bound memory.

        Yields:
            int32 arrays of shape (covers, problem.max_level): option numbers in the order of choice, then -1. With a
            0 appended to the weights, `weights[block].sum(axis=1)` is the score of each cover.

        >>> problem = Problem.from_options(["ab", "bc", "cd", "ad"])
        >>> for block in Covers(problem).blocks():
        ...     print(block)
        [[0 2]
         [3 1]]
        """
        size = whole_number(size, "size", 1)
        while len(block := self._block(size)):
            yield block

    def _block(self, size: int) -> Block:
        if self._pending:
            return self._from_pending(size)
        block = self._search(size).copy()
        self._kernel.filled = 0
        if len(block) > size:  # after an interrupt the buffer may hold more
            self._pending += [tuple(row[row >= 0].tolist()) for row in block[: size - 1 : -1]]
        return block[:size]

    def _from_pending(self, size: int) -> Block:
        """Returns a block of the pending covers, which were found for iteration one by one."""
        some = self._pending[: -size - 1 : -1]
        block = np.full((len(some), self.problem.max_level), -1, dtype=np.int32)
        for row, cover in zip(block, some, strict=True):
            row[: len(cover)] = cover
        del self._pending[-size:]
        return block

    def _search(self, size: int) -> Block:
        """Returns the covers in the kernel's buffer; if it is empty, first runs the kernel for up to `size` covers."""
        if self._running.locked():
            raise RuntimeError("the search is running: its callbacks and other threads cannot take covers from it")
        with self._running:  # Ctrl-C cannot come between locking and the block, as it can between `acquire` and `try`
            if not self._kernel.filled:
                self._advance(min(size, self._room))
        rows = self._kernel.found()
        return rows if self._old is None else self._old[rows]

    def _advance(self, size: int) -> None:
        """Runs the kernel for up to `size` covers, or to its end or a limit."""
        if not (self._loop.exhausted or self.stopped):
            with self._loop as loop:
                if self._pieces is not None:
                    loop.listen()
                for _ in loop.slices(self._kernel, covers=size):
                    pass
        if (self._loop.exhausted or self.stopped) and self._pieces is not None and not self._kernel.filled:
            self._pieces.hand_out(size)  # covers found by workers before the limit

    def __reduce__(self) -> NoReturn:
        raise TypeError("a search cannot be copied or pickled; start another one of the same problem")


def covers(
    problem: Problem,
    *,
    seed: int | None = None,
    kernel: KernelName = "auto",
    prefer: Preference | None = None,
    executor: Executor | None = None,
    jobs: int | None = None,
    ordered: bool = False,
    **limits: Unpack[Limiting],
) -> Covers:
    """Searches lazily for all covers of a problem by Algorithm X (TAOCP 4B, 7.2.2.1) with dancing links.

    Parameters:
        problem: what to cover.
        seed: for a random order of options and items; the first covers look random, but are not uniformly distributed.
            Default: a fixed order.
        kernel: "links", "bits" or "auto" (default; `dlx.engine.dispatch`). If a problem is too wide for "bits", "links"
            is used.
        prefer: primary items, the most important one first; or a mapping from primary items to ranks, the lowest first.
            If no item has a single option left, the search branches on the active item of lowest rank, and among equals
            on one with the fewest options; items without a rank come last. It needs the kernel "links", and excludes
            multiplicities.
        executor: searches in pieces: an executor of `concurrent.futures`, or anything with such a `submit`, as dask's
            `Client.get_executor()`; default: threads. Covers come in the order in which they are found.
        jobs: the number of pieces at a time; default: 1, or with an executor the number of cores of this machine.
        ordered: whether covers come in the order of a search without pieces. With multiplicities, only the order of
            the pieces is fixed.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`).

    Returns:
        An iterator over covers, as tuples of option numbers. `problem.labels(cover)` returns their names or items. The
        method `blocks` yields numpy arrays instead.

    Raises:
        ValueError: a limit or the seed is negative or not a number; the kernel is unknown or cannot take `prefer`.
        ProblemError: a preferred item is no primary item of the problem.
        TypeError: a limit or the seed has the wrong type, or a limit is unknown.
        RuntimeError: a callback `progress` takes covers from the search that called it.

    >>> toy = Problem.from_options(["ce", "adg", "bcf", "adf", "bg", "deg"], items="abcdefg")
    >>> search = covers(toy)
    >>> for cover in search:
    ...     print(cover, toy.labels(cover))
    (3, 0, 4) (('a', 'd', 'f'), ('c', 'e'), ('b', 'g'))
    >>> search.exhausted
    True
    """
    return Covers(
        problem, seed=seed, kernel=kernel, prefer=prefer, executor=executor, jobs=jobs, ordered=ordered, **limits
    )
