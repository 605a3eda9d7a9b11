"""The arguments of a search in pieces: the executor, the number of workers, the checkpoint."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dlx.engine.dispatch import KernelName, Preference
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
    """The executor, jobs and checkpoint arguments of a search, checked.

    Attributes:
        executor: the executor; None for threads of this process.
        jobs: the number of pieces at a time; None: the number of cores.
        checkpoint: the path of the file.
    """

    executor: Executor | None = None
    jobs: int | None = None
    checkpoint: str | None = None

    @classmethod
    def of(
        cls, executor: Executor | None, jobs: int | None, checkpoint: str | os.PathLike[str] | None = None
    ) -> Workforce | None:
        """Checks a caller's arguments; None for one thread without checkpoint; raises TypeError or ValueError."""
        if executor is not None and (isinstance(executor, type) or not callable(getattr(executor, "submit", None))):
            raise TypeError(f"the executor is {executor!r}, which has no method submit")
        if jobs is not None:
            jobs = jobs_here(jobs) if executor is None else whole_number(jobs, "jobs", 1)
        path = None if checkpoint is None else _file_name(checkpoint)
        if executor is None and jobs in (None, 1) and path is None:
            return None
        return cls(executor, jobs if executor else jobs or 1, path)

    @property
    def is_alone(self) -> bool:
        """Whether one thread of this process does everything."""
        return self.executor is None and self.jobs == 1

    def workers(self) -> Workers:
        """Returns the workers: the executor's, or threads."""
        from dlx.parallel.crew import Workers  # imported here: multiprocessing takes 20 ms to load

        return Workers(self.executor, self.jobs)

    def opened(self, problem: Problem, **search: Any) -> AbstractContextManager[Checkpoint | None]:
        """Returns the checkpoint of a search of this problem, identified by values for JSON; None if there is none."""
        if self.checkpoint is None:
            return nullcontext()
        from dlx.parallel.checkpoint import Checkpoint, fingerprint

        return Checkpoint(self.checkpoint, {"problem": fingerprint(problem), **search})

    def saved_search(self) -> dict[str, Any] | None:
        """Returns the identity of the search in the checkpoint; None if nothing has been saved.

        Raises OSError if the file cannot be written, and CheckpointError if it is in use or is not a checkpoint.
        """
        if self.checkpoint is None:
            return None
        from dlx.parallel.checkpoint import Checkpoint

        with Checkpoint(self.checkpoint, {}) as checkpoint:
            return checkpoint.saved_search()


def _file_name(checkpoint: str | os.PathLike[str]) -> str:
    """Returns the path of a checkpoint as text; raises TypeError or ValueError."""
    path = os.fspath(checkpoint) if isinstance(checkpoint, str | os.PathLike) else None
    if not isinstance(path, str):
        raise TypeError(f"checkpoint is {checkpoint!r:.80}; it must be the path of a file, as text")
    if not path:
        raise ValueError("checkpoint is empty; it must be the path of a file")
    return path


def in_pieces(
    problem: Problem,
    workforce: Workforce,
    kernel: KernelName,
    prefer: Preference | None,
    limits: Limits,
    rows: int = 0,
    ordered: bool = False,
    over: Over = never,
    checkpoint: Checkpoint | None = None,
) -> Pieces:
    """Returns a search in pieces, which the caller must close; raises StoppedError as `split` does."""
    from dlx.parallel.cutting import Split, split
    from dlx.parallel.pieces import Pieces
    from dlx.parallel.slices import Search

    search, saved = Search.of(problem, kernel, prefer, rows), None if checkpoint is None else checkpoint.load()
    if checkpoint is not None and saved is not None:
        with checkpoint.refusing():
            cut = Split.of(saved)
    else:
        most = limits.max_nodes if checkpoint is None else UNLIMITED  # later calls may have other limits
        cut = split(problem, kernel=kernel, prefer=prefer, max_nodes=most, over=over)
    return Pieces(search, cut, workforce.workers(), ordered=ordered, limits=limits)
