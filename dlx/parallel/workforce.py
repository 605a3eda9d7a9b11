"""The request to run a search in pieces: the executor, the number of workers, the journal."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlx.engine.dispatch import KernelName, Preference, ranks
from dlx.engine.limits import Limits, Over, never
from dlx.problem.checks import UNLIMITED, jobs_here, whole_number
from dlx.problem.problem import Problem

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from dlx.parallel.checkpoint import Checkpoint
    from dlx.parallel.crew import Workers
    from dlx.parallel.pieces import Pieces


@dataclass(frozen=True, slots=True)
class Workforce:
    """The workers of a search in pieces, as a caller names them."""

    executor: Executor | None = None
    jobs: int | None = None
    checkpoint: str | None = None

    @classmethod
    def of(
        cls, executor: Executor | None, jobs: int | None, checkpoint: str | os.PathLike[str] | None = None
    ) -> Workforce | None:
        """Checks the request of a caller, with TypeError or ValueError; None for an ordinary search."""
        if executor is not None and (isinstance(executor, type) or not callable(getattr(executor, "submit", None))):
            raise TypeError(f"the executor is {executor!r}, which has no method submit")
        if jobs is not None:
            jobs = jobs_here(jobs) if executor is None else whole_number(jobs, "jobs", 1)
        if executor is None and jobs in (None, 1) and checkpoint is None:
            return None
        return cls(executor, jobs if executor else jobs or 1, None if checkpoint is None else os.fspath(checkpoint))

    @property
    def is_alone(self) -> bool:
        """Tells whether nobody else is asked to do anything."""
        return self.executor is None and self.jobs == 1

    def workers(self, threads: bool = True) -> Workers:
        """Returns the workers; without an executor threads, or else processes."""
        from dlx.parallel.crew import Workers  # as late as here: multiprocessing takes 0.02 s to load

        return Workers(self.executor, self.jobs, threads)


def checkpoint_of(problem: Problem, way: str, workforce: Workforce) -> AbstractContextManager[Checkpoint | None]:
    """Returns the checkpoint of a count by "visits", in "layers" or "isomorphic"; None without one."""
    if workforce.checkpoint is None:
        return nullcontext()
    from dlx.parallel.checkpoint import Checkpoint
    from dlx.parallel.cutting import fingerprint

    return Checkpoint(workforce.checkpoint, {"problem": fingerprint(problem), "count": way})


def way_of(workforce: Workforce) -> str | None:
    """Returns the way to count that the checkpoint is of; None if nothing has been saved.

    Raises CheckpointError if the file is none.
    """
    if workforce.checkpoint is None:
        return None
    from dlx.parallel.checkpoint import header

    said = header(workforce.checkpoint)
    return None if said is None else str(said.get("count"))


snapshot_of = checkpoint_of


def checkpoint_there(workforce: Workforce) -> str | None:
    """Returns the way of a checkpoint under the names of its former formats."""
    way = way_of(workforce)
    return {"visits": "journal", None: None}.get(way, "snapshot")


def in_pieces(
    problem: Problem,
    workforce: Workforce,
    kernel: KernelName,
    prefer: Preference | None,
    limits: Limits,
    rows: int = 0,
    ordered: bool = False,
    over: Over = never,
) -> Pieces:
    """Returns a search in pieces, to be closed at its end; raises StoppedError as `split` does."""
    from dlx.parallel.cutting import PIECES, SPLIT, KernelPool, Split, fingerprint, split
    from dlx.parallel.pieces import Pieces

    pool, workers = KernelPool(problem, kernel, prefer, rows), workforce.workers()

    def cut() -> Split:
        most = limits.max_nodes if workforce.checkpoint is None else UNLIMITED  # later calls have other limits
        pieces, hurry = (PIECES, True) if rows else (None, False)
        return split(problem, pieces, kernel=kernel, prefer=pool.prefer, max_nodes=most, hurry=hurry, over=over)

    if workforce.checkpoint is None:
        return Pieces(pool, cut(), workers, ordered=ordered, limits=limits)
    from dlx.parallel.checkpoint import Checkpoint

    ranked = None if pool.prefer is None else ranks(problem, pool.prefer).tolist()
    said = {"problem": fingerprint(problem), "count": "visits", "kernel": kernel, "preferences": ranked}
    with ExitStack() as stack:
        checkpoint = stack.enter_context(Checkpoint(workforce.checkpoint, {**said, "split": SPLIT}))
        saved = checkpoint.load()
        if saved is None:
            checkpoint.save((pieces := cut()).state())
        else:
            with checkpoint.refusing():
                pieces = Split.of(saved)
        stack.pop_all()
    return Pieces(pool, pieces, workers, limits=limits, checkpoint=checkpoint)
