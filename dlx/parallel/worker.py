"""The workers' side of a run, and processes of our own.

The context of a run, which all its tasks need, comes to a worker once, and is kept; so a task itself is some tens of
bytes. A worker in a process of its own leaves Ctrl-C to the main program, and ends with it.

The workers of a `ProcessPoolExecutor` share a queue and its lock: if one dies, the others can wait for that lock for
ever, or nobody reads on (CPython 3.11 to 3.14), and the pool does not know whose task has killed. Each of our processes
has a pipe of its own, so that one which dies harms no other, and a thread stands for it: it sends a task, waits for the
answer, and sees when the pipe ends.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import platform
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress
from functools import cache, partial
from multiprocessing import connection, get_context
from multiprocessing.context import BaseContext
from typing import Any, Final

KEPT = 8  # contexts that a worker remembers which have been sent to it
ORPHANED = 1.0  # seconds between two looks at whether there is a parent

# Of a context, a message, and a function that tells the end of the run.
Job = Callable[[Any, Any, Callable[[], bool]], Any]


@cache
def version() -> str:
    from importlib import metadata

    try:
        return metadata.version("dancing-cover")
    except metadata.PackageNotFoundError:
        return "(not installed)"


class Unknown:
    """The answer of a worker without the context of a run, or of another version."""

    def __init__(self) -> None:
        self.version, self.where = version(), f"process {os.getpid()} on {platform.node()}"


_OWN: Final[dict[str, Any]] = {}  # of the runs that go on in this process, or went on in that which has forked this one
_SENT: Final[OrderedDict[str, Any]] = OrderedDict()  # of the runs of others


def remember(run: str, context: object) -> None:
    """Keeps the context of a run for workers in this process, and in those that it forks."""
    _OWN[run] = context


def cancel(run: str) -> None:
    """Ends a run: its tasks in this process see that it is over, and those to come are not begun."""
    _OWN.pop(run, None)


def do(run: str, job: Job, task: object, context: object = None, theirs: str | None = None) -> Any:
    """Does a task of a run; returns `Unknown()` without its context, which is kept, or with another version."""
    watch_parent()
    if theirs is not None and theirs != version():
        return Unknown()
    own = run in _OWN
    if context is not None:
        _SENT[run] = context
        if len(_SENT) > KEPT:
            _SENT.popitem(last=False)
    else:
        context = _OWN.get(run) or _SENT.get(run)
    if context is None:
        return Unknown()
    with _in_peace():
        return job(context, task, lambda: (own and run not in _OWN) or (_over is not None and bool(_over.value)))


def attend(over: Any) -> None:
    """Begins a process of ours; `over` is the end of the run, shared."""
    global _over
    _over = over


def parent_of(context: BaseContext) -> int | None:
    """Returns the parent of processes that are started here; None where it is a server."""
    return None if context.get_start_method() == "forkserver" else os.getpid()


def begin(parent: int | None, initializer: Callable[..., object] | None, given: tuple[Any, ...]) -> None:
    """Begins a process of a caller's pool, then calls the initializer of the caller."""
    watch_parent(parent)
    if initializer is not None:
        initializer(*given)


@contextmanager
def _in_peace() -> Iterator[None]:
    """Leaves Ctrl-C, which a terminal sends to the processes of a pool as well, to the main program."""
    if multiprocessing.parent_process() is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def watch_parent(parent: int | None = None) -> None:
    """Ends this process when its parent has died, if it is a worker of a pool.

    Linux could tell by a signal (PR_SET_PDEATHSIG), but it does so at the end of the thread that has forked.
    """
    global _watching
    if multiprocessing.parent_process() is None or _watching == os.getpid():
        return
    _watching = os.getpid()
    threading.Thread(target=_outlive_nobody, args=(parent or os.getppid(),), daemon=True).start()


def _outlive_nobody(parent: int) -> None:
    """Ends this process when its parent, or the main program, which is another one behind a server, has ended."""
    main: Any = multiprocessing.parent_process()
    while os.getppid() == parent:
        with suppress(TypeError, ValueError):  # workers of loky cannot ask; the main program is their parent
            if not main.is_alive():
                break
        time.sleep(ORPHANED)
    os._exit(1)


