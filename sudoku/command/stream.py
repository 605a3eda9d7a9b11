"""The grids of a stream, answered in their order: each as it comes, or all that are there by several processes."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from typing import Any

from dlx import Progress
from dlx.command import NONE, UNFINISHED, Console, how_far, in_words, lack_of_memory, need_stdout
from dlx.extending import Limiting
from sudoku.command.answers import Answer, refusal
from sudoku.command.blocks import at_once, takes_blocks
from sudoku.command.drawing import place
from sudoku.command.reading import Item, Source
from sudoku.formats.fast import Block
from sudoku.grid import GridError, Puzzle

COMMON = ("json", "fail", "jobs", "timeout")  # options that no function of `sudoku.command.answers` takes
SEARCHED, TOGETHER = 16, 256  # plain grids that a worker takes at once: searched one by one, or answered together

Solver = Callable[..., Answer | Generator[Answer, None, None]]
Answered = tuple[Answer, Puzzle | GridError | None]  # an answer, and its grid if it is the answer of one grid


class Stream:
    """Answers grids one after the other, and shows on the terminal how far a long search is.

    Parameters:
        source: the grids.
        solver: a function of `sudoku.command.answers`.
        options: the options of the command.
    """

    def __init__(self, source: Source, solver: Solver, options: Mapping[str, Any]) -> None:
        self._source, self._solver, self._options = source, solver, options
        self._own = {name: value for name, value in options.items() if name not in COMMON}
        self._console, self._line = source.console, source.console.line
        self._blocks = takes_blocks(solver.__name__, options)
        self._answers_show = sys.stdout is not None and sys.stdout.isatty()
        self._place = ""
        self._none = self._unfinished = False
        self._answers = 0
        self._apart: bool | None = None  # whether the last answer may have several lines; None if there is none

    def run(self) -> int:
        """Prints all answers, and returns the exit status; Ctrl-C leaves what had been found printed."""
        need_stdout()
        if (jobs := self._options.get("jobs", 1)) > 1:
            self._share(jobs)
        else:
            for item in self._source.blocks():
                self.answer(item)
        if self._console.status or not self._options.get("fail"):
            return self._console.status
        return UNFINISHED if self._unfinished else NONE if self._none else 0

    def answer(self, item: Item | OSError) -> None:
        """Answers the grids of an item."""
        if isinstance(item, OSError):
            self._console.fail(f"{item.filename}: {item.strerror}")
        elif isinstance(item, Block) and self._blocks:
            for one in at_once(item, self._solver.__name__, self._options, self._progress):
                self._search(one) if isinstance(one, Puzzle) else self._print(one)
        else:
            for found in item.puzzles() if isinstance(item, Block) else [item]:
                self._search(found)

    def _share(self, jobs: int) -> None:
        """Answers all grids by several processes, since most of the work holds the interpreter's lock."""
        from concurrent.futures import BrokenExecutor, ProcessPoolExecutor  # imported here: they take 20 ms
        from multiprocessing import active_children

        parts = [part for item in self._source.blocks() for part in self._parts(item, jobs)]
        work = partial(_work, self._source.alphabet, self._solver, self._options)
        pool = ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
        try:
            for part, answers in zip(parts, pool.map(work, parts), strict=True):
                if isinstance(part, OSError):
                    self.answer(part)
                for answer, at in answers:
                    self._print(answer, at)
        except BrokenExecutor as error:
            self._console.fail(f"workers: {error}")
        except BaseException:  # Ctrl-C, or nobody reads the answers
            for child in active_children():
                child.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _parts(self, item: Item | OSError, jobs: int) -> Iterator[Item | OSError]:
        """Yields the pieces of a block for workers, or what is no block."""
        if not isinstance(item, Block):
            yield item
            return
        size = max(1, min(TOGETHER if self._blocks else SEARCHED, len(item.grids) // (2 * jobs)))
        for first in range(0, len(item.grids), size):
            part = slice(first, first + size)
            yield item._replace(grids=item.grids[part], lines=item.lines[part])

    def _search(self, puzzle: Puzzle | GridError) -> None:
        """Answers a grid by a search of its own."""
        if isinstance(puzzle, GridError):
            self._print(refusal(puzzle), puzzle)
            return
        self._turn_to(f"{puzzle.file}:{puzzle.line}")
        limits: Limiting = {"timeout": self._options.get("timeout"), "progress": self._progress}
        try:
            found = self._solver(puzzle, self._source.signs(puzzle.layout), limits, **self._own)
            if isinstance(found, Answer):
                self._print(found, puzzle)
            else:
                self._print_all(found, puzzle)
            return
        except ValueError as error:  # such as a strategy that does not do grids of this shape
            reason = str(error)
        except MemoryError as error:
            reason = lack_of_memory(error)
        self._print(refusal(GridError(puzzle.file, puzzle.line, reason)), puzzle)

    def _print_all(self, answers: Generator[Answer, None, None], at: Puzzle) -> None:
        """Prints the parts of an answer; after Ctrl-C while one is printed, the generator yields the last one."""
        for answer in answers:
            try:
                self._print(answer, at)
            except KeyboardInterrupt as interrupt:
                self._print(answers.throw(interrupt), at)

    def _turn_to(self, place: str) -> None:
        """Notes which grid is searched; patience begins anew where the user sees the answers go by."""
        if self._answers_show and place != self._place:
            self._line.restart()
        self._place = place
        self._line.update(lambda: f"{place}: {in_words(self._line.elapsed)}")

    def _progress(self, seen: Progress) -> None:
        """Shows the progress of the search now and then."""
        limits = {name: self._options.get(name) for name in ("limit", "timeout")}
        self._line.update(lambda: f"{self._place}: {how_far(seen, found='completion', **limits)}")

    def _print(self, answer: Answer, at: Puzzle | GridError | None = None) -> None:
        """Prints an answer at once, with an empty line around answers of several lines; notes the exit status.

        Raises:
            KeyboardInterrupt: Ctrl-C has ended the search.
        """
        if answer.wrong is not None:
            self._console.fail(str(answer.wrong))
        apart = answer.is_list or (answer.grids == 1 and "\n" in answer.text)
        if self._options.get("json") and at is not None:
            place = {"file": at.file, "line": at.line}
            self._console.print("".join([f"{json.dumps(place | facts)}\n" for facts in answer.facts]))
        elif answer.text:
            gap = "\n" if answer.grids and self._apart is not None and (self._apart or apart) else ""
            self._console.print(f"{gap}{answer.text}\n")
        self._apart = apart
        self._answers += answer.grids
        if answer.picture is not None:
            self._draw(answer.picture)
        self._none |= answer.none
        self._unfinished |= answer.stopped == "timeout"
        if answer.stopped == "interrupt":
            raise KeyboardInterrupt

    def _draw(self, picture: str) -> None:
        """Writes the picture of the last answer."""
        self._console.put(place(self._options["svg"], self._answers), f"{picture}\n".encode())


class Collected(Stream):
    """Collects answers instead of printing them, for a process that prints them."""

    def __init__(self, source: Source, solver: Solver, options: Mapping[str, Any]) -> None:
        super().__init__(source, solver, options)
        self.answers: list[Answered] = []

    def _print(self, answer: Answer, at: Puzzle | GridError | None = None) -> None:
        self.answers.append((answer, at))

    def _turn_to(self, place: str) -> None:
        pass

    def _progress(self, seen: Progress) -> None:
        pass


def _work(alphabet: str | None, solver: Solver, options: Mapping[str, Any], item: Item | OSError) -> list[Answered]:
    """Answers an item in a worker; the other process reports an OSError."""
    if isinstance(item, OSError):
        return []
    stream = Collected(Source(Console("sudoku"), (), None, alphabet), solver, options)
    stream.answer(item)
    return stream.answers
