"""The kernel `branch_and_bound` against enumeration: its covers, the promises of its bounds, and its restarts."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from families import build
from gates import copies
from kernels import KINDS, MANY, exhaust, spending, taken
from oracle import as_sets, random_problem
from seeds import for_seeds

from dlx import Problem, reference
from dlx.engine.dispatch import new_kernel
from dlx.kernels import BUDGET_SPENT, BUFFER_FULL, EXHAUSTED
from dlx.optimum.alike import Merged
from dlx.optimum.matrix import with_ranges, with_secondary

LEAST = -(1 << 62)
Weights = npt.NDArray[np.int64]
Scored = dict[tuple[int, ...], int]


def random_weights(rng: np.random.Generator, problem: Problem) -> Weights:
    """Small, equal, few or huge weights; the kernel's caller keeps huge ones below 2**58 by the size of the problem."""
    size = problem.n_options
    times = problem.n_items if problem.multiplicities is None else problem.n_items + int(problem.multiplicities.sum())
    room = 2**58 // (4 * (problem.n_items + 3) * (times + problem.n_options + 1) * (problem.n_primary + 1))
    kinds = (
        rng.integers(-9, 10, size),
        np.full(size, rng.integers(-3, 4)),
        1000 * rng.integers(0, 2, size) - 7,
        rng.integers(-room, room + 1, size),
    )
    return np.ascontiguousarray(kinds[rng.integers(len(kinds))], dtype=np.int64)


