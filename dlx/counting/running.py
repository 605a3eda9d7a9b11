"""The search for a diagram, which comes to its end or raises an error."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from dlx.engine.limits import Limiting, Limits, Loop, Over, StoppedError
from dlx.kernels import Runnable

_S = TypeVar("_S", bound=Runnable)


def run_to_the_end(make: Callable[[Over], _S], limits: Limiting) -> _S:
    """Makes and runs the search for a diagram, or raises what ended it, as `diagram` does.

    Parameters:
        make: makes it; what it is called with says whether a limit has been reached meanwhile, which may raise
            StoppedError, then and later.
        limits: as for `diagram`.

    Returns:
        The search, which has come to its end.
    """
    if limits.get("max_covers") is not None:
        raise TypeError(f"max_covers is {limits['max_covers']!r}; a diagram has all covers, so it cannot be limited")
    search: _S | None = None
    with Loop(Limits.of(**limits), raises=True) as loop, suppress(StoppedError):
        search = make(loop.over)
        for _ in loop.slices(search):
            pass
    if search is None or not loop.exhausted:
        where = getattr(search, "doing", "") or f"and there are {getattr(search, 'states', 0)} states"
        raise TimeoutError(
            f"{loop.stopped} came before the end of the diagram: {loop.nodes} options have been tried "
            f"in {loop.seconds:.3g} seconds, {where}"
        )
    return search
