"""Counting up to isomorphism by many workers: the classes of a bucket are expanded in batches.

The program keeps the buckets. A worker is sent states and weights of some classes of the fullest bucket, and sends back
the classes that these fill. The program adds them to the buckets below in the order of sending, so every run counts the
same. The next bucket begins when all of one is back.

Most of the time goes into canonical forms, which hold the interpreter's lock: so workers of our own are processes.
"""

from __future__ import annotations

import threading
import time
from itertools import count
from typing import Any, Final, NamedTuple

import numpy as np

from dlx.counting.isomorphism import Ground, Isomorphic, Remains
from dlx.counting.resuming import Waiting
from dlx.engine.limits import Over
from dlx.kernels import BUDGET_SPENT, EXHAUSTED
from dlx.parallel.crew import Crew
from dlx.parallel.workforce import Workforce
from dlx.problem.checks import MEMORY
from dlx.symmetry.forms import Words

ALONE = 1.0  # seconds before anybody is asked to help: most counts end before
BATCH = 0.15  # seconds that a batch takes at most, nearly; so long workers are deaf, and each costs the program 0.5 ms
LEAST = 0.01  # seconds that it takes at least, nearly
CLASS = 300  # bytes of a class, about
AT_ONCE = 200  # nodes before a worker may look up
FILLS = 8  # classes that one of them fills, at most in most problems

Filled = tuple[int, int, list[bytes], Words, list[int]]  # points done, open items, forms, states, weights


class ClassBatch(NamedTuple):
    """Classes of one bucket, to be expanded."""

    done: int  # points
    states: Words  # a row for each class
    weights: list[int]  # the number of ways to reach each


class Expanded(NamedTuple):
    """The result of a batch: the nodes, the forms asked for, the buckets filled, and the seconds that it took."""

    nodes: int
    forms: int
    filled: list[Filled]
    seconds: float


def expand(ground: Ground, batch: ClassBatch, over: Over) -> Expanded | None:
    """Expands the classes of a batch; None if the run is over."""
    start = time.perf_counter()
    if getattr(_HERE, "ground", None) is not ground:
        _HERE.ground, _HERE.kernel = ground, ground.classes()
    kernel = _HERE.kernel
    kernel.lay(*batch)
    while kernel.expand(AT_ONCE):
        if over():
            return None
    return Expanded(kernel.nodes, kernel.forms, kernel.filled(), time.perf_counter() - start)


_HERE: Final = threading.local()  # the last ground of this thread, and its kernel


class InBatches(Isomorphic):
    """A count up to isomorphism with workers, to be closed at its end; small buckets stay in this process."""

    def __init__(self, remains: Remains, workforce: Workforce, memory: int = MEMORY) -> None:
        super().__init__(remains, memory)
        self._workforce, self._memory = workforce, memory
        self._crew: Crew[int, Expanded] | None = None
        self._alone = 0.0  # seconds of work here
        self._each = 0.0  # seconds that a class takes
        self._is_torn = False
        self._numbers = count()  # of batches
        self._sent: dict[int, ClassBatch] = {}  # by number, in this order, until they are taken in
        self._back: dict[int, Expanded] = {}  # results that wait for batches before them

    def stand(self) -> dict[str, Any] | None:
        """Returns what a snapshot says of it; None where an error has come while results were taken in."""
        return None if self._is_torn else super().stand()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Runs for some nodes, or while others work a moment; raises MemoryError, LostPieceError or BrokenExecutor."""
        if not self._sent:
            if self._alone < ALONE or len(self._ways) > 1:
                return self._run_alone(nodes)
            start = time.perf_counter()
            ahead = self._way.advance(self._pace)
            self._alone += time.perf_counter() - start
            if not ahead:
                return EXHAUSTED
            if ahead < 0:
                return BUDGET_SPENT
            if not self._is_wide(ahead):
                return self._run_alone(nodes)
        self._share()
        return BUDGET_SPENT

    def close(self) -> None:
        """Ends the run: what has not begun never will, and what is running comes to its end by itself."""
        if self._crew is not None:
            self._crew.close()

    def _waiting(self) -> Waiting:
        """Returns the classes to be expanded; those of batches under way are where they have been taken from."""
        waiting = super()._waiting()
        if self._sent:
            states, weights = waiting[-3]  # of the bucket at hand
            sent = [*reversed(self._sent.values())]
            joined = np.concatenate([states, *(batch.states for batch in sent)])
            waiting[-3] = joined, [*weights, *(weight for batch in sent for weight in batch.weights)]
        return waiting

    def _run_alone(self, nodes: int) -> int:
        start = time.perf_counter()
        state = super().run(nodes, 0, 0)
        self._alone += time.perf_counter() - start
        return state

    def _is_wide(self, ahead: int) -> bool:
        """Tells whether so many classes are enough for all workers, and are not the empty one, which counts."""
        if self._crew is None:
            self._each = self._alone / max(1, self._expanded() - self._before)
            jobs = self._workforce.jobs or 2
        else:
            jobs = self._crew.jobs
        return ahead * self._each > 2 * jobs * LEAST and self._way.top > 0

    def _share(self) -> None:
        """Gives the workers something to do, and takes in what has come back."""
        crew = self._crew = self._crew or self._called()
        self._back.update(crew.step())
        self._is_torn = True
        while (number := next(iter(self._sent), -1)) in self._back:
            self._take_in(self._sent.pop(number), self._back.pop(number))
        self._is_torn = False

    def _called(self) -> Crew[int, Expanded]:
        workers, ground = self._workforce.workers(threads=False), self.remains.ground(self._way.points, self._way.whole)
        return Crew(workers, expand, ground, self._sent.__getitem__, lambda: self._next(workers.jobs), self._named)

    def _named(self, lost: list[int]) -> str:
        """Names the batches that have killed every worker."""
        return f"the classes with {self._way.top} items open, {self.doing}"

    def _next(self, jobs: int) -> int | None:
        """Makes the next batch, smaller ones near the end of a bucket; None if there is none for now."""
        if len(self._sent) >= 4 * jobs:
            return None
        ahead = self._way.ahead
        size = min(BATCH / self._each, ahead / (2 * jobs))
        room = self._memory / (16 * jobs * FILLS * CLASS)
        batch = ClassBatch(*self._way.take(max(1, int(min(max(size, LEAST / self._each), room)))))
        if not batch.weights:
            return None
        self._sent[number := next(self._numbers)] = batch
        return number

    def _take_in(self, batch: ClassBatch, came: Expanded) -> None:
        self._way.give(len(batch.weights), came.nodes, came.forms, came.filled)
        self._each += (came.seconds / len(batch.weights) - self._each) / 8
