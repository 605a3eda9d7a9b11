"""How large a search will be, estimated before it is run by random paths down its tree."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dlx.engine import Kernel, Preference, build
from dlx.problem import Problem
from dlx.search import Covers, duration, whole

TRIAL_NODES, TRIAL_SECONDS = 100_000, 0.1  # how much of the search itself is run, to see what a node costs


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What `estimate` returns: means over random paths, each with its standard error.

    Attributes:
        nodes: the options that a search for all covers will try; without bias.
        covers: the covers that it will find; without bias.
        seconds: the time that counting them will take on this machine; a guess.
        nodes_error: the standard error of `nodes`: chances are about 2 to 1 that the truth is within one of them, where
            many paths were taken and the tree is not too lopsided; it is 0 where all paths told the same.
        covers_error: the standard error of `covers`.
        seconds_error: that of `seconds`, as far as it comes from that of `nodes`.
        samples: the number of paths.
        kernel: the kernel that would run, which the time is for.
    """

    nodes: float
    covers: float
    seconds: float
    nodes_error: float
    covers_error: float
    seconds_error: float
    samples: int
    kernel: str


def estimate(
    problem: Problem,
    samples: int = 1000,
    seed: int = 0,
    *,
    timeout: float | None = None,
    kernel: Kernel = "auto",
    prefer: Preference | None = None,
) -> Estimate:
    """Estimates the nodes, covers and seconds of a search for all covers, by Knuth's random paths.

    A path goes from the root to a leaf, at each node by an option drawn at random. The number of nodes in a tree that
    is everywhere as wide as along that path has the right mean (D. E. Knuth, Estimating the efficiency of backtrack
    programs, Math. Comp. 29 (1975), doi:10.1090/S0025-5718-1975-0373371-6). The tree is that of the kernel "links";
    that of "bits" differs where items tie for the fewest options. With multiplicities it is that of "multi", whose
    nodes depend a little on the order in which it comes upon the options. Seconds are nodes by the time of a node in
    the first 0.1 s of the real search. Large trees that hang by a thin branch are mostly missed: then nodes and errors
    are both too small, and once in a while far too large.

    Parameters:
        problem: what to cover.
        samples: the number of paths, at least 2.
        seed: for other paths; the same seed gives the same nodes and covers.
        timeout: stop taking paths after so many seconds, but not before the second.
        kernel: the kernel that is to run, as for `covers`.
        prefer: its preferred items, as for `covers`.

    Returns:
        The means with their standard errors.

    Raises:
        ProblemError: an item preferred is no primary item.
        ValueError: there are fewer than 2 samples, a limit or the seed is negative, there is no such kernel, or it has
            no preferences.
        TypeError: the samples, the seed or the timeout have the wrong type.

    >>> rooks = Problem.from_options([(f"row {r}", f"column {c}") for r in range(6) for c in range(6)])
    >>> result = estimate(rooks)
    >>> result.nodes, result.covers, result.nodes_error  # 6 + 6*5 + ... + 6!, and 6!: all subtrees are alike
    (1956.0, 720.0, 0.0)
    """
    if samples is None or whole(samples, "samples") < 2:
        raise ValueError(f"samples is {samples}; a spread takes at least 2")
    trial = Covers(
        problem,
        max_nodes=TRIAL_NODES,
        timeout=min(TRIAL_SECONDS, duration(timeout)),
        kernel=kernel,
        prefer=prefer,
        _listing=False,
    )
    trial._advance(1 << 62)
    tallies = _probe(problem, samples, whole(seed, "seed"), duration(timeout), prefer)
    nodes, nodes_error = _mean(tallies[:, 0])
    covers, covers_error = _mean(tallies[:, 1])
    each = trial.seconds / max(1, trial.nodes)
    return Estimate(
        nodes=nodes,
        covers=covers,
        seconds=nodes * each,
        nodes_error=nodes_error,
        covers_error=covers_error,
        seconds_error=nodes_error * each,
        samples=len(tallies),
        kernel=trial.kernel,
    )


def _probe(
    problem: Problem, samples: int, seed: int, timeout: float, prefer: Preference | None
) -> npt.NDArray[np.float64]:
    """The nodes and covers that each path stands for: shape (paths, 2)."""
    _, kernel = build(problem, np.empty((0, problem.max_level), dtype=np.int32), "links", prefer)
    tallies = np.zeros((samples, 2), dtype=np.float64)
    levels = problem.max_level + 1
    rng = np.random.default_rng(seed)
    end = time.perf_counter() + timeout
    for k in range(samples):
        kernel.probe(rng.random(levels), tallies[k])
        if k >= 1 and time.perf_counter() >= end:
            return tallies[: k + 1]
    return tallies


def _mean(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    """The mean and its standard error, also where the squares of the values would be too large."""
    most = float(values.max())
    if most == 0 or math.isinf(most):
        return most, most
    shares = values / most
    return most * float(shares.mean()), most * float(shares.std(ddof=1)) / math.sqrt(len(values))
