"""Formats by suffix and by name, and Knuth's text: round trips, and that any bytes are a problem or a FormatError."""

from __future__ import annotations

import io
import sys
import warnings
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from drawn import NAMES, PLAIN_NAMES, attempt, damaged, problems
from hypothesis import given
from hypothesis import strategies as st
from oracle import as_sets

from dlx import Coloured, Problem, best, count, covers
from dlx.command.cli import main
from dlx.formats import FORMATS, READ, FormatError, FormatWarning, files, format_of, knuth, npz, read, write

TOYS = Path(__file__).parents[2] / "examples" / "toys"

WORDS = [*"abcxy|:\ufeff", "x:1", "x:red", "y:1", "|3", "|007", "2:3|c", "3|a", "0:1|b", "|:", '|name="x"']


def quiet(data: str | bytes) -> Problem:
    """Reads Knuth's format without a word about dropped options."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FormatWarning)
        return knuth.loads(data)


@st.composite
def mixtures(draw: st.DrawFn) -> str:
    """Texts of lines that mean something, some of them together."""
    lines = draw(st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), max_size=6))
    return "\n".join([draw(st.sampled_from(["a b c | x y", "a 2:3|b", "a | x", ""])), *lines])


def test_the_toys() -> None:
    """Knuth's four toy problems have one cover each, or a best one that costs 2; a board has 11 tilings (A099390)."""
    found = {path.name: read(path) for path in TOYS.iterdir()}
    assert [count(found[name]).covers for name in ("dance.dlx", "colours.xcc", "multiplicity.mcc")] == [1, 1, 1]
    assert best(found["costs.dlx"], "min").score == 2
    assert count(found["dominoes.dlx"]).covers == 11
    assert as_sets(covers(found["dance.dlx"])) == [(0, 3, 4)]
    assert best(found["plan.mps"], "min").covers[0].labels == ("ann_mon", "bob_tue")


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


@pytest.mark.parametrize("text", ["a\na\n", "a | x\na x\n", "a 1|b 1:1|c\na b c\n"])
def test_nothing_said_is_nothing_there(text: str) -> None:
    """A problem from a text has no weights, colours or multiplicities if the text has none."""
    problem = knuth.loads(text)
    assert (problem.weights, problem.colours, problem.colour_names, problem.multiplicities) == (None, None, (), None)


def test_names_of_options() -> None:
    """They stand in the lines before their options, in JSON; to others these are comments."""
    text = '| a comment\na b\n|name=["left side", 1.5, null]\na |3\n  |name="\\ud800|"\nb\n'
    problem = knuth.loads(text)
    assert problem.names == (("left side", 1.5, None), "\ud800|")
    assert knuth.loads(knuth.dumps(problem)) == problem
    assert knuth.loads("a\n|name =1\n| name=1\na\n").names is None


@given(problems(plain=True, names=PLAIN_NAMES), st.data())
@pytest.mark.slow
def test_round_trip_of_names(problem: Problem, data: st.DataObject) -> None:
    """Names of any type that JSON can say come back as they were."""
    if problem.n_options:
        labels = data.draw(st.lists(NAMES, min_size=problem.n_options, max_size=problem.n_options))
        again = knuth.loads(knuth.dumps(replace(problem, names=tuple(labels))))
        assert [(type(name), name) for name in again.names or ()] == [(type(name), name) for name in labels]


def test_options_without_a_primary_item() -> None:
    """They are dropped, with one warning that has the first line and the number; their colours and costs go too."""
    with pytest.warns(FormatWarning) as caught:
        problem = knuth.loads("a | x y\nx:1 |3\na x:2\ny", "toy.dlx")
    assert problem == Problem.from_options([["a", Coloured("x", "2")]], items="axy", secondary="xy")
    assert [str(warning.message) for warning in caught] == [
        "toy.dlx:2: dropped: an option without a primary item (2 such options in all)"
    ]


def test_whole_numbers_as_names() -> None:
    """Items and colours that are whole numbers are written, and come back as strings."""
    problem = Problem.from_options([[1, Coloured(2, 0)]], secondary=[2])
    assert knuth.dumps(problem) == b"1 | 2\n1 2:0\n"


