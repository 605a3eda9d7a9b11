"""The grids of a stream, answered in their order: each as it comes, or all that are there by several workers."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TypeAlias

from dlx import Progress
from dlx.command import (
    NONE,
    UNFINISHED,
    Console,
    how_far,
    in_words,
    lack_of_memory,
    need_stdout,
)
from sudoku.command.answers import Answer, OnProgress, refusal
from sudoku.command.blocks import at_once, takes_blocks
from sudoku.command.drawing import place
from sudoku.command.reading import in_blocks
from sudoku.formats.fast import Block
from sudoku.grid import GridError, Puzzle

Item: TypeAlias = Puzzle | GridError | Block | OSError

Answers: TypeAlias = list[Answer | OSError]

LINES = 16  # plain lines that a worker does at a time; to send them takes 0.5 ms
PLAIN = 256  # plain lines that a worker does at a time if the command answers them together


def answer(options: argparse.Namespace, console: Console) -> int:
    """Answers each grid in its turn, and returns the exit status; after Ctrl-C what had been found has been printed."""
    need_stdout()
    output = Output(options, console)
    items = in_blocks(options, console)
    if (options.jobs or 1) > 1:
        _share(list(items), options, output, options.jobs, console)
        return output.status()
    for item in items:
        for one in _answers(item, options, output.progress, output.turn_to):
            output.say(one)
    return output.status()


def _share(items: list[Item], options: argparse.Namespace, output: Output, jobs: int, console: Console) -> None:
    """Answers grids by several processes, since most of the work holds the interpreter's lock."""
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor  # imported here: they take 20 ms
    from multiprocessing import active_children

    parts = [part for item in items for part in _parts(item, options, jobs)]
    pool = ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        for answers in pool.map(partial(_answered, options), parts):
            for one in answers:
                output.say(one)
    except BrokenExecutor as error:
        console.fail(f"workers: {error}")
    except BaseException:  # Ctrl-C, or nobody reads the answers
        for child in active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _parts(item: Item, options: argparse.Namespace, jobs: int) -> Iterator[Item]:
    """Yields the pieces of a block for workers, or what is no block."""
    if not isinstance(item, Block):
        yield item
        return
    number = len(item.grids)
    size = max(1, min(PLAIN if takes_blocks(options) else LINES, number // (2 * jobs)))
    for first in range(0, number, size):
        part = slice(first, first + size)
        yield item._replace(grids=item.grids[part], lines=item.lines[part])


def _place(item: Item) -> str:
    """Returns the file and the lines of a grid, or of several."""
    if isinstance(item, OSError):
        return str(item.filename)
    line = f"{item.lines[0]} to {item.lines[-1]}" if isinstance(item, Block) else item.line
    return f"{item.file}:{line}"


class Output:
    """The printed answers about grids, and the line on the terminal about one that takes long."""

    def __init__(self, options: argparse.Namespace, console: Console) -> None:
        self._options, self._console, self._line = options, console, console.line
        self._answers_show = sys.stdout is not None and sys.stdout.isatty()
        self._place = ""
        self._none = self._unfinished = False
        self._answers = 0
        self._before = 0  # lines of the last answer; 0 if there is none

    def turn_to(self, item: Item) -> None:
        """Notes what is searched or waited for; patience begins anew where the user sees the answers go by."""
        place = _place(item)
        if self._answers_show and place != self._place:
            self._line.restart()
        self._place = place
        self._line.update(lambda: f"{place}: {in_words(self._line.elapsed)}")

    def progress(self, seen: Progress) -> None:
        """Shows the progress of the search now and then."""
        limits = {"limit": getattr(self._options, "limit", None), "timeout": self._options.timeout}
        self._line.update(lambda: f"{self._place}: {how_far(seen, found='completion', **limits)}")

    def say(self, answer: Answer | OSError) -> None:
        """Prints an answer at once, or what is wrong with a file.

        An empty line stands before an answer if it, or the one before, has or may have several lines.

        Raises:
            KeyboardInterrupt: Ctrl-C has ended the search.
        """
        if isinstance(answer, OSError):
            self._console.fail(f"{answer.filename}: {answer.strerror}")
            return
        if answer.wrong is not None:
            self._console.fail(str(answer.wrong))
        lines = answer.text.count("\n") + 1 if answer.grids == 1 else 1
        apart = max(self._before, lines) > 1 or self._options.lists
        gap = "\n" if self._before and apart and not self._options.json else ""
        self._console.print(f"{gap}{answer.text}\n")
        self._before = lines
        self._answers += answer.grids
        if answer.picture is not None:
            name = place(self._options.svg, self._answers, self._options, self._console)
            if name is not None:
                self._console.put(name, f"{answer.picture}\n".encode())
        self._none |= answer.none
        self._unfinished |= answer.stopped == "timeout"
        if answer.stopped == "interrupt":
            raise KeyboardInterrupt

    def status(self) -> int:
        """The exit status of what has been answered."""
        if self._console.status or not self._options.fail:
            return self._console.status
        return UNFINISHED if self._unfinished else NONE if self._none else 0


def _answered(options: argparse.Namespace, item: Item) -> Answers:
    """Answers a grid or a block of grids; the job of a worker."""
    return list(_answers(item, options, None))


def _answers(
    item: Item, options: argparse.Namespace, progress: OnProgress | None, turn_to: Callable[[Puzzle], object] = id
) -> Iterator[Answer | OSError]:
    """Answers grids in their order; `turn_to` is called before each search."""
    each: Iterable[Answer | Puzzle] = []
    match item:
        case OSError():
            yield item
        case GridError():
            yield refusal(item, options)
        case Puzzle():
            each = [item]
        case _:
            each = at_once(item, options, progress) if takes_blocks(options) else item.puzzles()
    for one in each:
        if isinstance(one, Puzzle):
            turn_to(one)
            one = _answer(one, options, progress)
        yield one


def _answer(puzzle: Puzzle, options: argparse.Namespace, progress: OnProgress | None) -> Answer:
    """Answers a grid by a search of its own."""
    try:
        found: Answer = options.solver(puzzle, options, {"timeout": options.timeout, "progress": progress})
        return found
    except ValueError as error:  # such as a strategy that does not do grids of this shape
        reason = str(error)
    except MemoryError as error:
        reason = lack_of_memory(error)
    return refusal(GridError(puzzle.file, puzzle.line, reason), options)
