"""`sudoku watch`: pages on which the search for completions dances."""

from __future__ import annotations

import argparse
import os

import dlx
from dlx.command import Console, at_least, page_name, seconds
from sudoku.command.answer import names
from sudoku.command.converting import IN_PLACE, good, is_read, numbered, output
from sudoku.encoding import encode
from sudoku.grid import GridError, Puzzle

EVENTS = 100_000  # of a page, if nothing else is said


def add_options(command: argparse.ArgumentParser) -> None:
    """Adds what the pages are to be."""
    command.add_argument("-o", "--output", type=page_name, metavar="FILE", help="the page to write (standard output)")
    command.add_argument("--title", default="", metavar="TEXT", help="its heading (where the grid is)")
    command.add_argument(
        "--events", type=at_least(0), default=EVENTS, metavar="N", help=f"the most steps to record ({EVENTS:,})"
    )
    command.add_argument("--timeout", type=seconds, metavar="SECONDS", help="the most time for each grid")


def watch(options: argparse.Namespace, console: Console) -> int:
    """Writes a page for each grid, and returns the exit status."""
    k = 0
    for k, puzzle in good(options, console):
        if options.output is None and k > 1:
            console.fail(str(GridError(puzzle.file, puzzle.line, "only one page fits on standard output; name a file")))
            continue
        name = None if options.output is None else numbered(options.output, k)
        if name is not None and is_read(name, options.files):
            console.fail(f"{name}: {IN_PLACE}")
            continue
        _watch(puzzle, name, options, console)
    if not k and not console.status:
        console.say("there is no grid, and no page")
    return console.status


def _watch(puzzle: Puzzle, name: str | None, options: argparse.Namespace, console: Console) -> None:
    from dlx.show.dance import check_size, page  # with what only pages need
    from sudoku.pictures.dance import board

    problem = encode(puzzle)
    try:
        check_size(problem)
    except ValueError as error:
        console.fail(str(GridError(puzzle.file, puzzle.line, str(error))))
        return
    found = dlx.trace(problem, kernel="links", max_events=options.events, timeout=options.timeout)
    title = options.title or f"{os.path.basename(puzzle.file)}, line {puzzle.line}"
    with output(name, console) as put:
        if put is not None:
            put(page(found, title=title, board=board(puzzle, problem, names(puzzle.layout, options))))
    called = "the page" if name is None else name
    if found.stopped == "max_events":
        console.say(f"{called} has the first {options.events:,} steps; --events N records more")
    elif found.stopped:
        by = "Ctrl-C" if found.stopped == "interrupt" else "--timeout"
        console.say(f"stopped by {by}; {called} has what was done until then")
    if found.stopped == "interrupt":
        raise KeyboardInterrupt
