"""The manners of a command: numbers as arguments, a line that tells how far it is, Ctrl-C, readers who leave."""

from __future__ import annotations

import argparse
import math
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["StatusLine", "abandon_stdout", "at_least", "in_words", "one_interrupt_noted", "seconds"]

PATIENCE = 1.0  # seconds before the line appears
REFRESH = 0.2  # seconds between two of its states


def at_least(least: int) -> Callable[[str], int]:
    """Makes what argparse calls the type of an argument: whole numbers from `least` on.

    >>> at_least(1)("12")
    12
    """

    def number(text: str) -> int:
        if not re.fullmatch("[0-9]{1,18}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least}")
        return int(text)

    return number


def seconds(text: str) -> float:
    """The type of an argument that is a span of time; `inf` is one.

    >>> seconds("0.5")
    0.5
    """
    try:
        span = float(text)
    except ValueError:
        span = math.nan
    if not span >= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0")
    return span


class StatusLine:
    """A line on the terminal about work that takes long; nothing at all where stderr is no terminal."""

    def __init__(self) -> None:
        self.visible = sys.stderr is not None and sys.stderr.isatty()
        self.width = 0  # of the text on the terminal now
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
            line = text()[: _columns() - 1]
            padded = line.ljust(self.width)
            self.width, self.latest = len(line), now  # before it is shown: Ctrl-C may come in between
            print(f"\r{padded}", end="", file=sys.stderr, flush=True)

    def erase(self) -> None:
        """Takes the line off the terminal."""
        if self.width:
            print(f"\r{' ' * self.width}\r", end="", file=sys.stderr, flush=True)
            self.width = 0


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
    if before is not signal.default_int_handler:  # a job in the background has been told not to mind it
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(noted)
    finally:
        signal.signal(signal.SIGINT, before)


def abandon_stdout() -> None:
    """Lets what is still to be written go nowhere: nobody reads it, and the interpreter flushes it on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
