"""The worker's side of a run: its context, tasks, answers, and the end of processes.

Threads share the context of a run. Other processes unpickle it once: the processes of a pool from a file, others from
the task itself. A worker process ignores Ctrl-C, and ends when the main program ends.

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
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

KEPT = 8  # contexts from other processes that a worker keeps
WATCH = "dlx-watch"  # the name of the thread that ends a process with its parent
POLL = 0.1  # seconds between two checks whether the main program is alive
ATOMIC = getattr(select, "PIPE_BUF", 512) // 2  # bytes; smaller answers are sent by a single write to a pipe

# Called with the context, a message, and `is_over`.
Job = Callable[[Any, Any, Callable[[], bool]], Any]


@cache
def version() -> str:
    from importlib import metadata

    try:
        return metadata.version("dancing-cover")
    except metadata.PackageNotFoundError:
        return "(not installed)"


class Context:
    """The context of a run in the process that started the run.

    Parameters:
        value: the first argument of jobs.
        folder: where pool processes find the context and put large answers; None for other workers.
    """

    def __init__(self, value: object, folder: str | None) -> None:
        self.value, self.folder = value, folder
        self._run, self._ended = uuid.uuid4().hex, False
        if folder is not None:
            Path(folder, self._run).write_bytes(self._data)

    @cached_property
    def _data(self) -> bytes:
        return pickle.dumps(self.value)

    def is_over(self) -> bool:
        return self._ended

    def end(self) -> None:
        """Ends the run; jobs in other processes of a pool notice it by the missing file."""
        self._ended = True
        if self.folder is not None:
            Path(self.folder, self._run).unlink(missing_ok=True)

    def __reduce__(self) -> tuple[Any, ...]:
        sent = (None, "") if self.folder is not None else (self._data, version())
        return SentContext, (self._run, self.folder, *sent)


_SENT: Final[dict[str, Any]] = {}  # contexts received from other processes, oldest first


class SentContext(NamedTuple):
    """The context of a run in a process other than the one that started the run."""

    run: str
    folder: str | None
    data: bytes | None  # None if it is in `folder/run`
    version: str  # version of the sender; empty if both use the same folder

    @property
    def value(self) -> Any:
        """The first argument of jobs; raises RuntimeError if the sender has another version."""
        if self.version and self.version != version():
            where = f"process {os.getpid()} on {platform.node()}"
            raise RuntimeError(f"{where} has dancing-cover {version()}; the search needs {self.version}")
        if self.run not in _SENT:
            if len(_SENT) >= KEPT:
                _SENT.pop(next(iter(_SENT)), None)
            _SENT[self.run] = pickle.loads(self.data or Path(self.folder or "", self.run).read_bytes())
        return _SENT[self.run]

    def is_over(self) -> bool:
        return self.folder is not None and not os.path.exists(os.path.join(self.folder, self.run))


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


def do(context: Context | SentContext, job: Job, message: object) -> Any:
    """Does a task; returns the job's result or `Raised`, packed if the run has a folder."""
    begin(context.folder)
    answer: Any
    try:
        answer = job(context.value, message, context.is_over)
    except Exception as error:
        answer = Raised(error)
    return answer if context.folder is None else Packed.of(answer, context.folder)


def begin(folder: str | None, ours: bool = False) -> None:
    """Makes a pool process ignore Ctrl-C and end with its parent; if `ours`, also when its folder is removed.

    A terminal sends Ctrl-C to all processes; only the main program should react. Workers ignore it between tasks, too,
    since it could interrupt the pool's `Queue.put` while that holds a lock (CPython 3.11). PR_SET_PDEATHSIG of Linux is
    no alternative: it sends its signal as soon as the thread that forked ends.
    """
    if multiprocessing.parent_process() is None:
        return
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not any(thread.name == WATCH for thread in threading.enumerate()):  # a fork does not inherit threads
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
