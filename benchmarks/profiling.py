"""Profiles of a named instance: by perf, py-spy or cProfile, the first of them that works here.

    python benchmarks/profiling.py queens 12          counts the covers of a problem of `families.py`
    python benchmarks/profiling.py sample1-15         finds the best completion of a grid of `sudoku_instances.py`
    python benchmarks/profiling.py --run queens 12    does the work only, for another profiler

perf sees the lines of the kernels after `make build DLX_BUILD=profile`; py-spy sees their
functions; cProfile sees only how long `run` took.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from families import FAMILIES, build
from sudoku_instances import INSTANCES

import dlx
import sudoku

BUILD = Path(__file__).resolve().parents[1] / "build"
LONGEST = 60.0  # seconds


def work(name: str, *sizes: str) -> Callable[[], object]:
    """The task of an instance."""
    if name in INSTANCES and not sizes:
        return lambda: sudoku.best(INSTANCES[name].grid, timeout=LONGEST)
    if name not in FAMILIES:
        raise SystemExit(f"there is no instance {name}; there are {', '.join([*FAMILIES, *INSTANCES])}")
    try:
        problem = build(name, *(int(size) if len(size) < 10 else size for size in sizes))
    except (TypeError, ValueError) as error:
        raise SystemExit(f"{name} {' '.join(sizes)}: {error}") from None
    return lambda: dlx.count(problem, timeout=LONGEST)


def profile(command: list[str]) -> None:
    """Runs a Python command line under a profiler, and prints what it says."""
    python, data = sys.executable, str(BUILD / "perf.data")
    record = ["perf", "record", "--quiet", "--output"]
    if shutil.which("perf") and not subprocess.run([*record, "/dev/null", "true"], capture_output=True).returncode:
        subprocess.run([*record, data, "--call-graph", "fp", python, *command], check=True)
        report = ["perf", "report", "--stdio", "--no-children", "--call-graph", "none", "--percent-limit", "0.5"]
        subprocess.run([*report, "--sort", "symbol,dso", "--input", data], check=True)
        print(f"\nLine by line: perf annotate --stdio --input {data} --symbol NAME")
    elif find_spec("py_spy"):
        chart = str(BUILD / "profile.svg")
        options = ["--native", "--output", chart]
        subprocess.run([python, "-m", "py_spy", "record", *options, "--", python, *command], check=True)
        print(chart)
    else:
        print("There is neither perf nor py-spy (pip install -e '.[profile]'): kernels are seen from outside only.")
        subprocess.run([python, "-m", "cProfile", "--sort", "tottime", *command], check=True)


def main() -> None:
    """Does the work that the command line names, under a profiler unless it says --run."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--run"]:
        print(work(*arguments[1:])())
    elif arguments:
        work(*arguments)  # a wrong name is an error before anything is measured
        profile([__file__, "--run", *arguments])
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
