"""The `dlx` command for tests: in this process, or in one of its own, and problems to feed it."""

from __future__ import annotations

import io
import subprocess
from contextlib import AbstractContextManager
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from commands import module, process

from dlx.command.cli import main

ROOT = Path(__file__).parents[2]
TOYS = ROOT / "examples" / "toys"
DANCE, COLOURS, MULTIPLICITY, COSTS, DOMINOES = (
    str(TOYS / name) for name in ("dance.dlx", "colours.xcc", "multiplicity.mcc", "costs.dlx", "dominoes.dlx")
)
NO_COVER = "a b c\na b\nb c\n"
NONE = "dlx: there is no cover; `dlx explain` says why\n"


def matchings(n: int, costs: bool = False) -> str:
    """Perfect matchings of n points, of which there are (n - 1)!!, in Knuth's text format."""
    rng = np.random.default_rng(1)
    pairs = (f"v{i} v{j}{f' |{rng.integers(1, 1000)}' if costs else ''}" for i, j in combinations(range(n), 2))
    return "\n".join([" ".join(f"v{k}" for k in range(n)), *pairs])


ENDLESS = matchings(40)


class Input(io.BytesIO):
    """What the binary side of standard input is called."""

    name = "<stdin>"


class Feed:
    """Calls give the exit status, what was printed, and what was said on stderr."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch, self.capsys = monkeypatch, capsys

    def __call__(self, text: str | bytes, *arguments: str) -> tuple[int, str, str]:
        data = text if isinstance(text, bytes) else text.encode()
        self.monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Input(data)))
        status = main(arguments)
        return status, *self.capsys.readouterr()


def command(*arguments: str, stderr: int = subprocess.PIPE) -> AbstractContextManager[subprocess.Popen[str]]:
    """The command in a process of its own, which is gone afterwards."""
    return process(*module("dlx"), *arguments, stderr=stderr)
