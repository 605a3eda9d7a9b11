"""Exact cover by dancing links: all covers of a problem, how many there are, a single one, or the best."""

from typing import TYPE_CHECKING

from dlx import start  # noqa: F401  (first: it answers Ctrl-C while the others are loaded)
from dlx.bounds.certificate import Certificate
from dlx.checks import ProblemError
from dlx.counting.count import Count, count
from dlx.estimation import Estimate, estimate
from dlx.limits import Outcome, Progress
from dlx.optimum import Best, Cover, best, count_reaching
from dlx.preprocessing import reduce
from dlx.problem import Coloured, Problem
from dlx.scale.errors import JournalError, LostPieceError
from dlx.search import Covers, First, covers, first

__all__ = [
    "Best",
    "Certificate",
    "Classes",
    "Coloured",
    "Count",
    "Cover",
    "Covers",
    "Diagram",
    "Estimate",
    "Event",
    "Explanation",
    "First",
    "Folded",
    "JournalError",
    "Kind",
    "LostPieceError",
    "Outcome",
    "Problem",
    "ProblemError",
    "Progress",
    "Symmetries",
    "Trace",
    "best",
    "classify",
    "count",
    "count_reaching",
    "covers",
    "diagram",
    "estimate",
    "explain",
    "first",
    "folded",
    "reduce",
    "symmetries",
    "trace",
]

if TYPE_CHECKING:
    from dlx import dance as dance  # by their own names: then strict checkers see them
    from dlx import drawing as drawing
    from dlx import extending as extending
    from dlx import formats as formats
    from dlx.diagrams.diagram import Diagram, diagram
    from dlx.diagrams.folded import Folded, folded
    from dlx.explaining import Explanation, explain
    from dlx.symmetry.classification import Classes, Kind, classify
    from dlx.symmetry.groups import Symmetries, symmetries
    from dlx.tracing import Event, Trace, trace

    __version__: str
else:
    _LATER = {
        "Classes": "dlx.symmetry.classification",
        "Diagram": "dlx.diagrams.diagram",
        "Event": "dlx.tracing",
        "Explanation": "dlx.explaining",
        "Folded": "dlx.diagrams.folded",
        "Kind": "dlx.symmetry.classification",
        "Symmetries": "dlx.symmetry.groups",
        "Trace": "dlx.tracing",
        "classify": "dlx.symmetry.classification",
        "diagram": "dlx.diagrams.diagram",
        "explain": "dlx.explaining",
        "folded": "dlx.diagrams.folded",
        "symmetries": "dlx.symmetry.groups",
        "trace": "dlx.tracing",
    }
    _MODULES = ("dlx.dance", "dlx.drawing", "dlx.extending", "dlx.formats")  # those that are public

    def __dir__() -> list[str]:
        """All public names, those that are not loaded yet, too."""
        return sorted({*globals(), *__all__})

    def __getattr__(name: str) -> object:
        """What few programs need, and the version of the distribution, which takes long to find."""
        from importlib import import_module

        if name in _LATER:
            return getattr(import_module(_LATER[name]), name)
        if (module := f"{__name__}.{name}") in _MODULES:
            return import_module(module)
        if name == "__version__":
            from importlib.metadata import version

            return version("dancing-cover")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
