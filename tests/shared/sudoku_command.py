"""The `sudoku` command in a process of its own, and grids to feed it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from commands import Feed as Feed
from commands import module, process

from sudoku import write

ROOT = Path(__file__).parents[2]

EXAMPLES = [str(ROOT / "examples" / name) for name in ("contest-1.txt", "contest-2.txt")]
CLUE17 = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
SOLVED = "693784512487512936125963874932651487568247391741398625319475268856129743274836159"
CLASH = "330000700050000014070010392080000003007300000000200000030020460040650200006000000"
MANY = "300000700050000014070010392080000003007300000000200000030020460040650200006000000"
EMPTY = "0" * 81


def to_rows(grid: Any, layout: Any = None) -> str:
    """A grid as rows of numbers."""
    return "".join(write([grid], "rows", layout)).removesuffix("\n")


command = partial(process, *module("sudoku"))  # in a process of its own, which is gone afterwards
