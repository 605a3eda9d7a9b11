"""The workers of a search in pieces, on this machine or those of dask."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dlx.command import Console
from dlx.parallel.errors import NoWorkersError
from dlx.problem.checks import jobs_here

__all__ = ["NoWorkersError", "workers"]

UNKNOWN = "distributed is not installed, which --scheduler needs: pip install 'dancing-cover[distributed]'"
PATIENCE = 10.0  # seconds with a scheduler, or workers, that do not answer


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
        else:
            _greet(client, scheduler)
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
        patience = PATIENCE if timeout is None else max(0.1, min(timeout, PATIENCE))

        def ask() -> Any:
            with suppress(OSError):  # the name of a machine that is not known yet
                # Raises ValueError for what is no address. A client that does stays open, and when Python frees it, at
                # any time, it takes dask's lock of event loops: for ever if dask has just taken it in the same thread.
                resolve_address(scheduler)
            return Client(scheduler, timeout=patience)

        came = _answer(patience, ask)
        if isinstance(came, Exception):
            raise NoWorkersError(f"{scheduler}: {came}")
        with came as client:
            yield client
    finally:
        logging.disable(before)


def _answer(patience: float, ask: Callable[[], Any]) -> Any:
    """Returns the result of `ask`, or its error, or a TimeoutError after `patience` seconds."""
    came: list[Any] = []

    def wait() -> None:
        try:
            came.append(ask())
        except Exception as error:  # of whatever kind, where it has not come to an end
            came.append(error)

    thread = threading.Thread(target=wait, daemon=True)  # for ports that take a connection and never answer
    thread.start()
    thread.join(patience + 0.5)
    return came[0] if came else TimeoutError(f"no answer in {patience:g} seconds")


def _greet(client: Any, scheduler: str) -> None:
    """Asks every worker for its version, even if it is busy; raises NoWorkersError if one has another version."""
    from dlx.parallel.worker import version  # costs 15 ms

    came = _answer(PATIENCE, lambda: client.run(version, on_error="return"))
    for name, theirs in ({"its workers": came} if isinstance(came, Exception) else came).items():
        if theirs != version():
            told = theirs if isinstance(theirs, Exception) else f"it has {theirs}"
            raise NoWorkersError(f"{scheduler}: {name}: dancing-cover {version()} is needed, as here ({told})")
