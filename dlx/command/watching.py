"""`dlx watch`: a page on which a search dances."""

from __future__ import annotations

import argparse
import os
from typing import Literal

import dlx
from dlx.command import at_least, page_name
from dlx.command.run import Run
from dlx.engine.limits import Progress
from dlx.problem.problem import Problem
from dlx.search.trace import EVENTS


def add_options(command: argparse.ArgumentParser) -> None:
    """Adds what the page is to be."""
    command.add_argument("--best", action="store_true", help="show the search for the best cover")
    command.add_argument("-o", "--output", type=page_name, metavar="FILE", help="the page to write (standard output)")
    command.add_argument("--title", default="", metavar="TEXT", help="its heading (the name of the file)")
    command.add_argument(
        "--events", type=at_least(0), metavar="N", help=f"the most steps to record ({EVENTS:,}), without --best"
    )
    command.set_defaults(sense=None)  # so that it is known whether it was given


def watch(run: Run, problem: Problem) -> int:
    """Writes the page, and returns the exit status."""
    from dlx.show.dance import check_size, page  # with what only pages need

    options = run.options
    if options.best:
        return _best(run, problem)
    if options.sense is not None:
        return run.fail(f"--{options.sense} goes with --best: without it all covers are searched for")
    events = EVENTS if options.events is None else options.events
    try:
        check_size(problem)
        found = dlx.trace(
            problem,
            kernel=options.kernel or "auto",
            max_events=events,
            timeout=options.timeout,
            progress=run.progress,
        )
        text = page(found, title=options.title or f"{os.path.basename(run.file)} dances")
    except ValueError as error:
        return run.fail(f"{run.file}: {error}")
    status = run.written(text.encode())
    if found.stopped == "max_events":
        run.say(f"the page has the first {events:,} steps; --events N records more")
        return status
    return status or run.end(found.stopped, False, "the page has what was done until then")


def _best(run: Run, problem: Problem) -> int:
    """The page of a search for the best cover."""
    from dlx.show.dance import prices_page

    options = run.options
    for option in ("kernel", "events"):
        if getattr(options, option) is not None:
            return run.fail(f"--{option} goes without --best, which has a search of its own, and no steps")
    seen: list[Progress] = []

    def note(report: Progress) -> None:
        seen.append(report)
        run.progress(report)

    sense: Literal["min", "max"] = options.sense or "min"
    result = dlx.best(problem, sense, timeout=options.timeout, progress=note)
    title = options.title or f"The best cover of {os.path.basename(run.file)}"
    status = run.written(prices_page(seen, result, title=title).encode())
    return status or run.end_of_best(result, sense)
