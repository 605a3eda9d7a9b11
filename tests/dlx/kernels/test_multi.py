"""The kernel `multi`: what it finds beyond what is needed, and problems that are deep, wide or empty."""

from __future__ import annotations

import math

import pytest
from kernels import MANY, exhaust, kernel_for, taken
from oracle import as_sets

from dlx import Problem, reference
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED

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


# Sizes


def test_three_thousand_options_deep() -> None:
    """Levels are no Python frames: a cover of 3,000 options, and one item that needs 3,000."""
    n = 3000
    single = Problem.from_options([[i] for i in range(n)])
    many = Problem.from_options([["a", i] for i in range(n)], multiplicities={"a": n})
    for problem in (single, many):
        kernel = kernel_for("multi", problem, room=1)
        assert as_sets(exhaust(kernel)) == [tuple(range(n))]
        assert kernel.nodes == n


def test_three_thousand_deep_with_two_ways_each() -> None:
    """A search that backs up from its depth finds the covers next to the first one."""
    n = 3000
    problem = Problem.from_options([[i // 2] for i in range(2 * n)], multiplicities={0: (1, 2)})
    kernel = kernel_for("multi", problem, room=5)
    assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
    found = as_sets(taken(kernel))
    assert len(set(found)) == 5
    assert all({o // 2 for o in cover} == set(range(n)) for cover in found)


def test_one_hundred_thousand_options_of_one_item() -> None:
    """Every one of them alone, then pairs, as far as the limit goes."""
    n = 100_000
    problem = Problem.from_options([["a"]] * n, multiplicities={"a": (1, 2)})
    kernel = kernel_for("multi", problem)
    assert kernel.run(n + 5, MANY, MANY) == BUDGET_SPENT
    assert kernel.covers == n + 5
    once = kernel_for("multi", Problem.from_options([["a"]] * n))
    assert once.run(MANY, MANY, MANY) == EXHAUSTED
    assert once.covers == n


@pytest.mark.slow
def test_one_hundred_thousand_items() -> None:
    """All of them in one option, or each with an option of its own."""
    n = 100_000
    wide = Problem.from_options([range(n), range(n)], multiplicities=dict.fromkeys(range(n), (0, 2)))
    assert as_sets(exhaust(kernel_for("multi", wide, room=9))) == [(), (0,), (0, 1), (1,)]
    kernel = kernel_for("multi", Problem.from_options([[i] for i in range(n)]))
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert (kernel.covers, kernel.nodes) == (1, n)


@pytest.mark.slow
def test_sixty_thousand_options_on_each_item() -> None:
    """Long sets are hidden and put back whole."""
    n = 60_000
    problem = Problem.from_options([["a"]] * n + [["b"]] * n + [["a", "b"]], items="ab")
    kernel = kernel_for("multi", problem)
    kernel.run(1000, MANY, MANY)
    kernel.check()
    assert kernel.covers >= 999


# Empty corners


@pytest.mark.parametrize(
    ("problem", "covers"),
    [
        (Problem.from_options([]), [()]),
        (Problem.from_options([], secondary="x"), [()]),
        (Problem.from_options(["x", "x"], secondary="x"), [()]),
        (Problem.from_options([], items="a"), []),
        (Problem.from_options([], items="a", multiplicities={"a": (0, 1)}), [()]),
        (Problem.from_options([], items="a", multiplicities={"a": (0, 2**31 - 1)}), [()]),
        (Problem.from_options([], items="a", multiplicities={"a": 2**31 - 1}), []),
        (Problem.from_options(["a"], multiplicities={"a": (1, 2**31 - 1)}), [(0,)]),
        (Problem.from_options(["a", "a"], multiplicities={"a": 3}), []),
        (Problem.from_options(["a", "x"], secondary="x", multiplicities={"a": (0, 2)}), [(), (0,)]),
        (Problem.from_options(["ab", "b"], multiplicities={"a": (0, 9), "b": (0, 9)}), [(), (0,), (0, 1), (1,)]),
        (Problem.from_options(["ab", "b"], multiplicities={"a": (0, 9)}), [(0,), (1,)]),
    ],
    ids=repr,
)
def test_empty_corners(problem: Problem, covers: list[tuple[int, ...]]) -> None:
    """No items, no options, nothing needed, more needed than there is, more room than there is."""
    kernel = kernel_for("multi", problem, room=9)
    found = exhaust(kernel)
    kernel.check()
    assert as_sets(found) == covers == as_sets(reference.covers(problem))
