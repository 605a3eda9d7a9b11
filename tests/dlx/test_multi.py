"""The kernel `multi`: its arrays at random moments, its contract, and problems that are deep, wide or empty."""

from __future__ import annotations

import math
from itertools import combinations
from threading import Thread
from typing import Any

import numpy as np
import pytest
from families import build
from oracle import KINDS, as_sets, random_problem, rows
from processes import run

from dlx import Problem, compiled_module, reference
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED

Multi = compiled_module("dlx.kernels.multi").Multi

MANY = 1 << 40
LOOSE = Problem.from_options(["a", "a", "ab", "b", "b"], multiplicities={"a": (1, 2), "b": (0, 2)})


def kernel_for(problem: Problem, buffer: Any = None) -> Any:
    """A kernel that lists covers in a buffer, or only counts them; items without a multiplicity are covered once."""
    *shape, colours, bounds = problem.rows()
    bounds = np.ones((problem.n_primary, 2), dtype=np.int32) if bounds is None else bounds
    buffer = np.empty((0, problem.max_level), dtype=np.int32) if buffer is None else buffer
    return Multi(*shape, bounds, buffer, colours)


def covers_of(problem: Problem, *budgets: int, n_rows: int = 64) -> tuple[list[tuple[int, ...]], Any]:
    """All covers in the order found, by runs with these budgets, which they keep; and the kernel."""
    nodes, updates, covers = budgets or (MANY, MANY, MANY)
    buffer = np.empty((n_rows, problem.max_level), dtype=np.int32)
    kernel = kernel_for(problem, buffer)
    found: list[tuple[int, ...]] = []
    state = BUDGET_SPENT
    while state != EXHAUSTED:
        before = kernel.nodes, kernel.covers
        state = kernel.run(nodes, updates, covers)
        assert kernel.nodes - before[0] <= nodes
        assert kernel.covers - before[1] <= covers
        assert state in (EXHAUSTED, BUFFER_FULL, BUDGET_SPENT)
        found += rows(buffer[: kernel.filled])
        kernel.filled = 0
    assert kernel.run(nodes, updates, covers) == EXHAUSTED, "an ended search stays ended"
    assert kernel.covers == len(found)
    return found, kernel


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_the_covers_are_those_of_the_reference(kind: str, seed: int) -> None:
    """On 200 random problems of each kind and seed just the covers, each once."""
    for k in range(200):
        problem = random_problem(np.random.default_rng([seed, k]), kind)
        found, kernel = covers_of(problem)
        assert as_sets(found) == as_sets(reference.covers(problem)), (seed, k)
        assert kernel.fraction() == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_invariants_hold_at_random_moments(kind: str) -> None:
    """Before, during and after a search, whatever budget ended the last slice, and the fraction done never falls."""
    for seed in range(100):
        rng = np.random.default_rng([seed, 2])
        kernel = kernel_for(random_problem(rng, kind))
        kernel.check()
        state, behind = BUDGET_SPENT, kernel.fraction()
        assert behind == 0.0
        while state != EXHAUSTED:
            state = kernel.run(*rng.choice([1, 2, 3, 7, MANY], size=3).tolist())
            kernel.check()
            assert behind <= kernel.fraction() <= 1.0
            behind = kernel.fraction()
        assert behind == 1.0


@pytest.mark.parametrize("budgets", [(1, MANY, MANY), (MANY, 1, MANY), (MANY, MANY, 1), (2, 5, 2)])
def test_stopping_and_going_on_changes_nothing(budgets: tuple[int, int, int]) -> None:
    """A search cut into the smallest slices finds the same covers in the same order, with the same work."""
    for seed in range(120):
        problem = random_problem(np.random.default_rng([seed, 3]), KINDS[seed % 4])
        whole, one = covers_of(problem)
        pieces, other = covers_of(problem, *budgets, n_rows=3)
        assert pieces == whole
        assert (one.covers, one.nodes, one.updates) == (other.covers, other.nodes, other.updates)


STRUCTURED = [
    (build("queens", 8), 92),
    (build("langford", 8), 300),
    (build("dominoes", 6, 6), 6728),
    (build("latin", 4), 576),
    (build("partitions", 6), 203),
    (build("matchings", 5), 945),
]


