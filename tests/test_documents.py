"""Documents, examples and benchmarks: files exist, commands print what is shown, and numbers are those of records."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
import shutil
import sys
from contextlib import chdir
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import latin_squares
import pytest
import report
import sudoku_variants
import transcripts
from processes import ROOT, call, environment
from seeds import Nightly, nightly

import dlx
import sudoku

README = (ROOT / "README.md").read_text(encoding="utf-8")


def run(*command: str) -> str:
    inner = {name: value for name, value in environment().items() if name not in ("MAKEFLAGS", "MAKELEVEL", "VENV")}
    ended = call(*command, environ=inner)
    if ended.stderr.endswith("pip install pynauty\n"):
        raise ImportError("pynauty is not installed", name="pynauty")
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def recipe(target: str) -> list[str]:
    """The last command that make would run for a target."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    return shlex.split(run("make", "--dry-run", target).splitlines()[-1])


def test_make_solve() -> None:
    """`make solve` solves the contest's first sample, and prints 2829 and the grid that the README shows."""
    program, *arguments = recipe("solve")
    assert program == ".venv/bin/sudoku"
    assert arguments == ["target", "--grid", "examples/contest-1.txt"]
    printed = run(sys.executable, "-m", "sudoku", *arguments)
    assert f"```text\n{printed}```\n" in README
    score, *grid = printed.split("\n", 1)
    assert score == "2829"
    assert sorted(re.sub(r"\D", "", grid[0])) == sorted("123456789" * 9)


def shown_commands(path: Path) -> list[tuple[str, str]]:
    """The shell commands in console blocks of a document, with what is printed below each."""
    block = "".join(re.findall(r"^```console\n(.*?)^```$", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE))
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


def outcome(command: str) -> str:
    """Returns the output of a pipe of shell commands; ours run in this process, which saves the start of others."""
    text = ""
    with chdir(ROOT):
        for part in command.split(" | "):
            if part.split()[0] in transcripts.COMMANDS:
                lines = transcripts.run(transcripts.Command(part, text, []))
                text = "".join(f"{line}\n" for line in lines if not line.startswith("! "))
            else:
                text = call("sh", "-c", part, text=text).stdout
    return text


SHOWN = {path.stem: shown for path in sorted((ROOT / "docs").rglob("*.md")) if (shown := shown_commands(path))}


@pytest.mark.parametrize("document", SHOWN)
@pytest.mark.posix
def test_shown_commands(document: str) -> None:
    """A shown command prints the lines below it, but for the work it took."""
    work = re.compile(r'"(nodes|seconds)": [0-9.e-]+')
    for command, printed in SHOWN[document]:
        if "-n 500" not in command or Nightly.on:  # which takes some seconds
            assert work.sub("", outcome(command)) == work.sub("", printed), command


DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_named_files_exist(path: Path) -> None:
    """The files that a document links to, and the sources that it names, exist."""
    text = path.read_text(encoding="utf-8")
    linked = [path.parent / name for name in re.findall(r"\]\((?!https?:)([^)#]+)", text)]
    named = [ROOT / name for name in re.findall(r"`((?:dlx|sudoku|tests|benchmarks)/[\w/]+\.(?:py|txt))`", text)]
    assert [path for path in linked + named if not path.exists() and "NAME" not in path.name] == []


# Examples


EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py") if path.stem != "saving")
SAYS = {"word_squares": "405 double word squares", "queens": "8 queens:     92 placements"}
LONG = ("aztec_diamond", "word_squares")  # a second and more each
RUN = [*nightly(*LONG), *(name for name in EXAMPLES if name not in LONG)]


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


@pytest.mark.parametrize("example", RUN, indirect=True)
def test_every_example_runs(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program of an example prints lines, and writes a well-formed picture to the named file."""
    monkeypatch.setattr(sys, "argv", ["example", str(tmp_path / "picture.svg")])
    example.main()
    assert SAYS.get(example.__name__, "") in capsys.readouterr().out.strip() != ""
    root = ElementTree.parse(tmp_path / "picture.svg").getroot()
    assert root.tag.endswith("svg")
    assert len(list(root.iter())) > 20


def test_puzzles_have_one_solution() -> None:
    """The puzzles of the examples, sudoku variants and a latin square, have one solution each."""
    puzzles = [sudoku.encode(variant.form, variant.layout) for variant in sudoku_variants.VARIANTS]
    puzzles.append(latin_squares.latin(9, latin_squares.read(latin_squares.ORDER_9), diagonal=True))
    assert [dlx.count(puzzle).covers for puzzle in puzzles] == [1, 1, 1, 1]


# Benchmarks


WITH_EXAMPLES = ("bench_rating", "families", "report", "sudoku_sets", "weighted_families")
RESULTS = report.load()
MARKED = re.compile(r"([\d.,]+)\s(ms|s|min)<!-- (\w+): (.+?) -->")
UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0}
SIDES = {"best": "dlx", "counting": "auto", "large": "isomorphic", "rating": "rate"}  # whose times documents have


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples(module: str) -> None:
    """Examples in docstrings print the lines below them."""
    outcome = doctest.testmod(importlib.import_module(module))
    assert (outcome.attempted > 0, outcome.failed) == (True, 0)


@pytest.mark.parametrize("name", RESULTS)
def test_pages_are_those_of_the_records(name: str) -> None:
    """The page of a suite has the tables that its records make."""
    assert (report.DOCS / f"{name}.md").read_text(encoding="utf-8") == report.page(name, RESULTS[name])


@pytest.mark.parametrize("document", ["README.md", "docs/counting.md", "docs/reasoning.md", "docs/target-sudoku.md"])
def test_times_are_those_of_the_records(document: str) -> None:
    """A time in a document with a comment behind it is the rounded time of the record that the comment names."""
    text = (ROOT / document).read_text(encoding="utf-8")
    marked = MARKED.findall(text)
    assert len(marked) == text.count("<!-- ") > 0
    for digits, unit, suite, problem in marked:
        seconds = report.grouped(RESULTS[suite]["records"])[problem][SIDES[suite]]["seconds"]
        half = UNITS[unit] * 10 ** -len(digits.partition(".")[2]) / 2
        assert abs(float(digits.replace(",", "")) * UNITS[unit] - seconds) <= half, (digits, unit, problem)
