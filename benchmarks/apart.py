"""Runs one side of a benchmark in a process of its own, from a problem as plain numbers, and takes its report."""

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
MODULES = {
    "exact-cover": "exact_cover",
    "xcover": "xcover",
    "xcover, memo": "xcover",
    "pyxcc": "pyxcc",
    "Graphillion": "graphillion",
    "d4": "py_d4",
    "isomorphic": "pynauty",
    "CaDiCaL": "pysat",
    "CP-SAT": "ortools",
    "sudoku-rust": "sudoku_rust",
}


class Stopwatch:
    """A clock for pytest-benchmark: the processor seconds that the processes report."""

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
    """Returns why a side cannot run here; "" if it can."""
    if side in MODULES and find_spec(MODULES[side]) is None:
        return f"{side} is not installed: pip install -e '.[bench]'"
    return ""


def started(script: str, side: str, limit: float, task: object) -> subprocess.CompletedProcess[bytes]:
    """Runs a side in a process of its own, on one thread, from a task that needs no module of ours to read."""
    command = [sys.executable, str(ROOT / "benchmarks" / script), side, str(limit)]
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
    return subprocess.run(command, input=pickle.dumps(task), capture_output=True, check=False, env=one_thread)


def measure(
    side: str, limit: float, problems: list[dict[str, Any]], example: dict[str, Any], clock: Stopwatch, counting: bool
) -> dict[str, Any]:
    """Runs a side of `peers.py` on problems; returns the times of its tasks, and its limit if that stopped it."""
    process = started("peers.py", side, limit, (problems, example, counting))
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
