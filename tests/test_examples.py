"""The programs and pictures of the examples; tests/data/answers.txt has known counts of them."""

from __future__ import annotations

import importlib
import math
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import latin_squares
import pytest
import sudoku_variants
import timetable
from processes import ROOT
from seeds import nightly

import dlx
import sudoku

EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py") if path.stem != "saving")
GALLERY = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
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


def test_every_example_is_in_the_gallery(example: ModuleType) -> None:
    """An example explains its items and options; the gallery has its picture, well-formed, and a link to its file."""
    name, text = example.__name__, example.__doc__ or ""
    assert all(re.search(rf"^\*{part}\*[:,] ", text, re.MULTILINE) for part in ("Items", "Options"))
    assert f"(gallery/{name}.svg)" in GALLERY
    assert f"(../examples/{name}.py)" in GALLERY
    ElementTree.parse(ROOT / "docs" / "gallery" / f"{name}.svg")


def test_a_program_that_states_all_types_runs() -> None:
    """A program with the types of all public names, which `make lint` checks, runs without an error."""
    runpy.run_path(str(ROOT / "tests" / "data" / "typed_user.py"), run_name="__main__")


def test_puzzles_have_one_solution() -> None:
    """The puzzles of the examples, sudoku variants and a latin square, have one solution each."""
    puzzles = [sudoku.encode(variant.form, variant.layout) for variant in sudoku_variants.VARIANTS]
    puzzles.append(latin_squares.latin(9, latin_squares.read(latin_squares.ORDER_9), diagonal=True))
    assert [dlx.count(puzzle).covers for puzzle in puzzles] == [1, 1, 1, 1]


def test_a_timetable_with_wishes() -> None:
    """A timetable has every match once, every team once in each round, and the wishes come true."""
    problem = timetable.timetable(timetable.TEAMS, timetable.WISHES)
    assert dlx.count(problem).covers == 216
    rounds = timetable.rounds(problem)
    assert all(sorted(team for _, *pair in matches for team in pair) == timetable.TEAMS for matches in rounds)
    assert len({(one, other) for matches in rounds for _, one, other in matches}) == math.comb(8, 2)
    played = {(one, other): k for matches in rounds for k, one, other in matches}
    assert all(played[pair] in allowed for pair, allowed in timetable.WISHES.items())
