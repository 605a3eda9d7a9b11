"""Blocks of grids, shared among workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dlx.extending import BUDGET_SPENT, EXHAUSTED, Limits, Loop, StoppedError

if TYPE_CHECKING:
    from dlx.extending import Crew, Workers

WAIT = 0.02  # seconds between two checks for Ctrl-C
GRACE = 2.0  # seconds that stopped workers have to return their results
TURNS = 4  # the least number of blocks for each worker

Over = Callable[[], bool]  # whether a worker has to stop
Found = TypeVar("Found")
Job = Callable[[Any, Any, Over], Found]


def in_order(
    workers: Workers | None,
    job: Job[Found],
    context: object,
    blocks: Sequence[Any],
    named: Callable[[int], str],
    limits: Limits = Limits(),  # noqa: B008  (it cannot be changed)
) -> Generator[Found, None, None]:
    """Yields the results of blocks in their order; without workers, this thread searches.

    Parameters:
        workers: the workers, or None.
        job: a module-level function; `job(context, block, over)` searches a block and calls `over` several times a
            second.
        context: its first argument, sent to each worker once.
        blocks: the blocks.
        named: describes a block by its number, for the message of a LostPieceError.
        limits: the limits of the workers together.

    Raises:
        LostPieceError: several workers in a row have died with a block.
        StoppedError: a limit came first.
        KeyboardInterrupt: Ctrl-C came first; the results found by then have been yielded.
    """
    if workers is None:
        yield from (job(context, block, lambda: False) for block in blocks)
        return
    loop, shared = Loop(limits, raises=True), _Shared(workers, job, context, blocks, named)
    with closing(shared.crew), loop:
        loop.listen()
        for _ in loop.slices(shared):
            yield from shared.in_turn()
        shared.stop()
        yield from shared.in_turn()
    if loop.stopped:
        raise StoppedError(loop.stopped)


class _Shared(Generic[Found]):
    """The work of a crew on blocks; a `Loop` runs it like a kernel."""

    nodes = updates = covers = 0  # counted by the caller, if at all

    def __init__(
        self,
        workers: Workers,
        job: Job[Found],
        context: object,
        blocks: Sequence[Any],
        named: Callable[[int], str],
    ) -> None:
        from dlx.extending import Crew  # imported here: multiprocessing takes 20 ms to load

        self._size = len(blocks)
        self.crew: Crew[int, Found] = Crew(workers, job, context, blocks.__getitem__, named)
        self.crew.todo.extend(range(self._size))
        self._came: dict[int, Found] = {}  # results that wait for their turn
        self._turn = 0  # the number of the next result

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Takes the results that come within a moment."""
        self._came.update(self.crew.step(WAIT))
        return BUDGET_SPENT if self.crew.todo or self.crew.flight else EXHAUSTED

    def fraction(self) -> float:
        """Returns the fraction of the blocks that have results."""
        return (self._turn + len(self._came)) / max(1, self._size)

    def in_turn(self) -> Iterator[Found]:
        """Yields the results that follow the last one yielded."""
        while self._turn in self._came:
            yield self._came.pop(self._turn)
            self._turn += 1

    def stop(self) -> None:
        """Stops the workers, and waits a while for their results."""
        self.crew.stop()
        end = time.monotonic() + GRACE
        while self.crew.flight and time.monotonic() < end:
            self._came.update(self.crew.step(WAIT))


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
