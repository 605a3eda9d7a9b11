"""What a worker does: a slice of the search of a piece, from where the last one stopped.

A slice takes a second, so that no worker is deaf for longer, none of those that outlive their program runs on, and
little is lost with one that dies. Where the search stands then is a short list of numbers (`mark` of a kernel), and any
other worker can go on.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections import OrderedDict
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine import KernelName, build
from dlx.limits import Limits, Loop
from dlx.problem import Problem
from dlx.scale.parts import Piece

Block = npt.NDArray[np.int32]

SLICE = 1.0  # seconds that a worker goes without being asked
SENT = 1 << 20  # entries of covers that it brings back at most: 4 MB
KEPT = 8  # problems that a worker remembers
ORPHANED = 1.0  # seconds between two looks at whether there is a parent


class Task(NamedTuple):
    """A slice of the search of a piece.

    Attributes:
        run: what the run is called.
        problem: what to cover, if the worker may not know it.
        piece: the part of it.
        kernel: the kernel that runs.
        mark: where the search stands; None at its beginning.
        rows: how many covers to bring back at a time; 0 if they are only counted.
        nodes, covers: how many there may be in the slice.
    """

    run: str
    problem: Problem | None
    piece: Piece
    kernel: KernelName
    mark: list[int] | None
    rows: int
    nodes: int
    covers: int


class Done(NamedTuple):
    """What came of a slice.

    Attributes:
        covers, nodes, updates: how many there were in it.
        mark: where the search stands; None at its end.
        block: the covers, if they were asked for.
        known: whether the worker knew the problem; if not, nothing has been done.
    """

    covers: int
    nodes: int
    updates: int
    mark: list[int] | None
    block: Block | None
    known: bool = True


_PROBLEMS: OrderedDict[str, Problem] = OrderedDict()
_CANCELLED: set[str] = set()  # runs that are over, for workers that are threads
_LOCK = threading.Lock()


def nameless(problem: Problem) -> Problem:
    """The problem with numbers for names, which is all that workers need, and can always be sent to them.

    >>> nameless(Problem.from_options({"x": "ab", "y": "c"})).labels([0, 1])
    ((0, 1), (2,))
    """
    colours = tuple(range(len(problem.colour_names)))
    return replace(problem, items=tuple(range(problem.n_items)), names=None, weights=None, colour_names=colours)


def remember(run: str, problem: Problem) -> None:
    """Keeps the problem of a run in this process, and in those that it forks."""
    with _LOCK:
        _PROBLEMS[run] = problem
        while len(_PROBLEMS) > KEPT:
            _PROBLEMS.popitem(last=False)


def cancel(run: str) -> None:
    """Ends a run in this process: its slices stop within some hundredths of a second."""
    with _LOCK:
        _CANCELLED.add(run)
        _PROBLEMS.pop(run, None)


def work(task: Task) -> Done:
    """Does a slice."""
    _watch_parent()
    if task.problem is not None:
        remember(task.run, task.problem)
    problem = _PROBLEMS.get(task.run)
    if problem is None:
        return Done(0, 0, 0, task.mark, None, known=False)
    kernel: Any = build(task.piece.of(problem), task.kernel, None, task.rows)
    if task.mark is not None:
        kernel.seek(task.mark)
    blocks: list[Block] = []
    end = time.perf_counter() + SLICE
    with Loop(Limits(max_covers=task.covers, max_nodes=task.nodes)) as loop:
        for _ in loop.slices(kernel):
            if task.rows:
                blocks.append(kernel.found().copy())
                kernel.filled = 0
            if time.perf_counter() >= end or task.run in _CANCELLED or sum(block.size for block in blocks) >= SENT:
                break
    found = np.concatenate(blocks) if blocks else None
    return Done(kernel.covers, kernel.nodes, kernel.updates, None if loop.exhausted else kernel.mark(), found)


def _watch_parent() -> None:
    """Ends this process when its parent has died, if it is a worker of a pool."""
    global _watching
    if multiprocessing.parent_process() is None or _watching == os.getpid():
        return
    _watching = os.getpid()
    threading.Thread(target=_outlive_nobody, args=(os.getppid(),), daemon=True).start()


def _outlive_nobody(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(ORPHANED)
    os._exit(1)


_watching = 0
