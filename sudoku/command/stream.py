"""The grids of a stream, answered in their order: one after the other, or by several workers at a time."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

from dlx import Progress
from dlx.command import lack_of_memory, one_interrupt_noted
from sudoku.command.answer import Answer, Report, Told, refusal
from sudoku.command.glance import Lines, answers
from sudoku.command.target import at_a_glance, plain
from sudoku.formats.blocks import Block
from sudoku.grid import GridError, Puzzle

if TYPE_CHECKING:
    from sudoku.many.sharing import Over, Sharing

Item: TypeAlias = Puzzle | GridError | Block | OSError
Say: TypeAlias = Callable[[Answer | Lines | OSError], object]

GATHERED = 64  # grids that are answered together, if so many have come at once
AHEAD = 64  # grids for each worker that may have come and have not been answered


class WorkersError(RuntimeError):
    """There is nobody who could answer."""


@contextmanager
def answering(options: argparse.Namespace, report: Report, say: Say) -> Iterator[InTurn | Shared]:
    """Answers grids as they come, and at the end of the block all that have come.

    Parameters:
        options: what is asked.
        report: where is shown how far it is.
        say: called with each answer, in the order of the grids, and with each error of a file between them.

    Raises:
        WorkersError: all workers have died.
        KeyboardInterrupt: Ctrl-C; what had been found by then has been said.
    """
    if options.jobs == 1:
        alone = InTurn(options, report, say)
        yield alone
        alone.idle()
        return
    from concurrent.futures import BrokenExecutor

    workers = Shared(options, report, say)
    try:
        yield workers
        workers.finish()
    except KeyboardInterrupt:
        workers.stop()
        raise
    except BrokenExecutor as error:
        raise WorkersError(str(error)) from None
    finally:
        workers.close()


class InTurn:
    """Answers each grid before it takes the next one, but for those that are done together."""

    def __init__(self, options: argparse.Namespace, report: Report, say: Say) -> None:
        self._options, self._report, self._say = options, report, say
        self._most = GATHERED if plain(options) else 1
        self._gathered: list[Puzzle | GridError | OSError] = []

    def put(self, item: Item) -> None:
        """Takes what comes next."""
        if isinstance(item, Block):
            self.idle()
            _say_block(item, self._options, self._report, self._say)
            return
        self._gathered.append(item)
        if len(self._gathered) >= self._most:
            self.idle()

    def idle(self) -> bool:
        """Answers all that has come; False, since there is nothing to do then."""
        gathered, self._gathered = self._gathered, []
        known = _answers([item for item in gathered if isinstance(item, Puzzle)], self._options, self._report)
        for item in gathered:
            if isinstance(item, Puzzle):
                self._report.begin(item)
                self._say(next(known))
            else:
                self._say(_settled(item, self._options))
        return False


class Shared:
    """Lets workers answer grids; these are processes, since most of what a grid takes holds the interpreter's lock."""

    def __init__(self, options: argparse.Namespace, report: Report, say: Say) -> None:
        from sudoku.many.sharing import CHUNK, WAIT

        self._options, self._report, self._say = options, report, say
        self._sharing: Sharing[Answer] | None = None  # until there is something to share
        self._chunk, self._wait = CHUNK, WAIT
        self._gathered: list[Puzzle] = []  # to be handed out together
        self._open: deque[Puzzle | GridError | OSError] = deque()  # has come, and has not been answered
        self._answers: dict[int, Answer | None] = {}  # not said yet, since others are before them
        self._next = 0  # the number of the first grid that is open

    def put(self, item: Item) -> None:
        """Takes what comes next, and waits for answers if too much is open."""
        if isinstance(item, Block):
            self._settle(self._options.jobs)
            _say_block(item, self._options, self._report, self._say)
            return
        self._open.append(item)
        if isinstance(item, Puzzle):
            self._gathered.append(item)
        if len(self._gathered) >= self._chunk:
            self._hand_out(self._options.jobs)
            self._go_on(0)
        while len(self._open) >= AHEAD * self._options.jobs:
            self._go_on(self._wait)

    def idle(self) -> bool:
        """Waits a moment for answers; whether there are some to come."""
        self._hand_out(self._options.jobs)
        self._go_on(self._wait)
        return bool(self._open)

    def finish(self) -> None:
        """Waits for all answers; nothing more is to come."""
        self._settle(min(self._options.jobs, len(self._gathered)))

    def stop(self) -> None:
        """Says what has been found by now."""
        if self._sharing:
            self._take(self._sharing.stop())

    def close(self) -> None:
        """Ends the workers."""
        if self._sharing:
            self._sharing.close()

    def _settle(self, jobs: int) -> None:
        self._hand_out(jobs)
        while self.idle():
            pass

    def _hand_out(self, jobs: int) -> None:
        """Hands out what has been gathered, to so many workers if there are none yet."""
        if not self._gathered:
            return
        if self._sharing is None:
            from dlx.extending import Workers
            from sudoku.many.sharing import Sharing

            self._sharing = Sharing(Workers(None, jobs, threads=False), _job, self._options)
        self._sharing.add(self._gathered)
        self._gathered = []

    def _go_on(self, seconds: float) -> None:
        with one_interrupt_noted() as interrupted:  # so that no answer is lost on its way
            came = self._sharing.step(seconds) if self._sharing else []
        self._take(came)
        if interrupted():
            raise KeyboardInterrupt
        if self._open and isinstance(self._open[0], Puzzle):
            self._report.wait(self._open[0])

    def _take(self, answers: Iterable[tuple[int, Answer | None]]) -> None:
        """Takes answers, and says those that nothing is before."""
        self._answers.update(answers)
        while self._open and (answer := self._first()) is not None:
            self._open.popleft()
            self._say(answer)

    def _first(self) -> Answer | OSError | None:
        """Returns the next answer to be said; None if it is not known yet."""
        item = self._open[0]
        if not isinstance(item, Puzzle):
            return _settled(item, self._options)
        if self._next not in self._answers:
            return None
        self._next += 1
        lost = GridError(item.file, item.line, "every worker has died of this grid")
        return self._answers.pop(self._next - 1) or refusal(lost, self._options)


