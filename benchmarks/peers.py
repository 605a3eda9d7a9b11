"""Runs one solver on problems from standard input, in a process of its own, and prints its times.

    python benchmarks/peers.py SIDE SECONDS < task.pickle

Each problem is a dictionary of plain numbers and numpy arrays (see `apart.plain`), so that nothing of one solver is
imported beside another. Up to two tasks are done, each for all the problems one after the other: to count the covers,
and to return each cover as a Python object. A line of JSON follows each task; a task that takes more than SECONDS
of processor time ends the process.

Covers are counted by the methods of `dlx.count`, by decision diagrams (xcover with its memo, and Graphillion for
perfect matchings), and by the model counter d4 from the formula that `dlx convert --to cnf` writes. What a solver
prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

Problem = dict[str, Any]
MEMORY = 8 << 30  # bytes that a process may take
ROUNDS = 9  # a task is repeated at most this many times
ENOUGH = 1.0  # total seconds after which a task is not repeated
ROUNDS_OF_COUNTING = 3  # where counting is the only task
SHORT = 0.1  # the least seconds of a round, since the processor clock may advance in steps of 0.004 s


@dataclass(frozen=True)
class Solver:
    """The functions of a solver; all but `prepare` take a problem in the form of the solver.

    Attributes:
        prepare: returns a problem in the form of the solver.
        count: returns the number of covers; without it covers are listed.
        covers: yields all covers as Python objects.
        blocks: yields all covers in arrays.
        work: statistics of the last count, if the solver has any.
    """

    prepare: Callable[[Problem], Any]
    count: Callable[[Any], int] | None = None
    covers: Callable[[Any], Iterable[Any]] | None = None
    blocks: Callable[[Any], Iterable[Any]] | None = None
    work: dict[str, Any] = field(default_factory=dict)


def _problem(problem: Problem) -> Any:
    """A `dlx.Problem`."""
    colours = problem["colours"]
    names = () if colours is None else tuple(range(int(colours.max())))
    matrix = (problem[key] for key in ("items", "n_primary", "indptr", "indices"))
    return import_module("dlx").Problem(*matrix, colours=colours, colour_names=names)


def own(merge: str = "auto") -> Solver:
    """`dlx`, from a `dlx.Problem`."""
    dlx = import_module("dlx")
    work: dict[str, Any] = {}

    def count(ready: Any) -> int:
        result = dlx.count(ready, merge=merge)
        for name in ("kernel", "nodes", "merged", "hits", "states"):
            work[name] = getattr(result, name)
        return int(result.covers)

    return Solver(_problem, count, dlx.covers, lambda ready: dlx.covers(ready).blocks(), work)


def exact_cover() -> Solver:
    """The package exact-cover, from a matrix of zeros and ones."""
    peer = import_module("exact_cover")
    return Solver(matrix, peer.get_solution_count, peer.get_all_solutions)


def _arrays(problem: Problem) -> Any:
    """The arrays of xcover's algorithms, which its README offers."""
    colours = np.zeros(len(problem["indices"])) if problem["colours"] is None else problem["colours"]
    arrays = [a.astype(np.uint32) for a in (problem["indices"], problem["indptr"], colours)]
    return *arrays, problem["n_items"], problem["n_items"] - problem["n_primary"]


def xcover() -> Solver:
    """The package xcover; it has no way to count only."""
    algorithm = import_module("xcover.dancing_cells").algorithm_c
    return Solver(_arrays, covers=lambda ready: algorithm(*ready))


def xcover_memo() -> Solver:
    """The algorithm Z of xcover with its memo: the nodes of a diagram, children first, whose covers are added up."""
    algorithm = import_module("xcover.dancing_cells_zdd").algorithm_z

    def count(ready: Any) -> int:
        below, top = {0: 0, 1: 1}, 0
        for node, _, without, chosen in algorithm(*ready, True, "MRV"):
            below[node], top = below[without] + below[chosen], node
        return below[top]

    return Solver(_arrays, count)


def pyxcc() -> Solver:
    """The package pyxcc, from its `Problem`; it counts by collecting all covers."""
    peer = import_module("pyxcc")

    def prepare(problem: Problem) -> Any:
        n_primary, indptr, indices, colours = (problem[key] for key in ("n_primary", "indptr", "indices", "colours"))
        tints = ["" if colours is None else str(colours[k] or "") for k in range(len(indices))]
        options = []
        for o in range(len(indptr) - 1):
            entries = range(indptr[o], indptr[o + 1])
            primary = [str(indices[k]) for k in entries if indices[k] < n_primary]
            secondary = [(str(indices[k]), tints[k]) for k in entries if indices[k] >= n_primary]
            options.append(peer.Option(str(o), primary, secondary))
        names = [str(i) for i in range(problem["n_items"])]
        return peer.Problem(names[:n_primary], names[n_primary:], options)

    return Solver(prepare, lambda ready: peer.solve(ready, True).count(), lambda ready: peer.solve(ready, True).all())


