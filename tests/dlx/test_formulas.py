"""Files for solvers: their solutions are the covers, by evaluators that know nothing else, and by the solvers."""

from __future__ import annotations

import itertools
import re
import warnings

import numpy as np
import pytest
from cuts import derived
from oracle import KINDS, as_sets, is_cover
from seeds import for_seeds

from dlx import Problem, covers, first
from dlx.formats import FormatWarning, cnf

Clauses = list[list[int]]


def any_problem(seed: int) -> Problem:
    """A small problem of any kind; now and then some of its options are chosen or left out."""
    return derived(np.random.default_rng(seed), KINDS[seed % 4])


def formula(problem: Problem) -> tuple[int, Clauses]:
    """The variables and the clauses that are written; the numbers of both are as the head says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        lines = cnf.dumps(problem).decode().splitlines()
    (head,) = (line for line in lines if line.startswith("p"))
    variables, number = map(int, re.fullmatch(r"p cnf (\d+) (\d+)", head).groups())  # type: ignore[union-attr]
    clauses = [list(map(int, line.split())) for line in lines if line[0] not in "cp"]
    assert len(clauses) == number
    assert all(clause[-1] == 0 and len(clause) > 1 for clause in clauses)
    assert all(abs(literal) <= variables for clause in clauses for literal in clause)
    return variables, [clause[:-1] for clause in clauses]


def propagated(clauses: Clauses, true: set[int]) -> set[int] | None:
    """Returns the literals that follow by unit propagation; None for a conflict."""
    true = set(true)
    changed = True
    while changed:
        changed = False
        for clause in clauses:
            if true.isdisjoint(clause):
                left = [literal for literal in clause if -literal not in true]
                if not left:
                    return None
                if len(left) == 1:
                    true.add(left[0])
                    changed = True
    return true


@for_seeds(150)
def test_the_models_of_clauses_are_the_covers(seed: int) -> None:
    """The chosen options decide all other variables, by propagation alone; just covers are models."""
    problem = any_problem(seed)
    if problem.n_options > 10:
        return
    variables, clauses = formula(problem)
    found = []
    everything = (itertools.combinations(range(problem.n_options), size) for size in range(problem.n_options + 1))
    for chosen in itertools.chain.from_iterable(everything):
        literals = {o + 1 if o in chosen else -o - 1 for o in range(problem.n_options)}
        model = propagated(clauses, literals)
        if model is not None:
            assert {abs(literal) for literal in model} >= {abs(literal) for clause in clauses for literal in clause}
            found.append(chosen)
    assert as_sets(found) == as_sets(covers(problem))
    assert variables >= problem.n_options


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7, 9])
def test_every_number_of_every_row(n: int) -> None:
    """Rows with at least so many and at most so many of n variables have the right models, for all numbers."""
    for most in range(1, n + 2):
        for least in range(most + 1):
            problem = Problem.from_options(["a"] * n, multiplicities={"a": (least, most)})
            clauses = formula(problem)[1]
            sizes = {
                size: propagated(clauses, {k + 1 if k < size else -k - 1 for k in range(n)}) is not None
                for size in range(n + 1)
            }
            assert [size for size, holds in sizes.items() if holds] == list(range(least, min(most, n) + 1))


def test_long_rows_take_few_clauses() -> None:
    """Clauses for at most one of n are about 3 n, not n * n / 2; all but three are as cheap as three."""
    plain = len(formula(Problem.from_options(["a"] * 1000))[1])
    few = len(formula(Problem.from_options(["a"] * 1000, multiplicities={"a": 3}))[1])
    many = len(formula(Problem.from_options(["a"] * 1000, multiplicities={"a": 997}))[1])
    assert (plain < 5_000, few < 20_000, many) == (True, True, few)


@for_seeds(300)
def test_a_sat_solver_finds_every_cover(seed: int) -> None:
    """CaDiCaL has a model just if there is a cover; its models, one after the other, are all covers."""
    solvers = pytest.importorskip("pysat.solvers")
    problem = any_problem(seed)
    variables, clauses = formula(problem)
    found = []
    with solvers.Cadical153(bootstrap_with=[*clauses, *([v, -v] for v in range(1, variables + 1))]) as solver:
        assert solver.solve() == (first(problem).cover is not None)
        while solver.solve():
            model = solver.get_model()
            found.append(tuple(o for o in range(problem.n_options) if model[o] > 0))
            assert is_cover(problem, found[-1])
            solver.add_clause([-literal for literal in model])
    assert as_sets(found) == as_sets(covers(problem))


def test_names_are_in_comments() -> None:
    """Options that have names have them beside their variables, and line ends in these do no harm."""
    problem = Problem.from_options({"left": "a", "\nright": "a"}, weights=[1, 2])
    with pytest.warns(FormatWarning, match="the weights are not written: a formula has none"):
        text = cnf.dumps(problem).decode()
    assert "\nc 1 is 'left'\nc 2 is '\\nright'\np cnf 2 2\n" in text
