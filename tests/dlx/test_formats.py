"""Files: formats by suffix and by name, round trips, and any bytes; the models of CNF files, by CaDiCaL."""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from math import comb
from pathlib import Path

import numpy as np
import pytest
from drawn import NAMES, PLAIN_NAMES, archive, attempt, damaged, problems
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import KINDS, as_sets, derived
from seeds import Nightly, for_seeds, tries

from dlx import Coloured, Problem, best, covers, reference
from dlx.formats import FormatError, FormatWarning, cnf, knuth, matrix, npz, orlib, read, write

TOYS = Path(__file__).parents[2] / "examples" / "toys"


def test_what_a_text_says() -> None:
    """Every feature of the text format arrives in the problem."""
    text = "\n | a comment\r\n\n  A 2:3|B 4|C | long-name y\t\nA B long-name:rouge y |3 |4\n|skipped\nC A y:1\nB C |0"
    problem = knuth.loads(text)
    expected = Problem.from_options(
        [["A", "B", Coloured("long-name", "rouge"), "y"], ["C", "A", Coloured("y", "1")], ["B", "C"]],
        items=["A", "B", "C", "long-name", "y"],
        secondary=["long-name", "y"],
        weights=[7, 0, 0],
        multiplicities={"B": (2, 3), "C": 4},
    )
    assert problem == expected
    assert knuth.loads(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()) == expected
    assert knuth.loads(f"\ufeff{text}") == expected


def test_options_without_a_primary_item() -> None:
    """Options without a primary item are dropped with their colours and costs; a warning has the first line."""
    told = r"^toy.dlx:2: dropped: an option without a primary item \(2 such options in all\)$"
    with pytest.warns(FormatWarning, match=told):
        problem = knuth.loads("a | x y\nx:1 |3\na x:2\ny", "toy.dlx")
    assert problem == Problem.from_options([["a", Coloured("x", "2")]], items="axy", secondary="xy")


@given(problems(PLAIN_NAMES, plain=True), st.data())
def test_round_trip_of_text(problem: Problem, data: st.DataObject) -> None:
    """Problems in Knuth's text, with any names of options, come back, but for the order of their colours."""
    labels = data.draw(st.none() | st.lists(NAMES, min_size=problem.n_options, max_size=problem.n_options))
    problem = replace(problem, names=tuple(labels) if labels else None)
    again = knuth.loads(knuth.dumps(problem))
    assert again.items == problem.items
    assert repr(again.names) == repr(problem.names)  # with their types
    assert [again.option(o) for o in range(again.n_options)] == [problem.option(o) for o in range(problem.n_options)]
    assert np.array_equal(again.weights, problem.weights)  # type: ignore[arg-type]
    assert np.array_equal(again.multiplicities, problem.multiplicities)  # type: ignore[arg-type]
    assert knuth.loads(knuth.dumps(again)) == again


def test_read_and_write(tmp_path: Path) -> None:
    """Paths and streams, formats by suffix and by name; errors have the name of the file, and leave it as it was."""
    problem = Problem.from_options(["ab", "c"])
    for path in (tmp_path / "p.npz", tmp_path / "p.dlx"):
        write(problem, path)
        with path.open("rb") as stream:
            assert read(path) == read(stream) == problem
    assert read(str(tmp_path / "p.npz")) == problem
    (tmp_path / "p.npz").rename(tmp_path / "p")
    assert read(tmp_path / "p", "npz") == problem
    write(problem, memory := io.BytesIO(), "npz")
    assert npz.loads(memory.getvalue()) == problem
    assert read(io.StringIO("a b c\na b\nc")) == problem
    with pytest.raises(FormatError, match=r"p:None|p.*: the item|p.*there are no items|p:1: "):
        read(tmp_path / "p")
    with pytest.raises(FormatError, match=r"^<stream>: there are no items"):
        read(io.StringIO(""))
    (tmp_path / "latin.dlx").write_bytes(b"a \xff\na\n\xff\n")
    assert read(tmp_path / "latin.dlx").n_options == 2
    with (
        (tmp_path / "latin.dlx").open(encoding="utf-8") as stream,
        pytest.raises(FormatError, match=r"latin\.dlx: .*0xff"),
    ):
        read(stream)
    with pytest.raises(FormatError, match="'a b'"):
        write(Problem.from_options([["a b"]]), tmp_path / "p.dlx")
    assert read(tmp_path / "p.dlx") == problem


# Set partitioning

CREWS = Path(__file__).parents[1] / "data" / "crews.spp"


