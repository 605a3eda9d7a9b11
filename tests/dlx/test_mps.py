"""MPS files: what they say, what is refused and how, what comes back, and that others read them alike."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn import PLAIN_NAMES, attempt, model, peak, problems
from hypothesis import given
from hypothesis import strategies as st
from oracle import KINDS, as_sets, random_problem
from seeds import for_seeds
from waiting import WAIT

from dlx import Problem, best, covers
from dlx.formats import FormatError, FormatWarning, read, write
from dlx.formats.mps import dumps, loads

FREE = """\
* a comment
NAME toy
ROWS
 N cost
 L b
 E a
 G c
 E d
COLUMNS
 M 'MARKER' 'INTORG'
 x cost 5 a 1
 x b 1.0

 y a 1e0 c +1
 y d 1 b 0
 M 'MARKER' 'INTEND'
 z cost -2 c 1
 z d 1
RHS
 RHS a 1 b 1
 RHS c 1
 RHS d 2
RANGES
 RNG c 1
BOUNDS
 UP BND x 1
 BV BND z
ENDATA
what follows is not looked at
"""

FIXED = """\
NAME          toy
ROWS
 N  cost
 L  the b
 E  a
 G  c
 E  d
COLUMNS
    M         'MARKER'                 'INTORG'
    x x       cost                 5   a                    1
    x x       the b              1.0
    y         a                  1e0   c                   +1
    y         d                    1   the b                0
    M         'MARKER'                 'INTEND'
    z         cost                -2   c                    1
    z         d                    1
RHS
    RHS       a                    1   the b                1
    RHS       c                    1
              d                    2
RANGES
    RNG       c                    1
BOUNDS
 UP BND       x x                  1
 BV BND       z
ENDATA
"""

TOY = Problem.from_options(
    {"x": "ab", "y": "acd", "z": "cd"},
    items="acdb",
    secondary="b",
    weights=[5, 0, -2],
    multiplicities={"c": (1, 2), "d": 2},
)


def quiet(data: str | bytes) -> Problem:
    """Reads a file without a word about changed signs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return loads(data)


def test_what_a_file_says() -> None:
    """Rows are items, secondary ones last, ranges multiplicities, columns options with names, the objective weights."""
    assert loads(FREE) == TOY
    assert loads(FREE.encode()) == TOY
    assert loads("\ufeff" + FREE.replace("\n", "\r\n")) == TOY
    assert loads(b"\xef\xbb\xbf" + FREE.replace(" ", "\t ").encode()) == TOY
    assert best(TOY, "min").score == -2


def test_fixed_form() -> None:
    """Names have blanks where each field has its place; the set of a right-hand side may have no name."""
    items = ("a", "c", "d", "the b")
    assert loads(FIXED) == replace(TOY, items=items, names=("x x", "y", "z"))
    with pytest.raises(FormatError, match=r"^f:4: a row is N, E, L or G, and its name$"):
        loads(FIXED.replace("    z         d       ", "    z         d       !"), "f")


@pytest.mark.parametrize(
    ("kind", "right", "span", "expected"),
    [
        ("E", 1, None, (1, 1)),
        ("E", 3, None, (3, 3)),
        ("E", 2, 1, (2, 3)),
        ("E", 2, -1, (1, 2)),
        ("L", 1, None, "secondary"),
        ("L", 3, None, (0, 3)),
        ("L", 3, 2, (1, 3)),
        ("L", 3, -2, (1, 3)),
        ("L", 1, 1, (0, 1)),
        ("L", 1, 0, (1, 1)),
        ("G", 1, None, (1, 3)),
        ("G", 0, None, (0, 3)),
        ("G", 7, None, (7, 7)),
        ("G", 1, 1, (1, 2)),
        ("G", -2, 3, (0, 1)),
    ],
)
def test_rows_become_items(kind: str, right: int, span: int | None, expected: object) -> None:
    """Every kind of row with its right-hand side and range; at least so many is at most all."""
    columns = ";".join(f"{c} e 1 r 1" for c in "xyz")
    bounds = f"{'' if span is None else f'RANGES;r {span};'}BOUNDS;BV B x;BV B y;BV B z"
    problem = loads(model(f"E e;{kind} r", f"e 1;r {right}", columns, bounds))
    said = problem.multiplicities
    if expected == "secondary":
        assert (problem.n_primary, said) == (1, None)
    else:
        assert problem.n_primary == 2
        assert expected == (1, 1) if said is None else tuple(said[1].tolist()) == expected


