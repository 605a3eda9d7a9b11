"""A child Python process that reads messages, can be killed, and gets no Ctrl-C from the terminal."""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen


def begin(*arguments: str) -> Popen[bytes]:
    """Starts Python with these arguments and sends `sys.path` to it; raises OSError if there is no Python."""
    import subprocess  # takes 5 ms; most searches need no other process

    # A frozen program would start itself again and again.
    python = "" if getattr(sys, "frozen", False) else sys.executable or ""
    process = subprocess.Popen(
        [python, "-S", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        send(process, [place for place in sys.path if isinstance(place, str)])
    except BaseException:
        end(process)
        raise
    return process


def send(process: Popen[bytes], message: object) -> None:
    """Sends a message; raises OSError if the process has ended."""
    stream: Any = process.stdin
    pickle.dump(message, stream)
    stream.flush()


def end(process: Popen[bytes]) -> None:
    """Kills the process and waits for its end."""
    process.kill()
    try:
        with process:
            pass
    except OSError:  # closing the pipe cannot flush unread data
        pass
