"""The grids of a stream, answered in their order: one after the other, or by several workers at a time."""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

import dlx
from dlx import Progress
from dlx.command import (
    NONE,
    UNFINISHED,
    Console,
    broken_executor,
    how_far,
    in_words,
    lack_of_memory,
    need_stdout,
    one_interrupt_noted,
)
from sudoku.command.answers import Answer, OnProgress, refusal
from sudoku.command.drawing import place
from sudoku.command.glance import at_a_glance, takes_blocks
from sudoku.command.reading import in_blocks, puzzles
from sudoku.formats.fast import CELLS, Block
from sudoku.grid import GridError, Puzzle, frozen
from sudoku.layout import as_layout
from sudoku.sharing import CHUNK, WAIT, Over, Sharing, looking_up

if TYPE_CHECKING:
    from concurrent.futures import Executor

Item: TypeAlias = Puzzle | Answer | OSError

GATHERED = 64  # grids that are answered together, if so many have come at once
LONG = 10.0  # seconds of a count until another way is proposed
AHEAD = 64  # grids for each worker that may have come and have not been answered


def answer(options: argparse.Namespace, console: Console) -> int:
    """Answers each grid in its turn, and returns the exit status; after Ctrl-C what had been found has been printed."""
    need_stdout()
    return by_workers(options, console, lambda **who: _answer_all(options, console, **who))


def by_workers(options: argparse.Namespace, console: Console, run: Callable[..., int]) -> int:
    """Runs something with `jobs`, and with `executor` if there is a scheduler, and returns the exit status."""
    from dlx.command.parallel import NoWorkersError, workers

    try:
        with workers(console, options.jobs, options.scheduler, options.timeout) as who:
            return run(**who)
    except (NoWorkersError, dlx.LostPieceError) as error:
        return console.fail(str(error))
    except broken_executor() as error:
        return console.fail(f"{options.scheduler or 'workers'}: {error}")


def _answer_all(options: argparse.Namespace, console: Console, executor: Executor | None = None, jobs: int = 1) -> int:
    output = Output(options, console)
    stream = InTurn(options, output) if executor is None and jobs == 1 else Shared(options, output, executor, jobs)
    try:
        for item in (in_blocks if takes_blocks(options) else puzzles)(options, console, stream.idle):
            stream.put(item)
        stream.finish()
    except KeyboardInterrupt:
        stream.stop()
        raise
    finally:
        stream.close()
    return output.status()


class Output:
    """The printed answers about grids, and the line on the terminal about one that takes long."""

    def __init__(self, options: argparse.Namespace, console: Console) -> None:
        self._options, self._console, self._line = options, console, console.line
        self._answers_show = sys.stdout is not None and sys.stdout.isatty()
        self._place = ""
        self._none = self._unfinished = self._has_helped = False
        self._answers = 0
        self._before = 0  # how many lines the answer before had; 0 if this is the first one

    def turn_to(self, puzzle: Puzzle) -> None:
        """Notes the grid that is searched or waited for; patience begins anew where the user sees the answers go by."""
        place = f"{puzzle.file}:{puzzle.line}"
        if self._answers_show and place != self._place:
            self._line.restart()
        self._place = place
        self._line.update(lambda: f"{place}: {in_words(self._line.elapsed)}")

    def progress(self, seen: Progress) -> None:
        """Shows how far the search is, now and then, and once what may help a count that takes long."""
        merges = getattr(self._options, "merge", None) != "auto" or self._options.up_to is not None
        if self._line.visible and seen.seconds >= LONG and not (merges or self._has_helped):
            self._has_helped = True
            self._console.say("--merge isomorphic may be sooner done: it counts once what is the same up to renaming")
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
        apart = max(self._before, lines) > 1 or (self._options.command == "target" and self._options.top is not None)
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


class InTurn:
    """Answers each grid before it takes the next one, but for those that are answered together."""

    def __init__(self, options: argparse.Namespace, output: Output) -> None:
        self._options, self._output = options, output
        self._gathers = options.command == "target" and takes_blocks(options) and not options.json
        self._gathered: list[Puzzle] = []

    def put(self, item: Puzzle | GridError | Block | OSError) -> None:
        """Takes what comes next."""
        if self._gathers and isinstance(item, Puzzle) and item.layout.is_plain and item.candidates is None:
            self._gathered.append(item)
            if len(self._gathered) == GATHERED:
                self._answer_gathered()
            return
        self._answer_gathered()
        if isinstance(item, Block):
            self._glance(item.grids, partial(_puzzle, item))
        else:
            self._add(refusal(item, self._options) if isinstance(item, GridError) else item)

    def _answer_gathered(self) -> None:
        gathered, self._gathered = self._gathered, []
        if gathered:
            self._glance(np.array([puzzle.grid for puzzle in gathered]).reshape(-1, CELLS), gathered.__getitem__)

    def _glance(self, grids: npt.NDArray[np.uint8], puzzle: Callable[[int], Puzzle]) -> None:
        """Answers plain grids together, but for those that have to be searched."""
        self._output.turn_to(puzzle(0))
        for item in at_a_glance(grids, puzzle, self._options, self._output.progress):
            self._add(item)

    def _add(self, item: Item) -> None:
        """Says an answer, or searches for it."""
        if isinstance(item, Puzzle):
            self._output.turn_to(item)
            item = _answer(item, self._options, self._output.progress)
        self._output.say(item)

    def idle(self) -> bool:
        """Answers all that has come; False, since there is nothing to do then."""
        self._answer_gathered()
        return False

    def finish(self) -> None:
        """Answers all that has come; nothing more is to come."""
        self._answer_gathered()

    def stop(self) -> None:
        """Says what has been found by now."""

    def close(self) -> None:
        """Ends the workers, if there are any."""


