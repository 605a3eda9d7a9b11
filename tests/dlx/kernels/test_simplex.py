"""Linear programs at nodes and at the root, by the simplex method and by interior points."""

from __future__ import annotations

import math
from itertools import combinations, count, product
from typing import Any

import numpy as np
import pytest
from gates import FAMILIES
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import csc_array
from seeds import nightly

from dlx import Problem, best
from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Over, never
from dlx.kernels import EXHAUSTED
from dlx.optimum import interior_point
from dlx.optimum.interior_point import InteriorProgram, Optimum
from dlx.optimum.matrix import Matrix, remaining_ranges, with_ranges, with_secondary
from dlx.optimum.units import UNIT_BITS
from dlx.problem.problem import fault
from dlx.problem.roles import ranges

DEEP = -(1 << 61)


def by_highs(rows: Any, bounds: Any, live: Any, weights: Any) -> float | None:
    """The optimum of the linear program of the options that live, by another solver."""
    if not len(live):
        return 0.0
    matrix = csc_array((np.ones(len(rows.indices)), rows.indices, rows.indptr), (rows.n_items, rows.n_options))[:, live]
    kept = ~rows.takes_colours & (matrix.sum(axis=1) > 0)
    found = milp(-weights[live], constraints=LinearConstraint(matrix.tocsr()[kept], *bounds[kept].T))
    return float(-found.fun) if found.success else None


def kernel_of(problem: Problem, weights: Any, sweeps: int = 1) -> tuple[Any, Any, Any]:
    """A kernel that has linear programs at its nodes; and its rows and ranges."""
    rows, bounds = with_ranges(problem.rows())
    kernel = Matrix(rows, bounds, weights << UNIT_BITS).kernel(
        np.empty((1, max(problem.n_primary + 1, problem.max_level)), dtype=np.int32), 0
    )
    kernel.configure(0, sweeps, 1.0, 64, 40)
    kernel.target = DEEP
    return kernel, rows, bounds


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


# Interior points


def program_of(problem: Problem, over: Over = never) -> tuple[InteriorProgram, Any]:
    rows = problem.rows()
    bounds = ranges(rows.n_items, rows.n_primary, rows.multiplicities).astype(np.int64)
    return InteriorProgram(rows, bounds, np.arange(rows.n_options, dtype=np.int32), over), bounds


def costs(optimum: Optimum, bounds: Any) -> float:
    """Returns the sum of what the items cost at the worst."""
    price = optimum.price
    return float(np.where(price > 0, price * bounds[:, 1], price * bounds[:, 0]).sum())


def assignment(n: int, seed: int) -> Problem:
    weights = np.random.default_rng(seed).integers(1, 1000, n * n)
    return Problem.from_options([(("w", i), ("t", j)) for i, j in product(range(n), repeat=2)], weights=weights)


