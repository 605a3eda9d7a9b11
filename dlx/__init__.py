"""Exact cover by dancing links: all covers of a problem, how many there are, or one of them."""

from dlx.checks import ProblemError
from dlx.compiled import compiled_module
from dlx.estimation import Estimate, estimate
from dlx.optimum import Best, Cover, best, count_reaching
from dlx.preprocessing import reduce
from dlx.problem import Coloured, Problem
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
