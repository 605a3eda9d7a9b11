"""Exact cover by dancing links: all covers of a problem, how many there are, a single one, or the best."""

from typing import TYPE_CHECKING

from dlx import start  # noqa: F401  (first: it answers Ctrl-C while the others are loaded)
from dlx.checks import ProblemError
from dlx.counting import Count, count
from dlx.estimation import Estimate, estimate
from dlx.limits import Outcome, Progress
from dlx.optimum import Best, Cover, best, count_reaching
from dlx.preprocessing import reduce
from dlx.problem import Coloured, Problem
from dlx.search import Covers, First, covers, first

__all__ = [
    "Best",
    "Classes",
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
    "Symmetries",
    "best",
    "classify",
    "count",
    "count_reaching",
    "covers",
    "diagram",
    "estimate",
    "first",
    "reduce",
    "symmetries",
]

if TYPE_CHECKING:
    from dlx.classification import Classes, classify
    from dlx.diagrams import Diagram, diagram
    from dlx.symmetry import Symmetries, symmetries

    __version__: str
else:

    def __getattr__(name: str) -> object:
        """What takes long to load and few programs need: diagrams, symmetries, and the version of the distribution."""
        if name in ("Diagram", "diagram"):
            from dlx import diagrams

            return getattr(diagrams, name)
        if name in ("Classes", "classify"):
            from dlx import classification

            return getattr(classification, name)
        if name in ("Symmetries", "symmetries"):
            from dlx import symmetry

            return getattr(symmetry, name)
        if name == "__version__":
            from importlib.metadata import version

            return version("dancing-cover")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
