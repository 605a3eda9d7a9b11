"""The commands that list covers as a search finds them: `solve` and `first`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

import numpy as np

import dlx
from dlx.command import one_interrupt_noted
from dlx.command.task import Task
from dlx.engine.limits import Outcome, Stop
from dlx.search.covers import Block, Covers

PULSE = 0.1  # seconds that found covers wait, at most, before they are printed


def solve(task: Task, *, seed: int | None = None) -> int:
    """Prints covers as they are found."""
    progress = task.limits()["progress"]
    search = dlx.covers(task.problem, seed=seed, progress=progress, ordered=True, jobs=task.jobs)
    with one_interrupt_noted() as interrupted:
        for block in _blocks(task, search, interrupted):
            task.print_covers(block)
    stopped: Stop | None = None if search.exhausted else search.stopped or "interrupt"
    outcome = Outcome(nodes=search.nodes, updates=search.updates, seconds=search.seconds, stopped=stopped)
    task.tell({"covers": task.printed, "kernel": search.kernel}, "", outcome)
    status = task.end(stopped, not task.printed, f"there may be more {task.found}s")
    task.draw()
    return status


def _blocks(task: Task, search: Covers, interrupted: Callable[[], bool]) -> Iterator[Block]:
    """The covers, in blocks that come soon after they were found, until the end, a limit, or Ctrl-C."""
    end = time.monotonic() + (math.inf if task.timeout is None else task.timeout)
    while not search.exhausted and not interrupted():
        left = end - time.monotonic()  # printing takes time, too
        pulse = search.seconds + max(0.0, min(left, PULSE))
        search.limit(max_covers=task.limit, max_nodes=task.max_nodes, timeout=pulse)
        block = next(search.blocks(task.at_once), None)
        if block is not None:
            yield block
        elif search.stopped in ("max_covers", "max_nodes") or left <= PULSE:
            return
    search.limit(max_covers=search.covers)  # after Ctrl-C, what has been found by now is still to come
    yield from search.blocks()
    search.limit()  # none of these stopped it


def first(task: Task, *, seed: int | None = None) -> int:
    """Prints one cover, whichever is found first."""
    result = dlx.first(task.problem, seed=seed, jobs=task.jobs, **task.limits())
    if result.cover is not None:
        task.print_covers(np.array([result.cover], dtype=np.int32))
    task.tell({"covers": task.printed}, "", result)
    status = task.end(result.stopped, not task.printed, f"there may be a {task.found}")
    task.draw()
    return status