def _formula(problem: Problem) -> Any:
    """The number of variables and the clauses, as `dlx` writes them: each cover is one model."""
    formula = import_module("dlx.formats.cnf").Formula(_problem(problem))
    return formula.variables, formula.clauses


def d4() -> Solver:
    """d4 by the package d4solver, from clauses."""
    solver = import_module("py_d4").Solver
    return Solver(_formula, lambda ready: int(solver(ready[1], ready[0]).count().getResult()))


def graphillion() -> Solver:
    """Graphillion, where every option is a pair of items: covers are perfect matchings of a graph."""
    graphs = import_module("graphillion").GraphSet

    def count(ready: Any) -> int:
        graphs.set_universe(ready)
        return int(graphs.perfect_matchings().len())

    return Solver(lambda problem: [(a + 1, b + 1) for a, b in problem["indices"].reshape(-1, 2).tolist()], count)


Sides = dict[str, Callable[[], Solver]]
PEERS: Sides = {"exact-cover": exact_cover, "xcover": xcover, "pyxcc": pyxcc}
LISTING: Sides = {"dlx": partial(own, "never"), **PEERS}
COUNTING: Sides = {
    "visiting": partial(own, "never"),
    "auto": own,
    "isomorphic": partial(own, "isomorphic"),
    "Graphillion": graphillion,
    "xcover, memo": xcover_memo,
    "d4": d4,
}


def matrix(problem: Problem) -> npt.NDArray[np.int32]:
    """The problem as rows of zeros and ones, with a slack row for each secondary item."""
    n_options, n_items = len(problem["indptr"]) - 1, problem["n_items"]
    rows = np.zeros((n_options, n_items), dtype=np.int32)
    rows[np.repeat(np.arange(n_options), np.diff(problem["indptr"])), problem["indices"]] = 1
    return np.concatenate([rows, np.eye(n_items, dtype=np.int32)[problem["n_primary"] :]])


def run(task: str, call: Callable[[Any], int], ready: list[Any], rounds: int) -> dict[str, Any]:
    """Does a task for each problem; returns the least processor seconds of several rounds."""
    times: list[float] = []
    spent = time.process_time()
    while not times or (len(times) < rounds and time.process_time() - spent < ENOUGH):
        seconds, covers = _once(call, ready)
        times.append(seconds)
    return {"task": task, "covers": covers, "seconds": min(times), "rounds": len(times)}


def _once(call: Callable[[Any], int], ready: list[Any]) -> tuple[float, list[int]]:
    """Returns the processor seconds of a task, and its result; a task too short for the clock is repeated."""
    start, times, passed = time.process_time(), 0, 0.0
    while passed < SHORT:
        covers = [call(problem) for problem in ready]
        times, passed = times + 1, time.process_time() - start
    return passed / times, covers


def length(covers: Iterable[Any]) -> int:
    """Counts covers without keeping those of a generator."""
    return sum(1 for _ in covers)


def main() -> None:
    """Does the tasks that a solver can do, or counts only; each has the processor time of the command line."""
    side, seconds = sys.argv[1], float(sys.argv[2])
    solver: Any = (LISTING | COUNTING)[side]()
    problems, example, counting = pickle.load(sys.stdin.buffer)
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    covers = solver.covers and (lambda problem: length(solver.covers(problem)))
    counts = solver.count or covers
    counts(solver.prepare(example))  # loads what is loaded, or compiled, at the first call
    ready = [solver.prepare(problem) for problem in problems]
    import resource  # which Windows has not

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    tasks: dict[str, Any] = {"count": counts if counting else solver.count}
    if not counting:
        tasks["covers"] = covers
        tasks["blocks"] = solver.blocks and (lambda problem: sum(map(len, solver.blocks(problem))))
    for task, call in tasks.items():
        if call:
            signal.setitimer(signal.ITIMER_PROF, seconds)
            result = run(task, call, ready, ROUNDS_OF_COUNTING if counting else ROUNDS)
            signal.setitimer(signal.ITIMER_PROF, 0)
            print(json.dumps(result | (solver.work if task == "count" else {})), file=answers, flush=True)


if __name__ == "__main__":
    main()
