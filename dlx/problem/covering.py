"""Why some options are no cover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from dlx.problem.checks import ProblemError, unique
from dlx.problem.roles import CHOSEN, ranges

if TYPE_CHECKING:
    from dlx.show.notebooks import ShownProblem


def fault(problem: ShownProblem, options: Sequence[int]) -> str:
    """What keeps some options from being a cover; nothing, if they are one.

    Parameters:
        problem: what they should cover.
        options: numbers of its options, in any order.

    >>> from dlx import Problem
    >>> problem = Problem.from_options(["ab", "cd", "ac", "bd"], items="abcd")
    >>> fault(problem, [1, 0]), fault(problem, [0, 2]), fault(problem, [1])
    ('', "options 0 and 2 both have 'a'", "the item 'a' is not covered")
    """
    try:
        roles = problem.with_chosen(unique(options, "option")).roles
    except ProblemError as error:
        return str(error)
    lost = np.setdiff1d(np.flatnonzero(roles == CHOSEN), options)
    if len(lost):
        return f"option {lost[0]}, which has been chosen, is not in it"
    owner = np.repeat(np.arange(problem.n_options), np.diff(problem.indptr))
    times = np.bincount(problem.indices[np.isin(owner, options)], minlength=problem.n_items)
    bare = np.flatnonzero(times < ranges(problem)[:, 0])
    if not len(bare):
        return ""
    number = int(times[bare[0]])
    often = ("not covered", "covered once only")[number] if number < 2 else f"covered {number} times only"
    return f"the item {problem.items[bare[0]]!r} is {often}"
