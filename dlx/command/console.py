"""The console of a command, and what it does about Ctrl-C and errors."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dlx.command.line import StatusLine
from dlx.command.output import BAD, INTERRUPTED, abandon_stdout, in_main_thread, places, write, write_file


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
        with contextlib.suppress(OSError):  # nobody may be listening
            if sys.stderr is not None:  # print would take that for standard output
                print(f"{self.name}: {message}", file=sys.stderr)

    def fail(self, message: str) -> int:
        """Prints a message about wrong input or output on stderr, and returns the exit status for it."""
        self.say(message)
        self.status = BAD
        return BAD

    def put(self, name: str | None, data: bytes) -> int:
        """Writes a file atomically, or prints lines if no file is named; returns the exit status."""
        if name is None:
            self.print(data)
            return 0
        try:
            write_file(name, data)
        except OSError as error:
            return self.fail(f"{name}: {error.strerror}")
        self.files.append(name)
        return 0

    def can_write(self, name: str) -> bool:
        """Returns whether a file can be created in its folder, before long work; if not, a message says why."""
        try:
            _, new = places(name)
            if new is not None or not name or os.path.isdir(name):
                open(new or name, "wb").close()
            if new is not None:
                os.remove(new)
        except OSError as error:
            self.fail(f"{name}: {error.strerror}")
            return False
        return True


def conduct(console: Console, work: Callable[[], int]) -> int:
    """Runs the work of a command, and returns its exit status, whatever ends it.

    Parameters:
        console: the output of the command.
        work: returns the exit status. It handles errors of files: an OSError that it raises is one of standard output.

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
                if len(console.files) > 1:  # of which the user has named one
                    console.say(f"{len(console.files):,} files are written, {console.files[0]} to {console.files[-1]}")
                if sys.stdout is not None:
                    sys.stdout.flush()  # the help, which argparse has printed
    except KeyboardInterrupt:
        abandon_stdout()
        return INTERRUPTED
    except MemoryError as error:
        return console.fail(lack_of_memory(error))
    except ImportError as error:  # a kernel has not been compiled, or Cython is missing where it is to be interpreted
        return console.fail(str(error))
    except OSError as error:
        abandon_stdout()
        return console.status if isinstance(error, BrokenPipeError) else console.fail(f"<stdout>: {error.strerror}")


def lack_of_memory(error: MemoryError) -> str:
    """Returns the message about a search or a file that takes too much memory, without numpy's own words.

    >>> lack_of_memory(MemoryError("the diagram takes more than 10 bytes")), lack_of_memory(MemoryError())
    ('the diagram takes more than 10 bytes', 'there is not enough memory')
    """
    said = "" if type(error).__module__.startswith("numpy") else str(error)
    return said or "there is not enough memory"


def broken_executor() -> type[Exception]:
    """Returns the error that all workers have died, for an `except`; its import, 5 ms, is paid only after an error.

    >>> broken_executor()
    <class 'concurrent.futures._base.BrokenExecutor'>
    """
    from concurrent.futures import BrokenExecutor

    return BrokenExecutor


@contextmanager
def _interruptible() -> Iterator[None]:
    """Makes Ctrl-C raise KeyboardInterrupt within, if `dlx.start` has made it end the process at once.

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
    """Allows numbers of any size to be printed: by default Python refuses more than 4300 digits."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)
