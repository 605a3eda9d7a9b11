"""Solvers that count or list covers, each run in its own process (`timing.apart`).

Problems are sent as numbers and arrays, so that a process imports only one solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
from timing import least, limit_processor_time

Plain = dict[str, Any]  # a problem as numbers and arrays
# A function that converts a problem to the input of the solver, and tasks: input of the solver -> number of covers.
Solver = tuple[Callable[[Plain], Any], dict[str, Callable[[Any], int]]]


def plain(problem: Any) -> Plain:
    """Returns a `dlx.Problem` as numbers, arrays and the names of its items, which are read without `dlx`."""
    names = ("items", "n_items", "n_primary", "indptr", "indices", "colours")
    return {name: getattr(problem, name) for name in names}


def length(covers: Iterable[Any]) -> int:
    """Counts the covers of a generator without keeping them."""
    return sum(1 for _ in covers)


def _problem(problem: Plain) -> Any:
    """A `dlx.Problem`."""
    colours = problem["colours"]
    names = () if colours is None else tuple(range(int(colours.max())))
    matrix = (problem[key] for key in ("items", "n_primary", "indptr", "indices"))
    return import_module("dlx").Problem(*matrix, colours=colours, colour_names=names)


def own(merge: str = "auto") -> Solver:
    """`dlx`; its input is a `dlx.Problem`."""
    dlx = import_module("dlx")
    return _problem, {
        "count": lambda ready: int(dlx.count(ready, merge=merge).covers),
        "list": lambda ready: length(dlx.covers(ready)),
        "blocks": lambda ready: sum(map(len, dlx.covers(ready).blocks())),
    }


def exact_cover() -> Solver:
    """The package exact-cover; its input is a matrix of zeros and ones."""
    peer = import_module("exact_cover")
    return _matrix, {
        "count": peer.get_solution_count,
        "list": lambda ready: length(peer.get_all_solutions(ready)),
    }


def _matrix(problem: Plain) -> npt.NDArray[np.int32]:
    """Returns the problem as a matrix of zeros and ones, with a slack row for each secondary item."""
    n_options, n_items = len(problem["indptr"]) - 1, problem["n_items"]
    rows = np.zeros((n_options, n_items), dtype=np.int32)
    rows[np.repeat(np.arange(n_options), np.diff(problem["indptr"])), problem["indices"]] = 1
    return np.concatenate([rows, np.eye(n_items, dtype=np.int32)[problem["n_primary"] :]])


def _arrays(problem: Plain) -> Any:
    """Returns the input of the algorithms of xcover, as its README describes it."""
    colours = np.zeros(len(problem["indices"])) if problem["colours"] is None else problem["colours"]
    arrays = [a.astype(np.uint32) for a in (problem["indices"], problem["indptr"], colours)]
    return *arrays, problem["n_items"], problem["n_items"] - problem["n_primary"]


def xcover() -> Solver:
    """The package xcover, which has to list covers to count them."""
    algorithm = import_module("xcover.dancing_cells").algorithm_c

    def listed(ready: Any) -> int:
        return length(algorithm(*ready))

    return _arrays, {"count": listed, "list": listed}


def xcover_memo() -> Solver:
    """Algorithm Z of xcover with its memo cache: it yields the nodes of a diagram, children first."""
    algorithm = import_module("xcover.dancing_cells_zdd").algorithm_z

    def count(ready: Any) -> int:
        below, top = {0: 0, 1: 1}, 0
        for node, _, without, chosen in algorithm(*ready, True, "MRV"):
            below[node], top = below[without] + below[chosen], node
        return below[top]

    return _arrays, {"count": count}


def pyxcc() -> Solver:
    """The package pyxcc; its input is a `pyxcc.Problem`, and it counts by collecting all covers."""
    peer = import_module("pyxcc")

    def prepare(problem: Plain) -> Any:
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

    return prepare, {
        "count": lambda ready: int(peer.solve(ready, True).count()),
        "list": lambda ready: length(peer.solve(ready, True).all()),
    }


def _formula(problem: Plain) -> Any:
    """Returns the number of variables and the clauses of a problem; each cover is one model."""
    formula = import_module("dlx.formats.cnf").Formula(_problem(problem))
    return formula.variables, formula.clauses


def d4() -> Solver:
    """The model counter d4 of the package d4solver; its input is a list of clauses."""
    solver = import_module("py_d4").Solver
    return _formula, {"count": lambda ready: int(solver(ready[1], ready[0]).count().getResult())}


def graphillion() -> Solver:
    """Graphillion, for problems whose options are pairs of items: covers are perfect matchings of a graph."""
    graphs = import_module("graphillion").GraphSet

    def count(ready: Any) -> int:
        graphs.set_universe(ready)
        return int(graphs.perfect_matchings().len())

    return lambda problem: [(a + 1, b + 1) for a, b in problem["indices"].reshape(-1, 2).tolist()], {"count": count}


PEERS: dict[str, Callable[[], Solver]] = {"exact-cover": exact_cover, "xcover": xcover, "pyxcc": pyxcc}
LISTING: dict[str, Callable[[], Solver]] = {"dlx": partial(own, "never"), **PEERS}
COUNTING: dict[str, Callable[[], Solver]] = {
    "visiting": partial(own, "never"),
    "layers": partial(own, "same"),
    "auto": own,
    "isomorphic": partial(own, "isomorphic"),
    "Graphillion": graphillion,
    "xcover, memo": xcover_memo,
    "d4": d4,
}


SIDES = {**LISTING, **COUNTING}


def _covers(task: Callable[[Any], int], ready: Sequence[Any]) -> int:
    return sum(map(task, ready))


def run(
    side: str, tasks: Sequence[str], problems: Sequence[Plain], example: Plain, limit: float
) -> Iterator[tuple[str, float, int]]:
    """Yields each task that a side can do, with its processor seconds and the number of covers of all problems."""
    prepare, known = SIDES[side]()
    known["count"](prepare(example))  # warm-up: the first call may load or compile code
    ready = [prepare(problem) for problem in problems]
    for task in filter(known.__contains__, tasks):
        limit_processor_time(limit)
        seconds, covers = least(partial(_covers, known[task], ready))
        limit_processor_time(0)
        yield task, seconds, covers
