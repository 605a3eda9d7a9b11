"""The loop of a search for the best cover: it also stops once the gap between score and bound is small enough."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from dlx.engine.limits import Limits, Loop, Progress
from dlx.kernels import Runnable


class BestLoop(Loop):
    """A loop that stops when the score is close enough to the bound, and reports both.

    Attributes:
        gap: the difference between bound and score, as a part of the score, at which the loop stops; 0 for never.
        score: the best score so far.
        bound: no cover scores better.
    """

    def __init__(self, limits: Limits, gap: float = 0.0) -> None:
        super().__init__(limits)
        self.gap = gap
        self.score: int | float | None = None
        self.bound: int | float | None = None
        self._reported_values: tuple[int | float | None, int | float | None] | None = None  # score and bound

    def over(self) -> bool:
        """Returns whether to stop here, and if so `stopped` says why."""
        if not super().over() and self._is_close():
            self.stopped = "gap"
        return self.stopped is not None

    def _is_close(self) -> bool:
        """Returns whether the score is as close to the bound as it has to be."""
        if not self.gap or self.score is None or self.bound is None:
            return False
        apart, size = abs(self.bound - self.score), abs(self.score)
        if isinstance(apart, int) and isinstance(size, int) and math.isfinite(self.gap):
            part, whole = self.gap.as_integer_ratio()  # exact: near 2^62 a float is some units wide
            return apart * whole <= part * size
        return apart <= self.gap * size

    def conclude(self, score: int | float | None, bound: int | float | None) -> None:
        """Reports the final score and bound, if they differ from those of the last report."""
        progress = self.limits.progress
        if progress is None or not self._kernels or (score, bound) == self._reported_values:
            return
        self.score, self.bound = score, bound
        with self:
            self._call(progress, self._kernels[-1])

    def begin_again(self) -> None:
        """Forgets the score and the bound before another search."""
        self.complete()
        self.score = self.bound = None

    def _seen(self, kernel: Runnable) -> Progress:
        self._reported_values = self.score, self.bound
        return replace(super()._seen(kernel), score=self.score, bound=self.bound)

    def outcome(self) -> dict[str, Any]:
        """Returns the fields of an `Outcome`; `stopped` is None only if `complete` has cleared it.

        The search has several kernels, so the end of the last kernel does not prove the answer.
        """
        return super().outcome() | {"stopped": self.stopped}
