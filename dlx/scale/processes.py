"""Processes that work, each with a pipe of its own, so that one which dies harms no other.

The workers of a `ProcessPoolExecutor` share a queue and its lock: if one dies while it waits for a task, the others can
wait for that lock for ever, and if one dies while it sends a result, nobody reads on (CPython 3.11 to 3.14). Nor does
such a pool know whose task has killed. Here a thread stands for each process: it sends a task, waits for the answer,
and sees when the pipe ends.
"""

from __future__ import annotations

import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import connection, get_context
from multiprocessing.context import BaseContext
from typing import Any, Final


class DiedError(Exception):
    """The process that was doing something has died."""


class Processes:
    """Some processes, with the interface of an executor as far as it is needed.

    Parameters:
        jobs: how many.
        context: how they are started; None for the way of this Python.
        begin, given: what each does first, and what it is given.

    >>> two = Processes(2)
    >>> two.submit(pow, 2, 10).result()
    1024
    >>> two.shutdown()
    """

    def __init__(
        self,
        jobs: int,
        context: BaseContext | None = None,
        begin: Callable[..., object] | None = None,
        given: tuple[Any, ...] = (),
    ) -> None:
        self.jobs = jobs
        self._make = partial(_Process, context or get_context(), begin, given)
        self._threads = ThreadPoolExecutor(jobs, "dlx")
        self._all: list[_Process] = []
        self._free: list[_Process] = []
        self._began = self._is_over = False

    def submit(self, work: Callable[..., Any], *given: object) -> Future[Any]:
        """Hands something to a process; the future raises DiedError if it dies of that, or meanwhile."""
        if not self._began:  # before there are threads, which is the best time to fork
            self._began = True
            self._all = [self._make() for _ in range(self.jobs)]
            self._free = self._all.copy()
        return self._threads.submit(self._do, work, given)

    def shutdown(self, wait: bool = True, cancel_futures: bool = True) -> None:
        """Ends the processes, whatever they are doing."""
        self._is_over = True
        self._threads.shutdown(wait=False, cancel_futures=cancel_futures)
        for process in self._all:
            process.kill()
        if wait:
            self._threads.shutdown()
            for process in self._all:
                process.join()

    def _do(self, work: Callable[..., Any], given: tuple[object, ...]) -> Any:
        try:
            process = self._free.pop()  # which no other thread can do at the same time
        except IndexError:
            process = self._another()
        try:
            return process.do(work, given)
        finally:
            if process.is_alive:
                self._free.append(process)
            else:
                self._all.remove(process)
                process.join()

    def _another(self) -> _Process:
        """A process in the place of one that has died.

        Raises:
            DiedError: nobody is needed any more.
        """
        process = self._make()
        self._all.append(process)
        if self._is_over:  # and nobody may have seen this one
            process.kill()
            raise DiedError
        return process


class _Process:
    """A process that does what it is sent, one thing after the other.

    Attributes:
        is_alive: whether it can be given something.
    """

    def __init__(self, context: BaseContext, begin: Callable[..., object] | None, given: tuple[Any, ...]) -> None:
        with _STARTING, _no_interrupts():
            self._pipe, end = context.Pipe()
            self._process = context.Process(  # type: ignore[attr-defined]
                target=_serve, args=(end, begin, given), daemon=True, name="dlx"
            )
            self._process.start()
            end.close()  # so that the pipe ends with the process
        self.is_alive = True

    def do(self, work: Callable[..., Any], given: tuple[object, ...]) -> Any:
        """What the process answers.

        Raises:
            DiedError: it has died.
            Exception: what the work has raised, or that something cannot be sent.
        """
        message = pickle.dumps((work, given))
        try:
            self._pipe.send_bytes(message)
            connection.wait([self._pipe, self._process.sentinel])
            answer = self._pipe.recv_bytes() if self._pipe.poll() else None
        except (EOFError, OSError):
            answer = None
        if answer is None:
            self.is_alive = False
            raise DiedError(f"process {self._process.pid} has died")
        error, result = pickle.loads(answer)
        if error is not None:
            raise error
        return result

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()

    def join(self) -> None:
        """Waits for its end."""
        self._process.join()
        self._pipe.close()


_STARTING: Final = threading.Lock()  # a process forked beside another one would keep the ends of its pipe open


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Keeps Ctrl-C from a process that has not begun; it begins without, and leaves it to the main program."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Any, begin: Callable[..., object] | None, given: tuple[Any, ...]) -> None:
    """What a process does: it answers with an error, or None and a result, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    if begin is not None:
        begin(*given)
    with suppress(EOFError, OSError):  # the program has ended
        while True:
            pipe.send_bytes(_answer(pipe.recv_bytes()))


def _answer(message: bytes) -> bytes:
    try:
        work, given = pickle.loads(message)
        return pickle.dumps((None, work(*given)))
    except Exception as error:
        return _told(error)


def _told(error: Exception) -> bytes:
    """An error as it can be sent."""
    try:
        told = pickle.dumps((error, None))
        pickle.loads(told)
    except Exception:
        return pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), None))
    return told
