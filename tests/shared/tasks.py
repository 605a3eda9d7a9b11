"""The jobs of the workers of tests, which processes of their own can import, too."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from waiting import until


def shifted(context: tuple[int, ...], task: int, over: Callable[[], bool]) -> int:
    """The place in the context that a task names."""
    return context[task]


class StubbornError(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


def stubborn(context: object, task: int, over: Callable[[], bool]) -> None:
    """Raises an error that cannot be sent."""
    raise StubbornError("1 and 2")


def large(context: int, task: int, over: Callable[[], bool]) -> bytes:
    """Returns `context` bytes, each of which is the number of the task."""
    return bytes([task]) * context


class Meeting(NamedTuple):
    """A folder in which workers leave their numbers, and how many of them are awaited there."""

    folder: str
    workers: int

    def __reduce__(self) -> Any:
        return met, tuple(self)


def met(folder: str, workers: int) -> Meeting:
    """Unpickles a meeting, and notes that."""
    with (Path(folder) / str(os.getpid())).open("a") as file:
        file.write("unpickled once")
    return Meeting(folder, workers)


def together(context: Meeting, task: int, over: Callable[[], bool]) -> int:
    """Returns the task times ten, as soon as the awaited number of processes have begun one."""
    until(lambda: len(list(Path(context.folder).iterdir())) >= context.workers)
    return 10 * task


class Deadly(NamedTuple):
    """Tasks that end the process which does them, the first times: a folder for notes, and how many times each."""

    folder: str
    times: dict[int, int]


def deadly(context: Deadly, task: int, over: Callable[[], bool]) -> int:
    """The task times ten, if nobody has to die for it."""
    for k in range(context.times.get(task, 0)):
        try:
            (Path(context.folder) / f"{task}-{k}").touch(exist_ok=False)
        except FileExistsError:
            continue
        os._exit(1)
    return 10 * task


def raising(context: str, task: int, over: Callable[[], bool]) -> int:
    """An error for every third task, the first time that the context's file is not there."""
    note = Path(context) / str(task)
    if task % 3 == 0 and not note.exists():
        note.touch()
        raise OSError(f"task {task}")
    return 10 * task


def endless(context: str, task: int, over: Callable[[], bool]) -> str:
    """Goes on until the run is over; a file in a folder tells that it has begun."""
    (Path(context) / str(task)).touch()
    until(over)
    return "over"


class Unpicklable:
    def __reduce__(self) -> Any:
        raise TypeError("it cannot be sent")


def unsendable(context: object, task: int, over: Callable[[], bool]) -> object:
    return Unpicklable()
