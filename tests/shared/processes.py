"""Programs in processes of their own, run to their end; and the processes that a process has started."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from waiting import WAIT

ROOT = Path(__file__).parents[2]


def environment(folder: Path = ROOT, **more: str) -> dict[str, str]:
    """The environment of these tests; imports find the packages of a folder first, then instances and shared code."""
    places = [folder, ROOT / "benchmarks", ROOT / "tests" / "shared"]
    clean = {name: value for name, value in os.environ.items() if name != "DLX_INTERPRETED"}
    return clean | {"PYTHONPATH": os.pathsep.join(map(str, places))} | more


def call(
    *command: str | Path, folder: Path = ROOT, text: str = "", environ: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a command in a folder; a text is its standard input."""
    streams: dict[str, Any] = {"input": text, "capture_output": True, "text": True, "timeout": WAIT}
    return subprocess.run(command, **streams, cwd=folder, env=environ or environment(folder))


def run(program: str, folder: Path = ROOT, text: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a fresh interpreter that finds the packages of a folder first; a text is its standard input."""
    return call(sys.executable, "-c", program, folder=folder, text=text, environ=environment(folder, **more))


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for list_ in lists for child in list_.read_text().split()]


def is_alive(pid: int) -> bool:
    """Returns whether there is such a process, and it has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
