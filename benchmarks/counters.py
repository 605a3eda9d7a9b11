"""Counts the covers of one problem in one way, in a process of its own, as `peers.py` does.

    python benchmarks/counters.py SIDE SECONDS FOLDER < problems.pickle

The ways are those of `dlx.count`, the solvers of `peers.py`, which visit every cover, and libraries of decision
diagrams: xcover with its memo, dd, and Graphillion for perfect matchings.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
from peers import Dlx, DlxCython, ExactCover, Problem, PyXCC, XCover, begin, count_of, report


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


SIDES: dict[str, Callable[[], Any]] = {
    "visiting": lambda: Dlx(merge="never"),
    "auto": Dlx,
    "same": lambda: Dlx(merge="same"),
    "isomorphic": lambda: Dlx(merge="isomorphic"),
    "dd": Dd,
    "Graphillion": Graphillion,
    "xcover, memo": XCoverMemo,
    "exact-cover": ExactCover,
    "xcover": XCover,
    "pyxcc": PyXCC,
    "dlx-cython": DlxCython,
}


def main() -> None:
    """Counts the covers of each problem within the processor time of the command line."""
    solver, ready, seconds = begin(SIDES)
    report("count", count_of(solver), ready, seconds, solver, rounds=3)


if __name__ == "__main__":
    main()