@st.composite
def partitions(draw: st.DrawFn) -> Problem:
    """Any problem that the format can say."""
    n_items = draw(st.integers(0, 9))
    option = st.lists(st.integers(1, n_items), min_size=1, unique=True) if n_items else st.nothing()
    options = draw(st.lists(option, max_size=12)) if n_items else []
    limit = 2**62 // max(1, n_items) - 1
    cost = draw(st.sampled_from([st.integers(-limit, limit), st.floats(-1e300, 1e300)]))
    weights = [cost + 0 for cost in draw(st.lists(cost, min_size=len(options), max_size=len(options)))]  # no -0.0
    if all(weight == int(weight) and abs(weight) <= 2**53 for weight in weights):  # which are read as whole
        weights = [*map(int, weights)]
    return Problem.from_options(options, items=range(1, n_items + 1), weights=weights)


def test_a_file_is_read_by_its_suffix() -> None:
    """Rows become items 1, 2, ..., columns options in their order, costs weights to be minimised."""
    problem = read(CREWS)
    assert (problem.items, problem.n_primary, problem.n_options) == ((1, 2, 3, 4, 5, 6), 6, 11)
    assert problem.option(8) == (1, 4, 5, 6)
    assert problem.weights is not None
    assert problem.weights.tolist() == [300, 280, 150, 160, 170, 90, 210, 95, 330, 120, -5]
    assert orlib.dumps(problem) == CREWS.read_bytes()
    assert read(CREWS.open(), format="orlib") == problem
    result = best(problem, "min")
    assert (result.score, result.covers[0].options) == (420, (6, 7, 9, 10))
    assert result.score == min(problem.score(cover) for cover in reference.covers(problem))


@given(partitions())
def test_round_trip_of_partitions(problem: Problem) -> None:
    """Problems come back, and so does the text of one; white space and a mark of UTF-8 do no harm."""
    data = orlib.dumps(problem)
    text = data.decode()
    spaced = " " + text.replace(" ", "\t ").replace("\n", " \r\n\n ")
    for source in (data, text, b"\xef\xbb\xbf" + data, "\ufeff" + text, spaced):
        assert orlib.loads(source) == problem
    assert orlib.dumps(orlib.loads(data)) == data


# Matrices


@for_seeds(100)
def test_round_trip_of_matrices(seed: int) -> None:
    """Plain problems come back from CSV, with any texts as names, and have as many covers as the array has."""
    rng = np.random.default_rng(seed)
    array = rng.random(rng.integers(1, 8, 2)) < 0.5
    array[~array.any(axis=1), 0] = True
    signs = ["a", "b c", "1", 'x"y', "ä,;", "-"]
    items = [f"{signs[k % 6]} {k}" for k in range(array.shape[1])] if seed % 2 else None
    problem = Problem.from_matrix(array, items=items)
    if seed % 3:
        problem = replace(problem, names=tuple(f"{signs[-k % 6]} {k}" for k in range(len(array))))
    if seed % 5 < 2:
        costs = rng.integers(-9, 9, len(array))
        problem = replace(problem, weights=(costs + 0.5).astype(np.float64) if seed % 2 else costs)
    again = matrix.loads(matrix.dumps(problem))
    assert again == problem
    bare = "\n".join("".join(str(int(cell)) for cell in row) for row in array)
    sized = "\n".join([f"{len(array)} {array.shape[1]}", *(" ".join(map(str, row.astype(int))) for row in array)])
    for text in (bare, sized):
        if array.shape[1] > 1:
            assert as_sets(covers(matrix.loads(text))) == as_sets(reference.covers(problem))


@given(st.lists(st.text() | st.integers(), min_size=2, max_size=4, unique=True), st.lists(st.text(), min_size=2))
def test_names_in_matrices(items: list[object], names: list[str]) -> None:
    """A matrix with any names is written and read back as it is, or refused; so is a row of zeros."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        array = np.arange(len(names) * len(items)).reshape(len(names), -1) % 3 == 0
        problem = replace(Problem.from_matrix(array, items=items), names=tuple(names))
        written = attempt(lambda _: matrix.loads(matrix.dumps(problem)), "")
    if isinstance(written, FormatError):
        assert re.search("white space|would be written", written.reason)
    else:
        assert written.items in (tuple(map(str, items)), tuple(range(len(items))))
        assert written.names in (tuple(names), None)
        assert replace(written, items=problem.items, names=problem.names) == problem


# Arrays


@given(problems())
def test_round_trip_of_arrays(problem: Problem) -> None:
    """A problem of any kind comes back equal, its names with their types; so does what was chosen and left out."""
    again = npz.loads(npz.dumps(problem))
    assert again == problem
    if problem.n_options and problem.roles is None:
        without = problem.without([0])
        assert npz.loads(npz.dumps(without)) == without
    assert repr((again.items, again.names, again.colour_names)) == repr(
        (problem.items, problem.names, problem.colour_names)
    )


def test_no_pickle() -> None:
    """An array of Python objects is not unpickled."""
    with pytest.raises(FormatError):
        npz.loads(archive(indices=np.array([Bomb()], dtype=object)))


class Bomb:
    """Goes off when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return pytest.fail, ("a file has run code",)


