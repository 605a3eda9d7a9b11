"""MPS and LP files, by HiGHS: what they say, round trips, faults, and that HiGHS prints nothing here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn import model
from highs_calls import Call, answers
from oracle import as_sets, derived
from processes import ROOT
from seeds import tries

from dlx import Coloured, Problem, best, count, covers
from dlx.command.cli import main
from dlx.formats import FormatError, programs, read

pytest.importorskip("highspy")

Called = Callable[[list[Call]], list[tuple[Any, list[str]]]]


@pytest.fixture(scope="module")
def called() -> Iterator[Called]:
    """Makes calls in another process, the same one for all tests."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield lambda calls: pool.submit(answers, calls).result()


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
 y d 1
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
 BV BND y
 BV BND z
ENDATA
"""

PLAN = Problem.from_options(
    {"x": "ab", "y": "acd", "z": "cd"},
    items="acdb",
    secondary="b",
    weights=[5, 0, -2],
    multiplicities={"c": (1, 2), "d": 2},
)
LINEAR = """\
\\ rows have names, ranges are two rows
Minimize
 obj: 5 x - 2 z + 0 y
Subject To
 a: x + y = 1
 d: y + z = 2
 b: x <= 1
Binary
 x y z
End
"""


def test_what_a_program_says(called: Called) -> None:
    """Rows are items, secondary ones last, ranges multiplicities, columns options with names, the objective weights.

    A warning says that an objective is to be maximised.
    """
    texts = [FREE, FREE.encode(), FREE.replace("\n", "\r\n")]
    calls = [("mps", "loads", (text,)) for text in texts] + [("lp", "loads", (LINEAR,))]
    *answers, (most, warned) = called([*calls, ("lp", "loads", (LINEAR.replace("Minimize", "maximize"), "f"))])
    assert [warned for _, warned in answers] == [[]] * 4
    assert most.weights.tolist() == [5, -2, 0]
    assert [line[:45] for line in warned] == ["f: the objective is to be maximised, so call "]
    *free, linear = (answer for answer, _ in answers)
    assert free == [PLAN] * 3
    assert linear == Problem.from_options(
        {"x": "ab", "z": "d", "y": "ad"}, items="adb", secondary="b", weights=[5, -2, 0], multiplicities={"d": 2}
    )
    assert best(PLAN, "min").score == -2


PLAIN = ("plain", "multiple")


def test_round_trips(called: Called) -> None:
    """Problems of every kind without colours have the same covers and scores when they are written and read."""
    problems = []
    for seed in range(tries(120)):
        rng = np.random.default_rng(seed)
        problem = derived(rng, PLAIN[seed % len(PLAIN)])
        whole = rng.integers(-50, 50, problem.n_options)
        problems.append(replace(problem, names=None, weights=whole / 7 if seed % 8 > 3 else whole))
    calls = [(format, problem) for problem in problems for format in ("mps", "lp")]
    texts = called([(format, "dumps", (problem,)) for format, problem in calls])
    again = called([(calls[k][0], "loads", (text,)) for k, (text, _) in enumerate(texts)])
    for (format, problem), (found, warned) in zip(calls, again, strict=True):
        assert not warned, (format, problem)
        by_label = []
        for cover in covers(found):
            labels = [found.names[o] for o in cover]
            options = [int(label[1:]) - 1 for label in labels if label[0] == "x"]
            by_label.append(tuple(options))
            if found.weights is not None:
                assert found.score(cover) == pytest.approx(problem.score(options), abs=1e-9)
        assert as_sets(by_label) == as_sets(covers(problem)), format


def test_a_problem_that_mps_can_say_comes_back(called: Called) -> None:
    """Names, numbers, multiplicities and roles are as they were."""
    rooks = Problem.from_options({f"at_{r}{c}": [f"row_{r}", f"column_{c}"] for r in range(4) for c in range(4)})
    given = [PLAN, rooks, rooks.with_chosen([5]), rooks.without([5]), replace(rooks, weights=np.arange(1, 17) / 3)]
    texts = called([("mps", "dumps", (problem,)) for problem in given])
    again = [answer for answer, _ in called([("mps", "loads", (text,)) for text, _ in texts])]
    assert again[0] == PLAN
    for problem, found in zip(given, again, strict=True):
        assert (found.items, found.names) == (problem.items, problem.names)
        assert [{*found.option(o)} for o in range(found.n_options)] == [
            {*problem.option(o)} for o in range(problem.n_options)
        ]
    assert [count(problem).covers for problem in again[1:]] == [24, 6, 18, 24]
    assert again[4].weights.tolist() == (np.arange(1, 17) / 3).tolist()


NAMED: list[tuple[list[object], bool]] = [  # two names, and whether files keep them
    (["x", "y"], True),
    (["a(1,2)", "_.#)"], True),
    ([2, "b"], False),
    (["r-1", "\\"], False),
    (["End", "free"], False),
    (["xlo", "up"], False),
    (["a b", "c"], False),
    ([("a", 1), "c"], False),
    (["a", "\n"], False),
    (["ä", "b"], False),
]


def test_names_that_cannot_be_kept(called: Called) -> None:
    """Rows and columns whose names HiGHS would change are called by numbers, and comments explain them."""
    cases = [(format, *named) for format in ("mps", "lp") for named in NAMED]
    problems = [
        replace(Problem.from_options([[names[0]], [names[1]]], items=names), names=tuple(names))
        for _, names, _ in cases
    ]
    calls = [(case[0], "dumps", (problem,)) for case, problem in zip(cases, problems, strict=True)]
    texts = called(calls)
    again = called([(case[0], "loads", (text,)) for case, (text, _) in zip(cases, texts, strict=True)])
    for (format, names, kept), (text, _), (found, _) in zip(cases, texts, again, strict=True):
        assert found.items == (tuple(names) if kept else ("r1", "r2")), names
        assert found.names == (tuple(names) if kept else ("x1", "x2")), names
        assert found.indices.tolist() == [0, 1]
        mark = {"mps": "*", "lp": "\\"}[format]
        assert (f"{mark} r1 is {names[0]!a}\n{mark} r2" in text.decode()) != kept
        assert (f"{mark} x1 is {names[0]!a}\n{mark} x2" in text.decode()) != kept


FAULTS = [
    ("mps", "", "Parser error reading the MPS file"),
    ("mps", "hello", "the MPS file"),
    ("mps", model(columns="x a 1;y b 1"), ": ignored"),
    ("mps", model(columns="x a 1;x a 1"), 'Column "x" has duplicate nonzero 1 in row "a"'),
    ("mps", model(columns="x a 2"), "the coefficient of the column 'x' in the row 'a' is 2 instead of 1"),
    ("mps", model(columns="x a -1"), "the coefficient of the column 'x' in the row 'a' is -1 instead of 1"),
    ("mps", model("N c;L a", right="a 1;c 5"), "the objective has the constant -5, and no row is a sum = 1"),
    ("mps", model(right="a 0"), "the row 'a' allows 0 to 0 of its columns; the most must be from 1 to 2147483647"),
    ("mps", model("L a", right="a -1"), "the row 'a' allows 0 to -1 of its columns"),
    ("mps", model(right=f"a {2**31}"), "the row 'a' allows 2147483648 to 2147483648 of its columns"),
    ("mps", model(more="BOUNDS;UP B x 1"), "the column 'x' is continuous; declare it as binary"),
    ("mps", model(more="BOUNDS;FR B x"), "the column 'x' is continuous"),
    ("mps", model(right="a 2", more="BOUNDS;UI B x 2"), "the column 'x' may be from 0 to 2; declare it as binary"),
    ("mps", model("G a", more="BOUNDS;UI B x 2"), "the column 'x' may be from 0 to 2; declare it as binary"),
    ("mps", model("E a;N f", columns="x a 1;y f 1", more="BOUNDS;BV B x;BV B y"), "the column 'y' is in no row"),
    ("lp", "hello", "expected a section keyword"),
    ("lp", "min\n obj: x ++\n", "expected a term"),
    ("lp", "min\n obj: x\nst\n a: x + y >= 2\n a2: x = 0.5\nbin\n x\n y\nend", "'a2' allows 1 to 0 of its columns"),
    (
        "lp",
        "min\n obj: x\nst\n a: x + y = 1\ngeneral\n x\nbin\n y\nbounds\n x >= -1\nend",
        "the column 'x' may be from -1 to ",
    ),
    ("lp", "min\n obj: [x ^ 2] / 2\nst\n a: x = 1\nbin\n x\nend", "the objective has products of columns"),
    ("lp", "", "the program has no columns"),
    ("lp", "min\n obj: 1e20 x\nst\n a: x = 1\nbin\n x\nend", "the column 'x' costs inf; HiGHS reads 1e20"),
    ("lp", "min\n obj: x + y\nst\n a: x - y <= 0\nbin\n x\n y\nend", "'y' in the row 'a' is -1 instead of 1"),
]


def test_faults(called: Called) -> None:
    """What is no exact-cover problem is refused by name, and so is what HiGHS cannot read or would ignore."""
    answers = called([(format, "loads", (text, "f")) for format, text, _ in FAULTS])
    for (_, text, message), (answer, _) in zip(FAULTS, answers, strict=True):
        assert isinstance(answer, tuple), text
        assert answer[0] == "f"
        assert message in answer[2]
    lines = [answer[1] for answer, _ in answers]
    assert lines[:15] == [None] * 15, "HiGHS does not say the lines of MPS files"
    assert lines[15:17] == [1, 2]


def test_fixed_columns(called: Called) -> None:
    """Programs with columns fixed at 0 and 1 have as many covers as solutions; a row with too many is refused."""
    texts, solutions, full = [], [], []
    for seed in range(tries(60)):
        rng = np.random.default_rng([seed, 1])
        entries = rng.integers(0, 2, (3, 5))
        entries[rng.integers(3, size=5), range(5)] = 1
        kinds, right, fixed = rng.choice(["E", "L", "G"], 3), rng.integers(1, 3, 3), rng.integers(-1, 2, 5)
        columns = [f"x{c} r{r} 1" for c, r in np.argwhere(entries.T)]
        bounds = [f"FX B x{c} {value}" if value >= 0 else f"BV B x{c}" for c, value in enumerate(fixed)]
        rows = ";".join(f"{kind} r{r}" for r, kind in enumerate(kinds))
        sides = ";".join(f"r{r} {value}" for r, value in enumerate(right))
        markers = ["M 'MARKER' 'INTORG'", *columns, "M 'MARKER' 'INTEND'"]
        texts.append(model(f"N obj;{rows}", sides, ";".join(markers), ";".join(["BOUNDS", *bounds])))
        vectors = np.array([*product((0, 1), repeat=5)])
        sums = vectors @ entries.T
        good = ((kinds == "G") | (sums <= right)) & ((kinds == "L") | (sums >= right))
        solutions.append(np.count_nonzero(good.all(axis=1) & ((fixed < 0) | (vectors == fixed)).all(axis=1)))
        full.append(np.flatnonzero((kinds != "G") & (entries @ (fixed == 1) > right)))
    answers = called([("mps", "loads", (text, "f")) for text in texts])
    for (answer, warned), number, many in zip(answers, solutions, full, strict=True):
        assert not warned
        if len(many):
            assert number == 0
            assert any(f" have 'r{r}'" in answer[2] for r in many)
        else:
            assert count(answer, merge="never").covers == number


@pytest.mark.parametrize("sense", ["min", "max"])
def test_the_score_is_that_of_the_file(sense: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`dlx best` takes the sense of the file unless it is given one; scores have its signs, and its constant."""
    (tmp_path / "f.lp").write_text(
        f"{sense} obj: 5 x + 2 z + 3 y + 10\nst\n a: x + y = 1\n d: y + z = 1\nbin x y z\nend\n"
    )
    costs = {"x z": "17\tx | z\n", "y": "13\ty\n"}
    for option, answer in (
        ([], costs["y" if sense == "min" else "x z"]),
        (["--min"], costs["y"]),
        (["--max"], costs["x z"]),
    ):
        assert main(["best", *option, str(tmp_path / "f.lp")]) == 0
        assert capsys.readouterr() == (answer, "")
    assert main(["convert", str(tmp_path / "f.lp"), "--to", "orlib"]) == 0
    out, err = capsys.readouterr()
    assert out.split("\n")[1].startswith("15 " if sense == "min" else "-15 ")
    assert ("to be maximised: weights are written with the opposite signs" in err) == (sense == "max")


