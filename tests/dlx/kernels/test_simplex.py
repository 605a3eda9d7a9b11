"""Tests of the simplex method at nodes and at the root, `dlx.kernels.price.lp.simplex`."""

from __future__ import annotations

from itertools import combinations, count
from typing import Any

import numpy as np
import pytest
from gates import FAMILIES
from linear_programs import by_highs
from seeds import nightly

from dlx import Problem, best
from dlx.kernels import EXHAUSTED
from dlx.optimum.matrix import Matrix, remaining_ranges, with_ranges, with_secondary
from dlx.optimum.units import UNIT_BITS

DEEP = -(1 << 61)


def kernel_of(problem: Problem, weights: Any, sweeps: int = 1) -> tuple[Any, Any, Any]:
    """A kernel that has linear programs at its nodes; and its rows and ranges."""
    rows, bounds = with_ranges(problem.rows())
    kernel = Matrix(rows, bounds, weights << UNIT_BITS).kernel(
        np.empty((1, max(problem.n_primary + 1, problem.max_level)), dtype=np.int32), 0
    )
    kernel.configure(0, sweeps, 1.0, 64, 40)
    kernel.target = DEEP
    return kernel, rows, rows.ranges() if bounds is None else bounds


@pytest.mark.parametrize("family", FAMILIES)
def test_nodes_have_the_optimum_of_their_linear_program(family: str) -> None:
    """The bound of a node is the optimum of another solver's linear program of its options, and so are its masses."""
    seen = equal = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        problem = FAMILIES[family](rng)
        weights = rng.integers(-50, 1000, problem.n_options)
        kernel, rows, bounds = kernel_of(problem, weights)
        other, *_ = kernel_of(problem, weights)
        for _ in range(30):
            if kernel.run(1, 1 << 62, 1 << 62) == EXHAUSTED:
                break
            kernel.check()
            kernel.filled = 0
            for _, _, *node in kernel.rest()[-1:]:
                other.start_at(*node)
                if not other.node.heat(1.0):  # where all that is forced is chosen
                    continue
                chosen, live = np.array(other.path(), dtype=np.int32), other.node.options_left()
                other.start_at(chosen, live, other.node.prices())
                before = other.covers
                other.run(1, 1 << 62, 1 << 62)
                other.filled = 0
                optimum = by_highs(rows, remaining_ranges(rows, bounds, chosen.tolist()), live, weights)
                if optimum is None or other.covers > before or not other.rest():  # no point, or no child is left
                    continue
                value = int(weights[chosen].sum()) + optimum
                assert other.rest_bound() == max(bound for _, bound, *_ in other.rest())
                bound = other.rest_bound() / 2**UNIT_BITS  # that of the best child
                assert value <= bound + 1e-3
                seen += 1
                equal += value >= bound - 1e-3
    assert seen == equal > 10


def test_a_run_may_end_amid_pivots() -> None:
    """Runs that end amid the pivots or the trials of a node find the same covers, by the same work; each is short."""
    rng = np.random.default_rng(1)
    options = [sorted(rng.choice(26, 4, replace=False).tolist()) for _ in range(100)]
    weights = np.append(rng.integers(800, 1000, 100), np.full(26, 50))
    problem = Problem.from_options([*options, *[[i] for i in range(26)]], items=range(26), weights=weights)
    least = best(problem, k=5).covers[-1].score
    found: list[set[tuple[int, ...]]] = []
    work, amid, runs = [], 0, 0
    for updates in (1 << 62, 1):
        kernel, *_ = kernel_of(problem, weights)
        kernel.target = int(least) << UNIT_BITS
        found.append(set())
        state = -1
        while state != EXHAUSTED:
            before = kernel.updates
            state = kernel.run(1 << 62, updates, 1 << 62)
            assert updates > 1 or kernel.updates - before < 10_000
            runs += 1
            amid += kernel.is_amid_node
            if runs % 64 == 0:
                kernel.check()
            found[-1].update(tuple(sorted(row[row >= 0].tolist())) for row in kernel.found())
            kernel.filled = 0
        work.append((kernel.lp.pivots, kernel.nodes, kernel.updates))
    assert found[0] == found[1]
    assert work[0] == work[1]
    assert work[0][0] > 100
    assert len(found[0]) >= 5
    assert amid > 10


