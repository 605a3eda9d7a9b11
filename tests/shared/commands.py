"""The two commands in this process or in processes of their own, problems to feed them, and a terminal."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from waiting import WAIT

ROOT = Path(__file__).parents[2]
TOYS = ROOT / "examples" / "toys"
DANCE, COSTS, DOMINOES = (str(TOYS / name) for name in ("dance.dlx", "costs.dlx", "dominoes.dlx"))


def matchings(n: int, costs: bool = False) -> str:
    """Perfect matchings of n points, of which there are (n - 1)!!, in Knuth's text format."""
    rng = np.random.default_rng(1)
    pairs = (f"v{i} v{j}{f' |{rng.integers(1, 1000)}' if costs else ''}" for i, j in combinations(range(n), 2))
    return "\n".join([" ".join(f"v{k}" for k in range(n)), *pairs])


ENDLESS = matchings(40)


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class _Bytes(io.BytesIO):
    """The binary side of standard input, with its name."""

    name = "<stdin>"


def stdin(data: bytes) -> io.TextIOWrapper:
    """A standard input."""
    return io.TextIOWrapper(_Bytes(data), "utf-8", "surrogateescape")


class Feed:
    """Calls a command; returns the exit status, the standard output and the standard error."""

    def __init__(
        self,
        main: Callable[[Sequence[str]], int],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self.main, self.monkeypatch, self.capsys = main, monkeypatch, capsys

    def __call__(self, text: str | bytes, *arguments: str) -> tuple[int, str, str]:
        self.monkeypatch.setattr("sys.stdin", stdin(text if isinstance(text, bytes) else text.encode()))
        status = self.main(arguments)
        return status, *self.capsys.readouterr()

    def shown(self, text: str, *arguments: str) -> str:
        """Returns all that a command shows on a terminal, with the progress line from the start."""
        self.monkeypatch.setattr("dlx.engine.line.PATIENCE", 0.0)
        self.monkeypatch.setattr("dlx.engine.line.REFRESH", 0.0)
        self.monkeypatch.setattr("sys.stderr", terminal := Terminal())
        self(text, *arguments)
        return terminal.getvalue()


class Running(subprocess.Popen[str]):
    """A command whose standard streams are pipes."""

    stdout: IO[str]
    stderr: IO[str]

    def put(self, text: str, last: bool = False) -> None:
        """Writes to standard input; closes it after the last text."""
        assert self.stdin is not None
        self.stdin.write(text)
        self.stdin.flush()
        if last:
            self.stdin.close()
            self.stdin = None  # for `communicate`, which would flush it


@contextmanager
def process(
    *command: str,
    stderr: int = subprocess.PIPE,
    pass_fds: Sequence[int] = (),
    pipesize: int = -1,
    **environment: str,
) -> Iterator[Running]:
    """A process that answers Ctrl-C, by the fixture `interruptible`, and is gone afterwards."""
    process = Running(
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env=buffered() | environment,
        pass_fds=pass_fds,
        pipesize=pipesize,
    )
    overdue = threading.Timer(WAIT, process.kill)  # so that a test that waits for an answer in vain fails
    overdue.start()
    with process:
        try:
            yield process
        finally:
            overdue.cancel()
            process.kill()


def interrupted_on_a_terminal(text: str, *command: str) -> tuple[str, str, str, int]:
    """Returns the texts of a command on a terminal, on standard output, and after Ctrl-C, and its status."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 132))  # where no line is cut
    with process(*command, stderr=theirs) as running:
        os.close(theirs)
        running.put(text, last=True)
        shown = os.read(ours, 1 << 16).decode()  # the line about progress, so it searches
        running.send_signal(signal.SIGINT)
        out, _ = running.communicate(timeout=WAIT)
    rest = os.read(ours, 1 << 16).decode()
    os.close(ours)
    return shown, out, rest, running.returncode


def module(name: str) -> tuple[str, ...]:
    """The command line that runs a package, as `process` and `subprocess.run` want it."""
    return sys.executable, "-m", name


def buffered() -> dict[str, str]:
    """The environment in which Python buffers its output, as is its default."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
