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
from dlx.engine import line
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
