"""A problem that the command reads, and how covers and options are printed, as text and as JSON."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import dlx
from dlx.command import (
    BAD,
    INTERRUPTED,
    NONE,
    UNFINISHED,
    Console,
    broken_executor,
    how_far,
    lack_of_memory,
    need_stdout,
)
from dlx.engine.limits import Outcome, Progress, Stop
from dlx.formats import FormatError, read
from dlx.parallel.errors import CheckpointError, LostPieceError, NoWorkersError
from dlx.problem.problem import Problem
from dlx.search.covers import BLOCK, Block

if TYPE_CHECKING:
    from dlx.show import Picture

NO_COVER = "there is no cover; `dlx explain` says why"

# The users' words for the end of a search, and the exit status; --limit is no news
STOPPED_BY = {"timeout": ("--timeout", UNFINISHED), "max_nodes": ("--max-nodes", UNFINISHED)}
STOPPED_BY |= {"interrupt": ("Ctrl-C", INTERRUPTED), "gap": ("--gap", 0)}


class Run:
    """A problem, what is to be done with it, and what is said about that.

    Attributes:
        found: what a cover is called.
        lack: what is said if there is none.
        at_once: the most covers that are printed at once; fewer if to print them takes long, and is part of --timeout.
    """

    found, lack, at_once = "cover", NO_COVER, BLOCK

    def __init__(self, options: argparse.Namespace, console: Console) -> None:
        self.options, self.console = options, console
        self.file = "<stdin>" if options.file == "-" else options.file
        self.say, self.fail, self.print, self.put = console.say, console.fail, console.print, console.put

    def all(self) -> int:
        """Reads the problem, answers, and returns the exit status."""
        if not self._can_write():
            return BAD
        problem: Problem | None = None
        try:
            problem = self.read()
            return int(self.options.command(self, problem))
        except FormatError as error:
            return self.fail(f"{self.file}: {error.reason}" if problem is not None else str(error))
        except (NotImplementedError, OverflowError, dlx.ProblemError) as error:
            return self.fail(f"{self.file}: {error}")
        except MemoryError as error:
            return self.fail(f"{self.file}: {lack_of_memory(error)}")
        except (CheckpointError, LostPieceError, NoWorkersError) as error:
            return self.fail(str(error))
        except broken_executor() as error:
            return self.fail(f"{getattr(self.options, 'scheduler', None) or 'workers'}: {error}")
        except OSError as error:
            if problem is None:
                return self.fail(f"{error.filename or self.file}: {error.strerror}{self._hint(error)}")
            if error.filename is None:  # that of standard output
                raise
            return self.fail(f"{error.filename}: {error.strerror}")

    def _hint(self, error: OSError) -> str:
        """Advises on a problem in the place of the name of a file."""
        missing = error.errno in (errno.ENOENT, errno.ENAMETOOLONG)
        content = any(sign in self.file for sign in " \n|;[{") or set(self.file) <= set("01,")
        return "; a problem itself goes to standard input: dlx count < FILE" if missing and content else ""

    @property
    def output(self) -> str | None:
        """The file to write the answer to, or None for standard output, which - is, too."""
        said = (getattr(self.options, name, None) for name in ("target", "output"))
        return next((file for file in said if file not in (None, "-")), None)

    def _can_write(self) -> bool:
        """Tells whether the files that are asked for can be written; if not, that is said before a long search."""
        if self.output is None:
            need_stdout()
        beside = (getattr(self.options, name, None) for name in ("svg", "certificate"))
        written = [file for file in (self.output, *beside) if file is not None]
        return self._are_apart() and all(map(self.console.can_write, written))

    def _are_apart(self) -> bool:
        """Tells whether no picture or proof takes the place of another file that is named; if one does, says which."""
        known: dict[str, str] = {}
        for name in ("file", "start", "checkpoint", "svg", "certificate"):
            file = getattr(self.options, name, None)
            if not isinstance(file, str) or file == "-":
                continue
            told = "the problem" if name == "file" else f"--{name}"
            other = known.setdefault(os.path.realpath(file), told)
            if other != told and name in ("svg", "certificate"):
                self.fail(f"{told} {file}: this is the file of {other}")
                return False
        return True

    def read(self) -> Problem:
        """The problem in the file."""
        with self.warnings_told():
            if self.options.file != "-":
                return read(self.options.file, self.options.format)
            return read(self.stdin(), self.options.format)

    def stdin(self) -> Any:
        """Standard input, of bytes as a rule; raises OSError if it is closed."""
        if sys.stdin is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return getattr(sys.stdin, "buffer", sys.stdin)

    @contextmanager
    def warnings_told(self) -> Iterator[None]:
        """Says what formats and searches warn of within."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for warning in caught:
            self.say(str(warning.message).replace("<problem>", self.file, 1))

    def tell(self, facts: dict[str, Any], text: str | None = None, went: Outcome | None = None) -> None:
        """Prints facts for programs, with how the search went, or else a text; without one, a fact in each line."""
        if self.options.json:
            self.print(in_json(file=self.file, **facts, **({} if went is None else how_it_went(went))))
        elif text is None:
            known = ((name.replace("_", " "), fact) for name, fact in facts.items() if fact is not None)
            self.print("".join([f"{name}: {fact}\n" for name, fact in known]))
        else:
            self.print(text)

    def end(self, stopped: Stop | None, none: bool, rest: str, lack: str | None = None) -> int:
        """The exit status of a search; says what remains unknown if it was stopped, or what there is not."""
        if stopped in STOPPED_BY:
            self.say(f"stopped by {STOPPED_BY[stopped][0]}; {rest}")
            file = getattr(self.options, "checkpoint", None)
            if file is not None and not os.path.exists(file):
                self.say(f"{file}: not written, since too little has been done to go on from")
            return STOPPED_BY[stopped][1]
        if none and stopped is None:
            self.say(lack or self.lack)
            return NONE
        return 0

    def end_of_best(self, result: dlx.Best, sense: str) -> int:
        """The exit status of a search for the best cover; what ended the search for a certificate is told with that."""
        if result.proven:
            return INTERRUPTED if result.stopped == "interrupt" else self.end(None, not result.covers, "")
        side = "above" if sense == "max" else "below"
        bound = "" if result.bound is None else f", but none with a score {side} {result.bound}"
        rest = f"{'better ' if result.covers else ''}{self.found}s"
        return self.end(result.stopped, not result.covers, f"there may be {rest}{bound}")

    def progress(self, seen: Progress) -> None:
        """Shows how far a search is."""
        limit, found = getattr(self.options, "limit", None), getattr(self.options, "found", self.found)
        self.console.line.update(lambda: how_far(seen, found=found, limit=limit, timeout=self.options.timeout))

    def symmetries(self, problem: Problem) -> Any:
        """The symmetries up to which covers are counted; raises TimeoutError."""
        return dlx.symmetries(problem, timeout=self.options.timeout)

    def texts(self, problem: Problem) -> Texts:
        """The covers of a problem as they are printed."""
        return Texts(problem, getattr(self.options, "numbers", False))

    def picture(self, problem: Problem, cover: Sequence[int]) -> Picture:
        """A cover as it is drawn."""
        from dlx.show import draw

        return draw(problem, cover)

    def limits(self) -> dict[str, Any]:
        """The limits of a search, and what it reports to."""
        nodes = getattr(self.options, "max_nodes", None)
        return {"timeout": self.options.timeout, "max_nodes": nodes, "progress": self.progress}

    def choices(self) -> dict[str, Any]:
        """The user's choices of how to search."""
        given = {name: getattr(self.options, name, None) for name in ("seed", "kernel")}
        return {name: value for name, value in given.items() if value is not None}


