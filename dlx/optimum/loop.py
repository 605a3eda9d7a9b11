"""The loop of a search for the best cover, which also stops when the gap between score and bound is small enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dlx.engine.limits import Limits, Loop, Progress
from dlx.kernels import Runnable
from dlx.optimum.units import Score

Status = tuple[Score | None, Score | None]


class BestLoop(Loop):
    """A loop that stops when the score is close enough to the bound, and reports both.

    Attributes:
        gap: the loop stops when bound and score differ by at most this fraction of the score; 0: never.
        status: returns the best score so far, and a bound on all scores; each is None if it is not known.
    """

    def __init__(self, limits: Limits, gap: float = 0.0) -> None:
        super().__init__(limits)
        self.gap = gap
        self.status: Callable[[], Status] = lambda: (None, None)
        self._reported_status: Status | None = None

    def over(self) -> bool:
        """Returns whether to stop, and sets `stopped` to the reason."""
        if not super().over() and self.gap and self._is_close(*self.status()):
            self.stopped = "gap"
        return self.stopped is not None

    def _is_close(self, score: Score | None, bound: Score | None) -> bool:
        """Returns whether the gap is small enough."""
        if score is None or bound is None:
            return False
        return abs(bound - score) <= Fraction(self.gap) * Fraction(abs(score))  # near 2^62, floats are not exact

    def settle(self) -> None:
        """Stores the score and the bound of a search that has ended, and drops the search."""
        status = self.status()
        self.status = lambda: status

    def conclude(self, score: Score | None, bound: Score | None) -> None:
        """Reports the final score and bound, if they differ from those of the last report."""
        progress = self.limits.progress
        if progress is None or not self._kernels or (score, bound) == self._reported_status:
            return
        self.status = lambda: (score, bound)
        with self:
            self._call(progress, self._kernels[-1])

    def _seen(self, kernel: Runnable) -> Progress:
        score, bound = self._reported_status = self.status()
        return replace(super()._seen(kernel), score=score, bound=bound)

    def outcome(self) -> dict[str, Any]:
        """Returns the fields of an `Outcome`; `stopped` is None only if `complete` has cleared it.

        The search has several kernels, so the end of the last kernel does not prove the answer.
        """
        return super().outcome() | {"stopped": self.stopped}