def test_colours_and_large_weights() -> None:
    """Colours, and whole weights that HiGHS would round, are refused."""
    with pytest.raises(FormatError, match=r"^<problem>: an integer program cannot represent it: options have colours"):
        programs.lp.dumps(Problem.from_options([["a", Coloured("x", 1)]], secondary="x"))
    with pytest.raises(FormatError, match=r"^<problem>: HiGHS would round the weight 9007199254740992: "):
        programs.mps.dumps(Problem.from_options(["a", "a"], weights=[1, 2**53]))


def test_any_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that are no file are a FormatError, and so are those that HiGHS 1.16 reads for ever."""
    monkeypatch.setattr(programs, "PATIENCE", 1.0)
    endless = FREE.replace("'INTORG'\n", "'INTORG',").replace("'MARKER' 'INTORG'", "'MARKER\x04 'INTORG'")
    for data in (bytes(range(256)), endless.replace("RHS\n", "\nHS\n", 1).encode()):
        with pytest.raises(FormatError, match=r"^f: "):
            programs.mps.loads(data, "f")


def test_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    """Neither reading nor writing prints HiGHS's banner."""
    assert main(["convert", "--to", "lp", str(ROOT / "examples" / "toys" / "plan.mps")]) == 0
    out, err = capfd.readouterr()
    assert (out[:48], err) == ("\\ File written by HiGHS .lp file handler\nmin\n ob", "")


def test_without_highspy(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A message says what to install."""
    monkeypatch.setattr(programs, "find_spec", lambda name: None)
    assert main(["count", str(ROOT / "examples" / "toys" / "plan.mps")]) == 2
    assert "pip install highspy" in capsys.readouterr().err
    with pytest.raises(ImportError, match="MPS and LP files need highspy"):
        programs.lp.dumps(PLAN)


def test_a_constant_that_would_round_costs(tmp_path: Path) -> None:
    """A constant beside which the costs would be equal is refused."""
    path = tmp_path / "f.lp"
    path.write_text("max\n obj: 3 x + 2 y + 1e18\nst\n r: x + y = 1\nbin x y\nend\n")
    with pytest.raises(FormatError, match=r"the constant 1e\+18, with which costs would be rounded: omit it$"):
        read(path)
