"""Work on many grids, shared among workers a few grids at a time.

A worker that has several comes back soon with what it has done by then. The rest is handed out again, grid
by grid: so no answer waits long for one about a harder grid, and hard grids that come together are shared among all.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

import numpy.typing as npt

from dlx.extending import Crew, Workers

CHUNK = 16  # grids that a worker takes at a time
SLICE = 0.05  # seconds until it comes back with several; to hand them out takes 0.5 ms
WAIT = 0.02  # seconds between two looks at Ctrl-C
GRACE = 2.0  # seconds for what is being done to end when all is to end

Over = Callable[[], bool]  # whether to stop


class Answer(Protocol):
    """The answer about a grid."""

    @property
    def stopped(self) -> str | None:
        """The reason why the search stopped early, or None; "interrupt" if it was told to."""


Found = TypeVar("Found", bound=Answer)
Grids: TypeAlias = Sequence[Any] | npt.NDArray[Any]
Job = Callable[[Any, Any, Over], Iterator[Found]]


class Sharing(Generic[Found]):
    """Grids that workers are busy with, numbered from 0 as they come; `open` of them have no answer yet.

    The job, a function of a module, is called with the context, some grids, and what tells whether to stop, which is to
    be asked some times in a second; it answers about one grid after the other.
    """

    def __init__(self, workers: Workers, job: Job[Found], context: object) -> None:
        self._chunks: dict[int, tuple[int, Grids]] = {}  # the number of the first grid, and the grids
        self._crew: Crew[int, list[Found]] = Crew(workers, some, (job, context), lambda k: self._chunks[k][1])
        self._names = self._numbers = 0  # of chunks and of grids, so far
        self.open = 0

    def add(self, grids: Grids) -> None:
        """Takes more grids, to be done by one worker if they are easy."""
        self._crew.todo.append(self._chunk(self._numbers, grids))
        self._numbers += len(grids)
        self.open += len(grids)

    def step(self, seconds: float) -> list[tuple[int, Found | None]]:
        """Waits for so many seconds at most for the next answers; None for a grid that has killed every worker."""
        found: list[tuple[int, Found | None]] = []
        for k, answers in self._crew.step(seconds):
            found += self._take(k, answers)
        while self._crew.lost:
            found += self._give_up(self._crew.lost.pop())
        return found

    def stop(self) -> Iterator[tuple[int, Found | None]]:
        """Ends what is being done, and yields what has been found out by then."""
        self._crew.stop()
        end = time.monotonic() + GRACE
        while self._crew.flight and time.monotonic() < end:
            yield from self.step(WAIT)

    def close(self) -> None:
        """Ends all of it at once."""
        self._crew.close()

    def _chunk(self, first: int, grids: Grids) -> int:
        self._chunks[self._names] = first, grids
        self._names += 1
        return self._names - 1

    def _take(self, k: int, answers: list[Found]) -> Iterator[tuple[int, Found]]:
        """Numbers what a worker has found out, and hands out what it has not come to."""
        first, grids = self._chunks.pop(k)
        self.open -= len(answers)
        self._hand_out(first + len(answers), grids[len(answers) :])
        return enumerate(answers, first)

    def _give_up(self, k: int) -> list[tuple[int, None]]:
        """Gives up a grid that no worker has survived; of several only one may be to blame."""
        first, grids = self._chunks.pop(k)
        if len(grids) > 1:
            self._hand_out(first, grids)
            return []
        self.open -= 1
        return [(first, None)]

    def _hand_out(self, first: int, grids: Grids) -> None:
        """Hands out grids one by one, before all others."""
        self._crew.todo.extendleft(reversed([self._chunk(first + k, grids[k : k + 1]) for k in range(len(grids))]))


def some(plan: tuple[Job[Found], object], grids: Grids, over: Over) -> list[Found]:
    """Answers the first ones of some grids, as many as there is time for: the task of a worker."""
    end = math.inf if len(grids) == 1 else time.monotonic() + SLICE
    found: list[Found] = []

    def stop() -> bool:
        return over() or time.monotonic() >= end

    job, context = plan
    for one in job(context, grids, stop):
        if one.stopped == "interrupt" and stop() and not over():
            break  # there was no time for it: it begins anew by itself
        found.append(one)
        if stop():
            break
    return found
