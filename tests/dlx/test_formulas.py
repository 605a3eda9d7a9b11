"""CNF files: their models are the covers, by CaDiCaL."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from math import comb

import numpy as np
import pytest
from cuts import derived
from oracle import KINDS, as_sets
from seeds import for_seeds

from dlx import Problem, covers
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


def models(problem: Problem) -> list[tuple[int, ...]]:
    """The chosen options of each model, by CaDiCaL."""
    solvers = pytest.importorskip("pysat.solvers")
    variables, clauses = formula(problem)
    found = []
    with solvers.Cadical153(bootstrap_with=[*clauses, *([v, -v] for v in range(1, variables + 1))]) as solver:
        while solver.solve():
            model = solver.get_model()
            found.append(tuple(o for o in range(problem.n_options) if model[o] > 0))
            solver.add_clause([-literal for literal in model])
    return found


@for_seeds(300)
def test_each_cover_is_one_model(seed: int) -> None:
    """The models of the clauses, one after the other, are the covers."""
    problem = any_problem(seed)
    assert as_sets(models(problem)) == as_sets(covers(problem))


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 7])
def test_every_number_of_every_row(n: int) -> None:
    """Rows with at least so many and at most so many of n variables have the right models, for all numbers."""
    for most in range(1, n + 2):
        for least in range(most + 1):
            problem = Problem.from_options(["a"] * n, multiplicities={"a": (least, most)})
            sizes = Counter(map(len, models(problem)))
            assert sizes == {size: comb(n, size) for size in range(least, min(most, n) + 1)}


def test_long_rows_take_few_clauses() -> None:
    """Clauses for at most one of n are about 3 n, not n * n / 2; all but three are as cheap as three."""
    plain = len(formula(Problem.from_options(["a"] * 1000))[1])
    few = len(formula(Problem.from_options(["a"] * 1000, multiplicities={"a": 3}))[1])
    many = len(formula(Problem.from_options(["a"] * 1000, multiplicities={"a": 997}))[1])
    assert (plain < 5_000, few < 20_000, many) == (True, True, few)


def test_names_are_in_comments() -> None:
    """Options that have names have them beside their variables, and line ends in these do no harm."""
    problem = Problem.from_options({"left": "a", "\nright": "a"}, weights=[1, 2])
    with pytest.warns(FormatWarning, match="the weights are not written: a formula has none"):
        text = cnf.dumps(problem).decode()
    assert "\nc 1 is 'left'\nc 2 is '\\nright'\np cnf 2 2\n" in text
