"""The names for authors of further kernels and searches: the loader, the interfaces, the limits and the loop.

A kernel is a source that begins with a `# cython:` line and has a class that extends `Frame`. Its header, the `.pxd`
file in the same folder, begins with `from dlx.kernels.cover.frame cimport Frame`. `docs/architecture.md` has the
contract, and the kernels of this package are examples. A search is then

    with Loop(Limits.of(timeout=1.5)) as loop:
        for state in loop.slices(kernel):
            ...  # take the covers of `kernel.found()`, and set `kernel.filled` to 0

Afterwards `loop.exhausted`, `loop.stopped` and `loop.outcome()` describe the result.

A `Crew` of `Workers` runs tasks on an executor; a `Workforce` checks the arguments.
"""

from typing import TYPE_CHECKING, Any

from dlx.counting.count import Merge
from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Limiting, Limits, Loop, Outcome, Progress, Stop, StoppedError
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, DONE, ENTER, EXHAUSTED, TRY, Kernel, Runnable
from dlx.parallel.workforce import Workforce
from dlx.problem.checks import UNLIMITED
from dlx.problem.shown import Shown

if TYPE_CHECKING:
    from dlx.parallel.crew import Crew, Workers

Frame = compiled_module("dlx.kernels.cover.frame").Frame

__all__ = [
    "BUDGET_SPENT",
    "BUFFER_FULL",
    "DONE",
    "ENTER",
    "EXHAUSTED",
    "TRY",
    "UNLIMITED",
    "Crew",
    "Frame",
    "Kernel",
    "Limiting",
    "Limits",
    "Loop",
    "Merge",
    "Outcome",
    "Progress",
    "Runnable",
    "Shown",
    "Stop",
    "StoppedError",
    "Workers",
    "Workforce",
    "compiled_module",
]


def __getattr__(name: str) -> Any:
    """Loads `Crew` and `Workers` at their first use, since pools take as long to import as everything else."""
    if name not in ("Crew", "Workers"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dlx.parallel import crew

    return getattr(crew, name)
