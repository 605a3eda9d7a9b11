"""Estimates of a count: random paths down the tree of visits, and a trial of `count`."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, Unpack

import numpy as np

from dlx.counting.layers import Layered
from dlx.counting.portfolio import MILLISECOND, Portfolio
from dlx.counting.product import parts
from dlx.counting.tally import tally_of
from dlx.engine.compiled import random_generator
from dlx.engine.dispatch import KernelName, Preference, build
from dlx.engine.limits import SLICE, Limiting, Limits, Loop, Stop
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED, Kernel
from dlx.problem.checks import MEMORY, whole_number
from dlx.problem.problem import Problem, as_problem
from dlx.problem.shown import Tabled

TRIAL = 100 * MILLISECOND  # work of the trial, to which 4 times the preparation of layers is added
MOST_SAMPLES = 10**7  # paths; each takes 16 bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Tabled):
    """The result of `estimate`: means over random paths with standard errors, and the forecast of a trial.

    Attributes:
        nodes: the options that visiting all covers would try; unbiased.
        covers: the number of covers; unbiased, or exact (`covers_error` 0) if the trial ended.
        seconds: a forecast of the time of `count` on this machine; nan if there was no time for a trial.
        nodes_error: the standard error of `nodes`. With many paths in a balanced tree, the true number is within one
            standard error about two times in three. It is 0 if all paths gave the same number.
        covers_error: the standard error of `covers`.
        seconds_error: the part of the error of `seconds` due to `nodes_error`.
        samples: the number of paths.
        kernel: the kernel expected to end first, as in `Count`.
        merged: whether this kernel merges equal remaining problems.
        states: the states that this kernel will expand; exact if the trial ended, 0 for visits.
        stopped: why there are fewer paths than `samples`, or None.
    """

    nodes: float
    covers: float
    seconds: float
    nodes_error: float
    covers_error: float
    seconds_error: float
    samples: int
    kernel: str
    merged: bool = False
    states: float = 0.0
    stopped: Stop | None


def estimate(
    problem: Problem,
    samples: int = 1000,
    seed: int = 0,
    *,
    kernel: KernelName = "auto",
    prefer: Preference | None = None,
    **limits: Unpack[Limiting],
) -> Estimate:
    """Estimates the nodes and covers of visits by Knuth's random paths, and the time of `count` by a trial.

    A path goes from the root to a leaf; at each node, an option is drawn at random. The number of nodes in a tree that
    is as wide everywhere as along this path is an unbiased estimate (D. E. Knuth, Estimating the efficiency of
    backtrack programs, Math. Comp. 29 (1975), doi:10.1090/S0025-5718-1975-0373371-6). The tree is the tree of the
    kernel "links"; the tree of "bits" differs where an item has a single option. With multiplicities it is the tree of
    "multi", which depends slightly on the order of the options. If most nodes are below a branch that few paths take,
    nodes and errors are mostly far too small, and rarely far too large.

    The trial is the beginning of `count`, about 0.1 s. The seconds are those of the method expected to end first,
    visits or layers, with the share of the other method. If a problem falls into components, covers are the product
    over the components, seconds and states the sum. With a kernel or preferences, the seconds are the nodes times the
    time per node in the trial.

    Parameters:
        problem: what to cover.
        samples: the number of paths, from 2 to ten million.
        seed: the random seed; the same seed gives the same nodes and covers.
        kernel: the kernel that is to run, as for `covers`.
        prefer: its preferred items, as for `covers`.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`);
            max_covers limits the paths that end in a cover, and max_nodes the options on all paths. At least two paths
            are taken for the problem, and for each component.

    Returns:
        The means with their standard errors.

    Raises: as `covers`; also ValueError or TypeError for `samples`.

    >>> rooks = Problem.from_options([(f"row {r}", f"column {c}") for r in range(6) for c in range(6)])
    >>> result = estimate(rooks)
    >>> result.nodes, result.covers, result.nodes_error  # 6 + 6*5 + ... + 6!, and 6!: all subtrees are alike
    (1956.0, 720.0, 0.0)
    >>> square = [(row, column) for row in range(12) for column in range(12)]
    >>> steps = [(cell, (cell[0] + down, cell[1] + 1 - down)) for cell in square for down in (0, 1)]
    >>> result = estimate(Problem.from_options([step for step in steps if step[1] in square]))
    >>> result.kernel, result.nodes > 1e8, result.seconds < 1
    ('layers', True, True)
    """
    samples = whole_number(samples, "samples", 2, MOST_SAMPLES)  # a standard error needs two paths
    draws = random_generator(whole_number(seed, "seed"))
    counts = kernel == "auto" and prefer is None
    with Loop(Limits.of(**limits)) as loop:
        components = parts(as_problem(problem).rows()) if counts else []
        apart = components if len(components) > 1 else []
        trials = [_Trial(part, build(part, kernel, prefer), counts, loop) for part in apart or [problem]]
        whole, *others = [_Paths(each, prefer, samples, draws) for each in (problem, *apart)]
        for paths in (whole, *others):
            loop.exhausted = False
            for _ in loop.slices(paths):
                pass
    estimates = [trial.estimate(paths) for trial, paths in zip(trials, others or [whole], strict=True)]
    result = _together(whole, estimates) if apart else estimates[0]
    return replace(result, stopped=loop.outcome()["stopped"])


class _Trial:
    """The beginning of a count, in at most half of the remaining time.

    Parameters:
        counts: whether layers may be tried, as by `count`.
        loop: the loop of the estimate; Ctrl-C ends it, too.
    """

    def __init__(self, problem: Problem, visiting: Kernel, counts: bool, loop: Loop) -> None:
        self._visiting, self._counts = visiting, counts
        layers = partial(Layered, problem, over=loop.over) if counts else None
        self._portfolio = Portfolio(problem, visiting, layers, MEMORY)
        enough = TRIAL + (4 * self._portfolio.preparing if counts else 0)
        left = max(0.0, loop.limits.timeout - loop.seconds) / 2
        with Loop(Limits.of(timeout=left)) as trial:
            for _ in trial.slices(self._portfolio):
                if self._portfolio.done >= enough:
                    break
        self._seconds, self._ended = trial.seconds, trial.exhausted
        if trial.stopped == "interrupt":
            loop.stopped = "interrupt"

    def estimate(self, paths: _Paths) -> Estimate:
        """Returns the estimate from the trial and random paths."""
        nodes, nodes_error = paths.mean(0)
        covers, covers_error = paths.mean(1)
        is_known = self._ended and (self._counts or not self._visiting.nodes)
        if is_known:
            tally, growth = self._portfolio.tally(), 1.0
            covers, covers_error = _float(tally.covers), 0.0
        elif self._visiting.nodes:
            tally, growth = self._portfolio.outlook(nodes)
        else:  # there was no time for a trial
            tally, growth = tally_of(self._visiting), math.nan
        seconds = self._seconds * growth
        return Estimate(
            nodes=nodes,
            covers=covers,
            seconds=seconds,
            nodes_error=nodes_error,
            covers_error=covers_error,
            seconds_error=0.0 if is_known or tally.merged or not nodes else seconds * (nodes_error / nodes),
            samples=paths.taken,
            kernel=tally.name,
            merged=tally.merged,
            states=float(tally.states),
            stopped=None,
        )


def _together(whole: _Paths, apart: Sequence[Estimate]) -> Estimate:
    """Returns the estimate of a problem from its components: the product of covers, the sum of work."""
    nodes, nodes_error = whole.mean(0)
    covers = math.prod(one.covers for one in apart)
    spread = math.prod(1 + (one.covers_error / one.covers) ** 2 if one.covers else 1.0 for one in apart) - 1
    return Estimate(
        nodes=nodes,
        covers=covers,
        seconds=sum(one.seconds for one in apart),
        nodes_error=nodes_error,
        covers_error=covers * math.sqrt(spread) if covers else 0.0,
        seconds_error=math.hypot(*(one.seconds_error for one in apart)),
        samples=whole.taken,
        kernel=max(apart, key=attrgetter("seconds")).kernel,
        merged=True,
        states=sum(one.states for one in apart),
        stopped=None,
    )


class _Paths:
    """Random paths as a `Runnable`: a node is an option on a path, a cover is a path that ends in a cover."""

    updates = 0

    def __init__(self, problem: Problem, prefer: Preference | None, samples: int, draws: np.random.Generator) -> None:
        self._samples, self._draws, self._levels = samples, draws, problem.max_level + 1
        self._prober: Any = build(problem, "links", prefer)
        self._tallies = np.zeros((samples, 2))  # the nodes and covers that each path represents
        self.nodes = self.covers = self.taken = 0
        for _ in range(2):  # a standard error needs two paths
            self._take()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Takes paths until there are enough, a budget is spent, or 20 ms are over."""
        last_node, last_cover = self.nodes + nodes, self.covers + covers
        end = time.perf_counter() + SLICE
        while self.taken < self._samples:
            if self.nodes >= last_node or time.perf_counter() >= end:
                return BUDGET_SPENT
            if self.covers >= last_cover:
                return BUFFER_FULL
            self._take()
        return EXHAUSTED

    def fraction(self) -> float:
        return self.taken / self._samples

    def mean(self, column: int) -> tuple[float, float]:
        """Returns the mean of the nodes (column 0) or covers (1) with its standard error, without overflow."""
        values = self._tallies[: self.taken, column]
        most = float(values.max())
        if most == 0 or math.isinf(most):
            return most, most
        shares = values / most
        return most * float(shares.mean()), most * float(shares.std(ddof=1)) / math.sqrt(len(values))

    def _take(self) -> None:
        tally = self._tallies[self.taken]
        self.nodes += self._prober.probe(self._draws.random(self._levels), tally)
        self.covers += bool(tally[1] > 0)
        self.taken += 1


def _float(number: int) -> float:
    """Returns the number as a float; infinity if it is too large."""
    try:
        return float(number)
    except OverflowError:
        return math.inf
