"""The arrays of the kernel `links` at random moments of random searches, and the kernel's own contract."""

from __future__ import annotations

import numpy as np
import pytest
from families import build
from oracle import random_problem

from dlx import Problem
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.kernels.links import Links

MANY = 1 << 40


def kernel_for(problem: Problem, rows: int = 0) -> Links:
    """A kernel with a buffer of so many rows."""
    buffer = np.empty((rows, problem.max_level), dtype=np.int32)
    return Links(problem.indptr, problem.indices, problem.n_items, problem.n_primary, buffer)


@pytest.mark.parametrize("seed", range(300))
def test_invariants_hold_at_random_moments(seed: int) -> None:
    """Before, during and after a search, whatever budget ended the last slice, every invariant holds."""
    rng = np.random.default_rng(seed)
    kernel = kernel_for(random_problem(rng))
    kernel.check()
    state = BUDGET_SPENT
    while state != EXHAUSTED:
        state = kernel.run(*rng.choice([1, 2, 3, 7, MANY], size=3).tolist())
        kernel.check()


@pytest.mark.parametrize(
    "problem",
    [build("queens", 6), build("langford", 7), build("dominoes", 4, 4), build("latin", 3), build("partitions", 5)],
    ids=repr,
)
def test_invariants_hold_in_structured_searches(problem: Problem) -> None:
    """The same, every few nodes of searches that are deeper and have more to undo."""
    kernel = kernel_for(problem)
    while kernel.run(7, MANY, MANY) != EXHAUSTED:
        kernel.check()
    kernel.check()


def test_a_broken_invariant_is_named() -> None:
    """`check` is able to fail: a kernel whose caller claims more rows than there are does not pass."""
    kernel = kernel_for(build("toy"), rows=4)
    kernel.run(1, MANY, MANY)
    kernel.filled = 5
    with pytest.raises(AssertionError, match="filled"):
        kernel.check()


def test_a_search_ends_where_it_began() -> None:
    """After an exhausted search all items are active again, with all their options."""
    kernel = kernel_for(build("queens", 5))
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    kernel.check()
    assert kernel.covers == 10


def test_a_full_buffer_stops_the_search() -> None:
    """A kernel writes as many covers as its buffer has rows, and goes on when the caller has emptied it."""
    problem = build("queens", 6)
    kernel = kernel_for(problem, rows=3)
    assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
    assert (kernel.filled, kernel.covers) == (3, 3)
    assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
    assert (kernel.filled, kernel.covers) == (3, 3), "there was no room, so there was no search"
    kernel.filled = 0
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert (kernel.filled, kernel.covers) == (1, 4)


def test_nodes_and_updates_do_not_depend_on_the_machine() -> None:
    """The work of a search is a fact about the problem: these numbers change only with the algorithm."""
    kernel = kernel_for(build("queens", 8))
    kernel.run(MANY, MANY, MANY)
    assert (kernel.covers, kernel.nodes, kernel.updates) == (92, 1183, 15894)
