"""MPS and LP files, by HiGHS: what they say, round trips, faults, and that HiGHS prints nothing here."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from drawn import model
from oracle import KINDS, as_sets, derived
from processes import ROOT
from seeds import for_seeds

from dlx import Problem, best, count, covers
from dlx.command.cli import main
from dlx.formats import FormatError, FormatWarning, programs

pytest.importorskip("highspy")
pytestmark = pytest.mark.filterwarnings("error::dlx.formats.FormatWarning")

both_formats = pytest.mark.parametrize("format", [programs.mps, programs.lp], ids=["mps", "lp"])
in_this_process = pytest.mark.usefixtures("here")


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS works in this process, which saves the start of another for each file."""
    monkeypatch.setattr(programs, "_called", lambda work, path, *given: work(path, *given))


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


@in_this_process
def test_what_a_program_says() -> None:
    """Rows are items, secondary ones last, ranges multiplicities, columns options with names, the objective weights.

    The objective of what is to be maximised is minimised with the signs changed, which a warning says.
    """
    for text in (FREE, FREE.encode(), FREE.replace("\n", "\r\n")):
        assert programs.mps.loads(text) == PLAN
    assert programs.lp.loads(LINEAR) == Problem.from_options(
        {"x": "ab", "z": "d", "y": "ad"}, items="adb", secondary="b", weights=[5, -2, 0], multiplicities={"d": 2}
    )
    with pytest.warns(FormatWarning, match="^f: the objective is to be maximised: weight"):
        most = programs.lp.loads(LINEAR.replace("Minimize", "maximize"), "f")
    assert most.weights is not None
    assert most.weights.tolist() == [-5, 2, 0]
    assert best(PLAN, "min").score == -2


@in_this_process
@both_formats
@for_seeds(120)
def test_round_trips(format: programs.ProgramFormat, seed: int) -> None:
    """Problems of every kind have the same covers, with the same scores, when they are written and read."""
    rng = np.random.default_rng(seed)
    problem = derived(rng, KINDS[seed % 4])
    if not problem.n_options:  # a program without columns is refused
        return
    whole = rng.integers(-50, 50, problem.n_options)
    problem = replace(problem, names=None, weights=whole / 7 if seed % 8 > 3 else whole)
    found = format.loads(format.dumps(problem))
    by_label = []
    for cover in covers(found):
        labels = [str(label) for label in found.labels(cover)]
        options = [int(label[1:]) - 1 for label in labels if label[0] == "x"]
        by_label.append(tuple(options))
        if found.weights is not None:
            assert found.score(cover) == pytest.approx(problem.score(options), abs=1e-9)
    assert as_sets(by_label) == as_sets(covers(problem))


@in_this_process
def test_a_problem_that_mps_can_say_comes_back() -> None:
    """Names, numbers, multiplicities and roles are as they were."""
    rooks = Problem.from_options({f"at_{r}{c}": [f"row_{r}", f"column_{c}"] for r in range(4) for c in range(4)})
    given = [rooks, rooks.with_chosen([5]), rooks.without([5]), replace(rooks, weights=np.arange(1, 17) / 3)]
    again = [programs.mps.loads(programs.mps.dumps(problem)) for problem in given]
    assert programs.mps.loads(programs.mps.dumps(PLAN)) == PLAN
    for problem, found in zip(given, again, strict=True):
        assert (found.items, found.names) == (problem.items, problem.names)
        options = range(found.n_options)
        assert [{*found.option(o)} for o in options] == [{*problem.option(o)} for o in options]
    assert [count(problem).covers for problem in again] == [24, 6, 18, 24]
    assert np.array_equal(again[3].weights, given[3].weights)  # type: ignore[arg-type]


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


@in_this_process
@both_formats
@pytest.mark.parametrize(("names", "kept"), NAMED)
def test_names_that_cannot_be_kept(format: programs.ProgramFormat, names: list[object], kept: bool) -> None:
    """Rows and columns whose names HiGHS would change are called by numbers, and comments explain them."""
    problem = replace(Problem.from_options([[name] for name in names], items=names), names=tuple(names))
    text = format.dumps(problem)
    found = format.loads(text)
    assert found.items == (tuple(names) if kept else ("r1", "r2"))
    assert found.names == (tuple(names) if kept else ("x1", "x2"))
    assert found.indices.tolist() == [0, 1]
    mark = programs.COMMENTS[format.name]
    for letter in "rx":
        assert (f"{mark} {letter}1 is {names[0]!a}\n{mark} {letter}2" in text.decode()) != kept


