"""The kernel that reasons: the same steps in slices of any size, and what holds between two runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernels import MANY
from oracle import KINDS, random_problem
from seeds import for_seeds

from dlx import Coloured, Problem
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.search.deduce import as_table, levels_of

FAR = as_table(levels_of(4, 2, 6))


def reasoning(problem: Problem) -> Any:
    """The kernel, with all kinds of steps."""
    rows = problem.rows()
    return new_kernel("inference", rows, FAR, np.arange(rows.n_primary, dtype=np.int32))


def ended(kernel: Any, nodes: int = MANY, updates: int = MANY, steps: int = MANY) -> list[tuple[Any, ...]]:
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
    steps = ended(whole, steps=1)
    for _ in range(int(rng.integers(0, 9))):
        sliced.run(int(rng.integers(1, 9)), MANY, MANY)
    assert sliced.restart(()) == -1
    assert (sliced.nodes, sliced.updates, sliced.covers) == (0, sliced.updates, 0)
    log = ended(sliced, int(rng.integers(1, 5)), int(rng.integers(1, 60)), 1)
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
    """The updates of each of so many runs at most, all of which have a budget of one."""
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
