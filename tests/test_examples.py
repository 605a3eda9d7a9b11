"""The programs and pictures of the examples; tests/data/answers.txt has known counts of them."""

from __future__ import annotations

import importlib
import runpy
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import latin_squares
import pytest
import sudoku_variants
from processes import ROOT
from seeds import nightly

import dlx
import sudoku

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


def test_a_program_that_states_all_types_runs() -> None:
    """A program with the types of all public names, which `make lint` checks, runs without an error."""
    runpy.run_path(str(ROOT / "tests" / "data" / "typed_user.py"), run_name="__main__")


def test_puzzles_have_one_solution() -> None:
    """The puzzles of the examples, sudoku variants and a latin square, have one solution each."""
    puzzles = [sudoku.encode(variant.form, variant.layout) for variant in sudoku_variants.VARIANTS]
    puzzles.append(latin_squares.latin(9, latin_squares.read(latin_squares.ORDER_9), diagonal=True))
    assert [dlx.count(puzzle).covers for puzzle in puzzles] == [1, 1, 1, 1]
