"""Tests of the dual simplex method at nodes, `dlx.kernels.price.simplex`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gates import FAMILIES

from dlx import Problem, best
from dlx.kernels import EXHAUSTED
from dlx.optimum.linear import left_to_cover
from dlx.optimum.root import with_ranges
from dlx.optimum.sharing import ITEM, WHOLE, Makings
from dlx.optimum.units import UNIT_BITS

DEEP = -(1 << 61)


def kernel_of(problem: Problem, weights: Any, sweeps: int = 1) -> tuple[Any, Any, Any]:
    """A kernel that has linear programs at its nodes; and its rows and ranges."""
    rows, bounds = with_ranges(problem.rows())
    kernel = Makings(rows, bounds, weights << UNIT_BITS).kernel(
        np.empty((1, max(problem.n_primary + 1, problem.max_level)), dtype=np.int32), 0
    )
    kernel.set(0, sweeps, 1.0, True, 64, 40, ((), (), (), ()))
    kernel.target = DEEP
    return kernel, rows, rows.ranges() if bounds is None else bounds


def by_highs(rows: Any, bounds: Any, live: Any, weights: Any) -> float | None:
    """The optimum of the linear program of the options that live."""
    highspy = pytest.importorskip("highspy")
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("threads", 1)  # as everywhere: in one process HiGHS fails if told otherwise
    x = {o: solver.addVariable(0, highspy.kHighsInf, float(weights[o])) for o in live.tolist()}
    for i, (least, most) in enumerate(bounds.tolist()):
        entries = [x[o] for o in rows.owner[rows.indices == i].tolist() if o in x]
        if entries and not rows.tinted[i]:
            solver.addConstr(least <= sum(entries) <= most)
    solver.maximize()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return float(solver.getObjectiveValue())


@pytest.mark.parametrize("family", FAMILIES)
def test_nodes_have_the_optimum_of_their_linear_program(family: str) -> None:
    """The bound of a node is the optimum of another solver's linear program of its options, and so are its masses."""
    seen = equal = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        problem = FAMILIES[family](rng)
        weights = rng.integers(-50, 1000, problem.n_options)
        kernel, rows, bounds = kernel_of(problem, weights)
        for _ in range(30):
            if kernel.run(1, 1 << 62, 1 << 62) == 0:
                break
            kernel.check()
            kernel.filled = 0
            nodes = kernel.rest()
            if not nodes or nodes[-1][5] == WHOLE:  # it has no program yet
                continue
            _, bound, chosen, live, _, kind, left = nodes[-1]
            bound += left[len(left) // 2 :].min() if kind == ITEM else 0  # that of its best child was told
            optimum = by_highs(rows, left_to_cover(rows, bounds, chosen.tolist()), live, weights)
            gain = int(weights[chosen].sum())
            if optimum is None:  # no point
                continue
            assert gain + optimum <= bound / 2**UNIT_BITS + 1e-3
            seen += 1
            equal += gain + optimum >= bound / 2**UNIT_BITS - 1e-3
    assert seen == equal > 10


def test_prices_are_those_of_the_optimum() -> None:
    """At a node that has just been divided the bound is not above the optimum of its linear program."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        options = [sorted(rng.choice(20, 4, replace=False).tolist()) for _ in range(150)]
        problem = Problem.from_options([*options, *[[i] for i in range(20)]], items=range(20))
        weights = np.append(rng.integers(1, 1000, 150), np.full(20, -500))
        kernel, rows, bounds = kernel_of(problem, weights)
        kernel.run(1, 1 << 62, 1 << 62)
        _, bound, chosen, live, *_ = kernel.rest()[0]
        optimum = by_highs(rows, left_to_cover(rows, bounds, chosen.tolist()), live, weights)
        assert optimum is not None
        assert int(weights[chosen].sum()) + optimum == pytest.approx(bound / 2**UNIT_BITS, abs=1e-3)


def test_a_run_may_end_amid_pivots() -> None:
    """Runs of one update each find all covers of a score that a run without a limit finds, by as many pivots."""
    rng = np.random.default_rng(1)
    options = [sorted(rng.choice(32, 4, replace=False).tolist()) for _ in range(140)]
    weights = np.append(rng.integers(800, 1000, 140), np.full(32, 50))
    problem = Problem.from_options([*options, *[[i] for i in range(32)]], items=range(32), weights=weights)
    least = best(problem, k=5).covers[-1].score
    found: list[set[tuple[int, ...]]] = []
    work, ends = [], 0
    for updates in (1 << 62, 1):
        kernel, *_ = kernel_of(problem, weights)
        kernel.target = int(least) << UNIT_BITS
        found.append(set())
        state, before = -1, -1
        while state != EXHAUSTED:
            ends += kernel.nodes == before
            before = kernel.nodes
            state = kernel.run(1 << 62, updates, 1 << 62)
            kernel.check()
            found[-1].update(tuple(sorted(row[row >= 0].tolist())) for row in kernel.found())
            kernel.filled = 0
        work.append((kernel.nodes, kernel.pivots))
    assert found[0] == found[1]
    assert work[0] == work[1]
    assert work[0][1] > 100
    assert len(found[0]) >= 5
    assert ends > 10