def _say_block(block: Block, options: argparse.Namespace, report: Report, say: Say) -> None:
    """Answers the grids of a block; in threads, since their kernel leaves the interpreter's lock alone."""
    for answer in answers(block, options, report, lambda puzzle: _answer(puzzle, options, report)):
        say(answer)


def _job(options: argparse.Namespace, puzzles: Sequence[Puzzle], over: Over) -> Iterator[Answer]:
    """Answers grids one after the other, and looks up as a worker has to."""

    def look_up(seen: Progress) -> None:
        if over():
            raise KeyboardInterrupt

    return _answers(puzzles, options, look_up)


def _answers(puzzles: Sequence[Puzzle], options: argparse.Namespace, told: Told) -> Iterator[Answer]:
    """Answers grids one after the other, those first that are done together."""
    known = at_a_glance(puzzles, options) if plain(options) else [None] * len(puzzles)
    for puzzle, answer in zip(puzzles, known, strict=True):
        yield answer or _answer(puzzle, options, told)


def _answer(puzzle: Puzzle, options: argparse.Namespace, told: Told) -> Answer:
    """Answers a grid by a search of its own."""
    try:
        return options.solver(puzzle, options, told)  # type: ignore[no-any-return]
    except (ValueError, MemoryError) as error:  # a strategy that does not do grids of this shape; --memory
        reason = lack_of_memory(error) if isinstance(error, MemoryError) else str(error)
        return refusal(GridError(puzzle.file, puzzle.line, reason), options)


def _settled(item: GridError | OSError, options: argparse.Namespace) -> Answer | OSError:
    """Returns the answer about an item that is no grid."""
    return refusal(item, options) if isinstance(item, GridError) else item
