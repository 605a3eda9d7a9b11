"""Estimates of searches: their means are the truth, their errors say how far off they are, and they change nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from families import build
from kernels import watched
from oracle import random_problem
from seeds import for_seeds

from dlx import Coloured, Problem, count, covers, estimate
from dlx.engine.dispatch import build as build_kernel

WORDS = ["abc", "bca", "cab", "aab", "abb", "bba", "cba", "acb", "bac"]
SQUARES = Problem.from_options(
    {
        (*line, word): [
            line,
            *(Coloured((line[1], n) if line[0] == "row" else (n, line[1]), word[n]) for n in range(3)),
        ]
        for line in [(kind, k) for kind in ("row", "column") for k in range(3)]
        for word in WORDS
    },
    secondary=[(r, c) for r in range(3) for c in range(3)],
)
KNOWN = {
    "queens 6": build("queens", 6),
    "Langford 7": build("langford", 7),
    "dominoes 4x4": build("dominoes", 4, 4),
    "Latin squares of order 3": build("latin", 3),
    "partitions of 5": build("partitions", 5),
    "toy": build("toy"),
    "word squares": SQUARES,
    "word squares with a given": SQUARES.with_chosen([0]),
    "queens 6 without some": build("queens", 6).without(range(3)),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("backwards", [False, True])
def test_means_are_the_truth(name: str, backwards: bool) -> None:
    """Nodes and covers over many paths come within four standard errors of those of the search in that order."""
    problem = KNOWN[name]
    prefer = problem.items[: problem.n_primary][::-1] if backwards else None
    result = estimate(problem, samples=4000, seed=1, prefer=prefer)
    truth = count(problem, kernel="links", prefer=prefer)
    assert abs(result.nodes - truth.nodes) <= 4 * result.nodes_error + 1e-9 * truth.nodes
    assert abs(result.covers - truth.covers) <= 4 * result.covers_error + 1e-9 * truth.covers


def test_errors_are_the_spread_over_seeds() -> None:
    """The standard error is how far apart estimates with different seeds are, and they scatter about the truth."""
    problem = build("queens", 7)
    truth = count(problem, kernel="links").nodes
    results = [estimate(problem, samples=60, seed=seed) for seed in range(200)]
    spread = np.std([r.nodes for r in results])
    assert 0.7 * spread < np.mean([r.nodes_error for r in results]) < 1.4 * spread
    assert abs(np.mean([r.nodes for r in results]) - truth) < 4 * spread / math.sqrt(200)
    inside = np.mean([abs(r.nodes - truth) <= r.nodes_error for r in results])
    assert 0.5 < inside < 0.85, "two thirds of them should be within a standard error"


@pytest.mark.parametrize(
    "problem",
    [
        *(build("rooks", n) for n in (1, 2, 5)),
        Problem.from_options([]),
        Problem.from_options([], items="a"),
        Problem.from_options(["x"], secondary="x"),
    ],
    ids=repr,
)
def test_uniform_trees_are_estimated_exactly(problem: Problem) -> None:
    """The error is 0 if all options of an item have subtrees of one size, or nothing is to be searched."""
    truth, result = count(problem, kernel="links"), estimate(problem, samples=5)
    assert (result.nodes, result.covers) == (truth.nodes, truth.covers)
    assert (result.nodes_error, result.covers_error, result.seconds_error) == (0, 0, 0)


@pytest.mark.slow
def test_huge_searches() -> None:
    """A search of 10^160 nodes is estimated without overflow; and a long one in seconds of its kernel."""
    result = estimate(build("rooks", 100), samples=3)
    assert math.isclose(result.covers, math.factorial(100), rel_tol=1e-9)
    assert math.isclose(result.nodes, math.e * math.factorial(100), rel_tol=1e-9)
    assert result.seconds > 1e100
    assert result.kernel == count(build("rooks", 100), max_nodes=1).kernel
    assert estimate(build("rooks", 300), samples=3).nodes == math.inf


TWICE = Problem.from_options(
    [(f"r{r}", f"c{c}") for r in range(5) for c in range(5)],
    multiplicities={f"{line}{k}": 2 for line in "rc" for k in range(5)},
)
SOME = Problem.from_options(
    [(f"r{r}", f"c{c}") for r in range(4) for c in range(4)],
    multiplicities={f"{line}{k}": (0, 2) for line in "rc" for k in range(4)},
)


@pytest.mark.parametrize(
    ("problem", "expected"), [(TWICE, 2040), (TWICE.with_chosen([0, 6]), None), (SOME, None)], ids=repr
)
def test_multiplicities(problem: Problem, expected: int | None) -> None:
    """Covers with multiplicities have the right mean, and nodes nearly: 2040 matrices with two ones a line."""
    truth = count(problem)
    assert expected in (None, truth.covers)
    result = estimate(problem, samples=4000)
    assert result.kernel == "multi"
    assert 0 < abs(result.covers - truth.covers) <= 4 * result.covers_error < truth.covers
    assert abs(result.nodes - truth.nodes) <= 4 * result.nodes_error + truth.nodes / 10


@pytest.mark.slow
def test_samples_take_memory_as_they_come() -> None:
    """A number of paths that no memory can hold is none of a problem if a limit stops them."""
    result = estimate(build("toy"), samples=10**15, max_nodes=200_000)
    assert result.stopped == "max_nodes"
    assert 10_000 < result.samples < 10**6


# Preferences in searches


@for_seeds(200)
def test_preferences_do_not_change_the_covers(seed: int) -> None:
    """Covers are the same whatever items are preferred, each found once, and the kernel's invariants hold."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng)
    items = list(problem.items[: problem.n_primary])
    ranks = {items[k]: int(rng.integers(-2, 3)) for k in rng.permutation(len(items))[: len(items) // 2]}
    expected = sorted(tuple(sorted(c)) for c in covers(problem))
    for prefer in (items[::-1], items[:2], ranks, {}):
        assert sorted(tuple(sorted(c)) for c in covers(problem, prefer=prefer)) == expected
    watched(rng, build_kernel(problem, prefer=ranks))
