"""The workers' side of a run: the tasks, their answers, and the end of processes.

A worker is sent the context of a run once, and keeps it; a task itself takes some tens of bytes. A process leaves
Ctrl-C to the main program, and ends with it.

The processes of a `ProcessPoolExecutor` write their answers to one pipe. If a process is killed while it writes more
than the pipe takes at once, the pool waits for the rest for ever (CPython 3.11 to 3.14). So larger answers go to files
in a folder of the run, and the pipe has only their names.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import platform
import select
import shutil
import signal
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from dlx.parallel.errors import NoWorkersError

KEPT = 8  # contexts of other processes that a worker keeps
WATCH = "dlx-watch"  # name of the thread that ends a process with its parent
POLL = 0.1  # seconds until a process checks again that its main program goes on
ATOMIC = getattr(select, "PIPE_BUF", 512) // 2  # bytes of an answer that a pipe takes at once, with its frame

# Called with the context, a message, and a function that returns whether the run is over.
Job = Callable[[Any, Any, Callable[[], bool]], Any]


@cache
def version() -> str:
    from importlib import metadata

    try:
        return metadata.version("dancing-cover")
    except metadata.PackageNotFoundError:
        return "(not installed)"


class Sent(NamedTuple):
    """The context of a run as workers are sent it: pickled, with the version of the sender."""

    data: bytes
    version: str

    @classmethod
    def of(cls, context: object) -> Sent:
        return cls(pickle.dumps(context), version())

    def unpack(self) -> Any:
        """Returns the context; raises NoWorkersError if it is of another version."""
        if self.version != version():
            where = f"process {os.getpid()} on {platform.node()}"
            raise NoWorkersError(f"{where} has dancing-cover {version()}; the search needs {self.version}")
        return pickle.loads(self.data)


class Unknown:
    """The answer of a worker that has no context of the run."""


class Raised:
    """The answer of a job that has raised an error."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            pickle.loads(pickle.dumps(self.error))
        except Exception:
            return Raised, (RuntimeError(f"{type(self.error).__name__}: {self.error}"),)
        return Raised, (self.error,)


class Packed(NamedTuple):
    """An answer as bytes, or the path of a file with them."""

    data: bytes | str

    @classmethod
    def of(cls, answer: object, folder: str) -> Packed:
        try:
            data = pickle.dumps(answer)
        except Exception as error:
            data = pickle.dumps(Raised(error))
        if len(data) <= ATOMIC:
            return cls(data)
        number, path = tempfile.mkstemp(dir=folder)
        with os.fdopen(number, "wb") as file:
            file.write(data)
        return cls(path)

    def unpack(self) -> Any:
        """Returns the answer, and removes its file."""
        if isinstance(self.data, bytes):
            return pickle.loads(self.data)
        data = Path(self.data).read_bytes()
        os.unlink(self.data)
        return pickle.loads(data)


_OWN: Final[dict[str, Any]] = {}  # contexts of the runs of this process, or of the one that has forked it
_SENT: Final[OrderedDict[str, Any]] = OrderedDict()  # contexts that other processes have sent, the oldest first


def remember(run: str, context: object) -> None:
    """Keeps the context of a run for workers in this process, and in those that it forks."""
    _OWN[run] = context


def cancel(run: str) -> None:
    """Ends a run: its tasks in this process see that it is over, and no others begin."""
    _OWN.pop(run, None)


def do(run: str, job: Job, message: object, folder: str | None = None, sent: Sent | None = None) -> Any:
    """Does a task of a run, and returns what the job returns, `Raised`, or `Unknown`; packed if there is a folder.

    Parameters:
        run: the name of the run.
        job, message: the task.
        folder: where processes of this machine put answers; it has a file with the name of the run until that is over.
        sent: the context of the run, if the worker does not know it.
    """
    leave_interrupts()
    end_with_parent(folder)
    answer = _answer(run, job, message, folder, sent)
    return answer if folder is None else Packed.of(answer, folder)


def _answer(run: str, job: Job, message: object, folder: str | None, sent: Sent | None) -> Any:
    own = run in _OWN

    def is_over() -> bool:
        return (own and run not in _OWN) or (folder is not None and not os.path.exists(os.path.join(folder, run)))

    try:
        if sent is not None:
            _SENT[run] = sent.unpack()
            if len(_SENT) > KEPT:
                _SENT.popitem(last=False)
        contexts = _OWN if own else _SENT
        return Unknown() if run not in contexts or is_over() else job(contexts[run], message, is_over)
    except Exception as error:
        return Raised(error)


def begin(folder: str) -> None:
    """Begins a process of a pool made here, which ends with its parent, or when the folder has gone."""
    leave_interrupts()
    end_with_parent(folder, ours=True)


def leave_interrupts() -> None:
    """Leaves Ctrl-C, which a terminal sends to the processes of a pool as well, to the main program.

    It stays so between tasks: Ctrl-C can end `Queue.put` of a pool with its lock held (seen in CPython 3.11).
    """
    if multiprocessing.parent_process() is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_with_parent(folder: str | None, ours: bool = False) -> None:
    """Ends this process when its parent has died, if it is a worker of a pool; one of ours also without its folder.

    Linux could tell by a signal (PR_SET_PDEATHSIG), but it does so at the end of the thread that has forked.
    """
    watched = any(thread.name == WATCH for thread in threading.enumerate())  # a process that is forked has no threads
    if multiprocessing.parent_process() is not None and not watched:
        threading.Thread(target=_watch, args=(os.getppid(), folder, ours), name=WATCH, daemon=True).start()


def _watch(parent: int, folder: str | None, ours: bool) -> None:
    """Ends this process with its parent, or with the main program, which is another process behind a server."""
    main: Any = multiprocessing.parent_process()
    while os.getppid() == parent and not (ours and folder and not os.path.exists(folder)):
        with suppress(TypeError, ValueError):  # workers of loky cannot ask; the main program is their parent
            if not main.is_alive():
                break
        time.sleep(POLL)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
