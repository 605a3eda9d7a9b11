"""A cover with its score, and the sense in which scores are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dlx.problem.problem import Label, Problem

Sign = Literal[1, -1]  # factor that makes the largest score the best


@dataclass(frozen=True, slots=True)
class Cover:
    """A cover with its score.

    Attributes:
        score: the sum of the weights of its options: int for whole weights, float for real weights.
        options: the numbers of its options, in increasing order.
        problem: the problem that it covers.
    """

    score: int | float
    options: tuple[int, ...]
    problem: Problem = field(repr=False, compare=False)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The names of the options, or their items if they have no names.

        The labels are computed at each access, since for 3,000 options this took as long as the rest of `best`.
        """
        return self.problem.labels(self.options)


def sign_of(sense: str) -> Sign:
    """Returns 1 for "max" and -1 for "min", which makes the largest score the best; else raises ValueError."""
    if sense not in ("max", "min"):
        raise ValueError(f"sense is {sense!r}; it must be 'max' or 'min'")
    return 1 if sense == "max" else -1