@pytest.mark.parametrize(("problem", "covers"), STRUCTURED, ids=lambda value: repr(value))
def test_structured_searches(problem: Problem, covers: int) -> None:
    """Published counts, as those of OEIS A000170, A014552 (twice), A004003, A002860, A000110 and A001147."""
    kernel = kernel_for(problem)
    for _ in range(20):
        kernel.run(7, MANY, MANY)
        kernel.check()
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    kernel.check()
    assert kernel.covers == covers


def test_a_full_buffer_stops_the_search() -> None:
    """A kernel writes as many covers as its buffer has rows, and goes on when the caller has emptied it."""
    expected = as_sets(reference.covers(LOOSE))
    buffer = np.full((4, LOOSE.max_level), 7, dtype=np.int32)
    kernel = kernel_for(LOOSE, buffer)
    found = []
    while (state := kernel.run(MANY, MANY, MANY)) == BUFFER_FULL:
        assert kernel.filled == 4
        seen = kernel.covers, kernel.nodes
        assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
        assert (kernel.covers, kernel.nodes) == seen, "there was no room, so there was no search"
        found += rows(buffer)
        kernel.filled = 0
    assert state == EXHAUSTED
    assert as_sets(found + rows(buffer[: kernel.filled])) == expected
    assert len(expected) == 3 * 4 + 3 * 3  # without the option that has both, and with it


def test_every_node_beyond_the_needs_is_a_cover() -> None:
    """Where nothing is needed, the search has no dead ends: as many nodes as covers, but for the empty one."""
    problem = Problem.from_options(["a"] * 6 + ["b"] * 5, multiplicities={"a": (0, 3), "b": (0, 5)})
    kernel = kernel_for(problem)
    kernel.run(MANY, MANY, MANY)
    assert kernel.covers == sum(math.comb(6, k) for k in range(4)) * 2**5
    assert kernel.nodes == kernel.covers - 1


def test_a_buffer_without_room_for_the_empty_cover() -> None:
    """Even the cover that needs no node waits until it is asked for."""
    kernel = kernel_for(Problem.from_options(["a"], multiplicities={"a": (0, 1)}))
    assert kernel.run(MANY, MANY, 0) == BUFFER_FULL
    assert kernel.covers == 0
    assert kernel.run(MANY, MANY, 1) == BUFFER_FULL
    assert kernel.covers == 1
    assert kernel.run(MANY, MANY, 1) == EXHAUSTED
    assert kernel.covers == 2


def test_a_broken_invariant_is_named() -> None:
    """`check` is able to fail: a kernel whose caller claims more rows than there are does not pass."""
    kernel = kernel_for(LOOSE, np.empty((4, LOOSE.max_level), dtype=np.int32))
    kernel.run(1, MANY, MANY)
    kernel.filled = 5
    with pytest.raises(AssertionError, match="filled"):
        kernel.check()


def test_nodes_and_updates_do_not_depend_on_the_machine() -> None:
    """The work of a search is a fact about the problem: these numbers change only with the algorithm."""
    kernel = kernel_for(build("queens", 8))
    kernel.run(MANY, MANY, MANY)
    assert (kernel.covers, kernel.nodes, kernel.updates) == (92, 1088, 21556)


# Sizes


def test_three_thousand_options_deep() -> None:
    """Levels are no Python frames: a cover of 3,000 options, and one item that needs 3,000."""
    n = 3000
    single = Problem.from_options([[i] for i in range(n)])
    many = Problem.from_options([["a", i] for i in range(n)], multiplicities={"a": n})
    for problem in (single, many):
        found, kernel = covers_of(problem, n_rows=1)
        assert as_sets(found) == [tuple(range(n))]
        assert kernel.nodes == n