@given(problems(PLAIN_NAMES, plain=True))
@pytest.mark.slow
def test_round_trip_of_plain_problems(problem: Problem) -> None:
    """A problem that the text format can say comes back equal, but for the order of its colours."""
    again = knuth.loads(knuth.dumps(problem))
    assert again.items == problem.items
    assert [again.option(o) for o in range(again.n_options)] == [problem.option(o) for o in range(problem.n_options)]
    assert np.array_equal(again.weights, problem.weights)  # type: ignore[arg-type]
    assert np.array_equal(again.multiplicities, problem.multiplicities)  # type: ignore[arg-type]
    assert knuth.loads(knuth.dumps(again)) == again


@given(mixtures())
@pytest.mark.slow
def test_any_lines(text: str) -> None:
    """Lines of plausible words are a problem, which survives writing and reading, or a FormatError with a line."""
    problem = attempt(quiet, text)
    if isinstance(problem, FormatError):
        assert problem.line is None or 1 <= problem.line <= text.count("\n") + 1
    elif problem.n_primary:
        assert quiet(knuth.dumps(problem)) == problem


SMALL = Problem.from_options({"l": ["a", Coloured("x", 1)], "r": "b"}, secondary="x", weights=[0.5, 2])
SAMPLES = {
    "knuth": [path.read_bytes() for path in sorted(TOYS.glob("*[cx]"))],
    "mps": [(TOYS / "plan.mps").read_bytes()],
    "npz": [npz.dumps(SMALL)],
    "orlib": [b"3 2\n9 2 1 2\n-4 1 3\n"],
}


@pytest.mark.parametrize("format", READ)
@given(data=st.data())
@pytest.mark.slow
def test_any_bytes(format: str, data: st.DataObject) -> None:
    """Any text, any bytes, and a damaged file are a FormatError, or a problem that comes back when it is written."""
    module = import_module(f"dlx.formats.{format}")

    def loads(source: str | bytes) -> Problem:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            return module.loads(source)  # type: ignore[no-any-return]

    digits = st.text(alphabet="0123 -\n", max_size=60)
    problem = attempt(
        loads, data.draw(digits | st.text() | st.binary() | st.sampled_from(SAMPLES[format]).flatmap(damaged))
    )
    if isinstance(problem, FormatError):
        assert problem.line is None or problem.line > 0
    elif problem.n_primary:
        again = loads(module.dumps(problem))
        assert again == problem if format != "mps" else as_sets(covers(again)) == as_sets(covers(problem))


@pytest.mark.slow
def test_long_lines_and_many_options() -> None:
    """An option of 100,000 items is read, and so are 100,000 options; a repeated item in the first one is found."""
    names = [f"item-{k}-{'x' * 50}" for k in range(100_000)]
    line = " ".join(names)
    problem = knuth.loads("\n".join([line, line, *names]))
    assert (problem.n_options, len(problem.indices)) == (100_001, 200_000)
    with pytest.raises(FormatError, match="twice"):
        knuth.loads(f"{line}\n{line} {names[-1]}")


def test_suffixes() -> None:
    """The suffix tells the format; a file without one is Knuth's text."""
    files = ["a.dlx", "a.XCC", "a.txt", "dir.txt/a", "a.npz", "a.spp", "a.mps", "a.lp", "a.opb", "a.cnf"]
    assert " ".join(map(format_of, files)) == "knuth knuth knuth knuth npz orlib mps lp opb cnf"


def test_read_and_write(tmp_path: Path) -> None:
    """Paths, streams of text and of bytes, formats by suffix and by name; errors have the name of the file."""
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


@pytest.mark.parametrize("name", ["p.xml", "p.npy", "p.8"])
def test_unknown_suffixes(tmp_path: Path, name: str) -> None:
    """A suffix that stands for no format is an error with those that can be written, or read; no file is made."""
    problem = Problem.from_options(["ab", "c"])
    known = r"\.dlx, \.xc, \.xcc, \.mcc, \.txt, \.spp, \.npz, \.mps"
    told = rf"{name}: the suffix '\.{name[2:]}' stands for no format; .*{known}"
    with pytest.raises(FormatError, match=rf"{told}, \.lp, \.opb, \.cnf$"):
        write(problem, tmp_path / name)
    assert not (tmp_path / name).exists()
    with (tmp_path / name).open("wb") as stream, pytest.raises(FormatError, match="stands for no format"):
        write(problem, stream)
    write(problem, tmp_path / name, "knuth")
    with pytest.raises(FormatError, match=f"{told}$"):
        read(tmp_path / name)
    with (tmp_path / name).open("rb") as stream, pytest.raises(FormatError, match="stands for no format"):
        read(stream)
    assert read(tmp_path / name, "knuth") == problem
    write(problem, tmp_path / "p")
    assert read(tmp_path / "p") == problem, "without a suffix it is Knuth's text"


