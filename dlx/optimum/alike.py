"""Merges options with the same items and weights into one option that can be chosen several times.

Covers that differ only in which copies they use become one cover. The search branches on whether the option is chosen
once more, not on each copy.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from dlx.problem.problem import Problem
from dlx.problem.roles import FREE, LEFT_OUT, Rows, rows_for_kernels


class Merged:
    """The rows of a problem in which the first of several equal options stands for all of them.

    Attributes:
        rows: the rows; the other options have no items.
        times: the number of options that each option stands for, at least 1; int32, shape (n_options,).

    Parameters:
        worth: the weight of each option.
        merging: if False, no options are merged.

    >>> problem = Problem.from_options(["ab", "a", "ab", "ab"], multiplicities={"a": 3, "b": 2})
    >>> merged = Merged(problem, np.array([7, 5, 7, 6]))
    >>> merged.times.tolist(), merged.expand(np.array([0, 0, 1])).tolist()
    ([2, 1, 1, 1], [0, 1, 2])
    """

    def __init__(self, problem: Problem, worth: npt.NDArray[Any], merging: bool = True) -> None:
        self._copies: dict[int, list[int]] = {}
        for group in problem.rows().alike if merging else ():
            for _, same in groupby(sorted(group, key=worth.__getitem__), key=worth.__getitem__):
                first, *others = same
                if others:
                    self._copies[first] = [first, *others]
        self.times = np.ones(problem.n_options, dtype=np.int32)
        roles = np.full(problem.n_options, FREE, dtype=np.int8)
        for first, copies in self._copies.items():
            self.times[first] = len(copies)
            roles[copies[1:]] = LEFT_OUT
        self.rows: Rows = rows_for_kernels(problem.rows(), roles if self._copies else None)

    def expand(self, options: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Returns a cover in the option numbers of the problem, in increasing order."""
        if not self._copies:
            return np.sort(options)
        options, times = np.unique(options, return_counts=True)
        copies = zip(options.tolist(), times.tolist(), strict=True)
        return np.sort(np.array([p for o, n in copies for p in self._copies.get(o, [o])[:n]], dtype=np.int32))


def undominated(problem: Problem, worth: npt.NDArray[Any]) -> Problem:
    """Omits dominated options: of options with the same items, keeps the best ones, as many as a cover can have.

    >>> undominated(Problem.from_options(["ab", "ab", "b", "ba"]), np.array([3, 5, 9, 5]))
    Problem(2 items, 4 options, 7 entries, 2 left out)
    """
    rows = problem.rows()
    if not rows.alike:
        return problem
    plain = rows.multiplicities is None
    room = [] if plain else rows.rooms(rows.ranges()[:, 1]).tolist()
    gone = []
    for group in rows.alike:
        times = 1 if plain else room[group[0]]
        if times < len(group):
            gone += sorted(group, key=worth.__getitem__, reverse=True)[times:]
    return problem.without(gone) if gone else problem