@pytest.mark.parametrize("bound", ["BV B x", "BV x", "BV B x 1", "BV x 1", "UI B x 1", "LI B x 0", "LI x 0;PL x"])
def test_bounds_make_columns_whole(bound: str) -> None:
    """A column outside markers is a choice by its bounds; a row that allows one does for an upper bound."""
    assert loads(model(more=f"BOUNDS;{bound}")).roles is None


def test_fixed_columns_are_chosen_or_left_out() -> None:
    """By FX, by a lower bound of 1, by an upper one of 0."""
    columns = ";".join(["M 'MARKER' 'INTORG'", *(f"{c} r 1 {c} 1" for c in "vwxyz")])
    rows = ";".join(["E r", *(f"L {c}" for c in "vwxyz")])
    right = ";".join(["r 2", *(f"{c} 1" for c in "vwxyz")])
    problem = loads(model(rows, right, columns, "BOUNDS;FX B v 1;LO B w 1;FX B x 0;UP B y 0;UP B z 1e9"))
    assert problem.roles is not None
    assert problem.roles.tolist() == [2, 2, 0, 0, 0], "z clashes with the two that are chosen"


def test_columns_of_at_most_one_only() -> None:
    """A column in no row but of at most one may be 1: its first row is an item that is covered once or not at all."""
    text = model("N c;L a;L b", "a 1 b 1", "x c -1 a 1;y c -2 a 1;y b 1;z c -4 b 1", "BOUNDS;BV B x;BV B y;BV B z")
    result = best(loads(text), "min")
    assert (result.score, result.covers[0].labels) == (-5, ("x", "z"))


def test_maximising_changes_signs() -> None:
    """The objective of what is to be maximised is minimised with the signs changed, which a warning says."""
    text = model("N c;E a", "a 1", "x c 2.5 a 1;y c 4 a 1", "BOUNDS;BV B x;BV B y")
    for sense in ("OBJSENSE\n  MAX\n", "OBJSENSE MAXIMIZE\n"):
        with pytest.warns(FormatWarning, match=r"^f:[12]: the objective is to be maximised: all weights have changed"):
            problem = loads(sense + text, "f")
        assert problem.weights is not None
        assert problem.weights.tolist() == [-2.5, -4]
    assert best(loads(f"OBJSENSE\n    MIN\n{text}"), "min").score == 2.5


LINES = [
    *FREE.splitlines(),
    *FIXED.splitlines(),
    " RHS cost 0",
    " G e",
    "OBJSENSE MAX",
    " FX BND x 1",
    " PL BND y",
    " UP BND y 0",
    " x e 1",
]


@given(st.lists(st.sampled_from(LINES), max_size=40).map("\n".join))
@pytest.mark.slow
def test_any_lines(text: str) -> None:
    """Lines that mean something, in any order, are a problem, which can be written, or a FormatError with a line."""
    problem = attempt(quiet, text)
    if isinstance(problem, FormatError):
        assert problem.line is None or 1 <= problem.line <= text.count("\n") + 1
    else:
        again = quiet(dumps(problem))  # where names may be keywords
        assert replace(again, items=problem.items, names=problem.names) == problem


@pytest.mark.parametrize("weights", [None, []])
def test_weights_of_no_options(weights: list[int] | None) -> None:
    """Without options, empty weights come back as empty ones, and none as none: by the row of the objective."""
    again = loads(dumps(Problem.from_options([], items="ab", weights=weights)))
    assert (None if again.weights is None else again.weights.tolist()) == weights


