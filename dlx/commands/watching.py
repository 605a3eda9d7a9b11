"""`dlx watch`: a page on which a search dances."""

from __future__ import annotations

import argparse
import os

import dlx
from dlx.command import at_least
from dlx.commands.run import Run
from dlx.limits import Progress
from dlx.problem import Problem
from dlx.tracing import EVENTS


def add_options(command: argparse.ArgumentParser) -> None:
    """Adds what the page is to be."""
    command.add_argument("--best", action="store_true", help="show the search for the best cover")
    command.add_argument("-o", "--output", metavar="FILE", help="the page to write (standard output)")
    command.add_argument("--title", default="", metavar="TEXT", help="its heading (the name of the file)")
    command.add_argument(
        "--events", type=at_least(0), default=EVENTS, metavar="N", help=f"the most steps to record ({EVENTS:,})"
    )


def watch(run: Run, problem: Problem) -> int:
    """Writes the page, and returns the exit status."""
    from dlx.dance import check_size, page  # with what only pages need

    options = run.options
    title = options.title or f"{os.path.basename(run.file)} dances"
    if options.best:
        return _best(run, problem, title)
    try:
        check_size(problem)
        found = dlx.trace(
            problem,
            kernel=options.kernel or "auto",
            max_events=options.events,
            timeout=options.timeout,
            progress=run.progress,
        )
        text = page(found, title=title)
    except ValueError as error:
        return run.fail(f"{run.file}: {error}")
    status = run.written(text.encode())
    if found.stopped == "max_events":
        run.say(f"the page has the first {options.events:,} steps; --events N records more")
        return status
    return status or run.end(found.stopped, False, "the page has what was done until then")


def _best(run: Run, problem: Problem, title: str) -> int:
    """The page of a search for the best cover."""
    from dlx.dance import prices_page

    seen: list[Progress] = []

    def note(report: Progress) -> None:
        seen.append(report)
        run.progress(report)

    result = dlx.best(problem, run.options.sense, timeout=run.options.timeout, progress=note)
    none = "" if result.covers or result.stopped else "There is no cover: that is proven."
    status = run.written(prices_page(seen, sense=run.options.sense, title=title, end=none).encode())
    return status or run.end(result.stopped, not result.covers, "there may be better covers")