def solved(kernel: Any, rounds: int = 3) -> bool:
    """Has the root solve its linear program, after some sweeps; False if it has no solution, or no cover is left."""
    for temperature in (1 << 25, 1 << 24, 1 << 22)[:rounds]:
        if not kernel.node.heat(float(temperature)):
            return False
        kernel.node.anneal(3)
        kernel.node.cool()
    kernel.node.restore_best()
    done: bool = kernel.node.heat(float(1 << UNIT_BITS)) and kernel.lp.optimize(kernel.node, 1 << 40)
    kernel.node.restore_best()
    return done


def holds(kernel: Any, rows: Any, bounds: Any, weights: Any) -> None:
    """The bound and the masses of the root are those of another solver's optimum, and the masses are in all ranges."""
    chosen, live = list(kernel.path()), kernel.node.options_left()
    left = remaining_ranges(rows, bounds, chosen)
    optimum = by_highs(rows, left, live, weights)
    assert optimum is not None
    masses = np.zeros(rows.n_options)
    masses[live] = kernel.node.masses()[live]
    assert masses @ weights == pytest.approx(optimum, abs=1e-3)
    assert int(weights[chosen].sum()) + optimum == pytest.approx(kernel.node.upper_bound / 2**UNIT_BITS, abs=1e-3)
    there = np.bincount(rows.indices, masses[rows.owner], rows.n_items)
    assert ((left[:, 0] - 1e-6 <= there) & (there <= left[:, 1] + 1e-6))[~rows.takes_colours].all()


@pytest.mark.parametrize("family", sorted({*FAMILIES} - {"sites"}))  # whose colours are no part of the program
def test_the_root_has_the_optimum_of_its_linear_program(family: str) -> None:
    """With few options or many sweeps before, the root comes to the optimum of another solver, at a vertex."""
    seen = 0
    for seed in range(20):
        rng = np.random.default_rng([seed, 5])
        problem = FAMILIES[family](rng)
        weights = rng.integers(-50, 1000, problem.n_options)
        kernel, rows, bounds = kernel_of(problem, weights)
        if not solved(kernel, seed % 4) or not len(kernel.node.options_left()):
            continue  # there is no cover, or nothing is left
        holds(kernel, rows, bounds, weights)
        seen += 1
    assert seen > 2


def dear_ones(rng: np.random.Generator) -> tuple[Problem, Any]:
    """3,000 cheap options, and two dear ones, without which an item cannot be covered; perhaps with ranges."""
    n = int(rng.integers(6, 25))
    options = [sorted(rng.choice(n, rng.integers(2, 4), replace=False).tolist()) for _ in range(3_000)]
    far = n - 1
    options = [[i for i in option if i != far] or [0] for option in options] + [[0, far], [1, far]]
    ranges = {i: (int(a), int(a + b)) for i, (a, b) in enumerate(rng.integers(1, 4, (n, 2)))}
    given = ranges | {far: (1, 3)} if rng.integers(2) else None
    problem = Problem.from_options(options, items=range(n), multiplicities=given)
    return problem, np.append(rng.integers(0, 1000, 3_000), [-30_000, -20_000])


