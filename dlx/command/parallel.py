"""The workers of a search in pieces, on this machine or those of dask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dlx.command import Console
from dlx.parallel.errors import NoWorkersError
from dlx.problem.checks import jobs_here

__all__ = ["NoWorkersError", "workers"]

UNKNOWN = "distributed is not installed, which --scheduler needs: pip install 'dancing-cover[distributed]'"
PATIENCE = 10.0  # seconds with a scheduler that does not answer


@contextmanager
def workers(
    console: Console, jobs: int | None, scheduler: str | None, timeout: float | None
) -> Iterator[dict[str, Any]]:
    """Yields the keywords of a search for its workers, `jobs` and `executor`.

    Parameters:
        console: where it is said if a scheduler has no workers yet.
        jobs: the number of workers; default: the search's own, or all workers of the scheduler.
        scheduler: the address of a scheduler of dask, or None.
        timeout: the most seconds to wait for an answer of the scheduler.

    Raises:
        ImportError: dask is not installed.
        NoWorkersError: the scheduler does not answer, or this machine has no room for the workers.
    """
    asked = {} if jobs is None else {"jobs": jobs}
    if scheduler is None:
        try:
            jobs_here(jobs or 1)  # no more than a machine does by itself
        except ValueError as error:
            raise NoWorkersError(str(error)) from None
        yield asked
        return
    with _client(scheduler, timeout) as client:
        cores = sum(client.ncores().values())
        if not cores:
            console.say(f"{scheduler} has no workers yet; waiting for the first")
        yield {"jobs": max(1, cores), **asked, "executor": client.get_executor()}


@contextmanager
def _client(scheduler: str, timeout: float | None) -> Iterator[Any]:
    """Yields a client of dask, whose logging is switched off: what matters is raised as an error."""
    import logging  # 4 ms

    before = logging.root.manager.disable
    logging.disable()
    try:
        try:
            from distributed import Client
            from distributed.comm import resolve_address
        except ImportError:
            raise ImportError(UNKNOWN, name="distributed") from None
        try:
            with suppress(OSError):  # the name of a machine that is not known yet
                # Raises ValueError for what is no address. A client that does stays open, and when Python frees it, at
                # any time, it takes dask's lock of event loops: for ever if dask has just taken it in the same thread.
                resolve_address(scheduler)
            came = Client(scheduler, timeout=PATIENCE if timeout is None else max(0.1, min(timeout, PATIENCE)))
        except (OSError, ValueError) as error:
            raise NoWorkersError(f"{scheduler}: {error}") from None
        with came as client:
            yield client
    finally:
        logging.disable(before)
