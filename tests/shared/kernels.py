"""Kernels made and run by tests, without the loop of a search."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from oracle import rows

from dlx import Problem
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, ENTER, EXHAUSTED
from dlx.optimum.matrix import with_ranges

MANY = 1 << 40  # more than any budget of a test is used up to
CORES = {"core of links": "links", "core of bits": "bits"}  # kernels that leave all that they can to their core
SEARCHES = ("links", "bits", *CORES, "multi", "branch_and_bound")  # the kernels that find covers
ONCE = ("plain", "coloured")
KINDS: dict[str, tuple[str, ...]] = {
    "links": ONCE,
    "bits": ONCE,
    **dict.fromkeys(CORES, ONCE),
    "multi": (*ONCE, "multiple", "both"),
    "branch_and_bound": (*ONCE, "multiple", "both"),
}
PAIRS = [(name, kind) for name in SEARCHES for kind in KINDS[name]]  # each with every kind of problem that it can do
# Kernels that another process can go on with; they keep budgets of nodes exactly.
MARKED = ("links", "bits", *CORES, "multi")
all_marked = pytest.mark.parametrize("name", MARKED)
all_kinds = pytest.mark.parametrize(("name", "kind"), [pair for pair in PAIRS if pair[0] in MARKED])
AB = Problem.from_options(["ab", "a", "b", "b"])
COVERS_OF_AB = [(0,), (1, 2), (1, 3)]
Step = tuple[tuple[int, ...], float, list[tuple[int, ...]], int, int]


def kernel_for(name: str, problem: Problem, room: int = 0) -> Any:
    """A kernel with a buffer of `room` covers, or one that only counts; for `branch_and_bound` every cover scores 0."""
    if name == "branch_and_bound":
        return spending(problem, np.zeros(problem.n_options, dtype=np.int64), room)
    kernel = new_kernel(CORES.get(name, name), problem.rows(), np.empty((room, problem.max_level), dtype=np.int32))
    if name in CORES:
        kernel.least_items = 1
    if CORES.get(name, name) == "bits":
        kernel.least_area = -(1 << 30)  # squeezes every list that fewer words can hold
    return kernel


def without_core(name: str, problem: Problem, room: int = 0) -> Any:
    """The kernel `links` or `bits` that never leaves anything to its core."""
    kernel = kernel_for(name, problem, room)
    kernel.least_items = 1 << 30
    return kernel


def deep(name: str) -> Problem:
    """A deep problem with eight covers: an option for each of 1,500 items (600 for `bits`), and three pairs."""
    n = 600 if CORES.get(name, name) == "bits" else 1500
    return Problem.from_options([[k] for k in range(n)] + [[k, k + 1] for k in range(0, n, n // 3)])


def begun(rng: np.random.Generator, kernel: Any, most: int = 40) -> Any:
    """The kernel after a random number of nodes, fewer than `most`."""
    kernel.run(int(rng.integers(0, most)), MANY, MANY)
    return kernel


def maker(rng: np.random.Generator, name: str, problem: Problem, room: int = 2) -> Callable[[], Any]:
    """Returns a maker of kernels; half of those of `links` have the same random ranks among the items."""
    if name != "links" or rng.random() < 0.5:
        return lambda: kernel_for(name, problem, room)
    ranks = rng.integers(-2, 3, problem.rows().n_primary).astype(np.int32)
    return lambda: new_kernel("links", problem.rows(), np.empty((room, problem.max_level), dtype=np.int32), ranks)


def spending(
    problem: Problem, weights: npt.NDArray[np.int64], room: int = 1, price_rows: int = 99, seed: int = 0
) -> Any:
    """The kernel `branch_and_bound`, with weights in units of its own, and prices for `price_rows` levels."""
    buffer = np.empty((room, max(problem.n_primary + 1, problem.max_level)), dtype=np.int32)
    bare, ranges = with_ranges(problem.rows())
    kernel = new_kernel("branch_and_bound", bare, buffer, weights, seed, ranges)
    kernel.node.give_levels_prices(price_rows)
    return kernel


def taken(kernel: Any) -> list[tuple[int, ...]]:
    """The covers in the kernel's buffer, which is empty then."""
    found = rows(kernel.found())
    kernel.filled = 0
    return found


