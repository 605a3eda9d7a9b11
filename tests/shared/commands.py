"""The two commands in processes of their own, and a stream that says that it is a terminal."""

from __future__ import annotations

import io
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from waiting import WAIT

ROOT = Path(__file__).parents[2]


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def interruptible() -> None:
    """Lets Ctrl-C end this process."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Runs a command, and writes a byte when a search of it, or of a worker, has found more than the best of a grid take.
WATCHED = """
import os, sys
from dlx.engine.limits import Loop
from NAME.command.cli import main
true, told = Loop.report, []
def report(self, kernel):
    if not told and (self.covers > 100 or self.nodes > 50_000):
        told.append(os.write(PIPE, b"."))
    true(self, kernel)
Loop.report = report
sys.exit(main(sys.argv[1:]))
"""


@contextmanager
def watched(
    name: str, *arguments: str, by: str = WATCHED
) -> Iterator[tuple[subprocess.Popen[str], Callable[[], None]]]:
    """A command in a process of its own, and a call that comes back when a search is well under way there.

    It comes back, in general, for each byte that the program `by` writes into its PIPE.
    """
    reading, writing = os.pipe()

    def wait() -> None:
        assert select.select([reading], [], [], WAIT)[0], "it is waited for in vain"
        assert os.read(reading, 1)

    program = by.replace("NAME", name).replace("PIPE", str(writing))
    try:
        with process(sys.executable, "-c", program, *arguments, pass_fds=(writing,)) as running:
            yield running, wait
    finally:
        os.close(reading)
        os.close(writing)


@contextmanager
def process(
    *command: str,
    stderr: int = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
    pipesize: int = -1,
    **environment: str,
) -> Iterator[subprocess.Popen[str]]:
    """A process that answers Ctrl-C, and is gone afterwards."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env=buffered() | environment,
        pass_fds=pass_fds,
        pipesize=pipesize,
        # A shell's background job, or a test runner's, may have been told to ignore Ctrl-C; children inherit that.
        preexec_fn=interruptible if os.name == "posix" else None,
    )
    overdue = threading.Timer(WAIT, process.kill)  # so that a test that waits for an answer in vain fails
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