def without_slack(rng: np.random.Generator) -> tuple[Problem, Any]:
    """More options without slack than a program begins with."""
    sources, sinks, copies = int(rng.integers(4, 12)), int(rng.integers(30, 60)), int(rng.integers(2, 6))
    pairs = [(("a", i), ("b", j)) for i in range(sources) for j in range(sinks)]
    demand = rng.integers(1, 6, sinks)
    ranges = {("a", i): (0, -(-int(demand.sum()) // sources)) for i in range(sources)}
    ranges |= {("b", j): (n, n) for j, n in enumerate(demand.tolist())}
    problem = Problem.from_options([pair for pair in pairs for _ in range(copies)], multiplicities=ranges)
    return problem, -np.repeat(rng.integers(0, 2, len(pairs)), copies)


@pytest.mark.parametrize("make", [dear_ones, without_slack])
@pytest.mark.parametrize("seed", [*range(4), *nightly(*range(4, 12))])
def test_many_options_come_in_as_they_are_needed(make: Any, seed: int) -> None:
    """Of thousands of options few are in the program at first; those that it lacks come in."""
    problem, weights = make(np.random.default_rng(seed))
    kernel, rows, bounds = kernel_of(problem, weights)
    assert solved(kernel, seed % 4)
    holds(kernel, rows, bounds, weights)


@pytest.mark.parametrize("seed", range(12))
def test_the_next_optimum_begins_with_the_last_basis(seed: int) -> None:
    """With items added, the optimum is another solver's; with nothing added it takes no pivot."""
    rng = np.random.default_rng(seed)
    n = 14
    options = [*combinations(range(n), 2), *combinations(range(0, n, 3), 3)]
    ranges = {i: (1, int(rng.integers(1, 3))) for i in range(n)} if seed % 2 else None
    problem = Problem.from_options(options, items=range(n), multiplicities=ranges)
    weights = -rng.integers(1, 1000, len(options))
    kernel, rows, bounds = kernel_of(problem, weights)
    assert solved(kernel, 1)
    for _ in range(4):
        heavy = np.flatnonzero(kernel.node.masses() > 0.1)
        cut = rng.choice(heavy, min(len(heavy), 5), replace=False).astype(np.int64)
        rows, added = with_secondary(rows, cut, np.array([len(cut)])), [[0, max(1, len(cut) // 2)]]
        bounds = np.append(bounds, np.array(added, dtype=np.int32), axis=0)
        kernel.add_items(rows, bounds)
        assert solved(kernel, 0)
        holds(kernel, rows, bounds, weights)
        pivots = kernel.lp.pivots
        assert solved(kernel, 0)
        assert kernel.lp.pivots == pivots


def crews_at_the_root() -> tuple[Any, Any]:
    """A root with 150 items whose program takes a million updates, ready for `optimize`; and its first bound."""
    rng = np.random.default_rng(3)
    rows = [sorted(rng.choice(150, rng.integers(4, 9), replace=False).tolist()) for _ in range(2_000)]
    problem = Problem.from_options([*rows, *([i] for i in range(150))], items=range(150))
    kernel, *_ = kernel_of(problem, rng.integers(-1000, -10, problem.n_options), 0)
    assert kernel.node.heat(1e6)
    return kernel, kernel.node.upper_bound


def test_the_program_of_the_root_hears_limits() -> None:
    """The limits are looked at after every 100,000 updates or so, and a program that is given up leaves a true root."""
    kernel, before = crews_at_the_root()
    looks: list[int] = []

    def look() -> bool:
        looks.append(kernel.updates)
        return False

    assert kernel.lp.optimize(kernel.node, 1 << 40, look)
    assert len(looks) > 2
    assert max(np.diff(looks)) < 300_000
    optimum = kernel.node.upper_bound
    for stop in {1, 2, len(looks)}:
        kernel, _ = crews_at_the_root()
        options, seen = kernel.node.options_left(), count(1)
        assert not kernel.lp.optimize(kernel.node, 1 << 40, lambda seen=seen, stop=stop: next(seen) == stop)
        kernel.check()
        assert sorted(kernel.node.options_left()) == sorted(options)
        assert optimum <= kernel.node.upper_bound <= before
