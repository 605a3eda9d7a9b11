"""`progress=True` in every function that reports: on a terminal, in a notebook, and elsewhere."""

from __future__ import annotations

import inspect
import re
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from commands import Terminal
from families import build

import dlx
import sudoku
from dlx import Progress
from dlx.engine import bar
from dlx.engine.limits import Limits

SQUARE = build("queens", 6)
GRID = "7..9....11....59.....2...8...5.2...3......648413........7..2.9.2.1.6.8.4.8.5.4.12"
MORE: dict[str, tuple[Any, ...]] = {"count_reaching": (0,), "count_many": (2,), "rank": (2,), "ties": (2829,)}


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
    """Bars show every report."""
    monkeypatch.setattr(bar, "DELAY", 0.0)
    monkeypatch.setattr(bar, "INTERVAL", 0.0)


def called(package: Any, name: str, **limits: Any) -> None:
    """Calls a function that reports, and goes through what it returns if that is an iterator."""
    thing: Any = SQUARE if package is dlx else [GRID] if name.endswith("_many") else GRID
    if name == "generate_killer":
        thing, limits["seed"] = (2, 2), 1
    found = getattr(package, name)(thing, *MORE.get(name, ()), **limits)
    if hasattr(found, "__next__"):
        list(found)


METER = r"((.*: )? *\d{1,3}%\|#* *\| |.*: )?"
FACTS = r"[\d.]+[kM]?(/\d+)? (cover|node|state)s? \[\d\d:\d\d(<[\d:]+)?, [\d.?]+[kMG]? \w+/s(, \w+=[-\d.]+)*\]? *"


@pytest.mark.parametrize(("package", "name"), [*reporting(dlx), *reporting(sudoku)])
def test_on_a_terminal(package: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a callable hears anything a bar is seen, in tqdm's layout; in the end the line is blank."""
    heard: list[Progress] = []
    called(package, name, progress=heard.append)
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    called(package, name, progress=True)
    lines = [line for line in terminal.getvalue().split("\r") if line.strip()]
    assert bool(lines) == bool(heard)
    assert all(re.fullmatch(METER + FACTS, line) and len(line) < 80 for line in lines), lines
    assert re.search(r"(^|\r +\r)$", terminal.getvalue())


@pytest.mark.parametrize("progress", [True, False, None])
def test_silence(progress: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown where stderr is a file or missing, and nothing on a terminal by False and None."""
    for stream in (None, Terminal()):
        monkeypatch.setattr("sys.stderr", stream)
        if progress and stream is not None:
            monkeypatch.setattr(stream, "isatty", lambda: False)
        assert dlx.count(SQUARE, progress=progress).covers == 4
        assert stream is None or stream.getvalue() == ""


def test_reports_in_text() -> None:
    """Covers of a limit make a part, states are told without one, a score stands with its bound."""
    told = {"nodes": 10, "covers": 0, "score": None, "bound": None, "fraction": 0.5, "seconds": 10.0}
    for facts, most, left, right in (
        ({"covers": 10**400}, None, " 50%", "1.00e400 covers [00:10<00:10, ? covers/s]"),
        ({"covers": 30, "fraction": 0.0}, 40, " 75%", "30/40 covers [00:10<00:03, 3.00 covers/s]"),
        ({}, 40, " 50%", "10 nodes [00:10<00:10, 1.00 nodes/s]"),
        ({"states": 1}, None, "", "1 state [00:10, 0.10 states/s]"),
        ({"doing": "3 items left"}, None, "3 items left: ", "10 nodes [00:10, 1.00 nodes/s]"),
        ({"score": 2.5, "bound": 7}, None, "", "10 nodes [00:10, 1.00 nodes/s, score=2.5, bound=7]"),
        ({"nodes": 0, "seconds": 0.0, "fraction": 0.0}, None, "", "0 nodes [00:00, ? nodes/s]"),
    ):
        shown = bar.parts(Progress(**told | facts), most)
        assert (shown[0], shown[2]) == (left, right)
        assert (shown[1] is None) == (not left.endswith("%"))


def test_a_terminal_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal that goes away meanwhile ends the bar and not the search."""
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    bars = Limits.of(progress=True)
    terminal.close()
    assert dlx.count(SQUARE, progress=bars.progress).covers == 4


def test_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell shows a bar, though its stderr is no terminal."""
    shell = SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setattr("sys.stderr", cell := Terminal())
    monkeypatch.setattr(cell, "isatty", lambda: False)
    dlx.count(SQUARE, progress=True, merge="never")
    assert "100%" in cell.getvalue()
