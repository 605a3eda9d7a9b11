"""Tasks for workers of tests, in a module that worker processes can import."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from waiting import until


def shifted(context: tuple[int, ...], task: int, over: Callable[[], bool]) -> int:
    """Returns the entry of the context whose index is the task."""
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
    """A folder in which workers note their process numbers, and the number of workers to wait for."""

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
    """Tasks that kill their process a number of times: a folder for notes, and the number for each task."""

    folder: str
    times: dict[int, int]


def deadly(context: Deadly, task: int, over: Callable[[], bool]) -> int:
    """Returns the task times ten, after the deaths that the context demands."""
    for k in range(context.times.get(task, 0)):
        try:
            (Path(context.folder) / f"{task}-{k}").touch(exist_ok=False)
        except FileExistsError:
            continue
        os._exit(1)
    return 10 * task


def raising(context: str, task: int, over: Callable[[], bool]) -> int:
    """Raises an error for every third task the first time, which a file in the context notes."""
    note = Path(context) / str(task)
    if task % 3 == 0 and not note.exists():
        note.touch()
        raise OSError(f"task {task}")
    return 10 * task


def endless(context: str, task: int, over: Callable[[], bool]) -> str:
    """Runs until the search is over; a file in a folder notes the begin."""
    (Path(context) / str(task)).touch()
    until(over)
    return "over"


class Unpicklable:
    def __reduce__(self) -> Any:
        raise TypeError("it cannot be sent")


def unsendable(context: object, task: int, over: Callable[[], bool]) -> object:
    return Unpicklable()