def random_case(seed: int, kind: str = "plain") -> tuple[np.random.Generator, Problem, Weights, Scored]:
    """A problem, weights, and all its covers with their scores."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, kind)
    weights = random_weights(rng, problem)
    return rng, problem, weights, {c: sum(weights[list(c)].tolist()) for c in reference.covers(problem)}


def entries(problem: Problem) -> list[list[int]]:
    """The items of each option."""
    return [items.tolist() for items in np.split(problem.indices, problem.indptr[1:-1])][: problem.n_options]


def round_of(kernel: Any, temperature: float, sweeps: int) -> None:
    """Prices at the root at one temperature, in one go or in two."""
    if kernel.node.heat(temperature):
        power = 1.0 + sweeps % 3 / 2.5
        kernel.node.anneal(sweeps // 2, power)
        kernel.node.anneal(sweeps - sweeps // 2, power)
        kernel.node.cool()


def anneal(rng: np.random.Generator, kernel: Any, weights: Weights) -> None:
    """Prices at any temperatures, useful or not, in any order."""
    size = float(np.abs(weights).max(initial=1)) + 1
    for _ in range(rng.integers(0, 6)):
        round_of(kernel, size * 10.0 ** rng.uniform(-12, 3), int(rng.integers(0, 9)))
    kernel.node.restore_best()


def drain(kernel: Any) -> list[tuple[int, ...]]:
    """The covers in the buffer, which is empty then, as sets."""
    return [tuple(sorted(cover)) for cover in taken(kernel)]


@pytest.mark.parametrize("kind", KINDS["branch_and_bound"])
@for_seeds(900)
def test_the_kernel_finds_the_covers_that_reach_the_target(kind: str, seed: int) -> None:
    """Each once and no other, whatever the prices, sweeps, dives, memory, budgets and seed; and `check` holds."""
    rng, problem, weights, scored = random_case(seed, kind)
    scores = sorted(scored.values())
    target = int(rng.choice(scores)) + int(rng.integers(-1, 2)) if scores and seed % 4 else LEAST
    kernel = spending(problem, weights, int(rng.integers(1, 5)), int(rng.integers(1, 6)), seed)
    kernel.target = target
    kernel.node.sweeps, kernel.node.warmth = int(rng.integers(0, 4)), float(rng.choice([0.01, 1.0, 100.0]))
    kernel.node.diving = float(rng.choice([0.0, 1e-3, 1.0, 1e9]))
    kernel.give_programs(int(rng.choice([0, 2, 99])))
    anneal(rng, kernel, weights)
    found = []
    while (state := kernel.run(int(rng.integers(1, 9)), int(rng.integers(1, 99)), MANY)) != EXHAUSTED:
        assert state in (BUFFER_FULL, BUDGET_SPENT)
        found += drain(kernel)
        kernel.check()
    found += drain(kernel)
    assert sorted(found) == sorted(cover for cover, score in scored.items() if score >= target)
    assert kernel.covers == len(found)


@pytest.mark.parametrize("kind", KINDS["branch_and_bound"])
@for_seeds(450)
def test_restarts_lose_no_cover(kind: str, seed: int) -> None:
    """The search that ends at last finds every cover, whenever it is restarted and its prices improved."""
    rng, problem, weights, scored = random_case(seed, kind)
    kernel = spending(problem, weights, price_rows=int(rng.integers(1, 9)))
    kernel.target = target = int(rng.choice(list(scored.values()))) if scored else 0
    found: set[tuple[int, ...]] = set()
    budget = 1
    while True:
        state = kernel.run(budget, MANY, MANY)
        found.update(drain(kernel))
        if state == EXHAUSTED:
            break
        if state == BUDGET_SPENT or rng.integers(5 * budget) == 0:
            kernel.restart(int(rng.integers(1 << 40)))
            kernel.check()
            assert kernel.fraction() == 0.0
            anneal(rng, kernel, weights)
            kernel.check()
            kernel.node.sweeps, kernel.node.diving = int(rng.integers(0, 4)), float(rng.choice([0.0, 1.0]))
            kernel.give_programs(int(rng.choice([0, 2, 99])))
            budget += 1
    assert found == {cover for cover, score in scored.items() if score >= target}


@for_seeds(1200)
def test_prices_minus_slacks_are_scores(seed: int) -> None:
    """The score of a cover is the sum of the prices minus its slacks and its unpaid secondary items.

    The slacks of options in covers, and the prices of secondary items, are never negative: so `upper_bound` is a bound.
    """
    rng, problem, weights, scored = random_case(seed)
    kernel, options = spending(problem, weights), entries(problem)
    ceiling = kernel.node.upper_bound
    for _ in range(4):
        anneal(rng, kernel, weights)
        prices = kernel.node.prices().tolist()
        slack = [sum(prices[i] for i in items) - int(w) for items, w in zip(options, weights, strict=True)]
        for cover, score in scored.items():
            unpaid = set(range(problem.n_items)).difference(*(options[o] for o in cover))
            assert score == sum(prices) - sum(slack[o] for o in cover) - sum(prices[i] for i in unpaid)
            assert min((slack[o] for o in cover), default=0) >= 0
            assert min((prices[i] for i in unpaid), default=0) >= 0
            assert score <= kernel.node.upper_bound <= ceiling
        ceiling = kernel.node.upper_bound


@pytest.mark.parametrize(("sweeps", "programs"), [(3, 0), (20, 99)])
def test_the_size_of_a_budget_changes_nothing(sweeps: int, programs: int) -> None:
    """Covers, nodes and updates are the same however a search is cut into slices: with prices at nodes, and trials."""
    problem = build("latin", 4)
    weights = np.random.default_rng(3).integers(-99, 99, problem.n_options)
    runs = []
    for nodes, updates in ((1, MANY), (7, MANY), (MANY, 1), (MANY, 99), (MANY, MANY)):
        kernel = spending(problem, weights, room=2, seed=5)
        kernel.give_programs(programs)
        kernel.node.sweeps, kernel.target = sweeps, 300
        runs.append((exhaust(kernel, nodes, updates, MANY), kernel.nodes, kernel.updates))
    assert all(run == runs[0] for run in runs)
    assert runs[0][0]


def test_options_without_a_primary_item_are_never_live() -> None:
    """Such options are in no cover and raise no bound, however much they weigh."""
    problem = Problem.from_options(["a", "x", "xy", "ay"], items="axy", secondary="xy")
    kernel = spending(problem, np.array([1, 100, 100, 2], dtype=np.int64), room=9)
    assert kernel.node.upper_bound == 2
    assert kernel.run(MANY, MANY, MANY) == EXHAUSTED
    assert sorted(drain(kernel)) == [(0,), (3,)]


@for_seeds(200)
def test_a_kernel_goes_on_with_another_item(seed: int) -> None:
    """With a clique as one more item, it finds the covers that it had left, as it was told to before."""
    rng, problem, weights, scored = random_case(seed, "plain" if seed % 2 else "multiple")
    kernel = spending(problem, weights, room=9)
    kernel.give_programs(99)
    kernel.node.sweeps = 2
    kernel.target = target = int(rng.choice(list(scored.values()))) if scored else 0
    round_of(kernel, 3.0, 5)
    kernel.node.restore_best()
    kernel.run(int(rng.integers(0, 9)), MANY, MANY)
    kernel.filled = 0
    kernel.restart(1)
    node, path = kernel.node, kernel.path()
    prices, live, bound = node.prices(), node.options_left().tolist(), node.upper_bound
    once = [set(items if problem.multiplicities is None else ()) for items in entries(problem)]
    clique: list[int] = []
    for o in rng.permutation(problem.n_options).tolist():
        clique += [o] if all(once[o] & once[other] for other in clique) else []
    rows, ranges = with_ranges(problem.rows())
    more = with_secondary(rows, np.array(clique, np.int64), np.array([len(clique)]))
    kernel.add_items(more, np.append(ranges, np.array([[0, 1]], np.int32), axis=0))
    assert (kernel.lp.levels, node.sweeps, kernel.target) == (99, 2, target)
    assert (node.prices().tolist(), node.options_left().tolist()) == ([*prices.tolist(), 0], live)
    assert (kernel.path(), node.upper_bound <= bound) == (path, True)
    kernel.check()
    assert as_sets(exhaust(kernel)) == sorted(cover for cover, score in scored.items() if score >= target)
    assert kernel.node.upper_bound >= max(scored.values(), default=target) or not scored


@for_seeds(200)
def test_options_alike_are_chosen_so_often_as_there_are(seed: int) -> None:
    """Each choice of numbers is found once, and stands for as many covers as there are ways to choose such copies."""
    rng = np.random.default_rng([seed, 3])
    problem = copies(rng)
    merged = Merged(problem, np.zeros(problem.n_options))
    weights = np.zeros(problem.n_options, dtype=np.int64) if seed % 2 else random_weights(rng, problem)
    bare, ranges = with_ranges(merged.rows, merged.times)
    buffer = np.empty((3, problem.max_level + problem.n_primary + 1), np.int32)
    kernel = new_kernel("branch_and_bound", bare, buffer, weights, seed, ranges)
    kernel.node.give_levels_prices(99)
    kernel.give_programs(99 * (seed % 3 > 0))
    kernel.node.sweeps = int(rng.integers(0, 9))
    anneal(rng, kernel, weights)
    kernel.check()
    found: list[tuple[int, ...]] = []
    while kernel.run(2, MANY, 2) != EXHAUSTED:
        kernel.check()
        found += drain(kernel)
    found += drain(kernel)
    assert len(set(found)) == len(found)
    ways = [math.prod(math.comb(int(merged.times[o]), n) for o, n in Counter(cover).items()) for cover in found]
    assert sum(ways) == len(list(reference.covers(problem)))
    expanded = {tuple(merged.expand(np.array(cover, np.int32)).tolist()) for cover in found}
    assert len(expanded) == len(found)
    assert expanded <= {tuple(sorted(cover)) for cover in reference.covers(problem)}
