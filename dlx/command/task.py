"""One run of a command: its problem, its limits, what it prints, and its exit status."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import dlx
from dlx.command import NONE, UNFINISHED, Console, how_far
from dlx.command.output import INTERRUPTED, write_file
from dlx.command.texts import Texts, how_it_went, in_json
from dlx.engine.limits import Outcome, Progress, Stop
from dlx.formats import read
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK

if TYPE_CHECKING:
    from dlx.show import Picture

# How messages name the end of a search, and its exit status; --limit is no news
STOPPED_BY = {
    "timeout": ("--timeout", UNFINISHED),
    "max_nodes": ("--max-nodes", UNFINISHED),
    "interrupt": ("Ctrl-C", INTERRUPTED),
    "gap": ("--gap", 0),
}
MOST = 12  # covers in a picture
WIDEST = 1200  # pixels of a picture with several covers


class RefusedError(Exception):
    """The command cannot do what is asked: status 2, with the message."""


class Task:
    """A problem in a file, and the ways to print answers about it.

    Attributes:
        found: the word for a cover.
        lack: the message if there is no cover.
        at_once: the most covers in one block of output. If it is less than BLOCK, printing counts against --timeout.
        source: the name of the file; "-" is standard input.
        file: its name in messages.
        problem: the problem, when it has been read or made.
        json: whether answers are printed as JSON.
        print, say: print an answer, and a message on stderr.
    """

    problem: Problem
    found, lack, at_once = "cover", "there is no cover; `dlx explain` says why", BLOCK

    def __init__(self, console: Console, file: str, json: bool, numbers: bool) -> None:
        self.console, self.json = console, json
        self.source, self.file = file, "<stdin>" if file == "-" else file
        self.print, self.say = console.print, console.say
        self._numbers = numbers

    def read(self, format: str | None) -> None:
        """Reads the problem; raises RefusedError if there is no such file."""
        try:
            with self.warnings_told():
                self.problem = read(stdin() if self.source == "-" else self.source, format)
        except OSError as error:
            raise RefusedError(f"{error.filename or self.file}: {error.strerror}{self._hint(error)}") from None

    def _hint(self, error: OSError) -> str:
        """Advises on a problem in the place of the name of a file."""
        missing = error.errno in (errno.ENOENT, errno.ENAMETOOLONG)
        content = any(sign in self.file for sign in " \n|;[{") or set(self.file) <= set("01,")
        return "; a problem itself goes to standard input: dlx count < FILE" if missing and content else ""

    @contextmanager
    def warnings_told(self) -> Iterator[None]:
        """Says what formats and searches warn of within."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for warning in caught:
            self.say(str(warning.message).replace("<problem>", self.file, 1))

    @cached_property
    def texts(self) -> Texts:
        """The covers as they are printed."""
        return Texts(self.problem, self._numbers)

    def picture(self, cover: Sequence[int]) -> Picture:
        """A cover as it is drawn."""
        from dlx.show import draw

        return draw(self.problem, cover)

    def symmetries(self, timeout: float | None) -> Any:
        """The symmetries up to which covers are counted; raises TimeoutError."""
        return dlx.symmetries(self.problem, timeout=timeout)

    def limits(
        self, timeout: float | None, max_nodes: int | None = None, limit: int | None = None, found: str | None = None
    ) -> dict[str, Any]:
        """The limits of a search, and the progress line as its `progress`."""

        def progress(seen: Progress) -> None:
            self.console.line.update(lambda: how_far(seen, found=found or self.found, limit=limit, timeout=timeout))

        return {"timeout": timeout, "max_nodes": max_nodes, "max_covers": limit, "progress": progress}

    def tell(self, facts: dict[str, Any], text: str, went: Outcome | None = None) -> None:
        """Prints a text, or in JSON facts with the end and the effort of the search."""
        if self.json:
            text = in_json(file=self.file, **facts, **({} if went is None else how_it_went(went)))
        self.print(text)

    def end(self, stopped: Stop | None, none: bool, rest: str, checkpoint: str | None = None, lack: str = "") -> int:
        """Returns the exit status of a search, after a message if it was stopped or there is no answer.

        Parameters:
            stopped: what stopped it.
            none: whether there is no answer.
            rest: the message on what remains unknown.
            checkpoint: the file of --checkpoint.
            lack: the message if there is no answer, in place of that for covers.
        """
        if stopped in STOPPED_BY:
            self.say(f"stopped by {STOPPED_BY[stopped][0]}; {rest}")
            if checkpoint is not None and not os.path.exists(checkpoint):
                self.say(f"{checkpoint}: not written, since too little has been done to go on from")
            return STOPPED_BY[stopped][1]
        if none and stopped is None:
            self.say(lack or self.lack)
            return NONE
        return 0

    def write(self, file: str | None, data: bytes) -> None:
        """Writes a file, or standard output; raises RefusedError if the file cannot be written."""
        if file is None or file == "-":
            self.print(data)
            return
        try:
            write_file(file, data)
        except OSError as error:
            raise RefusedError(f"{file}: {error.strerror}") from None

    def draw(self, file: str | None, covers: Mapping[int, Sequence[int]], printed: int) -> None:
        """Draws covers by their numbers in a file, if it is named and there are any."""
        if file is None or not covers:
            return
        from dlx.show import panels

        try:
            pictures = [self.picture(cover) for cover in covers.values()]
        except ValueError as error:
            raise RefusedError(f"{file}: {error}") from None
        across = max(1, min(4, int(WIDEST / max(picture.width for picture in pictures))))
        titles = [f"{self.found} {k}" for k in covers]
        picture = pictures[0] if len(pictures) == 1 else panels(pictures, across, titles=titles)
        self.write(file, picture.encode())
        if printed > len(covers):
            self.say(f"{file} shows the first {len(covers)} of {printed:,} {self.found}s")


def stdin() -> Any:
    """Standard input, of bytes as a rule; raises OSError if it is closed."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    return getattr(sys.stdin, "buffer", sys.stdin)
