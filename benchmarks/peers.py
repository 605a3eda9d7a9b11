"""Runs one solver on problems from standard input, in a process of its own, and prints what it took.

    python benchmarks/peers.py SIDE SECONDS FOLDER < problems.pickle

Each problem is a dictionary of plain numbers and numpy arrays (see `bench_peers.py`), so that nothing of one solver is
imported beside another; FOLDER is looked in first for modules. Two tasks are done, each for all the problems one after
the other: to count the covers, and to hand over each of them as a Python object. A line of JSON follows each task;
a task that takes more than SECONDS of processor time ends the process.
"""

from __future__ import annotations

import importlib
import json
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Problem = dict[str, Any]
MEMORY = 8 << 30  # bytes that a process may take
ROUNDS, ENOUGH = 9, 1.0  # a count is repeated up to so many times, while the sum is below so many seconds
SHORT = 0.1  # seconds that a round takes at least: the clock of processor time may go on in steps of 0.004


class Dlx:
    """`dlx`, from a `dlx.Problem`."""

    def __init__(self, kernel: str = "auto", merge: str = "auto") -> None:
        self.dlx = importlib.import_module("dlx")
        self.kernel = kernel
        self.merge = merge
        self.work: dict[str, Any] = {}

    def prepare(self, problem: Problem) -> Any:
        colours = problem["colours"]
        return self.dlx.Problem(
            problem["items"],
            problem["n_primary"],
            problem["indptr"],
            problem["indices"],
            colours=colours,
            colour_names=() if colours is None else tuple(range(int(colours.max()))),
        )

    def count(self, ready: Any) -> int:
        result = self.dlx.count(ready, kernel=self.kernel, merge=self.merge)
        told = ("kernel", "nodes", "updates", "merged", "hits", "states", "memory")
        self.work = {name: getattr(result, name) for name in told}
        return int(result.covers)

    def covers(self, ready: Any) -> Any:
        return self.dlx.covers(ready, kernel=self.kernel)

    def blocks(self, ready: Any) -> Any:
        return self.dlx.covers(ready, kernel=self.kernel).blocks()


class ExactCover:
    """exact-cover, from a matrix of zeros and ones."""

    def __init__(self) -> None:
        self.peer = importlib.import_module("exact_cover")

    def prepare(self, problem: Problem) -> Any:
        return matrix(problem)

    def count(self, ready: Any) -> int:
        return int(self.peer.get_solution_count(ready))

    def covers(self, ready: Any) -> Any:
        return self.peer.get_all_solutions(ready)


class XCover:
    """xcover, from the arrays that its algorithm works on, which its README offers; it has no way to count only."""

    def __init__(self) -> None:
        self.algorithm = importlib.import_module("xcover.dancing_cells").algorithm_c

    def prepare(self, problem: Problem) -> Any:
        colours = np.zeros(len(problem["indices"])) if problem["colours"] is None else problem["colours"]
        arrays = [a.astype(np.uint32) for a in (problem["indices"], problem["indptr"], colours)]
        return *arrays, problem["n_items"], problem["n_items"] - problem["n_primary"]

    def covers(self, ready: Any) -> Any:
        return self.algorithm(*ready)


class PyXCC:
    """pyxcc, from its `Problem`; it counts by collecting all covers."""

    def __init__(self) -> None:
        self.peer = importlib.import_module("pyxcc")

    def prepare(self, problem: Problem) -> Any:
        n_primary, indptr, indices, colours = (problem[key] for key in ("n_primary", "indptr", "indices", "colours"))
        options = []
        for o in range(len(indptr) - 1):
            entries = range(indptr[o], indptr[o + 1])
            primary = [str(indices[k]) for k in entries if indices[k] < n_primary]
            secondary = [
                (str(indices[k]), "" if colours is None else str(colours[k] or ""))
                for k in entries
                if indices[k] >= n_primary
            ]
            options.append(self.peer.Option(str(o), primary, secondary))
        names = [str(i) for i in range(problem["n_items"])]
        return self.peer.Problem(names[:n_primary], names[n_primary:], options)

    def count(self, ready: Any) -> int:
        return int(self.peer.solve(ready, True).count())

    def covers(self, ready: Any) -> Any:
        return self.peer.solve(ready, True).all()


