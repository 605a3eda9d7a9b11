"""A cover with its score, and the sense in which scores are compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dlx.problem.problem import Label, Problem

Sign = Literal[1, -1]  # what scores are multiplied by so that the largest is the best


@dataclass(frozen=True, slots=True)
class Cover:
    """A cover with its score.

    Attributes:
        score: the sum of the weights of its options: int for whole weights, float for real ones.
        options: the numbers of its options, increasing.
        problem: the problem that it covers.
    """

    score: int | float
    options: tuple[int, ...]
    problem: Problem = field(repr=False, compare=False)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The same options by their names, or by their items.

        They are computed at each access: for 3,000 options that took as long as the rest of `best`.
        """
        return self.problem.labels(self.options)


def sign_of(sense: str) -> Sign:
    """Returns 1 for "max" and -1 for "min", the factor of scores whose largest is the best; else raises ValueError."""
    if sense not in ("max", "min"):
        raise ValueError(f"sense is {sense!r}; it must be 'max' or 'min'")
    return 1 if sense == "max" else -1
