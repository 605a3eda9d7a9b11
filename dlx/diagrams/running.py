"""The search for a diagram: to its end, or not at all."""

from __future__ import annotations

from dlx.kernels import Runnable
from dlx.limits import Limiting, Limits, Loop


def run_to_the_end(search: Runnable, limits: Limiting) -> None:
    """Runs the search for a diagram, or raises what ended it, as `diagram` does."""
    if limits.get("max_covers") is not None:
        raise TypeError(f"max_covers is {limits['max_covers']!r}; a diagram has all covers, so it cannot be limited")
    with Loop(Limits.of(**limits), raises=True) as loop:
        for _ in loop.slices(search):
            pass
    if not loop.exhausted:
        where = getattr(search, "doing", f"and {search.fraction():.2%} of the search is done")
        raise TimeoutError(
            f"{loop.stopped} came before the end of the diagram: {search.nodes} options have been tried "
            f"in {loop.seconds:.3g} seconds, {where}"
        )
