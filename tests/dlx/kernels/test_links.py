"""The kernel `links`: the queue of forced items, and probes."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import MANY, exhaust, kernel_for
from oracle import as_sets, random_problem
from seeds import for_seeds

from dlx import Problem


def test_forced_items_are_covered_one_after_the_other() -> None:
    """In a chain where each choice leaves the next item one option, nodes are options, whatever the order of items."""
    n = 400
    rng = np.random.default_rng(1)
    for _ in range(5):
        chain = Problem.from_options([(k, k + 1) for k in range(n - 1)], items=rng.permutation(n).tolist())
        kernel = kernel_for("links", chain, room=1)
        assert as_sets(exhaust(kernel)) == [tuple(range(0, n, 2))]
        assert kernel.nodes == n // 2


def test_an_item_without_options_ends_the_branch_at_once() -> None:
    """Where a choice takes the last options of an item away, nothing below it is tried."""
    problem = Problem.from_options(["ab", "b", "c", "bc", "a"], items="abc")
    kernel = kernel_for("links", problem)
    kernel.run(MANY, MANY, MANY)
    assert kernel.covers == 3
    dead = Problem.from_options([["a", "b"], ["a"], ["b", "c"], *(["d", k] for k in range(99))], secondary=range(99))
    kernel = kernel_for("links", dead)
    kernel.run(MANY, MANY, MANY)
    assert (kernel.covers, kernel.nodes) == (99, 1 + 1 + 99)


@pytest.mark.parametrize(("name", "kind"), [("links", "coloured"), ("multi", "both")])
@for_seeds(150)
def test_a_probe_leaves_the_search_at_its_root(name: str, kind: str, seed: int) -> None:
    """After probes a kernel's invariants hold, it has done nothing yet, and it finds the covers it would have found."""
    rng = np.random.default_rng([seed, 5])
    problem = random_problem(rng, kind)
    kernel, fresh = kernel_for(name, problem), kernel_for(name, problem)
    tally = np.zeros(2)
    for _ in range(5):
        kernel.probe(rng.random(problem.max_level + 1), tally)
        kernel.check()
    assert (kernel.nodes, kernel.updates, kernel.covers) == (0, 0, 0)
    kernel.run(MANY, MANY, MANY)
    with pytest.raises(AssertionError, match="a probe starts at the root"):
        kernel.probe(rng.random(problem.max_level + 1), tally)
    fresh.run(MANY, MANY, MANY)
    assert kernel.covers == fresh.covers
    if name == "links":  # the other one finds the options of an item in another order
        assert (kernel.nodes, kernel.updates) == (fresh.nodes, fresh.updates)
