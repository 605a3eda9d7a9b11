"""Work on many grids, shared among workers a few grids at a time.

A worker that has several comes back soon with what it has done by then. The rest is handed out again, grid
by grid: so no answer waits long for one about a harder grid, and hard grids that come together are shared among all.
Where a grid takes microseconds, a block of them takes the place of one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy.typing as npt

import dlx
from dlx.extending import BUDGET_SPENT, EXHAUSTED, Limiting, Limits, Loop, StoppedError, Workforce

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dlx.extending import Crew, Workers

CHUNK = 16  # grids that a worker takes at a time
SLICE = 0.05  # seconds until it comes back with several; to hand them out takes 0.5 ms
WAIT = 0.02  # seconds between two looks at Ctrl-C
GRACE = 2.0  # seconds for what is being done to end when all is to end

TURNS = 4  # chunks for each worker at least, and of blocks CHUNK times as many

Over = Callable[[], bool]  # whether to stop


class Sharable(Limiting, total=False):
    """The limits of a search about many grids, and who does the work, as for `best_many`."""

    executor: Executor | None
    jobs: int | None


def asked(limits: Sharable) -> tuple[Workforce | None, Limits]:
    """Checks who does the work, and the limits."""
    given: dict[str, Any] = {**limits}
    return Workforce.of(given.pop("executor", None), given.pop("jobs", None)), Limits.of(**given)


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
    be asked some times in a second; it answers about one grid after the other. To the loop this is a kernel, for grids
    that come in `chunks`, `size` in all, when workers are free; whoever takes the answers adds up their work.
    """

    def __init__(
        self, workers: Workers, job: Job[Found], context: object, chunks: Iterable[Grids] = (), size: int = 0
    ) -> None:
        from dlx.extending import Crew

        self._chunks: dict[int, tuple[int, Grids]] = {}  # the number of the first grid, and the grids
        self._crew: Crew[int, list[Found]] = Crew(
            workers, some, (job, context), lambda k: self._chunks[k][1], self._next
        )
        self._source, self._size = iter(chunks), size
        self._names = self._numbers = 0  # of chunks and of grids, so far
        self.open = self.nodes = self.updates = self.covers = 0
        self.came: list[tuple[int, Found | None]] = []  # by the last run

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Waits a moment for answers."""
        self.came = self.step(WAIT)
        if not self.open and (more := self._next()) is not None:
            self._crew.todo.append(more)
        return BUDGET_SPENT if self.open else EXHAUSTED

    def fraction(self) -> float:
        """Returns the part of the grids that has come and has been answered."""
        return (self._numbers - self.open) / max(1, self._size)

    def add(self, grids: Grids) -> None:
        """Takes more grids, to be done by one worker if they are easy."""
        self._crew.todo.append(self._more(grids))

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

    def _next(self) -> int | None:
        return None if (grids := next(self._source, None)) is None else self._more(grids)

    def _more(self, grids: Grids) -> int:
        self._numbers += len(grids)
        self.open += len(grids)
        return self._chunk(self._numbers - len(grids), grids)

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


def shared(sharing: Sharing[Found], loop: Loop) -> Generator[tuple[int, Found | None], None, None]:
    """Yields the answers about grids with their numbers, in any order; None for a grid that has killed every worker.

    A limit of the loop, Ctrl-C or an answer that was called off ends it, after all that has been found by then.
    """
    with closing(sharing), loop:
        loop.listen()
        for _ in loop.slices(sharing):
            yield from sharing.came
            if any(answer is not None and answer.stopped == "interrupt" for _, answer in sharing.came):
                break
        yield from sharing.stop()


def in_order(
    workers: Workers,
    job: Job[Found],
    context: object,
    grids: Iterable[Any],
    named: Callable[[int], str],
    limits: Limits = Limits(),  # noqa: B008  (it cannot be changed)
) -> Generator[Found, None, None]:
    """Yields the answers about grids, or blocks of them, in their order; there may be no end of them.

    Raises LostPieceError for one that has killed every worker, StoppedError at a limit, and KeyboardInterrupt.
    """
    came: dict[int, Found] = {}
    turn = 0
    loop = Loop(limits, raises=True)
    with closing(shared(Sharing(workers, job, context, ([grid] for grid in grids)), loop)) as answers:
        for k, answer in answers:
            if answer is None:
                raise dlx.LostPieceError(f"every worker has died of {named(k)}")
            came[k] = answer
            while turn in came:
                yield came.pop(turn)
                turn += 1
    if loop.stopped:
        raise StoppedError(loop.stopped)


def cut(grids: Any, parts: int, most: int) -> list[Any]:
    """Cuts a sequence of grids into at least so many parts, if there are as many grids, each of up to `most`.

    >>> cut([1, 2, 3, 4, 5], parts=2, most=9), cut([1, 2, 3], parts=2, most=1)
    ([[1, 2], [3, 4], [5]], [[1], [2], [3]])
    """
    size = max(1, min(most, len(grids) // parts))
    return [grids[k : k + size] for k in range(0, len(grids), size)]


def looking_up(over: Over, told: Callable[[Any], object] | None = None) -> Callable[[object], None]:
    """Returns a `progress` for the search of a worker, which ends it in time, and tells another one."""

    def look_up(seen: object) -> None:
        if over():
            raise KeyboardInterrupt
        if told is not None:
            told(seen)

    return look_up
