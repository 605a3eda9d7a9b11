"""What a worker does: a slice of the search of a piece, from where the last one stopped.

A slice takes a second at most, so that no worker is deaf for longer, none of those that outlive their program runs on,
and little is lost with one that dies. Where the search stands then is a short list of numbers (`mark` of a kernel), and
any other worker can go on.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dlx.engine import KernelName, build
from dlx.limits import Limits, Loop
from dlx.problem import Problem
from dlx.scale.parts import Piece

Block = npt.NDArray[np.int32]

SENT = 1 << 20  # entries of covers that it brings back at most: 4 MB
KEPT = 8  # problems that a worker remembers which have been sent to it
ORPHANED = 1.0  # seconds between two looks at whether there is a parent


class Task(NamedTuple):
    """A slice of the search of a piece.

    Attributes:
        run: what the run is called.
        number: which piece it is, for the one who sends it.
        problem: what to cover, if the worker may not know it.
        piece: the part of it.
        kernel: the kernel that runs.
        mark: where the search stands; None at its beginning.
        rows: how many covers to bring back at a time; 0 if they are only counted.
        nodes, covers: how many there may be in the slice.
        seconds: how long it may take.
    """

    run: str
    number: int
    problem: Problem | None
    piece: Piece
    kernel: KernelName
    mark: list[int] | None
    rows: int
    nodes: int
    covers: int
    seconds: float


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


_OWN: dict[str, Problem] = {}  # of the runs that go on in this process, or went on in that which has forked this one
_SENT: OrderedDict[str, Problem] = OrderedDict()  # of the runs of others


def nameless(problem: Problem) -> Problem:
    """The problem with numbers for names, which is all that workers need, and can always be sent to them.

    >>> nameless(Problem.from_options({"x": "ab", "y": "c"})).labels([0, 1])
    ((0, 1), (2,))
    """
    colours = tuple(range(len(problem.colour_names)))
    return replace(problem, items=tuple(range(problem.n_items)), names=None, weights=None, colour_names=colours)


def remember(run: str, problem: Problem) -> None:
    """Keeps the problem of a run for workers in this process, and in those that it forks."""
    _OWN[run] = problem


def cancel(run: str) -> None:
    """Ends a run: its slices in this process stop within some hundredths of a second, and those to come at once."""
    _OWN.pop(run, None)


def work(task: Task) -> Done:
    """Does a slice."""
    _watch_parent()
    own = task.run in _OWN
    problem = _problem(task)
    if problem is None:
        return Done(0, 0, 0, task.mark, None, known=False)
    with _in_peace():
        return _slice(task, problem, own)


def _problem(task: Task) -> Problem | None:
    """The problem of a task, which is kept if it comes with it; None if it does not, and has never come."""
    if task.problem is not None:
        _SENT[task.run] = task.problem
        if len(_SENT) > KEPT:
            _SENT.popitem(last=False)
    return task.problem or _OWN.get(task.run) or _SENT.get(task.run)


def _slice(task: Task, problem: Problem, own: bool) -> Done:
    end = time.perf_counter() + task.seconds
    kernel: Any = build(task.piece.of(problem), task.kernel, None, task.rows)
    if task.mark is not None:
        kernel.seek(task.mark)
    blocks: list[Block] = []
    with Loop(Limits(max_covers=task.covers, max_nodes=task.nodes)) as loop:
        for _ in loop.slices(kernel):
            if task.rows:
                blocks.append(kernel.found().copy())
                kernel.filled = 0
            cancelled = own and task.run not in _OWN
            if cancelled or time.perf_counter() >= end or sum(block.size for block in blocks) >= SENT:
                break
    found = np.concatenate(blocks) if blocks else None
    return Done(kernel.covers, kernel.nodes, kernel.updates, None if loop.exhausted else kernel.mark(), found)


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


def _watch_parent() -> None:
    """Ends this process when its parent has died, if it is a worker of a pool."""
    global _watching
    if multiprocessing.parent_process() is None or _watching == os.getpid():
        return
    _watching = os.getpid()
    threading.Thread(target=_outlive_nobody, args=(os.getppid(),), daemon=True).start()


def _outlive_nobody(parent: int) -> None:
    main: Any = multiprocessing.parent_process()  # not the parent where a server forks workers
    while os.getppid() == parent and main.is_alive():
        time.sleep(ORPHANED)
    os._exit(1)


_watching = 0
