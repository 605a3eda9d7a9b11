"""The kernel `sieve`: what it has dropped at any moment is in no cover, and the end is where nothing can be dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from families import build
from kernels import MANY
from oracle import KINDS, random_problem
from seeds import for_seeds

from dlx import Problem, reference
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUDGET_SPENT, EXHAUSTED


def sieve(problem: Problem) -> tuple[Any, npt.NDArray[np.int8]]:
    """The kernel, and its answer."""
    live = np.empty(problem.n_options, dtype=np.int8)
    return new_kernel("sieve", problem.rows(), live), live


def whole(problem: Problem) -> tuple[list[int], int, int]:
    """What the sieve leaves in one run, its nodes and updates."""
    kernel, live = sieve(problem)
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    return np.flatnonzero(live).tolist(), kernel.nodes, kernel.updates


@pytest.mark.parametrize("kind", KINDS)
@for_seeds(150)
def test_what_is_dropped_is_in_no_cover(kind: str, seed: int) -> None:
    """Whatever budget ended the last slice, its counters are right, and all options of covers are still live."""
    rng = np.random.default_rng([seed, 6])
    problem = random_problem(rng, kind)
    used = {o for cover in reference.covers(problem) for o in cover}
    kernel, live = sieve(problem)
    state = BUDGET_SPENT
    while state != EXHAUSTED:
        kernel.check()
        assert used <= set(np.flatnonzero(live).tolist())
        nodes, budgets = kernel.nodes, rng.choice([1, 2, 3, 7, MANY], size=3).tolist()
        state = kernel.run(*budgets)
        assert state in (BUDGET_SPENT, EXHAUSTED)
        assert kernel.nodes - nodes <= budgets[0]
        assert 0.0 <= kernel.fraction() <= 1.0
    kernel.check()
    assert kernel.fraction() == 1.0
    assert used <= set(np.flatnonzero(live).tolist())
    assert (np.flatnonzero(live).tolist(), kernel.nodes, kernel.updates) == whole(problem)


def test_a_sieve_finds_no_covers() -> None:
    """It has no path and no buffer."""
    kernel, _ = sieve(build("queens", 6))
    kernel.run(MANY, MANY, MANY)
    assert (kernel.covers, kernel.path(), len(kernel.found())) == (0, (), 0)


def test_nodes_and_updates_do_not_depend_on_the_machine() -> None:
    """The work is a fact about the problem: these numbers change only with the algorithm."""
    left, nodes, updates = whole(build("pentominoes", 3, 20))
    assert (len(left), nodes, updates) == (1086, 3154, 8844032)
