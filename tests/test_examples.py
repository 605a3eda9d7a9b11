"""The examples keep their word, with programs and pictures; tests/data/answers.txt has known counts of them."""

from __future__ import annotations

import importlib
import math
import re
import sys
from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import airline_crews
import aztec_diamond
import four_puzzles
import latin_squares
import numpy as np
import pentominoes
import pytest
import sudoku_variants
import timetable
import word_squares
from processes import ROOT, call, environment
from seeds import nightly

import dlx
import sudoku

EXAMPLES = sorted(path.stem for path in (ROOT / "examples").glob("*.py") if path.stem != "saving")
GALLERY = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
RUN = [*nightly("aztec_diamond"), *(name for name in EXAMPLES if name != "aztec_diamond")]  # which takes 4 s


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


def test_every_example_explains_its_encoding(example: ModuleType) -> None:
    """Items and options are explained before any code."""
    text = example.__doc__ or ""
    assert re.search(r"^\*Items\*[:,] ", text, re.MULTILINE)
    assert re.search(r"^\*Options\*[:,] ", text, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("example", RUN, indirect=True)
def test_every_example_runs(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program of an example prints lines, and writes a well-formed picture to the named file."""
    monkeypatch.setattr(sys, "argv", ["example", str(tmp_path / "picture.svg")])
    example.main()
    assert capsys.readouterr().out.strip()
    root = ElementTree.parse(tmp_path / "picture.svg").getroot()
    assert root.tag.endswith("svg")
    assert len(list(root.iter())) > 20


def test_every_example_is_in_the_gallery(example: ModuleType) -> None:
    """The gallery has its picture, which is well-formed, and a link to its file."""
    name = example.__name__
    assert f"(gallery/{name}.svg)" in GALLERY
    assert f"(../examples/{name}.py)" in GALLERY
    ElementTree.parse(ROOT / "docs" / "gallery" / f"{name}.svg")


@pytest.mark.slow
def test_an_example_is_a_program(tmp_path: Path) -> None:
    """The line that the gallery gives works, and without the name of a file it only prints."""
    printed = call(sys.executable, ROOT / "examples" / "queens.py", folder=tmp_path, environ=environment()).stdout
    assert list(tmp_path.iterdir()) == []
    assert "8 queens:     92 placements" in printed


@pytest.mark.parametrize("region", ["HEART", "STAIRS", "#####\n#####\n#####", "####\n####\n####\n###"])
def test_tilings_of_any_region(region: str) -> None:
    """A tiling covers every square of a region once, with pieces that differ."""
    picture = getattr(pentominoes, region, region)
    problem = pentominoes.pentominoes(picture)
    options = problem.labels(dlx.first(problem).cover or ())
    squares = [(r, c) for r, line in enumerate(picture.split()) for c, mark in enumerate(line) if mark == "#"]
    assert sorted(square for place in options for square in place.cells) == squares
    assert len({place.piece for place in options}) == len(options)


def test_a_latin_square_with_givens() -> None:
    """The puzzle of order 9 has one completion, with all symbols in each row, each column and both diagonals."""
    givens = latin_squares.read(latin_squares.ORDER_9)
    problem = latin_squares.latin(9, givens, diagonal=True)
    (cover,) = dlx.covers(problem)
    square = np.zeros((9, 9), dtype=int)
    for r, c, symbol in problem.labels(cover):
        square[r, c] = symbol
    lines = [*square, *square.T, square.diagonal(), square[::-1].diagonal()]
    assert all(sorted(line.tolist()) == list(range(1, 10)) for line in lines)
    assert all(square[cell] == symbol for cell, symbol in givens.items())


@pytest.mark.slow
def test_word_squares() -> None:
    """The list makes 405 squares, each of eight different words."""
    found = word_squares.squares(word_squares.WORDS)
    assert len(set(found)) == 405
    for rows in found:
        columns = ["".join(letters) for letters in zip(*rows, strict=True)]
        assert len({*rows, *columns}) == 8
        assert {*rows, *columns} <= set(word_squares.WORDS)


# The regions of each variant by its rules, without its layout.
CELLS = list(product(range(9), repeat=2))
BOXES = [[(r + i, c + j) for i in range(3) for j in range(3)] for r in (0, 3, 6) for c in (0, 3, 6)]
REGIONS = {
    "x": [*BOXES, [(k, k) for k in range(9)], [(k, 8 - k) for k in range(9)]],
    "windoku": [*BOXES, *([(r + i, c + j) for i in range(3) for j in range(3)] for r in (1, 5) for c in (1, 5))],
    "jigsaw": [[(r, c) for r, c in CELLS if sudoku_variants.JIGSAW.split()[r][c] == name] for name in "ABCDEFGHI"],
}


@pytest.mark.parametrize(
    ("variant", "regions"), list(zip(sudoku_variants.VARIANTS, REGIONS.values(), strict=True)), ids=list(REGIONS)
)
def test_sudoku_variants(variant: sudoku_variants.Variant, regions: list[list[tuple[int, int]]]) -> None:
    """Each puzzle has one completion, which has every digit in each row, column and region."""
    problem = sudoku.encode(variant.form, variant.layout)
    (cover,) = dlx.covers(problem)
    digits = {(r, c): digit for r, c, digit in problem.labels(cover)}
    lines = [[(k, m) if row else (m, k) for m in range(9)] for k in range(9) for row in (True, False)]
    assert all(sorted(digits[cell] for cell in unit) == list(range(1, 10)) for unit in [*lines, *regions])
    grid = sudoku.parse(variant.form)
    assert all(digits[r, c] == grid[r, c] for r, c in np.argwhere(grid).tolist())


def test_a_timetable_with_wishes() -> None:
    """A timetable has every match once, every team once in each round, and the wishes come true."""
    problem = timetable.timetable(timetable.TEAMS, timetable.WISHES)
    assert dlx.count(problem).covers == 216
    rounds = timetable.rounds(problem)
    assert all(sorted(team for _, *pair in matches for team in pair) == timetable.TEAMS for matches in rounds)
    assert len({(one, other) for matches in rounds for _, one, other in matches}) == math.comb(8, 2)
    played = {(one, other): k for matches in rounds for k, one, other in matches}
    assert all(played[pair] in allowed for pair, allowed in timetable.WISHES.items())


def test_pairings_of_crews() -> None:
    """Every pairing comes back to its base, with rests of half an hour to four hours, within eleven hours."""
    flights = airline_crews.read(airline_crews.TIMETABLE)
    found = list(airline_crews.pairings(flights))
    assert len(set(found)) == len(found) == 84
    for pairing in found:
        day = [flights[number] for number in pairing]
        assert day[0].origin == day[-1].goal
        assert day[0].origin in airline_crews.BASES
        assert all(one.goal == two.origin for one, two in pairwise(day))
        assert all(30 <= two.departs - one.lands <= 240 for one, two in pairwise(day))
        assert day[-1].lands - day[0].departs <= 660


def test_a_random_tiling() -> None:
    """Dominoes cover the squares of the diamond once, in four kinds, each at home at one corner."""
    n = 10
    problem, tiling = aztec_diamond.random_tiling(n, seed=3)
    assert {square for domino in tiling for square in domino} == set(problem.items)
    assert 2 * len(tiling) == len(problem.items)
    corners = [(0, n - 1), (n - 1, 0), (n - 1, 2 * n - 1), (2 * n - 1, n - 1)]
    at_home = [next(domino for domino in tiling if corner in domino) for corner in corners]
    assert len({aztec_diamond.kind(*domino) for domino in at_home}) == 4


@pytest.mark.slow
def test_a_tiling_for_every_date() -> None:
    """The calendar has from 7 tilings, on 6 October, to 216 for each of 366 dates, and as many as a date by itself."""
    problem = four_puzzles.calendar()
    dates: Counter[tuple[int, int]] = Counter()
    for cover in dlx.covers(problem):
        cells = {place.piece: place.cells[0] for place in problem.labels(cover) if place.piece in ("month", "day")}
        (row, column), (week, weekday) = cells["month"], cells["day"]
        dates[6 * row + column + 1, 7 * (week - 2) + weekday + 1] += 1
    never = {(2, 30), (2, 31), *((month, 31) for month in (4, 6, 9, 11))}
    assert len(dates.keys() - never) == 366
    assert sum(number for date, number in dates.items() if date not in never) == 24_405
    assert min(dates.items(), key=lambda item: item[1]) == ((10, 6), 7)
    assert max(dates.values()) == 216
    assert dates[12, 25] == dlx.count(four_puzzles.on(12, 25)).covers == 92
