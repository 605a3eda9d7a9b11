"""Exact cover by dancing links: all covers of a problem, how many there are, or one of them."""

from dlx.compiled import compiled_module
from dlx.problem import Problem, ProblemError
from dlx.search import Count, Covers, First, Outcome, count, covers, first

__all__ = [
    "Count",
    "Covers",
    "First",
    "Outcome",
    "Problem",
    "ProblemError",
    "compiled_module",
    "count",
    "covers",
    "first",
]
