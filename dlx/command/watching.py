"""The command `watch`: a page on which a search dances."""

from __future__ import annotations

import os

import dlx
from dlx.command.best import Sense, end_of_best
from dlx.command.console import BAD
from dlx.command.task import RefusedError, Task
from dlx.engine.limits import Progress
from dlx.search.trace import EVENTS


def watch(
    task: Task, *, best: bool = False, sense: Sense | None = None, page: str | None = None, events: int | None = None
) -> int:
    """Writes the page of a search for all covers, or with `best` or a `sense` for the best one."""
    if best or sense:
        if events is not None:
            raise RefusedError("--events goes without --best, --min and --max: their search has no steps")
        return _best(task, sense or "min", page)
    from dlx.show.dance import check_size
    from dlx.show.dance import page as drawn  # with what only pages need

    most = EVENTS if events is None else events
    check_size(task.problem)
    found = dlx.trace(task.problem, max_events=most, **task.limits())
    text = drawn(found, title=f"All covers of {os.path.basename(task.file)}")
    if task.console.put(page, text.encode()):
        return BAD
    if found.stopped == "max_events":
        task.say(f"the page has only the first {most:,} steps")
        return 0
    return task.end(found.stopped, False, "the page has what was done until then")


def _best(task: Task, sense: Sense, page: str | None) -> int:
    """Writes the page of a search for the best cover."""
    from dlx.show.dance import prices_page

    seen: list[Progress] = []
    limits = task.limits()

    def note(report: Progress) -> None:
        seen.append(report)
        limits["progress"](report)

    with task.warnings_printed():
        result = dlx.best(task.problem, sense, timeout=task.timeout, progress=note)
    try:
        text = prices_page(seen, result, sense, title=f"The best cover of {os.path.basename(task.file)}")
    except ValueError as error:
        raise RefusedError(f"{task.file}: {error}") from None
    if task.console.put(page, text.encode()):
        return BAD
    return end_of_best(task, result, sense)
