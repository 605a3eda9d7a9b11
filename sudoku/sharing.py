"""Blocks of grids, shared among workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Generic, TypeVar

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


class Sharing(Generic[Found]):
    """The blocks that workers search, numbered from 0; `open` of them have no result yet.

    A `Loop` runs it like a kernel. The caller adds the nodes, updates and covers of the results.

    Parameters:
        workers: the workers.
        job: a module-level function; `job(context, block, over)` searches a block and calls `over` several times a
            second.
        context: its first argument, sent to each worker once.
        blocks: the blocks; the next one is taken when a worker is free.
        size: the number of blocks, for `fraction`.
        named: describes a block by its number, for the message of a LostPieceError.
    """

    def __init__(
        self,
        workers: Workers,
        job: Job[Found],
        context: object,
        blocks: Iterable[Any],
        size: int = 0,
        named: Callable[[int], str] = "block {}".format,
    ) -> None:
        from dlx.extending import Crew  # imported here: multiprocessing takes 20 ms to load

        self._blocks: dict[int, Any] = {}
        self._crew: Crew[int, Found] = Crew(workers, job, context, self._blocks.__getitem__, named)
        self._source, self._size = iter(blocks), size
        self._number = 0  # the blocks taken so far
        self.open = self.nodes = self.updates = self.covers = 0
        self.came: list[tuple[int, Found]] = []  # the results of the last run

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Waits a moment for results."""
        self.came = self.step(WAIT)
        while self._crew.room() > len(self._crew.todo) and (more := self._next()) is not None:
            self._crew.todo.append(more)
        return BUDGET_SPENT if self.open else EXHAUSTED

    def fraction(self) -> float:
        """Returns the fraction of the blocks that have results."""
        return (self._number - self.open) / max(1, self._size)

    def step(self, seconds: float) -> list[tuple[int, Found]]:
        """Returns results that come within `seconds`, in any order; raises LostPieceError."""
        came = list(self._crew.step(seconds))
        self.open -= len(came)
        for k, _ in came:
            del self._blocks[k]
        return came

    def stop(self) -> Iterator[tuple[int, Found]]:
        """Stops the workers, and yields their last results."""
        self._crew.stop()
        end = time.monotonic() + GRACE
        while self._crew.flight and time.monotonic() < end:
            yield from self.step(WAIT)

    def close(self) -> None:
        """Ends the workers."""
        self._crew.close()

    def _next(self) -> int | None:
        """Takes the next block, and returns its number; None at the end."""
        block = next(self._source, None)
        if block is None:
            return None
        self._blocks[self._number] = block
        self._number += 1
        self.open += 1
        return self._number - 1


def shared(sharing: Sharing[Found], loop: Loop) -> Generator[tuple[int, Found], None, None]:
    """Yields the results of all blocks with their numbers, in any order, until a limit or Ctrl-C ends the loop."""
    with closing(sharing), loop:
        loop.listen()
        for _ in loop.slices(sharing):
            yield from sharing.came
        yield from sharing.stop()


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
        for block in blocks:
            yield job(context, block, lambda: False)
        return
    came: dict[int, Found] = {}
    turn = 0
    loop = Loop(limits, raises=True)
    sharing = Sharing(workers, job, context, blocks, named=named)
    with closing(shared(sharing, loop)) as results:
        for k, result in results:
            came[k] = result
            while turn in came:
                yield came.pop(turn)
                turn += 1
    if loop.stopped:
        raise StoppedError(loop.stopped)


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
