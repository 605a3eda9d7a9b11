"""The best cover by weight, or the k best, with a proof: branch and bound on Lagrangian bounds.

A small problem is solved by plain search within a few thousand nodes. Otherwise the kernel `branch_and_bound` prices
the items, and searches with restarts; each restart has better prices and a better target (`dlx.optimum.search`). A
search that ends has proven that there is no better cover.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from dlx.engine.dispatch import new_kernel
from dlx.engine.limits import Limiting, Limits, Outcome
from dlx.optimum.certificate import Certificate
from dlx.optimum.components import ComponentSearch
from dlx.optimum.loop import BestLoop
from dlx.optimum.search import BestSearch, Request
from dlx.optimum.sharing import resources_of
from dlx.optimum.units import Score, Units
from dlx.parallel.workforce import Workforce
from dlx.problem.checks import part, whole_number
from dlx.problem.cover import Cover, sign_of
from dlx.problem.problem import Problem, as_cover, as_problem

if TYPE_CHECKING:
    from concurrent.futures import Executor

FINER = 16  # the problem is searched again if this divides the tolerance by at least this factor
SEEDS = 1 << 31  # different seeds
NO_WEIGHTS = "no weights, so every cover scores 0; give each option the weight 1 to find the fewest options"

Ended = BestSearch | ComponentSearch


@dataclass(frozen=True, slots=True, kw_only=True)
class Best(Outcome):
    """The result of `best`, and how the search went.

    Attributes:
        covers: the best covers found, the best one first; empty if none was found.
        bound: no cover scores better than this by more than the tolerance; None if it is proven that there is no cover.
        proven: whether `covers` are the best ones, or all covers if there are fewer than k.
        tolerance: with real weights, another cover may be better by at most this number; 0 for whole weights.
        certificate: the proof of the answer. None without `certificate=True`, if the answer is not proven, or if the
            second search was stopped (as `stopped` says) or would record more than 128 MB.
        problem: the problem.
    """

    covers: tuple[Cover, ...]
    bound: int | float | None
    proven: bool
    tolerance: float
    certificate: Certificate | None = None
    problem: Problem = field(repr=False, compare=False)

    @property
    def score(self) -> int | float | None:
        """The best score, or None if no cover was found."""
        return self.covers[0].score if self.covers else None


def best(
    problem: Problem,
    sense: Literal["max", "min"] = "max",
    k: int = 1,
    *,
    seed: int = 0,
    start: Iterable[int] | Cover | None = None,
    gap: float = 0.0,
    certificate: bool = False,
    executor: Executor | None = None,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **limits: Unpack[Limiting],
) -> Best:
    """Finds the cover of the best score, or the k best ones, and proves that there are no better ones.

    The bound is the dual of the linear program of set partitioning (`dlx.kernels.price.node`). The components of a
    problem are searched one by one. If k is 1, options with the same items and weights are merged. If a cover can hold
    at most m options with the same items, the search prices only the best m of them. Options that a node forces are
    tried together with this node, even beyond `max_nodes`. Ctrl-C ends the search, not the program: the result has the
    best cover so far and the bound, unproven, with `stopped == "interrupt"`.

    Parameters:
        problem: what to cover; without weights every score is 0, which a warning says.
        sense: whether the largest or the smallest score is the best.
        k: how many covers to find, at least 1; covers with equal scores are chosen arbitrarily.
        seed: a whole number from 0 that varies the search; the same seed gives the same result, unless a timeout,
            Ctrl-C or workers change the search.
        start: a known cover, from another result or as option numbers in any order; only better covers are searched
            for.
        gap: stop, with `stopped == "gap"`, once bound and best score differ by at most this fraction of the score.
        certificate: whether to record a proof, in a second search of the whole problem in one process; only for k = 1.
        executor, jobs: the workers and the number of tasks at a time, as for `count`; default: one thread, no workers.
            Workers start after some tenths of a second, and share the open nodes (`dlx.optimum.sharing`). They change
            the number of nodes, but not the scores.
        checkpoint: a file from which the same call continues: it has the open nodes and the best covers so far
            (`dlx.parallel.checkpoint`). A search that ends before the tree is shared writes none. `max_nodes` and
            `max_covers` include the work saved in a checkpoint.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`).

    Returns:
        The covers in order, the bound, whether they are proven, and the certificate.

    Raises:
        ValueError: `sense` is neither "max" nor "min"; or k is less than 1, or more than 1 with a certificate; or the
            seed, the gap or a limit is negative; or `start` is no cover.
        IndexError: `start` has an option that the problem has not.
        CheckpointError: the checkpoint is damaged, in use, or of another search.
        LostPieceError: several workers in a row have died with the same task.
        TypeError: k, the seed, an option in `start`, the gap or a limit has the wrong type, or a limit is unknown.

    >>> problem = Problem.from_options(["ab", "cd", "ac", "bd", "abcd"], weights=[3, 4, 5, 1, 6])
    >>> result = best(problem, k=2)
    >>> [(cover.score, cover.options) for cover in result.covers], result.proven
    ([(7, (0, 1)), (6, (2, 3))], True)
    >>> best(problem, "min", start=[4]).score
    6
    >>> result = best(problem, start=[0, 1], gap=0.5)
    >>> result.score, result.stopped
    (7, None)
    """
    k = whole_number(k, "k", 1)
    seed = whole_number(seed, "seed") % SEEDS
    if certificate and k > 1:
        raise ValueError(f"k is {k}; a certificate is of one cover, so that it must be 1")
    problem = as_problem(problem)
    start = start.options if isinstance(start, Cover) else start
    known = None if start is None else as_cover(problem, start, "start")
    loop = BestLoop(Limits.of(**limits), part(gap, "gap"))
    identity = {"search": "best", "sense": sense, "k": k, "seed": seed}
    asked = Request(problem, sign_of(sense), k, seed, loop, known)
    with resources_of(Workforce.of(executor, jobs, checkpoint), problem, identity) as resources:
        request = replace(asked, resources=resources)
        search = first = _searched(request)
        numbers, coarse_bound = count(1), math.inf
        while search.is_proven and (finer := _finer(request, search)) is not None:
            loop.complete()
            coarse, (score, options) = search, search.incumbents.covers[0]
            coarse_bound = score + coarse.units.tolerance
            named = resources.named(str(next(numbers)))
            request = replace(request, problem=finer, start=options, resources=named)
            search = _searched(request, coarse)
            if not search.is_proven:
                for cover in coarse.incumbents.covers:  # covers of the problem, not yet proven to be the best
                    search.incumbents.offer(*cover)
    if search.is_proven:
        loop.complete()
    result = _result(search, asked, coarse_bound)
    loop.conclude(result.score, result.bound)
    if problem.weights is None and result.covers:
        warnings.warn(NO_WEIGHTS, stacklevel=2)
    if not (certificate and result.proven):
        return result
    proof = None
    loop.gap = 0.0  # otherwise the second search would stop at once
    with loop:
        if isinstance(search, ComponentSearch) or search is not first:  # a proof needs the whole problem
            search = BestSearch(replace(asked, start=result.covers[0].options if result.covers else None))
        proof = search.certify()
    loop.settle()
    if proof is not None:
        loop.complete()
    return replace(result, certificate=proof, **loop.outcome())


def _searched(request: Request, last: Ended | None = None) -> Ended:
    """Runs a search and returns it; returns `last` if Ctrl-C comes before the new search exists."""
    search = last
    with request.loop:
        parts = new_kernel("components", request.problem.rows())
        search = BestSearch(request) if parts.choices < 2 else ComponentSearch(request, parts)
        search.run()
    assert search is not None  # until its first kernel has begun, a loop lets Ctrl-C through
    search.finish()
    return search


def _finer(request: Request, search: Ended) -> Problem | None:
    """Returns the problem without options that are in no better cover, if its scores have a finer unit; else None.

    Prices are whole multiples of a unit that the largest weight determines. If some options cost a million times as
    much as the others, for example to make a cover possible, the unit is too coarse for the others. A tolerance within
    the gap is fine enough.
    """
    units, least = search.units, search.incumbents.least
    if least is None or units.tolerance <= request.loop.gap * abs(search.incumbents.covers[0][0]):
        return None
    with np.errstate(over="ignore"):
        hopeless = units.exact[:-1] + units.naive < least - units.tolerance
    if not hopeless.any():
        return None
    weights = np.where(hopeless, 0.0, units.exact[:-1] * request.sign)
    finer = replace(request.problem.without(np.flatnonzero(hopeless).tolist()), weights=weights)
    return finer if Units(finer, request.sign).tolerance < units.tolerance / FINER else None


def _result(search: Ended, asked: Request, coarse_bound: Score) -> Best:
    """Returns the result of the last search; `coarse_bound` is the upper bound of earlier searches."""
    sign, problem = asked.sign, asked.problem
    covers = tuple(Cover(sign * score + 0, options, problem) for score, options in search.incumbents.covers[: asked.k])
    bound = search.bound
    if bound is not None and not search.is_proven:
        bound = sign * min(sign * bound, coarse_bound)
    known: dict[str, Any] = {"proven": search.is_proven, "tolerance": search.units.tolerance, "problem": problem}
    return Best(covers=covers, bound=None if bound is None else bound + 0, **known, **asked.loop.outcome())
