"""Waiting for events, however long they take, and never for a time."""

from __future__ import annotations

import select
import time
from collections.abc import Callable

WAIT = 300  # seconds after which a test that waits in vain fails


def until(happened: Callable[[], object]) -> None:
    """Waits until something has happened; fails after `WAIT` seconds."""
    end = time.monotonic() + WAIT
    while not happened():
        assert time.monotonic() < end, "it is waited for in vain"
        time.sleep(0.005)


def until_full(pipe: int | str) -> None:
    """Waits until a pipe is full; takes its writing end or its path."""
    with open(pipe, "wb", buffering=0, closefd=isinstance(pipe, str)) as writing:
        until(lambda: not select.select([], [writing], [], 0)[1])
