"""The worker's side of a run: tasks, answers, and the end of processes.

A worker receives the context of a run once and keeps it; a task itself takes some tens of bytes. A process leaves
Ctrl-C to the main program, and ends with the main program.

The processes of a `ProcessPoolExecutor` write their answers to one pipe. If a process is killed while it writes more
than the pipe takes at once, the pool waits forever for the rest (CPython 3.11 to 3.14). So larger answers go to files
in a folder of the run, and only their names to the pipe.
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

KEPT = 8  # contexts from other processes that a worker keeps
WATCH = "dlx-watch"  # the name of the thread that ends a process with its parent
POLL = 0.1  # seconds between two checks whether the main program is alive
ATOMIC = getattr(select, "PIPE_BUF", 512) // 2  # bytes; a smaller answer, with its frame, is one write to a pipe

# Called with the context, a message, and `is_over`.
Job = Callable[[Any, Any, Callable[[], bool]], Any]


@cache
def version() -> str:
    from importlib import metadata

    try:
        return metadata.version("dancing-cover")
    except metadata.PackageNotFoundError:
        return "(not installed)"


class Sent(NamedTuple):
    """The pickled context of a run, with the version of the sender."""

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
    """The answer of a worker that does not have the context of the run."""


class Raised:
    """The answer of a job that raised an exception."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            pickle.loads(pickle.dumps(self.error))
        except Exception:
            return Raised, (RuntimeError(f"{type(self.error).__name__}: {self.error}"),)
        return Raised, (self.error,)


class Packed(NamedTuple):
    """A pickled answer, or the path of a file with it."""

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


_OWN: Final[dict[str, Any]] = {}  # contexts of runs that this process, or the process it was forked from, began
_SENT: Final[OrderedDict[str, Any]] = OrderedDict()  # contexts received from other processes, the oldest first


def remember(run: str, context: object) -> None:
    """Keeps the context of a run for workers in this process and in its forks."""
    _OWN[run] = context


def cancel(run: str) -> None:
    """Ends a run: its tasks in this process see that the run is over, and no task begins."""
    _OWN.pop(run, None)


def do(run: str, job: Job, message: object, folder: str | None = None, sent: Sent | None = None) -> Any:
    """Does a task; returns the job's result, `Raised` or `Unknown`, packed if there is a folder.

    Parameters:
        run: the name of the run.
        job, message: the task.
        folder: for the answers of pool processes; the file `folder/run` exists until the run is over.
        sent: the context, if the worker did not know the run.
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
    """Initializes a pool process made here; it ends with its parent, or when the folder is gone."""
    leave_interrupts()
    end_with_parent(folder, ours=True)


def leave_interrupts() -> None:
    """Ignores Ctrl-C in pool processes; a terminal sends it to the main program, too.

    It is ignored between tasks, too: Ctrl-C can end a pool's `Queue.put` while it holds a lock (CPython 3.11).
    """
    if multiprocessing.parent_process() is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def end_with_parent(folder: str | None, ours: bool = False) -> None:
    """Ends a pool process when its parent has died; one of ours (`ours`) also when its folder is gone.

    Linux could send a signal (PR_SET_PDEATHSIG), but sends it when the thread that forked ends.
    """
    watched = any(thread.name == WATCH for thread in threading.enumerate())  # a fork has no threads
    if multiprocessing.parent_process() is not None and not watched:
        threading.Thread(target=_watch, args=(os.getppid(), folder, ours), name=WATCH, daemon=True).start()


def _watch(parent: int, folder: str | None, ours: bool) -> None:
    """Ends this process when its parent or the main program ends; with a fork server the two differ."""
    main: Any = multiprocessing.parent_process()
    while os.getppid() == parent and not (ours and folder and not os.path.exists(folder)):
        with suppress(TypeError, ValueError):  # loky workers have no handle; the main program is their parent
            if not main.is_alive():
                break
        time.sleep(POLL)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