def exhaust(kernel: Any, *budgets: int) -> list[tuple[int, ...]]:
    """All covers in the order in which they are found, by runs with these budgets of nodes, updates and covers."""
    budgets = budgets or (MANY, MANY, MANY)
    found: list[tuple[int, ...]] = []
    before, state = kernel.covers - kernel.filled, BUDGET_SPENT
    while state != EXHAUSTED:
        nodes, covers = kernel.nodes, kernel.covers
        state = kernel.run(*budgets)
        assert state in (EXHAUSTED, BUFFER_FULL, BUDGET_SPENT)
        assert kernel.nodes - nodes <= budgets[0] or kernel.name not in MARKED
        assert kernel.covers - covers <= budgets[2]
        found += taken(kernel)
    assert kernel.run(*budgets) == EXHAUSTED, "an ended search stays ended"
    assert kernel.covers - before == len(found)
    return found


def moved(kernel: Any, fresh: Any) -> Any:
    """A fresh kernel at the position of another kernel, as in another process."""
    fresh.seek(json.loads(json.dumps(kernel.mark())))
    return fresh


def relayed(rng: np.random.Generator, make: Callable[[], Any]) -> tuple[list[tuple[int, ...]], int, int]:
    """All covers, nodes and updates of a search that goes on in another kernel every few nodes."""
    kernel = make()
    found: list[tuple[int, ...]] = []
    nodes = updates = 0
    state = BUDGET_SPENT
    while state != EXHAUSTED:
        state = kernel.run(*rng.choice([0, 1, 2, 5, 20], size=2).tolist(), MANY)
        found += taken(kernel)
        nodes += kernel.nodes
        updates += kernel.updates
        one, kernel = kernel, moved(kernel, make())
        assert (kernel.path(), kernel.fraction(), kernel.mark()) == (one.path(), one.fraction(), one.mark())
        assert (kernel.nodes, kernel.updates, kernel.covers, kernel.filled) == (0, 0, 0, 0)
        kernel.check()
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED, "an ended search stays ended"
    assert kernel.nodes == kernel.covers == 0
    return found, nodes, updates


def steps(kernel: Any) -> list[Step]:
    """The steps of a search from its position: after each node the path, the covers found, nodes and updates."""
    seen: list[Step] = []
    nodes, updates, state = kernel.nodes, kernel.updates, BUFFER_FULL
    while state != EXHAUSTED:
        state = kernel.run(1, MANY, MANY)
        kernel.check()
        counted = kernel.nodes - nodes, kernel.updates - updates
        seen.append((kernel.path(), kernel.fraction(), taken(kernel), *counted))
    return seen


def reused(rng: np.random.Generator, kernel: Any) -> Any:
    """A kernel that has run for a while, perhaps to the end, and begins again."""
    for _ in range(int(rng.integers(1, 4))):
        kernel.run(int(rng.choice([0, 1, 2, 5, 20, MANY])), MANY, MANY)
        kernel.filled = 0
        if rng.random() < 0.3:
            kernel.confine(int(rng.integers(0, 3)))
        if rng.random() < 0.5:
            kernel.branches()
            kernel.seek([ENTER])
    kernel.seek([ENTER])
    return kernel


def watched(rng: np.random.Generator, kernel: Any) -> list[tuple[int, ...]]:
    """Runs a kernel to its end with budgets at random, and checks it before, in between, and after; its covers."""
    kernel.check()
    found: list[tuple[int, ...]] = []
    before = kernel.fraction()
    assert before == 0.0
    state = BUDGET_SPENT
    while state != EXHAUSTED:
        state = kernel.run(*rng.choice([1, 2, 3, 7, MANY], size=3).tolist())
        kernel.check()
        assert before <= kernel.fraction() <= 1.0
        before = kernel.fraction()
        found += taken(kernel)
    assert before == 1.0
    return found
