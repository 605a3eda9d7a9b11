"""The kernel `multi`: what it finds beyond what is needed, and problems that are deep or wide."""

from __future__ import annotations

import math

import pytest
from kernels import MANY, kernel_for, taken
from oracle import as_sets

from dlx import Problem, reference
from dlx.kernels import BUFFER_FULL, EXHAUSTED

LOOSE = Problem.from_options(["a", "a", "ab", "b", "b"], multiplicities={"a": (1, 2), "b": (0, 2)})


def test_a_full_buffer_stops_what_goes_beyond_the_needs() -> None:
    """A kernel writes as many covers as its buffer has rows, also where every node is a cover."""
    kernel = kernel_for("multi", LOOSE, room=4)
    found = []
    while (state := kernel.run(MANY, MANY, MANY)) == BUFFER_FULL:
        assert kernel.filled == 4
        seen = kernel.covers, kernel.nodes
        assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
        assert (kernel.covers, kernel.nodes) == seen, "there was no room, so there was no search"
        found += taken(kernel)
    assert state == EXHAUSTED
    found += taken(kernel)
    assert as_sets(found) == as_sets(reference.covers(LOOSE))
    assert len(found) == 3 * 4 + 3 * 3  # without the option that has both, and with it


def test_every_node_beyond_the_needs_is_a_cover() -> None:
    """Where nothing is needed, the search has no dead ends: as many nodes as covers, but for the empty one."""
    problem = Problem.from_options(["a"] * 6 + ["b"] * 5, multiplicities={"a": (0, 3), "b": (0, 5)})
    kernel = kernel_for("multi", problem)
    kernel.run(MANY, MANY, MANY)
    assert kernel.covers == sum(math.comb(6, k) for k in range(4)) * 2**5
    assert kernel.nodes == kernel.covers - 1


def test_a_buffer_without_room_for_the_empty_cover() -> None:
    """Even the cover that needs no node waits until it is asked for."""
    kernel = kernel_for("multi", Problem.from_options(["a"], multiplicities={"a": (0, 1)}))
    assert kernel.run(MANY, MANY, 0) == BUFFER_FULL
    assert kernel.covers == 0
    assert kernel.run(MANY, MANY, 1) == BUFFER_FULL
    assert kernel.covers == 1
    assert kernel.run(MANY, MANY, 1) == EXHAUSTED
    assert kernel.covers == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "budget", "covers", "nodes"),
    [
        (Problem.from_options([["a", i] for i in range(3000)], multiplicities={"a": 3000}), MANY, 1, 3000),
        (Problem.from_options([["a"]] * 100_000, multiplicities={"a": (1, 2)}), 100_005, 100_005, 100_005),
        (Problem.from_options([range(100_000)] * 2, multiplicities=dict.fromkeys(range(100_000), (0, 2))), MANY, 4, 3),
    ],
    ids=["deep", "of one item", "wide"],
)
def test_sizes(problem: Problem, budget: int, covers: int, nodes: int) -> None:
    """An item needs 3,000 options; each of 100,000 alone, then pairs, as far as the limit goes; 100,000 items."""
    kernel = kernel_for("multi", problem)
    kernel.run(budget, MANY, MANY)
    assert (kernel.covers, kernel.nodes) == (covers, nodes)
