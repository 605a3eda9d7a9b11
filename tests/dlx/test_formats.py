"""Files: formats by suffix and by name, what each says, round trips, and that any bytes are a problem or an error."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from drawn import PLAIN_NAMES, archive, attempt, damaged, problems
from hypothesis import given, settings
from hypothesis import strategies as st
from seeds import Nightly, for_seeds, tries

from dlx import Coloured, Problem, best, reference
from dlx.formats import WRITTEN, FormatError, FormatWarning, knuth, matrix, npz, orlib, read, write

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


@given(problems(PLAIN_NAMES, plain=True))
def test_round_trip_of_text(problem: Problem) -> None:
    """Problems in Knuth's text come back, but for the order of their colours."""
    again = knuth.loads(knuth.dumps(problem))
    assert again.items == problem.items
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
    for call in (read, lambda path: write(problem, path)):
        with pytest.raises(
            FormatError, match=r"p\.xml: the suffix '\.xml' stands for no format; .* or use one of \.dlx, "
        ):
            call(tmp_path / "p.xml")
    assert not (tmp_path / "p.xml").exists()
    with pytest.raises(FormatError, match="'a b'"):
        write(Problem.from_options([["a b"]]), tmp_path / "p.dlx")
    assert read(tmp_path / "p.dlx") == problem


# Set partitioning

CREWS = Path(__file__).parents[1] / "data" / "crews.spp"


def test_a_file_is_read_by_its_suffix() -> None:
    """Rows become items 1, 2, ..., columns options in their order, costs weights to be minimised."""
    problem = read(CREWS)
    assert (problem.items, problem.n_primary, problem.n_options) == ((1, 2, 3, 4, 5, 6), 6, 11)
    assert problem.option(8) == (1, 4, 5, 6)
    assert problem.weights is not None
    assert problem.weights.tolist() == [300, 280, 150, 160, 170, 90, 210, 95, 330, 120, -5]
    assert read(CREWS.open(), format="orlib") == problem
    result = best(problem, "min")
    assert (result.score, result.covers[0].options) == (420, (6, 7, 9, 10))
    assert result.score == min(problem.score(cover) for cover in reference.covers(problem))


@for_seeds(50)
def test_set_partitioning(seed: int) -> None:
    """Columns become options in their order; white space and a mark of UTF-8 do no harm."""
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(1, 9))
    columns = [(1 + rng.permutation(n_rows)[: rng.integers(1, n_rows + 1)]).tolist() for _ in range(rng.integers(9))]
    costs = rng.integers(-9, 10, len(columns)) if seed % 2 else rng.normal(size=len(columns))
    lines = [[cost, len(rows), *rows] for cost, rows in zip(costs.tolist(), columns, strict=True)]
    text = "".join(" ".join(map(str, line)) + "\n" for line in [[n_rows, len(columns)], *lines])
    spaced = " " + text.replace(" ", "\t ").replace("\n", " \r\n\n ")
    for source in (text, b"\xef\xbb\xbf" + text.encode(), "\ufeff" + text, spaced):
        found = orlib.loads(source)
        assert found == Problem.from_options(columns, items=range(1, n_rows + 1), weights=found.weights)
        assert np.array_equal(found.weights, costs)  # type: ignore[arg-type]


# Matrices


@for_seeds(100)
def test_matrices(seed: int) -> None:
    """Plain problems are read from CSV with any texts as names, from digits, and behind the sizes of the matrix."""
    rng = np.random.default_rng(seed)
    array = rng.random(rng.integers(2, 8, 2)) < 0.5
    array[~array.any(axis=1), 0] = True
    signs = ["a", "b c", "1", 'x"y', "ä,;", "-"]
    names, items = ([f"{signs[k % 6]} {k}" for k in range(size)] for size in array.shape)
    csv.writer(stream := io.StringIO()).writerows(
        [["", *items], *([name, *row] for name, row in zip(names, array.astype(int).tolist(), strict=True))]
    )
    expected = Problem.from_matrix(array, items=items)
    assert matrix.loads(stream.getvalue()) == replace(expected, names=tuple(names))
    bare = "\n".join("".join(str(int(cell)) for cell in row) for row in array)
    sized = "\n".join([f"{len(array)} {array.shape[1]}", *(" ".join(map(str, row.astype(int))) for row in array)])
    for text in (bare, sized):
        assert matrix.loads(text) == Problem.from_matrix(array)


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
WORDS = [*"abcxy|:\ufeff", "x:1", "x:red", "y:1", "|3", "|007", "2:3|c", "3|a", "0:1|b", "|:"]
HEADINGS = st.sampled_from(["a b c | x y\n", "a 2:3|b\n", "a | x\n", "\n"])
LINES = {  # that mean something, in any order
    "knuth": st.tuples(
        HEADINGS, st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), max_size=6).map("\n".join)
    ).map("".join),
}


@pytest.mark.parametrize("format", SAMPLES)
@settings(max_examples=tries(200))
@given(data=st.data())
def test_any_bytes(format: str, data: st.DataObject) -> None:
    """Any text, bytes, lines, and a damaged file are a FormatError, or a problem that can be written and read back."""
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
    elif problem.n_primary and format in WRITTEN:
        again = loads(module.dumps(problem))
        assert replace(again, items=problem.items, names=problem.names) == problem
