"""The command `dlx`, and the names that commands of other packages share with it: output, the progress line, Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import errno
import math
import os
import re
import select
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, BinaryIO

from dlx.engine.bar import Line, columns
from dlx.engine.limits import Progress
from dlx.problem.checks import jobs_here
from dlx.problem.words import plural

if TYPE_CHECKING:
    from dlx.search.trace import Trace
    from dlx.show.dance import Board

__all__ = [
    "BAD",
    "INTERRUPTED",
    "NONE",
    "STATUSES",
    "UNFINISHED",
    "Console",
    "Parser",
    "StatusLine",
    "add_command",
    "add_sense",
    "add_version",
    "adder",
    "at_least",
    "begun",
    "broken_executor",
    "conduct",
    "exit_line",
    "film",
    "fraction",
    "how_far",
    "in_words",
    "jobs",
    "lack_of_memory",
    "memory",
    "need_stdout",
    "one_interrupt_noted",
    "page_name",
    "pattern",
    "picture_name",
    "plural",
    "replace_file",
    "seconds",
    "seed",
    "whole_file",
    "write",
    "write_file",
]

NONE, BAD, UNFINISHED, INTERRUPTED = 1, 2, 3, 130
STATUSES = {  # of both commands; docs/files.md has the details
    0: "answered",
    NONE: "there is none",
    BAD: "wrong input, output or usage",
    UNFINISHED: "a limit",
    INTERRUPTED: "Ctrl-C",
}

PATIENCE = 1.0  # seconds before the line appears
REFRESH = 0.2  # seconds between two of its states
FILE_PIECE = 1 << 18  # bytes that are written to a file at once
PIPE_PIECE = getattr(select, "PIPE_BUF", 512)  # and to a pipe; 512 is what POSIX asks for at least

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
MEMORY = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?(?:e[0-9]{1,2})?) ?([kmgt]i?|)b?", re.IGNORECASE)


class Parser(argparse.ArgumentParser):
    """A parser whose help says so if it cannot be written; that of a command shows its usage for unknown arguments."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Refuses unknown arguments, which argparse would leave to the parser of all commands."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return known, unknown

    def print_help(self, file: Any = None) -> None:
        """Prints the help, to standard output if no file is given."""
        if file is None:
            write(self.format_help())
        else:
            super().print_help(file)