@pytest.mark.parametrize("family", ["plain", "plain, parts", "copies", "degrees", "some of many", "tiling", "again"])
def test_masses_and_prices_have_the_value_of_another_solver(family: str) -> None:
    """The best masses, and the best prices, come to the value that HiGHS finds, with ranges and secondary items."""
    for seed in range(5):
        rng = np.random.default_rng([seed, 6])
        problem = FAMILIES[family](rng)
        weights = rng.integers(-50, 100, problem.n_options)
        program, bounds = program_of(problem)
        optimum = program.solve(weights.astype(np.float64))
        expected = by_highs(problem.rows(), bounds, np.arange(problem.n_options), weights)
        assert (optimum is None) == (expected is None), seed
        if optimum is not None:
            assert float(optimum.mass @ weights) == pytest.approx(expected, abs=1e-4)
            assert costs(optimum, bounds) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_vertices_of_an_assignment_are_covers(seed: int) -> None:
    """If several assignments are best, the vertex that is found is one of them."""
    problem = assignment(8, seed)
    tied = Problem.from_csr(problem.indptr, problem.indices, 16, weights=np.asarray(problem.weights) // 400)
    program, _ = program_of(tied)
    weights = np.asarray(tied.weights, np.float64)
    centre = program.solve(weights)
    assert centre is not None
    vertex = program.face(weights, centre).solve(np.random.default_rng(seed).random(64))
    assert vertex is not None
    cover = np.flatnonzero(vertex.mass > 0.5)
    assert np.allclose(vertex.mass, np.isin(np.arange(64), cover), atol=1e-4), "a mass is not whole"
    assert best(tied).score == weights[cover].sum()
    assert not fault(tied, cover.tolist())


def test_an_impossible_program_has_no_optimum() -> None:
    """Two items that only share their options cannot be covered once and twice: no masses, and no warning."""
    problem = Problem.from_options(
        [["a", "b"], ["b", "a"], ["a", "b"]], multiplicities={"a": (2, 2)}, weights=[1, 2, 3]
    )
    program, _ = program_of(problem)
    assert program.solve(np.array([1.0, 2.0, 3.0])) is None


def test_solving_ends_at_a_limit() -> None:
    """After the end of a search, another call takes no step."""
    calls = iter([False, False, True])
    program, _ = program_of(assignment(8, 0), lambda: next(calls))
    assert program.solve(np.ones(64)) is None
    assert next(calls, None) is None


def test_no_equations_are_set_up_after_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits are checked before the normal equations, which take 15 ms for target sudoku of 25 x 25."""
    monkeypatch.setattr(interior_point, "NormalEquations", None)  # cannot be called
    program, _ = program_of(assignment(8, 0), lambda: True)
    assert program.work() == math.inf


def test_one_bound_of_an_option_is_paid_once() -> None:
    """If two optional items have the same single option, one of them has the price of both."""
    problem = Problem.from_options(
        [["a", "x", "y"], ["a"], ["a"]],
        items="axy",
        weights=[10, 1, 2],
        multiplicities={"a": (1, 3), "x": (0, 1), "y": (0, 1)},
    )
    program, bounds = program_of(problem)
    weights = np.asarray(problem.weights, np.float64)
    optimum = program.solve(weights)
    assert optimum is not None
    assert costs(optimum, bounds) == pytest.approx(14)
    corner = program.face(weights, optimum).solve(np.ones(3))
    assert corner is not None
    assert corner.mass == pytest.approx([1, 0, 2], abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_a_sparse_factor_solves_what_a_dense_one_does(seed: int) -> None:
    """The solution of a sparse system is that of numpy; a matrix that is not positive definite has no factor."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 150))
    entries = np.unique(rng.integers(0, n, (2 * n, 2)), axis=0).astype(np.int32)
    row, column = np.append(entries[:, 0], np.arange(n)), np.append(entries[:, 1], np.arange(n))
    one, value = np.greater_equal(row, column), np.append(rng.random(len(entries)), np.full(n, 9.0 * n))
    row, column, value = row[one].astype(np.int32), column[one].astype(np.int32), value[one]
    matrix = np.zeros((n, n))
    np.add.at(matrix, (row, column), value)
    matrix += np.tril(matrix, -1).T
    kernel = compiled_module("dlx.kernels.price.lp.cholesky").Cholesky
    source = np.arange(len(row), dtype=np.int32)
    factor = kernel(n, row, column, source, 1e9, never)
    assert np.count_nonzero(np.tril(matrix)) <= factor.entries <= n * (n + 1) // 2
    assert factor.factor(value, 0.0)
    right = rng.random(n)
    assert np.allclose(factor.solve(right), np.linalg.solve(matrix, right))
    assert not factor.factor(-value, 0.0)
    spoilt = value.copy()
    spoilt[len(value) - int(rng.integers(1, n + 1))] *= -1.0  # of the last terms, those of the diagonal
    assert not factor.factor(spoilt, 0.0)
    assert kernel(n, row, column, source, 0.0, never).entries == 0, "a factor that takes too much"


def test_a_factor_checks_the_limits() -> None:
    """A dense matrix takes several checks to arrange and to factor; at any of them it can be given up."""
    row, column = (some.astype(np.int32) for some in np.tril_indices(500))
    value, source = np.where(row == column, 1000.0, 1.0), np.arange(len(row), dtype=np.int32)
    kernel = compiled_module("dlx.kernels.price.lp.cholesky").Cholesky
    checks = count()
    assert kernel(500, row, column, source, 1e9, lambda: next(checks) < 0).factor(value, 0.0)
    number = next(checks)
    assert number > 5
    for last in (0, number - 1):
        answers = iter([False] * last)
        given_up = kernel(500, row, column, source, 1e9, lambda answers=answers: next(answers, True))
        assert bool(given_up.entries) == (last > 0)
        assert not (given_up.entries and given_up.factor(value, 0.0))
