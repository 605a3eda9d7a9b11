"""A search for kinds of covers that goes on with workers: how its tasks go to them and come back."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import count
from typing import Any, Generic

from dlx.parallel.crew import Crew, Result, Task, Workers
from dlx.parallel.errors import LostPieceError
from dlx.parallel.worker import Job
from dlx.parallel.workforce import Workforce

WAIT = 0.02  # seconds between two looks at the clock and at Ctrl-C


class Together(Generic[Task, Result]):
    """What is left of a search, done by workers.

    Workers of our own are processes: what is to be done holds the interpreter's lock.

    Parameters:
        workforce: who works.
        job, context: as for `dlx.parallel.crew.Crew`.
        gather: the next task, made when a worker is free for it; None where there is nothing to do now.
    """

    def __init__(self, workforce: Workforce, job: Job, context: object, gather: Callable[[], Task | None]) -> None:
        self._gather = gather
        self._tasks: dict[int, Task] = {}
        self._numbers = count()
        workers = Workers(workforce.executor, workforce.jobs, threads=False)
        self._crew: Crew[Task, Any] = Crew(workers, job, context, self._tasks.__getitem__)
        self.jobs = workers.jobs

    @property
    def tasks(self) -> Collection[Task]:
        """Those that are on their way."""
        return self._tasks.values()

    def step(self) -> list[tuple[Task, Any]]:
        """Gives the workers something to do, and waits a moment for the next tasks that have been done.

        Raises:
            LostPieceError: only tasks are left that kill their workers.
            BrokenExecutor: the executor has broken, and cannot be replaced.
        """
        crew = self._crew
        while len(crew.todo) < crew.room() and (task := self._gather()) is not None:
            self._tasks[number := next(self._numbers)] = task
            crew.todo.append(number)
        done = crew.step(WAIT)
        if crew.lost and not done and not crew.flight:
            raise LostPieceError(f"every worker has died of {self._tasks[crew.lost[0]]}; what does not need it is done")
        return [(self._tasks.pop(number), result) for number, result in done]

    def close(self) -> None:
        """Ends what workers do."""
        self._crew.close()
