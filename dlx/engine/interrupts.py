"""Ctrl-C while searches run: a handler notes it, and the search stops between two slices."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from types import FrameType

LATE = 1.0  # seconds for which an interrupt that no search has handled is kept for the next search


class Interrupts:
    """Notes Ctrl-C while searches run in the main thread, unless the program has its own handler."""

    def __init__(self) -> None:
        self.noted = False
        self._depth = 0
        self._late = -math.inf  # the time when a search ended without handling a noted interrupt

    def raise_late(self) -> None:
        """Raises KeyboardInterrupt if Ctrl-C came too late for the last search."""
        if time.perf_counter() - self._late < LATE and self.are_mine():
            self._late = -math.inf
            raise KeyboardInterrupt

    def come_late(self) -> None:
        """Keeps an interrupt for the next search."""
        self._late = time.perf_counter()

    def begin(self) -> None:
        """Notes Ctrl-C from now on."""
        if self._depth == 0:
            self.noted = False
            signal.signal(signal.SIGINT, self._note)  # may raise a pending interrupt; no state has changed yet
        self._depth += 1

    def end(self, answered: bool) -> None:
        """Restores Python's handler after the outermost search."""
        self._depth = max(0, self._depth - 1)
        if self._depth == 0:
            if signal.getsignal(signal.SIGINT) == self._note:  # no other handler has been set meanwhile
                signal.signal(signal.SIGINT, signal.default_int_handler)
            if self.noted and not answered:
                self.come_late()

    def forget(self) -> None:
        """Restores Python's handler in a process forked during a search: the search runs in the parent only."""
        self._depth, self.noted = 0, False
        if signal.getsignal(signal.SIGINT) == self._note:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def are_mine(self) -> bool:
        """Returns whether this is the main thread, and Ctrl-C has Python's handler or ours."""
        if threading.get_ident() != threading.main_thread().ident:
            return False
        return self._depth > 0 or signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.noted = True


INTERRUPTS = Interrupts()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=INTERRUPTS.forget)
