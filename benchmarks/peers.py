"""Runs one solver on problems from standard input, in a process of its own, and prints what it took.

    python benchmarks/peers.py SIDE SECONDS FOLDER < task.pickle

Each problem is a dictionary of plain numbers and numpy arrays (see `apart.plain`), so that nothing of one solver is
imported beside another; FOLDER is looked in first for modules. Up to two tasks are done, each for all the problems one
after the other: to count the covers, and to hand over each of them as a Python object. A line of JSON follows each
task; a task that takes more than SECONDS of processor time ends the process.

Covers are counted by `dlx.count` in its ways, by solvers that visit every cover, and by libraries of decision diagrams:
xcover with its memo, dd, and Graphillion for perfect matchings.
"""

from __future__ import annotations

import importlib
import json
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Problem = dict[str, Any]
MEMORY = 8 << 30  # bytes that a process may take
ROUNDS, ENOUGH = 9, 1.0  # a task is repeated up to so many times, while the sum is below so many seconds
ROUNDS_OF_COUNTING = 3  # where counting is the only task
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


class XCoverMemo(XCover):
    """xcover's algorithm Z with its memo: the nodes of a diagram, children first, whose covers are added up."""

    def __init__(self) -> None:
        self.algorithm = importlib.import_module("xcover.dancing_cells_zdd").algorithm_z

    def count(self, ready: Any) -> int:
        below, top = {0: 0, 1: 1}, 0
        for node, _, without, chosen in self.algorithm(*ready, True, "MRV"):
            below[node], top = below[without] + below[chosen], node
        return below[top]


class Graphillion:
    """Graphillion, where every option is a pair of items: covers are perfect matchings of a graph."""

    def __init__(self) -> None:
        self.graphs = importlib.import_module("graphillion").GraphSet

    def prepare(self, problem: Problem) -> Any:
        return [(one + 1, other + 1) for one, other in problem["indices"].reshape(-1, 2).tolist()]

    def count(self, ready: Any) -> int:
        self.graphs.set_universe(ready)
        return int(self.graphs.perfect_matchings().len())


class Dd:
    """dd with CUDD: a diagram for each item that says that one of its options is chosen, and all of them together.

    The variables are the options, by their first items; the last items come first. CUDD counts in floating point, so
    the covers below each node are added up here.
    """

    def __init__(self) -> None:
        self.cudd = importlib.import_module("dd.cudd")

    def prepare(self, problem: Problem) -> Any:
        options = sorted(sorted(part.tolist()) for part in np.split(problem["indices"], problem["indptr"][1:-1]))
        of = [[o for o, option in enumerate(options) if item in option] for item in range(problem["n_items"])]
        return len(options), of, problem["n_primary"]

    def count(self, ready: Any) -> int:
        n_options, of, n_primary = ready
        diagrams = self.cudd.BDD()
        diagrams.configure(reordering=False)
        names = [f"o{k}" for k in range(n_options)]
        diagrams.declare(*names)
        chosen = [diagrams.var(name) for name in names]
        together = diagrams.true
        for item in reversed(range(len(of))):
            together &= self._exactly_one(diagrams, [chosen[o] for o in of[item]], item < n_primary)
        return self._covers(diagrams, together, n_options)

    @staticmethod
    def _exactly_one(diagrams: Any, chosen: list[Any], primary: bool) -> Any:
        """At most one of these, and one at least if the item is primary; from the last variable to the first."""
        none, one = diagrams.true, diagrams.false if primary else diagrams.true
        for variable in reversed(chosen):
            one, none = diagrams.ite(variable, none, one), diagrams.ite(variable, diagrams.false, none)
        return one

    @staticmethod
    def _covers(diagrams: Any, root: Any, n_options: int) -> int:
        """The ways to choose all variables so that the diagram is true, an int of any size."""
        known = {diagrams.true: (n_options, 1), diagrams.false: (n_options, 0)}  # a node's level, and its ways
        open_ = [root]
        while open_:
            node = open_[-1]
            ends = [] if node in known else [~end if node.negated else end for end in (node.low, node.high)]
            if later := [end for end in ends if end not in known]:
                open_ += later
                continue
            open_.pop()
            if ends:
                known[node] = node.level, sum(known[end][1] << known[end][0] - node.level - 1 for end in ends)
        level, ways = known[root]
        return ways << level


PEERS: dict[str, Callable[[], Any]] = {
    "exact-cover": ExactCover,
    "xcover": XCover,
    "pyxcc": PyXCC,
    "dlx-cython": DlxCython,
}
LISTING = {"dlx": Dlx, "links": lambda: Dlx("links"), "bits": lambda: Dlx("bits"), **PEERS}
COUNTING: dict[str, Callable[[], Any]] = {
    "visiting": lambda: Dlx(merge="never"),
    "auto": Dlx,
    "same": lambda: Dlx(merge="same"),
    "isomorphic": lambda: Dlx(merge="isomorphic"),
    "dd": Dd,
    "Graphillion": Graphillion,
    "xcover, memo": XCoverMemo,
    **PEERS,
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


def main() -> None:
    """Does the tasks that a solver can do, or counts only; each has the processor time of the command line."""
    side, seconds, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    sys.path.insert(0, folder)
    solver = (LISTING | COUNTING)[side]()
    problems, example, counting = pickle.load(sys.stdin.buffer)
    count_of(solver)(solver.prepare(example))  # loads what is loaded, or compiled, at the first call
    ready = [solver.prepare(problem) for problem in problems]
    import resource  # which Windows has not

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    tasks: dict[str, Any] = {"count": count_of(solver) if counting else getattr(solver, "count", None)}
    if not counting and side not in ("links", "bits"):
        tasks["covers"] = lambda problem: length(solver.covers(problem))
        tasks["blocks"] = hasattr(solver, "blocks") and (lambda problem: sum(map(len, solver.blocks(problem))))
    for task, call in tasks.items():
        if call:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            result = run(task, call, ready, ROUNDS_OF_COUNTING if counting else ROUNDS)
            signal.setitimer(signal.ITIMER_PROF, 0)
            print(json.dumps({**result, **(getattr(solver, "work", {}) if task == "count" else {})}), flush=True)


if __name__ == "__main__":
    main()