@pytest.mark.parametrize(
    ("format", "advice"),
    [
        ("npz", "this looks like the format 'npz', which can be named: --format npz"),
        ("mps", "this looks like the format 'mps', which can be named: --format mps"),
        ("lp", "this looks like the format 'lp', which is only written"),
    ],
)
def test_formats_that_nobody_has_named(tmp_path: Path, format: str, advice: str) -> None:
    """A text of another format is refused with the name of that, but not once the format is named."""
    write(Problem.from_options(["ab", "c"]), path := tmp_path / "p", format)
    for source in (str(path), io.BytesIO(path.read_bytes())):
        with pytest.raises(FormatError, match=rf"(the item|the name) .*; {advice}$"):
            read(source)
    with pytest.raises(FormatError) as wrong:
        read(path, "knuth")
    assert "looks like" not in str(wrong.value)
    with pytest.raises(FormatError, match=r"^<stream>:2: the item 'c' is unknown$"):
        read(io.StringIO("max b\nmax c"))


@pytest.mark.parametrize(
    "text",
    ["0 1\n0 1", "[1,0] [0\n[1,0] [0", "{a}", "[a]", "101\n101", "max", "min\nmin", "NAME", "p cnf\np cnf", "<a <b"],
)
def test_texts_with_odd_names(text: str) -> None:
    """An item can have any name: Knuth's text is not refused for that."""
    assert knuth.dumps(read(io.StringIO(text))).decode().split() == text.split()


def test_very_long_numbers_as_names() -> None:
    """A name of more digits than Python writes is refused before anyone makes a number of them."""
    assert knuth.loads(f"a\n|name=-{'7' * 4300}\na").n_options == 1
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # as the command does
    try:
        with pytest.raises(FormatError, match=r"^p:2: a whole number has 4301 digits; the limit is 4300$"):
            knuth.loads(f"a\n|name=[-{'7' * 4301}]\na", "p")
    finally:
        sys.set_int_max_str_digits(before)


@pytest.mark.parametrize("format", sorted({*FORMATS} - {*READ}))
def test_formats_that_are_only_written(tmp_path: Path, format: str) -> None:
    """To read one is an error that lists those that are read, by suffix and by name."""
    path = tmp_path / f"p{FORMATS[format][0]}"
    write(Problem.from_options(["ab", "c"]), path)
    for said in (None, format):
        with pytest.raises(FormatError, match=f"the format '{format}' is only written; .* knuth, orlib, npz, mps$"):
            read(path, said)


def test_a_text_in_another_encoding(tmp_path: Path) -> None:
    """A file opened as text that is no such text is a FormatError with its name; opened as bytes, it is read."""
    (tmp_path / "p.dlx").write_bytes(b"a \xff\na\n\xff\n")
    with (tmp_path / "p.dlx").open(encoding="utf-8") as stream, pytest.raises(FormatError, match=r"p\.dlx: .*0xff"):
        read(stream)
    assert read(tmp_path / "p.dlx").n_options == 2


def test_a_refused_problem_leaves_the_file_alone(tmp_path: Path) -> None:
    """A problem that cannot be written does not destroy what is there."""
    path = tmp_path / "p.dlx"
    path.write_text("a\na\n")
    with pytest.raises(FormatError):
        write(Problem.from_options([["a b"]]), path)
    assert path.read_text() == "a\na\n"


def test_a_line_without_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line over the limit, which is 2^28 bytes, is an error with file, line and limit; nothing behind it is read."""
    assert files.ENDLESS == 1 << 28
    monkeypatch.setattr(files, "ENDLESS", 64)
    monkeypatch.setattr(files, "PIECE", 16)
    path = tmp_path / "long.dlx"
    path.write_text("a b\na b\n" + "a" * 100 + "\n")
    assert main(["count", str(path)]) == 2
    assert f"{path}:3: the line has more than 64 bytes" in capsys.readouterr().err
    with pytest.raises(FormatError, match="<stream>:3: the line has more than 64 bytes"):
        read(io.StringIO(path.read_text()))
    assert read(io.BytesIO(b"a b\n" + b"a b\n" * 100)).n_options == 100
