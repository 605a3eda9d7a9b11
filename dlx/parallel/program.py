"""A program of Python beside this one: it is sent what it needs, can be killed, and no terminal sends Ctrl-C to it."""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen


def begin(*arguments: str) -> Popen[bytes]:
    """Starts Python with such arguments, and sends it where modules are; raises OSError if there is no Python."""
    import subprocess  # costs 5 ms, and most searches need no other process

    python = "" if getattr(sys, "frozen", False) else sys.executable or ""  # else there would be no end of programs
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
    """Sends a message; raises OSError if nobody reads it any more."""
    stream: Any = process.stdin
    pickle.dump(message, stream)
    stream.flush()


def end(process: Popen[bytes]) -> None:
    """Kills a program, and waits for its end."""
    process.kill()
    try:
        with process:
            pass
    except OSError:  # what has not been read cannot be sent any more
        pass
