"""The number of covers that reach a score, by a search of the whole tree, pruned by prices."""

from __future__ import annotations

import math
from typing import Any, Literal, Unpack

import numpy as np

from dlx.engine.limits import Count, Limiting, Limits, Loop
from dlx.optimum.matrix import Matrix, with_ranges
from dlx.optimum.parameters import TUNED
from dlx.optimum.sweeping import anneal
from dlx.optimum.units import Units
from dlx.problem.checks import is_whole
from dlx.problem.cover import sign_of
from dlx.problem.problem import Problem, as_problem

AT_ONCE = 64  # covers in the buffer of the kernel


def count_reaching(
    problem: Problem, score: float, sense: Literal["max", "min"] = "max", **limits: Unpack[Limiting]
) -> Count:
    """Counts the covers with a given score or a better score; for the best score, this is the number of ties.

    Parameters:
        problem, sense, limits: as for `best`.
        score: the score to reach. With real weights, a cover also counts if it misses the score by less than a
            tolerance, which depends on the largest weights. The tolerance of `best` can be smaller, since `best`
            searches again without options that are in no best cover.

    Returns:
        The number of covers, as `covers`, and how the search went.

    Raises: as `best`; and ValueError or TypeError if the score is no number.

    >>> problem = Problem.from_options(["ab", "cd", "ac", "bd", "abcd"], weights=[3, 4, 5, 2, 6])
    >>> count_reaching(problem, 7).covers
    2
    """
    sign = sign_of(sense)
    wanted = sign * _number(score)
    problem, loop = as_problem(problem), Loop(Limits.of(**limits))
    with loop:
        units = Units(problem, sign)
        least = units.smallest_sum(wanted)
        matrix = Matrix(*with_ranges(problem.rows()), units.weights)
        width = max(problem.n_primary + 1, problem.max_level)
        kernel = matrix.kernel(np.empty((AT_ONCE, width), dtype=np.int32), 0)
        kernel.target = units.units_at_least(wanted)
        temperatures = TUNED.rounds, units.hottest
        if anneal(kernel.node, TUNED.sweeps, *temperatures, loop.over, report=lambda: loop.report(kernel)):
            for _ in loop.slices(kernel):
                _reject(loop, kernel, units, least)
    _reject(loop, kernel, units, least)  # covers still in the buffer after an interrupt
    return Count(covers=loop.covers, kernel=kernel.name, **loop.outcome())


def _reject(loop: Loop, kernel: Any, units: Units, least: int | float) -> None:
    """Counts the covers in the buffer with a worse score as rejected, and empties the buffer."""
    rejected = int(np.count_nonzero(units.exact[kernel.found()].sum(axis=1) < least))
    loop.rejected, kernel.filled = loop.rejected + rejected, 0


def _number(score: float) -> int | float:
    """Returns a score as a Python number."""
    if is_whole(score):
        return int(score)
    if not isinstance(score, (float, np.floating)):
        raise TypeError(f"score is {score!r}; it must be a number")
    if math.isnan(score):
        raise ValueError("score is nan; it must be a number")
    return float(score)