def add_command(
    commands: argparse._SubParsersAction[Parser], name: str, text: str, before: str, after: str, **settings: Any
) -> Parser:
    """Adds a command of a command, whose help begins with examples and ends as it is laid out.

    Parameters:
        commands: where it is added.
        name: its name.
        text: what it prints in a few words; examples in a line, `$ ...; ...; ...`; what else its help says of that.
        before, after: what stands around this.
        settings: attributes of its options that no argument sets, or defaults of these.
    """
    prints, examples, output = text.split("\n", 2)
    command = commands.add_parser(
        name,
        help=prints,
        epilog=f"{before}{output}{after}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.description = begun(command.prog, f"Prints {prints}.", examples.removeprefix("$ "))
    command.set_defaults(**settings)
    return command


def begun(program: str, sentence: str, examples: str) -> str:
    """Returns the beginning of a help.

    >>> print(begun("dlx count", "Prints a number.", "toy.dlx; --json toy.dlx"))
    Prints a number.
    <BLANKLINE>
    examples:
      dlx count toy.dlx
      dlx count --json toy.dlx
    """
    return "\n".join([sentence, "", "examples:", *(f"  {program} {example}" for example in examples.split("; "))])


def exit_line(unless: str | None = "") -> str:
    """Returns the line of a help with the exit statuses.

    Parameters:
        unless: the option without which nothing ends by 1 or 3; None if nothing does in any case.

    >>> print(exit_line("--fail"))
    <BLANKLINE>
    exit status: 0 answered, 1 there is none (--fail), 2 wrong input, output or usage, 3 a limit (--fail), 130 Ctrl-C
    docs/files.md says more.
    """
    told = []
    for status, words in STATUSES.items():
        when = unless if status in (NONE, UNFINISHED) else ""
        told += [] if when is None else [f"{status} {words}{f' ({when})' * bool(when)}"]
    return f"\nexit status: {', '.join(told)}\ndocs/files.md says more."


def adder(commands: Mapping[str, Parser]) -> Callable[..., None]:
    """Returns a function that adds an option, or the names of files, to some commands, as their help spells it.

    >>> made = {"solve": argparse.ArgumentParser("solve")}
    >>> adder(made)("solve", "-n --number N", "how many", type=int)
    >>> made["solve"].parse_args(["-n", "3"])
    Namespace(number=3)
    """

    def option(names: str, spelling: str, text: str, **settings: Any) -> None:
        words = spelling.split()
        if words[-1][0] != "-":
            settings["metavar"] = words.pop()
        for name in names.split():
            commands[name].add_argument(*words, help=text, **settings)

    return option


def add_sense(parser: argparse.ArgumentParser, default: str) -> None:
    """Adds --min and --max, which set `sense`."""
    senses = parser.add_mutually_exclusive_group()
    for sense, extreme in (("min", "lowest"), ("max", "highest")):
        usual = " (the default)" if sense == default else ""
        text = f"the {extreme} score is the best{usual}"
        senses.add_argument(f"--{sense}", dest="sense", action="store_const", const=sense, default=default, help=text)


def add_version(parser: argparse.ArgumentParser) -> None:
    """Adds --version, which prints the name of the command and the version of the distribution."""
    parser.add_argument("--version", action=_Version, help="print the version, and end")


class _Version(argparse.Action):
    """Looks the version up when it is asked for: that takes longer than a small problem."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(nargs=0, default=argparse.SUPPRESS, **settings)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from dlx.parallel.worker import version

        write(f"{parser.prog} {version()}\n")
        parser.exit()


# Types of arguments


def at_least(least: int, digits: int = 18) -> Callable[[str], int]:
    """Returns the type of an argument for whole numbers from `least` on, of at most so many digits."""

    def number(text: str) -> int:
        is_number = re.fullmatch("[0-9]+", text)
        if is_number and len(text) > digits:
            raise argparse.ArgumentTypeError(f"{text:.24} has {len(text)} digits instead of at most {digits}")
        if not is_number or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r:.40} is not a whole number from {least}")
        return int(text)

    return number


seed = at_least(0, digits=1000)  # of random choices


def jobs(text: str) -> int:
    """The type of an argument for a number of workers on this machine."""
    number = at_least(1)(text)
    try:
        return jobs_here(number)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def memory(text: str) -> int:
    """The type of an argument for an amount of memory, in bytes or with a unit: 1e9, 100MB, 1.5 GiB."""
    found = MEMORY.fullmatch(text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is no amount of memory, as 1e9, 100MB or 2GiB")
    whole = int(found[1]) if found[1].isdigit() else float(found[1])
    return int(whole * UNITS[found[2].lower()])


def _from_zero(most: float, form: str) -> Callable[[str], float]:
    """Returns the type of an argument for numbers from 0."""

    def number(text: str) -> float:
        with contextlib.suppress(ValueError):
            if 0 <= (value := float(text)) <= most:
                return value
        raise argparse.ArgumentTypeError(f"{text!r} is not {form}")

    return number


fraction = _from_zero(sys.float_info.max, "a part, a number from 0, as 0.01")
seconds = _from_zero(math.inf, "a number of seconds from 0")


def pattern(text: str) -> re.Pattern[str]:
    """The type of an argument for a regular expression."""
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is no regular expression: {error}") from None


def picture_name(text: str) -> str:
    """The type of an argument for the name of an SVG file."""
    if not text.endswith(".svg"):
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .svg")
    return text


def page_name(text: str) -> str:
    """The type of an argument for the name of a page, which is none of a picture."""
    if text.endswith((".svg", ".png")):
        raise argparse.ArgumentTypeError(f"{text!r} is the name of a picture, and a page is HTML")
    return text


# The progress line, and the console


def how_far(progress: Progress, *, found: str = "cover", limit: int | None = None, timeout: float | None = None) -> str:
    """Returns the progress line of a search: the best score and its bound, the part done, the covers, the rate, the
    time left.

    Where it merges, the states and how many come in a second take the place of the part done and the time left: most of
    the tree may be done in no time or in hours. Where it goes class by class or item by item, `doing` tells where.

    Parameters:
        progress: what the search has reported.
        found: what a cover is called.
        limit: the number of covers at which the search will stop; it has no meaning for a search for the best.
        timeout: the seconds after which it will stop.

    >>> progress = Progress(nodes=9000, covers=3000, score=None, bound=None, fraction=0.25, seconds=10.0)
    >>> how_far(progress)
    '25.00%, 3,000 covers, 300 covers/s, 30 s left'
    >>> how_far(Progress(9000, 0, None, None, 0.25, 10.0, 7000, 1200, 5_600_000, doing="item 7 of 64"))
    'item 7 of 64, 7,000 states, 700 states/s, 1,200 hits, 5.6 MB, 10 s'
    """
    searches = progress.score is None and progress.bound is None  # for all; the best is searched for with restarts
    number, unit = (progress.covers, found) if searches and progress.covers else (progress.nodes, "node")
    rate = 0.0 if not progress.seconds else number / progress.seconds if number < 1e300 else math.inf
    done = 0.0 if progress.doing or progress.states else progress.fraction  # which may stay there where states merge
    left = _left(progress, done if searches else 0.0, limit, timeout)
    part = f"{done:.2%}" if done >= 1e-4 else "under 0.01%"
    parts = [
        "" if progress.score is None else f"best {_number(progress.score)}",
        "" if progress.bound is None else f"bound {_number(progress.bound)}",
        progress.doing,
        f"{'' if searches else 'pass '}{part}" if done else "",
        _remembered(progress),
        "" if progress.doing else f"{_short(number)} {plural(number, unit)}",
        "" if progress.states else f"{_short(rate)} {unit}s/s",
        in_words(progress.seconds) if left == math.inf else f"{in_words(left)} left",
    ]
    return ", ".join(filter(None, parts))


def _remembered(progress: Progress) -> str:
    """Returns the memory of a search that merges in words; nothing for others."""
    if not progress.states:
        return ""
    rate = _short(progress.states / progress.seconds if progress.seconds else 0)
    states, hits = plural(progress.states, "state"), plural(progress.hits, "hit")
    met = f"{_short(progress.states)} {states}, {rate} states/s, {_short(progress.hits)} {hits}"
    return f"{met if progress.doing[:5] in ('', 'item ') else f'{rate} classes/s'}, {progress.memory / 1e6:,.1f} MB"


def _left(progress: Progress, done: float, limit: int | None, timeout: float | None) -> float:
    """The seconds until the search is done, at the pace so far, or until a limit stops it."""
    spans = [math.inf]
    if done:
        spans.append(progress.seconds / done - progress.seconds)
    if limit is not None and progress.covers and progress.score is None:
        spans.append((limit - progress.covers) * progress.seconds / progress.covers)
    if timeout is not None:
        spans.append(timeout - progress.seconds)
    return max(0.0, min(spans))


def _short(number: int | float) -> str:
    """A number of which only the size matters, in at most eight characters."""
    if number >= 1e12:
        return f"{float(number):.1e}" if number < 1e300 else "over 1e300"
    return f"{number:,.0f}" if number < 1e6 else f"{number / 1e6:,.1f} M" if number < 1e9 else f"{number / 1e9:,.1f} G"


def _number(score: int | float) -> str:
    return f"{score:,}" if isinstance(score, int) else f"{score:,.6g}"


class StatusLine(Line):
    """A line on the terminal about work that takes long."""

    def __init__(self) -> None:
        super().__init__()
        self.restart()

    def restart(self) -> None:
        """Begins to count the time anew: the line appears after a second."""
        self.start = self.latest = time.monotonic()

    @property
    def elapsed(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self.start

    def update(self, text: Callable[[], str]) -> None:
        """Shows a text, which is made only when it is time for it."""
        now = time.monotonic()
        if self.visible and now - self.start >= PATIENCE and now - self.latest >= REFRESH:
            line = text()
            if len(line) >= columns():  # its end says most: as many of the last parts as there is room for
                line = line[1 - columns() :]
                line = line.partition(", ")[2] or line
            self.latest = now
            self.put(line)


class Console:
    """Answers on standard output, all else on stderr, and there a progress line.

    Attributes:
        name: the name of the command.
        line: the line about how far it is.
        status: the exit status by now.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.line = StatusLine()
        self.status = 0

    def print(self, lines: str | bytes) -> None:
        """Prints lines of an answer, as `write` does."""
        self.line.erase()
        write(lines)

    def say(self, message: str) -> None:
        """Tells the user something that is no answer."""
        self.line.erase()
        with contextlib.suppress(OSError):  # nobody may be listening
            if sys.stderr is not None:  # print would take that for standard output
                print(f"{self.name}: {message}", file=sys.stderr)

    def fail(self, message: str) -> int:
        """Says what is wrong with the input or the output, and returns the exit status for that."""
        self.say(message)
        self.status = BAD
        return BAD

    def put(self, name: str | None, data: bytes) -> int:
        """Writes a file whole or not at all, or prints lines where no file is named; returns the exit status for it."""
        if name is None:
            self.print(data)
            return 0
        try:
            write_file(name, data)
        except OSError as error:
            return self.fail(f"{name}: {error.strerror}")
        return 0

    def can_write(self, name: str) -> bool:
        """Tells whether a file can be written, as far as its folder tells before long work; otherwise says why not."""
        try:
            _, new = _places(name)
            if new is not None or not name or os.path.isdir(name):
                open(new or name, "wb").close()
            if new is not None:
                os.remove(new)
        except OSError as error:
            self.fail(f"{name}: {error.strerror}")
            return False
        return True


def film(console: Console, found: Trace, folder: str | None, gif: str | None, board: Board | None = None) -> int:
    """Writes the pictures of a search into a folder, and as a GIF, where these are named; returns the exit status.

    Raises:
        ValueError: there are too many pictures for a GIF, or too much for a picture.
    """
    from dlx.show.dance.frames import MOST_FRAMES, frames
    from dlx.show.dance.frames import gif as moving

    try:
        pictures = list(frames(found, board=board))
        data = {} if gif is None else {gif: moving(pictures)}
        if folder is not None:
            os.makedirs(folder, exist_ok=True)
            data |= {os.path.join(folder, f"{k:04}.svg"): text.encode() for k, text in enumerate(pictures)}
    except (ImportError, OSError) as error:
        return console.fail(str(error))
    if len(pictures) == MOST_FRAMES:
        console.say(f"there are pictures of the first {MOST_FRAMES:,} steps")
    return max(console.put(name, picture) for name, picture in data.items())


def conduct(console: Console, work: Callable[[], int]) -> int:
    """Does the work of a command, and turns whatever ends it into an exit status.

    Parameters:
        console: where the command speaks.
        work: does it, and returns the exit status. An OSError of it is one of standard output: it has to treat those of
            files.

    Returns:
        What `work` returns; 130 after Ctrl-C, 2 if standard output cannot be written, and `console.status` if nobody
        reads it any more.

    >>> conduct(Console("nothing"), lambda: 0)
    0
    """
    try:
        with _interruptible(), _all_digits():
            try:
                return work()
            finally:
                console.line.erase()
                if sys.stdout is not None:
                    sys.stdout.flush()  # the help, which argparse has printed
    except KeyboardInterrupt:
        _abandon_stdout()
        return INTERRUPTED
    except MemoryError as error:
        return console.fail(lack_of_memory(error))
    except ImportError as error:  # a kernel has not been compiled, or Cython is missing where it is to be interpreted
        return console.fail(str(error))
    except OSError as error:
        _abandon_stdout()
        return console.status if isinstance(error, BrokenPipeError) else console.fail(f"<stdout>: {error.strerror}")


def lack_of_memory(error: MemoryError) -> str:
    """Returns the message about a search or a file that takes too much memory; numpy's own words would say little to
    users.

    >>> lack_of_memory(MemoryError("the diagram takes more than 10 bytes")), lack_of_memory(MemoryError())
    ('the diagram takes more than 10 bytes', 'there is not enough memory')
    """
    said = "" if type(error).__module__.startswith("numpy") else str(error)
    return said or "there is not enough memory"


def broken_executor() -> type[Exception]:
    """Returns the error that all workers have died, for an `except`: only where there is one its import is paid, 5 ms.

    >>> broken_executor()
    <class 'concurrent.futures._base.BrokenExecutor'>
    """
    from concurrent.futures import BrokenExecutor

    return BrokenExecutor


@contextmanager
def _interruptible() -> Iterator[None]:
    """Lets Ctrl-C raise KeyboardInterrupt within, where `dlx.start` has made it end the process at once.

    Behind it Ctrl-C is ignored: all has been printed, and the interpreter clears up for some milliseconds.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or before is signal.default_int_handler or not _in_main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _all_digits() -> Iterator[None]:
    """Lets numbers of any size be printed; Python refuses more than 4300 digits, lest a stranger's take long."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()  # no other one may answer signals


def write(lines: str | bytes) -> None:
    """Writes lines to standard output at once; Ctrl-C leaves each of them whole or unwritten.

    A pipe takes up to PIPE_BUF bytes at once or not at all (POSIX, `write`), even when it is full and Ctrl-C comes
    meanwhile; a file takes any number. Most lines fit. A longer one that has been begun is finished before Ctrl-C is
    answered, unless it comes twice.

    Parameters:
        lines: text, or bytes, with their line ends.

    Raises:
        OSError: standard output is closed, or cannot be written.
        KeyboardInterrupt: Ctrl-C came before all was written.
    """
    file = _descriptor()
    if file is None:
        sys.stdout.write(lines if isinstance(lines, str) else lines.decode("utf-8", "surrogateescape"))
        return
    data = lines if isinstance(lines, bytes) else lines.encode("utf-8", "surrogateescape")
    most = FILE_PIECE if stat.S_ISREG(os.fstat(file).st_mode) else PIPE_PIECE
    for piece in _pieces(data, most):
        if len(piece) <= most:
            _put(file, piece)
            continue
        with one_interrupt_noted() as interrupted:
            _put(file, piece)
        if interrupted():
            raise KeyboardInterrupt


@contextmanager
def whole_file(name: str) -> Iterator[BinaryIO]:
    """Opens a file that is written whole or not at all: it gets its name when all has been written.

    Parameters:
        name: where it goes; a file that is there keeps its permissions. A pipe or a device is written to.

    Yields:
        A stream of bytes.

    Raises:
        OSError: it cannot be written.
    """
    place, new = _places(name)
    try:
        with open(new or name, "wb") as stream:
            yield stream
        if new is not None:
            replace_file(place, new)
    finally:
        if new is not None:
            with contextlib.suppress(OSError):
                os.remove(new)


def write_file(name: str, data: bytes) -> None:
    """Writes a file whole or not at all, as `whole_file` does."""
    with whole_file(name) as stream:
        stream.write(data)


def replace_file(place: str, new: str) -> None:
    """Puts a new file in the place of an old one, if there is one, with the permissions of that."""
    if os.path.exists(place):
        os.chmod(new, stat.S_IMODE(os.stat(place).st_mode))
    os.replace(new, place)


def _places(name: str) -> tuple[str, str | None]:
    """Returns the place of a file and that of its unfinished copy; None for a pipe and the like."""
    place = os.path.realpath(name)
    whole = name and (os.path.isfile(place) or not os.path.exists(place))
    return place, f"{place}.{os.getpid()}.part" if whole else None


def need_stdout() -> None:
    """Raises the OSError that `write` would raise, before hours of work, if standard output is closed."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def _descriptor() -> int | None:
    """The number of standard output; None where something else has taken its place."""
    need_stdout()
    if sys.__stdout__ is None or sys.stdout is not sys.__stdout__:
        return None
    sys.__stdout__.flush()
    return sys.__stdout__.fileno()


def _pieces(data: bytes, most: int) -> Iterator[memoryview]:
    """Whole lines in pieces of up to so many bytes; a longer line is a piece by itself."""
    view, start = memoryview(data), 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + most) + 1 or data.find(b"\n", start) + 1 or len(data)
        yield view[start:end]
        start = end


def _put(file: int, piece: memoryview) -> None:
    while piece:
        try:
            piece = piece[os.write(file, piece) :]
        except BlockingIOError:  # another program has made the pipe so
            select.select([], [file], [])


@contextmanager
def one_interrupt_noted() -> Iterator[Callable[[], bool]]:
    """Turns the first Ctrl-C into a note, so that what is under way can be finished; another one ends it at once.

    Yields:
        Whether Ctrl-C has been pressed.

    >>> with one_interrupt_noted() as interrupted:
    ...     interrupted()
    False
    """
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or not _in_main_thread():  # a job in the background ignores it
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, before)


def _abandon_stdout() -> None:
    """Lets what is still to be written go nowhere: nobody reads it, and the interpreter flushes it on its way out."""
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())


def in_words(span: float) -> str:
    """A span of time, in seconds, in its two largest units.

    >>> [in_words(t) for t in (7.2, 100, 7260, 200_000, 1e9, 1e20)]
    ['7 s', '1 min 40 s', '2 h 1 min', '2 d 7 h', '31 years', 'ages']
    """
    if span >= 1000 * 365.25 * 86400:
        return "ages"
    whole = round(span)
    if whole >= 3 * 365.25 * 86400:
        return f"{int(whole / 365.25 / 86400)} years"
    for unit, name, part, rest in ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= unit:
            return f"{whole // unit} {name} {whole % unit // part} {rest}"
    return f"{whole} s"
