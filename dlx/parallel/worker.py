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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

KEPT = 8  # contexts of other processes that a worker keeps
LOOK = 0.1  # seconds between two looks at whether the main program and its run go on
ATOMIC = getattr(select, "PIPE_BUF", 512) // 2  # bytes of an answer; with its frame the pipe takes it at once or not

# Of a context, a message, and a function that tells whether the run is over.
Job = Callable[[Any, Any, Callable[[], bool]], Any]


@cache
def version() -> str:
    from importlib import metadata

    try:
        return metadata.version("dancing-cover")
    except metadata.PackageNotFoundError:
        return "(not installed)"


class Unknown:
    """The answer of a worker that has no context of the run, or another version."""

    def __init__(self) -> None:
        self.version, self.where = version(), f"process {os.getpid()} on {platform.node()}"


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
_SENT: Final[OrderedDict[str, Any]] = OrderedDict()  # contexts of the runs of others


def remember(run: str, context: object) -> None:
    """Keeps the context of a run for workers in this process, and in those that it forks."""
    _OWN[run] = context


def cancel(run: str) -> None:
    """Ends a run: its tasks in this process see that it is over, and no others begin."""
    _OWN.pop(run, None)


def do(
    run: str, job: Job, task: object, folder: str | None = None, context: object = None, theirs: str | None = None
) -> Any:
    """Does a task of a run, and returns what the job returns, `Raised`, or `Unknown`; packed if there is a folder.

    Parameters:
        run: the name of the run.
        job, task: what is to be done.
        folder: where processes of this machine put answers; it has a file with the name of the run until that is over.
        context, theirs: the context of the run, and the version that it is of, if the worker does not know it.
    """
    watch_parent(folder=folder)
    with _in_peace():
        answer = _answer(run, job, task, folder, context, theirs)
    return answer if folder is None else Packed.of(answer, folder)


def _answer(run: str, job: Job, task: object, folder: str | None, context: object, theirs: str | None) -> Any:
    own = run in _OWN
    context = _context(run, context)
    if context is None or theirs not in (None, version()):
        return Unknown()

    def is_over() -> bool:
        return (own and run not in _OWN) or (folder is not None and not os.path.exists(os.path.join(folder, run)))

    try:
        return job(context, task, is_over) if folder is None or not is_over() else Unknown()
    except Exception as error:
        return Raised(error)


def _context(run: str, context: object) -> Any:
    """Returns the context of a run, and keeps one that was sent."""
    if context is None:
        return _OWN.get(run) or _SENT.get(run)
    _SENT[run] = context
    if len(_SENT) > KEPT:
        _SENT.popitem(last=False)
    return context


def begin(parent: int | None, folder: str) -> None:
    """Begins a process of ours, which ends with its parent, or when the folder has gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError):  # Windows
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    watch_parent(parent, folder, True)


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


_watching = 0  # the number of the process that watches its parent


def watch_parent(parent: int | None = None, folder: str | None = None, ours: bool = False) -> None:
    """Ends this process when its parent has died, if it is a worker of a pool; one of ours also without its folder.

    Linux could tell by a signal (PR_SET_PDEATHSIG), but it does so at the end of the thread that has forked.
    """
    global _watching
    if multiprocessing.parent_process() is None or _watching == os.getpid():
        return
    _watching = os.getpid()
    threading.Thread(target=_outlive_nobody, args=(parent or os.getppid(), folder, ours), daemon=True).start()


def _outlive_nobody(parent: int, folder: str | None, ours: bool) -> None:
    """Ends this process with its parent, or the main program, which is another one behind a server."""
    main: Any = multiprocessing.parent_process()
    while os.getppid() == parent and not (ours and folder and not os.path.exists(folder)):
        with suppress(TypeError, ValueError):  # workers of loky cannot ask; the main program is their parent
            if not main.is_alive():
                break
        time.sleep(LOOK)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