class DlxCython:
    """dlx-cython, from a matrix of zeros and ones; it counts by collecting all covers. Its module is named dlx, too."""

    def __init__(self) -> None:
        self.peer = importlib.import_module("dlxsolver")

    def prepare(self, problem: Problem) -> Any:
        return matrix(problem)

    def covers(self, ready: Any) -> Any:
        return self.peer.DLXSolver(ready).solve()


SIDES: dict[str, Callable[[], Any]] = {
    "dlx": Dlx,
    "links": lambda: Dlx("links"),
    "bits": lambda: Dlx("bits"),
    "exact-cover": ExactCover,
    "xcover": XCover,
    "pyxcc": PyXCC,
    "dlx-cython": DlxCython,
}


def matrix(problem: Problem) -> npt.NDArray[np.int32]:
    """The problem as rows of zeros and ones, with a slack row for each secondary item."""
    n_options, n_items = len(problem["indptr"]) - 1, problem["n_items"]
    rows = np.zeros((n_options, n_items), dtype=np.int32)
    rows[np.repeat(np.arange(n_options), np.diff(problem["indptr"])), problem["indices"]] = 1
    return np.concatenate([rows, np.eye(n_items, dtype=np.int32)[problem["n_primary"] :]])


def run(task: str, call: Callable[[Any], int], ready: list[Any], rounds: int) -> dict[str, Any]:
    """Does a task for each problem; the least processor seconds of several rounds, and how far memory grew."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # makes the peak start anew
    before = _status("VmRSS")
    times: list[float] = []
    spent = time.process_time()
    while not times or (len(times) < rounds and time.process_time() - spent < ENOUGH):
        seconds, covers = _once(call, ready)
        times.append(seconds)
    grown = max(0, _status("VmHWM") - before) / 1024
    return {"task": task, "covers": covers, "seconds": min(times), "rounds": len(times), "megabytes": round(grown, 1)}


def _once(call: Callable[[Any], int], ready: list[Any]) -> tuple[float, list[int]]:
    """The processor seconds of a task, and its result; it is repeated while all that is too short for the clock."""
    start, times, passed = time.process_time(), 0, 0.0
    while passed < SHORT:
        covers = [call(problem) for problem in ready]
        times, passed = times + 1, time.process_time() - start
    return passed / times, covers


def _status(field: str) -> int:
    """A line of /proc/self/status, in kB."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def length(covers: Iterable[Any]) -> int:
    """Counts covers; a generator's are let go one by one."""
    return sum(1 for _ in covers)


def count_of(solver: Any) -> Callable[[Any], int]:
    """Counts covers by a solver: if in no other way, then by listing them."""
    return getattr(solver, "count", None) or (lambda problem: length(solver.covers(problem)))


def begin(sides: Mapping[str, Callable[[], Any]]) -> tuple[Any, list[Any], float]:
    """The solver of the command line, warmed up, its problems, and how many seconds a task may take."""
    side, seconds, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    sys.path.insert(0, folder)
    solver = sides[side]()
    problems, example = pickle.load(sys.stdin.buffer)
    count_of(solver)(solver.prepare(example))  # loads what is loaded, or compiled, at the first call
    ready = [solver.prepare(problem) for problem in problems]
    import resource  # which Windows has not

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    return solver, ready, seconds


def report(
    task: str, call: Callable[[Any], int], ready: list[Any], seconds: float, solver: Any, rounds: int = ROUNDS
) -> None:
    """Does a task within so many seconds, and prints what it took; a count comes with the solver's own numbers."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    result = run(task, call, ready, rounds)
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(json.dumps({**result, **(getattr(solver, "work", {}) if task == "count" else {})}), flush=True)


def main() -> None:
    """Does the tasks that a solver can do; each has the processor time of the command line."""
    solver, ready, seconds = begin(SIDES)
    tasks = {
        "count": getattr(solver, "count", None),
        "covers": lambda problem: length(solver.covers(problem)),
        "blocks": hasattr(solver, "blocks") and (lambda problem: sum(map(len, solver.blocks(problem)))),
    }
    for task, call in tasks.items():
        if call and (task == "count" or sys.argv[1] not in ("links", "bits")):
            report(task, call, ready, seconds, solver)


if __name__ == "__main__":
    main()
