"""Strong branching of the kernel `branch_and_bound`: pairs to branch on, shared trials, items added on the way."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from kernels import MANY, exhaust, spending
from oracle import as_sets, random_problem
from seeds import for_seeds

from dlx import Problem, reference
from dlx.engine.dispatch import new_kernel
from dlx.optimum.parameters import TUNED
from dlx.optimum.root import with_ranges, with_secondary


@for_seeds(200)
def test_a_kernel_goes_on_where_another_one_stood(seed: int) -> None:
    """With a clique as one more item, and what was known of pairs, it finds the covers that the other one had left."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, "plain" if seed % 2 else "multiple")
    weights = rng.integers(-9, 10, problem.n_options)
    scored = {cover: int(weights[list(cover)].sum()) for cover in reference.covers(problem)}
    old = spending(problem, weights, room=9)
    old.pairs, old.sweeps = True, 2
    old.target = target = int(rng.choice(list(scored.values()))) if scored else 0
    if old.heat(3.0):
        old.anneal(5)
        old.cool()
    old.keep()
    old.run(int(rng.integers(0, 9)), MANY, MANY)
    old.filled = 0
    old.restart(1)
    entries = [set(problem.indices[a:b].tolist()) for a, b in zip(problem.indptr, problem.indptr[1:], strict=False)]
    once = [items if problem.multiplicities is None else set[int]() for items in entries]
    clique: list[int] = []
    for o in rng.permutation(problem.n_options).tolist():
        clique += [o] if all(once[o] & once[other] for other in clique) else []
    rows, ranges = with_ranges(problem.rows())
    more = with_secondary(rows, np.array(clique, np.int64), np.array([len(clique)]))
    if ranges is not None:
        ranges = np.append(ranges, np.array([[0, 1]], np.int32), axis=0)
    new = new_kernel(
        "branch_and_bound",
        more,
        np.empty((9, problem.max_level + problem.n_primary + 1), np.int32),
        weights,
        5,
        TUNED,
        ranges,
    )
    new.go_on_from(np.append(old.prices(), 0), old.options_left(), old.path())
    new.share_pairs(old)
    new.pairs, new.sweeps, new.target = True, 2, target
    new.check()
    new.separate(9)
    assert as_sets(exhaust(new)) == sorted(cover for cover, score in scored.items() if score >= target)
    assert new.upper_bound >= max(scored.values(), default=target) or not scored


@pytest.mark.parametrize("size", [6, 8])
def test_pairs_alone_find_every_cover(size: int) -> None:
    """All perfect matchings of a complete graph, 15 and 105, each once, by branching on pairs."""
    problem = Problem.from_options(list(combinations(range(size), 2)), items=range(size))
    kernel = spending(problem, np.arange(problem.n_options, dtype=np.int64), room=9)
    kernel.pairs, kernel.sweeps, kernel.warmth = True, 20, 8.0
    found = as_sets(exhaust(kernel))
    assert len(found) == len(set(found)) == {6: 15, 8: 105}[size]
