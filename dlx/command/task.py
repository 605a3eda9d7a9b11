"""One run of a command: its problem, its limits, its output, and its exit status."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import dlx
from dlx.command import NONE, UNFINISHED, Console, how_far, standard_input
from dlx.command.console import INTERRUPTED
from dlx.command.texts import Texts, how_it_went, in_json, with_options
from dlx.engine.limits import Outcome, Progress, Stop
from dlx.formats import read
from dlx.formats.errors import Place, SenseWarning
from dlx.formats.text import words_of
from dlx.problem.checks import ProblemError
from dlx.problem.problem import Problem
from dlx.problem.words import counted
from dlx.search.covers import BLOCK, Block

if TYPE_CHECKING:
    from dlx.show import Picture

Sense = Literal["min", "max"]

# The end of a search in messages, and its exit status; there is no message about --limit
STOPPED_BY = {
    "timeout": ("--timeout", UNFINISHED),
    "max_nodes": ("--max-nodes", UNFINISHED),
    "interrupt": ("Ctrl-C", INTERRUPTED),
    "gap": ("--gap", 0),
}
MOST = 12  # maximum covers in a picture
WIDEST = 1200  # maximum width in pixels of a picture with several covers


class RefusedError(Exception):
    """Raised if the command refuses its arguments or its input; the message is printed, and the exit status is 2."""


@dataclass(eq=False)
class Task:
    """A problem in a file, the limits of the search, and the output.

    Attributes:
        console: where answers and messages are printed.
        source: the name of the file; "-" is standard input.
        json, numbers, jobs, checkpoint, limit, timeout, max_nodes, svg: the options of these names.
        problem: the problem, when it has been read or made.
        is_maximised: whether the file maximises.
        printed: the number of covers printed so far.
        drawn: the first printed covers, for --svg.
        found: the word for a cover.
        lack: the message if there is no cover.
        at_once: the maximum number of covers in one block of output.
    """

    console: Console
    source: str
    json: bool = False
    numbers: bool = False
    jobs: int | None = None
    checkpoint: str | None = None
    limit: int | None = None
    timeout: float | None = None
    max_nodes: int | None = None
    svg: str | None = None
    problem: Problem = field(init=False)
    is_maximised: bool = field(init=False, default=False)
    printed: int = field(init=False, default=0)
    drawn: list[Sequence[int]] = field(init=False, default_factory=list)
    found = "cover"
    lack = "there is no cover; `dlx explain` says why"
    at_once = BLOCK

    @property
    def file(self) -> str:
        """The name of the file in messages."""
        return "<stdin>" if self.source == "-" else self.source

    def read(self, format: str | None) -> None:
        """Reads the problem; raises RefusedError if there is no such file."""
        try:
            with self.warnings_printed():
                self.problem = read(standard_input() if self.source == "-" else self.source, format)
        except OSError as error:
            raise RefusedError(f"{error.filename or self.file}: {error.strerror}") from None

    def weigh(self, file: str) -> None:
        """Sets the weights of the options from a file: a number for each option, or one number for all."""
        from dlx.formats.orlib import cost

        self.is_maximised = False
        name, n_options = "<stdin>" if file == "-" else file, self.problem.n_options
        with Place(name) as place:
            weights = list[float]()
            for place.line, words in words_of(text_of(file).replace(",", " ")):
                weights += map(cost, words)
            place.line = None
            if len(weights) not in (1, n_options):
                raise ProblemError(f"there are {counted(len(weights), 'number')} for {n_options} options")
            self.problem = replace(self.problem, weights=weights if len(weights) > 1 else weights * n_options)  # type: ignore[arg-type]

    def sense(self, wanted: Sense | None) -> Sense:
        """Returns the sense of a search; default: the sense of the file."""
        return wanted or ("max" if self.is_maximised else "min")

    @contextmanager
    def warnings_printed(self) -> Iterator[None]:
        """Prints warnings of formats and searches inside `with` as messages."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for warning in caught:
            if warning.category is SenseWarning:
                self.is_maximised = True
                continue
            self.console.say(with_options(str(warning.message)).replace("<problem>", self.file, 1))

    @cached_property
    def texts(self) -> Texts:
        """The covers as they are printed."""
        return Texts(self.problem, self.numbers)

    def picture(self, cover: Sequence[int]) -> Picture:
        """Draws a cover."""
        from dlx.show import draw

        return draw(self.problem, cover)

    def symmetries(self) -> Any:
        """Returns the symmetries up to which covers are counted; raises TimeoutError."""
        return dlx.symmetries(self.problem, timeout=self.timeout)

    def limits(self, found: str | None = None) -> dict[str, Any]:
        """Returns the limits of a search, and the progress line as its `progress`."""

        def progress(seen: Progress) -> None:
            word, limit, timeout = found or self.found, self.limit, self.timeout
            self.console.line.update(lambda: how_far(seen, found=word, limit=limit, timeout=timeout))

        limits = {"timeout": self.timeout, "max_nodes": self.max_nodes, "max_covers": self.limit}
        return {**limits, "progress": progress}

    def tell(self, facts: dict[str, Any], text: str, went: Outcome | None = None) -> None:
        """Prints a text; with --json, prints facts with the end and the work of the search."""
        if self.json:
            text = in_json(file=self.file, **facts, **({} if went is None else how_it_went(went)))
        self.console.print(text)

    def print_covers(self, block: Block) -> None:
        """Prints a line for each cover of a block."""
        numbers = range(self.printed + 1, self.printed + 1 + len(block))
        self.console.print(self.texts.lines(block, numbers, self.json))
        self.drawn += block[: MOST - len(self.drawn)].tolist()
        self.printed += len(block)

    def end(self, stopped: Stop | None, none: bool, rest: str, lack: str = "") -> int:
        """Returns the exit status, after a message if the search was stopped (`rest`) or there is no cover (`lack`)."""
        if stopped in STOPPED_BY:
            self.console.say(f"stopped by {STOPPED_BY[stopped][0]}; {rest}")
            if self.checkpoint is not None and not os.path.exists(self.checkpoint):
                self.console.say(f"{self.checkpoint}: not written, since too little work has been done")
            return STOPPED_BY[stopped][1]
        if none and stopped is None:
            self.console.say(lack or self.lack)
            return NONE
        return 0

    def draw(self) -> None:
        """Draws the first covers to the file of --svg, if there is such a file and there are covers."""
        if self.svg is None or not self.drawn:
            return
        from dlx.show import panels

        pictures = [self.picture(cover) for cover in self.drawn]
        across = max(1, min(4, int(WIDEST / max(picture.width for picture in pictures))))
        titles = [f"{self.found} {k}" for k, _ in enumerate(pictures, 1)]
        picture = pictures[0] if len(pictures) == 1 else panels(pictures, across, titles=titles)
        if not self.console.put(self.svg, picture.encode()) and self.printed > len(pictures):
            self.console.say(f"{self.svg} shows the first {len(pictures)} of {self.printed:,} {self.found}s")


def text_of(file: str) -> str:
    """Returns the text of a file, or of standard input for "-"; raises RefusedError if it cannot be read."""
    try:
        data = standard_input().read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise RefusedError(f"{'<stdin>' if file == '-' else file}: {error.strerror}") from None
    return data if isinstance(data, str) else data.decode("utf-8", "surrogateescape")
