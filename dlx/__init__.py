"""Exact cover by dancing links: all covers of a problem, how many there are, or one of them."""

from typing import TYPE_CHECKING

from dlx.compiled import compiled_module
from dlx.estimation import Estimate, estimate
from dlx.optimum import Best, Cover, best, count_reaching
from dlx.preprocessing import reduce
from dlx.problem import Coloured, Problem, ProblemError
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

if TYPE_CHECKING:
    __version__: str
else:

    def __getattr__(name: str) -> str:
        """The version of the distribution, which takes longer to look up than all the rest takes to import."""
        if name != "__version__":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib.metadata import version

        return version("dancing-cover")
