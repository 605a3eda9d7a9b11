"""The number of covers with a score or a better one: all of the tree that prices leave, by one or by many workers."""

from __future__ import annotations

import math
import os
import sys
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from dlx.engine.limits import Count, Limiting, Limits, Loop
from dlx.optimum import sharing
from dlx.optimum.parameters import TUNED
from dlx.optimum.resuming import Help, helped, nodes_of, repeating, state_of
from dlx.optimum.root import Root
from dlx.optimum.sharing import Ground, Node, SharedTree
from dlx.optimum.units import Units, sign_of
from dlx.parallel.workforce import Workforce
from dlx.problem.checks import UNLIMITED
from dlx.problem.problem import Problem, as_problem

if TYPE_CHECKING:
    from concurrent.futures import Executor


def count_reaching(
    problem: Problem,
    score: float,
    sense: Literal["max", "min"] = "max",
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **limits: Unpack[Limiting],
) -> Count:
    """Counts the covers with a certain score or a better one; with the best score, the covers that tie for it.

    Parameters:
        problem, sense, executor, jobs, limits: as for `best`.
        score: the score to reach; real scores are compared with a tolerance, as `best` does, but with all options: a
            cover counts, too, that is less below it than the `tolerance` of `best`.
        checkpoint: as for `best`; `max_covers` and `max_nodes` count what it has, too.

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
    workforce = Workforce.of(executor, jobs, checkpoint)
    with helped(workforce, problem, {"search": "reaching", "sense": sense, "score": repr(score)}) as help_:
        with loop:
            units = Units(problem, sign)
            least = units.smallest_sum(wanted)
            root = Root(problem, units, sharing.COUNTING, 0, loop)
            kernel, state = root.kernel, help_ and help_.state
            kernel.target = units.units_at_least(wanted)
            with repeating(help_, loop):
                is_priced = root.anneal(TUNED.sweeps, TUNED.rounds)
            if is_priced and not state:
                for _ in loop.slices(kernel, updates=UNLIMITED if help_ is None else sharing.ALONE):
                    _reject(loop, kernel, units, least)
            if help_ and not (loop.exhausted or loop.over()):
                _share(help_, loop, root, Ground(root.makings, kernel, units, 1, least))
        _reject(loop, kernel, units, least)  # what an interrupt has left in the buffer
    found, outcome, most = loop.covers, loop.outcome(), loop.limits.max_covers
    if most < min(found, UNLIMITED):  # workers have found more at once
        found, outcome["stopped"] = most, "max_covers"
    return Count(covers=found, kernel=kernel.name, **outcome)


def _share(help_: Help, loop: Loop, root: Root, ground: Ground) -> None:
    """Searches the open nodes of the root's kernel, or of a checkpoint, by workers."""
    nodes = [*map(Node._make, root.kernel.rest())]
    if help_.state and help_.checkpoint:
        with help_.checkpoint.refusing():
            nodes = nodes_of(help_.state, root.valid_prices(), root.n_options)
    tree = SharedTree(ground, help_.workers(), root.kernel, nodes, loop)
    try:
        help_.follow(loop.slices(tree), lambda: state_of(loop, tree.open()))
    finally:
        tree.close()


def _reject(loop: Loop, kernel: Any, units: Units, least: int | float) -> None:
    """Tells the loop how many covers in the buffer score less, and empties it."""
    rejected = int(np.count_nonzero(units.exact[kernel.found()].sum(axis=1) < least))
    loop.rejected, kernel.filled = loop.rejected + rejected, 0


def _number(score: float) -> int | float:
    """Returns a score as a Python number; one that no float can hold is infinite."""
    if isinstance(score, np.generic):
        score = score.item()
    if isinstance(score, bool) or not isinstance(score, (int, float)):
        raise TypeError(f"score is {score!r}; it must be a number")
    if score != score:
        raise ValueError("score is nan; it must be a number")
    if abs(score) > sys.float_info.max:
        return math.inf if score > 0 else -math.inf
    return score
