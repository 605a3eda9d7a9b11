"""Grids and results in notebooks, and `progress=True`: on a terminal, in a notebook, and elsewhere."""

from __future__ import annotations

import inspect
import json
import re
import sys
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from commands import Terminal
from families import build

import dlx
import sudoku
from dlx import Progress
from dlx.engine import line
from dlx.engine.limits import Limits
from dlx.show.dance import page


def test_a_puzzle_shows_itself() -> None:
    """A grid that was read is shown as a picture, with boxes of the shape that it was read with."""
    puzzle, wide = (next(sudoku.read(["12" + "." * 34], layout=box)) for box in ((2, 3), (3, 2)))
    assert isinstance(puzzle, sudoku.Puzzle)
    assert isinstance(wide, sudoku.Puzzle)
    assert puzzle._repr_svg_() == sudoku.to_svg(puzzle.grid, (2, 3)) != wide._repr_svg_()


def shown(value: Any) -> tuple[dict[str, list[str]], int]:
    """The facts of a result in a notebook, each with its lines, and how many pictures there are; it is well-formed."""
    html = value._repr_html_()
    tree = ElementTree.fromstring(f"<div>{html.replace('<br>', '<br/>')}</div>")
    facts = {row[0].text or "": list(row[1].itertext()) for row in tree.iter("tr")}
    return facts, sum(node.tag.endswith("}svg") for node in tree.iter())


CREWS = dlx.Problem.from_options(
    {"<Ann> & Bob": "ab", ("Cy", 1): "cd", "Di": "ac", "Ed": "bd", "Flo": "abcd"}, weights=[3, 4, 5, 1, 9]
)


def test_results_are_tables() -> None:
    """A result shows its answer first, in the caller's names, then the work of the search, and draws its cover."""
    best, one = shown(dlx.best(CREWS, "min", k=2))
    assert best["covers"] == ["6: Di | Ed", "7: <Ann> & Bob | Cy 1"]
    assert (best["bound"], best["proven"], best["stopped"], one) == (["6"], ["True"], ["no"], 1)
    assert list(best)[:3] == ["covers", "bound", "proven"]
    assert list(best)[-1] == "stopped"
    first, one = shown(dlx.first(CREWS.without([2, 3, 4]), seed=1))
    assert (first["cover"], one) == (["<Ann> & Bob", "Cy 1"], 1)
    core = shown(dlx.explain(CREWS.without([1, 3, 4])))[0]
    assert core["items"] == ["d"]
    assert "cover" not in core
    count, none = shown(dlx.count(CREWS, max_covers=1))
    assert (count["covers"], count["stopped"], none) == (["1"], ["max_covers"], 0)
    estimate, none = shown(dlx.estimate(dlx.Problem.from_options([["a"], ["a"]])))
    assert (estimate["nodes"], none) == (["2 ± 0"], 0)
    search = dlx.covers(CREWS)
    next(search)
    facts, one = shown(search)
    assert (facts["covers"], facts["kernel"], one) == (["1"], ["links"], 1)
    facts, one = shown(sudoku.best("1" + "." * 15, layout=(2, 2)))
    assert ("score" in facts, "completion" in facts, one) == (True, False, 1)


def test_long_results_are_cut() -> None:
    """Ten lines of a list are shown, none over 100 signs, with the number of the others; and pictures have room."""
    rooks = dlx.Problem.from_options([(("row", r), ("column", c)) for r in range(6) for c in range(6)])
    lines = shown(dlx.best(rooks, k=30))[0]["covers"]
    assert (len(lines), lines[-1]) == (11, "… and 20 more")
    assert max(map(len, lines)) == 100
    wide = dlx.Problem.from_options([[k] for k in range(1000)])
    facts, pictures = shown(dlx.first(wide))
    assert (facts["cover"][9:], pictures) == (["9", "… and 990 more"], 0)
    assert shown(dlx.count(dlx.Problem.from_options([[k] for k in range(60) for _ in range(10)])))[0]["covers"] == [
        "1" + "0" * 60
    ]