_watching = 0
_over: Any = None


class DiedError(Exception):
    """The process that was doing something has died."""


class Processes:
    """Processes of our own, with the interface of an executor as far as it is needed."""

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
        self._idle: list[_Process] = []  # never too few: there are as many threads as processes
        self._began = self._is_over = False

    def submit(self, work: Callable[..., Any], *given: object) -> Future[Any]:
        """Hands something to a process; the future raises DiedError if it dies of that, or meanwhile."""
        if not self._began:  # before there are threads, which is the best time to fork
            self._begin()
        return self._threads.submit(self._do, work, given)

    def shutdown(self, wait: bool = True, cancel_futures: bool = True) -> None:
        """Ends the processes, whatever they are doing."""
        self._is_over = True
        self._threads.shutdown(wait=False, cancel_futures=cancel_futures)
        for process in self._all.copy():  # from which threads take those that they see die
            process.kill()
        if wait:
            self._threads.shutdown()
            while self._all:
                self._all.pop().end()

    def _begin(self) -> None:
        """Starts all processes, or none."""
        try:
            for _ in range(self.jobs):
                self._all.append(self._make())
        except BaseException:
            while self._all:
                self._all.pop().end()
            raise
        self._idle = self._all.copy()
        self._began = True

    def _do(self, work: Callable[..., Any], given: tuple[object, ...]) -> Any:
        """Has a process do something, or a new one for a dead one; DiedError after the end."""
        process = self._idle.pop()
        try:
            if not process.look():
                dead, process = process, self._make()
                self._all.append(process)
                self._all.remove(dead)
                dead.end()
            if self._is_over:  # and nobody may have seen a new one
                process.kill()
                raise DiedError("the run is over")
            return process.do(work, given)
        finally:
            self._idle.append(process)


class _Process:
    """A process that does what it is sent, one thing after the other."""

    def __init__(self, context: BaseContext, begin: Callable[..., object] | None, given: tuple[Any, ...]) -> None:
        forks = context.get_start_method() == "fork"
        with _STARTING, _no_interrupts() if forks else nullcontext():
            self._pipe, end = context.Pipe()
            self._process = context.Process(  # type: ignore[attr-defined]
                target=_serve,
                args=(end, self._pipe if forks else None, parent_of(context), begin, given),
                daemon=True,
                name="dlx",
            )
            try:
                self._process.start()
            except BaseException:
                self._pipe.close()
                raise
            finally:
                end.close()  # so that the pipe ends with the process
        self.is_alive = True

    def do(self, work: Callable[..., Any], given: tuple[object, ...]) -> Any:
        """Returns the answer of the process, or raises its error; DiedError if it has died."""
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

    def look(self) -> bool:
        """Tells whether it lives, as far as one can see."""
        self.is_alive = self.is_alive and not connection.wait([self._process.sentinel], 0)
        return self.is_alive

    def kill(self) -> None:
        """Ends it at once, if its end has not been seen."""
        with suppress(ValueError):
            self._process.kill()

    def end(self) -> None:
        """Ends it, after which nothing of it is left."""
        self._process.kill()
        self._process.join()
        with suppress(ValueError):  # another thread has seen its end, as `active_children` does, and not noted it yet
            self._process.close()
        self._pipe.close()


_STARTING = threading.Lock()  # a process forked beside another one would keep the ends of its pipe open


def _free_lock() -> None:
    global _STARTING
    _STARTING = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_lock)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Keeps Ctrl-C from a process that is being forked; it leaves it to the main program from its beginning."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    pipe: Any, other_end: Any, parent: int | None, begin: Callable[..., object] | None, given: tuple[Any, ...]
) -> None:
    """Runs in the process: it answers with an error, or None and a result, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if other_end is not None:  # of a process that has been forked
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        other_end.close()
    watch_parent(parent)
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
        try:
            answer = pickle.dumps((error, None))
            pickle.loads(answer)
        except Exception:  # of what cannot be sent, one says the same that can
            answer = pickle.dumps((RuntimeError(f"{type(error).__name__}: {error}"), None))
        return answer
