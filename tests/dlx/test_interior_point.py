"""Tests of the linear program of the root, `dlx.optimum.interior_point`."""

from __future__ import annotations

import math
from itertools import count, product
from typing import Any

import numpy as np
import pytest
from linear_programs import by_highs

from dlx import Problem, best
from dlx.engine.compiled import compiled_module
from dlx.engine.limits import Over, never
from dlx.optimum import interior_point
from dlx.optimum.interior_point import InteriorProgram, Optimum
from dlx.problem.problem import fault
from dlx.problem.roles import ranges


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


def random_problem(seed: int) -> Problem:
    """A problem with a cover, some secondary items, and ranges."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 12))
    n_primary = int(rng.integers(2, n + 1))
    options = [np.flatnonzero(rng.random(n) < 0.4).tolist() for _ in range(int(rng.integers(5, 40)))]
    options = [[*{*option, int(rng.integers(n_primary))}] for option in options]
    chosen = rng.random(len(options)) < 0.3
    covered = np.bincount([i for o in np.flatnonzero(chosen) for i in options[o]], minlength=n)
    options = [option for option, keep in zip(options, chosen, strict=True) if keep or rng.random() < 0.8]
    times = {i: (max(0, int(covered[i]) - int(rng.integers(0, 2))), max(1, int(covered[i]))) for i in range(n_primary)}
    secondary = [i for i in range(n_primary, n) if covered[i] < 2]
    kept = {*range(n_primary), *secondary}
    return Problem.from_options(
        [[i for i in option if i in kept] for option in options],
        items=range(n_primary),
        secondary=secondary,
        multiplicities=times,
        weights=rng.integers(-50, 100, len(options)),
    )


@pytest.mark.parametrize("seed", range(25))
def test_masses_and_prices_have_the_value_of_another_solver(seed: int) -> None:
    """The best masses, and the best prices, come to the value that HiGHS finds, with ranges and secondary items."""
    problem = random_problem(seed)
    program, bounds = program_of(problem)
    assert problem.weights is not None
    optimum = program.solve(problem.weights.astype(np.float64))
    assert optimum is not None
    rows = problem.rows()
    expected = by_highs(rows, bounds, np.arange(rows.n_options), problem.weights)
    assert float(optimum.mass @ problem.weights) == pytest.approx(expected, abs=1e-4)
    assert costs(optimum, bounds) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_vertices_of_an_assignment_are_covers(seed: int) -> None:
    """Where many assignments tie for the best, a vertex of the best points is one of them."""
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
    """Where the search is over no further step is taken."""
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
    """Where two items that need nothing have one option, the same one, one of them pays for both."""
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
