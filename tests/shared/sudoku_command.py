"""The `sudoku` command for tests: in this process, or in one of its own, and grids to feed it."""

from __future__ import annotations

import io
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from commands import module, process

from sudoku.command.cli import main

ROOT = Path(__file__).parents[2]


EXAMPLES = [str(ROOT / "examples" / name) for name in ("contest-1.txt", "contest-2.txt")]


CLUE17 = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"


SOLVED = "693784512487512936125963874932651487568247391741398625319475268856129743274836159"


CLASH = "330000700050000014070010392080000003007300000000200000030020460040650200006000000"


MANY = "300000700050000014070010392080000003007300000000200000030020460040650200006000000"


EMPTY = "0" * 81


class Feed:
    """Calls give the exit status, what was printed, and what was said on stderr."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, text: str, *arguments: str) -> tuple[int, str, str]:
        self.monkeypatch.setattr("sys.stdin", io.StringIO(text))
        status = main(arguments)
        return status, *self.capsys.readouterr()


def command(*arguments: str, stderr: int = subprocess.PIPE) -> AbstractContextManager[subprocess.Popen[str]]:
    """The command in a process of its own, which is gone afterwards."""
    return process(*module("sudoku"), *arguments, stderr=stderr)