FAULTS = [
    ("mps", "", "Parser error reading the MPS file"),
    ("mps", "hello", "the MPS file"),
    ("mps", model(columns="x a 1;y b 1"), ": ignored"),
    ("mps", model(columns="x a 1;x a 1"), 'Column "x" has duplicate nonzero 1 in row "a"'),
    ("mps", model(columns="x a 2"), "the coefficient of the column 'x' in the row 'a' is 2 instead of 1"),
    ("mps", model(columns="x a -1"), "the coefficient of the column 'x' in the row 'a' is -1 instead of 1"),
    ("mps", model("N c;E a", right="a 1;c 5"), "the objective has the constant -5; take it away"),
    ("mps", model(right="a 0"), "the row 'a' allows at most 0 of its columns; an item needs at least 1"),
    ("mps", model("L a", right="a -1"), "the row 'a' allows at most -1 of its columns"),
    ("mps", model(right=f"a {2**31}"), "the row 'a' asks for 2147483648 to 2147483648 of its columns; the limit is"),
    ("mps", model(more="BOUNDS;UP B x 1"), "the column 'x' is continuous; declare it as binary"),
    ("mps", model(more="BOUNDS;FR B x"), "the column 'x' is continuous"),
    ("mps", model(right="a 2", more="BOUNDS;UI B x 2"), "the column 'x' may be 2 or more; declare it as binary"),
    ("mps", model("G a", more="BOUNDS;UI B x 2"), "the column 'x' may be 2 or more; declare it as binary"),
    ("mps", model("E a;N f", columns="x a 1;y f 1", more="BOUNDS;BV B x;BV B y"), "the column 'y' is in no row"),
    ("lp", "hello", "f:1: expected a section keyword"),
    ("lp", "min\n obj: x ++\n", "f:2: expected a term"),
    ("lp", "min\n obj: x\nst\n a: x + y >= 2\n a2: x = 0.5\nbin\n x\n y\nend", "'a2' allows at most 0 of its columns"),
    (
        "lp",
        "min\n obj: x\nst\n a: x + y = 1\ngeneral\n x\nbin\n y\nbounds\n x >= -1\nend",
        "the column 'x' may be negative",
    ),
    ("lp", "min\n obj: [x ^ 2] / 2\nst\n a: x = 1\nbin\n x\nend", "the objective has products of columns"),
    ("lp", "", "the program has no columns"),
    ("lp", "min\n obj: x + y\nst\n a: x - y <= 0\nbin\n x\n y\nend", "'y' in the row 'a' is -1 instead of 1"),
]


@in_this_process
@pytest.mark.parametrize(("format", "text", "message"), FAULTS)
def test_faults(format: str, text: str, message: str) -> None:
    """What is no exact-cover problem is refused by name, and so is what HiGHS cannot read or would ignore."""
    with pytest.raises(FormatError) as caught:
        getattr(programs, format).loads(text, "f")
    assert message in str(caught.value)
    assert caught.value.file == "f"
    assert caught.value.line is None or format == "lp", "HiGHS does not say the lines of MPS files"


@in_this_process
@for_seeds(60)
def test_fixed_columns(seed: int) -> None:
    """Programs with columns fixed at 0 and 1 have as many covers as solutions; a row with too many is refused."""
    rng = np.random.default_rng([seed, 1])
    entries = rng.integers(0, 2, (3, 5))
    entries[rng.integers(3, size=5), range(5)] = 1
    kinds, right, fixed = rng.choice(["E", "L", "G"], 3), rng.integers(1, 3, 3), rng.integers(-1, 2, 5)
    columns = [f"x{c} r{r} 1" for c, r in np.argwhere(entries.T)]
    bounds = [f"FX B x{c} {value}" if value >= 0 else f"BV B x{c}" for c, value in enumerate(fixed)]
    rows = ";".join(f"{kind} r{r}" for r, kind in enumerate(kinds))
    sides = ";".join(f"r{r} {value}" for r, value in enumerate(right))
    markers = ["M 'MARKER' 'INTORG'", *columns, "M 'MARKER' 'INTEND'"]
    text = model(f"N obj;{rows}", sides, ";".join(markers), ";".join(["BOUNDS", *bounds]))
    vectors = np.array([*product((0, 1), repeat=5)])
    sums = vectors @ entries.T
    good = ((kinds == "G") | (sums <= right)) & ((kinds == "L") | (sums >= right))
    number = np.count_nonzero(good.all(axis=1) & ((fixed < 0) | (vectors == fixed)).all(axis=1))
    full = np.flatnonzero((kinds != "G") & (entries @ (fixed == 1) > right))
    if not len(full):
        assert count(programs.mps.loads(text, "f"), merge="never").covers == number
        return
    assert number == 0
    with pytest.raises(FormatError, match=f" have '({'|'.join(f'r{r}' for r in full)})'"):
        programs.mps.loads(text, "f")


def test_large_weights() -> None:
    """Whole weights that HiGHS would round are refused."""
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