def test_no_wrong_bit_makes_another_problem() -> None:
    """An archive with a wrong bit is refused, or the same problem; by day each seventh bit."""
    problem = Problem.from_options(["ab", "cd", "ac", "bd"], weights=[1, 2, 3, 4])
    whole = npz.dumps(problem)
    for bit in range(0, 8 * len(whole), 1 if Nightly.on else 7):
        wrong = bytearray(whole)
        wrong[bit // 8] ^= 1 << bit % 8
        with suppress(FormatError):
            assert npz.loads(bytes(wrong)) == problem, bit


# Any bytes

SMALL = Problem.from_options({"l": ["a", Coloured("x", 1)], "r": "b"}, secondary="x", weights=[0.5, 2])
SAMPLES = {
    "knuth": [path.read_bytes() for path in sorted(TOYS.glob("*[cx]"))],
    "matrix": [b",a,b\nl,1,0\nr,0,1\n", b"2 3\n110\n001\n"],
    "npz": [npz.dumps(SMALL)],
    "orlib": [b"3 2\n9 2 1 2\n-4 1 3\n"],
}
WORDS = [*"abcxy|:\ufeff", "x:1", "x:red", "y:1", "|3", "|007", "2:3|c", "3|a", "0:1|b", "|:", '|name="x"']
HEADINGS = st.sampled_from(["a b c | x y\n", "a 2:3|b\n", "a | x\n", "\n"])
LINES = {  # that mean something, in any order
    "knuth": st.tuples(
        HEADINGS, st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), max_size=6).map("\n".join)
    ).map("".join),
}


def test_names_with_control_signs_are_written() -> None:
    """A name that is read from a matrix is written, even with a vertical tab, which ends no line of CSV."""
    problem = matrix.loads(b",a\x0bb,c\nd\x0ce,1,1\n")
    assert problem.items == ("a\x0bb", "c")
    assert matrix.loads(matrix.dumps(problem)) == problem


@pytest.mark.parametrize("format", SAMPLES)
@settings(max_examples=tries(200))
@given(data=st.data())
def test_any_bytes(format: str, data: st.DataObject) -> None:
    """Any text, bytes, lines, and a damaged file are a FormatError, or a problem that comes back when it is written."""
    module = import_module(f"dlx.formats.{format}")

    def loads(source: str | bytes) -> Problem:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            return module.loads(source)  # type: ignore[no-any-return]

    digits = st.text(alphabet="0123 -\n", max_size=60)
    broken = st.sampled_from(SAMPLES[format]).flatmap(damaged)
    problem = attempt(loads, data.draw(digits | st.text() | st.binary() | broken | LINES.get(format, digits)))
    if isinstance(problem, FormatError):
        assert problem.line is None or problem.line > 0
    elif problem.n_primary:
        again = loads(module.dumps(problem))
        assert replace(again, items=problem.items, names=problem.names) == problem


# CNF files


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
    """A row of n variables with a least and a most number has the right models, for each pair of numbers."""
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


@pytest.mark.parametrize(
    ("text", "weights", "items"),
    [
        ("cost,0,1\n5,1,0\n6,0,1\n", [5, 6], (0, 1)),
        ("0,1,Weight\n1,0,5\n0,1,6\n", [5, 6], (0, 1)),
        ("costs;2;1;0\n2;1;0;0\n1;0;1;1\n", [2, 1], ("2", "1", "0")),
        ("\ta\tb\n0\t1\t0\n1\t0\t1\n", None, ("a", "b")),
        ("\n\ta\tb\nx\t1\t0\ny\t0\t1\n\n", None, ("a", "b")),
    ],
)
def test_headings_of_matrices(text: str, weights: list[int] | None, items: tuple[object, ...]) -> None:
    """A heading may begin with the column of costs, or with an empty cell, whatever the other names are."""
    problem = read(io.StringIO(text), "matrix")
    assert problem.items == items
    assert (None if problem.weights is None else problem.weights.tolist()) == weights
    assert len([*covers(problem)]) == 1
