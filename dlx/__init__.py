"""Exact cover by dancing links: all covers of a problem, how many there are, a single one, or the best."""

__command__ = True  # for `dlx.start`

from dlx import start  # noqa: F401, I001  (first: it answers Ctrl-C while the others are loaded)

from typing import TYPE_CHECKING

from dlx.counting.count import count
from dlx.counting.estimate import Estimate, estimate
from dlx.engine.limits import Count, Outcome, Progress
from dlx.optimum.best import Best, best
from dlx.optimum.certificate import Certificate
from dlx.optimum.checking import CertificateError
from dlx.optimum.reaching import count_reaching
from dlx.parallel.errors import CheckpointError, LostPieceError
from dlx.problem.checks import ProblemError
from dlx.problem.cover import Cover
from dlx.problem.problem import Coloured, Problem
from dlx.search.covers import Covers, covers
from dlx.search.first import First, first

__all__ = [
    "Best",
    "Certificate",
    "CertificateError",
    "CheckpointError",
    "Classes",
    "Coloured",
    "Count",
    "Cover",
    "Covers",
    "Deduction",
    "Diagram",
    "Estimate",
    "Event",
    "Explanation",
    "First",
    "Kind",
    "KindsMemoryError",
    "LostPieceError",
    "Outcome",
    "Problem",
    "ProblemError",
    "Progress",
    "Step",
    "Symmetries",
    "Trace",
    "best",
    "classify",
    "count",
    "count_reaching",
    "covers",
    "deduce",
    "diagram",
    "estimate",
    "explain",
    "first",
    "symmetries",
    "trace",
]

if TYPE_CHECKING:
    from dlx import extending as extending
    from dlx import formats as formats
    from dlx import show as show
    from dlx import tiles as tiles
    from dlx.counting.diagram import Diagram, diagram
    from dlx.search.deduce import Deduction, Step, deduce
    from dlx.search.explain import Explanation, explain
    from dlx.search.trace import Event, Trace, trace
    from dlx.symmetry.classification import Classes, KindsMemoryError, classify
    from dlx.symmetry.groups import Symmetries, symmetries
    from dlx.symmetry.orbits import Kind

    __version__: str
else:
    _LATER = {
        "dlx.counting.diagram": ("Diagram", "diagram"),
        "dlx.search.deduce": ("Deduction", "Step", "deduce"),
        "dlx.search.explain": ("Explanation", "explain"),
        "dlx.search.trace": ("Event", "Trace", "trace"),
        "dlx.symmetry.classification": ("Classes", "KindsMemoryError", "classify"),
        "dlx.symmetry.groups": ("Symmetries", "symmetries"),
        "dlx.symmetry.orbits": ("Kind",),
    }
    _MODULES = ("dlx.extending", "dlx.formats", "dlx.show", "dlx.tiles")  # the public modules

    def __dir__() -> list[str]:
        """All public names, those that are not loaded yet, too."""
        return sorted({*globals(), *__all__})

    def __getattr__(name: str) -> object:
        """Loads the names that few programs need, and the version of the distribution, which takes long to find."""
        from importlib import import_module

        for module, names in _LATER.items():
            if name in names:
                return getattr(import_module(module), name)
        if (module := f"{__name__}.{name}") in _MODULES:
            return import_module(module)
        if name == "__version__":
            from importlib.metadata import version

            return version("dancing-cover")
        if name == "JournalError":
            from warnings import warn

            warn("dlx.JournalError is now dlx.CheckpointError", DeprecationWarning, stacklevel=2)
            return CheckpointError
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
