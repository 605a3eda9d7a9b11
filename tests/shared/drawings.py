"""Diagrams made by layers alone."""

from __future__ import annotations

from dlx import Diagram, Problem
from dlx.counting.drawing import Drawing
from dlx.kernels import EXHAUSTED

MANY = 1 << 60
ENOUGH = 1 << 30


def exhaust(search: Drawing, nodes: int = MANY, updates: int = MANY) -> Drawing:
    """Runs a search in layers to its end, in slices, and checks its kernel after each."""
    while search.run(nodes, updates, MANY) != EXHAUSTED:
        search._kernel.check()
    return search


def drawing(problem: Problem, nodes: int = MANY, updates: int = MANY) -> Drawing:
    """A search in layers that has ended."""
    return exhaust(Drawing(problem, ENOUGH), nodes, updates)


def by_layers(problem: Problem) -> Diagram:
    """The diagram of all covers as layers draw it."""
    return Diagram(problem, *drawing(problem).diagram())
