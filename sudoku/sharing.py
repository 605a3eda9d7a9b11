"""Blocks of grids, shared among workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import dlx
from dlx.extending import BUDGET_SPENT, EXHAUSTED, Limiting, Limits, Loop, StoppedError, Workforce

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dlx.extending import Crew, Workers

WAIT = 0.02  # seconds between two checks for Ctrl-C
GRACE = 2.0  # seconds that stopped workers have to return their results
TURNS = 4  # the least number of blocks for each worker

Over = Callable[[], bool]  # whether a worker has to stop
Found = TypeVar("Found")
Job = Callable[[Any, Any, Over], Found]


class Sharable(Limiting, total=False):
    """The limits of a search of many grids, and its workers, as for `best_many`."""

    executor: Executor | None
    jobs: int | None


def checked_limits(limits: Sharable) -> tuple[Workforce | None, Limits]:
    """Returns the checked workers and limits."""
    given: dict[str, Any] = {**limits}
    return Workforce.of(given.pop("executor", None), given.pop("jobs", None)), Limits.of(**given)


class Shared(Generic[Found]):
    """The results of blocks that workers search, in the order of the blocks.

    A `Loop` runs it like a kernel. The caller of `results` adds the nodes, updates and covers of each result.

    Parameters:
        workers: the workers.
        job: a module-level function; `job(context, block, over)` searches a block and calls `over` several times a
            second.
        context: its first argument, sent to each worker once.
        blocks: the blocks, perhaps endless; the next one is taken when a worker is free.
        named: describes a block by its number, for the message of a LostPieceError.
        limits: the limits of the whole call.
        size: the number of blocks, for `fraction`.

    Attributes:
        loop: the loop, with the outcome after the last result.
    """

    def __init__(
        self,
        workers: Workers,
        job: Job[Found],
        context: object,
        blocks: Iterable[Any],
        named: Callable[[int], str],
        limits: Limits,
        size: int = 0,
    ) -> None:
        from dlx.extending import Crew  # imported here: multiprocessing takes 20 ms to load

        self._blocks: dict[int, Any] = {}  # the blocks whose results have not come, by number
        self._crew: Crew[int, Found] = Crew(workers, job, context, self._blocks.__getitem__, self._next)
        self._source, self._size, self._named = enumerate(blocks), size, named
        self._came: dict[int, Found] = {}  # results that wait for their turn
        self._turn = 0  # the number of the next result
        self._ended = False  # whether all blocks have been taken
        self.nodes = self.updates = self.covers = 0
        self.loop = Loop(limits)

    def results(self) -> Generator[Found, None, None]:
        """Yields the results, until a limit or Ctrl-C ends the loop; raises LostPieceError."""
        with closing(self._crew), self.loop:
            self.loop.listen()
            for _ in self.loop.slices(self):
                yield from self._in_turn()
            self._crew.stop()
            end = time.monotonic() + GRACE
            while self._crew.flight and time.monotonic() < end:
                self._wait()
            yield from self._in_turn()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Waits a moment for results."""
        self._wait()
        return EXHAUSTED if self._ended and not self._blocks else BUDGET_SPENT

    def fraction(self) -> float:
        """Returns the fraction of the blocks that have results."""
        return (self._turn + len(self._came)) / max(1, self._size)

    def _wait(self) -> None:
        """Takes the results that come within a moment."""
        for k, result in self._crew.step(WAIT):
            self._came[k] = result
            del self._blocks[k]
        if self._crew.lost:
            raise dlx.LostPieceError(f"every worker has died of {self._named(self._crew.lost[0])}")

    def _next(self) -> int | None:
        """Takes the next block, and returns its number; None at the end."""
        for k, block in self._source:
            self._blocks[k] = block
            return k
        self._ended = True
        return None

    def _in_turn(self) -> Iterator[Found]:
        """Yields the results that follow the last one yielded."""
        while self._turn in self._came:
            yield self._came.pop(self._turn)
            self._turn += 1


def in_order(
    workers: Workers | None,
    job: Job[Found],
    context: object,
    blocks: Iterable[Any],
    named: Callable[[int], str],
    limits: Limits = Limits(),  # noqa: B008  (it cannot be changed)
) -> Generator[Found, None, None]:
    """Yields the results of blocks in order; without workers, this thread searches. Blocks may be endless.

    Raises LostPieceError if a block kills every worker, StoppedError at a limit, and KeyboardInterrupt.
    """
    if workers is None:
        yield from (job(context, block, lambda: False) for block in blocks)
        return
    shared = Shared(workers, job, context, blocks, named, limits)
    with closing(shared.results()) as results:
        yield from results
    if shared.loop.stopped == "interrupt":
        raise KeyboardInterrupt
    if shared.loop.stopped:
        raise StoppedError(shared.loop.stopped)


def cut(grids: Any, parts: int, most: int) -> list[Any]:
    """Cuts a sequence of grids into at least `parts` parts of up to `most` grids, if there are enough grids.

    >>> cut([1, 2, 3, 4, 5], parts=2, most=9), cut([1, 2, 3], parts=2, most=1)
    ([[1, 2], [3, 4], [5]], [[1], [2], [3]])
    """
    size = max(1, min(most, len(grids) // parts))
    return [grids[k : k + size] for k in range(0, len(grids), size)]


def named(blocks: Sequence[Any]) -> Callable[[int], str]:
    """Returns the function that describes a block of `cut` by its number."""

    def place(k: int) -> str:
        first = k * len(blocks[0])
        last = first + len(blocks[k]) - 1
        return f"grids[{first}]" if first == last else f"one of grids[{first}] to grids[{last}]"

    return place


def until(over: Over, progress: Callable[[Any], object] | None = None) -> Callable[[object], None]:
    """Returns a `progress` function that ends the search of a worker when the worker has to stop."""

    def check(seen: object) -> None:
        if over():
            raise KeyboardInterrupt
        if progress is not None:
            progress(seen)

    return check
