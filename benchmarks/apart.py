"""Runs one side of a benchmark in a process of its own, from a problem as plain numbers, and takes what it reports."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dlx import Problem

ROOT = Path(__file__).resolve().parents[1]
APART = ROOT / "build" / "peers"  # where dlx-cython is: its module is named dlx, too
MODULES = {
    "exact-cover": "exact_cover",
    "xcover": "xcover",
    "xcover, memo": "xcover",
    "pyxcc": "pyxcc",
    "dd": "dd",
    "Graphillion": "graphillion",
    "isomorphic": "pynauty",
}


class Stopwatch:
    """The processor seconds that the processes report, as a clock for pytest-benchmark."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def plain(problem: Problem) -> dict[str, Any]:
    """A problem as numbers and arrays that need no `dlx` to read, and the names of its items."""
    return {
        "items": problem.items,
        "n_items": problem.n_items,
        "n_primary": problem.n_primary,
        "indptr": problem.indptr,
        "indices": problem.indices,
        "colours": problem.colours,
    }


def missing(side: str) -> str:
    """Why a side cannot run here, or an empty text; dlx-cython is installed apart if it is not yet."""
    if side in MODULES and find_spec(MODULES[side]) is None:
        return f"{side} is not installed: pip install -e '.[bench]'"
    if side == "dlx-cython" and not _dlx_cython():
        return f"dlx-cython could not be installed in {APART}"
    return ""


def _dlx_cython() -> bool:
    """Whether dlx-cython is in its folder."""
    if not (APART / "dlxsolver.py").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(APART), "dlx-cython"]
        subprocess.run(command, check=False, timeout=300)
    return (APART / "dlxsolver.py").exists()


def measure(
    script: str, side: str, limit: float, problems: list[dict[str, Any]], example: dict[str, Any], clock: Stopwatch
) -> dict[str, Any]:
    """Runs a side on problems; what its tasks took, and why it ended before the last one, if it did.

    Parameters:
        script: the program in this folder that knows the side.
        side: its name there.
        limit: processor seconds for a task.
        problems: as `plain` gives them.
        example: a problem to begin with, which is not measured.
        clock: what goes on by the time of the count.
    """
    folder = APART if side == "dlx-cython" else ROOT
    command = [sys.executable, str(ROOT / "benchmarks" / script), side, str(limit), str(folder)]
    data, one_thread = pickle.dumps((problems, example)), os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.run(command, input=data, capture_output=True, check=False, env=one_thread)
    tasks = {line["task"]: line for line in map(json.loads, process.stdout.splitlines())}
    stopped = None
    if process.returncode == -signal.SIGPROF:
        stopped = "time"
    elif process.returncode:
        assert b"emory" in process.stderr or b"bad_alloc" in process.stderr, process.stderr.decode()
        stopped = "memory"
    count = tasks.get("count", tasks.get("covers"))
    clock.seconds += count["seconds"] if count else limit
    return {"tasks": tasks, "stopped": stopped, "limit": limit}
