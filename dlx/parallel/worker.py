"""The side of the worker: it does tasks of a run, and knows when to stop.

What all tasks of a run need, its context, comes to a worker once, and is kept; so a task itself is some tens of bytes.
A worker in a process of its own leaves Ctrl-C to the main program, and ends with it.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.context import BaseContext
from typing import Any, Final

KEPT = 8  # contexts that a worker remembers which have been sent to it
ORPHANED = 1.0  # seconds between two looks at whether there is a parent

Job = Callable[
    [Any, Any, Callable[[], bool]], Any
]  # of a context, a message, and a function that tells the end of the run


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
    with suppress(TypeError, ValueError):  # workers of loky cannot ask; the main program is their parent
        while os.getppid() == parent and main.is_alive():
            time.sleep(ORPHANED)
        os._exit(1)
    while os.getppid() == parent:
        time.sleep(ORPHANED)
    os._exit(1)


_watching = 0
_over: Any = None
