"""The two commands in processes of their own, and a stream that says that it is a terminal."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def interruptible() -> None:
    """Lets Ctrl-C end this process."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def process(*command: str, stderr: int = subprocess.PIPE, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A process that answers Ctrl-C, and is gone afterwards."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env=buffered() | environment,
        # A shell's background job, or a test runner's, may have been told to ignore Ctrl-C; children inherit that.
        preexec_fn=interruptible if os.name == "posix" else None,
    )
    overdue = threading.Timer(30, process.kill)  # so that a test that waits for an answer in vain fails
    overdue.start()
    with process:
        try:
            yield process
        finally:
            overdue.cancel()
            process.kill()


def module(name: str) -> tuple[str, ...]:
    """The command line that runs a package, as `process` and `subprocess.run` want it."""
    return sys.executable, "-m", name


def buffered() -> dict[str, str]:
    """The environment in which Python buffers its output, as it does by itself."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
