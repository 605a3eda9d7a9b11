"""Files for solvers: their solutions are the covers, by evaluators that know nothing else, and by the solvers."""

from __future__ import annotations

import itertools
import json
import re
import warnings
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from cuts import derived
from oracle import KINDS, as_sets, is_cover, random_problem
from processes import run
from seeds import for_seeds

from dlx import Problem, best, covers, first
from dlx.formats import FormatWarning, cnf, lp, opb, read, write
from dlx.formats.linear import linear

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


def solutions(text: str, n: int) -> dict[tuple[int, ...], int]:
    """Returns the solutions of an OPB file, of all rows of zeros and ones, and the objective of each."""
    head, *lines = [line for line in text.splitlines() if not line.startswith("* x")]
    variables, number = map(int, re.fullmatch(r"\* #variable= (\d+) #constraint= (\d+)", head).groups())  # type: ignore[union-attr]
    assert variables == max(1, n)
    objective: list[tuple[int, int]] = []
    if lines and lines[0].startswith("min:"):
        objective = terms(lines.pop(0).removeprefix("min:").removesuffix(";"))
    assert len(lines) == number
    sides = [re.fullmatch(r"(.+) (>=|=) (-?\d+) ;", line).groups() for line in lines]  # type: ignore[union-attr]
    constraints = [(terms(left), relation, int(right)) for left, relation, right in sides]
    return {
        values[:n]: sum(w * values[k] for w, k in objective)
        for values in itertools.product((0, 1), repeat=variables)
        if all(
            (total := sum(w * values[k] for w, k in left)) == right or (relation == ">=" and total > right)
            for left, relation, right in constraints
        )
    }


def terms(text: str) -> list[tuple[int, int]]:
    words = text.split()
    return [(int(w), int(x.removeprefix("x")) - 1) for w, x in zip(words[::2], words[1::2], strict=True)]


@for_seeds(100)
def test_the_solutions_of_opb_are_the_covers(seed: int) -> None:
    """Each has the score of its cover as the objective."""
    problem = any_problem(seed)
    program = linear(problem)
    if program.columns > 12:
        return
    weights = np.random.default_rng(seed).integers(-9, 9, problem.n_options)
    problem = replace(problem, weights=weights)
    found = solutions(opb.dumps(problem).decode(), program.columns)
    scores = {tuple(o for o in range(problem.n_options) if values[o]): score for values, score in found.items()}
    assert len(found) == len(scores), "which options are chosen decides the auxiliary variables"
    assert as_sets(scores) == as_sets(covers(problem))
    assert all(problem.score(cover) == score for cover, score in scores.items())


def test_names_are_in_comments() -> None:
    """Options that have names have them beside their variables, and line ends in these do no harm."""
    problem = Problem.from_options({"left": "a", "\nright": "a"}, weights=[1, 2])
    assert "\n* x1 is 'left'\n* x2 is '\\nright'\nmin: +1 x1 +2 x2 ;\n" in opb.dumps(problem).decode()
    with pytest.warns(FormatWarning, match="the weights are not written: a formula has none"):
        text = cnf.dumps(problem).decode()
    assert "\nc 1 is 'left'\nc 2 is '\\nright'\np cnf 2 2\n" in text
    assert r"\ x1 is 'left'" in lp.dumps(problem).decode()


# In a process of its own: ortools, which other tests import, does not load behind highspy.
HIGHS = """
import json, sys
import highspy
solver = highspy.Highs()
solver.silent()
for path in sys.stdin.read().split():
    assert solver.readModel(path) == highspy.HighsStatus.kOk, path
    solver.run()
    print(json.dumps([solver.getModelStatus().name, solver.getInfo().objective_function_value]))
    solver.writeModel(path.replace(".mps", ".again.mps"))
"""


def in_highs(paths: list[Path]) -> list[tuple[str, float]]:
    """Returns the status of HiGHS for each of some files, and the optimum; it writes those that are MPS again."""
    if find_spec("highspy") is None:
        pytest.skip("highspy is not installed: pip install -e '.[bench]'")
    names = "\n".join(map(str, paths))
    done = run(HIGHS, text=names)
    assert done.returncode == 0, done.stderr
    return [tuple(json.loads(line)) for line in done.stdout.splitlines() if line.startswith("[")]


@pytest.mark.slow
def test_highs_reads_it_alike(tmp_path: Path) -> None:
    """HiGHS has the same optimum for what we write, as MPS and as LP, for every kind of problem."""
    asked: list[tuple[Path, Problem]] = []
    for seed in range(80):
        rng = np.random.default_rng(seed)
        problem = random_problem(rng, KINDS[seed % 4])
        whole = rng.integers(-50, 50, problem.n_options)
        problem = replace(problem, weights=whole / 4 if seed % 8 > 3 else whole)
        for suffix in (".mps", ".lp"):
            write(problem, tmp_path / f"{seed}{suffix}")
            asked.append((tmp_path / f"{seed}{suffix}", problem))
    found = in_highs([path for path, _ in asked])
    for (path, problem), (status, objective) in zip(asked, found, strict=True):
        score = best(problem, "min").score
        if status == "kModelEmpty":  # whatever is asked of no columns
            assert not problem.n_options, path
        elif score is None:
            assert status == "kInfeasible", path
        else:
            assert status == "kOptimal", path
            assert objective == pytest.approx(score), path


PLAN = Problem.from_options(
    {"x": "ab", "y": "acd", "z": "cd"}, secondary="b", weights=[5, 0, -2], multiplicities={"c": (1, 2), "d": 2}
)


@pytest.mark.slow
def test_what_highs_writes_is_read(tmp_path: Path) -> None:
    """An MPS file that HiGHS has written of ours has the same covers and weights."""
    write(PLAN, tmp_path / "ours.mps")
    in_highs([tmp_path / "ours.mps"])
    again = read(tmp_path / "ours.again.mps")
    assert again.names == PLAN.names
    assert as_sets(covers(again)) == as_sets(covers(PLAN))
    assert again.weights is not None
    assert again.weights.tolist() == [5, 0, -2]
