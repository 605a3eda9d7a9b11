"""The output of a command: exit statuses, and lines and files that Ctrl-C leaves whole or unwritten."""

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

FILE_PIECE = 1 << 18  # bytes written to a file at once
PIPE_PIECE = getattr(select, "PIPE_BUF", 512)  # bytes written to a pipe at once; POSIX guarantees 512


def so_far(answer: object, unproven: object) -> str:
    """Returns an answer as text, marked if a limit or Ctrl-C came before it was proven.

    >>> so_far(9000, True), so_far(9000, False)
    ('9000 unproven', '9000')
    """
    return f"{answer} unproven" if unproven else str(answer)


def write(lines: str | bytes) -> None:
    """Writes lines to standard output at once; Ctrl-C leaves each of them whole or unwritten.

    A write of up to PIPE_BUF bytes to a pipe is atomic (POSIX, `write`), even if it is full and Ctrl-C comes
    meanwhile; a file takes any number. A longer line is finished before Ctrl-C ends the command, unless it comes twice.

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
    """Opens a file that is written atomically: the new content replaces the old content at the end.

    Parameters:
        name: its path. An existing file keeps its permissions; a pipe or a device is written directly.

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
    """Writes a file atomically, as `whole_file` does."""
    with whole_file(name) as stream:
        stream.write(data)


def places(name: str) -> tuple[str, str | None]:
    """Returns the real path of a file and that of its unfinished copy, or None for a pipe or a device."""
    place = os.path.realpath(name)
    whole = name and (os.path.isfile(place) or not os.path.exists(place))
    return place, f"{place}.{os.getpid()}.part" if whole else None


def need_stdout() -> None:
    """Raises the OSError that `write` would raise, before hours of work, if standard output is closed."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def _descriptor() -> int | None:
    """The file descriptor of standard output; None if `sys.stdout` has been replaced."""
    need_stdout()
    if sys.__stdout__ is None or sys.stdout is not sys.__stdout__:
        return None
    sys.__stdout__.flush()
    return sys.__stdout__.fileno()


def _pieces(data: bytes, most: int) -> Iterator[memoryview]:
    """Yields whole lines in pieces of at most `most` bytes; a longer line is a piece of its own."""
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
    """Records the first Ctrl-C, so that the work can be finished; the second one raises KeyboardInterrupt.

    Yields:
        A function that returns whether Ctrl-C has been pressed.

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
    """Returns whether this is the main thread, the only one that may handle signals."""
    return threading.current_thread() is threading.main_thread()


def abandon_stdout() -> None:
    """Redirects standard output to nowhere: nobody reads it, and the interpreter flushes it at its exit."""
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
