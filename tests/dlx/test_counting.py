"""Counting: by merging and by visiting the same numbers, which of the two is taken, and what the result says of it."""

from __future__ import annotations

import numpy as np
import pytest
from families import build
from oracle import KINDS, random_problem
from seeds import for_seeds
from waiting import WAIT

from dlx import Problem, count, reference


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(300)
def test_merging_counts_what_visiting_does(kind: str, seed: int) -> None:
    """On random problems of each kind both ways find as many covers as the reference, with little memory too."""
    problem = random_problem(np.random.default_rng([seed, 31]), kind)
    number = sum(1 for _ in reference.covers(problem))
    for merge in ("auto", "never", "same"):
        result = count(problem, merge=merge)
        assert (result.covers, result.exhausted, result.merged) == (number, True, merge == "same")
    assert count(problem, merge="same", memory=0).covers == number


@pytest.mark.parametrize("n", [100, 400, 600, pytest.param(1200)])
def test_deep_searches(n: int) -> None:
    """Merging is found to pay even if the first descent alone takes thousands of nodes."""
    board = [(r, c) for c in range(n) for r in range(4)]
    down = [[(r, c), (r + 1, c)] for r, c in board if r < 3]
    right = [[(r, c), (r, c + 1)] for r, c in board if c < n - 1]
    result = count(Problem.from_options(down + right, items=board), timeout=WAIT)
    assert (result.merged, result.exhausted) == (True, True)
    a = [1, 1, 5, 11]  # a(n) = a(n - 1) + 5 a(n - 2) + a(n - 3) - a(n - 4), OEIS A005178
    while len(a) <= n:
        a.append(a[-1] + 5 * a[-2] + a[-3] - a[-4])
    assert result.covers == a[n]


def test_a_limit_of_nodes() -> None:
    """No more nodes than asked for, trials included; what has been counted is a part of the whole."""
    for nodes in (0, 1, 2500, 10_000, 17_999, 18_001, 30_000):
        result = count(build("matchings", 11), max_nodes=nodes)
        assert (result.nodes, result.stopped) == (nodes, "max_nodes")
        assert 0 <= result.covers < 13749310575


def test_a_large_first_branch() -> None:
    """One option that is the whole board, tried first, hides nothing: the rest of the tree is large, and is merged."""
    problem = build("dominoes", 10, 10)
    whole = [problem.items, *(problem.option(o) for o in range(problem.n_options))]
    result = count(Problem.from_options(whole, items=problem.items), timeout=WAIT)
    assert (result.covers, result.merged) == (258584046368 + 1, True)
