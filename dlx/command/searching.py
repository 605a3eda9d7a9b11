"""The commands that list covers as a search finds them: `solve` and `first`."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import dlx
from dlx.command import one_interrupt_noted
from dlx.command.parallel import workers
from dlx.command.task import MOST, RefusedError, Task
from dlx.engine.dispatch import KernelName
from dlx.engine.limits import Outcome, Stop
from dlx.problem.words import counted
from dlx.search.covers import BLOCK, Block, Covers

PULSE = 0.1  # seconds that found covers wait, at most, before they are printed


def solve(
    task: Task,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    limit: int | None = None,
    kernel: KernelName = "auto",
    timeout: float | None = None,
    max_nodes: int | None = None,
    seed: int | None = None,
    first: bool = False,
    every: int = 1,
    svg: str | None = None,
) -> int:
    """Prints covers as they are found."""
    if first and every > 1:
        raise RefusedError("--first prints one cover: --every cannot be given")
    if first:
        return _first(task, jobs, scheduler, svg, kernel=kernel, seed=seed, **task.limits(timeout, max_nodes, limit))
    done, printed, drawn = 0, 0, dict[int, Sequence[int]]()
    with workers(task.console, jobs, scheduler, timeout) as who:
        progress = task.limits(timeout, limit=limit)["progress"]
        search = dlx.covers(task.problem, kernel=kernel, seed=seed, progress=progress, ordered=True, **who)
        with one_interrupt_noted() as interrupted:
            for block in _blocks(search, task.at_once, interrupted, limit, max_nodes, timeout):
                start = -(done + 1) % every
                chosen, numbers = block[start::every], range(done + 1 + start, done + 1 + len(block), every)
                done += len(block)
                if len(chosen):
                    task.print(task.texts.lines(chosen, numbers, task.json))
                    printed += len(chosen)
                    drawn |= zip(numbers, chosen[: MOST - len(drawn)].tolist(), strict=False)
    stopped: Stop | None = None if search.exhausted else search.stopped or "interrupt"
    outcome = Outcome(nodes=search.nodes, updates=search.updates, seconds=search.seconds, stopped=stopped)
    task.tell({"covers": done, "kernel": search.kernel}, "", outcome)
    if 0 < done < every:
        task.say(f"{counted(done, 'cover')} found, too few to print one of each {every}")
    status = task.end(stopped, done == 0, f"there may be more {task.found}s")
    task.draw(svg, drawn, printed)
    return status


def _blocks(
    search: Covers,
    at_once: int,
    interrupted: Callable[[], bool],
    limit: int | None,
    max_nodes: int | None,
    timeout: float | None,
) -> Iterator[Block]:
    """The covers, in blocks that come soon after they were found, until the end, a limit, or Ctrl-C."""
    begun, end = time.monotonic(), math.inf if timeout is None else timeout
    while not search.exhausted and not interrupted():
        printing = time.monotonic() - begun - search.seconds if at_once < BLOCK else 0.0
        pulse = min(max(0.0, end - printing), search.seconds + PULSE)
        search.limit(max_covers=limit, max_nodes=max_nodes, timeout=pulse)
        block = next(search.blocks(at_once), None)
        if block is not None:
            yield block
        elif search.stopped in ("max_covers", "max_nodes") or search.seconds + printing >= end:
            return
    search.limit(max_covers=search.covers)  # after Ctrl-C, what has been found by now is still to come
    yield from search.blocks()
    search.limit()  # none of these stopped it


def first(
    task: Task,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    kernel: KernelName = "auto",
    timeout: float | None = None,
    max_nodes: int | None = None,
    seed: int | None = None,
    svg: str | None = None,
) -> int:
    """Prints one cover, whichever is found first."""
    return _first(task, jobs, scheduler, svg, kernel=kernel, seed=seed, **task.limits(timeout, max_nodes))


def _first(task: Task, jobs: int | None, scheduler: str | None, svg: str | None, **search: Any) -> int:
    with workers(task.console, jobs, scheduler, search["timeout"]) as who:
        result = dlx.first(task.problem, **search, **who)
    found = {} if result.cover is None else {1: result.cover}
    for cover in found.values():
        task.print(task.texts.lines(np.array([cover], dtype=np.int32), found, task.json))
    task.tell({"covers": len(found)}, "", result)
    status = task.end(result.stopped, not found, f"there may be a {task.found}")
    task.draw(svg, found, len(found))
    return status