class Texts(dict[int, str]):
    """The options as they are printed, by numbers from 1 if that is wanted, each made when it is needed first."""

    def __init__(self, problem: Problem, numbers: bool = False) -> None:
        super().__init__()
        self.problem, self._numbers = problem, numbers
        self._in_json = cache(self._parts)

    def __missing__(self, option: int) -> str:
        self[option] = text = str(option + 1) if self._numbers else self._named(option)
        return text

    def _named(self, option: int) -> str:
        names = self.problem.names
        return " ".join(_words(self.problem, option)) if names is None else word(names[option])

    def line(self, cover: Sequence[int]) -> str:
        """A cover as it is printed."""
        return " | ".join([self[o] for o in cover])

    def scored(self, score: float, cover: Sequence[int]) -> str:
        """A cover with its score, or the size of its kind."""
        return f"{score}\t{self.line(cover)}\n"

    def lines(self, block: Block, numbers: Iterable[int], as_json: bool) -> str:
        """A line for each cover of a block, its options in the order of the file; in JSON it has a number, too."""
        covers = ([o for o in row if o >= 0] for row in np.sort(block, axis=1).tolist())
        if not as_json:
            return "".join([f"{self.line(cover)}\n" for cover in covers])
        return "".join([self._object(k, cover) for k, cover in zip(numbers, covers, strict=True)])

    def _object(self, k: int, cover: list[int]) -> str:
        """A cover's number and its `facts` as an object in a line, put together from parts that are made once."""
        parts = [self._in_json(o) for o in cover]
        items = ", ".join([items for items, _ in parts])
        named = "" if self.problem.names is None else f', "names": [{", ".join([name for _, name in parts])}]'
        return f'{{"cover": {k}, "options": {cover}, "items": [{items}]{named}}}\n'

    def _parts(self, option: int) -> tuple[str, str]:
        """The items and the name of an option in JSON."""
        import json  # costs 3 ms

        facts = self.option_facts(option)
        return json.dumps(facts["items"]), json.dumps(facts.get("name"))

    def facts(self, cover: Sequence[int]) -> dict[str, Any]:
        """A cover for programs: the numbers of its options, from 0, their items, and their names if they have any."""
        each = [self.option_facts(o) for o in cover]
        named = {} if self.problem.names is None else {"names": [facts["name"] for facts in each]}
        return {"options": list(cover), "items": [facts["items"] for facts in each], **named}

    def option_facts(self, option: int) -> dict[str, Any]:
        """An option for programs: its number, from 0, its items, and its name if it has one."""
        names = self.problem.names
        named = {} if names is None else {"name": word(names[option])}
        return {"option": option, "items": _words(self.problem, option), **named}


def _words(problem: Problem, option: int) -> list[str]:
    """The items of an option, with their colours, as they are written in files."""
    return [
        f"{word(item.item)}:{word(item.colour)}" if isinstance(item, dlx.Coloured) else word(item)
        for item in problem.option(option)
    ]


def word(name: object) -> str:
    """A name as it is printed; where that cannot be, an escaped form."""
    word = str(name)
    try:
        word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return ascii(word)
    return word


def in_json(**facts: Any) -> str:
    """An object in a line."""
    import json

    return f"{json.dumps(facts)}\n"


def how_it_went(outcome: Outcome) -> dict[str, Any]:
    """A search for programs."""
    facts = {name: getattr(outcome, name) for name in ("exhausted", "stopped", "nodes", "updates")}
    return {**facts, "seconds": round(outcome.seconds, 6)}