@pytest.mark.parametrize(
    ("board", "pieces", "sides"),
    [("2x2", "dihex", [10, 10]), ("triangle 2", "triamond, moniamond", [3, 4]), ("1x2", "domino", [4])],
)
def test_tilings_have_the_cells_of_their_lattice(board: str, pieces: str, sides: list[int]) -> None:
    """Hexagons and triangles are drawn as such, in notebooks, alone and on pages."""
    problem = dlx.tiles.problem(board, pieces, each=(0, 2))
    found = dlx.first(problem)
    cover = found.cover or ()
    for drawn in (found._repr_html_(), dlx.show.draw(problem, cover), dlx.tiles.picture(problem, cover)):
        outlines = re.findall(r'd="(M[^"]+)z"', drawn)
        assert sorted(len(re.findall("[MhvL]", line)) for line in outlines) == sides
    data = re.search(r'id="data">(.*)</script>', page(dlx.trace(problem)))
    marks = json.loads(data[1])["problem"]["board"]["marks"] if data else []
    assert sorted(len(re.findall("[MhvL]", marks[o][2])) for o in cover) == sides


# The line of progress


SQUARE = build("queens", 6)
GRID = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
MORE: dict[str, tuple[Any, ...]] = {"count_reaching": (0,), "count_many": (2,)}


def reporting(package: Any) -> list[tuple[Any, str]]:
    """The functions of a package that take limits."""
    functions = ((name, getattr(package, name)) for name in package.__all__)
    return [
        (package, name)
        for name, function in functions
        if inspect.isfunction(function) and "limits" in inspect.signature(function).parameters
    ]


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines show every report."""
    monkeypatch.setattr(line, "PATIENCE", 0.0)
    monkeypatch.setattr(line, "REFRESH", 0.0)


def called(package: Any, name: str, **limits: Any) -> None:
    """Calls a function that reports, and goes through what it returns if that is an iterator."""
    thing: Any = SQUARE if package is dlx else [GRID] if name.endswith("_many") else GRID
    if name == "generate_killer":
        thing, limits["seed"] = (2, 2), 1
    found = getattr(package, name)(thing, *MORE.get(name, ()), **limits)
    if hasattr(found, "__next__"):
        list(found)


FACTS = r"(.*, )?[\d.]+[kM]? (cover|node|state)s?.*, [\d.?]+[kMG]? \w+/s, .* s( left)?|.*, [\d.]+ MB, .* s"


@pytest.mark.parametrize(("package", "name"), [*reporting(dlx), *reporting(sudoku)])
def test_on_a_terminal(package: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a callable gets a report, a terminal gets a line, as from commands; at the end the line is blank."""
    heard: list[Progress] = []
    called(package, name, progress=heard.append)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    called(package, name, progress=True)
    lines = [text for text in terminal.getvalue().split("\r") if text.strip()]
    assert bool(lines) == bool(heard)
    assert all(re.fullmatch(FACTS, text.rstrip()) and len(text) < 80 for text in lines), lines
    assert re.search(r"(^|\r +\r)$", terminal.getvalue())


@pytest.mark.parametrize("progress", [True, False, None])
def test_silence(progress: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown if stderr is a file or missing, or if `progress` is False or None."""
    for stream in (None, Terminal()):
        monkeypatch.setattr("sys.stderr", stream)
        if progress and stream is not None:
            monkeypatch.setattr(stream, "isatty", lambda: False)
        assert dlx.count(SQUARE, progress=progress).covers == 4
        assert stream is None or stream.getvalue() == ""


def test_a_short_search_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that ends within a second shows no line."""
    monkeypatch.setattr(line, "PATIENCE", 1000.0)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    assert dlx.count(SQUARE, progress=True).covers == 4
    assert terminal.getvalue() == ""


def test_a_terminal_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the terminal goes away, the line ends, but not the search."""
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    limits = Limits.of(progress=True)
    terminal.close()
    assert dlx.count(SQUARE, progress=limits.progress).covers == 4


def test_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell shows a line, though its stderr is no terminal."""
    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr("sys.stderr", cell := Terminal())
    monkeypatch.setattr(cell, "isatty", lambda: False)
    dlx.count(SQUARE, progress=True, merge="never")
    assert "4 covers, " in cell.getvalue()
