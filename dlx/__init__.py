"""Exact cover by dancing links: all covers of a problem, how many there are, or one of them."""

from dlx.best import Best, Cover, best, count_reaching
from dlx.compiled import compiled_module
from dlx.estimate import Estimate, estimate
from dlx.problem import Coloured, Problem, ProblemError
from dlx.reduce import reduce
from dlx.search import Count, Covers, First, Outcome, count, covers, first

__all__ = [
    "Best",
    "Coloured",
    "Count",
    "Cover",
    "Covers",
    "Estimate",
    "First",
    "Outcome",
    "Problem",
    "ProblemError",
    "best",
    "compiled_module",
    "count",
    "count_reaching",
    "covers",
    "estimate",
    "first",
    "reduce",
]