def test_three_thousand_deep_with_two_ways_each() -> None:
    """A search that backs up from its depth finds the covers next to the first one."""
    n = 3000
    problem = Problem.from_options([[i // 2] for i in range(2 * n)], multiplicities={0: (1, 2)})
    buffer = np.empty((5, problem.max_level), dtype=np.int32)
    kernel = kernel_for(problem, buffer)
    assert kernel.run(MANY, MANY, MANY) == BUFFER_FULL
    found = as_sets(rows(buffer))
    assert len(set(found)) == 5
    assert all({o // 2 for o in cover} == set(range(n)) for cover in found)


def test_one_hundred_thousand_options_of_one_item() -> None:
    """Every one of them alone, then pairs, as far as the limit goes."""
    n = 100_000
    problem = Problem.from_options([["a"]] * n, multiplicities={"a": (1, 2)})
    kernel = kernel_for(problem)
    assert kernel.run(n + 5, MANY, MANY) == BUDGET_SPENT
    assert kernel.covers == n + 5
    once = kernel_for(Problem.from_options([["a"]] * n))
    assert once.run(MANY, MANY, MANY) == EXHAUSTED
    assert once.covers == n


def test_one_hundred_thousand_items() -> None:
    """All of them in one option, or each with an option of its own."""
    n = 100_000
    wide = Problem.from_options([range(n), range(n)], multiplicities=dict.fromkeys(range(n), (0, 2)))
    assert as_sets(covers_of(wide)[0]) == [(), (0,), (0, 1), (1,)]
    kernel = kernel_for(Problem.from_options([[i] for i in range(n)]))
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert (kernel.covers, kernel.nodes) == (1, n)


def test_sixty_thousand_options_on_each_item() -> None:
    """Long sets are hidden and put back whole."""
    n = 60_000
    problem = Problem.from_options([["a"]] * n + [["b"]] * n + [["a", "b"]], items="ab")
    kernel = kernel_for(problem)
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
    found, kernel = covers_of(problem)
    kernel.check()
    assert as_sets(found) == covers == as_sets(reference.covers(problem))


# Beside the interpreter


def test_eight_searches_at_once() -> None:
    """Kernels share nothing: eight threads find what one does."""
    n = 7
    problem = Problem.from_options(combinations(range(n), 2), multiplicities=dict.fromkeys(range(n), (2, 3)))
    alone = covers_of(problem)[0]
    found: list[list[tuple[int, ...]]] = []
    threads = [Thread(target=lambda: found.append(covers_of(problem, 1000, MANY, MANY)[0])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 8


SEARCHES = """
import numpy as np
from dlx.extending import compiled_module, reference
from oracle import KINDS, as_sets, random_problem
from test_multi import MANY, covers_of, kernel_for

assert compiled_module("dlx.kernels.multi").__file__.endswith("multi.py")
for seed in range(60):
    problem = random_problem(np.random.default_rng(seed), KINDS[seed % 4])
    assert as_sets(covers_of(problem)[0]) == as_sets(reference.covers(problem)), seed
    kernel = kernel_for(problem)
    while kernel.run(3, MANY, MANY):
        kernel.check()
print("done")
"""

SABOTAGE = """
import numpy as np
from dlx import Coloured, Problem
from test_multi import MANY, kernel_for

options = [["a", "b", Coloured("x", 1)], ["a", "c"], ["b", "c", "y"], ["a", Coloured("x", 2)], ["a", "y"], ["c"], ["b"]]
problem = Problem.from_options(options, secondary="xy", multiplicities={"a": (1, 2), "b": 2, "c": (0, 3)})
for name, index in [
    ("size", 0), ("place", 0), ("member", 0), ("need", 0), ("need", 1), ("room", 2), ("shade", 3), ("wanted", 0),
    ("rank", 1), ("trail", 0), ("branch", 0), ("chosen", 0), ("mark", 0), ("tried", 0), ("tried", 1), ("option", 0),
    ("n_wanted", None), ("n_roomy", None), ("height", None), ("filled", None), ("level", None)]:
    kernel = kernel_for(problem)
    kernel.run(1, MANY, MANY)
    kernel.check()
    if index is None:
        setattr(kernel, name, getattr(kernel, name) + 1)
    else:
        getattr(kernel, name)[index] += 1
    try:
        kernel.check()
    except (AssertionError, IndexError):
        continue
    raise SystemExit(f"{name}[{index}] was spoilt, and check() did not see it")
print("done")
"""


@pytest.mark.parametrize("program", [SEARCHES, SABOTAGE], ids=["searches", "broken invariants are seen"])
def test_interpreted_it_does_the_same(program: str) -> None:
    """As plain Python the kernel finds the same covers, and its `check` notices any array that is spoilt."""
    result = run(program, DLX_INTERPRETED="1")
    assert (result.stdout, result.stderr) == ("done\n", "")
