"""The console of a command: exit statuses, answers, messages, output files, and Ctrl-C."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import IO, Any

from dlx.engine.line import StatusLine

NONE, BAD, UNFINISHED, INTERRUPTED = 1, 2, 3, 130
STATUSES = {  # exit statuses of both commands; docs/files.md has the details
    0: "answered",
    NONE: "there is none",
    BAD: "wrong input, output or usage",
    UNFINISHED: "a limit",
    INTERRUPTED: "Ctrl-C",
}


def so_far(answer: object, unproven: object) -> str:
    """Returns an answer as text, with the mark "unproven" if a limit or Ctrl-C came first."""
    return f"{answer} unproven" if unproven else str(answer)


def write(lines: str | bytes) -> None:
    """Writes lines (with line ends) to standard output, and flushes it.

    After Ctrl-C, all lines are written before the command ends. If no program reads the output, a second Ctrl-C ends
    the command within a line. Raises OSError if standard output is closed or cannot be written.
    """
    need_stdout()
    if sys.__stdout__ is None or sys.stdout is not sys.__stdout__:  # standard output has been replaced
        sys.stdout.write(lines if isinstance(lines, str) else lines.decode("utf-8", "surrogateescape"))
        return
    sys.__stdout__.flush()
    rest = memoryview(lines if isinstance(lines, bytes) else lines.encode("utf-8", "surrogateescape"))
    with interrupt_waits():
        while rest:
            rest = rest[os.write(sys.__stdout__.fileno(), rest) :]


def _places(name: str) -> tuple[str, str | None]:
    """Returns the real path of a file, and the path of its unfinished copy (None for a pipe or a device)."""
    place = os.path.realpath(name)
    whole = name and (os.path.isfile(place) or not os.path.exists(place))
    return place, f"{place}.{os.getpid()}.part" if whole else None


def need_stdout() -> None:
    """Raises the OSError of `write` if standard output is closed; called before a long search."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def standard_input() -> IO[Any]:
    """Returns standard input, in binary mode if possible; stderr says if it is a terminal. Raises OSError if closed."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    if sys.stdin.isatty() and sys.stderr is not None:
        end = "Ctrl-Z and Enter end" if sys.platform == "win32" else "Ctrl-D ends"
        print(f"reading from the terminal; {end} the input", file=sys.stderr)
    stream: IO[Any] = getattr(sys.stdin, "buffer", sys.stdin)
    return stream


@contextmanager
def one_interrupt_noted() -> Iterator[Callable[[], bool]]:
    """Yields a function that returns whether Ctrl-C was pressed; a second Ctrl-C raises KeyboardInterrupt."""
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or not in_main_thread():  # background jobs ignore Ctrl-C
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def interrupt_waits() -> Iterator[None]:
    """Delays KeyboardInterrupt to the end of the block; a second Ctrl-C raises it at once."""
    with one_interrupt_noted() as interrupted:
        yield
    if interrupted():
        raise KeyboardInterrupt


def in_main_thread() -> bool:
    """Returns whether this is the main thread, the only one that may handle signals."""
    return threading.current_thread() is threading.main_thread()


def abandon_stdout() -> None:
    """Redirects standard output to the null device, so that the flush at the exit of the interpreter does not fail."""
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())


class Console:
    """Prints answers on standard output, and messages and a progress line on stderr.

    Attributes:
        name: the name of the command.
        line: the progress line.
        status: the exit status so far.
        files: the names of the files that have been written.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.line = StatusLine()
        self.status = 0
        self.files: list[str] = []

    def print(self, lines: str | bytes) -> None:
        """Prints lines of an answer, as `write` does."""
        self.line.erase()
        write(lines)

    def say(self, message: str) -> None:
        """Prints a message on stderr."""
        self.line.erase()
        with contextlib.suppress(OSError):  # stderr may be closed
            if sys.stderr is not None:  # `print(file=None)` would write to standard output
                print(f"{self.name}: {message}", file=sys.stderr)

    def fail(self, message: str) -> int:
        """Prints a message about wrong input or output on stderr, and returns the exit status 2."""
        self.say(message)
        self.status = BAD
        return BAD

    def put(self, name: str | None, data: bytes) -> int:
        """Writes data to a file atomically, or to standard output if the name is None or "-"; returns the exit status.

        An existing file keeps its permissions; a pipe or a device is written directly.
        """
        if name is None or name == "-":
            self.print(data)
            return 0
        place, new = _places(name)
        try:
            with open(new or name, "wb") as stream:
                stream.write(data)
            if new is not None:
                if os.path.exists(place):
                    os.chmod(new, stat.S_IMODE(os.stat(place).st_mode))
                os.replace(new, place)
        except OSError as error:
            return self.fail(f"{name}: {error.strerror}")
        finally:
            if new is not None:
                with contextlib.suppress(OSError):
                    os.remove(new)
        self.files.append(name)
        return 0

    def can_write(self, name: str) -> bool:
        """Returns whether a file can be created; prints the reason if not. It is called before a long search."""
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


def conduct(console: Console, work: Callable[[], int]) -> int:
    """Runs the work of a command, and returns its exit status.

    An OSError of `work` is an error of standard output, since `work` handles errors of files. The status is 130 after
    Ctrl-C, 2 if standard output cannot be written, and `console.status` if no program reads it any more.
    """
    try:
        with _interruptible(), _all_digits():
            try:
                return work()
            finally:
                console.line.erase()
                if len(console.files) > 1:  # the user has named one of these files
                    console.say(f"{len(console.files):,} files are written, {console.files[0]} to {console.files[-1]}")
                if sys.stdout is not None:
                    sys.stdout.flush()  # flushes the help that argparse has printed
    except KeyboardInterrupt:
        abandon_stdout()
        return INTERRUPTED
    except MemoryError as error:
        return console.fail(lack_of_memory(error))
    except ImportError as error:  # a kernel is not compiled, or DLX_INTERPRETED is set without Cython
        return console.fail(str(error))
    except OSError as error:
        abandon_stdout()
        return console.status if isinstance(error, BrokenPipeError) else console.fail(f"<stdout>: {error.strerror}")


def lack_of_memory(error: MemoryError) -> str:
    """Returns the message of a MemoryError, or a fixed message if numpy raised the error."""
    reason = "" if type(error).__module__.startswith("numpy") else str(error)
    return reason or "there is not enough memory"


@contextmanager
def _interruptible() -> Iterator[None]:
    """Makes Ctrl-C raise KeyboardInterrupt inside `with`, if `dlx.start` has made Ctrl-C end the process at once.

    Afterwards Ctrl-C is ignored: everything has been printed, and the interpreter exits within milliseconds.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or before is signal.default_int_handler or not in_main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _all_digits() -> Iterator[None]:
    """Allows to print numbers of any size; by default, Python refuses more than 4300 digits."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)
