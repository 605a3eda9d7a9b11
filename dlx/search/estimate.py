"""The size of a search, estimated before it is run by random paths down its tree."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from dlx.engine.dispatch import KernelName, Preference, build
from dlx.engine.limits import SLICE, Limiting, Limits, Loop, Stop
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.problem.checks import whole_number
from dlx.problem.problem import Problem

TRIAL_NODES, TRIAL_SECONDS = 100_000, 0.1  # how much of the search itself is run, to see what a node costs
ROOM = 1 << 12  # paths that there is room for at first


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The result of `estimate`: means over random paths, each with its standard error.

    Attributes:
        nodes: the options that a search for all covers will try; without bias.
        covers: the covers that it will find; without bias.
        seconds: the time that counting them will take on this machine; a guess, and nan if there was no time to see
            what a node costs.
        nodes_error: the standard error of `nodes`: with many paths, in a tree that is not too lopsided, the truth is
            within one of them about two times in three; it is 0 where all paths gave the same number.
        covers_error: the standard error of `covers`.
        seconds_error: that of `seconds`, as far as it comes from that of `nodes`.
        samples: the number of paths.
        kernel: the kernel that would run, which the time is for.
        stopped: why it took fewer paths than it was asked for, or None.
    """

    nodes: float
    covers: float
    seconds: float
    nodes_error: float
    covers_error: float
    seconds_error: float
    samples: int
    kernel: str
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
    """Estimates the nodes, covers and seconds of a search for all covers, by Knuth's random paths.

    A path goes from the root to a leaf, at each node by an option drawn at random. The number of nodes in a tree that
    is everywhere as wide as along that path has the right mean (D. E. Knuth, Estimating the efficiency of backtrack
    programs, Math. Comp. 29 (1975), doi:10.1090/S0025-5718-1975-0373371-6). The tree is that of the kernel "links";
    that of "bits" differs where items have a single option left. With multiplicities it is that of "multi", whose
    nodes depend a little on the order in which it comes upon the options. Seconds are nodes by the time of a node in
    the first 0.1 s of the real search. Where most of the tree lies below a branch that few paths take, nodes and errors
    are mostly far too small, and once in a while far too large.

    Parameters:
        problem: what to cover.
        samples: the number of paths, at least 2.
        seed: for other paths; the same seed gives the same nodes and covers.
        kernel: the kernel that is to run, as for `covers`.
        prefer: its preferred items, as for `covers`.
        limits: max_covers, max_nodes, timeout (in seconds) and progress, as for every search (`Limiting`):
            of the covers that paths end in, and of the options on them. Two paths are taken in any case.

    Returns:
        The means with their standard errors.

    Raises: as `covers`; and ValueError or TypeError if there are fewer than 2 samples, or they are no whole number.

    >>> rooks = Problem.from_options([(f"row {r}", f"column {c}") for r in range(6) for c in range(6)])
    >>> result = estimate(rooks)
    >>> result.nodes, result.covers, result.nodes_error  # 6 + 6*5 + ... + 6!, and 6!: all subtrees are alike
    (1956.0, 720.0, 0.0)
    """
    samples = whole_number(samples, "samples", 2)  # a spread takes two
    draws = np.random.default_rng(whole_number(seed, "seed"))
    checked = Limits.of(**limits)
    with Loop(checked) as loop:
        tried = build(problem, kernel, prefer)
        with Loop(Limits.of(max_nodes=TRIAL_NODES, timeout=min(TRIAL_SECONDS, checked.timeout))) as trial:
            for _ in trial.slices(tried):
                pass
        loop.stopped = "interrupt" if trial.stopped == "interrupt" else None
        paths = _Paths(build(problem, "links", prefer), samples, problem.max_level + 1, draws)
        for _ in loop.slices(paths):
            pass
    tallies = paths.tallies[: paths.taken]
    nodes, nodes_error = _mean(tallies[:, 0])
    covers, covers_error = _mean(tallies[:, 1])
    each = trial.seconds / tried.nodes if tried.nodes else 0.0 if trial.exhausted else math.nan
    return Estimate(
        nodes=nodes,
        covers=covers,
        seconds=nodes * each,
        nodes_error=nodes_error,
        covers_error=covers_error,
        seconds_error=nodes_error * each,
        samples=paths.taken,
        kernel=tried.name,
        stopped=loop.outcome()["stopped"],
    )


class _Paths:
    """Random paths as the loop runs them: a node is an option on a path, a cover one that a path ends in."""

    updates = 0

    def __init__(self, prober: Any, samples: int, levels: int, draws: np.random.Generator) -> None:
        self.samples = samples
        self.tallies = np.zeros((min(samples, ROOM), 2))  # the nodes and covers that each path stands for; it grows
        self.nodes = self.covers = self.taken = 0
        self._prober = prober
        self._levels = levels
        self._draws = draws
        for _ in range(2):  # a spread takes two
            self._take()

    def run(self, nodes: int, updates: int, covers: int, /) -> int:
        """Takes paths until there are enough or a budget is spent; what a path costs, only the clock tells."""
        last_node, last_cover = self.nodes + nodes, self.covers + covers
        end = time.perf_counter() + SLICE
        while self.taken < self.samples:
            if self.nodes >= last_node or time.perf_counter() >= end:
                return BUDGET_SPENT
            if self.covers >= last_cover:
                return BUFFER_FULL
            self._take()
        return EXHAUSTED

    def fraction(self) -> float:
        return self.taken / self.samples

    def _take(self) -> None:
        if self.taken == len(self.tallies):
            self.tallies = np.concatenate([self.tallies, np.zeros_like(self.tallies)])
        tally = self.tallies[self.taken]
        self.nodes += self._prober.probe(self._draws.random(self._levels), tally)
        self.covers += bool(tally[1] > 0)
        self.taken += 1


def _mean(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The mean and its standard error, also where the squares of the values would be too large."""
    most = float(values.max())
    if most == 0 or math.isinf(most):
        return most, most
    shares = values / most
    return most * float(shares.mean()), most * float(shares.std(ddof=1)) / math.sqrt(len(values))
