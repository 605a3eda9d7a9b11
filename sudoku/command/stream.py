"""The grids of a stream, answered in their order: each as it comes, or all that are there by several processes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

from dlx import Progress
from dlx.command import NONE, UNFINISHED, Console, how_far, in_words, lack_of_memory, need_stdout
from dlx.extending import Limiting
from sudoku.command.answers import Answer, refusal, unfinished
from sudoku.command.blocks import at_once, takes_blocks
from sudoku.command.drawing import place
from sudoku.command.reading import Item, Source
from sudoku.formats.fast import Block, one_by_one
from sudoku.grid import GridError, Puzzle

COMMON = ("json", "fail", "jobs", "timeout")  # options that no function of `sudoku.command.answers` takes
SEARCHED, TOGETHER = 16, 1024  # plain grids that a worker takes at once: searched one by one, or answered together

Solver = Callable[..., Answer | Generator[Answer, None, None]]


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
        jobs = self._options.get("jobs", 1)
        with closing(self._shared(jobs) if jobs > 1 else self._alone()) as answers:
            for answer in answers:
                self._print(answer)
        if self._console.status or not self._options.get("fail"):
            return self._console.status
        return UNFINISHED if self._unfinished else NONE if self._none else 0

    def answers(self, item: Item) -> Generator[Answer, None, None]:
        """Yields the answers about the grids of an item, in their order."""
        if isinstance(item, Block) and self._blocks:
            for one in at_once(item, self._solver.__name__, self._options, self._progress):
                yield from self._searched(one) if isinstance(one, Puzzle) else [one]
        else:
            for found in one_by_one(iter([item])):
                yield from self._searched(found)

    def _alone(self) -> Generator[Answer, None, None]:
        """Yields all answers of this process."""
        for item in self._source.blocks():
            yield from self.answers(item)

    def _shared(self, jobs: int) -> Generator[Answer, None, None]:
        """Yields all answers, made by several processes, since most of the work holds the interpreter's lock."""
        from dlx.extending import Crew, Workers  # imported here: they take 20 ms

        most = TOGETHER if self._blocks else SEARCHED
        parts = [part for item in self._source.blocks() for part in _parts(item, most, 2 * jobs)]
        context = self._source.alphabet, self._solver, self._options
        workers = Workers(None, jobs, threads=False)
        crew: Crew[int, list[Answer]] = Crew(
            workers,
            _work,
            context,
            parts.__getitem__,
            lambda k: f"the grid, or one of the grids, at {_begin(parts[k])}",
        )
        crew.todo.extend(range(len(parts)))
        done: dict[int, list[Answer]] = {}
        with closing(crew):
            for k in range(len(parts)):
                while k not in done:
                    done.update(crew.step())
                yield from done.pop(k)

    def _searched(self, puzzle: Puzzle | GridError | OSError) -> Generator[Answer, None, None]:
        """Answers a grid by a search of its own."""
        if not isinstance(puzzle, Puzzle):
            yield refusal(puzzle)
            return
        self._turn_to(f"{puzzle.file}:{puzzle.line}")
        try:
            yield from self._found(puzzle)
            return
        except ValueError as error:  # such as a strategy that does not do grids of this shape
            reason = str(error)
        except MemoryError as error:
            reason = lack_of_memory(error)
        yield refusal(GridError(puzzle.file, puzzle.line, reason))

    def _found(self, puzzle: Puzzle) -> Iterable[Answer]:
        """Returns the answers of a search."""
        limits: Limiting = {"timeout": self._options.get("timeout"), "progress": self._progress}
        try:
            found = self._solver(puzzle, self._source.signs(puzzle.layout), limits, **self._own)
        except TimeoutError:
            found = unfinished("timeout")
        except KeyboardInterrupt:
            found = unfinished("interrupt")
        return [found._replace(at=(puzzle.file, puzzle.line))] if isinstance(found, Answer) else found

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

    def _print(self, answer: Answer) -> None:
        """Prints an answer, with empty lines around several lines; raises KeyboardInterrupt after that of Ctrl-C."""
        if answer.wrong is not None:
            self._console.fail(answer.wrong)
        apart = answer.is_list or (answer.grids == 1 and "\n" in answer.text)
        if self._options.get("json") and answer.at is not None:
            file, line = answer.at
            objects = [json.dumps({"file": file, "line": line, **facts}) for facts in answer.facts]
            self._console.print("".join([f"{text}\n" for text in objects]))
        elif answer.text:
            gap = "\n" if answer.grids and self._apart is not None and (self._apart or apart) else ""
            self._console.print(f"{gap}{answer.text}\n")
        if answer.text:
            self._apart = apart
        self._answers += answer.grids
        if answer.picture is not None:
            self._console.put(place(self._options["svg"], self._answers), f"{answer.picture}\n".encode())
        self._none |= answer.none
        self._unfinished |= answer.stopped == "timeout"
        if answer.stopped == "interrupt":
            raise KeyboardInterrupt


def _work(context: tuple[str | None, Solver, Mapping[str, Any]], item: Item, _: object) -> list[Answer]:
    """Answers an item in a worker."""
    alphabet, solver, options = context
    console = Console("sudoku")
    console.line.visible = False
    return [*Stream(Source(console, (), None, alphabet), solver, options).answers(item)]


def _parts(item: Item, most: int, shares: int) -> Iterator[Item]:
    """Yields the parts of a block: at least `shares` parts, each of at most `most` grids. Other items have one part."""
    if not isinstance(item, Block):
        yield item
        return
    size = max(1, min(most, len(item.grids) // shares))
    for first in range(0, len(item.grids), size):
        part = slice(first, first + size)
        yield item._replace(grids=item.grids[part], lines=item.lines[part])


def _begin(item: Item) -> str:
    """Returns the file and the line where an item begins."""
    found = next(one_by_one(iter([item])))
    return found.filename if isinstance(found, OSError) else f"{found.file}:{found.line}"
