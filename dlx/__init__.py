"""Exact cover by dancing links: all covers of a problem, how many there are, a single one, or the best."""

from typing import TYPE_CHECKING

from dlx import start  # noqa: F401  (first: it answers Ctrl-C while the others are loaded)
from dlx.checks import ProblemError
from dlx.diagrams import Diagram, diagram
from dlx.estimation import Estimate, estimate
from dlx.limits import Outcome, Progress
from dlx.optimum import Best, Cover, best, count_reaching
from dlx.preprocessing import reduce
from dlx.problem import Coloured, Problem
from dlx.search import Count, Covers, First, count, covers, first

__all__ = [
    "Best",
    "Coloured",
    "Count",
    "Cover",
    "Covers",
    "Diagram",
    "Estimate",
    "First",
    "Outcome",
    "Problem",
    "ProblemError",
    "Progress",
    "best",
    "count",
    "count_reaching",
    "covers",
    "diagram",
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