class Shared(InTurn):
    """Lets workers search, without an executor processes: most of what a grid takes holds the interpreter's lock."""

    def __init__(self, options: argparse.Namespace, output: Output, executor: Executor | None, jobs: int) -> None:
        super().__init__(options, output)
        self._sharing: Sharing[Answer] | None = None  # until there is something to share
        self._executor, self._jobs = executor, jobs  # of the workers, when these begin
        self._ahead = AHEAD * jobs
        self._most, self._wait = CHUNK, WAIT
        self._chunk: list[Puzzle] = []  # not handed out yet
        self._open: deque[list[Any]] = deque()  # has not been said: lists of one, a grid until it has its answer
        self._searched: dict[int, list[Any]] = {}  # those that have none, by the numbers of the grids
        self._number = 0  # of grids so far

    def _add(self, item: Item) -> None:
        """Takes an answer or a grid, and waits for answers if too much is open."""
        self._open.append([item])
        if isinstance(item, Puzzle):
            self._chunk.append(item)
            self._searched[self._number] = self._open[-1]
            self._number += 1
        if len(self._chunk) >= self._most:
            self._hand_out()
            self._go_on(0)
        self._take(())
        while len(self._open) >= self._ahead:
            self._hand_out()
            self._go_on(self._wait)

    def idle(self) -> bool:
        """Waits a moment for answers; whether there are some to come."""
        self._answer_gathered()
        self._hand_out()
        self._go_on(self._wait)
        return bool(self._open)

    def finish(self) -> None:
        """Waits for all answers, of no more workers than there are grids."""
        self._answer_gathered()
        self._jobs = min(self._jobs, len(self._chunk))
        while self.idle():
            pass

    def stop(self) -> None:
        """Says what has been found by now."""
        if self._sharing:
            self._take(self._sharing.stop())

    def close(self) -> None:
        """Ends the workers."""
        if self._sharing:
            self._sharing.close()

    def _hand_out(self) -> None:
        if not self._chunk:
            return
        if self._sharing is None:
            from dlx.extending import Workers

            self._sharing = Sharing(Workers(self._executor, self._jobs, threads=False), _job, self._options)
        self._sharing.add(self._chunk)
        self._chunk = []

    def _go_on(self, seconds: float) -> None:
        with one_interrupt_noted() as interrupted:  # so that no answer is lost on its way
            came = self._sharing.step(seconds) if self._sharing else []
        self._take(came)
        if interrupted():
            raise KeyboardInterrupt
        if self._open and isinstance(first := self._open[0][0], Puzzle):
            self._output.turn_to(first)

    def _take(self, answers: Iterable[tuple[int, Answer | None]]) -> None:
        """Takes answers, and says those that nothing is before."""
        for k, answer in answers:
            place = self._searched.pop(k)
            place[0] = answer or _refused(place[0], "every worker has died of this grid", self._options)
        while self._open and not isinstance(self._open[0][0], Puzzle):
            self._output.say(self._open.popleft()[0])


def _job(options: argparse.Namespace, puzzles: Sequence[Puzzle], over: Over) -> Iterator[Answer]:
    """Answers grids one after the other, and looks up as a worker has to."""
    return (_answer(puzzle, options, looking_up(over)) for puzzle in puzzles)


def _answer(puzzle: Puzzle, options: argparse.Namespace, progress: OnProgress) -> Answer:
    """Answers a grid by a search of its own."""
    try:
        found: Answer = options.solver(puzzle, options, {"timeout": options.timeout, "progress": progress})
    except (ValueError, MemoryError) as error:  # a strategy that does not do grids of this shape; --memory
        reason = lack_of_memory(error) if isinstance(error, MemoryError) else str(error)
        return _refused(puzzle, reason, options)
    return found


def _refused(puzzle: Puzzle, reason: str, options: argparse.Namespace) -> Answer:
    return refusal(GridError(puzzle.file, puzzle.line, reason), options)


def _puzzle(block: Block, k: int) -> Puzzle:
    return Puzzle(frozen(block.grids[k].reshape(9, 9)), block.form, block.file, block.lines[k], as_layout(None))
