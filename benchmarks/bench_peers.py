"""Counting and listing covers: `dlx` and both its kernels beside the solvers of PyPI, with every count checked.

Each side runs in a process of its own (`peers.py`), from its own input, made beforehand. exact-cover and dlx-cython
have no secondary items: each of these gets an option of its own there, the usual way out, and word squares are encoded
without colours. dlx-cython brings a module of the name dlx, so it is installed apart, at the first run.
"""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from families import HARD_SUDOKUS, SIXTEEN_GIVENS, build
from peers import SIDES

from dlx import Problem

ROOT = Path(__file__).resolve().parents[1]
APART = ROOT / "build" / "peers"  # where dlx-cython is
LIMIT = 24.0  # seconds of processor time for one task of one side
MODULES = {"exact-cover": "exact_cover", "xcover": "xcover", "pyxcc": "pyxcc"}

# name: the problems, and how many covers they have in total
INSTANCES: dict[str, tuple[Callable[[], list[Problem]], int]] = {
    "queens 12": (lambda: [build("queens", 12)], 14_200),
    "pentominoes 6x10": (lambda: [build("pentominoes", 6, 10)], 9_356),
    "langford 12": (lambda: [build("langford", 12)], 216_288),
    "word squares 4x4": (lambda: [build("words", 760)], 5_184),
    "dominoes 8x8": (lambda: [build("dominoes", 8, 8)], 12_988_816),
    "sudoku, 16 givens": (lambda: [build("sudoku", SIXTEEN_GIVENS)], 97_290),
    "latin 6x6, first row given": (lambda: [build("latin_below", 6)], 1_128_960),
    "20 hard sudokus": (lambda: [build("sudoku", digits) for digits in HARD_SUDOKUS], 20),
}
UNCOLOURED = {"word squares 4x4": lambda: [build("words_plain", 760)]}


class Stopwatch:
    """The processor seconds that the processes report, as a clock for pytest-benchmark."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


CLOCK = Stopwatch()
pytestmark = pytest.mark.benchmark(timer=CLOCK)


def plain(problem: Problem) -> dict[str, Any]:
    """A problem as numbers and arrays that need no `dlx` to read."""
    return {
        "n_items": problem.n_items,
        "n_primary": problem.n_primary,
        "indptr": problem.indptr,
        "indices": problem.indices,
        "colours": problem.colours,
    }


@pytest.fixture(scope="session")
def apart() -> Path:
    """The folder of dlx-cython, which is installed there if it is not yet."""
    if not (APART / "dlxsolver.py").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(APART), "dlx-cython"]
        subprocess.run(command, check=False, timeout=300)
    return APART


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", INSTANCES)
def test_all_covers(benchmark: Any, apart: Path, name: str, side: str) -> None:
    """A side finds as many covers as there are, counting them and delivering them, if it ends in time."""
    if side in MODULES and find_spec(MODULES[side]) is None:
        pytest.skip(f"{side} is not installed: pip install -e '.[bench]'")
    if side == "dlx-cython" and not (apart / "dlxsolver.py").exists():
        pytest.skip(f"dlx-cython could not be installed in {apart}")
    make, expected = INSTANCES[name]
    if side in ("exact-cover", "dlx-cython"):
        make = UNCOLOURED.get(name, make)
    coloured = make()[0].colours is not None
    problems = [plain(problem) for problem in make()]
    record = benchmark.pedantic(measure, args=(side, apart if side == "dlx-cython" else ROOT, problems), rounds=1)
    for task in record["tasks"].values():
        assert sum(task.pop("covers")) == expected
    benchmark.extra_info.update(instance=name, side=side, covers=expected, coloured=coloured, **record)


def measure(side: str, folder: Path, problems: list[dict[str, Any]]) -> dict[str, Any]:
    """Runs a side in a process of its own; what its tasks took, and why it ended before the last one, if it did."""
    command = [sys.executable, str(ROOT / "benchmarks" / "peers.py"), side, str(LIMIT), str(folder)]
    example = plain(build("toy"))
    process = subprocess.run(command, input=pickle.dumps((problems, example)), capture_output=True, check=False)
    tasks = {line["task"]: line for line in map(json.loads, process.stdout.splitlines())}
    stopped = None
    if process.returncode == -signal.SIGPROF:
        stopped = "time"
    elif process.returncode:
        assert b"emory" in process.stderr, process.stderr.decode()
        stopped = "memory"
    count = tasks.get("count", tasks.get("covers"))
    CLOCK.seconds += count["seconds"] if count else LIMIT
    return {"tasks": tasks, "stopped": stopped, "limit": LIMIT}