@given(problems(PLAIN_NAMES, plain=True), st.data())
@pytest.mark.slow
def test_round_trip(problem: Problem, data: st.DataObject) -> None:
    """Items, options, names, weights, multiplicities and roles come back as they were, where there are no colours."""
    labels = st.lists(PLAIN_NAMES, min_size=problem.n_options, max_size=problem.n_options, unique=True)
    left_out = data.draw(st.lists(st.integers(0, max(0, problem.n_options - 1)), max_size=problem.n_options))
    problem = replace(problem, names=tuple(data.draw(labels)), colours=None, colour_names=()).without(left_out)
    again = loads(dumps(problem))
    expected: dict[str, Any] = {}
    if problem.multiplicities is not None and (problem.multiplicities == 1).all():
        expected["multiplicities"] = None
    if not problem.n_options:
        expected["names"] = ()
    if not left_out:
        expected["roles"] = None
    assert again == replace(problem, **expected)


@for_seeds(400)
def test_every_cover_is_a_cover_of_what_was_written(seed: int) -> None:
    """Also with colours, options without a primary item, and options chosen: each is one, with auxiliary options."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, KINDS[seed % 4])
    some = as_sets(covers(problem))
    if some and some[-1] and seed % 3:
        problem = problem.with_chosen(some[-1][:1])
    found = [tuple(o for o in cover if o < problem.n_options) for cover in covers(loads(dumps(problem)))]
    assert as_sets(found) == as_sets(covers(problem))


@pytest.mark.parametrize(
    ("items", "names", "legend"),
    [
        (["a b", "c"], ["x", "y"], "* r1 is 'a b'\n* r2 is 'c'\nNAME"),
        (["obj", "c"], ["x", "y"], "* r1 is 'obj'\n* r2 is 'c'\nNAME"),
        ([1, "1"], ["x", "y"], "* r1 is 1\n* r2 is '1'\nNAME"),
        ([("a", 1), "c"], ["x", "y"], "* r1 is ('a', 1)\n* r2 is 'c'\nNAME"),
        (["a", "Rhs"], ["x", "NAME"], "* r1 is 'a'\n* r2 is 'Rhs'\n* x1 is 'x'\n* x2 is 'NAME'\nNAME"),
        (["a", 7], ["x", "x"], "* x1 is 'x'\n* x2 is 'x'\nNAME"),
        (["a", "\n"], ["x", "*"], "* r1 is 'a'\n* r2 is '\\n'\n* x1 is 'x'\n* x2 is '*'\nNAME"),
    ],
)
def test_names_that_are_no_words(items: list[object], names: list[str], legend: str) -> None:
    """For names that cannot be in the file, numbers stand for all of its kind, and comments tell what these are."""
    problem = replace(Problem.from_options([items[:1], items[1:]], items=items), names=tuple(names))
    text = dumps(problem).decode()
    assert text.startswith(legend)
    again = loads(text)
    assert np.array_equal(again.indices, problem.indices)


def large(n: int) -> bytes:
    """A file with so many entries, ten in each column."""
    rng = np.random.default_rng(1)
    options = np.concatenate([np.arange(10) * 200 + rng.integers(0, 200, (n // 10, 10))])
    return dumps(
        Problem.from_csr(np.arange(0, n + 1, 10), options.ravel(), 2000, weights=rng.integers(0, 99, n // 10).tolist())
    )


@pytest.mark.slow
def test_large_files_take_little_memory() -> None:
    """A hundred thousand entries are read in little more memory than the file takes."""
    data = large(100_000)
    assert len(loads(data).indices) == 100_000
    assert peak(lambda: loads(data)) < 4 * len(data)


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
    arguments = [sys.executable, "-c", HIGHS]
    done = subprocess.run(arguments, input=names, capture_output=True, text=True, timeout=WAIT)
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


@pytest.mark.slow
def test_what_highs_writes_is_read(tmp_path: Path) -> None:
    """An MPS file that HiGHS has written of ours has the same covers and weights."""
    write(TOY, tmp_path / "ours.mps")
    in_highs([tmp_path / "ours.mps"])
    again = read(tmp_path / "ours.again.mps")
    assert again.names == TOY.names
    assert as_sets(covers(again)) == as_sets(covers(TOY))
    assert again.weights is not None
    assert again.weights.tolist() == [5, 0, -2]
