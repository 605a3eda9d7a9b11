"""The output of a command: exit statuses, lines that Ctrl-C leaves whole or unwritten, and files alike."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import BinaryIO

NONE, BAD, UNFINISHED, INTERRUPTED = 1, 2, 3, 130
STATUSES = {  # of both commands; docs/files.md has the details
    0: "answered",
    NONE: "there is none",
    BAD: "wrong input, output or usage",
    UNFINISHED: "a limit",
    INTERRUPTED: "Ctrl-C",
}

FILE_PIECE = 1 << 18  # bytes that are written to a file at once
PIPE_PIECE = getattr(select, "PIPE_BUF", 512)  # and to a pipe; 512 is what POSIX asks for at least


def so_far(answer: object, unproven: object) -> str:
    """Returns an answer as both commands print it: marked if a limit, or Ctrl-C, came before it was proven.

    >>> so_far(9000, True), so_far(9000, False)
    ('9000 unproven', '9000')
    """
    return f"{answer} unproven" if unproven else str(answer)


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
    place, new = places(name)
    try:
        with open(new or name, "wb") as stream:
            yield stream
        if new is not None:
            if os.path.exists(place):
                os.chmod(new, stat.S_IMODE(os.stat(place).st_mode))
            os.replace(new, place)
    finally:
        if new is not None:
            with contextlib.suppress(OSError):
                os.remove(new)


def write_file(name: str, data: bytes) -> None:
    """Writes a file whole or not at all, as `whole_file` does."""
    with whole_file(name) as stream:
        stream.write(data)


def places(name: str) -> tuple[str, str | None]:
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
    if before is not signal.default_int_handler or not in_main_thread():  # a job in the background ignores it
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, before)


def in_main_thread() -> bool:
    """Tells whether this is the main thread: no other one may answer signals."""
    return threading.current_thread() is threading.main_thread()


def abandon_stdout() -> None:
    """Lets what is still to be written go nowhere: nobody reads it, and the interpreter flushes it on its way out."""
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
