"""Ctrl-C while searches run: a handler notes it, and the search stops between two slices."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType


class Interrupts:
    """Notes Ctrl-C while searches run in the main thread, unless the program has its own handler."""

    def __init__(self) -> None:
        self.noted = False
        self._depth = 0

    def begin(self) -> None:
        """Notes Ctrl-C from now on."""
        if self._depth == 0:
            self.noted = False
            signal.signal(signal.SIGINT, self._note)  # may raise a pending interrupt; no state has changed yet
        self._depth += 1

    def end(self) -> None:
        """Restores Python's handler after the outermost search; `noted` keeps its value."""
        self._depth = max(0, self._depth - 1)
        if self._depth == 0:
            self._restore()

    def forget(self) -> None:
        """Restores Python's handler in a process forked during a search: the search runs in the parent only."""
        self._depth, self.noted = 0, False
        self._restore()

    def are_mine(self) -> bool:
        """Returns whether this is the main thread, and Ctrl-C has Python's handler or ours."""
        if threading.get_ident() != threading.main_thread().ident:
            return False
        return self._depth > 0 or signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def _restore(self) -> None:
        if signal.getsignal(signal.SIGINT) == self._note:  # not if the program has set its own handler
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.noted = True


INTERRUPTS = Interrupts()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=INTERRUPTS.forget)
