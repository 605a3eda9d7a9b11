"""The kernels that learn clauses and that reason: covers, proofs, steps in any slices, and what holds in between."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from families import build
from kernels import MANY, ONCE, taken
from oracle import KINDS, derived, is_cover, random_problem
from seeds import for_seeds, nightly

from dlx import Coloured, Problem, reference
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.search.deduce import as_table, levels_of

all_kinds = pytest.mark.parametrize("kind", ONCE)


def learning(problem: Problem, seed: int = 0, room: int = 1 << 22) -> Any:
    """The kernel, with room for a cover."""
    return new_kernel("learn", problem.rows(), np.empty((1, problem.max_level), dtype=np.int32), seed, room)


def ended(kernel: Any, nodes: int = MANY, updates: int = MANY) -> list[tuple[int, ...]]:
    """The cover that it finds, if any, by runs with these budgets; the invariants hold before, during and after."""
    kernel.check()
    assert kernel.fraction() == 0.0
    while kernel.run(nodes, updates, MANY) == BUDGET_SPENT:
        assert kernel.fraction() == 0.0
        kernel.check()
    kernel.check()
    assert kernel.fraction() == 1.0
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED, "an ended search stays ended"
    return taken(kernel)


@all_kinds
@for_seeds(1500)
def test_it_finds_a_cover_just_if_there_is_one(kind: str, seed: int) -> None:
    """The kernel finds a cover just if the reference does, and it verifies; options may be chosen or left out."""
    rng = np.random.default_rng([seed, 1])
    problem = derived(rng, kind)
    found = ended(learning(problem, seed), int(rng.integers(1, 4)), int(rng.integers(1, 100)))
    assert len(found) == (next(reference.covers(problem), None) is not None)
    assert all(is_cover(problem, cover) for cover in found)


@pytest.mark.parametrize(("family", "sizes"), [("langford", (8,)), ("pentominoes", (6, 10)), ("queens", (12,))])
@pytest.mark.parametrize("seed", [0, 1, *nightly(2, 3)])
def test_invariants_hold_in_searches_with_many_clauses(family: str, sizes: tuple[int, ...], seed: int) -> None:
    """They hold where clauses are learnt and forgotten, in a store with room for a few."""
    rng = np.random.default_rng([seed, 4])
    problem = build(family, *sizes)
    assert all(is_cover(problem, cover) for cover in ended(learning(problem, seed, room=1), int(rng.integers(1, 40))))


@pytest.mark.parametrize("seed", range(12))
def test_what_it_learns_holds_in_every_cover(seed: int) -> None:
    """Each clause has a literal that holds, in each cover of a problem that it took conflicts to solve."""
    problem = build("langford", 7)
    covers = [set(cover) for cover in reference.covers(problem)]
    kernel = learning(problem, seed)
    state, seen = BUDGET_SPENT, 0
    while state == BUDGET_SPENT:
        state = kernel.run(1, MANY, MANY)
        clauses = kernel.clauses().values()
        seen = max(seen, len(clauses))
        for clause in clauses:
            assert all(any((literal >> 1 in cover) != literal & 1 for literal in clause) for cover in covers)
    assert seen > 0 or kernel.nodes < 15


def test_proofs_of_none_with_little_room() -> None:
    """The kernel proves that there is no cover, also where it has to forget clauses."""
    assert ended(learning(build("mutilated", 6))) == []
    kernel = learning(build("langford", 9), room=8000)
    assert ended(kernel) == []
    assert 0 < sum(len(clause) + 4 for clause in kernel.clauses().values()) <= 8000


def test_searches_are_the_same_for_the_same_seed() -> None:
    """The same cover after as many nodes and updates, whatever the slices; with another seed another one."""
    problem = build("queens", 20)
    whole, sliced = learning(problem, 5), learning(problem, 5)
    cover = ended(whole)
    assert cover == ended(sliced, 1, 50)
    assert (whole.nodes, whole.updates) == (sliced.nodes, sliced.updates)
    assert len({tuple(ended(learning(problem, seed))) for seed in range(5)}) > 1


def test_a_full_buffer_and_no_budget() -> None:
    """Without a budget nothing happens, and without rows a cover is only counted."""
    problem = build("queens", 8)
    kernel = learning(problem)
    assert kernel.run(0, MANY, MANY) == BUDGET_SPENT
    assert kernel.run(MANY, 0, MANY) == BUDGET_SPENT
    assert kernel.run(MANY, MANY, 0) == BUFFER_FULL
    assert (kernel.nodes, kernel.covers) == (0, 0)
    counting = new_kernel("learn", problem.rows(), np.empty((0, 8), dtype=np.int32))
    assert counting.run(MANY, MANY, MANY) == EXHAUSTED
    assert (counting.covers, counting.filled) == (1, 0)


# Steps of reasoning


FAR = as_table(levels_of(4, 2, 6))


def reasoning(problem: Problem) -> Any:
    """The kernel, with all kinds of steps."""
    rows = problem.rows()
    return new_kernel("inference", rows, FAR, np.arange(rows.n_primary, dtype=np.int32))


def steps_of(kernel: Any, nodes: int = MANY, updates: int = MANY, steps: int = MANY) -> list[tuple[Any, ...]]:
    """Its steps, or the last ones of its runs; the invariants hold before, between and after them."""
    kernel.check()
    found, fraction = [], 0.0
    while (state := kernel.run(nodes, updates, steps)) != EXHAUSTED:
        kernel.check()
        assert kernel.fraction() >= fraction
        fraction = kernel.fraction()
        if state == BUFFER_FULL:
            found.append(kernel.step())
    kernel.check()
    assert kernel.fraction() == 1.0
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    return found


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(300)
def test_slices_change_nothing(kind: str, seed: int) -> None:
    """The same steps, by the same nodes and updates, whatever the budgets; and after a restart in the middle."""
    rng = np.random.default_rng([seed, 1])
    problem = random_problem(rng, kind)
    whole, sliced = reasoning(problem), reasoning(problem)
    steps = steps_of(whole, steps=1)
    for _ in range(int(rng.integers(0, 9))):
        sliced.run(int(rng.integers(1, 9)), MANY, MANY)
    assert sliced.restart(()) == -1
    assert (sliced.nodes, sliced.updates, sliced.covers) == (0, sliced.updates, 0)
    log = steps_of(sliced, int(rng.integers(1, 5)), int(rng.integers(1, 60)), 1)
    assert log == steps[: len(log)] or set(map(str, log)) <= set(map(str, steps))
    assert sliced.log().tolist() == whole.log().tolist()
    assert (sliced.nodes, sliced.updates) == (whole.nodes, whole.updates)
    assert sliced.roles().tolist() == whole.roles().tolist()


def test_without_a_budget_nothing_happens() -> None:
    """Budgets of nothing are kept, and budgets of nodes are exact."""
    kernel = reasoning(Problem.from_options(["ax", "ay", "bx", "by", "cx", "cz"], secondary="xyz"))
    assert kernel.run(0, MANY, MANY) == BUDGET_SPENT
    assert kernel.run(MANY, 0, MANY) == BUDGET_SPENT
    assert kernel.run(MANY, MANY, 0) == BUFFER_FULL
    assert (kernel.nodes, kernel.covers) == (0, 0)
    for nodes in range(1, 20):
        assert kernel.run(1, MANY, MANY) == BUDGET_SPENT
        assert kernel.nodes == nodes


def updates_of_slices(problem: Problem, most: int) -> list[int]:
    """The updates of each run, at most `most` runs with a budget of one."""
    kernel, seen = reasoning(problem), [0]
    while len(seen) <= most and kernel.run(MANY, 1, MANY) != EXHAUSTED:
        seen.append(kernel.updates)
        kernel.check()
    return np.diff(seen).tolist()


@pytest.mark.parametrize("second", [(), (Coloured("y", 2),)])
def test_a_search_for_blocks_can_stop_before_each_option(second: tuple[Coloured, ...]) -> None:
    """Each of n options is tried with a wide truth's n, and the kernel stops in between, also for those out."""
    n = 60
    options = [["wide", Coloured("x" if k < n // 2 else "y", 1)] for k in range(n)]
    options += [["other", Coloured("x", 2), *second] for k in range(n)]
    slices = updates_of_slices(Problem.from_options([*options, ["other"]], secondary="xy"), 10 * n)
    assert max(slices) <= 12 * n  # an option in turn: its row, those of a truth and of both of their removals
    assert sum(slices) > n * n
